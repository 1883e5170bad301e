"""Work beside the server: once for all who ask the same, and as a job on the screen."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import Domain, Plan, forecast
from dpq_core.advice.choice import Run
from dpq_core.advice.errors import expected_error
from dpq_core.grouping import Grouping
from dpq_core.jobs.queue import Stage, TooLongError
from dpq_core.jobs.turns import Once
from dpq_core.question import Persons
from pages.explore import live
from pages.server import runs, work
from tests.advice.asked import ask
from tests.jobs.test_queue import wait
from tests.pages.driving import drawn_by

FACTS = Run(Plan(["1/2"], "aq"), Domain(0, 100, 1)), 1000


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """What a process beside the server is asked, on a server that knows nothing yet."""
    found: list[Callable[[], object]] = []

    def compute(function: Callable[[], object]) -> object:
        found.append(function)
        return function()

    monkeypatch.setattr(runs, "serves", lambda: True)
    monkeypatch.setattr(work, "look", lambda: None)
    monkeypatch.setattr(work, "compute", compute)
    monkeypatch.setattr(work, "_known", Once(work.MOST_KNOWN))
    return found


def test_what_many_ask_at_once_is_worked_out_once(asked: list[object]) -> None:
    ready = Barrier(8)

    def ask() -> object:
        ready.wait()
        return work.know(expected_error, *FACTS)

    with ThreadPoolExecutor(8) as visitors:
        found = {id(each.result()) for each in [visitors.submit(ask) for _ in range(8)]}
    assert len(found) == len(asked) == 1
    assert work.know(expected_error, *FACTS) == expected_error(*FACTS)


def test_other_facts_and_other_names_are_other_questions(asked: list[object]) -> None:
    names = Grouping(by=("group",), names=("a", "b"))
    question = ask(plan=Plan(["1/2"]), domain=Domain(0, 100, 1), groups=names)
    work.know(expected_error, *FACTS)
    work.know(expected_error, FACTS[0], 2000)
    for second in (200, 300):
        work.know(forecast, question, {"a": 100, "b": second})
    persons = Persons(per_person="mean", max_groups=2)
    work.know(forecast, replace(question, persons=persons), {"a": 100, "b": 200})
    assert len(asked) == 5


def test_without_a_server_it_is_worked_out_in_place(asked: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "serves", lambda: False)
    assert work.know(expected_error, *FACTS) == expected_error(*FACTS)
    assert asked == []


QUICK, LONG = Plan(["1/2"], "aq"), Plan([f"{at}/1000" for at in range(1, 1000)], "jointexp")
RECORDS = 1_000


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_took", {})


@pytest.mark.parametrize(("seconds", "quick"), [(1.5, False), (0.5, True)])
def test_the_last_run_counts_and_not_its_estimate(monkeypatch: pytest.MonkeyPatch, seconds: float, quick: bool) -> None:
    monkeypatch.setattr(work, "compute", lambda *_, **__: (1, seconds))
    assert live._is_quick(QUICK, RECORDS)
    assert not live._is_quick(LONG, RECORDS)
    for plan in (QUICK, LONG):
        assert live.compute(plan, RECORDS, abs, -1) == 1
        assert live._is_quick(plan, RECORDS) is quick
    assert live._is_quick(QUICK, 100 * RECORDS), "of other data nothing is known"


def test_what_was_ended_for_its_time_waits_for_its_button(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(*_: object, **__: object) -> None:
        raise TooLongError("too long")

    monkeypatch.setattr(work, "compute", ended)
    with pytest.raises(TooLongError):
        live.compute(QUICK, RECORDS, abs, -1)
    assert not live._is_quick(QUICK, RECORDS)


def test_only_the_last_times_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_TIMES", 3)
    for records in (1, 2, 4, 8, 16):
        live.compute(QUICK, records, abs, -1)
    assert len(live._took) == 3


def page() -> None:
    import itertools

    import streamlit as st

    from pages.shell import waiting

    if st.button("Short"):
        waiting.start("work", zip, [0.5, 1.0], "ab", expected=0.1)
    if st.button("Long"):
        waiting.start("work", itertools.repeat, (0.25, "part"), expected=60)
    if st.button("Wrong"):
        waiting.start("work", zip, 5, expected=0.1)
    waiting.show("work", "Comparing", lambda parts: st.write(f"first: {parts[0]}"))


def press(visit: AppTest, label: str) -> AppTest:
    next(button for button in visit.button if button.label == label).click().run()
    assert not visit.exception
    return visit


def texts(visit: AppTest) -> list[str]:
    return [element.value for element in [*visit.markdown, *visit.caption]]


def test_short_work_is_there_at_once():
    visit = press(drawn_by(page), "Short")
    assert texts(visit) == ["first: a"]
    assert [button.label for button in visit.button] == ["Short", "Long", "Wrong"]


def test_long_work_shows_parts_and_can_be_cancelled():
    visit = press(drawn_by(page), "Long")
    job = visit.session_state["dpq:job:work"]
    wait(lambda: bool(job.parts))
    visit.run()
    assert texts(visit) == ["first: part"]
    assert job.silent_for < 5
    press(visit, "Cancel")
    visit.run()
    assert job.stage is Stage.CANCELLED
    assert texts(visit)[-1] == ":material/cancel: Cancelled. This is what 25 % of the work found."


@pytest.mark.slow
def test_work_that_begins_anew_ends_the_old_one():
    visit = press(drawn_by(page), "Long")
    job = visit.session_state["dpq:job:work"]
    press(visit, "Short")
    assert job.stage is Stage.CANCELLED


def test_a_failure_is_one_sentence():
    visit = press(drawn_by(page), "Wrong")
    assert [":material/error:" in text for text in texts(visit)] == [True]
