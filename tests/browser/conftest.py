"""One dashboard for all browser tests, one Chromium per test file, one watched page per `open_page` call.

The tests share a worker (`xdist_group`).  The browser ends with each file: Playwright keeps an event loop running in
the thread that started it, which the tests of other folders must not find there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import chromium, driving

expect.set_options(timeout=driving.PAINT_MILLISECONDS)


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.browser)
    item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def chromium_path() -> str:
    path = chromium.find()
    if path is None and os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(chromium.NO_BROWSER, pytrace=False)
    if path is None:
        pytest.skip(chromium.NO_BROWSER)
    return path


@pytest.fixture(scope="session")
def server(chromium_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[driving.Server]:
    """The dashboard with its default settings; `driving.serve` starts one with others."""
    with driving.serve(tmp_path_factory.mktemp("server") / "streamlit.log") as running:
        yield running


@pytest.fixture(scope="module")
def browser(chromium_path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium_path, args=[*driving.CHROMIUM_FLAGS])
        yield running
        running.close()


@pytest.fixture
def open_page(browser: Browser, server: driving.Server) -> Iterator[Callable[..., Page]]:
    """`open_page("/inside", viewport=..., color_scheme="dark")`: a visitor of their own, at rest on that page.

    `url=` leads to another server.  A page that complains in the console or asks another machine fails its test.
    """
    watch, visitors = driving.Watch(), []

    def open_page(path: str = "/", *, url: str = server.url, **visitor: object) -> Page:
        visitors.append(browser.new_context(**{"viewport": {"width": 1280, "height": 1600}} | visitor))
        page = visitors[-1].new_page()
        page.set_default_timeout(driving.PAINT_MILLISECONDS)
        watch.attach(page)
        page.goto(url + path)
        page.get_by_role("heading").first.wait_for()
        driving.idle(page)
        return page

    yield open_page
    for visitor in visitors:
        visitor.close()
    assert not watch.complaints, "\n".join(watch.complaints)


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    """The first page, just opened."""
    return open_page()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    running = getattr(item, "funcargs", {}).get("server")
    if report.failed and running is not None:
        report.sections.append(("log of the dashboard", running.log.read_text(errors="replace")[-4000:]))
    return report
