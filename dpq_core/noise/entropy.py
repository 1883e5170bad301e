"""The draws that a mechanism may ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np

from ..arrays import Flags, Integers
from .integer_noise import Size

T = TypeVar("T")
Attempt: TypeAlias = Callable[[Any, Integers], tuple[Integers, Flags]]
"""Returns what it draws for some rows, and which of these are accepted; it changes nothing else."""


class Entropy(Protocol):
    """The draws that a mechanism may ask for; `trials` runs go side by side, one with the exact sampler."""

    exact: bool
    """Whether draws are exact and from the operating system's entropy."""
    trials: int
    """The number of independent runs that are drawn at once."""

    def below(self, limits: Integers) -> Integers:
        """Return independent uniform integers, 0 <= x < limit; same shape as `limits`, all >= 1."""

    def coins(self, numerator: int, denominator: int) -> Flags:
        """One coin for each run, (trials,): true with probability numerator / denominator."""

    def accepted(self, attempt: Callable[[Any], T | None]) -> T:
        """What the first attempt gives that is not None; attempts are independent and change nothing else.

        An attempt draws from the entropy that it is given. So a sampler that follows all outcomes knows where a
        rejection loop begins again.
        """
        while (found := attempt(self)) is None:
            pass
        return found

    def accepted_rows(self, attempt: Attempt, rows: Integers, shape: tuple[int, ...]) -> Integers:
        """Return the first accepted result of each row, (rows, *shape); rows are independent."""
        found, waiting = np.empty((rows.size, *shape), np.int64), np.arange(rows.size)
        while waiting.size:
            drawn, accepted = attempt(self, rows[waiting])
            found[waiting[accepted]] = drawn[accepted]
            waiting = waiting[~accepted]
        return found

    def discrete_laplace(self, scale: Size, shape: tuple[int, ...]) -> Integers:
        """Return independent integers with P(k) proportional to exp(-|k| / scale)."""

    def discrete_gaussian(self, sigma_squared: Size, shape: tuple[int, ...]) -> Integers:
        """Return independent integers with P(k) proportional to exp(-k^2 / (2 sigma_squared))."""
