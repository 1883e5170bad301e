"""Say which columns a database may count: those of listed types, whose equal cells have the same value here as well.

Of cells that a database takes for equal it returns one, and which one depends on other people's rows. PostgreSQL
takes the intervals '1 year' and '360 days' for equal, which are 365 and 360 days here: one person would rewrite
everybody's value. So each type on the list keeps one promise, which tests/sources/test_counted_types.py tries on both:

    where the database takes two cells for equal, the number and the name of a group that are read of them are the same.

Whole numbers, dates, times of day, timestamps and ids are equal where they are stored alike. Decimals of several scales
(1.0 and 1.00), zeros of both signs, and whole numbers beside fractions on SQLite (1 and 1.0) are equal where they are
the same number, and are read as numbers. Texts are compared byte by byte, with any collation. Every other
type, and every other database or driver, is read row by row.

PostgreSQL itself says what a column is, by the fixed number of its type (a domain counts as what it is made of), in
answer to a query without rows; that query also keeps others from changing the table until it is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sql

POSTGRESQL_TYPES = {
    "bool": 16, "int8": 20, "int2": 21, "int4": 23, "float4": 700, "float8": 701, "date": 1082, "time": 1083,
    "timestamp": 1114, "timestamptz": 1184, "numeric": 1700, "uuid": 2950,
}  # fmt: skip
"""Types by their numbers in pg_type, which are those of every server."""
POSTGRESQL_TEXTS = {"text": 25, "varchar": 1043}
POSTGRESQL_BYTES = 'pg_catalog."C"'
"""The collation that compares byte by byte, and no other one of that name."""
SQLITE_BYTES = "BINARY"
"""The same on SQLite, where it changes nothing of what is no text."""


def count_keys(
    connection: sql.Connection, source: Any, columns: Sequence[sql.ColumnClause[Any]]
) -> list[sql.ColumnElement[Any]] | None:
    """Return what to count the rows by; None where they are to be read one by one. Reads no row."""
    dialect = connection.dialect
    match dialect.name, dialect.driver:
        case "sqlite", "pysqlite":  # a column may hold cells of any type, and each of these is on the list
            return [_by_bytes(column, SQLITE_BYTES) for column in columns]
        case "postgresql", "psycopg":
            asked = connection.execute(sql.select(*columns).select_from(source).where(sql.text("1 = 0")))
            assert asked.cursor is not None, "a SELECT has one"
            types = [described[1] for described in asked.cursor.description]  # PEP 249: the type, as the driver says
            keys = [_postgresql_key(column, each) for column, each in zip(columns, types, strict=True)]
            found = [key for key in keys if key is not None]
            return found if len(found) == len(keys) else None
    return None


def _postgresql_key(column: sql.ColumnClause[Any], held: object) -> sql.ColumnElement[Any] | None:
    """Return what to count a column by, by the number of its type; None where that is not on the list."""
    if held in POSTGRESQL_TEXTS.values():
        return _by_bytes(column, POSTGRESQL_BYTES)
    return column if held in POSTGRESQL_TYPES.values() else None


def _by_bytes(column: sql.ColumnClause[Any], collation: str) -> sql.ColumnElement[Any]:
    return column.op("COLLATE")(sql.literal_column(collation))
