"""The stored errors of a draw of several levels (`aq.shape.ERRORS`), simulated again from its law of rank errors.

With even shares u and no grid, a tuple is its rank errors e, and the law is exp(-d(e)). Draw a_0, ..., a_k from
two-sided exponentials; with x their sum, e_j = a_0 + ... + a_{j-1} - q_j x has the law of (N, e) with the weight
exp(-d_N), where N is n - x. Weighted by exp(-d) over the integral of exp(-d_N), e has the law wanted; no weight is
above 1/2.
"""

import numpy as np
import pytest

from dpq_core.arrays import Floats
from dpq_core.mechanisms.aq.shape import ERRORS, MOST_AT_ONCE, errors_of


def simulated(levels: int, runs: int) -> tuple[float, float]:
    """The mean squared error of each level, and the covariance of neighbours over it."""
    steps = np.random.default_rng(levels).laplace(size=(runs, levels + 1))
    shares = np.arange(1, levels + 1) / (levels + 1)
    errors = np.cumsum(steps, axis=1)[:, :-1] - shares * steps.sum(axis=1)[:, None]
    apart = np.diff(np.pad(errors, ((0, 0), (1, 1))), axis=1)
    best = np.median(apart, axis=1) * (levels + 1)

    def distances(totals: Floats) -> Floats:
        return np.asarray(np.abs(apart[:, :, None] - totals[:, None] / (levels + 1)).sum(axis=1))

    least = distances(best[:, None])
    offsets = np.arange(-40, 40, 0.5)
    weights = 1 / np.exp(least - distances(best[:, None] + offsets)).sum(axis=1)
    products = (errors * (weights / weights.sum())[:, None]).T @ errors
    variance = float(np.diag(products).mean())
    return variance, float(np.diag(products, 1).mean()) / variance


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("levels", [each for each in ERRORS if each > 1])
def test_the_stored_errors_are_those_of_the_law(levels: int) -> None:
    variance, alike = simulated(levels, 4000)
    assert ERRORS[levels][0] == pytest.approx(variance, rel=0.08)
    assert ERRORS[levels][1] == pytest.approx(alike, abs=0.03)


@pytest.mark.parametrize("levels", [each for each in ERRORS if each > 1])
def test_the_soft_form_errs_more(levels: int) -> None:
    """With a_0, ..., a_k as above, its errors are e unweighted; a two-sided exponential has the variance 2."""
    below = np.arange(1, levels + 1)
    shares = below / (levels + 1)
    soft = 2 * (below * (1 - shares) ** 2 + (levels + 1 - below) * shares**2).mean()
    assert ERRORS[levels][0] < soft < 1.25 * ERRORS[levels][0]


def test_between_stored_numbers_errors_lie_between() -> None:
    assert [errors_of(each) for each in ERRORS] == list(ERRORS.values())
    found = [errors_of(each)[0] for each in range(2, MOST_AT_ONCE + 1)]
    assert found == sorted(found)
