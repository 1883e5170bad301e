"""The Inside page as a visitor meets it: clicks in figure and table, playing, downloads, a phone."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from tests.browser.driving import PAINT_MILLISECONDS, WIDE, idle
from tests.browser.quantiles import downloaded, fill
from tests.every_run import kept

CLICKS = 3
IS_SELECTED = """number => {
    const parts = document.querySelector('.js-plotly-plot')?._fullData?.[0]
    const widths = parts?.marker?.line?.width ?? []
    return widths.indexOf(3) >= 0 && parts.customdata[widths.indexOf(3)][0] === number - 1
}"""
"""Whether the figure shows this part, from 1, as the chosen one."""
NOTE_STEPS = r"""() => {
    window.steps = []
    const main = document.querySelector('[data-testid=stMain]'), before = main.textContent.match(/Answer (\d+) of/)[1]
    new MutationObserver(() => {
        const step = main.textContent.match(/Answer (\d+) of/)?.[1]
        if (step && step !== (window.steps.at(-1) ?? before)) window.steps.push(step)
        window.couldPause ||= main.textContent.includes('Pause')
    }).observe(main, {subtree: true, childList: true, characterData: true})
}"""
"""Keeps which steps were shown one after the other; on a busy machine each is gone before somebody looks.

A browser without time draws two of them as one; tests/pages sees that each is sent.
"""


@pytest.fixture
def inside(open_page: Callable[..., Page]) -> Page:
    return at_rest(open_page("/inside?mechanism=aq&aq.draws=one"))


def at_rest(page: Page) -> Page:
    page.locator(".js-plotly-plot .main-svg").nth(1).wait_for()
    idle(page)
    return page


def expect_step(page: Page, number: int) -> None:
    """The line of the step, the frame in the figure and the row of the table all tell the same."""
    expect(page.get_by_text(f"Answer {number} of")).to_be_visible()
    page.wait_for_function(IS_SELECTED, arg=number)
    idle(page)


def click_part(page: Page, number: int) -> None:
    """Click into a part of the recursion, again where the figure was just drawn anew and heard nothing."""
    for _ in range(CLICKS):
        _click_once(page, number)
        try:
            page.wait_for_function(IS_SELECTED, arg=number, timeout=PAINT_MILLISECONDS / CLICKS)
        except TimeoutError:
            continue
        return


def _click_once(page: Page, number: int) -> None:
    """Click at the place of a part's drawn value but above the mark."""
    place = page.evaluate(
        """number => {
            const plot = document.querySelector('.js-plotly-plot'), layout = plot._fullLayout
            const parts = plot._fullData[0]
            const at = parts.customdata.findIndex(each => each[0] === number - 1)
            const x = Math.max(parts.base[at], layout.xaxis.range[0]) * 0.5
                + Math.min(parts.base[at] + parts.x[at], layout.xaxis.range[1]) * 0.5
            const box = plot.getBoundingClientRect()
            return [box.left + layout.xaxis._offset + layout.xaxis.l2p(x),
                    box.top + layout.yaxis._offset + layout.yaxis.l2p(parts.y[at] + 0.2)]
        }""",
        number,
    )
    page.mouse.move(place[0] - 5, place[1])
    page.mouse.move(*place, steps=4)
    page.locator(".js-plotly-plot").first.locator(".hovertext").first.wait_for()  # before that plotly hears no click
    page.mouse.click(*place)
    idle(page)


def test_a_click_selects_a_part_in_figure_and_table_alike(inside: Page) -> None:
    expect_step(inside, 1)
    click_part(inside, 3)
    expect_step(inside, 3)
    inside.get_by_role("button", name="Next").click()
    expect_step(inside, 4)
    click_part(inside, 3)
    expect_step(inside, 3)
    fill(inside, "exact epsilon", "2")
    expect_step(inside, 3)
    table = inside.get_by_test_id("stDataFrame").first
    box = table.bounding_box()
    assert box is not None
    inside.mouse.click(box["x"] + 18, box["y"] + 35 * 6.5)
    expect_step(inside, 6)
    click_part(inside, 2)
    expect_step(inside, 2)


@pytest.mark.very_slow
@pytest.mark.parametrize("pause", [40, 150])
def test_a_held_arrow_key_moves_one_step_for_every_press(open_page: Callable[..., Page], pause: int) -> None:
    page = at_rest(open_page("/inside?mechanism=aq&aq.draws=one&quantiles=even&even=40&run_step=1"))
    slider = page.get_by_role("slider", name="Step of the run")
    slider.focus()
    for _ in range(20):
        page.keyboard.down("ArrowRight")
        page.wait_for_timeout(pause)
    page.keyboard.up("ArrowRight")
    expect_step(page, 21)
    expect(slider).to_have_value("21")
    assert "run_step=21" in page.url


@pytest.mark.very_slow
def test_the_link_under_copy_link_says_the_step(inside: Page) -> None:
    for step in ("2", "3"):
        inside.get_by_role("button", name="Next").click()
        expect_step(inside, int(step))
        inside.get_by_role("button", name="Copy link").click()
        expect(inside.get_by_test_id("stCode")).to_contain_text(f"run_step={step}")
        inside.get_by_role("button", name="Copy link").click()
        idle(inside)


def test_playing_begins_at_a_press_and_ends_at_the_last_step(open_page: Callable[..., Page]) -> None:
    page = at_rest(open_page("/inside?mechanism=aq&aq.draws=one&quantiles=quartiles"))
    expect(page.get_by_text("Answer 1 of 3")).to_be_visible()
    page.evaluate(NOTE_STEPS)
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("() => window.couldPause && window.steps.length > 1 && window.steps.at(-1) === '3'")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    idle(page)
    steps = page.evaluate("window.steps")
    assert steps == sorted(steps)
    assert steps[-1] == "3"


@pytest.mark.very_slow
def test_downloads_say_that_they_are_not_private(inside: Page) -> None:
    rows = list(csv.DictReader(io.StringIO(downloaded(inside, "CSV"))))
    assert len(rows) == 9
    assert all(row["label"].startswith("Simulation, not private") for row in rows)
    assert "not private" in downloaded(inside, "Figure")


@pytest.mark.very_slow
@pytest.mark.parametrize("scheme", kept(["light", "dark"], "dark"))
def test_a_phone_shows_everything_without_scrolling_sideways(open_page: Callable[..., Page], scheme: str) -> None:
    page = at_rest(open_page("/inside", viewport={"width": 390, "height": 3000}, color_scheme=scheme))
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
    painted = page.evaluate("document.querySelector('.js-plotly-plot .main-svg').style.background")
    assert "255, 255, 255)" not in painted


@pytest.mark.parametrize(
    "mechanism",
    kept(
        [
            "aq&aq.draws=one",
            "freetotal",
            "aggtree",
            "slice&data=adult-age-full",
            "binhist",
            "gkexp&adjacency=substitute",
        ],
        "freetotal",
        "aggtree",
    ),
)
def test_the_table_of_all_steps_is_no_wider_than_the_page(open_page: Callable[..., Page], mechanism: str) -> None:
    page = at_rest(open_page(f"/inside?mechanism={mechanism}", viewport=WIDE))
    over = "node => node.scrollWidth - node.clientWidth"
    assert page.locator(".dvn-scroller").first.evaluate(over) <= 0


def test_the_microscope_is_the_second_tab(inside: Page) -> None:
    inside.get_by_role("tab", name="Microscope").click()
    expect(inside.get_by_text("Made-up people")).to_be_visible()
    inside.wait_for_url("**look=Microscope**")
    inside.get_by_role("tab", name="One run").click()
    expect(inside.get_by_text("Answer 1 of 9")).to_be_visible()
