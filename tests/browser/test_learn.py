"""The lessons as a learner meets them: link, slider, prediction, check; by keyboard."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from pages.lessons.controls import CONTROLS, LESSONS
from pages.lessons.texts import text_of
from tests.browser.driving import idle
from tests.every_run import kept


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
    return str(chosen.because)


@pytest.mark.parametrize("lesson", kept(LESSONS, "quantile"))
def test_a_lesson_is_drawn_and_follows_its_slider(lesson: str, open_page: Callable[..., Page]) -> None:
    page = open_page(f"/learn?lesson={lesson}")
    expect(page.get_by_role("heading", name=text_of(lesson).title)).to_be_visible()
    before = figure_of(page)
    slider = page.get_by_role("slider", name=CONTROLS[LESSONS[lesson]].label)
    slider.focus()
    slider.press("ArrowRight")
    expect_another_figure(page, before)
    assert page.get_by_test_id("stException").count() == 0


def test_a_prediction_a_wrong_answer_and_the_right_one(open_page: Callable[..., Page]) -> None:
    page = open_page("/learn?lesson=halves")
    before = figure_of(page)
    answer(page, "predict", "halves", right=True)
    expect_another_figure(page, before)
    because = answer(page, "check", "halves", right=False)
    expect(page.get_by_text("Not quite.")).to_be_visible()
    expect(page.get_by_text(because)).to_be_visible()
    answer(page, "check", "halves", right=True)
    expect(page.get_by_text("Right.", exact=True)).to_be_visible()
    expect(page.get_by_text("1 done")).to_be_visible()
    expect(page.get_by_role("radio", name=f"5 ✓ {text_of('halves').title}")).to_be_checked()
    page.get_by_role("slider").press("ArrowLeft")
    idle(page)
    expect(page.get_by_role("heading", name=text_of("halves").title)).to_be_visible()


def test_a_lesson_by_keyboard_alone(open_page: Callable[..., Page]) -> None:
    page = open_page("/learn?lesson=gaps")
    figure_of(page)
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('.st-key-dpq_lesson') !== null"):
            break
    for _ in range(list(LESSONS).index("gaps")):
        page.keyboard.press("ArrowUp")
        idle(page)
    expect(page.get_by_role("heading", name=text_of("quantile").title)).to_be_visible()
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(
            "document.activeElement.type === 'radio' && !document.activeElement.closest('.st-key-dpq_lesson')"
        ):
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
    page = open_page("/learn?lesson=quantile", viewport={"width": 390, "height": 800})
    figure_of(page)
    rail = page.locator(".st-key-dpq_lesson").get_by_text(text_of("gaps").title)
    expect(rail).to_be_hidden()
    page.get_by_role("switch", name="Show all lessons").press("Space")
    rail.click()
    idle(page)
    expect(page.get_by_role("heading", name=text_of("gaps").title)).to_be_visible()
    expect(rail).to_be_hidden()
    page.get_by_role("button", name="Next").click()
    idle(page)
    expect(page.get_by_role("heading", name="How does it work?")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.very_slow
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


def test_an_arrow_key_moves_the_slider_with_the_focus_or_turns_the_presented_lesson_and_not_both(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("/learn?lesson=halves")
    page.get_by_role("button", name="Present", exact=True).click()
    idle(page)
    slider = page.get_by_role("slider").first
    before = slider.get_attribute("aria-valuetext")
    slider.focus()
    page.keyboard.press("ArrowRight")
    idle(page)
    expect(slider).not_to_have_attribute("aria-valuetext", str(before))
    expect(page.get_by_role("heading", name=text_of("halves").title)).to_be_visible()
    slider.blur()
    page.keyboard.press("ArrowRight")
    idle(page)
    expect(page.get_by_role("heading", name=text_of("slices").title)).to_be_visible()
