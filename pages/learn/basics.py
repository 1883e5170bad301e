"""Pictures of lessons, and the first three: the middle of 300 people, one person, and one private answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp
from statistics import median
from typing import Any, TypeAlias

import numpy as np

from dpq_core import Column, Domain, Plan, PureDP, rank_errors, simulate, true_quantiles
from dpq_core.arrays import Floats
from dpq_core.audit.losses import compare
from dpq_core.results.answers import as_floats
from dpq_core.results.wording import count_in_words
from dpq_core.sources.examples import EXAMPLES, load_example

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
        private = f"No private answer becomes more than {ratio} times as likely; the promise is {promised}."
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
