"""Values and units in words."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpq_core import Domain
from dpq_core.ui.wording import Wording, decimals_of, level_name, parse_date, plural_of, spoken_level

AGE = Wording("age", "number", "years", "person", "people", 0)


def test_values_carry_their_unit() -> None:
    assert AGE.value(38) == "38 years"
    assert Wording("income", "money", "€", decimals=2).value(1234.5) == "€ 1,234.50"
    assert Wording("x").value(float("nan")) == "–"
    assert Wording("x").value(-1.5e300) == "-1.5e+300"
    assert Wording("day", "date").value(19753.7) == "2024-01-31"


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 people"), (1, "1 person"), (2.55, "2.5 people"), (1300, "1,300 people")]
)
def test_counts(number: float, said: str) -> None:
    assert AGE.count(number) == said


def test_axis() -> None:
    assert AGE.axis == "age (years)"
    assert Wording("day", "date").axis == "day"


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
    [(Domain(0, 120, 1), 0), (Domain(0, 1, "0.25"), 2), (Domain("0.5", 10, 1), 1), (Domain(0, 1), 3)],
)
def test_decimals_follow_the_step(domain: Domain, decimals: int) -> None:
    assert decimals_of(domain) == decimals


def test_dates() -> None:
    assert parse_date("1970-01-02") == 1
    assert parse_date("2024-02-30") is None
    assert Wording("day", "date").number(1e12).replace(",", "").isdigit()


def test_plurals() -> None:
    assert [plural_of(one) for one in ("person", "flight", "cat", "")] == ["people", "flights", "cats", "records"]
