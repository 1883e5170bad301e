"""The tables of a ledger, and their version.

Numbers that are added up are text: exact decimals, which no database rounds. Nothing here is data: plans and
guarantees are public, and answers are what has left the privacy boundary already.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import sqlalchemy as sql

from ...errors import LedgerError, ParameterError

VERSION = 9
OF_1_1 = 7
"""That of the versions 1.1, which `upgrading` brings up to date."""
TOO_OLD = (
    "This ledger was written before version 1.1, so it was not opened; nothing was charged. Open it once with version "
    "1.1 (dpq ledger verify), and then with this one."
)

_metadata = sql.MetaData()

versions = sql.Table(
    "dpq_version",
    _metadata,
    sql.Column("version", sql.Integer, nullable=False),
    sql.Column("ledger", sql.Text, nullable=False),  # an id that no other ledger has
    sql.Column("key_check", sql.Text),  # tells the ledger's key from others: see keys; empty where none was ever given
)

accounts = sql.Table(
    "dpq_accounts",
    _metadata,
    sql.Column("number", sql.Integer, primary_key=True),
    sql.Column("name", sql.Text, nullable=False, unique=True),
    sql.Column("one_row_is", sql.Text, nullable=False),
    sql.Column("adjacency", sql.Text, nullable=False),
    # JSON of privacy_as_dict; limits follow from it and from the first charge
    sql.Column("budget", sql.Text, nullable=False),
    sql.Column("opened", sql.Text, nullable=False),
    # its first charges that were signed when nobody could check them
    sql.Column("unproven", sql.Integer, nullable=False),
    # those under earlier keys, apart by blanks; empty where the key is the first one
    sql.Column("earlier_links", sql.Text),
    sql.Column("link", sql.Text, nullable=False),  # signs that it was opened: see chain
    sql.Column("closed", sql.Text),
    sql.Column("closed_place", sql.Integer),  # in the chain of the account
    sql.Column("closed_link", sql.Text),
)

releases = sql.Table(
    "dpq_releases",
    _metadata,
    sql.Column("number", sql.Integer, primary_key=True),
    sql.Column("account", sql.Integer, sql.ForeignKey("dpq_accounts.number"), nullable=False),
    sql.Column("release_id", sql.Text, nullable=False),
    sql.Column("state", sql.Text, nullable=False),
    sql.Column("plan", sql.Text, nullable=False),
    sql.Column("size", sql.Integer),  # of a synthetic column; empty for quantiles
    sql.Column("who", sql.Text, nullable=False),
    sql.Column("epsilon", sql.Text, nullable=False),  # what the release guarantees
    sql.Column("delta", sql.Text, nullable=False),
    sql.Column("rho", sql.Text),
    sql.Column("counts", sql.Text, nullable=False),  # how it is entered into the sums: see filters.WAYS
    # what a neighbour differs by: one record, or one person with all rows
    sql.Column("protects", sql.Text, nullable=False),
    sql.Column("charged", sql.Text, nullable=False),
    # JSON of what was asked, public facts only; empty for charges from before version 1.1
    sql.Column("request", sql.Text),
    sql.Column("file", sql.Text),  # the fingerprint of the file that it is from; empty where there is none
    sql.Column("earlier_links", sql.Text),  # of the charge and of its end, as those of an account
    sql.Column("place", sql.Integer, nullable=False),  # of the charge in the chain of its account, from 1 on
    sql.Column("link", sql.Text, nullable=False),  # to the entry before it: see chain
    sql.Column("refused_epsilon", sql.Text),  # what a refusal that had to draw something has spent of epsilon
    sql.Column("finished", sql.Text),
    sql.Column("answer", sql.Text),  # JSON of the release, or of a refusal that was paid for
    sql.Column("end_place", sql.Integer),  # of how it ended, in the same chain; empty while it is being drawn
    sql.Column("end_link", sql.Text),
    sql.UniqueConstraint("account", "release_id"),
    sql.Index("dpq_releases_place", "account", "place", unique=True),
    sql.Index("dpq_releases_end_place", "account", "end_place", unique=True),
)

files = sql.Table(
    "dpq_files",
    _metadata,
    sql.Column("number", sql.Integer, primary_key=True),
    sql.Column("account", sql.Integer, sql.ForeignKey("dpq_accounts.number"), nullable=False),
    sql.Column("fingerprint", sql.Text, nullable=False, index=True),
    sql.Column("seen", sql.Text, nullable=False),
    sql.UniqueConstraint("account", "fingerprint"),
)

comparisons = sql.Table(
    "dpq_comparisons",
    _metadata,
    sql.Column("number", sql.Integer, primary_key=True),
    sql.Column("account", sql.Integer, sql.ForeignKey("dpq_accounts.number"), nullable=False),
    sql.Column("compared", sql.Text, nullable=False, index=True),
)
"""When files were compared: the number within an hour is limited."""

TABLES = (versions, accounts, releases, files, comparisons)
"""In an order in which they can be filled."""


def is_current(connection: sql.Connection) -> bool:
    """Return whether the tables are there and of this version, without changing anything."""
    if not sql.inspect(connection).has_table(versions.name):
        return False
    return bool(connection.execute(sql.select(versions.c.version)).scalar_one() == VERSION)


def prepare(connection: sql.Connection, upgrade: Callable[[sql.Connection], None]) -> None:
    """Make the tables, or bring those of version 1.1 up to date by `upgrade`, within the caller's transaction.

    Raises ParameterError for a ledger that a newer version has written, LedgerError for one from before version 1.1.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(sql.text("SELECT pg_advisory_xact_lock(3745001)"))  # two that start at once take turns
    if not sql.inspect(connection).has_table(versions.name):
        _metadata.create_all(connection)
        connection.execute(versions.insert().values(version=VERSION, ledger=uuid4().hex))
        return
    found = connection.execute(sql.select(versions.c.version)).scalar_one()
    if found > VERSION:
        raise ParameterError(
            "ledger", f"must have a version of at most {VERSION}, got {found}: a newer program wrote it."
        )
    if found == OF_1_1:
        upgrade(connection)
        connection.execute(versions.update().values(version=VERSION))
    elif found < VERSION:
        raise LedgerError(TOO_OLD)
