"""The tables of a ledger, and their version.

Numbers that are added up are text: exact decimals, which no database rounds. Nothing here is data: plans and
guarantees are public, and answers are what has left the privacy boundary already.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

from sqlalchemy import (
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    inspect,
    select,
    text,
)  # fmt: skip

from ...errors import LedgerError, ParameterError

VERSION = 9
OF_1_1 = 7
"""That of the versions 1.1, which `upgrading` brings up to date."""
TOO_OLD = (
    "This ledger was written before version 1.1, so it was not opened; nothing was charged. Open it once with version "
    "1.1 (dpq ledger verify), and then with this one."
)

_metadata = MetaData()

versions = Table(
    "dpq_version",
    _metadata,
    Column("version", Integer, nullable=False),
    Column("ledger", Text, nullable=False),  # an id that no other ledger has
    Column("key_check", Text),  # tells the ledger's key from others: see keys; empty where none was ever given
)

accounts = Table(
    "dpq_accounts",
    _metadata,
    Column("number", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("one_row_is", Text, nullable=False),
    Column("adjacency", Text, nullable=False),
    Column("budget", Text, nullable=False),  # JSON of privacy_as_dict; limits follow from it and from the first charge
    Column("opened", Text, nullable=False),
    Column("unproven", Integer, nullable=False),  # its first charges that were signed when nobody could check them
    Column("earlier_links", Text),  # those under earlier keys, apart by blanks; empty where the key is the first one
    Column("link", Text, nullable=False),  # signs that it was opened: see chain
    Column("closed", Text),
    Column("closed_place", Integer),  # in the chain of the account
    Column("closed_link", Text),
)

releases = Table(
    "dpq_releases",
    _metadata,
    Column("number", Integer, primary_key=True),
    Column("account", Integer, ForeignKey("dpq_accounts.number"), nullable=False),
    Column("release_id", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("plan", Text, nullable=False),
    Column("size", Integer),  # of a synthetic column; empty for quantiles
    Column("who", Text, nullable=False),
    Column("epsilon", Text, nullable=False),  # what the release guarantees
    Column("delta", Text, nullable=False),
    Column("rho", Text),
    Column("counts", Text, nullable=False),  # how it is entered into the sums: see filters.WAYS
    Column("protects", Text, nullable=False),  # what a neighbour differs by: one record, or one person with all rows
    Column("charged", Text, nullable=False),
    Column("request", Text),  # JSON of what was asked, public facts only; empty for charges from before version 1.1
    Column("file", Text),  # the fingerprint of the file that it is from; empty where there is none
    Column("earlier_links", Text),  # of the charge and of its end, as those of an account
    Column("place", Integer, nullable=False),  # of the charge in the chain of its account, from 1 on
    Column("link", Text, nullable=False),  # to the entry before it: see chain
    Column("refused_epsilon", Text),  # what a refusal that had to draw something has spent of epsilon
    Column("finished", Text),
    Column("answer", Text),  # JSON of the release, or of a refusal that was paid for
    Column("end_place", Integer),  # of how it ended, in the same chain; empty while it is being drawn
    Column("end_link", Text),
    UniqueConstraint("account", "release_id"),
    Index("dpq_releases_place", "account", "place", unique=True),
    Index("dpq_releases_end_place", "account", "end_place", unique=True),
)

files = Table(
    "dpq_files",
    _metadata,
    Column("number", Integer, primary_key=True),
    Column("account", Integer, ForeignKey("dpq_accounts.number"), nullable=False),
    Column("fingerprint", Text, nullable=False, index=True),
    Column("seen", Text, nullable=False),
    UniqueConstraint("account", "fingerprint"),
)

comparisons = Table(
    "dpq_comparisons",
    _metadata,
    Column("number", Integer, primary_key=True),
    Column("account", Integer, ForeignKey("dpq_accounts.number"), nullable=False),
    Column("compared", Text, nullable=False, index=True),
)
"""When files were compared: the number within an hour is limited."""

TABLES = (versions, accounts, releases, files, comparisons)
"""In an order in which they can be filled."""


def is_current(connection: Connection) -> bool:
    """Return whether the tables are there and of this version, without changing anything."""
    if not inspect(connection).has_table(versions.name):
        return False
    return bool(connection.execute(select(versions.c.version)).scalar_one() == VERSION)


def prepare(connection: Connection, upgrade: Callable[[Connection], None]) -> None:
    """Make the tables, or bring those of version 1.1 up to date by `upgrade`, within the caller's transaction.

    Raises ParameterError for a ledger that a newer version has written, LedgerError for one from before version 1.1.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(3745001)"))  # two that start at once take turns
    if not inspect(connection).has_table(versions.name):
        _metadata.create_all(connection)
        connection.execute(versions.insert().values(version=VERSION, ledger=uuid4().hex))
        return
    found = connection.execute(select(versions.c.version)).scalar_one()
    if found > VERSION:
        raise ParameterError(
            "ledger", f"must have a version of at most {VERSION}, got {found}: a newer program wrote it."
        )
    if found == OF_1_1:
        upgrade(connection)
        connection.execute(versions.update().values(version=VERSION))
    elif found < VERSION:
        raise LedgerError(TOO_OLD)
