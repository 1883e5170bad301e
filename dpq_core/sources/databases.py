"""Columns of a database, with those of persons and of groups: SQLite, PostgreSQL, and others that SQLAlchemy opens.

    database = Database("postgresql://reader@host/clinic", table="visits")     or query="SELECT ..."
    rows = database.rows(["minutes"], person="patient", by=["ward"])

Cells mean what those of Parquet files mean. All of a column are of one kind, as databases with types have it; other
columns, which SQLite may hold, are refused: Arrow takes a text and the same bytes for one cell, and cuts a moment to
its day. Nothing is written: transactions only read, and are rolled back. Errors
name neither the address nor a value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa
import sqlalchemy as sql

from ..errors import DataError, Disclosure, ParameterError
from ..values import as_arrow
from .column import NumberColumn, check_rows, only_clear_errors
from .formats.reader import ArrowTable, Layout, Opening
from .header import find_columns
from .reading import Reading
from .rows import Rows, rows_of

ROWS_AT_ONCE = 1 << 16
DRIVERS = {"postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
"""Of kinds of databases whose usual driver is not the one that comes with this package."""
MOST_SECONDS, LOCK_SECONDS = 300, 8
"""How long the database may work on one statement, and wait for a table that another program has locked."""
STEPS_AT_ONCE = 100_000
"""Of SQLite's machine, between two looks at the clock."""
NOT_READ = (
    "The database cannot be read: it is out of reach, it refuses the table, the query or its user, the table is "
    f"locked, or the query takes longer than {MOST_SECONDS // 60} minutes."
)

SEVERAL = (
    "The column holds lists, cells of several kinds or time zones, or numbers of too many digits; choose another "
    "column, or cast it in a query."
)


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

    @partial(only_clear_errors, otherwise=NOT_READ)
    def rows(
        self, columns: Sequence[str], *, person: str | None = None, by: Sequence[str] = (),
        readings: Mapping[str, Reading] | None = None,
    ) -> Rows[NumberColumn]:  # fmt: skip
        """Return columns row by row, and the persons and groups behind the rows, as `files.read_rows`.

        Groups are texts, as those of files. Rows of a database have no order of their own, so they come sorted by
        value: what is taken of a person's rows depends on these alone, but the first and the last are the least and
        the largest. Raises ParameterError (name "column"), DataError.
        """
        with self._reading() as connection:
            none = sql.select(sql.text("*")).select_from(self._source()).where(sql.text("1 = 0"))
            names = tuple(connection.execute(none).keys())
            asked = find_columns([*columns, *by, *([person] if person else ())], names)
            rows = self._read(connection, {at: names[at] for at, _ in asked})
        layout = Layout(names, said=Opening(fill_down=False))
        found = rows_of(ArrowTable(rows), columns, layout, person or "", dict.fromkeys(by), readings).readable()
        return found.in_order(np.lexsort([each.values for each in reversed(found.columns)]))

    def identity(self) -> str:
        """Return what identifies this table or query, without user and password."""
        url = _address(self.url)
        where = url.database if url.host is None else f"{url.host}:{url.port}/{url.database}"
        return f"{url.get_backend_name()}:{where}:{self.table or self.query}"

    @contextmanager
    def _reading(self) -> Iterator[sql.Connection]:
        """Open a connection that only reads, and whose statements end after MOST_SECONDS."""
        url = _address(self.url)
        kind = url.get_backend_name()
        if kind == "sqlite" and not Path(url.database or "").is_file():
            raise DataError(NOT_READ, discloses=Disclosure.FORMAT)  # SQLite would make one
        engine = sql.create_engine(url, poolclass=sql.NullPool, hide_parameters=True)
        try:
            with engine.connect() as connection:
                if kind == "postgresql":
                    connection = connection.execution_options(postgresql_readonly=True)
                    limits = {"statement_timeout": MOST_SECONDS, "lock_timeout": LOCK_SECONDS}
                    if (connection.dialect.server_version_info or (0,)) >= (14,):
                        limits["client_connection_check_interval"] = 1  # it ends a statement as soon as nobody waits
                    for name, seconds in limits.items():
                        connection.exec_driver_sql(f"SET LOCAL {name} = '{seconds}s'")
                if kind == "sqlite":
                    connection.exec_driver_sql("PRAGMA query_only = ON")
                    driver, until = connection.connection.driver_connection, monotonic() + MOST_SECONDS
                    assert driver is not None, "the connection is open"
                    driver.set_progress_handler(lambda: monotonic() > until, STEPS_AT_ONCE)
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

    def _read(self, connection: sql.Connection, names: Mapping[int, str]) -> pa.Table:
        """Return all rows of columns, which are called by their places. Raises DataError."""
        labelled: list[Any] = [sql.column(_quoted(name)).label(f"c{at}") for at, name in names.items()]
        streamed = connection.execution_options(stream_results=True, yield_per=ROWS_AT_ONCE)
        with streamed.execute(sql.select(*labelled).select_from(self._source())) as found:
            return as_table(found.partitions(), names)


def _address(text: str) -> sql.URL:
    """Return an address with the driver that comes with this package."""
    url = sql.make_url(text)
    return url.set(drivername=DRIVERS.get(url.drivername, url.drivername))


def _quoted(name: str) -> sql.quoted_name:
    return sql.quoted_name(name, quote=True)


def as_table(batches: Iterable[Sequence[Sequence[Any]]], places: Collection[int]) -> pa.Table:
    """Return batches of rows as a table whose columns are called by their places. Raises DataError."""
    parts = [list[pa.Array]() for _ in places]
    rows = 0
    for batch in batches:
        rows += len(batch)
        check_rows(rows)
        for part, cells in zip(parts, zip(*batch, strict=True), strict=True):
            part.append(_array(cells))
    return pa.table(dict(zip(map(str, places), map(_whole, parts), strict=True)))


def _array(cells: Sequence[Any]) -> pa.Array:
    """Return cells as those of a frame are turned into Arrow; UUIDs as texts. Raises DataError."""
    if any(isinstance(cell, UUID) for cell in cells):
        cells = [str(cell) if isinstance(cell, UUID) else cell for cell in cells]
    found = as_arrow(cells)
    if isinstance(found, pa.Array):
        return found
    raise DataError(SEVERAL, discloses=Disclosure.KIND)


def _whole(parts: Sequence[pa.Array]) -> pa.ChunkedArray:
    """Return the parts of a column in one type. Raises DataError where a number would be rounded, or a moment cut."""
    kinds = {each.type.id for each in parts if each.null_count < len(each)}
    if len(kinds) < 2 or kinds == {pa.int64().id, pa.float64().id}:
        with suppress(pa.ArrowException):
            tables = [pa.table({"": part}) for part in (pa.nulls(0), *parts)]
            return pa.concat_tables(tables, promote_options="permissive").column(0)
    raise DataError(SEVERAL, discloses=Disclosure.KIND)
