"""What was typed and what is then asked: a plain function, called here without a page."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

import pytest

from dpq_core import ApproxDP, Domain, FindBounds, ParameterError, Plan, PureDP
from dpq_core.plan import NOISY, Intervals
from dpq_core.results import PersonChoice, TableRequest
from dpq_core.results.groups.choice import GroupChoice
from dpq_core.results.groups.sizes import GroupSizes
from dpq_core.studies import SOME_ROWS
from pages.form import TypedColumn, TypedTable, WrongColumn, request_of

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


@pytest.mark.parametrize(
    ("typed", "bounds"),
    [
        (AGE, Domain(0, 120, 1)),
        (DIGITS, Domain.significant(3, negative=False)),
        (FOUND, FindBounds(Fraction(1, 5), negative=False, step=0.5)),
        ({"bounds": "find"}, FindBounds()),
    ],
)
def test_possible_values_are_known_or_digits_or_found(typed: dict[str, str], bounds: object) -> None:
    assert asked(typed).bounds == {"age": bounds}


@pytest.mark.parametrize(
    ("typed", "levels"),
    [
        ({"quantiles": "median"}, ("1/2",)),
        ({"quantiles": "even", "even": "3"}, ("1/4", "1/2", "3/4")),
        ({"quantiles": "own", "own": "90 %; 1/3"}, ("9/10", "1/3")),
    ],
)
def test_levels_are_named_or_typed(typed: dict[str, str], levels: tuple[str, ...]) -> None:
    assert asked(AGE | typed).plans["age"].quantiles == tuple(map(Fraction, levels))


def test_groups_persons_and_intervals_are_those_that_were_typed() -> None:
    said = {"group_way": "list", "groups_each": "2", "take": SOME_ROWS, "most_rows": "4", "intervals": "0.9"}
    found = asked(AGE, said, person="patient", one="patient", about="2,000", **BY_REGION)
    assert found.person == PersonChoice("patient", "patient", most_rows=4)
    assert found.groups == GroupChoice("region", ("north", "south"), groups_per_person=2)
    assert found.sizes == GroupSizes(2000, (("north", 1200),))
    plan = found.plans["age"]
    assert (plan.intervals, plan.about_n) == (Intervals(0.9), {"north": 1200, "south": 2000})
    counted = asked(AGE, said | {"counted": "noisy"}, **BY_REGION)
    assert counted.plans["age"].about_n == NOISY
    replaced = {"adjacency": "substitute", "intervals": "0.9", "counted": "noisy"}
    assert asked(AGE, replaced).plans["age"].about_n == 1000, "their number is public then"


def test_the_most_rows_of_a_person_may_be_those_in_all_groups_together() -> None:
    said = {"group_way": "list", "take": SOME_ROWS, "most_rows": "4", "rows_in": "all", "groups_each": "no number"}
    found = asked(AGE, said, person="patient", one="patient", **BY_REGION)
    assert found.groups == GroupChoice("region", ("north", "south"), groups_per_person="any")
    one_each = asked(AGE, {"group_way": "list", "take": "mean", "rows_in": "all"}, person="id", **BY_REGION)
    assert one_each.groups == GroupChoice("region", ("north", "south")), "one record of a person in each group"


@pytest.mark.parametrize(("way", "names"), [("data", ("east", "west")), ("found", None)])
def test_groups_are_those_in_public_data_or_found(way: str, names: tuple[str, ...] | None) -> None:
    said = {"group_way": way, "budget": "approximate", "delta": "1e-7"}
    found = asked(AGE, said, by=("region",), known=(("east", "west"),))
    assert found.groups == GroupChoice("region", names)
    assert found.plans["age"].privacy == ApproxDP(1.0, 1e-7)


@pytest.mark.parametrize(
    ("typed", "stand_in"), [(AGE | {"lower": "-5"}, -5), (DIGITS, 0), (FOUND, 0), (AGE | {"missing": "40"}, 40)]
)
def test_a_missing_value_counts_where_the_number_of_records_is_public(typed: dict[str, str], stand_in: int) -> None:
    assert asked(typed, {"adjacency": "substitute"}).missing == {"age": stand_in}
    assert asked(typed).missing == {"age": None}


def test_several_columns_are_asked_in_one_request() -> None:
    columns = {
        "age": TypedColumn(said=AGE | {"mechanism": "aq"}, options={"calibration": "paper"}),
        "admitted": TypedColumn(
            kind="date",
            said={"lower": "2000-01-01", "upper": "2030-12-31", "step": "1", "bounds": "digits"},
            weight="2.5",
        ),
    }
    found = request_of(columns, TypedTable(said={"budget": "concentrated", "rho": "0,25"}))
    assert found.plans["age"].options == {"calibration": "paper"}
    assert found.weights == {"age": 1, "admitted": Fraction(5, 2)}
    assert found.bounds["admitted"] == Domain(10_957, 22_279, 1), "dates have bounds, whatever was chosen before"
    assert {str(plan.privacy) for plan in found.plans.values()} == {"ρ = 0.25"}


@pytest.mark.parametrize(
    ("column", "name"),
    [
        ({}, "lower"),
        (AGE | {"upper": "-1"}, "upper"),
        (AGE | {"quantiles": "own", "own": ""}, "quantiles"),
        (AGE | {"quantiles": "even", "even": "0"}, "quantiles"),
        (DIGITS | {"smallest": "x"}, "smallest"),
    ],
)
def test_what_is_wrong_with_a_column_is_said_of_it(column: dict[str, str], name: str) -> None:
    with pytest.raises(WrongColumn) as wrong:
        asked(column)
    assert (wrong.value.column, wrong.value.name) == ("age", name)


@pytest.mark.parametrize(
    ("said", "whole", "name"),
    [
        ({"take": SOME_ROWS, "most_rows": "many"}, {"person": "id"}, "most_rows"),
        ({"group_way": "list", "groups_each": "0"}, {"person": "id", **BY_REGION}, "groups_per_person"),
        ({"group_way": "list"}, {"by": ("region",), "lists": ("",)}, "names"),
        ({}, {"about": "some"}, "about_n"),
        ({"epsilon": "much"}, {}, "epsilon"),
        ({"budget": "approximate", "delta": "x"}, {}, "delta"),
    ],
)
def test_what_is_wrong_with_all_columns_is_no_fault_of_one(
    said: dict[str, str], whole: dict[str, Any], name: str
) -> None:
    with pytest.raises(ParameterError) as wrong:
        asked(AGE, said, **whole)
    assert not isinstance(wrong.value, WrongColumn)
    assert wrong.value.name == name
