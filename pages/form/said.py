"""Settings about one column, from public knowledge: with another column the form starts empty.

Its bounds and step, its unit, what a missing value counts as and what a mechanism needs to know belong to one column of
one upload. What one row is and about how many records there are belong to the upload, and lists of groups to the
columns of groups. Reading the same again, however otherwise, keeps them; a page says where they do not hold. Another
upload starts empty. In Release the button is disabled until the bounds are given.

A link may hold these settings for an example. For an own column it holds none, because it cannot know which column a
visitor will bring. On pages that study a public shape, a link may hold them for a column that is still to come. Once
a column is chosen, they are forgotten like all others: what a visitor says from then on is of it, read or not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import streamlit as st

from dpq_core.groups.names import names_in
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.results.data_set import DataSet, PublicData
from dpq_core.typed import USUAL, Words

from .. import keys
from . import table
from .table import OPTIONS, key, text

OTHER = "other_"
"""Begins the names of settings in a link that are about the column of an example that is not on the screen."""
COMING = "coming"
"""The identity of an own column that is not there yet."""
OF_ONE = (*table.DATA[1:], "column_unit", "n_max")
"""Settings about one column alone."""
OF_GROUPS = (*table.GROUPS[2:], "more_names")
OF_PEOPLE = ("one", "shape_size")
"""Settings about the groups of a file, and about the people behind all its columns."""
OF_COLUMN = (*OF_ONE, *OF_PEOPLE, *OF_GROUPS)
TOLD = tuple(
    f"{mechanism}.{option.name}"
    for mechanism, each in MECHANISMS.items()
    for option in each.OPTIONS
    if option.needed or option.name == "n_max"
)
"""Options of mechanisms that tell something of the column, such as its standard deviation."""
OF_QUESTION = (
    "quantiles", "even", "own", "mechanism", "weight",
    *(name for name in OPTIONS if name not in TOLD),
)  # fmt: skip
"""What is asked of each of several columns; of one column by itself it holds for every column."""
_COLUMN, _PEOPLE, _GROUPS, _QUESTION = (
    keys.state("said_of", each) for each in ("column", "people", "groups", "question")
)
_NAMES = {_COLUMN: (*OF_ONE, *TOLD), _PEOPLE: OF_PEOPLE, _GROUPS: OF_GROUPS, _QUESTION: OF_QUESTION}
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


def keep_for(identity: str, people: str = "", groups: str = "", *, among: Sequence[str] = ()) -> None:
    """Let the form hold what was said of this column, and nothing of others. Call it before the fields are drawn.

    `people`, `groups`: the identities of the upload and of its groups, where they are others than the column's.
    `among`: the identities of several columns that are asked together, each its own question. At first all are asked
    what is on the screen.
    """
    for place, of in {_COLUMN: identity, _PEOPLE: people, _GROUPS: groups}.items():
        _keep(place, of or identity)
    for each in among:
        _kept().setdefault((_QUESTION, each), {name: text(name) for name in OF_QUESTION} | {"weight": "1"})
    _keep(_QUESTION, identity if among else "")


def of_column(identity: str) -> Callable[[str], str]:
    """Return what gives the text of a setting as it was said of a column, on the screen or not."""
    if identity == present():
        return text
    values = _kept().get((_COLUMN, identity)) or _usual(_NAMES[_COLUMN], identity)
    values = values | _kept().get((_QUESTION, identity), {})
    return lambda name: values[name] if name in values else text(name)


def ask_the_same(identities: Sequence[str]) -> None:
    """Ask these columns what is asked of the one on the screen, in the same way where it needs no bounds."""
    of_question, of_column = ({name: text(name) for name in _NAMES[place]} for place in (_QUESTION, _COLUMN))
    for each in identities:
        _kept()[_QUESTION, each] = of_question | {"weight": _kept()[_QUESTION, each]["weight"]}
        values = _kept().get((_COLUMN, each)) or _usual(_NAMES[_COLUMN], each)
        if of_column["bounds"] != "known" and not values["lower"].strip():
            ways = ("bounds", "digits", "smallest", "largest", "negative", "share")
            _kept()[_COLUMN, each] = values | {name: of_column[name] for name in ways}


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
    return {place: str(st.session_state.get(place, "")) for place in _NAMES}


def bounded_before(identity: str) -> str:
    """Return a column of the same upload that bounds were said of last, which do not hold for this one alone."""
    if st.session_state.get(_QUESTION):
        return ""
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
    if is_own(before) or (before and st.session_state.get(_QUESTION)):
        _kept().pop((place, before), None)
        _kept()[place, before] = {name: text(name) for name in names}
    st.session_state[place] = identity
    if place == _QUESTION and not identity:
        return  # what was asked of the last column is asked of the next
    for name, value in (_kept().get((place, identity)) or _usual(names, identity)).items():
        st.session_state[key(name)] = value


def _usual(names: tuple[str, ...], identity: str = "") -> Values:
    """Return what holds at first, of an example with its bounds."""
    usual = {name: table.setting_of(name).default for name in names}
    known = table.with_example_bounds(usual | {"data": identity.removeprefix("example:")})
    return {name: known[name] for name in names}


def of_no_link(page: str, values: dict[str, str]) -> list[str]:
    """Return the names among a page's settings that no link may say, because they are of an own column."""
    elsewhere = page == "stream" and values.get("stream") != "data"  # bounds are those of a column that is not read
    own = elsewhere or (values.get("data") in table.SOURCES and page not in table.PLANNED)
    return [name for name in (*OF_COLUMN, *TOLD) if own and name in values]


def from_link(page: str, values: dict[str, str]) -> dict[str, str]:
    """Return the settings of a link that may be used, and note which column they are about.

    If there is an own column, a link says nothing about it, because the link may come from an earlier column.
    """
    chosen = values.get("data", "")
    if chosen in table.examples():
        keep_for_examples(values)
        of_other = {name.removeprefix(OTHER): value for name, value in values.items() if name.startswith(OTHER)}
        for place, each in [(place, each) for place in (_COLUMN, _QUESTION) for each in _of_examples(values)]:
            usual = _usual(_NAMES[place], each)
            _kept()[place, each] = usual | {name: value for name, value in of_other.items() if name in usual}
    elif chosen in table.SOURCES and page in table.PLANNED:
        if is_own():
            return {name: value for name, value in values.items() if name not in (*OF_COLUMN, *TOLD)}
        keep_for(COMING)
    return {name: value for name, value in values.items() if not name.startswith(OTHER)}


def keep_for_examples(values: Mapping[str, str]) -> None:
    """Keep the same for the column of an example that these settings are about, or for one of two."""
    keep_for(example_identity(table.looked_at(values)), among=_of_examples(values))


def in_link() -> Values:
    """Return what was said of the one of two columns of an example that is not on the screen, as a link has it."""
    others = [each for each in _of_examples({name: text(name) for name in ("data", "more")}) if each != present()]
    found: Values = {}
    for each in others:
        say, usual = of_column(each), _usual((*OF_ONE, *TOLD, *OF_QUESTION), each)
        found |= {f"{OTHER}{name}": say(name) for name in usual if say(name) != usual[name]}
    return found


def _of_examples(values: Mapping[str, str]) -> list[str]:
    """Return the identities of two columns of an example; of one by itself none."""
    data, more = values.get("data", ""), values.get("more", "")
    return [example_identity(each) for each in (data, more)] if more in table.others_of(data) else []


def is_own(identity: str | None = None) -> bool:
    """Return whether a column, or else the one that the settings are about, is an own one."""
    identity = present() if identity is None else identity
    return identity not in {"", COMING} and identity.removeprefix("example:") not in table.examples()


def chosen_options(mechanism: str, said: Callable[[str], str] = text) -> dict[str, str]:
    """Return the options of a mechanism that differ from their defaults, as texts: `binhist.bins` -> `50`.

    `said`: what gives the text of an option by its name.
    """
    found = {}
    for option in MECHANISMS[mechanism].OPTIONS if mechanism in MECHANISMS else ():
        value = said(name := f"{mechanism}.{option.name}")
        if value not in {"", str(option.default)}:
            found[name] = value
    return found


def has_options(page: str) -> bool:
    """Return whether options count on a page."""
    return page in table.PLANNED or "mechanism" in table.PAGES[page]


def options_of(page: str, mechanism: str) -> dict[str, str]:
    """Return the options that count on a page, as it says them and as its link carries them.

    `mechanism`: the one that the page draws; a page that studies several counts the options of all of them.
    """
    mechanisms = list(MECHANISMS) if page in table.PLANNED else [mechanism] if has_options(page) else []
    found = {name: value for each in mechanisms for name, value in chosen_options(each).items()}
    return {name: value for name, value in found.items() if table.takes(name, value)}


def clear_options(but: Collection[str] = ()) -> None:
    """Set all options to their defaults, but those of these settings; before their widgets are drawn."""
    for name, option in OPTIONS.items():
        if name not in but and key(name) in st.session_state:
            st.session_state[key(name)] = option.default


# ── in the words of `dpq_core.typed`

Said = Callable[[str], str]
"""The text of a setting by its name: `text` on a page."""


def _words(said: Said) -> dict[str, str]:
    """Return the settings of a form that have the same name there; on Trade-off `measure` is another thing."""
    return {name: said(name) for name in table.PAGES["explore"] if name in USUAL}


def typed_column(said: Said, kind: str) -> Words:
    """Return the settings of a page about one column."""
    missing = said("missing") if said("adjacency") == "replace_one" else ""  # it is asked for there alone
    options = {name.partition(".")[2]: each for name, each in chosen_options(said("mechanism"), said).items()}
    return {**_words(said), "kind": kind, "unit": said("column_unit"), "missing": missing, "options": options}


def typed_table(said: Said, about: str, data: DataSet | None, lists: tuple[str, ...] = ()) -> Words:
    """Return what the settings of a page say of all columns, of which `data` is one, if there is one yet.

    `lists`: the settings that hold the lists of groups, where every group is answered.
    """
    by = tuple(data.by) if data and lists else ()
    known = data.groups if lists and isinstance(data, PublicData) else ()
    named: dict[str, tuple[object, ...]] = {
        "list": tuple(map(said, lists[: len(by)])), "data": tuple(tuple(map(str, names_in(each))) for each in known),
    }  # fmt: skip
    way = said("group_way")
    words: dict[str, object] = {**_words(said)}
    return words | {
        "about": about, "by": by, "one": data.anyone if data else "",
        "person": data.person.column if data and data.person else "",
        "lists": named.get(way, ()), "other": said("group_other") if way == "list" else "",
    }  # fmt: skip
