"""Records as slots of a grid: each from its own value and low bits alone, sorted whole or in groups."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .arrays import Integers, chunks, with_room
from .domain.domain import Domain, checked_domain
from .domain.measure import UNIFORM
from .domain.numbers import Number, exact_number
from .errors import ParameterError, shown
from .noise.tie_breaking import Key, tie_breaking
from .people.shares import MOST_BITS

MOST_TIE_BITS = 20
SLOT_BITS = 62


def sorted_records(
    batches: Iterable[NDArray[np.generic]], domain: Domain, seed: int | None, missing: Number | None, bits: int
) -> tuple[Integers, int]:
    """Return the sorted slots of a column and how many rows have none.

    Batches are encoded as they come, in little more than 8 bytes a record.
    """
    found, n, rows = np.empty(0, np.int64), 0, 0
    for column in batches:
        cells = encode_records(column, domain, missing, bits, tie_breaking(column.size, bits, seed, first_row=rows))
        rows += column.size
        if n == 0:
            found = cells
        elif cells.size:
            found = with_room(found, n + cells.size)
            found[n : n + cells.size] = cells
        n += cells.size
    found = found[:n]
    found.sort()
    found.flags.writeable = False
    return found, rows - n


def grouped_records(
    column: NDArray[np.generic],
    codes: NDArray[np.int32],
    groups: int,
    domain: Domain,
    seed: int | Key | None,
    missing: Number | None,
    bits: int,
) -> tuple[Integers, Integers, int]:
    """Return the slots of rows sorted by group, where each group begins, and how many rows have none."""
    used = codes >= 0
    if missing is None and column.dtype.kind == "f":
        used &= np.isfinite(column)
    stand_in = domain.lower if missing is None else missing
    cells = encode_records(column, domain, stand_in, bits, tie_breaking(column.size, bits, seed))
    if lost := used.size - int(np.count_nonzero(used)):
        cells, codes = cells[used], codes[used]
    return *by_group(cells, codes, groups, domain.places(bits).count), lost


def by_group(cells: Integers, codes: NDArray[np.int32], groups: int, slots: int) -> tuple[Integers, Integers]:
    """Return the slots sorted by (group, slot), and where each group begins; changes `cells`.

    Where both fit into one number of 64 bits, these are sorted; else rows are counted into their groups, each sorted.
    """
    bits = (slots - 1).bit_length()
    if bits + (groups - 1).bit_length() <= MOST_BITS:
        for some in chunks(cells.size):
            cells[some] |= codes[some].astype(np.int64) << bits
        cells.sort()
        firsts = np.arange(groups, dtype=np.int64) << bits
        starts = np.append(np.searchsorted(cells, firsts), cells.size).astype(np.int64)
        cells &= (1 << bits) - 1
    else:
        from scipy.sparse import csr_array

        ends = np.array([0, cells.size], codes.dtype if cells.size < 2**31 else np.int64)
        counted = csr_array((cells, codes, ends), shape=(1, groups)).tocsc()
        cells, starts = counted.data, counted.indptr.astype(np.int64)
        for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            cells[start:end].sort()
    cells.flags.writeable = False
    return cells, starts


def checked_bits(tie_bits: int | None, domain: Domain) -> int:
    """Return how many low bits break ties: as many as fit, or fewer if requested. Raises ParameterError."""
    room = SLOT_BITS if checked_domain(domain).measure == UNIFORM else SLOT_BITS - 1
    most = min(MOST_TIE_BITS, room - domain.cells.bit_length())
    bits = max(most, 0) if tie_bits is None else tie_bits
    if isinstance(bits, bool) or not isinstance(bits, int | np.integer) or not 0 <= bits <= max(most, 0):
        raise ParameterError("tie_bits", f"must be a whole number from 0 to {max(most, 0)}, got {shown(bits)}.")
    return int(bits)


def checked_seed(seed: object) -> int | None:
    """Return the seed as an int. Raises ParameterError.

    A partition of a table on a cluster has a secret key in its place, so that a second reading gives the same records.
    """
    if seed is None or isinstance(seed, Key):
        return seed  # type: ignore[return-value]  # a key is never in a Column that a caller gets
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ParameterError("seed", "must be a whole number >= 0 or None.")
    return int(seed)


def encode_records(
    column: NDArray[np.generic], domain: Domain, missing: Number | None, bits: int, low_bits: Iterable[Integers]
) -> Integers:
    """Return the slots of records, in their order; without `missing` those not finite are left out.

    `low_bits` come in chunks, one for every record, also for those left out.
    """
    cells, places, start = grid_indices(column, domain, missing), domain.places(bits), 0
    for low in low_bits if bits else [np.zeros(cells.size, np.int64)]:
        some = slice(start, start + low.size)
        cells[some] = places.place_of(cells[some], low)
        start += low.size
    return _kept(cells, column, missing)


def grid_records(column: NDArray[np.generic], domain: Domain, missing: Number | None) -> Integers:
    """Return the grid indices of records, in their order; without `missing` those not finite are left out."""
    return _kept(grid_indices(column, domain, missing), column, missing)


def _kept(cells: Integers, column: NDArray[np.generic], missing: Number | None) -> Integers:
    finite = np.isfinite(column) if missing is None and column.dtype.kind == "f" else None
    return cells if finite is None or finite.all() else cells[finite]


def grid_indices(column: NDArray[np.generic], domain: Domain, missing: Number | None) -> Integers:
    """Return the grid indices of records, in their order; missing ones without `missing` have any."""
    stand_in = domain.lower if missing is None else exact_number(missing, "missing")
    finite = np.isfinite(column) if column.dtype.kind == "f" else None
    if finite is None or finite.all():
        return domain.encode(column)
    return domain.encode(np.where(finite, column, np.float64(stand_in)))
