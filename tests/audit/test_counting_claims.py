"""A noisy count, then answers that rest on it: the law of the whole release on tiny tables against its guarantee."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from importlib import import_module
from itertools import pairwise, product
from math import exp, log

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, FindBounds, People, Plan, PureDP, RawSample, Sample
from dpq_core.audit.branching import Distribution, enumerate_law
from dpq_core.finding import CountedSteps, calibrate_counted, calibrate_raw, draw_counted
from dpq_core.noise import Entropy
from dpq_core.privacy import Privacy
from tests.harness import column, loss_of_laws
from tests.narrowing import only

LITTLE = Fraction(1, 10**6)
MODULES = [import_module(name) for name in ("dpq_core.finding.counting", "dpq_core.release")]


def steps_of(budget: Privacy) -> CountedSteps:
    return calibrate_counted(column([1, 2], 3), Plan(["1/2"], "indexp", budget, intervals=0.9, about_n="noisy"))


def whole_law(values: tuple[int, ...], steps: CountedSteps, monkeypatch: pytest.MonkeyPatch) -> Distribution:
    """Of the shipped release: the number, the answer and its interval."""

    def program(entropy):
        for module in MODULES:
            monkeypatch.setattr(module, "ExactEntropy", lambda: entropy)
        released = draw_counted(column(values, 3), steps)
        return released.notes[-1], released.values, released.intervals

    return enumerate_law(program, Fraction(1, 10**4))


def number_of(steps: CountedSteps, n: int, entropy: Entropy) -> int:
    return int(steps.count(column([1] * n, 3), entropy)[0])


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


@pytest.mark.parametrize("adjacency", Adjacency)
def test_the_number_of_several_rows_of_a_person_loses_what_it_is_charged(adjacency):
    """Three rows at most: where one is replaced three leave, or three come, or some of both."""
    plan = Plan(["1/2"], "indexp", PureDP(60.0), adjacency, intervals=0.9, about_n="noisy")

    def column(rows: int) -> Sample:
        ids = People.of([0, *[1] * rows])
        return Sample.from_values([1.0] * (rows + 1), Domain(0, 2, 1), people=ids, most_rows=3)

    def number(of: CountedSteps, counted: Sample, entropy: Entropy) -> int:
        return int(of.count(counted, entropy)[0])

    steps = calibrate_counted(column(1), plan)
    twice = replace(steps, number=replace(steps.number, rate=2 * steps.number.rate))

    def worst(of: CountedSteps) -> float:
        laws = [enumerate_law(partial(number, of, column(rows)), LITTLE) for rows in range(6)]
        pairs = [(a, b) for a, b in product(laws, laws) if a is not b]
        common = [
            (a.at_least(each), b.at_least(each)) for a, b in pairs for each in a.chances if b.at_least(each) > LITTLE
        ]
        return max(abs(log(one / other)) for one, other in common)

    assert worst(steps) == pytest.approx(float(steps.finding), rel=1e-2)
    assert worst(twice) > 1.9 * float(steps.finding), "half the noise is caught"


def test_the_whole_release_never_loses_more_than_it_says(monkeypatch):
    steps, worst = steps_of(PureDP(8.0)), 0.0
    for values in ((0,), (1, 2), ()):
        first, second = (whole_law(each, steps, monkeypatch) for each in (values, (*values, 2)))
        missing = float(first.cut + second.cut)
        assert missing < 0.01
        assert loss_of_laws(first, second, steps.guarantee.epsilon).delta <= missing
        likely = [each for each in first.chances if min(first.at_least(each), second.at_least(each)) > 1e-5]
        worst = max(worst, *(abs(log(first.at_least(each) / second.at_least(each))) for each in likely))
    alone = steps.second(column((1,), 3), 1).guarantee.epsilon
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


# ── between bounds that are found ────────────────────────────────────────────────────────────────────────────────────


def tiny() -> FindBounds:
    """Bounds from 0 to 2 at most: all that can be found."""
    found = FindBounds("1/2", negative=False, step=1)
    object.__setattr__(found, "grid", Domain.significant(1, 1, 2))
    return found


def test_bounds_counts_and_answers_never_lose_more_than_they_say(monkeypatch):
    """Three steps: every pair of bounds, every number and every answer with its interval, and their guarantee."""
    plan = Plan(["1/2"], "indexp", PureDP(40.0), intervals=0.9, about_n="noisy")
    laws, bound = [], 0.0
    for values in ((0.0,), (0.0, 2.0)):
        raw = RawSample.from_values(np.array(values), tiny())
        steps = calibrate_raw(raw, plan)
        second = only(CountedSteps, steps.second)
        assert steps.finding == 20
        assert second.finding == 1
        bound = steps.guarantee.epsilon
        chances, found = steps.walk.law(raw.counted), {}
        for down, up in product(*map(range, chances.shape)):
            if chances[down, up] < 1e-6:
                continue
            sample = raw.on(raw.find_bounds.between(down, raw.find_bounds.zero + 1 + up), jitter_bits=0)

            def program(entropy, sample=sample, second=second):
                for module in MODULES:
                    monkeypatch.setattr(module, "ExactEntropy", lambda: entropy)
                released = draw_counted(sample, second)
                return released.notes[-1], released.values, released.intervals

            law = enumerate_law(program, Fraction(1, 10**4))
            for outcome, chance in law.chances.items():
                found[down, up, outcome] = float(chances[down, up]) * float(chance)
        assert sum(found.values()) > 0.95
        laws.append(found)
    likely = [each for each in laws[0].keys() & laws[1].keys() if min(law[each] for law in laws) > 1e-5]
    worst = max(abs(log(laws[0][each] / laws[1][each])) for each in likely)
    assert 2 < worst <= bound == 40
