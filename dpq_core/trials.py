"""Simulation of many runs (`simulate`), and the trace of one (`explain`). Neither is ever a release."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

import numpy as np

from .accuracy import signed_rank_errors
from .arrays import Flags, Floats, Integers
from .calibrations import Calibrated, calibrate, check_calibrated, mechanism_of
from .column import Column, Data
from .domain.domain import Domain
from .draw import draw_groups
from .errors import ParameterError, shown
from .groups.names import GroupName
from .intervals.drawn import draw_values, in_plan_order
from .intervals.ends import of_values
from .mechanisms.base import Make, TraceStep
from .noise.fast import SeededSampler
from .plan import Plan
from .privacy.budgets import Guarantee
from .progress import Progress, unheard
from .steps import BoundsFirst, CountFirst, Steps, steps_of, steps_with_bounds
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


def simulate(column: Data, plan: Plan, trials: int = 100, seed: int = 0, firsts: int | None = None) -> SimulatedCells:
    """Return what `dpq_core.simulate` gives of a single column. Raises ParameterError, DataError.

    `firsts`: how often the first of two steps is drawn; runs use these draws in turn. None draws it for every run.
    """
    check_count("trials", trials, 1)
    check_count("seed", seed, 0)
    return simulate_column(column, steps_of(column, plan), trials, seed, firsts=firsts)


def simulate_column(
    column: Data,
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
        return _between_bounds(column, steps, trials, seed, named, firsts)
    if isinstance(steps, CountFirst) and not column.in_groups:
        return _counted(column, steps, trials, seed, noisy, firsts)
    if isinstance(steps, Calibrated):
        check_calibrated(column, steps)
    work = partial(_simulated, steps=steps, trials=trials, seed=seed, named=named)
    parts = column.each_part(partial(work, progress=progress) if column.is_in_memory else work)
    if len(parts) == 1:
        return parts[0]

    def joined(arrays: list[Any]) -> Any:
        return None if arrays[0] is None else np.concatenate(arrays, axis=1)

    return replace(
        parts[0],
        values=joined([part.values for part in parts]),
        signed_rank_errors=joined([part.signed_rank_errors for part in parts]),
        groups=column.names,
        intervals=joined([part.intervals for part in parts]),
        covered=joined([part.covered for part in parts]),
    )


def _between_bounds(
    raw: Data, steps: BoundsFirst, trials: int, seed: int, named: Flags | None, firsts: int | None
) -> SimulatedCells:
    """Return simulated answers, each trial between bounds of its own.

    Errors are counted on a finer grid around each domain, so that they count all records. Values beyond a found bound
    count as that bound, so an interval that ends at the bound covers all of them.
    """
    found = steps.find(raw, SeededSampler(seed, firsts or trials, OF_THE_WALK))
    domains = [found[run % len(found)] for run in range(trials)]

    def simulated(domain: Domain, runs: list[int], seed: int) -> SimulatedCells:
        own = None if named is None else named[runs]
        part = simulate_column(raw.on(domain), steps.second, len(runs), seed, named=own, firsts=firsts)
        finer, values = raw.on(_finer(domain)), np.nan_to_num(part.values)
        errors = _errors_in_parts(finer, steps.plan.quantiles, values)
        return replace(part, signed_rank_errors=np.where(np.isnan(part.values), np.nan, errors))

    whole = by_finding(domains, simulated, seed)
    return replace(whole, plan=steps.plan, guarantee=steps.guarantee, seed=seed, domains=tuple(domains))


def _counted(
    column: Data, steps: CountFirst, trials: int, seed: int, noisy: Integers | None, firsts: int | None
) -> SimulatedCells:
    """Return simulated answers, each trial by the number of records that it counted."""
    if noisy is None:
        noisy = steps.noisy(column, SeededSampler(seed, firsts or trials, OF_THE_COUNT))
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


def _simulated(
    column: Data,
    at: int,
    *,
    steps: Calibrated | CountFirst,
    trials: int,
    seed: int,
    named: Flags | None,
    progress: Progress = unheard,
) -> SimulatedCells:
    """Return simulated releases of a column, or of the groups of a part; the first part has the seed itself."""
    seed += at * OF_ONE_PART
    names = column.names
    at_once = min(max(ROWS_AT_ONCE // max(len(names), 1), 1), TRIALS_AT_ONCE) if trials > 1 else 1
    plan, asked, counted = steps.plan, steps.basis is not None, itertools.count(OF_COUNTED)
    drawn: list[Floats] = []
    on_grid: list[Floats] = []
    intervals: Floats | None
    for part, first in enumerate(range(0, trials, at_once)):
        entropy = SeededSampler(seed, at_once, part)
        if isinstance(steps, CountFirst):
            answers, intervals = _after_counts(column, steps, seed, entropy, counted)
        else:
            answers, intervals = draw_groups(column, np.arange(len(names)), steps, entropy)
        drawn.append(answers)
        on_grid += [] if intervals is None else [intervals]
        progress(min(first + at_once, trials) / trials)
    values, errors = np.concatenate(drawn)[:trials], np.empty((trials, len(names), len(plan.quantiles)))
    ends, covered = np.concatenate(on_grid)[:trials] if asked else np.empty(0), np.zeros(values.shape, np.bool_)
    step = trials if len(names) == 1 else at_once
    for some in (slice(first, first + step) for first in range(0, trials, step)):
        errors[some] = signed_rank_errors(column, plan.quantiles, values[some])
        if asked:
            covered[some] = _covered(column, plan.quantiles, ends[some])
            ends[some] = of_values(ends[some], column.domain)
    if named is not None:
        for each in (values, errors, ends) if asked else (values, errors):
            each[~named] = np.nan
        if asked:
            covered[~named] = False
    return SimulatedCells(
        by=column.by,
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
        rank_error_slack=column.rank_slack,
        seed=seed,
    )


def _errors_in_parts(column: Data, quantiles: tuple[Fraction, ...], values: Floats) -> Floats:
    """Return the rank errors of values (trials, groups, m), each part of the groups done where it is."""
    work = partial(_errors_of_part, names=column.names, quantiles=quantiles, values=values)
    return np.concatenate(column.each_part(work), axis=1)


def _errors_of_part(
    column: Data, at: int, *, names: tuple[GroupName, ...], quantiles: tuple[Fraction, ...], values: Floats
) -> Floats:
    place = {name: at for at, name in enumerate(names)}
    return signed_rank_errors(column, quantiles, values[:, [place[name] for name in column.names]])


def _covered(column: Data, quantiles: tuple[Fraction, ...], intervals: Floats) -> Flags:
    """Return whether intervals hold a true quantile: the low end is not above all of them, the high one not below.

    The values of rank error 0 have no gap between them on the line, so nothing else can go wrong.
    """
    low, high = (signed_rank_errors(column, quantiles, intervals[..., end]) for end in range(2))
    return np.asarray((low <= 0) & (high >= 0), dtype=np.bool_)


def _after_counts(
    groups: Data, steps: CountFirst, seed: int, entropy: SeededSampler, parts: Iterator[int]
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
            own = SeededSampler(seed, len(rows), next(parts))
            parameters, drawn = steps.of_groups(groups, {name: number}).of_group(name)
            values[rows, at], found = draw_values(groups.column(at), plan, parameters, drawn, own)
            assert found is not None, "counted for intervals"
            ends[rows, at] = found
    return values, ends


def explain_column(
    column: Data, steps: Steps, seed: int, trials: int = 100, run: int = 0, group: GroupName | None = None
) -> Trace:
    """Return one run of `simulate_column`, or of one group alone, with what every draw saw and chose: private.

    Raises ParameterError (also Infeasible: a run of slices without room, which is simulated evenly).
    """
    if isinstance(steps, BoundsFirst):
        domains = steps.find(column, SeededSampler(seed, trials, OF_THE_WALK))
        own = [at for at, each in enumerate(domains) if each == domains[run]]
        place = seed + list(dict.fromkeys(domains)).index(domains[run]), len(own), own.index(run)
        trace = explain_column(column.on(domains[run]), steps.second, *place, group)
        return replace(trace, plan=steps.plan, guarantee=steps.guarantee, seed=seed)
    if isinstance(steps, CountFirst):
        raise ParameterError("about_n", A_NUMBER)
    check_calibrated(column, steps)
    at = column.place_of(group)
    if column.unit > 1:
        raise ParameterError("per_person", "must make one record of each person, such as random: steps show records.")
    one, parameters, among = column.column(at), steps.of_group(column.names[at])[0], steps.interpolation
    part, trial = divmod(run, TRIALS_AT_ONCE)
    entropy = SeededSampler(seed, TRIALS_AT_ONCE if trials > 1 else 1, part)  # runs side by side share it
    mechanism = mechanism_of(steps.plan)
    found = tuple(mechanism.trace(one, parameters, entropy, trial)) if parameters.levels else ()
    values = in_plan_order(np.array(sorted(step.value for step in found)), steps.drawn_plan, parameters)
    if among is not None:
        values = among.answers(values, one.domain)
    return Trace(steps=found, values=tuple(values.tolist()), plan=steps.plan, guarantee=steps.guarantee, seed=seed)


def explain_with_bounds(raw: Column, plan: Plan, seed: int, walks: int, make: Make = calibrate) -> tuple[Trace, Column]:
    """Return the first run of `simulate` with what every draw saw and chose, and the column it saw.

    `walks`: how often bounds are found; `make`: what makes the parameters of answers.
    """
    steps = steps_with_bounds(raw, plan, make)
    column = raw.on(steps.find(raw, SeededSampler(seed, walks, OF_THE_WALK))[0]).in_one_piece()
    return replace(explain_column(column, steps.second, seed), plan=plan, guarantee=steps.guarantee), column


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
