"""Simulate one request on public data, beside the truth, for a page: of one column or several, whole or in groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..accuracy import cdf_points
from ..api import simulate
from ..calibrations import Calibrations
from ..columns.study import simulate_columns
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..finding.column import Columns, RawGroups, RawSample, Source
from ..finding.steps import simulate_data
from ..groups.table import Groups
from ..plan import NOISY
from ..privacy.budgets import Guarantee
from ..progress import Progress, unheard
from ..release import now, warnings_of
from ..sample import Sample
from ..study import SimulatedCells
from ..trials import simulate_calibrated
from .answers import Answers, as_floats, beside_truth, judged, sizes_in
from .data_set import DataSet, PublicData, groups_asked
from .kinds import Runs, Simulated
from .outcomes import (
    DRAWS,
    EXPLORE_SEED,
    REPEATS,
    WALKS,
    answered,
    around,
    noise_interval,
    raw_sample,
    truth_beside,
    wording_of,
)
from .tables.asked import columns_asked
from .tables.kinds import TableReading, TableRequest

DRAWS_OF_GROUPS = 128
"""Simulated answers of every group of a column: one to show, the others for its noise interval."""
DRAWS_BETWEEN_FOUND_BOUNDS = 48
"""The same where each finds bounds of its own, and is drawn between them."""
MOST_NUMBERS = 3_000_000
"""Answers in all; where there would be more, a group has fewer."""
TRIALS = 1
"""Simulated answers of each of several columns, of which none is more than another."""


def simulate_column(
    data: PublicData, sample: Sample, asked: TableRequest, calibrations: Calibrations, seed: int
) -> Simulated:
    """Simulate a column in one piece: one answer, 20 others to compare with, and 235 more for its noise interval."""
    plan = asked.plans[data.name]
    if plan.about_n == NOISY:
        study = simulate_data(sample, plan, DRAWS, seed, WALKS)
    else:
        study = simulate_calibrated(sample, calibrations.calibrated_for(sample), DRAWS, seed)
    return _of_column(data, asked, sample, study, seed)


def simulate_finding(data: PublicData, asked: TableRequest, seed: int) -> Simulated:
    """Simulate one answer that finds its bounds first; the others share four bounds that were found, in turn."""
    raw = raw_sample(data, asked.bounds[data.name])
    study = simulate_data(raw, asked.plans[data.name], DRAWS, seed, WALKS)
    return _of_column(data, asked, truth_beside(raw, data, study.domain_of(0)), study, seed)


def _of_column(data: PublicData, asked: TableRequest, truth: Sample, study: SimulatedCells, seed: int) -> Simulated:
    """Return the first answer of a study with the true quantiles, and its noise as measured by the other answers."""
    values, lows_and_highs = study.values[:, 0], noise_interval(study.signed_rank_errors[1 + REPEATS :, 0])
    runs = Runs(
        values=values,
        repeats=tuple(as_floats(row) for row in values[1 : 1 + REPEATS]),
        lows=lows_and_highs[0],
        highs=lows_and_highs[1],
        usual_error=float(study.rank_errors.mean()) if values.size else 0.0,
        cdf=cdf_points(truth),
    )
    chosen, of_data = {data.name: data}, {data.name: (replace(study, column=data.name), truth)}
    about = {"identity": data.identity, "about": data.about, "reading": data.reading}
    return _simulated(chosen, asked, of_data, study.guarantee, seed, runs=runs, **about)


def simulate_groups_of(data: PublicData, asked: TableRequest, seed: int) -> Simulated:
    """Simulate one answer of every group, and further ones for its noise interval. Raises ParameterError, DataError."""
    plan, chosen = asked.plans[data.name], asked.groups
    assert chosen is not None, "asked for in groups"
    groups = groups_asked(data, chosen, asked.bounds[data.name], EXPLORE_SEED)
    whole, most = (
        (groups, DRAWS_OF_GROUPS) if isinstance(groups, Groups) else (groups.coarse, DRAWS_BETWEEN_FOUND_BOUNDS)
    )
    draws = min(max(MOST_NUMBERS // max(len(whole.names) * len(plan.quantiles), 1), 1), most)
    study = simulate(groups if isinstance(groups, Groups) else {data.name: groups}, plan, draws, seed)
    part = study.cells[0]
    truth = _truth_of(groups, partial(around, data.values, part.domain_of(0)))
    of_data = {data.name: (replace(part, column=data.name), truth)}
    about = {"identity": data.identity, "about": data.about, "reading": data.reading}
    return _simulated({data.name: data}, asked, of_data, study.guarantee, seed, **about)


def simulate_table(
    table: Iterable[PublicData], request: TableRequest, reading: TableReading, seed: int, identity: str, about: str
) -> Simulated:
    """Simulate one answer of all columns, beside the truth. Raises ParameterError, DataError."""
    chosen = {data.name: data for data in table if data.name in request.plans}
    first = next(iter(chosen.values()))
    columns = columns_asked(
        {name: data.values for name, data in chosen.items()}, request.bounds, request.groups,
        first.groups if request.groups else (), request.person, first.people if request.person else None,
        {name: request.missing.get(name) for name in chosen}, EXPLORE_SEED,
    )  # fmt: skip
    return simulated_table(
        columns, chosen, request, reading, seed, identity, about, lambda name, found: around(chosen[name].values, found)
    )


def simulated_table(
    columns: Columns, chosen: Mapping[str, DataSet], request: TableRequest, reading: TableReading, seed: int,
    identity: str, about: str, grid_of_truth: Callable[[str, Domain], Domain], progress: Progress = unheard,
) -> Simulated:  # fmt: skip
    """Return one simulated answer of columns, beside the truth.

    `chosen`: their public facts; `grid_of_truth`: the grid on which the truth of a column is, between found bounds.
    """
    study = simulate_columns(columns, request.plans, TRIALS, seed, request.weights, progress)
    of_data = {
        name: (own, _truth_of(columns[name], partial(grid_of_truth, name, own.domain_of(0))))
        for name, own in study.items()
    }
    return _simulated(
        chosen, request, of_data, study.guarantee, seed, identity=identity, about=about, reading=reading, of_table=True
    )


def _simulated(
    chosen: Mapping[str, DataSet],
    asked: TableRequest,
    studies: Mapping[str, tuple[SimulatedCells, Sample | Groups]],
    guarantee: Guarantee,
    seed: int,
    **more: Any,
) -> Simulated:
    """Return the first run of each column beside its truth."""
    found = {name: bounds if isinstance(bounds, FindBounds) else None for name, bounds in asked.bounds.items()}
    shown = {name: part.of_trial(0, found[name]) for name, (part, _) in studies.items()}
    wordings = {name: wording_of(chosen[name], cells.domain) for name, cells in shown.items()}
    answers: list[Answers] = []
    for name, (part, truth) in studies.items():
        own = beside_truth(part, shown[name], truth, wordings[name])
        answers += judged(own, sizes_in(truth), asked)
    privacy = next(iter(asked.plans.values())).privacy
    return Simulated(
        **answered(chosen, asked) | more, wordings=tuple(wordings.values()), answers=tuple(answers),
        guarantee=guarantee, warnings=warnings_of(tuple(shown.values()), privacy, guarantee), made=now(), seed=seed,
        n=max(_records(truth) for _, truth in studies.values()),
        draws=max(len(part.values) for part, _ in studies.values()),
    )  # fmt: skip


def _truth_of(column: Source, around_all: Callable[[], Domain]) -> Sample | Groups:
    """Return all records where they are, also beyond bounds that were found: then on a grid around all of them."""
    if isinstance(column, RawSample | RawGroups):
        return column.on(around_all())
    assert isinstance(column, Sample | Groups), "of values"
    return column


def _records(truth: Sample | Groups) -> int:
    return truth.n if isinstance(truth, Sample) else sum(truth.each_part(_records_in))


def _records_in(groups: Groups, at: int) -> int:
    return int(groups.sizes.sum())


def mean_rank_error(answers: Iterable[Answers]) -> float:
    """Return the mean rank error of simulated answers over all their quantiles, in records."""
    errors = [abs(error) for each in answers for error in each.errors]
    return float(np.mean(errors)) if errors else 0.0
