"""Intervals from noisy counts: the variances that they rest on, by exact linear algebra."""

from __future__ import annotations

import numpy as np
import pytest

from dpq_core.mechanisms.counts.intervals import contrast_variances
from dpq_core.mechanisms.counts.tree import TreeShape, consistent, least_squares


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
