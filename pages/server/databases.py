"""Databases that a server offers: curators see their labels, and no visitor sees their addresses.

DPQ_SOURCES names a TOML file with one [[source]] for each table or query:

    [[source]]
    label = "Visits to the clinic"                       all that a page shows
    url = "postgresql://reader:secret@host/clinic"       as SQLAlchemy writes it; its user should only read
    table = "visits"                                     or query = "SELECT ..."
    columns = ["minutes", "patient", "ward"]             which of them may be read: without this all
    public = false                                       true: public or synthetic, and the truth may be shown
    without_sign_in = false                              true: also where nobody signs in, such as on one's own machine

A visitor who uploads a file already has it. A visitor who asks a database does not have the data, and could open one
account after another. So a database that is not public is offered only to curators who signed in, unless the file says
otherwise.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpq_core.errors import DataError, Disclosure, ParameterError

from . import signin

if TYPE_CHECKING:  # it needs SQLAlchemy
    from dpq_core.sources.databases.reading import Database

FILE = "DPQ_SOURCES"
FOR_CURATORS = "offers its databases to curators who sign in, and nobody can sign in here."
WRONG = "must name a TOML file with a label, a url, and a table or a query for each [[source]]."
KINDS = {(bool, bool, list), (bool, bool, type(None))}
"""Of public, without_sign_in and columns."""
NO_COLUMN = "The database does not offer this column."


@dataclass(frozen=True)
class ServerSource:
    """A table or query that may be read."""

    label: str
    database: Database = field(repr=False)
    public: bool
    """Whether it is public or synthetic, as the administrator of the server declares."""
    without_sign_in: bool
    """Whether it is offered where nobody signs in."""
    columns: frozenset[str] | None = None
    """Which columns may be read; None for all."""

    def names(self) -> tuple[str, ...]:
        """Return the columns that may be read. Raises DataError."""
        there = self.database.columns()
        names = tuple(name for name in there if self.columns is None or name in self.columns)
        if not names:
            raise DataError(NO_COLUMN, discloses=Disclosure.NAMES)
        return names

    def check(self, column: str, person: str, group: str) -> None:
        """Raise DataError unless a column, and those of persons and groups where they are named, may be read."""
        if self.columns is not None and not {column, person or column, group or column} <= self.columns:
            raise DataError(NO_COLUMN, discloses=Disclosure.NAMES)


def offered() -> bool:
    """Return whether this server offers databases."""
    return bool(os.environ.get(FILE, "").strip())


def sources() -> dict[str, ServerSource]:
    """Return what this server offers, by label. Raises ParameterError, which quotes nothing of the file."""
    try:
        given = tomllib.loads(Path(os.environ.get(FILE, "").strip()).read_text(encoding="utf-8"))
        found = [_source(**entry) for entry in given["source"]]
    except (OSError, KeyError, TypeError, ValueError):
        found = []
    labels = {source.label: source for source in found}
    if not found or len(labels) < len(found):
        raise ParameterError(FILE, WRONG)
    signed_in = signin.configured()
    may_read = {name: each for name, each in labels.items() if signed_in or each.public or each.without_sign_in}
    if not may_read:
        raise ParameterError(FILE, FOR_CURATORS)
    return may_read


def _source(
    label: Any, url: Any, table: Any = None, query: Any = None, public: Any = False, without_sign_in: Any = False,
    columns: Any = None,
) -> ServerSource:  # fmt: skip
    from dpq_core.sources.databases.reading import Database

    texts = [*(each for each in (label, url, table, query) if each is not None), *(columns or ())]
    kinds = (type(public), type(without_sign_in), type(columns))
    if not all(isinstance(each, str) and each.strip() for each in texts) or kinds not in KINDS or columns == []:
        raise TypeError
    allowed = None if columns is None else frozenset(columns)
    return ServerSource(
        " ".join(label.split()), Database(url, table=table, query=query), public, without_sign_in, allowed
    )
