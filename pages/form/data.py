"""The control of the data: an example, or what a visitor brings as a file or as pasted values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from dpq_core.domain.domain import Domain
from dpq_core.groups.cells import ANY_NAME
from dpq_core.mode import releases_only
from dpq_core.privacy.budgets import Adjacency
from dpq_core.question import Bounds, Persons
from dpq_core.results.chosen import TableReading
from dpq_core.results.data_set import PASTED_FILE, DataSet, PrivateData, PublicData
from dpq_core.results.sealed import values_to_explore
from dpq_core.results.wording import count_in_words, plural_of, share_in_words
from dpq_core.sources.column import NumberColumn
from dpq_core.sources.examples import EXAMPLES, Example, load_example, load_groups
from dpq_core.sources.forms import facts_of
from dpq_core.sources.reading import AS_WRITTEN, Opening
from dpq_core.typed import missing_of

from .. import keys
from ..files import content, reading
from ..files.content import OwnColumn, OwnTable
from ..files.key_columns import say_left_out, show_left_out
from ..files.layouts import in_script, in_words, reading_of, settings_of, show_read
from ..payment import counts
from ..payment.account import keep_fields
from ..shell import fields, links, pieces
from ..shell.header import escape, term, understood
from ..shell.state import ChosenTable, forget_data, may_explore, report_of
from . import people, said, table
from .places import ONE_FORM, Places
from .said import typed_column
from .table import examples, key, others_of, text

LONGEST_NAME = 60
NOT_PUBLIC = "This page shows the data themselves, so it takes public data only. Tick the box, or:"
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


def choose_data(places: Places = ONE_FORM) -> ChosenTable | None:
    """Ask for an example, or for data that are declared public; on Release for any, which stay sealed.

    Return one column, or several of a table, one of which the form is about; None while there are none. The settings of
    the page decide whether it takes rows of one person together, answers every group, and several columns.
    """
    with places.file:
        chosen = choose_source()
        if links.asks("more") and (more := choose_more(chosen)):
            return _table_of_example(chosen, more)
        if chosen in examples():
            said.keep_for(said.example_identity(chosen))
            of_groups = links.asks("each")
            example = example_data(chosen, of_groups=of_groups)
            if examples()[chosen].group and not of_groups and text("each") != "all":
                show_left_out(examples()[chosen].group)
            data = people.choose_of_example(example, chosen) if links.asks("person") else example
            return ChosenTable.of_column(data) if data else None
        if reading.holds_other(chosen):
            forget()
        own = reading.brought(chosen)
        if (links.seals() or ask_public()) and own is not None and own.columns:
            return _table_of(own, places)
        if links.seals() or _is_declared():
            groups, several = links.asks("each"), links.asks("weight")
            reading.bring(chosen, places.person, with_groups=groups, with_more=several)
        return None


def _table_of_example(chosen: str, more: str) -> ChosenTable:
    names = (chosen, more)
    if text("column") not in names:
        st.session_state[key("column")] = chosen
    at = names.index(fields.pills("column", names))
    said_of = tuple(map(said.example_identity, names))
    said.keep_for(said_of[at], among=said_of)
    columns = tuple(map(example_data, names))
    calls = tuple((each.name, f"load_example({name!r}).values") for each, name in zip(columns, names, strict=True))
    return ChosenTable(
        identity=f"example:{'+'.join(names)}", columns=columns, at=at, said_of=said_of, one=columns[0].one,
        about=f"{' and '.join(each.name for each in columns)}, {len(columns[0].values):,} {columns[0].many}",
        reading=TableReading(("from dpq_core.sources.examples import load_example",), calls),
    )  # fmt: skip


def _table_of(own: OwnTable, places: Places) -> ChosenTable | None:
    """Return what was brought: all columns where the page answers several; None while a number of rows is missing."""
    together = links.asks("weight")
    several = own.several and together
    if several:
        what_was_brought(own)
    with places.values if several and places.in_steps else places.file:
        at = _choose_looked_at(own)
    read = own.columns[at]
    said_of = tuple(said.column_identity(reading.upload(), each.name) for each in own.columns if several)
    reading.keep_said(read.name if own.file else "", [name for name, _ in own.by], said_of)
    if not several:
        what_was_brought(own, read)
        can_answer = links.asks("each") and (together or len(own.by) < 2)
        say_left_out(reading.upload(), are_read=bool(own.by), can_answer=can_answer)
    choice = None
    if own.person and links.asks("person"):
        with places.person:
            choice = people.choose_take(own.person, people.person_word())
        if choice is None:
            return None
    if not together and len(own.by) > 1:
        own = replace(own, by=())
    if not several:
        return ChosenTable.of_column(data_of(own, read, choice, declared_public=_is_declared()))
    columns = tuple(data_of(own, each, choice, declared_public=_is_declared(), alone=False) for each in own.columns)
    return ChosenTable(
        identity=own_identity(), about=f"{count_in_words(len(columns), 'column')} of {own.file}", one=columns[0].one,
        columns=columns, at=at, said_of=said_of, reading=reading_again(own, own.columns, of_people=choice is not None),
    )  # fmt: skip


def choose_source() -> str:
    """Ask where the data is from: an example, or how a visitor brings their own."""
    labels = {name: each.label for name, each in examples().items()}
    labels |= {"file": "My own file …", "paste": "My own values, pasted …"}
    return fields.selectbox("data", {name: labels[name] for name in table.data_choices(links.page())})


def choose_more(example: str) -> str:
    """Ask whether another column of the table of an example is answered as well, where it has one; empty where not."""
    others = others_of(example)
    if text("more") not in others:
        st.session_state[key("more")] = ""
    return fields.selectbox("more", ["", *others], help=content.MORE_HELP) if others else ""


def are_several() -> bool:
    """Return whether several columns are chosen: two of an example, or those that were read of a file."""
    chosen = text("data")
    own = reading.brought(chosen)
    return text("more") in others_of(chosen) or (own is not None and own.several)


def one_to_come() -> str:
    """Return what one record of the data will be called once it is there."""
    return text("one") or "record"


def _choose_looked_at(own: OwnTable) -> int:
    """Ask which of several columns that were read the form is about, and return its place."""
    if not own.several:
        return 0
    names = {at: each.name for at, each in enumerate(own.columns)}
    widget = keys.widget("column_of_table", reading.generation())
    if len(names) > 8:  # more do not stand side by side
        return st.selectbox("Column", list(names), key=widget, format_func=names.__getitem__)
    return int(st.pills("Column", list(names), default=0, key=widget, format_func=names.__getitem__, required=True))


def example_data(name: str, *, of_groups: bool = False) -> PublicData:
    """Return an example as a data set; `of_groups`: with the groups of its rows, where it has some."""
    example = examples()[name]
    of_groups = of_groups and bool(example.group)
    column = _load(name) if name in EXAMPLES else NumberColumn(name, example.read(), "number", example.unit)
    size = len(column.values) if name == table.MADE_UP else ""
    return PublicData(
        identity=":".join(filter(None, [said.example_identity(name), str(size)])),
        name=example.name,
        kind=column.kind,
        unit=example.unit,
        one=example.one_row,
        many=example.many_rows,
        about=example.label,
        source=f"{example.source} ({example.licence})",
        is_example=True,
        reading=_reading_example(example, column, by=example.group if of_groups else ""),
        values=column.values,
        by={example.group: ANY_NAME} if of_groups else {},
        groups=(load_groups(name),) if of_groups else (),
    )


def _reading_example(example: Example, column: NumberColumn, *, by: str) -> TableReading:
    """Return how an example is loaded; the numbers of a room are in no file, so they are listed.

    `by`: its column of groups, where one is asked for.
    """
    if example.key not in EXAMPLES:
        return TableReading(
            ("import numpy as np",), ((example.name, f"np.array({column.values.tolist()}, dtype=float)"),)
        )
    calls = [
        (example.name, f"load_example({example.key!r}).values"),
        *([(by, f"load_groups({example.key!r})")] if by else []),
    ]
    imports = f"from dpq_core.sources.examples import load_example{', load_groups' if by else ''}"
    return TableReading((imports,), tuple(calls))


_load = st.cache_resource(max_entries=4, show_spinner=False)(load_example)
"""Load the column of a public example, read-only and shared by all visitors."""


def data_of(
    own: OwnTable, read: OwnColumn, choice: Persons | None = None, *, declared_public: bool, alone: bool = True
) -> PublicData | PrivateData:
    """Return a column that was brought as a data set; `choice`: what counts of each person's rows.

    `alone`: whether the page asks about this column by itself.
    """
    person, row, name = people.person_word(), one_to_come(), read.name[:LONGEST_NAME]
    one, many = people.words_of(choice, person, "row", "rows") if choice else (row, plural_of(row))
    unit = said.of_column(said.column_identity(reading.upload(), read.name))("column_unit") or read.unit
    facts = DataSet(
        identity=f"{own_identity()}:{read.name}" if alone and own.several else own_identity(),
        name=name, kind=read.kind, unit="" if read.kind == "date" else unit,
        one=one, many=many, about=f"{name} from {own.file}" if own.file else "Pasted values", source="",
        is_example=False, reading=reading_again(own, [read], of_people=choice is not None),
        by=dict(own.by), person=choice, one_person=person if choice else "", said={read.name: read.said},
    )  # fmt: skip
    if may_explore(declared_public=declared_public):
        values, persons, groups = values_to_explore(read.column)
        return PublicData(**vars(facts), values=values, people=persons, groups=groups)
    return PrivateData(**vars(facts), column=read.column, public_count=counts.released_count(facts))


def reading_again(own: OwnTable, columns: Sequence[OwnColumn], *, of_people: bool) -> TableReading:
    """Return how columns are read again, with their groups, and `of_people` whose their rows are."""
    said_of = {each.name[:LONGEST_NAME]: each.said for each in columns}
    if own.file:
        return reading_of(own.file, own.said, said_of, [name for name, _ in own.by], own.person if of_people else "")
    ((name, read),) = said_of.items()
    imports = ["from dpq_core.sources.pasted import read_pasted"]
    imports += ["from dpq_core.sources.reading import Reading"] if read != AS_WRITTEN else []
    call = f"read_pasted(open({PASTED_FILE!r}).read(){in_script(read)}).values"
    return TableReading(tuple(imports), ((name, call),), "", PASTED_FILE, said=facts_of(Opening(), said_of))


def own_identity() -> str:
    """Return what names the column, or the columns, that a visitor brought, or will bring, within the session."""
    return f"upload:{reading.generation()}"


def _box() -> str:
    return keys.widget("public", reading.generation())


def box_is_ticked() -> bool:
    """Return whether the box is ticked that says that the present upload is public."""
    return st.session_state.get(_box()) is True


def ask_public() -> bool:
    """Draw the box that starts unticked for every upload; not offered where the server forbids exploring uploads.

    Where it is unticked again the data are forgotten, with all that was computed from them.
    """
    if releases_only():  # there the box is not even offered
        st.caption(":material/lock: This server gives private answers only.")
        return False
    ticked = st.checkbox(
        "This data is public or synthetic", key=_box(), help=term("public data"), persist_state="session",
        on_change=_forget_undeclared,
    )  # fmt: skip
    if not ticked:
        st.caption(NOT_PUBLIC)
        pieces.page_link("release", "Release private answers instead", {})
    return ticked


def _is_declared() -> bool:
    """Return whether the present upload was declared public; what is brought to Release never is."""
    return box_is_ticked() and not links.seals()


def _forget_undeclared() -> None:
    if not box_is_ticked():
        forget()


def what_was_brought(own: OwnTable, one: OwnColumn | None = None) -> None:
    """Show the columns, or `one`, which the person who brought them knows, and what changes and forgets them."""
    shown = [one] if one else own.columns
    named = [one.name, KIND_WORDS[one.kind]] if one else [count_in_words(len(own.columns), "column")]
    parts = [*filter(None, [own.file]), *([f"sheet {own.said.sheet}"] if own.said.sheet else []), *named]
    parts += [f"all rows with the same {own.person} belong together"] if own.person else []
    parts += in_words(own.said.as_dict())
    parts += [f"groups by {' and '.join(name for name, _ in own.by)}"] if own.by else []
    change = read_again if own.file else None
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f":material/description: {escape(' · '.join(parts))}", width="stretch")
        if change is not None:
            st.button(
                "Change column", key=keys.widget("another_column"), type="tertiary", on_click=change, help=ANOTHER_HELP
            )
        st.button("Forget my data", key=keys.widget("change"), type="tertiary", on_click=forget, help=FORGET_HELP)
    for sentence in own.left_out:
        st.caption(f":material/warning: {escape(sentence)}")
    names = {name: at for at, name in enumerate(own.asked) if not one or name == one.in_file}
    show_read(
        [each.written for each in shown], names, own.said, settings_of(content.kept()) if own.file else (),
        own_identity(), read_again, to_see=own_identity(),
    )  # fmt: skip


def read_again() -> None:
    """Forget the columns, and ask for others of the same upload: what was said of it and of its budget stays."""
    before, public = own_identity(), box_is_ticked()
    forget(keep_file=True)
    keep_fields(before, own_identity())
    st.session_state[_box()] = public


def forget(*, keep_file: bool = False) -> None:
    """Forget the columns, what was computed from them, and the widgets that brought them; or all but their file."""
    own = reading.held()
    columns = own.columns if own is not None and own.several else ()
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
    if data is None or bounds is None or text("adjacency") != Adjacency.REPLACE_ONE:
        return data
    help = "The number of records is public here, so none may be left out. Say the value before looking."
    of_bounds = isinstance(bounds, Domain) and bounds.has_even_steps
    fields.text_input("missing", placeholder="the lowest value" if of_bounds else "0", help=help)
    words = typed_column(text, data.kind)
    return understood(lambda: replace(data, missing=missing_of(words, bounds, Adjacency.REPLACE_ONE)))


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
