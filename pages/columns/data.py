"""The table of the page: an example, or columns of a file that somebody brought."""

from __future__ import annotations

import streamlit as st

from dpq_core.results import (
    DataSet,
    PersonChoice,
    PrivateData,
    PublicData,
    TableReading,
    count_in_words,
    groups_to_explore,
    plural_of,
    values_to_explore,
)
from dpq_core.sources.reading import AS_WRITTEN, Reading
from dpq_core.studies import USUAL_SIZE

from ..budget import keep_fields, name_chosen
from ..files import AGAIN, ask_reading, in_script, label_of_way, offer_as_before, tables
from ..form import ask_if_public, choose_count, choose_take, example_data
from ..frame import ChosenTable, Mode, escape, fields, forget_data, may_explore
from ..settings import check, key, said, table, text

EXAMPLE_COLUMNS = {"adult": ("adult-age-full", "adult-hours")}
"""Columns of one table, a row for each person."""
LABELS = {"adult": "Age and working hours, 48,842 people of Adult", "file": "My own file …"}
FEW_COLUMNS = 3
"""So many say at once how they were read."""
FORGET_HELP = (
    "Drops the columns and everything made from them from this server's memory. What was spent stays in the ledger."
)


def mode_of(table: ChosenTable | None) -> Mode:
    """Return what the screen may show; before there is a table, by what was said of it."""
    if table is not None:
        return table.mode
    declared = bool(st.session_state.get(_box()))
    return Mode.EXPLORE if may_explore(declared_public=declared) else Mode.RELEASE


def one_of(table: ChosenTable | None) -> str:
    """Return what one record is called, or will be once there is a table."""
    return table.columns[0].anyone if table else text("table_one") or "record"


def choose_size(table: ChosenTable | None, *, in_groups: bool, with_intervals: bool) -> int | None:
    """Ask about how many records there are, where that is not known; None while that is no number."""
    if table is None or (table.mode is Mode.EXPLORE and not in_groups and not with_intervals):
        return USUAL_SIZE
    many = table.columns[0].many
    return choose_count(f"{many} in a group" if in_groups else many, setting="table_size")


def choose_table() -> ChosenTable | None:
    """Ask for the table, and return its columns; None while there are none yet."""
    chosen = fields.selectbox("table", list(table.TABLES), LABELS.__getitem__)
    if chosen in EXAMPLE_COLUMNS:
        columns: tuple[DataSet, ...] = tuple(map(example_data, EXAMPLE_COLUMNS[chosen]))
        calls = (
            (each.name, f"load_example({name!r}).values")
            for each, name in zip(columns, EXAMPLE_COLUMNS[chosen], strict=True)
        )
        return ChosenTable(
            identity=f"example:{chosen}", about=LABELS[chosen], one=columns[0].one, columns=columns,
            reading=TableReading(("from dpq_core.sources.examples import load_example",), tuple(calls)),
        )  # fmt: skip
    own = tables.brought_table()
    if own is None:
        ask_if_public(_box())
        tables.bring_table(to_release=mode_of(None) is Mode.RELEASE)
        return None
    _what_was_brought(own)
    declared = ask_if_public(_box())
    usual, label = ("person", "One person is a") if own.person else ("record", "")
    typed = fields.text_input("table_one", label=label, placeholder="person", max_chars=check.LONGEST_WORD)
    one = typed or usual
    choice = choose_take(own.person, one) if own.person else None
    if not own.columns or (own.person and choice is None):
        return None
    columns = tuple(_brought_data(own, each, one, choice, declared=declared) for each in own.columns)
    about = f"{count_in_words(len(columns), 'column')} of {own.file}"
    said.keep_for_table(own.identity)
    return ChosenTable(
        identity=own.identity, about=about, one=columns[0].one, columns=columns, reading=_reading(own, choice)
    )


def _reading(own: tables.OwnTable, choice: PersonChoice | None) -> TableReading:
    """Return Python that reads each of the columns of a file, those of groups, and the persons where they are asked."""
    columns = [
        (each.name, f"read_column({own.file!r}, {each.name!r}{own.in_script}{in_script(each.said)}).values")
        for each in own.columns
    ]
    columns += [(name, f"read_groups({own.file!r}, {name!r}{own.in_script})") for name, _ in own.by]
    written = "".join(read for _, read in columns)
    opened = "find_layout, " if "layout=find_layout" in written else ""
    imports = [f"from dpq_core.sources.files import {opened}read_column"]
    imports += ["from dpq_core.sources.groups import read_groups"] if own.by else []
    imports += ["from dpq_core.sources.reading import Reading"] if "reading=Reading(" in written else []
    people = f"read_people({own.file!r}, {own.person!r}{own.in_script})" if choice else ""
    imports += ["from dpq_core.sources.people import read_people"] if people else []
    return TableReading(tuple(imports), tuple(columns), people, own.file)


def _brought_data(
    own: tables.OwnTable, read: tables.OwnTableColumn, one: str, choice: PersonChoice | None, *, declared: bool
) -> PublicData | PrivateData:
    row = one if choice is None or choice.most_rows is None else "row"
    facts = DataSet(
        identity=own.identity,
        name=read.name,
        kind=read.kind,
        unit="" if read.kind == "date" else read.unit,
        one=row,
        many=plural_of(row),
        about=f"{read.name} from {own.file}",
        source="",
        is_example=False,
        reading="",
        file=own.file,
        person=choice,
        group=own.by[0][0] if own.by else "",
        group_holds=own.by[0][1] if own.by else "",
        more_groups=own.by[1:],
        said={read.name: read.said},
    )
    if may_explore(declared_public=declared):
        values, people = values_to_explore(read.column)
        return PublicData(**vars(facts), values=values, people=people, groups=groups_to_explore(read.column))
    return PrivateData(**vars(facts), column=read.column)


def _box() -> str:
    return f"{key('table_public')}_{tables.table_generation()}"


def _what_was_brought(own: tables.OwnTable) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        by = f" · groups by {' and '.join(name for name, _ in own.by)}" if own.by else ""
        read = f"{own.file} · {count_in_words(len(own.columns), 'column')}{by}"
        st.caption(f":material/description: {escape(read)}", width="stretch")
        st.button("Forget my data", key=key("change_table"), type="tertiary", on_click=_forget, help=FORGET_HELP)
    for sentence in own.left_out:
        st.caption(f":material/warning: {escape(sentence)}")
    for mend in own.mends:
        label = f"{mend.in_file}: {label_of_way(mend.way.name, mend.way.value)}"
        name = key(f"mend_{mend.in_file}_{mend.way.name}_{mend.way.value}")
        said = tables.mended(mend)
        st.button(escape(label), key=name, icon=":material/build:", on_click=_read_next, args=({mend.in_file: said},))
    if own.mends:
        st.caption(AGAIN)
    if own.columns:
        _how_they_were_read(own)
    if mode_of(None) is Mode.RELEASE:
        _offer_before(own)


def _offer_before(own: tables.OwnTable) -> None:
    """Offer to read columns as the chosen data set remembers it, those as well that could not be read."""
    in_file = {mend.in_file: mend.in_file for mend in own.mends} | {each.name: each.in_file for each in own.columns}
    now = dict.fromkeys(in_file, AS_WRITTEN) | {each.name: each.said for each in own.columns}

    def take(before: dict[str, Reading]) -> None:
        _read_next({in_file[name]: said for name, said in before.items()})

    offer_as_before(name_chosen(own.identity, own.file), now, take, kept=False)


def _how_they_were_read(own: tables.OwnTable) -> None:
    """Show for each column how it was read, and what changes that for one of them."""
    with st.expander("How the columns were read", expanded=len(own.columns) <= FEW_COLUMNS):
        for each in own.columns:
            st.caption(escape(each.written))
        with st.popover("Change", key=key("change_readings"), type="tertiary"):
            places = range(len(own.columns))
            at = st.selectbox(
                "Column", places, key=key("change_which"), format_func=lambda place: own.columns[place].in_file
            )
            chosen = own.columns[at]
            ask_reading(
                chosen.can_change, chosen.said, lambda said: _read_so(chosen.in_file, said), f"_{at}_{own.identity}"
            )


def _read_next(said: dict[str, Reading]) -> None:
    """Forget the columns, and read the next file with these settings for some of them."""
    readings = tables.readings_with(said)
    read_again()
    tables.keep_readings(readings)


def _read_so(name: str, said: Reading) -> None:
    _read_next({name: said})
    st.rerun()


def read_again() -> None:
    """Forget the columns, and ask for the file once more: what was typed about its budget stays."""
    before = tables.table_identity()
    _forget()
    keep_fields(before, tables.table_identity())


def _forget() -> None:
    forget_data(tables.table_identity())
    tables.forget_table()
