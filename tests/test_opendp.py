"""Our quantiles inside OpenDP: its map says what group privacy says, and its compositors and Context add it up."""

from decimal import Decimal, localcontext
from math import exp
from typing import Any

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, Intervals, ParameterError, Plan, PureDP
from dpq_core.calibrations import calibrate
from dpq_core.opendp import loss_at, make_private_quantiles
from dpq_core.privacy.budgets import Guarantee
from dpq_core.privacy.composition import PrivacyUnit
from dpq_core.privacy.conversions import rho_to_epsilon

GRID = Domain(0, 100, 1)
LEVELS = ["1/4", "1/2", "3/4"]
NEXT = Decimal(1) + Decimal(2) ** -39
ABSENT = "OpenDP comes with the extra [vetted]"


@pytest.fixture
def opendp() -> Any:
    found = pytest.importorskip("opendp.prelude", reason=ABSENT)
    found.enable_features("contrib", "honest-but-curious")
    return found


@pytest.mark.parametrize("budget", [PureDP(0.7), ZCDP(0.1)], ids=str)
@pytest.mark.parametrize("mechanism", ["aq", "indexp", "aggtree", "freetotal"])
def test_the_map_is_that_of_group_privacy(budget, mechanism):
    plan = Plan(LEVELS, mechanism, budget)
    each = calibrate(plan).guarantee
    loss = loss_at(plan, each)
    for records in (1, 2, 3, 50):
        whole = PrivacyUnit(steps_per_group=records).guarantee_of(plan.privacy, plan.adjacency, each)
        assert loss(records) == (whole.rho if isinstance(budget, ZCDP) else whole.epsilon)
    assert loss(0) == 0.0


def test_an_approximate_map_takes_the_least_of_three_ways():
    plan = Plan(LEVELS, "aq", ApproxDP(1.0, 1e-6))

    def map_of(delta: float, rho: float | None, epsilon: float = 1.0) -> Any:
        told = Guarantee(epsilon=epsilon, delta=delta, rho=rho, adjacency=Adjacency.ADD_REMOVE)
        return loss_at(plan, told)

    pure = map_of(0.0, None, epsilon=0.5)
    assert [pure(records) for records in (0, 1, 4)] == [(0.0, 0.0), (0.5, 0.0), (2.0, 0.0)]
    concentrated = map_of(1e-6, 0.01)
    assert concentrated(5) == (pytest.approx(rho_to_epsilon(0.25, 1e-6)), 1e-6)
    stepwise = map_of(1e-6, None)
    assert stepwise(1) == (1.0, 1e-6)
    epsilon, delta = stepwise(3)
    assert (epsilon, delta) == (3.0, pytest.approx(1e-6 * (1 + exp(1) + exp(2))))
    assert delta >= 1e-6 * (1 + exp(1) + exp(2))
    assert stepwise(50)[1] == 1.0


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (0.01, 1e-9), (3.0, 1e-30)])
def test_the_delta_of_steps_is_the_whole_geometric_sum_at_every_distance(epsilon, delta):
    """In decimals of 200 digits: never below the sum, and hardly above it; the epsilon is that of all steps."""
    told = Guarantee(epsilon=epsilon, delta=delta, rho=None, adjacency=Adjacency.ADD_REMOVE)
    loss: Any = loss_at(Plan(LEVELS, "aq", ApproxDP(1.0, 1e-6)), told)
    with localcontext(prec=200):
        for distance in range(1, 8):
            exact = Decimal(delta) * sum((step * Decimal(epsilon)).exp() for step in range(distance))
            found = loss(distance)
            assert Decimal(distance) * Decimal(epsilon) <= Decimal(found[0]) <= distance * Decimal(epsilon) * NEXT
            assert exact <= Decimal(found[1]) <= exact * NEXT


@pytest.mark.parametrize("budget", [PureDP(1.0), ZCDP(0.5), ApproxDP(1.0, 1e-6)], ids=str)
@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_the_budget_holds_at_distance_one_and_no_more_is_let_through(opendp, budget, adjacency):
    replaced = adjacency is Adjacency.REPLACE_ONE
    size = 400 if replaced else None
    metric = opendp.change_one_distance() if replaced else opendp.symmetric_distance()
    plan = Plan(LEVELS, "aq", budget, adjacency)
    measurement = make_private_quantiles(GRID, metric, plan, size=size)
    spent, granted = measurement.map(1), next(iter(vars(budget).values()))
    assert np.max(spent) <= granted
    assert np.max(spent) > 0.5 * granted
    assert measurement.check(1, tuple(vars(budget).values()) if isinstance(budget, ApproxDP) else granted)
    assert np.max(measurement.map(2)) > granted
    found = measurement([float(value % 101) for value in range(400)])
    assert len(found) == 3
    assert all(value in range(101) for value in found)


def test_a_composition_adds_up_ours_and_theirs(opendp):
    plan = Plan(LEVELS, "aq", PureDP(1.0))
    ours = make_private_quantiles(GRID, opendp.symmetric_distance(), plan)
    space = ours.input_domain, ours.input_metric
    theirs = space >> opendp.t.then_count() >> opendp.m.then_laplace(2.0)
    both = opendp.c.make_composition([ours, theirs])
    assert both.map(1) == pytest.approx(1.5)
    assert both.map(3) == pytest.approx(4.5)
    values, count = both([1.0, 2.0, float("nan"), 3.0] * 100)
    assert len(values) == 3
    assert isinstance(count, int)


def test_a_context_counts_its_queries(opendp):
    plan = Plan(LEVELS, "indexp", PureDP(0.5))
    context = opendp.Context.compositor(
        data=[float(value % 101) for value in range(500)],
        privacy_unit=opendp.unit_of(contributions=2),
        privacy_loss=opendp.loss_of(epsilon=2.0),
        split_evenly_over=2,
    )
    for _ in range(2):
        quantiles = make_private_quantiles(GRID, opendp.symmetric_distance(), plan)
        assert len(context(quantiles)) == 3
    with pytest.raises(Exception, match="out of queries"):
        context(quantiles)


def test_what_does_not_fit_is_refused(opendp):
    joining, replacing = opendp.symmetric_distance(), opendp.change_one_distance()
    plan, other = (Plan(LEVELS, "aq", PureDP(1.0), adjacency) for adjacency in Adjacency)
    for metric, asked, size in (
        (replacing, plan, None),
        (joining, other, 10),
        (replacing, other, None),
        (joining, plan, 9),
    ):
        with pytest.raises(ParameterError, match=r"metric|size"):
            make_private_quantiles(GRID, metric, asked, size=size)
    with pytest.raises(ParameterError, match="intervals"):
        make_private_quantiles(GRID, joining, Plan(LEVELS, "aq", PureDP(1.0), intervals=Intervals(0.9), about_n=100))
    with pytest.raises(ParameterError, match="mechanism"):
        make_private_quantiles(GRID, joining, Plan(LEVELS, "best", PureDP(1.0)))
