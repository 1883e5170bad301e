"""The tab for a synthetic column as a visitor meets it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import idle
from tests.browser.quantiles import bring, choose, confirm, downloaded, new_people

LABELS = {"Simulate": "Simulation, not private", "Release": "Release: ε = 1"}


def open_tab(page: Page) -> None:
    page.get_by_role("tab", name="Synthetic column").click()
    page.get_by_role("textbox", name="How many values").wait_for()
    idle(page)


def drawn_values(page: Page) -> list[float]:
    """The values of the last trace of the figure that can be seen, without the bounds at its ends."""
    page.locator(".js-plotly-plot:visible .main-svg").first.wait_for()
    found = page.evaluate(
        "Array.from([...document.querySelectorAll('.js-plotly-plot')]"
        ".filter(plot => plot.offsetParent).at(-1)._fullData.at(-1).x)"
    )
    return list(found[1:-1])


@pytest.mark.very_slow
@pytest.mark.parametrize("verb", ["Simulate", "Release"])
def test_a_column_is_drawn_and_downloaded(verb: str, page: Page, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text("age\n" + "\n".join(str(20 + k % 60) for k in range(3000)) + "\n")
    bring(page, own, "age", public=verb == "Simulate")
    page.get_by_text("Age", exact=True).click()
    idle(page)
    open_tab(page)
    page.get_by_role("textbox", name="How many values").fill("300")
    page.keyboard.press("Enter")
    idle(page)
    new_people(page)
    page.get_by_role("button", name=f"{verb} a column").click()
    if verb == "Release":
        confirm(page)
    page.get_by_text("Number of values").wait_for()
    idle(page)
    table = list(csv.DictReader(io.StringIO(downloaded(page, "CSV"))))
    values = [float(row["private"]) for row in table]
    assert len(values) == 300
    assert drawn_values(page) == sorted(set(values))
    assert all(row["label"].startswith(LABELS[verb]) for row in table)
    assert page.get_by_text("Largest difference", exact=True).is_visible() == (verb == "Simulate")
    assert "show=Synthetic" in page.url
    assert "size=300" in page.url


@pytest.mark.very_slow
def test_a_link_opens_the_tab_with_its_own_button_and_the_first_tab_has_the_main_one(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("/quantiles?show=Synthetic+column&size=50")
    expect(page.get_by_role("textbox", name="How many values")).to_have_value("50")
    expect(page.get_by_role("button", name="Simulate a column")).to_be_visible()
    expect(page.get_by_role("button", name="New noise", exact=True)).to_have_count(0)
    page.get_by_role("tab", name="Quantiles").click()
    page.get_by_role("button", name="New noise", exact=True).click()
    idle(page)
    page.get_by_text("Simulation with seed 2").wait_for()
    page.get_by_text("Mean rank error").wait_for()


@pytest.mark.very_slow
@pytest.mark.parametrize("width", [1280, 390])
def test_mechanisms_are_explained_without_scrolling_sideways(open_page: Callable[..., Page], width: int) -> None:
    page = open_page("/quantiles", viewport={"width": width, "height": 900})
    page.get_by_role("button", name="Help me choose a mechanism").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Claim, source, and what differs from the paper").first.click()
    dialog.get_by_text("The paper says").first.wait_for()
    assert dialog.evaluate("node => node.scrollWidth <= node.clientWidth")
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    choose(page, "Mechanism", "One by one")
    assert page.get_by_role("dialog").count() == 0


@pytest.mark.very_slow
def test_a_phone_shows_the_tab_without_scrolling_sideways(open_page: Callable[..., Page]) -> None:
    page = open_page("/quantiles?show=Synthetic+column", viewport={"width": 390, "height": 2600})
    page.get_by_role("button", name="Simulate a column").click()
    idle(page)
    drawn_values(page)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
