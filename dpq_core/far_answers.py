"""Which answers lie so far beyond the others that they are not usable: from released answers alone, at no charge.

Between the last record and the bound all values are as likely, and on significant digits every decade is. So a budget
that is too small may put an outermost answer many decades away from all the others, where no record is.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

INNER = (Fraction(1, 4), Fraction(3, 4))
"""Levels between these are what the others are compared with; they themselves are never judged."""
FAR = 30.0
"""Times the spread of the inner answers, for the levels 1/20 and 19/20: at 19/20 a Pareto tail of index 1 reaches 6."""
OUTER = Fraction(1, 20)
"""Farther out, a heavy tail reaches farther by the inverse of what is beyond the level."""
LEAST_SPREAD = 0.1
"""Of the largest inner answer: inner answers that are nearly the same are no measure."""
NOT_USABLE = "not usable at this budget"


def far_answers(levels: Sequence[Fraction], values: Sequence[float]) -> tuple[bool, ...]:
    """Return for each answer whether it lies far beyond the others, in the order of the levels. O(m)."""
    low_level, high_level = INNER
    inner = [value for level, value in zip(levels, values, strict=True) if low_level <= level <= high_level]
    if not inner:
        return (False,) * len(values)
    low, high = min(inner), max(inner)
    spread = max(high - low, LEAST_SPREAD * max(abs(low), abs(high)))

    def is_far(level: Fraction, value: float) -> bool:
        beyond = value - high if level > high_level else low - value if level < low_level else 0.0
        outer = min(level, 1 - level)
        times = FAR * float(max(OUTER / outer, Fraction(1))) if outer else float("inf")
        return spread > 0 and beyond > times * spread

    return tuple(is_far(level, value) for level, value in zip(levels, values, strict=True))


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
