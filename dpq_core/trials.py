"""Simulation of many runs (`simulate`), and the trace of one (`explain`). Neither is ever a release."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from .accuracy import signed_rank_errors
from .arrays import Flags, Floats, Integers
from .calibrations import Calibrated, calibrate, check_calibrated, mechanism_of
from .column import RawColumn, Source, only
from .domain.domain import Domain
from .draw import draw
from .errors import ParameterError, shown
from .groups.calibration import CalibratedGroups
from .groups.draws import draw_groups, rank_errors_in_parts, rank_errors_of
from .groups.names import GroupName, as_name
from .groups.table import Groups
from .intervals.drawn import draw_values, in_plan_order
from .intervals.ends import of_values
from .mechanisms.base import Make, Parameters, TraceStep
from .noise.fast import FastEntropy
from .plan import Plan
from .privacy.budgets import Guarantee
from .progress import Progress, unheard
from .release import WHOLE
from .sample import Sample
from .sketches.data import Data
from .steps import BoundsFirst, CountFirst, Steps, calibrate_column, calibrate_raw
from .study import SimulatedCells
from .version import VERSION

TRIALS_AT_ONCE = 64
"""Trials share numpy passes in parts of this size; each part has a seed of its own."""
ROWS_AT_ONCE = 1 << 17
OF_THE_WALK, OF_THE_COUNT = 2**31, 2**31 + 1
"""The parts of a seed that no mechanism's trials have."""
OF_COUNTED = 2**32
"""The first part of a seed for runs whose groups were counted; no other trials use this part or a later one."""
OF_ONE_PART = 2**40
"""Between the seeds of two parts of groups on a cluster."""
FINER, MOST_FINE = 10**5, 2**52
"""How much finer the grid is on which a study counts errors, and how many steps it may have."""
A_NUMBER = "must be a number, such as about_n=300, where a run is explained."
Found = TypeVar("Found", bound=Hashable)


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


def simulate(column: Source, plan: Plan, trials: int = 100, seed: int = 0, firsts: int | None = None) -> SimulatedCells:
    """Return what `dpq_core.simulate` gives of a single column. Raises ParameterError, DataError.

    `firsts`: how often the first of two steps is drawn; runs use these draws in turn. None draws it for every run.
    """
    check_count("trials", trials, 1)
    check_count("seed", seed, 0)
    return simulate_column(column, calibrate_column(column, plan), trials, seed, firsts=firsts)


def simulate_column(
    column: Source,
    steps: Steps,
    trials: int,
    seed: int,
    *,
    named: Flags | None = None,
    noisy: Integers | None = None,
    firsts: int | None = None,
    progress: Progress = unheard,
) -> SimulatedCells:
    """Return what `simulate` does, by steps that were calibrated for the column.

    `named`: which groups each trial named before, (trials, groups); `noisy`: the numbers of each trial, where the table
    of the column was counted, (trials, numbers).
    """
    if isinstance(steps, BoundsFirst):
        return _between_bounds(only(RawColumn, column), steps, trials, seed, named, firsts)
    if isinstance(column, Groups):
        assert isinstance(steps, CalibratedGroups | CountFirst), "calibrated for groups"
        return simulate_groups(column, steps, trials, seed, named, progress)
    if isinstance(steps, CountFirst):
        return _counted(column, steps, trials, seed, noisy, firsts)
    assert isinstance(steps, Calibrated), "calibrated for a column in one piece"
    assert not isinstance(column, RawColumn), "a column on its grid"
    return simulate_calibrated(column, steps, trials, seed, progress)


def _between_bounds(
    raw: RawColumn, steps: BoundsFirst, trials: int, seed: int, named: Flags | None, firsts: int | None
) -> SimulatedCells:
    """Return simulated answers, each trial between bounds of its own.

    Errors are counted on a finer grid around each domain, so that they count all records. Values beyond a found bound
    count as that bound, so an interval that ends at the bound covers all of them.
    """
    found = steps.find(raw, FastEntropy(seed, firsts or trials, OF_THE_WALK))
    domains = [found[run % len(found)] for run in range(trials)]

    def simulated(domain: Domain, runs: list[int], seed: int) -> SimulatedCells:
        own = None if named is None else named[runs]
        part = simulate_column(raw.on(domain), steps.second, len(runs), seed, named=own, firsts=firsts)
        finer, values = raw.on(_finer(domain)), np.nan_to_num(part.values)
        errors = (
            rank_errors_in_parts(finer, steps.plan.quantiles, values)
            if isinstance(finer, Groups)
            else _errors_of(finer, steps.plan, values)
        )
        return replace(part, signed_rank_errors=np.where(np.isnan(part.values), np.nan, errors))

    whole = by_finding(domains, simulated, seed)
    return replace(whole, plan=steps.plan, guarantee=steps.guarantee, seed=seed, domains=tuple(domains))


def _counted(
    column: Source, steps: CountFirst, trials: int, seed: int, noisy: Integers | None, firsts: int | None
) -> SimulatedCells:
    """Return simulated answers, each trial by the number of records that it counted."""
    if noisy is None:
        noisy = steps.noisy(only(Sample, column), FastEntropy(seed, firsts or trials, OF_THE_COUNT))
    numbers = [steps.count.at_least(noisy[run % len(noisy)]) for run in range(trials)]

    def simulated(number: int, runs: list[int], seed: int) -> SimulatedCells:
        return simulate_column(column, steps.second(column, number), len(runs), seed)

    found = by_finding(numbers, simulated, seed)
    return replace(found, plan=steps.plan, guarantee=steps.guarantee, seed=seed, basis=steps.basis_with(numbers[0]))


def by_finding(
    findings: Sequence[Found], simulated: Callable[[Found, list[int], int], SimulatedCells], seed: int
) -> SimulatedCells:
    """Return the study of all trials, each with its own finding; what is no array is that of the first.

    `simulated`: makes the trials of one finding together, given it, their numbers, and a seed.
    """
    runs: dict[Found, list[int]] = {}
    for run, found in enumerate(findings):
        runs.setdefault(found, []).append(run)
    parts = [simulated(found, own, seed + at) for at, (found, own) in enumerate(runs.items())]
    back = np.argsort(np.concatenate(list(runs.values())))

    def joined(arrays: Iterable[Any]) -> Any:
        each = list(arrays)
        return None if each[0] is None else np.concatenate(each)[back]

    domains = [part.domain_of(run) for part in parts for run in range(len(part.values))]
    return replace(
        parts[0],
        values=joined(part.values for part in parts),
        signed_rank_errors=joined(part.signed_rank_errors for part in parts),
        intervals=joined(part.intervals for part in parts),
        covered=joined(part.covered for part in parts),
        domains=tuple(domains[at] for at in back) if len(set(domains)) > 1 else parts[0].domains[:1],
    )


def _finer(domain: Domain) -> Domain:
    """Return finer steps, which distinguish records within one step of the domain, with one more at either end."""
    step = domain.step / (FINER if domain.cells * FINER < MOST_FINE else 1)
    return Domain(domain.lower - step, domain.upper + step, step)


def simulate_calibrated(
    sample: Data, calibrated: Calibrated, trials: int, seed: int, progress: Progress = unheard
) -> SimulatedCells:
    """Return what `simulate` does, for a plan that was calibrated for data with as many records."""
    check_calibrated(sample, calibrated)
    return _simulated(sample, 0, steps=calibrated, trials=trials, seed=seed, named=None, progress=progress)


def simulate_groups(
    groups: Groups,
    steps: CalibratedGroups | CountFirst,
    trials: int,
    seed: int,
    named: Flags | None = None,
    progress: Progress = unheard,
) -> SimulatedCells:
    """Return `trials` simulated releases of all groups, with their rank errors.

    `named`: which groups each trial named before, (trials, groups).
    """
    work = partial(_simulated, steps=steps, trials=trials, seed=seed, named=named)
    parts = groups.each_part(partial(work, progress=progress) if groups.is_in_memory else work)
    if len(parts) == 1:
        return parts[0]

    def joined(arrays: list[Any]) -> Any:
        return None if arrays[0] is None else np.concatenate(arrays, axis=1)

    return replace(
        parts[0],
        values=joined([part.values for part in parts]),
        signed_rank_errors=joined([part.signed_rank_errors for part in parts]),
        groups=groups.names,
        intervals=joined([part.intervals for part in parts]),
        covered=joined([part.covered for part in parts]),
    )


def _simulated(
    column: Data | Groups,
    at: int,
    *,
    steps: Calibrated | CalibratedGroups | CountFirst,
    trials: int,
    seed: int,
    named: Flags | None,
    progress: Progress = unheard,
) -> SimulatedCells:
    """Return simulated releases of a column, or of the groups of a part; the first part has the seed itself."""
    seed += at * OF_ONE_PART
    by, names = (column.by, column.names) if isinstance(column, Groups) else ((), (WHOLE,))
    at_once = min(max(ROWS_AT_ONCE // max(len(names), 1), 1), TRIALS_AT_ONCE) if trials > 1 else 1
    plan, asked, counted = steps.plan, steps.basis is not None, itertools.count(OF_COUNTED)
    drawn: list[Floats] = []
    on_grid: list[Floats] = []
    for part, first in enumerate(range(0, trials, at_once)):
        answers, intervals = _drawn(column, steps, seed, FastEntropy(seed, at_once, part), counted)
        drawn.append(answers)
        on_grid += [] if intervals is None else [intervals]
        progress(min(first + at_once, trials) / trials)
    values, errors = np.concatenate(drawn)[:trials], np.empty((trials, len(names), len(plan.quantiles)))
    ends, covered = np.concatenate(on_grid)[:trials] if asked else np.empty(0), np.zeros(values.shape, np.bool_)
    step = trials if len(names) == 1 else at_once
    for some in (slice(first, first + step) for first in range(0, trials, step)):
        errors[some] = _errors_of(column, plan, values[some])
        if asked:
            covered[some] = _covered(column, plan, ends[some])
            ends[some] = of_values(ends[some], column.domain)
    if named is not None:
        for each in (values, errors, ends) if asked else (values, errors):
            each[~named] = np.nan
        if asked:
            covered[~named] = False
    return SimulatedCells(
        by=by,
        groups=names,
        values=values,
        signed_rank_errors=errors,
        guarantee=steps.guarantee,
        plan=plan,
        domains=(column.domain,),
        notes=steps.notes,
        intervals=ends if asked else None,
        covered=covered if asked else None,
        basis=steps.basis,
        rank_error_slack=getattr(column, "rank_slack", 0),
        seed=seed,
    )


def _drawn(
    column: Data | Groups,
    steps: Calibrated | CalibratedGroups | CountFirst,
    seed: int,
    entropy: FastEntropy,
    parts: Iterator[int],
) -> tuple[Floats, Floats | None]:
    """Return values (trials, groups, m) in the plan's order, and intervals (trials, groups, m, 2) or None."""
    if isinstance(column, Groups):
        assert isinstance(steps, CalibratedGroups | CountFirst), "calibrated for groups"
        if isinstance(steps, CountFirst):
            return _after_counts(column, steps, seed, entropy, parts)
        return draw_groups(column, np.arange(len(column.names)), steps, entropy, entropy.trials)
    assert isinstance(steps, Calibrated), "calibrated for a column in one piece"
    values, intervals = draw(column, steps, entropy)
    return values[:, None], None if intervals is None else intervals[:, None]


def _errors_of(column: Data | Groups, plan: Plan, values: Floats) -> Floats:
    """Return the rank errors of values of the grid (trials, groups, m)."""
    if isinstance(column, Groups):
        return rank_errors_of(column, plan.quantiles, values)
    return signed_rank_errors(column, plan.quantiles, values[:, 0])[:, None]


def _covered(column: Data | Groups, plan: Plan, intervals: Floats) -> Flags:
    """Return whether intervals hold a true quantile: the low end is not above all of them, the high one not below.

    The values of rank error 0 have no gap between them on the line, so nothing else can go wrong.
    """
    low, high = (_errors_of(column, plan, intervals[..., end]) for end in range(2))
    return np.asarray((low <= 0) & (high >= 0), dtype=np.bool_)


def _after_counts(
    groups: Groups, steps: CountFirst, seed: int, entropy: FastEntropy, parts: Iterator[int]
) -> tuple[Floats, Floats]:
    """Return values (trials, groups, m) and intervals (trials, groups, m, 2), each trial by its own numbers.

    They are in the plan's order, and values of the grid. `parts` of the seed: one for each draw of runs with one
    number.
    """
    noisy, plan = steps.noisy(groups, entropy), steps.plan
    shape = (*noisy.shape, len(plan.quantiles))
    values, ends = np.empty(shape), np.empty((*shape, 2))
    for at, name in enumerate(groups.names):
        numbers = list(map(steps.count.number.at_least, noisy[:, at].tolist()))
        for number in dict.fromkeys(numbers):
            rows = [run for run, own in enumerate(numbers) if own == number]
            own = FastEntropy(seed, len(rows), next(parts))
            parameters, drawn = steps.of_groups(groups, {name: number}).of_number(number)
            values[rows, at], found = draw_values(groups.column(at), plan, parameters, drawn, own)
            assert found is not None, "counted for intervals"
            ends[rows, at] = found
    return values, ends


def explain_column(
    column: Source, steps: Steps, group: GroupName | None, seed: int, trials: int = 100, run: int = 0
) -> Trace:
    """Return one run of `simulate_column`, or of one group alone, with what every draw saw and chose: private.

    Raises ParameterError (also Infeasible: a run of slices without room, which is simulated evenly).
    """
    if isinstance(steps, BoundsFirst):
        raw = only(RawColumn, column)
        domains = steps.find(raw, FastEntropy(seed, trials, OF_THE_WALK))
        own = [at for at, each in enumerate(domains) if each == domains[run]]
        place = seed + list(dict.fromkeys(domains)).index(domains[run]), len(own), own.index(run)
        trace = explain_column(raw.on(domains[run]), steps.second, group, *place)
        return replace(trace, plan=steps.plan, guarantee=steps.guarantee, seed=seed)
    if isinstance(steps, CalibratedGroups):
        return explain_group(only(Groups, column), steps, group, seed, trials, run)
    if isinstance(steps, CountFirst):
        raise ParameterError("about_n", A_NUMBER)
    if group is not None:
        raise ParameterError("group", "must be None for a column that is not in groups.")
    assert not isinstance(column, RawColumn | Groups), "calibrated for a column in one piece"
    return explain_calibrated(column, steps, seed, trials, run)


def explain_with_bounds(
    raw: RawColumn, plan: Plan, seed: int, walks: int, make: Make = calibrate
) -> tuple[Trace, Sample]:
    """Return the first run of `simulate` with what every draw saw and chose, and the column it saw.

    `walks`: how often bounds are found; `make`: what makes the parameters of answers.
    """
    steps = calibrate_raw(raw, plan, make)
    sample = raw.on(steps.find(raw, FastEntropy(seed, walks, OF_THE_WALK))[0]).in_one_piece()
    return replace(explain_column(sample, steps.second, None, seed), plan=plan, guarantee=steps.guarantee), sample


def explain_group(
    groups: Groups, calibrated: CalibratedGroups, group: GroupName | None, seed: int, trials: int = 100, run: int = 0
) -> Trace:
    """Return what `explain` does of one group, for a plan that was calibrated for these groups."""
    column = groups.sample_of(group)
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
