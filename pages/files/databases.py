"""From a database of the server to a column: which one, whose rows, which groups, and the work that reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from dpq_core.errors import ParameterError
from dpq_core.jobs.children import BoundSteps
from dpq_core.jobs.databases import DatabaseJob
from dpq_core.progress import Progress

from .. import keys
from ..frame.header import complain
from ..server import databases, turns
from ..server.databases import ServerSource
from .key_columns import ask_group, ask_person, kept_group

_COLUMNS = keys.state("database_columns")


class ColumnOf(NamedTuple):
    """A column of a source, and those of ids and of groups; empty where there is none."""

    source: ServerSource
    column: str
    person: str
    group: str


def choose_column(upload_of: Callable[[str], int], *, with_groups: bool) -> ColumnOf | None:
    """Ask for a source and its columns by label and name; None while one cannot be read.

    `upload_of`: gives the number of what is brought from a source.
    """
    try:
        offered = databases.sources()
    except ParameterError as error:
        complain(str(error))
        return None
    source = offered[st.selectbox("Database", list(offered), key=keys.widget("database"), persist_state="session")]
    names = _columns_of(source)
    if isinstance(names, str):
        complain(names)
        return None
    upload = upload_of(source.label)
    widget = keys.widget("column_of_database", upload)
    column = str(st.selectbox("Column", names, key=widget, persist_state="session"))
    person = ask_person(upload, names, column, "" if source.public else source.label)
    others = [name for name in names if name not in (column, person)]
    by = ask_group(upload, others) if with_groups else kept_group(upload, others)
    if person is None or by is None:
        return None
    return ColumnOf(source, column, person, "".join(by))


def forget_columns() -> None:
    """Forget the names of columns, to ask the database again."""
    st.session_state.pop(_COLUMNS, None)


def _columns_of(source: ServerSource) -> tuple[str, ...] | str:
    """Return the names of the columns, or why there are none; asked once for each source."""
    stored: tuple[str, tuple[str, ...]] | None = st.session_state.get(_COLUMNS)
    if stored is None or stored[0] != source.label:
        try:
            with st.spinner("Looking into the database …"), turns.waiting():
                stored = st.session_state[_COLUMNS] = (source.label, source.names())
        except ValueError as error:
            return str(error)
    return stored[1]


class ReadJob(DatabaseJob):
    """A column of a source, the persons behind its rows and their groups, and the digest of its table's name."""

    def __init__(self, chosen: ColumnOf) -> None:
        self._chosen = chosen
        super().__init__(chosen.source.database, chosen.column, chosen.person, chosen.group)

    def _take(self, steps: BoundSteps, progress: Progress, cancelled: object) -> Any:
        from dpq_core.ledger.fingerprints import digest_of

        source = self._chosen.source
        source.check(self._chosen.column, self._chosen.person, self._chosen.group)
        return super()._take(steps, progress, cancelled), digest_of(source.database.identity().encode())
