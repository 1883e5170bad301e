"""The law that Inside shows is the whole law of the draw, at any budget, in a few hundred pieces."""

from bisect import bisect_right
from collections.abc import Callable

import numpy as np
import pytest

from dpq_core import Domain, PureDP, explain, simulate
from dpq_core.arrays import Floats
from dpq_core.mechanisms.aq import mechanism as aq
from dpq_core.mechanisms.base import DrawStep
from dpq_core.mechanisms.indexp import mechanism as indexp
from dpq_core.mechanisms.joint import mechanism as joint
from tests.harness import Plan, calibrate, usual_column
from tests.narrowing import all_of

DOMAIN = Domain(0, 2999, 1)
LAWS: dict[str, Callable[..., Floats]] = {"aq": aq.log_law, "indexp": indexp.log_law, "jointexp": joint.log_law}
AGES = np.random.default_rng(2).normal(1200, 180, 1000)


@pytest.mark.slow(keep=("0-jointexp-1.0", "1-aq-30.0"))
@pytest.mark.parametrize("epsilon", [0.001, 0.03, 1.0, 30.0])
@pytest.mark.parametrize("mechanism", LAWS)
@pytest.mark.parametrize("size", [0, 1, 300, 1000])
def test_a_single_quantile_has_the_exact_law(mechanism, epsilon, size):
    """Cumulated at the start of every piece: within a piece nothing is claimed but its sum."""
    column = usual_column(AGES[:size], DOMAIN, tie_bits=0, seed=1)
    plan = Plan(["1/3"], mechanism, PureDP(epsilon))
    outputs = np.arange(DOMAIN.cells)[:, None]
    through = np.cumsum(np.exp(LAWS[mechanism](outputs, column.cells, calibrate(plan), DOMAIN.cells)))
    (step,) = all_of(DrawStep, explain(column, plan, seed=3).steps)
    starts, chances = step.distribution
    shown = np.cumsum(chances)[:-1]
    exact = [through[int(start) - 1] for start in starts[1:]]
    assert shown[-1:] == pytest.approx(exact[-1:], abs=0.01)
    assert np.abs(shown - exact).max(initial=0) < 0.01
    assert sum(chances) == pytest.approx(1)
    assert len(starts) <= 600


@pytest.mark.parametrize("epsilon", [0.05, 3.0, 40.0])
@pytest.mark.parametrize("values", [[], [1500], [1500] * 40, [0, 0, 1, 2], AGES[:40]])
def test_little_and_tied_data_have_it_to_the_last_digit(values, epsilon):
    """Where it begins, too: what is left out before is less than what is left out by rounding."""
    column = usual_column(values, DOMAIN, tie_bits=0, seed=1)
    for level in ("0", "1/10", "1/2", "1"):
        plan = Plan([level], "aq", PureDP(epsilon))
        law = LAWS["aq"](np.arange(DOMAIN.cells)[:, None], column.cells, calibrate(plan), DOMAIN.cells)
        through = np.append(0, np.cumsum(np.exp(law)))
        (step,) = all_of(DrawStep, explain(column, plan, seed=3).steps)
        starts, chances = step.distribution
        shown = np.append(0, np.cumsum(chances)[:-1])
        assert shown == pytest.approx(through[np.array(starts, int)], abs=1e-12)


@pytest.mark.slow(keep="1.0-None")
@pytest.mark.parametrize("bits", [0, None])
@pytest.mark.parametrize("epsilon", [0.03, 1.0])
def test_the_only_draw_has_the_law_of_many_runs(epsilon, bits):
    """AQ for a median: Kolmogorov's distance of 20,000 runs stays below 0.02."""
    sample = usual_column(AGES, DOMAIN, tie_bits=bits, seed=1)
    plan = Plan(["1/2"], "aq", PureDP(epsilon))
    steps = all_of(DrawStep, explain(sample, plan, seed=3).steps)
    runs = simulate(sample, plan, trials=20_000, seed=5).values["column"]
    for column, step in enumerate(steps):
        starts, chances = step.distribution
        values = np.sort(runs[:, column])
        below = np.searchsorted(values, starts[1:]) / len(values)
        assert np.abs(np.cumsum(chances)[:-1] - below).max() < 0.02
        assert bisect_right(starts, step.value) > 0


def test_a_draw_of_several_shows_each_given_the_others():
    """Against the law of all tuples that hold the other answers."""
    column = usual_column([3, 4, 4, 9, 12, 12, 15, 17, 30, 31], Domain(0, 39, 1), tie_bits=0)
    plan = Plan(["1/4", "1/2", "3/4"], "aq", PureDP(2.0), options={"draws": "several"})
    parameters, steps = calibrate(plan), all_of(DrawStep, explain(column, plan, seed=3).steps)
    answers = [int(step.value) for step in steps]
    for at, step in enumerate(steps):
        outputs = np.array([[*answers[:at], cell, *answers[at + 1 :]] for cell in range(40)])
        outputs = outputs[(np.diff(outputs, axis=1) >= 0).all(axis=1)]
        through = np.cumsum(np.exp(LAWS["aq"](outputs, column.cells, parameters, 40)))
        starts, chances = step.distribution
        shown = np.cumsum(chances)[:-1]
        exact = [through[np.searchsorted(outputs[:, at], int(start)) - 1] / through[-1] for start in starts[1:]]
        assert shown == pytest.approx(exact, abs=1e-9)


def test_a_large_column_has_no_more_pieces():
    column = usual_column(np.random.default_rng(0).random(10**6), Domain(0, 1), seed=1)
    for epsilon in (1e-4, 1.0):
        plan = Plan(["1/4", "1/2", "3/4"], "aq", PureDP(epsilon))
        for step in all_of(DrawStep, explain(column, plan, seed=1).steps):
            assert len(step.distribution[0]) <= 600
