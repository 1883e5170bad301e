"""A form calibrates its plan once; a press, a rerun and the next page draw with what the form has found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import streamlit as st

from dpq_core import Adjacency
from dpq_core.advice import expected_error
from dpq_core.intervals.interpolation import standard_error_of
from dpq_core.results import REFERENCE_SIZE, Paid, TableRequest
from dpq_core.results.groups.sizes import GroupSizes
from dpq_core.studies import USUAL_SIZE
from pages.budget.counts import FEWEST, MOST
from pages.form import TypedColumn, TypedTable, request_of
from pages.frame import presses, state
from pages.keys import PREFIX
from pages.server import sessions
from pages.settings.table import TABS
from tests.every_run import kept
from tests.pages.driving import (
    bring,
    charged,
    csv_of,
    listing,
    open_page,
    press,
    run,
    said,
    set_bounds,
    turn_to,
    unfinished,
)
from tests.pages.test_groups import upload
from tests.pages.test_ledger_out_of_reach import RELEASES
from tests.results.test_calibrations import Calls, calls

__all__ = ["calls"]
AGES = np.random.default_rng(4).integers(18, 91, size=321)


def test_of_an_example_a_plan_is_calibrated_once_for_two_pages_and_a_column(calls: Calls) -> None:
    visit = press(run(open_page(mechanism="aq")))
    assert len(calls) == 1, "for the first picture, a rerun and a press"
    turn_to(visit, "inside").button(key=f"{PREFIX}_run_inside").click().run()
    assert [dict(plan.options) for plan, _ in calls] == [{}, {"draws": "one"}], "Inside shows one quantile a draw"
    visit.session_state[f"{PREFIX}_show"] = TABS[1]
    visit.session_state[f"{PREFIX}_size"] = "40"
    run(run(visit).button(key=f"{PREFIX}_run_column").click())
    assert [len(plan.quantiles) for plan, _ in calls] == [9, 9, 40], "checked, and simulated"
    visit.session_state[f"{PREFIX}_epsilon"] = "2"
    run(visit)
    visit.session_state[f"{PREFIX}_epsilon"] = "1"
    run(visit)
    assert len(calls) == 5, "two for the other budget, none for the one before"


@pytest.mark.parametrize(
    ("adjacency", "counts"),
    [
        (Adjacency.ADD_REMOVE, [None, None]),
        (Adjacency.SUBSTITUTE, [FEWEST, MOST, AGES.size, REFERENCE_SIZE, USUAL_SIZE, None]),
    ],
)
def test_a_release_draws_and_charges_with_what_the_form_has_found(
    calls: Calls, own_ledger: Path, adjacency: Adjacency, counts: list[int | None]
) -> None:
    """Where one is replaced the press learns the number; then the next form is judged with it, as it may be known.

    Once more it is calibrated for the forecast, among as many records as are guessed, and once without a number, for
    the error by which fewer levels may be drawn.
    """
    expected_error.cache_clear()  # as if no other test had asked for this forecast
    standard_error_of.cache_clear()
    visit = open_page(mechanism="aq", adjacency=adjacency)
    calls.clear()  # of the example that the page opens with
    press(run(set_bounds(bring(visit, csv_of(AGES)), "0", "120", "1")))
    assert f"{PREFIX}:outcome:release" in visit.session_state
    found = [count for _, count in calls]
    assert sorted(found[: len(counts)], key=str) == sorted(counts, key=str)
    assert found[len(counts) :] == [AGES.size] * (adjacency is Adjacency.SUBSTITUTE)


def test_what_a_refused_plan_needs_is_worked_out_once(calls: Calls) -> None:
    """Of both needs the way out is calibrated as well; a rerun repeats nothing."""
    visit = open_page(mechanism="normal")
    assert f"{PREFIX}:outcome:explore" not in visit.session_state
    before = len(calls)
    run(run(visit))
    assert len(calls) == before > 0


@pytest.mark.parametrize("shape", kept(RELEASES, "groups", "columns"))
def test_whatever_the_shape_an_interrupted_press_is_fetched_and_one_that_is_cancelled_costs_nothing(
    shape: str, own_ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, button = RELEASES[shape]
    visit = make()
    with monkeypatch.context() as patch:
        patch.setattr(sessions, "is_gone", lambda: True)  # ends the run where a click before the charge would
        press(visit, button)
    run(visit.button(key=f"{PREFIX}_cancel_press").click())
    assert (charged(own_ledger), unfinished(visit)) == (0, None)
    assert said(visit).count(presses.CANCELLED.rstrip(".")) == 1
    assert presses.CANCELLED.rstrip(".") not in said(run(visit)), "it is said once"
    with monkeypatch.context() as patch:
        patch.setattr(state, "keep", lambda *_: st.stop())  # ends it behind the charge
        press(visit, button)
    begun = unfinished(visit)
    assert begun is not None
    assert charged(own_ledger) == 1
    run(visit)
    found = [value for value in visit.session_state._state.filtered_state.values() if isinstance(value, Paid)]
    assert [each.release_id for each in found] == [begun.release_id]
    assert (charged(own_ledger), unfinished(visit)) == (1, None)


def test_what_has_failed_is_said_beside_its_own_data_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A press of several columns that was refused is no news on the page of one column."""
    session: dict[str, object] = {}
    monkeypatch.setattr(st, "session_state", session)
    complaints: list[str] = []
    monkeypatch.setattr(presses, "complain", complaints.append)
    asked = TableRequest(plans={}, bounds={}, weights={}, about_n=1)
    press_of_table = presses.ReleaseRequest(identity="table:1", account="staff", asked=asked, resolved=asked)
    presses.finish(press_of_table, "There is no answer.")
    presses.show_failure("upload:1")
    assert (complaints, presses.has_one_failed()) == ([], True)
    presses.show_failure("table:1")
    presses.show_failure("table:1")
    assert (complaints, presses.has_one_failed()) == (["There is no answer."], False)


@pytest.mark.parametrize(
    "link",
    [
        {"quantiles": "own", "own": "1/3; 90 %", "epsilon": "0.7"},
        {"budget": "concentrated", "rho": "0.2", "adjacency": "substitute", "intervals": "0.9"},
        pytest.param(
            {"budget": "approximate", "delta": "1e-7", "intervals": "0.95", "intervals_of": "population"},
            marks=pytest.mark.very_slow,
        ),
    ],
)
def test_a_press_asks_for_what_was_typed(
    own_ledger: Path, monkeypatch: pytest.MonkeyPatch, link: dict[str, str]
) -> None:
    """The plain function of the same texts, which no page has drawn, gives the same request."""
    link |= {"mechanism": "aq"}
    visit = bring(open_page(data="file", **link), csv_of(AGES))
    bounds = {"lower": "-3", "upper": "120", "step": "1"}
    set_bounds(visit, **bounds)
    monkeypatch.setattr(sessions, "is_gone", lambda: True)  # before the charge
    begun = unfinished(press(visit))
    assert begun is not None
    column, whole = TypedColumn(said=bounds | link), TypedTable(said=link)
    assert begun.asked == request_of({"age": column}, whole)
    assert charged(own_ledger) == 0


def test_a_press_for_groups_asks_for_what_was_typed(own_ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = {"mechanism": "aq", "quantiles": "median", "adjacency": "substitute"}
    visit = listing(upload(open_page(**link)), "north; 1,300", "south")
    monkeypatch.setattr(sessions, "is_gone", lambda: True)
    begun = unfinished(press(visit))
    assert begun is not None
    (name,) = begun.asked.plans
    bounds = {name: str(visit.text_input(key=f"{PREFIX}_{name}").value) for name in ("lower", "upper", "step")}
    assert begun.asked.groups is not None
    whole = TypedTable(said=link | {"group_way": "list"}, by=begun.asked.groups.columns, lists=("north; 1,300\nsouth",))
    assert begun.asked == request_of({name: TypedColumn(said=bounds | link)}, whole)
    assert begun.asked.sizes == GroupSizes(1000, (("north", 1300),))
