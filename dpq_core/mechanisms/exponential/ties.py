"""Draw whole values, with a score that says how deep a value lies within equal records: `Target.signed`.

Idea. A draw that splits records needs their slots, since all records of one index go to the same side. A draw
with nothing below it answers a value, and knows more of it: with a records below a value, b at or below it, target t,
    s = max(a - t, t - b).
Above 0 that is the rank error. Where t lies among equal records, s is minus the number of records that would have to
join or leave until the value is no longer right, so a value of many records stands out however fine the grid is. A
slot is drawn with the weight exp(-rate * s) of its value, for any low bits: bits that break ties do not
count here.

Claim. As for |a - t| (`exponential.sampling`), with the same rates. Both a - t and t - b are linear in the numbers of
records below, at and above the value. A record that joins moves each of them by q or by 1 - q, where t = q n; one that
is replaced, with t fixed, by at most 1. So their maximum moves by at most max(q, 1 - q), or 1. For the levels 0 and 1
it is a, or n - b, which a record moves one way, by 0 or 1. A draw with nothing below it costs what it costs in the
worst part, which is all that `aq.recursion.claim` counts for it. Of persons whose rows weigh 1 together: both are
linear in their masses below, at and above the value, so their maximum moves no farther either.

Of a value of which a range has only some slots, these and the range's own records are counted; the records of a
range lie in it.

Sampler. Values with b <= t lie left of all others, with the score t - b; those with a >= t lie right of them, with the
score a - t; one value at most is between them, with a < t < b. So the blocks of `exponential.sampling` lead outwards
from the target, by b on the left and by a on the right, and that one value is a block of its own.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Cells, Floats, Integers
from ...domain.measure import BaseMeasure
from .distribution import Ranges, count_below, edges_at, records_at


def first_of_value(indices: Integers, values: BaseMeasure) -> Integers:
    """Return the first slot of the value of each."""
    return values.around(indices)[0]


def last_of_value(indices: Integers, values: BaseMeasure) -> Integers:
    """Return the last slot of the value of each."""
    return values.around(indices)[1] - 1


def edges_around(cells: Cells, partitions: Ranges, left: Integers, right: Integers) -> Integers:
    """Return the last index before each block, and of the range, around the values that hold the targets (rows,).

    `left` and `right` (rows, blocks + 1) are the ranks at which blocks begin, rising: of values with at most as many
    records at or below them, and of values with at least as many below them. One edge more than blocks: an open one,
    those on the left, the value around the target, which may be empty, those on the right, an open one.
    """
    low, high = partitions.low[:, None] - 1, partitions.high[:, None]
    beyond = ends_of_records(cells, partitions, right)
    before = np.minimum(ends_with_at_most(cells, partitions, left), beyond[:, :1])
    return np.hstack([low, before, beyond, high])


def ends_of_records(cells: Cells, partitions: Ranges, ranks: Integers) -> Integers:
    """Return the last index of the value of each rank (rows, some), 1 the first record of a range.

    Before the first record it is the one before the range, and after the last one that of the range.
    """
    at = partitions.start[:, None] + ranks - 1
    return edges_at(partitions, at, last_of_value(records_at(cells, at), partitions.values))


def ends_with_at_most(cells: Cells, partitions: Ranges, ranks: Integers) -> Integers:
    """Return the last index with this many records of its range at its value or below it, at most; (rows, some)."""
    at = partitions.start[:, None] + ranks
    return edges_at(partitions, at, first_of_value(records_at(cells, at), partitions.values) - 1)


def ranks_around(cells: Cells, partitions: Ranges, middle: Integers) -> tuple[Integers, Integers]:
    """Return how many records lie below the values of these indices (rows,), and how many at them or below."""
    first, behind = partitions.values.around(middle)
    return count_below(cells, partitions, first), count_below(cells, partitions, behind)


def depths(cells: Cells, partitions: Ranges, whole: Integers, rest: Floats, middle: Integers) -> Floats:
    """Return minus the least score of all values, for targets whole + rest and the middle of `edges_around`."""
    below, at_most = ranks_around(cells, partitions, middle)
    return np.maximum(np.minimum((whole - below) + rest, (at_most - whole) - rest), 0.0)


def scores(cells: Cells, partitions: Ranges, chosen: Integers, whole: Integers, rest: Floats) -> Floats:
    """Return the scores of the values of indices, for targets whole + rest; all (rows,)."""
    below, at_most = ranks_around(cells, partitions, chosen)
    return np.maximum((below - whole) - rest, (whole - at_most) + rest)
