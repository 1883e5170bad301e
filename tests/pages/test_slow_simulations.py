"""A simulation that takes longer than a moment says so, can be cancelled, and offers a mechanism that is quicker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpq_core import Plan
from dpq_core.jobs.once import Once
from dpq_core.jobs.workers import TOO_LONG, TooLongError
from dpq_core.results import simulate_table, synthetic
from pages.frame.links import OF_TWO
from pages.keys import PREFIX
from pages.quantiles import live
from pages.server import calls, work
from tests.pages.driving import open_page, press, run, said

SLOW_ONES = {synthetic.simulate_column, simulate_table}
SLOW = {"data": "adult-age-full", "mechanism": "jointexp"}


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_took", {})


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was begun. JointExp's simulations and SLOW_ONES take a second whenever somebody looks, and have no end."""
    begun, now, usual = list[str](), [0.0], work.compute

    def compute(function: Callable[..., Any], *arguments: Any, meanwhile: Callable[[], object] = lambda: None) -> Any:
        plans = [each if isinstance(each, Plan) else getattr(each, "plan", None) for each in arguments]
        begun.append(next(plan.mechanism if isinstance(plan, Plan) else plan.mechanisms[0] for plan in plans if plan))
        if begun[-1] != "jointexp" and function not in SLOW_ONES:
            return usual(function, *arguments)
        for _ in range(5):
            meanwhile()
            now[0] += 1.0
        st.stop()

    monkeypatch.setattr(live, "monotonic", lambda: now[0])
    monkeypatch.setattr(work, "compute", compute)
    return begun


def buttons(visit: AppTest) -> list[str]:
    return [button.label for button in visit.button]


def test_a_visitor_sees_how_long_a_simulation_takes_and_can_cancel_it(asked: list[str]) -> None:
    visit = open_page(**SLOW)
    assert asked == ["jointexp"]
    assert "This simulation has taken 4 s. It ends after 30 s at the latest." in said(visit)
    press(visit, "cancel_live_timed")
    assert asked == ["jointexp"], "it waits for its button"
    assert "This simulation has taken" not in said(visit)
    assert "Simulate" in buttons(visit)


def test_a_column_that_takes_long_can_be_cancelled_too(asked: list[str]) -> None:
    visit = open_page(data="adult-age-full", mechanism="aq", show="Synthetic column")
    asked.clear()
    press(visit, "run_column")
    assert asked == ["aq"]
    assert "This simulation has taken 4 s." in said(visit)
    press(visit, "cancel_live_simulate_column")
    assert asked == ["aq"]
    assert "This simulation has taken" not in said(visit)


def test_a_run_inside_and_several_columns_say_it_too(asked: list[str]) -> None:
    of_two = OF_TWO | {"epsilon": "1"}
    for page, link, name in (("inside", SLOW, "explain_once"), ("quantiles", of_two, "simulate_table")):
        visit = open_page(page, **link)
        assert "This simulation has taken 4 s." in said(visit)
        assert ("Use Splitting in halves (AQ)" in buttons(visit)) is (page == "inside")
        begun = len(asked)
        press(visit, f"cancel_live_{name}")
        assert len(asked) == begun
        assert "This simulation has taken" not in said(visit)


def test_a_visitor_can_take_a_quicker_mechanism_instead(asked: list[str]) -> None:
    visit = open_page(**SLOW)
    press(visit, "way_timed:mechanism:aq")
    assert asked == ["jointexp", "aq"]
    assert visit.session_state[f"{PREFIX}_mechanism"] == "aq"
    assert "This simulation has taken" not in said(visit)


def test_a_result_stands_in_the_same_place_whether_it_took_long_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the browser shows the one before beside it until the page has run to its end."""
    now, usual, looks = [0.0], work.compute, [3, 0]

    def compute(*asked: Any, meanwhile: Callable[[], object] = lambda: None) -> Any:
        for _ in range(looks.pop(0)):
            meanwhile()
            now[0] += 1.0
        return usual(*asked)

    monkeypatch.setattr(live, "monotonic", lambda: now[0])
    monkeypatch.setattr(work, "compute", compute)
    visit = open_page(data="adult-age-full", mechanism="aq")
    slow = list(visit.tabs[0].children)
    quick = list(press(visit).tabs[0].children)
    assert looks == []
    assert slow == quick == list(run(visit).tabs[0].children)


def test_a_quick_simulation_shows_neither(asked: list[str]) -> None:
    visit = open_page(data="adult-age-full", mechanism="aq")
    assert asked == ["aq"]
    assert "Cancel" not in buttons(visit)


def test_a_link_to_a_draw_that_would_take_too_long_computes_nothing_and_offers_what_does(asked: list[str]) -> None:
    visit = open_page(data="adult-age-full", mechanism="freetotal", epsilon="0.02", quantiles="even", even="60")
    assert asked == []
    assert "must be fewer for FreeTotal with so small a budget" in said(visit)
    assert {"Use Splitting in halves (AQ)", "Use ε = 0.64"} <= set(buttons(visit))
    press(visit, "way_quantiles_0:mechanism:aq")
    assert asked == ["aq"]
    assert "must be fewer for FreeTotal" not in said(visit)


@pytest.mark.parametrize("page", ["quantiles", "compare", "report"])
def test_what_takes_too_long_to_work_out_from_public_facts_is_a_sentence(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine the choice of a mechanism took half a minute, and the page showed an error."""

    def too_long(*_: object, **__: object) -> None:
        raise TooLongError(TOO_LONG)

    monkeypatch.setattr(calls, "serves", lambda: True)
    monkeypatch.setattr(work, "_known", Once())
    monkeypatch.setattr(work._WORKERS, "call", too_long)
    assert TOO_LONG in [each.value for each in open_page(page).warning]
