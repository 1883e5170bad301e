"""Draw by the exponential mechanism among classes of grid indices with equal rank bounds, and see a draw as a step.

A sketch with points v_1 < ... < v_k knows 2 k + 1 classes of indices: the points, the open intervals between them, and
the two outer intervals. All indices of a class have the same bounds [lo, hi], and both ends rise from class to class.
An index's distance is that of the target from [lo, hi]; its weight exp(-rate * distance). Some
class always has distance 0: the first with hi >= target has lo <= #{< x} <= hi of the class before it < target.

Classes are the options of a draw (`exponential.sampling.Options`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...arrays import Floats, Integers
from ...domain.domain import Domain
from ...noise.entropy import Entropy
from ...sketches.rank_bounds import RankBounds
from ..base import TraceStep
from ..exponential.density import Pieces
from ..exponential.distribution import Target
from ..exponential.sampling import Options


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


MOST_CLASSES = 401


@dataclass(frozen=True, kw_only=True)
class GKClass:
    """Values with the same rank bounds: a point of the sketch, or an open interval between two. Private."""

    bounds: tuple[float, float]
    """Its first and its last value."""
    ranks: tuple[int, int]
    """[lo, hi]: lo <= #{records < x} and #{records <= x} <= hi for each x of the class."""
    stored: bool
    """Whether it is a point that the sketch keeps."""
    probability: float


@dataclass(frozen=True, kw_only=True)
class GKStep(TraceStep):
    """How one quantile was drawn from the sketch. Private."""

    records: int
    threshold: int
    """E: rank bounds are off by less than this."""
    rate: float
    """The weight of a value falls by this exponent for each record between the target and its rank bounds."""
    points: int
    """How many points the whole sketch keeps."""
    classes: tuple[GKClass, ...]
    """At most 401 around the target, from left to right."""
    chosen: int
    """Which of them holds the value, or -1 where it lies farther away."""

    @property
    def distribution(self) -> Pieces:
        """Return the starts of the classes, and the probability of each."""
        return tuple(each.bounds[0] for each in self.classes), tuple(each.probability for each in self.classes)

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the first and the last value of the classes."""
        return self.classes[0].bounds[0], self.classes[-1].bounds[1]


def step_of(domain: Domain, classes: Classes, target_level: Target, n: int, cell: int, threshold: int) -> GKStep:
    """Return the step that drew a grid index."""
    target = target_level.ranks(n)[0]
    nearest = int(np.argmin(np.abs(classes.distances(target))))
    start = max(min(nearest - MOST_CLASSES // 2, classes.least.size - MOST_CLASSES), 0)
    shown = slice(start, start + MOST_CLASSES)
    starts, ends = domain.decode(classes.first[:-1][shown]), domain.decode(classes.first[1:][shown] - 1)
    rows = zip(
        starts.tolist(),
        ends.tolist(),
        classes.least[shown].tolist(),
        classes.most[shown].tolist(),
        classes.stored[shown].tolist(),
        classes.probabilities(target_level, n)[shown].tolist(),
        strict=True,
    )
    found = tuple(
        GKClass(bounds=(first, last), ranks=(least, most), stored=bool(stored), probability=probability)
        for first, last, least, most, stored, probability in rows
    )
    place = int(np.searchsorted(classes.first, cell, side="right")) - 1 - start
    return GKStep(
        level=target_level.level,
        target=float(target),
        records=n,
        threshold=threshold,
        rate=float(target_level.rate),
        points=int(classes.stored.sum()),
        classes=found,
        chosen=place if 0 <= place < len(found) else -1,
        value=float(domain.decode(np.array([cell]))[0]),
    )
