"""Plans for several columns that share one budget: names, a plan for each, and how the budget is divided.

Claim. One person changes at most one protected unit in each column. Columns that are eps_i-DP, or rho_i-zCDP, for it
are together (sum of eps_i)-DP (Dwork, McSherry, Nissim & Smith 2006), or (sum of rho_i)-zCDP (Bun & Steinke 2016, Lemma
1.7), and (sum of eps_i, sum of delta_i)-DP. All sums are exact, all parts are rounded down.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import Any, TypeVar

from ..domain import Number, exact_number
from ..errors import ParameterError, shown
from ..plan import Plan, read_json
from ..privacy import (
    SMALLEST_BUDGET,
    ZCDP,
    Adjacency,
    ApproxDP,
    Guarantee,
    Privacy,
    PureDP,
    largest_rho,
    round_down,
    round_up,
)

T = TypeVar("T")
MOST_COLUMNS = 1000
LONGEST_NAME = 200
"""Characters of a column's name, at most."""


@dataclass(frozen=True, kw_only=True)
class ColumnsPlan:
    """The choices of a run over several columns; made by `ColumnsPlan.of`.

    Each of `plans` names the budget and the adjacency of the whole; `weights` says how the columns divide the budget.
    """

    names: tuple[str, ...]
    plans: tuple[Plan, ...]
    weights: tuple[Fraction, ...]

    @classmethod
    def of(
        cls, names: Iterable[str], plan: Plan | Mapping[str, Plan], weights: Mapping[str, Number] | None = None
    ) -> ColumnsPlan:
        """Return one plan for all columns, or a plan for each, with weights that are equal unless given.

        Raises ParameterError.
        """
        names = tuple(names)
        if not 1 <= len(names) <= MOST_COLUMNS:
            raise ParameterError("columns", f"must be 1 to {MOST_COLUMNS}, got {len(names)}.")
        if not all(isinstance(name, str) and 0 < len(name) <= LONGEST_NAME for name in names):
            raise ParameterError("columns", f"must have names of 1 to {LONGEST_NAME} characters.")
        plans = _plans_for(names, plan)
        if len({(each.privacy, each.adjacency) for each in plans}) > 1:
            raise ParameterError("plan", "must name one budget and one adjacency in all columns: those of the whole.")
        given: tuple[Number, ...] = (1,) * len(names) if weights is None else _for_each(names, weights, "weights")
        return cls(names=names, plans=plans, weights=tuple(_checked_weight(weight) for weight in given))

    @property
    def privacy(self) -> Privacy:
        """Return the budget of the whole."""
        return self.plans[0].privacy

    @property
    def adjacency(self) -> Adjacency:
        """Return what one person can change."""
        return self.plans[0].adjacency

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """Return the keys of the mechanisms, each once."""
        return tuple(dict.fromkeys(plan.mechanism for plan in self.plans))

    @property
    def levels(self) -> int:
        """Return how many quantiles there are in all columns."""
        return sum(len(plan.quantiles) for plan in self.plans)

    def divided(self) -> list[tuple[Plan, ...]]:
        """Return the ways to divide the budget: for each a plan for every column, which add up to no more.

        Where delta is above 0 there are three: parts of epsilon and delta, of epsilon alone, and of the largest rho
        that gives (epsilon, delta). Raises ParameterError where too little is left for a column.
        """
        whole = self.privacy
        budgets: tuple[Privacy, ...] = (whole,)
        if isinstance(whole, ApproxDP):
            rho = largest_rho(whole.epsilon, whole.delta)
            budgets = (whole, PureDP(whole.epsilon), *((ZCDP(rho),) if rho >= SMALLEST_BUDGET else ()))
        total = sum(self.weights)
        ways = []
        for budget in budgets:
            parts = [_part(budget, weight / total) for weight in self.weights]
            if None not in parts:
                pairs = zip(self.plans, parts, strict=True)
                ways.append(tuple(replace(plan, privacy=part) for plan, part in pairs if part is not None))
        if not ways:
            raise ParameterError("weights", f"must leave each column a budget of at least {SMALLEST_BUDGET:g}.")
        return ways

    def guarantee_of(self, parts: Iterable[Guarantee]) -> Guarantee:
        """Return the guarantee of the whole, where each column's is given: sums, and what a sum of rho implies."""
        parts = tuple(parts)
        protects = {part.protects for part in parts}
        assert len(protects) == 1, "columns with one kind of protected unit"
        assert {part.adjacency for part in parts} == {self.adjacency}, "columns with one adjacency"
        epsilon, delta = _sum(part.epsilon for part in parts), _sum(part.delta for part in parts)
        rho = _sum(_rho_of(part) for part in parts)
        whole = self.privacy
        if isinstance(whole, ApproxDP) and not (epsilon <= whole.epsilon and delta <= whole.delta):
            assert rho <= largest_rho(whole.epsilon, whole.delta), "a way that was divided by rho"
            epsilon, delta = whole.epsilon, whole.delta
        stated = None if rho == inf else rho
        return Guarantee(epsilon=epsilon, delta=delta, rho=stated, adjacency=self.adjacency, protects=protects.pop())

    def to_json(self) -> str:
        """Return the plan as JSON text; `ColumnsPlan.from_json` gives an equal plan."""
        return json.dumps(self.as_dict(), sort_keys=True)

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as plain values, in the order of the columns."""
        triples = zip(self.names, self.plans, self.weights, strict=True)
        return {"columns": [{"name": name, "plan": plan.as_dict(), "weight": str(w)} for name, plan, w in triples]}

    @classmethod
    def from_json(cls, text: str) -> ColumnsPlan:
        """Return the plan that `to_json` wrote. Raises ParameterError for anything else."""
        values = read_json(text, "plan")
        try:
            columns = [(each["name"], Plan.from_dict(each["plan"]), each["weight"]) for each in values["columns"]]
        except (TypeError, KeyError):
            raise ParameterError("plan", "must hold columns, each with a name, a plan and a weight.") from None
        plans, weights = {name: plan for name, plan, _ in columns}, {name: weight for name, _, weight in columns}
        return cls.of([name for name, *_ in columns], plans, weights)


def _plans_for(names: tuple[str, ...], plan: Plan | Mapping[str, Plan]) -> tuple[Plan, ...]:
    plans = _for_each(names, plan, "plan") if isinstance(plan, Mapping) else (plan,) * len(names)
    if not all(isinstance(each, Plan) for each in plans):
        raise ParameterError("plan", "must be a Plan, or a Plan for each column.")
    return plans


def _for_each(names: tuple[str, ...], given: Mapping[str, T], what: str) -> tuple[T, ...]:
    """Return what is given for each column, in their order. Raises ParameterError for other names."""
    if not isinstance(given, Mapping) or set(given) != set(names):
        raise ParameterError(what, "must name the same columns as the data.")
    return tuple(given[name] for name in names)


def _checked_weight(weight: Number) -> Fraction:
    exact = exact_number(weight, "weights")
    if exact <= 0:
        raise ParameterError("weights", f"must be above 0, got {shown(weight)}.")
    return exact


def _part(budget: Privacy, fraction: Fraction) -> Privacy | None:
    """Return a fraction of a budget, rounded down; None where it is too small."""
    numbers = {name: round_down(Fraction(value) * fraction) for name, value in vars(budget).items()}
    if min(value for name, value in numbers.items() if name != "delta") < SMALLEST_BUDGET:
        return None
    return type(budget)(**numbers) if numbers.get("delta", 1) else None


def _rho_of(part: Guarantee) -> float:
    """Return the rho that is stated, or follows from a pure guarantee; infinite where none does."""
    if part.rho is not None:
        return part.rho
    if part.delta or part.epsilon == inf:
        return inf
    return round_up(Fraction(part.epsilon) ** 2 / 2)  # Bun & Steinke 2016, Proposition 1.4


def _sum(losses: Iterable[float]) -> float:
    """Return an exact sum, rounded up; infinite where a part is."""
    losses = tuple(losses)
    return inf if inf in losses else round_up(sum(map(Fraction, losses), Fraction(0)))
