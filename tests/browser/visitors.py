"""One Chromium for all tests of a folder, and tabs that stay open from test to test.

A tab that has shown the dashboard before shows it again in a third of the time: its scripts are read and compiled.
Every visit is a session of its own all the same, because Streamlit begins one at every loading of the page.
"""

from __future__ import annotations

from contextlib import ExitStack

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import driving


class Chromium:
    """Starts at its first use; `close` ends it, and the next use starts another one."""

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
