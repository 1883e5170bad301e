"""Draw by the exponential mechanism among classes of grid indices with equal rank bounds.

A sketch with points v_1 < ... < v_k knows 2 k + 1 classes of indices: the points, the open intervals between them, and
the two outer intervals. All indices of a class have the same bounds [lo, hi], and both ends rise from class to class.
An index's distance is that of the target from [lo, hi]; its weight exp(-rate * distance). Some
class always has distance 0: the first with hi >= target has lo <= #{< x} <= hi of the class before it < target.

Classes are the options of a draw (`exponential.options`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...arrays import Floats, Integers
from ...noise.entropy import Entropy
from ...sketches.rank_bounds import RankBounds
from ..exponential.distribution import Target
from ..exponential.options import Options


@dataclass(frozen=True, eq=False)
class Classes:
    """Indices first[i] .. first[i + 1] - 1 have rank bounds [least[i], most[i]]; `first` ends with the grid's size."""

    first: Integers
    least: Integers
    most: Integers
    stored: Integers
    """1 where the class is a point of the sketch, 0 where it is an open interval."""

    @classmethod
    def of(cls, bounds: RankBounds, grid: int) -> Classes:
        """Return the classes of a sketch on a grid of `grid` values, without empty ones. O(points)."""
        through = np.concatenate([[0], bounds.least_through])
        below = np.append(bounds.most_below, bounds.n)
        first = np.concatenate([[0], np.stack([bounds.cells, bounds.cells + 1], axis=1).reshape(-1)])
        least, most = np.repeat(through, 2)[:-1], np.repeat(below, 2)[1:]
        stored = np.arange(first.size) % 2
        some = np.diff(first, append=grid) > 0
        return cls(np.append(first[some], grid), least[some], most[some], stored[some])

    def distances(self, target: Fraction) -> Floats:
        """Return how far the target lies from each class's bounds, in records: negative for classes below it."""
        whole = int(target)
        rest = float(target - whole)
        too_high = np.maximum(self.least - whole - rest, 0.0)
        too_low = np.maximum(whole - self.most + rest, 0.0)
        return np.asarray(too_high - too_low, dtype=np.float64)

    def log_weights(self, target_level: Target, n: int) -> Floats:
        """Return the log weight of each index of a class, where there are n records."""
        distances = np.abs(self.distances(target_level.ranks(n)[0]))
        return np.asarray(-target_level.rate_as_float * distances, dtype=np.float64)

    def probabilities(self, target_level: Target, n: int) -> Floats:
        """Return the probability of each class."""
        weights = np.diff(self.first) * np.exp(self.log_weights(target_level, n))
        return np.asarray(weights / weights.sum(), dtype=np.float64)

    def log_density(self, cells: Integers, target_level: Target, n: int) -> Floats:
        """Return the log probability of each of the indices, same shape."""
        logs = self.log_weights(target_level, n)
        of_cell = np.searchsorted(self.first, cells, side="right") - 1
        return np.asarray(logs[of_cell] - np.log(np.sum(np.diff(self.first) * np.exp(logs))), dtype=np.float64)

    def draw(self, target_level: Target, n: int, entropy: Entropy) -> Integers:
        """Return drawn indices, shape (entropy.trials,). O(classes), and O(log classes) for each trial."""
        return ClassOptions(self, target_level, n).draw(np.zeros(entropy.trials, np.int64), entropy)


class ClassOptions(Options):
    """The classes of one draw, all indices of each at one distance from the target."""

    def __init__(self, classes: Classes, target_level: Target, n: int) -> None:
        self.classes, self.target_level, self.target = classes, target_level, target_level.ranks(n)[0]
        super().__init__(classes.first[None, :] - 1, classes.log_weights(target_level, n)[None, :], np.zeros(1))

    def excess(self, rows: Integers, options: Integers, chosen: Integers) -> Floats:
        """Return 0 for each index."""
        return np.zeros(rows.size)

    def exact_exponents(self, rows: Integers, chosen: Integers) -> list[tuple[int, int]]:
        """Return rate * distance of each index."""
        of_cell = np.searchsorted(self.classes.first, chosen, side="right") - 1
        bounds = zip(self.classes.least[of_cell].tolist(), self.classes.most[of_cell].tolist(), strict=True)
        distances = [max(least - self.target, self.target - most, Fraction(0)) for least, most in bounds]
        return [(self.target_level.rate * distance).as_integer_ratio() for distance in distances]
