"""Which levels are drawn for the ends of intervals."""

from fractions import Fraction

import numpy as np
import pytest

from dpq_core import Domain
from dpq_core.intervals.ends import Ends, ends_of, of_values

HALF = Fraction(1, 2)
FAR = Fraction(1, 10)


def test_ends_lie_at_their_distance_or_at_the_bounds():
    assert ends_of([HALF], [FAR]) == (Ends(Fraction(4, 10), Fraction(6, 10)),)
    outer = Ends(None, Fraction(3, 20)), Ends(Fraction(17, 20), None)
    assert ends_of([Fraction(1, 20), Fraction(19, 20)], [FAR, FAR]) == outer
    assert ends_of([HALF], [HALF]) == (Ends(None, None),)


def test_a_level_that_is_drawn_anyway_serves_as_an_end_a_little_farther_out():
    near = HALF + FAR + FAR / 8
    assert ends_of([HALF, near], [FAR, FAR])[0].high == near
    assert ends_of([HALF - FAR - FAR / 8, HALF], [FAR, FAR])[1].low == HALF - FAR - FAR / 8


def test_no_end_is_ever_nearer_than_its_distance():
    levels = [Fraction(k, 40) for k in range(1, 40)]
    for distance in (Fraction(1, 100), Fraction(1, 40), Fraction(1, 33), Fraction(1, 7)):
        found = ends_of(levels, [distance] * len(levels))
        for level, (low, high) in zip(levels, found, strict=True):
            assert (low is None and level <= distance) or (low is not None and 0 < low <= level - distance)
            assert (high is None and level + distance >= 1) or (high is not None and level + distance <= high < 1)
        drawn = {end for both in found for end in both if end is not None} - set(levels)
        assert len(drawn) <= 2 * len(levels)
    assert len(drawn) == 2, "at a distance of several levels only the outermost ends are new"


@pytest.mark.parametrize("domain", [Domain(0, 100, 7), Domain.significant(1, 1, 90), Domain(-50, 50, 20)])
def test_the_last_value_of_a_grid_reaches_to_its_upper_bound(domain: Domain) -> None:
    last = domain.decode(np.array([domain.cells - 1]))[0]
    ends = of_values(np.array([[float(domain.lower), last], [last, float(domain.upper)]]), domain)
    assert ends.tolist() == [[float(domain.lower), float(domain.upper)], [last, float(domain.upper)]]
