"""Pictures of lessons: the middle of some people, one person, private answers, mechanisms, and what is promised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp
from statistics import median
from typing import Any, TypeAlias

import numpy as np

from dpq_core import ApproxDP, Column, Domain, Plan, PureDP, explain, rank_errors, simulate, true_quantiles
from dpq_core.accuracy import signed_rank_errors, target_ranks
from dpq_core.arrays import Floats
from dpq_core.audit.losses import compare
from dpq_core.calibrations import Calibrated, singly
from dpq_core.errors import BudgetError
from dpq_core.frame import level_name
from dpq_core.mechanisms.base import DrawStep
from dpq_core.mechanisms.slices.draws import SliceStep
from dpq_core.privacy.budgets import Guarantee
from dpq_core.results.answers import as_floats
from dpq_core.results.wording import count_in_words, expected_in_words
from dpq_core.sources.examples import EXAMPLES, load_example
from dpq_core.studies.design import even_levels
from dpq_core.study import explain_column, simulate_column

from .texts import LESSONS

SAMPLE_SEED = 0
"""Of the bits that break ties. Lessons are about public data and are no release."""
MEDIAN = Fraction(1, 2)


@dataclass(frozen=True)
class LessonPicture:
    """A figure, what it shows in words, the same numbers as a table, and a sentence about them."""

    figure: Any
    alt: str
    table: dict[str, list[Any]]
    sentence: str
    seed: int | None = None
    """Of the simulation; None where nothing was drawn."""


Show: TypeAlias = Callable[[str, int, bool], LessonPicture]
"""The slider's text, a seed, and whether the prediction was made: what is then shown. Repeatable."""


@lru_cache(maxsize=4)
def values_of(example: str) -> Floats:
    """Return the column of a public example; do not change it."""
    values = load_example(example).values
    values.flags.writeable = False
    return values


def column_of(example: str, count: int | None = None) -> Column:
    """Return the first `count` values of a public example, by default all, on the grid of its public bounds."""
    known = EXAMPLES[example]
    domain = Domain(known.lower, known.upper, known.step)
    return Column.from_values(values_of(example)[:count], domain, seed=SAMPLE_SEED)


def percent(probability: float) -> str:
    """Return a probability in percent, in two digits: `21 %`, `0.0031 %`. Only 0 and 1 read as 0 % and 100 %."""
    shown = np.format_float_positional(100 * probability, precision=2, fractional=False, trim="-")
    return "over 99\u00a0%" if shown == "100" and probability < 1 else f"{shown}\u00a0%"


PEOPLE = 300
OLDEST, MOVED_TO = 10, 90
"""How many of the oldest people are moved to that age after the first prediction."""
GRID = Domain(0, 100, 1)
NEWCOMER_BUDGET = 0.5
DRAWS = 5_000
AGES_ONE_RANK_OFF = (34, 47)
"""The ages of a rank error of at most 1 among the twelve people."""
COMPARED_WITH = {"1": "0.1"}
"""The other epsilon that the third lesson names; for all but this one it is 1."""


def guess_the_middle(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show 300 people as dots and the visitor's line; then the ten oldest at 90, and the error of the line."""
    from dpq_core.figures.lessons import draw_people

    guess, column = int(setting), column_of("adult-age", PEOPLE)
    ages = sorted(values_of("adult-age")[:PEOPLE].astype(int).tolist())
    table = {"": ["your line"], "value": [f"{guess} years"]}
    if not revealed:
        sentence = "Each dot is one person. Put your line where you believe the middle is."
        alt = f"{PEOPLE} people as dots by age, and your line at {guess}."
        return LessonPicture(draw_people(ages, guess, None), alt, table, sentence)
    ages = [*ages[:-OLDEST], *[MOVED_TO] * OLDEST]
    column = Column.from_values(ages, column.domain, seed=SAMPLE_SEED)
    truth, middle = int(true_quantiles(column, [MEDIAN])[0]), PEOPLE // 2
    error = int(rank_errors(column, [MEDIAN], [float(guess)])[0])
    before, up_to = sum(age < guess for age in ages), sum(age <= guess for age in ages)
    place = f"{before}" if up_to == before else f"{before} to {up_to}"
    places = (f": place {place}", f": place {middle}")
    figure = draw_people(ages[:-OLDEST], guess, truth, ages[-OLDEST:], places=places)
    off = count_in_words(error, "person")
    table[""] += ["place of your line", "true middle", "place of the middle", "rank error of your line"]
    table["value"] += [place, f"{truth} years", f"{middle}", off]
    found = "it is a true middle" if error == 0 else f"a rank error of {off}"
    sentence = f"Your line is at place {place} of {PEOPLE}, the middle at {middle}: {found}."
    alt = (
        f"{PEOPLE} people by age, the ten oldest as crosses at {MOVED_TO}; {before} are left of your line at {guess}. "
        f"The true middle is at {truth}. {sentence}"
    )
    return LessonPicture(figure, alt, table, sentence)


def one_more_person(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show the exact median without and with one more person; then the distributions of both private medians."""
    from dpq_core.figures.lessons import draw_newcomer

    newcomer, without = int(setting), values_of("tiny")
    joined = np.append(without, newcomer)
    two = int(median(without)), int(median(joined))  # whole numbers for all ages of the slider
    moves = f"stays {two[0]}" if two[0] == two[1] else f"moves from {two[0]} to {two[1]}"
    sentence = f"The exact median {moves}."
    table = {"": ["exact median without Kim", "exact median with Kim"], "value": [f"{each} years" for each in two]}
    ages, laws = without.astype(int).tolist(), None
    alt = f"Twelve people and Kim, {newcomer}. {sentence}"
    if revealed:
        laws, loss = median_distributions(Plan([MEDIAN], "aq", PureDP(NEWCOMER_BUDGET)), without, joined)
        ratio, promised = f"{exp(loss):.2f}", f"{exp(NEWCOMER_BUDGET):.2f}"
        table[""] += ["largest change of a probability", "promised at most"]
        table["value"] += [f"{ratio} times", f"{promised} times"]
        private = f"No private answer becomes over {ratio} times as likely; ε = {NEWCOMER_BUDGET} promises {promised}."
        sentence, alt = f"{sentence} {private}", f"{alt} Below, two nearly equal curves. {private}"
    return LessonPicture(draw_newcomer(ages, newcomer, two, laws), alt, table, sentence)


def draw_from_intervals(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show the probability of each private median of twelve people; then 5,000 simulated ones, and another epsilon."""
    from dpq_core.figures.lessons import draw_interval_chances

    people, (first, last) = values_of("tiny"), AGES_ONE_RANK_OFF
    plans = {each: Plan([MEDIAN], "aq", PureDP(float(each))) for each in (setting, COMPARED_WITH.get(setting, "1"))}
    laws = {each: median_distributions(plan, people, people)[0][0] for each, plan in plans.items()}
    near = [f"{percent(sum(law[first : last + 1]))} at ε = {each}" for each, law in laws.items()]
    sentence = f"The answer lies from {first} to {last}, at most one person from the middle, with a probability of "
    sentence += f"{' and '.join(near if revealed else near[:1])}."
    law, truth, draws = laws[setting], int(median(people)), tuple[float, ...]()
    if revealed:
        column = Column.from_values(people, GRID, seed=SAMPLE_SEED, tie_bits=0)  # as in the audits
        draws = as_floats(simulate(column, plans[setting], trials=DRAWS, seed=seed).cells[0].values[:, 0, 0])
        hits = sum(first <= each <= last for each in draws) / DRAWS
        sentence += f" Of {DRAWS:,} simulated answers {percent(hits)} did."
    shown = [19, 31, 38, 47, 52, 66, 81, 100]
    table = {"answer": [f"{age} years" for age in shown], "probability": [percent(law[age]) for age in shown]}
    alt = f"A curve over ages from 0 to 100, highest around the median of {truth:g}. {sentence}"
    figure = draw_interval_chances(people.astype(int).tolist(), law, draws, truth, many="simulated answers")
    return LessonPicture(figure, alt, table, sentence, seed if revealed else None)


def median_distributions(
    plan: Plan, one: Floats, other: Floats, noise: Fraction = Fraction(1)
) -> tuple[tuple[tuple[float, ...], tuple[float, ...]], float]:
    """Return the probability of every answer 0..100 for either of two neighbours, and the loss between them.

    `noise`: the share of the noise that is really added.
    """
    pair = compare(plan, one, other, GRID, alter=lambda parameters: parameters.with_rates_times(1 / noise))
    assert pair.laws is not None, "AQ has a law that can be listed"
    before, after = (as_floats(np.exp(law)) for law in pair.laws)
    return (before, after), pair.loss.epsilon


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
    column = column_of("adult-age", PEOPLE)
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
