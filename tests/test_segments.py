"""A search within one of many columns that stand in one array."""

import numpy as np
import pytest

from dpq_core.arrays import SHORT, Segments


@pytest.mark.parametrize("largest", [3, 40, 3000])
def test_a_search_within_a_range_counts_its_lower_records(largest):
    """As numpy's in each range by itself: empty ones, ends of the array, values beyond the records of the range."""
    generator = np.random.default_rng(largest)
    sizes = np.append(generator.integers(0, largest, 200), [0, 1])
    starts = np.append(0, np.cumsum(sizes))
    cells = np.concatenate([np.sort(generator.integers(0, 50, size)) for size in sizes])
    which, wanted = generator.integers(0, sizes.size, 4 * SHORT * 10), generator.integers(-2, 53, 4 * SHORT * 10)
    found = Segments(cells).searchsorted_within(wanted, starts[which], starts[which + 1])
    alone = [np.searchsorted(cells[starts[w] : starts[w + 1]], x) for w, x in zip(which, wanted, strict=True)]
    assert np.array_equal(found - starts[which], alone)
    assert np.array_equal(Segments(cells[:0]).searchsorted_within(wanted, 0 * which, 0 * which), 0 * which)
