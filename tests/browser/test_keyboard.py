"""What can be done by keyboard alone, with axe at every step of a release, and with less motion."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.asking import CONFIRM, bring_several, say, without_bounds
from tests.browser.driving import PROJECTOR, WIDE, idle
from tests.browser.looks import button, violations

pytestmark = pytest.mark.slow

COVERED = """() => {
    const bar = document.querySelector('.st-key-dpq_in_view'), now = document.activeElement
    const [above, mine] = [bar.getBoundingClientRect(), now.getBoundingClientRect()]
    return bar.closest('[data-testid=stColumn]').contains(now) && !bar.contains(now)
        && mine.bottom > above.top + 1 && mine.top < above.bottom - 1
}"""
"""Whether what has the keyboard's focus lies under the bar with the button."""
NAME = "() => document.activeElement.getAttribute('aria-label') || document.activeElement.innerText || ''"


def tab_to(page: Page, words: str) -> None:
    """Press Tab until the control of that name has the focus; nothing that is met on the way may be covered."""
    met = []
    for _ in range(60):
        page.keyboard.press("Tab")
        assert not page.evaluate(COVERED)
        name = page.evaluate(NAME)
        met += name.splitlines()[-1:]  # before it stands the name of an icon
        if met[-1:] == [words]:
            return
    raise AssertionError(f"no way to {words}, only to {met}")


def test_the_main_job(open_page: Callable[..., Page]) -> None:
    page = open_page("/explore", viewport=PROJECTOR)
    expect(button(page, "New noise")).to_be_enabled()
    tab_to(page, "Compare")
    expect(page.locator(":focus")).to_have_css("outline-style", "solid")
    tab_to(page, "Privacy loss ε")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**epsilon=0.2**")
    idle(page)
    tab_to(page, "Data")
    page.keyboard.press("ArrowDown")
    page.get_by_role("option").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**data=**")
    idle(page)
    tab_to(page, "New noise")
    page.keyboard.press("Enter")
    page.get_by_text("Simulation with seed 2").wait_for()
    idle(page)
    tab_to(page, "CSV")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    table = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8"))))
    assert len(table) == 9


def _one_column(page: Page, _: Path) -> None:
    page.get_by_role("textbox", name="Values").fill(", ".join(str(18 + k % 70) for k in range(3000)))
    page.get_by_role("button", name="Read these values").click()
    page.get_by_role("button", name="Forget my data").wait_for()
    idle(page)
    say(page, Lowest="0", Highest="120", Step="1")


def _several_columns(page: Page, folder: Path) -> None:
    file = folder / "two.csv"
    file.write_text("age,pay\n" + "".join(f"{18 + k % 70},{100 * (k % 97)}\n" for k in range(3000)))
    bring_several(page, file, "pay")
    without_bounds(page)


RELEASES: dict[str, tuple[str, Callable[[Page, Path], None]]] = {
    "one column": ("/release?data=paste&quantiles=quartiles", _one_column),
    "several columns": ("/release?data=file", _several_columns),
}


@pytest.mark.parametrize("of", RELEASES)
def test_a_release_is_made_and_axe_is_silent_about_it(of: str, open_page: Callable[..., Page], tmp_path: Path) -> None:
    path, begin = RELEASES[of]
    page = open_page(path, viewport=WIDE)
    begin(page, tmp_path)
    assert violations(page) == []
    if (new := page.get_by_role("checkbox", name="is a new data set")).count():  # where others have charged this ledger
        new.focus()
        page.keyboard.press("Space")
        idle(page)
    tab_to(page, "Release")
    page.keyboard.press("Enter")
    idle(page)
    assert violations(page) == []
    tab_to(page, CONFIRM)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="CSV", exact=True).wait_for()
    idle(page)
    assert violations(page) == []
    page.get_by_role("link", name="Releases", exact=True).click()
    page.get_by_text("any one person").first.wait_for()
    idle(page)
    assert violations(page) == []


def test_motion_is_reduced_where_that_is_asked_for_and_lists_still_open(open_page: Callable[..., Page]) -> None:
    page = open_page("/explore", reduced_motion="no-preference")
    moving = "[...document.querySelectorAll('*')].map(each => getComputedStyle(each).animationDuration)"
    assert set(page.evaluate(moving)) != {"0.001s"}
    page.emulate_media(reduced_motion="reduce")
    page.wait_for_function(f"() => {moving}.every(time => time === '0.001s')")
    page.get_by_role("combobox", name="Data").click()
    expect(page.get_by_role("option")).not_to_have_count(0)
    assert "data=" not in page.url
