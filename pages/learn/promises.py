"""Figures of the lessons on what is promised: adding up, a broken claim, answers that are averaged."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import numpy as np

from dpq_core import Plan, PureDP, simulate, true_quantiles
from dpq_core.errors import BudgetError
from dpq_core.privacy.budgets import Guarantee
from dpq_core.results.answers import as_floats

from .basics import median_distributions
from .picture import MEDIAN, LessonPicture, column_of, percent

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
