"""One column of a database, with those of persons and of groups: SQLite, PostgreSQL, whatever SQLAlchemy opens.

    database = Database("postgresql://reader@host/clinic", table="visits")     or query="SELECT ..."
    counted = database.counts("minutes")                    SELECT value, COUNT(*) ... GROUP BY value
    sample = Sample.from_counts(counted.values, counted.counts, domain)
    rows = database.rows("minutes", person="patient", group="ward")

Values come as the database holds them and are encoded here: numbers and decimals exactly, dates as days, durations as
seconds, text by the rule for files. Nothing is written: transactions only read, and are rolled back. Names are quoted
as identifiers, and must be among the columns. Errors name neither the address nor a value.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sql
from numpy.typing import NDArray

from ...arrays import Floats, Integers
from ...errors import DataError, Disclosure, ParameterError
from ...people import People
from ..column import Column, check_rows, make_column, only_clear_errors
from ..header import find_column, public_names
from .cells import read_cells

ROWS_AT_ONCE = 1 << 16
DRIVERS = {"postgresql": "postgresql+psycopg"}
"""Of kinds of databases whose usual driver is not the one that comes with this package."""
NOT_READ = "The database cannot be read: it is out of reach, or it refuses the table, the query or its user."


class Counts(NamedTuple):
    """The different values of a column, NaN where one is missing, and how many rows hold each."""

    column: Column
    counts: Integers

    @property
    def values(self) -> Floats:
        """Return the different values; private."""
        return self.column.values


class Rows(NamedTuple):
    """A column row by row, in the order of its values, with the persons and the groups behind the rows."""

    column: Column
    people: People | None
    groups: NDArray[np.object_] | None


_clearly = partial(only_clear_errors, otherwise=NOT_READ)


@dataclass(frozen=True)
class Database:
    """A table, or the rows of a query, of the database at a URL of SQLAlchemy's."""

    url: str = field(repr=False)
    table: str | None = None
    """Its name, or "schema.table"."""
    query: str | None = None
    """One SELECT, in place of a table."""

    def __post_init__(self) -> None:
        if (self.table is None) is (self.query is None):
            raise ParameterError("table", "must be given, or else a query.")
        if self.query is not None and ";" in self.query.strip().rstrip(";"):
            raise ParameterError("query", "must be one SELECT, without a semicolon.")

    @_clearly
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns. Raises DataError."""
        with self._reading() as connection:
            return self._columns(connection)

    @_clearly
    def counts(self, column: str) -> Counts:
        """Return each value of a column once with its number of rows, by one query; memory grows with the values.

        Raises ParameterError (name "column"), DataError.
        """
        with self._reading() as connection:
            names, label = self._named(connection, [column])
            value = names[0]
            query = sql.select(value, sql.func.count()).select_from(self._source()).group_by(value)
            cells, counts = [], list[int]()
            for part in _parts(connection, query):
                cells.append([row[0] for row in part])
                counts += [row[1] for row in part]
                check_rows(len(counts))
        return Counts(make_column(label, read_cells(cells)), np.array(counts, np.int64))

    @_clearly
    def rows(self, column: str, *, person: str | None = None, group: str | None = None) -> Rows:
        """Return a column row by row, and the persons and groups behind the rows; ids are compared and forgotten.

        Rows of a database have no order of their own, so they come sorted by value: what is taken of a person's rows
        depends on these alone, but the first and the last are the least and the largest. Raises ParameterError (name
        "column"), DataError.
        """
        asked = [name for name in (column, person, group) if name is not None]
        cells, ids, labels, rows = [], _Codes(), _Codes(), 0
        with self._reading() as connection:
            names, label = self._named(connection, asked)
            for part in _parts(connection, sql.select(*names).select_from(self._source())):
                columns = [[row[at] for row in part] for at in range(len(names))]
                cells.append(columns[0])
                if person is not None:
                    ids.add(columns[1])
                if group is not None:
                    labels.add(columns[-1])
                rows += len(part)
                check_rows(rows)
        values = read_cells(cells)
        order = np.argsort(values.numbers, kind="stable")
        found = make_column(label, values._replace(numbers=values.numbers[order]))
        people = None if person is None else People.of(ids.numbers()[order])
        return Rows(found, people, None if group is None else labels.objects()[order])

    def identity(self) -> str:
        """Return what tells this table or query from others, without user and password."""
        url = sql.make_url(self.url)
        where = url.database if url.host is None else f"{url.host}:{url.port}/{url.database}"
        return f"{url.get_backend_name()}:{where}:{self.table or self.query}"

    @contextmanager
    def _reading(self) -> Iterator[sql.Connection]:
        """Open a connection that only reads."""
        url = sql.make_url(self.url)
        kind = url.get_backend_name()
        if url.drivername in DRIVERS:
            url = url.set(drivername=DRIVERS[url.drivername])
        if kind == "sqlite" and not Path(url.database or "").is_file():
            raise DataError(NOT_READ, discloses=Disclosure.FORMAT)  # SQLite would make one
        engine = sql.create_engine(url, poolclass=sql.NullPool, hide_parameters=True)
        try:
            with engine.connect() as connection:
                if kind == "postgresql":
                    connection = connection.execution_options(postgresql_readonly=True)
                if kind == "sqlite":
                    connection.exec_driver_sql("PRAGMA query_only = ON")
                yield connection
                connection.rollback()
        finally:
            engine.dispose()

    def _source(self) -> sql.FromClause | sql.TextClause:
        if self.table is not None:
            schema, _, name = self.table.rpartition(".")
            return sql.table(_quoted(name), schema=_quoted(schema) if schema else None)
        query = (self.query or "").strip().rstrip(";").replace(":", r"\:")  # ":" begins a parameter
        return sql.text(f"({query}\n) AS dpq_rows")

    def _columns(self, connection: sql.Connection) -> tuple[str, ...]:
        none = sql.select(sql.text("*")).select_from(self._source()).where(sql.text("1 = 0"))
        return tuple(connection.execute(none).keys())

    def _named(self, connection: sql.Connection, asked: Sequence[str]) -> tuple[list[sql.ColumnClause[Any]], str]:
        """Return columns by their names, and the first one's name as it may be told. Raises ParameterError."""
        there = self._columns(connection)
        found = [find_column(name, there) for name in asked]
        return [sql.column(_quoted(there[index])) for index, _ in found], public_names(there)[found[0][0]]


class _Codes:
    """Ids or names of groups that come in batches, each stored once."""

    def __init__(self) -> None:
        self._known: dict[Hashable, int] = {}
        self._parts: list[NDArray[np.int32]] = []

    def add(self, cells: Sequence[Hashable]) -> None:
        """Add the next rows; texts are compared without outer blanks, and None, NaN and blank ones are missing."""
        plain = [cell.strip() or None if isinstance(cell, str) else cell for cell in cells]
        codes = [
            -1 if cell is None or cell != cell else self._known.setdefault(cell, len(self._known)) for cell in plain
        ]
        self._parts.append(np.array(codes, np.int32))

    def numbers(self) -> Floats:
        """Return a number for each row, the same for the same id, NaN where it is missing."""
        codes = self._codes().astype(np.float64)
        codes[codes < 0] = np.nan
        return codes

    def objects(self) -> NDArray[np.object_]:
        """Return the object itself for each row, None where it is missing."""
        return np.array([*self._known, None], dtype=object)[self._codes()]

    def _codes(self) -> NDArray[np.int32]:
        return np.concatenate([np.empty(0, np.int32), *self._parts])


def _quoted(name: str) -> sql.quoted_name:
    return sql.quoted_name(name, quote=True)


def _parts(connection: sql.Connection, query: sql.Select[Any]) -> Iterator[Sequence[Any]]:
    streamed = connection.execution_options(stream_results=True, yield_per=ROWS_AT_ONCE)
    yield from streamed.execute(query).partitions()
