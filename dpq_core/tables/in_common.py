"""Count the records that all whole columns of a table have of the same persons."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..arrays import Integers
from ..domain.numbers import Number
from ..people.ids import People


def records_in_all(
    columns: Mapping[str, NDArray[np.generic]],
    stand_ins: Mapping[str, Number | None],
    people: People | None,
    most_rows: int | None,
) -> int:
    """Return how many records all columns have of the same persons: of each the least that a column has. Private.

    A person has a record in a column where a row has a value, or up to `most_rows` of them. O(rows) for each column.
    """
    least: Integers | None = None
    for name, stand_in in stand_ins.items():
        column = columns[name]
        there = np.ones(column.size, np.bool_)
        if stand_in is None and column.dtype.kind == "f":
            there = np.isfinite(column)
        if people is None:
            own = there.astype(np.int64)
        elif most_rows is None and stand_in is not None:
            own = np.ones(people.count, np.int64)
        else:
            rows = np.bincount(people.codes[there & (people.codes >= 0)], minlength=people.count)
            own = np.minimum(rows, most_rows or 1)
        least = own if least is None else np.minimum(least, own)
    assert least is not None, "a table has columns"
    return int(least.sum())
