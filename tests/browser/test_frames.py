"""In a Release session nothing of the data but the private answers is sent; every frame is searched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, FilePayload, Page

from tests.browser import driving
from tests.browser.frames import Eavesdropper, found_in
from tests.browser.quantiles import bring, bring_several, choose, confirm, downloaded, fill, new_people, press, say

ROWS = 48_611
"""A number of records that appears nowhere else."""
MINIMUM, MAXIMUM, MEDIAN = 17.40625, 93.59375, 51.71875
"""Exact as float32 and on the grid of an Explore session; a release answers on a coarser grid without them."""
FIRST_ID = 713_059_371
"""Of whom the minimum is; the others follow."""
PEOPLE = 24_357
CANARIES = {
    "number of rows": ROWS, "number of people": PEOPLE, "minimum": MINIMUM, "maximum": MAXIMUM, "true median": MEDIAN,
}  # fmt: skip
SECRETS = CANARIES | {"an id": FIRST_ID}
"""An id is on no screen, not even where the truth is."""

UNLISTED = "QXunlisted"
REGIONS = {"north": 11_279, UNLISTED: 13_397}
"""How many rows each group has: numbers that appear nowhere else."""
BOUNDS = {"Lowest": "0", "Highest": "120", "Step": "0.5"}


@pytest.fixture(scope="module")
def canary_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A column with its canaries: a hundred equal ones in the middle, one at each end; all others have two rows."""
    rng = np.random.default_rng(0)
    below, above = rng.uniform(30, 50, ROWS // 2 - 50), rng.uniform(53, 70, ROWS // 2 - 50)
    middle = ROWS - below.size - above.size - 2
    values = np.concatenate([[MINIMUM, MAXIMUM], [MEDIAN] * middle, below, above])
    halves = [np.arange(part.size) // 2 for part in (below, above)]
    whose = np.concatenate([np.arange(2 + middle), 2 + middle + halves[0], 3 + middle + halves[0][-1] + halves[1]])
    assert whose[-1] + 1 == PEOPLE
    path = tmp_path_factory.mktemp("canaries") / "own.csv"
    rows = (f"{FIRST_ID + one},{value!r}" for one, value in zip(whose.tolist(), values.tolist(), strict=True))
    path.write_text("patient,value\n" + "\n".join(rows) + "\n")
    return path


def visit(browser: Browser, url: str, file: Path, *, public: bool, act: Callable[[Page], None]) -> Eavesdropper:
    context = driving.new_visitor(browser)
    listener = Eavesdropper()
    step = "0.03125" if public else "0.5"
    page = open_listening(context, listener, f"{url}/quantiles?data=file&quantiles=median")
    bring(page, file, "value", public=public, ids="patient")
    say(page, Lowest="0", Highest="120", Step=step)
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
    assert not heard.finds(FIRST_ID)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server below keeps its ledger, its log and its temporary files, and nobody else anything."""
    folder = tmp_path_factory.mktemp("watched")
    (folder / "temporary").mkdir()
    return folder


@pytest.fixture(scope="module")
def ledger_server(chromium_path: str, folder: Path) -> Iterator[driving.Server]:
    own = {"DPQ_LEDGER_URL": str(folder / "ledger.sqlite"), "TMPDIR": str(folder / "temporary")}
    with driving.serve(folder / "server.log", **own) as server:
        yield server


@pytest.fixture
def listener() -> Eavesdropper:
    return Eavesdropper()


@pytest.fixture
def open_tab(browser: Browser, ledger_server: driving.Server, listener: Eavesdropper) -> Iterator[Callable[[], Page]]:
    """Further tabs of one visitor, one press away from an upload; everything that is sent to them is kept."""
    context = driving.new_visitor(browser)
    link = f"{ledger_server.url}/quantiles?data=file&quantiles=median"
    yield lambda: open_listening(context, listener, link)
    context.close()


def test_errors_send_log_and_write_nothing_of_the_truth(
    open_tab: Callable[[], Page], listener: Eavesdropper, canary_csv: Path, folder: Path, tmp_path: Path
) -> None:
    page = open_tab()
    meet_errors(page, canary_csv, tmp_path)
    check_silence(listener, folder)


def test_a_whole_session_sends_logs_and_writes_nothing_of_the_truth(
    open_tab: Callable[[], Page], listener: Eavesdropper, canary_csv: Path, folder: Path
) -> None:
    """Releases, their files, a refusal, reruns, a reload, back and forward, a second tab, a column, the page Budget."""
    first, second = open_tab(), open_tab()
    first.bring_to_front()  # a browser gives little time to a tab that lies behind
    bring(first, canary_csv, "value", ids="patient")
    say(first, **BOUNDS)
    fill(first, "Total ε", "20")
    first.get_by_text("protects almost no one").click()
    driving.idle(first)
    press(first, "Release")
    files = {label: downloaded(first, label).encode() for label in ("CSV", "JSON", "Figure", "Python", "Plan")}
    assert [(label, name) for label, text in files.items() for name, at in SECRETS.items() if found_in(text, at)] == []
    first.get_by_text("Quartiles", exact=True).click()
    driving.idle(first)
    press(first, "Release")
    first.go_back()
    driving.idle(first)
    first.go_forward()
    driving.idle(first)
    release_a_column(first)
    fill(first, "exact epsilon", "1000")
    first.get_by_text("The budget of own does not allow this").first.wait_for()
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
    first.goto(f"{first.url.split('/quantiles')[0]}/budget")
    first.get_by_text("What is spent and what is left add up to it").wait_for()
    driving.idle(first)
    assert first.get_by_test_id("stMetricValue").last.inner_text() == "4", "three in one tab, one in the other"
    assert {"ledger.sqlite", "ledger.sqlite-wal", "server.log"} <= check_silence(listener, folder)


@pytest.mark.very_slow
def test_several_columns_send_log_and_write_nothing_of_the_truth(
    browser: Browser, ledger_server: driving.Server, listener: Eavesdropper, canary_csv: Path, folder: Path
) -> None:
    """A release of several columns, its files, another axis, a rerun and what a budget refuses."""
    context = driving.new_visitor(browser)
    page = open_listening(context, listener, f"{ledger_server.url}/columns?table=file")
    values = [row.split(",")[1] for row in canary_csv.read_text().split()[1:]]
    table = "first,second\n" + "".join(f"{value},{value}\n" for value in values)
    upload: FilePayload = {"name": "table.csv", "mimeType": "text/csv", "buffer": table.encode()}
    bring_several(page, upload, "second")
    press(page, "Release")
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    files = {label: downloaded(page, label).encode() for label in ("CSV", "JSON", "Codebook")}
    assert [(label, name) for label, text in files.items() for name, at in CANARIES.items() if found_in(text, at)] == []
    page.get_by_text("Logarithmic", exact=True).click()
    driving.idle(page)
    fill(page, "exact epsilon", "1000")
    page.get_by_text("The budget of table does not allow this").first.wait_for()
    driving.idle(page)
    context.close()
    assert {"ledger.sqlite", "server.log"} <= check_silence(listener, folder)


@pytest.mark.very_slow
def test_groups_send_log_and_write_nothing_but_answers_for_the_list(
    browser: Browser, ledger_server: driving.Server, listener: Eavesdropper, folder: Path, tmp_path: Path
) -> None:
    """A release for two listed groups, one of them empty, and its files; before it the search finds all in Explore."""
    file = tmp_path / "regions.csv"
    rows = [f"{group},{at % 97}" for group, size in REGIONS.items() for at in range(size)]
    file.write_text("region,value\n" + "\n".join(rows) + "\n")
    heard = Eavesdropper()
    for public, ear in ((True, heard), (False, listener)):
        context = driving.new_visitor(browser)
        page = open_listening(context, ear, f"{ledger_server.url}/quantiles?data=file&quantiles=median&mechanism=aq")
        bring(page, file, "value", public=public, groups="region")
        say(page, **BOUNDS)
        if not public:
            page.get_by_role("textbox", name="List of groups").fill("north\nnobody")
            page.keyboard.press("Control+Enter")
            driving.idle(page)
        press(page, "Simulate" if public else "Release")
        page.locator(".js-plotly-plot .main-svg").first.wait_for()
        if not public:
            files = [downloaded(page, label) for label in ("CSV", "Wide CSV", "JSON", "Figure", "Python", "Plan")]
            assert [UNLISTED for text in files if UNLISTED in text] == []
            del files[3]  # which holds all of plotly
            assert [size for text in files for size in REGIONS.values() if found_in(text.encode(), size)] == []
        driving.idle(page)
        context.close()
    assert heard.finds_text(UNLISTED)
    assert all(heard.finds(size) for size in REGIONS.values())
    assert not listener.finds_text(UNLISTED)
    assert not any(listener.finds(size) for size in (*REGIONS.values(), sum(REGIONS.values())))
    written = [each.read_bytes() for each in folder.rglob("*") if each.is_file()]
    assert not any(UNLISTED.encode() in content for content in written)
    check_silence(listener, folder)


def check_silence(listener: Eavesdropper, folder: Path) -> set[str]:
    """No canary in any frame or file; returns the names of the files that were searched."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    written = {file.name: file.read_bytes() for file in files}
    assert {"delta", "new_session"} <= listener.kinds
    for name, value in SECRETS.items():
        assert not listener.finds(value), name
        assert not {file: found for file, content in written.items() if (found := found_in(content, value))}, name
    return set(written)


def open_listening(context: BrowserContext, listener: Eavesdropper, address: str) -> Page:
    page = context.new_page()
    listener.attach(page)
    return driving.arrive(page, address)


def meet_errors(page: Page, canary_csv: Path, folder: Path) -> None:
    """A file that cannot be read, with a canary in its bad row, and bounds that make no sense."""
    broken = folder / "broken.csv"
    broken.write_text(canary_csv.read_text() + f"{FIRST_ID},{MEDIAN} or so\n")
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


def release_a_column(page: Page) -> None:
    page.get_by_role("tab", name="Synthetic column").click()
    fill(page, "How many values", "30")
    new_people(page)
    page.get_by_role("button", name="Release a column").click()
    confirm(page)
    page.get_by_text("Number of values").wait_for()
    driving.idle(page)
