"""The first screen of Quantiles, and what stays in view of it while a control is turned."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.driving import PHONE, PROJECTOR, WIDE, idle
from tests.every_run import kept

SIZES = {"wide": WIDE, "projector": PROJECTOR, "phone": PHONE}
HEADER = 60
"""Pixels of Streamlit's own line at the top of the screen, under which nothing can be read."""


def picture(page: Page) -> tuple[float, float]:
    """The upper and the lower edge of the figure, in pixels of the screen."""
    box = page.locator(".st-key-dpq_figure_distribution .main-svg").first.bounding_box()
    assert box
    return box["y"], box["y"] + box["height"]


def is_whole(page: Page, height: int) -> bool:
    top, bottom = picture(page)
    return top >= HEADER and bottom <= height


def settled(page: Page, width: ViewportSize) -> None:
    """Wait until plotly has given the figure the height of its place."""
    page.locator(".st-key-dpq_figure_distribution .main-svg").first.wait_for()
    idle(page)
    page.wait_for_function(
        """() => {
            const [figure, place] = ['.st-key-dpq_figure_distribution .main-svg', '.st-key-dpq_figures'].map(
                each => document.querySelector(each).getBoundingClientRect())
            return Math.abs(figure.height - place.height) < 3
        }"""
    )
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= width["width"]


@pytest.mark.parametrize("size", kept(SIZES, "wide", "phone"))
def test_the_first_screen_has_all_that_is_needed(open_page: Callable[..., Page], size: str) -> None:
    page = open_page("/", viewport=SIZES[size])
    settled(page, SIZES[size])
    for seen in (
        page.get_by_text("each answer carries random noise"),
        page.get_by_role("heading", name="At ε = 0.1 the private deciles are off by about"),
        page.locator(".st-key-dpq_slider_epsilon"),
        page.get_by_role("button", name="Use your own data"),
    ):
        expect(seen).to_be_in_viewport(ratio=0.9, timeout=10_000)
    assert is_whole(page, SIZES[size]["height"])
    first = page.locator(".st-key-dpq_controls input").first
    expect(first).to_have_attribute("aria-label", "Privacy loss ε")


@pytest.mark.parametrize("size", kept(SIZES, "wide"))
def test_the_picture_stays_in_view_while_any_control_is_turned(open_page: Callable[..., Page], size: str) -> None:
    page = open_page("/quantiles?mechanism=aq&epsilon=0.1", viewport=SIZES[size])
    settled(page, SIZES[size])
    page.get_by_text("Protects: one person joins or leaves").click()
    page.get_by_text("Possible values: 0 to 120 years").click()
    controls = page.locator(".st-key-dpq_controls :is(input[role=combobox], [role=combobox], input[type=text])")
    count = controls.count()
    assert count >= 4
    for at in range(count):
        if not controls.nth(at).is_visible():
            continue
        controls.nth(at).scroll_into_view_if_needed()
        page.wait_for_timeout(150)
        assert is_whole(page, SIZES[size]["height"]), (controls.nth(at).get_attribute("aria-label"), picture(page))
    page.get_by_role("textbox", name="Highest").fill("110")
    page.keyboard.press("Enter")
    idle(page)
    assert is_whole(page, SIZES[size]["height"])


@pytest.mark.parametrize("motion", kept(["reduce", "no-preference"], "reduce"))
def test_nothing_plays_by_itself_where_less_motion_was_asked_for(open_page: Callable[..., Page], motion: str) -> None:
    page = open_page("/quantiles?mechanism=aq", viewport=WIDE, reduced_motion=motion)
    settled(page, WIDE)
    page.get_by_role("button", name="Next run").wait_for()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible(visible=motion == "no-preference")
    page.goto(page.url.split("?")[0].removesuffix("quantiles") + "inside?mechanism=indexp")
    page.get_by_role("button", name="Next", exact=True).wait_for()
    idle(page)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible(visible=motion == "no-preference")
