"""The composition of many exponential mechanisms: how long it takes, and whether thousands of them stay right."""

import numpy as np
import pytest
from scipy.special import gammaln

from dpq_core.mechanisms.indexp.composition import largest_each

target = pytest.mark.target
EPSILON, DELTA = 1.0, 1e-6


@target(6, "composition of 120 mechanisms", at_most=5)
def test_time(timed):
    each = timed(lambda: largest_each.__wrapped__(120, EPSILON, DELTA))
    assert each == pytest.approx(0.0433, abs=5e-5)


@target(6, "composition of 5000 mechanisms")
def test_time_of_thousands(timed):
    assert timed(lambda: largest_each.__wrapped__(5000, EPSILON, DELTA), rounds=3) > EPSILON / 5000


@target(6, "the same: delta spent, by the formula term by term", at_most=1, of="delta")
def test_thousands_are_right(counted):
    spent = counted(lambda: delta_of_terms(5000, largest_each(5000, EPSILON, DELTA), EPSILON) / DELTA)
    assert 0.999 < spent <= 1


def delta_of_terms(count, each, epsilon):
    """The theorem as it is printed, in logarithms: 25 million terms."""
    i = np.arange(count + 1)
    log_binomial = gammaln(count + 1) - gammaln(i + 1) - gammaln(count - i + 1)
    largest = 0.0
    for t in np.unique(np.clip((epsilon + (i + 1) * each) / (count + 1), 0, each)):
        p = (np.exp(-t) - np.exp(-each)) / -np.expm1(-each)
        gain = count * t - i * each
        if 0 < p < 1:
            weights = np.exp(log_binomial + (count - i) * np.log(p) + i * np.log1p(-p))
            largest = max(largest, float(weights @ np.maximum(np.exp(gain) - np.exp(epsilon), 0)))
    return largest
