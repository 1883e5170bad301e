"""Links to pages: settings in the address bar, read when a session begins and written as they change.

A link carries settings only, never data or a file's name, and of seeds only a lesson's, whose data are public. It is
read, too, after the browser's back and forward buttons, and written whenever a setting differs from its default.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

import streamlit as st

from . import said, sessions
from .settings import (
    OPTION,
    PAGES,
    PREFIX,
    SETTINGS,
    chosen_options,
    fits,
    key,
    option_fits,
    text,
    with_example_bounds,
)

_PAGE = f"{PREFIX}:page"
_WRITTEN = f"{PREFIX}:link:"
_NOTES = f"{PREFIX}:link_notes"
_CONNECTION = f"{PREFIX}:connection"
"""The connection to the browser over which the last whole page went out."""


def begin(page: str) -> list[str]:
    """Fill session state from the link or with defaults, before any widget; sentences about what was not understood."""
    asked = st.query_params.to_dict()
    first_time = _PAGE not in st.session_state
    st.session_state[_PAGE] = page
    came_from_elsewhere = asked != st.session_state.get(_WRITTEN + page)
    if first_time or (came_from_elsewhere and asked):  # an empty link, after another page, keeps what was chosen
        values, notes = read_link(asked, page)
        for name, value in said.from_link(page, values).items():
            st.session_state[key(name)] = value
        st.session_state[_NOTES] = notes
    for name, value in with_example_bounds({name: setting.default for name, setting in SETTINGS.items()}).items():
        st.session_state.setdefault(key(name), value)
    if sessions.connection() != st.session_state.get(_CONNECTION):
        _say_again()
    return list(st.session_state.get(_NOTES, []))


def _say_again() -> None:
    """Send what stands in every field once more.

    Where a connection breaks in the middle of a run, Streamlit's page takes the part of it that arrived for the whole,
    forgets the fields behind it and shows them empty, while their values still stand here.
    """
    for name, value in st.session_state.items():
        if str(name).startswith(f"{PREFIX}_") and isinstance(value, str | float | int) and not isinstance(value, bool):
            st.session_state[name] = value


def forget_notes() -> None:
    """The sentences about the link have been read."""
    st.session_state[_NOTES] = []


def read_link(asked: Mapping[str, str], page: str) -> tuple[dict[str, str], list[str]]:
    """The settings of a page that a link stands for, and a sentence for each part of it that was not understood."""
    usual, notes = _defaults(page), []
    values = dict(usual)
    for name, value in asked.items():
        if name in values and fits(SETTINGS[name].check, value):
            values[name] = value
        elif name in values:
            notes.append(f"`{_shown(name)}={_shown(value)}` in the link was not understood; using {_fallback(name)}.")
        elif "mechanism" in values and option_fits(name, value):
            values[f"{OPTION}_{name}"] = value
        elif not name.startswith("embed"):
            notes.append(f"`{_shown(name)}` in the link is not a setting of this page; it is ignored.")
    for name in said.of_no_link(page, values):
        if values.pop(name) != usual.get(name, ""):
            notes.append(f"`{name.removeprefix(f'{OPTION}_')}` in the link is of another column; say it of your own.")
    return with_example_bounds(values), notes


def write_link() -> None:
    """Put the settings that differ from their defaults into the address bar. The page is whole now."""
    wanted = link_values()
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
    st.session_state[_WRITTEN + st.session_state[_PAGE]] = wanted
    st.session_state[_CONNECTION] = sessions.connection()


def link_values() -> dict[str, str]:
    """Names and texts of the page's settings that differ from their defaults, as they stand in its link."""
    page = st.session_state[_PAGE]
    defaults = _defaults(page)
    usual = with_example_bounds(defaults | {"data": text("data")}) | {"data": SETTINGS["data"].default}
    differing = {name: text(name) for name in defaults if text(name) != usual[name]}
    options = chosen_options() if "mechanism" in defaults else {}
    found = differing | {f"{OPTION}_{name}": value for name, value in options.items() if option_fits(name, value)}
    kept_back = said.of_no_link(page, found | {name: text(name) for name in ("data", "stream")})
    return {name.removeprefix(f"{OPTION}_"): value for name, value in found.items() if name not in kept_back}


def link_text() -> str:
    """The link of this page with these settings, to give to someone."""
    try:
        address = (st.context.url or "").split("?")[0]
    except AttributeError:
        address = ""
    query = urlencode(link_values())
    return f"{address}?{query}" if query else address


def _defaults(page: str) -> dict[str, str]:
    return {name: SETTINGS[name].default for name in PAGES[page]}


def _shown(text: str) -> str:
    """A part of a link in a sentence: short, and unable to be anything but text."""
    kept = "".join(character for character in text[:40] if character.isprintable() and character not in "`")
    return kept + ("…" if len(text) > 40 else "")


def _fallback(name: str) -> str:
    return SETTINGS[name].default or "the usual one"
