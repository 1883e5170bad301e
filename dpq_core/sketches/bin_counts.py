"""Count fixed bins while a column streams by: what a histogram needs of data that does not fit into memory."""

from __future__ import annotations

import numpy as np

from ..arrays import ColumnLike, Integers
from ..column import Column
from ..domain.domain import Domain, checked_domain
from ..domain.numbers import Number
from ..errors import ParameterError, shown
from ..one_column import BINS, Sketch
from ..values import numeric_column

MOST_BINS = 2**16
"""More would make a release slow, and noise would drown what they resolve."""
USUAL_BINS = 1024
"""About the best number at epsilon = 1; see `bins.mechanism.bins_for`."""
_CHUNK = 1 << 20


class BinCounts(Sketch):
    """Count the records in `bins` ranges of the domain exactly, in O(bins) space for any length of stream.

    The bins cut the grid as evenly as whole values allow and do not depend on the data, so a record that joins changes
    one count by 1. A domain with fewer values than `bins` has one bin for each. The counts, `n` and
    `dropped` are private (n is public where records can only be replaced). Not safe for two threads at once; counts
    of partitions that were read apart can be merged. `missing` replaces missing and non-finite values as in
    `Column.from_values`; without it they are dropped and counted in `dropped`. Raises ParameterError.
    """

    held = BINS

    def __init__(self, domain: Domain, bins: int = USUAL_BINS, *, missing: Number | None = None) -> None:
        if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or not 2 <= bins <= MOST_BINS:
            raise ParameterError("bins", f"must be a whole number >= 2 and <= {MOST_BINS}, got {shown(bins)}.")
        self.domain, self.missing = checked_domain(domain), missing
        self.edges = bin_edges(domain.cells, min(int(bins), domain.cells))
        self.counts: Integers = np.zeros(self.edges.size - 1, np.int64)
        self.dropped = 0

    def __repr__(self) -> str:
        return f"BinCounts(domain={self.domain!r}, bins={self.bins})"  # no counts: private

    @property
    def bins(self) -> int:
        """Return the number of bins; at most that of the grid's values."""
        return self.counts.size

    @property
    def options(self) -> dict[str, int]:
        """Return the options of a plan that these data have already decided; public."""
        return {"bins": self.bins}

    @property
    def n(self) -> int:
        """Return the number of records counted so far; private under ADD_REMOVE."""
        return int(self.counts.sum())

    def update(self, values: ColumnLike) -> None:
        """Count a batch: any one-dimensional column of numbers; values outside the bounds are clipped.

        O(n log n) time, in pieces of a million records. On an error nothing of the batch is counted. Raises
        DataError, ParameterError.
        """
        column = numeric_column(values)
        counts, dropped = np.zeros_like(self.counts), 0
        for start in range(0, max(column.size, 1), _CHUNK):
            part = Column.from_values(column[start : start + _CHUNK], self.domain, missing=self.missing, tie_bits=0)
            counts += np.diff(part.count_below(self.edges))
            dropped += part.dropped
        self.counts += counts
        self.dropped += dropped

    def merge(self, other: BinCounts) -> None:
        """Add the counts of another part. Raises ParameterError unless domain and bins are the same."""
        if not isinstance(other, BinCounts) or (other.domain, other.bins) != (self.domain, self.bins):
            raise ParameterError("bins", "must be the same, over the same domain, in counts that are merged.")
        self.counts += other.counts
        self.dropped += other.dropped

    def rank_bounds(self, cells: Integers) -> tuple[Integers, Integers]:
        """Return for grid indices i numbers <= #{x < i} and >= #{x <= i}; exact if every value has its bin."""
        before = np.concatenate([[0], np.cumsum(self.counts)])
        bins = np.searchsorted(self.edges, cells, side="right") - 1
        return before[bins], before[np.minimum(bins + 1, self.bins)]

    @property
    def rank_slack(self) -> int:
        """Return how much larger a rank error can be than the distance from the rank bounds."""
        return int(self.counts.max())


def bin_edges(cells: int, bins: int) -> Integers:
    """Return the first grid index of every bin, then `cells`: floor(i * cells / bins), exactly, up to 2^62."""
    width, rest = divmod(cells, bins)
    index = np.arange(bins + 1, dtype=np.int64)
    return index * width + index * rest // bins
