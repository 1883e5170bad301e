"""How many numbers a draw weighs, from public facts alone; and which plans are refused because they are too many.

A weighing has one number for each level, each of the totals and each interval in the level's window (`proposals`). With
m levels and r bits per record the first window reaches b / (r / 3) records out, b = 10 + 1.4 m. Where r is low, records
represent others until (m + 1) r is at least half a bit, or one where rows are shares of persons (`joint.shares`). So a
weighing grows with m^2.5 b at most, for any n and budget.

How often, and how much more widely, is weighed until enough proposals are accepted depends on the records. For 1,000 to
a million of them on a domain of up to 2^50 values, usual columns took two to four times the most numbers of a first
weighing, a few seconds. The worst that were found share forty values that are far apart: up to 35 times, half a minute.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from ..joint import RATE_BITS
from .totals import Totals

MOST_NUMBERS = 2_500_000
"""Of a first weighing, which takes about a second: sixteen even quantiles pass at any budget, sixty from ε = 0.64."""
FIRST_BITS = 10
BITS_EACH = 1.4
"""By how many binary orders far proposals are lowered at first, for each level; then as the weights say."""
SLOWER = 3
"""The far proposals' rate is that of the law divided by this."""


def first_bits(levels: int) -> int:
    """Return by how many binary orders far proposals are lowered at first."""
    return FIRST_BITS + ceil(BITS_EACH * levels)


def numbers_weighed(levels: tuple[Fraction, ...], rate: int) -> int:
    """Return how many numbers the first weighing has at most, for any records; it falls with the rate."""
    least = max(rate, (1 << (RATE_BITS - 1)) // (len(levels) + 1))
    reach = ceil(first_bits(len(levels)) / Fraction(least - 2 * (least // SLOWER), 1 << RATE_BITS))
    totals = Totals.around(reach, len(levels) + 1, least, reach).values
    return len(totals) * sum(int(2 * reach * max(level, 1 - level)) + 1 for level in levels)


def is_too_much(levels: tuple[Fraction, ...], rate: int) -> bool:
    """Return whether a draw of these levels would take too long, for any records."""
    return bool(levels) and numbers_weighed(levels, rate) > MOST_NUMBERS


def is_too_much_in_shares(levels: tuple[Fraction, ...], rate: int) -> bool:
    """Return the same where rows are shares of persons, so that a high rate is divided, too."""
    most = (1 << RATE_BITS) // (len(levels) + 1)
    return is_too_much(levels, min(rate, most))


def enough_rate(levels: tuple[Fraction, ...]) -> int:
    """Return about the least rate at which a draw of these levels is not too much, up to a hundredth."""
    low, high = 1 << (RATE_BITS - 22), 32 << RATE_BITS
    while high > low + low // 100 + 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_too_much(levels, middle) else (low, middle)
    return high
