"""Which answers lie so far beyond the others that they are not usable: from released answers alone, at no charge.

Between the last record and the bound all values are as likely, and on significant digits every decade is. So a budget
that is too small may put an outermost answer many decades away from all the others, where no record is.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

INNER = (Fraction(1, 4), Fraction(3, 4))
"""Levels between these are what outer answers are compared with."""
HALF = Fraction(1, 2)
FAR_INSIDE = 10_000.0
"""Times the distance from the median to the answers on its other side: two humps and many zeros reach some hundreds."""
FAR = 30.0
"""Times the spread of the inner answers, for the levels 1/20 and 19/20: at 19/20 a Pareto tail of index 1 reaches 6."""
OUTER = Fraction(1, 20)
"""Farther out, a heavy tail reaches farther by the inverse of what is beyond the level."""
LEAST_SPREAD = 0.1
"""Of the largest inner answer: inner answers that are nearly the same are no measure."""
NOT_USABLE = "not usable at this budget"


def far_answers(levels: Sequence[Fraction], values: Sequence[float]) -> tuple[bool, ...]:
    """Return for each answer whether it lies far beyond the others, in the order of the levels. O(m)."""
    answers = list(zip(levels, values, strict=True))
    inside = _far_inside(answers)
    inner = [value for (level, value), far in zip(answers, inside, strict=True) if _is_inner(level) and not far]
    if not inner:
        return (False,) * len(values)
    low, high = min(inner), max(inner)
    return tuple(
        far if _is_inner(level) else _is_far_outside(level, value, low, high)
        for (level, value), far in zip(answers, inside, strict=True)
    )


def _is_inner(level: Fraction) -> bool:
    return INNER[0] <= level <= INNER[1]


def _far_inside(answers: Sequence[tuple[Fraction, float]]) -> list[bool]:
    """Return for each answer whether it is between the quartiles, and decades away from the median and its other side.

    O(m).
    """
    middle = next((value for level, value in answers if level == HALF), None)
    if middle is None:
        return [False] * len(answers)
    inner = [(level < HALF, abs(value - middle)) for level, value in answers if _is_inner(level)]
    least = LEAST_SPREAD * abs(middle)
    spreads = {below: max([least, *(far for each, far in inner if each != below)]) for below in (False, True)}
    return [
        level != HALF and _is_inner(level) and 0 < FAR_INSIDE * spreads[level < HALF] < abs(value - middle)
        for level, value in answers
    ]


def _is_far_outside(level: Fraction, value: float, low: float, high: float) -> bool:
    """Return whether an answer beyond the quartiles lies far beyond those between them."""
    spread, outer = max(high - low, LEAST_SPREAD * max(abs(low), abs(high))), min(level, 1 - level)
    beyond = value - high if level > HALF else low - value
    times = FAR * float(max(OUTER / outer, Fraction(1))) if outer else float("inf")
    return spread > 0 and beyond > times * spread


def warnings_of_far(levels: Sequence[Fraction], values: Sequence[float]) -> tuple[str, ...]:
    """Return a sentence that names the levels of answers which are not usable; none where all may be."""
    far = far_answers(levels, values)
    named = [f"{100 * float(level):.6g} %" for level, is_far in zip(levels, far, strict=True) if is_far]
    if not named:
        return ()
    one = len(named) == 1
    return (
        f"The answer{'' if one else 's'} at {', '.join(named)} {'is' if one else 'are'} {NOT_USABLE}: far beyond all "
        "others. Narrower bounds, fewer questions or a larger budget help.",
    )
