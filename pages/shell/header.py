"""The frame of every page: a heading, words from the glossary, messages beside widgets.

A page must be whole when it is the first thing a visitor opens, so nothing here relies on app.py having run.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.pages_manager import PagesManager

from dpq_core.errors import ParameterError
from dpq_core.mode import releases_only
from dpq_core.privacy.budgets import Adjacency
from dpq_core.typed import USUAL, count_of

from .. import keys
from ..form import said
from ..form.table import OPTIONS, SETTINGS
from ..server import scripts, sessions
from ..server.signin import guard
from .screen import style

Read = TypeVar("Read")
TEXTS = Path(__file__).parents[1] / "texts"
ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M3 29C14 29 14 5 29 5" fill="none" '
    'stroke="#7d899b" stroke-width="4" stroke-linecap="round"/><path d="M16 9l7 7-7 7-7-7z" fill="#dd7f1f"/></svg>'
)
"""The tab's icon, drawn here because named icons would be fetched from another machine."""
NARROWEST = 68
"""The least width of a field, in pixels; narrower fields side by side go below each other."""
LOST = (
    "The connection to the server broke, and what you had brought or drawn here is gone from its memory. Please bring "
    "your data again, and look over the settings."
)
PAID = (
    "Releases has what was answered, and it is not paid again. A release that was being drawn may have been charged "
    "without an answer: Releases lists every charge."
)
MESSAGE_LABELS = {
    "epsilon": "ε", "delta": "δ", "rho": "ρ", "weights": "Weight", "about_n": "About how many", "privacy": "Budget",
    "size": "How many values", "names": "List of groups", "other": "Pool others as",
    "max_groups_per_person": "Maximum groups per person", "PureDP": "ε", "ApproxDP": "ε, δ",
    "replace_one": Adjacency.REPLACE_ONE.in_words, "missing": SETTINGS["missing"].label,  # a file has one of that name
}  # fmt: skip
"""How names in a message read that are no settings, or have a shorter word there; a setting has that of its widget."""
FILE_LABELS = {
    "header": "First row", "encoding": "Encoding", "quoting": "Quotes", "separator": "Between columns",
    "fill_down": "Blank ids or groups", "totals": "Rows that look like totals", "decimal": "Decimal mark",
    "dates": "Order of dates", "durations": "Durations such as 3:45", "missing": "Texts that mean a missing value",
    "zero": "Texts that mean zero", "missing_codes": "Codes that mean a missing value", "percent": "Percentages",
    "unit": "Numbers without a unit are in",
}  # fmt: skip
"""The same of the settings of a file and of its cells."""


def page_header(question: str, *, viewers: bool = False, says: str = "") -> DeltaGenerator:
    """Draw the question as heading; return the place of the line under it, filled once the choices are known.

    `says`: a sentence on what the page is, for those who see it for the first time.

    Where people sign in, a page is for curators unless it is for `viewers` too.

    Because a folder is called `pages`, Streamlit runs a page without app.py, and so without the menu, where the first
    request to a new server was a link straight to it: then it starts again.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()
    st.set_page_config(page_title=f"{question.rstrip('?')} · dpq", page_icon=ICON, layout="wide")
    with st.container(gap=None):  # a script takes no room there
        st.html(style())
        st.title(question, anchor=False)
        if says:
            st.markdown(says)
        scripts.run(scripts.NAME_THE_MENU)
        scripts.run(scripts.PICTURES)
        scripts.run(scripts.WARN_BEFORE_LEAVING, scripts.UNSAVED if said.is_own() else "")
    guard(viewers=viewers)
    if sessions.lost_one():  # said on every page, until the visitor has seen it
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/link_off: {LOST}{f' {PAID}' if releases_only() else ''}")
            st.button("I see", key=keys.widget("told_of_loss"), on_click=sessions.told)
    return st.container()  # `st.empty` takes its line away for a moment of every run: the page moves, open lists close


@lru_cache(maxsize=1)
def glossary() -> dict[str, str]:
    """Return every term of texts/glossary.md with its explanation."""
    sections = (TEXTS / "glossary.md").read_text(encoding="utf-8").split("\n## ")[1:]
    pairs = (section.split("\n", 1) for section in sections)
    return {term.strip(): body.strip() for term, body in pairs}


def term(name: str) -> str:
    """Return the explanation of one term, for `help=`. Raises KeyError for a term that the glossary lacks."""
    return glossary()[name]


def sentence_of(error: ValueError) -> str:
    """Return what an error says to people: settings and options by the names that their widgets have."""
    if isinstance(error, ParameterError):
        return error.sentence(_message_label)
    return re.sub("`(\\w+)`", lambda name: f"“{FILE_LABELS.get(name[1], name[1])}”", str(error))


def _message_label(name: str) -> str:
    options = {option.partition(".")[2]: each.label for option, each in OPTIONS.items()}
    settings = {setting: SETTINGS[setting].label for setting in USUAL if setting in SETTINGS}
    labels = settings | options | FILE_LABELS | MESSAGE_LABELS
    return f"“{labels[name]}”" if name in labels else name


def complain(sentence: str) -> None:
    """Show one sentence about a mistake, right under the widget that it concerns."""
    st.markdown(f":small[:red[:material/error: {escape(sentence)}]]")


def understood(read: Callable[[], Read]) -> Read | None:
    """Return what a parser makes of fields; None, with its sentence under them, where it cannot."""
    try:
        return read()
    except ParameterError as error:
        complain(sentence_of(error))
        return None


def whole_number(typed: str, most: int, what: str = "How many") -> int | None:
    """Return the whole number from 1 on that was typed; None, with a message beside the field, if it is none."""
    return understood(lambda: count_of(what, typed, most))


MARKDOWN = re.compile(r"[\\`*\[\]{}<>~|$@]|[:&]\S|--|www\.|(?<!\w)_|_(?!\w)|^\s*(#|[-+]|\d+[.)])")
"""What Markdown makes something of inside one line."""


def in_label(text: str) -> str:
    """Return such text for the label of a field: screen readers read its backslashes, so it has none without need."""
    return escape(text) if MARKDOWN.search(text) else text


LATER = re.compile(r"(?<=:)(?=[\w+-]+:|//|material/)|(?<=www)(?=\.)|(?<=@)(?=\w)|(?<=[-<>~])(?=[-=>])", re.IGNORECASE)
"""Where a browser makes icons, links and arrows of a text once Markdown is read, when its backslashes are gone."""
JOINER = "\u2060"  # of no width, and no part of a name


def escape(text: str) -> str:
    """Return text that a person typed or a file brought, safe inside Markdown and shown as it is."""
    parted = LATER.sub(JOINER, text)
    return "".join(f"\\{character}" if character in r"\`*_{}[]()#+-.!|~<>:$&" else character for character in parted)
