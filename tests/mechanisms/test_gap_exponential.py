"""The draw that everything rests on: both samplers have its law, in any window, and it is private in integers."""

from bisect import bisect_left
from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import Adjacency, ParameterError
from dpq_core.mechanisms.exponential.density import log_density
from dpq_core.mechanisms.exponential.distribution import Partitions, Rate, TargetLevel, guarded, sensitivity
from dpq_core.mechanisms.exponential.exact import Blocks
from dpq_core.mechanisms.exponential.sampling import draw
from tests.audit.extremes import pairs
from tests.harness import SAMPLERS, TOP_BITS, ExactEntropy, FastEntropy, check_chances

CELLS = 5
LEVELS = [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)]


@cache
def cell_weights(records, target_level):
    """The exact sampler's own integer weight of every cell: a block's envelope, accepted with weight / envelope."""
    return effective_weights(Blocks.of(np.array(records, np.int64), 0, CELLS - 1, target_level))


def gap_of(blocks, cell):
    """Return the number of records in lower cells."""
    return int(blocks.records.searchsorted(np.array(cell)))


def effective_weights(blocks):
    cells = range(blocks.low, blocks.high + 1)
    envelopes = [blocks.envelopes[bisect_left(blocks.edges, cell) - 1] for cell in cells]
    gaps = [gap_of(blocks, cell) for cell in cells]
    return [min(envelope, blocks.weight(gap)) for envelope, gap in zip(envelopes, gaps, strict=True)]


def lower_bound_of_exp(epsilon):
    """A rational below e^epsilon, closer than 2^-200 of it."""
    with localcontext(prec=400, rounding=ROUND_FLOOR):
        quotient = Decimal(epsilon.numerator) / Decimal(epsilon.denominator)
        return Fraction(quotient.exp()) * (1 - Fraction(1, 10**390))


def largest_ratio(own, theirs):
    """The largest ratio of a cell's probabilities, exactly; the law of either is weights over their sum."""
    a, b = own[0], theirs[0]
    for x, y in zip(own, theirs, strict=True):
        if x * b > a * y:
            a, b = x, y
    return Fraction(a * sum(theirs), b * sum(own))


@pytest.mark.slow(keep=("epsilon3-True-level3", "epsilon1-False-level0"))
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("floored", [False, True])
@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(0.1), Fraction(4), Fraction(300)])
def test_all_small_data_sets_are_private_in_integers_without_tolerance(level, floored, epsilon):
    """Every data set of at most 4 records on 5 cells, both adjacencies: p * Z' <= e^epsilon * p' * Z."""
    bound = lower_bound_of_exp(epsilon)
    for adjacency, moved in (
        (Adjacency.ADD_REMOVE, sensitivity(level, floored)),
        (Adjacency.SUBSTITUTE, Fraction(1)),
    ):
        target_level = TargetLevel(level, guarded(epsilon / (2 * moved)), floored)
        for pair in pairs(CELLS, range(5), adjacency):
            own, theirs = (cell_weights(records, target_level) for records in pair)
            assert largest_ratio(own, theirs) <= bound
            assert largest_ratio(theirs, own) <= bound


def test_half_the_noise_is_caught_by_the_same_inequality():
    bound = lower_bound_of_exp(Fraction(1))
    target_level = TargetLevel(Fraction(1, 2), Rate(Fraction(2)))  # sound would be 1
    assert largest_ratio(cell_weights((0, 0, 4), target_level), cell_weights((0, 0, 4, 4), target_level)) > bound


part_cases = st.tuples(
    st.lists(st.integers(0, 60), max_size=25),
    st.fractions(0, 1, max_denominator=12),
    st.sampled_from([Fraction(1, 2), Fraction(1, 20), Fraction(3), Fraction(1, 500)]),
    st.booleans(),
)


@pytest.mark.slow
@given(part_cases)
def test_the_samplers_weigh_every_cell_alike(case):
    records, level, rate, floored = case
    cells, target_level = np.sort(np.array(records, np.int64)), TargetLevel(level, rate, floored)
    exact = np.array([weight / (1 << TOP_BITS) for weight in effective_weights(Blocks.of(cells, 0, 60, target_level))])
    parts = Partitions.whole(cells.size, 61, (61, 1))
    fast = np.exp(log_density(cells, parts, (target_level,), np.arange(61)[:, None]))[:, 0]
    assert np.allclose(exact / exact.sum(), fast, rtol=1e-12, atol=0)


class Scripted(ExactEntropy):
    """Entropy that gives what the test says, and notes what it was asked."""

    def __init__(self, *answers: int) -> None:
        self.answers, self.limits = list(answers), list[int]()

    def integer_below(self, limit: int) -> int:
        self.limits.append(limit)
        return self.answers.pop(0)


def test_an_attempt_reads_its_draws_as_the_proof_says():
    blocks = Blocks.of(np.arange(10, 4000, 10), 0, 5000, TargetLevel(Fraction(1, 2), Rate(Fraction(1, 20))))
    assert blocks.aim.weights.width == 10
    for block, envelope in enumerate(blocks.envelopes):
        before, last = blocks.edges[block], blocks.edges[block + 1]
        if before == last:
            continue
        point = blocks.sums[block] - 1
        for step in (0, last - before - 1):
            weight = blocks.weight(gap_of(blocks, before + 1 + step))
            entropy = Scripted(point, step, min(weight, envelope) - 1)
            assert blocks.attempt(entropy) == before + 1 + step
            assert entropy.limits == [blocks.sums[-1], last - before, envelope]
            if weight < envelope:
                assert blocks.attempt(Scripted(point, step, weight)) is None


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize(
    ("records", "rate"),
    [
        ([3, 9, 9, 14, 20, 27, 35], Fraction(1, 4)),
        ([5] * 6 + [20, 30], Fraction(1)),
        ([], Fraction(1)),
        ([8, 29], Fraction(2)),
        ([1, *range(4, 36), *[37] * 12], Fraction(1, 9)),
        ([0] * 30 + [39] * 15, Fraction(1, 30)),
    ],
)
def test_both_samplers_have_the_stated_law(sampler, records, rate):
    """Outcome by outcome, with blocks of one gap and of many, inner ones and open ones."""
    cells, target_level = np.array(records, np.int64), TargetLevel(Fraction(1, 3), rate)

    def program(entropy):
        return tuple(draw(cells, Partitions.whole(cells.size, 40, (1, 1)), (target_level,), entropy)[0].tolist())

    outputs = np.arange(40)[:, None]
    stated = log_density(cells, Partitions.whole(cells.size, 40, outputs.shape), (target_level,), outputs)[:, 0]
    check_chances(SAMPLERS[sampler](program), outputs, np.exp(stated))


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("target", [-4, 0, 3, 7, 30])
def test_both_samplers_have_the_law_of_an_explicit_target(sampler, target):
    """Weights exp(-rate |k - t|) up to a factor, also for targets outside 0..count."""
    cells, target_level = (
        np.array([3, 5, 5, 8, 9, 13, 15]),
        TargetLevel(Fraction(1, 2), Rate(Fraction(1, 3)), floored=True),
    )
    outputs = np.arange(20)[:, None]

    def program(entropy):
        parts = Partitions.whole(cells.size, 20, (1, 1))
        return tuple(draw(cells, parts, (target_level,), entropy, np.array([[target]]))[0].tolist())

    weights = np.exp(-np.abs(np.searchsorted(cells, outputs[:, 0]) - target) / 3)
    check_chances(SAMPLERS[sampler](program), outputs, weights / weights.sum())
    parts = Partitions.whole(cells.size, 20, outputs.shape)
    stated = log_density(cells, parts, (target_level,), outputs, np.full(outputs.shape, target))[:, 0]
    assert np.allclose(np.exp(stated), weights / weights.sum())


@pytest.mark.parametrize("count", [0, 1, 10, 100_000])
def test_a_part_answers_within_its_range(count):
    cells = np.sort(np.random.default_rng(0).integers(0, 10**9, count))
    parts = Partitions(*(np.full((50, 1), x) for x in (count // 4, count // 2, 10**8, 9 * 10**8)))
    for entropy in (FastEntropy(1, 50), ExactEntropy()):
        chosen = draw(cells, parts, (TargetLevel(Fraction(1, 3), Rate(Fraction(1, 10))),), entropy)
        assert (chosen >= 10**8).all()
        assert (chosen <= 9 * 10**8).all()


@pytest.mark.parametrize("sampler", [FastEntropy(1, 20), ExactEntropy()])
def test_a_target_deep_inside_ties_still_ends(sampler):
    cells = np.full(20_000, 500)
    parts = Partitions.whole(cells.size, 1000, (sampler.trials, 1))
    chosen = draw(cells, parts, (TargetLevel(Fraction(1, 2), Rate(Fraction(1, 2))),), sampler)
    assert ((chosen >= 0) & (chosen < 1000)).all()


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("count", [700, 820])
def test_records_at_one_bound_do_not_hold_up_a_draw(mirrored, count):
    """Bounds set too narrow: nearly all records in the last cell, the target among them, an empty half far away."""
    rng, top = np.random.default_rng(0), 2**40
    records = np.sort(np.where(rng.random(count) < 0.95, top - 1, rng.integers(top // 2, top, count)))
    level = Fraction(97, 100)
    if mirrored:
        records, level = top - 1 - records[::-1], 1 - level
    blocks, entropy = Blocks.of(records, 0, top - 1, TargetLevel(level, Rate(Fraction(3, 100)), False)), ExactEntropy()
    assert sum(blocks.attempt(entropy) is not None for _ in range(400)) > 40
    parts = Partitions.whole(count, top, (40, 1))
    assert draw(records, parts, (TargetLevel(level, Rate(Fraction(3, 100)), False),), FastEntropy(1, 40)).shape == (
        40,
        1,
    )


def test_huge_denominators_draw_as_their_floats():
    cells = np.arange(0, 1000, 7)
    level = Fraction(10**9 + 7, 2 * 10**9 + 11)
    parts = Partitions.whole(cells.size, 1000, (2000, 1))
    plain = draw(cells, parts, (TargetLevel(Fraction(1, 2), Rate(Fraction(1, 4))),), FastEntropy(5, 2000))
    fine = draw(cells, parts, (TargetLevel(level, Rate(Fraction(1, 4))),), FastEntropy(5, 2000))
    assert np.abs(plain - fine).mean() < 1


def test_a_budget_too_small_to_divide_is_refused():
    with pytest.raises(ParameterError, match="`privacy` leaves too little"):
        guarded(Fraction(1, 2**40))


def test_the_guard_is_below_the_rate_and_hardly_changes_it():
    for rate in (Fraction(1, 3), Fraction(1, 10**6), Fraction(100)):
        assert rate * (1 - Fraction(1, 2**39)) < guarded(rate) < rate * (1 - Fraction(1, 2**41))
