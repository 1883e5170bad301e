"""The rows that are edited on the page of several columns, and what they ask."""

from fractions import Fraction

import pytest

from dpq_core import Adjacency, Domain
from dpq_core.results import DataSet
from pages.columns.asking import _usual, typed_row
from pages.form import TypedTable, WrongColumn, request_of

JOINS, REPLACED = Adjacency


def column(kind="number"):
    return DataSet(
        identity="table:0", name="pay", kind=kind, unit="", one="person", many="people", about="", source="",
        is_example=False, reading="",
    )  # fmt: skip


def request(kind="number", adjacency=JOINS, **edited):
    row = _usual(column(kind)) | edited
    return request_of({"pay": typed_row(row, kind)}, TypedTable(said={"adjacency": adjacency.value}))


@pytest.mark.parametrize("empty", ["", None, float("nan")])
def test_without_bounds_a_column_has_significant_digits(empty):
    asked = request(lower=empty, upper=empty, step=empty, otherwise="3 digits")
    assert asked.domains["pay"] == Domain.significant(3, negative=False), "unless values can be negative"
    assert asked.plans["pay"].quantiles == tuple(Fraction(share, 100) for share in (5, 25, 50, 75, 95))
    assert asked.plans["pay"].mechanism == "best"
    assert asked.missing == {"pay": None}


def test_bounds_levels_weights_and_dates_are_taken_as_typed():
    asked = request(lower=" 10", upper="90", step="0.5", quantiles="1/3; 90%", weight=2.5, adjacency=REPLACED)
    assert asked.domains["pay"] == Domain(10, 90, "0.5")
    assert asked.plans["pay"].quantiles == (Fraction(1, 3), Fraction(9, 10))
    assert asked.weights == {"pay": Fraction(5, 2)}
    assert asked.missing == {"pay": 10}, "the lowest value"
    assert request("date").domains["pay"] == Domain(-25567, 47846, 1)


def test_dates_without_bounds_are_asked_for_a_first_and_a_last_day():
    """Days since 1970 of two significant digits are dates that mean nothing."""
    with pytest.raises(WrongColumn, match=r"must be a date such as 2024-01-31"):
        request("date", lower="", upper="", step="")


@pytest.mark.parametrize(
    "edited",
    [
        {"lower": "5"},
        {"lower": "9", "upper": "1"},
        {"quantiles": None},
        {"quantiles": "120%"},
        {"weight": None},
        {"weight": 0.0},
        {"weight": float("inf")},
    ],
)
def test_a_row_that_cannot_be_used_names_its_column(edited):
    with pytest.raises(WrongColumn) as wrong:
        request(**edited)
    assert wrong.value.column == "pay"
