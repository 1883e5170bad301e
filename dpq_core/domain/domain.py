"""The public grid of all answers, from public knowledge, never from the data.

A float is read as the shortest decimal that prints it, so 0.1 is one tenth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Integers
from ..errors import DataError, Name, ParameterError, shown
from .even import MAX_CELLS, EvenSteps
from .measure import MEASURES, ROUND, UNIFORM, BaseMeasure, round_places
from .numbers import Number
from .significant import SignificantDigits

_CHUNK = 1 << 14
"""128 kB of floats: what is larger goes back to the system after every step, and is cleared when it comes again."""
OFF_ROUND = 6.180339887e-7
"""What is added to a fraction in the middle, less near both ends: it leads past round numbers, in the same order."""
_HALFWAY = 1 + 2.0**-20
"""A number that rounding leaves just below the middle of two values goes up, as one in the middle does."""


@dataclass(frozen=True, init=False, repr=False)
class Domain:
    """Define a grid `lower + i * step`, i = 0 .. cells - 1, in the column's unit; it includes `upper` if step fits.

    Take it from public knowledge, never from the data; values outside are moved to its nearest end. The numbers are
    exact: int, Fraction, Decimal, text such as "0.1" or "1/3", or the decimal that a float prints as. Without `step`
    it is a power of ten that cuts the width into 10^12 to 10^13, and round numbers have more room than others, for
    columns that people rounded: multiples of 1, 2 and 5 times powers of ten (`measure`). Where a bound is not a
    multiple of this step, and with `measure="uniform"`, all values have the same room, and without `step` the width is
    cut into 2^40. With a step the measure is uniform, unless you give `measure="round"`.
    `Domain.significant` makes a grid that needs no bounds. Raises ParameterError if the numbers make no grid.
    """

    grid: EvenSteps | SignificantDigits
    """All values, in increasing order."""
    measure: str
    """Which values have more room: none ("uniform", always so for significant digits), or round numbers ("round")."""

    def __init__(self, lower: Number, upper: Number, step: Number | None = None, *, measure: str | None = None) -> None:
        if measure not in (None, *MEASURES):
            raise ParameterError("measure", f"must be one of {', '.join(MEASURES)}, got {shown(measure)}.")
        grid = EvenSteps.between(lower, upper, step)
        if step is None and measure != UNIFORM:
            rounded = EvenSteps.with_round_numbers(grid.lower, grid.upper)
            if rounded is None and measure is not None:
                raise ParameterError(
                    "step", ("must be given where ", Name("measure"), f" is {measure} and the bounds have many digits.")
                )
            grid, measure = (grid, UNIFORM) if rounded is None else (rounded, measure or ROUND)
        if measure not in (None, UNIFORM) and grid.cells > MAX_CELLS // 2:
            raise ParameterError(
                "step", ("cuts the bounds into more than 2^61 values: ", Name("measure"), f" is {measure}.")
            )
        object.__setattr__(self, "grid", grid)
        object.__setattr__(self, "measure", measure or UNIFORM)

    @classmethod
    def significant(
        cls, digits: int = 2, smallest: Number = Fraction(1, 10**6), largest: Number = 10**15, *, negative: bool = True
    ) -> Self:
        """Return the grid of 0 and every number of `digits` significant digits from `smallest` to `largest`.

        With their negatives, unless `negative` is False. One, two or three digits: 9, 90 or 900 values a decade. Use it
        for a column with unknown bounds: an answer differs by at most one unit of its last digit from the value that it
        represents, anywhere in the range. A number between two values counts as the lower one; both ends have at most
        `digits` digits themselves. Raises ParameterError.
        """
        domain = cls.__new__(cls)
        object.__setattr__(domain, "measure", UNIFORM)
        object.__setattr__(domain, "grid", SignificantDigits.between(digits, smallest, largest, negative=negative))
        return domain

    @classmethod
    def from_dict(cls, values: object, name: str = "domain") -> Self:
        """Return the domain that `as_dict` wrote; without a measure it is uniform.

        Raises ParameterError, which calls the values by this name.
        """
        if isinstance(values, Mapping):
            names = set(values)
            if {"lower", "upper"} <= names <= {"lower", "upper", "step", "measure"}:
                return cls(**{"measure": UNIFORM, **values})
            if {"digits"} <= names <= {"digits", "smallest", "largest", "negative"}:
                return cls.significant(**values)
        raise ParameterError(
            name, "must hold lower, upper and, if wanted, step; or digits and, if wanted, smallest and largest."
        )

    def __repr__(self) -> str:
        grid = repr(self.grid)
        return grid if self.measure == UNIFORM else f"{grid[:-1]}, measure={self.measure!r})"

    def places(self, bits: int) -> BaseMeasure:
        """Return which places each value has: 2^bits of them if all have the same room."""
        if self.measure == UNIFORM:
            return BaseMeasure(self.cells, bits)
        return round_places(self.lower, self.step, self.cells, bits)

    @property
    def uniform(self) -> Self:
        """Return the domain of the same values, all with the same room."""
        domain = type(self).__new__(type(self))
        object.__setattr__(domain, "measure", UNIFORM)
        object.__setattr__(domain, "grid", self.grid)
        return domain

    @property
    def lower(self) -> Fraction:
        """Return the lowest value."""
        return self.grid.lower

    @property
    def upper(self) -> Fraction:
        """Return the upper bound."""
        return self.grid.upper

    @property
    def step(self) -> Fraction:
        """Return the distance between neighbouring values. Raises ParameterError if it is not the same everywhere."""
        if self.grid.step is None:
            raise ParameterError(
                "domain",
                "must have even steps here, and significant digits have none: give bounds and a step, as in "
                "Domain(0, 100, 1).",
            )
        return self.grid.step

    @property
    def has_even_steps(self) -> bool:
        """Return whether all neighbouring values have the same distance."""
        return self.grid.step is not None

    @property
    def finest_step(self) -> Fraction:
        """Return the smallest distance of neighbouring values."""
        return self.grid.finest_step

    @property
    def cells(self) -> int:
        """Return the number of values of the grid."""
        return self.grid.cells

    @property
    def tolerance(self) -> float:
        """Return how far below a value of the grid a number may lie that encodes to it."""
        return self.grid.tolerance

    def encode(self, values: NDArray[np.generic]) -> Integers:
        """Return the grid indices of finite numbers, same shape: the largest value not above x, clipped to the grid.

        Every value of the grid, as the float nearest to it, encodes to its own index. Each record is encoded from
        itself alone: numbers of any type are read as the float64 nearest to them, because one fractional or missing
        record turns a column of integers into floats, and must not move the others. O(n), in small chunks.
        """
        if values.dtype.kind not in "iufb":
            raise DataError(f"values must be numbers, got dtype {values.dtype}.")
        flat = values.reshape(-1)
        cells = np.empty(flat.size, np.int64)
        encode = self.grid.encoder()
        for start in range(0, flat.size, _CHUNK):
            chunk = slice(start, start + _CHUNK)
            cells[chunk] = encode(flat[chunk].astype(np.float64, copy=False))
        return cells.reshape(values.shape)

    def decode(self, cells: Integers) -> Floats:
        """Return the values at grid indices, same shape: the float nearest to the exact value."""
        return self.grid.decode(cells)

    def ends(self, cells: Integers) -> Floats:
        """Return where the values that encode to grid indices end, same shape: the next value, or the upper bound."""
        last = self.cells - 1
        return np.where(cells < last, self.decode(np.minimum(cells + 1, last)), float(self.upper))

    def nearest(self, numbers: Floats) -> Floats:
        """Return the values of the grid nearest to finite numbers, same shape; the higher one of two."""
        cells = self.encode(numbers)
        low, high = self.decode(cells), self.decode(np.minimum(cells + 1, self.cells - 1))
        return np.where(high - numbers <= (numbers - low) * _HALFWAY, high, low)

    def exact_value(self, cell: int) -> Fraction:
        """Return the exact value at a grid index."""
        return self.grid.exact(cell)

    def first_at_least(self, number: Fraction) -> int:
        """Return the first grid index whose value is at least a number; `cells` where there is none."""
        return self.grid.first_at_least(number)

    def at_fractions(self, fractions: Floats) -> Floats:
        """Return numbers at these fractions of the way through the grid, from its first value (0) to its last (1).

        Between them none is a round number, unless the grid is coarse: made-up columns must not have an easy answer.
        """
        if self.measure != UNIFORM:
            inside = np.clip(fractions, 0, 1)
            fractions = fractions + 4 * OFF_ROUND * inside * (1 - inside)
        return self.grid.at_fractions(fractions)

    def as_dict(self) -> dict[str, str | int]:
        """Return what makes the domain, its numbers as exact text, for a plan file; `from_dict` reads it back."""
        measure = {} if self.measure == UNIFORM else {"measure": self.measure}
        return {**self.grid.as_dict(), **measure}


def checked_domain(domain: object) -> Domain:
    """Return a setting that is a Domain. Raises ParameterError for anything else."""
    if not isinstance(domain, Domain):
        raise ParameterError("domain", f"must be a Domain, such as Domain(0, 120, 1), got {type(domain).__name__}.")
    return domain
