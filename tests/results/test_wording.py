"""Values and units in words."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import inf, nan
from typing import Any

import pytest

from dpq_core import Domain
from dpq_core.frame import level_name
from dpq_core.results.wording import (
    Wording,
    count_in_words,
    decimals_of,
    error_in_digits,
    error_in_words,
    expected_in_words,
    interval_in_digits,
    level_in_table,
    plural_of,
    share_in_words,
    spoken_level,
    two_digits,
    two_digits_up,
)
from dpq_core.texts import in_digits

AGE = Wording("age", "number", "years", "person", "people", 0)
MONEY, DAY, PLAIN = Wording("income", "money", "€", decimals=2), Wording("day", "date"), Wording("x")
errors, expected = (partial(each, one="person", many="people") for each in (error_in_words, expected_in_words))

SAID: dict[Callable[..., Any], list[tuple[Any, Any]]] = {
    AGE.value: [(38, "38 years")],
    MONEY.value: [(1234.5, "€\u00a01,234.50")],
    PLAIN.value: [(nan, "–"), (-1.5e300, "-1.5 × 10³⁰⁰")],
    DAY.value: [(19753.7, "2024-01-31")],
    Wording("pay", "number", "€").value: [(-6.8e12, "€\u00a0-6.8 × 10¹²")],
    AGE.count: [(0, "0 people"), (1, "1 person"), (2.55, "2.5 people"), (1300, "1,300 people")],
    two_digits: [
        (0, "0"), (0.849, "0.85"), (9.0, "9"), (12.6, "13"), (99.6, "100"), (1026, "1,000"), (1.26e6, "1,300,000"),
        (nan, "–"), (inf, "–"),
    ],
    error_in_digits: [(nan, "–"), (inf, "–")],
    errors: [
        (0, "0 people"), (0.3, "under 1 person"), (0.9999, "under 1 person"), (1, "1 person"), (1.04, "1 person"),
        (9.16, "9.2 people"), (863, "860 people"),
    ],
    expected: [(0.0, "under 1 person"), (0.4, "under 1 person"), (1.0, "about 1 person"), (9.21, "about 9.2 people")],
    share_in_words: [
        (0, "0 %"), (0.000004, "under 0.01 %"), (0.0001, "0.01 %"), (0.00234, "0.23 %"), (0.1249, "12 %"),
        (0.9999, "over 99 %"), (1, "100 %"), (nan, "–"), (inf, "–"),
    ],
    two_digits_up: [(0, 0), (7, 7), (99, 99), (127, 130), (1201, 1300), (-127, -120)],
    level_name: [
        (Fraction(1, 2), "50 % · median"), (Fraction(1, 4), "25 % · lower quartile"), (Fraction(1, 10), "10 %"),
        (Fraction(1, 3), "33.33 %"), (Fraction(1, 40), "2.5 %"),
    ],
    spoken_level: [
        (Fraction(1, 2), "median"), (Fraction(3, 4), "upper quartile"), (Fraction(1, 10), "10 % quantile"),
    ],
    decimals_of: [
        (Domain(0, 120, 1), 0), (Domain(0, 1, "0.25"), 2), (Domain("0.5", 10, 1), 1), (Domain(0, 1), 3),
        (Domain(0, 1, "0.0000001"), 3), (Domain.significant(), 7), (Domain.significant(3, 100, 10**6), 0),
        (Domain.significant(1, "1e-30", 1), 12),
    ],
    plural_of: [("person", "people"), ("flight", "flights"), ("cat", "cats"), ("", "records")],
    partial(count_in_words, one="row"): [(0, "0 rows"), (1, "1 row"), (12_345, "12,345 rows")],
    partial(in_digits, nothing=0.0): [(1.25e-20, "1.25 × 10⁻²⁰")],
}  # fmt: skip


@pytest.mark.parametrize(("function", "given", "said"), [(each, *row) for each, rows in SAID.items() for row in rows])
def test_numbers_and_levels_in_words(function: Callable[..., Any], given: Any, said: Any) -> None:
    assert function(given) == said


@pytest.mark.parametrize(
    ("interval", "said"), [((-127, 131), (-130, 140)), ((-8, 0), (-8, 0)), ((101, 109), (100, 110)), ((0, 0), (0, 0))]
)
def test_intervals_get_no_narrower(interval: tuple[int, int], said: tuple[int, int]) -> None:
    assert interval_in_digits(*interval) == said


def test_a_level_in_a_table_sorts_by_number() -> None:
    cells = [level_in_table(Fraction(k, 100)) for k in (5, 10, 50, 100)]
    assert [cell.number for cell in cells] == [5, 10, 50, 100]
    assert [str(cell) for cell in cells] == ["5 %", "10 %", "50 % · median", "100 % · maximum"]


@pytest.mark.parametrize(("name", "unit", "axis"), [
    ("age", "years", "age (years)"), ("wait minutes", "minutes", "wait minutes"),
    ("Gehalt (brutto) €", "€", "Gehalt (brutto) €"), ("Wait (Minutes)", "minutes", "Wait (Minutes)"),
    ("ages", "s", "ages (s)"), ("(", "s", "( (s)"), ("day", "", "day"),
])  # fmt: skip
def test_a_unit_that_ends_the_name_is_not_said_twice(name: str, unit: str, axis: str) -> None:
    wording = Wording(name, "number", unit, decimals=0)
    assert wording.axis == axis
    assert (wording.after_name(4) == "4") == (axis == name)


@pytest.mark.parametrize(("number", "digits", "words"), [
    (-5.32907e-14, 6, "0"), (22026.46, 3, "22,000"), (1.25e-05, 3, "0.0000125"), (1.2e-20, 2, "0"), (3.5, 6, "3.5"),
    (-0.5, 3, "-0.5"), (9999.6, 4, "10,000"), (4.85e8, 3, "485,000,000"), (2.5e13, 3, "2.5 × 10¹³"), (0.0, 3, "0"),
    (float("inf"), 3, "–"), (120.0, 6, "120"), (0.1 + 0.2, 3, "0.3"),
])  # fmt: skip
def test_no_number_is_written_with_an_e(number: float, digits: int, words: str) -> None:
    assert in_digits(number, digits) == words
