"""What a report knows: private answers and public facts."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from ..domain.domain import Domain
from ..far_answers import far_answers
from ..intervals.drawn import Basis
from ..plan import Plan
from ..privacy.budgets import Privacy
from ..release import now
from ..results.answers import USELESS, middle_of
from ..results.error_bound import ErrorBound
from ..results.odds import right_of_hundred
from ..results.wording import Wording
from ..studies.measures import RankErrors


@dataclass(frozen=True, kw_only=True)
class ReportFacts:
    """Everything that a report says: private answers and public facts. The truth is never part of it."""

    title: str
    about: str
    wording: Wording
    plan: Plan
    domain: Domain
    values: tuple[float, ...]
    """In the order of the plan's quantiles."""
    intervals: tuple[tuple[float, float], ...] = ()
    """Of each answer; empty where the release has none."""
    basis: Basis | None = None
    """What the intervals rest on."""
    notes: tuple[str, ...] = ()
    """What else a reader of the answers should know, in sentences."""
    simulated: bool = False
    privacy: Privacy
    """What the answers have spent."""
    account: str = ""
    """The data set's name; empty for a simulation, which has no release id either."""
    release_id: str = ""
    left: str = ""
    """What its budget has left on the day of the report, as a sentence; empty for a simulation."""
    allows_again: bool = True
    """Whether that day the budget would pay for one more draw."""
    released: str = ""
    """The day of the release; empty for a simulation."""
    made: str = field(default_factory=lambda: now()[:10])
    """The day of the report."""
    version: str
    rule: str = ""
    """What counts of a person who may have several rows; empty if every row is another person."""
    n: int
    """How many people the errors were worked out for."""
    counted: bool
    """Whether this number is known; otherwise it is a guess, and the report says "if"."""
    error_bound: ErrorBound | None
    presets: dict[str, ErrorBound | None]
    """None for a budget at which the mechanism is not available; empty without errors."""
    of_rows: bool = False
    """Whether several rows of one person count, so that a quantile is a share of rows and not of people."""
    rule_unknown: bool = False
    """Whether it is not known what counts of a person's rows, on which the errors depend."""
    chances: tuple[float, ...] = ()
    """How often each answer is far off, in a report of several columns, by a forecast; empty where it is not known."""
    group: str = ""
    """Of which group of a column, in a report of several columns."""
    too_small: bool = False
    """Whether it is of a group that is too small for its budget, so that its answers are noise."""
    bounds_found: bool = False
    """Whether the release found its bounds in the data, so that no public example has the same errors."""

    @property
    def errors(self) -> RankErrors | None:
        """The rank errors of such answers in simulated runs on the public shape; None if not known."""
        return self.error_bound.errors if self.error_bound else None

    @property
    def right(self) -> int:
        """How many of 100 guesses about one person are right at most."""
        return right_of_hundred(self.privacy)

    @property
    def percent(self) -> str:
        """How sure the intervals are: `95 %`; empty without any."""
        return self.plan.intervals.percent if self.plan.intervals and self.intervals else ""

    @property
    def middle(self) -> Fraction | None:
        """The level nearest to the median; None where nothing was asked for."""
        levels = sorted(self.plan.quantiles)
        return levels[middle_of(levels)] if levels else None

    def is_far(self, level: Fraction) -> bool:
        """Return whether the answer at a level is not usable: far beyond all others, or as often far off as not."""
        at = self.plan.quantiles.index(level)
        return far_answers(self.plan.quantiles, self.values)[at] or (bool(self.chances) and self.chances[at] >= USELESS)

    def interval(self, level: Fraction) -> tuple[float, float]:
        """Return the interval of the answer at a released level."""
        return self.intervals[self.plan.quantiles.index(level)]

    def value(self, level: Fraction) -> float:
        """Return the answer at a released level."""
        return self.values[self.plan.quantiles.index(level)]
