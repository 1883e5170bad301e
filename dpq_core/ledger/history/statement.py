"""State every release of an account with its price, what it took off the budget, and what was left after it.

All amounts are rounded as they are shown, so that a reader who adds them up by hand finds the sums beside them: the
lines' `counted` add up to what is spent, and their prices to the sum of prices. What counting together saves, and in
which sums, is stated apart from that, by name.

Files for an auditor have the numbers of the page Releases under the same names, and more. Sums that are exact are
written as exact decimals in text.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ...privacy.budgets import ApproxDP, privacy_as_dict
from ...release import now
from ..filters import NOTHING, ReleaseCost, exact
from .entries import Balance, Entry, Scale, Standing, balance, shown


@dataclass(frozen=True, kw_only=True)
class StatementLine:
    """One release of a statement."""

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
class Breakdown:
    """A sum behind the decision, whose other parts add up to its total."""

    spent: Decimal
    left: Decimal
    total: Decimal
    reserved: Decimal | None = None
    """For counting together: of delta only."""

    def as_dict(self) -> dict[str, str]:
        """Return the parts as texts, by the names that the page uses too."""
        reserved = {} if self.reserved is None else {"kept_for_counting_together": self.reserved}
        amounts = {"spent": self.spent, **reserved, "left": self.left, "total": self.total}
        return {name: shown(amount) for name, amount in amounts.items()}


@dataclass(frozen=True)
class Statement:
    """What a reader sees of an account's history; made by `statement`."""

    found: Standing
    balance: Balance
    lines: tuple[StatementLine, ...]

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
        return self._up(self.found.together)

    @property
    def delta(self) -> Breakdown | None:
        """Return the deltas, where the budget has one."""
        budget = self.found.account.budget
        if not isinstance(budget, ApproxDP):
            return None
        total, limits = exact(budget.delta), self.found.limits
        scale = Scale.of(total)
        whole = scale.down(total)
        reserved = min(scale.up(total - max(each.delta for each in limits)), whole)
        left = max(each.left(self.found.total).delta for each in limits)
        left = max(min(scale.down(left), whole - reserved), NOTHING)
        return Breakdown(spent=whole - reserved - left, left=left, total=whole, reserved=reserved)

    @property
    def rho(self) -> Breakdown | None:
        """Return the sum of rho, where it is shown with that of epsilon and some of it is left."""
        limits = self.found.limits[0]
        decided = len(self.found.limits) == 1 and limits.epsilon is not None
        left = limits.left(self.found.total).rho
        if not decided or limits.rho is None or not left:
            return None
        scale = Scale.at_least(limits.rho)
        whole, rest = scale.down(limits.rho), scale.down(left)
        return Breakdown(spent=whole - rest, left=rest, total=whole)

    def details(self) -> dict[str, str | dict[str, str] | None]:
        """Return the texts under Details, by name; None if there is no such number."""
        amounts = {
            "sum_of_prices": self.sum_of_prices,
            "saved_by_counting_together": self.saved,
            "guarantee_so_far": self.guarantee_so_far,
        }
        sums = {"delta": self.delta, "rho": self.rho}
        texts: dict[str, str | dict[str, str] | None] = {}
        texts |= {name: None if amount is None else shown(amount) for name, amount in amounts.items()}
        return texts | {name: parts.as_dict() for name, parts in sums.items() if parts is not None}

    def _up(self, amount: float) -> Decimal:
        return Scale.of(self.balance.total).up(exact(amount))


def statement(found: Standing) -> Statement:
    """Return the statement of an account. O(releases)."""
    budget, limits = found.account.budget, found.limits
    before = balance(budget, limits, ReleaseCost())
    scale = Scale.of(before.total)
    of_delta = Scale.of(exact(budget.delta)) if isinstance(budget, ApproxDP) else scale
    so_far, prices = ReleaseCost(), ReleaseCost()
    lines = []
    for entry in found.entries:
        cost = entry.counted
        after = balance(budget, limits, so_far + cost)
        own = cost.rho if after.unit == "rho" else cost.epsilon
        price = ReleaseCost(own if own.is_finite() else NOTHING, cost.delta)
        higher = prices + price
        lines.append(
            StatementLine(
                entry=entry,
                price=scale.up(higher.epsilon) - scale.up(prices.epsilon) if own.is_finite() else None,
                delta=of_delta.up(higher.delta) - of_delta.up(prices.delta),
                counted=before.left - after.left,
                left=after.left,
            )
        )
        so_far, before, prices = so_far + cost, after, higher
    return Statement(found, before, tuple(lines))


# ── files for an auditor ─────────────────────────────────────────────────────────────────────────────────────────────

COLUMNS = (
    "number", "release_id", "state", "charged", "finished", "who", "mechanism", "quantiles", "size", "plan", "unit",
    "price", "counted", "left", "guarantee_protects", "guarantee_epsilon", "guarantee_delta", "guarantee_rho",
    "adds_epsilon", "adds_delta", "adds_rho", "data_set", "number_in_data_set", "columns", "levels", "groups",
)  # fmt: skip
"""Of the CSV. `plan` is the JSON text of the plan; `price`, `counted` and `left` are those of the page, in `unit`;
`guarantee_...` is what the release alone guarantees, `adds_...` what it adds to the exact sums that decide.
`columns`, `levels` and `groups` have semicolons between; groups that a release found are not named."""


def history_as_csv(found: Standing) -> str:
    """Return the history as CSV for an auditor or a spreadsheet: one line for each release."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    stated = statement(found)
    for line in stated.lines:
        writer.writerow(
            _line(line, stated.balance.unit) | {"plan": line.entry.plan.to_json(), "data_set": found.account.name}
        )
    return out.getvalue()


def history_as_json(found: Standing) -> str:
    """Return the account, its statement, its exact sums and limits, and every release as JSON for an auditor."""
    account, stated = found.account, statement(found)
    return json.dumps(
        {
            "account": account.name,
            "one_row_is": account.one_row_is,
            "protects": account.protects,
            "adjacency": account.adjacency.value,
            "budget": privacy_as_dict(account.budget),
            "opened": account.opened,
            "closed": account.closed,
            "written": now(),
            "unit": stated.balance.unit,
            "total": shown(stated.balance.total),
            "spent": shown(stated.balance.spent),
            "left": shown(stated.balance.left),
            "details": stated.details(),
            "sums": {name: _text(part) for name, part in vars(found.total).items()},
            "limits": [{name: _text(part) for name, part in vars(limits).items()} for limits in found.limits],
            "releases": [_line(line, stated.balance.unit) for line in stated.lines],
        },
        indent=2,
    )


def _line(line: StatementLine, unit: str) -> dict[str, Any]:
    entry, guarantee = line.entry, line.entry.guarantee
    return {
        "number": entry.number,
        "release_id": entry.release_id,
        "state": entry.state.value,
        "charged": entry.charged,
        "finished": entry.finished,
        "who": entry.who,
        "mechanism": " ".join(entry.mechanisms),
        "quantiles": entry.levels if entry.size is None else None,
        "size": entry.size,
        "plan": entry.plan.as_dict(),
        "number_in_data_set": entry.place,
        "columns": _listed(entry.names),
        "levels": _listed(entry.quantiles if entry.size is None else ()),
        "groups": _listed(entry.groups.names if entry.groups else ()),
        "unit": unit,
        "price": None if line.price is None else shown(line.price),
        "counted": shown(line.counted),
        "left": shown(line.left),
        "guarantee_protects": guarantee.protects,
        "guarantee_epsilon": repr(guarantee.epsilon),
        "guarantee_delta": repr(guarantee.delta),
        "guarantee_rho": None if guarantee.rho is None else repr(guarantee.rho),
        **{f"adds_{name}": str(part) for name, part in vars(entry.counted).items()},
    }


def _listed(parts: Iterable[object]) -> str:
    """Return parts with semicolons between, safe in a spreadsheet, which would compute what begins like a formula."""
    text = "; ".join(map(str, parts))
    return text if text[:1].isalnum() or not text else f"'{text}"


def _text(part: Decimal | None) -> str | None:
    return None if part is None else str(part)
