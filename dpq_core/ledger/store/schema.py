"""The tables of a ledger, their version, and the way from an older version to this one.

Numbers that are added up are text: exact decimals, which no database rounds. Nothing here is data: plans and
guarantees are public, and answers are what has left the privacy boundary already.
"""

from __future__ import annotations

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

from ...errors import ParameterError
from .chain import KEYED, End, beginning, link_of

VERSION = 7
UNCHECKED = "unchecked"
"""In place of a check of the key: there is a key, and the first program that gives it stores its check."""

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
    Column("budget", Text, nullable=False),  # JSON of privacy_as_dict
    Column("limits", Text, nullable=False),  # JSON: the candidates, after the first charge the one that it settled
    Column("opened", Text, nullable=False),
    Column("closed", Text),
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
    Column("counted_epsilon", Text, nullable=False),  # what was entered into the sums
    Column("counted_delta", Text, nullable=False),
    Column("counted_rho", Text, nullable=False),
    Column("charged", Text, nullable=False),
    Column("finished", Text),
    Column("answer", Text),
    Column("words", Text),  # JSON of Words: what the answers are of; empty where nobody said
    Column("place", Integer, nullable=False),  # in the chain of its account, from 1 on
    Column("link", Text, nullable=False),  # to the charge before it: see chain
    Column("protects", Text, nullable=False),  # what a neighbour differs by: one record, or one person with all rows
    Column("request", Text),  # JSON of what was asked, public facts only; empty for charges of older versions
    Column("request_mark", Text),  # its signature
    Column("file", Text),  # the fingerprint of the file that it is from; empty where there is none
    Column("earlier_links", Text),  # those under earlier keys, apart by blanks; empty where the key is the first one
    UniqueConstraint("account", "release_id"),
    Index("dpq_releases_place", "account", "place", unique=True),
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

remembered = Table(
    "dpq_remembered",
    _metadata,
    Column("number", Integer, primary_key=True),
    Column("account", Integer, ForeignKey("dpq_accounts.number"), nullable=False, unique=True),
    Column("facts", Text, nullable=False),  # JSON: public facts about the data set, by name
    Column("written", Text, nullable=False),
)

TABLES = (versions, accounts, releases, files, comparisons, remembered)
"""In an order in which they can be filled."""


def _keep_answers(connection: Connection) -> None:
    """Migrate from version 1, which marked a release as answered and did not store the answer."""
    connection.execute(text("ALTER TABLE dpq_releases ADD COLUMN answer TEXT"))


def _count_comparisons(connection: Connection) -> None:
    """Migrate from version 2, which compared files without a limit."""
    comparisons.create(connection)


def _keep_words(connection: Connection) -> None:
    """Migrate from version 3, which stored numbers and not what they are of."""
    connection.execute(text("ALTER TABLE dpq_releases ADD COLUMN words TEXT"))


def _chain_charges(connection: Connection) -> None:
    """Migrate from version 4, which did not link charges: link them now, in order, without a key."""
    connection.execute(text(f"ALTER TABLE dpq_version ADD COLUMN ledger TEXT NOT NULL DEFAULT '{uuid4().hex}'"))
    connection.execute(text("ALTER TABLE dpq_releases ADD COLUMN place INTEGER NOT NULL DEFAULT 0"))
    connection.execute(text("ALTER TABLE dpq_releases ADD COLUMN link TEXT NOT NULL DEFAULT ''"))
    linked = text("UPDATE dpq_releases SET place = :place, link = :link WHERE number = :number")
    for account in connection.execute(text("SELECT * FROM dpq_accounts")).mappings().all():
        end = beginning(dict(account))
        charged = text("SELECT * FROM dpq_releases WHERE account = :number ORDER BY number")
        for row in connection.execute(charged, {"number": account["number"]}).mappings().all():
            charge = dict(row) | {"place": end.place + 1}
            end = End(end.place + 1, link_of(end.link, charge, None))
            connection.execute(linked, {"place": end.place, "link": end.link, "number": row["number"]})
    connection.execute(text("CREATE UNIQUE INDEX dpq_releases_place ON dpq_releases (account, place)"))


def _name_protected(connection: Connection) -> None:
    """Migrate from version 5, where a charge does not say whether it protects a record or a person."""
    connection.execute(text("ALTER TABLE dpq_releases ADD COLUMN protects TEXT NOT NULL DEFAULT 'record'"))


def _bind_requests(connection: Connection) -> None:
    """Migrate from version 6, which stored neither what was asked for with an id, nor a check of its key."""
    remembered.create(connection)
    for name in ("request", "request_mark", "file", "earlier_links"):
        connection.execute(text(f"ALTER TABLE dpq_releases ADD COLUMN {name} TEXT"))
    connection.execute(text("ALTER TABLE dpq_version ADD COLUMN key_check TEXT"))
    keyed = select(releases.c.number).where(releases.c.link.startswith(KEYED)).limit(1)
    if connection.execute(keyed).first() is not None:
        connection.execute(versions.update().values(key_check=UNCHECKED))


MIGRATIONS = {
    1: _keep_answers,
    2: _count_comparisons,
    3: _keep_words,
    4: _chain_charges,
    5: _name_protected,
    6: _bind_requests,
}
"""The step from each older version to the next."""


def is_current(connection: Connection) -> bool:
    """Return whether the tables are there and of this version, without changing anything."""
    if not inspect(connection).has_table(versions.name):
        return False
    return bool(connection.execute(select(versions.c.version)).scalar_one() == VERSION)


def prepare(connection: Connection) -> None:
    """Make the tables, or bring older ones up to date, within the caller's transaction.

    Raises ParameterError for a ledger that a newer version has written.
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
    for version in range(found, VERSION):
        MIGRATIONS[version](connection)
        connection.execute(versions.update().values(version=version + 1))
