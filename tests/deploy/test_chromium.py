"""A curator in Chromium before nginx: every page without a complaint, an upload, a release, and the process dies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from dpq_core.ledger import Ledger, standing
from pages import MENU
from pages.frame.header import LOST
from tests.browser.driving import Watch, idle, new_visitor, sign_in
from tests.browser.quantiles import bring, press, say, unfold
from tests.deploy.conftest import CURATORS
from tests.deploy.machine import NAME, Machine
from tests.deploy.people import PROCESS

pytestmark = pytest.mark.very_slow

PAGES = sorted(page for page, _, _ in MENU)
STATE = "[data-testid=stApp]"
RECORDS = 60_000
"""Some 400 kB: more than nginx would keep in memory by itself."""


def charges(machine: Machine) -> int:
    ledger = Ledger.at(machine.ledger)
    try:
        return len(standing(ledger.account("patients")).entries)
    finally:
        ledger.engine.dispose()


@pytest.fixture
def watch() -> Watch:
    return Watch(NAME)


@pytest.fixture
def curator(browser: Browser, whole: Machine, watch: Watch) -> Iterator[Page]:
    """Somebody who has signed in. The provider's form asks another machine for its looks, and gets none."""
    context = new_visitor(browser, ignore_https_errors=True)
    context.route("https://cdn.*/**", lambda route: route.abort())
    page = context.new_page()
    page.goto(f"{whole.url}/report")
    sign_in(page, CURATORS[0])
    watch.attach(page)
    yield page
    context.close()


def test_every_page_works_without_a_complaint(curator: Page, whole: Machine, watch: Watch) -> None:
    for name in PAGES:
        curator.goto(f"{whole.url}/{name}")
        idle(curator)
        expect(curator.get_by_role("heading", level=1).first).to_be_visible()
        for button in ("Compare", "Draw", "Copy link"):
            found = curator.get_by_role("button", name=button, exact=True)
            if found.count() and found.first.is_enabled():
                found.first.click()
                idle(curator)
        curator.keyboard.press("Escape")
    assert watch.complaints == []


def test_a_process_that_dies_takes_uploads_and_no_answer(
    curator: Page, whole: Machine, watch: Watch, tmp_path: Path
) -> None:
    file = tmp_path / "patients.csv"
    file.write_text("age\n" + "\n".join(str(18 + k % 70) for k in range(RECORDS)) + "\n")
    curator.goto(f"{whole.url}/quantiles?data=file&quantiles=median")
    idle(curator)
    bring(curator, file, "age")
    say(curator, Lowest="0", Highest="120", Step="1")
    press(curator, "Release")
    assert watch.complaints == []
    (process,) = (each["value"] for each in curator.context.cookies() if each["name"] == PROCESS)
    whole.processes[str(process)].kill()
    curator.wait_for_function(f"() => document.querySelector('{STATE}').dataset.testConnectionState !== 'CONNECTED'")
    idle(curator)
    expect(curator.get_by_test_id("stMetricValue").first).to_be_visible()  # what stood there may still be read
    unfold(curator)
    curator.get_by_role("button", name="Release", exact=True).click()
    told = curator.get_by_text(LOST.split(".")[0])
    expect(told).to_be_visible(timeout=60_000)
    idle(curator)
    curator.screenshot(path=whole.folder / "told.png")
    expect(curator.get_by_role("button", name="Release", exact=True)).to_be_disabled()
    assert charges(whole) == 1, "the press that found the process dead was none"
    curator.get_by_role("button", name="I see").click()
    expect(told).to_have_count(0)
    idle(curator)
    bring(curator, file, "age")
    say(curator, Lowest="0", Highest="120", Step="1")
    press(curator, "Release")
    curator.goto(f"{whole.url}/report")
    idle(curator)
    expect(curator.locator(".dpq-number").first).to_be_visible()
    assert charges(whole) == 2
