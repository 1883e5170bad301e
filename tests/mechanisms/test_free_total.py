"""JointExp with a free total: the best total, proposals against the law by enumeration, draws of both samplers."""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import Adjacency, Plan, PureDP
from dpq_core.mechanisms.freetotal import draws, mechanism
from dpq_core.mechanisms.freetotal.draws import FreeDraws, NearTuples, draws_of
from dpq_core.mechanisms.freetotal.totals import KAPPA, Totals, step_of
from dpq_core.mechanisms.joint.distance import best_total, best_totals, counts_of, distance, distances
from dpq_core.mechanisms.joint.draws import LARGEST_RATE, SMALLEST_RATE, SeededChoices
from dpq_core.mechanisms.joint.windows import Part
from tests.harness import ExactEntropy, SeededSampler
from tests.narrowing import only, present


def parameters_for(levels, privacy=None, adjacency=Adjacency.ADD_REMOVE, **options):
    return mechanism.calibrate(Plan(levels, "freetotal", privacy or PureDP(1.0), adjacency, options), None)


def uniform_levels(m):
    return tuple(Fraction(j, m + 1) for j in range(1, m + 1))


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
    assert distance(counts, shares, Fraction(sum(counts))) <= 2 * least
    rows, floats = np.array([counts]), np.array([float(share) for share in shares])
    assert distances(rows, floats, best_totals(rows, floats))[0] == pytest.approx(float(least), abs=1e-9)


def rates():
    return st.fractions(SMALLEST_RATE, LARGEST_RATE)


@given(cases, rates(), st.integers(0, 100), st.fractions(0, 1))
def test_no_total_proposes_its_share_of_a_tuple_too_rarely(parts, rate, farthest, cut):
    """The shares of all totals are 1; and all best totals so near have two neighbours, however far these are apart."""
    counts, whole = [count for count, _ in parts], sum(share for _, share in parts)
    proportions = tuple(Fraction(share, whole) for _, share in parts)
    dense, best = Totals.around(sum(counts), 5, step_of(rate), farthest), best_total(counts, proportions)
    least = distance(counts, proportions, best)
    for values in (dense.values, (dense.values[0], dense.values[0] + cut * 50 + 1, dense.values[-1] + 51)):
        totals = Totals(values, dense.step)
        if not values[0] <= best <= values[-1]:
            assert totals is not dense
            continue
        shares = [totals.share(place, best) for place in range(len(values))]
        assert sum(shares) == 1
        floats = totals.shares(np.arange(len(values)), np.full(len(values), float(best)))
        assert floats == pytest.approx([float(share) for share in shares], abs=1e-6)
        for share, total, weight in zip(shares, values, totals.log_weights(rate), strict=True):
            off = float(rate * (distance(counts, proportions, total) - least))
            assert share == 0 or log(share) + off <= weight + float(KAPPA)
    assert abs(best - sum(counts)) > farthest or dense.values[0] <= best <= dense.values[-1]


def test_answers_that_would_be_exact_between_two_totals_are_proposed_just_often_enough():
    """The worst case: d = 0 for a best total a quarter of a step before the middle of a wide gap."""
    rate = Fraction(1, 2)
    totals = Totals((Fraction(0), Fraction(100)), step_of(rate))
    best = 50 - totals.step / 2 + 1 / rate  # where share exp(r x) is largest
    lost = log(totals.share(0, best)) + float(rate * best) - float(totals.log_weights(rate)[0])
    assert lost == pytest.approx(1 - log(2), abs=1e-6)
    assert lost < KAPPA


@given(st.lists(st.integers(1, 9), max_size=4), cases, st.integers(0, 60))
def test_every_best_total_of_few_ranks_is_known(apart, parts, farthest):
    """Up to the farthest; and each of them has the whole share of its tuples."""
    ranks, whole = np.cumsum([0, *apart]), sum(share for _, share in parts)
    proportions, count = tuple(Fraction(share, whole) for _, share in parts), int(ranks[-1])
    totals = present(Totals.possible(count, proportions, Fraction(7), farthest, ranks))
    for chosen in combinations_with_replacement(ranks.tolist(), len(parts) - 1):
        best = best_total(counts_of(list(chosen), count), proportions)
        if max(count - farthest, 0) <= best <= count + farthest:
            assert [totals.share(place, best) for place in range(len(totals.values))] == [
                Fraction(each == best) for each in totals.values
            ]
    assert not totals.sparse.any()
    assert max(totals.log_weights(Fraction(1))) < 1e-6


@given(rates(), st.integers(1, 200), st.integers(0, 300), st.data())
def test_denser_totals_stay(rate, farthest, more, data):
    """More stand between a marked one and its neighbours, if they are apart. A larger reach keeps them."""
    totals = Totals.around(1000, 5, step_of(rate), farthest)
    places = np.zeros(len(totals.values), bool)
    places[data.draw(st.integers(0, places.size - 1))] = True
    denser = totals.denser(places)
    wider = Totals.around(1000, 5, totals.step, farthest + more, denser)
    assert set(totals.values) <= set(denser.values) <= set(wider.values)
    assert all(list(each.values) == sorted(set(each.values)) for each in (denser, wider))
    assert (len(denser.values) > len(totals.values)) == bool(totals.sparse[places].any())


def test_totals_go_as_far_as_asked_and_not_beyond_what_can_be():
    for count, farthest in ((0, 0), (0, 5), (3, 1), (1000, 150), (1000, 1000)):
        totals = Totals.around(count, 21, step_of(Fraction(1, 2)), farthest)
        assert totals.values[0] == 0 or totals.values[0] <= count - farthest
        assert totals.values[-1] >= count + farthest
        assert list(totals.values) == sorted(set(totals.values))


# ── the law ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
@pytest.mark.parametrize(("count", "reach", "m"), [(900, 900, 12), (5000, 400, 12)])
def test_totals_weighed_side_by_side_are_those_weighed_alone(monkeypatch, count, reach, m):
    """Where many runs share a place and windows meet, and in parts, as where memory is short."""
    cells = np.sort(np.random.default_rng(m).integers(0, 2**40, count))
    levels, rate = uniform_levels(m), parameters_for(uniform_levels(m)).rate
    part = Part(cells, 2**42, levels, rate)
    totals = Totals.around(count, m + 1, step_of(rate), reach).values
    together = NearTuples(part, reach, totals)
    for most in (1, 5 * m * (reach + 2)):
        monkeypatch.setattr(draws, "NUMBERS_AT_ONCE", most)
        alone = NearTuples(part, reach, totals)
        assert np.abs(alone.totals - together.totals).max() < 1e-7
        which = np.random.default_rng(0).integers(0, together.totals.size, 5)
        chosen = alone.propose(which, np.arange(5), SeededChoices(SeededSampler(1, 5), 5))
        assert alone.hold(chosen).all()


def test_a_few_thousand_records_leave_something_to_every_kind_of_proposal():
    """Where windows are chosen by the sampler itself; the weights of far proposals are small, and not nothing."""
    rng = np.random.default_rng(0)
    cells = np.sort(rng.integers(0, 2**50, 5000))
    found = draws_of(Part(cells, 2**60, uniform_levels(5), parameters_for(uniform_levels(5)).rate))
    assert isinstance(found, FreeDraws)
    assert not found.slow.windows.whole.any()
    assert np.isfinite(found.start).all()
    assert found.excess < 0


@pytest.mark.parametrize(("count", "m"), [(7, 9), (20, 10), (68, 4)])
def test_few_records_are_drawn_where_rounding_brings_a_part_of_no_total_below_zero(count, m):
    """Then a level took itself for one before it, and a draw of the total 0 ended without any place."""
    share = Fraction(1, m + 1)
    assert float(share * count) - float(share) * count < 0
    rate = parameters_for(uniform_levels(m)).rate
    found = draws_of(Part(np.arange(count) * 2**40, 2**50, uniform_levels(m), rate))
    assert only(FreeDraws, found).totals.values[0] == 0
    for _ in range(3):
        assert (np.diff(found.draw(ExactEntropy(), 1)) >= 0).all()


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
    source = draws_of(Part(cells, 5001 * 2**40 + 1, parameters.levels, parameters.rate))

    def off(drawn, factor):
        """By how many standard errors the mean is off, were the rate that of the budget times the factor."""
        law = np.exp(-factor * np.arange(200)) * np.append(1, np.full(199, 2))
        mean, square = (law @ np.arange(200.0) ** power / law.sum() for power in (1, 2))
        away = np.abs(np.searchsorted(cells, drawn[:, 0]) - 2500)
        return abs(away.mean() - mean) / ((square - mean**2) / away.size) ** 0.5

    fast = source.draw(SeededSampler(1, 60_000), 60_000)
    assert off(fast, 1.0) < 3
    assert min(off(fast, 0.97), off(fast, 1.03)) > 5
    assert off(source.draw(ExactEntropy(), 2000), 1.0) < 6
