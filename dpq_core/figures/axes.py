"""Logarithmic axes that everybody can read: ticks at 1, 10, 100, in plain numbers, two of them at least."""

from __future__ import annotations

from collections.abc import Iterable
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
