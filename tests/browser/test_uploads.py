"""What the server holds of an upload: memory while the tab is open, nothing on the disk, nothing after it is closed."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Browser, Dialog, Page

from tests.browser import driving
from tests.browser.asking import choose

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks at open files in /proc"),
]

MEGABYTES = 48


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A column that Starlette would have written to the temporary folder."""
    path = tmp_path / "large.csv"
    with path.open("w") as file:
        file.write("id,amount\n")
        line = "".join(f"{number},{number * 7 % 9973}\n" for number in range(10_000))
        for _ in range(MEGABYTES * (1 << 20) // len(line) + 1):
            file.write(line)
    return path


@pytest.fixture
def own_server(chromium_path: str, tmp_path: Path) -> Iterator[driving.Server]:
    """A server of this test's own: what earlier visitors left to the allocator would swallow the upload."""
    with driving.serve(tmp_path / "own.log") as running:
        yield running


def deleted_files(process: int) -> set[str]:
    """Files that a process has open although they have no name any more."""
    found = set()
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        try:
            target = os.readlink(descriptor)
            size = os.stat(descriptor).st_size
        except OSError:  # closed in the meantime
            continue
        if target.endswith("(deleted)") and not target.startswith("/memfd:") and size:
            found.add(target)
    return found


@contextmanager
def watched(look: Callable[[], set[str]]) -> Iterator[set[str]]:
    """Everything that a look found, again and again until the block ends."""
    found: set[str] = set()
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.002):
            found.update(look())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield found
    finally:
        over.set()
        thread.join()


def upload(page: Page, path: Path) -> None:
    choose(page, "Data", "My own file")
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_role("button", name="Read this column").wait_for()


def megabytes_of(process: int) -> float:
    return int(psutil.Process(process).memory_info().rss) / (1 << 20)


def test_an_upload_goes_with_its_tab(browser: Browser, own_server: driving.Server, large: Path) -> None:
    with driving.new_visitor(browser) as visitor:
        page = driving.arrive(visitor.new_page(), f"{own_server.url}/release")
        before = megabytes_of(own_server.process)
        with watched(lambda: deleted_files(own_server.process)) as on_disk:
            upload(page, large)
        held = megabytes_of(own_server.process)
        page.close()
    assert not on_disk
    assert held - before > MEGABYTES * 0.9
    give_up = time.monotonic() + 60
    while held - megabytes_of(own_server.process) < MEGABYTES * 0.9 and time.monotonic() < give_up:
        time.sleep(0.2)
    assert held - megabytes_of(own_server.process) > MEGABYTES * 0.9


def test_a_page_with_own_data_asks_before_it_is_left(browser: Browser, server: driving.Server, tmp_path: Path) -> None:
    own, asked = tmp_path / "own.csv", list[str]()
    own.write_text("age\n" + "\n".join(str(18 + k % 70) for k in range(300)) + "\n")

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    with driving.new_visitor(browser) as visitor:
        page = driving.arrive(visitor.new_page(), f"{server.url}/release")
        page.on("dialog", stay)
        page.get_by_role("textbox", name="exact epsilon").fill("0.3")
        page.keyboard.press("Enter")
        driving.idle(page)
        page.reload()
        driving.idle(page)
        assert not asked, "the link has all of it"
        upload(page, own)
        page.evaluate("location.reload()")
        driving.idle(page)
        assert asked == ["beforeunload"]
        page.get_by_role("button", name="Read this column").click()
        page.get_by_role("button", name="Forget my data").wait_for()
        driving.idle(page)
        page.get_by_role("link", name="Learn").click()
        driving.idle(page)
        page.evaluate("location.reload()")
        driving.idle(page)
        assert asked == ["beforeunload"] * 2, "the session still has the data"
        page.get_by_role("link", name="Release", exact=True).click()
        page.get_by_role("button", name="Forget my data").click()
        driving.idle(page)
        page.evaluate("location.reload()")
        driving.idle(page)
        assert len(asked) == 2, "there is nothing to lose"
