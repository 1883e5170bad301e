"""Simulate one question on public data, beside the truth, for a page: of one column or several, whole or in groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from ..accuracy import NOISE_INTERVAL, cdf_points
from ..arrays import Floats
from ..column import Column
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..groups.names import name_in_words
from ..privacy.budgets import Guarantee
from ..schedule import schedule_of, simulate
from ..steps import steps_of
from ..study import SimulatedCells
from ..study import simulate_column as simulate_calibrated
from .answers import Answers, as_floats, beside_truth, judged, weights_of
from .chosen import Chosen, TableReading, columns_asked
from .data_set import EXPLORE_SEED, DataSet, PublicData, column_to_explore, wording_of, words_of
from .kinds import FirstRun, Simulated

REPEATS = 20
"""Further answers shown as other runs with the same settings."""
DRAWS = 1 + REPEATS + 235
"""All answers of a simulation of one column in one piece: those behind a noise interval make them 256, which the
simulator draws in four equal parts."""
WALKS = 4
"""Bounds that are found, or records counted, for all these answers: each costs a sort, or a search for ends."""
MOST_STEPS = 2**50
"""Of the grid that the truth beside found bounds is put on."""
DRAWS_OF_GROUPS = 128
"""Simulated answers of every group of a column: one to show, the others for its noise interval."""
DRAWS_BETWEEN_FOUND_BOUNDS = 48
"""The same where each finds bounds of its own, and is drawn between them."""
MOST_NUMBERS = 3_000_000
"""Answers in all; where there would be more, a group has fewer."""
TRIALS = 1
"""Simulated answers of each of several columns, of which none is more than another."""


def simulate_column(data: PublicData, column: Column | None, asked: Chosen, seed: int) -> Simulated:
    """Simulate a column in one piece: one answer, 20 others to compare with, and 235 more for its noise interval.

    `column`: on its grid; None where its bounds are to be found. All answers share four that are found, in turn.
    """
    column = column_to_explore(data, asked.question.possible[data.name]) if column is None else column
    study = simulate_calibrated(column, steps_of(column, asked.plan.plans[data.name]), DRAWS, seed, firsts=WALKS)
    runs, truth = replace(study, column=data.name), truth_of(column, data.values, study.domain_of(0))
    return _simulated(
        {data.name: data}, asked, {data.name: (runs, truth)}, study.guarantee, seed, runs=runs, cdf=cdf_points(truth),
        identity=data.identity, about=data.about, reading=data.reading,
    )  # fmt: skip


def simulate_table(
    table: Iterable[PublicData], asked: Chosen, reading: TableReading, seed: int, identity: str, about: str
) -> Simulated:
    """Simulate one answer of all columns and groups, beside the truth. Raises ParameterError, DataError.

    Groups of one column alone have further answers, for their noise intervals.
    """
    chosen = {data.name: data for data in table if data.name in asked.plan.plans}
    first = next(iter(chosen.values()))
    values = {name: data.values for name, data in chosen.items()}
    columns = columns_asked(values, asked.question, first.groups, first.people, EXPLORE_SEED)
    study = simulate(columns, schedule_of(columns, asked.plan), _draws(columns, asked), seed)
    of_data = {name: (own, truth_of(columns[name], values[name], own.domain_of(0))) for name, own in study.items()}
    return _simulated(
        chosen, asked, of_data, study.guarantee, seed, identity=identity, about=about, reading=reading, of_table=True
    )


def _draws(columns: Mapping[str, Column], asked: Chosen) -> int:
    """Return how many answers are simulated: of groups of one column as many as their noise intervals need."""
    (column, *others), (plan, *_) = columns.values(), asked.plan.plans.values()
    if others or asked.question.groups is None:
        return TRIALS
    most = DRAWS_BETWEEN_FOUND_BOUNDS if column.find_bounds is not None else DRAWS_OF_GROUPS
    return min(max(MOST_NUMBERS // max(len(column.names) * len(plan.quantiles), 1), 1), most)


def _simulated(
    chosen: Mapping[str, DataSet],
    asked: Chosen,
    studies: Mapping[str, tuple[SimulatedCells, Column]],
    guarantee: Guarantee,
    seed: int,
    **more: Any,
) -> Simulated:
    """Return the first run of each column beside its truth."""
    found = {
        name: bounds if isinstance(bounds, FindBounds) else None for name, bounds in asked.question.possible.items()
    }
    shown = {name: part.of_trial(0, found[name]) for name, (part, _) in studies.items()}
    wordings = {name: wording_of(chosen[name], cells.domain) for name, cells in shown.items()}
    first, answers = next(iter(chosen.values())), list[Answers]()
    words = asked.question.described(words_of(chosen))
    for name, (part, truth) in studies.items():
        own = beside_truth(part, shown[name], truth, wordings[name])
        sizes = dict(zip(map(name_in_words, truth.names), weights_of(truth), strict=True)) if truth.in_groups else {}
        answers += judged(own, words, asked.chances.get(name, ()), len(studies), sizes)
    cells = tuple(shown.values())
    release = FirstRun(
        plan=asked.plan, guarantee=guarantee, cells=cells, description=words, answers=tuple(answers),
        data_set=more["about"], seed=seed,
    )  # fmt: skip
    return Simulated(
        source=first.source, of_example=first.is_example, chosen=asked, wordings=tuple(wordings.values()),
        answers=tuple(answers), release=release, seed=seed,
        n=max(sum(truth.each_part(lambda part, at: part.n)) for _, truth in studies.values()),
        draws=max(len(part.values) for part, _ in studies.values()), **more,
    )  # fmt: skip


def usual_error(outcome: Simulated) -> float:
    """Return the mean rank error over all simulated runs, or over the one that is shown."""
    if outcome.runs is None:
        return mean_rank_error(outcome.answers)
    return float(outcome.runs.rank_errors.mean()) if outcome.runs.values.size else 0.0


def mean_rank_error(answers: Iterable[Answers]) -> float:
    """Return the mean rank error of simulated answers over all their quantiles, in records."""
    errors = [abs(error) for each in answers for error in each.errors]
    return float(np.mean(errors)) if errors else 0.0


def truth_of(column: Column, values: Floats, found: Domain) -> Column:
    """Return what answers are compared with: where bounds were found, records are where they are, also beyond these."""
    return column if column.find_bounds is None else column.on(around(values, found))


def around(values: Floats, found: Domain) -> Domain:
    """Return even steps around the found bounds and all values, for the truth beside an answer: private as they are."""
    finite = values[np.isfinite(values)]
    ends = [*map(Fraction, finite[[finite.argmin(), finite.argmax()]].tolist())] if finite.size else []
    lower, upper = min([found.lower, *ends]), max([found.upper, *ends])
    step = found.step / 10**5
    while (upper - lower) / step > MOST_STEPS:
        step *= 10
    return Domain(floor(lower / step) * step, ceil(upper / step) * step, step)


def noise_interval(runs: SimulatedCells) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return for each level the bounds of 95 of 100 signed rank errors of a column in one piece, in records."""
    errors = runs.signed_rank_errors[1 + REPEATS :, 0]
    if not errors.shape[1]:
        return (), ()
    lows, highs = np.percentile(errors, NOISE_INTERVAL, axis=0)
    return as_floats(np.floor(lows)), as_floats(np.ceil(highs))
