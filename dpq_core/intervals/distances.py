"""Search for a short distance of the ends of each interval: a guess, or rough looks, then a check that all must pass.

Log odds. An end fails where an answer crosses empty range, which draws it with a chance of about cells exp(-rate g)
at a distance of g ranks. So near the distance that fails as often as it may, the log odds of a failure fall by about
log(cells) + log(1 / limit) where g grows by a factor of e. Rough looks step along that line, each interval by its own
failures. They only guess: the distances that are returned have passed a check of all intervals on all shapes, with
runs that no look has seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import exp, log
from typing import NamedTuple

import numpy as np

from ..arrays import Flags, Floats, Integers
from ..errors import Infeasible, ParameterError

AIM = 0.5
"""The part of the allowed failures that is aimed at, since a check passes only what fails less often."""
SHORTER = 0.8
"""Where levels have distances of their own the first look is at shorter ones: they tell more where many fail."""
LOOKS, MOST_LOOKS = 2, 10
"""Rough looks: usual ones, and how many there may be while some interval fails in `MOST_FAIL` of the runs."""
MOST_FAIL = 0.5
NONE_FAILED = 0.08
"""Orders of e by which a distance at which nothing failed is shortened."""
LONGEST_STEP, SHORTEST_STEP, SMALL_STEP = 0.2, 0.04, 0.04
"""Orders of e: the most that a distance changes, the least after a failed check, and what ends the looks."""
NEARLY_ALL, FAR = 0.98, 0.4
"""Where more than this share of runs fail, log odds no longer tell how far it is: then a step is as long as this."""
ONE_EACH = 24
"""Of more levels all have one distance in looks: few failures of many levels do not tell them apart."""
MORE, INNER, OUTER, JOINT = 5.0, 0.51, 0.62, 0.88
"""Of guesses: further orders of e; for each order the standard errors of inner levels and of the outermost ones, and
the most ranks at rate 1, which levels need that are all drawn at once. Measured: docs/intervals.md."""
OUTERMOST = 2
"""Levels on either side, which need longer distances."""
LITTLE_LONGER, TRIED = 1.03, 7
"""Where ends serve several intervals: factors of the distances of which that with the fewest levels is taken."""
TOO_LONG = 1.5
"""By so much distances grow where slices have no room for the levels at their ends."""
FIRST = 8
"""Ranks: the shortest distance that is tried first."""
HALVINGS = 5
"""How often the last step is halved then, down to one rank."""
NO_ROOM = (
    "must be left out here: with about this number of records the mechanism has no room for its levels. Choose a "
    "mechanism such as aq, or a larger budget."
)


class Verdict(NamedTuple):
    """How often each interval failed, on the shape on which it did so most often, and whether it holds on all."""

    shares: Floats
    runs: int
    """The fewest that were made on a shape."""
    holds: Flags
    failing: tuple[int, ...] = ()
    """The numbers of the shapes on which some interval does not hold."""


@dataclass(frozen=True)
class Distances:
    """The search: its levels and records, how often intervals may fail, and what tries distances."""

    levels: tuple[Fraction, ...]
    n: int
    """The number of ranks from which every end is a bound, and nothing further is drawn."""
    limit: float
    cells: int
    """How many values the domain has."""
    look: Callable[[Floats, bool, Sequence[int]], Verdict]
    """Try distances, one for each level; the flag allows a rough look; a check begins with these shapes, by number."""
    drawn: Callable[[float], int]
    """Return how many levels are drawn where all ends are so far out."""

    @property
    def steepness(self) -> float:
        """Return by how much log odds of failures fall where a distance grows by a factor of e."""
        return log(self.cells) - log(self.limit)

    def certified(self, guesses: Floats) -> Floats | None:
        """Return distances that passed a check, from good guesses on; None where an end would serve several intervals.

        Raises ParameterError.
        """
        alike = _alike(self.levels, 2 * float(guesses.max()) / self.n)
        if not alike.any():
            return None
        longest = np.array([guesses[alike == kind].max() for kind in alike])
        return self._checked(np.clip(longest, 1.0, self.n + 1.0), alike)

    def shortest(self, first: float) -> Floats:
        """Return distances that passed a check, in ranks, one for each level. Raises ParameterError."""
        alike = _alike(self.levels, 2 * SHORTER * first / self.n)
        start = SHORTER * first if alike.any() else self._with_few_levels(first)
        guessed = self._guessed(np.full(len(self.levels), min(max(start, 1.0), self.n + 1.0)), alike)
        one_each = np.arange(alike.size) if len(self.levels) > ONE_EACH else alike
        return self._checked(guessed, one_each)

    def _guessed(self, distances: Floats, alike: Integers) -> Floats:
        """Return distances at which intervals fail about as often as aimed at, by rough looks."""
        enough, none_failed = LOOKS if alike.any() else 1, np.zeros(alike.size, np.int64)
        for number in range(1, MOST_LOOKS + 1):
            distances, seen = self._seen(distances, rough=True)
            shares = np.array([seen.shares[alike == kind].max() for kind in alike])
            none_failed = np.where(shares > 0, 0, none_failed + 1)
            once_more = enough > 1 and bool((none_failed == number).any())
            last = number >= enough + once_more and bool((shares < MOST_FAIL).all())
            steps = self._steps(shares, seen.runs)
            steps = np.where(shares > 0, steps, 0.0 if last else np.minimum(steps, -NONE_FAILED))
            distances = np.clip(distances * np.exp(steps), 1.0, self.n + 1.0)
            if not alike.any():
                distances[:] = self._with_few_levels(distances[0])
            if last or (np.abs(steps) < SMALL_STEP).all():
                break
        return distances

    def _checked(self, distances: Floats, alike: Integers) -> Floats:
        """Return the distances, longer where a check did not pass them. The next one begins where that one failed."""
        failed: tuple[int, ...] = ()
        while True:
            distances, seen = self._seen(distances, rough=False, before=failed)
            if seen.holds.all():
                return distances
            distances, failed = self._longer(distances, alike, seen), seen.failing

    def _longer(self, distances: Floats, alike: Integers, seen: Verdict) -> Floats:
        """Return distances that are longer where intervals did not hold."""
        longer = distances.copy()
        for kind in np.unique(alike[~seen.holds]):
            some = alike == kind
            step = max(float(self._steps(seen.shares[some].max(), seen.runs)), SHORTEST_STEP)
            own = max(float(distances[some][0]) * exp(step), float(distances[some][0]) + 1)
            longer[some] = min(own if alike.any() else self._with_few_levels(own), self.n + 1.0)
        return longer

    def _with_few_levels(self, distance: float) -> float:
        """Return a distance, or one a little longer where more of the ends are levels that are drawn anyway."""
        if len(self.levels) > ONE_EACH:
            return distance
        return min((distance * LITTLE_LONGER**step for step in range(TRIED)), key=self.drawn)

    def _seen(self, distances: Floats, *, rough: bool, before: Sequence[int] = ()) -> tuple[Floats, Verdict]:
        """Return the distances, longer where slices have no room for their levels, and what was seen at them."""
        while True:
            try:
                return distances, self.look(distances, rough, before)
            except Infeasible as refused:
                refuse_without_room(refused, bool(distances.min() > self.n))
                distances = np.minimum(distances * TOO_LONG, self.n + 1.0)

    def _steps(self, shares: Floats, runs: int) -> Floats:
        """Return by how many orders of e distances have to grow, by the log odds of these shares of failures."""
        odds = (shares * runs + 0.5) / ((1 - shares) * runs + 0.5)
        aim = AIM * self.limit / (1 - AIM * self.limit)
        steps = np.clip(np.log(odds / aim) / self.steepness, -LONGEST_STEP, LONGEST_STEP)
        return np.where(np.asarray(shares) > NEARLY_ALL, FAR, steps)


def guessed(levels: Sequence[Fraction], orders: float, error: float, rate: float) -> Floats:
    """Return about how far each level's ends have to be, in whole ranks.

    `orders`: of e, by which failures have to be less likely. `error`: of an answer in the model, with all levels;
    `rate`: the slowest one. It is a guess, from public facts: a check decides.
    """
    distinct = sorted(set(levels))
    outer = {*distinct[:OUTERMOST], *distinct[-OUTERMOST:]}
    ranks = [error * (OUTER if level in outer else INNER) for level in levels]
    return np.floor((orders + MORE) * np.minimum(ranks, JOINT / rate))


def _alike(levels: Sequence[Fraction], taken: float) -> Integers:
    """Return for each level a number that it shares with those of the same distance, from 0.

    They are as far from the middle; or all, where they are many, or where `taken`, of all records, is more than there
    is between two: an end serves several intervals then.
    """
    known = sorted({Fraction(0), Fraction(1), *levels})
    apart = min(after - before for before, after in pairwise(known))
    if len(levels) > ONE_EACH or taken > apart:
        return np.zeros(len(levels), np.int64)
    return np.unique([float(abs(level - Fraction(1, 2))) for level in levels], return_inverse=True)[1]


def shortest(is_enough: Callable[[float], bool], n: int, guess: float) -> float:
    """Return about the shortest distance that a theorem proves, in ranks: doubled until it is enough, then halved back.

    From n on every end is a bound.

    Slices may have no room for the levels at some distance: then it is not enough. Raises ParameterError
    (also Infeasible).
    """

    def is_long(distance: float) -> bool:
        try:
            return is_enough(distance)
        except Infeasible as refused:
            refuse_without_room(refused, distance > n)
            return False

    low, high = 0.0, max(guess, FIRST)
    while not is_long(high) and high <= n:
        low, high = high, 2 * high
    while high > FIRST and not low:
        low, high = (high / 2, high) if not is_long(high / 2) else (0.0, high / 2)
    finest = max((high - low) / 2**HALVINGS, 1.0)
    while high - low > finest:
        middle = (low + high) / 2
        low, high = (low, middle) if is_long(middle) else (middle, high)
    return high


def refuse_without_room(refused: Infeasible, everything: bool) -> None:
    """Raise what refused a distance, unless longer ones may have room: `everything` says that none has."""
    if refused.count is None:
        raise refused
    if everything:  # nothing was drawn from data, so nothing was charged
        raise ParameterError("intervals", NO_ROOM) from None
