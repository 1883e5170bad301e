"""BinCounts: the counts of the whole from its parts, edges on whole cells, and what it refuses."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import Column, DataError, Domain, ParameterError, Plan, PureDP, rank_errors, simulate
from dpq_core.sketches import bin_counts
from dpq_core.sketches.bin_counts import BinCounts, bin_edges

DOMAIN = Domain(-10, 10, "0.25")


@pytest.mark.parametrize(("cells", "bins"), [(1, 1), (7, 3), (74, 74), (10**6 + 3, 999), (2**62, 2**16)])
def test_edges_are_exact_and_no_bin_is_empty(cells, bins):
    edges = bin_edges(cells, bins)
    assert [int(edges[i]) for i in {0, bins // 3, bins - 1, bins}] == [
        i * cells // bins for i in {0, bins // 3, bins - 1, bins}
    ]
    assert (np.diff(edges) >= 1).all()


@given(st.integers(1, 10**6), st.integers(1, 2000))
def test_every_edge_is_exact(cells, bins):
    assert bin_edges(cells, bins).tolist() == [i * cells // bins for i in range(bins + 1)]


@given(
    st.lists(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=9), max_size=5),
    st.sampled_from([2, 7, 81, 500]),
    st.integers(0, 4),
)
def test_parts_count_what_the_whole_does(parts, bins, split):
    """Against a loop over encoded records; batches and merged parts, missing values dropped."""
    one, two = BinCounts(DOMAIN, bins), BinCounts(DOMAIN, bins)
    for at, part in enumerate(parts):
        (one if at < split else two).update(part)
    one.merge(pickle.loads(pickle.dumps(two)))
    column = [value for part in parts for value in part]
    cells = DOMAIN.encode(np.array([value for value in column if np.isfinite(value)]))
    expected = [sum(low <= cell < high for cell in cells) for low, high in zip(one.edges, one.edges[1:], strict=False)]
    assert one.counts.tolist() == expected
    assert (one.n, one.dropped) == (len(cells), len(column) - len(cells))
    assert one.bins == min(bins, DOMAIN.cells)


def test_a_sample_has_the_same_counts(monkeypatch):
    monkeypatch.setattr(bin_counts, "_CHUNK", 1000)
    values = np.random.default_rng(0).normal(0, 6, 5500)
    counts, column = BinCounts(DOMAIN, 30), Column.from_values(values, DOMAIN)
    counts.update(values)
    assert np.array_equal(counts.counts, np.diff(column.count_below(counts.edges)))


def test_a_stand_in_keeps_every_record():
    counts = BinCounts(DOMAIN, 4, missing=9)
    counts.update([None, float("nan"), -10.0])
    assert counts.counts.tolist() == [1, 0, 0, 2]
    assert counts.dropped == 0


def test_nothing_of_a_bad_batch_is_counted(monkeypatch):
    monkeypatch.setattr(bin_counts, "_CHUNK", 2)
    counts = BinCounts(DOMAIN, 4)
    for bad in (np.array([1.0, 2.0, "x"], dtype=object), np.ones((3, 3)), 5.0, "text"):
        with pytest.raises(DataError):
            counts.update(bad)
    assert counts.n == 0


@pytest.mark.parametrize("bins", [1, 2**16 + 1, 2.5, True, None])
def test_bad_numbers_of_bins_are_refused(bins):
    with pytest.raises(ParameterError, match="`bins`"):
        BinCounts(DOMAIN, bins)


def test_other_bins_or_another_domain_cannot_be_merged():
    counts = BinCounts(DOMAIN, 4)
    for other in (BinCounts(DOMAIN, 5), BinCounts(Domain(0, 1), 4), None):
        with pytest.raises(ParameterError, match="`bins`"):
            counts.merge(other)  # type: ignore[arg-type]


def test_it_says_nothing_about_its_counts():
    counts = BinCounts(DOMAIN, 4)
    counts.update([1.0] * 777)
    assert "777" not in repr(counts)


def test_rank_errors_of_bins_are_bounds_of_the_true_ones() -> None:
    values = np.random.default_rng(3).gamma(2, 12, 5000)
    domain = Domain(0, 100, "0.5")
    counts = BinCounts(domain, 16)
    counts.update(values)
    plan = Plan(["1/4", "1/2"], "binhist", PureDP(1.0), options={"bins": 16})
    study = simulate(counts, plan, trials=20)["column"]
    true = rank_errors(Column.from_values(values, domain, seed=1), plan.quantiles, study.values)
    assert (study.rank_errors <= true).all()
    assert (true <= study.rank_errors + study.rank_error_slack).all()
    fine = BinCounts(domain, 201)
    fine.update(values)
    cells = np.arange(202)
    exact = Column.from_values(values, domain, seed=1)
    assert (fine.rank_bounds(cells)[0] == exact.count_below(cells)).all()
    assert (fine.rank_bounds(cells)[1] == exact.count_below(np.minimum(cells + 1, 201))).all()
