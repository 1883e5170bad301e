"""The chosen columns: those of an example, or of a file that a visitor brought."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dpq_core.groups.cells import ANY_NAME
from dpq_core.results.data_set import DataSet, PrivateData, PublicData
from dpq_core.results.persons import PersonChoice
from dpq_core.results.sealed import groups_to_explore, values_to_explore
from dpq_core.results.tables.kinds import TableReading
from dpq_core.results.wording import count_in_words, plural_of
from dpq_core.studies.shapes import USUAL_SIZE

from .. import keys
from ..files import content, reading, tables
from ..files.layouts import reading_of, settings_of, show_read
from ..form.data import (
    ask_public,
    choose_more,
    choose_source,
    example_data,
    keep_said,
    own_identity,
    read_again,
    show_brought,
)
from ..form.people import choose_take
from ..form.places import Places
from ..form.plan import choose_count
from ..frame import fields
from ..frame.header import escape
from ..frame.state import ChosenTable, Mode, may_explore
from ..settings import check, said
from ..settings.table import others_of, text

OTHERWISE = {"1": "1 digit", "2": "2 digits", "3": "3 digits", "find": "find them"}
"""What a column without bounds has, in the words of its row."""
Rows = dict[str, dict[str, Any]]
_ROWS, _FIRST = keys.state("rows"), keys.state("rows_at_first")
"""What was typed of each column, with what it belongs to; and what rows held when they were drawn first."""


def are_chosen() -> bool:
    """Return whether several columns are chosen: two of an example, or those that were read of a file."""
    chosen = text("data")
    return text("more") in others_of(chosen) or reading.brought_table(chosen) is not None


def choose_size(table: ChosenTable | None, *, in_groups: bool, with_intervals: bool) -> int | None:
    """Ask about how many records there are, where that is not known; None while that is no number."""
    if table is None or (table.mode is Mode.EXPLORE and not in_groups and not with_intervals):
        return USUAL_SIZE
    many = table.columns[0].many
    return choose_count(f"{many} in a group" if in_groups else many)


def choose_table(places: Places) -> ChosenTable | None:
    """Show which columns are chosen, and return them; None while something that is asked of them is missing."""
    with places.file:
        chosen = choose_source()
        own = reading.brought_table(chosen)
        if own is None:
            return _of_example(chosen)
        keep_said(own)
        _what_was_brought(own)
        declared = ask_public()
    with places.person:
        return _of_file(own, declared=declared)


def _of_example(chosen: str) -> ChosenTable:
    said.keep_for(said.example_identity(chosen))
    names = (chosen, choose_more(chosen))
    columns = tuple(map(example_data, names))
    calls = tuple((each.name, f"load_example({name!r}).values") for each, name in zip(columns, names, strict=True))
    about = f"{' and '.join(each.name for each in columns)}, {len(columns[0].values):,} {columns[0].many}"
    return ChosenTable(
        identity=f"example:{'+'.join(names)}", about=about, one=columns[0].one, columns=columns,
        reading=TableReading(("from dpq_core.sources.examples import load_example",), calls),
    )  # fmt: skip


def _of_file(own: tables.OwnTable, *, declared: bool) -> ChosenTable | None:
    usual, label = ("person", "One person is a") if own.person else ("record", "")
    typed = fields.text_input("one", label=label, placeholder="person", max_chars=check.LONGEST_WORD)
    one = typed or usual
    choice = choose_take(own.person, one) if own.person else None
    if not own.columns or (own.person and choice is None):
        return None
    columns = tuple(_brought_data(own, each, one, choice, declared=declared) for each in own.columns)
    about = f"{count_in_words(len(columns), 'column')} of {own.file}"
    said_of, by = {each.name: each.said for each in own.columns}, [name for name, _ in own.by]
    reading_of_table = reading_of(own.file, own.said, said_of, by, own.person if choice else "")
    return ChosenTable(
        identity=own_identity(), about=about, one=columns[0].one, columns=columns, reading=reading_of_table
    )


def _brought_data(
    own: tables.OwnTable, read: tables.OwnTableColumn, one: str, choice: PersonChoice | None, *, declared: bool
) -> PublicData | PrivateData:
    row = one if choice is None or choice.most_rows is None else "row"
    facts = DataSet(
        identity=own_identity(),
        name=read.name,
        kind=read.kind,
        unit="" if read.kind == "date" else read.unit,
        one=row,
        many=plural_of(row),
        about=f"{read.name} from {own.file}",
        source="",
        is_example=False,
        reading=reading_of(own.file, own.said, {read.name: read.said}),
        person=choice,
        group=own.by[0][0] if own.by else "",
        group_holds=own.by[0][1] if own.by else ANY_NAME,
        more_groups=own.by[1:],
        said={read.name: read.said},
    )
    if may_explore(declared_public=declared):
        values, people = values_to_explore(read.column)
        return PublicData(**vars(facts), values=values, people=people, groups=groups_to_explore(read.column))
    return PrivateData(**vars(facts), column=read.column)


def _what_was_brought(own: tables.OwnTable) -> None:
    by = [f"groups by {' and '.join(name for name, _ in own.by)}"] if own.by else []
    show_brought([own.file, count_in_words(len(own.columns), "column"), *by], read_again)
    for sentence in own.left_out:
        st.caption(f":material/warning: {escape(sentence)}")
    columns = {name: at for at, name in enumerate(own.asked)}
    show_read(
        [each.written for each in own.columns], columns, own.said, settings_of(content.kept()), own_identity(),
        read_again,
    )  # fmt: skip


def rows_before(table: ChosenTable, editor: str) -> Rows:
    """Return what was typed of each column, by its name, before its rows were drawn: the same as long as they are.

    `editor`: the key of the rows. Another reading of the same upload, and another page in between, end them.
    """
    first: tuple[str, Rows] = st.session_state.get(_FIRST, ("", {}))
    if first[0] == editor and editor in st.session_state:
        return first[1]
    kept: tuple[str, Rows] = st.session_state.get(_ROWS, ("", {}))
    rows = kept[1] if kept[0] == _owner(table) else {}
    found = {}
    for each in table.columns:  # what was said of it as long as it was alone: of the first of an example, or an upload
        values = said.values_of(said.column_identity(reading.upload(), each.name))
        if each.is_example:
            values = {name: text(name) for name in said.OF_VALUES} if each is table.columns[0] else {}
        found[each.name] = rows.get(each.name, {}) | row_of(values)
    st.session_state[_FIRST] = editor, found
    return found


def _owner(table: ChosenTable) -> str:
    """Return what rows belong to: an upload, however often it is read, or a table."""
    return said.upload_identity(reading.upload()) if table.identity == own_identity() else table.identity


def row_of(values: dict[str, str]) -> dict[str, Any]:
    """Return the fields of a row that say what was said of one column by itself."""
    if not values:
        return {}
    without = values["digits"] if values["bounds"] == "digits" else values["bounds"]
    if without in OTHERWISE:
        return {"otherwise": OTHERWISE[without], "negative": values["negative"] == "yes", "lower": "", "upper": ""}
    known = values["lower"] and values["upper"]
    return {name: values[name] for name in ("lower", "upper", "step")} if known else {}


def keep_rows(table: ChosenTable, rows: Rows, values: dict[str, dict[str, str]]) -> None:
    """Keep what was typed of each column for when it is read again; `values`: what that says of possible values."""
    st.session_state[_ROWS] = _owner(table), rows
    if table.identity == own_identity():
        for name, each in values.items():
            said.keep_values(said.column_identity(reading.upload(), name), each)
