"""What every release and every study is made of: one part for each column, with the answers of all its groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

import numpy as np

from .arrays import Flags, Floats
from .domain.domain import Domain
from .domain.finding import FindBounds
from .errors import ParameterError
from .frames.cells import COLUMN, Cells, GroupCells, Numbers, cells_of, release_numbers, study_numbers
from .frames.notebook import Budgeted, Contents, contents_of
from .frames.offered import Simulated, Tabular
from .intervals.drawn import Basis
from .plan import Plan
from .privacy.budgets import Guarantee
from .version import VERSION

V_co = TypeVar("V_co", covariant=True)
Name: TypeAlias = str | int | GroupCells
"""The name of a group; of groups by several columns one name for each of these."""


@dataclass(frozen=True, kw_only=True)
class _OfColumn(ABC):
    """What is known of the answers of one column, whole or in groups, whether released or simulated."""

    column: str | None
    """None where that column alone was asked for: it has no name there."""
    groups: tuple[Name, ...] | None
    """The groups that are answered, in their order; None for a column in one piece, which counts as one group."""
    plan: Plan
    """What was run: of several columns, with this column's own part of the budget."""
    guarantee: Guarantee
    basis: Basis | None = None
    notes: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    """What the columns are called whose values name the groups, where that is known."""

    @property
    @abstractmethod
    def _numbers(self) -> Mapping[str, Numbers]:
        """Return the numbers of all answers, by name, (trials, groups, levels)."""

    @property
    def cells(self) -> Cells:
        """Return the answers as cells of a table."""
        return cells_of(self.column or COLUMN, self.plan.quantiles, self._numbers, self.by, self.groups)


@dataclass(frozen=True, kw_only=True)
class Part(_OfColumn):
    """The answers of one column of a release, whole or in groups; everything here may be shown to anyone."""

    domain: Domain
    values: tuple[tuple[float, ...], ...]
    """Of each group, in the order of the plan's levels."""
    intervals: tuple[tuple[tuple[float, float], ...], ...] = ()
    """(low, high) of each value of each group; empty where the plan asks for none."""
    find_bounds: FindBounds | None = None
    warnings: tuple[str, ...] = ()

    @property
    def _numbers(self) -> Mapping[str, Numbers]:
        return release_numbers(self.values, self.intervals, len(self.plan.quantiles), self.domain)


@dataclass(frozen=True, kw_only=True, repr=False)
class Release(Tabular, ABC, Generic[V_co]):
    """Hold the answers of a release; you may show all of them to anyone, and none is exact.

    It has one of three shapes: the answers of one column, of the groups of one column, or of the columns of a table.
    `parts` has the same form for all of them.
    """

    guarantee: Guarantee
    """Of all answers together."""
    plan: Budgeted
    version: str = VERSION

    if TYPE_CHECKING:  # fields of some shapes, and worked out by others

        @property
        def values(self) -> V_co:
            """Return the answers, in the shape of what was asked."""

        @property
        def warnings(self) -> tuple[str, ...]:
            """Return what is unusual about the settings and the answers."""

    @property
    @abstractmethod
    def parts(self) -> tuple[Part, ...]:
        """Return the answers column by column."""

    def _contents(self) -> Contents:
        return contents_of(self, (part.cells for part in self.parts))


@dataclass(frozen=True, kw_only=True)
class StudyPart(_OfColumn):
    """The simulated answers of one column, whole or in groups. As private as the data."""

    values: Floats
    """(trials, groups, levels): a column in one piece is one group. NaN for a group that a trial did not find."""
    signed_rank_errors: Floats
    """Of the same shape, in records."""
    intervals: Floats | None = None
    """(trials, groups, levels, 2), low and high; None where the plan asks for none."""
    covered: Flags | None = None
    """Whether each interval holds the true quantile, of the shape of `values`."""
    rank_error_slack: int = 0
    """How much the rank errors may be understated: 0 where the truth is at hand."""

    @property
    def coverage(self) -> Floats:
        """Return the proportion of trials in which each interval holds the true quantile, shape (groups, levels).

        Of those trials that found the group; NaN where none did. Raises ParameterError where the plan asks for no
        intervals.
        """
        if self.covered is None:
            raise ParameterError("intervals", "must be chosen in the plan, as in Plan(..., intervals=0.95).")
        found = np.isfinite(self.values).sum(axis=0)
        held = self.covered.sum(axis=0) / np.maximum(found, 1)
        return np.where(found > 0, held, np.nan)

    @property
    def _numbers(self) -> Mapping[str, Numbers]:
        return study_numbers(self.values, self.signed_rank_errors, self.covered)


@dataclass(frozen=True, kw_only=True, repr=False)
class SimulatedAnswers(Simulated, ABC):
    """Simulated answers with their rank errors, in one of the three shapes of a release. As private as the data."""

    guarantee: Guarantee
    """Of all answers together, were they released."""
    plan: Budgeted
    seed: int
    version: str = VERSION

    if TYPE_CHECKING:

        @property
        def warnings(self) -> tuple[str, ...]:
            """Return what is unusual about the settings."""

    @property
    @abstractmethod
    def parts(self) -> tuple[StudyPart, ...]:
        """Return the answers column by column."""

    def _contents(self) -> Contents:
        return contents_of(
            self,
            (part.cells for part in self.parts),
            seed=self.seed,
            trials=max((len(part.values) for part in self.parts), default=1),
            rank_error_slack=max((part.rank_error_slack for part in self.parts), default=0),
        )
