"""The Papers page as a reader meets it: small multiples, a fold, another figure, recomputing, a phone in the dark."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from dpq_core.papers.figures import FIGURES
from tests.browser.driving import idle


def test_a_figure_recomputed(open_page: Callable[..., Page]) -> None:
    page = open_page("/papers?figure=bspace-figure-9")
    plots = page.locator(".js-plotly-plot .main-svg")
    expect(page.get_by_role("heading", name=FIGURES["bspace-figure-9"].title)).to_be_visible()
    plots.first.wait_for()
    page.get_by_text("The numbers,").click()
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible()
    page.get_by_role("button", name="Recompute").click()
    expect(page.get_by_text("Large rings are new")).to_be_visible()
    idle(page)
    assert page.get_by_test_id("stException").count() == 0


@pytest.mark.very_slow
def test_a_phone_in_the_dark(open_page: Callable[..., Page]) -> None:
    page = open_page("/papers?figure=kss-figure-4", viewport={"width": 390, "height": 900}, color_scheme="dark")
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    expect(page.get_by_text("AQ as published", exact=True).first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
