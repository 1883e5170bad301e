"""Search for the shortest distance of the ends that holds on all shapes: on the hardest alone, then on the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import inf

from ..errors import Infeasible, ParameterError

FIRST = 8
"""Ranks: the shortest distance that is tried by itself; it is doubled until it is long enough, or halved."""
HALVINGS = 5
"""How often the last step is halved then, down to one rank."""

Failing = Callable[[float, Sequence[int]], list[int]]
"""Of some shapes, those known to need a longer distance, the hardest first; all that come before them do not."""
NO_ROOM = (
    "must be left out here: with about this number of records the mechanism has no room for its levels. Choose a "
    "mechanism such as aq, or a larger budget."
)


@dataclass
class Search:
    """The search among so many shapes, and on which distances it knows each to pass."""

    failing: Failing
    n: int
    """From so many ranks on every end is a bound, and nothing further is drawn."""
    shapes: int
    passed: dict[int, float] = field(default_factory=dict)
    """The shortest distance on which a shape passed; it passes on longer ones."""

    def shortest(self, guess: float) -> float:
        """Return about the shortest distance, in ranks, that is long enough on all shapes.

        Raises ParameterError (also Infeasible).
        """
        hardest, low, high = self._bracket(guess)
        finest = max((high - low) / 2**HALVINGS, 1.0)
        while True:
            while high - low > finest:
                middle = (low + high) / 2
                low, high = (low, middle) if self._fails(middle, [hardest]) is None else (middle, high)
            harder = self._fails(high, range(self.shapes))
            if harder is None:
                return high
            hardest = harder
            low, high = self._above(high, finest, hardest)

    def _bracket(self, guess: float) -> tuple[int, float, float]:
        """Return the hardest known shape, half a distance, and the distance, which is long enough on it."""
        high = float(FIRST)
        while 2 * high <= guess:
            high *= 2
        hardest = self._fails(high, range(self.shapes))
        if hardest is not None:
            return hardest, *self._above(high, high, hardest)
        while high > FIRST and (hardest := self._fails(high / 2, range(self.shapes))) is None:
            high /= 2
        return hardest or 0, high / 2, high

    def _above(self, low: float, step: float, shape: int) -> tuple[float, float]:
        """Return a distance that is too short on a shape, as `low` is, and a longer one that is not."""
        high = low + step
        while self._fails(high, [shape]) is not None and high <= self.n:
            low, high = high, high + 2 * (high - low)
        return low, high

    def _fails(self, distance: float, shapes: Iterable[int]) -> int | None:
        """Return the hardest known of the shapes on which a distance is too short; slices may have no room on any."""
        unknown = [shape for shape in shapes if self.passed.get(shape, inf) > distance]
        if not unknown:
            return None
        try:
            found = self.failing(distance, unknown)
        except Infeasible as refused:
            if refused.count is None:
                raise
            if distance > self.n:  # nothing was drawn from data, so nothing was charged
                raise ParameterError("intervals", NO_ROOM) from None
            return unknown[0]
        first = min(map(unknown.index, found), default=len(unknown))
        self.passed |= dict.fromkeys(unknown[:first], distance)
        return found[0] if found else None
