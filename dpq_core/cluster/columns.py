"""Read a column on a Dask cluster: as merged sketches, or as a distributed Column for the exact mechanisms.

A column is a Dask Series or Array; those of Parquet files come from `reading.read_files`. Each partition is read where
there is room, as a column of a data frame is, and no machine ever holds the whole.

`sketch_column` sketches every part under a public bound of its own and merges them in pairs: a few thousand points.

`spread_column` encodes and sorts every part, then shuffles its records to ranges of the grid, so that every range holds
consecutive order statistics. Mechanisms then run here as on any Column, by the same code and so with the same output
distribution; each question costs one round trip to the ranges it concerns (`cluster.cells`).

When a worker is lost, Dask computes its parts again elsewhere. Tie-breaking bits that were used once may not change
then: each part has a key, drawn here once, and its bits are a function of that key.

Needs the extra [cluster]. Errors of parts are DataErrors, as in one process.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..arrays import Floats
from ..column import Column
from ..domain.domain import Domain
from ..domain.numbers import Number, exact_number
from ..encoding import checked_bits, checked_seed, encode_records
from ..errors import ParameterError
from ..noise.tie_breaking import Key, tie_breaking, tie_breaking_keys
from ..sketches.greenwald_khanna import GKSketch
from ..sources.column import only_clear_errors
from ..sources.frames import values_in
from ..values import numeric_column
from .cells import in_ranges
from .rows import DAMAGED
from .shuffle import Client, results
from .taking import Records


def sketch_column(
    column: Any, *, client: Client, domain: Domain, alpha: float, n_max: int, missing: Number | None = None
) -> GKSketch:
    """Return the sketch of a column, read on the cluster; `n_max` is the public bound on the records of all parts.

    Every part gets an equal fraction of `n_max` as its own bound: one that is longer stays correct and takes more
    space. Raises ParameterError, DataError.
    """
    whole = GKSketch(alpha, domain, n_max)
    parts = _parts(column, client)
    if n_max < len(parts):
        raise ParameterError("n_max", f"must be at least 1 for each of {len(parts)} parts, got {n_max}.")
    empty = GKSketch(alpha, domain, n_max // len(parts), missing=missing)
    sketches = [client.submit(_sketch, part, empty, pure=False) for part in parts]
    while len(sketches) > 1:
        pairs = [sketches[at : at + 2] for at in range(0, len(sketches), 2)]
        sketches = [client.submit(_merged, *pair, pure=False) if len(pair) == 2 else pair[0] for pair in pairs]
    whole.merge(results(client, sketches)[0])
    return whole


def spread_column(
    column: Any,
    *,
    client: Client,
    domain: Domain,
    seed: int | None = None,
    missing: Number | None = None,
    tie_bits: int | None = None,
) -> Column:
    """Return a Column whose records stay on the cluster; keywords as in `Column.from_values` and `sketch_column`.

    It exists as long as `client` is connected, and must not be pickled. O(n log n) time in all, 16 bytes a record while
    it is made and 8 after, spread over the workers. Raises ParameterError, DataError.
    """
    bits, seed = checked_bits(tie_bits, domain), checked_seed(seed)
    parts = _parts(column, client)
    encode = partial(sorted_records, domain=domain, missing=missing, bits=bits)
    keys = tie_breaking_keys(len(parts), seed)
    encoded = [client.submit(encode, part, key, pure=False) for part, key in zip(parts, keys, strict=True)]
    records, dropped = in_ranges(client, encoded, 1)
    exact = None if missing is None else exact_number(missing, "missing")
    return Column(records, domain, bits, seed, dropped, missing=exact)


def sorted_records(part: Any, key: Key, *, domain: Domain, missing: Number | None, bits: int) -> Records:
    """Return the sorted slots of one part, a function of it and its secret key, and how many were dropped."""
    values = _values(part)
    cells = encode_records(values, domain, missing, bits, tie_breaking(values.size, bits, key))
    cells.sort()
    return Records(cells, None, None, values.size - cells.size)


def _parts(column: Any, client: Client) -> list[Any]:
    """Return the futures of partitions. Raises ParameterError."""
    if not hasattr(column, "to_delayed") or getattr(column, "ndim", 1) != 1:
        raise ParameterError("column", "must be a Dask Series or Array, such as read_files('people/')['salary'].")
    return list(client.compute(np.ravel(np.asarray(column.to_delayed(), dtype=object)).tolist()))


@partial(only_clear_errors, otherwise=DAMAGED)
def _values(part: Any) -> Floats:
    """Return the numbers of a partition, as those of a column of a data frame. Raises DataError."""
    return np.asarray(numeric_column(values_in(part, str(getattr(part, "name", "column")))), np.float64)


def _sketch(part: Any, empty: GKSketch) -> GKSketch:
    sketch = GKSketch(empty.alpha, empty.domain, empty.n_max, missing=empty.missing)
    sketch.update(_values(part))
    return sketch


def _merged(one: GKSketch, other: GKSketch) -> GKSketch:
    """Return a sketch of both, its `n_max` their sum; neither is changed, since a lost worker may need it again."""
    both = GKSketch(one.alpha, one.domain, one.n_max + other.n_max)
    both.merge(one)
    both.merge(other)
    return both
