"""Every page for everybody: axe in both themes, the primary button without scrolling, the main job by keyboard alone.

Streamlit's own widgets give axe nothing to complain of but one word about its field for files, which is named here.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.browser.driving import PHONE, PROJECTOR, WIDE, ZOOMED, idle
from tests.browser.quantiles import CONFIRM, bring_several, say
from tests.every_run import kept

TWO = "quantiles?data=adult-age-full&more=adult-hours"
"""Two columns of an example."""
PRIMARY = {
    "quantiles": "New noise",
    TWO: "Simulate",
    "inside": "New noise",
    "stream": "Start",
    "compare": "Compare",
    "tradeoff": "Simulate",
    "budget": None,
    "report": "Download report",
    "papers": "Recompute",
    "learn": "Next",
}
"""Every page and what its primary button says. What was spent is only read."""
WITHOUT_FIGURE = {"budget", "report"}
VIOLATIONS: dict[str, Any] = {"resultTypes": ["violations"]}
"""Of what passes axe then describes one example and not thousands, which takes more time than its rules."""
COLOURS = VIOLATIONS | {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
"""All that can differ between the themes."""
STREAMLITS_OWN = "presentation-role-conflict"
"""Its field for files has both a name and the role of something that needs none. A browser then ignores the role."""
WIDTHS = """() => {
    const main = document.querySelector('[data-testid=stMain]')
    const controls = [...document.querySelectorAll('.st-key-dpq_controls')]
    return [main.scrollWidth, main.clientWidth, controls.map(each => each.clientWidth)]
}"""
"""How wide all of the page is, how much of that is seen, and how wide the controls are."""
AT_REST = "document.querySelector('[data-testid=stMain]').scrollTop === 0"
COVERED = """() => {
    const bar = document.querySelector('.st-key-dpq_in_view'), now = document.activeElement
    if (!bar) return false  // while the tab of a synthetic column is open
    const [above, mine] = [bar.getBoundingClientRect(), now.getBoundingClientRect()]
    return bar.closest('[data-testid=stColumn]').contains(now) && !bar.contains(now)
        && mine.bottom > above.top + 1 && mine.top < above.bottom - 1
}"""
"""Whether what has the keyboard's focus lies under the bar with the button."""
NAME = "() => document.activeElement.getAttribute('aria-label') || document.activeElement.innerText || ''"


def painted(page: Page, name: str) -> Page:
    if name not in WITHOUT_FIGURE:
        page.locator(".js-plotly-plot .main-svg").first.wait_for()
    return page


def violations(page: Page) -> list[str]:
    """What axe finds in light colours, and then in dark ones."""
    found = []
    themes: tuple[tuple[Literal["light", "dark"], dict[str, Any]], ...] = (("light", VIOLATIONS), ("dark", COLOURS))
    for scheme, options in themes:
        page.emulate_media(color_scheme=scheme)
        ground = "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
        page.wait_for_function(f"() => ({ground} === 'rgb(255, 255, 255)') === {str(scheme == 'light').lower()}")
        for each in Axe().run(page, options=options).response["violations"]:
            found += [f"{scheme}: {each['id']}: {node['html'][:200]}" for node in each["nodes"]]
    return found


def button(page: Page, words: str) -> Locator:
    return page.locator("[data-testid=stBaseButton-primary], .dpq-main a").filter(has_text=words, visible=True)


def in_view(page: Page, words: str) -> list[tuple[int, int]]:
    """The screens on which the page shows its button, all of it, before anybody scrolls."""
    found = []
    for size in (WIDE, PROJECTOR, ZOOMED, PHONE):
        page.set_viewport_size(size)
        expect(button(page, words)).to_be_in_viewport(ratio=0.99)
        assert page.evaluate(AT_REST)
        found.append((size["width"], size["height"]))
    return found


@pytest.mark.parametrize("name", kept(PRIMARY, "quantiles", "learn"))
def test_axe_is_silent_and_the_button_is_in_view(name: str, open_page: Callable[..., Page]) -> None:
    page = painted(open_page(f"/{name}", viewport=WIDE), name)
    assert violations(page) == []
    words = PRIMARY[name]
    if words:
        assert len(in_view(page, words)) == 4
    assert violations_at_twice_the_size(page) == []


def violations_at_twice_the_size(page: Page) -> list[str]:
    """What axe finds at 200 % zoom, where nothing may be squeezed or cut off either."""
    page.set_viewport_size(ZOOMED)
    wide, shown, controls = page.evaluate(WIDTHS)
    assert wide <= shown
    assert all(width > 0.8 * shown for width in controls)
    return [each["id"] for each in Axe().run(page, options=VIOLATIONS).response["violations"]]


BEHIND = {
    "a menu": ("quantiles", "Copy link", "with the same settings"),
    "a choice": (TWO, "ρ", "Settings changed"),
    "a dialog": ("quantiles", "Help me choose a mechanism", "All of them keep the promise"),
    "the numbers": ("quantiles", "Numbers", "Simulation with seed 1"),
    "a column": ("quantiles", "Synthetic column", "As many made-up values"),
    "a file": ("quantiles?data=file", "This data is public or synthetic", "XLSX"),
    "the microscope": ("inside", "Microscope", "Made-up people"),
    "a search": ("tradeoff", "Smallest budget", "Wanted"),
}
"""What lies one press behind a page: where, what is pressed, and a few words of it."""


@pytest.mark.parametrize("what", kept(BEHIND, "a dialog"))
def test_axe_is_silent_about_what_is_open_or_pointed_at(what: str, open_page: Callable[..., Page]) -> None:
    path, pressed, words = BEHIND[what]
    page = open_page(f"/{path}", viewport=WIDE)
    page.get_by_text(pressed, exact=True).click()  # and the pointer stays there
    idle(page)
    page.get_by_text(words).first.wait_for()
    assert [each for each in violations(page) if STREAMLITS_OWN not in each] == []


def test_axe_is_silent_about_a_release(open_page: Callable[..., Page]) -> None:
    page = open_page("/quantiles?data=paste&quantiles=quartiles", viewport=WIDE)
    page.get_by_role("textbox", name="Values").fill(", ".join(str(18 + k % 70) for k in range(3000)))
    page.get_by_role("button", name="Read these values").click()
    page.get_by_role("button", name="Forget my data").wait_for()
    idle(page)
    say(page, Lowest="0", Highest="120", Step="1")
    assert violations(page) == []
    page.emulate_media(color_scheme="light")
    release_by_keyboard(page)
    page.get_by_test_id("stMetricValue").first.wait_for()
    idle(page)
    assert violations(page) == []
    for name, words in (("Budget", "Spent"), ("Report", "any one person")):
        page.emulate_media(color_scheme="light")
        page.get_by_role("link", name=name, exact=True).click()
        page.get_by_text(words).first.wait_for()
        idle(page)
        assert violations(page) == []


@pytest.mark.very_slow
def test_several_columns_are_released_by_keyboard_and_axe_is_silent(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    file = tmp_path / "two.csv"
    file.write_text("age,pay\n" + "".join(f"{18 + k % 70},{100 * (k % 97)}\n" for k in range(3000)))
    page = open_page("/quantiles?data=file", viewport=WIDE)
    bring_several(page, file, "pay")
    assert [each for each in violations(page) if STREAMLITS_OWN not in each] == []
    release_by_keyboard(page)
    page.get_by_text("Spent by this release").wait_for()
    idle(page)
    assert violations(page) == []


def test_motion_is_reduced_where_that_is_asked_for_and_lists_still_open(open_page: Callable[..., Page]) -> None:
    page = open_page("/quantiles", reduced_motion="no-preference")
    moving = "[...document.querySelectorAll('*')].map(each => getComputedStyle(each).animationDuration)"
    assert set(page.evaluate(moving)) != {"0.001s"}
    page.emulate_media(reduced_motion="reduce")
    page.wait_for_function(f"() => {moving}.every(time => time === '0.001s')")
    page.get_by_role("combobox", name="Data").click()
    expect(page.get_by_role("option")).not_to_have_count(0)
    assert "data=" not in page.url


def release_by_keyboard(page: Page) -> None:
    """Press Release and say yes, with axe at the question between."""
    if (new := page.get_by_role("checkbox", name="is a new data set")).count():  # where others have charged this ledger
        new.focus()
        page.keyboard.press("Space")
        idle(page)
    tab_to(page, "Release")
    page.keyboard.press("Enter")
    idle(page)
    assert violations(page) == []
    page.emulate_media(color_scheme="light")
    tab_to(page, CONFIRM)
    page.keyboard.press("Enter")


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


def test_the_main_job_by_keyboard_alone(open_page: Callable[..., Page]) -> None:
    page = open_page("/quantiles", viewport=PROJECTOR)
    expect(button(page, "New noise")).to_be_enabled()
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


def test_the_menu_shows_where_the_focus_is(open_page: Callable[..., Page]) -> None:
    page = open_page("/budget", viewport=PROJECTOR)
    tab_to(page, "Compare")
    expect(page.locator(":focus")).to_have_css("outline-style", "solid")


@pytest.mark.very_slow
def test_a_synthetic_column_by_keyboard_alone(open_page: Callable[..., Page]) -> None:
    """The tab's own button is the only primary one: whoever presses Tab meets no other way to start."""
    page = open_page("/quantiles?show=Synthetic+column", viewport=PROJECTOR)
    page.get_by_role("textbox", name="How many values").wait_for()
    idle(page)
    expect(button(page, "")).to_have_count(1)
    tab_to(page, "How many values")
    tab_to(page, "Simulate a column")
    page.keyboard.press("Enter")
    page.get_by_text("Number of values").wait_for()
