"""The records of a Column on a Dask cluster: ranks of indices, and indices at ranks, each in one round trip.

Claim. Every mechanism has the output distribution that it has in memory, on the same records. It reads a column through
`SortedCells` alone, and both questions get the integers that the sorted array would give. So a draw is the same
function of the same numbers and of its entropy; that holds for one quantile, for the windows of a joint draw with their
exact weights for the rest, and for counts in bins. A joint draw reads some thousand records, for any n. One kind is
refused: of shares it would weigh the rows of all persons at once (`combinations`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ..arrays import Integers
from ..people.shares import WeightedCells
from .shuffle import PLACE, Client, Delayed, Future, Hidden, delayed_call, results, started, to_places
from .taking import Records

PROBES = 256
"""This number of records of each part decides where to cut the grid; ranges then differ in size by a few parts in a
hundred.
"""
WEIGHT = "weight"


class ClusterCells:
    """`SortedCells` on a cluster: range i holds the records from cut i - 1 up to, but not including, cut i.

    `starts` are the ranks at which ranges begin, and the number of all records. Where all rows of a person weigh 1, a
    record counts `unit` units, and ranks and positions are in units. A slice is a view.
    """

    def __init__(self, client: Client, ranges: list[Future], cuts: Integers, starts: Integers, unit: int = 1) -> None:
        self.client, self.ranges, self.cuts, self.starts, self.unit = client, ranges, cuts, starts, unit
        self.first, self.end = 0, int(starts[-1])

    def __repr__(self) -> str:
        return "ClusterCells()"  # no counts and no cells: private

    @property
    def size(self) -> int:
        """Return the number of records."""
        return self.end - self.first

    @overload
    def __getitem__(self, at: Integers, /) -> Integers: ...
    @overload
    def __getitem__(self, at: slice, /) -> ClusterCells: ...

    def __getitem__(self, at: Integers | slice, /) -> Integers | ClusterCells:
        """Return the records at these positions, same shape, in one round trip; or a view of consecutive ones."""
        if isinstance(at, slice):
            first, end, step = at.indices(self.size)
            assert step == 1, "records are consecutive"
            view = ClusterCells(self.client, self.ranges, self.cuts, self.starts, self.unit)
            view.first, view.end = self.first + first, self.first + max(end, first)
            return view
        positions = np.asarray(at, np.int64) + self.first
        owners = np.searchsorted(self.starts, positions, side="right") - 1
        return self._ask(_records_at, owners, positions - self.starts[owners])

    def searchsorted(self, cells: Integers, /) -> NDArray[np.intp]:
        """Return for each cell the number of records in lower ones; same shape, in one round trip."""
        wanted = np.asarray(cells, np.int64)
        owners = np.searchsorted(self.cuts, wanted, side="right")
        ranks = self.starts[owners] + self._ask(_count_below, owners, wanted)
        return np.asarray(np.clip(ranks, self.first, self.end) - self.first, dtype=np.intp)

    def _ask(self, question: Any, owners: NDArray[np.intp], about: Integers) -> Integers:
        """Return the answers of each element's own range, same shape."""
        owning = np.unique(owners)
        asked = [Hidden(about[owners == i]) for i in owning]
        futures = [
            self.client.submit(question, self.ranges[i], each, pure=False)
            for i, each in zip(owning, asked, strict=True)
        ]
        answers = np.empty(about.shape, np.int64)
        for i, answer in zip(owning, results(self.client, futures), strict=True):
            answers[owners == i] = answer
        return answers


def _records_at(cells: Any, positions: Hidden) -> Integers:
    return np.asarray(cells[positions.value], dtype=np.int64)


def _count_below(cells: Any, wanted: Hidden) -> Integers:
    return np.asarray(cells.searchsorted(wanted.value), dtype=np.int64)


def in_ranges(client: Client, parts: Sequence[Future | Delayed], unit: int) -> tuple[ClusterCells, bool]:
    """Return the Records of all parts as one column in ranges of the grid, and whether any were dropped.

    `unit`: how many units a record, or a person, weighs.
    """
    probes = started(client, [delayed_call(_probe, part) for part in parts])
    ((limits, dropped),) = results(client, [client.submit(_cuts_and_whether_dropped, probes, pure=False)])
    frames = [delayed_call(_with_places, part, limits) for part in parts]
    empty = _with_places(Records.none(weighted=unit > 1), limits)
    placed = to_places(client, frames, empty, limits.value.size + 1)
    ranges = started(client, [delayed_call(_sorted, each, unit) for each in placed])
    sizes = results(client, [client.submit(_size, each, pure=False) for each in ranges])
    cells = ClusterCells(client, ranges, limits.value, np.cumsum([0, *sizes]), unit)
    return cells, dropped


def frame_of(records: Records, **columns: Any) -> Any:
    """Return records as a data frame with further columns, of which `PLACE` says where each record goes."""
    import pandas as pd

    columns["cell"] = records.cells
    return pd.DataFrame(columns if records.weights is None else columns | {WEIGHT: records.weights})


def _with_places(records: Records, cuts: Hidden) -> Any:
    return frame_of(records, **{PLACE: np.searchsorted(cuts.value, records.cells, side="right").astype(np.int64)})


def _sorted(rows: Any, unit: int) -> Any:
    """Return the records of a range in order, which does not depend on how the shuffle brought them."""
    cells = rows["cell"].to_numpy()
    if unit == 1:
        return np.sort(cells)
    weights = rows[WEIGHT].to_numpy()
    order = np.lexsort((weights, cells))
    return WeightedCells.of(cells[order], weights[order], unit)


def _size(cells: Any) -> int:
    return int(cells.size)


def _probe(records: Records) -> tuple[Integers, int, bool]:
    cells = records.cells
    return cells[:: max(cells.size // PROBES, 1)], cells.size, records.dropped > 0


def _cuts_and_whether_dropped(probed: Sequence[tuple[Integers, int, bool]]) -> tuple[Hidden, bool]:
    cuts = _cuts([cells for cells, _, _ in probed], [size for _, size, _ in probed])
    return Hidden(np.array(cuts, np.int64)), any(lost for _, _, lost in probed)


def _cuts(probes: Sequence[Integers], sizes: Sequence[int]) -> list[int]:
    """Return the slots that cut all records into about equal ranges, one for each partition."""
    cells = np.concatenate(probes)
    weights = np.repeat(
        [size / max(probe.size, 1) for probe, size in zip(probes, sizes, strict=True)], [probe.size for probe in probes]
    )
    order = np.argsort(cells)
    shares = np.cumsum(weights[order])
    wanted = np.arange(1, len(probes)) * sum(sizes) / len(probes)
    at = np.searchsorted(shares, wanted)
    return [int(cell) for cell in np.unique(cells[order][np.minimum(at, cells.size - 1)])] if cells.size else []
