"""The records of a Sample on a Dask cluster: ranks of indices, and indices at ranks, each in one round trip."""

from __future__ import annotations

from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from ..arrays import Integers

Client: TypeAlias = Any  # distributed.Client and Future: the library has no types
Future: TypeAlias = Any


class ClusterCells:
    """`SortedCells` on a cluster: range i holds the records from cut i - 1 up to, but not including, cut i.

    `starts` are the ranks at which ranges begin, and the number of all records. A slice is a view.
    """

    def __init__(self, client: Client, ranges: list[Future], cuts: Integers, starts: Integers) -> None:
        self.client, self.ranges, self.cuts, self.starts = client, ranges, cuts, starts
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
            view = ClusterCells(self.client, self.ranges, self.cuts, self.starts)
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
        futures = [self.client.submit(question, self.ranges[i], about[owners == i], pure=False) for i in owning]
        answers = np.empty(about.shape, np.int64)
        for i, answer in zip(owning, results(self.client, futures), strict=True):
            answers[owners == i] = answer
        return answers


def _records_at(cells: Integers, positions: Integers) -> Integers:
    return cells[positions]


def _count_below(cells: Integers, wanted: Integers) -> NDArray[np.intp]:
    return cells.searchsorted(wanted)


def results(client: Client, futures: list[Future]) -> list[Any]:
    """Return the results of the futures, in their order; raise what one of them raised."""
    return list(client.gather(futures))
