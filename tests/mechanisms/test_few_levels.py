"""Draws of a few levels by the exact sampler: every outcome on tiny data, and the chance of single tuples on large."""

from fractions import Fraction
from math import comb, fsum, log

import numpy as np
import pytest

from dpq_core.mechanisms.exponential.distribution import Ranges, Rate, Target
from dpq_core.mechanisms.freetotal import draws as free_draws
from dpq_core.mechanisms.freetotal.draws import OneTotal, draw_parts
from dpq_core.mechanisms.freetotal.many import MOST_LEVELS_OF_ONE_TOTAL
from dpq_core.mechanisms.joint import draws
from dpq_core.mechanisms.joint.distance import best_total, counts_of, distance, proportions_of
from dpq_core.mechanisms.joint.draws import multisets
from dpq_core.mechanisms.joint.windows import Part
from tests.branching import enumerate_fast_law, enumerate_law
from tests.harness import ExactEntropy, WeightedCells, check_chances, even_levels, unit_of
from tests.mechanisms.test_free_total_parts import law_of

RECORDS = np.array([0, 1, 3, 4, 4, 4, 5, 5, 7])
TWO, THREE, FOUR = (even_levels(count) for count in (2, 3, 4))
UNEVEN = (Fraction(1, 10), Fraction(1, 9), Fraction(3, 4))
ENDS = (Fraction(0), Fraction(1, 9), Fraction(1))
CASES = [
    (RECORDS[:0], THREE, 1),
    (RECORDS[:1], THREE, 1),
    (RECORDS, TWO, 1),
    (RECORDS, THREE, Fraction(1, 2)),
    (RECORDS, UNEVEN, Fraction(1, 2)),
    (RECORDS, ENDS, 2),
    (np.repeat(RECORDS, 9), THREE, Fraction(1, 50)),  # places of several intervals
    (np.repeat(RECORDS, 3), FOUR, Fraction(1, 5)),
    (np.repeat(RECORDS, 9), TWO, 9),
]


def laws_on(cells, levels, rate):
    """The law of a draw by either sampler, attempts until one is accepted; by the exact one beside other parts."""
    part = Part.of(np.sort(cells), 8, levels, Fraction(rate))
    other = Part.of(np.arange(20), 20, tuple(1 - level for level in levels[::-1]), Fraction(rate) / 2)
    three, one = OneTotal([other, part, other]), OneTotal([part])

    def beside(entropy):
        return tuple(entropy.accepted_rows(three.attempts, np.ones(1, np.int64), (len(levels),), 3)[0].tolist())

    return enumerate_law(beside), enumerate_fast_law(lambda entropy: tuple(one.draw(entropy, 1)[0].tolist()))


@pytest.mark.slow
@pytest.mark.parametrize(("cells", "levels", "rate"), CASES)
@pytest.mark.parametrize("reach", ["usual", "narrow"])
def test_all_outcomes_have_the_stated_chances(cells, levels, rate, reach, monkeypatch):
    """By both samplers, and with windows so narrow that many tuples lie outside of them."""
    if reach == "narrow":
        monkeypatch.setattr(draws, "_first_reach", lambda _: 1)
        monkeypatch.setattr(draws, "OUTSIDE", -1e300)
    for law in laws_on(cells, levels, rate):
        check_chances(law, *law_of(np.sort(cells), 8, levels, rate))


@pytest.mark.parametrize(("low", "high"), [(3, 6), (0, 4), (5, 5)])
def test_records_beyond_a_range_lie_at_its_ends(low, high):
    parts = Ranges(*(np.array([[each]]) for each in (0, RECORDS.size, low, high)))
    target, cells = Target(TWO, Rate(Fraction(1))), np.sort(RECORDS)
    law = enumerate_law(lambda entropy: tuple(draw_parts(cells, parts, (target,), entropy)[0, 0].tolist()))
    outputs, stated = law_of(np.clip(cells, low, high) - low, high - low + 1, TWO, 1)
    check_chances(law, outputs + low, stated)


@pytest.mark.slow
def test_what_is_not_accepted_soon_is_drawn_by_the_other_sampler(monkeypatch):
    cells, target = np.sort(RECORDS), Target(THREE, Rate(Fraction(1, 2)))
    parts = Ranges(*(np.array([[each]]) for each in (0, cells.size, 0, 7)))
    outputs, stated = law_of(cells, 8, THREE, Fraction(1, 2))

    def program(entropy):
        return tuple(draw_parts(cells, parts, (target,), entropy)[0, 0].tolist())

    for tries in (1, 0):
        monkeypatch.setattr(free_draws, "TRIES", tries)
        check_chances(enumerate_law(program), outputs, stated)


def test_half_the_noise_is_noticed():
    law, _ = laws_on(RECORDS[:2], TWO, 1)
    outputs, stated = law_of(np.sort(RECORDS[:2]), 8, TWO, Fraction(1, 2))
    assert [float(law.at_least(tuple(each))) for each in outputs.tolist()] != pytest.approx(stated.tolist(), rel=0.1)


class Told(ExactEntropy):
    """Draws that add up the logarithm of their chances; every coin that can be shows heads."""

    def __init__(self):
        self.logs: list[float] = []

    def choice(self, sums):
        place = super().choice(sums)
        self.logs[-1] = log((sums[place] - (sums[place - 1] if place else 0)) / sums[-1])
        return place

    def integer_below(self, limit):
        self.logs.append(-log(limit))
        return super().integer_below(limit)

    def accept(self, ratio, exponent):
        self.logs.append(log(ratio.numerator) - log(ratio.denominator) - float(exponent))
        return True


def normal(count):
    return np.sort((np.random.default_rng(count).normal(0, 5, count) * 2**40).astype(np.int64) + 2**47)


def shares(count):
    return WeightedCells.of(normal(count), np.random.default_rng(count).integers(1, 1 << 20, count))


@pytest.mark.slow(keep=("one-levels0-0.15", "few-levels6-0.01"))
@pytest.mark.parametrize("rate", [0.01, 0.15, 2.0, 20.0])
@pytest.mark.parametrize("levels", [*map(even_levels, range(2, MOST_LEVELS_OF_ONE_TOTAL + 1)), ENDS, UNEVEN])
@pytest.mark.parametrize("cells", [
    normal(0), normal(1), normal(30), normal(1000), normal(10**5),
    np.sort(np.random.default_rng(1000).integers(1, 9, 1000)) << 44, shares(1000),
], ids=["none", "one", "few", "usual", "many", "tied", "shares"])  # fmt: skip
def test_every_tuple_is_drawn_and_accepted_with_the_weight_of_the_law(cells, levels, rate, monkeypatch):
    """The chance of all choices on its path, times that to be accepted, over the weight: the same for each."""
    entropy = Told()

    def told(lengths, count, entropy):
        before, places = len(entropy.logs), multisets(lengths, count, entropy)
        entropy.logs[before:] = [-log(comb(int(lengths[0]) + count - 1, count))]
        return places

    monkeypatch.setattr("dpq_core.mechanisms.joint.draws.multisets", told)
    one, found = OneTotal([Part.of(cells, 2**48, levels, Fraction(rate))]), list[float]()
    for _ in range(60):
        entropy.logs.clear()
        (answers,), (accepted,) = one.attempts(entropy, np.zeros(1, np.int64))
        if accepted:
            counts = counts_of(cells.searchsorted(answers).tolist(), cells.size)
            proportions = proportions_of(levels)
            least = distance(counts, proportions, best_total(counts, proportions))
            found.append(fsum(entropy.logs) + float(least * Fraction(rate) / unit_of(cells)))
    assert found
    assert max(found) - min(found) < 1e-9 * max(1, abs(found[0]))
