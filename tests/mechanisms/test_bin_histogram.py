"""The exact-bin histogram: bins, agreement of counts, counts made beforehand, the worst case, answers, and errors."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import MECHANISMS, Adjacency, DataError, Domain, ParameterError, PureDP, release, simulate
from dpq_core.mechanisms.counts import binhist
from dpq_core.mechanisms.counts.binhist import bins_for
from dpq_core.mechanisms.counts.noise import Noise
from dpq_core.mechanisms.counts.tree import nonnegative_leaves
from tests.harness import BinCounts, Plan, SeededSampler, Size, even_levels, usual_column

DOMAIN = Domain(-100, 100)
ADD, SUB = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE


def parameters_for(privacy=PureDP(1.0), adjacency=ADD, levels=("1/4", "1/2", "3/4"), n=None, **options):  # noqa: B008
    return binhist.calibrate(Plan(levels, "binhist", privacy, adjacency, options), n)


# ── noise and bins ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("epsilon", "bins"), [(1e-6, 256), (0.1, 256), (1.0, 1024), (2.0, 2048), (50.0, 4096)])
def test_more_noise_deserves_fewer_bins(epsilon, bins):
    assert bins_for(Noise("laplace", Size(Fraction(1 / epsilon)))) == bins
    assert parameters_for(PureDP(epsilon)).shape.leaves == bins


def test_bins_never_split_a_cell():
    column = usual_column(range(11), Domain(0, 10, 1), seed=0)
    step = binhist.trace(column, parameters_for(), SeededSampler(0))[0]
    (bins,) = step.families
    assert [(*each.bounds, each.count) for each in bins] == [(value, value, 1) for value in range(11)]


# ── counts that agree ────────────────────────────────────────────────────────────────────────────────────────────────


@given(st.lists(st.integers(-50, 1000), min_size=1, max_size=300), st.sampled_from([None, 0, 5000]))
def test_counts_become_nonnegative_and_add_up(noisy, total):
    fitted = nonnegative_leaves(np.array([noisy], np.float64), total)[0]
    assert (fitted >= 0).all()
    assert fitted.sum() == pytest.approx(max(sum(noisy), 0) if total is None else total, abs=1e-6)


@pytest.mark.parametrize("bins", [2, 15, 16, 17, 256, 257, 1000, 4097, 20000])
def test_counts_without_noise_stay(bins):
    counts = np.random.default_rng(0).integers(0, 9, (2, bins))
    assert nonnegative_leaves(counts.astype(np.float64), None) == pytest.approx(counts, abs=1e-6)


def test_noise_over_empty_ranges_is_lost():
    """Where nine tenths of 1024 bins are empty, shares of the total stray less in the others; n = 5000."""
    exact = np.zeros(1024, np.int64)
    exact[500:600] = 50
    noisy = exact + SeededSampler(0, 200).discrete_laplace(Size(Fraction(1)), (200, 1024))
    sums = [np.cumsum(each, axis=1) for each in (noisy, nonnegative_leaves(noisy.astype(np.float64), None))]
    plain, fitted = (np.abs(each / each[:, -1:] * 5000 - np.cumsum(exact))[:, 500:600].mean() for each in sums)
    assert fitted < 0.7 * plain


# ── counts made beforehand ───────────────────────────────────────────────────────────────────────────────────────────


def counts_of(values, domain, bins):
    counts = BinCounts(domain, bins)
    for part in np.array_split(values, 3):
        counts.update(part)
    return counts


@pytest.mark.parametrize("adjacency", Adjacency)
def test_counts_answer_as_a_sample_does(adjacency):
    values = np.random.default_rng(0).normal(3, 20, 5000)
    column, counts = usual_column(values, DOMAIN, seed=0), counts_of(values, DOMAIN, 1024)
    parameters = parameters_for(adjacency=adjacency, bins=1024)
    answers = [data.values_of(binhist.run(data, parameters, SeededSampler(1, 9))) for data in (column, counts)]
    assert answers[0] == pytest.approx(answers[1], abs=0)
    first, again = (binhist.run(counts, parameters, SeededSampler(1)) for _ in range(2))
    assert np.array_equal(first, again)


def test_a_release_of_counts_states_their_bins(monkeypatch):
    monkeypatch.setitem(MECHANISMS, "binhist", binhist)
    counts = counts_of(np.linspace(0, 1, 100), Domain(0, 1), 40)
    answer = release(counts, Plan(["1/2"], "binhist", PureDP(50.0)))
    assert answer["column"].plan.options["bins"] == 40
    assert answer.values["column"][0] == pytest.approx(0.5, abs=0.03)
    with pytest.raises(ParameterError, match="`bins`"):
        release(counts, Plan(["1/2"], "binhist", options={"bins": 50}))
    with pytest.raises(ParameterError, match="`mechanism`"):
        release(counts, Plan(["1/2"], "aq"))
    counts.update([None])
    with pytest.raises(DataError):
        release(counts, Plan(["1/2"], "binhist", adjacency=SUB))


@pytest.mark.parametrize("options", [{}, {"bins": 50}])
def test_other_bins_than_the_counts_have_are_refused(options):
    counts = counts_of(np.linspace(0, 1, 100), Domain(0, 1), 40)
    with pytest.raises(ParameterError, match=r"`bins` must be 40"):
        binhist.run(counts, parameters_for(**options), SeededSampler(0))
    few = counts_of(np.linspace(0, 1, 100), Domain(0, 1, "0.1"), 40)
    assert binhist.run(few, parameters_for(**options), SeededSampler(0)).shape == (1, 3)  # a bin a cell, either way


# ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_trace_shows_the_bins_and_the_answers():
    column = usual_column(np.linspace(-50, 50, 501), DOMAIN, seed=0)
    parameters = parameters_for(bins=40)
    steps = binhist.trace(column, parameters, SeededSampler(4))
    assert [step.value for step in steps] == column.values_of(binhist.run(column, parameters, SeededSampler(4)))[
        0
    ].tolist()
    for step in steps:
        (bins,), (place,) = step.families, step.places
        sums = np.cumsum([each.consistent for each in bins])
        assert sum(each.count for each in bins) == 501
        assert step.target == pytest.approx(float(step.level) * step.total)
        assert sums[place] >= step.target - 1e-9
        assert place == 0 or sums[place - 1] <= step.target + 1e-9
        assert bins[place].bounds[0] <= step.value <= bins[place].bounds[1]


# ── error, beside the other mechanisms ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow(keep="1000000-20-2.5-6.0")
@pytest.mark.statistical
@pytest.mark.parametrize(("n", "m", "share_of_tree", "share_of_aq"), [(1000, 60, 1.2, 1.0), (10**6, 20, 2.5, 6.0)])
def test_errors_beside_the_tree_and_splitting(n, m, share_of_tree, share_of_aq):
    """U(-5, 5) in bounds +-100, epsilon 1, fixed seeds: near the tree at n = 1000; its bins are few at n = 10^6."""
    errors: dict[str, list[float]] = {"binhist": [], "aggtree": [], "aq": []}
    for seed in range(10 if n == 1000 else 1):
        column = usual_column(np.random.default_rng(seed).uniform(-5, 5, n), DOMAIN, seed=seed)
        for key, found in errors.items():
            one = {"draws": "one"} if key == "aq" else {}
            plan = Plan(even_levels(m), key, PureDP(1.0), options=one)
            found.append(simulate(column, plan, trials=20, seed=seed).rank_errors["column"].mean())
    own, tree, splitting = (np.mean(found) for found in errors.values())
    assert own <= share_of_tree * tree
    assert own <= share_of_aq * splitting
