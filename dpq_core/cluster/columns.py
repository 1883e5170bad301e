"""Read a column on a Dask cluster: as merged sketches, or as a distributed Sample for the exact mechanisms.

A column comes in parts: the partitions of a Dask Series or Array, or files that every worker can open. Each part is
read where there is room, and no machine ever holds the whole.

`sketch_column` sketches every part under a public bound of its own and merges them in pairs: a few thousand points.

`sample_column` encodes and sorts every part, then hands its records to ranges of the grid (one task for each pair of
part and range), so that every range holds consecutive order statistics. Mechanisms that read ranks and windows of order
statistics only (aq, indexp) then run here as on any Sample, by the same code and so with the same output distribution;
each question costs one round trip to the ranges it concerns.

When a worker is lost, Dask computes its parts again elsewhere. Tie-breaking bits that were used once may not change
then: each part has a key, drawn here once, and its bits are a function of that key.

Needs the extra [cluster]. Errors of parts are DataErrors, as in one process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..arrays import Floats, Integers
from ..domain import Domain, Number, exact_number
from ..errors import DataError, Disclosure, ParameterError
from ..noise import jitter, jitter_keys
from ..sample import Sample, checked_bits, checked_seed, encode_records
from ..sketches import GKSketch
from ..sources.column import only_clear_errors
from ..sources.streams import ColumnStream, FilePart, Sources, stream_column
from .cells import Client, ClusterCells, results

PROBES = 256
"""This number of records of each part decides where to cut the grid; ranges then differ in size by a few parts in a
hundred.
"""


def sketch_column(
    source: ColumnStream | Sources | Any,
    column: str | None = None,
    *,
    client: Client,
    domain: Domain,
    alpha: float,
    n_max: int,
    missing: Number | None = None,
    header: bool | None = None,
) -> GKSketch:
    """Return the sketch of a column, read on the cluster; `n_max` is the public bound on the records of all parts.

    Every part gets an equal fraction of `n_max` as its own bound: one that is longer stays correct and takes more
    space. `source` is a Dask Series or Array, a stream, or files with the name of a `column`; `header` as in
    `stream_column`. Raises ParameterError, DataError.
    """
    whole = GKSketch(alpha, domain, n_max)
    parts = _parts(source, column, header, client)
    if n_max < len(parts):
        raise ParameterError("n_max", f"must be at least 1 for each of {len(parts)} parts, got {n_max}.")
    empty = GKSketch(alpha, domain, n_max // len(parts), missing=missing)
    sketches = [client.submit(_sketch, part, empty, pure=False) for part in parts]
    while len(sketches) > 1:
        pairs = [sketches[at : at + 2] for at in range(0, len(sketches), 2)]
        sketches = [client.submit(_merged, *pair, pure=False) if len(pair) == 2 else pair[0] for pair in pairs]
    whole.merge(results(client, sketches)[0])
    return whole


def sample_column(
    source: ColumnStream | Sources | Any,
    column: str | None = None,
    *,
    client: Client,
    domain: Domain,
    seed: int | None = None,
    missing: Number | None = None,
    jitter_bits: int | None = None,
    header: bool | None = None,
) -> Sample:
    """Return a Sample whose records stay on the cluster, for aq and indexp; keywords as in `Sample.from_values`
    and `stream_column`.

    It exists as long as `client` is connected, and must not be pickled. O(n log n) time in all, 16 bytes a record while
    it is made and 8 after, spread over the workers. Raises ParameterError, DataError.
    """
    bits, seed = checked_bits(jitter_bits, domain, "a cluster"), checked_seed(seed)
    parts = _parts(source, column, header, client)
    encode = partial(sorted_records, domain=domain, missing=missing, bits=bits)
    secrets = jitter_keys(len(parts), seed)
    encoded = [client.submit(encode, part, secret, pure=False) for part, secret in zip(parts, secrets, strict=True)]
    probes = results(client, [client.submit(_probe, part, pure=False) for part in encoded])
    cuts = _cuts([probe for probe, _, _ in probes], [size for _, size, _ in probes])
    ranges = [
        client.submit(_joined, [client.submit(_piece, part, low, high, pure=False) for part in encoded], pure=False)
        for low, high in zip([None, *cuts], [*cuts, None], strict=True)
    ]
    sizes = results(client, [client.submit(len, cells, pure=False) for cells in ranges])
    dropped = sum(lost for _, _, lost in probes)
    records = ClusterCells(client, ranges, np.array(cuts, np.int64), np.cumsum([0, *sizes]))
    stand_in = None if missing is None else exact_number(missing, "missing")
    return Sample(records, domain, bits, seed, dropped, missing=stand_in)


def sorted_records(
    part: Any, secret: bytes, *, domain: Domain, missing: Number | None, bits: int
) -> tuple[Integers, int]:
    """Return the sorted sub-indices of one part, a function of it and its secret key, and how many were dropped."""
    values = np.concatenate([np.empty(0), *_batches(part)])
    cells = encode_records(values, domain, missing, bits, jitter(values.size, bits, key=secret))
    cells.sort()
    return cells, values.size - cells.size


def _parts(source: ColumnStream | Sources | Any, column: str | None, header: bool | None, client: Client) -> list[Any]:
    """Return the futures of partitions, or the files."""
    if hasattr(source, "to_delayed"):
        if column is not None:
            raise ParameterError("column", "is for files; give the column of a Dask DataFrame itself.")
        delayed = np.ravel(np.asarray(source.to_delayed(), dtype=object)).tolist()
        return list(client.compute(delayed))
    if isinstance(source, ColumnStream):
        return source.parts()
    if column is None:
        raise ParameterError("column", "must be the name of a column of the files.")
    return stream_column(source, column, header=header).parts()


@only_clear_errors
def _batches(part: Any) -> list[Floats]:
    """Return the numbers of a part, of a file or of a partition."""
    if isinstance(part, FilePart):
        return list(part.batches())
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
    return part.batches() if isinstance(part, FilePart) else iter(_batches(part))


def _merged(one: GKSketch, other: GKSketch) -> GKSketch:
    """Return a sketch of both, its `n_max` their sum; neither is changed, since a lost worker may need it again."""
    both = GKSketch(one.alpha, one.domain, one.n_max + other.n_max)
    both.merge(one)
    both.merge(other)
    return both


def _probe(encoded: tuple[Integers, int]) -> tuple[Integers, int, int]:
    cells, dropped = encoded
    return cells[:: max(cells.size // PROBES, 1)], cells.size, dropped


def _cuts(probes: Sequence[Integers], sizes: Sequence[int]) -> list[int]:
    """Return the sub-indices that cut all records into about equal ranges, one for each partition."""
    cells = np.concatenate(probes)
    weights = np.repeat(
        [size / max(probe.size, 1) for probe, size in zip(probes, sizes, strict=True)], [probe.size for probe in probes]
    )
    order = np.argsort(cells)
    shares = np.cumsum(weights[order])
    wanted = np.arange(1, len(probes)) * sum(sizes) / len(probes)
    at = np.searchsorted(shares, wanted)
    return [int(cell) for cell in np.unique(cells[order][np.minimum(at, cells.size - 1)])] if cells.size else []


def _piece(encoded: tuple[Integers, int], low: int | None, high: int | None) -> Integers:
    cells = encoded[0]
    first = 0 if low is None else int(cells.searchsorted(low))
    return cells[first : cells.size if high is None else int(cells.searchsorted(high))]


def _joined(pieces: list[Integers]) -> Integers:
    cells = np.concatenate(pieces)
    cells.sort()
    return cells
