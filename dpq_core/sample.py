"""Sample: one column on its grid, with ties broken, sorted once. Everything that mechanisms read of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .domain import Domain, Number, exact_number
from .errors import DataError, ParameterError
from .noise import jitter

MOST_JITTER_BITS = 20
FINE_CELL_BITS = 62


@dataclass(frozen=True, eq=False)
class Sample:
    """A column as sorted fine cells (int64, read-only), made by `Sample.from_values`.

    Every cell of the domain is split into 2^jitter_bits fine cells and every record gets independent uniform low bits
    once. That breaks ties without touching a neighbour: bits by sorted position would move every later record when
    one joins.

    `dropped` (how many records were missing or not finite) is private, and so is `n` where a record may join or
    leave.
    """

    cells: NDArray[np.int64]
    domain: Domain
    jitter_bits: int
    seed: int | None
    dropped: int

    @classmethod
    def from_values(
        cls,
        values: ArrayLike,
        domain: Domain,
        *,
        seed: int | None = None,
        missing: Number | None = None,
        jitter_bits: int | None = None,
    ) -> Sample:
        """A Sample of any one-dimensional column of numbers; the column itself is neither kept nor changed.

        Values outside the bounds are clipped, never dropped. Missing and non-finite ones are replaced by `missing`, a
        value chosen from public knowledge, or else dropped (which only ADD_REMOVE allows). With a `seed` the
        tie-breaking bits are repeatable, and `release` refuses the Sample. `jitter_bits=0` is for exact audits of
        small data. O(n log n) time, two int64 arrays of n. Raises DataError, ParameterError.
        """
        bits = _checked_bits(jitter_bits, domain)
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0):
            raise ParameterError("seed", "`seed` must be a whole number >= 0 or None.")
        column = _numeric_column(values)
        finite = np.isfinite(column) if column.dtype.kind == "f" else None
        dropped = 0 if finite is None else column.size - int(np.count_nonzero(finite))
        cells = _encode(column, finite if dropped else None, domain, missing)
        cells <<= bits
        start = 0
        for low_bits in jitter(cells.size, bits, None if seed is None else int(seed)) if bits else ():
            cells[start : start + low_bits.size] |= low_bits
            start += low_bits.size
        if dropped and missing is None:
            cells = cells[finite]
        cells.sort()
        cells.flags.writeable = False
        lost = dropped if missing is None else 0
        return cls(cells=cells, domain=domain, jitter_bits=bits, seed=None if seed is None else int(seed), dropped=lost)

    def __repr__(self) -> str:
        return f"Sample(domain={self.domain!r}, jitter_bits={self.jitter_bits}, seed={self.seed})"  # no counts: private

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.cells, self.domain, self.jitter_bits, self.seed, self.dropped)

    @property
    def n(self) -> int:
        """The number of records in the Sample; private under ADD_REMOVE."""
        return int(self.cells.size)

    @property
    def fine_cells(self) -> int:
        """How many fine cells the domain has: the size of the output space of every draw."""
        return self.domain.cells << self.jitter_bits

    def values_of(self, fine_cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """The grid values that fine cells stand for; same shape."""
        return self.domain.decode(fine_cells >> self.jitter_bits)

    def count_below(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """For coarse cells: how many records lie in lower cells. O(log n) each."""
        return np.searchsorted(self.cells, cells << self.jitter_bits, side="left").astype(np.int64)


def _restore(cells: NDArray[np.int64], domain: Domain, bits: int, seed: int | None, dropped: int) -> Sample:
    cells.flags.writeable = False
    return Sample(cells=cells, domain=domain, jitter_bits=bits, seed=seed, dropped=dropped)


def _checked_bits(jitter_bits: int | None, domain: Domain) -> int:
    most = min(MOST_JITTER_BITS, FINE_CELL_BITS - domain.cells.bit_length())
    bits = max(most, 0) if jitter_bits is None else jitter_bits
    if isinstance(bits, bool) or not isinstance(bits, int | np.integer) or not 0 <= bits <= max(most, 0):
        raise ParameterError(
            "jitter_bits", f"`jitter_bits` must be a whole number from 0 to {max(most, 0)}, got {bits!r}."
        )
    return int(bits)


def _numeric_column(values: ArrayLike) -> NDArray[np.generic]:
    """The values as a one-dimensional array of integers or floats; None and masked entries become NaN."""
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    try:
        column = np.asarray(values)
        if column.size == 0:
            column = column.astype(np.float64)
        if column.dtype.kind == "O":
            column = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError("the values must be one column of numbers; missing ones may be None or NaN.") from None
    if column.ndim != 1:
        raise DataError(f"the values must be one column, got an array of {column.ndim} dimensions.")
    if column.dtype.kind not in "iufb":
        raise DataError(f"the values must be numbers, got dtype {column.dtype}.")
    return column


def _encode(
    column: NDArray[np.generic], finite: NDArray[np.bool_] | None, domain: Domain, missing: Number | None
) -> NDArray[np.int64]:
    """Cells of all rows; a row that is not finite gets the cell of `missing`, or a cell that is dropped later."""
    if missing is not None:
        exact_number(missing, "missing")
    if finite is None:
        return domain.encode(column)
    stand_in = float(domain.lower if missing is None else exact_number(missing, "missing"))
    return domain.encode(np.where(finite, column, stand_in))
