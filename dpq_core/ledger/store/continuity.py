"""Check that a ledger is the newest that was seen: its charges against the heads stored beside the key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from ...errors import LedgerError
from .chain import End, beginning
from .heads import Heads
from .schema import accounts, releases

OLDER = (
    "This ledger is older than what was charged to it, or another one: spent budgets would be available again. So "
    "nothing can be released, and nothing was charged. The administrator can put the newest ledger back, or "
    "accept this one (dpq ledger accept)."
)


@dataclass(frozen=True)
class Known:
    """What the heads record of the ledger that was last at a place."""

    same: bool
    """Whether that was this one."""
    heads: dict[int, End]
    """Of its accounts, by their numbers."""


@dataclass(frozen=True)
class Watch:
    """Where the heads of one ledger are stored, and under which name."""

    heads: Heads
    location: str
    """The path or the address of the ledger, without a password."""
    ledger: str
    """Its own id."""

    def known(self) -> Known:
        """Return what is known; must be called before the ledger is read, because it grows meanwhile."""
        before = self.heads.ledger_at(self.location)
        return Known(before in {None, self.ledger}, self.heads.of(before or self.ledger))

    def check(self, connection: Connection, known: Known) -> None:
        """Raise LedgerError where the ledger lacks charges that are known, or where another one takes its place."""
        if lost(connection, known):
            raise LedgerError(OLDER)

    def check_account(self, connection: Connection, number: int) -> None:
        """Raise LedgerError where one account lacks charges. Its row must be locked, so that none comes meanwhile."""
        head = self.heads.of_account(self.ledger, number)
        if head is not None and missing(connection, number, head):
            raise LedgerError(OLDER)

    def keep(self, ends: Mapping[int, End]) -> None:
        """Remember the ends of accounts, which are on disk."""
        self.heads.keep(self.location, self.ledger, ends)

    def accept(self, connection: Connection) -> None:
        """Accept the ledger as it is."""
        self.heads.accept(self.location, self.ledger, ends_of(connection))


def lost(connection: Connection, known: Known) -> int:
    """Return how many charges are known that the ledger lacks, at least. Where it is another ledger, it lacks all."""
    if not known.same:
        return max(sum(head.place for head in known.heads.values()), 1)
    return sum(missing(connection, number, head) for number, head in known.heads.items())


def missing(connection: Connection, number: int, head: End) -> int:
    """Return how many charges an account lacks up to its head, at least; 0 where it has that very charge.

    A head that was stored before the ledger had its present key has the link of that time.
    """
    own = releases.c.account == number
    at_head = select(releases.c.link, releases.c.earlier_links).where(own, releases.c.place == head.place)
    row = connection.execute(at_head).one_or_none()
    if row is not None and head.link in {row.link, *(row.earlier_links or "").split()}:
        return 0
    last = connection.execute(select(func.max(releases.c.place)).where(own)).scalar_one() or 0
    return max(head.place - int(last), 1)


def end_of(connection: Connection, account: Mapping[str, object]) -> End:
    """Return the end of an account, given its row."""
    last = (
        select(releases.c.place, releases.c.link)
        .where(releases.c.account == account["number"])
        .order_by(releases.c.place.desc())
        .limit(1)
    )
    row = connection.execute(last).one_or_none()
    return beginning(account) if row is None else End(row.place, row.link)


def ends_of(connection: Connection) -> dict[int, End]:
    """Return the ends of all accounts that were charged, by their numbers."""
    found = connection.execute(select(accounts).order_by(accounts.c.number)).mappings().all()
    ends = {row["number"]: end_of(connection, dict(row)) for row in found}
    return {number: end for number, end in ends.items() if end.place}
