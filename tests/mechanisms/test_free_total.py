"""JointExp with a free total: the best total, proposals against the law by enumeration, draws of both samplers."""

from fractions import Fraction
from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import Adjacency, Plan, PureDP
from dpq_core.audit.losses import all_outputs
from dpq_core.mechanisms.freetotal import apart, mechanism
from dpq_core.mechanisms.freetotal.apart import ApartRecursion
from dpq_core.mechanisms.freetotal.proposals import Proposals, propose
from dpq_core.mechanisms.freetotal.sampling import draw, exact_chance, log_chances
from dpq_core.mechanisms.freetotal.totals import (
    BITS,
    Totals,
    best_total,
    best_totals,
    counts_between,
    distances,
)
from dpq_core.mechanisms.joint.numbers import RATE_BITS
from dpq_core.mechanisms.joint.recursion import Recursion, distance, distance_of, proportions_of
from tests.harness import ExactEntropy, FastEntropy


def parameters_for(levels, privacy=None, adjacency=Adjacency.ADD_REMOVE, **options):
    return mechanism.calibrate(Plan(levels, "freetotal", privacy or PureDP(1.0), adjacency, options), None)


def uniform_levels(m):
    return tuple(Fraction(j, m + 1) for j in range(1, m + 1))


def proposals_for(cells, grid, levels, rate, reach, window, kind=Recursion):
    """With any window, also for the far proposals, so that every kind of proposal has something to do."""
    slow = kind(np.array(cells, np.int64), grid, tuple(map(Fraction, levels)), rate // 3, window)
    return Proposals(slow, rate, reach)


# ── the best total ───────────────────────────────────────────────────────────────────────────────────────────────────

cases = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), min_size=1, max_size=7).filter(
    lambda parts: any(share for _, share in parts)
)


@given(cases)
def test_the_best_total_is_best_and_the_nearest_one_to_n(parts):
    counts, whole = [count for count, _ in parts], sum(share for _, share in parts)
    shares = tuple(Fraction(share, whole) for _, share in parts)
    best, count = best_total(counts, shares), Fraction(sum(counts))
    least = distance(counts, shares, best)
    tried = {Fraction(n) / share for n, share in zip(counts, shares, strict=True) if share} | {count, Fraction(0)}
    assert least == min(distance(counts, shares, total) for total in tried)
    assert all(distance(counts, shares, (best + count) / 2) > least for _ in range(1) if best != count)
    assert abs(best - count) <= least <= count
    assert distance_of(list(accumulate(counts))[:-1], tuple(accumulate(shares))[:-1], sum(counts)) <= 2 * least
    rows, floats = np.array([counts]), np.array([float(share) for share in shares])
    assert distances(rows, floats, best_totals(rows, floats))[0] == pytest.approx(float(least), abs=1e-9)


@given(cases, st.integers(1 << 20, 32 << RATE_BITS), st.integers(0, 100))
def test_two_neighbours_of_the_best_total_weigh_enough(parts, rate, farthest):
    """So that no proposal would have to be accepted more than always; and all best totals so near have neighbours."""
    counts, whole = [count for count, _ in parts], sum(share for _, share in parts)
    shares = tuple(Fraction(share, whole) for _, share in parts)
    totals, best = Totals.around(sum(counts), len(shares), rate, farthest), best_total(counts, shares)
    place = totals.around_best(best)
    assert (place is not None) or abs(best - sum(counts)) > farthest
    if place is not None:
        assert totals.values[place] <= best <= totals.values[place + 1]
        least, per_record = distance(counts, shares, best), Fraction(rate, 1 << RATE_BITS)
        lost = [
            totals.bits[at] - per_record * (distance(counts, shares, totals.values[at]) - least)
            for at in (place, place + 1)
        ]
        assert max(lost) > 1000 or 2.0 ** float(lost[0]) + 2.0 ** float(lost[1]) >= 2**-0.5 - 1e-12


def test_answers_that_would_be_exact_between_two_totals_weigh_just_enough():
    """The worst case: d = 0 for a total halfway, so that each neighbour is off by half their distance."""
    rate = (1 << RATE_BITS) // 2
    totals, found = Totals.around(10**6, 21, rate, 5000), list[float]()
    for place, (low, high) in enumerate(pairwise(totals.values)):
        off = Fraction(rate, 1 << RATE_BITS) * (high - low) / 2
        lost = [float(totals.bits[at] - off) for at in (place, place + 1)]
        found.append(float(np.logaddexp2(lost[0], lost[1])))
    assert min(found) == pytest.approx(-0.5, abs=1e-9)
    assert max(totals.bits) > 100


@given(st.integers(1 << 20, 32 << RATE_BITS), st.integers(1, 200), st.integers(0, 300), st.data())
def test_denser_totals_stay_and_weigh_enough(rate, farthest, more, data):
    """More stand between a marked one and its neighbours, if they are apart. A larger reach keeps them."""
    totals = Totals.around(1000, 5, rate, farthest)
    places = np.zeros(len(totals.values), bool)
    places[data.draw(st.integers(0, places.size - 1))] = True
    denser = totals.denser(places, rate)
    wider = Totals.around(1000, 5, rate, farthest + more, denser)
    assert set(totals.values) <= set(denser.values) <= set(wider.values)
    for each in (denser, wider):
        assert list(each.values) == sorted(set(each.values))
        for at, (low, high) in enumerate(pairwise(each.values)):
            needed = ((high - low) * Fraction(rate, 1 << RATE_BITS) - BITS) / 2
            assert min(each.bits[at : at + 2]) >= needed
    assert (len(denser.values) > len(totals.values)) == bool(totals.sparse[places].any())


def test_a_rounded_step_is_no_gap():
    """At this rate a step is no short fraction; where all were taken for sparse, windows were weighed five times."""
    rates = range(77_777_777, 77_777_797)
    middle = [Totals.around(10**5, 5, rate, 10**4) for rate in rates]
    assert any(0 < totals.bits[len(totals.bits) // 2] < 1e-6 for totals in middle)
    assert not any(totals.sparse[len(totals.bits) // 2] for totals in middle)


def test_totals_go_as_far_as_asked_and_not_beyond_what_can_be():
    for count, farthest in ((0, 0), (0, 5), (3, 1), (1000, 150), (1000, 1000)):
        totals = Totals.around(count, 21, 3 << RATE_BITS >> 2, farthest)
        assert totals.values[0] == 0 or totals.values[0] <= count - farthest
        assert totals.values[-1] >= count + farthest
        assert list(totals.values) == sorted(set(totals.values))


# ── the law ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def weights_by_hand(outputs, cells, levels, rate):
    """2^(-rate d) of every output, d by rationals."""
    shares = proportions_of(tuple(map(Fraction, levels)))
    counts = counts_between(np.searchsorted(cells, outputs), cells.size).tolist()
    scores = [distance(each, shares, best_total(each, shares)) for each in counts]
    return np.array([2.0 ** -float(Fraction(rate, 1 << RATE_BITS) * score) for score in scores])


RECORDS = [[], [3, 3], [1, 2, 2, 5, 6, 9, 9, 9], [4, 4, 4, 5, 7, 8], [0] * 8, [0, 0, 0, 9, 9, 9, 9]]


@pytest.mark.slow(keep=("1-1-levels3-records2-Recursion", "2-3-levels2-records5-ApartRecursion"))
@pytest.mark.parametrize("kind", [Recursion, ApartRecursion])
@pytest.mark.parametrize("records", RECORDS)
@pytest.mark.parametrize("levels", [["1/4", "3/4"], ["1/10", "1/2", "3/5"], [0, 1], ["1/2"]])
@pytest.mark.parametrize(("reach", "window"), [(1, 1), (2, 3), (3, 1), (20, 20)])
def test_all_ways_to_draw_a_tuple_add_up_to_the_law(records, levels, reach, window, kind):
    """Without a draw: over all proposals, weight times chance; whatever the windows, ties and totals."""
    cells, grid, rate = np.array(records, np.int64), 10, (3 << RATE_BITS) // 2
    proposals = proposals_for(records, grid, levels, rate, reach, window, kind)
    outputs = all_outputs(grid, len(levels))
    ranks, kinds = np.searchsorted(cells, outputs), proposals.weights.mantissa.size
    per_record, shares = 1.5, np.array([float(share) for share in proposals.proportions])
    counts = counts_between(ranks, cells.size)
    own = [
        np.where(inside(ranks, proposals.near), 2.0 ** (float(bits) - per_record * distances(counts, shares, at)), 0.0)
        for bits, at in (
            (bits, np.full(len(outputs), float(total)))
            for bits, total in zip(proposals.totals.bits, proposals.totals.values, strict=True)
        )
    ]
    lowered, slower = -0.5 - float(proposals.spare) * reach, proposals.slow.rate / 2.0**RATE_BITS
    far = distances(counts, shares, np.full(len(outputs), float(cells.size)))
    slow = proposals.slow
    own.append(np.where(inside(ranks, slow), 2.0 ** (lowered - slower * far), 0.0))
    own.append(np.full(len(outputs), 0.0 if slow.whole else 2.0 ** (lowered - 2 * slower * window)))
    masses = [mass.sum() * (not proposals.everywhere or kind < kinds - 2) for kind, mass in enumerate(own)]
    found = proposals.weights.mantissa * 2.0 ** (proposals.weights.exponent + len(levels) * grid.bit_length())
    assert np.allclose(found, masses, rtol=1e-12, atol=0)
    for chances in (
        [np.exp2(log_chances(proposals, np.full(len(outputs), kind), ranks)) for kind in range(kinds)],
        [[np.ldexp(*exact_chance(proposals, kind, each)) for each in ranks] for kind in range(kinds)],
    ):
        assert np.max(chances) <= 1 + 1e-12
        drawn = sum(mass * np.array(chance) for mass, chance in zip(own, chances, strict=True))
        assert np.allclose(drawn, weights_by_hand(outputs, cells, levels, rate) / 2**0.5, rtol=1e-11, atol=0)


def inside(ranks, messages):
    return ((ranks >= messages.lows) & (ranks <= messages.highs)).all(axis=1)


@pytest.mark.slow(keep="900-900-12")
@pytest.mark.parametrize(
    ("count", "reach", "m"),
    [(900, 900, 12), pytest.param(900, 250, 30, marks=pytest.mark.slow), (5000, 400, 12)],
)
def test_totals_weighed_side_by_side_are_those_weighed_alone(monkeypatch, count, reach, m):
    """Where many runs share a gap and windows meet, and in parts, as where memory is short."""
    cells = np.sort(np.random.default_rng(m).integers(0, 2**40, count))
    rate, levels = parameters_for(uniform_levels(m)).rate, uniform_levels(m)
    slow = Recursion(cells, 2**42, levels, rate // 3, 5)
    together = Proposals(slow, rate, reach).near
    for most in (1, 5 * m * (reach + 2)):
        monkeypatch.setattr(apart, "MOST_NUMBERS", most)
        alone = Proposals(slow, rate, reach).near
        logs = [np.log2(each.sums.mantissa) + each.sums.exponent for each in (alone, together)]
        assert np.abs(logs[0] - logs[1]).max() < 1e-9
        which = np.random.default_rng(0).integers(0, together.sums.mantissa.size, 5)
        assert inside(np.searchsorted(cells, alone.draw(which, FastEntropy(1, 5))), alone).all()


def test_a_few_thousand_records_leave_something_to_every_kind_of_proposal():
    """Where windows are chosen by the sampler itself; the weights of far proposals are small, and not nothing."""
    rng = np.random.default_rng(0)
    cells = np.sort(rng.integers(0, 2**50, 5000))
    proposals = propose(cells, 2**60, uniform_levels(5), parameters_for(uniform_levels(5)).rate)
    assert not proposals.everywhere
    assert not proposals.slow.whole
    assert (proposals.weights.mantissa > 0).all()
    assert proposals.excess < 0


# ── draws ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
@pytest.mark.statistical
def test_what_lies_between_the_answers_of_many_records_follows_the_score_alone():
    """5000 records without ties, windows of the sampler's own: d has the same law as by plain arithmetic.

    With one level in the middle, d = 2 |k - n/2|, so that k - n/2 is two-sided geometric among equal gaps. The mean of
    |k - n/2| is the sharpest test of the rate: 60,000 fast draws with a fixed seed see 3 % of it by 7 standard errors.
    2,000 exact ones, which are new every time, are off by 6 once in 10^9 runs.
    """
    cells = np.arange(1, 5001) * 2**40
    parameters = parameters_for(["1/2"], PureDP(1.0))
    given = cells, 5001 * 2**40 + 1, parameters.levels, parameters.rate
    proposals, plain = propose(*given), propose(*given, ApartRecursion)

    def off(drawn, factor):
        """By how many standard errors the mean is off, were the rate that of the budget times the factor."""
        law = np.exp(-factor * np.arange(200)) * np.append(1, np.full(199, 2))
        mean, square = (law @ np.arange(200.0) ** power / law.sum() for power in (1, 2))
        away = np.abs(np.searchsorted(cells, drawn[:, 0]) - 2500)
        return abs(away.mean() - mean) / ((square - mean**2) / away.size) ** 0.5

    fast = draw(plain, FastEntropy(1, 60_000), 60_000)
    assert off(fast, 1.0) < 3
    assert min(off(fast, 0.97), off(fast, 1.03)) > 5
    assert off(np.concatenate([draw(proposals, ExactEntropy(), 1) for _ in range(2000)]), 1.0) < 6


# ── budgets ──────────────────────────────────────────────────────────────────────────────────────────────────────────
