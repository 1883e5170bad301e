"""The control of the data: an example, a file or pasted values."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from dpq_core.domain.domain import Domain
from dpq_core.errors import ParameterError
from dpq_core.privacy.budgets import Adjacency
from dpq_core.results.data_set import PASTED_FILE, DataSet, PrivateData, PublicData
from dpq_core.results.persons import PersonChoice
from dpq_core.results.sealed import groups_to_explore, values_to_explore
from dpq_core.results.tables.asked import Bounds
from dpq_core.results.tables.kinds import TableReading
from dpq_core.results.wording import count_in_words, plural_of, share_in_words
from dpq_core.sources.column import Column, Values, make_column
from dpq_core.sources.examples import EXAMPLES, Example, load_example, load_groups
from dpq_core.sources.reading import AS_WRITTEN
from dpq_core.sources.readings.forms import facts_of

from .. import keys
from ..budget import counts
from ..budget.panel import keep_fields
from ..files import content, reading, tables
from ..files.key_columns import say_left_out, show_left_out
from ..files.layouts import in_script, reading_of, settings_of, show_read, words_of
from ..frame import fields
from ..frame.header import complain, escape, sentence_of, term
from ..frame.state import Mode, forget_data, may_explore, report_of, uploads_may_be_explored
from ..settings import said
from ..settings.table import EACH, SOURCES, examples, key, others_of, text
from . import people
from .places import ONE_FORM, Place, Places
from .requests import missing_of, typed_column

LONGEST_NAME = 60
FORGET_HELP = (
    "Drops the file and everything made from it from this server's memory, and asks for other data. Closing the tab "
    "does the same. What was spent stays in the ledger."
)
ANOTHER_HELP = (
    "Choose another column of the same file, or several. What you said of its people, of their groups and of the "
    "budget stays; the possible values of another column are asked for again."
)
KIND_WORDS = {
    "number": "numbers", "money": "amounts of money", "percent": "percentages", "date": "dates", "duration": "durations"
}  # fmt: skip


def choose_data(
    *, of_people: bool = True, of_groups: bool = False, of_several: bool = False, places: Places = ONE_FORM
) -> DataSet | None:
    """Ask for the data, and return the chosen column; None while there is none yet.

    `of_people`: whether the page can take rows of one person together; `of_groups`: whether it can answer every group;
    `of_several`: whether it can answer several columns; `places`: where these controls stand.
    """
    with places.file:
        return _choose_data(of_people, of_groups, of_several, places.person)


def choose_source() -> str:
    """Ask where the data is from: an example, or how a visitor brings their own."""
    chosen = fields.selectbox("data", [*SOURCES, *examples()], _data_label)
    if text("more") not in others_of(chosen):
        st.session_state[key("more")] = ""
    return chosen


def choose_more(example: str) -> str:
    """Ask whether another column of the table of an example is answered as well, where it has one; empty where not."""
    others = others_of(example)
    return fields.selectbox("more", ["", *others], _more_label, help=tables.MORE_HELP) if others else ""


def _more_label(name: str) -> str:
    return example_data(name).name if name else "None"


def asks_in_steps() -> bool:
    """Return whether what is chosen now is an own column to release: then its page asks step by step."""
    return text("data") not in examples() and not may_explore(declared_public=box_is_ticked())


def mode_to_come() -> Mode:
    """Return what the screen may show once there is data, by what was said of it."""
    return Mode.RELEASE if asks_in_steps() else Mode.EXPLORE


def one_to_come() -> str:
    """Return what one record of the data will be called once it is there."""
    return text("one") or "record"


def _choose_data(of_people: bool, of_groups: bool, of_several: bool, of_person: Place) -> DataSet | None:
    chosen = choose_source()
    if chosen in examples():
        said.keep_for(said.example_identity(chosen))
        example = example_data(chosen, of_groups=of_groups)
        if examples()[chosen].group and not of_groups and text("each") != EACH[0]:
            show_left_out(examples()[chosen].group)
        if of_several:
            choose_more(chosen)
        return people.choose_of_example(example, chosen) if of_people else example
    if reading.holds_other(chosen):
        forget()
    if of_several and reading.brought_table(chosen) is not None:
        st.rerun()  # they were read since the page looked whether several are chosen
    read = reading.brought(chosen) or _one_of_several(chosen)
    keep_said(read)
    if read is None:
        ask_public()
        reading.bring(chosen, of_person, with_groups=of_groups, with_more=of_several, to_release=asks_in_steps())
        return None
    _what_was_brought(read)
    declared_public = ask_public()
    if not _all_groups_in(read, of_groups=of_groups) and not may_explore(declared_public=declared_public):
        return None
    with of_person:
        choice = people.choose_take(read.person, people.person_word()) if read.person and of_people else None
    if read.person and of_people and choice is None:
        return None
    return _brought_data(read, choice, declared_public=declared_public)


def _all_groups_in(read: reading.OwnColumn, *, of_groups: bool) -> bool:
    """Return whether no groups that were asked for are left out, or the visitor said that they may be."""
    by_one = bool(read.group)
    can_answer = of_groups and (by_one or not read.of_table)
    return say_left_out(reading.upload(), are_read=by_one or read.of_table, can_answer=can_answer)


def _one_of_several(way: str) -> reading.OwnColumn | None:
    """Ask for one of several columns that were brought together, on a page that is of one."""
    own = reading.brought_table(way)
    if own is None or not own.columns:
        return None
    names = [each.name for each in own.columns]
    widget = keys.widget("column_of_table", reading.generation())
    return reading.column_of(own, st.selectbox("Column", range(len(names)), key=widget, format_func=names.__getitem__))


def keep_said(read: reading.OwnColumn | tables.OwnTable | None) -> None:
    """Let the form hold what was said of what was brought. Before the fields are drawn."""
    if read is None:
        said.keep_for(said.COMING)
        return
    own = said.upload_identity(reading.upload())
    groups = [read.group] if isinstance(read, reading.OwnColumn) else [name for name, _ in read.by]
    column = said.column_identity(reading.upload(), read.name if isinstance(read, reading.OwnColumn) else "")
    said.keep_for(column, people=own, groups=f"{own}:by:{groups}")


def _data_label(choice: str) -> str:
    own = {"file": "My own file …", "paste": "My own values, pasted …"}
    return own.get(choice) or str(examples()[choice].label)


def example_data(name: str, *, of_groups: bool = False) -> PublicData:
    """Return an example as a data set; `of_groups`: with the groups of its rows, where it has some."""
    example = examples()[name]
    of_groups = of_groups and bool(example.group)
    column = _load(name) if name in EXAMPLES else make_column(name, Values(example.read(), "number", example.unit))
    return PublicData(
        identity=said.example_identity(name),
        name=re.split(r"[,(]", example.label)[0].strip(),
        kind=column.kind,
        unit=example.unit,
        one=example.one_row,
        many=example.many_rows,
        about=example.label,
        source=f"{example.source} ({example.licence})",
        is_example=True,
        reading=_reading_example(example, column, by=example.group if of_groups else ""),
        values=column.values,
        group=example.group if of_groups else "",
        groups=(load_groups(name),) if of_groups else (),
    )


def _reading_example(example: Example, column: Column, *, by: str) -> TableReading:
    """Return how an example is loaded; the numbers of a room are in no file, so they are listed.

    `by`: its column of groups, where one is asked for.
    """
    name = re.split(r"[,(]", example.label)[0].strip()
    if example.key not in EXAMPLES:
        return TableReading(("import numpy as np",), ((name, f"np.array({column.values.tolist()}, dtype=float)"),))
    calls = [(name, f"load_example({example.key!r}).values"), *([(by, f"load_groups({example.key!r})")] if by else [])]
    imports = f"from dpq_core.sources.examples import load_example{', load_groups' if by else ''}"
    return TableReading((imports,), tuple(calls))


@st.cache_resource(max_entries=4, show_spinner=False)
def _load(name: str) -> Column:
    """Load the column of a public example, read-only and shared by all visitors."""
    return load_example(name)


def _brought_data(
    read: reading.OwnColumn, choice: PersonChoice | None = None, *, declared_public: bool
) -> PublicData | PrivateData:
    one = one_to_come()
    one, many = (one, plural_of(one)) if choice is None else people.words_of(choice, "row", "rows")
    facts = DataSet(
        identity=_identity_of(read),
        name=read.name[:LONGEST_NAME],
        kind=read.kind,
        unit="" if read.kind == "date" else text("column_unit") or read.unit,
        one=one,
        many=many,
        about=f"{read.name[:LONGEST_NAME]} from {read.file}" if read.file else "Pasted values",
        source="",
        is_example=False,
        reading=_reading(read, of_people=choice is not None),
        group=read.group,
        group_holds=read.group_holds,
        person=choice,
        said={read.name: read.said.reading},
    )
    if may_explore(declared_public=declared_public):
        values, persons = values_to_explore(read.column)
        return PublicData(**vars(facts), values=values, people=persons, groups=groups_to_explore(read.column))
    return PrivateData(**vars(facts), column=read.column, public_count=counts.released_count(facts))


def _reading(read: reading.OwnColumn, *, of_people: bool) -> TableReading:
    """Return how a column is read again, with its groups, and `of_people` whose its rows are."""
    name, by = read.name[:LONGEST_NAME], [read.group] if read.group else []
    if read.file:
        return reading_of(read.file, read.said, {name: read.said.reading}, by, read.person if of_people else "")
    imports = ["from dpq_core.sources.files import read_pasted"]
    imports += ["from dpq_core.sources.reading import Reading"] if read.said.reading != AS_WRITTEN else []
    call = f"read_pasted(open({PASTED_FILE!r}).read(){in_script(read.said.reading)}).values"
    said_of_it = facts_of({}, {name: read.said.reading})
    return TableReading(tuple(imports), ((name, call),), "", PASTED_FILE, said=said_of_it)


def own_identity() -> str:
    """Return what names the column, or the columns, that a visitor brought, or will bring, within the session."""
    return f"upload:{reading.generation()}"


def _identity_of(read: reading.OwnColumn | tables.OwnTable) -> str:
    """Return the same; of one of several columns that were brought together with its name."""
    if isinstance(read, reading.OwnColumn) and read.of_table:
        return f"{own_identity()}:{read.name}"
    return own_identity()


def _box() -> str:
    return keys.widget("public", reading.generation())


def box_is_ticked() -> bool:
    """Return whether the box is ticked that says that the present upload is public."""
    return st.session_state.get(_box()) is True


def ask_public() -> bool:
    """Draw the box that starts unticked for every upload; not offered where the server forbids exploring uploads."""
    if not uploads_may_be_explored():
        st.caption(":material/lock: This server gives private answers only.")
        return False
    return st.checkbox(
        "This data is public or synthetic",
        key=_box(),
        help=term("public data"),
        persist_state="session",
    )


def _what_was_brought(read: reading.OwnColumn) -> None:
    """Show name and kind, which the person who brought it knows anyway, and the button that forgets it."""
    sheet = [f"sheet {read.said.sheet}"] if read.said.sheet else []
    parts = [*([read.file] if read.file else []), *sheet, read.name, KIND_WORDS[read.kind]]
    if read.person:
        parts.append(f"all rows with the same {read.person} belong together")
    parts += words_of(read.said)
    if read.group:
        parts.append(f"groups by {read.group}")
    show_brought(parts, read_again if read.file else None)
    file = content.kept()
    show_read(
        [read.written], {read.in_file: 0}, read.said, settings_of(file) if read.file else (), own_identity(),
        read_again, to_see=own_identity(),
    )  # fmt: skip


def show_brought(parts: Sequence[str], change: Callable[[], None] | None) -> None:
    """Show what was brought, with the buttons that `change` the column, where that can be, and that forget all."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f":material/description: {escape(' · '.join(parts))}", width="stretch")
        if change is not None:
            st.button(
                "Change column", key=keys.widget("another_column"), type="tertiary", on_click=change, help=ANOTHER_HELP
            )
        st.button("Forget my data", key=keys.widget("change"), type="tertiary", on_click=forget, help=FORGET_HELP)


def read_again() -> None:
    """Forget the columns, and ask for others of the same upload: what was said of it and of its budget stays."""
    before = own_identity()
    forget(keep_file=True)
    keep_fields(before, own_identity())


def forget(*, keep_file: bool = False) -> None:
    """Forget the columns, what was computed from them, and the widgets that brought them; or all but their file."""
    own = reading.held()
    columns = own.columns if isinstance(own, tables.OwnTable) else ()
    for identity in (own_identity(), *(f"{own_identity()}:{each.name}" for each in columns)):
        forget_data(identity)
    if keep_file:
        reading.forget_columns()
    else:
        reading.forget()


def choose_missing(data: DataSet | None, bounds: Bounds | None) -> DataSet | None:
    """Ask what a missing value counts as, where the number of records is public, and return the column with it.

    There is always one, so that nobody learns from a complaint that values are missing.
    """
    if data is None or bounds is None or text("adjacency") != Adjacency.SUBSTITUTE:
        return data
    help = "The number of records is public here, so none may be left out. Say the value before looking."
    of_bounds = isinstance(bounds, Domain) and bounds.has_even_steps
    fields.text_input("missing", placeholder="the lowest value" if of_bounds else "0", help=help)
    try:
        return replace(data, missing=missing_of(typed_column(text, data.kind), bounds, Adjacency.SUBSTITUTE))
    except ParameterError as error:
        complain(sentence_of(error))
    return None


def show_report(data: DataSet | None, domain: Domain | None) -> None:
    """Show in numbers what was read of a visitor's own column, where the truth may be shown."""
    if not isinstance(data, PublicData) or domain is None or data.is_example:
        return
    found = report_of(data, domain)
    outside = found.outside / max(found.rows - found.missing, 1)
    rows, different = count_in_words(found.rows, "row"), count_in_words(found.distinct, "different value")
    st.caption(
        f"Read: {rows}, {found.missing:,} of them missing; {share_in_words(outside)} outside the bounds, moved to the "
        f"nearest end; {different} on the grid{', so there are ties' if found.tied else ''}."
    )
