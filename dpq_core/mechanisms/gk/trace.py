"""One draw from a sketch as a step: the classes around its target, their rank bounds and weights. Private."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...domain.domain import Domain
from ..base import TraceStep
from ..exponential.density import Pieces
from ..exponential.distribution import Target
from .classes import Classes

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
