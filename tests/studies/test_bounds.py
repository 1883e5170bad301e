"""The papers' theorems by hand, and measured errors below them."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log, nan

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, ParameterError, Plan, PureDP, Sample, simulate, unsupported
from dpq_core.calibrations import calibrate_for, calibrate_unit
from dpq_core.mechanisms.aq import bound_as_printed as aq_as_printed
from dpq_core.mechanisms.exponential import error_of_one_draw
from dpq_core.mechanisms.gk import error_of_one_level
from dpq_core.mechanisms.indexp import one_by_one
from dpq_core.mechanisms.slices.bound import error_as_printed
from dpq_core.studies.bounds import bound_of
from dpq_core.studies.grid import even_levels
from tests.narrowing import present

E10 = round(exp(10))


def test_constants_by_hand():
    assert error_of_one_draw(E10, 0.5, exp(-5)) == pytest.approx(2 * 15 / 0.5, rel=1e-5)
    gamma = 2 * (10 + log(3) + 5) / (1 / 2)  # three levels, two depths
    even = present(aq_as_printed(even_levels(3), E10, PureDP(1.0), Adjacency.ADD_REMOVE, exp(-5)))
    assert even.error == pytest.approx(2 * gamma, rel=1e-5)
    assert even.source == "KSS, Theorem 3.5"
    uneven = Plan(["0.1", "0.2", "0.3", "0.4"]).quantiles
    found = present(aq_as_printed(uneven, E10, ZCDP(0.125), Adjacency.SUBSTITUTE, exp(-5)))
    assert found.error == pytest.approx(3 * 2 * (10 + log(4) + 5) * 5**0.5, rel=1e-5)  # eps' = sqrt(1 / (2 L - 1))
    assert found.source == "KSS, Theorem 3.11"
    each = present(one_by_one(even_levels(4), E10, ZCDP(0.125), exp(-5)))
    assert each.error == pytest.approx(2 * (10 + log(4) + 5) * 4**0.5, rel=1e-5)
    assert error_as_printed(2, E10, 1.0, 1.0, 0.25, exp(-5)) == pytest.approx(3 * log(2) * log(16) + 32)
    assert error_as_printed(1, E10, 1.0, 1.0, 0.25) is None
    assert error_of_one_level(20, E10, 1.0, exp(-5)) == pytest.approx(19 + 2 * 20 * 15, rel=1e-5)
    assert error_of_one_level(1, E10, 1.0, exp(-5)) == pytest.approx(error_of_one_draw(E10, 1.0, exp(-5)))


def worst(levels, low=(Fraction(0), 0), high=(Fraction(1), 0)):
    """The largest error if every draw errs by 1 the same way: a target moves by (1 - t) low + t high with its ends."""
    if not levels:
        return 0
    middle = -(-len(levels) // 2) - 1
    level = levels[middle]
    place = (level - low[0]) / (high[0] - low[0])
    own = (level, (1 - place) * low[1] + place * high[1] + 1)
    return max(own[1], worst(levels[:middle], low, own), worst(levels[middle + 1 :], own, high))


def test_draws_within_gamma_add_up_to_at_most_one_for_each_depth():
    for m in range(1, 130):
        assert worst(even_levels(m)) <= m.bit_length()
    uneven = sorted({Fraction(int(k), 10**6) for k in np.random.default_rng(0).integers(1, 10**6, 100)})
    assert 3 < worst(uneven) <= len(uneven).bit_length()
    assert worst(even_levels(3)) == 1.5
    assert worst(even_levels(7)) == 2.25  # the paper says 2


@pytest.mark.parametrize("value", [0, -1, nan, float("inf")])
def test_settings_are_checked(value):
    with pytest.raises(ParameterError, match="`epsilon` must be finite and > 0"):
        error_of_one_draw(10, value, 0.05)


def test_mechanisms_without_a_theorem_have_no_bound():
    def known(plan, n):
        return bound_of(calibrate_unit(plan, None), n, 1000)

    assert known(Plan(["1/2"], "aggtree"), 100) is None
    assert known(Plan([], "aq"), 100) is None
    assert known(Plan([], "indexp"), 100) is None
    assert present(known(Plan(["1/2"], "aq"), 3)).error == 3


@pytest.mark.statistical
@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("privacy", [PureDP(1.0), ZCDP(0.125), ApproxDP(1.0, 1e-6)])
@pytest.mark.parametrize("mechanism", ["aq", "indexp", "slice", "gkexp"])
def test_measured_errors_lie_below(mechanism, privacy, adjacency):
    """At most one run in 20 may be above; 256 runs have none, which is why no seed can make this fail."""
    sample = Sample.from_values(np.random.default_rng(0).uniform(-5, 5, 20_000), Domain(-100, 100), seed=0)
    options = {"alpha": 0.0005, "n_max": 20_000} if mechanism == "gkexp" else {}
    plan = Plan(even_levels(7), mechanism, privacy, adjacency, options)
    if unsupported(plan, sample.n):
        assert (mechanism, type(privacy)) == ("slice", ZCDP)
        return
    bound = bound_of(calibrate_for(sample, plan), sample.n, sample.fine_cells)
    if bound is None:
        assert (mechanism, type(privacy)) == ("slice", PureDP)
        return
    assert bound.error < sample.n
    assert simulate(sample, plan, 256).rank_errors.max() <= bound.error + 1
