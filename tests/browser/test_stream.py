"""The Stream page as a visitor meets it: a long stream cancelled and started again, downloads, a phone."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import idle
from tests.browser.quantiles import downloaded
from tests.every_run import kept


def at_rest(page: Page) -> Page:
    page.locator(".js-plotly-plot .main-svg").nth(2).wait_for()
    idle(page)
    return page


def records_read(page: Page) -> int:
    return int(page.get_by_test_id("stMetricValue").first.inner_text().replace(",", ""))


def test_the_first_stream_is_there_at_once_and_can_be_kept(open_page: Callable[..., Page]) -> None:
    page = at_rest(open_page("/stream"))
    assert records_read(page) == 100_000
    rows = list(csv.DictReader(io.StringIO(downloaded(page, "CSV"))))
    assert int(rows[-1]["n"]) == 100_000
    assert all(row["label"].startswith("Simulation, not private") for row in rows)
    assert "not private" in downloaded(page, "Figure")


CUT_OFF = """() => [...document.querySelectorAll('[data-testid=stMetricValue], [data-testid=stMetricValue] *')]
    .filter(value => value.scrollWidth > value.clientWidth + 1).map(value => value.innerText)"""


@pytest.mark.parametrize("width", kept([1280, 375], 375))
def test_no_number_is_cut_off(open_page: Callable[..., Page], width: int) -> None:
    page = at_rest(open_page("/stream?alpha=0.0001", viewport={"width": width, "height": 1600}))
    expect(page.get_by_test_id("stMetricValue").last).to_have_text("under 0.01 %")
    assert page.evaluate(CUT_OFF) == []


@pytest.mark.very_slow
def test_a_long_stream_is_cancelled_and_started_again(open_page: Callable[..., Page]) -> None:
    page = open_page("/stream?length=10000000&stream_quantiles=percentiles&alpha=0.0001")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text(re.compile("Cancelled"))).to_be_visible()
    expect(page.get_by_role("button", name="Start")).to_be_enabled()
    page.get_by_role("button", name="Start").click()
    read = page.get_by_test_id("stMetricValue").first
    read.wait_for()
    expect(read).not_to_have_text(read.inner_text())  # that may be the cancelled stream's last number
    before = records_read(page)
    assert before < 10_000_000
    expect(read).not_to_have_text(f"{before:,}")
    assert records_read(page) > before


@pytest.mark.very_slow
@pytest.mark.parametrize("scheme", kept(["light", "dark"], "dark"))
def test_a_phone_shows_everything_without_scrolling_sideways(open_page: Callable[..., Page], scheme: str) -> None:
    page = at_rest(open_page("/stream", viewport={"width": 390, "height": 3000}, color_scheme=scheme))
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
    painted = page.evaluate("document.querySelector('.js-plotly-plot .main-svg').style.background")
    assert "255, 255, 255)" not in painted
