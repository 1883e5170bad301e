"""Plans for several columns that share one budget: names, a plan for each, and how the budget is divided."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar

from .domain.numbers import Number
from .errors import ParameterError, shown
from .plan import MAX_LEVELS, Plan, checked_weights, read_json
from .privacy.budgets import Adjacency, Guarantee, Privacy
from .privacy.composition import in_sequence, parts_by_weights

T = TypeVar("T")
MOST_COLUMNS = 1000
LONGEST_NAME = 200
"""Characters of a column's name, at most."""


@dataclass(frozen=True, kw_only=True)
class ColumnsPlan:
    """The choices of a run over the columns of a table, in their order; made by `ColumnsPlan.of`."""

    plans: Mapping[str, Plan]
    """By column: each names the budget and the adjacency of the whole."""
    weights: Mapping[str, Fraction]
    """How the columns divide the budget."""

    @classmethod
    def of(cls, names: Iterable[str], plan: Plans, weights: Weights = None) -> ColumnsPlan:
        """Return one plan for all columns, or a plan for each; without `weights` they are the plan's own, or equal.

        Raises ParameterError.
        """
        names, own = tuple(names), None if isinstance(plan, Mapping) else getattr(plan, "weights", None)
        if isinstance(plan, ColumnsPlan):
            if weights is None and plan.names == names:
                return plan
            plan = plan.plans
        if not 1 <= len(names) <= MOST_COLUMNS:
            raise ParameterError("columns", f"must be 1 to {MOST_COLUMNS}, got {len(names)}.")
        if not all(isinstance(name, str) and 0 < len(name) <= LONGEST_NAME for name in names):
            raise ParameterError("columns", f"must have names of 1 to {LONGEST_NAME} characters.")
        plans = _for_each(names, plan, "plan") if isinstance(plan, Mapping) else dict.fromkeys(names, plan)
        if not all(isinstance(each, Plan) for each in plans.values()):
            raise ParameterError("plan", "must be a Plan, or a Plan for each column.")
        if len({(each.privacy, each.adjacency) for each in plans.values()}) > 1:
            raise ParameterError("plan", "must name one budget and one adjacency in all columns: those of the whole.")
        weights = own if weights is None else weights
        given = dict.fromkeys(names, Fraction(1)) if weights is None else checked_weights(weights)
        found = cls(plans=plans, weights=_for_each(names, given, "weights"))
        return found.each(lambda name, plan: plan if plan.weights is None else replace(plan, weights=None))

    def each(self, change: Callable[[str, Plan], Plan]) -> ColumnsPlan:
        """Return the same with another plan for each column, given its name and its plan."""
        return replace(self, plans={name: change(name, plan) for name, plan in self.plans.items()})

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return tuple(self.plans)

    @property
    def first(self) -> Plan:
        """Return the plan of the first column."""
        return next(iter(self.plans.values()))

    @property
    def privacy(self) -> Privacy:
        """Return the budget of the whole."""
        return self.first.privacy

    @property
    def adjacency(self) -> Adjacency:
        """Return what one person can change."""
        return self.first.adjacency

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """Return the keys of the mechanisms, each once."""
        return tuple(dict.fromkeys(plan.mechanism for plan in self.plans.values()))

    @property
    def levels(self) -> int:
        """Return how many quantiles there are in all columns."""
        return sum(len(plan.quantiles) for plan in self.plans.values())

    def with_budget(self, privacy: Privacy) -> ColumnsPlan:
        """Return the plan with another budget of the whole."""
        return self.each(lambda _, plan: replace(plan, privacy=privacy))

    def divided(self) -> list[dict[str, Plan]]:
        """Return the ways to divide the budget: for each a plan for every column, which add up to no more.

        Raises ParameterError where too little is left for a column.
        """
        ways = parts_by_weights(self.privacy, tuple(self.weights[name] for name in self.plans))
        return [
            {
                name: plan if plan.privacy == part else replace(plan, privacy=part)
                for (name, plan), part in zip(self.plans.items(), parts, strict=True)
            }
            for parts in ways
        ]

    def guarantee_of(self, parts: Iterable[Guarantee]) -> Guarantee:
        """Return the guarantee of the whole, where each column's is given."""
        found = in_sequence(self.privacy, parts)
        assert found.adjacency is self.adjacency, "columns with the adjacency of the whole"
        return found

    def to_json(self) -> str:
        """Return the plan as JSON text; `ColumnsPlan.from_json` gives an equal plan."""
        return json.dumps(self.as_dict(), sort_keys=True)

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as plain values, in the order of the columns."""
        columns = [
            {"name": name, "plan": plan.as_dict(), "weight": str(self.weights[name])}
            for name, plan in self.plans.items()
        ]
        return {"columns": columns}

    @classmethod
    def from_json(cls, text: str) -> ColumnsPlan:
        """Return the plan that `to_json` wrote. Raises ParameterError for anything else."""
        return cls.from_dict(read_json(text, "plan"))

    @classmethod
    def from_dict(cls, values: Any) -> ColumnsPlan:
        """Return the plan that `as_dict` wrote. Raises ParameterError for anything else."""
        try:
            columns = [(each["name"], Plan.from_dict(each["plan"]), each["weight"]) for each in values["columns"]]
        except (TypeError, KeyError):
            raise ParameterError("plan", "must hold columns, each with a name, a plan and a weight.") from None
        plans, weights = {name: plan for name, plan, _ in columns}, {name: weight for name, _, weight in columns}
        return cls.of([name for name, *_ in columns], plans, weights)


Plans: TypeAlias = Plan | Mapping[str, Plan] | ColumnsPlan
"""One plan for all columns, one for each, or those of several columns with their weights."""
Weights: TypeAlias = Mapping[str, Number] | None


def _for_each(names: tuple[str, ...], given: Mapping[str, T], what: str) -> dict[str, T]:
    """Return what is given for each column, in their order. Raises ParameterError for other names."""
    if not isinstance(given, Mapping) or set(given) != set(names):
        raise ParameterError(what, "must name the same columns as the data.")
    return {name: given[name] for name in names}


def check_plan(plan: object) -> None:
    """Raise ParameterError unless it is a Plan, and one of a single column."""
    if not isinstance(plan, Plan):
        raise ParameterError("plan", f"must be a Plan, got {type(plan).__name__}.")
    if plan.weights is not None:
        raise ParameterError("weights", "must be None for a single column.")


def synthetic_plan(plan: Plan, size: int) -> Plan:
    """Return the plan that a synthetic column of `size` values answers. Raises ParameterError."""
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MAX_LEVELS:
        raise ParameterError("size", f"must be a whole number from 1 to {MAX_LEVELS}, got {shown(size)}.")
    check_plan(plan)
    levels = [Fraction(2 * i + 1, 2 * size) for i in range(size)]
    return Plan(levels, plan.mechanism, plan.privacy, plan.adjacency, plan.options)
