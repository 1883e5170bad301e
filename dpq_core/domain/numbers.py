"""Numbers as people and files give them, as exact fractions."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from ..errors import ParameterError, shown

Number: TypeAlias = int | float | str | Decimal | Fraction

LONGEST_NUMBER = 1000
"""Characters of a number that is given as text, at most."""
GROUPED = re.compile(r"([+-]?[1-9]\d{0,2})([, \u00a0\u202f])(\d{3}(?:\2\d{3})*)(\.\d+)?", re.ASCII)
"""A number in the notation of the pages, `200,000`, or with blanks between its thousands."""
TWO_WAYS = re.compile(r"([+-]?[1-9]\d{0,2})\.(\d{3})", re.ASCII)
"""A number whose point may be a decimal mark or separate thousands."""
LARGEST_BITS = 8192
"""Bits of the numerator and the denominator of a number, at most."""


def exact_number(value: Number, name: str) -> Fraction:
    """Return the exact fraction of a number; a float means the decimal that prints it.

    Raises ParameterError.

    Text has at most LONGEST_NUMBER characters, and may have commas or blanks between thousands. What a file could make
    slow is refused before it is worked out.
    """
    try:
        found = _fraction(value)
    except (TypeError, ValueError, ArithmeticError):
        found = None
    if found is None or max(found.numerator.bit_length(), found.denominator.bit_length()) > LARGEST_BITS:
        raise ParameterError(name, f"must be a finite number, got {shown(value)}.")
    return found


def checked_share(value: Number) -> Fraction:
    """Return a share of a budget as an exact fraction. Raises ParameterError."""
    share = exact_number(value, "share")
    if not 0 < share < 1:
        raise ParameterError("share", f"must lie between 0 and 1, got {shown(value)}.")
    return share


def _fraction(value: object) -> Fraction | None:
    """Return None for what is too long or too large to be worked out. Raises the errors of Fraction and Decimal."""
    if isinstance(value, np.number):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal | Fraction):
        return None
    if isinstance(value, str):
        if len(value) > LONGEST_NUMBER:
            return None
        if GROUPED.fullmatch(value.strip()) is not None:
            value = re.sub(r"[,\s]", "", value)
    if isinstance(value, int | Fraction) or (isinstance(value, str) and "/" in value):
        return Fraction(value)
    number = value if isinstance(value, Decimal) else Decimal(str(value))
    if not number.is_finite() or (number != 0 and abs(number.adjusted()) > 400):
        return None
    return Fraction(number) if len(number.as_tuple().digits) <= LONGEST_NUMBER else None


def typed_number(text: str, name: str) -> str:
    """Return the number that a person typed. Raises ParameterError if its point has two readings."""
    found = TWO_WAYS.fullmatch(text.strip())
    if found is None:
        return text
    whole, rest = found.groups()
    raise ParameterError(name, f"can be read in two ways: type {whole} or {whole},{rest} in place of {whole}.{rest}.")


def as_float(value: Fraction) -> float:
    """Return the nearest float; infinity where there is none."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return float("inf")


def exponent_of(number: Fraction) -> int:
    """Return the largest k with 10^k <= number, for a number > 0."""
    guess = len(str(number.numerator)) - len(str(number.denominator))
    return guess if Fraction(10) ** guess <= number else guess - 1
