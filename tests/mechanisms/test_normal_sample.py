"""Quantiles of a normal sample: the range, its interval, which bins get noise, refusals, answers, and errors."""

from fractions import Fraction
from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, Infeasible, ParameterError, Plan, PureDP
from dpq_core.mechanisms.counts import binhist as bin_histogram
from dpq_core.mechanisms.counts.noise import Noise
from dpq_core.mechanisms.normal import mechanism as normal
from dpq_core.mechanisms.normal.range import MOST_NOISED, NONE, fullest_bins, occupied_bins
from tests.harness import SeededSampler, Size, rank_errors, usual_column

DOMAIN = Domain(-10_000, 10_000)
ADD, SUB = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
LEVELS = tuple(Fraction(j, 10) for j in range(1, 10))
FEW, MANY = {"sigma": 2, "mean_bound": 1000}, {"sigma": 0.01, "mean_bound": 9000}
"""1001 bins, which all get noise; and 1,800,001, of which only those that hold a record do."""


def parameters_for(privacy=PureDP(1.0), adjacency=SUB, levels=LEVELS, n=None, **options):  # noqa: B008
    return normal.calibrate(Plan(levels, "normal", privacy, adjacency, {**FEW, **options}), n)


def column(n=1000, mean=123.4, sigma=2.0, seed=0):
    return usual_column(np.random.default_rng(seed).normal(mean, sigma, n), DOMAIN, seed=seed)


# ── the range ────────────────────────────────────────────────────────────────────────────────────────────────────────


@given(
    st.lists(st.floats(-60, 60), max_size=40),
    st.sampled_from([0.1, 0.75, 3.0, 7.0, 400.0]),
    st.sampled_from([1.0, 20.0, 55.5]),
    st.sampled_from([Domain(-50, 50), Domain(-50, 50, "0.3"), Domain(7, 8, 1)]),
    st.sampled_from([0, None]),
)
def test_bins_hold_the_records_of_their_width(values, sigma, bound, domain, bits):
    """Against a loop in exact fractions over the grid values of the records; the outer bins hold what lies beyond."""
    sample = usual_column(values, domain, seed=1, tie_bits=bits)
    rule = parameters_for(ApproxDP(1.0, 1e-6), sigma=sigma, mean_bound=bound).range_rule
    expected: dict[int, int] = {}
    for cell in sample.coarse_cells.tolist():
        value = domain.lower + cell * domain.step
        held = min(max(int((value + rule.bound) // rule.sigma), 0), rule.bins - 1)
        expected[held] = expected.get(held, 0) + 1
    which, counts = occupied_bins(sample, rule)
    assert dict(zip(which.tolist(), counts.tolist(), strict=True)) == expected
    assert which.tolist() == sorted(expected)


@pytest.mark.parametrize("mean", [-1000, -999.5, 0, 321.9, 1000])
@pytest.mark.parametrize(("options", "privacy"), [(FEW, PureDP(1.0)), ({"sigma": 0.01}, ApproxDP(1.0, 1e-6))])
def test_the_interval_holds_all_records_wherever_the_mean_is(mean, options, privacy):
    """beta = 1e-6 a run, and the fullest bin of 1000 records is never missed."""
    parameters = parameters_for(privacy, **options, beta=1e-6)
    rule = parameters.range_rule
    sample = column(mean=mean, sigma=float(rule.sigma))
    for held in np.unique(fullest_bins(sample, rule, SeededSampler(0, 64))).tolist():
        low, high = rule.interval(held, sample.n, DOMAIN)
        cells = sample.coarse_cells
        assert low <= cells[0]
        assert cells[-1] <= high
        width = float(2 * rule.half_width(sample.n) / DOMAIN.step)
        assert high - low <= width + 1
    assert float(rule.half_width(1000)) == pytest.approx(float(rule.sigma) * (0.5 + 2 * sqrt(2 * log(2000 / 1e-6))))


def test_without_a_bin_the_whole_range_is_counted():
    parameters = parameters_for(ApproxDP(1.0, 1e-6), **MANY)
    sample = column(20, sigma=0.01)  # too few for the threshold of 53
    assert (fullest_bins(sample, parameters.range_rule, SeededSampler(0, 64)) == NONE).all()
    low, high = parameters.range_rule.interval(NONE, 20, Domain(-100_000, 100_000, 1))
    assert (low, high) == (91_000, 109_001)
    step = normal.trace(sample, parameters, SeededSampler(0))[0]
    assert step.range_bin is None
    assert step.interval == pytest.approx((-9000, 9000), abs=0.2)


def test_too_few_people_are_told_so_from_public_facts():
    """The number in the note is the quadratic's root; with it the range is found, as the note says."""
    parameters = parameters_for(n=100)
    enough = parameters.range_rule.enough_records()
    assert f"{enough:,}" in parameters.notes[0]
    assert parameters_for(n=enough).notes == ()
    many = parameters_for(ApproxDP(1.0, 1e-6), n=100, **MANY).range_rule
    for rule in (parameters.range_rule, many):
        sample = column(rule.enough_records(), sigma=float(rule.sigma))
        found = fullest_bins(sample, rule, SeededSampler(0, 64))
        assert np.isin(found, occupied_bins(sample, rule)[0]).mean() > 0.9
        tenth = column(rule.enough_records() // 10, sigma=float(rule.sigma))
        found = fullest_bins(tenth, rule, SeededSampler(0, 64))
        assert np.isin(found, occupied_bins(tenth, rule)[0]).mean() < 0.6


# ── which bins get noise, and refusals ───────────────────────────────────────────────────────────────────────────────


def test_the_branch_follows_from_public_facts():
    sigma, edge = 2, MOST_NOISED - 1
    most = parameters_for(ApproxDP(1.0, 1e-6), sigma=sigma, mean_bound=edge)
    assert most.range_rule.bins == MOST_NOISED
    assert most.range_rule.threshold is None
    assert (most.guarantee.delta, most.guarantee.rho) == (0, pytest.approx(4 * 0.25 * np.tanh(0.125)))
    more = parameters_for(ApproxDP(1.0, 1e-6), sigma=sigma, mean_bound=edge + 2)
    assert more.range_rule.threshold == 53
    assert 0.7e-6 < more.guarantee.delta <= 1e-6
    assert more.guarantee.rho is None
    assert more.noise == more.range_rule.noise == Noise("laplace", Size(Fraction(4)))


@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-12, 1e-200, 5e-324])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 20.0, 1e5])
def test_the_threshold_is_the_smallest(epsilon, delta):
    """tau = ceil(s ln(1 / (delta (1 + a)))), by the formula in floats."""
    parameters = parameters_for(ApproxDP(epsilon, delta), **MANY)
    scale = 4 / epsilon
    exact = -scale * (log(delta) + np.log1p(exp(-1 / scale)))
    assert parameters.range_rule.threshold in {max(round(exact + side), 1) for side in (0, 0.5, 1)}
    assert parameters.range_rule.threshold >= exact - 1e-6
    assert parameters.range_rule.threshold < max(exact, 0) + 1 + 1e-6
    assert parameters.guarantee.delta <= delta


def test_a_pure_budget_needs_a_nearer_mean():
    with pytest.raises(Infeasible, match=r"`mean_bound` .* at most 327\.675 would do, or a delta") as caught:
        parameters_for(PureDP(1.0), **MANY)
    assert caught.value.name == "mean_bound"
    parameters_for(PureDP(1.0), sigma=0.01, mean_bound=327.675)


def test_a_large_delta_beside_a_small_epsilon_is_refused():
    """1 / (1 - delta) <= e^(epsilon / 4): for epsilon = 0.04 up to delta = 0.00995."""
    parameters_for(ApproxDP(0.04, 0.0099), **MANY)
    with pytest.raises(Infeasible, match="`privacy`"):
        parameters_for(ApproxDP(0.04, 0.01), **MANY)
    parameters_for(ApproxDP(0.04, 0.01))  # where all bins get noise no delta is spent


@pytest.mark.parametrize(("name", "options", "privacy", "adjacency"), [
    ("sigma", {"sigma": None}, PureDP(1.0), SUB), ("sigma", {"sigma": 0}, PureDP(1.0), SUB),
    ("sigma", {"sigma": -1}, PureDP(1.0), SUB), ("sigma", {"sigma": 1e-300}, ApproxDP(1.0, 1e-6), SUB),
    ("mean_bound", {"mean_bound": None}, PureDP(1.0), SUB),
    ("mean_bound", {"mean_bound": float("inf")}, PureDP(1.0), SUB), ("beta", {"beta": 0.0}, PureDP(1.0), SUB),
    ("bins", {"bins": 3}, PureDP(1.0), SUB), ("adjacency", {}, PureDP(1.0), ADD), ("privacy", {}, ZCDP(0.1), SUB),
])  # fmt: skip
def test_what_does_not_fit_is_refused_by_name(name, options, privacy, adjacency):
    with pytest.raises(ParameterError, match=f"`{name}`") as caught:
        parameters_for(privacy, adjacency, **options)
    assert caught.value.name == name


# ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_trace_shows_both_steps():
    sample, parameters = column(), parameters_for()
    steps = normal.trace(sample, parameters, SeededSampler(4))
    assert [step.value for step in steps] == sample.values_of(normal.run(sample, parameters, SeededSampler(4)))[
        0
    ].tolist()
    first = steps[0]
    assert first.range_bin in {(120.0, 122.0), (122.0, 124.0), (124.0, 126.0)}
    assert first.interval[0] < 116 < 131 < first.interval[1]
    assert sum(each.count for each in first.families[0]) == 1000
    assert first.total == pytest.approx(1000)


@pytest.mark.statistical
@pytest.mark.parametrize(("n", "most"), [(1000, 16), (10**5, 45)])
def test_error_does_not_depend_on_the_bounds(n, most):
    """Bounds 10,000 sigma wide, epsilon 1: 11 and 34 records were measured; bins over the bounds miss by far more."""
    sample, parameters = column(n), parameters_for()
    wide = bin_histogram.calibrate(Plan(LEVELS, "binhist", PureDP(1.0), SUB), n)
    own, other = (
        rank_errors(sample, LEVELS, sample.values_of(module.run(sample, p, SeededSampler(0, 64)))).mean()
        for module, p in ((normal, parameters), (bin_histogram, wide))
    )
    assert own < most
    assert other > 5 * own


# ── inside ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seed", range(12))
def test_a_trace_is_the_first_run_also_where_runs_choose_different_bins(seed):
    """Two bins of nearly the same size: side by side some runs count around one, some around the other."""
    values = np.concatenate([np.full(100, -500.5), np.full(100, 500.5)])
    sample, parameters = usual_column(values, DOMAIN, seed=0), parameters_for(PureDP(0.5), n=200)
    answers = sample.values_of(normal.run(sample, parameters, SeededSampler(seed, 64)))
    assert np.ptp(np.sign(answers[:, 4])) == 2, "runs differ in the bin that they choose"
    steps = normal.trace(sample, parameters, SeededSampler(seed, 64))
    assert [step.value for step in steps] == answers[0].tolist()
