"""Plans for several columns that share one budget: names, a plan for each, and how the budget is divided."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

from .domain.numbers import Number
from .errors import ParameterError
from .plan import Plan, checked_weights, read_json
from .privacy.budgets import Adjacency, Guarantee, Privacy
from .privacy.composition import in_sequence, parts_by_weights

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
        cls,
        names: Iterable[str],
        plan: Plan | Mapping[str, Plan] | ColumnsPlan,
        weights: Mapping[str, Number] | None = None,
    ) -> ColumnsPlan:
        """Return one plan for all columns, or a plan for each; without `weights` they are the plan's own, or equal.

        Raises ParameterError.
        """
        names = tuple(names)
        if isinstance(plan, ColumnsPlan) and weights is None and plan.names == names:
            return plan
        if not 1 <= len(names) <= MOST_COLUMNS:
            raise ParameterError("columns", f"must be 1 to {MOST_COLUMNS}, got {len(names)}.")
        if not all(isinstance(name, str) and 0 < len(name) <= LONGEST_NAME for name in names):
            raise ParameterError("columns", f"must have names of 1 to {LONGEST_NAME} characters.")
        if isinstance(plan, ColumnsPlan):
            own: Mapping[str, Fraction] | None = dict(zip(plan.names, plan.weights, strict=True))
            plan = dict(zip(plan.names, plan.plans, strict=True))
        else:
            own = plan.weights if isinstance(plan, Plan) else None
        plans, weights = _plans_for(names, plan), own if weights is None else weights
        if len({(each.privacy, each.adjacency) for each in plans}) > 1:
            raise ParameterError("plan", "must name one budget and one adjacency in all columns: those of the whole.")
        given = dict.fromkeys(names, Fraction(1)) if weights is None else checked_weights(weights)
        plans = tuple(each if each.weights is None else replace(each, weights=None) for each in plans)
        return cls(names=names, plans=plans, weights=_for_each(names, given, "weights"))

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

    def with_budget(self, privacy: Privacy) -> ColumnsPlan:
        """Return the plan with another budget of the whole."""
        return replace(self, plans=tuple(replace(plan, privacy=privacy) for plan in self.plans))

    def divided(self) -> list[tuple[Plan, ...]]:
        """Return the ways to divide the budget: for each a plan for every column, which add up to no more.

        Raises ParameterError where too little is left for a column.
        """
        return [
            tuple(
                plan if plan.privacy == part else replace(plan, privacy=part)
                for plan, part in zip(self.plans, parts, strict=True)
            )
            for parts in parts_by_weights(self.privacy, self.weights)
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
        triples = zip(self.names, self.plans, self.weights, strict=True)
        return {"columns": [{"name": name, "plan": plan.as_dict(), "weight": str(w)} for name, plan, w in triples]}

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
