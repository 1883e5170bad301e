"""Figures of the first three lessons: the middle of 300 people, what one person can change, and one private answer."""

from __future__ import annotations

from fractions import Fraction
from math import exp
from statistics import median

import numpy as np

from dpq_core import Domain, Plan, PureDP, Sample, rank_errors, simulate, true_quantiles
from dpq_core.arrays import Floats
from dpq_core.audit.losses import compare
from dpq_core.results.answers import as_floats

from .picture import MEDIAN, SAMPLE_SEED, LessonPicture, people, percent, sample_of, values_of

PEOPLE = 300
OLDEST, MOVED_TO = 10, 90
"""How many of the oldest people are moved to that age after the first prediction."""
GRID = Domain(0, 100, 1)
NEWCOMER_BUDGET = 0.5
DRAWS = 500
AGES_ONE_RANK_OFF = (34, 47)
"""The ages of a rank error of at most 1 among the twelve people."""


def guess_the_middle(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show 300 people as dots and the visitor's line; then the ten oldest at 90, and the error of the line."""
    from dpq_core.figures.lessons.basics import draw_people

    guess, sample = int(setting), sample_of("adult-age", PEOPLE)
    ages = sorted(values_of("adult-age")[:PEOPLE].astype(int).tolist())
    if revealed:
        ages = [*ages[:-OLDEST], *[MOVED_TO] * OLDEST]
        sample = Sample.from_values(ages, sample.domain, seed=SAMPLE_SEED)
    truth = int(true_quantiles(sample, [MEDIAN])[0])
    error = int(rank_errors(sample, [MEDIAN], [float(guess)])[0])
    before, up_to = sum(age < guess for age in ages), sum(age <= guess for age in ages)
    place = f"{before}" if up_to == before else f"{before} to {up_to}"
    table = {"": ["your line"], "value": [f"{guess} years"]}
    if not revealed:
        figure = draw_people(ages, guess, None)
        sentence = "Each dot is one person. Put your line where you believe the middle is."
        return LessonPicture(figure, f"{PEOPLE} people as dots by age, and your line at {guess}.", table, sentence)
    middle = PEOPLE // 2
    places = (f": place {place}", f": place {middle}")
    figure = draw_people(ages[:-OLDEST], guess, truth, ages[-OLDEST:], places=places)
    table[""] += ["place of your line", "true middle", "place of the middle", "rank error of your line"]
    table["value"] += [place, f"{truth} years", f"{middle}", people(error)]
    off = "it is a true middle" if error == 0 else f"a rank error of {people(error)}"
    sentence = f"Your line is at place {place} of {PEOPLE}, the middle at {middle}: {off}."
    alt = (
        f"{PEOPLE} people by age, the ten oldest as crosses at {MOVED_TO}; {before} are left of your line at {guess}. "
        f"The true middle is at {truth}. {sentence}"
    )
    return LessonPicture(figure, alt, table, sentence)


def one_more_person(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show the exact median without and with one more person; then the distributions of both private medians."""
    from dpq_core.figures.lessons.basics import draw_newcomer

    newcomer = int(setting)
    without = values_of("tiny")
    joined = np.append(without, newcomer)
    medians = [exact_median(data) for data in (without, joined)]
    same = medians[0] == medians[1]
    sentence = f"The exact median {f'stays {medians[0]}' if same else f'moves from {medians[0]} to {medians[1]}'}."
    table = {"": ["exact median without Kim", "exact median with Kim"], "value": [f"{each} years" for each in medians]}
    ages, two = without.astype(int).tolist(), (medians[0], medians[1])
    alt = f"Twelve people and Kim, {newcomer}. {sentence}"
    if not revealed:
        return LessonPicture(draw_newcomer(ages, newcomer, two, None), alt, table, sentence)
    plan = Plan([MEDIAN], "aq", PureDP(NEWCOMER_BUDGET))
    laws, loss = median_distributions(plan, without, joined)
    ratio = exp(loss)
    table[""] += ["largest change of a probability", "promised at most"]
    table["value"] += [f"{ratio:.2f} times", f"{exp(NEWCOMER_BUDGET):.2f} times"]
    private = (
        f"No private answer becomes more than {ratio:.2f} times as likely; the promise is {exp(NEWCOMER_BUDGET):.2f}."
    )
    figure = draw_newcomer(ages, newcomer, two, laws)
    return LessonPicture(figure, f"{alt} Below, two nearly equal curves. {private}", table, f"{sentence} {private}")


def draw_from_intervals(setting: str, seed: int, revealed: bool) -> LessonPicture:
    """Show the probability of each private median of twelve people; then 500 simulated ones."""
    from dpq_core.figures.lessons.basics import draw_interval_chances

    people_here = values_of("tiny")
    plan = Plan([MEDIAN], "aq", PureDP(float(setting)))
    (law, _), _ = median_distributions(plan, people_here, people_here)
    sample = Sample.from_values(people_here, GRID, seed=SAMPLE_SEED, jitter_bits=0)  # as in the audits
    draws = as_floats(simulate(sample, plan, trials=DRAWS, seed=seed).cells[0].values[:, 0, 0]) if revealed else ()
    truth = exact_median(people_here)
    first, last = AGES_ONE_RANK_OFF
    near = sum(law[first : last + 1])
    sentence = (
        f"The answer lies from {first} to {last}, at most one person from the middle, with a probability of "
        f"{percent(near)}."
    )
    if revealed:
        hits = sum(first <= value <= last for value in draws) / DRAWS
        sentence += f" Of {DRAWS} simulated answers {percent(hits)} did."
    shown = [19, 31, 38, 47, 52, 66, 81, 100]
    table = {"answer": [f"{age} years" for age in shown], "probability": [percent(law[age]) for age in shown]}
    alt = f"A curve over ages from 0 to 100, highest around the median of {truth:g}. {sentence}"
    figure = draw_interval_chances(people_here.astype(int).tolist(), law, draws, truth, many="simulated answers")
    return LessonPicture(figure, alt, table, sentence, seed if revealed else None)


def exact_median(ages: Floats) -> int:
    """Return the age of the person in the middle; of an even number of people, halfway between the two there.

    The ages of the examples make it a whole number.
    """
    return int(median(ages.tolist()))


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
