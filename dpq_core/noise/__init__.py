"""Draw everything that is random in the package; generators are made nowhere else.

One interface has two samplers:

- `ExactEntropy`: uniform integers from the operating system's entropy, and noise made from them by integer arithmetic.
  It makes releases. Mechanisms compare its integers with integer weights. JointExp, also with a free total, compares
  them with float64 weights, exactly (`joint.sampling`, `freetotal.sampling`, `freetotal.few`), and rounding of these is
  part of its guarantee (`joint.recursion.LOSS_OF_ROUNDING`).

- `FastEntropy`: a seeded numpy generator, vectorised over trials. Repeatable, and therefore never a release.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from ..arrays import Flags, Integers
from .exact import FLOOR_BITS, SMALLEST_RATE, WEIGHT_FLOOR, CeilTable, ExactEntropy, ceil_exp
from .fast import FastEntropy
from .integer_noise import LARGEST_SCALE, Size, exp_floor
from .jitter import Key, jitter, jitter_keys, other_seed, words_for

__all__ = [
    "FLOOR_BITS",
    "LARGEST_SCALE",
    "SMALLEST_RATE",
    "WEIGHT_FLOOR",
    "CeilTable",
    "Entropy",
    "ExactEntropy",
    "FastEntropy",
    "Key",
    "Size",
    "ceil_exp",
    "exp_floor",
    "jitter",
    "jitter_keys",
    "other_seed",
    "words_for",
]

T = TypeVar("T")


class Entropy(Protocol):
    """The draws that a mechanism may ask for; `trials` runs go side by side, one with the exact sampler."""

    @property
    def exact(self) -> bool:
        """Return whether draws are exact and from the operating system's entropy."""

    @property
    def trials(self) -> int:
        """Return the number of independent runs that are drawn at once."""

    def below(self, limits: Integers) -> Integers:
        """Return independent uniform integers, 0 <= x < limit; same shape as `limits`, all >= 1."""

    def coins(self, numerator: int, denominator: int) -> Flags:
        """One coin for each run, (trials,): true with probability numerator / denominator."""

    def accepted(self, attempt: Callable[[Any], T | None]) -> T:
        """What the first attempt gives that is not None; attempts are independent and change nothing else.

        An attempt draws from the entropy that it is given. So a sampler that follows all outcomes knows where a
        rejection loop begins again.
        """

    def discrete_laplace(self, scale: Size, shape: tuple[int, ...]) -> Integers:
        """Return independent integers with P(k) proportional to exp(-|k| / scale)."""

    def discrete_gaussian(self, sigma_squared: Size, shape: tuple[int, ...]) -> Integers:
        """Return independent integers with P(k) proportional to exp(-k^2 / (2 sigma_squared))."""
