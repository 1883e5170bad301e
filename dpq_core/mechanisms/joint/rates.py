"""The exponent of one joint draw, per person of distance: how it is stored, and its claim."""

from __future__ import annotations

from fractions import Fraction

RATE_BITS = 32
"""Rates are stored as whole multiples of 2^-32 binary orders."""
LOG_2_ABOVE = Fraction(6931471805599453095, 10**19)
"""Above log 2 = 0.69314718055994530941..."""
LARGEST_RATE = 32 << RATE_BITS
"""A record too many then weighs 2^-32, or 2^-64 where it is missing elsewhere; a higher budget is not used up."""
SMALLEST_RATE = 1 << (RATE_BITS - 22)
LOSS_OF_ROUNDING = Fraction(1, 2**30)
"""Kept aside from the budget of a draw of several levels, for rounding of its weights: none has any more."""


def natural_rate(rate: int) -> Fraction:
    """Return r: tuples are drawn with weight exp(-r d), of which `claim` counts every digit."""
    return Fraction(rate, 2**RATE_BITS) * LOG_2_ABOVE


def claim(rate: int, moved: Fraction) -> Fraction:
    """Return the bounded range of a draw, rounding included, where `moved` is the half range of the scores."""
    return 2 * moved * natural_rate(rate) + LOSS_OF_ROUNDING
