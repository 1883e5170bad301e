"""Values and units in words."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpq_core import Domain
from dpq_core.frames import level_name
from dpq_core.results.wording import (
    Wording,
    count_in_words,
    decimals_of,
    error_in_digits,
    error_in_words,
    expected_in_words,
    interval_in_digits,
    level_in_table,
    parse_date,
    plural_of,
    share_in_words,
    spoken_level,
    two_digits,
    two_digits_up,
)
from dpq_core.texts import in_digits

AGE = Wording("age", "number", "years", "person", "people", 0)


def test_values_carry_their_unit() -> None:
    assert AGE.value(38) == "38 years"
    assert Wording("income", "money", "€", decimals=2).value(1234.5) == "€\u00a01,234.50"
    for unit in ("EUR", "kr", "k€"):
        assert Wording("income", "number", unit, decimals=0).value(1200) == f"1,200\u00a0{unit}", "one line"
    assert Wording("age", "number", "years", decimals=0).value(38) == "38 years"
    assert Wording("x").value(float("nan")) == "–"
    assert Wording("x").value(-1.5e300) == "-1.5 × 10³⁰⁰"
    assert Wording("day", "date").value(19753.7) == "2024-01-31"


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 people"), (1, "1 person"), (2.55, "2.5 people"), (1300, "1,300 people")]
)
def test_counts(number: float, said: str) -> None:
    assert AGE.count(number) == said


@pytest.mark.parametrize(
    ("number", "said"),
    [(0, "0"), (0.849, "0.85"), (9.0, "9"), (12.6, "13"), (99.6, "100"), (1026, "1,000"), (1.26e6, "1,300,000")],
)
def test_two_digits_at_most(number: float, said: str) -> None:
    assert two_digits(number) == said


@pytest.mark.parametrize("nothing", [float("nan"), float("inf")])
def test_what_is_not_finite_is_a_dash(nothing: float) -> None:
    assert two_digits(nothing) == error_in_digits(nothing) == share_in_words(nothing) == "–"


@pytest.mark.parametrize(
    ("records", "said"),
    [
        (0, "0 people"),
        (0.3, "under 1 person"),
        (0.9999, "under 1 person"),
        (1, "1 person"),
        (1.04, "1 person"),
        (9.16, "9.2 people"),
        (863, "860 people"),
    ],
)
def test_errors(records: float, said: str) -> None:
    assert error_in_words(records, "person", "people") == said


@pytest.mark.parametrize(
    ("records", "said"),
    [(0.0, "under 1 person"), (0.4, "under 1 person"), (1.0, "about 1 person"), (9.21, "about 9.2 people")],
)
def test_no_error_is_expected_to_be_0(records: float, said: str) -> None:
    assert expected_in_words(records, "person", "people") == said


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0, "0 %"),
        (0.000004, "under 0.01 %"),
        (0.0001, "0.01 %"),
        (0.00234, "0.23 %"),
        (0.1249, "12 %"),
        (0.9999, "over 99 %"),
        (1, "100 %"),
    ],
)
def test_shares_are_never_nothing_and_never_all_by_rounding(share: float, said: str) -> None:
    assert share_in_words(share) == said


@pytest.mark.parametrize(("number", "said"), [(0, 0), (7, 7), (99, 99), (127, 130), (1201, 1300), (-127, -120)])
def test_bounds_are_rounded_up_to_two_digits(number: int, said: int) -> None:
    assert two_digits_up(number) == said


@pytest.mark.parametrize(
    ("interval", "said"), [((-127, 131), (-130, 140)), ((-8, 0), (-8, 0)), ((101, 109), (100, 110)), ((0, 0), (0, 0))]
)
def test_intervals_get_no_narrower(interval: tuple[int, int], said: tuple[int, int]) -> None:
    assert interval_in_digits(*interval) == said


def test_a_level_in_a_table_sorts_by_number() -> None:
    cells = [level_in_table(Fraction(k, 100)) for k in (5, 10, 50, 100)]
    assert [cell.number for cell in cells] == [5, 10, 50, 100]
    assert [str(cell) for cell in cells] == ["5 %", "10 %", "50 % · median", "100 % · maximum"]


def test_axis() -> None:
    assert AGE.axis == "age (years)"
    assert Wording("day", "date").axis == "day"


@pytest.mark.parametrize(
    ("name", "unit", "axis"),
    [
        ("wait minutes", "minutes", "wait minutes"),
        ("Gehalt (brutto) €", "€", "Gehalt (brutto) €"),
        ("Wait (Minutes)", "minutes", "Wait (Minutes)"),
        ("ages", "s", "ages (s)"),
        ("(", "s", "( (s)"),
    ],
)
def test_a_unit_that_ends_the_name_is_not_said_twice(name: str, unit: str, axis: str) -> None:
    wording = Wording(name, "number", unit, decimals=0)
    assert wording.axis == axis
    assert (wording.after_name(4) == "4") == (axis == name)


@pytest.mark.parametrize(
    ("level", "name"),
    [
        ("1/2", "50 % · median"),
        ("1/4", "25 % · lower quartile"),
        ("1/10", "10 %"),
        ("1/3", "33.33 %"),
        ("1/40", "2.5 %"),
    ],
)
def test_level_names(level: str, name: str) -> None:
    assert level_name(Fraction(level)) == name


@pytest.mark.parametrize(("level", "said"), [("1/2", "median"), ("3/4", "upper quartile"), ("1/10", "10 % quantile")])
def test_levels_in_a_sentence(level: str, said: str) -> None:
    assert spoken_level(Fraction(level)) == said


@pytest.mark.parametrize(
    ("domain", "decimals"),
    [
        (Domain(0, 120, 1), 0),
        (Domain(0, 1, "0.25"), 2),
        (Domain("0.5", 10, 1), 1),
        (Domain(0, 1), 3),
        (Domain.significant(), 7),
        (Domain.significant(3, 100, 10**6), 0),
        (Domain.significant(1, "1e-30", 1), 12),
    ],
)
def test_decimals_follow_the_step(domain: Domain, decimals: int) -> None:
    assert decimals_of(domain) == decimals


def test_dates() -> None:
    assert parse_date("1970-01-02") == 1
    assert parse_date("2024-02-30") is None
    assert Wording("day", "date").number(1e12).replace(",", "").isdigit()
    assert Wording("pay", "number", "€").value(-6.8e12) == "€\u00a0-6.8 × 10¹²"


def test_plurals() -> None:
    assert [plural_of(one) for one in ("person", "flight", "cat", "")] == ["people", "flights", "cats", "records"]


def test_one_of_a_thing_is_no_plural():
    said = [count_in_words(count, "row") for count in (0, 1, 12_345)]
    assert said == ["0 rows", "1 row", "12,345 rows"]


@pytest.mark.parametrize(
    ("number", "digits", "words"),
    [
        (-5.32907e-14, 6, "0"), (22026.46, 3, "22,000"), (1.25e-05, 3, "0.0000125"), (1.2e-20, 2, "0"), (3.5, 6, "3.5"),
        (-0.5, 3, "-0.5"), (9999.6, 4, "10,000"), (4.85e8, 3, "485,000,000"), (2.5e13, 3, "2.5 × 10¹³"), (0.0, 3, "0"),
        (float("inf"), 3, "–"), (120.0, 6, "120"), (0.1 + 0.2, 3, "0.3"),
    ],
)  # fmt: skip
def test_no_number_is_written_with_an_e(number: float, digits: int, words: str) -> None:
    assert in_digits(number, digits) == words


def test_what_is_tiny_and_no_rounding_is_a_power_of_ten() -> None:
    assert in_digits(1.25e-20, nothing=0.0) == "1.25 × 10⁻²⁰"
    assert in_digits(1e-20, 1, nothing=0.0) == "1 × 10⁻²⁰"
