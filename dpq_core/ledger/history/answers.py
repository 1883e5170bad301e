"""The private answers that a ledger stores, for reports: found by their id, without the data and at no charge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from sqlalchemy import Row, select

from ...columns.release import ColumnsRelease
from ...groups.draws import GroupedRelease
from ...release import QuantileRelease
from ..accounts import Account, Ledger
from ..answers import ReleaseMetadata, answer_from_json, plan_from_json, words_from_json
from ..checking import State, readable
from ..store.schema import releases

AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True)
class Stored(Generic[AnswerT]):
    """One answered release."""

    account: Account
    number: int
    release_id: str
    finished: str
    """When it was answered: UTC, to the second."""
    answer: AnswerT
    words: ReleaseMetadata | None
    """What it is of; None of a release for which nobody said, as before ledgers stored it."""


StoredAnswer: TypeAlias = Stored[QuantileRelease]
StoredTable: TypeAlias = Stored[GroupedRelease | ColumnsRelease[Any]]


def stored_releases(
    ledger: Ledger, most: int = 200, *, account: Account | None = None, release_id: str | None = None
) -> list[StoredAnswer | StoredTable]:
    """Return the last answered releases, the newest first: of all accounts, or of one, or the one with an id.

    Synthetic columns are left out. O(releases).
    """
    only = [] if account is None else [releases.c.account == account.number]
    only += [] if release_id is None else [releases.c.release_id == release_id]
    chosen = (
        select(releases)
        .where(releases.c.state == State.ANSWERED.value, releases.c.answer.is_not(None), releases.c.size.is_(None))
        .where(*only)
        .order_by(releases.c.number.desc())
        .limit(most)
    )
    rows = ledger.read(lambda connection: connection.execute(chosen).all())
    accounts = {account.number: account for account in ledger.accounts()}  # after: none ever goes
    return [_stored(row, accounts[row.account]) for row in rows]


def _stored(row: Row[Any], account: Account) -> StoredAnswer | StoredTable:
    with readable(account.name):
        found: Stored[Any] = Stored(
            account=account,
            number=row.number,
            release_id=row.release_id,
            finished=row.finished,
            answer=answer_from_json(row.answer, plan_from_json(row.plan)),
            words=words_from_json(row.words),
        )
    return found


def answered_at(account: Account, release_id: str) -> str:
    """Return when a release was answered: UTC, to the second. It must be one of the account's that was.

    Raises LedgerError.
    """
    chosen = select(releases.c.finished).where(
        releases.c.account == account.number, releases.c.release_id == release_id, releases.c.finished.is_not(None)
    )
    return str(account.ledger.read(lambda connection: connection.execute(chosen).scalar_one()))
