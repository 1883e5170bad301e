"""Simulation of many runs (`simulate`), and the trace of one (`explain`). Neither is ever a release."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .accuracy import signed_rank_errors
from .answers import SimulatedAnswers, StudyPart
from .arrays import Flags, Floats
from .calibrations import Calibrated, calibrate_for, calibrate_grouped, check_calibrated, mechanism_of
from .errors import ParameterError, shown
from .groups.calibration import CalibratedGroups
from .groups.draws import GroupStudy, simulate_groups
from .groups.names import GroupName, as_name
from .groups.table import Groups
from .intervals.drawn import Basis, in_plan_order
from .intervals.ends import of_values
from .mechanisms.base import Parameters, TraceStep
from .noise.fast import FastEntropy
from .plan import Plan
from .privacy.budgets import Guarantee
from .progress import Progress, unheard
from .release import draw, warnings_for
from .sample import Sample
from .sketches.data import Data
from .version import VERSION

TRIALS_AT_ONCE = 64
"""Trials share numpy passes in parts of this size; each part has a seed of its own."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(SimulatedAnswers):
    """Hold simulated answers with their rank errors. As private as the data.

    `values` has the shape (trials, m), on the grid, columns in the order of `plan.quantiles`. `signed_rank_errors` has
    the same shape, in records: positive where a value lies too high. Of a sketch, errors are that large at least, and
    at most `rank_error_slack` larger.
    """

    values: Floats
    signed_rank_errors: Floats
    plan: Plan
    intervals: Floats | None = None
    """The intervals of each trial, (trials, m, 2), low and high; None where the plan asks for none."""
    covered: Flags | None = None
    """Whether each holds the true quantile, (trials, m); of a sketch, whether it may hold it."""
    basis: Basis | None = None
    """What the intervals rest on, and how sure they are."""
    rank_error_slack: int = 0
    """How much the rank errors may be understated: 0 where the truth is at hand, below the threshold for a sketch."""
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def rank_errors(self) -> Floats:
        """Return the rank errors without their signs, of the shape of `values` (see `dpq_core.rank_errors`)."""
        return np.abs(self.signed_rank_errors)

    @property
    def coverage(self) -> Floats:
        """Return the proportion of trials in which each interval holds the true quantile, shape (m,).

        An interval holds it if some value in it, both ends included, is a true quantile of the data: has the rank error
        0. If bounds are found, an end at a bound holds the quantile of all records, at any distance beyond it. Raises
        ParameterError if the plan asks for no intervals.
        """
        return np.asarray(self.parts[0].coverage[0])

    @property
    def parts(self) -> tuple[StudyPart]:
        """Return the answers as those of one group of a column without a name."""
        return (
            StudyPart(
                column=None, groups=None, plan=self.plan, guarantee=self.guarantee, values=self.values[:, None],
                signed_rank_errors=self.signed_rank_errors[:, None],
                intervals=None if self.intervals is None else self.intervals[:, None],
                covered=None if self.covered is None else self.covered[:, None],
                basis=self.basis, notes=self.notes, rank_error_slack=self.rank_error_slack,
            ),
        )  # fmt: skip


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


def simulate(sample: Data, plan: Plan, trials: int = 100, seed: int = 0) -> Study:
    """Simulate `trials` independent runs of the plan, and return their answers and rank errors. Repeatable.

    Trial i does not depend on the number of trials that follow it, in steps of 64; a single trial differs. A simulation
    spends nothing and is not a release, for any `plan`. A sketch no longer knows exact ranks: its rank errors are
    distances from its bounds (see `Study`). Time grows with trials and levels, hardly with n. Raises ParameterError,
    DataError.
    """
    check_count("trials", trials, 1)
    check_count("seed", seed, 0)
    return simulate_calibrated(sample, calibrate_for(sample, plan), trials, seed)


def simulate_calibrated(
    sample: Data, calibrated: Calibrated, trials: int, seed: int, progress: Progress = unheard
) -> Study:
    """Return what `simulate` does, for a plan that was calibrated for data with as many records."""
    plan = calibrated.plan
    check_calibrated(sample, calibrated)
    values, ends = [], []
    parts = -(-trials // TRIALS_AT_ONCE)
    for part in range(parts):
        drawn, intervals = draw(sample, calibrated, _entropy(seed, trials, part))
        values.append(drawn)
        ends += [] if intervals is None else [intervals]
        progress((part + 1) / parts)
    found = np.concatenate(values)[:trials]
    on_grid = np.concatenate(ends)[:trials] if ends else None
    return Study(
        values=found,
        intervals=None if on_grid is None else of_values(on_grid, sample.domain),
        covered=None if on_grid is None else _covered(sample, plan, on_grid),
        signed_rank_errors=signed_rank_errors(sample, plan.quantiles, found),
        guarantee=calibrated.guarantee,
        plan=plan,
        seed=seed,
        basis=None if calibrated.drawn is None else calibrated.drawn.basis,
        rank_error_slack=0 if isinstance(sample, Sample) else sample.rank_slack,
        warnings=warnings_for(plan, calibrated.guarantee),
        notes=calibrated.notes,
    )


def simulate_grouped(
    groups: Groups, plan: Plan, trials: int = 100, seed: int = 0, progress: Progress = unheard
) -> GroupStudy:
    """Return what `simulate` does, for every group."""
    check_count("trials", trials, 1)
    check_count("seed", seed, 0)
    return simulate_grouped_calibrated(groups, calibrate_grouped(groups, plan), trials, seed, progress=progress)


def simulate_grouped_calibrated(
    groups: Groups,
    calibrated: CalibratedGroups,
    trials: int,
    seed: int,
    named: Flags | None = None,
    progress: Progress = unheard,
) -> GroupStudy:
    """Return what `simulate` does, for a plan that was calibrated for these groups.

    `named`: which groups each trial named before, (trials, groups).
    """
    warnings = warnings_for(calibrated.plan, calibrated.guarantee)
    return simulate_groups(groups, calibrated, trials, seed, warnings, named, progress)


def _covered(sample: Data, plan: Plan, intervals: Floats) -> Flags:
    """Return whether intervals hold a true quantile: the low end is not above all of them, the high one not below.

    The values of rank error 0 have no gap between them on the line, so nothing else can go wrong.
    """
    low, high = (signed_rank_errors(sample, plan.quantiles, intervals[..., end]) for end in range(2))
    return np.asarray((low <= 0) & (high >= 0), dtype=np.bool_)


def explain(
    sample: Data | Groups,
    plan: Plan,
    seed: int = 0,
    trials: int = 100,
    run: int = 0,
    *,
    group: GroupName | None = None,
) -> Trace:
    """Return one run of `simulate(sample, plan, trials, seed)` with what every draw saw and chose: private.

    Its values are `simulate(...).values[run]`, for any number of trials except one. Of Groups, a run of one `group`
    alone, with the budget that it has among all; the guarantee is that of the whole. Raises ParameterError (also
    Infeasible: a run of slices without room, which `simulate` answers evenly), DataError.
    """
    check_run(seed, trials, run)
    if isinstance(sample, Groups):
        return explain_group(sample, calibrate_grouped(sample, plan), group, seed, trials, run)
    if group is not None:
        raise ParameterError("group", "must be None for a single sample.")
    return explain_calibrated(sample, calibrate_for(sample, plan), seed, trials, run)


def explain_group(
    groups: Groups, calibrated: CalibratedGroups, group: GroupName | None, seed: int, trials: int = 100, run: int = 0
) -> Trace:
    """Return what `explain` does of one group, for a plan that was calibrated for these groups."""
    column = groups.sample_of(group)
    if calibrated.counting is not None:
        raise ParameterError("about_n", "must be a number, such as about_n=300, where a run is explained.")
    known = as_name(group)
    assert known is not None, "the name of one of the groups"
    parameters, _ = calibrated.of_number(calibrated.number_of(known))
    return _trace(column, calibrated.plan, parameters, calibrated.guarantee, seed, trials, run)


def explain_calibrated(sample: Data, calibrated: Calibrated, seed: int, trials: int = 100, run: int = 0) -> Trace:
    """Return what `explain` does, for a plan that was calibrated for these data."""
    check_calibrated(sample, calibrated)
    found = _trace(sample, calibrated.drawn_plan, calibrated.parameters, calibrated.guarantee, seed, trials, run)
    if calibrated.interpolation is None:
        return found
    values = calibrated.interpolation.answers(np.array(found.values), sample.domain)
    return replace(found, values=tuple(values.tolist()), plan=calibrated.plan)


def _trace(
    sample: Data, plan: Plan, parameters: Parameters, guarantee: Guarantee, seed: int, trials: int, run: int
) -> Trace:
    if isinstance(sample, Sample) and sample.unit > 1:
        raise ParameterError("take", "must make one record of each person, such as random: steps show records.")
    part, trial = divmod(run, TRIALS_AT_ONCE)
    steps = tuple(mechanism_of(plan).trace(sample, parameters, _entropy(seed, trials, part), trial))
    answers = np.array(sorted(step.value for step in steps))
    values = tuple(in_plan_order(answers, plan, parameters).tolist())
    return Trace(steps=steps, values=values, plan=plan, guarantee=guarantee, seed=seed)


def _entropy(seed: int, trials: int, part: int) -> FastEntropy:
    """Return the randomness of a part of the trials: runs side by side share it, so a run alone differs."""
    return FastEntropy(seed, TRIALS_AT_ONCE if trials > 1 else 1, part)


def check_run(seed: int, trials: int, run: int) -> None:
    """Raise ParameterError unless these name a run of a simulation."""
    check_count("trials", trials, 1)
    check_count("seed", seed, 0)
    check_count("run", run, 0)
    if run >= trials:
        raise ParameterError("run", f"must be below trials = {trials}, got {run}.")


def check_count(name: str, value: int, least: int) -> None:
    """Raise ParameterError unless `value` is a whole number >= `least`."""
    if isinstance(value, bool | np.timedelta64) or not isinstance(value, int | np.integer) or value < least:
        raise ParameterError(name, f"must be a whole number >= {least}, got {shown(value)}.")
