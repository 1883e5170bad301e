"""From a file or pasted text to a Column: the widgets that bring it, and the job that reads it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, cast

import streamlit as st

from dpq_core.groups.cells import ANY_NAME, PossibleNames
from dpq_core.groups.names import GroupColumn
from dpq_core.jobs.line import Job, Queue, Stage, asked_by
from dpq_core.results.sealed import SealedColumn
from dpq_core.sources.column import Column, Kind
from dpq_core.sources.formats.known import UPLOADS, listed
from dpq_core.sources.header import public_names
from dpq_core.sources.reading import AS_WRITTEN, Reading
from dpq_core.sources.readings.forms import describe

from .. import keys
from ..frame.header import escape
from ..frame.waiting import POLL_SECONDS, progress, show_problem
from ..server import turns, uploads
from ..settings.said import forget as forget_said
from . import content, key_columns, layouts, tables
from .content import KeptFile, let_go
from .key_columns import ask_group, ask_groups, ask_person, keep_groups, keep_person, kept_group
from .layouts import NOTHING_SAID, SaidOfFile
from .tables import OwnTable

if TYPE_CHECKING:
    pass

_BROUGHT = keys.state("brought")
_READING = keys.state("reading")
_GENERATION = keys.state("generation")
_UPLOAD, _FILE = keys.state("upload"), keys.state("upload_file")
"""The number of what was brought last, and the id of its file."""
AFTER_A_RELOAD = "A reload of this page forgets the data and what you typed. Released answers stay in the report."
LONGEST_PASTE = 1_000_000
"""Characters: about a hundred thousand values."""
READ = ("Read this column", "Read these two columns", "Read these three columns")
READ_SEVERAL = "Read these columns"


@dataclass(frozen=True)
class ReadRequest:
    """What is to be read: one or several columns of a file, or a pasted text (then `file` is empty)."""

    file: str
    column: str
    file_id: str
    said: SaidOfFile = NOTHING_SAID
    """The answers without which it could not be read."""
    person: str = ""
    """The name of the column of ids, as it may be shown; empty where every row is a different person."""
    group: str = ""
    """The same of the column of groups; empty where there is one answer for all."""
    columns: tuple[str, ...] = ()
    """The names of all columns, where there are several."""
    by: tuple[str, ...] = ()
    """The names, as they may be told, of the columns of their groups."""
    readings: Mapping[str, Reading] = field(default_factory=dict)
    """What was said of how several columns are written."""

    @property
    def way(self) -> str:
        """Return which choice among the data this is of."""
        return "file" if self.file else "paste"


@dataclass(frozen=True)
class OwnColumn:
    """A column of the visitor's own: its file (empty for pasted values), and what its header and its cells say."""

    file: str
    name: str
    kind: Kind
    unit: str
    column: SealedColumn = field(repr=False)
    said: SaidOfFile
    """What had to be said so that it could be read."""
    person: str = ""
    """The name of the column of ids, where it was read as well."""
    group: str = ""
    """The name of the column of groups, where it was read as well."""
    group_holds: PossibleNames = ANY_NAME
    """What its cells are by their types."""
    way: str = "file"
    """Which choice among the data it is of."""
    written: str = ""
    """How its cells were read, in a sentence."""
    of_table: bool = False
    """Whether it was brought with other columns."""
    in_file: str = ""
    """Its name in the list of columns."""


@dataclass(frozen=True)
class ReadingJob:
    """A request, the job that reads it, and the file to keep once it is read."""

    request: ReadRequest
    job: Job
    file: KeptFile | None = None


def brought(way: str) -> OwnColumn | None:
    """Return the column that was brought in this way, once it is read; None where several were."""
    found = held()
    return found if isinstance(found, OwnColumn) and found.way == way else None


def brought_table(way: str) -> OwnTable | None:
    """Return the columns that were brought in this way, once they are read; None where it is one."""
    found = held()
    return found if isinstance(found, OwnTable) and found.way == way else None


def held() -> OwnColumn | OwnTable | None:
    """Return what was brought in any way, once it is read."""
    reading: ReadingJob | None = st.session_state.get(_READING)
    if reading is not None and reading.job.stage is Stage.DONE and _has_room(reading.job):
        request, result = reading.request, reading.job.result
        st.session_state[_BROUGHT] = _own_table(request, result) if request.columns else _own_column(request, result)
        keep_person(request.person)
        keep_groups(upload(), request.by or ((request.group,) if request.group else ()))
        reading.job.result = None  # streamlit keeps the Cancel button's callback, and so the job
        st.session_state.pop(_READING)
        let_go(request.file_id)
        content.keep(reading.file)
    return cast(OwnColumn | OwnTable | None, st.session_state.get(_BROUGHT))


def _has_room(job: Job) -> bool:
    """Count what a job has read as held by this session; let go of it where there is no room."""
    if not uploads.count_columns(content.bytes_of(job.result)):
        job.refuse(uploads.NO_ROOM)
    return not job.problem


def _own_column(request: ReadRequest, result: Any) -> OwnColumn:
    ((column,), people, groups), digest = result
    sealed = SealedColumn(column.values, digest, people, tuple(groups))
    return OwnColumn(
        request.file, column.name, column.kind, column.unit, sealed, request.said, request.person,
        request.group, groups[0].possible if groups else ANY_NAME, request.way,
        describe(column), in_file=request.column if request.file else "",
    )  # fmt: skip


def _own_table(request: ReadRequest, result: Any) -> OwnTable:
    read = {name: request.readings.get(name, AS_WRITTEN) for name in request.columns}
    return tables.own_table(result, request.file, read, request.said, request.person, request.by)


def column_of(own: OwnTable, at: int) -> OwnColumn:
    """Return one of several columns that were brought together."""
    read, said = own.columns[at], replace(own.said, reading=own.columns[at].said)
    name, holds = own.by[0] if len(own.by) == 1 else ("", ANY_NAME)
    return OwnColumn(
        own.file, read.name, read.kind, read.unit, read.column, said, own.person, name, holds,
        written=read.written, of_table=True, in_file=read.in_file,
    )  # fmt: skip


def holds_other(way: str) -> bool:
    """Return whether a column was brought, or is being read, in the other way than the one that is chosen now."""
    stored: OwnColumn | OwnTable | None = st.session_state.get(_BROUGHT)
    reading: ReadingJob | None = st.session_state.get(_READING)
    ways = [stored.way] if stored else [reading.request.way] if reading else []
    return any(other != way for other in ways)


def forget_columns() -> None:
    """Forget the columns that were read, and not their upload: it may be read again, with what was said of it."""
    uploads.count_columns(0)
    reading: ReadingJob | None = st.session_state.get(_READING)
    if reading is not None:
        reading.job.cancel()
    for name in (_BROUGHT, _READING):
        st.session_state.pop(name, None)  # what is overwritten stays in memory until the next run
    st.session_state[_GENERATION] = generation() + 1


def forget() -> None:
    """Forget the upload: new keys for its widgets drop its bytes, and declare nothing about the next one."""
    content.keep(None)
    forget_columns()
    st.session_state.pop(_pasted(), None)
    forget_said(upload())
    key_columns.forget()
    st.session_state[_FILE] = None
    _upload_of("")


def generation() -> int:
    """Return the number of this session's reading, which is part of the identity of its columns."""
    return int(st.session_state.get(_GENERATION, 0))


def upload() -> int:
    """Return the number of what was brought last: a file or values, however often that is read."""
    return int(st.session_state.get(_UPLOAD, 0))


def _upload_of(source: str) -> int:
    """Return the number of an upload by the id of its file; another one has another, and nothing said before holds."""
    if st.session_state.get(_FILE) != source:
        layouts.forget()
        st.session_state[_FILE] = source
        st.session_state[_UPLOAD] = upload() + 1
    return upload()


def _pasted() -> str:
    """Return the key of the field for values, which keeps them until they are forgotten."""
    return keys.widget("pasted", upload())


def bring(
    way: str, of_person: AbstractContextManager[object], *, with_groups: bool = False, with_more: bool = False,
    to_release: bool = True,
) -> None:  # fmt: skip
    """Draw the widgets for a file, or for pasted values.

    `of_person`: where it is asked who is one person, and then read. `with_groups`: the page can answer every group of
    a column of a file. `with_more`: it can answer several columns of one. `to_release`: whether it is asked for private
    answers, as far as was said.
    """
    st.caption(AFTER_A_RELOAD)
    if way == "file":
        _upload(of_person, with_groups, with_more, to_release)
    else:
        _paste()


def _upload(of_person: AbstractContextManager[object], with_groups: bool, with_more: bool, to_release: bool) -> None:
    uploads.grant()
    at_once = layouts.take_at_once()
    file = content.kept() or st.file_uploader(
        "File", type=UPLOADS, key=keys.widget("file", generation()),
        help=f"{listed()}. Only the columns that you choose are read, and those of ids and groups that you name.",
    )  # fmt: skip
    if file is None:
        return
    number = _upload_of(file.file_id)
    if isinstance(file, KeptFile):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(f":material/description: {escape(file.name)}", width="stretch")
            st.button(
                "Choose another file",
                key=keys.widget("another_file"),
                type="tertiary",
                on_click=content.keep,
                args=(None,),
            )
    widgets, before = f"{generation()}_{file.file_id}", tuple[str, ...]()
    if isinstance(file, KeptFile):
        widgets, before = file.widgets, file.columns
    found = layouts.find_columns(file, widgets)
    if found is None:
        return
    layout, said, settings = found
    at_once = at_once and set(before) <= set(layout.names)
    of_layout = f"{generation()}_{said.header}{said.sheet}{said.encoding}"
    first = layout.names.index(before[0]) if before and before[0] in layout.names else 0
    column = str(st.selectbox("Column", layout.names, first, key=keys.widget("column_of_file", of_layout)))
    others = [name for name in layout.names if name != column]
    more = tables.ask_more(keys.widget("more_columns", of_layout), others, before[1:]) if with_more else ()
    places = {name: layout.names.index(name) for name in (column, *more)}
    said = layouts.show_said(places, said, settings, of_layout)
    told = dict(zip(layout.names, public_names(layout.names), strict=True)) | {"": ""}
    with of_person:
        person = ask_person(number, layout.names, column, file.name * to_release)
    others = [name for name in others if name != person]
    if set(more) - {person}:
        by = ask_groups(number, others)
        if person is None or by is None:
            return
        chosen = tuple(name for name in layout.names if name in (column, *more) and name not in (person, *by))
        request = ReadRequest(
            file.name, column, file.file_id, said, told[person], columns=chosen, by=tuple(told[each] for each in by),
            readings=dict(layouts.readings()),
        )  # fmt: skip
        with of_person:
            keep = KeptFile.of(file, widgets, chosen)
            start: Callable[[], Job] = partial(
                tables.ColumnsJob, keep.content, chosen, person, by, layout, request.readings
            )
            _read(READ_SEVERAL, request, start, keep, at_once=at_once)
        return
    by = ask_group(number, others) if with_groups else kept_group(number, others)
    if person is None or by is None:
        return
    group = "".join(by)
    request = ReadRequest(file.name, column, file.file_id, said, told[person], told[group])
    with of_person:
        keep = KeptFile.of(file, widgets, (column,))
        start = partial(tables.ColumnsJob, keep.content, (column,), person, by, layout, {column: said.reading})
        _read(READ[bool(person) + bool(group)], request, start, keep, at_once=at_once)


def _paste() -> None:
    pasted = st.text_area(
        "Values", key=_pasted(), placeholder=f"23\n35.5\n41\n\nAt most {LONGEST_PASTE:,} characters", height=140,
        max_chars=LONGEST_PASTE, persist_state="session",
        help="One value in a line, or a list with blanks, semicolons or commas between. "
        f"At most {LONGEST_PASTE:,} characters fit in: bring more values as a file.",
    )  # fmt: skip
    at_once, said = layouts.take_at_once(), layouts.show_said({"": ""}, NOTHING_SAID, (), f"{upload()}")
    request = ReadRequest("", pasted, "", said)
    start = partial(PasteJob, partial(_read_text, pasted, said.reading))
    _read("Read these values", request, start, at_once=at_once)


def _read(
    label: str, request: ReadRequest, start: Callable[[], Job], keep: KeptFile | None = None, *, at_once: bool = False
) -> None:
    """Draw the button that starts to read; while reading, the progress; after a failure, what is wrong.

    `keep`: the file, which is kept once it is read. `at_once`: whether it is read without a press.
    """
    reading: ReadingJob | None = st.session_state.get(_READING)
    if reading is not None and not reading.job.finished:
        _watch()
        return
    if _ended_meanwhile(reading):  # since the page looked what was brought: it has to look again
        st.rerun()
    pressed = st.button(label, key=keys.widget("read"), width="stretch", icon=":material/table_view:")
    if at_once or pressed:
        with asked_by(turns.asker()):
            st.session_state[_READING] = ReadingJob(request, start(), keep)
        st.rerun()
    if reading is not None and reading.request == request and reading.job.problem:
        show_problem(reading.job, keys.widget("show_where"))


def _ended_meanwhile(reading: ReadingJob | None) -> bool:
    """Return whether the reading ended in this run of the page, also where its columns were taken already."""
    if reading is not None:
        return reading.job.stage is Stage.DONE
    taken: OwnColumn | OwnTable | None = st.session_state.get(_BROUGHT)
    return isinstance(taken, OwnColumn) or (taken is not None and bool(taken.columns))


class PasteJob(Job):
    """A reading of pasted values, in a queue of its own: nothing else that takes long holds it up."""

    queue: ClassVar[Queue] = Queue(os.cpu_count() or 1)


def _read_text(
    pasted: str, reading: Reading, progress: Callable[[float], object], cancelled: Callable[[], bool]
) -> tuple[tuple[list[Column], None, list[GroupColumn]], bytes]:
    from dpq_core.ledger.fingerprints import digest_of
    from dpq_core.sources.files import read_pasted

    return ([read_pasted(pasted, reading=reading)], None, []), digest_of(pasted.encode())


@st.fragment(run_every=POLL_SECONDS)
def _watch() -> None:
    """Show the progress of the reading twice a second, while everything else on the page stays usable."""
    reading: ReadingJob | None = st.session_state.get(_READING)
    if reading is None or reading.job.finished:
        st.rerun()
    many = len(reading.request.columns)
    progress(reading.job, f"Reading {many:,} columns" if many else "Reading the column", keys.widget("cancel"))
