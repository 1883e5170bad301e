"""Why slices do not fit, and what would do instead: in public terms only."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, log10

from .slice_layout import Rules, half_width, least_half_width, merged, needed_slacks, ranks_of

_LARGEST_COUNT = 2**60
_LARGEST_FACTOR = 100 * 100


def explanation(rules: Rules, count: int, cells: int) -> str:
    """Why the ranks do not fit, and which n, epsilon, half-width or number of answers would do."""
    ranks, columns = ranks_of(rules.levels, count), tuple(range(len(rules.levels)))
    slack = needed_slacks(rules, columns, cells)
    width = least_half_width(rules, count)
    gap, needed = min(
        ((after - before, 2 * width + own) for (before, after), own in zip(pairwise(ranks), slack, strict=True)),
        key=lambda pair: pair[0] - pair[1],
    )
    room = min(after - before - own for (before, after), own in zip(pairwise(ranks), slack, strict=True))
    people = f"{max(count, 0):,} people" if rules.count_is_public else f"a noisy number of {max(count, 0):,} people"
    return (
        f"`quantiles` must be further apart for {people}: two are {gap:,} ranks apart where slices "
        f"need {needed:,}. It would do to have " + ", or ".join(_ways(rules, count, cells, room)) + "."
    )


def _ways(rules: Rules, count: int, cells: int, room: int) -> list[str]:
    columns, ways = tuple(range(len(rules.levels))), []

    def fits(candidate: Rules, records: int) -> bool:
        return half_width(candidate, columns, ranks_of(candidate.levels, records), records, cells) is not None

    records = _smallest(lambda n: fits(rules, n), max(count, 1), _LARGEST_COUNT)
    if records is not None:
        ways.append(f"n of {records:,} or more")
    hundredths = _smallest(lambda k: fits(rules.times(Fraction(k, 100)), count), 100, _LARGEST_FACTOR)
    if hundredths is not None:
        ways.append(f"ε of {_up_to_three_digits(float(rules.epsilon) * hundredths / 100)} or more")
    if room >= 2:
        ways.append(f"a `half_width` of at most {room // 2} (less accurate)")
    answers = len(merged(rules, ranks_of(rules.levels, count), count, cells)[0])
    ways.append(f"`merge_close`, with {answers} answer{'s' * (answers > 1)} for the {len(columns)} quantiles")
    return ways


def _smallest(fits: Callable[[int], bool], start: int, most: int) -> int | None:
    """About the smallest number above `start` that fits, itself checked; None where none up to `most` does."""
    low, high = start, 2 * start
    while not fits(high):
        low, high = high, 2 * high
        if high > most:
            return None
    while high - low > max(low // 200, 1):
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


def _up_to_three_digits(value: float) -> str:
    scale: float = 10.0 ** (2 - floor(log10(value)))
    return f"{ceil(value * scale) / scale:.3g}"
