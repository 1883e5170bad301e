"""Settings about one column, from public knowledge: with another column they are forgotten.

These are its bounds and step, its unit, what one row is, what a missing value counts as, about how many records there
are, and what a mechanism needs to know. They are kept under the identity of the column that the form is about. For any
other column, whether from a file, pasted text or an example, the form starts empty, also on the way back. In Release
the button is disabled until the bounds are given.

A link may hold these settings for an example. For an own column it holds none, because it cannot know which column a
visitor will bring. On pages that study a public shape, a link may hold them for a column that is still to come. Once
that column is there, they are forgotten like all others.
"""

from __future__ import annotations

import streamlit as st

from dpq_core.mechanisms import MECHANISMS

from .. import keys
from .table import OPTION, SETTINGS, SOURCES, examples, key, text, with_example_bounds

COMING = "coming"
"""The identity of an own column that is not there yet."""
MADE = "made"
"""The identity of made-up records, of any number and in any order."""
OF_COLUMN = (
    "bounds", "lower", "upper", "step", "digits", "smallest", "largest", "negative", "share",
    "column_unit", "one", "missing", "shape_size", "more_names",
    "group_names", "group_other", "groups_each", "rows_in",
)  # fmt: skip
OF_VALUES = ("bounds", "lower", "upper", "step", "digits", "negative")
"""What a row of several columns asks for, too."""
OF_GROUPS = ("group_names", "group_other", "groups_each", "rows_in", "more_names")
OF_PEOPLE = ("one", "shape_size", *OF_GROUPS)
"""Settings about the people behind all columns of a file, and about their groups."""
OF_STREAM = ("stream_lower", "stream_upper", "stream_step", "n_max")
"""Settings about the chosen column, and about the stream."""
TOLD = tuple(
    f"{OPTION}_{mechanism}.{option.name}"
    for mechanism, each in MECHANISMS.items()
    for option in each.OPTIONS
    if option.needed or option.name == "n_max"
)
"""Options of mechanisms that tell something of the column, such as its standard deviation."""
PLANNED = ("compare", "tradeoff")
"""Pages that study mechanisms. They need no column, because they can study a public shape between the bounds."""
_CARRIED = keys.state("said_carried")
_COLUMN, _STREAM, _VALUES = (keys.state("said_of", each) for each in ("column", "stream", "values"))


def example_identity(name: str) -> str:
    """Return the identity of an example column."""
    return f"example:{name}"


def carry_over(column: tuple[str, str, str]) -> None:
    """Keep what was said of a column (its file, its name and that of its groups) until one is read once more."""
    st.session_state[_CARRIED] = column
    st.session_state[_COLUMN] = COMING


def end_carrying(column: tuple[str, str, str], identity: str) -> None:
    """Take what was carried over as said of the column that was read, if that is the same one again.

    Of another column of the same file only what was said of its people, and of their groups if these are the same.
    """
    before = st.session_state.pop(_CARRIED, None)
    if before is None or not column[0] or before[0] != column[0]:
        return
    if before[1] != column[1]:
        st.session_state[_VALUES] = identity, before[1], {name: text(name) for name in OF_VALUES}
        stays = OF_PEOPLE if before[2] == column[2] else tuple(name for name in OF_PEOPLE if name not in OF_GROUPS)
        _empty(tuple(name for name in (*OF_COLUMN, *TOLD) if name not in stays))
    st.session_state[_COLUMN] = identity


def values_before(identity: str) -> tuple[str, dict[str, str]]:
    """Return which column was read alone before those of this identity, and what was said of its values.

    The name is empty where none was.
    """
    found, name, values = st.session_state.get(_VALUES, ("", "", {}))
    return (name, dict(values)) if found == identity else ("", {})


def keep_for(identity: str) -> None:
    """Keep what was said if it was said of this column; else forget it. Call it before the fields are drawn."""
    _keep(_COLUMN, identity, (*OF_COLUMN, *TOLD))


def keep_for_stream(identity: str) -> None:
    """Do the same for the settings of the Stream page."""
    _keep(_STREAM, identity, OF_STREAM)


def resume(identity: str) -> None:
    """Take what is set from now on as said of this column."""
    st.session_state[_COLUMN] = identity


def present() -> str:
    """Return the identity of the column that all settings are about; empty where there are none."""
    return str(st.session_state.get(_COLUMN, ""))


def _keep(place: str, identity: str, names: tuple[str, ...]) -> None:
    if st.session_state.get(place) == identity:
        return
    st.session_state[place] = identity
    _empty(names, identity)


def _empty(names: tuple[str, ...], identity: str = "") -> None:
    """Set what nobody has said yet, of an example with its bounds."""
    usual = {name: SETTINGS[name].default if name in SETTINGS else "" for name in names}
    known = with_example_bounds(usual | {"data": identity.removeprefix("example:")})
    for name in names:
        st.session_state[key(name)] = known[name]


def told_of_own_column(data: str) -> tuple[str, ...]:
    """Return the options that no link changes, because they tell something of the own column that is there."""
    return TOLD if data in SOURCES and _is_own(present()) else ()


def of_no_link(page: str, values: dict[str, str]) -> list[str]:
    """Return the names among a page's settings that no link may say, because they are of an own column."""
    own = values.get("data") in SOURCES and page not in PLANNED
    streamed = own if values.get("stream") == "data" else values.get("stream") == "server"
    withheld = [*((*OF_COLUMN, *TOLD) if own else ()), *(OF_STREAM if streamed else ())]
    return [name for name in withheld if name in values]


def from_link(page: str, values: dict[str, str]) -> dict[str, str]:
    """Return the settings of a link that may be used, and note which column they are about.

    If there is an own column, a link says nothing about it, because the link may come from an earlier column.
    """
    chosen, streams = values.get("data", ""), values.get("stream")
    if streams == MADE:
        keep_for_stream(MADE)
    if chosen in examples():
        keep_for(example_identity(chosen))
        if streams == "data":
            keep_for_stream(example_identity(chosen))
    elif chosen in SOURCES and page in PLANNED:
        if _is_own(present()):
            return {name: value for name, value in values.items() if name not in (*OF_COLUMN, *TOLD)}
        keep_for(COMING)
    return values


def _is_own(identity: str) -> bool:
    return identity not in {"", COMING} and identity.removeprefix("example:") not in examples()
