"""A job on the screen, as a page has it."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from dpq_core.jobs.line import Job, Stage
from pages.frame import waiting
from tests.jobs.test_line import wait


def page() -> None:
    import itertools

    import streamlit as st

    from pages.frame import waiting

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
    visit = press(AppTest.from_function(page).run(), "Short")
    assert texts(visit) == ["first: a"]
    assert [button.label for button in visit.button] == ["Short", "Long", "Wrong"]


def test_long_work_shows_parts_and_can_be_cancelled():
    visit = press(AppTest.from_function(page).run(), "Long")
    job = visit.session_state["dpq:job:work"]
    wait(lambda: bool(job.parts))
    visit.run()
    assert texts(visit) == ["first: part"]
    assert job.silent_for < 5
    press(visit, "Cancel")
    visit.run()
    assert job.stage is Stage.CANCELLED
    assert texts(visit)[-1] == ":material/cancel: Cancelled. This is what 25 % of the work found."


def test_work_that_begins_anew_ends_the_old_one():
    visit = press(AppTest.from_function(page).run(), "Long")
    job = visit.session_state["dpq:job:work"]
    press(visit, "Short")
    assert job.stage is Stage.CANCELLED


def test_a_failure_is_one_sentence():
    visit = press(AppTest.from_function(page).run(), "Wrong")
    assert [":material/error:" in text for text in texts(visit)] == [True]


def test_words_of_a_job():
    job = Job(lambda progress, cancelled: None)
    wait(lambda: job.finished)
    assert waiting.doing_words(job, "Reading") == "Reading …"
    job.share, job._started = 0.5, job._started - 20
    assert waiting.doing_words(job, "Reading") == "Reading, about 20 s left"
    job._started -= 280
    assert waiting.doing_words(job, "Reading") == "Reading, about 5 min left"
