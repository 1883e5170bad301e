"""From a database of the server to a column: which one, which column, whose rows, and the work that reads them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import streamlit as st

from ...errors import ParameterError
from ...people import People
from ...sources.column import Column
from ..server import databases
from ..server.databases import ServerSource
from ..settings import PREFIX, key
from ..shell import complain
from .persons import ask_person

_COLUMNS = f"{PREFIX}:database_columns"


class ColumnOf(NamedTuple):
    """A column of a source, and the one of ids; empty where every row is somebody else."""

    source: ServerSource
    column: str
    person: str


def choose_column(generation: int) -> ColumnOf | None:
    """Ask for a source and its columns by label and name; None while one cannot be read."""
    try:
        offered = databases.sources()
    except ParameterError as error:
        complain(str(error))
        return None
    source = offered[st.selectbox("Database", list(offered), key=f"{key('database')}_{generation}")]
    names = _columns_of(source)
    if isinstance(names, str):
        complain(names)
        return None
    column = str(st.selectbox("Column", names, key=f"{key('column')}_{generation}_{source.label}"))
    return ColumnOf(source, column, ask_person(f"{key('person_column')}_{generation}_{source.label}", names, column))


def forget_columns() -> None:
    """Forget the names of columns, to ask the database again."""
    st.session_state.pop(_COLUMNS, None)


def _columns_of(source: ServerSource) -> tuple[str, ...] | str:
    """Return the names of the columns, or why there are none; asked once for each source."""
    stored: tuple[str, tuple[str, ...]] | None = st.session_state.get(_COLUMNS)
    if stored is None or stored[0] != source.label:
        try:
            with st.spinner("Looking into the database …"):
                stored = st.session_state[_COLUMNS] = (source.label, source.database.columns())
        except ValueError as error:
            return str(error)
    return stored[1]


def read_column(
    chosen: ColumnOf, progress: Callable[[float], object], cancelled: Callable[[], bool]
) -> tuple[tuple[Column, People | None, None], bytes]:
    """Return the column, the persons behind its rows, no groups, and the digest of what the table is called.

    Without persons the database counts, and values come as often as they are there.
    """
    from ...ledger import digest_of

    database = chosen.source.database
    digest = digest_of(database.identity().encode())
    if chosen.person:
        rows = database.rows(chosen.column, person=chosen.person)
        return (rows.column, rows.people, None), digest
    found = database.counts(chosen.column)
    values = np.repeat(found.values, found.counts)
    values.flags.writeable = False
    return (replace(found.column, values=values, rows=values.size), None, None), digest
