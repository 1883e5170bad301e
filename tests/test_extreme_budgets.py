"""Every legal budget, however large or small: an answer, or one of the documented errors and nothing else."""

from fractions import Fraction
from itertools import product
from math import isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpq_core as dpq
from dpq_core.advice.choice import Run, by_rule
from dpq_core.advice.errors import error_of
from dpq_core.calibrations import Calibrated, calibrate
from dpq_core.group_privacy import CalibratesEach
from dpq_core.ledger.accounts import refusal_when_new
from dpq_core.ledger.filters import limits_of
from dpq_core.privacy.budgets import Privacy
from dpq_core.privacy.composition import RECORD
from dpq_core.studies.bounds import bound_of
from pages.form.privacy import equivalents

AMOUNTS = (1e-9, 1e-6, 1e-4, 0.01, 1.0, 50.0, 1e3, 1e6)
DELTAS = (5e-324, 1e-300, 1e-100, 1e-20, 1e-6, 0.5, 0.999, 1 - 2**-53)
NO_DELTA: list[Privacy] = [kind(amount) for kind in (dpq.PureDP, dpq.ZCDP) for amount in AMOUNTS]
ONE_EACH = [*NO_DELTA, *map(dpq.ApproxDP, AMOUNTS, DELTAS)]
BUDGETS = [*NO_DELTA, *(dpq.ApproxDP(amount, delta) for amount in AMOUNTS for delta in DELTAS)]
OPTIONS = {"normal": {"sigma": 1.0, "mean_bound": 50.0}, "gkexp": {"alpha": 0.01, "n_max": 1000}}
DOMAIN = dpq.Domain(0, 100, 1)
SAMPLES = [dpq.Column.from_values(values, DOMAIN) for values in ([], [50], [7] * 200, range(100))]

every_mechanism = pytest.mark.parametrize("key", list(dpq.MECHANISMS))
every_adjacency = pytest.mark.parametrize("adjacency", list(dpq.Adjacency))
budgets = st.one_of(
    st.floats(1e-9, 1e6).map(dpq.PureDP),
    st.floats(1e-9, 1e6).map(dpq.ZCDP),
    st.builds(dpq.ApproxDP, st.floats(1e-9, 1e6), st.floats(0, 1, exclude_min=True, exclude_max=True)),
    st.sampled_from(BUDGETS),
)


def plan_of(key, privacy, adjacency, levels=("1/4", "1/2")):
    return dpq.Plan(levels, key, privacy, adjacency, OPTIONS.get(key, {}))


def test_the_smallest_approximate_budget_is_served_as_a_pure_one():
    """No rho is known to convert to it, which was a division by zero."""
    plan = plan_of("aq", dpq.ApproxDP(1e-6, 1e-20), dpq.Adjacency.ADD_REMOVE)
    found = calibrate(plan).guarantee
    assert (found.epsilon, found.delta) == (1e-6, 0.0)
    assert calibrate(plan_of("aq", dpq.PureDP(1e-6), dpq.Adjacency.ADD_REMOVE)).guarantee == found


@pytest.mark.slow(keep=[f"{each}-{key}" for each in dpq.Adjacency for key in ("indexp", "gkexp", "binhist")])
@every_mechanism
@every_adjacency
def test_every_budget_of_a_grid_is_calibrated_or_refused_as_documented(key, adjacency):
    served = 0
    for privacy in BUDGETS:
        plan = plan_of(key, privacy, adjacency)
        try:
            calibrated = Calibrated.of_facts(plan, CalibratesEach(RECORD, calibrate), 1000)
        except dpq.ParameterError:
            continue
        served += 1
        assert calibrated.guarantee.covers(privacy)
        bound = bound_of(calibrated, 1000, 10**6)
        assert bound is None or 0 <= bound.error <= 1000
    assert served or adjacency not in dpq.MECHANISMS[key].SUPPORTS


@pytest.mark.slow(keep=("indexp", "gkexp", "normal"))
@every_mechanism
@given(
    budgets, st.sampled_from(dpq.Adjacency), st.sampled_from(SAMPLES), st.sampled_from([("1/2",), ("0", "1/3", "1")])
)
def test_a_release_at_any_budget_answers_or_refuses_as_documented(key, privacy, adjacency, column, levels):
    try:
        answer = dpq.release(column, plan_of(key, privacy, adjacency, levels))
    except (dpq.ParameterError, dpq.DataError):
        return
    assert all(0 <= value <= 100 for value in answer.values["column"])
    assert answer.guarantee.covers(privacy)


@pytest.mark.slow
@every_adjacency
def test_advice_at_every_budget_has_finite_errors(adjacency):
    for privacy in ONE_EACH:
        run = Run(dpq.Plan([Fraction(1, 4), Fraction(1, 2)], "best", privacy, adjacency), dpq.Domain(0, 100, 1))
        for key, _ in by_rule(run, 1000):
            assert 0 <= error_of(run.by(key), 1000) <= 1000


@pytest.mark.slow(one_in=7)
@pytest.mark.parametrize("privacy", BUDGETS, ids=str)
def test_a_ledger_has_limits_for_every_budget_and_adds_it_up(privacy):
    assert all(limits.delta >= 0 for limits in limits_of(privacy))
    assert {"promise", "also"} & set(equivalents(privacy, None).replace(".", " ").split())
    for key, adjacency in product(("aq", "aggtree"), dpq.Adjacency):
        guarantee = calibrate(plan_of(key, privacy, adjacency)).guarantee
        refusal = refusal_when_new(privacy, guarantee)
        assert refusal is None or isfinite(refusal.requested)
