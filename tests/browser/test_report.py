"""The report on a wide screen, a phone, in the dark, as a file, and on paper: one page."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.driving import new_visitor

pytestmark = pytest.mark.slow

PAGES = re.compile(rb"/Type\s*/Page[^s]")
MOST_BYTES = 300_000


OVERFLOWING = """
[...document.querySelectorAll('.dpq-sheet :is(td, th, p, .dpq-row > span)')]
    .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.innerText)
"""
"""Texts that are wider than their place."""
TOUCHING = """
[...document.querySelectorAll(':is(.dpq-answers tr, .dpq-row:not(.dpq-axis))')].flatMap(row => {
    const boxes = [...row.children].filter(e => e.innerText.trim()).map(e => {
        const range = document.createRange(); range.selectNodeContents(e); return range.getBoundingClientRect() })
    return boxes.flatMap((one, i) => boxes.slice(i + 1).filter(other =>
        one.left < other.right + 4 && other.left < one.right + 4 && one.top < other.bottom && other.top < one.bottom)
        .map(() => row.innerText))
})
"""
"""Rows in which the words of two cells are closer than 4 pixels."""


def marks_stand_in_their_rows(page: Page) -> bool:
    """Every mark has a width and a colour, and lies in the picture of its row."""
    return bool(
        page.evaluate(
            "(found => found.length && found.every(each => { const [mark, row] = [each, each.parentElement]"
            ".map(e => e.getBoundingClientRect()); return mark.width > 0 && mark.top > row.top "
            "&& mark.bottom < row.bottom && getComputedStyle(each).backgroundColor !== 'rgba(0, 0, 0, 0)' }))"
            "([...document.querySelectorAll('.dpq-plot i')])"
        )
    )


def taken(page: Page, link: str, folder: Path) -> Path:
    """Download what a link leads to."""
    with page.expect_download() as waiting:
        page.get_by_role("link", name=link, exact=True).click()
    file = folder / waiting.value.suggested_filename
    waiting.value.save_as(file)
    return file


@contextmanager
def opened(file: Path, browser: Browser) -> Iterator[Page]:
    """A file as it opens alone, without a network."""
    with new_visitor(browser, offline=True) as visitor:
        alone = visitor.new_page()
        alone.goto(file.as_uri())
        yield alone


@pytest.mark.parametrize("visitor", [
    {"viewport": {"width": 1440, "height": 1500}}, {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
], ids=["wide", "phone and dark"])  # fmt: skip
def test_the_sheet(visitor: dict[str, object], open_page: Callable[..., Page], released: str) -> None:
    page = open_page(released, **visitor)
    expect(page.locator(".dpq-private")).to_contain_text("at most 74 times in 100")
    expect(page.locator(".dpq-headline")).to_contain_text("For half of the people, age is")
    expect(page.locator(".dpq-sheet [role=img]:visible")).to_have_count(1)
    page.get_by_text("The numbers as a table").click()
    page.get_by_text("The promise in detail").click()
    expect(page.locator(".dpq-sheet [role=img]:visible")).to_have_count(2)
    expect(page.locator(".dpq-answers tbody tr")).to_have_count(9)
    assert marks_stand_in_their_rows(page)
    assert page.evaluate(OVERFLOWING) == []
    assert page.evaluate(TOUCHING) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= visitor["viewport"]["width"]  # type: ignore[index]


def test_a_file_is_that_sheet(released: str, open_page: Callable[..., Page], browser: Browser, tmp_path: Path) -> None:
    page = open_page(released)
    shown = page.locator(".dpq-sheet").inner_text()
    with opened(taken(page, "Download report", tmp_path), browser) as alone:
        assert alone.locator(".dpq-sheet").inner_text().split() == shown.split()
        assert len(PAGES.findall(alone.pdf(prefer_css_page_size=True))) == 1


@pytest.mark.parametrize("quantiles", ["deciles", "median", "percentiles"])
def test_the_report_of_a_simulation_prints_on_one_page(
    quantiles: str, open_page: Callable[..., Page], browser: Browser, tmp_path: Path
) -> None:
    file = taken(open_page(f"/?quantiles={quantiles}"), "Report", tmp_path)
    assert file.stat().st_size < MOST_BYTES
    with opened(file, browser) as alone:
        assert marks_stand_in_their_rows(alone)
        assert len(PAGES.findall(alone.pdf(prefer_css_page_size=True))) == 1


def test_what_does_not_fit_a_page_goes_to_the_next_as_a_whole(
    released: str, open_page: Callable[..., Page], browser: Browser, tmp_path: Path
) -> None:
    """No line stands on the second page alone: one line too many takes the whole lower part there."""
    with opened(taken(open_page(released), "Download report", tmp_path), browser) as alone:
        _one_line_too_many(alone)


def _one_line_too_many(alone: Page) -> None:
    bigger = "document.querySelector('.dpq-private').insertAdjacentHTML('afterend', '<p>one more</p>')"
    while len(PAGES.findall(alone.pdf(prefer_css_page_size=True))) == 1:
        alone.evaluate(bigger)
    alone.set_viewport_size({"width": 688, "height": 1000})  # the width of the paper between its margins
    alone.emulate_media(media="print")
    assert alone.locator(".dpq-legal").evaluate("e => getComputedStyle(e).breakInside") == "avoid"
    assert alone.locator(".dpq-legal").evaluate("e => e.getBoundingClientRect().height") > 250
    assert len(PAGES.findall(alone.pdf(prefer_css_page_size=True))) == 2
