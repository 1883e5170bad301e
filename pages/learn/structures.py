"""Figures of lessons: how mechanisms work, one by one, in halves and in slices, and what is promised."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import numpy as np

from dpq_core import ApproxDP, Plan, PureDP, explain, simulate, true_quantiles
from dpq_core.accuracy import signed_rank_errors, target_ranks
from dpq_core.calibrations import Calibrated, singly
from dpq_core.errors import BudgetError
from dpq_core.frame import level_name
from dpq_core.mechanisms.base import DrawStep
from dpq_core.mechanisms.slices.trace import SliceStep
from dpq_core.privacy.budgets import Guarantee
from dpq_core.results.answers import as_floats
from dpq_core.results.wording import count_in_words, expected_in_words
from dpq_core.studies.design import even_levels
from dpq_core.trials import explain_column, simulate_column

from .basics import MEDIAN, LessonPicture, column_of, median_distributions, percent
from .texts import LESSONS

TRIALS = 64
PERSON, IN_A_SLICE = 430, 4500
"""Kim's place among the 1,000 people, from the youngest on, and among the 10,000 of whom some are in slices."""
BUDGET, SLICE_BUDGET = PureDP(0.5), ApproxDP(1.0, 1e-6)
"""The first so that answers can be seen to be off: many people have the same age."""


def mean_error(mechanism: str, count: int, seed: int) -> float:
    """Return how many people an answer is off on average, in 64 simulated runs for 1,000 people."""
    plan, column = Plan(even_levels(count), mechanism, BUDGET), column_of("adult-age")
    calibrated = Calibrated.for_column(column, plan, singly)  # as in AQ's paper: each split halves the people
    return float(simulate_column(column, calibrated, TRIALS, seed).rank_errors.mean())


def in_people(error: float) -> str:
    """Return a mean error as sentence, figure and table say it."""
    return expected_in_words(error, "person", "people")


def one_by_one(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show a budget cut into as many fractions as there are questions; then what that does to the error."""
    from dpq_core.figures.frame import colour_of
    from dpq_core.figures.lessons import draw_line, draw_shares

    count = int(setting)
    if not revealed:
        sentence = f"Each answer gets 1/{count} of the budget." if count > 1 else "One answer gets the whole budget."
        table: dict[str, list[str]] = {"quantiles": [str(count)], "budget of each": [percent(1 / count)]}
        alt = f"A bar, the budget, cut into {count} equal parts."
        return LessonPicture(draw_shares(count), alt, table, sentence)
    counts = [int(option) for option in LESSONS["one-by-one"].options]
    errors = [mean_error("indexp", number, seed) for number in counts]
    off = [in_people(error) for error in errors]
    part = "the whole" if count == 1 else f"1/{count} of the"
    sentence = f"With {part} budget an answer is off by {off[counts.index(count)]}."
    table = {
        "quantiles": [str(number) for number in counts],
        "budget of each": [percent(1 / number) for number in counts],
        "off, on average": off,
    }
    said = {"x": "number of quantiles", "y": "people off, on average"}
    figure = draw_line(counts, errors, off, colour_of("indexp"), here=count, **said)
    return LessonPicture(figure, f"An error that rises with the number of quantiles. {sentence}", table, sentence, seed)


def halves(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show one run of AQ as nodes on the value axis; then the nodes of one person, and the error saved."""
    from dpq_core.figures.lessons import draw_halves

    count, column = int(setting), column_of("adult-age")
    calibrated = Calibrated.for_column(column, Plan(even_levels(count), "aq", BUDGET), singly)
    steps = [step for step in explain_column(column, calibrated, seed)[0].steps if isinstance(step, DrawStep)]
    holds = [step.records[0] <= PERSON < step.records[1] for step in steps]
    parts = [(s.depth, *s.bounds, s.value, held) for s, held in zip(steps, holds, strict=True)]
    rows = 1 + max(step.depth for step in steps)
    sentence = f"{count_in_words(count, 'quantile')}, drawn in {count_in_words(rows, 'row')}."
    table = {
        "quantile": [level_name(step.level) for step in steps],
        "row": [str(step.depth + 1) for step in steps],
        "between": [f"{step.bounds[0]:g} and {step.bounds[1]:g}" for step in steps],
        "drawn": [f"{step.value:g} years" for step in steps],
    }
    age = None
    if revealed:
        age = float(column.values_of(column.cells[PERSON : PERSON + 1])[0])
        halving, single = (in_people(mean_error(name, count, seed)) for name in ("aq", "indexp"))
        sentence = f"Kim takes part in {sum(holds)} of {count_in_words(count, 'draw')}. "
        sentence += f"An answer is off by {halving}; asked one by one, by {single}."
        table["holds Kim"] = ["yes" if held else "no" for held in holds]
    alt = f"The ages from 0 to 120 cut at each drawn value, row by row. {sentence}"
    return LessonPicture(draw_halves(parts, age, x="age (years)"), alt, table, sentence, seed)


def slices(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show slices of 10,000 people in order; then which of them holds one person."""
    from dpq_core.figures.lessons import draw_slices

    column = column_of("normal")
    plan = Plan(even_levels(int(setting)), "slice", SLICE_BUDGET)
    trace = explain(column, plan, seed=seed)
    steps = [step for step in trace.steps if isinstance(step, SliceStep)]
    targets = target_ranks(column, plan.quantiles)
    errors = signed_rank_errors(column, plan.quantiles, trace.values).astype(int).tolist()
    ends = [(step.noisy_rank - step.half_width + 1, step.noisy_rank + step.half_width) for step in steps]
    holds = [first <= IN_A_SLICE <= last for first, last in ends]
    sentence = f"{len(ends)} slices of {2 * steps[0].half_width} people each, of 10,000. They do not touch."
    table: dict[str, list[str]] = {
        "quantile": [level_name(step.level) for step in steps],
        "target rank": [f"{rank:,}" for rank in targets],
        "slice": [f"{first:,} to {last:,}" for first, last in ends],
    }
    if revealed:
        off = count_in_words(max(map(abs, errors)), "person")
        sentence = f"Kim is in {sum(holds) or 'none'} of {len(ends)} slices. The farthest answer is off by {off}."
        table["noisy rank"] = [f"{step.noisy_rank:,}" for step in steps]
        table["drawn at"] = [f"{rank + error:,}" for rank, error in zip(targets, errors, strict=True)]
        table["holds Kim"] = ["yes" if held else "no" for held in holds]
    alt = f"10,000 people in order, with a slice around each target rank. {sentence}"
    parts = list(zip(targets, *zip(*ends, strict=True), holds, strict=True))
    return LessonPicture(draw_slices(parts, column.n, IN_A_SLICE if revealed else None), alt, table, sentence, seed)


CLAIM = 1.0
CLAIM_TIMES = exp(CLAIM)
OF_ONE_AGE = (40,) * 10
"""People for whom the loss of a private median comes close to its claim once the newcomer joins: nearly all chance is
at their age, so that the curves look alike.
"""
NEWCOMER = 0
RELEASES = 50
PEOPLE_AVERAGED = 300
RELEASE_PRICE = 0.05
LEDGER_BUDGET = PureDP(0.5)
OFFSET = 27
"""Added to the seed of the link, so that the lesson opens with a draw whose average comes closer at each step."""


def broken_claim(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show the distributions with and without one person under too little noise; then how likely answers become."""
    from dpq_core.figures.lessons import draw_two_distributions

    noise = Fraction(int(setting), 100)
    plan = Plan([MEDIAN], "aq", PureDP(CLAIM))
    without, joined = np.array(OF_ONE_AGE), np.array([*OF_ONE_AGE, NEWCOMER])
    laws, loss = median_distributions(plan, without, joined, noise)
    shown = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
    table: dict[str, list[str]] = {
        "answer": [f"{age} years" for age in shown],
        "without Kim": [percent(laws[0][age]) for age in shown],
        "with Kim": [percent(laws[1][age]) for age in shown],
    }
    sentence = f"With {setting} % of the noise the two curves look alike."
    alt = "Two curves of probabilities over ages from 0 to 100, close to each other."
    if not revealed:
        return LessonPicture(draw_two_distributions(laws, None, CLAIM_TIMES), f"{alt} {sentence}", table, sentence)
    ratios = [joined / without for without, joined in zip(*laws, strict=True)]
    verdict = "the claim holds" if loss <= CLAIM else "the claim is broken"
    sentence = (
        f"With {setting} % of the noise some answers become {exp(loss):.3g} times as likely, and {CLAIM_TIMES:.3g} was "
        f"claimed: {verdict}."
    )
    table["times as likely"] = [f"{ratios[age]:.3g}" for age in shown]
    return LessonPicture(draw_two_distributions(laws, ratios, CLAIM_TIMES), f"{alt} {sentence}", table, sentence)


def averaged_releases(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show the same median many times; then the average of all, and where a ledger refuses."""
    from dpq_core.figures.lessons import draw_average

    many = int(setting)
    column = column_of("adult-age", PEOPLE_AVERAGED)
    study = simulate(column, Plan([MEDIAN], "aq", PureDP(RELEASE_PRICE)), trials=RELEASES, seed=seed + OFFSET)
    answers = as_floats(study.cells[0].values[:many, 0, 0])
    truth = float(true_quantiles(column, [MEDIAN])[0])
    averages = as_floats(np.cumsum(answers) / np.arange(1, many + 1))
    sentence = f"{'1 release spends' if many == 1 else f'{many} releases spend'} {RELEASE_PRICE * many:.3g} in all."
    table: dict[str, list[str]] = {
        "release": [str(number) for number in range(1, many + 1)],
        "answer": [f"{answer:g} years" for answer in answers],
    }
    alt = f"Private medians scattered around the true one, {truth:g}."
    if not revealed:
        figure = draw_average(answers, None, truth, RELEASES, RELEASES)
        return LessonPicture(figure, f"{alt} {sentence}", table, sentence, seed)
    allowed = granted(study.guarantee)
    off, typical = abs(averages[-1] - truth), float(np.mean(np.abs(np.array(answers) - truth)))
    sentence = f"One release is off by {typical:.1f} years"
    sentence += "." if many == 1 else f" on average, the average of all {many} by {off:.1f} years."
    sentence += f" A ledger with a budget of {LEDGER_BUDGET.epsilon:g} grants {allowed} such releases and no more."
    table["average so far"] = [f"{average:.2f} years" for average in averages]
    table[f"a ledger of {LEDGER_BUDGET.epsilon:g}"] = [
        "granted" if number <= allowed else "refused" for number in range(1, many + 1)
    ]
    figure = draw_average(answers, averages, truth, allowed, RELEASES)
    return LessonPicture(figure, f"{alt} {sentence}", table, sentence, seed)


def granted(guarantee: Guarantee) -> int:
    """Return how many such releases a ledger grants from its budget."""
    from dpq_core.ledger.filters import ReleaseCost, grant, limits_of

    candidates, spent, count = limits_of(LEDGER_BUDGET), ReleaseCost(), 0
    while True:
        try:
            _, cost = grant(candidates, spent, guarantee)
        except BudgetError:
            return count
        spent, count = spent + cost, count + 1
