"""What a release from the command line reads: a column of a file, or of a table or a query of a database."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain, FindBounds
from ..errors import Name, ParameterError
from ..finding import RawSample
from ..groups import GroupColumn, Groups
from ..people import People
from ..sample import Sample
from ..sources.column import Column
from . import dates
from . import groups as groups_rule
from . import people as people_rule

if TYPE_CHECKING:  # it needs SQLAlchemy
    from ..ledger import Account
    from ..sources.databases import Database

URL = "DPQ_DATABASE_URL"
Read: TypeAlias = tuple[Column, People | None, GroupColumn | NDArray[np.object_] | None]
"""A column, the persons behind its rows, and its groups."""
WITHOUT_ORDER = ("first", "last")


def add(command: argparse.ArgumentParser) -> None:
    """Add the arguments to a command."""
    options = command.add_argument_group("data")
    where = f"in place of a file: the address of a database, as SQLAlchemy writes it; or {URL}, which no list of "
    options.add_argument("--database", metavar="URL", help=f"{where}processes shows")
    options.add_argument("--table", metavar="NAME", help="its table, or schema.table, which is only read")
    options.add_argument("--query", metavar="SELECT", help="one SELECT in place of a table")
    column = 'name of the column to read, if there are several; of two with one name the second is called "NAME (2)"'
    options.add_argument("--column", help=column)
    header = "whether the first row of a file holds the names of the columns; needed where its cells do not tell"
    options.add_argument("--header", action=argparse.BooleanOptionalAction, help=header)
    where = "name the row of what cannot be read; it tells how many rows there are at least, so for your eyes only"
    options.add_argument("--show-where", action="store_true", help=where)
    options.add_argument(
        "--missing", help="what a missing value counts as; without it, missing values are left out. Needed where the "
        "plan says that one person is replaced by another, whether values are missing or not",
    )  # fmt: skip


def database_of(chosen: argparse.Namespace) -> Database | None:
    """Return the database that the arguments say, None where they say a file. Raises ParameterError."""
    asked = chosen.table is not None or chosen.query is not None
    if chosen.file is not None:
        if asked or chosen.database is not None:
            raise ParameterError("--database", "stands in place of a file.")
        return None
    if not asked:
        raise ParameterError(
            "file", ("must be given, or ", Name("--table"), " or ", Name("--query"), " of a ", Name("--database"), ".")
        )
    url = chosen.database or os.environ.get(URL)
    if url is None:
        raise ParameterError("--database", f"must be given, or {URL}.")
    if chosen.table is not None and chosen.query is not None:
        raise ParameterError("--query", ("stands in place of ", Name("--table"), "."))
    from ..sources.databases import Database

    return Database(url, table=chosen.table, query=chosen.query)


def sample_of(
    database: Database | None,
    chosen: argparse.Namespace,
    bounds: Domain | FindBounds,
    rule: people_rule.Rule,
    grouped: people_rule.Rule,
) -> tuple[Sample | RawSample | Groups, str]:
    """Return the column, ready for its release, and its unit; a database counts it where rows stand for themselves."""
    missing = dates.number_or_day(chosen, "missing")
    if database is not None and isinstance(bounds, Domain) and not rule and not grouped:
        found = database.counts(_only_one(chosen, database.columns))
        dates.check_kind(chosen, found.column.kind)
        return Sample.from_counts(found.values, found.counts, bounds, missing=missing), found.column.unit
    read = _read_file(chosen, rule, grouped) if database is None else _read_rows(database, chosen, rule, grouped)
    column, people, groups = read
    dates.check_kind(chosen, column.kind)
    made_of: dict[str, Any] = {"missing": missing, "people": people, **people_rule.settings_of(rule)}
    if isinstance(bounds, FindBounds):
        return RawSample.from_values(column.values, bounds, **made_of), column.unit
    if groups is not None:
        return groups_rule.groups_of_rule(column.values, groups, bounds, grouped, **made_of), column.unit
    return Sample.from_values(column.values, bounds, **made_of), column.unit


def _read_rows(
    database: Database, chosen: argparse.Namespace, rule: people_rule.Rule, grouped: people_rule.Rule
) -> Read:
    """Read the rows of a database, with persons and groups where they were asked for."""
    if rule.get("take") in WITHOUT_ORDER:
        raise ParameterError("--take", "must not be first or last: rows of a database have no order.")
    name = _only_one(chosen, database.columns)
    rows = database.rows(name, person=rule.get("column"), group=grouped.get("column"))
    return rows.column, rows.people, rows.groups


def _read_file(chosen: argparse.Namespace, rule: people_rule.Rule, grouped: people_rule.Rule) -> Read:
    """Read the column of a file, and those of persons and groups, in a process of their own."""
    from ..jobs.strangers import grouped_table_of, layout_of, read_apart

    layout = None if chosen.column is not None else read_apart(layout_of, chosen.file, chosen.header)
    name = _only_one(chosen, lambda: () if layout is None else layout.names)
    return read_apart(
        grouped_table_of, chosen.file, name, rule.get("column", ""), grouped.get("column", ""), layout,
        chosen.header, grouped.get("names"),
    )  # fmt: skip


def _only_one(chosen: argparse.Namespace, names: Callable[[], Sequence[str]]) -> str:
    """Return the column that is named, or the only one. Raises ParameterError."""
    if chosen.column is not None:
        return str(chosen.column)
    there = names()
    if len(there) != 1:
        raise ParameterError(
            "--column", f"must be given: the {'file' if chosen.file else 'table'} has {len(there)} columns."
        )
    return there[0]


def mark_of(account: Account, database: Database | None, chosen: argparse.Namespace) -> str:
    """Return the fingerprint of a file by its bytes, or of a table by its name: its rows may change."""
    from ..ledger import digest_of, fingerprint_by_digest, fingerprint_of_file

    if database is None:
        return fingerprint_of_file(account, chosen.file)
    return fingerprint_by_digest(account.ledger, digest_of(database.identity().encode()))
