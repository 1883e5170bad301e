"""The public shapes of the advice: made-up records within given bounds, from a fixed seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import Floats
from ..domain import Domain
from ..sources.examples import toy_generator

_DRAWN: dict[str, Callable[[Any, int], Floats]] = {
    "spread evenly": lambda rng, n: rng.uniform(0, 1, n),
    "a bell": lambda rng, n: rng.normal(0.5, 0.1, n),
    "two humps": lambda rng, n: rng.choice([0.3, 0.7], n) + rng.normal(0, 0.03, n),
    "a heavy tail": lambda rng, n: rng.lognormal(np.log(0.02), 1.0, n),
    "bounds 20 times too wide": lambda rng, n: rng.uniform(0.475, 0.525, n),
    "a heavy tail in far too wide bounds": lambda rng, n: rng.lognormal(np.log(0.0005), 1.0, n),
    "a value that a third share": lambda rng, n: np.where(rng.random(n) < 1 / 3, 0.25, rng.uniform(0, 0.8, n)),
}
"""Where records lie between the lower bound, 0, and the upper one, 1."""
BELLS = (0.25, 0.5, 0.75)
"""Where the mean of a column known to be normal may lie, between the least and the largest that it can have."""


def shapes_within(domain: Domain, n: int) -> dict[str, Floats]:
    """Return n values of each shape, by its name; some lie beyond the bounds, as real ones do."""
    return {name: domain.at_fractions(draw(toy_generator(name), n)) for name, draw in _DRAWN.items()}


def bells_within(domain: Domain, n: int, sigma: float, mean_bound: float) -> dict[str, Floats]:
    """Return n values of normal columns with this standard deviation, their means at several places within bounds.

    A mean lies between minus and plus `mean_bound`, in the column's unit.
    """
    low, high = max(float(domain.lower), -mean_bound), min(float(domain.upper), mean_bound)
    if low >= high:  # the two promises contradict each other: the answers keep to the bounds
        low, high = float(domain.lower), float(domain.upper)
    return {
        f"a bell at {place}": toy_generator(f"a bell at {place}").normal(low + place * (high - low), sigma, n)
        for place in BELLS
    }
