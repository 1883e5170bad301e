"""JointExp with a free total, its claim exactly: never exceeded, reached, and broken by half the noise."""

from fractions import Fraction
from functools import cache, partial

import numpy as np
import pytest

from dpq_core import Adjacency, Plan, PureDP
from dpq_core.audit.losses import all_outputs
from dpq_core.mechanisms.freetotal.mechanism import calibrate, log_law, sensitivity
from dpq_core.mechanisms.freetotal.totals import best_total, counts_between
from dpq_core.mechanisms.joint import distance, half_range, proportions_of
from dpq_core.mechanisms.joint.mechanism import one_way
from tests.audit.extremes import END, ROUNDING, climb, pairs, share_of_claim

LEVELS = [["1/2"], [0], ["1/3", "2/3"], [0, 1], ["1/4", "1/2", "3/4"], ["1/10", "1/2", "9/10"], [0, "1/2", 1]]


def parameters_for(levels, privacy, adjacency):
    return calibrate(Plan(levels, "freetotal", privacy, adjacency), None)


REACHED = [
    # levels, adjacency, data, neighbour, share of the claim that is reached
    (["1/2"], "add_remove", [0, 0], [0, 0, END - 1], 0.999),
    (["1/4", "3/4"], "add_remove", [END - 10, END], [END - 10, END - 1, END], 0.999),
    (["1/4", "1/2", "3/4"], "add_remove", [0, 100], [0, 100, 10**9], 0.999),
    (["1/2"], "substitute", [0, 1], [1, END - 1], 0.999),
    ([0], "add_remove", [], [0], 0.999),
    ([0, 1], "add_remove", [], [0], 0.999),
    ([1], "substitute", [END], [10], 0.999),
]


@pytest.mark.parametrize(("levels", "adjacency", "data", "other", "share"), REACHED)
def test_the_claim_is_reached_and_half_the_noise_breaks_it(levels, adjacency, data, other, share):
    parameters = parameters_for(levels, PureDP(1.0), Adjacency(adjacency))
    assert share <= share_of_claim(log_law, parameters, data, other) <= 1 + ROUNDING
    assert share_of_claim(log_law, parameters.with_rates_times(Fraction(2)), data, other) > 1.5


@pytest.mark.covering(1)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("levels", [["1/2"], ["1/4", "3/4"], ["1/4", "1/2", "3/4"], ["1/10", "1/2"], [0, "1/2"]])
def test_hill_climbing_on_a_large_grid_never_exceeds_the_claim(levels, adjacency):
    parameters = parameters_for(levels, PureDP(1.0), adjacency)
    assert climb(partial(share_of_claim, log_law, parameters), adjacency, 3, 30) > 0.5


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("levels", [*LEVELS, ["1/7", "2/7", "3/7", "6/7"]])
def test_the_sensitivity_is_that_of_the_score(levels, adjacency):
    """Every data set of few records on 4 cells, every tuple, exactly: within the bound, and all of it somewhere."""
    levels = tuple(map(Fraction, levels))
    outputs, shares = all_outputs(4, len(levels)), proportions_of(levels)

    @cache
    def score(counts):
        return distance(counts, shares, best_total(counts, shares))

    @cache
    def scores(records):
        ranks = np.searchsorted(records, outputs)
        return np.array([score(tuple(each)) for each in counts_between(ranks, len(records)).tolist()])

    changes = [scores(one) - scores(other) for one, other in pairs(4, (0, 1, 2, 3, 4, 7), adjacency)]
    assert max(abs(each).max() for each in changes) == sensitivity(levels, adjacency)
    apart = max(each.max() - each.min() for each in changes)
    assert apart <= 2 * half_range(levels, adjacency, sensitivity)
    assert apart == 2 * half_range(levels, adjacency, sensitivity) or not one_way(levels, adjacency)
