"""How a quantile level is written, for people and for files."""

from __future__ import annotations

from fractions import Fraction

NAMED = {
    Fraction(0): "minimum",
    Fraction(1, 4): "lower quartile",
    Fraction(1, 2): "median",
    Fraction(3, 4): "upper quartile",
    Fraction(1): "maximum",
}


def level_name(level: Fraction) -> str:
    """Return a quantile level as people write it: `10 %`, `50 % · median`."""
    share = level * 100
    shown = str(share) if share.denominator == 1 else f"{float(share):.4g}"
    name = NAMED.get(level)
    return f"{shown} % · {name}" if name else f"{shown} %"


def level_text(level: Fraction) -> str:
    """Return a level as a text that is exact and that no spreadsheet takes for a date: `10 %`, `33.33 % (1/3)`."""
    exact = (level * 10_000).denominator == 1
    return level_name(level) if exact else f"{level_name(level)} ({level})"
