"""The free total's weights in plain floats, where no two levels can share a gap: against JointExp's recursion."""

from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest

from dpq_core.mechanisms.freetotal.apart import Apart, draw_near
from dpq_core.mechanisms.joint.recursion import Messages, distance, proportions_of
from tests.branching import enumerate_fast_law
from tests.harness import check_chances, even_levels


def window_of(count, levels, reach):
    lows = [ceil(level * count - reach * max(level, 1 - level)) for level in levels]
    highs = [floor(level * count + reach * max(level, 1 - level)) for level in levels]
    return np.maximum(lows, 0), np.minimum(highs, count)


@pytest.mark.parametrize(
    ("count", "reach", "levels", "rate", "cells", "plain"),
    [
        (9000, 150, even_levels(20), 3 << 30, 2**61, True),
        (9000, 150, even_levels(20), 3 << 30, 300, True),
        (400, 30, (Fraction(1, 9), Fraction(1, 2), Fraction(6, 7)), 5 << 31, 2**40, True),
        (400, 30, (Fraction(0), Fraction(1, 2), Fraction(1)), 1 << 31, 2**40, True),
        (400, 30, even_levels(20), 3 << 30, 2**40, False),
        (9000, 300, even_levels(3), 3 << 32, 2**40, False),
    ],
    ids=["many levels", "tied", "a high rate", "both ends", "windows meet", "too wide for plain floats"],
)
def test_plain_floats_weigh_as_the_recursion_does(count, reach, levels, rate, cells, plain):
    records = np.sort(np.random.default_rng(count).integers(0, cells, count))
    totals = tuple(count + Fraction(offset) for offset in (-reach, "-7/3", 0, "1/2", 5, reach))
    given = records, 2 * cells, levels, rate, window_of(count, levels, reach), totals
    weighed, found = Messages(*given), Apart(*given)
    assert found.plain is plain
    logs = [np.log2(each.sums.mantissa) + each.sums.exponent for each in (weighed, found)]
    assert logs[0] == pytest.approx(logs[1], rel=0, abs=1e-9)
    if plain:
        for message, ends in zip(found.messages, weighed.ends, strict=True):
            top = ends.exponent.max(axis=1, keepdims=True)
            numbers = np.ldexp(ends.mantissa, np.maximum(ends.exponent - top, -1000).astype(np.int32))
            numbers /= numbers.max(axis=1, keepdims=True)
            assert message / message.max(axis=1, keepdims=True) == pytest.approx(numbers, rel=1e-11, abs=0)


@pytest.mark.parametrize("total", [17, "62/3"])
def test_draws_in_plain_floats_follow_the_weights(total):
    """Every outcome, by the ranks of the answers."""
    levels, count, total = (Fraction(1, 4), Fraction(3, 4)), 20, Fraction(total)
    records = np.sort(np.random.default_rng(3).integers(0, 60, count))
    messages = Apart(records, 60, levels, 3 << 31, window_of(count, levels, 3), (Fraction(19), total))
    assert messages.plain

    def program(entropy):
        return tuple(np.searchsorted(records, draw_near(messages, np.array([1]), entropy)[0]).tolist())

    places = [(a, b) for a in messages.intervals(0).tolist() for b in messages.intervals(1).tolist()]
    ways = [float(np.prod(messages.lengths(np.array(pair)))) for pair in places]
    scores = [float(distance([a, b - a, count - b], proportions_of(levels), total)) for a, b in places]
    weights = np.array(ways) * np.exp2(-1.5 * np.array(scores))
    check_chances(enumerate_fast_law(program), np.array(places), weights / weights.sum())
