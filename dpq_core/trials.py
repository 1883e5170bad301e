"""Simulation of many runs (`simulate`), and the trace of one (`explain`). Neither is ever a release."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from .accuracy import signed_rank_errors
from .arrays import Floats
from .column import Data
from .domain.domain import Domain
from .draw import NOTHING_FOUND, Drawn, EntropySource, Found, Noted, Steps, facts_of, trials_at_once
from .errors import ParameterError, shown
from .groups.names import GroupName
from .intervals.ends import of_values
from .mechanisms.base import TraceStep
from .plan import Plan
from .privacy.budgets import Guarantee
from .progress import Progress, unheard
from .study import SimulatedCells
from .version import VERSION

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
    finer = column if raw.find_bounds is None else raw.on(_finer(column.domain))
    errors = _errors_in_parts(finer, quantiles, answers.names, answers.values)
    if ends is None:
        return (errors,)
    low, high = (_errors_in_parts(column, quantiles, answers.names, ends[..., end]) for end in range(2))
    return errors, of_values(ends, column.domain), (low <= 0) & (high >= 0)


def _finer(domain: Domain) -> Domain:
    """Return finer steps, which distinguish records within one step of the domain, with one more at either end."""
    step = domain.step / (FINER if domain.cells * FINER < MOST_FINE else 1)
    return Domain(domain.lower - step, domain.upper + step, step)


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
