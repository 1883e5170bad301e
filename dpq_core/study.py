"""A simulated release, many times over: answers of every trial beside the truth. As private as the data."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import Flags, Floats
from .columns_plan import ColumnsPlan
from .domain.domain import Domain
from .domain.finding import FindBounds
from .errors import ParameterError
from .frame import Rows, frame_of, over_trials, study_numbers
from .intervals.ends import as_pairs
from .privacy.budgets import Guarantee
from .release import Cells, Description, OneColumnsCells, warnings_of_budget
from .tabular import Tabular, counted
from .version import VERSION

if TYPE_CHECKING:
    import pandas as pd

NO_INTERVALS = "must be chosen in the plan, as in Plan(..., intervals=0.95)."


@dataclass(frozen=True, kw_only=True, eq=False)
class SimulatedCells(OneColumnsCells):
    """The simulated answers of one column, in one piece or of all its groups, with their rank errors.

    All arrays have an axis of trials, one of groups in the order of `groups`, and one of levels in that of
    `plan.quantiles`. A column in one piece is one group.
    """

    domains: tuple[Domain, ...]
    """The grid of each trial, where bounds are found; else the one grid of all trials."""
    values: Floats
    """(trials, groups, levels); NaN for a group that a trial did not find."""
    signed_rank_errors: Floats
    """Of the same shape, in records of the group: positive where a value lies too high.

    Of a sketch, errors are that large at least, and at most `rank_error_slack` larger.
    """
    intervals: Floats | None = None
    """(trials, groups, levels, 2), low and high; None where the plan asks for none."""
    covered: Flags | None = None
    """Whether each interval holds the true quantile, of the shape of `values`; of a sketch, whether it may.

    False for a group that was not found.
    """
    rank_error_slack: int = 0
    """How much the rank errors may be understated: 0 where the truth is at hand, below the threshold for a sketch."""
    seed: int
    """With which this column alone can be simulated again."""

    @property
    def rank_errors(self) -> Floats:
        """Return the rank errors without their signs, of the shape of `values` (see `dpq_core.rank_errors`)."""
        return np.abs(self.signed_rank_errors)

    @property
    def coverage(self) -> Floats:
        """Return the proportion of trials in which each interval holds the true quantile, shape (groups, levels).

        Of those trials that found the group; NaN where none did. An interval holds it if some value in it, both ends
        included, is a true quantile of the data: has the rank error 0. If bounds are found, an end at a bound holds the
        quantile of all records, at any distance beyond it. Raises ParameterError where the plan asks for no intervals.
        """
        if self.covered is None:
            raise ParameterError("intervals", NO_INTERVALS)
        found = np.isfinite(self.values).sum(axis=0)
        held = self.covered.sum(axis=0) / np.maximum(found, 1)
        return np.where(found > 0, held, np.nan)

    @property
    def rows(self) -> Rows:
        """Return the answers as rows of a table."""
        numbers = study_numbers(self.values, self.signed_rank_errors, self.covered)
        return Rows.of(self.column, self.plan.quantiles, numbers, self.by, self.groups)

    def of_trial(self, trial: int, find_bounds: FindBounds | None = None) -> Cells:
        """Return what a release would have said in one trial, of the groups that it found."""
        found = [at for at in range(len(self.groups)) if not np.isnan(self.values[trial, at]).any()]
        ends = () if self.intervals is None else self.intervals[trial, found].tolist()
        said = {each.name: getattr(self, each.name) for each in fields(OneColumnsCells)}
        said["groups"] = tuple(self.groups[at] for at in found)
        values, pairs = tuple(map(tuple, self.values[trial, found].tolist())), tuple(map(as_pairs, ends))
        return Cells(**said, domain=self.domain_of(trial), find_bounds=find_bounds, values=values, intervals=pairs)

    def domain_of(self, trial: int) -> Domain:
        """Return the grid on which a trial answered."""
        return self.domains[trial if len(self.domains) > 1 else 0]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Study(Tabular[SimulatedCells]):
    """Hold simulated answers with their rank errors. As private as the data.

    `study[column]` is everything about a column. `values`, `rank_errors` and the like are by column: (trials, levels),
    or (trials, groups, levels) where it is in groups.
    """

    _simulated = True
    cells: tuple[SimulatedCells, ...]
    guarantee: Guarantee
    """Of all answers together, were they released."""
    plan: ColumnsPlan
    seed: int
    description: Description = field(default_factory=Description)
    version: str = VERSION

    @property
    def values(self) -> dict[str, Floats]:
        """Return the answers by column, on the grid; NaN for a group that a trial did not find."""
        return {name: _natural(each, each.values) for name, each in self.items()}

    @property
    def rank_errors(self) -> dict[str, Floats]:
        """Return the rank errors by column, without their signs, in records (see `dpq_core.rank_errors`)."""
        return {name: _natural(each, each.rank_errors) for name, each in self.items()}

    @property
    def signed_rank_errors(self) -> dict[str, Floats]:
        """Return the rank errors by column, positive where a value lies too high."""
        return {name: _natural(each, each.signed_rank_errors) for name, each in self.items()}

    @property
    def coverage(self) -> dict[str, Floats]:
        """Return by column how often each interval holds the true quantile, shape (levels,) or (groups, levels).

        Raises ParameterError where the plan asks for no intervals.
        """
        return {name: each.coverage[0] if each.in_one_piece else each.coverage for name, each in self.items()}

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what is unusual about the budget of the whole."""
        return warnings_of_budget(self.plan.privacy, self.guarantee)

    @property
    def _trials(self) -> int:
        return max((len(each.values) for each in self.cells), default=1)

    @property
    def _slack(self) -> int:
        return max((each.rank_error_slack for each in self.cells), default=0)

    @property
    def _rows(self) -> int:
        return self._trials * super()._rows

    @property
    def _facts(self) -> dict[str, Any]:
        return super()._facts | {"seed": self.seed, "rank_error_slack": self._slack}

    @property
    def _headline(self) -> str:
        answers = counted(super()._rows, "answer")
        told = [f"{counted(self._trials, 'trial')} of {answers}", f"a release would spend {self._price}"]
        more = [f"rank errors may be {counted(self._slack, 'record')} larger"] if self._slack else []
        return " · ".join([*told, f"seed {self.seed}", *more])

    def summary(self) -> pd.DataFrame:
        """Return a row for each column, group and level with the rank errors of all trials. Private.

        mean_rank_error is without signs; 95 of 100 signed errors lie between rank_error_low and rank_error_high, all in
        records; coverage is the proportion of trials in which the interval holds the true quantile, NaN without
        intervals. For found groups it covers the trials that find the group.
        """
        return self._with_facts(frame_of(list(map(over_trials, self._parts))).drop(columns="unit"))


def _natural(cells: SimulatedCells, array: Floats) -> Floats:
    return array[:, 0] if cells.in_one_piece else array
