"""Walks through the pages of one visit: what one page leaves in a session may break another one."""

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Locator, Page, TimeoutError, ViewportSize

from tests.browser import driving
from tests.browser.driving import PHONE, WIDE, idle

PLOTLY = "**/PlotlyChart.*.js"
"""Streamlit's script that draws figures."""
TRACEBACK, COLOURS = "Traceback (most recent call last)", re.compile(r"\x1b\[[\d;]*m")
ENDED = """
begun => !window.runs.asked && !window.runs.running && window.runs.changed > begun
"""
"""A link of the menu asks for its run at once, so nothing has to rest before."""
REST_MILLISECONDS = 300_000
"""The longest simulations take half a minute of a processor, which other tests may need, too."""
PRESS_MILLISECONDS = 3_000
"""What another part of the page covers is left alone after this."""


def tour(places: list[str]) -> list[str]:
    """A way through all places that takes each step from one to another once, and ends where it began."""
    there_and_back = (step for at, one in enumerate(places) for other in places[at + 1 :] for step in (one, other))
    return [*there_and_back, places[0]]


@contextmanager
def without_figures(page: Page) -> Iterator[None]:
    """Load the page anew with a script that draws no figures, which takes a third of the time of a walk."""
    page.route(PLOTLY, lambda route: route.fulfill(body="export default () => null", content_type="text/javascript"))
    page.reload()
    idle(page)
    try:
        yield
    finally:
        page.unroute(PLOTLY)


@dataclass
class Visit:
    """A page, what its server has said since the visit began, and what was pressed."""

    page: Page
    log: Path
    watch: driving.Watch
    presses: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._said_before = self.log.stat().st_size

    def problems(self) -> list[str]:
        """What no visit may see: an error on the screen or in a script, or a traceback in the log of the server."""
        found = [f"on the screen: {each}" for each in self.page.get_by_test_id("stException").all_inner_texts()]
        found += [each for each in self.watch.complaints if each.startswith("script error")]
        said = COLOURS.sub("", self.log.read_bytes()[self._said_before :].decode(errors="replace"))
        return [*found, f"the log of the server: {said[-4000:]}"] if found or TRACEBACK in said else []

    def rest(self) -> list[str]:
        """Wait until the page is at rest, and return its problems; that it does not come to rest is one."""
        try:
            idle(self.page, REST_MILLISECONDS)
        except AssertionError as error:
            return [str(error), *self.problems()]
        return self.problems()

    def go_on(self, title: str, problems: list[str]) -> None:
        """Fail with the presses where there are problems."""
        if problems:
            pytest.fail("\n".join([title, *problems, "after", *self.presses]), pytrace=False)


PRESSABLE = """
() => {
    const KINDS = {
        link: '[data-testid=stTopNavLink], [data-testid=stSidebarNavLink], [data-testid=stPageLink-NavLink]',
        file: '[data-testid=stFileUploaderDropzone]',
        list: '[role=combobox]',
        slider: 'input[type=range]',
        text: 'input[type=text]:not([role]), input[type=number], textarea',
        option: '[data-testid=stRadioOption], [data-testid=stRadio] label, [data-testid=stCheckbox] label, [role=tab]',
        fold: 'summary',
        download: '.dpq-files a, .dpq-main a',
        button: 'button',
    }
    const NOT = '[data-testid=stToolbar] *, [data-testid=stElementToolbar] *, [data-testid=stCodeCopyButton], '
        + '.modebar *, [data-testid=stFileUploader] button, [data-testid=stTooltipIcon] *, [role=combobox] *'
    const app = document.querySelector('[data-testid=stApp]'), found = [], known = new Set()
    const dialogs = [...document.querySelectorAll('[data-testid=stDialog]')]
    const within = dialogs.at(-1) ?? document
    document.querySelectorAll('[data-walk]').forEach(each => each.removeAttribute('data-walk'))
    for (const [kind, selector] of Object.entries(KINDS)) for (const each of within.querySelectorAll(selector)) {
        const box = each.getBoundingClientRect()
        const off = each.disabled || each.getAttribute('aria-disabled') === 'true' || each.matches(NOT)
        if (off || known.has(each) || !box.width || !box.height || !each.checkVisibility({visibilityProperty: true}))
            continue
        known.add(each)
        const key = [...(each.closest('[class*=st-key-]')?.classList ?? [])].find(one => one.startsWith('st-key-'))
        const name = each.getAttribute('aria-label') || each.innerText || each.closest('label')?.innerText || ''
        each.dataset.walk = found.length
        found.push([kind, name.trim().replace(/\\s+/g, ' ').slice(0, 60), (key ?? '').slice(7)])
    }
    return found
}
"""
"""Marks what can be pressed now with its number, and returns what kind each is, what it is called, and its key."""
OFTEN = {"link": 2, "file": 1, "list": 3, "slider": 1, "text": 3, "option": 3, "fold": 1, "download": 1, "button": 4}
TYPED = (
    "", "0", "1", "2", "5", "12", "100", "0.1", "0.5", "1e-6", "1000", "-3", "1e9", "nan", "1/2, 90%", "age",
    "yes", "south\nnorth", "23\n35.5\n41\n41\n58", "Ä <b>*x*", "50 %", "2026-11-26",
)  # fmt: skip
KEYS = ("ArrowRight", "ArrowLeft", "Home", "End", "PageUp")
ROWS = "".join(
    f"{at // 3},{('north', 'south', 'west')[at % 3]},{18 + at % 70},{900 + 37 * at % 4000},2026-0{1 + at % 9}-11\n"
    for at in range(600)
)
FILES: tuple[FilePayload, ...] = (
    {"name": "people.csv", "mimeType": "text/csv", "buffer": f"id,region,age,income,day\n{ROWS}".encode()},
    {"name": "scores.csv", "mimeType": "text/csv", "buffer": "\n".join(map(str, range(400))).encode()},
    {"name": "words.csv", "mimeType": "text/csv", "buffer": b"word\nsome\nwords\n\xff\xfe\n"},
    {"name": "empty.csv", "mimeType": "text/csv", "buffer": b""},
)


def walk(visit: Visit, seed: str, presses: int) -> None:
    """Press what is there at random. Each press is drawn by itself, so a late one does not depend on those before."""
    for number in range(presses):
        chance = random.Random(f"{seed} {number}")
        found = sorted((kind, name, key, at) for at, (kind, name, key) in enumerate(visit.page.evaluate(PRESSABLE)))
        kinds = sorted({kind for kind, *_ in found})
        visit.go_on(f"seed {seed}, press {number}", [] if kinds else ["nothing can be pressed"])
        (kind,) = chance.choices(kinds, [OFTEN[each] for each in kinds])
        drawn = [each for each in found if each[0] == kind]
        # Not by a place in the list: one more thing on the page would change what is pressed.
        _, name, key, at = min(drawn, key=lambda each: random.Random(f"{seed} {number} {each[:3]}").random())
        visit.presses.append(f"{number}: {kind} “{name}” {key}")
        with suppress(TimeoutError):  # covered by something, or gone meanwhile
            visit.presses[-1] += _press(visit.page, visit.page.locator(f"[data-walk='{at}']"), kind, chance)
        visit.go_on(f"seed {seed}, press {number}", visit.rest())


def _press(page: Page, place: Locator, kind: str, chance: random.Random) -> str:
    """Press one thing, and return what was chosen of it."""
    if kind == "file":
        file = chance.choice(FILES)
        place.locator("input[type=file]").set_input_files(file, timeout=PRESS_MILLISECONDS)
        return f" = {file['name']}"
    if kind == "text":
        typed = chance.choice(TYPED)
        place.fill(typed, timeout=PRESS_MILLISECONDS)
        place.blur(timeout=PRESS_MILLISECONDS)
        return f" = {typed!r}"
    if kind == "slider":
        pressed = chance.choice(KEYS)
        place.press(pressed, timeout=PRESS_MILLISECONDS)
        return f" {pressed}"
    if kind == "list":
        place.click(timeout=PRESS_MILLISECONDS)
        options = page.get_by_role("option")
        options.first.wait_for(timeout=PRESS_MILLISECONDS)
        chosen = options.nth(chance.randrange(max(options.count(), 1)))
        name = chosen.inner_text(timeout=PRESS_MILLISECONDS)
        chosen.click(timeout=PRESS_MILLISECONDS)
        return f" = {name!r}"
    place.click(timeout=PRESS_MILLISECONDS)
    return ""


def _with_an_example(page: Page) -> None:
    """Nothing has to be done."""


def _with_a_file(page: Page) -> None:
    page.locator("input[type=file]").set_input_files(FILES[0])
    _read(page)


def _with_values(page: Page) -> None:
    page.get_by_role("textbox", name="Values").fill("\n".join(map(str, range(20, 80))))
    page.get_by_role("textbox", name="Values").blur()
    _read(page)


def _read(page: Page) -> None:
    idle(page)
    page.get_by_test_id("stMain").get_by_role("button", name="Read th").click()
    page.get_by_role("button", name="Forget my data").wait_for()
    idle(page)


BEGINNINGS: dict[str, tuple[str, Callable[[Page], None], ViewportSize]] = {
    "an example": ("/", _with_an_example, WIDE),
    "a file": ("/release?data=file", _with_a_file, PHONE),
    "pasted values": ("/release?data=paste", _with_values, WIDE),
}
