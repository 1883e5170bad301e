"""Intervals of a release that asked for none: lines between its levels, but for answers that may lie anywhere."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpq_core import Domain, Plan, PureDP, Sample, simulate
from dpq_core.accuracy import signed_rank_errors, true_quantiles
from dpq_core.intervals import neighbours
from dpq_core.intervals.ends import ROUNDING, of_values
from dpq_core.intervals.errors import smooth_shapes
from dpq_core.intervals.neighbours import around
from dpq_core.release import QuantileRelease

DOMAIN = Domain(0, 1000, 1)
QUARTILES = [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]
EXTREMES = [Fraction(1, 20), *QUARTILES, Fraction(19, 20)]


def test_ends_lie_on_lines_between_levels_and_beyond_them_at_the_bounds() -> None:
    error = 100 - ROUNDING
    assert around(QUARTILES, (200, 400, 800), DOMAIN, error, 1000) == ((0, 281), (320, 561), (640, 1000))


def test_ends_between_two_values_of_the_grid_are_rounded_outwards() -> None:
    coarse = Domain(0, 1000, 50)
    assert around(QUARTILES, (200, 400, 800), coarse, 100 - ROUNDING, 1000) == ((0, 300), (300, 600), (600, 1000))
    on_the_grid = around(QUARTILES, (200, 400, 600), coarse, 250 - ROUNDING, 1000)
    assert on_the_grid == ((0, 450), (200, 650), (400, 1000)), "400 stands for values up to 450"


@pytest.mark.parametrize("domain", [Domain(0, 100, 7), Domain.significant(1, 1, 90), Domain(-50, 50, 20)])
def test_the_last_value_of_a_grid_reaches_to_its_upper_bound(domain: Domain) -> None:
    last = domain.decode(np.array([domain.cells - 1]))[0]
    ends = of_values(np.array([[float(domain.lower), last], [last, float(domain.upper)]]), domain)
    assert ends.tolist() == [[float(domain.lower), float(domain.upper)], [last, float(domain.upper)]]


@pytest.mark.parametrize("wild", [0, 40, 999])
def test_an_answer_that_may_lie_beyond_all_records_moves_no_end_inwards(wild: float) -> None:
    """The level 19/20 may err to beyond level 1, and 1/20 to beyond 0: at the top or the bottom they mean nothing."""
    error = 100 - ROUNDING
    highest = around(EXTREMES, (50, 200, 400, 800, max(wild, 800)), DOMAIN, error, 1000)
    assert highest[-1][0] <= 800, "not nearer to the answer, however high that lies"
    lowest = around(EXTREMES, (min(wild, 200), 200, 400, 800, 900), DOMAIN, error, 1000)
    assert lowest[0][1] >= 200
    assert lowest[1][0] == (min(wild, 200) + 200) // 2, "but it bounds from below whatever lies above it"


def test_where_every_answer_may_lie_anywhere_intervals_are_the_whole_domain() -> None:
    assert around(QUARTILES, (200, 400, 800), DOMAIN, 1000, 1000) == ((0, 1000),) * 3
    assert around([], (), DOMAIN, 10, 100) == ()


@pytest.mark.slow
def test_the_outermost_levels_hold_as_often_as_asked_where_their_errors_pass_the_last_record() -> None:
    """300 runs; with lines through every answer the highest held in some 70 of 100."""
    incomes = np.round(np.random.default_rng(1).lognormal(10, 1, 1200))
    domain = Domain(0, 10**7, 1)
    sample = Sample.from_values(incomes, domain, seed=1)
    study = simulate(sample, Plan(EXTREMES, "aq", PureDP(0.25)), trials=300, seed=1)
    true, held = np.array(true_quantiles(sample, EXTREMES)), np.zeros(len(EXTREMES))
    for values in study.values.tolist():
        drawn = QuantileRelease(values=tuple(values), guarantee=study.guarantee, plan=study.plan, domain=domain)
        low, high = np.array(drawn.with_intervals(0.95, about_n=1000).intervals).T
        held += (low <= true) & (true <= high)
    assert min(held[0], held[-1]) >= 0.95 * 300


def test_beside_a_gap_they_hold_as_seldom_as_they_say() -> None:
    """The median ends the lower hump; answers lie anywhere in the gap above it, which no line knows."""
    rng = np.random.default_rng(3)
    domain = Domain(0, 110, "0.1")
    sample = Sample.from_values(np.sort(np.concatenate([rng.normal(20, 4, 600), rng.normal(80, 4, 600)])), domain)
    study = simulate(sample, Plan(QUARTILES, "aq", PureDP(0.25)), trials=300, seed=11)
    median, held = true_quantiles(sample, QUARTILES)[1], 0
    for values in study.values.tolist():
        drawn = QuantileRelease(values=tuple(values), guarantee=study.guarantee, plan=study.plan, domain=domain)
        rough = drawn.with_intervals(0.95, about_n=1000)
        held += rough.intervals[1][0] <= median <= rough.intervals[1][1]
    assert held < 0.2 * 300
    assert rough.basis is not None
    assert "fewer than 20 beside a wide gap" in rough.basis.sentences[1]


def test_lines_that_hold_too_rarely_are_made_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line from the median to 1/1000 or 999/1000 says too little of the values there, on one smooth shape or more."""
    domain, levels = Domain(0, 10**6, 1), [Fraction(1, 1000), Fraction(1, 2), Fraction(999, 1000)]
    samples = smooth_shapes(domain, 20_000)
    studies = [simulate(sample, Plan(levels, "aq", PureDP(1.0)), trials=64, seed=1) for sample in samples]

    def held() -> float:
        least = 1.0
        for sample, study in zip(samples, studies, strict=True):
            found = []
            for row in study.values.tolist():
                drawn = QuantileRelease(values=tuple(row), guarantee=study.guarantee, plan=study.plan, domain=domain)
                found.append(drawn.with_intervals(0.95, about_n=20_000).intervals)
            low, high = (signed_rank_errors(sample, levels, np.array(found)[..., end]) for end in range(2))
            least = min(least, float(np.mean((low <= 0) & (high >= 0), axis=0).min()))
        return least

    widened = held()
    monkeypatch.setattr(neighbours, "FEWEST_HELD", 0.0)
    assert held() < 0.72 < widened
