"""Numbers as a person writes them."""

from __future__ import annotations

from math import isfinite

NOTHING = 1e-12
"""Smaller numbers are rounding errors of 0, where `in_digits` writes differences."""
LEAST_EXPONENT, MOST_EXPONENT = -7, 12
"""Powers of ten between which numbers are written in full."""


def in_digits(number: float, digits: int = 3, *, nothing: float = NOTHING) -> str:
    """Return a number with `digits` significant digits, as a person writes it: `22,000`, `0.0000125`, `1.2 × 10⁻²⁰`.

    A number smaller than `nothing` counts as a rounding error of 0. The text is a dash where the number is not finite.
    """
    if not isfinite(number):
        return "–"
    if abs(number) <= nothing:
        return "0"
    mantissa, exponent = f"{number:.{digits - 1}e}".split("e")
    if not LEAST_EXPONENT <= int(exponent) < MOST_EXPONENT:
        return f"{mantissa.rstrip('0').rstrip('.')} × 10{exponent_of(int(exponent))}"
    decimals = max(digits - 1 - int(exponent), 0)
    shown = f"{float(f'{mantissa}e{exponent}'):,.{decimals}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def exponent_of(power: int) -> str:
    """Return a power in superscript: `⁻²⁰`."""
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
