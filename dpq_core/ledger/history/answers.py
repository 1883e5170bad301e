"""The private answers that a ledger stores, for reports: found by their id, without the data and at no charge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from sqlalchemy import ColumnElement, Row, select

from ...columns import ColumnsRelease
from ...groups import GroupedRelease
from ...plan import Plan
from ...release import QuantileRelease
from ..accounts import Account, Ledger, State
from ..answers import GROUPED, AnswerWords, answer_from_json, plan_from_json, release_from_json, words_from_json
from ..store import releases

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
    words: AnswerWords | None
    """What it is of; None of a release for which nobody said, as before ledgers stored it."""


StoredAnswer: TypeAlias = Stored[QuantileRelease]
StoredTable: TypeAlias = Stored[GroupedRelease | ColumnsRelease[Any]]
_OF_TABLES = releases.c.plan.like('{"columns"%') | releases.c.answer.like(f"{GROUPED}%")


def stored_releases(
    ledger: Ledger, most: int = 100, *, account: Account | None = None, release_id: str | None = None
) -> list[StoredAnswer | StoredTable]:
    """Return the last answered releases of either kind, the newest first: of all accounts, or as is said."""
    only = [] if account is None else [releases.c.account == account.number]
    only += [] if release_id is None else [releases.c.release_id == release_id]
    found: list[StoredAnswer | StoredTable] = []
    found += stored_answers(ledger, most, *only)
    found += stored_tables(ledger, most, *only)
    return sorted(found, key=lambda each: -each.number)


def stored_answers(ledger: Ledger, most: int = 100, *only: ColumnElement[bool]) -> tuple[StoredAnswer, ...]:
    """Return the last answered releases of one column's quantiles, the newest first. O(releases)."""
    return tuple(
        _stored(row, account, release_from_json(row.answer, Plan.from_json(row.plan)))
        for row, account in _rows(ledger, most, ~_OF_TABLES, *only)
    )


def stored_tables(ledger: Ledger, most: int = 100, *only: ColumnElement[bool]) -> tuple[StoredTable, ...]:
    """Return the last answered releases of several columns, or of all groups, the newest first. O(releases)."""
    found = []
    for row, account in _rows(ledger, most, _OF_TABLES, *only):
        answer = answer_from_json(row.answer, plan_from_json(row.plan))
        assert not isinstance(answer, QuantileRelease), "chosen for being another"
        found.append(_stored(row, account, answer))
    return tuple(found)


def _rows(ledger: Ledger, most: int, *only: ColumnElement[bool]) -> list[tuple[Row[Any], Account]]:
    """Return the last answered releases of which all of this holds, with their accounts, the newest first."""
    chosen = (
        select(releases)
        .where(releases.c.state == State.ANSWERED.value, releases.c.answer.is_not(None), releases.c.size.is_(None))
        .where(*only)
        .order_by(releases.c.number.desc())
        .limit(most)
    )
    rows = ledger.read(lambda connection: connection.execute(chosen).all())
    accounts = {account.number: account for account in ledger.accounts()}  # after: none ever goes
    return [(row, accounts[row.account]) for row in rows]


def _stored(row: Row[Any], account: Account, answer: AnswerT) -> Stored[AnswerT]:
    return Stored(
        account=account,
        number=row.number,
        release_id=row.release_id,
        finished=row.finished,
        answer=answer,
        words=words_from_json(row.words),
    )


def answered_at(account: Account, release_id: str) -> str:
    """Return when a release was answered: UTC, to the second. It must be one of the account's that was.

    Raises LedgerError.
    """
    chosen = select(releases.c.finished).where(
        releases.c.account == account.number, releases.c.release_id == release_id, releases.c.finished.is_not(None)
    )
    return str(account.ledger.read(lambda connection: connection.execute(chosen).scalar_one()))
