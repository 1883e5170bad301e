"""The microscope in a browser: a link opens a broken variant, its fix is a click away, typing changes the verdict."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect


def test_a_broken_variant_its_mend_and_another_pair(open_page: Callable[..., Page]) -> None:
    page = open_page("/inside?look=Microscope&tiny_show=half")
    expect(page.get_by_text("is 7.39 times as likely with 39 as without 39")).to_be_visible()
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    page.get_by_role("radio", name="Fixed").click()
    expect(page.get_by_text("is 2.71 times as likely with 39 as without 39")).to_be_visible()
    values = page.get_by_role("textbox", name="People’s values")
    values.fill("3, many")
    values.press("Enter")
    expect(page.get_by_text("must be whole numbers")).to_be_visible()
    values.fill("3, 11")
    values.press("Enter")
    expect(page.get_by_text("must be whole numbers")).to_have_count(0)
    expect(page.get_by_test_id("stMetricValue").nth(1)).to_have_text("ε = 0.669")


@pytest.mark.very_slow
def test_it_fits_a_phone(open_page: Callable[..., Page]) -> None:
    page = open_page(
        "/inside?look=Microscope&tiny_show=jitter", viewport={"width": 390, "height": 1600}, color_scheme="dark"
    )
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    assert page.evaluate("document.scrollingElement.scrollWidth <= window.innerWidth")
