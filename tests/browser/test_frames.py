"""In a Release session nothing of the data but the private answers is sent, and the number of records on no page.

Every frame is searched. `test_every_page.py` has a short session for every run.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, FilePayload, Page, TimeoutError

from dpq_core import Adjacency, ApproxDP
from dpq_core.ledger.accounts import Ledger
from dpq_core.mechanisms.registry import MECHANISMS
from tests.browser import driving, frames
from tests.browser.asking import bring, bring_several, choose, downloaded, fill, press, say, without_bounds
from tests.browser.driving import Server
from tests.browser.frames import BOUNDS, CANARIES, FIRST_ID, ROWS, Eavesdropper, check_silence, found_in, found_near

pytestmark = pytest.mark.slow

UNLISTED = "QXunlisted"
REGIONS = {"north": 11_279, UNLISTED: 13_397}
"""How many rows each group has: numbers that appear nowhere else."""


def test_the_search_finds_the_truth_of_an_explored_upload(
    visitor: BrowserContext, listener: Eavesdropper, server: Server, canary_csv: Path
) -> None:
    page = listener.open(visitor, f"{server.url}/explore?data=file&quantiles=median")
    bring(page, canary_csv, "value", public=True, ids="patient")
    say(page, Lowest="0", Highest="120", Step="0.03125")
    press(page, "Simulate")
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    driving.idle(page)
    assert {"delta", "new_session"} <= listener.kinds
    heard = listener.heard
    found = {name: heard.finds(value) for name, value in CANARIES.items()}
    assert all(found.values()), found
    assert not heard.finds(FIRST_ID)


@pytest.fixture
def open_tab(visitor: BrowserContext, server: Server, listener: Eavesdropper) -> Callable[[], Page]:
    """Further tabs of one visitor, one press away from an upload; everything that is sent to them is kept."""
    return lambda: listener.open(visitor, f"{server.url}/release?data=file&quantiles=median")


def test_errors_send_log_and_write_nothing_of_the_truth(
    open_tab: Callable[[], Page], listener: Eavesdropper, canary_csv: Path, folder: Path, tmp_path: Path
) -> None:
    page = open_tab()
    meet_errors(page, canary_csv, tmp_path)
    check_silence(listener, folder)


def test_a_whole_session_sends_logs_and_writes_nothing_of_the_truth(
    open_tab: Callable[[], Page], listener: Eavesdropper, canary_csv: Path, folder: Path
) -> None:
    """Releases, their files, a refusal, reruns, a reload, back and forward, a second tab, the history."""
    first, second = open_tab(), open_tab()
    first.bring_to_front()  # a browser gives little time to a tab that lies behind
    bring(first, canary_csv, "value", ids="patient")
    say(first, **BOUNDS)
    fill(first, "Total ε", "20")
    first.get_by_text("protects almost no one").click()
    driving.idle(first)
    press(first, "Release")
    files = {label: downloaded(first, label).encode() for label in ("CSV", "JSON", "Figure", "Python", "Plan")}
    assert [
        (label, name) for label, text in files.items() for name, at in frames.SECRETS.items() if found_in(text, at)
    ] == []
    first.get_by_text("Quartiles", exact=True).click()
    driving.idle(first)
    press(first, "Release")
    first.go_back()
    driving.idle(first)
    first.go_forward()
    driving.idle(first)
    fill(first, "exact epsilon", "1000")
    first.get_by_text("The budget of canaries does not allow this").first.wait_for()
    second.bring_to_front()
    bring(second, canary_csv, "value", ids="patient")
    say(second, **BOUNDS)
    second.get_by_text("left of ε = 20").wait_for()
    press(second, "Release")
    first.bring_to_front()
    first.reload()
    first.get_by_role("heading").first.wait_for()
    driving.idle(first)
    assert first.get_by_test_id("stMetricValue").count() == 0
    first.goto(f"{first.url.split('/release')[0]}/releases")
    driving.idle(first)
    choose(first, "Data set", canary_csv.stem)
    first.get_by_text("What is spent and what is left add up to it").wait_for()
    driving.idle(first)
    assert first.get_by_test_id("stMetricValue").last.inner_text() == "3", "two in one tab, one in the other"
    assert {"ledger.sqlite", "ledger.sqlite-wal", "server.log"} <= check_silence(listener, folder)


def test_several_columns_send_log_and_write_nothing_of_the_truth(
    visitor: BrowserContext, server: Server, listener: Eavesdropper, canary_csv: Path, folder: Path
) -> None:
    """A release of several columns, its files, a rerun and what a budget refuses."""
    page = listener.open(visitor, f"{server.url}/release?data=file")
    values = [row.split(",")[1] for row in canary_csv.read_text().split()[1:]]
    table = "first,second\n" + "".join(f"{value},{value}\n" for value in values)
    upload: FilePayload = {"name": "table.csv", "mimeType": "text/csv", "buffer": table.encode()}
    bring_several(page, upload, "second")
    without_bounds(page)
    press(page, "Release")
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    files = {label: downloaded(page, label).encode() for label in ("CSV", "JSON")}
    assert [(label, name) for label, text in files.items() for name, at in CANARIES.items() if found_in(text, at)] == []
    fill(page, "exact epsilon", "1000")
    page.get_by_text("The budget of table does not allow this").first.wait_for()
    driving.idle(page)
    assert {"ledger.sqlite", "server.log"} <= check_silence(listener, folder)


def test_groups_send_log_and_write_nothing_but_answers_for_the_list(
    visitor: BrowserContext, server: Server, listener: Eavesdropper, folder: Path, tmp_path: Path
) -> None:
    """A release for two listed groups, one of them empty, and its files; before it the search finds all in Explore."""
    file = tmp_path / "regions.csv"
    rows = [f"{group},{at % 97}" for group, size in REGIONS.items() for at in range(size)]
    file.write_text("region,value\n" + "\n".join(rows) + "\n")
    explored = Eavesdropper()
    for public, ear in ((True, explored), (False, listener)):
        where = "explore" if public else "release"
        page = ear.open(visitor, f"{server.url}/{where}?data=file&quantiles=median&mechanism=aq")
        bring(page, file, "value", public=public, groups="region")
        say(page, **BOUNDS)
        if not public:
            page.get_by_role("textbox", name="List of groups").fill("north\nnobody")
            page.keyboard.press("Control+Enter")
            driving.idle(page)
        press(page, "Simulate" if public else "Release")
        page.locator(".js-plotly-plot .main-svg").first.wait_for()
        driving.idle(page)
    files = {label: downloaded(page, label) for label in ("CSV", "Wide CSV", "JSON", "Figure", "Python", "Plan")}
    assert [label for label, text in files.items() if UNLISTED in text] == []
    del files["Figure"]  # whose drawing is full of numbers
    assert [size for text in files.values() for size in REGIONS.values() if found_in(text.encode(), size)] == []
    sizes = (*REGIONS.values(), sum(REGIONS.values()))
    assert explored.heard.finds_text(UNLISTED)
    assert all(explored.heard.finds(size) for size in REGIONS.values())
    assert not listener.heard.finds_text(UNLISTED)
    assert not any(listener.heard.finds(size) for size in sizes)
    assert not any(UNLISTED.encode() in each.read_bytes() for each in folder.rglob("*") if each.is_file())
    check_silence(listener, folder)


def meet_errors(page: Page, canary_csv: Path, folder: Path) -> None:
    """A file that cannot be read, with a canary in its bad row, and bounds that make no sense."""
    broken = folder / "broken.csv"
    broken.write_text(canary_csv.read_text() + f"{FIRST_ID},{frames.MEDIAN} or so\n")
    page.locator("input[type=file]").set_input_files(broken)
    choose(page, "Column", "value")
    page.get_by_role("button", name="Read this column").click()
    page.get_by_text("is not a number").wait_for()
    page.get_by_role("button", name="Remove broken.csv").click()
    driving.idle(page)
    bring(page, canary_csv, "value")
    say(page, **BOUNDS | {"Highest": "-5"})
    page.get_by_text("must be > “Lowest”").wait_for()
    say(page, Highest="120")


FORMS = {
    "Inside": "What did", "Compare": "Which mechanism", "Trade-off": "What does privacy", "Explore": "What do private",
    "Release": "What are the private",
}  # fmt: skip
"""Every page that has the form, by its name in the menu, with the start of its question."""
OPENINGS, OPENING_MILLISECONDS = 5, 3_000
PROTECTS = ("joins or leaves", "is replaced by another")
BROKEN = {
    "word.csv": "value\n{before}a word\n{after}", "date.csv": "value\n{before}2020-01-01\n{after}",
    "quote.csv": 'value,more\n{before}"never closed,\n{after}', "only-a-header.csv": "value\n", "empty.csv": "",
    "page.csv": "<!DOCTYPE html><html>{before}</html>", "list.csv": '[{{"value": 1}}]',
}  # fmt: skip
"""Files that cannot be read: what is wrong with them stands in the middle."""


@pytest.fixture(scope="module")
def same_length(tmp_path_factory: pytest.TempPathFactory, ledger_file: Path, server: Server) -> Path:
    """Two files of the same length, an account for each of another kind, and files that cannot be read."""
    folder = tmp_path_factory.mktemp("number")
    values = np.random.default_rng(0).uniform(18, 90, ROWS)
    lines = [f"{value:.2f}\n" for value in values]
    parts = {"before": "".join(lines[: ROWS // 2]), "after": "".join(lines[ROWS // 2 :])}
    ledger = Ledger.at(ledger_file, key="a key for the tests")
    for adjacency in Adjacency:
        (folder / f"{adjacency}.csv").write_text("value\n" + "".join(lines))
        ledger.open_account(adjacency.value, budget=ApproxDP(3.0, 0.5), adjacency=adjacency, one_row_is="person")
    ledger.engine.dispose()
    for name, content in BROKEN.items():
        (folder / name).write_text(content.format(**parts))
    return folder


@pytest.mark.parametrize("adjacency", Adjacency)
def test_no_setting_of_any_form_sends_the_number_of_records(
    visitor: BrowserContext, listener: Eavesdropper, server: Server, same_length: Path, adjacency: Adjacency
) -> None:
    page = listener.open(visitor, f"{server.url}/release?data=file")
    meet_reader_errors(page, same_length)
    bring(page, same_length / f"{adjacency}.csv", "value")
    say(page, **BOUNDS)
    switch_every_setting(page)
    for name, question in FORMS.items():
        page.get_by_role("link", name=name, exact=True).click()
        page.get_by_role("heading", name=question).wait_for()
        driving.idle(page)
        if name != "Release":
            switch_every_setting(page)
    assert not found_near(listener.heard, ROWS)

    pick(page, "Mechanism", MECHANISMS["aq"].LABEL)
    pick(page, "Protects", PROTECTS[adjacency is Adjacency.REPLACE_ONE])
    fill(page, "Small probability δ", "1e-6")
    press(page, "Release")
    fill(page, "Small probability δ", "0.4")
    assert bool(found_near(listener.heard, ROWS)) is (adjacency is Adjacency.REPLACE_ONE), (
        "the search finds what is public"
    )


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
    """Every kind of budget and set of quantiles that the page has, under either adjacency, and every mechanism."""
    for fold in map(page.get_by_text, ("Kind of budget:", "Protects:")):
        if fold.count() and not page.get_by_text("ρ", exact=True).first.is_visible():
            fold.first.click()
            driving.idle(page)
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
        with suppress(TimeoutError):
            wanted.wait_for(timeout=OPENING_MILLISECONDS)
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
