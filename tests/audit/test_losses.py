"""The audit itself: it finds what is there, on data small enough to know the answer."""

from collections.abc import Callable
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from dpq_core import Adjacency, Domain, ParameterError, Plan, PureDP, privacy_loss
from dpq_core.arrays import Floats
from dpq_core.audit.losses import RENYI_ORDERS, all_outputs, loss_between
from dpq_core.mechanisms.aq import mechanism as aq
from dpq_core.mechanisms.indexp import mechanism as indexp
from tests.harness import calibrate

GRID = Domain(0, 4, 1)
LAWS: dict[str, Callable[..., Floats]] = {"aq": aq.log_law, "indexp": indexp.log_law}


def test_the_loss_of_one_median_by_hand():
    """Empty data answers uniformly. A score max(#{x < w} - q n, q n - #{x <= w}) sees where one record lies."""
    # q = 1/2: score -1/2 at 2 and 1/2 elsewhere, sensitivity 1/2: cell 2 weighs e times as much as each other one.
    middle = privacy_loss(Plan(["1/2"]), [], [2], GRID)
    assert middle.epsilon == pytest.approx(max(log(5 * exp(1) / (4 + exp(1))), log((4 + exp(1)) / 5)), rel=1e-9)
    # q = 1: cells 0 and 1 have one record too few, and all scores move one way, so epsilon is the rate: e^-1 and 1.
    one = privacy_loss(Plan([1]), [], [2], GRID)
    total = 2 * exp(-1) + 3
    assert one.epsilon == pytest.approx(max(log(total / 5 / exp(-1)), log(5 / total)), rel=1e-9)
    assert one.delta == 0
    assert one.method == "law"


def test_delta_and_renyi_divergence_of_two_coins():
    a, b = np.log([0.75, 0.25]), np.log([0.5, 0.5])
    loss = loss_between(a, b, claimed_epsilon=0.0)
    assert loss.epsilon == pytest.approx(log(2))
    assert loss.delta == pytest.approx(0.25)
    assert loss_between(a, b, claimed_epsilon=log(2)).delta == 0
    assert loss.rho == pytest.approx(
        max(log((0.75**2 + 0.25**2) / 0.5) / 2, log(0.25 / 0.75 + 0.25 / 0.25) / 2), rel=0.2
    )


@pytest.mark.parametrize("turned", [False, True])
def test_each_loss_is_the_worse_of_both_directions(turned):
    """Of a = (1/2, 0.49, 0.01) and b = (1/2, 1/4, 1/4): epsilon and rho are large from b to a, delta from a to b."""
    a, b = np.log([0.5, 0.49, 0.01]), np.log([0.5, 0.25, 0.25])
    first, second = (b, a) if turned else (a, b)
    loss = loss_between(first, second, claimed_epsilon=0.0)
    assert loss.epsilon == pytest.approx(log(25))
    assert loss.rho == pytest.approx(max(rho_of(a, b), rho_of(b, a)), rel=1e-6)
    assert rho_of(b, a) > 2 * rho_of(a, b)
    claimed = 0.5
    deltas = [np.maximum(np.exp(p) - exp(claimed) * np.exp(q), 0).sum() for p, q in ((a, b), (b, a))]
    assert max(deltas) > 2 * min(deltas)
    assert loss_between(first, second, claimed).delta == pytest.approx(max(deltas))


def rho_of(p, q):
    """The largest D_order(p || q) / order over a grid of orders, by the definition."""
    return max(log(np.sum(np.exp(a * p + (1 - a) * q))) / (a - 1) / a for a in RENYI_ORDERS if a <= 100)


def test_both_data_sets_are_altered_alike():
    """With no noise on one of two equal data sets a loss would be seen."""
    plan = Plan(["1/2"])
    loss = privacy_loss(plan, [1, 2], [1, 2], GRID, alter=lambda parameters: parameters.with_rates_times(Fraction(3)))
    assert loss.epsilon == 0


def test_all_outputs_are_sorted_distinct_and_complete():
    outputs = all_outputs(4, 2)
    assert len(outputs) == len({tuple(row) for row in outputs.tolist()}) == 10
    assert (np.diff(outputs, axis=1) >= 0).all()


@pytest.mark.parametrize("mechanism", ["aq", "indexp"])
@pytest.mark.parametrize("levels", [["1/2"], ["1/3", "2/3"], [0, "1/2", 1]])
def test_probabilities_sum_to_one(mechanism, levels):
    parameters = calibrate(Plan(levels, mechanism))
    outputs = all_outputs(6, len(levels))
    logs = LAWS[mechanism](outputs, np.array([1, 1, 3, 5]), parameters, 6)
    assert np.exp(logs).sum() == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize(("adjacency", "a", "b"), [
    (Adjacency.ADD_REMOVE, [1, 2], [1, 2, 3, 4]), (Adjacency.ADD_REMOVE, [1, 2], [1, 3]),
    (Adjacency.REPLACE_ONE, [1, 2], [1, 2, 3]), (Adjacency.REPLACE_ONE, [1, 2], [3, 4]),
])  # fmt: skip
def test_data_that_are_no_neighbours_are_refused(adjacency, a, b):
    with pytest.raises(ParameterError, match="`data_b` must differ"):
        privacy_loss(Plan([0.5], adjacency=adjacency), a, b, GRID)


def test_equal_data_lose_nothing_and_large_grids_are_refused():
    assert privacy_loss(Plan([0.5]), [1, 2], [2, 1], GRID).epsilon == 0
    with pytest.raises(ParameterError, match="fewer cells"):
        privacy_loss(Plan(["1/4", "1/2", "3/4"]), [1], [1, 2], Domain(0, 1000, 1))


def test_the_worst_output_is_named_in_the_columns_unit():
    loss = privacy_loss(Plan([1], privacy=PureDP(2.0)), [10], [10, 30], Domain(10, 30, 10))
    assert set(loss.worst_output) <= {10.0, 20.0, 30.0}
