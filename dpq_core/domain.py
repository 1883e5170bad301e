"""The public grid of all answers: lower, lower + step, ..., upper.

Bounds and step are public knowledge, never taken from the data. All arithmetic on the grid is exact: bounds and step
are fractions, and a grid index is an int64. A float is read as the shortest decimal that prints it, so 0.1 is one
tenth.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isfinite, lcm
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .arrays import Floats, Integers
from .errors import DataError, Name, ParameterError, shown

Number: TypeAlias = int | float | str | Decimal | Fraction

MAX_CELLS = 2**62
"""Above this, sub-indices would not fit into an int64."""
DEFAULT_STEPS = 2**40
"""The width is cut into this many steps where no step is given."""
EDGE_TOLERANCE = 2.0**-20
"""A value this close below the next index's edge, in steps, gets that next index: floats of decimals fall short."""
LONGEST_NUMBER = 1000
"""Characters of a number that is given as text, at most."""
LARGEST_BITS = 8192
"""Bits of the numerator and the denominator of a number, at most."""
_FLOAT_EXACT = 2**53
_CHUNK = 1 << 14
"""128 kB of floats: what is larger goes back to the system after every step, and is cleared when it comes again."""


@dataclass(frozen=True, init=False)
class Domain:
    """The grid `lower + i * step` for i = 0 .. cells - 1, in the column's unit; it includes `upper` if step fits.

    It comes from public knowledge, never from the data; values outside are moved to its nearest end. The numbers are
    exact: int, Fraction, Decimal, text such as "0.1" or "1/3", or the decimal that a float prints as. Without `step`,
    the width is cut into 2^40 steps. Raises ParameterError where the numbers make no grid.
    """

    lower: Fraction
    upper: Fraction
    step: Fraction

    def __init__(self, lower: Number, upper: Number, step: Number | None = None) -> None:
        low, high = exact_number(lower, "lower"), exact_number(upper, "upper")
        if not low < high:
            raise ParameterError(
                "upper", ("must be > ", Name("lower"), f", got {str(lower)[:40]} and {str(upper)[:40]}.")
            )
        width = high - low
        size = width / DEFAULT_STEPS if step is None else exact_number(step, "step")
        if not 0 < size <= width:
            raise ParameterError(
                "step", ("must be > 0 and <= ", Name("upper"), " - ", Name("lower"), f", got {shown(step)}.")
            )
        if width // size + 1 > MAX_CELLS:
            raise ParameterError("step", f"cuts the bounds into more than 2^62 cells, got {shown(step)}.")
        if not (isfinite(_float(width)) and isfinite(_float(1 / size)) and _float(size) > 0):
            raise ParameterError(
                "upper",
                ("must be within the range of a float, and so must ", Name("lower"), " and ", Name("step"), "."),
            )
        object.__setattr__(self, "lower", low)
        object.__setattr__(self, "upper", high)
        object.__setattr__(self, "step", size)

    @property
    def cells(self) -> int:
        """Return the number of values of the grid."""
        return int((self.upper - self.lower) // self.step) + 1

    def encode(self, values: NDArray[np.generic]) -> Integers:
        """Return the grid indices of finite numbers, same shape: floor((x - lower) / step), clipped to the grid.

        Every value of the grid, as the float nearest to it, encodes to its own index. Each record is encoded from
        itself alone: numbers of any type are read as the float64 nearest to them, because one fractional or missing
        record turns a column of integers into floats, and must not move the others. O(n), in small chunks.
        """
        if values.dtype.kind not in "iufb":
            raise DataError(f"values must be numbers, got dtype {values.dtype}.")
        flat = values.reshape(-1)
        cells = np.empty(flat.size, np.int64)
        lower, upper, steps = _float(self.lower), _float(self.upper), _float(1 / self.step)
        last, rounding = self.cells - 1, 2.0**-50 * max(abs(lower), abs(upper)) * steps
        for start in range(0, flat.size, _CHUNK):
            x = np.clip(flat[start : start + _CHUNK].astype(np.float64, copy=False), lower, upper)
            position = (x - lower) * steps
            found = np.minimum((position + EDGE_TOLERANCE).astype(np.int64), last)
            if rounding > EDGE_TOLERANCE / 2:
                near_an_edge = np.flatnonzero(np.abs(position - np.rint(position)) <= 2 * rounding)
                found[near_an_edge] = self._fix_rounding(x[near_an_edge], found[near_an_edge])
            cells[start : start + _CHUNK] = found
        return cells.reshape(values.shape)

    def decode(self, cells: Integers) -> Floats:
        """Return the values at grid indices, same shape: the float nearest to lower + i * step."""
        origin, stride, scale = self._integers()
        if max(abs(origin), abs(origin + stride * self.cells), scale) < _FLOAT_EXACT:
            return np.asarray((origin + stride * cells) / scale, dtype=np.float64)
        exact = [_float(self.lower + int(cell) * self.step) for cell in cells.reshape(-1)]
        return np.array(exact, dtype=np.float64).reshape(cells.shape)

    def as_dict(self) -> dict[str, str]:
        """Return the three numbers as exact text, for a plan file; `Domain(**d)` reads it back."""
        return {"lower": str(self.lower), "upper": str(self.upper), "step": str(self.step)}

    def _integers(self) -> tuple[int, int, int]:
        """Return integers (origin, stride, scale) with lower + i * step = (origin + i * stride) / scale."""
        scale = lcm(self.lower.denominator, self.step.denominator)
        return int(self.lower * scale), int(self.step * scale), scale

    def _fix_rounding(self, x: Floats, cells: Integers) -> Integers:
        """Move an index by one where its own edges, as floats, say that the division was rounded across them."""
        upward = np.minimum(cells + 1, self.cells - 1)
        cells = np.where(self.decode(upward) <= x, upward, cells)
        below = self.decode(cells) - x > EDGE_TOLERANCE * _float(self.step)
        return np.asarray(np.maximum(cells - below, 0), dtype=np.int64)


def exact_number(value: Number, name: str) -> Fraction:
    """Return the exact fraction that a number stands for; a float means the decimal that prints it.

    Raises ParameterError.

    Text has at most LONGEST_NUMBER characters. What a file could make slow is refused before it is worked out.
    """
    try:
        found = _fraction(value)
    except (TypeError, ValueError, ArithmeticError):
        found = None
    if found is None or max(found.numerator.bit_length(), found.denominator.bit_length()) > LARGEST_BITS:
        raise ParameterError(name, f"must be a finite number, got {shown(value)}.")
    return found


def _fraction(value: object) -> Fraction | None:
    """Return None for what is too long or too large to be worked out. Raises the errors of Fraction and Decimal."""
    if isinstance(value, np.number):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal | Fraction):
        return None
    if isinstance(value, str) and len(value) > LONGEST_NUMBER:
        return None
    if isinstance(value, int | Fraction) or (isinstance(value, str) and "/" in value):
        return Fraction(value)
    number = value if isinstance(value, Decimal) else Decimal(str(value))
    if not number.is_finite() or (number != 0 and abs(number.adjusted()) > 400):
        return None
    return Fraction(number) if len(number.as_tuple().digits) <= LONGEST_NUMBER else None


def _float(value: Fraction) -> float:
    """Return the nearest float; infinity where there is none."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return float("inf")
