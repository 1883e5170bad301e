"""The scripts that run in a visitor's page, a line each. The front door lets these texts run there and no other."""

from __future__ import annotations

import streamlit as st

from .. import keys

ANSWER = keys.widget("answer_place")
"""The key of the place of answers."""
NARROW = "(max-width: 767px)"
"""Where controls and answer go under each other, and Streamlit's menu folds: phones, and screens at 200 % zoom."""
TO_THE_TOP = "document.querySelector('[data-testid=stMain]').scrollTo(0, 0)"
"""Scroll to the top of the page, which may be longer than a phone's screen."""
FIGURES = keys.widget("figures")
"""The key of two figures side by side; on a phone the second one is a swipe away."""
LAST_STEP = keys.widget("last_step")
"""The key of the card above the answer, where a page asks in steps."""
TO_THE_ANSWER = (
    f"document.querySelector(matchMedia('{NARROW}').matches ? '.st-key-{ANSWER}' : '.st-key-{LAST_STEP}')"
    "?.scrollIntoView()"
)
"""Scroll to what the press of a button asked for; on a wide screen it is in view, but for a page that asks in steps."""
READING = keys.widget("how_it_was_read")
"""The key of the line that says how a column was read."""
TO_THE_READING = (
    f"(function seek(left) {{ const line = document.querySelector('.st-key-{READING}'); "
    "if (line) line.scrollIntoView({block: 'nearest'}); else if (left) setTimeout(seek, 100, left - 1) })(30)"
)
"""Bring that line into view: the read button is below it, and everything between them disappeared with the file."""
NAMES = (
    "{'[data-testid=stExpandSidebarButton]': 'Menu', '[data-testid=stSidebarCollapseButton] button': 'Close the menu', "
    "'[data-testid=stSidebar]': 'Menu'}"
)
NAME_THE_MENU = (
    f"(() => {{ const names = {NAMES}; const say = () => Object.entries(names).forEach(([place, name]) => "
    "document.querySelector(place)?.setAttribute('aria-label', name)); "
    f"const swept = () => document.querySelectorAll('.st-key-{FIGURES} [data-testid=stHorizontalBlock]')"
    f".forEach(each => {{ each.tabIndex = matchMedia('{NARROW}').matches ? 0 : -1 }}); "
    "const all = () => { say(); swept() }; all(); "
    f"const shut = () => matchMedia('{NARROW}').matches && setTimeout(() => document.querySelector("
    "'[data-testid=stSidebar][data-collapsed=false] [data-testid=stSidebarCollapseButton] button')?.click(), 150); "
    "window.dpqShut ??= !shut() | !document.addEventListener('click', ({target}) => "
    "target.closest('[data-testid=stSidebarNavLink]') && shut()); "
    "window.dpqMenu ??= new MutationObserver(all); "
    "window.dpqMenu.observe(document.querySelector('[data-testid=stApp]'), {childList: true, subtree: true}) })()"
)
"""On narrow screens Streamlit calls the menu "Expand sidebar", and offers no other name for it.

There the menu lies over the page, so a tap on a page in it shuts it, and so does a reload: Streamlit opens the menu
again where the browser remembers it as open. And figures that are swiped there are reached by the keyboard, which then
scrolls them.
"""
PICTURES = (
    "window.dpqPictures ??= !document.addEventListener('click', ({target, shiftKey}) => { "
    "const options = target.closest('.modebar-btn')?.closest('.js-plotly-plot')?._context.toImageButtonOptions; "
    "if (options) options.format = shiftKey ? 'svg' : 'png' }, true)"
)
"""Let the camera of a figure save SVG where Shift is held; plotly knows one format a figure."""
TO_THE_FIELD = (
    "(function seek(left) { const sought = [...document.querySelectorAll('[data-occasion]')].map(mark => "
    "mark.dataset.occasion).filter(word => word.startsWith('field:')).pop(); "
    "const [field] = ['input', 'button'].flatMap(kind => "
    "[...document.querySelectorAll(`.st-key-${sought?.slice(6)} ${kind}`)]); "
    "if (field) { field.scrollIntoView({block: 'center'}); field.focus() } "
    "else if (left) setTimeout(seek, 100, left - 1) })(30)"
)
"""Put the cursor into the field that the occasion names, or on its first button, once its part of the form is open."""

UNSAVED = "unsaved"
WARN_BEFORE_LEAVING = (
    "window.dpqLeaving ??= !addEventListener('beforeunload', event => document.querySelector("
    f"'[data-occasion={UNSAVED}], [data-testid=stFileChip], "
    f"[class*=st-key-{keys.WIDGETS}pasted_] textarea:not(:placeholder-shown)') && event.preventDefault())"
)
"""Let the browser ask before it leaves a page with own data, and what was typed of it: no link brings that back."""


def figure_key(name: str, *of: object) -> str:
    """Return the key of a figure; `of`: which one of several of this name."""
    return keys.widget("figure", name, *of)


SCRIPTS = (TO_THE_TOP, TO_THE_ANSWER, TO_THE_READING, NAME_THE_MENU, PICTURES, TO_THE_FIELD, WARN_BEFORE_LEAVING)


def run(script: str, occasion: str = "") -> None:
    """Run one of SCRIPTS in the visitor's page, once for each occasion.

    A browser does not run a script again that is already in the page, and the text of a script must not change. So the
    occasion, a plain word or number, is written beside it.
    """
    st.html(f'<i hidden data-occasion="{occasion}"></i><script>{script}</script>', unsafe_allow_javascript=True)
