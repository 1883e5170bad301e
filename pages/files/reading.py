"""From a file or pasted text to a NumberColumn: the widgets that bring it, and the job that reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import cast

import streamlit as st

from dpq_core.groups.names import GroupColumn
from dpq_core.jobs.children import report
from dpq_core.jobs.queue import Job, Stage, begin_reading, do_here, in_one_step
from dpq_core.sources.column import NumberColumn
from dpq_core.sources.files import read_rows
from dpq_core.sources.formats.known import UPLOADS, listed
from dpq_core.sources.header import public_names
from dpq_core.sources.pasted import read_pasted
from dpq_core.sources.reading import AS_WRITTEN, Opening

from .. import keys
from ..form import said as said_of
from ..form.table import key
from ..server import runs, uploads
from ..shell import links
from ..shell.header import escape
from ..shell.waiting import progress, show_problem, watch
from . import content, key_columns, layouts
from .content import KeptFile, OwnTable, ReadRequest, let_go
from .key_columns import ask_groups, ask_person, keep_groups, kept_groups

_LAST = keys.state("last_number")
"""Of all readings and uploads of the session."""
AFTER_A_RELOAD = "A reload of this page forgets the data and what you typed{}."
LONGEST_PASTE = 1_000_000
"""Characters: about a hundred thousand values."""


@dataclass(frozen=True)
class ReadingJob:
    """A request, the job that reads it, and the file to keep once it is read."""

    request: ReadRequest
    job: Job
    file: KeptFile | None = None


def brought(way: str) -> OwnTable | None:
    """Return what was brought in this way, once it is read."""
    found = held()
    return found if found is not None and _way_of(found) == way else None


def _way_of(data: OwnTable | ReadRequest) -> str:
    return "file" if data.file else "paste"


def held() -> OwnTable | None:
    """Return what was brought in any way, once it is read."""
    reading: ReadingJob | None = st.session_state.get(content.place("reading"))
    if reading is not None and reading.job.stage is Stage.DONE:
        request, job = reading.request, reading.job
        if content.count_columns(content.bytes_of(job.result)):
            digest = sha256(reading.file.content if reading.file else request.pasted.encode()).digest()
            st.session_state[content.place("brought")] = content.own_table(request, job.result, digest)
            st.session_state[key("person")] = "same" if request.person else "row"  # for links
            keep_groups(upload(), request.by)
            job.parts.clear()  # streamlit keeps the Cancel button's callback, and so the job
            st.session_state.pop(content.place("reading"))
            let_go(request.file_id)
            content.keep(reading.file)
        else:
            job.refuse(uploads.NO_ROOM)
    return cast(OwnTable | None, st.session_state.get(content.place("brought")))


def holds_other(way: str) -> bool:
    """Return whether a column was brought, or is being read, in the other way than the one that is chosen now."""
    stored: OwnTable | None = st.session_state.get(content.place("brought"))
    reading: ReadingJob | None = st.session_state.get(content.place("reading"))
    data = reading.request if stored is None and reading is not None else stored
    return data is not None and _way_of(data) != way


def forget_columns() -> None:
    """Forget the columns that were read, and not their upload: it may be read again, with what was said of it."""
    content.count_columns(0)
    reading: ReadingJob | None = st.session_state.get(content.place("reading"))
    if reading is not None:
        reading.job.cancel()
    for name in (content.place("brought"), content.place("reading")):
        st.session_state.pop(name, None)  # what is overwritten stays in memory until the next run
    _number("generation", anew=True)


def forget() -> None:
    """Forget the upload: new keys for its widgets drop its bytes, and declare nothing about the next one."""
    content.keep(None)
    forget_columns()
    st.session_state.pop(_pasted(), None)
    said_of.forget(upload())
    key_columns.forget()
    st.session_state[content.place("file_id")] = None
    _upload_of("")


def generation() -> int:
    """Return the number of this session's reading, which is part of the identity of its columns."""
    return _number("generation")


def upload() -> int:
    """Return the number of what was brought last: a file or values, however often that is read."""
    return _number("upload")


def _upload_of(source: str) -> int:
    """Return the number of an upload by the id of its file; another one has another, and nothing said before holds."""
    if st.session_state.get(content.place("file_id")) != source:
        layouts.forget()
        st.session_state[content.place("file_id")] = source
        _number("upload", anew=True)
    return upload()


def _number(what: str, *, anew: bool = False) -> int:
    """Return the number of this page's reading or upload, which no other of the session has; `anew`: another one."""
    if anew or content.place(what) not in st.session_state:
        st.session_state[_LAST] = st.session_state.get(_LAST, -1) + 1
        st.session_state[content.place(what)] = st.session_state[_LAST]
    return int(st.session_state[content.place(what)])


def keep_said(column: str, by: Sequence[str] = (), among: tuple[str, ...] = ()) -> None:
    """Let the form hold what was typed of this column, before it was read too; `by`: the columns of groups.

    `among`: as `said.keep_for`. Before the fields about it are drawn.
    """
    of_upload, identity = said_of.upload_identity(upload()), said_of.column_identity(upload(), column)
    said_of.keep_for(identity, people=of_upload, groups=f"{of_upload}:by:{list(by)}", among=among)


def _pasted() -> str:
    """Return the key of the field for values, which keeps them until they are forgotten."""
    return keys.widget("pasted", upload())


def bring(
    way: str, of_person: AbstractContextManager[object], *, with_groups: bool = False, with_more: bool = False
) -> None:
    """Draw the widgets for a file, or for pasted values.

    `of_person`: where it is asked who is one person, and then read. `with_groups`: the page can answer every group of
    a column of a file. `with_more`: it can answer several columns of one.
    """
    st.caption(AFTER_A_RELOAD.format(", but not the last answer" if links.seals() else ""))
    if way == "file":
        _upload(of_person, with_groups, with_more)
    else:
        _paste()


def _upload(of_person: AbstractContextManager[object], with_groups: bool, with_more: bool) -> None:
    uploads.grant()
    at_once = layouts.take_at_once()
    file = content.kept() or st.file_uploader(
        "File", type=UPLOADS, key=keys.widget("file", generation()),
        help=f"{listed()}. Only the columns that you choose are read, and those of ids and groups that you name.",
    )  # fmt: skip
    if file is None:
        said_of.keep_for(said_of.COMING)
        return
    number = _upload_of(file.file_id)
    if isinstance(file, KeptFile):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(f":material/description: {escape(file.name)}", width="stretch")
            label, key = "Choose another file", keys.widget("another_file")
            st.button(label, key=key, type="tertiary", on_click=_choose_another_file)
    widgets, before = f"{generation()}_{file.file_id}", tuple[str, ...]()
    if isinstance(file, KeptFile):
        widgets, before = file.widgets, file.columns
    found = layouts.find_columns(file, widgets)
    if found is None:
        said_of.keep_for(said_of.COMING)
        return
    layout, said, settings = found
    at_once = at_once and set(before) <= set(layout.names)
    of_layout = f"{generation()}_{said.header}{said.sheet}{said.encoding}"
    first = layout.names.index(before[0]) if before and before[0] in layout.names else 0
    column = str(st.selectbox("Column", layout.names, first, key=keys.widget("column_of_file", of_layout)))
    others = [name for name in layout.names if name != column]
    more = content.ask_more(keys.widget("more_columns", of_layout), others, before[1:]) if with_more else ()
    places = {name: layout.names.index(name) for name in (column, *more)}
    layouts.show_said(places, said, settings, of_layout)
    told = dict(zip(layout.names, public_names(layout.names), strict=True)) | {"": ""}
    with of_person:
        person = ask_person(number, layout.names, column, file.name * links.seals())
    others = [name for name in others if name != person]
    by = ask_groups(number, others) if with_groups else kept_groups(number, others)
    chosen = tuple(name for name in layout.names if name in (column, *more) and name not in (person, *(by or ())))
    keep_said(told[chosen[0]], [told[name] for name in by or ()])
    if person is None or by is None:
        return
    columns = {name: layouts.readings().get(name, AS_WRITTEN) for name in chosen}
    request = ReadRequest(file.name, columns, file.file_id, said, told[person], tuple(told[each] for each in by))
    keep = KeptFile.of(file, widgets, chosen)
    wanted = chosen, layout, person, dict.fromkeys(by), columns
    start = partial(begin_reading, read_rows, keep.content, *wanted, asker=runs.asker(), progress=report)
    with of_person:
        _read("Read this column" if len(chosen) == 1 else "Read these columns", request, start, keep, at_once=at_once)


def _choose_another_file() -> None:
    """Ask for another file, about which nothing is declared."""
    content.keep(None)
    if not links.seals():
        forget_columns()


def _paste() -> None:
    pasted = st.text_area(
        "Values", key=_pasted(), placeholder=f"23\n35.5\n41\n\nAt most {LONGEST_PASTE:,} characters", height=140,
        max_chars=LONGEST_PASTE, persist_state="session",
        help="One value in a line, or a list with blanks, semicolons or commas between. "
        f"At most {LONGEST_PASTE:,} characters fit in: bring more values as a file.",
    )  # fmt: skip
    keep_said("")
    at_once = layouts.take_at_once()
    layouts.show_said({"": ""}, Opening(), (), f"{upload()}")
    said = layouts.readings().get("", AS_WRITTEN)
    request = ReadRequest("", {"": said}, pasted=pasted)

    def read_text() -> tuple[list[NumberColumn], None, list[GroupColumn]]:
        return [read_pasted(pasted, reading=said)], None, []

    start = partial(do_here, in_one_step, read_text)
    _read("Read these values", request, start, at_once=at_once)


def _read(
    label: str, request: ReadRequest, start: Callable[[], Job], keep: KeptFile | None = None, *, at_once: bool = False
) -> None:
    """Draw the button that starts to read; while reading, the progress; after a failure, what is wrong.

    `keep`: the file, which is kept once it is read. `at_once`: whether it is read without a press.
    """
    reading: ReadingJob | None = st.session_state.get(content.place("reading"))
    if reading is not None and not reading.job.finished:
        job, many = reading.job, len(reading.request.columns)
        doing = "Reading the column" if many == 1 else f"Reading {many:,} columns"
        watch(
            lambda: job.finished or st.session_state.get(content.place("reading")) is not reading,
            partial(progress, job, doing, keys.widget("cancel")),
        )
        return
    taken: OwnTable | None = st.session_state.get(content.place("brought"))
    if reading.job.stage is Stage.DONE if reading is not None else taken is not None and taken.columns:
        st.rerun()  # it ended since the page looked what was brought, which has to look again
    pressed = st.button(label, key=keys.widget("read"), width="stretch", icon=":material/table_view:")
    if at_once or pressed:
        st.session_state[content.place("reading")] = ReadingJob(request, start(), keep)
        st.rerun()
    if reading is not None and reading.request == request and reading.job.problem:
        show_problem(reading.job, keys.widget("show_where"))
