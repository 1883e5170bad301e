"""Run: what is run of one column, whole or in groups, at its own part of a budget. All advice rests on such facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from ..calibrations import MOST_OF_SEVERAL, calibrate, singly
from ..domain.domain import Domain
from ..errors import ParameterError
from ..intervals.ends import ends_of
from ..intervals.interpolation import may_interpolate
from ..mechanisms.base import Make
from ..mechanisms.registry import MECHANISMS
from ..plan import OptionValue, Plan
from ..privacy.budgets import Adjacency
from ..privacy.composition import RECORD, PrivacyUnit
from ..studies.shapes import USUAL_SIZE

USUAL_DISTANCE = 30
"""Ranks: of the ends of intervals from their quantile, before it is known."""


@dataclass(frozen=True)
class Run:
    """What is public about a column that is answered. Raises ParameterError."""

    plan: Plan
    """With the part of the budget that its answers have; one level at least."""
    domain: Domain = Domain(0, 100)  # noqa: RUF009 - frozen
    unit: PrivacyUnit = RECORD
    """What is protected: one record, or one person with several; the budget is for the whole."""
    groups: int | None = None
    """How many groups all columns have, if each is answered; None for a whole column."""

    def __post_init__(self) -> None:
        if not self.plan.quantiles:
            raise ParameterError("quantiles", "must hold at least one level.")

    @property
    def m(self) -> int:
        """Return the number of distinct quantiles."""
        return len(set(self.plan.quantiles))

    def by(self, mechanism: str, options: Mapping[str, OptionValue] | None = None) -> Run:
        """Return the same by another mechanism."""
        return replace(self, plan=replace(self.plan, mechanism=mechanism, options=options or {}))

    def with_ends(self, n: int | None) -> Run:
        """Return the same with the levels that are drawn for intervals, at a usual distance, in place of intervals."""
        plan = self.plan
        if plan.intervals is None:
            return self
        distance = Fraction(USUAL_DISTANCE, max(USUAL_SIZE if n is None else n, 1))
        ends = ends_of(plan.quantiles, [distance] * len(plan.quantiles))
        further = {level for both in ends for level in both if level is not None} - set(plan.quantiles)
        about = plan.about_n if isinstance(plan.about_n, int) else None
        levels = (*plan.quantiles, *sorted(further))
        return replace(self, plan=replace(plan, quantiles=levels, intervals=None, about_n=about))

    @property
    def drawn(self) -> Plan:
        """Return the plan of a simulation, without intervals: a guess of n is left where fewer levels are drawn by it.

        Not every mechanism is available for it.
        """
        bare, about = replace(self.plan, intervals=None, about_n=None), self.plan.about_n
        kept = isinstance(about, int) and self.groups is None and may_interpolate(bare)
        return replace(bare, about_n=about) if kept else bare

    @property
    def bell(self) -> tuple[float, float] | None:
        """Return the standard deviation of normal records and the bound on their mean, where the options say them."""
        known, options = MECHANISMS.get(self.plan.mechanism), self.plan.options
        sigma, mean_bound = options.get("sigma"), options.get("mean_bound")
        own = known is not None and known.PROFILE.needs_normal
        if own and isinstance(sigma, int | float) and isinstance(mean_bound, int | float):
            return float(sigma), float(mean_bound)
        return None

    @property
    def make(self) -> Make:
        """Return what makes the parameters: in many groups the quickest way."""
        return singly if (self.groups or 0) > MOST_OF_SEVERAL else calibrate

    @property
    def knows_n(self) -> bool:
        """Return whether the number of records is public."""
        one = self.unit.is_one_record and self.groups is None
        return one and self.plan.adjacency is Adjacency.SUBSTITUTE
