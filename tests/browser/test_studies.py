"""Compare and Trade-off as a visitor meets them: a press, partial results, Cancel, files, a phone in the dark."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from importlib.util import find_spec

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import PAINT_MILLISECONDS, idle
from tests.browser.quantiles import downloaded
from tests.every_run import kept

LONG = "/tradeoff?swept=all&trials=1000&even=60&quantiles=even"
"""A sweep of minutes whose first numbers come at once: the quick mechanisms are the first."""


def at_rest(page: Page) -> Page:
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    idle(page)
    return page


def press(page: Page, verb: str) -> None:
    page.get_by_role("button", name=verb, exact=True).click()
    expect(page.get_by_text("seed 1").first).to_be_visible()


def expect_finished(page: Page) -> None:
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0, timeout=2 * PAINT_MILLISECONDS)
    expect(page.get_by_role("link", name="CSV", exact=True)).to_have_count(1)
    idle(page)


@pytest.mark.very_slow
def test_what_is_chosen_stands_on_the_next_page_too(open_page: Callable[..., Page]) -> None:
    page = open_page("/compare")

    def turn(name: str) -> None:
        page.get_by_role("link", name=name, exact=True).click()
        page.wait_for_url(re.compile(f"/{name.lower()}"))
        idle(page)

    def chosen(*names: str) -> None:
        for name in names:
            expect(page.get_by_role("radio", name=name, exact=True).first).to_be_checked()

    turn("Inside")
    chosen("Deciles", "ε", "I know them")
    page.get_by_role("radio", name="Median").click()
    page.get_by_role("radio", name="ρ", exact=True).click()
    idle(page)
    turn("Quantiles")
    for fold in ("Protects:", "Possible values:"):
        page.get_by_text(fold).click()
    chosen("Median", "ρ", "I know them")
    assert "data=" not in page.url


def test_leaderboard_after_a_press_with_its_files(open_page: Callable[..., Page]) -> None:
    page = at_rest(open_page("/compare?quantiles=median"))
    expect(page.get_by_text("Advice:")).to_be_visible()
    press(page, "Compare")
    expect_finished(page)
    at_rest(page)
    table = list(csv.DictReader(io.StringIO(downloaded(page, "CSV"))))
    assert {"aq", "indexp", *(["opendp"] if find_spec("opendp") else [])} <= {row["mechanism"] for row in table}
    assert all(row["privacy_label"].startswith("Study, not private") for row in table)
    grid = json.loads(downloaded(page, "Grid"))
    assert (grid["data"], grid["seed"], grid["trials"]) == (["adult-age"], 1, 100)
    figure = downloaded(page, "Figure")
    assert "Study, not private" in figure


def test_a_long_sweep_leaves_the_page_usable_and_ends_at_once(open_page: Callable[..., Page]) -> None:
    page = at_rest(open_page(LONG))
    press(page, "Simulate")
    cancel = page.get_by_role("button", name="Cancel")
    cancel.wait_for()
    page.get_by_text("Worst quantile", exact=True).click(timeout=2 * PAINT_MILLISECONDS)
    expect(page.get_by_text("true quantile, worst quantile;").first).to_be_visible()
    expect(cancel).to_be_visible()
    cancel.click()
    expect(page.get_by_text("Cancelled.")).to_be_visible()
    expect(cancel).to_have_count(0)


@pytest.mark.very_slow
def test_the_smallest_budget_is_found(open_page: Callable[..., Page]) -> None:
    page = open_page("/tradeoff?ask=wanted&swept=aq&quantiles=median")
    press(page, "Search")
    expect_finished(page)
    expect(page.get_by_text("is enough for an error of at most 10 people")).to_be_visible()
    found = json.loads(downloaded(page, "JSON"))
    assert 0.01 < found["searches"][0]["smallest_budget"] < 10


@pytest.mark.parametrize("path", kept(["/compare", "/tradeoff"], "/compare"))
def test_a_phone_in_the_dark_needs_no_sideways_scrolling(open_page: Callable[..., Page], path: str) -> None:
    page = at_rest(open_page(path, viewport={"width": 390, "height": 844}, color_scheme="dark"))
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
    ground = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    assert max(map(int, ground.removeprefix("rgb(").removesuffix(")").split(","))) < 60
