"""All rows of a person, spread over groups: together they weigh 1, in whichever groups they are.

Weights are given once, over all rows of a person that count: those in listed groups with a valid value. Only then are
rows put into their groups. A person's masses in all groups add up to exactly 1 (`people.shares`), so that a draw in a
group costs at most that person's mass there times what a whole record costs, and all groups together what one record
costs in one of them; `privacy.composition` has the sums, docs/people-proof.md why a cost is at most mass times record.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Integers
from ..domain import Domain, Number
from ..noise import Key, jitter
from ..people import People, rows_that_count, share_rows
from ..sample import encode_records
from .names import GroupCodes


@dataclass(frozen=True)
class SharedRows:
    """The rows of all groups with their weights in units, sorted by group and sub-index; private."""

    cells: Integers
    weights: NDArray[np.int32]
    starts: Integers
    """Where each group's rows begin, and the end of all: (groups + 1,)."""
    dropped: int


def shared_rows(
    values: Floats,
    codes: GroupCodes,
    groups: int,
    people: People,
    domain: Domain,
    missing: Number | None,
    bits: int,
    seed: int | Key | None,
) -> SharedRows:
    """Return the rows of all groups as shares of their persons. O(n log n)."""
    stand_in = domain.lower if missing is None else missing
    cells = encode_records(values, domain, stand_in, bits, jitter(values.size, bits, seed, 0))
    listed = People(np.where(codes >= 0, people.codes, np.int32(-1)), people.count)
    used = rows_that_count(values, listed, stand_in=missing is not None)
    own = np.arange(values.size) if used is None else np.flatnonzero(used)
    rows, weights = share_rows(listed.codes[own], people.count)
    own = own[rows]
    order = np.lexsort((cells[own], codes[own]))
    own = own[order]
    starts = np.searchsorted(codes[own], np.arange(groups + 1))
    found = cells[own]
    found.flags.writeable = False
    return SharedRows(found, weights[order], starts.astype(np.int64), values.size - own.size)
