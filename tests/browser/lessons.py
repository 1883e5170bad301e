"""What a learner does in a lesson, in a browser."""

from playwright.sync_api import Locator, Page

from pages.learn.texts import text_of
from tests.browser.driving import idle

FIGURES = """JSON.stringify([...document.querySelectorAll('.js-plotly-plot')].map(
    plot => [plot.data, plot.layout.shapes, plot.layout.annotations]))"""


def figures_of(page: Page) -> str:
    """Everything that plotly has drawn, once it has."""
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    return str(page.evaluate(FIGURES))


def expect_other_figures(page: Page, before: str) -> None:
    idle(page)
    page.wait_for_function(f"before => {FIGURES} !== before", arg=before)


def choice(page: Page, text: str) -> Locator:
    return page.get_by_test_id("stRadio").get_by_text(text, exact=True)


def answer(page: Page, question: str, lesson: str, *, right: bool) -> str:
    """Choose the right answer or a wrong one, and return what the lesson says about it."""
    chosen = next(each for each in getattr(text_of(lesson), question).choices if each.is_right is right)
    choice(page, chosen.text).click()
    idle(page)
    return str(chosen.because)
