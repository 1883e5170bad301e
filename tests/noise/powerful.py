"""The sharpest test of the size of integer noise, with power against 3 % of it."""

import numpy as np
from scipy.stats import norm

DRAWS = 200_000
"""Off by 3 % of the scale, or of sigma, the mean of |k| or k^2 is off by more than 12.2 standard errors."""
ONCE_IN_1E9 = 1e-9
"""Off by 6.1 standard errors. So the law fails once in 10^9 runs, and so does the rejection of what is 3 % off."""


def p_of_size(drawn, kind, size):
    """The p-value of the mean of |k| (Laplace) or k^2 (Gaussian): all that draws tell of the scale, or the variance."""
    reach = int(60 * float(size) if kind == "laplace" else 12 * float(size) ** 0.5) + 3
    places = np.arange(reach + 1.0)
    told = places if kind == "laplace" else places**2
    weights = np.exp(-told / (float(size) if kind == "laplace" else 2 * float(size))) * np.where(places > 0, 2, 1)
    mean, square = (weights @ told**power / weights.sum() for power in (1, 2))
    found = np.abs(drawn.reshape(-1).astype(np.float64)) ** (1 if kind == "laplace" else 2)
    return float(2 * norm.sf(abs(found.mean() - mean) / ((square - mean**2) / found.size) ** 0.5))


def has_its_size_and_no_other(entropy, kind, size):
    """Whether so much noise passes as what it should be, and fails as what is 3 % wider or narrower."""
    drawn = (entropy.discrete_laplace if kind == "laplace" else entropy.discrete_gaussian)(size, (DRAWS // 500, 500))
    assert drawn.dtype == np.int64
    power = 1 if kind == "laplace" else 2  # a Gaussian size is a variance
    others = [p_of_size(drawn, kind, float(size) * factor**power) for factor in (0.97, 1.03)]
    return p_of_size(drawn, kind, size) > ONCE_IN_1E9 > max(others)
