"""Read a column on a Dask cluster: as merged sketches, or as a distributed Column for the exact mechanisms.

A column comes in parts: the partitions of a Dask Series or Array, or Parquet files that every worker can open. Each
part is read where there is room, and no machine ever holds the whole.

`sketch_column` sketches every part under a public bound of its own and merges them in pairs: a few thousand points.

`spread_column` encodes and sorts every part, then shuffles its records to ranges of the grid, so that every range holds
consecutive order statistics. Mechanisms then run here as on any Column, by the same code and so with the same output
distribution; each question costs one round trip to the ranges it concerns (`cluster.cells`).

When a worker is lost, Dask computes its parts again elsewhere. Tie-breaking bits that were used once may not change
then: each part has a key, drawn here once, and its bits are a function of that key.

Needs the extra [cluster]. Errors of parts are DataErrors, as in one process.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from ..arrays import Floats
from ..column import Column
from ..domain.domain import Domain
from ..domain.numbers import Number
from ..encoding import checked_bits, checked_seed, encode_records, exact_missing
from ..errors import DataError, Disclosure, ParameterError
from ..noise.tie_breaking import Key, tie_breaking, tie_breaking_keys
from ..sketches.greenwald_khanna import GKSketch
from ..sources.column import clearly, only_clear_errors
from ..sources.found import FileColumn
from ..sources.streams.batches import ColumnStream, Sources, stream_column
from .cells import in_ranges
from .files import ONLY_PARQUET
from .shuffle import Client, results
from .taking import Records


def sketch_column(
    source: ColumnStream | Sources | Any,
    column: str | None = None,
    *,
    client: Client,
    domain: Domain,
    alpha: float,
    n_max: int,
    missing: Number | None = None,
) -> GKSketch:
    """Return the sketch of a column, read on the cluster; `n_max` is the public bound on the records of all parts.

    Every part gets an equal fraction of `n_max` as its own bound: one that is longer stays correct and takes more
    space. `source` is a Dask Series or Array, a stream, or files with the name of a `column`. Raises ParameterError,
    DataError.
    """
    whole = GKSketch(alpha, domain, n_max)
    parts = _parts(source, column, client)
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
    source: ColumnStream | Sources | Any,
    column: str | None = None,
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
    parts = _parts(source, column, client)
    encode = partial(sorted_records, domain=domain, missing=missing, bits=bits)
    keys = tie_breaking_keys(len(parts), seed)
    encoded = [client.submit(encode, part, key, pure=False) for part, key in zip(parts, keys, strict=True)]
    records, dropped = in_ranges(client, encoded, 1)
    return Column(records, domain, bits, seed, dropped, missing=exact_missing(missing))


def sorted_records(part: Any, key: Key, *, domain: Domain, missing: Number | None, bits: int) -> Records:
    """Return the sorted slots of one part, a function of it and its secret key, and how many were dropped."""
    values = np.concatenate([np.empty(0), *_batches(part)])
    cells = encode_records(values, domain, missing, bits, tie_breaking(values.size, bits, key))
    cells.sort()
    return Records(cells, None, None, values.size - cells.size)


def _parts(source: ColumnStream | Sources | Any, column: str | None, client: Client) -> list[Any]:
    """Return the futures of partitions, or the files."""
    if hasattr(source, "to_delayed"):
        if column is not None:
            raise ParameterError("column", "is for files; give the column of a Dask DataFrame itself.")
        delayed = np.ravel(np.asarray(source.to_delayed(), dtype=object)).tolist()
        return list(client.compute(delayed))
    if not isinstance(source, ColumnStream):
        if column is None:
            raise ParameterError("column", "must be the name of a column of the files.")
        source = stream_column(source, column)
    if any(file.typed is None for file in source.files):
        raise ParameterError("source", f"{ONLY_PARQUET} The column must hold numbers or dates, not text.")
    return list(source.files)


@only_clear_errors
def _batches(part: Any) -> list[Floats]:
    """Return the numbers of a part, of a file or of a partition."""
    if isinstance(part, FileColumn):
        return list(part.batches(None, None))
    return [_partition_values(part)]


def _partition_values(part: Any) -> Floats:
    try:
        if hasattr(part, "to_numpy"):
            part = part.to_numpy(dtype=np.float64, na_value=np.nan)
        values = np.asarray(part, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty((0, 0))
    if values.ndim != 1:
        raise DataError(
            "The partitions must hold one column of numbers; missing ones may be None or NaN.",
            discloses=Disclosure.KIND,
        )
    return values


def _sketch(part: Any, empty: GKSketch) -> GKSketch:
    sketch = GKSketch(empty.alpha, empty.domain, empty.n_max, missing=empty.missing)
    for batch in _stream(part):
        sketch.update(batch)
    return sketch


def _stream(part: Any) -> Iterator[Floats]:
    return clearly(part.batches(None, None)) if isinstance(part, FileColumn) else iter(_batches(part))


def _merged(one: GKSketch, other: GKSketch) -> GKSketch:
    """Return a sketch of both, its `n_max` their sum; neither is changed, since a lost worker may need it again."""
    both = GKSketch(one.alpha, one.domain, one.n_max + other.n_max)
    both.merge(one)
    both.merge(other)
    return both
