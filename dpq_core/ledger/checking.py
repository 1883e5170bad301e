"""Check the entries of an account, and add up its charges; a charge does so first, in the transaction that enters it.

Nothing is believed that is not signed. Limits follow from the budget and from the first charge, and costs from what a
charge guarantees, how it is counted and how it ended; no column holds either. So a person who changes a table, and has
no key, can stop an account, and cannot make it grant more.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from itertools import accumulate, chain, islice
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from ..errors import LedgerError
from ..privacy.budgets import Adjacency, Guarantee, privacy_from_dict
from .filters import WAYS, Limits, ReleaseCost, limits_of, ways_to_count
from .store.chain import CHARGED, CLOSED, ENDED, OPENED, End, Kind, digest_of, is_linked
from .store.schema import accounts, releases


class State(StrEnum):
    """The state of a release; all but CANCELLED have been charged."""

    CHARGED = "charged"
    """Being drawn, or the program died while it was; it will never be answered in the second case."""
    ANSWERED = "answered"
    INFEASIBLE = "infeasible"
    """Something had to be drawn to find out that no sound answer exists; only that counts in the sum of epsilon."""
    FAILED = "failed"
    """Ended without an answer. The whole charge stays: how it ended may depend on data."""
    CANCELLED = "cancelled"
    """Public facts alone ruled it out before anything was drawn, so it counts nothing."""


COST = ("epsilon", "delta", "rho", "counts", "state", "refused_epsilon")
"""What the cost of a charge follows from, by the names of its columns."""
BROKEN = (
    "The ledger's record of {} was changed: {}. So nothing is released from it, and nothing was charged. Check it with "
    "dpq ledger verify, and restore a backup that passes."
)
"""Of an account, by its name, with what is wrong."""


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Raise LedgerError where a value in the tables is none that this program writes; `name` is that of its account."""
    try:
        yield
    except (ValueError, LookupError, ArithmeticError, TypeError):
        raise LedgerError(BROKEN.format(name, "a value cannot be read")) from None


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What was found about one account."""

    problem: str
    """What is wrong with the first entry that is; empty where nothing is."""
    charges: int
    """As many as were right before that."""
    end: End
    """The last entry of these."""
    limits: tuple[Limits, ...] = ()
    spent: ReleaseCost = field(default_factory=ReleaseCost)


@lru_cache(maxsize=4096)
def cost_of(
    epsilon: str, delta: str, rho: str | None, counts: str, state: str = State.CHARGED, refused: str | None = None
) -> ReleaseCost:
    """Return what a charge adds to the sums: as it was charged, or as it ended. `filters` has the proof."""
    if state == State.CANCELLED:
        return ReleaseCost()
    cost = ways_to_count(_guarantee(epsilon, delta, rho))[WAYS.index(counts)]
    return cost if refused is None else replace(cost, epsilon=Decimal(refused))


def _guarantee(epsilon: str, delta: str, rho: str | None) -> Guarantee:
    return Guarantee(
        epsilon=float(epsilon),
        delta=float(delta),
        rho=None if rho is None else float(rho),
        adjacency=Adjacency.ADD_REMOVE,  # which no cost depends on
    )


def tallied(
    budget: dict[str, Any], costs: Iterable[tuple[tuple[Any, ...], int]]
) -> tuple[tuple[Limits, ...], ReleaseCost]:
    """Return the limits of an account and the sums of its charges: how many have each cost, by the first that has it.

    The first charge that costs something decides the limits, as `grant` does, even where nothing was drawn for it; it
    decides none where it fits none.
    """
    limits, total = limits_of(privacy_from_dict(budget)), ReleaseCost()
    for cost, count in costs:
        if len(limits) > 1 and cost_of(*cost[:4]) != ReleaseCost():
            ways = ways_to_count(_guarantee(*cost[:3]))
            limits = (*islice((each for each in limits if any(map(each.allow, ways))), 1),) or limits
        total += cost_of(*cost).times(count)
    return limits, total


def limits_and_spent(connection: Connection, number: int) -> tuple[tuple[Limits, ...], ReleaseCost]:
    """Return the limits of the account of this number, and the exact sums of its charges, without a check.

    Equal costs are counted by the database and multiplied here, because it would add up floats. O(releases) there,
    O(different costs) here.
    """
    cost, first = [releases.c[name] for name in COST], func.min(releases.c.place)
    alike = select(*cost, func.count()).where(releases.c.account == number).group_by(*cost).order_by(first)
    account = connection.execute(select(accounts).where(accounts.c.number == number)).one()
    found = [(tuple(row[:-1]), row[-1]) for row in connection.execute(alike)]
    with readable(account.name):
        return tallied(json.loads(account.budget), found)


def check(connection: Connection, account: Mapping[Any, Any], key: bytes | None, *, reading: bool = False) -> Checked:
    """Check all that was written about an account, given its row, and add it up. O(releases).

    `reading`: without the key, links that were made with one are taken as they are.
    """
    entries, kinds = _entries(connection, account)
    by_place = {entry.place: entry for entry in entries}
    link, charges = "", 0
    for place in range(len(entries)):
        end, entry = End(place - 1, link), by_place.get(place)
        if entry is None:
            return Checked(problem=f"an entry after charge {charges} is missing", charges=charges, end=end)
        if not is_linked(entry.link, link, entry.kind, entry.digest, key, reading=reading):
            return Checked(problem=f"{entry.name} is missing or was changed", charges=charges, end=end)
        link, charges = entry.link, charges + (entry.kind is Kind.CHARGED)
    limits, spent = tallied(json.loads(account["budget"]), ((cost, found[1]) for (cost, *_), found in kinds.items()))
    wrong = [problem for kind, (first, _) in kinds.items() if (problem := _contradiction(first, *kind))]
    if not any(each.allow(spent) for each in limits):
        wrong.append("its charges add up to more than its budget")
    end = End(len(entries) - 1, link)
    return Checked(problem=wrong[0] if wrong else "", charges=charges, end=end, limits=limits, spent=spent)


class _Entry(NamedTuple):
    """One entry: its place, what it is, its link, a digest of what it says, and the number of its charge."""

    place: int
    kind: Kind
    link: str
    digest: str
    charge: int

    @property
    def name(self) -> str:
        """Return what a problem with it is called."""
        return {
            Kind.OPENED: "its name, its budget or what it protects",
            Kind.CHARGED: f"charge {self.charge}",
            Kind.ENDED: f"how charge {self.charge} ended",
            Kind.CLOSED: "its closing",
        }[self.kind]


AT_ONCE = 200
"""Charges that are read at once: each has its answer with it."""
_PARTS = (CHARGED, ENDED, ("link", "end_place", "end_link"), COST)
_COLUMNS = [releases.c[name] for part in _PARTS for name in part]
_CHARGED, _ENDED, _PLACED, _COST = (
    slice(end - len(part), end) for part, end in zip(_PARTS, accumulate(map(len, _PARTS)), strict=True)
)


def _entries(
    connection: Connection, account: Mapping[Any, Any]
) -> tuple[list[_Entry], dict[tuple[tuple[Any, ...], bool, bool], tuple[int, int]]]:
    """Return all entries of an account; and of charges that are alike the number of the first, and how many they are.

    Alike: they cost the same, and have ended or not, and have an answer or not.
    """
    entries = [_Entry(0, Kind.OPENED, account["link"], digest_of(account[name] for name in OPENED), 0)]
    if any(account[name] is not None for name in ("closed", "closed_place", "closed_link")):
        digest = digest_of(account[name] for name in CLOSED)
        entries.append(_Entry(account["closed_place"], Kind.CLOSED, str(account["closed_link"]), digest, 0))
    chosen = select(*_COLUMNS).where(releases.c.account == account["number"]).order_by(releases.c.place)
    kinds: dict[tuple[tuple[Any, ...], bool, bool], tuple[int, int]] = {}
    rows = chain.from_iterable(connection.execute(chosen).partitions(AT_ONCE))
    for number, row in enumerate(map(tuple, rows), start=1):
        (*_, finished, answer), (link, *end) = row[_ENDED], row[_PLACED]
        ended = any(value is not None for value in (finished, answer, *end))
        entries.append(_Entry(row[0], Kind.CHARGED, link, digest_of(row[_CHARGED]), number))
        if ended:
            entries.append(_Entry(end[0], Kind.ENDED, str(end[1]), digest_of(row[_ENDED]), number))
        alike = row[_COST], ended, answer is not None
        first, count = kinds.get(alike, (number, 0))
        kinds[alike] = first, count + 1
    return entries, kinds


def _contradiction(number: int, cost: tuple[Any, ...], ended: bool, answered: bool) -> str:
    """Return what cannot be true of a charge, even if it is signed; empty where there is nothing."""
    epsilon, *_, state, refused = cost
    if (state == State.CHARGED) is ended:
        return f"how charge {number} ended is missing or was changed"
    if answered and state not in {State.ANSWERED, State.INFEASIBLE}:  # or the refusal that was paid for
        return f"charge {number} has an answer, and its state is {state}"
    if refused is not None and (state != State.INFEASIBLE or Decimal(refused) > Decimal(epsilon)):
        return f"charge {number} does not count what it says"
    return ""


def sound(connection: Connection, account: Mapping[Any, Any], key: bytes | None) -> Checked:
    """Return what `check` finds about an account. Raises LedgerError where something is wrong."""
    found = check(connection, account, key)
    if found.problem:
        raise LedgerError(BROKEN.format(account["name"], found.problem))
    return found
