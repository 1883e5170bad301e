"""Intervals from noisy counts: the variances that they rest on, by exact linear algebra."""

import numpy as np
import pytest

from dpq_core import ZCDP, Domain, Intervals, Plan, simulate
from dpq_core.mechanisms.base import Confidence
from dpq_core.mechanisms.counts.intervals import contrast_variances
from dpq_core.mechanisms.counts.tree import TreeShape, consistent, least_squares
from tests.harness import SeededSampler, calibrate, usual_column
from tests.narrowing import present


@pytest.mark.parametrize("shape", [TreeShape(2, 3), TreeShape(3, 2), TreeShape(4, 3), TreeShape(7, 1)], ids=str)
@pytest.mark.parametrize("total", [0, None])
def test_the_error_of_a_sum_is_what_unit_noise_on_every_count_makes_of_it(shape, total):
    counts = sum(shape.sizes)
    noisy = np.split(np.eye(counts, dtype=np.int64), np.cumsum(shape.sizes)[:-1], axis=1)
    leaves = consistent(least_squares(noisy, shape), shape, total, nonnegative=False)[-1]
    below = np.concatenate([np.zeros((counts, 1)), np.cumsum(leaves, axis=1)], axis=1)
    places = np.arange(shape.leaves + 1) / shape.leaves
    given_total = below - places * below[:, -1:]
    np.testing.assert_allclose((given_total**2).sum(axis=0), contrast_variances(shape), atol=1e-12)
    for level in (0.1, 0.5):
        weights = below - level * below[:, -1:]
        assert np.abs(weights).max() <= 1 + 1e-12, "what a proved limit takes for granted"
        np.testing.assert_allclose(
            (weights**2).sum(axis=0),
            contrast_variances(shape) + (places - level) ** 2 * (below[:, -1] ** 2).sum(),
            atol=1e-12,
        )


@pytest.mark.slow
def test_a_proved_limit_of_gaussian_noise_is_chernoffs():
    """Of 300 trials all but a few: each end fails with 0.05 at most, by a bound that is about 0.01 for such noise."""
    column = usual_column(np.random.default_rng(1).uniform(0, 100, 3000), Domain(0, 100), seed=0)
    widths = []
    for proved in (False, True):
        plan = Plan([0.3, 0.5], "aggtree", ZCDP(0.05), intervals=Intervals(0.9, proved=proved))
        study = simulate(column, plan, trials=300)["column"]
        assert present(study.basis).proved is proved
        assert study.coverage.min() >= (0.97 if proved else 0.86)
        widths.append(np.diff(present(study.intervals)).mean())
    assert 1.2 < widths[1] / widths[0] < 1.8


def test_a_mechanism_without_intervals_of_its_own_says_so():
    parameters = calibrate(Plan([0.5], "aq"))
    assert not parameters.knows_its_intervals
    column = usual_column([1.0], Domain(0, 2, 1), seed=0)
    with pytest.raises(NotImplementedError, match="AQParameters"):
        parameters.run_with_intervals(column, SeededSampler(0), Confidence(0.025, False, False))
