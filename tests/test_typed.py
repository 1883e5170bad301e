"""What was typed, and the question that it makes; errors by the name of the setting and its column."""

from fractions import Fraction
from typing import Any

import pytest

from dpq_core import Adjacency, ApproxDP, Domain, FindBounds, Intervals, ParameterError, PureDP
from dpq_core.grouping import FindGroups, Grouping
from dpq_core.question import Asked, Persons, Question
from dpq_core.release import ColumnWords
from dpq_core.studies.takes import SOME_ROWS
from dpq_core.typed import CHOICES, READ_WHERE, USUAL, WrongColumn, guesses_of, parse, parse_names

AGE = {"lower": "0", "upper": "120", "step": "1"}
DIGITS = {"bounds": "digits", "digits": "3", "negative": "no"}
FOUND = {"bounds": "find", "share": "20 %", "step": "0.5", "negative": "no"}
NAMES = ("north", "south")
BY_REGION: dict[str, Any] = {"by": ("region",), "lists": ("north; 1200\nsouth",)}
PATIENTS = {"person": "patient", **BY_REGION}
EACH = PATIENTS | {"per_person": SOME_ROWS, "max_rows_per_person": "4", "intervals": "0.9"}
REPLACED = {"adjacency": "replace_one"}


def test_a_column_with_nothing_but_bounds_has_the_usual_settings() -> None:
    deciles = tuple(Fraction(tenth, 10) for tenth in range(1, 10))
    assert parse({"age": AGE}) == Question(
        columns={"age": Asked(possible=Domain(0, 120, 1), levels=deciles)}, budget=PureDP(0.1)
    )


def test_dates_without_a_step_have_one_of_a_day() -> None:
    assert parse({"a": {"kind": "", "lower": "1970-01-02", "upper": "1970-01-09"}}).possible == {"a": Domain(1, 8, 1)}


@pytest.mark.parametrize("per_person", ["mean", SOME_ROWS])
@pytest.mark.parametrize("budget", CHOICES["budget"])
@pytest.mark.parametrize("quantiles", ["median", "even", "own"])
@pytest.mark.parametrize("bounds", CHOICES["bounds"])
def test_what_is_not_read_makes_no_other_question(bounds: str, quantiles: str, budget: str, per_person: str) -> None:
    """So a link need not carry it."""
    said: dict[str, Any] = {name: USUAL[name] for name in USUAL} | EACH | {
        "bounds": bounds, "quantiles": quantiles, "budget": budget, "per_person": per_person, "lower": "1",
        "upper": "9",
        "step": "0.5", "digits": "3", "smallest": "1", "largest": "1000", "share": "20 %", "even": "3", "own": "0.7",
        "epsilon": "2", "delta": "1e-7", "rho": "0.25", "rows_in": "all", "negative": "no",
    }  # fmt: skip
    other = {**USUAL, "lower": "0", "upper": "10", "step": "1"}
    read = {name: value for name, value in said.items() if name not in READ_WHERE or _is_read(name, said)}
    assert len(read) < len(said)
    assert parse({"age": read}, read) == parse({"age": said}, said)
    for name in {*READ_WHERE} & {*read}:
        assert parse({"age": read | {name: other[name]}}, read | {name: other[name]}) != parse({"age": read}, read)


def _is_read(name: str, said: dict[str, Any]) -> bool:
    other, values = READ_WHERE[name]
    return said[other] in values


@pytest.mark.parametrize(
    ("column", "whole", "name", "value"),
    [
        (DIGITS, {}, "possible", Domain.significant(3, negative=False)),
        (FOUND, {}, "possible", FindBounds(Fraction(1, 5), negative=False, step=0.5)),
        ({"bounds": "find"}, {}, "possible", FindBounds()),
        (AGE | {"quantiles": "median"}, {}, "levels", (Fraction(1, 2),)),
        (AGE | {"quantiles": "even", "even": "3"}, {}, "levels", (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))),
        (AGE | {"quantiles": "own", "own": "90 %; 1/3"}, {}, "levels", (Fraction(9, 10), Fraction(1, 3))),
        (AGE | {"mechanism": "binhist", "options": {"bins": "50"}}, {}, "options", {"bins": 50}),
        (AGE | {"kind": "money", "unit": "€"}, {}, "words", ColumnWords(kind="money", unit="€")),
        (AGE | {"weight": "2.5"}, {}, "weight", Fraction(5, 2)),
        (AGE, {"about": "2,000"}, "about_n", 2000),
        (AGE, EACH, "persons", Persons(max_rows=4, column="patient", max_groups=1)),
        (AGE, EACH | {"groups_each": "2"}, "persons", Persons(max_rows=4, column="patient", max_groups=2)),
        # The most rows of a person may be those in all groups together.
        (AGE, EACH | {"rows_in": "all", "groups_each": "no number"}, "persons",
         Persons(max_rows=4, column="patient", max_groups="any")),
        # One record of a person in each group.
        (AGE, EACH | {"per_person": "mean", "rows_in": "all"}, "persons",
         Persons(per_person="mean", column="patient", max_groups=1)),
        (AGE, EACH | {"per_person": "weight"}, "persons", Persons(per_person="weight", column="patient")),
        (AGE, EACH, "groups", Grouping(by=("region",), names=NAMES)),
        (AGE, {"by": ("region",), "lists": (NAMES,), "other": " else "}, "groups",
         Grouping(by=("region",), names=NAMES, other="else")),
        (AGE, {"by": ("region", "sex"), "lists": ("north, south", "f"), "other": "else"}, "groups",
         Grouping(by=("region", "sex"), names=(("north", "f"), ("south", "f")))),
        (AGE, {"by": ("region",), "budget": "approximate"}, "groups", Grouping(by=("region",), names=FindGroups())),
        (AGE, EACH, "intervals", Intervals(0.9)),
        (AGE, EACH | {"hold": "together", "intervals_of": "population"}, "intervals",
         Intervals(0.9, "population", together=True)),
        (AGE, EACH | {"about": "2,000"}, "about_n", {"north": 1200, "south": 2000}),
        (AGE, EACH | {"about": {"north": "1", "south": "20"}}, "about_n", {"north": 1, "south": 20}),
        (AGE, EACH | {"counted": "noisy"}, "noisy_count", True),
        (AGE, {"budget": "approximate", "delta": "1e-7"}, "budget", ApproxDP(0.1, 1e-7)),
        (AGE, REPLACED, "adjacency", Adjacency.REPLACE_ONE),
        # A missing value always counts where the number of records is public.
        (AGE | {"lower": "-5"}, REPLACED, "missing", -5),
        (DIGITS, REPLACED, "missing", 0),
        (FOUND, REPLACED, "missing", 0),
        (AGE | {"missing": "40"}, REPLACED, "missing", 40),
        (AGE | {"missing": "40"}, {}, "missing", 40),
        (AGE | {"missing": None}, REPLACED, "missing", None),
        # Words of a column of which nobody knows what it holds are dates where they are typed so.
        (AGE | {"kind": ""}, {}, "words", ColumnWords()),
        (AGE | {"kind": "", "upper": "20240131"}, {}, "words", ColumnWords()),
        ({"kind": "", "lower": "2024-01-01", "upper": "2024-01-31", "step": "1"}, {}, "words",
         ColumnWords(kind="date")),
        (FOUND | {"kind": "", "missing": "1970-01-03"}, {}, "missing", 2),
        (AGE, {"epsilon": "2", "delta": "1e-7"}, "budget", ApproxDP(2.0, 1e-7)),
        (AGE | {"step": "", "measure": "uniform"}, {}, "possible", Domain(0, 120, measure="uniform")),
        (AGE, {}, "missing", None),
    ],
)  # fmt: skip
def test_what_was_typed_is_asked(column: dict[str, Any], whole: dict[str, Any], name: str, value: object) -> None:
    found = parse({"age": column}, whole)
    assert getattr(found.columns["age"] if name in vars(found.columns["age"]) else found, name) == value


def test_columns_are_of_one_budget_and_dates_have_bounds_whatever_was_chosen_before() -> None:
    admitted = {"kind": "date", "lower": "2000-01-01", "upper": "2030-12-31", "step": "1", "bounds": "digits"}
    missing = {"missing": "2000-01-02"}
    found = parse({"age": AGE, "admitted": admitted | missing}, {"budget": "concentrated", "rho": "0,25"})
    assert found.possible == {"age": Domain(0, 120, 1), "admitted": Domain(10_957, 22_279, 1)}
    assert (str(found.budget), found.missing["admitted"]) == ("ρ = 0.25", Fraction(10_958))


@pytest.mark.parametrize(("column", "whole", "name"), [
    ({}, {}, "lower"), (AGE | {"upper": "-1"}, {}, "upper"), (AGE | {"quantiles": "own", "own": ""}, {}, "quantiles"),
    (AGE | {"quantiles": "even", "even": "0"}, {}, "quantiles"), (AGE | {"quantiles": "some"}, {}, "quantiles"),
    (DIGITS | {"smallest": "x"}, {}, "smallest"), (DIGITS | {"negative": "maybe"}, {}, "negative"),
    (FOUND | {"share": "much"}, {}, "share"), (AGE | {"mechanism": "aq", "options": {"bins": "9"}}, {}, "bins"),
    (AGE, {"person": "id", "per_person": SOME_ROWS, "max_rows_per_person": "many"}, "max_rows_per_person"),
    (AGE, {"person": "id", "per_person": "all"}, "per_person"),
    (AGE, {"person": "id", **BY_REGION, "groups_each": "0"}, "max_groups_per_person"),
    (AGE, {"by": ("region",), "lists": ("",)}, "names"),
    (AGE, {"by": ("a", "b"), "lists": ("\n".join(map(str, range(400))),) * 2}, "names"),
    (AGE, {"about": "some"}, "about_n"), (AGE, {"epsilon": "much"}, "epsilon"),
    (AGE, {"budget": "approximate", "delta": "x"}, "delta"), (AGE, {"budget": "large"}, "budget"),
    (AGE, {"intervals": "some"}, "intervals"), (AGE, {"adjacency": "x"}, "adjacency"),
])  # fmt: skip
def test_what_is_wrong_is_said_of_its_column_alone(column: dict[str, Any], whole: dict[str, Any], name: str) -> None:
    with pytest.raises(ParameterError) as wrong:
        parse({"age": column}, whole)
    assert wrong.value.name == name
    of_it = column is not AGE
    assert isinstance(wrong.value, WrongColumn) is of_it
    assert not of_it or wrong.value.column == "age"  # type: ignore[attr-defined]


@pytest.mark.parametrize(("typed", "names"), [
    ("north\n\n south \nnorth", ("north", "south")), ('a, "b, c", d', ("a", "b, c", "d")), ("a;b;c", ("a", "b", "c")),
    ("a\tb", ("a", "b")), ("Bath, Somerset\nYork", ("Bath, Somerset", "York")),
    ("north; 1,200\nsouth\t40", ("north", "south")), ("42\n7", ("42", "7")),
    ('"a" & "b"\n7"\n" c, d "', ('"a" & "b"', '7"', "c, d")), ('the "x", y', ('the "x"', "y")),
])  # fmt: skip
def test_names_are_read_from_lines_or_from_one_line(typed: str, names: tuple[str, ...]) -> None:
    assert parse_names(typed, "rest") == names


def test_guesses_stand_behind_names() -> None:
    assert guesses_of({"lists": ("north; 1,200\nsouth\t40\neast\na, b",)}) == {"north": 1200, "south": 40}


@pytest.mark.parametrize(("typed", "other"), [("", ""), (" \n ", ""), ("a\nb", "b")])
def test_no_list_and_a_pool_that_is_listed_are_refused(typed: str, other: str) -> None:
    with pytest.raises(ParameterError):
        parse_names(typed, other)
