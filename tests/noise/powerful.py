"""Two tests of integer noise: of its shape, and the sharpest one of its size, with power against 3 % of it."""

import numpy as np
from scipy.stats import chi2, norm

DRAWS = 200_000
"""Off by 3 % of the scale, or of sigma, the mean of |k| or k^2 is off by more than 12.2 standard errors."""
ONCE_IN_1E9 = 1e-9
"""Off by 6.1 standard errors. So the law fails once in 10^9 runs, and so does the rejection of what is 3 % off."""


def law_of(kind, size):
    """P(k) for k = 0, 1, 2, ... until it is nothing, and what |k| or k^2 the weights fall with."""
    size = float(size)
    places = np.arange(int(60 * size if kind == "laplace" else 12 * size**0.5) + 4.0)
    told = places if kind == "laplace" else places**2
    weights = np.exp(-told / (size if kind == "laplace" else 2 * size))
    return weights / (2 * weights.sum() - 1), told


def p_of_size(drawn, kind, size):
    """The p-value of the mean of |k| (Laplace) or k^2 (Gaussian): all that draws tell of the scale, or the variance."""
    law, told = law_of(kind, size)
    mean, square = (2 * law @ told**power for power in (1, 2))
    found = np.abs(drawn.reshape(-1).astype(np.float64)) ** (1 if kind == "laplace" else 2)
    return float(2 * norm.sf(abs(found.mean() - mean) / ((square - mean**2) / found.size) ** 0.5))


def p_of_shape(drawn, kind, size):
    """Chi-square over all integers that are expected five times, and both tails."""
    law, _ = law_of(kind, size)
    reach = int((law * drawn.size > 5).sum()) - 1
    inner = np.concatenate([law[reach:0:-1], law[: reach + 1]])
    wanted = np.concatenate([[(1 - inner.sum()) / 2], inner, [(1 - inner.sum()) / 2]]) * drawn.size
    places = np.clip(drawn.reshape(-1), -reach - 1, reach + 1) + reach + 1
    counts = np.bincount(places, minlength=wanted.size)
    used = wanted > 5
    return float(chi2.sf(((counts - wanted)[used] ** 2 / wanted[used]).sum(), used.sum() - 1))


def has_its_law_and_no_other(entropy, kind, size):
    """Whether so much noise passes as what it should be, and fails as what is 3 % wider or narrower."""
    drawn = (entropy.discrete_laplace if kind == "laplace" else entropy.discrete_gaussian)(size, (DRAWS // 500, 500))
    assert drawn.dtype == np.int64
    power = 1 if kind == "laplace" else 2  # a Gaussian size is a variance
    others = [p_of_size(drawn, kind, float(size) * factor**power) for factor in (0.97, 1.03)]
    return min(p_of_size(drawn, kind, size), p_of_shape(drawn, kind, size)) > ONCE_IN_1E9 > max(others)
