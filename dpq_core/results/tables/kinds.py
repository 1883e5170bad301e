"""A request about the columns of a table, and how its rows are read: public facts alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ...columns.release import CalibratedColumns
from ...columns_plan import ColumnsPlan
from ...domain.domain import Domain
from ...domain.finding import FindBounds
from ...plan import Plan
from ..groups.choice import GroupChoice
from ..groups.sizes import GroupSizes
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
    said: Mapping[str, Any] = field(default_factory=dict)
    """What was said of how its cells are written, as plain values: a release id belongs to it."""

    @property
    def as_values(self) -> str:
        """Return Python that reads the first column into `values`, and whose its rows are into `people`."""
        read = self.columns[0][1] if self.columns else "[]"
        people = f"\npeople = {self.people}" if self.people else ""
        return "\n".join(self.imports) + f"\n\nvalues = {read}{people}"


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
