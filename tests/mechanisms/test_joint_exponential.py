"""JointExp: its numbers, its recursion against slow references, its draws in both samplers, and its error."""

from fractions import Fraction
from itertools import pairwise
from math import comb, log

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
from dpq_core.mechanisms.joint.numbers import NOTHING, RATE_BITS, Ramp, Wide, powers, running_sums
from dpq_core.mechanisms.joint.recursion import Recursion, distance_of, weigh
from dpq_core.mechanisms.joint.sampling import choose, multisets
from dpq_core.mechanisms.joint.steps import Steps
from tests.harness import SAMPLERS, ExactEntropy, FastEntropy, check_chances, even_levels, usual_column


def parameters_for(levels, privacy=None, adjacency=Adjacency.ADD_REMOVE, **options):
    plan = Plan(levels, "jointexp", privacy or PureDP(1.0), adjacency, options)
    return joint_exponential.calibrate(plan, None)


def rate_of(parameters):
    """In nats for each record."""
    return parameters.rate / 2**RATE_BITS * log(2)


# ── numbers ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def exact(numbers):
    return [
        Fraction(float(m)) * Fraction(2) ** int(e) if m else Fraction(0)
        for m, e in zip(numbers.mantissa, numbers.exponent, strict=True)
    ]


def off_by(found, wanted):
    return max((abs(a / b - 1) if b else a for a, b in zip(found, wanted, strict=True)), default=Fraction(0))


mantissas = st.floats(0.5, 0.999) | st.just(0.0)
wide_numbers = st.lists(st.tuples(mantissas, st.integers(-5000, 5000)), min_size=1, max_size=40)


@given(wide_numbers)
def test_running_sums_keep_their_digits_at_any_size(pairs):
    mantissa, exponent = np.array(pairs).T
    terms = Wide.of(mantissa, exponent.astype(np.int64))
    sums = [sum(exact(terms)[: i + 1]) for i in range(len(pairs))]
    found = running_sums(terms)
    assert off_by(exact(found), sums) < 2.0**-46
    assert (found.exponent[found.mantissa == 0] == NOTHING).all()


@pytest.mark.parametrize("rate", [1 << 10, 1234567, 3 << RATE_BITS, (32 << RATE_BITS) - 1])
def test_powers_are_those_of_the_exact_exponent(rate):
    counts = np.array([0, 1, -1, 17, 10**6, -(10**8)])
    found = powers(rate, counts)
    for mantissa, exponent, count in zip(found.mantissa, found.exponent, counts.tolist(), strict=True):
        rest = Fraction(rate * count, 2**RATE_BITS) - int(exponent)
        assert 0.5 <= mantissa < 1
        assert abs(mantissa / 2 ** float(rest) - 1) < 2.0**-50


# ── the recursion ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow(keep=("40-0-nearly0-wanted5", "3000-1-nearly1-wanted0"))
@pytest.mark.parametrize("wanted", [["0"], ["1/3"], ["1"], ["5/2"], ["7"], ["40"], ["0", "1", "3/2", "2", "7/3", "3"]])
@pytest.mark.parametrize("nearly", [[], ["4", "5", "6", "7", "8", "11", "13", "27/2", "15", "16", "22", "30", "100"]])
@pytest.mark.parametrize("shift", [0, 1, 3, 30])
@pytest.mark.parametrize("spread", [40, 3000])
def test_sums_over_predecessors_are_those_of_the_kernel(wanted, nearly, shift, spread):
    """Against a double loop in exact fractions, alone and side by side; blocks of every length; windows that meet."""
    rng, rate = np.random.default_rng(0), 3 << RATE_BITS >> 2
    wanted = sorted(map(Fraction, {*wanted, *nearly}))
    shape = len(wanted), 23
    before = Wide.of(rng.random(shape) * (rng.random(shape) < 0.8), rng.integers(-spread, spread, shape))
    gaps = np.arange(10 + shift, 38 + shift)
    found = Steps(Ramp(rate, 30), tuple(wanted)).sums(before, 10, gaps)
    for row, each in enumerate(wanted):
        weights = exact(before[row])
        for gap, one in zip(gaps.tolist(), exact(found[row]), strict=True):
            steps_to = [min(gap - k, 2 * each - gap + k) for k in range(10, min(gap, 33))]
            terms = [w * Fraction(2 ** float(0.75 * step)) for w, step in zip(weights, steps_to, strict=False)]
            assert off_by([one], [sum(terms)]) < 1e-14


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
    slow, last = slow_messages(sample.cells, sample.fine_cells, levels, rate)
    fast = weigh(sample.cells, sample.fine_cells, levels, parameters.rate)
    assert fast.whole
    for column, message in enumerate(fast.ends):
        logs = np.log(message.mantissa) + log(2) * message.exponent
        logs += fast.cell_bits * log(2) * (column + 1) - rate * float(levels[column] * count)
        assert np.abs(logs - slow[column]).max() < 1e-9
    total = log(fast.total[0]) + log(2) * (fast.total[1] + 120 * fast.cell_bits) - rate * count
    assert abs(total - logsumexp(last)) < 1e-9
    assert transform_error(slow, rate, count, 120) > 0.01


def test_few_records_in_a_huge_domain_need_numbers_of_any_size():
    """All levels beyond the data weigh 2^3000 times what they weigh among it; both keep their digits."""
    cells, grid = np.sort(np.random.default_rng(0).integers(10**6, 10**7, 150)), 2**61
    levels = even_levels(90)
    parameters = parameters_for(levels)
    slow, last = slow_messages(cells, grid, levels, rate_of(parameters))
    fast = weigh(cells, grid, levels, parameters.rate)
    total = log(2) * (fast.total[1] + fast.cell_bits * 90 - parameters.rate / 2**RATE_BITS * 150) + log(fast.total[0])
    assert abs(total - logsumexp(last)) < 1e-9
    assert np.ptp(slow[-1]) > 2000
    assert np.ptp(fast.ends[-1].exponent) * log(2) == pytest.approx(np.ptp(slow[-1]), abs=2)


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
    rate = 1 << RATE_BITS - 1
    outputs = all_outputs(12, 3)
    gaps = np.searchsorted(cells, outputs)
    distances = np.array([float(distance_of(row, levels, count)) for row in gaps.tolist()])
    for window in (1, 2, 5, 40):
        recursion = Recursion(cells, 12, levels, rate, window)
        inside = ((gaps >= recursion.lows) & (gaps <= recursion.highs)).all(axis=1)
        assert (distances[~inside] > 2 * window).all()
        assert recursion.whole == bool(window >= count) or inside.all()
        mass = (2.0 ** (0.5 * (count - distances[inside]))).sum() / 2.0 ** (3 * recursion.cell_bits)
        assert recursion.total[0] * 2.0 ** recursion.total[1] == pytest.approx(mass, rel=1e-13)


def test_the_window_grows_until_little_lies_outside():
    sample = usual_column(np.random.default_rng(0).normal(0, 5, 100_000), Domain(-100, 100), seed=0)
    parameters = parameters_for(even_levels(20))
    found = weigh(sample.cells, sample.fine_cells, parameters.levels, parameters.rate)
    assert not found.whole
    assert found.window < 1000
    outside = comb(found.grid + 19, 20).bit_length() + found.rate / 2**RATE_BITS * (found.count - 2 * found.window)
    assert outside - 20 * found.cell_bits <= found.total[1] - 19
    everything = Recursion(found.cells, found.grid, found.levels, found.rate, 4 * found.window)
    assert everything.total[1] == found.total[1]
    assert everything.total[0] == pytest.approx(found.total[0], rel=1e-8)


def test_records_close_together_in_a_huge_domain_need_all_gaps():
    """The tuples among them weigh little, the many outside weigh more: no window of less than half the data will do."""
    levels, cells = even_levels(5), np.arange(2100)
    rate = (1 << RATE_BITS) // 10
    found = weigh(cells, 2**61, levels, rate)
    assert found.whole
    assert not weigh(cells, 2100, levels, rate).whole


# ── draws ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_choices_of_several_cells_are_uniform(sampler):
    """35 non-decreasing choices of 3 among 5."""
    outputs = all_outputs(5, 3)
    law = SAMPLERS[sampler](lambda entropy: tuple(multisets(np.array([5]), 3, entropy)[0].tolist()))
    check_chances(law, outputs, np.full(len(outputs), 1 / len(outputs)))


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_an_option_is_chosen_by_its_weight_however_small_the_others(sampler):
    weights = Wide.of(np.array([0.5, 0.75, 0.0, 0.9, 0.6]), np.array([0, 1, 5, -3000, -2]))
    law = SAMPLERS[sampler](lambda entropy: (int(choose(weights[:, None], entropy)[0]),))
    check_chances(law, np.arange(5)[:, None], np.array([0.5, 1.5, 0, 0, 0.15]) / 2.15)


@pytest.mark.parametrize("order", [59, 70])
def test_the_tiniest_option_passes_with_its_exact_share(order):
    """Proposed with one integer out of the sum of all, it passes with what its weight is of that integer."""
    asked = []

    class Told(ExactEntropy):
        def integer_below(self, limit):
            asked.append(limit)
            if len(asked) % 2:
                return limit - 1  # the last option
            of_one = Fraction(5, 6) / 2**order * (asked[0] - 1) * limit
            assert of_one.denominator == 1
            return int(of_one) - (len(asked) == 4)  # as little too much as can be, and then not

    weights = Wide.of(np.array([0.75, 0.625]), np.array([0, -order]))
    assert choose(weights[:, None], Told()) == [1]
    assert len(asked) == 4


def test_a_recursion_too_large_is_not_kept(monkeypatch):
    monkeypatch.setattr(joint_exponential, "_KEPT_NUMBERS", 200)
    sample, parameters = usual_column(np.arange(100.0), Domain(0, 99, 1), seed=0), parameters_for(["1/4", "1/2"])
    first = joint_exponential.run(sample, parameters, FastEntropy(1, 64))
    assert np.array_equal(joint_exponential.run(sample, parameters, FastEntropy(1, 64)), first)
    monkeypatch.setattr(joint_exponential, "weigh", None)
    with pytest.raises(TypeError):
        joint_exponential.run(sample, parameters, FastEntropy(1, 64))


def test_a_trace_shows_the_path_through_the_gaps():
    sample = usual_column(range(100), Domain(0, 99, 1), seed=0)
    parameters = parameters_for(["1/4", "1/2", "3/4"], PureDP(20.0))
    steps = joint_exponential.trace(sample, parameters, FastEntropy(1))
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
