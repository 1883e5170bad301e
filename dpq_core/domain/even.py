"""Even steps: lower, lower + step, ..., upper.

All arithmetic on the grid is exact: bounds and step are fractions, and a grid index is an int64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, isfinite, lcm

import numpy as np

from ..arrays import Floats, Integers
from ..errors import Name, ParameterError, shown
from .numbers import Number, as_float, exact_number, exponent_of

MAX_CELLS = 2**62
"""Above this, slots would not fit into an int64."""
DEFAULT_STEPS = 2**40
"""The width is cut into this many steps where no step is given and round numbers have no more room."""
DIGITS = 12
"""Where they have, a step is a power of ten this number of digits finer than the width: round numbers are values."""
EDGE_TOLERANCE = 2.0**-20
"""A value this close below the next index's edge, in steps, gets that next index: floats of decimals fall short."""
_FLOAT_EXACT = 2**53


@dataclass(frozen=True)
class EvenSteps:
    """The values `lower + i * step` for i = 0 .. cells - 1."""

    lower: Fraction
    upper: Fraction
    step: Fraction

    @classmethod
    def between(cls, lower: Number, upper: Number, step: Number | None) -> EvenSteps:
        """Return the values from lower to upper; without a step, the width is cut into 2^40. Raises ParameterError."""
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
        if not (isfinite(as_float(width)) and isfinite(as_float(1 / size)) and as_float(size) > 0):
            raise ParameterError(
                "upper",
                ("must be within the range of a float, and so must ", Name("lower"), " and ", Name("step"), "."),
            )
        return cls(low, high, size)

    @classmethod
    def with_round_numbers(cls, lower: Fraction, upper: Fraction) -> EvenSteps | None:
        """Return 10^12 to 10^13 steps of a power of ten between two bounds; None if a bound is not a multiple of it."""
        step = Fraction(10) ** (exponent_of(upper - lower) - DIGITS)
        whole = (lower / step).denominator == (upper / step).denominator == 1
        return cls(lower, upper, step) if whole and isfinite(as_float(1 / step)) else None

    def __repr__(self) -> str:
        return f"Domain(lower={str(self.lower)!r}, upper={str(self.upper)!r}, step={str(self.step)!r})"

    @cached_property
    def cells(self) -> int:
        """Return the number of values."""
        return int((self.upper - self.lower) // self.step) + 1

    @property
    def finest_step(self) -> Fraction:
        """Return the smallest distance of two values."""
        return self.step

    @property
    def tolerance(self) -> float:
        """Return how far below a value a number may lie that encodes to it."""
        return EDGE_TOLERANCE * as_float(self.step)

    def encoder(self) -> Callable[[Floats], Integers]:
        """Return a function from a few finite floats to their indices: floor((x - lower) / step), clipped."""
        lower, upper, steps = as_float(self.lower), as_float(self.upper), as_float(1 / self.step)
        last, rounding = self.cells - 1, 2.0**-50 * max(abs(lower), abs(upper)) * steps

        def encode(values: Floats) -> Integers:
            x = np.clip(values, lower, upper)
            position = (x - lower) * steps
            found = np.minimum((position + EDGE_TOLERANCE).astype(np.int64), last)
            if rounding > EDGE_TOLERANCE / 2:
                near_an_edge = np.flatnonzero(np.abs(position - np.rint(position)) <= 2 * rounding)
                found[near_an_edge] = self._fix_rounding(x[near_an_edge], found[near_an_edge])
            return found

        return encode

    def decode(self, cells: Integers) -> Floats:
        """Return the values at indices, same shape: the float nearest to lower + i * step."""
        origin, stride, scale = self._integers
        if max(abs(origin), abs(origin + stride * self.cells), scale) < _FLOAT_EXACT:
            return np.asarray((origin + stride * cells) / scale, dtype=np.float64)
        exact = [as_float(self.exact(int(cell))) for cell in cells.reshape(-1)]
        return np.array(exact, dtype=np.float64).reshape(cells.shape)

    def exact(self, cell: int) -> Fraction:
        """Return the value at an index."""
        return self.lower + cell * self.step

    def first_at_least(self, number: Fraction) -> int:
        """Return the first index whose value is at least a number; `cells` where there is none."""
        return min(max(ceil((number - self.lower) / self.step), 0), self.cells)

    def at_fractions(self, fractions: Floats) -> Floats:
        """Return numbers that lie at these fractions of the way from lower (0) to upper (1)."""
        return float(self.lower) + float(self.upper - self.lower) * fractions

    def as_dict(self) -> dict[str, str | int]:
        """Return the arguments of `Domain` as exact text."""
        return {"lower": str(self.lower), "upper": str(self.upper), "step": str(self.step)}

    @cached_property
    def _integers(self) -> tuple[int, int, int]:
        """Return integers (origin, stride, scale) with lower + i * step = (origin + i * stride) / scale."""
        scale = lcm(self.lower.denominator, self.step.denominator)
        return int(self.lower * scale), int(self.step * scale), scale

    def _fix_rounding(self, x: Floats, cells: Integers) -> Integers:
        """Move an index by one where its own edges, as floats, say that the division was rounded across them."""
        upward = np.minimum(cells + 1, self.cells - 1)
        cells = np.where(self.decode(upward) <= x, upward, cells)
        below = self.decode(cells) - x > self.tolerance
        return np.asarray(np.maximum(cells - below, 0), dtype=np.int64)
