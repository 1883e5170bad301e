"""In a Release session nothing of the data but the private answers is sent; every frame is searched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from tests.browser import driving
from tests.browser.frames import Eavesdropper
from tests.browser.quantiles import bring, press

ROWS = 48_611
"""A number of records that appears nowhere else."""
MINIMUM, MAXIMUM, MEDIAN = 17.40625, 93.59375, 51.71875
"""Exact as float32 and on the grid of an Explore session; a release answers on a coarser grid without them."""
CANARIES = {"number of rows": ROWS, "minimum": MINIMUM, "maximum": MAXIMUM, "true median": MEDIAN}


@pytest.fixture(scope="module")
def canary_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A column with its canaries: a hundred equal ones in the middle, one at each end."""
    rng = np.random.default_rng(0)
    below, above = rng.uniform(30, 50, ROWS // 2 - 50), rng.uniform(53, 70, ROWS // 2 - 50)
    values = np.concatenate([[MINIMUM, MAXIMUM], [MEDIAN] * (ROWS - below.size - above.size - 2), below, above])
    path = tmp_path_factory.mktemp("canaries") / "own.csv"
    path.write_text("value\n" + "\n".join(map(repr, values.tolist())) + "\n")
    return path


def visit(browser: Browser, url: str, file: Path, *, public: bool, act: Callable[[Page], None]) -> Eavesdropper:
    context = browser.new_context(viewport={"width": 1280, "height": 1600})
    page = context.new_page()
    page.set_default_timeout(driving.PAINT_MILLISECONDS)
    listener = Eavesdropper()
    listener.attach(page)
    step = "0.03125" if public else "0.5"
    page.goto(f"{url}/quantiles?data=file&lower=0&upper=120&step={step}&quantiles=median")
    page.get_by_role("heading").first.wait_for()
    driving.idle(page)
    bring(page, file, "value", public=public)
    act(page)
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    driving.idle(page)
    context.close()
    return listener


def test_the_search_finds_the_truth_of_an_explored_upload(
    browser: Browser, server: driving.Server, canary_csv: Path
) -> None:
    heard = visit(browser, server.url, canary_csv, public=True, act=lambda page: press(page, "Simulate"))
    assert {"delta", "new_session"} <= heard.kinds
    found = {name: heard.finds(value) for name, value in CANARIES.items()}
    assert all(found.values()), found


def test_nothing_of_the_truth_is_sent_in_a_release(browser: Browser, server: driving.Server, canary_csv: Path) -> None:
    def act(page: Page) -> None:
        press(page, "Release")
        page.get_by_text("Quartiles", exact=True).click()
        driving.idle(page)
        press(page, "Release")

    heard = visit(browser, server.url, canary_csv, public=False, act=act)
    assert {"delta", "new_session"} <= heard.kinds
    found = {name: heard.finds(value) for name, value in CANARIES.items()}
    assert not any(found.values()), found
