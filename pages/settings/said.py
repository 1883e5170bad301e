"""Settings about one column, from public knowledge: with another column the form starts empty.

Its bounds and step, its unit, what a missing value counts as and what a mechanism needs to know belong to one column of
one upload. What one row is and about how many records there are belong to the upload, and lists of groups to the
columns of groups. Reading the same again, however otherwise, keeps them; a page says where they do not hold. Another
upload starts empty. In Release the button is disabled until the bounds are given.

A link may hold these settings for an example. For an own column it holds none, because it cannot know which column a
visitor will bring. On pages that study a public shape, a link may hold them for a column that is still to come. Once
that column is there, they are forgotten like all others.
"""

from __future__ import annotations

import streamlit as st

from dpq_core.mechanisms.registry import MECHANISMS

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
OF_ONE = tuple(name for name in OF_COLUMN if name not in OF_PEOPLE)
"""Settings about one column alone."""
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
_COLUMN, _PEOPLE, _GROUPS, _STREAM = (keys.state("said_of", each) for each in ("column", "people", "groups", "stream"))
_NAMES = {_COLUMN: (*OF_ONE, *TOLD), _PEOPLE: ("one", "shape_size"), _GROUPS: OF_GROUPS, _STREAM: OF_STREAM}
_KEPT = keys.state("said_before")
"""What was said of columns, uploads and groups that are not on the screen now, by the place and their identity."""
Values = dict[str, str]


def example_identity(name: str) -> str:
    """Return the identity of an example column."""
    return f"example:{name}"


def upload_identity(upload: int) -> str:
    """Return the identity of what a visitor brought, by its number: the same for every reading of it."""
    return f"said:{upload}"


def column_identity(upload: int, name: str) -> str:
    """Return the identity of one of its columns; with an empty name of several together."""
    return f"{upload_identity(upload)}:of:{name}"


def keep_for(identity: str, people: str = "", groups: str = "") -> None:
    """Let the form hold what was said of this column, and nothing of others. Call it before the fields are drawn.

    `people`, `groups`: the identities of the upload and of its groups, where they are others than the column's.
    """
    for place, of in {_COLUMN: identity, _PEOPLE: people, _GROUPS: groups}.items():
        _keep(place, of or identity)


def keep_for_stream(identity: str) -> None:
    """Do the same for the settings of the Stream page."""
    _keep(_STREAM, identity)


def forget(upload: int) -> None:
    """Forget all that was said of an upload."""
    own = upload_identity(upload)
    for place, identity in list(_kept()):
        if identity.startswith(own):
            del _kept()[place, identity]
    for place in _NAMES:
        if str(st.session_state.get(place, "")).startswith(own):
            st.session_state.pop(place)


def present() -> str:
    """Return the identity of the column that all settings are about; empty where there are none."""
    return str(st.session_state.get(_COLUMN, ""))


def places() -> dict[str, str]:
    """Return what all settings are about: the column, its upload, and its groups."""
    return {place: str(st.session_state.get(place, "")) for place in (_COLUMN, _PEOPLE, _GROUPS)}


def resume(about: dict[str, str]) -> None:
    """Take what is set from now on as said of these."""
    for place, identity in about.items():
        st.session_state[place] = identity


def values_of(identity: str) -> Values:
    """Return what was said of the values of a column that is not alone on the screen now; empty where nothing was."""
    kept = _kept().get((_COLUMN, identity), {})
    return {name: kept[name] for name in OF_VALUES if name in kept}


def keep_values(identity: str, values: Values) -> None:
    """Keep what was said of the values of one of several columns, for when it is read alone or with others again."""
    _kept()[_COLUMN, identity] = _usual(_NAMES[_COLUMN]) | _kept().get((_COLUMN, identity), {}) | values


def bounded_before(identity: str) -> str:
    """Return a column of the same upload that bounds were said of last, which do not hold for this one."""
    start = identity.partition(":of:")[0] + ":of:"
    names = [
        of.removeprefix(start)
        for (place, of), values in reversed(_kept().items())
        if place == _COLUMN and of.startswith(start) and of != identity and values["lower"].strip()
    ]
    return next(filter(None, names), "")


def _kept() -> dict[tuple[str, str], Values]:
    kept: dict[tuple[str, str], Values] = st.session_state.setdefault(_KEPT, {})
    return kept


def _keep(place: str, identity: str) -> None:
    before, names = str(st.session_state.get(place, "")), _NAMES[place]
    if before == identity:
        return
    if _is_own(before):
        _kept().pop((place, before), None)
        _kept()[place, before] = {name: _said(name) for name in names}
    st.session_state[place] = identity
    for name, value in (_kept().get((place, identity)) or _usual(names, identity)).items():
        st.session_state[key(name)] = value


def _said(name: str) -> str:
    return text(name) if name in SETTINGS else str(st.session_state.get(key(name)) or "")


def _usual(names: tuple[str, ...], identity: str = "") -> Values:
    """Return what holds at first, of an example with its bounds."""
    usual = {name: SETTINGS[name].default if name in SETTINGS else "" for name in names}
    known = with_example_bounds(usual | {"data": identity.removeprefix("example:")})
    return {name: known[name] for name in names}


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
