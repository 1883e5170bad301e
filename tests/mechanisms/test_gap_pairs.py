"""Two quantiles in one draw: JointExp's law in both samplers, private in integers, and a few attempts for any data."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpq_core import Adjacency, Plan, PureDP
from dpq_core.audit.laws import all_outputs
from dpq_core.mechanisms import joint_exponential
from dpq_core.mechanisms.aq.shape import moved
from dpq_core.mechanisms.exponential.distribution import Partitions, Rate, guarded
from dpq_core.mechanisms.exponential.pairs import PairAim, draw_pairs, log_pair_density
from dpq_core.mechanisms.exponential.pairs.exact import PairBlocks, span
from dpq_core.mechanisms.joint.numbers import RATE_BITS
from dpq_core.noise import ExactEntropy, FastEntropy
from dpq_core.noise.exact import TOP_BITS
from tests.audit.enumerated import SAMPLERS, check_chances

THIRDS = (Fraction(1, 3), Fraction(2, 3))
LEVELS = [THIRDS, (Fraction(0), Fraction(1, 2)), (Fraction(1, 10), Fraction(3, 7)), (Fraction(0), Fraction(1))]


def block_of(edges, cell):
    return int(np.searchsorted(edges, cell)) - 1


def pair_weights(records, cells, target_level):
    """The exact sampler's own integer weight of every pair of cells: an envelope, accepted with weight / envelope."""
    blocks = PairBlocks(np.array(records, np.int64), 0, cells - 1, target_level)
    found = []
    for pair in all_outputs(cells, 2).tolist():
        row, column = (block_of(edges, cell) for edges, cell in zip(blocks.edges, pair, strict=True))
        gaps = np.searchsorted(records, pair).tolist()
        found.append(min(blocks.envelopes[row][column], blocks.weight(*gaps)))
    return found


def log_ratio(a, b):
    """log(a / b) of huge integers."""
    return log(a / b) if 2**-900 < a / b < 2**900 else log(a) - log(b)


def side_of(pair, record):
    return (record >= pair[0]) + (record >= pair[1])


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("rate", [Fraction(1, 7), Fraction(2), Fraction(150)])
def test_weights_of_all_small_data_sets_move_as_the_proof_says(levels, rate):
    """Every data set of at most 3 records on 4 cells, every pair: a weight by its record's place, the sum by the worst.

    At rate 150 the cut-off of weights decides. Whoever leaves is somebody who joins, seen from the other side.
    """
    target_level, cells, shares = PairAim(levels, rate), 4, [levels[0], levels[1] - levels[0], 1 - levels[1]]
    pairs, rounding = all_outputs(cells, 2).tolist(), 1e-9
    laws = {
        records: pair_weights(records, cells, target_level)
        for count in range(5)
        for records in combinations_with_replacement(range(cells), count)
    }
    largest = [0.0, 0.0, 0.0]
    for records, own in laws.items():
        if len(records) == 4:
            continue
        for joined in range(cells):
            theirs = laws[tuple(sorted((*records, joined)))]
            for pair, a, b in zip(pairs, own, theirs, strict=True):
                side = side_of(pair, joined)
                # Weights are relative to the nearest span, which moves too: only differences of logarithms count.
                moves = log_ratio(a, sum(own)) - log_ratio(b, sum(theirs))
                bound = rate * (1 - shares[side] + moved(levels))
                assert abs(moves) <= float(bound) + rounding
                largest[side] = max(largest[side], abs(moves))
    assert max(largest) > 0.5 * float(rate) or rate > 100


@pytest.mark.parametrize("levels", LEVELS)
def test_a_replaced_record_costs_little_where_it_keeps_its_place(levels):
    rate, cells = Fraction(1, 2), 4
    target_level, pairs = PairAim(levels, Rate(rate)), all_outputs(cells, 2).tolist()
    data_sets: Iterator[tuple[int, ...]] = combinations_with_replacement(range(cells), 3)
    laws = {records: pair_weights(records, cells, target_level) for records in data_sets}
    for records, own in laws.items():
        for at in range(3):
            for moved_to in range(cells):
                theirs = laws[tuple(sorted((*records[:at], moved_to, *records[at + 1 :])))]
                for pair, a, b in zip(pairs, own, theirs, strict=True):
                    parted = side_of(pair, records[at]) != side_of(pair, moved_to)
                    moves = abs(log_ratio(a, sum(own)) - log_ratio(b, sum(theirs)))
                    assert moves <= float(rate * (1 + parted)) + 1e-9


@pytest.mark.parametrize("levels", LEVELS)
def test_the_law_is_that_of_joint_exp(levels):
    """Another implementation, in binary units of the whole distance, which is twice the span."""
    joint = joint_exponential.calibrate(Plan(list(levels), "jointexp", PureDP(1.5), Adjacency.ADD_REMOVE), None)
    target_level = PairAim(levels, Rate(Fraction(2 * joint.rate * log(2) / 2**RATE_BITS)))
    outputs = all_outputs(9, 2)
    for records in ([], [3], [0, 0, 4, 8], [2, 3, 3, 3, 5, 7, 8]):
        cells = np.array(records, np.int64)
        parts = Partitions.whole(cells.size, 9, (len(outputs), 1))
        found = log_pair_density(cells, parts, (target_level,), outputs[:, None, :])[:, 0]
        assert np.allclose(found, joint_exponential.log_law(outputs, cells, joint, 9), rtol=0, atol=1e-10)


pair_cases = st.tuples(
    st.lists(st.integers(0, 9), max_size=25),
    st.lists(st.fractions(0, 1, max_denominator=12), min_size=2, max_size=2, unique=True),
    st.sampled_from([Fraction(1, 2), Fraction(1, 20), Fraction(3), Fraction(40), Fraction(1, 500)]),
)


@settings(max_examples=30)
@given(pair_cases)
def test_the_samplers_weigh_every_pair_alike(case):
    records, levels, rate = case
    cells, target_level, outputs = (
        np.sort(np.array(records, np.int64)),
        PairAim(tuple(sorted(levels)), rate),
        all_outputs(10, 2),
    )
    exact = np.array([weight / (1 << TOP_BITS) for weight in pair_weights(cells, 10, target_level)])
    parts = Partitions.whole(cells.size, 10, (len(outputs), 1))
    fast = np.exp(log_pair_density(cells, parts, (target_level,), outputs[:, None, :]))[:, 0]
    assert np.allclose(exact / exact.sum(), fast, rtol=1e-12, atol=0)


@settings(max_examples=30)
@given(pair_cases)
def test_every_pair_lies_in_one_block_under_a_close_envelope(case):
    records, levels, rate = case
    cells = np.sort(np.array(records, np.int64))
    blocks = PairBlocks(cells, 0, 9, PairAim(tuple(sorted(levels)), rate))
    for edges in blocks.edges:
        assert (edges[0], edges[-1]) == (-1, 9)
        assert edges == sorted(edges)
    last = len(blocks.envelopes) - 1
    for pair in all_outputs(10, 2).tolist():
        row, column = (block_of(edges, cell) for edges, cell in zip(blocks.edges, pair, strict=True))
        envelope, weight = blocks.envelopes[row][column], blocks.weight(*np.searchsorted(cells, pair).tolist())
        assert weight * 2**75 <= envelope * (2**75 + 1)
        if 0 < row < last and 0 < column < last:
            assert envelope <= weight * Fraction(54.6)  # e^4


def test_the_nearest_span_is_the_least_of_all_whole_ranks():
    for count in range(1, 13):
        for levels in LEVELS:
            blocks = PairBlocks(np.arange(count), 0, 99, PairAim(levels, Rate(Fraction(1))))
            ranks = combinations_with_replacement(range(count + 1), 2)
            spans = [span(k - levels[0] * count, j - levels[1] * count) for k, j in ranks]
            assert blocks.nearest == min(spans)


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize(
    ("records", "rate"),
    [
        ([1, 2, 2, 4, 5, 7, 8], Fraction(2, 3)),
        ([2] * 6 + [6, 7], Fraction(1)),
        ([], Fraction(1)),
        ([4], Fraction(2)),
        ([0, 0, *range(7), *[6] * 20, 8], Fraction(1, 4)),
    ],
)
def test_both_samplers_have_the_stated_law(sampler, records, rate):
    """Pair by pair, with blocks of one gap and of many."""
    cells, target_level, outputs = np.array(records, np.int64), PairAim(THIRDS, rate), all_outputs(10, 2)

    def program(entropy):
        parts = Partitions.whole(cells.size, 10, (1, 1))
        return tuple(draw_pairs(cells, parts, (target_level,), entropy)[0, 0].tolist())

    parts = Partitions.whole(cells.size, 10, (len(outputs), 1))
    stated = log_pair_density(cells, parts, (target_level,), outputs[:, None, :])[:, 0]
    check_chances(SAMPLERS[sampler](program), outputs, np.exp(stated))


END = 10**13 - 1


@pytest.mark.parametrize("rate", [Fraction(1, 1000), Fraction(1, 8), Fraction(3, 4), Fraction(50), Fraction(500)])
@pytest.mark.parametrize(
    "records",
    [
        [],
        [7] * 300,
        list(range(0, 3000, 10)),
        [0] * 150 + [END] * 150,
        [*range(60), *range(END // 2, END // 2 + 180), *range(END - 60, END)],
        [*range(90), *range(10**9, 10**9 + 20), *range(END - 190, END)],
    ],
)
def test_a_draw_takes_few_attempts_for_any_data(records, rate):
    blocks, entropy = PairBlocks(np.array(records, np.int64), 0, END, PairAim(THIRDS, guarded(rate))), ExactEntropy()
    accepted = sum(blocks.attempt(entropy) is not None for _ in range(1000))
    assert accepted > 7  # the proof says more than 1000 / (2 e^4) = 9 in the mean; here none has less than 40


@pytest.mark.parametrize("count", [0, 1, 10, 100_000])
def test_a_part_answers_within_its_range(count):
    cells = np.sort(np.random.default_rng(0).integers(0, 10**9, count))
    parts = Partitions(*(np.full((50, 1), x) for x in (count // 4, count // 2, 10**8, 9 * 10**8)))
    for entropy in (FastEntropy(1, 50), ExactEntropy()):
        chosen = draw_pairs(cells, parts, (PairAim(THIRDS, Rate(Fraction(1, 10))),), entropy)
        assert (chosen >= 10**8).all()
        assert (chosen <= 9 * 10**8).all()
        assert (np.diff(chosen, axis=2) >= 0).all()


@pytest.mark.parametrize("entropy", [FastEntropy(1, 5), ExactEntropy()])
def test_one_cell_is_drawn_twice(entropy):
    parts = Partitions(*(np.full((entropy.trials, 1), x) for x in (0, 3, 8, 8)))
    assert (draw_pairs(np.array([8, 8, 8]), parts, (PairAim(THIRDS, Rate(Fraction(1))),), entropy) == 8).all()


@pytest.mark.parametrize("entropy", [FastEntropy(1, 4), ExactEntropy()])
def test_no_draws_are_an_empty_answer(entropy):
    parts = Partitions.whole(3, 9, (entropy.trials, 0))
    assert draw_pairs(np.arange(3), parts, (), entropy).shape == (entropy.trials, 0, 2)
