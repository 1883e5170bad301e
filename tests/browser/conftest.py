"""One dashboard and one Chromium for all browser tests of a worker, one watched page per `open_page` call.

The browser ends with the folder: Playwright keeps an event loop running in the thread that started it, which the tests
of other folders must not find there.
"""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from tests import programs
from tests.browser import driving
from tests.browser.driving import DESKTOP
from tests.browser.frames import Eavesdropper, write_canaries

expect.set_options(timeout=driving.PAINT_MILLISECONDS)

AT_HOME = "/_stcore/health"
"""Where a tab waits for its next test: a word of the dashboard itself. Another host's page, and an empty one, would end
the process of the tab, which would have to read and compile all scripts again.
"""


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium_path() -> str:
    path = programs.chromium()
    if path is None and os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(programs.NO_CHROMIUM, pytrace=False)
    if path is None:
        pytest.skip(programs.NO_CHROMIUM)
    return path


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the dashboard keeps its ledger, its log and its temporary files, and nobody else anything."""
    folder = tmp_path_factory.mktemp("watched")
    (folder / "temporary").mkdir()
    return folder


@pytest.fixture(scope="session")
def ledger_file(folder: Path) -> Path:
    return folder / "ledger.sqlite"


@pytest.fixture(scope="session")
def server(chromium_path: str, folder: Path, ledger_file: Path) -> Iterator[driving.Server]:
    """The dashboard with its default settings; `driving.serve` starts one with others."""
    own = {"DPQ_LEDGER_URL": str(ledger_file), "TMPDIR": str(folder / "temporary")}
    with driving.serve(folder / "server.log", **own) as running:
        yield running


@pytest.fixture(scope="session")
def released(server: driving.Server, ledger_file: Path) -> str:
    """The link to a report."""
    return driving.release_ages(ledger_file)


class Chromium:
    """Starts at its first use; `close` ends it, and the next use starts another one.

    Tabs stay open from test to test: one that has shown the dashboard before shows it again in a third of the time.
    Every visit is a session of its own all the same, because Streamlit begins one at every loading of the page.
    """

    def __init__(self) -> None:
        self._ending = ExitStack()
        self._browser: Browser | None = None
        self._tabs: list[tuple[Page, driving.Watch]] = []

    def browser(self, path: str) -> Browser:
        if self._browser is None:
            playwright = self._ending.enter_context(sync_playwright())
            self._browser = playwright.chromium.launch(executable_path=path, args=[*driving.CHROMIUM_FLAGS])
            self._ending.callback(self._browser.close)
        return self._browser

    def tab(self, browser: Browser, number: int) -> tuple[Page, driving.Watch]:
        """The kept tab of this number, and who watches it; all of them belong to one visitor of the usual server."""
        if number == len(self._tabs):
            context = self._tabs[0][0].context if self._tabs else driving.new_visitor(browser)
            page, watch = context.new_page(), driving.Watch()
            watch.attach(page)
            self._tabs.append((page, watch))
        return self._tabs[number]

    def close(self) -> None:
        self._ending.close()
        self._browser = None
        self._tabs.clear()


CHROMIUM = Chromium()


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


@pytest.fixture
def visitor(browser: Browser) -> Iterator[BrowserContext]:
    """Somebody with cookies of their own, whose tabs nobody watches."""
    with driving.new_visitor(browser) as visitor:
        yield visitor


@pytest.fixture(scope="session")
def canary_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_canaries(tmp_path_factory.mktemp("canaries") / "canaries.csv")


@pytest.fixture
def listener() -> Eavesdropper:
    return Eavesdropper()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    running = getattr(item, "funcargs", {}).get("server")
    if report.failed and running is not None:
        report.sections.append(("log of the dashboard", running.log.read_text(errors="replace")[-4000:]))
    return report
