"""One dashboard and one Chromium for half of the browser tests, one watched page per `open_page` call.

Two workers share the files (`xdist_group`): one would still be waiting for its pages when the others have nothing left.
The browser ends with the folder: Playwright keeps an event loop running in the thread that started it, which the tests
of other folders must not find there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests import programs
from tests.browser import driving
from tests.browser.driving import DESKTOP
from tests.browser.visitors import CHROMIUM

expect.set_options(timeout=driving.PAINT_MILLISECONDS)

AT_HOME = "/_stcore/health"
"""Where a tab waits for its next test: a word of the dashboard itself. Another host's page, and an empty one, would end
the process of the tab, which would have to read and compile all scripts again.
"""
OF_THE_FIRST = {"test_accessibility", "test_frames", "test_microscope", "test_report", "test_signin", "test_uploads"}
"""Files that take about as long as all others together: as long as one of the two workers drives, the others wait."""


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.browser)
    item.add_marker(pytest.mark.xdist_group(f"browser-{int(item.path.stem not in OF_THE_FIRST)}"))


@pytest.fixture(scope="session")
def chromium_path() -> str:
    path = programs.chromium()
    if path is None and os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(programs.NO_CHROMIUM, pytrace=False)
    if path is None:
        pytest.skip(programs.NO_CHROMIUM)
    return path


@pytest.fixture(scope="session")
def server(chromium_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[driving.Server]:
    """The dashboard with its default settings; `driving.serve` starts one with others."""
    with driving.serve(tmp_path_factory.mktemp("server") / "streamlit.log") as running:
        yield running


@pytest.fixture
def browser(chromium_path: str) -> Browser:
    return CHROMIUM.browser(chromium_path)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    yield
    if nextitem is None or nextitem.path.parent != item.path.parent:
        CHROMIUM.close()


@pytest.fixture
def open_page(browser: Browser, server: driving.Server) -> Iterator[Callable[..., Page]]:
    """`open_page("/inside", viewport=..., color_scheme="dark")`: a session of its own, at rest on that page.

    `url=` leads to another server.  A page that complains in the console or asks another machine fails its test.
    """
    visitors = ExitStack()
    watches: list[driving.Watch] = []
    tabs: list[Page] = []

    def open_page(path: str = "/", *, url: str = server.url, viewport: ViewportSize = DESKTOP, **media: str) -> Page:
        if url == server.url:
            page, watch = CHROMIUM.tab(browser, len(tabs))
            tabs.append(page)
            watch.complaints.clear()
            page.bring_to_front()
        else:
            context = visitors.enter_context(driving.new_visitor(browser))
            page, watch = context.new_page(), driving.Watch()
            watch.attach(page)
        watches.append(watch)
        page.set_viewport_size(viewport)
        page.emulate_media(**{"color_scheme": "light", "reduced_motion": "no-preference"} | media)  # type: ignore[arg-type]
        return driving.arrive(page, url + path)

    yield open_page
    complaints = [complaint for watch in watches for complaint in watch.complaints]
    for tab in tabs:
        tab.goto(server.url + AT_HOME)
    visitors.close()
    assert not complaints, "\n".join(complaints)


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    """The first page, just opened."""
    return open_page()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    running = getattr(item, "funcargs", {}).get("server")
    if report.failed and running is not None:
        report.sections.append(("log of the dashboard", running.log.read_text(errors="replace")[-4000:]))
    return report
