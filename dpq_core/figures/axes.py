"""Axes that everybody can read: logarithmic ones with plain numbers, and values around their quantiles, without a tail.

Logarithmic ticks are at 1, 10, 100, two of them at least.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, isfinite, log10
from typing import Any

Range = tuple[float, float]

ROOM = 0.04
"""Of an axis, beyond the outermost points."""
MOST_TICKS = 7
LARGE_NUMBERS = ((9, "B"), (6, "M"), (3, "k"))
LARGEST_LETTER = 11
"""100B; from there on numbers are powers of ten."""
PLAIN_UP_TO = 3
"""1,000 is written out; what is larger has a letter."""
TAIL_SHOWN = 0.7
"""How much of the value axis is shown beyond the outermost quantiles, as a share of their distance."""
ALONE = 0.1
"""Around a single value, as a share of the whole axis."""
OUTERMOST = 0.01
"""Shares at both ends of a distribution that do not decide how much of the axis is shown."""

Values = Sequence[float] | Sequence[str]
"""Numbers, or ISO dates."""
Steps = tuple[Values, Sequence[float]]
"""Values, and the share at or below each."""


def log_range(values: Iterable[float]) -> Range | None:
    """Return the range of a logarithmic axis, in powers of ten, that shows all values above 0; None without any.

    Where fewer than two powers of ten would lie on it, it goes on to the next ones.
    """
    powers = [log10(value) for value in values if isfinite(value) and value > 0]
    if not powers:
        return None
    low, high = min(powers), max(powers)
    if floor(high) - ceil(low) < 1:
        low, high = floor(low), max(ceil(high), floor(low) + 1)
    space = ROOM * (high - low)
    return low - space, high + space


def log_ticks(ends: Range | None) -> dict[str, Any]:
    """Return the settings of a logarithmic axis with this range, in powers of ten."""
    if ends is None:
        return {"type": "log", "dtick": 1}
    powers = range(ceil(ends[0]), floor(ends[1]) + 1)
    powers = powers[:: ceil(len(powers) / MOST_TICKS) or 1]
    values, texts = [10.0**power for power in powers], [plain(power) for power in powers]
    return {"type": "log", "range": ends, "tickvals": values, "ticktext": texts}


def plain(power: int) -> str:
    """Return a power of ten as people write it: `0.01`, `1`, `1,000`, `10k`, `1M`, `1e12`."""
    if power <= PLAIN_UP_TO:
        return f"{10**power:,}" if power >= 0 else f"{10.0**power:.{-power}f}"
    if power > LARGEST_LETTER:
        return f"1e{power}"
    size, letter = next(each for each in LARGE_NUMBERS if power >= each[0])
    return f"{10 ** (power - size):,}{letter}"


def around(marks: Sequence[Any], steps: Values) -> list[float] | None:
    """Return the part of the value axis around the quantiles, so that a tail does not squeeze them; None for all."""
    numbers = [mark for mark in marks if isinstance(mark, int | float) and isfinite(mark)]
    ends = [step for step in (*steps[:1], *steps[-1:]) if isinstance(step, int | float)]
    if not numbers or not ends:
        return None
    alone = ALONE * (ends[-1] - ends[0])
    room = TAIL_SHOWN * (max(numbers) - min(numbers)) or min(alone, abs(numbers[0])) or alone
    if not room:
        return None
    low, high = max(ends[0], min(numbers) - room), min(ends[-1], max(numbers) + room)
    edge = 0.03 * (high - low)
    return [min(low, min(numbers)) - edge, max(high, max(numbers)) + edge]


def body_of(steps: Steps) -> list[Any]:
    """Return the values of a distribution without its outermost hundredths."""
    return [value for value, share in zip(*steps, strict=True) if OUTERMOST <= share <= 1 - OUTERMOST]
