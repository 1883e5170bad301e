"""JointExp and its free total on small data: no pair of neighbours loses more than the claim, half the noise does."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Plan, PureDP
from dpq_core.audit.losses import all_outputs
from dpq_core.mechanisms.freetotal import mechanism as freetotal
from dpq_core.mechanisms.joint import mechanism as jointexp
from tests.audit.extremes import ROUNDING, all_losses
from tests.narrowing import present

LEVELS = [["1/2"], [0], ["1/3", "2/3"], [0, 1], ["1/4", "1/2", "3/4"], ["1/10", "1/2", "9/10"], [0, "1/2", 1]]
BOTH = {jointexp: [PureDP(1.0), PureDP(4.0), ZCDP(0.1)]}
BOTH[freetotal] = [*BOTH[jointexp], ApproxDP(1.0, 0.01)]


def parameters_for(mechanism, levels, privacy, adjacency):
    return mechanism.calibrate(Plan(levels, mechanism.KEY, privacy, adjacency), None)


def small_losses(mechanism, parameters, adjacency, cells, counts):
    outputs = all_outputs(cells, len(parameters.levels))
    law = cache(lambda records: mechanism.log_law(outputs, np.array(records, np.int64), parameters, cells))
    return all_losses(law, parameters.guarantee.epsilon, cells, counts, adjacency)


@pytest.mark.covering(1)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize(
    ("mechanism", "privacy"),
    [pytest.param(each, privacy, id=f"{each.KEY}-{at}") for each in BOTH for at, privacy in enumerate(BOTH[each])],
)
@pytest.mark.parametrize("levels", LEVELS)
def test_no_small_data_set_loses_more_than_the_claim(levels, mechanism, privacy, adjacency):
    """Every data set of up to 3 records on 4 cells beside every neighbour, in both directions."""
    parameters = parameters_for(mechanism, levels, privacy, adjacency)
    losses, guarantee = small_losses(mechanism, parameters, adjacency, 4, (0, 1, 2, 3)), parameters.guarantee
    assert max(loss.delta for loss in losses) <= guarantee.delta
    assert max(present(loss.rho) for loss in losses) <= present(guarantee.rho) + ROUNDING
    if not guarantee.delta:
        assert max(loss.epsilon for loss in losses) <= guarantee.epsilon + ROUNDING


@pytest.mark.covering(1)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize(
    ("mechanism", "counts"), [(jointexp, (4,)), (freetotal, (4, 5))], ids=["jointexp", "freetotal"]
)
@pytest.mark.parametrize("levels", [["1/2"], ["1/4", "3/4"], ["1/5", "1/2", "4/5"]])
def test_larger_data_sets_neither(levels, mechanism, counts, adjacency):
    parameters = parameters_for(mechanism, levels, PureDP(2.0), adjacency)
    losses = small_losses(mechanism, parameters, adjacency, 5, counts)
    assert max(loss.epsilon for loss in losses) <= 2.0 + ROUNDING


@pytest.mark.parametrize("mechanism", BOTH, ids=lambda mechanism: mechanism.KEY)
def test_half_the_noise_is_caught_on_small_data(mechanism):
    parameters = parameters_for(mechanism, ["1/2"], PureDP(1.0), Adjacency.ADD_REMOVE).with_rates_times(Fraction(2))
    losses = small_losses(mechanism, parameters, Adjacency.ADD_REMOVE, 5, (3,))
    assert max(loss.epsilon for loss in losses) > 1.2
