"""The report on a wide screen, a phone, in the dark, as a file, and on paper: two pages at most."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.driving import idle, new_visitor

PAGES = re.compile(rb"/Type\s*/Page[^s]")


def pictures_are_drawn(page: Page) -> bool:
    """Every picture of the sheet has been read by the browser; one that it cannot read has no width."""
    return bool(
        page.evaluate("[...document.querySelectorAll('.dpq-sheet img')].every(i => i.complete && i.naturalWidth > 0)")
    )


@pytest.mark.parametrize(
    "visitor",
    [
        {"viewport": {"width": 1440, "height": 1500}},
        {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
    ],
    ids=["wide", "phone and dark"],
)
def test_the_sheet(visitor: dict[str, object], open_page: Callable[..., Page]) -> None:
    page = open_page("/report", **visitor)
    expect(page.locator(".dpq-number")).to_have_count(3)
    expect(page.locator(".dpq-number").nth(1)).to_have_text("at most 74 of 100")
    expect(page.locator(".dpq-sheet img")).to_have_count(5)
    assert pictures_are_drawn(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= visitor["viewport"]["width"]  # type: ignore[index]


def test_the_file_is_the_same_sheet_and_prints_on_two_pages(
    open_page: Callable[..., Page], browser: Browser, tmp_path: Path
) -> None:
    page = open_page("/report")
    shown = page.locator(".dpq-sheet").inner_text()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download report").click()
    file = tmp_path / "report.html"
    waiting.value.save_as(file)
    visitor = new_visitor(browser, offline=True)
    alone = visitor.new_page()
    alone.goto(file.as_uri())
    assert alone.locator(".dpq-sheet").inner_text().split() == shown.split()
    assert pictures_are_drawn(alone)
    assert 1 <= len(PAGES.findall(alone.pdf(prefer_css_page_size=True))) <= 2
    visitor.close()


def test_presented_and_back(open_page: Callable[..., Page]) -> None:
    page = open_page("/report")
    page.get_by_role("button", name="Present", exact=True).click()
    idle(page)
    expect(page.locator(".dpq-present")).to_be_visible()
    expect(page.get_by_role("button", name="Download report")).to_have_count(0)
    page.wait_for_url("**/report?present=yes")
    page.get_by_role("button", name="Leave the presentation").click()
    expect(page.get_by_role("button", name="Download report")).to_be_visible()
