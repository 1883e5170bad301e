"""A noisy count, then answers that rest on it: the law of the whole release on tiny tables against its guarantee."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from importlib import import_module
from itertools import pairwise
from math import exp, log

import numpy as np
import pytest

from dpq_core import ZCDP, ApproxDP, Plan, PureDP
from dpq_core.audit.branching import Distribution, enumerate_law
from dpq_core.finding import CountedSteps, calibrate_counted, draw_counted
from dpq_core.noise import Entropy
from dpq_core.privacy import Privacy
from tests.audit.enumerated import loss_of_laws, sample_of

MODULES = [import_module(name) for name in ("dpq_core.finding.counting", "dpq_core.release")]


def steps_of(budget: Privacy) -> CountedSteps:
    return calibrate_counted(sample_of([1, 2], 3), Plan(["1/2"], "indexp", budget, intervals=0.9, about_n="noisy"))


def whole_law(values: tuple[int, ...], steps: CountedSteps, monkeypatch: pytest.MonkeyPatch) -> Distribution:
    """Of the shipped release: the number, the answer and its interval."""

    def program(entropy):
        for module in MODULES:
            monkeypatch.setattr(module, "ExactEntropy", lambda: entropy)
        released = draw_counted(sample_of(values, 3), steps)
        return released.notes[-1], released.values, released.intervals

    return enumerate_law(program, Fraction(1, 10**4))


def number_of(steps: CountedSteps, n: int, entropy: Entropy) -> int:
    return int(steps.count(sample_of([1] * n, 3), entropy)[0])


@pytest.mark.parametrize("budget", [PureDP(20.0), ApproxDP(20.0, 0.01), ZCDP(10.0)], ids=str)
def test_the_number_alone_loses_what_it_is_charged_and_is_seldom_too_large(budget):
    steps = steps_of(budget)
    laws = [enumerate_law(partial(number_of, steps, n), Fraction(1, 10**9)) for n in range(3)]
    for first, second in pairwise(laws):
        common = [each for each in first.chances if second.at_least(each) > Fraction(1, 10**6)]
        ratios = [abs(log(first.at_least(each) / second.at_least(each))) for each in common]
        assert ratios == pytest.approx([float(steps.number.rate)] * len(common), rel=1e-3)
        assert len(common) > 5
    too_large = sum(float(chance) for noisy, chance in laws[2].chances.items() if noisy - steps.number.margin > 2)
    assert too_large <= steps.number.failing == pytest.approx(0.01)
    assert too_large > steps.number.failing * exp(-2 * float(steps.number.rate))


def test_the_whole_release_never_loses_more_than_it_says(monkeypatch):
    steps, worst = steps_of(PureDP(8.0)), 0.0
    for values in ((0,), (1, 2), ()):
        first, second = (whole_law(each, steps, monkeypatch) for each in (values, (*values, 2)))
        missing = float(first.cut + second.cut)
        assert missing < 0.01
        assert loss_of_laws(first, second, steps.guarantee.epsilon).delta <= missing
        likely = [each for each in first.chances if min(first.at_least(each), second.at_least(each)) > 1e-5]
        worst = max(worst, *(abs(log(first.at_least(each) / second.at_least(each))) for each in likely))
    alone = steps.second(sample_of((1,), 3), 1).guarantee.epsilon
    assert steps.guarantee.epsilon == pytest.approx(float(steps.finding) + alone)
    assert 0.5 * steps.guarantee.epsilon < worst <= steps.guarantee.epsilon * (1 + 1e-9), "the pairs have power"


def test_released_numbers_and_answers_are_independent_draws(monkeypatch):
    steps = steps_of(PureDP(8.0))
    law = whole_law((1, 2), steps, monkeypatch)
    numbers: dict[str, float] = {}
    answers: dict[tuple[float, ...], float] = {}
    for (number, values, _), chance in law.chances.items():
        numbers[number] = numbers.get(number, 0.0) + float(chance)
        answers[values] = answers.get(values, 0.0) + float(chance)
    for (number, values, _), chance in law.chances.items():
        assert float(chance) == pytest.approx(numbers[number] * answers[values], abs=2 * float(law.cut) + 1e-9)
    assert np.argmax([answers[each] for each in sorted(answers)]) in {1, 2}
