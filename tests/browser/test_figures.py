"""Pages whose figures and tables answer to a visitor: Inside, the microscope, Stream, Compare, Trade-off."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from tests.browser.asking import fill
from tests.browser.driving import PAINT_MILLISECONDS, WIDE, idle
from tests.browser.looks import painted

pytestmark = pytest.mark.slow

CLICKS = 3
IS_SELECTED = """number => {
    const parts = document.querySelector('.js-plotly-plot')?._fullData?.[0]
    const widths = parts?.marker?.line?.width ?? []
    return widths.indexOf(3) >= 0 && parts.customdata[widths.indexOf(3)][0] === number - 1
}"""
"""Whether the figure shows this part, from 1, as the chosen one."""
PLACE = """number => {
    const plot = document.querySelector('.js-plotly-plot'), layout = plot._fullLayout
    const parts = plot._fullData[0]
    const at = parts.customdata.findIndex(each => each[0] === number - 1)
    const x = Math.max(parts.base[at], layout.xaxis.range[0]) * 0.5
        + Math.min(parts.base[at] + parts.x[at], layout.xaxis.range[1]) * 0.5
    const box = plot.getBoundingClientRect()
    return [box.left + layout.xaxis._offset + layout.xaxis.l2p(x),
            box.top + layout.yaxis._offset + layout.yaxis.l2p(parts.y[at] + 0.2)]
}"""
"""Where a part's drawn value is, but above its mark."""


@pytest.fixture
def inside(open_page: Callable[..., Page]) -> Page:
    return painted(open_page("/inside?mechanism=aq"), "inside")


def expect_step(page: Page, number: int) -> None:
    """The line of the step, the frame in the figure and the row of the table all tell the same."""
    expect(page.get_by_text(f"Answer {number} of")).to_be_visible()
    page.wait_for_function(IS_SELECTED, arg=number)
    idle(page)


def click_part(page: Page, number: int) -> None:
    """Click into a part of the recursion, again where the figure was just drawn anew and heard nothing."""
    for _ in range(CLICKS):
        place = page.evaluate(PLACE, number)
        page.mouse.move(place[0] - 5, place[1])
        page.mouse.move(*place, steps=4)
        page.locator(".js-plotly-plot").first.locator(".hovertext").first.wait_for()  # before that it hears no click
        page.mouse.click(*place)
        idle(page)
        try:
            page.wait_for_function(IS_SELECTED, arg=number, timeout=PAINT_MILLISECONDS / CLICKS)
        except TimeoutError:
            continue
        return


def test_a_click_selects_a_part_in_figure_and_table_alike_and_the_link_says_it(inside: Page) -> None:
    expect_step(inside, 1)
    click_part(inside, 3)
    expect_step(inside, 3)
    inside.get_by_role("slider", name="Step of the run").press("ArrowRight")
    expect_step(inside, 4)
    inside.get_by_role("button", name="Copy link").click()
    expect(inside.get_by_test_id("stCode")).to_contain_text("run_step=4")
    inside.get_by_role("button", name="Copy link").click()
    idle(inside)
    fill(inside, "exact epsilon", "2")
    expect_step(inside, 4)
    table = inside.get_by_test_id("stDataFrame").first
    box = table.bounding_box()
    assert box is not None
    inside.mouse.click(box["x"] + 18, box["y"] + 35 * 6.5)
    expect_step(inside, 6)
    click_part(inside, 2)
    expect_step(inside, 2)


@pytest.mark.parametrize("pause", [40, 150])
def test_a_held_arrow_key_moves_one_step_for_every_press(open_page: Callable[..., Page], pause: int) -> None:
    page = painted(open_page("/inside?mechanism=aq&quantiles=even&even=40&run_step=1"), "inside")
    slider = page.get_by_role("slider", name="Step of the run")
    slider.focus()
    for _ in range(20):
        page.keyboard.down("ArrowRight")
        page.wait_for_timeout(pause)  # as long as a keyboard waits between two letters
    page.keyboard.up("ArrowRight")
    expect_step(page, 21)
    expect(slider).to_have_value("21")
    assert "run_step=21" in page.url


@pytest.mark.parametrize(
    "mechanism", ["aq", "freetotal", "aggtree", "slice&data=adult-age-full", "binhist", "gkexp&adjacency=replace_one"]
)
def test_the_table_of_all_steps_is_no_wider_than_the_page(open_page: Callable[..., Page], mechanism: str) -> None:
    page = painted(open_page(f"/inside?mechanism={mechanism}", viewport=WIDE), "inside")
    over = "node => node.scrollWidth - node.clientWidth"
    assert page.locator(".dvn-scroller").first.evaluate(over) <= 0


def test_the_microscope_is_a_tab_with_a_broken_variant_its_mend_and_another_pair(inside: Page) -> None:
    inside.get_by_role("tab", name="Microscope").click()
    inside.wait_for_url("**look=Microscope**")
    inside.get_by_role("tab", name="One run").click()
    expect(inside.get_by_text("Answer 1 of 9")).to_be_visible()
    inside.goto(f"{inside.url.split('?')[0]}?look=Microscope&tiny_show=half")
    expect(inside.get_by_text("is 7.39 times as likely with 39 as without 39")).to_be_visible()
    expect(inside.locator(".js-plotly-plot:visible .main-svg").first).to_be_visible()
    inside.get_by_role("radio", name="Fixed").click()
    expect(inside.get_by_text("is 2.71 times as likely with 39 as without 39")).to_be_visible()
    values = inside.get_by_role("textbox", name="People’s values")
    for typed, wrong in (("3, many", 1), ("3, 11", 0)):
        values.fill(typed)
        values.press("Enter")
        expect(inside.get_by_text("must be whole numbers")).to_have_count(wrong)
    expect(inside.get_by_test_id("stMetricValue").nth(1)).to_have_text("ε = 0.669")


def press(page: Page, verb: str) -> None:
    page.get_by_role("button", name=verb, exact=True).click()
    expect(page.get_by_text("seed 1").first).to_be_visible()


def test_a_long_sweep_leaves_the_page_usable_and_ends_at_once(open_page: Callable[..., Page]) -> None:
    """A sweep of minutes whose first numbers come at once: the quick mechanisms are the first."""
    page = painted(open_page("/tradeoff?trials=1000&even=60&quantiles=even"), "tradeoff")
    press(page, "Simulate")
    cancel = page.get_by_role("button", name="Cancel")
    cancel.wait_for()
    page.get_by_text("Worst quantile", exact=True).click(timeout=2 * PAINT_MILLISECONDS)
    expect(page.get_by_text("worst rank error (people)", exact=True).first).to_be_visible()
    expect(cancel).to_be_visible()
    cancel.click()
    expect(page.get_by_text("Cancelled.")).to_be_visible()
    expect(cancel).to_have_count(0)


def test_what_is_chosen_stands_on_the_next_page_too(open_page: Callable[..., Page]) -> None:
    page = open_page("/compare")

    def turn(name: str) -> None:
        page.get_by_role("link", name=name, exact=True).click()
        page.wait_for_url(re.compile(f"/{name.lower()}"))
        idle(page)

    turn("Inside")
    page.get_by_text("Protects:").click()
    for name in ("Median", "ρ"):
        page.get_by_role("radio", name=name, exact=True).first.click()
        idle(page)
    turn("Explore")
    for fold in ("Protects:", "Possible values:"):
        page.get_by_text(fold).click()
    for name in ("Median", "ρ", "I know them"):
        expect(page.get_by_role("radio", name=name, exact=True).first).to_be_checked()
    assert "data=" not in page.url
