"""What a study runs on, and what it asks."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpq_core import Adjacency, ApproxDP, Domain, FindBounds, Intervals, People, PureDP
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.question import Persons
from dpq_core.results.data_set import DataSet, PublicData
from dpq_core.results.sealed import SealedColumn
from pages.compare import study
from pages.form.form import Form
from pages.shell.state import ChosenTable
from pages.tradeoff.sweeps import SWEPT, swept, widened
from tests.approved import check_approved
from tests.narrowing import present
from tests.pages.driving import drawn_by
from tests.results.test_outcomes import private

DOMAIN = Domain(0, 100, 1)
OWN = PublicData(
    identity="upload:1", name="age", kind="number", unit="", one="person", many="people", about="age from own.csv",
    source="", is_example=False, values=np.array([3.0, np.nan, 5.0]),
)  # fmt: skip
VISITS = People.of(["a", "a", "b", "b", "b", "c", None])
OF_PERSONS = replace(
    OWN, people=VISITS, one_person="patient", missing=Fraction(7), values=np.array([np.nan, 2, 3, np.nan, 5, np.nan, 9])
)
"""Only of the person c no row has a value."""


def test_a_release_gives_a_study_nothing_of_the_data():
    found = study.subject_of(private(), DOMAIN, 500)
    assert found.given is None
    assert (found.data, found.n, found.count, found.public) == (study.SHAPE, 500, 500, True)
    other = study.subject_of(replace(private(), column=SealedColumn(np.arange(9.0), b"")), DOMAIN, 500)
    assert vars(found) == vars(other)


def test_missing_values_are_left_out_or_counted():
    left_out = study.subject_of(OWN, DOMAIN, 0)
    assert (left_out.data, left_out.count, left_out.public) == (study.MINE, 2, False)
    counted = study.subject_of(replace(OWN, missing=DOMAIN.lower), DOMAIN, 0)
    assert np.asarray(present(counted.given)[study.MINE]).tolist() == [3.0, 0.0, 5.0]
    assert counted.count == 3


def test_an_example_is_named_so_that_the_grid_alone_repeats_it():
    example = replace(OWN, identity="example:adult-age", is_example=True, values=np.array([3.0, 5.0]))
    found = study.subject_of(example, DOMAIN, 0)
    assert (found.data, found.given, found.public) == ("adult-age", None, True)


def test_every_mechanism_gets_a_public_bound_where_it_needs_one():
    found = study.methods(1025, Adjacency.ADD_REMOVE, {"binhist": {"bins": 50}})
    options = {method.mechanism: dict(method.options) for method in found}
    assert list(options) == list(MECHANISMS)
    assert options["gkexp"] == {"n_max": 10_000}
    sketches = {count: study.methods(count, Adjacency.ADD_REMOVE, {}) for count in (0, 1, 2, 10, 11, 1000, 1001)}
    most = [dict(each.options)["n_max"] for found in sketches.values() for each in found if each.mechanism == "gkexp"]
    assert most == [1, 1, 10, 10, 100, 1000, 10_000]
    assert options["binhist"] == {"bins": 50}
    assert not any(method.options for method in study.methods(1025, Adjacency.REPLACE_ONE, {}))


@pytest.mark.parametrize(
    ("settings", "count", "seventh"),
    [
        ({"per_person": "mean"}, 3, 1),
        ({"per_person": "weight"}, 3, 1),
        ({"max_rows": 2}, 5, 3),
        ({"max_rows": 1}, 3, 3),
    ],
)
def test_a_missing_value_is_one_of_a_person_or_of_each_row(settings: dict[str, Any], count: int, seventh: int) -> None:
    """`seventh`: how many missing values count as 7; where a person has one number, only that of c does."""
    found = study.subject_of(replace(OF_PERSONS, person=Persons(column="id", **settings)), DOMAIN, 0)
    assert found.count == count
    assert found.protected == "patient with all rows"
    values = np.asarray(present(found.given)[study.MINE].values)  # type: ignore[union-attr]
    assert np.count_nonzero(values == 7) == seventh


USUAL: dict[str, Any] = {
    "brought": OWN, "data": OWN, "bounds": DOMAIN, "levels": (Fraction(1, 2), Fraction(3, 4)),
    "privacy": PureDP(0.5), "adjacency": Adjacency.ADD_REMOVE, "count": 700,
}  # fmt: skip
ASKED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "public": ({}, {}),
    "private": ({"data": private(), "intervals": Intervals(0.9)}, {}),
    "nothing brought, one is replaced": ({"brought": None, "data": None, "adjacency": Adjacency.REPLACE_ONE}, {}),
    "persons, delta": (
        {"data": replace(OF_PERSONS, person=Persons(max_rows=2, column="id")), "privacy": ApproxDP(0.5, 1e-6)}, {},
    ),
    "persons, private": (
        {"data": replace(private(), person=Persons(per_person="mean", column="id"), one_person="patient"), "count": 1},
        {},
    ),
    "found bounds": ({"bounds": FindBounds("0.2", step=1)}, {}),
    "found bounds of private data": ({"data": private(), "bounds": FindBounds("0.2", step=1)}, {}),
    "hard": ({}, {"trouble": "few"}), "hard, bounds": ({}, {"trouble": "wide"}),
    "hard, levels": ({}, {"trouble": "steps"}),
    "nothing is known of its missing values": ({"data": None}, {}), "no bounds": ({"bounds": None}, {}),
    "no levels": ({"levels": None}, {}), "no budget": ({"privacy": None}, {}), "no number": ({"count": None}, {}),
}  # fmt: skip
"""What differs from USUAL, and what else is asked."""


def form_of(*, brought: DataSet | None, **said: Any) -> Form:
    """Return what a form says of a column."""
    return Form(table=None if brought is None else ChosenTable.of_column(brought), **said)


def page(form: object, asked: dict[str, object]) -> None:
    import streamlit as st

    from pages.compare import study
    from pages.shell import links

    st.session_state[links._PAGE] = "compare"
    st.session_state["asked"] = study.request_of(form, **asked)  # type: ignore[arg-type]


def differences(one: study.StudyRequest, other: study.StudyRequest) -> list[Any]:
    """Return what a sweep changes in a grid, and what it has besides."""
    usual = one.grid.as_dict()
    return [{name: part for name, part in other.grid.as_dict().items() if part != usual[name]}, *other.extra]


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("name", ASKED)
def test_a_study_asks_what_was_approved(name: str) -> None:
    """With each setting swept where there is a study; none where a part of the question is missing."""
    changes, asked = ASKED[name]
    visit = drawn_by(page, form_of(**USUAL | changes), asked)
    request: study.StudyRequest | None = visit.session_state["asked"]
    found: dict[str, Any] = {"study": request}
    if request is None:
        assert swept(request, "epsilon") is None
    else:
        words = ("identity", "missing", "about", "one", "many", "unit", "person", "one_person")
        of = [getattr(request.subject, name) for name in words]
        found = {"grid": request.grid.as_dict(), "question": request.question.as_dict(), "of": of}
        found["given"] = [getattr(each, "values", each) for each in (request.subject.given or {}).values()]
        if name in ("public", "nothing brought, one is replaced"):
            found["swept"] = {sweep: differences(request, present(swept(request, sweep))) for sweep in SWEPT}
    check_approved(Path(__file__).parent / "approved" / "studies.json", name, found)


@pytest.mark.parametrize("factor", [1, 2, 5, 1000])
def test_widened_bounds_hold_the_old_grid(factor):
    wide = widened(DOMAIN, factor)
    assert wide.lower <= DOMAIN.lower
    assert wide.step == DOMAIN.step
    assert (DOMAIN.lower - wide.lower) == (wide.upper - DOMAIN.upper)
    assert wide.cells == pytest.approx(factor * DOMAIN.cells, abs=1)
