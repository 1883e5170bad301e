"""The lessons as a learner meets them: link, slider, prediction, check; by keyboard; with nothing axe complains of."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from dpq_core.ui.lessons.controls import CONTROLS, LESSONS
from dpq_core.ui.lessons.texts import text_of
from tests.browser.driving import free_port, idle, wait_until_healthy

BARE = """
import streamlit as st
st.set_page_config(layout="wide")
st.title("Bare", anchor=False)
st.selectbox("Lesson", ["one", "two"])
first, second = st.columns(2)
with first:
    st.subheader("One", anchor=False)
    st.markdown("Words.")
    with st.container(border=True):
        st.radio("Which?", ["this", "that"], index=None)
with second:
    st.select_slider("How many?", ["1", "2"])
    st.vega_lite_chart([{"a": 1}], {"mark": "bar", "encoding": {"x": {"field": "a"}}})
    with st.expander("More", type="compact"):
        st.dataframe({"a": [1]})
with st.popover("Copy link", type="tertiary"):
    st.code("link")
st.button("Next", type="primary")
"""
"""What the page is built of, without anything of this project."""


@pytest.fixture(scope="module")
def bare_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with nothing but Streamlit's own widgets, in its default look."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "bare.py").write_text(BARE)
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "bare.py", "--server.headless", "true"]
    command += ["--server.address", "127.0.0.1", "--server.port", str(port), "--browser.gatherUsageStats", "false"]
    with (folder / "log").open("wb") as sink:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_healthy(url, process, Path(folder / "log"))
        yield url
    finally:
        process.terminate()
        process.wait(15)


def figure_of(page: Page) -> str:
    """Everything that plotly has drawn, once it has."""
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    return str(
        page.evaluate(
            "JSON.stringify([...document.querySelectorAll('.js-plotly-plot')]"
            ".map(plot => [plot.data, plot.layout.shapes, plot.layout.annotations]))"
        )
    )


def expect_another_figure(page: Page, before: str) -> None:
    idle(page)
    page.wait_for_function(
        "before => JSON.stringify([...document.querySelectorAll('.js-plotly-plot')]"
        ".map(plot => [plot.data, plot.layout.shapes, plot.layout.annotations])) !== before",
        arg=before,
    )


def choice(page: Page, text: str) -> Locator:
    return page.get_by_test_id("stRadio").get_by_text(text, exact=True)


def answer(page: Page, question: str, lesson: str, *, right: bool) -> str:
    choices = getattr(text_of(lesson), question).choices
    chosen = next(each for each in choices if each.right is right)
    choice(page, chosen.text).click()
    idle(page)
    return chosen.because


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson(lesson: str, open_page: Callable[..., Page]) -> None:
    page = open_page(f"/learn?lesson={lesson}")
    expect(page.get_by_role("heading", name=text_of(lesson).title)).to_be_visible()
    before = figure_of(page)
    slider = page.get_by_role("slider", name=CONTROLS[LESSONS[lesson]].label)
    slider.focus()
    slider.press("ArrowRight")
    expect_another_figure(page, before)
    moved = figure_of(page)
    answer(page, "predict", lesson, right=True)
    expect_another_figure(page, moved)
    because = answer(page, "check", lesson, right=False)
    expect(page.get_by_text("Not quite.")).to_be_visible()
    expect(page.get_by_text(because)).to_be_visible()
    answer(page, "check", lesson, right=True)
    expect(page.get_by_text("Right.", exact=True)).to_be_visible()
    expect(page.get_by_text("1 done")).to_be_visible()
    assert page.get_by_test_id("stException").count() == 0


def test_a_lesson_by_keyboard_alone(open_page: Callable[..., Page]) -> None:
    page = open_page("/learn")
    figure_of(page)
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type") == "radio":
            break
    page.keyboard.press("Space")
    idle(page)
    expect(page.get_by_text("see the figure")).to_be_visible()
    for _ in range(60):
        page.keyboard.press("Tab")
        if "Next" in page.evaluate("document.activeElement.innerText || ''"):
            break
    page.keyboard.press("Enter")
    idle(page)
    expect(page.get_by_role("heading", name=text_of("one-person").title)).to_be_visible()


def test_next_begins_at_the_top_on_a_phone(open_page: Callable[..., Page]) -> None:
    page = open_page("/learn?lesson=gaps", viewport={"width": 390, "height": 800})
    figure_of(page)
    page.get_by_role("button", name="Next").click()
    idle(page)
    expect(page.get_by_role("heading", name="How does it work?")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_going_deeper_keeps_the_session(page: Page) -> None:
    page.get_by_role("link", name="Learn", exact=True).click()
    expect(page.get_by_role("heading", name=text_of("quantile").title)).to_be_visible()
    idle(page)
    answer(page, "check", "quantile", right=True)
    page.get_by_role("link", name=text_of("quantile").deeper.words).click()
    expect(page.get_by_role("heading", name="What do the private quantiles of my column look like?")).to_be_visible()
    page.wait_for_url("**/quantiles?*quantiles=quartiles*")
    idle(page)
    page.get_by_role("link", name="Learn", exact=True).click()
    expect(page.get_by_text("1 done")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_beyond_streamlits_own(scheme: str, bare_url: str, open_page: Callable[..., Page]) -> None:
    known = violations(open_page("/", url=bare_url, color_scheme=scheme))
    page = open_page("/learn?lesson=halves", color_scheme=scheme)
    figure_of(page)
    answer(page, "predict", "halves", right=True)
    answer(page, "check", "halves", right=True)
    assert violations(page) - known == set()


def violations(page: Page) -> set[str]:
    return {found["id"] for found in Axe().run(page).response["violations"]}
