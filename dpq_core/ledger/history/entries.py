"""What an account has been charged, release by release, and its sums, read from the ledger at one moment.

Stored answers. Reports find the private answers that a ledger stores by their id, without the data and at no charge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from sqlalchemy import Connection, Row, func, select

from ...columns_plan import ColumnsPlan
from ...frame import COLUMN, level_share
from ...groups.names import name_in_words
from ...privacy.budgets import Adjacency, ApproxDP, Guarantee
from ...privacy.conversions import rho_to_epsilon
from ...release import Release
from ..accounts import Account, Ledger
from ..checking import COST, State, cost_of, limits_and_spent, readable
from ..filters import NOTHING, Limits, ReleaseCost, exact, rounded_up
from ..requests import groups_found
from ..store.schema import releases
from .amounts import Balance, Scale, balance, shown

MOST_NAMED = 5
"""Levels, columns or groups of one release that are named one by one."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One release. Nothing here is data, and neither is it an answer."""

    number: int
    place: int
    """Its number within its data set, from 1 on."""
    release_id: str
    state: State
    charged: str
    finished: str | None
    who: str
    plan: ColumnsPlan
    size: int | None
    """Of a synthetic column; None for the plan's quantiles."""
    groups: str = ""
    """The groups of all columns in words, a few one by one; empty where there are none."""
    group_names: tuple[str, ...] = ()
    """Those of a public list; none where no answer was stored, or where the release found them."""
    guarantee: Guarantee
    counted: ReleaseCost
    """What it adds to the account's sums now."""
    names: tuple[str, ...] = ()
    """Of its columns; none where nobody named one."""

    @property
    def quantiles(self) -> tuple[Fraction, ...]:
        """Return the levels that were requested, where they are the same in all columns; else none."""
        levels = {plan.quantiles for plan in self.plan.plans.values()}
        return levels.pop() if len(levels) == 1 else ()

    @property
    def requested(self) -> str:
        """Return what was requested: `25 %, 50 %`, `a synthetic column of 40`; of columns that differ, one by one."""
        if self.size is not None:
            return f"a synthetic column of {self.size:,}"
        said = [levels_in_words(plan.quantiles) for plan in self.plan.plans.values()]
        if len(set(said)) == 1:
            return said[0]
        few = len(said) <= MOST_NAMED
        return "; ".join(map("{}: {}".format, self.names, said)) if few else "differs by column"


def levels_in_words(levels: Sequence[Fraction]) -> str:
    """Return levels by their shares, a few one by one: `25 %, 50 %, 75 %`; many by their number and their ends."""
    few = len(levels) <= MOST_NAMED
    named = [level_share(level) for level in (levels if few else (min(levels), max(levels)))]
    return ", ".join(named) if few else f"{len(levels):,} quantiles, {' to '.join(named)}"


@dataclass(frozen=True, kw_only=True)
class Sums:
    """What an account has spent and what is left, at one moment."""

    account: Account
    limits: tuple[Limits, ...]
    """One, or before the first charge those that it may settle on."""
    total: ReleaseCost

    @property
    def concentrated_epsilon(self) -> float | None:
        """Return the epsilon that the sum of rho gives at the delta reserved for it; None where no delta is."""
        if not isinstance(self.account.budget, ApproxDP):
            return None
        if not self.total.rho:
            return 0.0
        reserved = Decimal(repr(self.account.budget.delta)) - self.limits[0].delta
        if not reserved:
            return None
        return rho_to_epsilon(rounded_up(self.total.rho), float(reserved))

    @property
    def together(self) -> float:
        """Return what all answers so far guarantee, in the budget's unit: the smaller of plain sum and sum of rho."""
        if self.limits[0].epsilon is None:
            return rounded_up(self.total.rho)
        concentrated = self.concentrated_epsilon
        plain = rounded_up(self.total.epsilon)  # infinite where a release was counted by rho alone
        return plain if concentrated is None else min(plain, concentrated)

    @property
    def balance(self) -> Balance:
        """Return total, spent and left in the unit of the budget, as they are shown."""
        return balance(self.account.budget, self.limits, self.total)

    @property
    def left_in_words(self) -> str:
        """Return what is left: `ε = 2 left of ε = 3, δ = 0.00001`."""
        found = self.balance
        return f"{found.letter} = {shown(found.left)} left of {self.account.budget}"


@dataclass(frozen=True, kw_only=True)
class Line:
    """One release with its price, and what was left after it, as they are shown."""

    entry: Entry
    price: Decimal | None
    """What it costs alone, in the unit of the budget; None where it states only a rho and the budget is no rho."""
    delta: Decimal
    """The delta of its price."""
    counted: Decimal
    """What it took off the budget."""
    left: Decimal
    """What was left after it."""


@dataclass(frozen=True, kw_only=True)
class Standing(Sums):
    """The sums of an account with the history behind them.

    A reader who adds up amounts by hand finds the sums beside them: the lines' `counted` add up to what is spent, and
    their prices to the sum of prices. What counting together saves, and in which sums, is stated apart, by name.
    """

    entries: tuple[Entry, ...]

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Return every release with what it cost. O(releases)."""
        budget, limits = self.account.budget, self.limits
        before = balance(budget, limits, ReleaseCost())
        scale = Scale.of(before.total)
        of_delta = Scale.of(exact(budget.delta)) if isinstance(budget, ApproxDP) else scale
        so_far, prices, lines = ReleaseCost(), ReleaseCost(), []
        for entry in self.entries:
            cost = entry.counted
            after = balance(budget, limits, so_far + cost)
            own = cost.rho if after.unit == "rho" else cost.epsilon
            higher = prices + ReleaseCost(own if own.is_finite() else NOTHING, cost.delta)
            price = scale.up(higher.epsilon) - scale.up(prices.epsilon) if own.is_finite() else None
            delta = of_delta.up(higher.delta) - of_delta.up(prices.delta)
            counted = before.left - after.left
            lines.append(Line(entry=entry, price=price, delta=delta, counted=counted, left=after.left))
            so_far, before, prices = so_far + cost, after, higher
        return tuple(lines)

    @property
    def sum_of_prices(self) -> Decimal | None:
        """Return what the releases cost one by one; None where one states only a rho."""
        prices = [line.price for line in self.lines if line.price is not None]
        return sum(prices, NOTHING) if len(prices) == len(self.lines) else None

    @property
    def saved(self) -> Decimal | None:
        """Return by how much less than their prices the releases count together; None where prices have no sum."""
        return None if self.sum_of_prices is None else self.sum_of_prices - self.balance.spent

    @property
    def guarantee_so_far(self) -> Decimal:
        """Return what all answers together guarantee, with at most the budget's delta."""
        return Scale.of(self.balance.total).up(exact(self.together))

    @property
    def delta(self) -> Balance | None:
        """Return the deltas, where the budget has one."""
        budget = self.account.budget
        if not isinstance(budget, ApproxDP):
            return None
        total = exact(budget.delta)
        scale = Scale.of(total)
        whole = scale.down(total)
        reserved = min(scale.up(total - max(each.delta for each in self.limits)), whole)
        left = scale.down(max(each.left(self.total).delta for each in self.limits))
        return Balance("delta", whole, max(min(left, whole - reserved), NOTHING), reserved)

    @property
    def rho(self) -> Balance | None:
        """Return the sum of rho, where it is shown with that of epsilon and some of it is left."""
        limits = self.limits[0]
        decided = len(self.limits) == 1 and limits.epsilon is not None
        left = limits.left(self.total).rho
        if not decided or limits.rho is None or not left:
            return None
        scale = Scale.at_least(limits.rho)
        return Balance("rho", scale.down(limits.rho), scale.down(left))

    def details(self) -> dict[str, str | dict[str, str] | None]:
        """Return the texts under Details, by name; None if there is no such number."""
        amounts = {
            "sum_of_prices": self.sum_of_prices,
            "saved_by_counting_together": self.saved,
            "guarantee_so_far": self.guarantee_so_far,
        }
        sums = {name: parts.as_dict() for name, parts in (("delta", self.delta), ("rho", self.rho)) if parts}
        return {name: None if amount is None else shown(amount) for name, amount in amounts.items()} | sums


def sums(account: Account) -> Sums:
    """Return limits and sums of an account, without its history. O(different costs)."""
    limits, total = account.ledger.read(lambda connection: limits_and_spent(connection, account.number))
    return Sums(account=account, limits=limits, total=total)


def standing(account: Account) -> Standing:
    """Return limits, sums and history of an account, read at one moment. O(releases)."""
    chosen = select(releases).where(releases.c.account == account.number).order_by(releases.c.place)

    def found(connection: Connection) -> tuple[tuple[tuple[Limits, ...], ReleaseCost], Sequence[Row[Any]]]:
        return limits_and_spent(connection, account.number), connection.execute(chosen).all()

    (limits, total), rows = account.ledger.read(found)
    with readable(account.name):
        return Standing(
            account=account,
            limits=limits,
            total=total,
            entries=tuple(_entry(row, place, account.adjacency) for place, row in enumerate(rows, start=1)),
        )


def _entry(row: Any, place: int, adjacency: Adjacency) -> Entry:
    plan = _plan(row.plan)
    return Entry(
        number=row.number,
        place=place,
        release_id=row.release_id,
        state=State(row.state),
        charged=row.charged,
        finished=row.finished,
        who=row.who,
        plan=plan,
        size=row.size,
        guarantee=Guarantee(
            epsilon=float(row.epsilon),
            delta=float(row.delta),
            rho=None if row.rho is None else float(row.rho),
            adjacency=adjacency,
            exact=True,
            protects=row.protects,
        ),
        counted=cost_of(*(getattr(row, name) for name in COST)),
        names=tuple(name for name in plan.names if name != COLUMN),
        **_groups(row),
    )


def _groups(row: Any) -> dict[str, Any]:
    """Return the groups of a release. Those that may have been found have no names here: they are an answer."""
    found = groups_found(row.request)
    if found is None or found:
        return {"groups": "found by the release"} if found else {}
    answered = row.state == State.ANSWERED.value
    names = tuple(map(name_in_words, Release.from_json(row.answer).cells[0].groups if answered else ()))
    few = ", ".join(names) or "every group"
    return {"groups": f"{len(names):,} groups" if len(names) > MOST_NAMED else few, "group_names": names}


@lru_cache(maxsize=256)
def _plan(stored: str) -> ColumnsPlan:
    return ColumnsPlan.from_json(stored)  # most releases of an account repeat a few plans


# ── stored answers ───────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Stored:
    """One answered release; `place` is its number within its data set, as `Entry` has it."""

    account: Account
    place: int
    release: Release


def stored_releases(
    ledger: Ledger, most: int = 200, *, account: Account | None = None, release_id: str | None = None
) -> list[Stored]:
    """Return the last answered releases, the newest first: of all accounts or of one, with any id or with one.

    Several accounts may have a release of the same id. Synthetic columns are left out. O(releases).
    """
    only = [] if account is None else [releases.c.account == account.number]
    only += [] if release_id is None else [releases.c.release_id == release_id]
    nth = func.row_number().over(partition_by=releases.c.account, order_by=releases.c.place)
    places = select(releases.c.number, nth.label("nth")).subquery()
    chosen = (
        select(releases, places.c.nth)
        .join(places, places.c.number == releases.c.number)
        .where(releases.c.state == State.ANSWERED.value, releases.c.answer.is_not(None), releases.c.size.is_(None))
        .where(*only)
        .order_by(releases.c.number.desc())
        .limit(most)
    )
    rows = ledger.read(lambda connection: connection.execute(chosen).all())
    accounts = {account.number: account for account in ledger.accounts()}  # after: none ever goes
    found = []
    for row in rows:
        with readable(accounts[row.account].name):
            found.append(Stored(accounts[row.account], row.nth, Release.from_json(row.answer)))
    return found
