"""A simulated release, many times over: answers of every trial beside the truth. As private as the data."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .accuracy import signed_rank_errors
from .arrays import Flags, Floats
from .column import Data
from .columns_plan import ColumnsPlan
from .domain.domain import Domain
from .domain.finding import FindBounds
from .draw import NOTHING_FOUND, Drawn, EntropySource, Found, Noted, Steps, facts_of, trials_at_once
from .errors import ParameterError, shown
from .frame import Rows, frame_of, over_trials
from .groups.names import GroupName
from .intervals.ends import as_pairs, of_values
from .mechanisms.base import TraceStep
from .people.takes import count_in_words
from .plan import Plan
from .privacy.budgets import Guarantee
from .progress import Progress, unheard
from .release import Cells, Description, OneColumnsCells, warnings_of_budget
from .tabular import Tabular
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
        held = {} if self.covered is None else {"covered": self.covered}
        numbers = {"value": self.values, "signed_rank_error": self.signed_rank_errors} | held
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
        answers = count_in_words(super()._rows, "answer")
        told = [f"{count_in_words(self._trials, 'trial')} of {answers}", f"a release would spend {self._price}"]
        more = [f"rank errors may be {count_in_words(self._slack, 'record')} larger"] if self._slack else []
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


FINER, MOST_FINE = 10**5, 2**52
"""How much finer the grid is on which a study counts errors, and how many steps it may have."""


@dataclass(frozen=True, kw_only=True)
class Trace:
    """Show one simulated run with every draw it made. As private as the data.

    `values` are its answers on the grid, in the order of `plan.quantiles`. `steps` has one for each drawn level, in the
    order of the run, before answers are sorted; each mechanism has its own kind.
    """

    steps: tuple[TraceStep, ...]
    values: tuple[float, ...]
    plan: Plan
    guarantee: Guarantee
    seed: int
    version: str = VERSION


def simulate_column(
    column: Data,
    steps: Steps,
    trials: int,
    seed: int,
    before: Found = NOTHING_FOUND,
    *,
    firsts: int | None = None,
    progress: Progress = unheard,
) -> SimulatedCells:
    """Return simulated answers of a column, by steps calibrated for it; what is no array is that of the first trial.

    `firsts`: how often the first of two steps is drawn: runs use these draws in turn, and None draws it for every run.
    Raises ParameterError, DataError.
    """
    source = EntropySource(seed, tuple(range(trials)), firsts)
    answers = steps.drawn(column, source, before, heard=progress)
    found = [(on.domain, part, _judged(column, on, part, steps.plan.quantiles)) for on, part in answers]
    grids, parts, judged = zip(*found, strict=True)
    back, first = np.argsort([run for part in parts for run in part.runs]), parts[0]
    values = np.concatenate([part.values for part in parts])[back]
    errors, *of_ends = (np.concatenate(each)[back] for each in zip(*judged, strict=True))
    ends, covered = of_ends or (None, None)
    if before.named is not None:
        left_out = ~np.array([before.named[name] for name in first.names], np.bool_).reshape(-1, trials).T
        for each in (values, errors, *of_ends[:1]):
            each[left_out] = np.nan
        if covered is not None:
            covered[left_out] = False
    domains = tuple(grid for grid, part in zip(grids, parts, strict=True) for _ in part.runs)
    return SimulatedCells(
        **facts_of(column, steps, first),
        values=values,
        signed_rank_errors=errors,
        domains=domains[:1] if column.find_bounds is None else tuple(domains[at] for at in back),
        intervals=ends,
        covered=covered,
        rank_error_slack=column.rank_slack,
        seed=seed,
    )


def _judged(raw: Data, column: Data, answers: Drawn, quantiles: tuple[Fraction, ...]) -> tuple[Any, ...]:
    """Return the rank errors of answers on the grid of `column`; of intervals their ends, and whether they hold.

    Where bounds were found, errors are counted on a finer grid around them, so that they count all records. Values
    beyond a found bound count as that bound, so an interval that ends at the bound covers all of them.

    An interval holds a true quantile where the low end is not above all of them, and the high one not below. The values
    of rank error 0 have no gap between them on the line, so nothing else can go wrong.
    """
    ends = answers.ends
    finer, domain = column, column.domain
    if raw.find_bounds is not None:  # one more step at either end
        step = domain.step / (FINER if domain.cells * FINER < MOST_FINE else 1)
        finer = raw.on(Domain(domain.lower - step, domain.upper + step, step))
    errors = _errors_in_parts(finer, quantiles, answers.names, answers.values)
    if ends is None:
        return (errors,)
    low, high = (_errors_in_parts(column, quantiles, answers.names, ends[..., end]) for end in range(2))
    return errors, of_values(ends, column.domain), (low <= 0) & (high >= 0)


def _errors_in_parts(
    column: Data, quantiles: tuple[Fraction, ...], names: tuple[GroupName, ...], values: Floats
) -> Floats:
    """Return the rank errors of values (trials, groups, m), each part of the groups done where it is."""
    work = partial(_errors_of_part, names=names, quantiles=quantiles, values=values)
    return np.concatenate(column.each_part(work), axis=1)


def _errors_of_part(
    column: Data, at: int, *, names: tuple[GroupName, ...], quantiles: tuple[Fraction, ...], values: Floats
) -> Floats:
    if column.names != names:
        place = {name: at for at, name in enumerate(names)}
        values = values[:, [place[name] for name in column.names]]
    step = len(values) if len(column.names) == 1 else trials_at_once(column, len(values))
    parts = [values[first : first + step] for first in range(0, len(values), step)]
    return np.concatenate([signed_rank_errors(column, quantiles, part) for part in parts])


def explain_column(
    column: Data,
    steps: Steps,
    seed: int,
    trials: int = 100,
    run: int = 0,
    group: GroupName | None = None,
    firsts: int | None = None,
) -> tuple[Trace, Any]:
    """Return one run of `simulate_column`, or of one group alone, and the column on the grid of its answers: private.

    Raises ParameterError (also Infeasible: a run of slices without room, which is simulated evenly).
    """
    source = EntropySource(seed, tuple(range(trials)), firsts)
    ((on, found),) = steps.drawn(column, source, noted=Noted(run, group))
    values = tuple(found.values[0, 0].tolist())
    return Trace(steps=found.steps, values=values, plan=steps.plan, guarantee=steps.guarantee, seed=seed), on


def check_count(name: str, value: int, least: int) -> None:
    """Raise ParameterError unless `value` is a whole number >= `least`."""
    if isinstance(value, bool | np.timedelta64) or not isinstance(value, int | np.integer) or value < least:
        raise ParameterError(name, f"must be a whole number >= {least}, got {shown(value)}.")
