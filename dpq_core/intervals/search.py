"""Search for the shortest distance of the ends that a theorem proves: doubled until it does, then halved back."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import Infeasible, ParameterError

FIRST = 8
"""Ranks: the shortest distance that is tried first."""
HALVINGS = 5
"""How often the last step is halved then, down to one rank."""
NO_ROOM = (
    "must be left out here: with about this number of records the mechanism has no room for its levels. Choose a "
    "mechanism such as aq, or a larger budget."
)


def shortest(is_enough: Callable[[float], bool], n: int, guess: float) -> float:
    """Return about the shortest distance, in ranks, that is enough; from n on every end is a bound.

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
