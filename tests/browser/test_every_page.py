"""What is asked of every page, and the visits of every run: few, in one file, with one dashboard and one Chromium.

A walk at random is repeated from its seed: `DPQ_WALK="3 4" pytest --slow=with -k long_walk tests/browser` walks with
these seeds. It has the presses in its message where it fails.
"""

import csv
import io
import os
import struct
from base64 import b64encode
from collections.abc import Callable
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from pages.learn.texts import text_of
from pages.menu import MENU
from tests.browser import driving, looks
from tests.browser.asking import bring, downloaded, press, say
from tests.browser.driving import PHONE, WIDE, Server, arrive, idle
from tests.browser.frames import BOUNDS, SECRETS, Eavesdropper, check_silence, found_in, write_canaries
from tests.browser.lessons import answer, expect_other_figures, figures_of
from tests.browser.looks import SIZES, painted, violations
from tests.browser.walking import BEGINNINGS, ENDED, Visit, tour, walk, without_figures

MENU_TITLES = [title for _, title, _ in MENU]
SEEDS = os.environ.get("DPQ_WALK", "1").split()
FEW, MANY = 15, 150
"""Presses of a walk."""
TWO = "explore?data=adult-age-full&more=adult-hours"
"""Two columns of an example."""
PRIMARY = {
    "explore": "New noise", TWO: "Simulate", "inside": "New noise", "stream": "Start", "compare": "Compare",
    "tradeoff": "Simulate", "releases": "Download report", "papers": "Recompute", "learn": "Next",
}  # fmt: skip
"""Every page and what its primary button says."""


@pytest.mark.slow(keep="wide")
@pytest.mark.parametrize("size", SIZES)
def test_the_first_screen_has_all_that_is_needed(open_page: Callable[..., Page], size: str) -> None:
    page = open_page("/", viewport=SIZES[size])
    looks.settled(page, SIZES[size])
    for seen in (
        page.get_by_text("each answer carries random noise"),
        page.get_by_role("heading", name="At ε = 0.1 the private deciles are off by about"),
        page.locator(".st-key-dpq_slider_epsilon"),
        page.get_by_role("link", name="Release from own data"),
    ):
        expect(seen).to_be_in_viewport(ratio=0.9, timeout=10_000)
    assert looks.is_whole(page, SIZES[size]["height"])
    expect(page.locator(".st-key-dpq_controls input").first).to_have_attribute("aria-label", "exact epsilon")


@pytest.mark.slow(keep="explore")
@pytest.mark.parametrize("name", PRIMARY)
@pytest.mark.usefixtures("released")
def test_axe_is_silent_and_the_button_is_in_view(name: str, open_page: Callable[..., Page]) -> None:
    page = painted(open_page(f"/{name}", viewport=WIDE), name)
    assert violations(page) == []
    if words := PRIMARY[name]:
        looks.check_in_view(page, words)
    assert looks.violations_at_twice_the_size(page) == []


BEHIND = {
    "a menu": ("explore", "Copy link", "with the same settings"),
    "a choice": (TWO, "Percentiles", "Settings changed"),
    "a dialog": ("explore", "Help me choose a mechanism", "All of them keep the promise"),
    "the numbers": ("explore", "Numbers", "Simulation with seed 1"),
    "a file": ("explore?data=file", "This data is public or synthetic", "XLSX"),
    "the microscope": ("inside", "Microscope", "These people are made up"),
}
"""What lies one press behind a page: where, what is pressed, and a few words of it."""


@pytest.mark.slow
@pytest.mark.parametrize("what", BEHIND)
def test_axe_is_silent_about_what_is_open_or_pointed_at(what: str, open_page: Callable[..., Page]) -> None:
    path, pressed, words = BEHIND[what]
    page = open_page(f"/{path}", viewport=WIDE)
    page.get_by_text(pressed, exact=True).click()  # and the pointer stays there
    idle(page)
    page.get_by_text(words).first.wait_for()
    assert violations(page) == []


NARROW = (
    "explore", "inside", "inside?look=Microscope&tiny_show=tie_bits", "stream", "compare", "tradeoff", "releases",
    "papers?figure=kss-figure-4", "learn",
)  # fmt: skip
"""Pages. The report has tests of its own."""


@pytest.mark.slow
@pytest.mark.parametrize("name", NARROW)
def test_a_phone_shows_everything_without_scrolling_sideways(name: str, open_page: Callable[..., Page]) -> None:
    page = open_page(f"/{name}", viewport={"width": PHONE["width"], "height": 3000})
    painted(page, name)
    for scheme in ("light", "dark"):
        looks.turn(page, scheme)
        assert page.evaluate(looks.WIDTHS)[0] <= PHONE["width"]
        assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"]
        page.wait_for_function(
            f"dark => !(dark && {looks.GROUNDS}.some(each => each.includes('255, 255, 255)')))", arg=scheme == "dark"
        )


FILES = {"explore": 9, "inside?mechanism=aq": 9, "stream": 31}
"""Pages that simulate at once, and the rows of their CSV: one a quantile, or one each time a stream is looked at."""


@pytest.mark.slow(keep="explore")
@pytest.mark.parametrize("name", FILES)
def test_downloads_say_that_they_are_not_private(name: str, open_page: Callable[..., Page]) -> None:
    page = painted(open_page(f"/{name}"), name)
    rows = list(csv.DictReader(io.StringIO(downloaded(page, "CSV"))))
    assert len(rows) == FILES[name]
    assert all(row["label"].startswith("Simulation, not private") for row in rows)
    if name != "stream":
        assert "not private" in downloaded(page, "Figure")


def test_a_lesson_takes_a_prediction_a_wrong_answer_and_the_right_one(open_page: Callable[..., Page]) -> None:
    page = open_page("/learn?lesson=halves")
    before = figures_of(page)
    answer(page, "predict", "halves", right=True)
    expect_other_figures(page, before)
    because = answer(page, "check", "halves", right=False)
    expect(page.get_by_text("Not quite.")).to_be_visible()
    expect(page.get_by_text(because)).to_be_visible()
    answer(page, "check", "halves", right=True)
    expect(page.get_by_text("1 done")).to_be_visible()
    expect(page.get_by_role("radio", name=f"5 ✓ {text_of('halves').title}")).to_be_checked()


@pytest.mark.parametrize("value", [48_611, 17.40625, 713_059_371])
def test_the_search_finds_a_number_in_every_form(value: float) -> None:
    kinds = {"float64": "d", "float32": "f"} | ({"int64": "q", "int32": "i"} if value == int(value) else {})
    for kind, code in kinds.items():
        if kind == "float32" and struct.unpack("<f", struct.pack("<f", value))[0] != value:
            continue
        sent = struct.pack(f"<{code}", value)
        assert f"{kind} (plain)" in found_in(b"before" + sent + b"after", value)
        assert f"{kind} (base64)" in found_in(b'{"bdata":"' + b64encode(b"12345678" + sent) + b'"}', value)
    for text, there in ((f"n={value:,}", True), (f"n={value}", True), (f"{value}7", False), (f"1{value}", False)):
        assert ("text" in found_in(text.encode(), value)) is there


def test_a_release_sends_logs_and_writes_nothing_of_the_truth(
    visitor: BrowserContext, listener: Eavesdropper, server: Server, folder: Path, tmp_path: Path
) -> None:
    page = listener.open(visitor, f"{server.url}/release?data=file&quantiles=median")
    bring(page, write_canaries(tmp_path / "visit.csv", seed=1), "value", ids="patient")
    say(page, **BOUNDS)
    press(page, "Release")
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    files = {label: downloaded(page, label).encode() for label in ("CSV", "JSON", "Python")}
    assert [(label, name) for label, text in files.items() for name, at in SECRETS.items() if found_in(text, at)] == []
    assert {"ledger.sqlite", "server.log"} <= check_silence(listener, folder)


@pytest.fixture
def visit(open_page: Callable[..., Page], server: Server) -> Visit:
    page = open_page(f"/{MENU[0][0]}", viewport=WIDE)
    visit = Visit(page, server.log, driving.Watch())
    visit.watch.attach(page)
    return visit


@pytest.mark.slow(keep="undrawn")
@pytest.mark.parametrize("figures", ["undrawn", "drawn"])
def test_every_page_after_every_other(figures: str, visit: Visit) -> None:
    first, *others = tour(MENU_TITLES)
    steps = set(pairwise([first, *others]))
    assert len(others) == len(steps) == len(MENU_TITLES) * (len(MENU_TITLES) - 1), "each step once"
    visit.presses.append(first)
    with without_figures(visit.page) if figures == "undrawn" else nullcontext():
        for title in others:
            visit.presses.append(title)
            begun = visit.page.evaluate("performance.now()")
            visit.page.get_by_test_id("stTopNavLink").filter(has_text=title).first.click()
            visit.page.wait_for_function(ENDED, arg=begun, polling=20)
            visit.go_on(title, visit.problems())


def test_a_short_walk(visit: Visit) -> None:
    walk(visit, "1", FEW)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_a_long_walk(beginning: str, seed: str, browser: Browser, tmp_path: Path, day: int) -> None:
    """A visit with some data, on a server and with a ledger of its own; another walk each day."""
    address, begin, viewport = BEGINNINGS[beginning]
    with (
        driving.serve(tmp_path / "walk.log", DPQ_LEDGER_URL=str(tmp_path / "ledger.sqlite")) as server,
        driving.new_visitor(browser, viewport=viewport, accept_downloads=False) as context,
    ):
        page = context.new_page()
        visit = Visit(page, server.log, driving.Watch())
        visit.watch.attach(page)
        begin(arrive(page, server.url + address))
        walk(visit, f"{seed} {day}" if day else seed, MANY)
