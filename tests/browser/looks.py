"""How a page looks: what axe finds in it, what is in view, how wide it is."""

from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.driving import PHONE, PROJECTOR, WIDE, ZOOMED, idle

SIZES = {"wide": WIDE, "projector": PROJECTOR, "phone": PHONE}
HEADER = 60
"""Pixels of Streamlit's own line at the top of the screen, under which nothing can be read."""
WITHOUT_FIGURE = {"releases", "room"}
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
SCROLLED = "document.querySelector('[data-testid=stMain]').scrollTop"
GROUND = "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
GROUNDS = "[...document.querySelectorAll('.js-plotly-plot .main-svg')].map(each => each.style.background)"
"""The colours that plotly gave its figures: those of the theme, so that a picture of them can be read elsewhere."""

Scheme = Literal["light", "dark"]


def painted(page: Page, name: str) -> Page:
    if name.partition("?")[0] not in WITHOUT_FIGURE:
        page.locator(".js-plotly-plot:visible .main-svg").first.wait_for()
    idle(page)
    return page


def turn(page: Page, scheme: Scheme) -> None:
    """Show the page in these colours, and wait until it has them."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(f"() => ({GROUND} === 'rgb(255, 255, 255)') === {str(scheme == 'light').lower()}")


def violations(page: Page) -> list[str]:
    """What axe finds in dark colours, and then in light ones, but for Streamlit's own field for files."""
    found = []
    themes: tuple[tuple[Scheme, dict[str, Any]], ...] = (("dark", COLOURS), ("light", VIOLATIONS))
    for scheme, options in themes:
        turn(page, scheme)
        for each in Axe().run(page, options=options).response["violations"]:
            found += [f"{scheme}: {each['id']}: {node['html'][:200]}" for node in each["nodes"]]
    return [each for each in found if STREAMLITS_OWN not in each]


def violations_at_twice_the_size(page: Page) -> list[str]:
    """What axe finds at 200 % zoom, where nothing may be squeezed or cut off either."""
    page.set_viewport_size(ZOOMED)
    idle(page)  # a table is as wide as before for a moment
    wide, shown, controls = page.evaluate(WIDTHS)
    assert wide <= shown
    assert all(width > 0.8 * shown for width in controls)
    return [each["id"] for each in Axe().run(page, options=VIOLATIONS).response["violations"]]


def button(page: Page, words: str) -> Locator:
    return page.locator("[data-testid=stBaseButton-primary], .dpq-main a").filter(has_text=words, visible=True)


def check_in_view(page: Page, words: str) -> None:
    """Check that every screen shows the page's button, all of it, before anybody scrolls."""
    for size in (*SIZES.values(), ZOOMED):
        page.set_viewport_size(size)
        expect(button(page, words)).to_be_in_viewport(ratio=0.99)
        assert page.evaluate(SCROLLED) == 0


def distribution(page: Page) -> Locator:
    return page.locator(".st-key-dpq_figure_distribution .main-svg").first


def is_whole(page: Page, height: int) -> bool:
    """Whether the figure of Quantiles is seen from its upper edge to its lower one."""
    box = distribution(page).bounding_box()
    assert box
    return box["y"] >= HEADER and box["y"] + box["height"] <= height


def settled(page: Page, size: ViewportSize) -> None:
    """Wait until plotly has given the figure the height of its place."""
    distribution(page).wait_for()
    idle(page)
    page.wait_for_function(
        """() => {
            const [figure, place] = ['.st-key-dpq_figure_distribution .main-svg', '.st-key-dpq_figures'].map(
                each => document.querySelector(each).getBoundingClientRect())
            return Math.abs(figure.height - place.height) < 3
        }"""
    )
    assert page.evaluate(WIDTHS)[0] <= size["width"]
