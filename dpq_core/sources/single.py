"""Numbers of 32 or 16 bits as the decimals that they were written from.

A file that stores 0.7 in 32 bits holds 0.699999988, which would fall below the value 0.7 of a grid. It is read as the
shortest decimal that is stored as the same 32 bits; in 16 bits likewise, where whole numbers stay as they are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats

DIGITS = {np.dtype(np.float32): range(6, 10), np.dtype(np.float16): range(1, 6)}
"""Any six digits survive 32 bits, and nine tell all of them apart; of 16 bits at most
three and five, and fewer of the least ones."""
FULL_DIGITS = 15
"""Any decimal of this number of digits survives 64 bits."""
EXACT_POWERS = 22
"""Powers of ten that a float64 holds exactly: a whole number over one of them is rounded once, to the nearest."""


def shortest_decimals(stored: NDArray[np.float32 | np.float16]) -> Floats:
    """Return the float64 nearest to the shortest decimal of each number, same shape (n,); others as they are."""
    found = stored.astype(np.float64)
    there = np.isfinite(found) & (found != 0)
    if stored.dtype == np.float16:
        there &= found != np.rint(found)
    left = np.flatnonzero(there)
    for digits in DIGITS[stored.dtype]:
        if not left.size:
            break
        exact = found[left]
        decimal = _rounded(exact, digits)
        same = decimal.astype(stored.dtype) == stored[left]
        found[left[same]] = decimal[same]
        left = left[~same]
    return found


def times_100(shares: Floats) -> Floats:
    """Return shares of one as percentages: 0.07 is 7, though 100 times its float64 is 7.000000000000001."""
    return _nearest_decimals(shares * 100)


def by_100(percentages: Floats) -> Floats:
    """Return percentages as shares of one: 12.34 is 0.1234."""
    return _nearest_decimals(percentages / 100)


def _nearest_decimals(numbers: Floats) -> Floats:
    """Return numbers with the rounding of one operation taken back: the nearest ones of FULL_DIGITS digits."""
    found = numbers.copy()
    there = np.isfinite(found) & (found != 0)
    found[there] = _rounded(found[there], FULL_DIGITS)
    return found


def _rounded(numbers: Floats, digits: int) -> Floats:
    """Return numbers with this number of digits; unchanged if the power of ten is too large to be exact."""
    power = digits - 1 - np.floor(np.log10(np.abs(numbers))).astype(np.int64)
    scale = 10.0 ** np.minimum(np.abs(power), EXACT_POWERS)
    up = power >= 0
    whole = np.rint(np.where(up, numbers * scale, numbers / scale))
    return np.where(np.abs(power) <= EXACT_POWERS, np.where(up, whole / scale, whole * scale), numbers)
