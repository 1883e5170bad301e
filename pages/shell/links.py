"""Links to pages: settings in the address bar, read when a session begins and written as they change.

A link carries settings only, never data or a file's name. With an example, whose data are public, it also carries the
seed of the simulation that is shown, so that people who open the link see the same draw. With any other data it carries
no seed, and a seed added by hand is ignored. The page also reads the link after the browser's back and forward buttons.
It writes the link whenever a setting differs from its default.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn
from urllib.parse import urlencode

import streamlit as st

from dpq_core.plan import BEST

from .. import keys
from ..form import said, table
from ..form.table import OPTIONS, SETTINGS, key, text
from ..menu import file_of
from ..room import membership
from ..server import sessions
from . import presses, screen, state
from .fields import label_of, usual_value

WITH_ANSWERS = ("explore", "inside", "compare", "tradeoff")
"""Pages whose answer comes into view on a phone when a lecturer shows them."""
SLOTS = ("public", "sealed")
"""Where a session keeps what was declared public, and what was brought for a release."""
_PAGE = keys.state("page")
_PAGE_BEFORE = keys.state("page_before")
_NOTES = keys.state("link_notes")
_DRAW = keys.state("link_draw")
_ADDRESS = keys.state("address")
"""What was last written into the address bar, since this page was turned to."""
_CONNECTION = keys.state("connection")
"""The connection to the browser over which the last whole page went out."""


def begin(page: str) -> None:
    """Fill session state from the link or with defaults, before any widget; say what was not understood."""
    requested = st.query_params.to_dict()
    code, leads = (requested.pop(name, "") for name in (membership.PARAMETER, membership.LEADS))
    if code:
        membership.enter(code, leads=bool(leads))
    membership.take_numbers()
    shown = membership.wanted()
    if shown is not None and shown[0] != page:
        st.switch_page(file_of(shown[0]))
    if shown is not None:
        requested = shown[1]
        if page in WITH_ANSWERS:
            screen.note_press()
    first_time = _PAGE not in st.session_state
    turned = st.session_state.get(_PAGE) != page
    if turned:
        st.session_state.pop(_ADDRESS, None)
        st.session_state[_PAGE_BEFORE] = st.session_state.get(_PAGE)
        _turn_data(st.session_state.get(_PAGE), page)
    came_from_elsewhere = requested != st.session_state.get(_written(page))
    if shown or first_time or (came_from_elsewhere and requested):  # an empty link keeps what was chosen elsewhere
        state.let_go_of_mechanism()
        values, notes = read_link(requested, page)
        usable = said.from_link(page, values)
        if said.has_options(page):
            of_own = values["data"] in table.SOURCES and said.is_own()  # no link changes options about that column
            said.clear_options(but=said.TOLD if of_own else ())
        for name, value in usable.items():
            st.session_state[key(name)] = value
        st.session_state[_NOTES] = notes
        st.session_state[_DRAW] = _requested_draw(requested, values)
    elif turned and page == table.SEALS:
        presses.restore()
    # Not all settings of all pages: Streamlit reads the whole session state again for every field that it draws.
    for name, value in table.with_example_bounds(
        table.defaults_of(page) | {name: SETTINGS[name].default for name in table.IN_NO_LINK}
    ).items():
        st.session_state.setdefault(key(name), value)
    if "data" in table.PAGES[page] and text("data") not in table.data_choices(page):  # a room that has ended
        st.session_state[key("data")] = table.defaults_of(page)["data"]
    st.session_state[_PAGE] = page  # last: a run that ends before is begun anew, with all that the link says
    if turned or sessions.connection() != st.session_state.get(_CONNECTION):
        _say_again()
    if st.session_state.get(_NOTES):  # until the button is pressed
        st.info("  \n".join(st.session_state[_NOTES]), icon=":material/link_off:")
    membership.followed()


def _turn_data(before: str | None, page: str) -> None:
    """Let Release have the data that are brought to it, and all other pages theirs."""
    if before is not None and (before == table.SEALS) is not (page == table.SEALS):
        st.session_state[_data_of(before)] = text("data")
        usual = table.data_choices(page)[0] if page == table.SEALS else SETTINGS["data"].default
        st.session_state[key("data")] = st.session_state.get(_data_of(page), usual)
        if text("data") in table.examples():  # their bounds are labels above the data
            said.keep_for_examples(
                {name: text(name) for name in ("data", "more", "column") if name in table.PAGES[page]}
            )


def _data_of(page: str) -> str:
    return keys.state("data_of", page == table.SEALS)


def _say_again() -> None:
    """Send the content of every field once more.

    If a connection breaks in the middle of a run, Streamlit's page takes the part that arrived for the whole. It
    forgets the later fields and shows them empty, although their values are still here. And if the menu turns a page
    before any field was touched, Streamlit keeps no values: the fields of the next page would start empty.
    """
    for name, value in st.session_state.items():
        if str(name).startswith(keys.WIDGETS) and isinstance(value, str | float | int) and not isinstance(value, bool):
            st.session_state[name] = value


def forget_notes() -> None:
    """Forget the sentences about the link: they have been read."""
    st.session_state[_NOTES] = []


def _requested_draw(requested: Mapping[str, str], values: Mapping[str, str]) -> dict[str, int]:
    """Return the numbers of the simulation that a link asks for, as far as it names one that can be repeated."""
    if values.get("data") not in table.examples():
        return {}
    return {
        name: int(values[name]) for name in table.OF_A_DRAW if values.get(name) and requested.get(name) == values[name]
    }


def just_came_from(page: str) -> bool:
    """Return whether the visitor was on that page a moment ago; asked again without leaving this one, no more."""
    return bool(st.session_state.pop(_PAGE_BEFORE, None) == page)


def take(name: str) -> int | None:
    """Return the number of a simulation that a link has asked for, once: its seed or its step; None without one."""
    number: int | None = st.session_state.get(_DRAW, {}).pop(name, None)
    return number


def due_seed(shown: int | None, *, pressed: bool, ready: bool, wanted: int | None) -> int | None:
    """Return the seed of the simulation that is due now, if one is: at a press, from a link, or where one is `wanted`.

    The link of the page then carries it, or else that of the simulation that is `shown` already.
    """
    requested, due = take("seed") or wanted, None
    if ready and pressed:
        due = state.next_seed()
    elif ready and requested is not None and requested != shown:
        due = state.use_seed(requested)
    carry(seed=due or shown)
    return due


def turn_to(page: str, settings: Mapping[str, str], **numbers: int) -> NoReturn:
    """Go to another page with some settings, which shows the draw with these numbers."""
    for name, value in settings.items():
        st.session_state[key(name)] = value
    st.session_state[_DRAW] = numbers
    st.switch_page(file_of(page))


def carry(**numbers: int | None) -> None:
    """Set which simulation of an example the link shows, by its seed, and which of its steps; None for the usual."""
    for name, number in numbers.items():
        st.session_state[key(name)] = SETTINGS[name].default if number is None else str(number)


def read_link(requested: Mapping[str, str], page: str) -> tuple[dict[str, str], list[str]]:
    """Return the settings of a page from a link, and a sentence for each part that was not understood."""
    usual, notes, unknown = table.defaults_of(page), [], []
    values = dict(usual)
    for name, value in requested.items():
        fits = name in values and SETTINGS[name].takes(value)
        if fits and (name != "data" or value in table.data_choices(page)):
            values[name] = value
        elif name in values:
            typed = f" (`{_shown(value)}`)" if _shown(value) else ""
            instead = f"“{usual_value(name)}”" if usual_value(name) else "the usual one"
            notes.append(f"This page cannot use “{label_of(name)}” of the link{typed}. It uses {instead}.")
        elif name in OPTIONS and said.has_options(page) and OPTIONS[name].takes(value):
            values[name] = value
            if "mechanism" in values and "mechanism" not in requested:  # then that of the option is chosen by hand
                values["mechanism"] = name.partition(".")[0]
        elif "more" in values and name.startswith(said.OTHER) and table.takes(name.removeprefix(said.OTHER), value):
            values[name] = value
        elif not name.startswith("embed"):
            unknown.append(f"{_named(name)} in the link is not a setting of this page; it is ignored.")
    notes += unknown
    if values.get("data") not in table.examples():
        notes += [
            f"“{label_of(name)}” in the link is ignored: only a simulation of example data can be repeated."
            for name in table.OF_A_DRAW
            if name in values and name in requested
        ]
        values |= {name: SETTINGS[name].default for name in table.OF_A_DRAW if name in values}
    for name in said.of_no_link(page, values):
        if values.pop(name) != usual.get(name, ""):
            notes.append(f"{_named(name)} in the link is of another column; say it of your own.")
    return table.with_example_bounds(values), notes


def write_link() -> None:
    """Put the settings that differ from their defaults into the address bar. The page is whole now."""
    write_address()
    st.session_state[_CONNECTION] = sessions.connection()


def write_address() -> None:
    """Do the same where only a part of the page was made anew; on Release with its last answer, for a reload.

    Each change is a step of the back button. Where that leads to the page as the menu opens it, the address stays so.
    """
    wanted = link_values() | ({"last": text("last")} if seals() and text("last") else {})
    in_the_bar = wanted | membership.address()
    bar = st.query_params.to_dict()
    if bar != in_the_bar and (bar or in_the_bar != st.session_state.get(_ADDRESS)):
        st.query_params.from_dict(in_the_bar)
    st.session_state[_ADDRESS] = in_the_bar
    st.session_state[_written(st.session_state[_PAGE])] = wanted
    membership.note_page()


def _written(page: str) -> str:
    return keys.state("link", page)


def link_values() -> dict[str, str]:
    """Return the page's settings that differ from their defaults, as its link has them: of Release no answer."""
    page = st.session_state[_PAGE]
    defaults = table.defaults_of(page)
    about = {name: text(name) for name in ("data", "more", "column") if name in defaults}
    usual = table.with_example_bounds(defaults | about) | {name: defaults[name] for name in about}
    differing = {name: text(name) for name in defaults if text(name) != usual[name] and table.counts(name)}
    if "mechanism" in defaults and text("mechanism") == BEST and state.held_instead():
        differing["mechanism"] = state.held_instead()  # which is what the page shows
    if "column" in differing and text("column") == text("data"):
        del differing["column"]
    if "more" in differing:
        differing |= said.in_link()
    if len(differing.get("group_names", "")) > table.LONGEST_VALUE:
        del differing["group_names"]
    if "data" in defaults and text("data") not in table.examples():
        differing = {name: value for name, value in differing.items() if name not in table.OF_A_DRAW}
    found = differing | said.options_of(page, text("mechanism"))
    withheld = said.of_no_link(page, found | {name: text(name) for name in ("data", "stream")})
    withheld += ["last"] * seals()
    return {name: value for name, value in found.items() if name not in withheld}


def show_link(holds: str = "It holds no data and no answer.", *, of_a_draw: bool = True) -> None:
    """Show the settings as a link to give to someone; of an example's simulation it opens the same draw."""
    with st.popover("Copy link", icon=":material/link:", type="tertiary"):
        repeats = of_a_draw and "seed" in table.PAGES[page()] and text("data") in table.examples()
        same = "settings and the same draw" if repeats else "settings"
        st.caption(f"Opens this page with the same {same}. {holds}")
        st.code(address_of(page(), link_values()), language=None, wrap_lines=True)


def all_public() -> bool:
    """Return whether everything on this page is of examples or made up."""
    names = table.PAGES[st.session_state[_PAGE]]
    if "stream" in names and text("stream") != "data":
        return text("stream") == "made"
    return "data" not in names or text("data") in table.examples()


def page() -> str:
    """Return the name of the page that has begun."""
    return str(st.session_state.get(_PAGE, ""))


def asks(*settings: str) -> bool:
    """Return whether this page has one of these settings, so that its form asks for it."""
    return any(name in table.PAGES[page()] for name in settings)


def seals() -> bool:
    """Return whether this page seals what is brought to it."""
    return page() == table.SEALS


def slot() -> str:
    """Return in which of the session's two places this page keeps what is brought to it."""
    return SLOTS[seals()]


def address_of(name: str, settings: Mapping[str, str]) -> str:
    """Return the address of a page of this server with these settings."""
    try:
        here = (st.context.url or "").split("?")[0]
    except AttributeError:
        here = ""
    query = urlencode(settings)
    address = here.removesuffix(page()) + name if name != page() else here
    return f"{address}?{query}" if query else address


def _shown(text: str) -> str:
    """Return a part of a link for a sentence: short, and unable to be anything but text."""
    readable = "".join(character for character in text[:40] if character.isprintable() and character not in "`")
    return readable + ("…" if len(text) > 40 else "")


def _named(name: str) -> str:
    """Return what a part of a link is called: by its label where it is a setting or an option anywhere."""
    label = label_of(name)
    return f"`{_shown(name)}`" if label == name else f"“{label}”"
