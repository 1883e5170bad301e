"""From a file to several of its columns: which ones are asked for, and the job that reads each of them once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import streamlit as st

from dpq_core.errors import DataError, Way
from dpq_core.groups import Holds
from dpq_core.jobs.line import Job, Stage
from dpq_core.jobs.strangers import FileJob, columns_and_groups_of
from dpq_core.results import SealedColumn, count_in_words
from dpq_core.sources.column import Column, Kind
from dpq_core.sources.formats.known import UPLOADS, listed
from dpq_core.sources.header import public_names
from dpq_core.sources.reading import AS_WRITTEN, Reading
from dpq_core.sources.readings import describe

from ..budget import name_of_file
from ..frame import POLL_SECONDS, escape, progress, sentence_of, show_problem
from ..server import uploads
from ..settings import PREFIX, key
from .groups import ask_groups, keep_group
from .layouts import SaidOfFile, find_columns, said_in_script
from .persons import ask_person, keep_person
from .reading import digest_of_content, let_go
from .remembered import offer_as_before
from .written import OFFERED, applicable, in_words, with_way

if TYPE_CHECKING:
    from dpq_core.sources.files import Layout

_TABLE = f"{PREFIX}:table"
_READING = f"{PREFIX}:table_reading"
_GENERATION = f"{PREFIX}:table_generation"
_READINGS = f"{PREFIX}:table_readings"
_AS_BEFORE = f"{PREFIX}:table_as_before"
MOST_COLUMNS = 200
"""Columns that are read and released in one go on the page."""
WHAT_IS_PUBLIC = "Which columns the file has and what they hold (numbers, dates, money) is taken as public."


@dataclass(frozen=True)
class OwnTableColumn:
    """A column that was read: public facts, and its values sealed."""

    name: str
    kind: Kind
    unit: str
    column: SealedColumn = field(repr=False)
    in_file: str
    """Its name in the list of columns."""
    written: str
    """How its cells were read, in a sentence."""
    can_change: tuple[str, ...]
    """The settings with which they would be read otherwise."""
    said: Reading
    """What was said of how they are written."""


@dataclass(frozen=True)
class Mend:
    """What would let a column be read that could not be."""

    in_file: str
    way: Way


@dataclass(frozen=True)
class OwnTable:
    """The columns of a visitor's own file."""

    identity: str
    file: str
    header: bool | None
    columns: tuple[OwnTableColumn, ...]
    left_out: tuple[str, ...]
    """Sentences on columns that could not be read."""
    mends: tuple[Mend, ...] = ()
    """What would let some of these be read."""
    person: str = ""
    """The name of the column of ids, as it may be shown; empty where every row is a different person."""
    by: tuple[tuple[str, Holds], ...] = ()
    """The names, as they may be told, of the columns of groups, and what their cells are by their types."""
    in_script: str = ""
    """What a script says of the file to read its columns."""


@dataclass(frozen=True)
class TableReading:
    """What is read, and the job that does it."""

    file: str
    file_id: str
    names: tuple[str, ...]
    said: SaidOfFile
    person: str
    by: tuple[str, ...]
    job: Job


def brought_table() -> OwnTable | None:
    """Return the columns that were brought, once they are read."""
    reading: TableReading | None = st.session_state.get(_READING)
    if reading is not None and reading.job.stage is Stage.DONE:
        (found, people, groups), digest = reading.job.result
        named = list(zip(reading.names, found, strict=True))
        refused = [(name, each) for name, each in named if not isinstance(each, Column)]
        own = tuple(
            OwnTableColumn(
                each.name, each.kind, each.unit, SealedColumn(each.values, digest, people, groups), name,
                describe(each), applicable(each), _readings().get(name, AS_WRITTEN),
            )
            for name, each in named
            if isinstance(each, Column)
        )  # fmt: skip
        sentences = tuple(f"{name} is left out: {sentence_of(error)}" for name, error in refused)
        mends = tuple(Mend(name, way) for name, error in refused for way in _ways(error))
        st.session_state[_TABLE] = OwnTable(
            table_identity(), reading.file, reading.said.header, own, sentences, mends, reading.person,
            tuple((name, each.holds) for name, each in zip(reading.by, groups, strict=True)),
            said_in_script(reading.file, reading.said),
        )  # fmt: skip
        keep_person(reading.person)
        keep_group(reading.by[0] if reading.by else "")
        reading.job.result = None  # streamlit keeps the Cancel button's callback, and so the job
        st.session_state.pop(_READING)
        let_go(reading.file_id)
    return cast(OwnTable | None, st.session_state.get(_TABLE))


def _readings() -> dict[str, Reading]:
    """Return what was said of how columns are written, by their names in the list."""
    said: dict[str, Reading] = st.session_state.get(_READINGS, {})
    return said


def _ways(error: ValueError) -> tuple[Way, ...]:
    return tuple(way for way in error.ways if way.name in OFFERED) if isinstance(error, DataError) else ()


def readings_with(said: dict[str, Reading]) -> dict[str, Reading]:
    """Return what was said of all columns, with this of some of them."""
    return _readings() | said


def keep_readings(readings: dict[str, Reading]) -> None:
    """Keep how columns of the next file are written."""
    st.session_state[_READINGS] = readings


def mended(mend: Mend) -> Reading:
    """Return the reading with which a column that was refused may be read."""
    return with_way(_readings().get(mend.in_file, AS_WRITTEN), mend.way)


def table_identity() -> str:
    """Return what names this reading of a file within the session."""
    return f"table:{table_generation()}"


def table_generation() -> int:
    """Return the number of this session's table, which is part of its widgets' keys."""
    return int(st.session_state.get(_GENERATION, 0))


def forget_table() -> None:
    """Forget the file: new keys for its widgets drop its bytes, and declare nothing about the next one."""
    reading: TableReading | None = st.session_state.get(_READING)
    if reading is not None:
        reading.job.cancel()
    for name in (_TABLE, _READING, _READINGS, _AS_BEFORE):
        st.session_state.pop(name, None)
    st.session_state[_GENERATION] = table_generation() + 1


def bring_table(*, to_release: bool) -> None:
    """Draw the widgets for a file and its columns; `to_release`: whether they are asked for private answers."""
    uploads.grant()
    file = st.file_uploader(
        "File", type=UPLOADS, key=f"{key('table_file')}_{table_generation()}",
        help=f"{listed()}. Only the columns that you choose are read, and those of ids and groups that you name.",
    )  # fmt: skip
    if file is None:
        st.caption(WHAT_IS_PUBLIC)
        _show_kept()
        return
    found = find_columns(file, f"table_{table_generation()}_{file.file_id}")
    if found is not None:
        _choose_columns(file, *found, to_release)


def _show_kept() -> None:
    """Show how columns are read that were said to be read otherwise, before their file is chosen once more."""
    said = [f"{name} {', '.join(words)}" for name, reading in _readings().items() if (words := in_words(reading))]
    if said:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            kept = f"Choose the file again. What was said is kept: {'; '.join(said)}."
            st.caption(f":material/build: {escape(kept)}", width="content")
            st.button("Undo", key=key("undo_readings"), type="tertiary", on_click=keep_readings, args=({},))


def _choose_columns(file: Any, layout: Layout, said: SaidOfFile, to_release: bool) -> None:
    names = tuple(layout.names)
    widget = f"{key('table_columns')}_{table_generation()}_{said.header}{said.sheet}"
    st.session_state.setdefault(widget, list(names[:MOST_COLUMNS]))
    marked = st.multiselect("Columns", names, key=widget, max_selections=MOST_COLUMNS, help=WHAT_IS_PUBLIC)
    person = ask_person(
        f"{key('table_person')}_{table_generation()}_{said.header}{said.sheet}", names, "", file.name * to_release
    )
    by = ask_groups(
        f"{key('table_groups')}_{table_generation()}_{said.header}{said.sheet}", [n for n in names if n != person]
    )
    chosen = [name for name in marked if name not in (person, *by)]
    told = dict(zip(names, public_names(names), strict=True))
    if to_release:
        _offer_before(file.name, {told[name]: name for name in chosen})
    reading: TableReading | None = st.session_state.get(_READING)
    if reading is not None and not reading.job.finished:
        _watch()
        return
    if reading is not None and reading.job.stage is Stage.DONE:  # since `brought_table` looked: it has to look again
        st.rerun()
    pressed = st.button(
        "Read these columns", key=key("read_table"), width="stretch", icon=":material/table_view:", disabled=not chosen
    )
    if st.session_state.pop(_AS_BEFORE, False) or pressed:
        content, wanted = file.getvalue(), tuple(chosen)
        job = _ColumnsJob(content, wanted, person, by, layout, dict(_readings()))
        whose, groups = told[person] if person else "", tuple(told[each] for each in by)
        st.session_state[_READING] = TableReading(file.name, file.file_id, wanted, said, whose, groups, job)
        st.rerun()
    if reading is not None and reading.job.problem:
        show_problem(reading.job, key("show_where_in_table"))


def _offer_before(file: str, in_file: dict[str, str]) -> None:
    """Offer to read columns as the data set that is called like the file remembers it; `in_file`: by public names."""

    def take(before: dict[str, Reading]) -> None:
        keep_readings(readings_with({in_file[told]: reading for told, reading in before.items()}))
        st.session_state[_AS_BEFORE] = True

    now = {told: _readings().get(name, AS_WRITTEN) for told, name in in_file.items()}
    offer_as_before(name_of_file(file), now, take, kept=True)


class _ColumnsJob(FileJob):
    """Several columns of a file, the persons and the groups of their rows, and the digest of all its bytes."""

    def __init__(
        self,
        content: bytes,
        names: tuple[str, ...],
        person: str,
        by: tuple[str, ...],
        layout: Layout,
        readings: dict[str, Reading],
    ) -> None:
        self._digest = partial(digest_of_content, content)
        asked = dict.fromkeys(by)
        super().__init__(columns_and_groups_of, content, names, person, asked, layout, readings)

    def _take(
        self, steps: Callable[[], Iterable[tuple[float, Any]]], progress: Callable[[float], object], cancelled: object
    ) -> Any:
        return super()._take(steps, progress, cancelled), self._digest()


@st.fragment(run_every=POLL_SECONDS)
def _watch() -> None:
    """Show the progress of the reading twice a second."""
    reading: TableReading | None = st.session_state.get(_READING)
    if reading is None or reading.job.finished:
        st.rerun()
    progress(
        reading.job,
        f"Reading {count_in_words(len(reading.names), 'column')} of {escape(reading.file)}",
        key("cancel_table"),
    )
