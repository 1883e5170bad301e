"""The standard error that mechanisms state of an answer in their model, beside simulated errors on even records."""

from fractions import Fraction

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.mechanisms.registry import MECHANISMS
from tests.harness import Column, calibrate

WITH_MODEL = ("aq", "indexp", "jointexp", "freetotal")
RECORDS = 4000


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("adjacency", list(dpq.Adjacency))
@pytest.mark.parametrize("count", [9, 19])
@pytest.mark.parametrize("mechanism", WITH_MODEL)
def test_answers_err_about_as_much_as_the_model_says(mechanism, count, adjacency):
    """Records are even and reach both bounds, so nothing but the scores decides; measured within a fourth.

    A replaced person costs AQ more than its model knows of: shapes are made for one who joins.
    """
    levels = [Fraction(place, count + 1) for place in range(1, count + 1)]
    plan = dpq.Plan(levels, mechanism, epsilon=1, adjacency=adjacency)
    column = Column.from_values(np.linspace(0, 1, RECORDS), dpq.Domain(0, 1, measure="uniform"), seed=1)
    stated = calibrate(plan, RECORDS).standard_error
    study = dpq.simulate(column, plan, 192, seed=2)
    measured = float(np.sqrt((study.rank_errors["column"] ** 2).mean()))
    assert stated is not None
    assert stated == pytest.approx(measured, rel=0.25)


@pytest.mark.parametrize("mechanism", WITH_MODEL)
def test_a_budget_that_is_twice_as_large_halves_the_error(mechanism):
    levels = [Fraction(place, 10) for place in range(1, 10)]
    one, two = (calibrate(dpq.Plan(levels, mechanism, epsilon=each)).standard_error for each in (1, 2))
    assert one is not None
    assert two == pytest.approx(one / 2, rel=0.02)
    assert calibrate(dpq.Plan([], mechanism)).standard_error is None


def test_mechanisms_that_leave_out_levels_have_a_model_and_no_others():
    offered = {key for key, each in MECHANISMS.items() if each.PROFILE.interpolates}
    assert offered == set(WITH_MODEL)
    tree = calibrate(dpq.Plan(["1/2"], "aggtree"))
    assert tree.standard_error is None
