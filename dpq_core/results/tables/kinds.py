"""A request about the columns of a table, and its outcome: frozen, with everything that is needed to show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ...columns.plan import ColumnsPlan
from ...columns.release import CalibratedColumns
from ...domain.at_bounds import warnings_of_groups
from ...domain.domain import Domain
from ...domain.finding import FindBounds
from ...finding.steps import clipped
from ...plan import Plan
from ...release import warnings_of_budget
from ..answers import Answers
from ..groups.choice import GroupChoice
from ..groups.sizes import GroupSizes
from ..kinds import Explored, Outcome, Paid
from ..persons import PersonChoice
from .asked import Bounds, calibrated_columns


@dataclass(frozen=True)
class TableReading:
    """Python that reads the columns of a table again, each as an expression; public facts."""

    imports: tuple[str, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    """By the name of each column: those with values, and those of groups."""
    people: str = ""
    """The persons behind its rows; empty if every row is another person."""
    file: str = ""
    """The file that is needed beside it; empty where none is."""
    opened: str = ""
    """Python that opens the whole table as `frame`, in place of the columns; empty where these are read one by one."""


@dataclass(frozen=True, kw_only=True)
class TableRequest:
    """A request about a table: public facts only."""

    plans: Mapping[str, Plan]
    """By column; each names the budget of the whole."""
    bounds: Mapping[str, Bounds]
    weights: Mapping[str, Fraction]
    about_n: int
    """A guess of the number of records, in each group if there are groups; the best mechanism is chosen for it."""
    missing: Mapping[str, Fraction | None] = field(default_factory=dict)
    """What a missing value counts as, where the number of records is public."""
    person: PersonChoice | None = None
    """Who has several rows, and what is taken of them."""
    groups: GroupChoice | None = None
    """The groups of all columns that are answered; None for one answer of each column."""
    sizes: GroupSizes = field(default_factory=GroupSizes)
    """About how many records groups have, as was said."""
    chances: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """How often each answer is far off, by a forecast from public facts; columns without one are left out."""
    asked: TableRequest | None = field(default=None, compare=False)
    """The same as it was asked, with "best" in place of mechanisms; None where it is what was asked."""

    @property
    def plan(self) -> ColumnsPlan:
        """Return the plan of the whole. Raises ParameterError."""
        return ColumnsPlan.of(self.plans, self.plans, self.weights)

    @property
    def domains(self) -> dict[str, Domain]:
        """Return the grid of all answers of each column; the widest that there can be where bounds are to be found."""
        return {name: each.widest if isinstance(each, FindBounds) else each for name, each in self.bounds.items()}

    def calibrated(self) -> CalibratedColumns:
        """Return what the answers cost, from public facts. Raises ParameterError (also Infeasible)."""
        missing = {name: self.missing.get(name) for name in self.plans}
        return calibrated_columns(self.plan, self.bounds, self.groups, self.person, missing, self.about_n)


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnsOutcome(Outcome):
    """Several columns that were simulated or released in one go."""

    one: str
    many: str
    protected: str
    """What the promise covers: one record, or one person with all rows."""
    rule: str
    """What counts of each person, as a sentence; empty if every row is another person."""
    plan: ColumnsPlan
    answers: tuple[Answers, ...]
    request: TableRequest
    """What was asked, with the mechanisms that were run."""
    reading: TableReading
    """How its rows are read again."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what is unusual about the whole budget, and of groups what is the same in all of a column."""
        found = []
        for name in dict.fromkeys(each.wording.name for each in self.answers if each.group):
            own = [each for each in self.answers if each.wording.name == name]
            found += [f"{name}: {each}" for each in warnings_of_all(own)]
        return (*warnings_of_budget(self.plan.privacy, self.guarantee), *found)

    @property
    def grouped(self) -> bool:
        """Return whether every group is answered."""
        return self.request.groups is not None


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnsSimulation(ColumnsOutcome, Explored):
    """One simulated run beside the truth."""

    n: int


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnsReleased(ColumnsOutcome, Paid):
    """A release of all columns."""


def warnings_of_all(groups: Sequence[Answers]) -> tuple[str, ...]:
    """Return what the answers of all groups of one column say about their bounds, and that these were found."""
    first = groups[0]
    found = () if first.find_bounds is None else (clipped(first.find_bounds, first.domain),)
    return (*warnings_of_groups({each.group: each.values for each in groups}, first.domain), *found)
