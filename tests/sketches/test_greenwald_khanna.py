"""The sketch: its bounds hold on every stream, after every merge, and it says no where a promise would be broken."""

import json
import pickle
from hashlib import sha256
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import Column, DataError, Domain, GKSketch, ParameterError
from dpq_core.accuracy import rank_errors, sketch_quantiles
from dpq_core.arrays import Integers
from dpq_core.plan import Level
from dpq_core.sketches.greenwald_khanna import merge_threshold
from dpq_core.sketches.rank_bounds import MARK, RankBounds

GRID = Domain(0, 1999, 1)


def zigzag(n):
    """Values that come from both ends in turn: every batch falls between two points."""
    order = np.arange(n)
    return np.where(order % 2, 1999 - order // 2 * 1000 // n, order // 2 * 1000 // n)


def towards_the_coarsest(n, alpha):
    """Each batch falls into the gap where the sketch knows least, as an adversary would choose it."""
    sketch, values = GKSketch(alpha, GRID, n), [np.array([0, 1999])]
    sketch.update(values[0])
    while sum(map(len, values)) < n:
        bounds = sketch.bounds
        widths = (bounds.most_below[1:] - bounds.least_through[:-1]) * (np.diff(bounds.cells) > 2)
        at = int(np.argmax(widths))
        values.append(np.linspace(bounds.cells[at] + 1, bounds.cells[at + 1] - 1, 40).astype(np.int64))
        sketch.update(values[-1])
        len(sketch)  # merges what waits
    return np.concatenate(values)[:n]


STREAMS = {
    "sorted": lambda n: np.sort(np.random.default_rng(0).integers(0, 2000, n)),
    "reversed": lambda n: np.sort(np.random.default_rng(1).integers(0, 2000, n))[::-1],
    "constant": lambda n: np.full(n, 7), "shuffled": lambda n: np.random.default_rng(2).integers(0, 2000, n),
    "few values": lambda n: np.random.default_rng(3).choice([3, 4, 1000, 1001], n), "zigzag": zigzag,
    "adversarial": lambda n: towards_the_coarsest(n, 0.01),
}  # fmt: skip


def sketch_of(values, alpha, n_max, batch):
    sketch = GKSketch(alpha, GRID, n_max)
    for start in range(0, len(values), batch):
        sketch.update(values[start : start + batch])
        len(sketch)
    return sketch


def check_bounds(sketch, values, width):
    """The lemma of `rank_bounds`, on every cell of the grid, with E = width."""
    cells, ordered = np.arange(sketch.domain.cells), np.sort(values)
    below, through = np.searchsorted(ordered, cells), np.searchsorted(ordered, cells, side="right")
    lo, hi = sketch.rank_bounds(cells)
    assert sketch.bounds.width <= width
    assert (below - (width - 1) <= lo).all()
    assert (lo <= below).all()
    assert (through <= hi).all()
    assert (hi <= through + width - 1).all()
    assert sketch.n == len(values)
    assert sketch.bounds.is_consistent(sketch.domain.cells, width)


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("batch", [1, 50, 10**6])
@pytest.mark.parametrize("alpha", [0, 0.01, 0.2])
@pytest.mark.parametrize("name", list(STREAMS))
def test_the_bound_is_never_broken(name, alpha, batch):
    values = STREAMS[name](150 if batch == 1 else 2000)
    sketch = sketch_of(values, alpha, 10_000, batch)
    check_bounds(sketch, values, merge_threshold(alpha, len(values)))
    longer = sketch_of(values, alpha, 100, batch)  # more than was promised: still correct
    check_bounds(longer, values, longer.threshold)


@pytest.mark.parametrize("seed", range(40))
def test_merges_of_unequal_sketches_keep_the_bound(seed):
    """Parts that keep their promises or break them, in trees of any form, with a stream of the whole's own between."""
    random, rng = Random(seed), np.random.default_rng(seed)
    alpha = random.choice([0.004, 0.01, 0.05, 0.2])
    parts: list[GKSketch] = []
    everything: list[Integers] = []
    for _ in range(random.randint(2, 6)):
        promised = random.randint(1, 800)
        low, high = np.sort(rng.choice(2000, 2, replace=False))
        values = rng.integers(low, high, promised * random.choice([1, 1, 4]) // 2)
        parts.append(sketch_of(values, alpha, promised, random.choice([30, 10**6])))
        everything.append(values)
    while len(parts) > 1:
        few = [parts.pop(random.randrange(len(parts))) for _ in range(min(random.randint(2, 3), len(parts)))]
        own = random.choice([0, 50])
        whole = GKSketch(alpha, GRID, sum(part.n_max for part in few) + own, own_max=own or None)
        for part in few:
            whole.merge(part)
            if own:
                everything.append(rng.integers(0, 2000, 40))
                whole.update(everything[-1])
        parts.append(whole)
    check_bounds(parts[0], np.concatenate(everything), parts[0].threshold)


def test_a_merge_is_refused_on_promises_alone():
    whole, part = GKSketch(0.01, GRID, 1000), GKSketch(0.01, GRID, 600)
    whole.merge(part)
    assert whole.room == 400
    with pytest.raises(ParameterError, match="at most the 400 records") as caught:
        whole.merge(GKSketch(0.01, GRID, 401))
    assert caught.value.name == "n_max"
    own = GKSketch(0.01, GRID, 1000)
    own.update([])
    with pytest.raises(ParameterError, match="`own_max`"):
        own.merge(GKSketch(0.01, GRID, 1))
    full = GKSketch(0.01, GRID, 600)
    full.merge(part)
    with pytest.raises(ParameterError, match="no room for a stream"):
        full.update([1])
    for other, name in ((GKSketch(0.02, GRID, 1), "alpha"), (GKSketch(0.01, Domain(0, 1), 1), "domain"), (1, "other")):
        with pytest.raises(ParameterError) as caught:
            GKSketch(0.01, GRID, 9).merge(other)  # type: ignore[arg-type]
        assert caught.value.name == name


def test_a_merge_adds_what_was_dropped():
    """A number of records that is public only where none was dropped must know of all of them."""
    whole, part = GKSketch(0.01, GRID, 1000, own_max=400), GKSketch(0.01, GRID, 600)
    for sketch in (whole, part):
        sketch.update([1.0, None, float("nan")])
    whole.merge(part)
    assert (whole.n, whole.dropped) == (2, 4)


def test_ties_and_small_alpha_are_exact():
    ages = np.random.default_rng(0).integers(0, 74, 5000)
    sketch = GKSketch(0.5, GRID, 5000)
    sketch.update(np.repeat([3, 9], 2000))
    assert sketch.bounds.width == 1
    exact = GKSketch(0, GRID, 5000)
    exact.update(ages)
    assert (len(exact), exact.bounds.width, exact.nbytes) == (74, 1, 74 * 24)
    lo, hi = exact.rank_bounds(np.array([30]))
    assert (lo[0], hi[0]) == (np.count_nonzero(ages < 30), np.count_nonzero(ages <= 30))


@pytest.mark.parametrize("threshold", [1, 2, 5, 40, 1000])
def test_a_sample_becomes_a_sketch_with_the_same_bound(threshold):
    for values in (np.random.default_rng(0).integers(0, 2000, 500), np.full(60, 5), np.empty(0)):
        column = Column.from_values(values, GRID, seed=0)
        sketch = GKSketch.from_column(column, 0.5, max(threshold, 1))
        check_bounds(sketch, values, threshold)
    bounds = RankBounds.of_column(Column.from_values(range(1000), GRID), 10)
    assert bounds.cells.size == 101


def test_values_are_read_as_a_sample_reads_them():
    sketch = GKSketch(0.01, Domain(0, 10, "0.5"), 100)
    sketch.update([1.0, float("nan"), None, 99.0, -5.0])
    assert (sketch.n, sketch.dropped, sketch.bounds.cells.tolist()) == (3, 2, [0, 2, 20])
    kept = GKSketch(0.01, Domain(0, 10, "0.5"), 100, missing=4)
    kept.update(np.array([1.0, np.nan]))
    assert (kept.n, kept.dropped, kept.bounds.cells.tolist()) == (2, 0, [2, 8])
    for bad in (["a"], [[1.0]], 3.0):
        with pytest.raises(DataError):
            sketch.update(bad)
    assert sketch.n == 3
    assert "3" not in repr(sketch).replace("'", "")


@pytest.mark.parametrize(("name", "value"), [
    *(("alpha", value) for value in (-0.1, 0.6, float("nan"), "x")), *(("n_max", value) for value in (0, 1.5, True)),
    *(("own_max", 11), ("domain", (0, 1)), ("missing", "x")),
])  # fmt: skip
def test_settings_are_checked_by_name(name, value):
    with pytest.raises(ParameterError) as caught:
        GKSketch(**{"alpha": 0.1, "domain": GRID, "n_max": 10, name: value})
    assert caught.value.name == name
    assert f"`{name}`" in str(caught.value)


@given(values=st.lists(st.integers(0, 1999), max_size=60), alpha=st.sampled_from([0.0, 0.01, 0.1, 0.3]))
def test_bytes_bring_back_the_same_sketch(values, alpha):
    sketch = GKSketch(alpha, GRID, 100, own_max=60, missing="1/3")
    sketch.update(values)
    for again in (GKSketch.from_bytes(sketch.to_bytes()), pickle.loads(pickle.dumps(sketch))):
        assert again.to_bytes() == sketch.to_bytes()
        assert (again.n, again.room, repr(again)) == (len(values), 40, repr(sketch))
        again.merge(GKSketch(alpha, GRID, 40))


def test_foreign_cut_off_and_altered_bytes_are_refused():
    sketch = GKSketch(0.01, GRID, 1000)
    sketch.update(np.random.default_rng(0).integers(0, 2000, 1000))
    good = sketch.to_bytes()
    altered = [good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :] for at in range(0, len(good), 37)]
    for bad in (b"", b"PK\x03\x04", MARK, good[:-1], good + b"\0", good[: len(good) // 2], *altered, None, 5):
        with pytest.raises(DataError):
            GKSketch.from_bytes(bad)  # type: ignore[arg-type]


@pytest.mark.parametrize(("field", "value"), [
    *(("n", 999), ("n_max", 5), ("promised", 10), ("points", 3), ("alpha", 0.001), ("alpha", "x"), ("domain", {})),
    *(("own_max", 2000), ("own_max", -1), ("dropped", -1), ("dropped", 1.5), ("missing", [])),
])  # fmt: skip
def test_headers_that_contradict_the_arrays_are_refused(field, value):
    """With a checksum that fits: somebody wrote them on purpose."""
    sketch = GKSketch(0.01, GRID, 1000)
    sketch.update(np.random.default_rng(0).integers(0, 2000, 1000))
    good = sketch.to_bytes()
    start = len(MARK) + 4
    end = start + int.from_bytes(good[len(MARK) : start], "little")
    header = json.dumps(json.loads(good[start:end]) | {field: value}).encode()
    body = MARK + len(header).to_bytes(4, "little") + header + good[end:-32]
    with pytest.raises(DataError, match="sketch"):
        GKSketch.from_bytes(body + sha256(body).digest())


@pytest.mark.parametrize("alpha", [0.001, 0.01, 0.1])
def test_quantiles_without_privacy_are_within_alpha(alpha):
    values = np.random.default_rng(0).integers(0, 2000, 20_000)
    column = Column.from_values(values, GRID, seed=0)
    levels: list[Level] = [0, "1/100", "1/4", "1/2", "9/10", 1]
    sketch = sketch_of(values, alpha, 20_000, 3000)
    assert rank_errors(column, levels, sketch_quantiles(sketch, levels)).max() <= alpha * 20_000
    assert np.isnan(sketch_quantiles(GKSketch(alpha, GRID, 9), levels)).all()


def test_few_points_are_enough():
    """At most 1.5 times the points of a GKArray, a buffered sketch in pure Python, that read as many records."""
    values = np.random.default_rng(0).normal(0, 5, 10**6)
    for alpha, most in ((0.01, 69), (0.001, 733), (0.0001, 9435)):
        sketch = GKSketch(alpha, Domain(-100, 100), 10**6)
        sketch.update(values)
        assert len(sketch) <= 1.5 * most
