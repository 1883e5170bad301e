"""Numbers as people and files give them, as exact fractions."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from ..errors import ParameterError, shown

Number: TypeAlias = int | float | str | Decimal | Fraction

LONGEST_NUMBER = 1000
"""Characters of a number that is given as text, at most."""
LARGEST_BITS = 8192
"""Bits of the numerator and the denominator of a number, at most."""


def exact_number(value: Number, name: str) -> Fraction:
    """Return the exact fraction that a number stands for; a float means the decimal that prints it.

    Raises ParameterError.

    Text has at most LONGEST_NUMBER characters. What a file could make slow is refused before it is worked out.
    """
    try:
        found = _fraction(value)
    except (TypeError, ValueError, ArithmeticError):
        found = None
    if found is None or max(found.numerator.bit_length(), found.denominator.bit_length()) > LARGEST_BITS:
        raise ParameterError(name, f"must be a finite number, got {shown(value)}.")
    return found


def _fraction(value: object) -> Fraction | None:
    """Return None for what is too long or too large to be worked out. Raises the errors of Fraction and Decimal."""
    if isinstance(value, np.number):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal | Fraction):
        return None
    if isinstance(value, str) and len(value) > LONGEST_NUMBER:
        return None
    if isinstance(value, int | Fraction) or (isinstance(value, str) and "/" in value):
        return Fraction(value)
    number = value if isinstance(value, Decimal) else Decimal(str(value))
    if not number.is_finite() or (number != 0 and abs(number.adjusted()) > 400):
        return None
    return Fraction(number) if len(number.as_tuple().digits) <= LONGEST_NUMBER else None


def as_float(value: Fraction) -> float:
    """Return the nearest float; infinity where there is none."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return float("inf")
