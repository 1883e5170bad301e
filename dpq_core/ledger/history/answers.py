"""The private answers that a ledger stores, for reports: found by their id, without the data and at no charge."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select

from ...plan import Plan
from ...release import QuantileRelease
from ..accounts import Account, Ledger
from ..answers import GROUPED, AnswerWords, release_from_json, words_from_json
from ..charging import State
from ..store import releases


@dataclass(frozen=True)
class StoredAnswer:
    """One answered release of quantiles."""

    account: Account
    number: int
    release_id: str
    finished: str
    """When it was answered: UTC, to the second."""
    answer: QuantileRelease
    words: AnswerWords | None
    """What it is of; None of a release for which nobody said, as before ledgers stored it."""


def stored_answers(ledger: Ledger, most: int = 100) -> tuple[StoredAnswer, ...]:
    """Return the last answered releases of one column's quantiles, the newest first. O(releases)."""
    chosen = (
        select(releases)
        .where(releases.c.state == State.ANSWERED.value, releases.c.answer.is_not(None), releases.c.size.is_(None))
        .where(releases.c.plan.not_like('{"columns"%'), releases.c.answer.not_like(f"{GROUPED}%"))
        .order_by(releases.c.number.desc())
        .limit(most)
    )
    rows = ledger.read(lambda connection: connection.execute(chosen).all())
    accounts = {account.number: account for account in ledger.accounts()}  # after: none ever goes
    return tuple(
        StoredAnswer(
            account=accounts[row.account],
            number=row.number,
            release_id=row.release_id,
            finished=row.finished,
            answer=release_from_json(row.answer, Plan.from_json(row.plan)),
            words=words_from_json(row.words),
        )
        for row in rows
    )


def answered_at(account: Account, release_id: str) -> str:
    """Return when a release was answered: UTC, to the second. It must be one of the account's that was.

    Raises LedgerError.
    """
    chosen = select(releases.c.finished).where(
        releases.c.account == account.number, releases.c.release_id == release_id, releases.c.finished.is_not(None)
    )
    return str(account.ledger.read(lambda connection: connection.execute(chosen).scalar_one()))
