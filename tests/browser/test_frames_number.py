"""In no frame of a Release session stands the number of records, or one near it, whatever is chosen on any page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from dpq_core import Adjacency, ApproxDP
from dpq_core.ledger import Ledger
from dpq_core.mechanisms import MECHANISMS
from tests.browser import driving
from tests.browser.frames import Eavesdropper
from tests.browser.quantiles import bring, choose, fill, press

ROWS = 48_611
BOUNDS = {"Lowest": "0", "Highest": "120", "Step": "0.5"}
FORMS = {
    "Inside": "What did",
    "Compare": "Which mechanism",
    "Trade-off": "What does privacy",
    "Quantiles": "What do the",
}
"""Every page that has the form, by its name in the menu, with the start of its question."""
OPENINGS, OPENING_MILLISECONDS = 5, 300
PROTECTS = ("joins or leaves", "is replaced by another")
BROKEN = {
    "word.csv": "value\n{before}a word\n{after}",
    "date.csv": "value\n{before}2020-01-01\n{after}",
    "quote.csv": 'value,more\n{before}"never closed,\n{after}',
    "only-a-header.csv": "value\n",
    "empty.csv": "",
    "page.csv": "<!DOCTYPE html><html>{before}</html>",
    "list.csv": '[{{"value": 1}}]',
}
"""Files that cannot be read: what is wrong with them stands in the middle."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files of the same length, an account for each of another kind, and files that cannot be read."""
    folder = tmp_path_factory.mktemp("number")
    values = np.random.default_rng(0).uniform(18, 90, ROWS)
    lines = [f"{value:.2f}\n" for value in values]
    parts = {"before": "".join(lines[: ROWS // 2]), "after": "".join(lines[ROWS // 2 :])}
    ledger = Ledger.at(folder / "ledger.sqlite")
    for adjacency in Adjacency:
        (folder / f"{adjacency}.csv").write_text("value\n" + "".join(lines))
        ledger.open_account(adjacency.value, budget=ApproxDP(3.0, 0.5), adjacency=adjacency, one_row_is="person")
    ledger.engine.dispose()
    for name, content in BROKEN.items():
        (folder / name).write_text(content.format(**parts))
    return folder


@pytest.fixture(scope="module")
def ledger_server(chromium_path: str, folder: Path) -> Iterator[driving.Server]:
    with driving.serve(folder / "server.log", DPQ_LEDGER_URL=str(folder / "ledger.sqlite")) as server:
        yield server


@pytest.mark.very_slow
@pytest.mark.parametrize("adjacency", Adjacency)
def test_no_setting_of_any_form_sends_the_number_of_records(
    browser: Browser, ledger_server: driving.Server, folder: Path, adjacency: Adjacency
) -> None:
    context, listener = driving.new_visitor(browser), Eavesdropper()
    page = context.new_page()
    listener.attach(page)
    driving.arrive(page, f"{ledger_server.url}/quantiles?data=file")
    meet_reader_errors(page, folder)
    bring(page, folder / f"{adjacency}.csv", "value")
    for label, value in BOUNDS.items():
        fill(page, label, value)
    switch_every_setting(page)
    for name, question in FORMS.items():
        page.get_by_role("link", name=name, exact=True).click()
        page.get_by_role("heading", name=question).wait_for()
        driving.idle(page)
        if name != "Quantiles":
            switch_every_setting(page)
    assert not listener.finds_near(ROWS)

    pick(page, "Mechanism", MECHANISMS["aq"].LABEL)
    pick(page, "Protects", PROTECTS[adjacency is Adjacency.SUBSTITUTE])
    fill(page, "Small probability δ", "1e-6")
    press(page, "Release")
    fill(page, "Small probability δ", "0.4")
    assert bool(listener.finds_near(ROWS)) is (adjacency is Adjacency.SUBSTITUTE), "the search finds what is public"
    context.close()


def meet_reader_errors(page: Page, folder: Path) -> None:
    """Bring every file that cannot be read, and wait for the sentence about it."""
    choose(page, "Data", "My own file")
    for name in BROKEN:
        page.locator("input[type=file]").set_input_files(folder / name)
        driving.idle(page)
        if page.get_by_role("button", name="Read this column").count():
            page.get_by_role("button", name="Read this column").click()
        page.locator("[data-testid=stMarkdown] .stMarkdownColoredText").last.wait_for()
        page.get_by_role("button", name=f"Remove {name}").click()
        driving.idle(page)


def switch_every_setting(page: Page) -> None:
    """Every kind of budget, mechanism and set of quantiles that the page has, under either adjacency."""
    for protects in PROTECTS:
        pick(page, "Protects", protects)
        for budget in ("ε", "ρ", "ε, δ"):
            page.get_by_text(budget, exact=True).first.click()
            driving.idle(page)
        fill(page, "Small probability δ", "0.4")
        for preset in ("Quartiles", "Percentiles"):
            page.get_by_text(preset, exact=True).first.click()
            driving.idle(page)
        if page.get_by_role("button", name="Help me choose a mechanism").count():
            switch_mechanisms(page)


def pick(page: Page, label: str, option: str) -> None:
    """Choose by the keyboard; the list closes when the page moves, as it does where a long form becomes shorter."""
    wanted = page.get_by_role("option", name=option).first
    for _ in range(OPENINGS):
        page.get_by_role("combobox", name=label).press("ArrowDown")
        page.wait_for_timeout(OPENING_MILLISECONDS)
        if wanted.is_visible():
            break
    wanted.dispatch_event("click")
    driving.idle(page)


def switch_mechanisms(page: Page) -> None:
    for mechanism in MECHANISMS.values():
        pick(page, "Mechanism", mechanism.LABEL)
    page.get_by_role("button", name="Help me choose a mechanism").click()
    page.get_by_role("dialog").wait_for()
    driving.idle(page)
    page.get_by_role("button", name="Close").click()
    driving.idle(page)
