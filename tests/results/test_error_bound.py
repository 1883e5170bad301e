"""The error bound on the public shape, for a budget and for others."""

from fractions import Fraction

import numpy as np
import pytest

from dpq_core import Adjacency, ApproxDP, Column, Domain, ParameterError, Plan, PureDP, simulate
from dpq_core.results.error_bound import error_bound_of, presets, with_all_levels
from dpq_core.studies.shapes import values_of

AGES = Domain(17, 90, 1)
DECILES = [Fraction(k, 10) for k in range(1, 10)]


@pytest.mark.slow
def test_the_reach_holds_for_another_seed() -> None:
    """95 of 100 runs: among 640 fresh ones at least 92 %; a share of 95 % falls below with probability < 1e-3."""
    plan = Plan(DECILES)
    reach = error_bound_of(plan, AGES, 1000)
    assert reach is not None
    column = Column.from_values(values_of("reference", 1000, 0, AGES), AGES, seed=0)
    worst = simulate(column, plan, trials=640, seed=7).rank_errors["column"].max(axis=1)
    assert (worst <= reach.bound).mean() >= 0.92
    assert reach.proved is not None
    assert worst.max() <= reach.proved


def test_what_cannot_be_said_is_none() -> None:
    slices = Plan(DECILES, "slice", ApproxDP(1.0, 1e-6))
    assert error_bound_of(slices, AGES, 100) is None
    assert error_bound_of(Plan([]), AGES, 100) is None
    loose = presets(slices, AGES, 1000)["loose"]
    assert loose is not None
    assert loose.proved is None  # the printed theorem is about another calibration
    with pytest.raises(ParameterError):
        error_bound_of(Plan(DECILES), AGES, 0)
    assert error_bound_of(Plan(DECILES, "indexp", PureDP(1.0), Adjacency.REPLACE_ONE), AGES, 200) is not None


def test_errors_of_a_plan_with_intervals_are_those_of_all_its_levels() -> None:
    plan = Plan(["1/2"], "aq", PureDP(0.1), intervals=0.95, about_n=2000)
    drawn = with_all_levels(plan, AGES, 2000)
    assert drawn.intervals is None
    assert len(drawn.quantiles) == 3
    alone, among = (error_bound_of(each, AGES, 2000) for each in (Plan(["1/2"], privacy=PureDP(0.1)), drawn))
    assert alone is not None
    assert among is not None
    assert among.mean > alone.mean
    fine = Domain(0, 1000, "0.001")
    column = Column.from_values(values_of("reference", 2000, 0, fine), fine, seed=0)
    noisy = Plan(["1/2"], privacy=PureDP(0.02))
    worst = simulate(column, noisy, trials=256, seed=0).rank_errors["column"].max(axis=1)
    found = error_bound_of(noisy, fine, 2000)
    assert found is not None
    assert (found.bound, found.worst) == (np.sort(worst)[243], worst.mean()), "in 244 of 256 runs, which is 95 %"
    assert with_all_levels(drawn, AGES, 2000) == drawn
