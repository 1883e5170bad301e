"""What answers of a column are drawn from: what records and sketches of them have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from .arrays import Floats, Integers, Segments
from .domain.domain import Domain
from .domain.finding import FindBounds
from .domain.measure import EVERY_INDEX, BaseMeasure
from .domain.numbers import Number
from .errors import ParameterError, shown
from .groups.names import GroupName, as_name
from .people.ids import UNSAID, Whose
from .people.takes import PerPerson
from .privacy import composition
from .privacy.budgets import Adjacency, Protects
from .privacy.composition import GroupsPerPerson, PrivacyUnit

T = TypeVar("T")
ROWS, GK, BINS = "rows", "gk", "bins"
"""How a column is held: all its rows, or a sketch of them."""
WHOLE: GroupName = ()
"""The name of the one group of a column in one piece."""


class OneColumn:
    """What answers of a column are drawn from: records or a sketch of them, on a grid; in one group `()` or in many."""

    held: ClassVar[str] = ROWS
    domain: Domain
    protects: Protects
    max_rows_per_person: int | None
    names: tuple[GroupName, ...] = (WHOLE,)
    by: tuple[str, ...] = ()
    find_bounds: FindBounds | None = None
    finding: float | None = None
    pooled: bool = False
    per_person: PerPerson | None = None
    whose: Whose = UNSAID
    persons: Integers | None = None
    max_groups_per_person: GroupsPerPerson | None = None
    weights: NDArray[np.int32] | None = None

    @property
    def on_any_grid(self) -> Self:
        """Return the data on a grid on which answers lie, or may lie where it is to be found."""
        return self

    def each_part(self, work: Callable[[Any, int], T]) -> list[T]:
        """Return what `work` gives for each part of the groups and its number: one part, unless on a cluster."""
        return [work(self, 0)]

    def on(self, domain: Domain, tie_bits: int | None = None) -> Any:
        """Return a column whose bounds were found on a grid."""
        raise NotImplementedError

    def in_one_piece(self) -> Any:
        """Return the records of all groups together, by which bounds are found."""
        return self

    @property
    def records_each(self) -> int:
        """Return how many records one person may have in all groups together; public."""
        return self.max_rows_per_person or 1

    @property
    def options(self) -> Mapping[str, float | int]:
        """Return the options of a plan that a sketch has already decided; public."""
        return {}

    @property
    def in_groups(self) -> bool:
        """Return whether there are other groups than the one of all records."""
        return self.names != (WHOLE,)

    @property
    def n(self) -> int:
        """Return the number of records, of persons where rows are shares."""
        raise NotImplementedError

    @property
    def unit(self) -> int:
        """Return how many units a record, or a person, weighs: 1 unless all rows of a person weigh 1 together."""
        return 1

    @property
    def rank_slack(self) -> int:
        """Return how much larger a rank error can be than the distance from the rank bounds."""
        return 0

    @property
    def in_ranges(self) -> bool:
        """Return whether records are on a cluster, and each draw asks for those that it reads."""
        return False

    @property
    def segments(self) -> Segments | None:
        """Return the records of all groups, where draws read them side by side, and not as columns of their own."""
        return None

    @property
    def starts(self) -> Integers:
        """Return where each group's records begin, and the end of all: (groups + 1,). Private."""
        return np.array([0, self.n])

    @property
    def masses(self) -> Integers:
        """Return the weight of all rows of each group, in units; its records where these are whole. Private."""
        return np.diff(self.starts)

    def unit_between(self, adjacency: Adjacency) -> PrivacyUnit:
        """Return how neighbours of these data differ; public."""
        return composition.unit_of_groups(
            adjacency, self.max_groups_per_person, protects=self.protects,
            max_rows_per_person=self.max_rows_per_person, shares=self.weights is not None,
        )  # fmt: skip

    def place_of(self, name: object) -> int:
        """Return the place of the group of this name, None where there are no groups. Raises ParameterError."""
        if not self.in_groups:
            if name is not None:
                raise ParameterError("group", "must be None for a column that is not in groups.")
            return 0
        known = as_name(name)
        if known is None or known not in self.names:
            raise ParameterError("group", f"must be the name of one of these groups, got {shown(name)}.")
        return self.names.index(known)


class Sketch(OneColumn):
    """What some mechanisms read in place of records."""

    places: BaseMeasure = EVERY_INDEX
    """Answers are grid indices; those of a Column are slots."""
    protects: Protects = "record"
    """What neighbouring sketches differ by; "person" where each record is one of a person with several rows."""
    max_rows_per_person: int | None = None
    missing: Number | None
    """What a missing value counts as; None where such records are left out."""
    dropped: int
    """How many records were missing or not finite; private."""
    seed: int | None = None
    is_in_memory = True

    def rank_bounds(self, cells: Integers) -> tuple[Integers, Integers]:
        """Return for grid indices i numbers <= #{x < i} and >= #{x <= i}; same shape."""
        raise NotImplementedError

    def count_below(self, cells: Integers) -> Integers:
        """Return for grid indices a number of records at lower ones, too low where they do not tell."""
        return self.rank_bounds(cells)[0]

    def count_through(self, cells: Integers) -> Integers:
        """Return for grid indices a number of records at these and at lower ones, too high where they do not tell."""
        return self.rank_bounds(cells)[1]

    @property
    def slots(self) -> int:
        """Return the size of the output space of every draw."""
        return self.domain.cells

    def values_of(self, cells: Integers) -> Floats:
        """Return the values at grid indices; same shape."""
        return self.domain.decode(cells)

    def column(self, group: int) -> Self:
        """Return the records of the one group."""
        return self
