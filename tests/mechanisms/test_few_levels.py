"""Draws of a few levels by the exact sampler: every outcome on tiny data, and the chance of single tuples on large."""

from fractions import Fraction
from math import comb, fsum, log

import numpy as np
import pytest

from dpq_core.mechanisms.exponential.distribution import Ranges, Rate, Target
from dpq_core.mechanisms.freetotal import few
from dpq_core.mechanisms.freetotal.few import FewLevels, Tuples, draw_few
from dpq_core.mechanisms.freetotal.nodes import draw_parts
from dpq_core.mechanisms.freetotal.totals import best_total
from dpq_core.mechanisms.joint.distance import counts_of, distance, proportions_of
from dpq_core.mechanisms.joint.draws import multisets
from tests.branching import enumerate_law
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


def drawn_on(cells, levels, rate, grid=8):
    """A program that draws once, and tells where the other sampler must."""
    target = Target(levels, Rate(Fraction(rate)))
    parts = Ranges(*(np.array([each]) for each in (0, cells.size, 0, grid - 1)))

    def program(entropy):
        (found,) = draw_few(cells, parts, [target], entropy)
        return found

    return program


def check_law(cells, levels, rate):
    """All outcomes, given that an attempt is accepted."""
    law = enumerate_law(drawn_on(cells, levels, rate))
    never = law.at_least(None)
    outputs, stated = law_of(cells, 8, levels, rate)
    chances = [float(law.at_least(tuple(each)) / (1 - never)) for each in outputs.tolist()]
    assert chances == pytest.approx(stated.tolist(), rel=1e-9, abs=1e-15)


@pytest.mark.slow(keep=("cells2-levels2-1-places of each level", "cells8-levels8-9-common places"))
@pytest.mark.parametrize("common", [True, False], ids=["common places", "places of each level"])
@pytest.mark.parametrize(("cells", "levels", "rate"), CASES)
def test_all_outcomes_have_the_stated_chances(cells, levels, rate, common, monkeypatch):
    monkeypatch.setattr(few, "COMMON", np.inf if common else -1.0)
    check_law(np.sort(cells), levels, rate)


@pytest.mark.slow(keep=("cells2-levels2-1", "cells3-levels3-rate3"))
@pytest.mark.parametrize(("cells", "levels", "rate"), CASES)
def test_neither_wide_places_nor_raised_weights_change_the_law(cells, levels, rate, monkeypatch):
    for name, value in (("COMMON", -1.0), ("WIDTH", 1.5), ("FINE", 1), ("CAP", 4.0)):
        monkeypatch.setattr(few, name, value)
    check_law(np.sort(cells), levels, rate)


@pytest.mark.parametrize(("low", "high"), [(3, 6), (0, 4), (5, 5)])
def test_records_beyond_a_range_lie_at_its_ends(low, high):
    parts = Ranges(*(np.array([each]) for each in (0, RECORDS.size, low, high)))
    target, sorted_cells = Target(TWO, Rate(Fraction(1))), np.sort(RECORDS)
    law = enumerate_law(lambda entropy: next(draw_few(sorted_cells, parts, [target], entropy)) or "the other sampler")
    outputs, stated = law_of(np.clip(sorted_cells, low, high) - low, high - low + 1, TWO, 1)
    total = 1 - law.at_least("the other sampler")
    chances = [float(law.at_least(tuple(each)) / total) for each in (outputs + low).tolist()]
    assert chances == pytest.approx(stated.tolist(), rel=1e-9)


@pytest.mark.slow
def test_what_is_not_accepted_soon_is_drawn_by_the_other_sampler(monkeypatch):
    cells, target = np.sort(RECORDS), Target(THREE, Rate(Fraction(1, 2)))
    parts = Ranges(*(np.array([[each]]) for each in (0, cells.size, 0, 7)))
    outputs, stated = law_of(cells, 8, THREE, Fraction(1, 2))

    def program(entropy):
        return tuple(draw_parts(cells, parts, (target,), entropy)[0, 0].tolist())

    for name, value in (("TRIES", 1), ("TRIES", 0), ("LARGEST", 0.0), ("SMALLEST", 2.0)):
        with monkeypatch.context() as patched:
            patched.setattr(few, name, value)
            check_chances(enumerate_law(program), outputs, stated)


def test_half_the_noise_is_noticed():
    law = enumerate_law(drawn_on(np.sort(RECORDS), THREE, 1))
    outputs, stated = law_of(np.sort(RECORDS), 8, THREE, Fraction(1, 2))
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


def tied(count):
    return np.sort(np.random.default_rng(count).integers(1, 9, count)) << 44


def shares(count):
    return WeightedCells.of(normal(count), np.random.default_rng(count).integers(1, 1 << 20, count))


@pytest.mark.slow(
    keep=("one-(Fraction(1, 3), Fraction(2, 3))-0.15", "few-(Fraction(1, 10), Fraction(1, 9), Fraction(3, 4))-0.01")
)
@pytest.mark.parametrize("rate", [0.01, 0.15, 2.0, 20.0])
@pytest.mark.parametrize("levels", [*map(even_levels, range(2, few.MOST_LEVELS + 1)), ENDS, UNEVEN], ids=str)
@pytest.mark.parametrize(
    "cells",
    [normal(0), normal(1), normal(30), normal(1000), normal(10**5), tied(1000), shares(1000)],
    ids=["none", "one", "few", "usual", "many", "tied", "shares"],
)
def test_every_tuple_is_drawn_and_accepted_with_the_weight_of_the_law(cells, levels, rate, monkeypatch):
    """The chance of all choices on its path, times that to be accepted, over the weight: the same for each."""
    entropy = Told()

    def told(lengths, count, entropy):
        before, places = len(entropy.logs), multisets(lengths, count, entropy)
        entropy.logs[before:] = [-log(comb(int(lengths[0]) + count - 1, count))]
        return places

    monkeypatch.setattr("dpq_core.mechanisms.joint.draws.multisets", told)
    draw = Target(levels, Rate(Fraction(rate)))
    parts = Ranges(*(np.array([each]) for each in (0, cells.size, 0, 2**48 - 1)))
    weights = FewLevels(cells, parts, [draw])
    assert weights.holds.all()
    tuples, found = Tuples(weights, 0, draw), list[float]()
    for _ in range(60):
        entropy.logs.clear()
        answers = tuples.attempt(entropy)
        if answers is not None:
            counts = counts_of(cells.searchsorted(np.array(answers)).tolist(), cells.size)
            proportions = proportions_of(levels)
            least = distance(counts, proportions, best_total(counts, proportions))
            found.append(fsum(entropy.logs) + float(least * draw.rate / unit_of(cells)))
    assert found
    assert max(found) - min(found) < 1e-9 * max(1, abs(found[0]))


def test_weights_that_floats_cannot_hold_are_left_to_the_other_sampler():
    """Ties at one end of 2^62 values, and levels near 1: two steps on, some weights are below 2^-700 of the largest."""
    cells, levels = np.array([0] * 500 + [2**62 - 1] * 500), tuple(Fraction(each, 100) for each in range(94, 100))
    draw = Target(levels, Rate(Fraction(20)))
    parts = Ranges(*(np.array([each]) for each in (0, cells.size, 0, 2**62 - 1)))
    weights = FewLevels(cells, parts, [draw])
    assert min(runs[runs > 0].min(initial=1.0) for column in weights.runs for runs in column) < few.SMALLEST
    assert not weights.holds.any()
    assert list(draw_few(cells, parts, [draw], ExactEntropy())) == [None]
