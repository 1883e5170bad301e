"""Facts: the public knowledge on which advice rests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from ..domain.domain import Domain
from ..errors import ParameterError
from ..intervals.ends import ends_of
from ..intervals.interpolation import may_interpolate
from ..mechanisms.registry import MECHANISMS
from ..plan import Intervals, Plan
from ..privacy.budgets import Adjacency, Privacy
from ..privacy.composition import RECORD, Unit
from ..studies.configuration import Levels, Method
from ..studies.shapes import USUAL_SIZE
from ..trials import check_count

USUAL_DISTANCE = 30
"""Ranks: of the ends of intervals from their quantile, before it is known."""


@dataclass(frozen=True, kw_only=True)
class PublicFacts:
    """Collect public knowledge about a plan and its data. Raises ParameterError with the name of the fact."""

    quantiles: Levels
    """One level at least; anything that a Plan takes becomes exact fractions."""
    privacy: Privacy
    adjacency: Adjacency = Adjacency.ADD_REMOVE
    n: int | None = None
    """Records: a public number, a noisy one or a guess; None where nothing is known."""
    domain: Domain = Domain(0, 100)  # noqa: RUF009 - frozen
    unit: Unit = RECORD
    """What is protected: one record, or one person with several; the budget is for the whole."""
    shares: bool = False
    """Whether all rows of a person count, with a weight of 1 together: not every mechanism reads that."""
    intervals: Intervals | None = None
    """What the plans of these facts ask for; n is about how many records there are, where it is known."""
    about_n: int | None = None
    """The plan's own guess of the number of records, by which fewer levels may be drawn; None without one."""
    groups: int | None = None
    """How many groups all columns have, if each is answered, where n is about one of them; None for a whole column."""
    methods: tuple[Method, ...] = ()
    """Mechanisms whose options were chosen: a bound on the records for a sketch, the law of a normal column."""

    def __post_init__(self) -> None:
        plan = Plan(self.quantiles, "aq", self.privacy, self.adjacency)
        if not plan.quantiles:
            raise ParameterError("quantiles", "must hold at least one level.")
        if self.n is not None:
            check_count("n", self.n, 0)
        object.__setattr__(self, "quantiles", plan.quantiles)
        object.__setattr__(self, "adjacency", plan.adjacency)

    @classmethod
    def of(
        cls,
        plan: Plan,
        n: int | None = None,
        domain: Domain | None = None,
        unit: Unit = RECORD,
        *,
        shares: bool = False,
        groups: int | None = None,
    ) -> PublicFacts:
        """Return the facts of a plan with any mechanism; `n` may be a guess. Raises ParameterError."""
        return cls(
            quantiles=plan.quantiles, privacy=plan.privacy, adjacency=plan.adjacency, n=n, domain=domain or cls.domain,
            unit=unit, shares=shares, groups=groups, intervals=plan.intervals,
            about_n=plan.about_n if isinstance(plan.about_n, int) else None,
        )  # fmt: skip

    @property
    def m(self) -> int:
        """Return the number of distinct quantiles."""
        return len(set(self.quantiles))

    @property
    def with_ends(self) -> PublicFacts:
        """Return the facts with the levels that are drawn for intervals, too, at a usual distance."""
        if self.intervals is None:
            return self
        distance = Fraction(USUAL_DISTANCE, max(USUAL_SIZE if self.n is None else self.n, 1))
        ends = ends_of(self.quantiles, [distance] * len(self.quantiles))
        further = {level for both in ends for level in both if level is not None} - set(self.quantiles)
        return replace(self, quantiles=(*self.quantiles, *sorted(further)), intervals=None)

    @property
    def normal_distribution(self) -> tuple[float, float] | None:
        """Return the standard deviation and the bound on the mean, if the records are known to be normal."""
        options = dict(
            next((method.options for method in self.methods if MECHANISMS[method.mechanism].PROFILE.needs_normal), ())
        )
        sigma, mean_bound = options.get("sigma"), options.get("mean_bound")
        if not isinstance(sigma, int | float) or not isinstance(mean_bound, int | float):
            return None
        return float(sigma), float(mean_bound)

    def method(self, mechanism: str) -> Method:
        """Return a mechanism with the options that were chosen for it, if any were."""
        return next((method for method in self.methods if method.mechanism == mechanism), Method(mechanism))

    def plan(self, mechanism: str) -> Plan:
        """Return the plan for one mechanism; not every mechanism is available for it."""
        options = dict(self.method(mechanism).options)
        found = Plan(self.quantiles, mechanism, self.privacy, self.adjacency, options)
        return replace(found, about_n=self.about_n) if may_interpolate(found) and self.groups is None else found
