"""Release and simulate a plan on a column without bounds: find bounds first, then quantiles between them.

Persons. A walk reads the records of a whole column, or of all groups together. One person has at most r of them: k, or
k in each of at most g groups. So walks of rate e cost a person r e. Where a person is replaced, up to r records leave
and up to r come, which is no 2 r steps for a walk. Pair them: each pair is one replaced record, and the unpaired ones
join or leave. By the claim in `walk` this costs at most 4/3 r e, or r e where values are never negative.

Intervals. The levels drawn for their ends are fixed before any bound is found, and so is the guarantee of the second
step. The necessary distance of the ends depends on the number of values that answers choose from, and grows with it. So
the ends are computed for a domain with at least as many values as any that can be found, and they hold on all of these.
Records beyond a found bound count as that bound. So an end at a bound is open: the quantile may be farther out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from ..accuracy import signed_rank_errors
from ..arrays import Flags, Floats
from ..calibrations import (
    Calibrated,
    Calibrations,
    calibrate,
    calibrate_for,
    calibrate_grouped,
    check_plan,
    mechanism_of,
)
from ..domain.domain import Domain
from ..draw import draw_cells
from ..errors import Infeasible, ParameterError
from ..groups.calibration import CalibratedGroups
from ..groups.draws import NamesFound, draw_grouped_cells, rank_errors_in_parts, simulate_groups
from ..groups.names import GroupName
from ..groups.table import refuse_seeded
from ..intervals.drawn import Basis
from ..mechanisms.base import Make
from ..noise.entropy import Entropy
from ..noise.exact import ExactEntropy
from ..noise.fast import FastEntropy
from ..plan import Plan
from ..privacy.budgets import Guarantee
from ..privacy.composition import after_first
from ..progress import Progress, unheard
from ..release import Cells
from ..sample import Sample
from ..sketches.data import Data
from ..study import SimulatedCells
from ..trials import (
    Trace,
    check_count,
    explain_calibrated,
    explain_group,
    simulate_calibrated,
)
from .column import RawGroups, RawSample
from .counting import (
    CountedSteps,
    calibrate_counted,
    charged_already,
    draw_counted,
    is_counted,
    simulate_counted,
    simulate_counted_steps,
    split,
)
from .walk import Walk

FINER, MOST_FINE = 10**5, 2**52
"""How much finer the grid is on which a study counts errors, and how many steps it may have."""
OF_THE_WALK = 2**31
"""The part of a seed that no mechanism's trials have."""


@dataclass(frozen=True)
class CalibratedSteps:
    """A plan calibrated for a column without bounds: both steps, and what they cost together."""

    plan: Plan
    walk: Walk
    second: Calibrated | CalibratedGroups | CountedSteps
    """The calibration for the rest of the budget, valid on every domain; with the levels at the ends of intervals.

    Where a column's records are counted, these levels follow later, from the noisy number and the found bounds.
    """
    finding: Fraction
    """The epsilon of the first step, for one person with all records."""

    @property
    def n_public(self) -> int | None:
        """Return the number of records of a column where it is public; None for groups."""
        return None if isinstance(self.second, CalibratedGroups) else self.second.n_public

    @property
    def guarantee(self) -> Guarantee:
        """Return what both steps guarantee together."""
        return after_first(self.plan.privacy, self.finding, self.second.guarantee)

    @property
    def basis(self) -> Basis | None:
        """Return the basis of the intervals; None where none are requested or records are still to be counted."""
        if isinstance(self.second, CalibratedGroups):
            return self.second.basis
        if isinstance(self.second, CountedSteps) or self.second.drawn is None:
            return None
        return self.second.drawn.basis

    @property
    def with_intervals(self) -> bool:
        """Return whether there are intervals around the answers."""
        return self.plan.intervals is not None and bool(self.plan.quantiles)

    def find(self, raw: RawSample | RawGroups, entropy: Entropy) -> list[Domain]:
        """Return the domain that is found in each trial."""
        return [self.walk.find_bounds.between(*ends) for ends in self.walk.run(raw.counted, entropy).tolist()]

    @property
    def of_column(self) -> Calibrated:
        """Return the second step of a column in one piece. Raises ParameterError where it depends on a count."""
        if isinstance(self.second, CountedSteps):
            raise ParameterError("about_n", "must be a number, such as about_n=300, where a run is explained.")
        assert isinstance(self.second, Calibrated), "not in groups"
        return self.second

    @property
    def of_groups(self) -> CalibratedGroups:
        """Return the second step of a column in groups."""
        assert isinstance(self.second, CalibratedGroups), "in groups"
        return self.second


Steps: TypeAlias = Calibrated | CalibratedSteps | CountedSteps
"""A plan calibrated for data, in one step or in two."""


def calibrate_data(data: Data | RawSample, plan: Plan, calibrations: Calibrations | None = None) -> Steps:
    """Return a plan calibrated for a single column; draw nothing. `calibrations`: its own, if they were made before.

    Raises ParameterError (also Infeasible), DataError.
    """
    check_plan(plan)
    if isinstance(data, RawSample):
        return calibrate_raw(data, plan)
    if is_counted(data, plan):
        return calibrate_counted(data, plan)
    return calibrate_for(data, plan) if calibrations is None else calibrations.calibrated_for(data)


def calibrate_raw(raw: RawSample | RawGroups, plan: Plan, make: Make = calibrate) -> CalibratedSteps:
    """Return a plan calibrated for both steps; draw nothing. Raises ParameterError (also Infeasible), DataError.

    Groups that have to be found must have been found before; `make` makes the parameters of answers.
    """
    if plan.intervals is not None and mechanism_of(plan).PROFILE.needs_normal:
        raise ParameterError(
            "intervals",
            f"must be None where bounds are found for {plan.mechanism}: it finds where the records lie by itself, so "
            "give bounds as wide as you like.",
        )
    divided = split(plan, raw.find_bounds.share, lambda rest: _second(raw, rest, make).guarantee)
    second = _second(raw, replace(divided.plan, intervals=plan.intervals, about_n=plan.about_n), make)
    walk = Walk.of(raw.find_bounds, divided.finding / raw.records_each, plan.adjacency, raw.counted.unit)
    steps = CalibratedSteps(plan, walk, second, divided.finding)
    assert steps.guarantee.covers(plan.privacy), "both steps together spend no more than requested"
    return steps


def _second(raw: RawSample | RawGroups, rest: Plan, make: Make) -> Calibrated | CalibratedGroups | CountedSteps:
    """Return the calibrated second step, valid on every domain that can be found."""
    if isinstance(raw, RawSample):
        sample = raw.on_any_grid
        return calibrate_counted(sample, rest) if is_counted(sample, rest) else calibrate_for(sample, rest, make)
    return calibrate_grouped(raw.on_any_grid, rest, named_before=True, make=make)


def draw_data(data: Data | RawSample, calibrated: Steps) -> Cells:
    """Return the answers of a column in one piece, for a plan that was calibrated for these data. Raises Infeasible."""
    if isinstance(data, Sample) and isinstance(calibrated, CountedSteps):
        return draw_counted(data, calibrated)
    if not isinstance(data, RawSample):
        assert isinstance(calibrated, Calibrated), "calibrated for a column without bounds"
        return draw_cells(data, calibrated)
    assert isinstance(calibrated, CalibratedSteps), "calibrated for a column with bounds"
    second = calibrated.second
    if isinstance(second, CountedSteps):
        return _bounds_first(data, calibrated, lambda domain: draw_counted(data.on(domain), second))
    return _bounds_first(data, calibrated, lambda domain: draw_cells(data.on(domain), calibrated.of_column))


def draw_raw_groups(raw: RawGroups, steps: CalibratedSteps, named: NamesFound | None) -> Cells:
    """Find bounds, and return the answers of all groups or of those `named` before."""
    return _bounds_first(raw, steps, lambda domain: draw_grouped_cells(raw.on(domain), steps.of_groups, named))


def _bounds_first(raw: RawSample | RawGroups, steps: CalibratedSteps, draw: Callable[[Domain], Cells]) -> Cells:
    """Return the answers of both steps, drawn now. Raises Infeasible."""
    refuse_seeded(raw.coarse)
    (domain,) = steps.find(raw, ExactEntropy())
    try:
        second = draw(domain)
    except Infeasible as refused:
        raise charged_already(refused, steps.finding, " The bounds had been found by then.") from None
    return replace(second, plan=steps.plan, guarantee=steps.guarantee, find_bounds=raw.find_bounds)


def simulate_data(
    data: Data | RawSample, plan: Plan, trials: int, seed: int, firsts: int | None = None, progress: Progress = unheard
) -> SimulatedCells:
    """Return what `dpq_core.simulate` gives of a single column. Raises ParameterError, DataError.

    `firsts`: how often the first of two steps is drawn; runs use these draws in turn. None draws it for every run.
    `progress` hears of the trials of a plan in one step.
    """
    check_plan(plan)
    check_count("trials", trials, 1)
    check_count("seed", seed, 0)
    if isinstance(data, RawSample):
        return simulate_with_bounds(data, plan, trials, seed, firsts)
    if isinstance(data, Sample) and is_counted(data, plan):
        return simulate_counted(data, plan, trials, seed, firsts)
    return simulate_calibrated(data, calibrate_for(data, plan), trials, seed, progress)


def simulate_with_bounds(
    raw: RawSample, plan: Plan, trials: int, seed: int, walks: int | None = None
) -> SimulatedCells:
    """Return a simulation of a column in one piece. Raises ParameterError, DataError.

    `walks`: how often bounds are found; runs use them in turn. None finds bounds for every run, which takes longer.
    """
    steps = calibrate_raw(raw, plan)
    found, second = steps.find(raw, FastEntropy(seed, walks or trials, OF_THE_WALK)), steps.second

    def simulated(domain: Domain, rows: list[int], seed: int) -> SimulatedCells:
        if isinstance(second, CountedSteps):
            return simulate_counted_steps(raw.on(domain), second, len(rows), seed, walks)
        return simulate_calibrated(raw.on(domain), steps.of_column, len(rows), seed)

    def errors(domain: Domain, values: Floats) -> Floats:
        return signed_rank_errors(raw.on(domain), plan.quantiles, values[:, 0])[:, None]

    return _between_bounds(steps, [found[run % len(found)] for run in range(trials)], seed, simulated, errors)


def explain_with_bounds(
    raw: RawSample, plan: Plan, seed: int, walks: int, make: Make = calibrate
) -> tuple[Trace, Sample]:
    """Return the first run of `simulate_with_bounds` with what every draw saw and chose, and the column it saw."""
    steps = calibrate_raw(raw, plan, make)
    sample = raw.on(steps.find(raw, FastEntropy(seed, walks, OF_THE_WALK))[0])
    return replace(explain_calibrated(sample, steps.of_column, seed), plan=plan, guarantee=steps.guarantee), sample


def explain_raw(
    raw: RawSample | RawGroups, steps: CalibratedSteps, seed: int, trials: int, run: int, group: GroupName | None
) -> Trace:
    """Return one of several simulated runs, between the bounds it found, with what every draw saw and chose."""
    domains = simulated_bounds(raw, steps, trials, seed)
    rows = _runs_by_domain(domains)
    own, at = rows[domains[run]], list(rows).index(domains[run])
    place = seed + at, len(own), own.index(run)
    if isinstance(raw, RawGroups):
        trace = explain_group(raw.on(domains[run]), steps.of_groups, group, *place)
    else:
        trace = explain_calibrated(raw.on(domains[run]), steps.of_column, *place)
    return replace(trace, plan=steps.plan, guarantee=steps.guarantee, seed=seed)


def simulate_raw_groups(
    raw: RawGroups, steps: CalibratedSteps, trials: int, seed: int, named: Flags | None
) -> SimulatedCells:
    """Return simulated releases of all groups, each between bounds of its own; errors count all records.

    `named`: which groups each trial named before, (trials, groups).
    """

    def simulated(domain: Domain, rows: list[int], seed: int) -> SimulatedCells:
        own = None if named is None else named[rows]
        return simulate_groups(raw.on(domain), steps.of_groups, len(rows), seed, own)

    def errors(domain: Domain, values: Floats) -> Floats:
        found = rank_errors_in_parts(raw.on(domain), steps.plan.quantiles, np.nan_to_num(values))
        return np.where(np.isnan(values), np.nan, found)

    return _between_bounds(steps, simulated_bounds(raw, steps, trials, seed), seed, simulated, errors)


def _between_bounds(
    steps: CalibratedSteps,
    domains: list[Domain],
    seed: int,
    simulated: Callable[[Domain, list[int], int], SimulatedCells],
    errors: Callable[[Domain, Floats], Floats],
) -> SimulatedCells:
    """Return simulated answers, each trial between bounds of its own; what is no array is that of the first study.

    `simulated`: the trials that found a domain, given their numbers and a seed; `errors`: of values on a finer grid
    around a domain, so that they count all records. Values beyond a found bound count as that bound, so an interval
    that ends at the bound covers all of them.
    """
    order: list[int] = []
    studies, found = list[SimulatedCells](), list[Floats]()
    for at, (domain, rows) in enumerate(_runs_by_domain(domains).items()):
        studies.append(simulated(domain, rows, seed + at))
        found.append(errors(_finer(domain), studies[-1].values))
        order += rows
    back, asked = np.argsort(order), steps.with_intervals

    def joined(arrays: Iterable[Any]) -> Any:
        return np.concatenate(list(arrays))[back]

    return replace(
        studies[0], plan=steps.plan, guarantee=steps.guarantee, seed=seed, domains=tuple(domains),
        values=joined(each.values for each in studies), signed_rank_errors=joined(found),
        intervals=joined(each.intervals for each in studies) if asked else None,
        covered=joined(each.covered for each in studies) if asked else None,
    )  # fmt: skip


def simulated_bounds(raw: RawSample | RawGroups, steps: CalibratedSteps, trials: int, seed: int) -> list[Domain]:
    """Return the bounds that each run of a simulation finds, where every run finds its own."""
    return steps.find(raw, FastEntropy(seed, trials, OF_THE_WALK))


def _runs_by_domain(domains: Sequence[Domain]) -> dict[Domain, list[int]]:
    """Return, for each domain, the runs that found it; they are simulated together."""
    runs: dict[Domain, list[int]] = {}
    for run, domain in enumerate(domains):
        runs.setdefault(domain, []).append(run)
    return runs


def _finer(domain: Domain) -> Domain:
    """Return finer steps, which distinguish records within one step of the domain, with one more at either end."""
    step = domain.step / (FINER if domain.cells * FINER < MOST_FINE else 1)
    return Domain(domain.lower - step, domain.upper + step, step)
