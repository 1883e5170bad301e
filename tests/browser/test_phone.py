"""A phone: the answer is first, and a press brings the picture into view; the menu has a name."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.asking import bring, confirm, new_people, say
from tests.browser.driving import PAINT_MILLISECONDS, PHONE, WIDE, Server, arrive, idle, new_visitor
from tests.browser.looks import SCROLLED, WIDTHS, violations

pytestmark = pytest.mark.slow

BUTTONS = {
    "explore?data=adult-age-full&more=adult-hours": "Simulate", "inside": "New noise", "stream?length=10000": "Start",
    "compare?quantiles=median": "Compare", "tradeoff?quantiles=median": "Simulate", "papers": "Recompute",
}  # fmt: skip
"""Pages with a button that draws a picture."""


def main_button(page: Page, words: str) -> Locator:
    return page.get_by_role("button", name=words, exact=True)


def picture(page: Page) -> Locator:
    return page.locator(":is(.st-key-dpq_answer_place, .st-key-dpq_picture) .js-plotly-plot").first


def press(page: Page, words: str) -> None:
    if words == "Release":
        new_people(page)
    main_button(page, words).click()
    idle(page)
    if words == "Release":
        confirm(page)
    picture(page).locator(".main-svg").first.wait_for()
    idle(page)


@pytest.mark.parametrize("name", BUTTONS)
def test_the_answer_is_above_the_controls_and_a_press_shows_it(name: str, open_page: Callable[..., Page]) -> None:
    page = open_page(f"/{name}", viewport=PHONE)
    page.get_by_role("combobox").first.scroll_into_view_if_needed()
    press(page, BUTTONS[name])
    expect(picture(page)).to_be_in_viewport(ratio=0.3, timeout=PAINT_MILLISECONDS)
    assert page.evaluate(WIDTHS)[0] <= PHONE["width"]
    expect(main_button(page, BUTTONS[name])).to_be_in_viewport(ratio=0.99)
    assert top_of(picture(page)) < top_of(page.locator(".st-key-dpq_controls"))


def top_of(place: Locator) -> float:
    while (box := place.bounding_box()) is None:  # a new picture just takes the place of the former
        place.page.wait_for_timeout(50)
    return box["y"]


def test_a_release_comes_into_view(open_page: Callable[..., Page], tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text("age\n" + "\n".join(str(20 + k % 60) for k in range(3000)) + "\n")
    page = open_page("/explore?quantiles=quartiles", viewport=PHONE)
    bring(page, own, "age")
    say(page, Lowest="0", Highest="120", Step="1")
    press(page, "Release")
    expect(picture(page)).to_be_in_viewport(ratio=0.5)


def test_the_menu_has_a_name_and_is_shut_after_a_choice_and_a_reload(open_page: Callable[..., Page]) -> None:
    page = open_page("/explore", viewport=PHONE)
    menu = page.get_by_role("button", name="Menu", exact=True)
    for target, heading in (("Compare", "Which mechanism suits my data?"), ("Learn", "How does it work?")):
        expect(menu).to_have_attribute("aria-expanded", "false")
        menu.focus()
        page.keyboard.press("Enter")
        link = page.get_by_role("region", name="Menu").get_by_role("link", name=target, exact=True)
        expect(link).to_be_in_viewport()
        link.click()
        page.get_by_role("heading", name=heading).wait_for()
        idle(page)
        expect(page.get_by_test_id("stSidebarNavLink").filter(has_text=target)).not_to_be_in_viewport()
    menu.click()
    expect(page.get_by_role("button", name="Close the menu")).to_be_visible()
    arrive(page, page.url)
    expect(menu).to_have_attribute("aria-expanded", "false")
    page.get_by_role("button", name="Next", exact=True).click()


def test_a_press_moves_no_wide_screen(open_page: Callable[..., Page]) -> None:
    page = open_page("/explore", viewport=WIDE)
    main_button(page, "New noise").evaluate("button => button.click()")  # which moves no page as playwright does
    page.get_by_text("Simulation with seed 2").wait_for()
    idle(page)
    assert page.evaluate(SCROLLED) == 0
    expect(page.get_by_role("button", name="Menu", exact=True)).to_have_count(0)


def test_axe_is_silent_on_a_phone(open_page: Callable[..., Page]) -> None:
    page = open_page("/explore", viewport=PHONE)
    press(page, "New noise")
    assert violations(page) == []
    page.get_by_role("button", name="Menu", exact=True).click()
    page.get_by_role("link", name="Learn", exact=True).wait_for()
    idle(page)
    assert violations(page) == []


def test_a_report_is_read_first(open_page: Callable[..., Page], released: str) -> None:
    page = open_page(released, viewport=PHONE)
    expect(page.get_by_text("For half of the people, age is")).to_be_in_viewport()
    expect(page.get_by_role("link", name="Download report")).to_be_in_viewport(ratio=0.99)


OVER_A_LINE = """() => [...document.querySelectorAll('[data-testid=stElementToolbar]')].filter(buttons => {
    const above = buttons.closest('[data-testid=stElementContainer]').previousElementSibling
    return above && above.getBoundingClientRect().bottom > buttons.getBoundingClientRect().top
}).length"""


def test_the_buttons_of_a_table_lie_over_no_line_where_nothing_hovers(browser: Browser, server: Server) -> None:
    with new_visitor(browser, viewport=PHONE, has_touch=True, is_mobile=True) as visitor:
        page = arrive(visitor.new_page(), f"{server.url}/compare")
        page.get_by_test_id("stElementToolbar").first.wait_for()
        assert page.evaluate("matchMedia('(hover: none)').matches")
        assert page.evaluate(OVER_A_LINE) == 0
