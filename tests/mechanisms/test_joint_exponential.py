"""JointExp: its sums against slow references, its windows, draws in both samplers, and traces."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import toeplitz
from scipy.signal import fftconvolve
from scipy.special import logsumexp

from dpq_core import Adjacency, Domain, Plan, PureDP
from dpq_core.arrays import Floats
from dpq_core.audit.losses import all_outputs
from dpq_core.mechanisms.joint import mechanism as joint_exponential
from dpq_core.mechanisms.joint import windows
from dpq_core.mechanisms.joint.distance import counts_of, distance, proportions_of
from dpq_core.mechanisms.joint.draws import JointDraws, draws_of, multisets
from dpq_core.mechanisms.joint.log_sums import log_sum, running_sums, sums_between
from dpq_core.mechanisms.joint.windows import Part, Windows
from tests.harness import SAMPLERS, ExactEntropy, SeededSampler, check_chances, even_levels, usual_column


def parameters_for(levels, privacy=None, adjacency=Adjacency.ADD_REMOVE, **options):
    plan = Plan(levels, "jointexp", privacy or PureDP(1.0), adjacency, options)
    return joint_exponential.calibrate(plan, None)


def rate_of(parameters):
    """In nats for each record."""
    return float(parameters.rate)


# ── sums ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

logs_of_any_size = st.lists(st.floats(-3000, 3000) | st.just(-np.inf), min_size=1, max_size=40)


@given(logs_of_any_size)
def test_running_sums_keep_their_digits_at_any_size(logs):
    found = running_sums(np.array([logs]))[0]
    assert found == pytest.approx([logsumexp(logs[: at + 1]) for at in range(len(logs))], abs=1e-7)


@pytest.mark.parametrize("size", [255, 256, 257, 70_000])
@pytest.mark.parametrize("spread", [1.0, 1e7])
def test_long_running_sums_are_not_less_than_exact_ones(size, spread):
    """More than a block, and more than a block of blocks: a sum that is too small would be a chance above 1."""
    logs = np.cumsum(np.random.default_rng(size).normal(0, spread / size, size)) + spread
    found, exact = running_sums(logs[None])[0], np.logaddexp.accumulate(logs.astype(np.longdouble))
    assert (found - exact > -1e-12 * spread).all()
    assert (found - exact < 2.0**-30 * spread).all()
    assert float(log_sum(logs)) == pytest.approx(float(exact[-1]), abs=1e-12 * spread)


@given(logs_of_any_size, st.data())
def test_sums_between_any_two_places(logs, data):
    """Several rows, each of sums of its own length; ends beyond the numbers, and sums of nothing."""
    starts = np.array([data.draw(st.lists(st.integers(-3, 44), min_size=3, max_size=3)) for _ in range(4)])
    lengths = np.array(data.draw(st.lists(st.integers(-2, 45), min_size=4, max_size=4)))
    last = np.sort(data.draw(st.lists(st.integers(-2, 44), min_size=3, max_size=3)))
    first = last - lengths[:, None] + 1
    found = sums_between(np.tile(logs, (4, 1)), first, np.broadcast_to(last, first.shape))
    for row, column in np.ndindex(starts.shape):
        terms = logs[max(first[row, column], 0) : max(last[column] + 1, 0)]
        assert found[row, column] == pytest.approx(logsumexp(terms) if terms else -np.inf, abs=1e-7)


# ── windows ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("width", [0.5, 5.0, None])
@pytest.mark.parametrize("reach", [2, 50])
@pytest.mark.parametrize("levels", [["1/2"], ["1/10", "1/9", "3/4"], [0, "1/9", 1], [f"{i}/9" for i in range(1, 7)]])
@pytest.mark.parametrize("records", [[], [3] * 7, [0, 1, 3, 4, 4, 4, 5, 5, 9, 9, 12, 30, 31, 31, 40, 41, 57]])
def test_no_stored_sum_is_less_than_the_options_it_stands_for(records, levels, reach, width, monkeypatch):
    """So that no chance of being accepted is above 1: in every state, for several totals, up to the last digits.

    Places of one rank, of several, and of one interval each.
    """
    monkeypatch.setattr(windows, "SLACK", width or windows.SLACK)
    monkeypatch.setattr(windows, "PAIRS", 20)
    records = np.array(records, np.int64)
    levels, count = tuple(map(Fraction, levels)), len(records)
    totals = (Fraction(count), Fraction(count) + Fraction(7, 3), Fraction(2 * count))
    part, sides = Part(records, 60, levels, Fraction(1, 3)), [Fraction(reach)] * len(levels)
    few = None if width else part.intervals(20)
    other = Part(records[::2] + 3, 70, tuple(1 - level for level in levels[::-1]), Fraction(2, 7))
    for found in (
        Windows([part], [sides], totals, intervals=few),
        *(() if few else (Windows([part, other, part], [sides, [2 * side for side in sides], sides]),)),
    ):
        check_sums(found)


def check_sums(found):
    """In all rows and places together, as in a draw."""
    loss, rows = 2.0**-21, np.arange(len(found.totals))
    part = found.part_of(rows)
    for column, places in enumerate(found.places):
        which, at = np.nonzero(found.lengths[column][part])
        if not which.size:
            continue
        stored, starts = found.ends[column][which, at], found.starts[column, which, at]
        assert (logsumexp(found.runs(column, at, which), axis=1) <= stored + loss).all()
        some = np.flatnonzero(starts > -np.inf)
        if column and some.size:
            options = found.options(column - 1, which[some], places[part[which[some]], at[some]])
            assert logsumexp(options, axis=1) == pytest.approx(starts[some], abs=loss)
    last = logsumexp(found.options(found.levels - 1, rows, None), axis=1)
    spread = found.rates[part, 0] * (found.widths[part, 0] - 1) * (found.levels + 1)
    assert last + spread == pytest.approx(found.total, abs=loss)


def log_sums(terms, axis):
    """As scipy's logsumexp, in place."""
    top = np.maximum(terms.max(axis=axis, keepdims=True), -1e300)
    terms -= top
    with np.errstate(divide="ignore"):
        return np.log(np.exp(terms, out=terms).sum(axis=axis)) + top.squeeze(axis)


def slow_messages(cells, grid, levels, rate):
    """log A_j(k) for all levels and gaps: dense kernels, logarithms, and the score as it is defined."""
    count, m = cells.size, len(levels)
    edges = np.concatenate([[-1], cells, [grid - 1]])
    gaps, lengths = np.arange(count + 1), np.diff(edges).astype(float)
    points = np.arange(1, m + 1)[:, None]
    with np.errstate(divide="ignore"):
        ways = np.cumsum(np.where(lengths > 0, np.log(lengths + points - 1), -np.inf) - np.log(points), axis=0)
    shares = [float((after - before) * count) for before, after in pairwise([Fraction(0), *levels, Fraction(1)])]
    steps = gaps[:, None] - gaps
    kernels = {share: np.where(steps > 0, -rate * np.abs(steps - share), -np.inf) for share in set(shares)}
    starts: list[Floats] = [-rate * np.abs(gaps - shares[0])]
    ends: list[Floats] = []
    for column in range(m):
        if column:
            starts.append(log_sums(kernels[shares[column]] + ends[-1], axis=1))
        stays = np.cumsum([0, *(-rate * share for share in shares[column:0:-1])])
        runs = [ways[c] + stays[c] + starts[column - c] for c in range(column + 1)]
        ends.append(log_sums(np.array(runs), axis=0))
    return np.array(ends), np.array(ends[-1] - rate * np.abs(count - gaps - shares[-1]))


@pytest.mark.slow
def test_120_levels_of_1000_records_agree_with_a_slow_reference_where_a_transform_does_not():
    count, levels = 1000, even_levels(120)
    sample = usual_column(np.random.default_rng(0).uniform(-5, 5, count), Domain(-100, 100), seed=0)
    parameters = parameters_for(levels)
    rate = rate_of(parameters)
    slow, last = slow_messages(sample.cells, sample.slots, levels, rate)
    found = windows_of(sample.cells, sample.slots, levels, parameters, count)
    assert found.whole.all()
    for column, (ends, (places,)) in enumerate(zip(found.ends, found.places, strict=True)):
        there = np.isfinite(ends[0])
        assert (slow[column, places[~there]] == -np.inf).all()
        over = (ends[0] - slow[column, places])[there]
        assert over.min() > -1e-8
        assert over.max() < 1e-3
    assert found.total[0] == pytest.approx(logsumexp(last), abs=0.01)
    assert transform_error(slow, rate, count, 120) > 0.01


def windows_of(cells, grid, levels, parameters, reach):
    return Windows([Part(cells, grid, levels, parameters.rate)], [[Fraction(reach)] * len(levels)])


def test_few_records_in_a_huge_domain_need_numbers_of_any_size():
    """All levels beyond the data weigh e^2000 times what they weigh among it; both keep their digits."""
    cells, grid = np.sort(np.random.default_rng(0).integers(10**6, 10**7, 150)), 2**61
    levels = even_levels(90)
    parameters = parameters_for(levels)
    slow, last = slow_messages(cells, grid, levels, rate_of(parameters))
    found = windows_of(cells, grid, levels, parameters, 150)
    assert found.total[0] == pytest.approx(logsumexp(last), abs=0.01)
    assert np.ptp(slow[-1]) > 2000
    assert np.ptp(found.ends[-1][np.isfinite(found.ends[-1])]) == pytest.approx(np.ptp(slow[-1]), abs=2)
    draws = JointDraws(found, [Fraction(150)])
    assert (np.diff(draws.draw(ExactEntropy(), 2)) >= 0).all()


def transform_error(logs, rate, count, m):
    """The largest relative error, over levels and gaps, of one step by FFT from the reference's own message.

    The tails of messages count: the later levels weigh them up again, and a pure claim is about every tuple.
    """
    kernel = np.exp(-rate * np.abs(np.arange(count + 1) - count / (m + 1)))
    kernel[0] = 0
    worst, steps = 0.0, toeplitz(kernel, np.zeros(count + 1))
    for message in logs[:-1]:
        message = np.exp(message - message.max())
        positive = steps @ message
        by_transform = fftconvolve(message, kernel)[: count + 1]
        worst = max(worst, float(np.abs(by_transform[1:] / positive[1:] - 1).max()))
    return worst


@pytest.mark.parametrize("count", [0, 1, 7, 30])
def test_a_window_holds_the_tuples_that_it_should(count):
    cells, levels = np.sort(np.random.default_rng(count).integers(0, 12, count)), even_levels(3)
    outputs = all_outputs(12, 3)
    ranks = np.searchsorted(cells, outputs)
    shares, whole = proportions_of(levels), Fraction(count)
    distances = np.array([float(distance(counts_of(row, count), shares, whole)) for row in ranks.tolist()])
    for reach in (1, 2, 5, 40):
        found = Windows([Part(cells, 12, levels, Fraction(1, 2))], [[Fraction(reach)] * 3])
        inside = found.hold(np.zeros(len(outputs), np.int64), outputs)
        assert (distances[~inside] > 2 * reach).all()
        assert found.whole == bool(reach >= count) or inside.all()
        assert found.total[0] == pytest.approx(logsumexp(-0.5 * distances[inside]), abs=1e-6)


def test_windows_grow_until_little_lies_outside():
    column = usual_column(np.random.default_rng(0).normal(0, 5, 100_000), Domain(-100, 100), seed=0)
    parameters = parameters_for(even_levels(20))
    found = draws_of([Part(column.cells, column.slots, parameters.levels, parameters.rate)])
    assert not found.windows.whole.any()
    assert (found.windows.highs[0] < 10_000).all()
    assert found.start[0, 1] < found.start[0, 0] - 4
    everything = windows_of(column.cells, column.slots, parameters.levels, parameters, 5000)
    assert everything.total[0] == pytest.approx(found.windows.total[0], abs=1e-6)


def test_records_close_together_in_a_huge_domain_need_wide_windows():
    """The tuples among them weigh little, the many outside weigh more: windows are wide."""
    levels, cells = even_levels(5), np.arange(2100)
    wide, narrow = (draws_of([Part(cells, grid, levels, Fraction(7, 100))]).windows for grid in (2**61, 2100))
    assert wide.highs[1] - wide.lows[1] > 1800
    assert narrow.highs[1] - narrow.lows[1] < 600


# ── draws ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_choices_of_several_cells_are_uniform(sampler):
    """35 non-decreasing choices of 3 among 5."""
    outputs = all_outputs(5, 3)
    law = SAMPLERS[sampler](lambda entropy: tuple(multisets(np.array([5]), 3, entropy)[0].tolist()))
    check_chances(law, outputs, np.full(len(outputs), 1 / len(outputs)))


def test_a_trace_shows_the_path_through_the_gaps():
    column = usual_column(range(100), Domain(0, 99, 1), seed=0)
    parameters = parameters_for(["1/4", "1/2", "3/4"], PureDP(20.0))
    steps = joint_exponential.trace(column, parameters, SeededSampler(1))
    assert [step.target for step in steps] == [25.0, 50.0, 75.0]
    for step in steps:
        values, probabilities = step.distribution
        assert len(values) == len(probabilities)
        assert sum(probabilities) == pytest.approx(1)
        assert abs(values[int(np.argmax(probabilities))] - step.value) < 3
        assert step.epsilon == pytest.approx(20.0)


# ── budgets ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_budget_too_large_to_be_used_is_not_claimed():
    parameters = parameters_for(["1/2"], PureDP(10**6))
    assert parameters.guarantee.epsilon < 100
