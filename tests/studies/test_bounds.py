"""The papers' theorems by hand, and measured errors below them."""

from fractions import Fraction
from math import exp, log, nan

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Column, Domain, ParameterError, Plan, PureDP, simulate
from dpq_core.calibrations import Calibrated, calibrate
from dpq_core.group_privacy import CalibratesEach
from dpq_core.mechanisms.exponential.distribution import error_of_one_draw
from dpq_core.mechanisms.indexp.mechanism import one_by_one
from dpq_core.mechanisms.slices.setup import bound_as_printed as slices_as_printed
from dpq_core.papers.computations.kss import bound_as_printed as aq_as_printed
from dpq_core.privacy.composition import RECORD
from dpq_core.studies.bounds import bound_of, least_error
from dpq_core.studies.design import even_levels
from tests.narrowing import present

E10 = round(exp(10))


def test_constants_by_hand():
    assert error_of_one_draw(E10, 0.5, exp(-5)) == pytest.approx(2 * 15 / 0.5, rel=1e-5)
    gamma = 2 * (10 + log(3) + 5) / (1 / 2)  # three levels, two depths
    even = aq_as_printed(Plan(even_levels(3), "aq", PureDP(1.0)), E10, exp(-5))
    assert even.error == pytest.approx(2 * gamma, rel=1e-5)
    assert even.source == "KSS, Theorem 3.5"
    uneven = Plan(["0.1", "0.2", "0.3", "0.4"], "aq", ZCDP(0.125), Adjacency.REPLACE_ONE)
    found = aq_as_printed(uneven, E10, exp(-5))
    assert found.error == pytest.approx(3 * 2 * (10 + log(4) + 5) * 5**0.5, rel=1e-5)  # eps' = sqrt(1 / (2 L - 1))
    assert found.source == "KSS, Theorem 3.11"
    each = present(one_by_one(even_levels(4), E10, ZCDP(0.125), exp(-5)))
    assert each.error == pytest.approx(2 * (10 + log(4) + 5) * 4**0.5, rel=1e-5)
    halves = [slices_as_printed(Plan(even_levels(m), "slice", ApproxDP(2.0, 0.25)), E10, exp(-5)) for m in (2, 1)]
    assert present(halves[0]).error == pytest.approx(3 * log(2) * log(16) + 65)  # eps1 = 1, eps2 = 1 / 2
    assert halves[1] is None
    assert error_of_one_draw(E10, 1.0, exp(-5), 20) == pytest.approx(19 + 2 * 20 * 15, rel=1e-5)
    of_a_sketch = present(one_by_one(even_levels(4), E10, PureDP(1.0), exp(-5), 20))
    assert of_a_sketch.error == pytest.approx(19 + 2 * 20 * (10 + log(4) + 5) * 4, rel=1e-5)
    assert "BSPACE" in of_a_sketch.source


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


def test_mechanisms_without_a_theorem_have_no_bound():
    def known(plan, n):
        return bound_of(Calibrated.of_facts(plan, CalibratesEach(RECORD, calibrate)), n, 1000)

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
    column = Column.from_values(np.random.default_rng(0).uniform(-5, 5, 20_000), Domain(-100, 100), seed=0)
    options = {"alpha": 0.0005, "n_max": 20_000} if mechanism == "gkexp" else {}
    plan = Plan(even_levels(7), mechanism, privacy, adjacency, options)
    if (mechanism, type(privacy)) == ("slice", ZCDP):
        return  # it knows no rho
    bound = bound_of(Calibrated.for_column(column, plan), column.n, column.slots)
    if bound is None:
        assert (mechanism, type(privacy)) == ("slice", PureDP)
        return
    assert bound.error < column.n
    assert simulate(column, plan, 256)["column"].rank_errors.max() <= bound.error + 1


# ── what no mechanism can do better ──────────────────────────────────────────────────────────────────────────────────

LIMITS = {0.25: 1.979, 0.5: 0.960, 1.0: 0.425, 2.0: 0.138, 4.0: 0.0183}


def mean_error_of(weight, most=2000):
    """The mean error of a law on gaps that is even around the median, of even and odd numbers of records."""
    gaps = np.arange(-most, most + 1)
    even, odd = weight(abs(gaps)), weight(abs(gaps - 0.5))
    return (float(even @ abs(gaps) / even.sum()) + float(odd @ abs(gaps) / odd.sum())) / 2


@pytest.mark.parametrize(("epsilon", "limit"), LIMITS.items())
def test_no_mechanism_is_below_the_limit_and_ours_is_about_twice_as_far_off(epsilon, limit):
    found = least_error(epsilon, 1000)
    assert found == pytest.approx(limit, rel=2e-3)
    ours = mean_error_of(lambda away: np.exp(-epsilon * away))
    assert 1.9 * found < ours
    if epsilon <= 1:
        assert ours < 2.4 * found
    twice = mean_error_of(lambda away: np.exp(-2 * epsilon * away))
    assert twice > 0.9 * found, "twice the rate is nearly private for one step of half a gap: the limit is near"


def test_the_limit_is_half_of_an_inverse_epsilon_where_that_is_small():
    """A law on a line whose density falls by e^epsilon each half gap errs 1 / (2 epsilon) on average."""
    assert least_error(0.02, 100_000) == pytest.approx(1 / 0.04, rel=1e-3)


def test_fewer_records_are_a_smaller_ring_and_no_higher_limit():
    for epsilon in (0.25, 1.0):
        limits = [least_error(epsilon, records) for records in (3, 4, 5, 10, 50, 1000)]
        assert limits == sorted(limits)
        assert limits[0] < (3 - 1) / 2
        assert least_error(epsilon, 2) == 0


@pytest.mark.parametrize(("ask", "sentence"), [
    (lambda: least_error(nan, 10), "`epsilon` must be from 0.01 to 20"),
    (lambda: least_error(0.001, 10), "`epsilon` must be from 0.01 to 20"),
    (lambda: least_error(1.0, -1), "`records` must be a whole number of at least 0"),
])  # fmt: skip
def test_what_is_no_limit_is_refused(ask, sentence):
    with pytest.raises(ParameterError, match=sentence):
        ask()
