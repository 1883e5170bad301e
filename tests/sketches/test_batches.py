"""A batch comes out as one sort and one count of it would have it, whichever way it is sorted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core.arrays import Integers
from dpq_core.sketches.greenwald_khanna import exact_bounds
from dpq_core.sketches.rank_bounds import RankBounds

LAST = 2**62 - 1
"""The highest index of the largest grid."""
N = 20_000
rng = np.random.default_rng(0)
normal = rng.normal(2**39, 2**34, N).astype(np.int64)

BATCHES: dict[str, Integers] = {
    "spread": normal, "falling": np.sort(normal)[::-1], "skewed": (2.0 ** rng.uniform(0, 61.9, N)).astype(np.int64),
    "skewed the other way": LAST - (2.0 ** rng.uniform(0, 61.9, N)).astype(np.int64),
    "half tied": np.where(rng.random(N) < 0.5, 2**39, normal), "few values": rng.choice([0, 1, 5, LAST], N),
    "close together": rng.integers(10**12, 10**12 + 90, N), "both ends": np.append(normal, [0, LAST]),
    "one": np.array([LAST]), "none": np.empty(0, np.int64),
}  # fmt: skip


def same(found: RankBounds, wanted: RankBounds) -> bool:
    pairs = zip(vars(found).values(), vars(wanted).values(), strict=True)
    return all(np.array_equal(one, other) for one, other in pairs)


@pytest.mark.parametrize("name", BATCHES)
def test_a_batch_is_counted_as_if_it_were_sorted(name: str) -> None:
    cells = BATCHES[name].copy()
    assert same(exact_bounds(cells), RankBounds.exact(np.sort(cells)))
    assert np.array_equal(cells, BATCHES[name])


@given(st.lists(st.integers(0, LAST) | st.integers(0, 3), max_size=40))
def test_any_indices_of_any_grid(indices: list[int]) -> None:
    cells = np.array(indices, dtype=np.int64)
    assert same(exact_bounds(cells), RankBounds.exact(np.sort(cells)))


@pytest.mark.parametrize("step", [1, 2, 7, 500, 10**6])
@pytest.mark.parametrize("name", ["spread", "half tied", "few values", "one", "none"])
def test_every_so_manieth_record_has_its_point(name: str, step: int) -> None:
    exact = exact_bounds(BATCHES[name])
    found = exact.every(step)
    assert found.width <= step
    assert found.is_consistent(2**62, step)
    assert found.cells.size <= exact.n // step + 2
    at = np.searchsorted(exact.cells, found.cells)
    assert np.array_equal(exact.most_below[at], found.most_below)
    assert np.array_equal(exact.least_through[at], found.least_through)
