"""What the Trade-off page says of a sweep, checked against its rows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dpq_core.privacy import PureDP
from dpq_core.studies import Grid, Row, engine
from pages.studies import Subject
from pages.tradeoff import results

SUBJECT = Subject(
    identity="", data="uniform", n=100, domain=None, count=100, about="", one="person", many="people", unit="",
    reading="",
)  # fmt: skip


@pytest.fixture(scope="module")
def points() -> list[results.Point]:
    grid = Grid(mechanisms=["aq", "indexp"], quantiles=[5], n=[100], budgets=[PureDP(0.1), PureDP(10.0)], trials=40)
    return [(row.epsilon, row) for _, row in engine.steps(grid)]


def said(points: list[results.Point], **facts: float) -> str:
    return results.finding(points, "epsilon", facts.get("here"), "mean", SUBJECT).replace("\\", "")


@pytest.mark.parametrize(
    ("x", "text"), [(5e-5, "0.00005"), (0.000311, "0.000311"), (0.21544, "0.2154"), (9, "9"), (120998.0, "120,998")]
)
def test_a_swept_setting_has_no_exponent(x: float, text: str) -> None:
    assert results.shown(x) == text


def with_error(points: list[results.Point], **errors: float) -> list[results.Point]:
    """Return the points of a mechanism with another error, and no doubt of it."""
    return [
        (x, replace(row, mean_error=errors.get(row.mechanism, row.mean_error), mean_error_se=0.0)) for x, row in points
    ]


def test_both_ends_are_said_and_the_best_where_one_stands(points: list[results.Point]) -> None:
    least = {x: min(row.mean_error for at, row in points if at == x) for x in (0.1, 10.0)}
    assert least[0.1] > 1 > least[10.0]
    assert f"From ε = 0.1 to 10 the least mean rank error falls from {least[0.1]:.2g} people to" in said(points)
    told = said(with_error(points, aq=3.0, indexp=9.0), here=0.12)
    assert told.endswith("At ε = 0.1 Splitting in halves (AQ) errs least.")
    assert "errs least" not in said(points), "no setting is chosen on this axis"


def test_one_mechanism_is_named_and_one_place_says_nothing(points: list[results.Point]) -> None:
    mine = [(x, row) for x, row in points if row.mechanism == "aq"]
    assert "the mean rank error of Splitting in halves (AQ) falls" in said(mine, here=1.0)
    assert said([point for point in points if point[0] == 10.0]) == ""
    assert said([(x, replace(row, supported=False)) for x, row in points]) == ""


def test_what_the_runs_cannot_tell_is_said(points: list[results.Point]) -> None:
    text = said(with_error(points, aq=3.0, indexp=3.0), here=1.0)
    assert "stays at 3 people" in text
    assert "the differences between the mechanisms are within simulation noise" in text
    tiny = [(x, replace(row, mean_error=x / 100)) for x, row in with_error(points)]
    assert "the least mean rank error stays under 1 person.**" in said(tiny)


def test_rows_that_are_not_available_are_no_best(points: list[results.Point]) -> None:
    def refused(row: Row) -> Row:
        return replace(row, supported=False, mean_error=float("nan")) if row.mechanism == "aq" else row

    text = said([(x, refused(row)) for x, row in points], here=0.1)
    assert "At ε = 0.1 One by one (IndExp) errs least." in text
