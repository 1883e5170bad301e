"""Meaning: what the numbers of a column are by the format in which a program shows them, and their values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...arrays import Floats
from ..column import Kind, Period


def as_they_are(numbers: Floats) -> Floats:
    """Return the numbers themselves."""
    return numbers


def as_days(numbers: Floats, *, per_day: int, before: int) -> Floats:
    """Return days since 1970-01-01 of numbers that count parts of a day, from `before` days before that date."""
    return (numbers - before * per_day) / per_day


@dataclass(frozen=True)
class Meaning:
    """Kind and unit of numbers, and what makes values of them, NaN for NaN; it can be pickled."""

    kind: Kind = "number"
    unit: str = ""
    convert: Callable[[Floats], Floats] = as_they_are
    period: Period = ""
    """Of which each value is the first day."""
