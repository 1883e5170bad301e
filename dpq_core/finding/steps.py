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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias, TypeVar

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
from ..domain.finding import FindBounds
from ..errors import Infeasible, ParameterError
from ..groups.calibration import CalibratedGroups
from ..groups.draws import GroupedRelease, GroupStudy, NamesFound, rank_errors_in_parts
from ..groups.names import GroupName
from ..intervals.drawn import Basis
from ..mechanisms.base import Make
from ..noise.entropy import Entropy
from ..noise.exact import ExactEntropy
from ..noise.fast import FastEntropy
from ..plan import Plan
from ..privacy.budgets import Guarantee
from ..privacy.composition import after_first
from ..progress import Progress, unheard
from ..release import (
    QuantileRelease,
    draw_grouped_release,
    draw_release,
    refuse_seeded,
    warnings_for,
    warnings_of_budget,
)
from ..sample import Sample
from ..sketches.data import Data
from ..trials import (
    Study,
    Trace,
    check_count,
    explain_calibrated,
    explain_group,
    simulate_calibrated,
    simulate_grouped_calibrated,
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

Found = TypeVar("Found", bound=QuantileRelease | GroupedRelease)
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


def draw_data(data: Data | RawSample, calibrated: Steps) -> QuantileRelease:
    """Return what `release` does, for a plan that was calibrated for these data. Raises Infeasible."""
    if isinstance(data, Sample) and isinstance(calibrated, CountedSteps):
        return draw_counted(data, calibrated)
    if not isinstance(data, RawSample):
        assert isinstance(calibrated, Calibrated), "calibrated for a column without bounds"
        return draw_release(data, calibrated)
    assert isinstance(calibrated, CalibratedSteps), "calibrated for a column with bounds"
    second = calibrated.second
    if isinstance(second, CountedSteps):
        return _bounds_first(data, calibrated, lambda domain: draw_counted(data.on(domain), second))
    return _bounds_first(data, calibrated, lambda domain: draw_release(data.on(domain), calibrated.of_column))


def draw_raw_groups(raw: RawGroups, steps: CalibratedSteps, named: NamesFound | None) -> GroupedRelease:
    """Find bounds, and return the answers of all groups or of those `named` before."""
    return _bounds_first(raw, steps, lambda domain: draw_grouped_release(raw.on(domain), steps.of_groups, named))


def _bounds_first(raw: RawSample | RawGroups, steps: CalibratedSteps, draw: Callable[[Domain], Found]) -> Found:
    """Return a release of both steps, drawn now. Raises Infeasible."""
    refuse_seeded(raw.coarse)
    (domain,) = steps.find(raw, ExactEntropy())
    try:
        second = draw(domain)
    except Infeasible as refused:
        raise charged_already(refused, steps.finding, " The bounds had been found by then.") from None
    guarantee = replace(steps.guarantee, exact=True)
    of_its_budget = set(warnings_of_budget(second.plan.privacy, second.guarantee))
    warnings = (
        *(each for each in second.warnings if each not in of_its_budget),
        *warnings_of_budget(steps.plan.privacy, guarantee),
        clipped(raw.find_bounds, domain),
    )
    return replace(
        second, plan=steps.plan, guarantee=guarantee, find_bounds=raw.find_bounds, warnings=warnings
    )  # fmt: skip


def clipped(find_bounds: FindBounds, domain: Domain) -> str:
    """Return the note on found bounds for a reader of the answers; public, as the bounds are released."""
    low, high = f"{float(domain.lower):,.12g}", f"{float(domain.upper):,.12g}"
    return (
        f"The bounds {low} and {high} were found from {100 * float(find_bounds.share):.3g} % of the budget. Hardly any "
        "record should lie beyond them; what does counts as the nearest bound, and so do the quantiles there."
    )


def simulate_data(
    data: Data | RawSample, plan: Plan, trials: int, seed: int, firsts: int | None = None, progress: Progress = unheard
) -> Study:
    """Return what `dpq_core.simulate` gives of a single column. Raises ParameterError, DataError.

    `firsts`: how often the first of two steps is drawn; runs use these draws in turn. None draws it for every run.
    `progress` hears of the trials of a plan in one step.
    """
    check_plan(plan)
    check_count("trials", trials, 1)
    check_count("seed", seed, 0)
    if isinstance(data, RawSample):
        return simulate_with_bounds(data, plan, trials, seed, firsts)[0]
    if isinstance(data, Sample) and is_counted(data, plan):
        return simulate_counted(data, plan, trials, seed, firsts)
    return simulate_calibrated(data, calibrate_for(data, plan), trials, seed, progress)


def simulate_with_bounds(
    raw: RawSample, plan: Plan, trials: int, seed: int, walks: int | None = None
) -> tuple[Study, Domain]:
    """Return a simulation, and the bounds that its first run found. Raises ParameterError, DataError.

    `walks`: how often bounds are found; runs use them in turn. None finds bounds for every run, which takes longer.
    """
    steps = calibrate_raw(raw, plan)
    found = steps.find(raw, FastEntropy(seed, walks or trials, OF_THE_WALK))
    return _study(raw, steps, [found[run % len(found)] for run in range(trials)], seed, walks), found[0]


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
) -> GroupStudy:
    """Return simulated releases of all groups, each between bounds of its own; errors count all records.

    `named`: which groups each trial named before, (trials, groups).
    """
    domains, plan = simulated_bounds(raw, steps, trials, seed), steps.plan
    shape = trials, len(raw.coarse.names), len(plan.quantiles)
    values, errors, sure = np.empty(shape), np.empty(shape), _Sure.of(steps, shape)
    for at, (domain, rows) in enumerate(_runs_by_domain(domains).items()):
        own = None if named is None else named[rows]
        study = simulate_grouped_calibrated(raw.on(domain), steps.of_groups, len(rows), seed + at, own)
        values[rows] = study.values
        errors[rows] = rank_errors_in_parts(raw.on(_finer(domain)), plan.quantiles, np.nan_to_num(study.values))
        sure.take(rows, study)
    errors[np.isnan(values)] = np.nan
    return replace(
        study, values=values, signed_rank_errors=errors, guarantee=steps.guarantee, plan=plan, seed=seed,
        intervals=sure.intervals, covered=sure.covered, warnings=warnings_for(plan, steps.guarantee),
    )  # fmt: skip


@dataclass(frozen=True)
class _Sure:
    """The intervals of all trials, and whether they hold; None where none are requested.

    Values beyond a found bound count as that bound, so an interval that ends at the bound covers all of them.
    """

    intervals: Floats | None
    covered: Flags | None

    @classmethod
    def of(cls, steps: CalibratedSteps, shape: tuple[int, ...]) -> _Sure:
        """Return empty arrays for the intervals, in the shape of all trials."""
        if not steps.with_intervals:
            return cls(None, None)
        return cls(np.empty((*shape, 2)), np.empty(shape, np.bool_))

    def take(self, rows: list[int], study: Study | GroupStudy) -> None:
        """Store the intervals of the trials that found the same bounds."""
        if self.intervals is not None and self.covered is not None:
            self.intervals[rows], self.covered[rows] = study.intervals, study.covered


def simulated_bounds(raw: RawSample | RawGroups, steps: CalibratedSteps, trials: int, seed: int) -> list[Domain]:
    """Return the bounds that each run of a simulation finds, where every run finds its own."""
    return steps.find(raw, FastEntropy(seed, trials, OF_THE_WALK))


def _runs_by_domain(domains: Sequence[Domain]) -> dict[Domain, list[int]]:
    """Return, for each domain, the runs that found it; they are simulated together."""
    runs: dict[Domain, list[int]] = {}
    for run, domain in enumerate(domains):
        runs.setdefault(domain, []).append(run)
    return runs


def _study(
    sample: RawSample, steps: CalibratedSteps, domains: list[Domain], seed: int, counts: int | None = None
) -> Study:
    plan, trials, second = steps.plan, len(domains), steps.second
    shape = trials, len(plan.quantiles)
    values, errors = np.empty(shape), np.empty(shape)
    sure, studies = _Sure.of(steps, shape), []
    for at, (domain, rows) in enumerate(_runs_by_domain(domains).items()):
        if isinstance(second, CountedSteps):
            study = simulate_counted_steps(sample.on(domain), second, len(rows), seed + at, counts)
        else:
            study = simulate_calibrated(sample.on(domain), steps.of_column, len(rows), seed + at)
        studies.append(study)
        values[rows] = study.values
        errors[rows] = signed_rank_errors(sample.on(_finer(domain)), plan.quantiles, values[rows])
        sure.take(rows, study)
    return Study(
        values=values, signed_rank_errors=errors, guarantee=steps.guarantee, plan=plan, seed=seed,
        intervals=sure.intervals, covered=sure.covered, basis=studies[0].basis,
        warnings=warnings_for(plan, steps.guarantee), notes=studies[0].notes,
    )  # fmt: skip


def _finer(domain: Domain) -> Domain:
    """Return finer steps, which distinguish records within one step of the domain, with one more at either end."""
    step = domain.step / (FINER if domain.cells * FINER < MOST_FINE else 1)
    return Domain(domain.lower - step, domain.upper + step, step)
