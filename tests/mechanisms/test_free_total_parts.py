"""The free total among the records of parts: draws of both samplers, and the fast one's envelope, against the law."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from dpq_core.audit.laws import all_outputs
from dpq_core.mechanisms.exponential import Partitions
from dpq_core.mechanisms.freetotal import TargetLevels, draw_parts, log_density_of_parts
from dpq_core.mechanisms.freetotal.chains import Batch, Chains
from dpq_core.mechanisms.freetotal.many import Source, attempts, draw_many, propose
from dpq_core.noise import ExactEntropy, FastEntropy

RECORDS = np.array([0, 1, 3, 4, 4, 4, 5, 5, 7])
THREE, FOUR = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)), tuple(Fraction(j, 5) for j in range(1, 5))
UNEVEN = (Fraction(1, 10), Fraction(1, 9), Fraction(3, 4))
ENDS = (Fraction(0), Fraction(1, 9), Fraction(1))


def law_of(cells, grid, levels, rate):
    outputs = all_outputs(grid, len(levels))
    parts = Partitions.whole(cells.size, grid, (len(outputs), 1))
    return outputs, np.exp(log_density_of_parts(cells, parts, (TargetLevels(levels, rate),), outputs[:, None]))[:, 0]


def p_value(drawn, grid, stated):
    outputs, law = stated
    places = grid ** np.arange(outputs.shape[1])[::-1]
    counts = np.bincount(np.searchsorted(outputs @ places, drawn @ places), minlength=len(outputs))
    wanted = law * len(drawn)
    common = wanted > 10
    found, expected = (np.append(each[common], each[~common].sum()) for each in (counts, wanted))
    keep = expected > 0
    return chisquare(found[keep], expected[keep] * found[keep].sum() / expected[keep].sum()).pvalue


@pytest.mark.parametrize(
    ("records", "levels", "rate", "reach"),
    [
        (RECORDS[:0], THREE, 1.0, 9.0),
        (RECORDS[:3], THREE, 1.0, 1.0),  # most tuples are far
        (RECORDS, THREE, 0.5, 1.0),
        (RECORDS, UNEVEN, 0.5, 12.0),
        (RECORDS, ENDS, 0.5, 4.0),
        (np.repeat(RECORDS, 3), FOUR, 0.2, 1.0),  # places of two gaps
        (np.repeat(RECORDS, 3), FOUR, 0.2, 6.0),
        (np.repeat(RECORDS, 9), THREE, 0.1, 2.0),  # of five
    ],
)
def test_accepted_attempts_have_the_law_whatever_is_far(records, levels, rate, reach):
    """20,000 attempts at a time until 4,000 are accepted; 1.5 times the rate must fail where there are records."""
    cells, grid, target = np.sort(records), 8, TargetLevels(levels, Fraction(rate))
    batch = Batch(
        cells, Partitions.whole(cells.size, grid, (1,)), target.shares[None], np.array([target.rate_as_float])
    )
    source, entropy, drawn = Source(batch, reach), FastEntropy(1), np.empty((0, len(levels)), np.int64)
    while len(drawn) < 4000:
        found, accepted = attempts(source, np.zeros(20_000, np.int64), entropy)
        drawn = np.concatenate([drawn, found[accepted]])
    assert p_value(drawn, grid, law_of(cells, grid, levels, Fraction(rate))) > 1e-6
    if cells.size:
        assert p_value(drawn, grid, law_of(cells, grid, levels, Fraction(rate) * 3 / 2)) < 1e-6


@pytest.mark.parametrize("exact", [False, True])
def test_both_samplers_follow_the_law_in_parts(exact):
    """Two nodes, each in a part of its own with a tie at its end, side by side."""
    levels, rates = (Fraction(1, 3), Fraction(2, 3)), (Fraction(1), Fraction(1, 2))
    targets = tuple(TargetLevels(levels, rate) for rate in rates)
    trials = 1 if exact else 8000
    shape = (
        np.array([[0, 4]] * trials),
        np.array([[4, 9]] * trials),
        np.array([[0, 4]] * trials),
        np.array([[4, 7]] * trials),
    )
    parts, runs = Partitions(*shape), 3000 if exact else 1
    entropies = [ExactEntropy() for _ in range(runs)] if exact else [FastEntropy(3, trials)]
    drawn = np.concatenate([draw_parts(RECORDS, parts, targets, entropy) for entropy in entropies])
    for node, (low, grid) in enumerate(((0, 5), (4, 4))):
        assert drawn[:, node].min() >= low
        inside = drawn[:, node] - low
        records = RECORDS[[0, 4][node] : [4, 9][node]] - low
        assert p_value(inside, grid, law_of(records, grid, levels, rates[node])) > 1e-6
        assert p_value(inside, grid, law_of(records, grid, levels, 2 * rates[node])) < 1e-6


def test_the_chains_weigh_no_tuple_less_than_the_law():
    """What makes acceptance a probability: for each place its exponent, and the bound of the blocks."""
    cells, grid = np.sort(np.repeat(RECORDS, 9)), 8
    target = TargetLevels(THREE, Fraction(1, 10))
    batch = Batch(
        cells, Partitions.whole(cells.size, grid, (1,)), target.shares[None], np.array([target.rate_as_float])
    )
    for reach in (0.5, 2.0, 20.0):
        source, rows = Source(batch, reach), np.zeros(3000, np.int64)
        assert propose(source, rows, FastEntropy(2))[1].max() <= 1e-9


def test_a_draw_in_a_wide_empty_range_of_few_records_ends():
    """All nine levels move beyond the records: far proposals, and totals near zero."""
    levels = tuple(Fraction(j, 10) for j in range(1, 10))
    cells = (1 << 52) + np.sort(np.random.default_rng(1).integers(0, 1 << 40, 159))
    parts = Partitions.whole(cells.size, 1 << 53, (50, 1))
    drawn = draw_parts(cells, parts, (TargetLevels(levels, Fraction(1, 4)),), FastEntropy(1, 50))
    assert (np.diff(drawn, axis=2) >= 0).all()
    assert drawn.min() >= 0
    assert drawn.max() < 1 << 53


def test_an_empty_part_of_one_index_has_one_answer():
    parts = Partitions(*(np.array([[value]]) for value in (2, 2, 8, 8)))
    for entropy in (FastEntropy(1), ExactEntropy()):
        assert (draw_parts(RECORDS, parts, (TargetLevels(THREE, Fraction(1)),), entropy) == 8).all()


def left_over(row):
    raise AssertionError(f"row {row} was left over")


@pytest.mark.parametrize("count", [0, 1, 30, 1000, 100_000])
@pytest.mark.parametrize("rate", [0.003, 0.3, 20.0])
def test_usual_data_leave_nothing_to_the_slow_sampler(count, rate):
    cells = np.sort(np.random.default_rng(2).integers(0, 1 << 50, count))
    shares = np.full((1, 6), 1 / 6)
    batch = Batch(cells, Partitions.whole(count, 1 << 50, (1,)), shares, np.array([rate]))
    drawn = draw_many(batch, np.zeros(20, np.int64), FastEntropy(4), left_over)
    assert drawn.shape == (20, 5)
    assert (np.diff(drawn, axis=1) >= 0).all()
    assert Chains(batch, 5.0, np.full((1, 1), float(count)), outer=True).half <= count + 200
