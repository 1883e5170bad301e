"""Numbers, units and counts of records in words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, isfinite, log10

from ..domain.domain import Domain
from ..frame import NAMED, iso_date, level_name
from ..people.takes import count_in_words as count_in_words
from ..people.takes import plural_of as plural_of
from ..privacy.budgets import with_all_rows
from ..texts import in_digits

LEAST_PERCENT = 0.01
"""A smaller share than this is named by it alone."""
ROUNDING = 1e-9
"""Of two digits: how far a float may be above the number it represents."""
NEXT_TO_NONE = 1e-9
"""In place of an expected error of 0, which no simulation shows."""
LONG_NUMBER = 1e12
"""From here on values are written with a power of ten."""
FINE = 10**12
"""Values of a domain: with as many, nobody chose their step."""
NO_BREAK = "\u00a0"
BEFORE = ("$", "€", "£", "¥", "CHF")
"""Units that are written before a number."""
CURRENCY = re.compile(r"[A-Z]{3}|kr|zł|.*[$€£¥].*")
"""Units of money that are written after a number: codes such as EUR, and units that contain a sign, such as `k€`."""


@dataclass(frozen=True)
class Wording:
    """The words for the numbers of one column."""

    name: str
    kind: str = "number"
    unit: str = ""
    one: str = "record"
    many: str = "records"
    decimals: int = 6
    person: str = ""
    """What one person is called, whose rows are protected together; empty where that is one record."""

    @property
    def anyone(self) -> str:
        """The name of what is protected: a record, or the person who has several."""
        return self.person or self.one

    @property
    def protected(self) -> str:
        """What a promise covers: one record, or one person with all rows."""
        return with_all_rows(self.person) if self.person else self.one

    def value(self, value: float) -> str:
        """Return a value with its unit: `38 years`, `€ 1,200`, `2024-01-31`; no line ends inside an amount of money."""
        number = self.number(value)
        if self.kind == "date" or not self.unit or number == "–":
            return number
        if self.unit in BEFORE:
            return f"{self.unit}{NO_BREAK}{number}"
        return f"{number}{NO_BREAK if CURRENCY.fullmatch(self.unit) else ' '}{self.unit}"

    def after_name(self, value: float) -> str:
        """Return a value for a sentence that has just named the column: without a unit that the name says already."""
        return self.number(value) if self._names_its_unit else self.value(value)

    def number(self, value: float) -> str:
        """Return a value without its unit, with as many decimals as the grid step has."""
        if not isfinite(value):
            return "–"
        if self.kind == "date":
            return iso_date(value)
        if abs(value) >= LONG_NUMBER:
            return in_digits(value, 6)
        shown = f"{value:,.{self.decimals}f}"
        return shown.rstrip("0").rstrip(".") if self.decimals > 3 and "." in shown else shown

    def count(self, number: float) -> str:
        """Return a number of records in words: `1 person`, `2.6 people`."""
        shown = f"{number:,.1f}".removesuffix(".0")
        return f"{shown} {self.one if shown in {'1', '-1'} else self.many}"

    @property
    def axis(self) -> str:
        """The title of a value axis: `age (years)`; `wait minutes` says its unit already."""
        return self.name if self._names_its_unit else f"{self.name}{self.in_unit}"

    @property
    def _names_its_unit(self) -> bool:
        *_, last = re.split(r"[\s()\[\]]+", f" {self.name.strip(' ()[]')}")
        return last.casefold() == self.unit.casefold()

    @property
    def in_unit(self) -> str:
        """The unit behind the title of a column of numbers: ` (years)`."""
        return f" ({self.unit})" if self.unit and self.kind != "date" else ""


@dataclass(frozen=True)
class DisplayText:
    """A number and the words that a table shows for it. The table sorts by the number. Both reach the browser."""

    number: float
    words: str

    def __str__(self) -> str:
        return self.words


def two_digits(number: float) -> str:
    """Return a number in two significant digits at most: `0.85`, `13`, `1,000`; a dash where it is not finite."""
    return f"{float(f'{number:.2g}'):,.10g}" if isfinite(number) else "–"


def error_in_digits(records: float) -> str:
    """Return a rank error for a column of numbers whose title names its unit: `under 1`, `9.2`, `1,000`."""
    return "under 1" if 0 < records < 1 else two_digits(records)


def error_in_table(records: float) -> DisplayText:
    """Return a rank error as a cell of a table: in the words of `error_in_digits`, sorted by its size."""
    return DisplayText(records, error_in_digits(records))


def at_most_in_table(number: float) -> DisplayText:
    """Return an upper bound as a cell of a table, rounded up: what is written holds, too."""
    if not isfinite(number) or number <= 0:
        return DisplayText(number, two_digits(number))
    unit = 10.0 ** (floor(log10(number)) - 1)
    return DisplayText(number, two_digits(ceil(number / unit - ROUNDING) * unit))


def error_in_words(records: float, one: str, many: str) -> str:
    """Return a rank error with its unit: `0 people`, `under 1 person`, `9.2 people`, `1,000 people`."""
    shown = error_in_digits(records)
    return f"{shown} {one if shown in {'1', 'under 1'} else many}"


def expected_in_words(records: float, one: str, many: str) -> str:
    """Return an expected rank error with its unit: `under 1 person`, `about 9.2 people`.

    Never 0: that no simulated run erred does not mean that none will.
    """
    shown = error_in_words(records or NEXT_TO_NONE, one, many)
    return shown if shown.startswith("under") else f"about {shown}"


def errors_in_table(low: float, high: float) -> DisplayText:
    """Return a range of rank errors, sorted by its upper end: `under 1 to 10`, `1.5 to 10`; a dash where none is."""
    if high < 1:
        return DisplayText(high, "under 1" if high else "0")
    return DisplayText(high, " to ".join(dict.fromkeys([error_in_digits(low), error_in_digits(high)])))


def share_in_words(share: float) -> str:
    """Return a fraction of all in percent: `0.23 %`, `12 %`; small and large ones never as 0 % or 100 %."""
    percent = 100 * share
    if 0 < percent < LEAST_PERCENT:
        return f"under {LEAST_PERCENT} %"
    shown = two_digits(percent)
    return "over 99 %" if percent < 100 and shown == "100" else f"{shown} %" if isfinite(share) else shown


def two_digits_up(records: int) -> int:
    """Return a bound on a rank error in two significant digits, no smaller than it is: 127 becomes 130, -127 -120."""
    unit = int(10 ** max(len(str(abs(records))) - 2, 0))
    return -(-records // unit) * unit


def interval_in_digits(low: int, high: int) -> tuple[int, int]:
    """Return both ends of an interval of rank errors in two significant digits, no narrower than it is."""
    return -two_digits_up(-low), two_digits_up(high)


def decimals_of(domain: Domain) -> int:
    """Return how many decimals the grid's values need: at most 6 on even steps, 12 on significant digits.

    Where no step was given, three significant digits of the width.
    """
    most = 6 if domain.has_even_steps else 12
    for decimals in range(most + 1) if domain.cells < FINE else ():
        if all((number * 10**decimals).denominator == 1 for number in (domain.lower, domain.finest_step)):
            return decimals
    if not domain.has_even_steps:
        return most
    return max(0, min(6, ceil(3 - log10(float(domain.upper - domain.lower)))))


def level_in_table(level: Fraction) -> DisplayText:
    """Return a quantile level as a cell of a table: named as people write it, sorted by its size."""
    return DisplayText(float(100 * level), level_name(level))


def spoken_level(level: Fraction) -> str:
    """Return a quantile for a sentence: `10 % quantile`, `median`, `upper quartile`."""
    return NAMED.get(level) or f"{level_name(level)} quantile"
