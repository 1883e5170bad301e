"""A Release session whose connection breaks: the answer is still there, drawn once and paid once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Dialog, Page, expect

from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.history.entries import Entry, standing
from tests.browser import driving
from tests.browser.asking import CONFIRM, ask, bring, downloaded, press, say

pytestmark = pytest.mark.slow

EVIL = "<img src='http://example.org/x.png' onerror='alert(1)'>![x](http://example.org/y.png) $a$"
"""As the name of a file and of a column: shown as text, it asks no other machine for anything."""
BREAKABLE = """
const Socket = window.WebSocket
window.sockets = []
window.WebSocket = class extends Socket {
    constructor(url, ...more) { super(window.isCut ? 'ws://127.0.0.1:9' : url, ...more); window.sockets.push(this) }
}
"""
"""The page's connection to the server, which a test can cut and hold back."""
CUT_WHILE_RUNNING = """
const socket = window.sockets.at(-1)
const cut = () => { window.isCut = true; socket.close() }
const hear = () => {
    if (!window.runs.running) return
    socket.removeEventListener('message', hear)
    setTimeout(cut, 50)
}
socket.addEventListener('message', hear)
"""
"""When the page has heard the first words of a run; the others are lost on the way."""


@pytest.fixture
def page(visitor: BrowserContext, server: driving.Server, tmp_path: Path) -> Iterator[Page]:
    """A column of a file with a hostile name, one press away from its first release."""
    visitor.add_init_script(BREAKABLE)
    page = visitor.new_page()
    watch = driving.Watch()
    page.on("request", lambda request: watch.follow(request.url))

    def answer(dialog: Dialog) -> None:
        if dialog.type == "beforeunload":
            dialog.accept()
        else:
            watch.complaints.append(f"dialog: {dialog.message}")

    page.on("dialog", answer)
    driving.arrive(page, f"{server.url}/release?data=file&quantiles=quartiles")
    file = tmp_path / f"{EVIL.replace('/', ' ')}.csv"
    file.write_text(f'"{EVIL}"\n' + "\n".join(str(18 + k % 70) for k in range(3000)) + "\n")
    bring(page, file, EVIL[:12])
    say(page, Lowest="0", Highest="120", Step="1")
    yield page
    assert not watch.complaints, "\n".join(watch.complaints)


def name_data_set(page: Page, name: str) -> None:
    page.get_by_role("textbox", name="Name of the data set").fill(name)
    page.keyboard.press("Enter")
    driving.idle(page)


def entries_of(ledger_file: Path, name: str) -> tuple[Entry, ...]:
    accounts = {account.name: account for account in Ledger.at(ledger_file).accounts()}
    return standing(accounts[name]).entries if name in accounts else ()


def is_cut(page: Page) -> None:
    expect(page.get_by_test_id("stApp")).not_to_have_attribute("data-test-connection-state", "CONNECTED")


def test_an_answer_outlives_a_lost_connection_and_is_paid_once(page: Page, ledger_file: Path) -> None:
    name_data_set(page, "lost connection")
    press(page, "Release")
    shown = downloaded(page, "CSV")
    page.context.set_offline(True)
    page.evaluate("window.sockets.at(-1).close()")
    is_cut(page)
    page.context.set_offline(False)
    driving.idle(page)
    assert downloaded(page, "CSV") == shown
    assert page.get_by_text("Another answer would use ε = 0.1 of 3, of which 2.9 is left").count() == 1
    page.goto("about:blank")
    page.go_back()
    page.get_by_role("heading").first.wait_for()
    driving.idle(page)
    assert page.get_by_test_id("stMetricValue").count() == 0, "a page that is opened anew knows nothing of the column"
    assert [entry.state for entry in entries_of(ledger_file, "lost connection")] == ["answered"]


def test_a_connection_lost_while_the_answer_is_drawn_costs_no_second_charge(page: Page, ledger_file: Path) -> None:
    name_data_set(page, "lost press")
    ask(page, "Release")
    page.evaluate(CUT_WHILE_RUNNING)
    page.get_by_role("button", name=CONFIRM).click()
    is_cut(page)
    page.evaluate("window.isCut = false")
    driving.idle(page)
    expect(page.get_by_role("textbox", name="Highest")).to_have_value("120")
    if not entries_of(ledger_file, "lost press"):  # it was cut before the press was kept, so nothing is paid
        press(page, "Release")
    page.get_by_test_id("stMetricValue").first.wait_for()
    driving.idle(page)
    (entry,) = entries_of(ledger_file, "lost press")
    assert entry.state == "answered"
    assert entry.release_id in downloaded(page, "JSON")
