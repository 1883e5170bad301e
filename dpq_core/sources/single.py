"""Numbers of 32 bits as the decimals that they were written from.

A file that stores 0.7 in 32 bits holds 0.699999988, which would fall below the value 0.7 of a grid. It is read as the
shortest decimal that is stored as the same 32 bits. That is a matter of the file's type, which is public: each value is
read from itself alone. An array in memory is not read so, since one value of 64 bits would turn all of it into 64.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats

DIGITS = range(6, 10)
"""Any six digits survive 32 bits, and nine tell all of them apart."""
EXACT_POWERS = 22
"""Powers of ten that a float64 holds exactly: a whole number over one of them is rounded once, to the nearest."""


def shortest_decimals(stored: NDArray[np.float32]) -> Floats:
    """Return the float64 nearest to the shortest decimal of each number, same shape (n,); others as they are."""
    found = stored.astype(np.float64)
    left = np.flatnonzero(np.isfinite(found) & (found != 0))
    for digits in DIGITS:
        if not left.size:
            break
        exact = found[left]
        decimal = _rounded(exact, digits)
        same = decimal.astype(np.float32) == stored[left]
        found[left[same]] = decimal[same]
        left = left[~same]
    return found


def _rounded(numbers: Floats, digits: int) -> Floats:
    """Return numbers in so many digits; unchanged where the power of ten is too large to be exact."""
    power = digits - 1 - np.floor(np.log10(np.abs(numbers))).astype(np.int64)
    scale = 10.0 ** np.minimum(np.abs(power), EXACT_POWERS)
    up = power >= 0
    whole = np.rint(np.where(up, numbers * scale, numbers / scale))
    return np.where(np.abs(power) <= EXACT_POWERS, np.where(up, whole / scale, whole * scale), numbers)
