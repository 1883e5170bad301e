"""What was typed and what is then asked: a plain function, called here without a page."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

import pytest

from dpq_core import ApproxDP, Domain, FindBounds, ParameterError, Plan, PureDP
from dpq_core.plan import NOISY, Intervals
from dpq_core.results.data_set import DataSet
from dpq_core.results.groups.choice import GroupChoice
from dpq_core.results.groups.sizes import GroupSizes
from dpq_core.results.persons import PersonChoice
from dpq_core.results.tables.kinds import TableRequest
from dpq_core.studies.takes import SOME_ROWS
from pages.columns.asking import _usual, typed_row
from pages.form.requests import TypedColumn, TypedTable, WrongColumn, request_of

AGE = {"lower": "0", "upper": "120", "step": "1"}
DIGITS = {"bounds": "digits", "digits": "3", "negative": "no"}
FOUND = {"bounds": "find", "share": "20 %", "step": "0.5", "negative": "no"}
BY_REGION = {"by": ("region",), "lists": ("north; 1200\nsouth",)}


@pytest.fixture(autouse=True)
def no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever asked for a session, or drew a widget, would fail."""
    monkeypatch.setattr(sys.modules["streamlit"], "session_state", None)


def asked(column: dict[str, str], table: dict[str, str] | None = None, **whole: Any) -> TableRequest:
    return request_of({"age": TypedColumn(said=column)}, TypedTable(said=table or {}, **whole))


def test_a_column_with_nothing_but_bounds_has_the_usual_settings() -> None:
    found = asked(AGE)
    assert found.plans == {"age": Plan([f"{tenth}/10" for tenth in range(1, 10)], "best", PureDP(1.0))}
    assert found.bounds == {"age": Domain(0, 120, 1)}
    assert (dict(found.weights), dict(found.missing)) == ({"age": Fraction(1)}, {"age": None})
    assert found.about_n == 1000
    assert (found.person, found.groups, found.sizes) == (None, None, GroupSizes())
    assert found.calibrated is not None


PATIENTS: dict[str, Any] = {"person": "patient", "one": "patient", **BY_REGION}
NAMES = ("north", "south")
EACH = {"group_way": "list", "take": SOME_ROWS, "most_rows": "4", "intervals": "0.9"}
REPLACED = {"adjacency": "substitute"}


@pytest.mark.parametrize(
    ("column", "said", "whole", "name", "value"),
    [
        (DIGITS, {}, {}, "bounds", Domain.significant(3, negative=False)),
        (FOUND, {}, {}, "bounds", FindBounds(Fraction(1, 5), negative=False, step=0.5)),
        ({"bounds": "find"}, {}, {}, "bounds", FindBounds()),
        (AGE | {"quantiles": "median"}, {}, {}, "quantiles", ("1/2",)),
        (AGE | {"quantiles": "even", "even": "3"}, {}, {}, "quantiles", ("1/4", "1/2", "3/4")),
        (AGE | {"quantiles": "own", "own": "90 %; 1/3"}, {}, {}, "quantiles", ("9/10", "1/3")),
        (AGE, EACH, PATIENTS, "person", PersonChoice("patient", "patient", most_rows=4)),
        (AGE, EACH | {"groups_each": "2"}, PATIENTS, "groups", GroupChoice("region", NAMES, groups_per_person=2)),
        (AGE, EACH, PATIENTS | {"about": "2,000"}, "sizes", GroupSizes(2000, (("north", 1200),))),
        (AGE, EACH, PATIENTS, "intervals", Intervals(0.9)),
        (AGE, EACH, PATIENTS | {"about": "2,000"}, "about_n", {"north": 1200, "south": 2000}),
        (AGE, EACH | {"counted": "noisy"}, PATIENTS, "about_n", NOISY),
        # Their number is public then.
        (AGE, REPLACED | {"intervals": "0.9", "counted": "noisy"}, {}, "about_n", 1000),
        # The most rows of a person may be those in all groups together.
        (AGE, EACH | {"rows_in": "all", "groups_each": "no number"}, PATIENTS, "groups",
         GroupChoice("region", NAMES, groups_per_person="any")),
        # One record of a person in each group.
        (AGE, EACH | {"take": "mean", "rows_in": "all"}, PATIENTS, "groups", GroupChoice("region", NAMES)),
        (AGE, {"group_way": "data"}, {"by": ("region",), "known": (("east", "west"),)}, "groups",
         GroupChoice("region", ("east", "west"))),
        (AGE, {"group_way": "found", "budget": "approximate"}, {"by": ("region",), "known": (("east", "west"),)},
         "groups", GroupChoice("region", None)),
        (AGE, {"budget": "approximate", "delta": "1e-7"}, {}, "privacy", ApproxDP(1.0, 1e-7)),
        # A missing value counts where the number of records is public.
        (AGE | {"lower": "-5"}, REPLACED, {}, "missing", -5),
        (DIGITS, REPLACED, {}, "missing", 0),
        (FOUND, REPLACED, {}, "missing", 0),
        (AGE | {"missing": "40"}, REPLACED, {}, "missing", 40),
        (AGE | {"missing": "40"}, {}, {}, "missing", None),
    ],
)  # fmt: skip
def test_what_was_typed_is_asked(
    column: dict[str, str], said: dict[str, str], whole: dict[str, Any], name: str, value: object
) -> None:
    found = asked(column, said, **whole)
    if name in {"person", "groups", "sizes"}:
        assert getattr(found, name) == value
    elif name in {"bounds", "missing"}:
        assert getattr(found, name) == {"age": value}
    else:
        kept = getattr(found.plans["age"], name)
        assert (kept if name != "quantiles" else tuple(map(str, kept))) == value


def test_several_columns_are_asked_in_one_request() -> None:
    columns = {
        "age": TypedColumn(said=AGE | {"mechanism": "binhist"}, options={"bins": "50"}),
        "admitted": TypedColumn(
            kind="date",
            said={"lower": "2000-01-01", "upper": "2030-12-31", "step": "1", "bounds": "digits"},
            weight="2.5",
        ),
    }
    found = request_of(columns, TypedTable(said={"budget": "concentrated", "rho": "0,25"}))
    assert found.plans["age"].options == {"bins": 50}
    assert found.weights == {"age": 1, "admitted": Fraction(5, 2)}
    assert found.bounds["admitted"] == Domain(10_957, 22_279, 1), "dates have bounds, whatever was chosen before"
    assert {str(plan.privacy) for plan in found.plans.values()} == {"ρ = 0.25"}


@pytest.mark.parametrize(
    ("column", "said", "whole", "name"),
    [
        ({}, {}, {}, "lower"),
        (AGE | {"upper": "-1"}, {}, {}, "upper"),
        (AGE | {"quantiles": "own", "own": ""}, {}, {}, "quantiles"),
        (AGE | {"quantiles": "even", "even": "0"}, {}, {}, "quantiles"),
        (DIGITS | {"smallest": "x"}, {}, {}, "smallest"),
        (AGE, {"take": SOME_ROWS, "most_rows": "many"}, {"person": "id"}, "most_rows"),
        (AGE, {"group_way": "list", "groups_each": "0"}, {"person": "id", **BY_REGION}, "groups_per_person"),
        (AGE, {"group_way": "list"}, {"by": ("region",), "lists": ("",)}, "names"),
        (AGE, {}, {"about": "some"}, "about_n"),
        (AGE, {"epsilon": "much"}, {}, "epsilon"),
        (AGE, {"budget": "approximate", "delta": "x"}, {}, "delta"),
    ],
)
def test_what_is_wrong_with_a_column_is_said_of_it_and_all_else_of_none(
    column: dict[str, str], said: dict[str, str], whole: dict[str, Any], name: str
) -> None:
    with pytest.raises(ParameterError) as wrong:
        asked(column, said, **whole)
    assert wrong.value.name == name
    of_it = name in {"lower", "upper", "quantiles", "smallest"}
    assert isinstance(wrong.value, WrongColumn) is of_it
    assert not of_it or wrong.value.column == "age"  # type: ignore[attr-defined]


def column(kind="number"):
    return DataSet(
        identity="table:0", name="pay", kind=kind, unit="", one="person", many="people", about="", source="",
        is_example=False,
    )  # fmt: skip


def request(kind="number", said=None, **edited):
    """What a row asks that was edited on the page of several columns."""
    row = _usual(column(kind)) | edited
    return request_of({"pay": typed_row(row, kind)}, TypedTable(said=said or {}))


@pytest.mark.parametrize("empty", ["", None, float("nan")])
def test_without_bounds_a_column_has_significant_digits(empty):
    asked = request(lower=empty, upper=empty, step=empty, otherwise="3 digits")
    assert asked.domains["pay"] == Domain.significant(3, negative=False), "unless values can be negative"
    assert asked.plans["pay"].quantiles == tuple(Fraction(share, 100) for share in (5, 25, 50, 75, 95))
    assert asked.plans["pay"].mechanism == "best"
    assert asked.missing == {"pay": None}


def test_bounds_levels_weights_and_dates_are_taken_as_typed():
    asked = request(lower=" 10", upper="90", step="0.5", quantiles="1/3; 90%", weight=2.5, said=REPLACED)
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
