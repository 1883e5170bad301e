"""The first call with a plan that asks for intervals, which searches for the distance of their ends by simulation."""

from typing import Any

import pytest

from dpq_core import Domain, Plan, Sample
from dpq_core.calibrations import calibrate_for
from dpq_core.intervals import drawn
from dpq_core.mechanisms.aq import mechanism, recursion
from dpq_core.studies.grid import even_levels

target = pytest.mark.target
MONEY = Domain(0, 200_000, "0.01")


@pytest.mark.parametrize(
    ("quantiles", "n"),
    [
        pytest.param(3, 3000, marks=target(6, "Intervals, first call, quartiles, n = 3,000", at_most=40)),
        pytest.param(9, 3000, marks=target(6, "Intervals, first call, deciles, n = 3,000", at_most=200)),
        pytest.param(99, 60_000, marks=target(6, "Intervals, first call, percentiles, n = 60,000", at_most=120)),
    ],
)
def test_first_call(timed: Any, quantiles: int, n: int) -> None:
    plan = Plan(even_levels(quantiles), "aq", intervals=0.95, about_n=n)
    sample = Sample.from_values(range(n), MONEY, seed=0)

    def first() -> Any:
        for kept in (drawn.drawn_for, mechanism._calibrated, recursion.shapes):
            kept.cache_clear()
        return calibrate_for(sample, plan)

    found = timed(first, rounds=3).drawn
    assert len(found.ends) == quantiles
    assert all(end.low is None or end.low < level for end, level in zip(found.ends, plan.quantiles, strict=True))
