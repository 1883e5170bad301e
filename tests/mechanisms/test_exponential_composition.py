"""The composition of Dong, Durfee & Rogers against its own formula, term by term, in 60 digits."""

from math import comb

import mpmath
import pytest

from dpq_core.mechanisms.indexp.mechanism import composed_delta, largest_each


def delta_term_by_term(count, each, epsilon):
    with mpmath.workdps(60):
        each, epsilon = mpmath.mpf(each), mpmath.mpf(epsilon)
        shrink, allowed, largest = mpmath.exp(-each), mpmath.exp(epsilon), mpmath.mpf(0)
        for level in range(count + 1):
            t = min(max((epsilon + (level + 1) * each) / (count + 1), mpmath.mpf(0)), each)
            p = (mpmath.exp(-t) - shrink) / (1 - shrink)
            ratio, terms = mpmath.exp(count * t), []
            for i in range(count + 1):
                if ratio <= allowed:  # and so are all that follow
                    break
                terms.append(comb(count, i) * p ** (count - i) * (1 - p) ** i * (ratio - allowed))
                ratio *= shrink
            largest = max(largest, mpmath.fsum(terms))
        return largest


@pytest.mark.parametrize(
    ("count", "expected"),
    [(1, 1.0016), (2, 0.5081), (5, 0.2328), (10, 0.1550), (30, 0.0872), (60, 0.0614), (120, 0.0433)],
)
def test_known_values_at_epsilon_1_and_delta_1e_6(count, expected):
    assert largest_each(count, 1.0, 1e-6) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("count", [1, 2, 5, 30])
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (1.0, 1e-16), (0.1, 1e-9), (8.0, 1e-3)])
def test_the_largest_rate_spends_the_delta_and_never_more(count, epsilon, delta):
    each = largest_each(count, epsilon, delta)
    assert each >= epsilon / count * (1 - 1e-9)
    spent = delta_term_by_term(count, each, epsilon)
    assert spent <= delta
    if delta > 1e-15:  # below that, rounding in the exponent is charged to the budget of one or two mechanisms
        assert spent > 0.9999 * delta


def test_the_computed_delta_is_never_below_the_formula():
    for count in (1, 2, 7, 40):
        for each in (0.02, 0.3, 1.5):
            for epsilon in (0.1, 1.0, 3.0):
                exact = delta_term_by_term(count, each, epsilon)
                assert composed_delta(count, each, epsilon) >= exact
                assert composed_delta(count, each, epsilon) <= float(exact) * (1 + 1e-6) + 1e-15


@pytest.mark.parametrize("count", [2000, 5000])
def test_thousands_of_mechanisms_stay_finite_and_private(count):
    """Published calculators overflow at about 1,100 and then accept any rate."""
    each = largest_each(count, 1.0, 1e-6)
    assert 1.0 / count < each < 0.02
    assert composed_delta(count, each, 1.0) <= 1e-6
    assert composed_delta(count, 1.01 * each, 1.0) > 1e-6
    assert composed_delta(count, 1.0, 1.0) == pytest.approx(1.0)


def test_extreme_budgets_do_not_overflow():
    assert largest_each(3, 1000.0, 1e-6) >= 1000.0 / 3 * (1 - 1e-9)
    assert composed_delta(10, 800.0, 1.0) <= 1.0 + 1e-9
