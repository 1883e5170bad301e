"""The few CSS rules of our own, on every page. All else is Streamlit's, coloured by .streamlit/config.toml."""

from __future__ import annotations

import streamlit as st

from .. import keys
from ..form.table import key
from ..server.scripts import ANSWER, FIGURES, LAST_STEP, NARROW, READING

IN_VIEW = keys.widget("in_view")
"""The key of the container that holds a page's primary button."""

CONTROLS = keys.widget("controls")
"""The key of a page's card of controls."""

PICTURE = keys.widget("picture")
"""The key of the container of a picture that stays in view."""

SMALL_PRINT = keys.widget("small_print")
"""The key of the line below the finding of a picture."""

KEY_NUMBERS = keys.widget("key_numbers")
"""The key of the numbers below a picture, for which a phone has no room: its finding says the first of them."""

PRESENT = keys.widget("present")
"""The key of the button that begins a presentation."""

CHOSEN_NOW = keys.widget("chosen_now")
"""The key of the line that says which data are shown, which a phone has in its form alone."""


QR_CODE = keys.widget("qr_code")
"""The key of the container of a room's code."""


def result_key(name: str = "") -> str:
    """Return the key of the container of a finished outcome; without a name, how all of them begin."""
    return keys.widget("result", name)


STACKED = (
    f"@media {NARROW} {{.st-key-{ANSWER} {{scroll-margin-top: 4rem}} "
    f"[data-testid=stColumn]:is(:has(.st-key-{CONTROLS}), :has(.st-key-{CONTROLS}) ~ *) "
    "{min-width: calc(100% - 1.5rem)} "
    f"[data-testid=stHorizontalBlock]:is(:not(:has(.st-key-{LAST_STEP})), :has([class*=st-key-{result_key()}])) "
    f"> [data-testid=stColumn]:has(.st-key-{CONTROLS}) {{order: 1}} "
    f"[data-testid=stMain]:has(.st-key-{CONTROLS}):not(:has(.st-key-{LAST_STEP})) :is("
    f"[data-testid=stLayoutWrapper]:has(> .st-key-{IN_VIEW})) "
    "{position: fixed; left: 0; right: 0; z-index: 3; padding: 0.75rem 1rem} "
    f"[data-testid=stMain]:has(.st-key-{CONTROLS}) [data-testid=stMainBlockContainer] {{padding-bottom: 9rem}}}}"
)
"""On a phone the answer is above the controls, and the main button stays at the lower edge of the screen.

Steps are above the answer until there is one. Streamlit puts columns one below the other on phones alone.
"""

TABLES = (
    "@media (hover: none) {[data-testid=stElementContainer]:has(> * > [data-testid=stDataFrame]) {margin-top: 2rem}}"
)
"""Where nothing hovers, Streamlit shows the buttons of a table for good, over the last line above it."""

RAIL = f".st-key-{key('lesson')} [role=radiogroup] {{gap: 0.5rem}}"
"""The names of lessons are read one by one, and may take two lines."""

THE_MENU = f'@media {NARROW} {{[data-testid="stExpandSidebarButton"]::after {{content: "Menu"; margin-left: 0.25rem}}}}'
"""The same name to be seen as `scripts.NAME_THE_MENU` gives it to be heard."""

PRESENTING = f"@media {NARROW} {{.st-key-{PRESENT} {{display: none}}}}"
"""Nobody presents from a phone, where the button would push the first control off the screen."""

MENU_FOCUS = (
    '[data-testid="stTopNavLink"]:focus-visible, [data-testid="stSidebarNavLink"]:focus-visible '
    "{outline: 0.15rem solid currentColor !important; outline-offset: -0.15rem}"
)
"""Streamlit marks the link that has the keyboard's focus by a tint that is hardly seen, as it does the open page."""

IN_THE_DARK = (
    "@media (prefers-color-scheme: dark) {"
    '[data-testid="stBaseButton-primary"]:not(:disabled) :is(p, span) {color: #0e1117} '
    '[data-testid="stBaseButton-primary"]:is(:hover, :focus-visible):not(:disabled) {background: #7fabee !important} '
    '[data-variant][data-selected="true"]:is(:hover, :focus), [data-testid="stBaseButton-tertiary"]:active, '
    '[data-testid="stPopoverButton"]:is(:active, [aria-expanded="true"]) {color: #7fabee !important}}'
)
"""Streamlit writes white on every primary button; on a blue that can be read as text in the dark, black is clearer.

Under the pointer and under the keyboard's focus Streamlit makes that button darker, which black does not stand; here it
becomes lighter. So do chosen options under the pointer, and the words of what is pressed or open, which Streamlit
darkens on dark ground.
"""

LESS_MOTION = (
    "@media (prefers-reduced-motion: reduce) {*, ::before, ::after {animation-duration: 1ms !important; "
    "animation-iteration-count: 1 !important; scroll-behavior: auto !important}}"
)
"""For visitors who set their system to reduce motion. Transitions stay: they take a tenth of a second. Without them a
list would open under the pointer before a click ends, and the click would choose from it.
"""


CAMERA = ".js-plotly-plot .modebar-btn[data-title]::after {content: 'Save as PNG; hold Shift for SVG' !important}"
"""What the camera of a figure says under the pointer, beside `scripts.PICTURES`."""

CODE = f".st-key-{QR_CODE} img {{max-height: 50vh; object-fit: contain}}"
"""The code of a room is seen whole on a projector of few lines, and where the page is enlarged."""

FILES = (
    ".dpq-files {display: flex; flex-wrap: wrap; gap: 1rem} .dpq-main a {flex: auto} "
    ".dpq-files a {display: inline-flex; align-items: center; justify-content: center; gap: 0.5rem; "
    "min-height: 2.5rem; padding: 0.25rem 0.75rem; border: 1px solid var(--edge); border-radius: 0.4rem; "
    "font-size: 0.875rem; color: inherit; text-decoration: none} "
    ".dpq-files a:is(:hover, :active) {background: color-mix(in srgb, currentColor 8%, transparent)} "
    ".dpq-files a:focus-visible {outline: 0.2rem solid color-mix(in srgb, var(--main) 50%, transparent)} "
    ".dpq-files.dpq-main a {background: var(--main); border-color: var(--main); color: var(--words)} "
    ".dpq-files.dpq-main a:is(:hover, :active) {background: var(--over); border-color: var(--over)} "
    '.dpq-files span {font: 1rem/1 "Material Symbols Rounded"; width: 1em; overflow: hidden; white-space: nowrap}'
)
"""Links to files look as buttons do, the main one as the primary button."""


STEPS = (
    ".dpq-step h2 {display: flex; align-items: center; gap: 0.6rem; margin: 0; padding: 0; font-size: 1.1rem; "
    "font-weight: 600; line-height: 1.5} "
    ".dpq-step p {margin: 0 0 0 2.2rem; font-size: 0.875rem; color: color-mix(in srgb, currentColor 78%, transparent)} "
    ".dpq-step h2 span {display: inline-flex; align-items: center; justify-content: center; flex: none; width: 1.6rem; "
    "height: 1.6rem; border: 1.5px solid var(--main); border-radius: 50%; font-size: 0.875rem; color: var(--main)} "
    ".dpq-done h2 span {background: var(--main); color: var(--words)} "
    ".dpq-heard {position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%)} "
    ".dpq-forecast {display: flex; flex-wrap: wrap; gap: 0.5rem 2.5rem; margin: 0 !important; padding: 0 !important} "
    ".dpq-forecast dt {font-size: 0.875rem} .dpq-forecast dd {margin: 0; font-size: 0.875rem; "
    "color: color-mix(in srgb, currentColor 78%, transparent)} "
    ".dpq-forecast dt + dd {font-size: 1.75rem; line-height: 1.3; color: inherit} "
    f".st-key-{LAST_STEP}, .st-key-{READING} {{scroll-margin-top: 4.5rem}} @media not all and {NARROW} "
    f"{{[data-testid=stColumn]:has(.st-key-{LAST_STEP}):not(:has([class*=st-key-{result_key()}])) "
    "> [data-testid=stVerticalBlock] {position: sticky; top: 4.5rem; height: fit-content; flex: none}}"
)
"""Heads of numbered steps, and the two large numbers of a forecast, which stays in view beside the other steps."""


BESIDE = f"[data-testid=stColumn]:has(.st-key-{PICTURE})"
IN_SIGHT = (
    f"[data-testid=stMain]:has(.st-key-{PICTURE}) h1 {{padding: 0.25rem 0 1rem}} "
    f"[data-testid=stMain]:has(.st-key-{PICTURE}) {{scroll-padding-bottom: 6rem !important}} "
    f":is(.st-key-{PICTURE}, .st-key-{result_key('answer')}) h2 "
    "{padding: 0 0 1rem; font-size: 1.2rem; line-height: 1.3} "
    f".st-key-{PICTURE} [data-testid=stTabPanel] {{padding-top: 0.5rem}} "
    f".st-key-{FIGURES} {{height: clamp(16rem, 100vh - 25rem, 25rem); flex: none}} "
    f".st-key-{FIGURES} :is([data-testid=stLayoutWrapper], [data-testid=stHorizontalBlock], [data-testid=stColumn], "
    "[data-testid=stVerticalBlock], [data-testid=stElementContainer]) {height: 100%; min-height: 0} "
    f"@media not all and {NARROW} {{{BESIDE} > [data-testid=stVerticalBlock] "
    "{position: sticky; top: 4rem; height: fit-content; flex: none}} "
    f"@media {NARROW} {{{BESIDE} {{position: sticky; top: 3.75rem; z-index: 2; background: var(--ground)}} "
    f".st-key-{CHOSEN_NOW} {{display: none}} "
    f"[data-testid=stMain]:has(.st-key-{PICTURE}) h1 {{font-size: 1.1rem}} "
    f".st-key-{PICTURE} h2 {{font-size: 1rem}} "
    f":is(.st-key-{SMALL_PRINT}, .st-key-{KEY_NUMBERS}) {{display: none}} "
    f"[data-testid=stMain]:has(.st-key-{PICTURE}) [data-testid=stMainBlockContainer] {{padding: 4.25rem 1rem 9rem}} "
    f".st-key-{FIGURES} {{height: 13.5rem}} "
    f".st-key-{FIGURES} [data-testid=stHorizontalBlock] {{flex-wrap: nowrap; overflow-x: auto; "
    "scroll-snap-type: x mandatory} "
    f".st-key-{FIGURES} [data-testid=stColumn] {{min-width: 92%; scroll-snap-align: start}} "
    f"[data-testid=stHorizontalBlock]:has(.st-key-{PICTURE}) {{row-gap: 0.5rem}}}}"
)
"""The picture of a page stays in view while a control is turned: beside the form, and on a phone above it.

There its two figures are side by side too, and the second one is a swipe away.
"""


BAR = f"[data-testid=stLayoutWrapper]:has(> .st-key-{IN_VIEW})"
MAIN_BUTTON = (
    f"{BAR} {{position: sticky; bottom: 0; z-index: 1; padding: 0.75rem 0; "
    "background: linear-gradient(transparent, var(--ground) 0.75rem)} "
    "[data-testid=stMain] {scroll-padding-bottom: 8rem} "
    "@media (min-width: 40rem) {[data-testid=stMain] {scroll-padding-bottom: 16rem}}"
)
"""The primary button stays at the lower edge of the screen while its form goes on below.

What gets the keyboard's focus must not come to lie below it. A phone keeps less room for that: a list that opens at a
tap closes again where the page scrolls.
"""


def style() -> str:
    """Return the rules as a style element."""
    rules = (
        MAIN_BUTTON, _colours(), FILES, STEPS, IN_SIGHT, STACKED, TABLES, RAIL, THE_MENU, PRESENTING, MENU_FOCUS,
        CAMERA, CODE, IN_THE_DARK, LESS_MOTION,
    )  # fmt: skip
    return f"<style>{' '.join(rules)}</style>"


def _colours() -> str:
    """Name the page's own ground, and the colours of FILES and STEPS; in the dark as IN_THE_DARK has them."""
    light, dark = (
        f":root {{--ground: {st.get_option(f'theme.{theme}.backgroundColor') or 'Canvas'}; "
        f"--edge: {st.get_option(f'theme.{theme}.borderColor')}; "
        f"--main: {st.get_option(f'theme.{theme}.primaryColor')}; --words: {words}; --over: {over}}}"
        for theme, words, over in (("light", "white", "#1c3b6e"), ("dark", "#0e1117", "#7fabee"))
    )
    return f"{light} @media (prefers-color-scheme: dark) {{{dark}}}"
