"""Which columns a database may count: those whose equal cells stand for the same value here as well.

A collation that takes "A" for "a" would hand on one of the two for both: which one hangs on other people's rows. So
texts are compared byte by byte, and where the database is not known to do that, rows are read one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sql

BINARY = {"sqlite": "BINARY", "postgresql": "C"}
"""The collation that compares byte by byte; on SQLite it changes nothing of what is no text."""


def count_keys(
    connection: sql.Connection, source: Any, columns: Sequence[sql.ColumnClause[Any]]
) -> list[sql.ColumnElement[Any]] | None:
    """Return what to count the rows by; None where equal cells may differ. Asks for the types, not for a row."""
    kind = connection.dialect.name
    if kind == "sqlite":  # a column may hold cells of any type
        return [column.collate(BINARY[kind]) for column in columns]
    asked = connection.execute(sql.select(*columns).select_from(source).where(sql.text("1 = 0")))
    assert asked.cursor is not None, "a SELECT has one"
    held = [each[1] for each in asked.cursor.description]
    keys = [_key(column, each, connection.dialect) for column, each in zip(columns, held, strict=True)]
    found = [key for key in keys if key is not None]
    return found if len(found) == len(keys) else None


def _key(column: sql.ColumnClause[Any], held: Any, dialect: sql.Dialect) -> sql.ColumnElement[Any] | None:
    """Return how a column is compared, by the type that its driver says it holds (PEP 249); None where that is open."""
    number, date, text = (getattr(dialect.dbapi, name, None) for name in ("NUMBER", "DATETIME", "STRING"))
    if held is not None and held in (number, date):
        return column
    return column.collate(BINARY[dialect.name]) if dialect.name in BINARY and held == text else None
