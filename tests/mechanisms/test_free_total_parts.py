"""The free total among the records of parts: draws of both samplers, and the fast one's envelope, against the law."""

from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from dpq_core.audit.losses import all_outputs
from dpq_core.mechanisms.exponential.distribution import Ranges, Rate, Target
from dpq_core.mechanisms.freetotal import chains, draws, many
from dpq_core.mechanisms.freetotal.chains import Batch, Chains
from dpq_core.mechanisms.freetotal.draws import draw_parts, log_density_of_parts
from dpq_core.mechanisms.freetotal.many import LOOSER, Source, attempts, chosen_totals, draw_many, propose
from dpq_core.mechanisms.joint.distance import plain_proportions
from tests.branching import enumerate_fast_law
from tests.harness import SAMPLERS, ExactEntropy, SeededSampler, check_chances

RECORDS = np.array([0, 1, 3, 4, 4, 4, 5, 5, 7])
THREE, FOUR = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)), tuple(Fraction(j, 5) for j in range(1, 5))
UNEVEN = (Fraction(1, 10), Fraction(1, 9), Fraction(3, 4))
ENDS = (Fraction(0), Fraction(1, 9), Fraction(1))


def law_of(cells, grid, levels, rate):
    outputs = all_outputs(grid, len(levels))
    parts = Ranges.whole(cells.size, grid, (len(outputs), 1))
    return outputs, np.exp(
        log_density_of_parts(cells, parts, (Target(levels, Rate(Fraction(rate))),), outputs[:, None])
    )[:, 0]


@pytest.mark.parametrize(
    ("records", "levels", "rate", "reach", "one_total"),
    [
        pytest.param(RECORDS[:0], THREE, 1.0, 9.0, True, marks=pytest.mark.slow),
        pytest.param(RECORDS[:3], THREE, 1.0, 1.0, False, marks=pytest.mark.slow),  # most tuples are far
        pytest.param(RECORDS, THREE, 0.5, 1.0, False, marks=pytest.mark.slow),
        (RECORDS, THREE, 0.5, 1.0, True),
        pytest.param(RECORDS, UNEVEN, 0.5, 12.0, False, marks=pytest.mark.slow),
        pytest.param(RECORDS, UNEVEN, 0.5, -8.3, True, marks=pytest.mark.slow),  # some levels in outer places
        pytest.param(RECORDS, ENDS, 0.5, 4.0, False, marks=pytest.mark.slow),
        pytest.param(RECORDS, ENDS, 0.5, 4.0, True, marks=pytest.mark.slow),
        (RECORDS[:0], THREE[:1], 1.0, 4.0, True),  # one level
        (RECORDS, THREE[:1], 0.5, 1.0, False),
        (RECORDS, UNEVEN[1:2], 0.5, 4.0, True),
        (RECORDS, ENDS[:1], 0.5, 4.0, True),
        (np.repeat(RECORDS, 9), THREE[:1], 0.02, -8.3, True),
        pytest.param(np.repeat(RECORDS, 3), FOUR, 0.2, 1.0, True, marks=pytest.mark.slow),
        # places of several intervals
        pytest.param(np.repeat(RECORDS, 9), THREE, 0.02, 2.0, False, marks=pytest.mark.slow),
        pytest.param(np.repeat(RECORDS, 9), THREE, 0.02, -8.3, True, marks=pytest.mark.slow),
    ],
)
def test_accepted_attempts_have_the_law_whatever_is_far(records, levels, rate, reach, one_total):
    check_accepted_attempts(records, levels, rate, reach, one_total)


def batch_of(cells, grid, target):
    whole, rates = Ranges.whole(cells.size, grid, (1,)), np.array([target.rate_as_float])
    return Batch(cells, whole, plain_proportions(target.levels)[None], rates)


def check_accepted_attempts(records, levels, rate, reach, one_total, chosen=False):
    """Every outcome of every draw of an attempt, given that it is accepted."""
    cells, grid, target = np.sort(records), 8, Target(levels, Rate(Fraction(rate)))
    batch = batch_of(cells, grid, target)
    source = Source(batch, reach, one_total, chosen)

    def program(entropy):
        return tuple(
            entropy.accepted_rows(partial(attempts, source), np.zeros(1, np.int64), (len(levels),))[0].tolist()
        )

    outputs, stated = law_of(cells, grid, levels, rate)
    check_chances(enumerate_fast_law(program), outputs, stated)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("records", "levels", "rate", "reach"),
    [
        pytest.param(RECORDS[:3], THREE, 1.0, 9.0, marks=pytest.mark.slow),
        (np.repeat(RECORDS[3:6], 6), THREE[::2], 0.5, 9.0),  # all records equal: totals near 0 have the weight
        (np.repeat(RECORDS, 3), THREE[::2], 0.3, 20.0),
        (np.r_[np.zeros(9, int), np.full(9, 7)], THREE[:2], 1.0, 30.0),  # an empty range
    ],
)
def test_accepted_attempts_have_the_law_where_totals_are_chosen(records, levels, rate, reach):
    check_accepted_attempts(records, levels, rate, reach, False, chosen=True)


def test_totals_are_dense_where_the_weight_is_and_few():
    """All nine levels move into an empty range beside equal records: then the best total is 0, far from their number.

    With totals ever farther apart from the number of records, hardly one proposal of a million was accepted.
    """
    cells = np.sort(np.r_[np.arange(1500), (1 << 50) + np.arange(1500)])
    rates = np.array([0.05])
    batch = Batch(cells, Ranges.whole(cells.size, 1 << 51, (1,)), np.full((1, 10), 0.1), rates)
    totals = chosen_totals(batch, 180.0)
    assert totals[0, 0] == 0
    assert (np.diff(totals) >= 0).all()
    assert totals[0, totals[0] > 0][0] < 5 * np.log(2) / rates[0]
    assert totals.size < 60
    source = Source(batch, 180.0, False, chosen=True)
    assert source.fits.all()
    assert attempts(source, SeededSampler(1), np.zeros(1000, np.int64))[1].sum() > 10
    drawn = draw_many(batch, np.zeros(64, np.int64), SeededSampler(1), left_over)
    assert (np.diff(drawn, axis=1) >= 0).all()


@pytest.mark.slow
@pytest.mark.parametrize(("records", "levels", "rate"), [
    (RECORDS[:3], THREE, 1.0), (RECORDS, UNEVEN, 0.5),
    pytest.param(np.repeat(RECORDS, 3), FOUR, 0.2, marks=pytest.mark.slow),
])  # fmt: skip
def test_runs_that_are_longer_than_what_is_weighed_are_rejected_down_to_the_law(records, levels, rate, monkeypatch):
    """As runs of five levels and more are, too many to be followed: here those of three and four."""
    monkeypatch.setattr(chains, "LONG", 1)
    check_accepted_attempts(records, levels, rate, 4.0, True)


def without_quick_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "MOST_LEVELS_OF_ONE_TOTAL", 0)
    monkeypatch.setattr(many, "MOST_LEVELS_OF_ONE_TOTAL", 0)
    monkeypatch.setattr(many, "LARGEST_ORDERS", 1e-3)


@pytest.mark.slow(keep="exact")
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_both_samplers_have_the_law_in_parts_by_the_slow_ways(sampler, monkeypatch):
    without_quick_ways(monkeypatch)
    test_both_samplers_have_the_law_in_parts(sampler)


@pytest.mark.slow
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_both_samplers_have_the_law_in_parts(sampler):
    """Two nodes, each in a part of its own with a tie at its end, side by side."""
    levels, rates = (Fraction(1, 3), Fraction(2, 3)), (Fraction(1), Fraction(1, 2))
    targets = tuple(Target(levels, Rate(rate)) for rate in rates)
    parts = Ranges(*(np.array([each]) for each in ([0, 4], [4, 9], [0, 4], [4, 7])))

    def program(entropy):
        return tuple(draw_parts(RECORDS, parts, targets, entropy)[0].reshape(-1).tolist())

    found = [law_of(RECORDS[:4], 5, levels, rates[0]), law_of(RECORDS[4:] - 4, 4, levels, rates[1])]
    outputs = np.array([[*first, *(second + 4)] for first in found[0][0] for second in found[1][0]])
    check_chances(SAMPLERS[sampler](program), outputs, np.outer(found[0][1], found[1][1]).reshape(-1))


def test_the_chains_weigh_no_tuple_less_than_the_law():
    """What makes acceptance a probability: for each place its exponent, and the bound of the blocks."""
    cells, grid = np.sort(np.repeat(RECORDS, 9)), 8
    target = Target(THREE, Rate(Fraction(1, 10)))
    batch = batch_of(cells, grid, target)
    for reach in (0.5, 2.0, 20.0):
        for one_total, chosen in ((True, False), (False, False), (False, True)):
            looser = replace(batch, looser=LOOSER if chosen else 1.0)
            source, rows = Source(looser, reach, one_total, chosen), np.zeros(3000, np.int64)
            assert propose(source, rows, SeededSampler(2))[1].max() <= 1e-9


def test_a_draw_in_a_wide_empty_range_of_few_records_ends():
    """All nine levels move beyond the records: far proposals, and totals near zero."""
    levels = tuple(Fraction(j, 10) for j in range(1, 10))
    cells = (1 << 52) + np.sort(np.random.default_rng(1).integers(0, 1 << 40, 159))
    parts = Ranges.whole(cells.size, 1 << 53, (50, 1))
    drawn = draw_parts(cells, parts, (Target(levels, Rate(Fraction(1, 4))),), SeededSampler(1, 50))
    assert (np.diff(drawn, axis=2) >= 0).all()
    assert drawn.min() >= 0
    assert drawn.max() < 1 << 53


@pytest.mark.parametrize("rate", [1.25, 2.5, 9.0])
def test_at_a_high_rate_beside_an_empty_range_no_number_is_too_large(rate):
    """Reaches grew to 600 orders of e, where weights overflow; now the exact sampler's way draws what needs as much."""
    cells = np.sort(np.r_[np.arange(150), (1 << 50) + np.arange(150)])
    batch = Batch(cells, Ranges.whole(300, 1 << 51, (1,)), np.full((1, 16), 1 / 16), np.array([rate]))
    counts = []

    def alone(row, count):
        counts.append(count)
        return np.zeros((count, 15), np.int64)

    with np.errstate(all="raise", under="ignore", divide="ignore"):
        drawn = draw_many(batch, np.zeros(50, np.int64), SeededSampler(1), alone)
    assert (np.diff(drawn, axis=1) >= 0).all()
    assert sum(counts) in (0, 50)


@pytest.mark.parametrize("levels", [THREE[:1], THREE])
def test_no_parts_have_no_answers(levels):
    none = Ranges(*(np.empty((1, 0), np.int64) for _ in range(4)))
    for entropy in (SeededSampler(1), ExactEntropy()):
        drawn = draw_parts(RECORDS, none, (Target(levels, Rate(Fraction(1))),), entropy)
        assert drawn.shape == (1, 0, len(levels))
        assert drawn.dtype == np.int64


def test_an_empty_part_of_one_index_has_one_answer():
    parts = Ranges(*(np.array([[value]]) for value in (2, 2, 8, 8)))
    for entropy in (SeededSampler(1), ExactEntropy()):
        assert (draw_parts(RECORDS, parts, (Target(THREE, Rate(Fraction(1))),), entropy) == 8).all()


def left_over(row, count):
    raise AssertionError(f"row {row} was left over")


@pytest.mark.parametrize("count", [0, 1, 30, 1000, 100_000])
@pytest.mark.parametrize("rate", [0.003, 0.3, 20.0])
def test_usual_data_leave_nothing_to_the_slow_sampler(count, rate):
    cells = np.sort(np.random.default_rng(2).integers(0, 1 << 50, count))
    proportions = np.full((1, 6), 1 / 6)
    batch = Batch(cells, Ranges.whole(count, 1 << 50, (1,)), proportions, np.array([rate]))
    drawn = draw_many(batch, np.zeros(20, np.int64), SeededSampler(4), left_over)
    assert drawn.shape == (20, 5)
    assert (np.diff(drawn, axis=1) >= 0).all()
    assert Chains(batch, 5.0, np.full((1, 1), float(count)), outer=True).half <= count + 200
