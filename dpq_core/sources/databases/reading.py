"""One column of a database, with those of persons and of groups: SQLite, PostgreSQL, and others that SQLAlchemy opens.

    database = Database("postgresql://reader@host/clinic", table="visits")     or query="SELECT ..."
    rows = database.rows("minutes", person="patient", group="ward")

Values come as the database holds them and are encoded here: numbers and decimals exactly, dates as days, durations as
seconds, text by the rule for files. Nothing is written: transactions only read, and are rolled back. Names are quoted
as identifiers, and must be among the columns. Errors name neither the address nor a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sql

from ...errors import DataError, Disclosure, ParameterError
from ...groups.names import GroupColumn
from ...people.ids import People
from ..column import Column, check_rows, make_column, only_clear_errors
from ..header import find_column, public_names
from ..reading import AS_WRITTEN, Reading
from .codes import Codes, group_name, person_id, read_cells

ROWS_AT_ONCE = 1 << 16
DRIVERS = {"postgresql": "postgresql+psycopg"}
"""Of kinds of databases whose usual driver is not the one that comes with this package."""
MOST_SECONDS, LOCK_SECONDS = 300, 8
"""How long the database may work on one statement, and wait for a table that another program has locked."""
STEPS_AT_ONCE = 100_000
"""Of SQLite's machine, between two looks at the clock."""
NOT_READ = (
    "The database cannot be read: it is out of reach, it refuses the table, the query or its user, the table is "
    f"locked, or the query takes longer than {MOST_SECONDS // 60} minutes."
)


class Rows(NamedTuple):
    """A column row by row, in the order of its values, with the persons and the groups behind the rows."""

    column: Column
    people: People | None
    groups: GroupColumn | None


class _Read(NamedTuple):
    """The result of a query: cells, ids and groups of rows."""

    label: str
    cells: list[list[Any]]
    ids: Codes
    groups: Codes


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
    def rows(
        self, column: str, *, person: str | None = None, group: str | None = None, reading: Reading = AS_WRITTEN
    ) -> Rows:
        """Return a column row by row, and the persons and groups behind the rows; ids are compared and forgotten.

        reading: what is known of how the cells are written, as for `files.read_column`.

        Groups are texts, as those of files. Rows of a database have no order of their own, so they come sorted by
        value: what is taken of a person's rows depends on these alone, but the first and the last are the least and
        the largest. Raises ParameterError (name "column"), DataError.
        """
        with self._reading() as connection:
            read = self._read(connection, column, person, group)
        values = read_cells(read.cells, reading)
        order = np.argsort(values.numbers, kind="stable")
        found = make_column(read.label, values._replace(numbers=values.numbers[order]))
        people = None if person is None else People.of(read.ids.numbers()[order]).of_column(person)
        return Rows(found, people, None if group is None else read.groups.groups(order))

    def identity(self) -> str:
        """Return what identifies this table or query, without user and password."""
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
                _limit_time(connection)
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

    def _read(self, connection: sql.Connection, column: str, person: str | None, group: str | None) -> _Read:
        """Return the rows of a query. Raises ParameterError, DataError."""
        asked = [name for name in (column, person, group) if name is not None]
        names, label = self._named(connection, asked)
        query, rows = sql.select(*names).select_from(self._source()), 0
        read = _Read(label, [], Codes(person_id), Codes(group_name))
        streamed = connection.execution_options(stream_results=True, yield_per=ROWS_AT_ONCE)
        with streamed.execute(query) as found:
            for part in found.partitions():
                rows += len(part)
                check_rows(rows)
                columns = list(zip(*part, strict=True))
                read.cells.append(list(columns[0]))
                if person is not None:
                    read.ids.add(columns[1])
                if group is not None:
                    read.groups.add(columns[-1])
        return read

    def _columns(self, connection: sql.Connection) -> tuple[str, ...]:
        none = sql.select(sql.text("*")).select_from(self._source()).where(sql.text("1 = 0"))
        return tuple(connection.execute(none).keys())

    def _named(self, connection: sql.Connection, asked: Sequence[str]) -> tuple[list[sql.ColumnClause[Any]], str]:
        """Return columns by their names, and the first one's name as it may be shown. Raises ParameterError."""
        there = self._columns(connection)
        found = [find_column(name, there) for name in asked]
        return [sql.column(_quoted(there[index])) for index, _ in found], public_names(there)[found[0][0]]


def _limit_time(connection: sql.Connection) -> None:
    """Let statements of this connection end after MOST_SECONDS, and where the server can, as soon as nobody waits."""
    kind, version = connection.dialect.name, connection.dialect.server_version_info or (0,)
    if kind == "postgresql":
        limits = {"statement_timeout": MOST_SECONDS, "lock_timeout": LOCK_SECONDS}
        if version >= (14,):
            limits["client_connection_check_interval"] = 1
        for name, seconds in limits.items():
            connection.exec_driver_sql(f"SET LOCAL {name} = '{seconds}s'")
    if kind == "sqlite":
        driver, until = connection.connection.driver_connection, monotonic() + MOST_SECONDS
        assert driver is not None, "the connection is open"
        driver.set_progress_handler(lambda: monotonic() > until, STEPS_AT_ONCE)


def _quoted(name: str) -> sql.quoted_name:
    return sql.quoted_name(name, quote=True)
