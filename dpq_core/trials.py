"""Simulation of many runs (`simulate`), and the trace of one (`explain`). Neither is ever a release."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .accuracy import signed_rank_errors
from .arrays import Flags, Floats
from .calibrations import Calibrated, calibrate_for, calibrate_grouped, check_calibrated, mechanism_of
from .draw import draw
from .errors import ParameterError, shown
from .groups.calibration import CalibratedGroups
from .groups.names import GroupName, as_name
from .groups.table import Groups
from .intervals.drawn import in_plan_order
from .intervals.ends import of_values
from .mechanisms.base import Parameters, TraceStep
from .noise.fast import FastEntropy
from .plan import Plan
from .privacy.budgets import Guarantee
from .progress import Progress, unheard
from .sample import Sample
from .sketches.data import Data
from .study import SimulatedCells
from .version import VERSION

TRIALS_AT_ONCE = 64
"""Trials share numpy passes in parts of this size; each part has a seed of its own."""


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


def simulate(sample: Data, plan: Plan, trials: int = 100, seed: int = 0) -> SimulatedCells:
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
) -> SimulatedCells:
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
    return SimulatedCells(
        values=found[:, None],
        intervals=None if on_grid is None else of_values(on_grid, sample.domain)[:, None],
        covered=None if on_grid is None else _covered(sample, plan, on_grid)[:, None],
        signed_rank_errors=signed_rank_errors(sample, plan.quantiles, found)[:, None],
        guarantee=calibrated.guarantee,
        plan=plan,
        seed=seed,
        domains=(sample.domain,),
        basis=None if calibrated.drawn is None else calibrated.drawn.basis,
        rank_error_slack=0 if isinstance(sample, Sample) else sample.rank_slack,
        notes=calibrated.notes,
    )


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
