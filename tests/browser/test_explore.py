"""The Quantiles page as a visitor meets it."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from dpq_core.sources.examples import load_example
from tests.browser.asking import bring, bring_several, choose, downloaded, press, private_values, without_bounds
from tests.browser.driving import PHONE, WIDE, idle, serve
from tests.browser.looks import SIZES, is_whole, settled

pytestmark = pytest.mark.slow

CLOUD = "document.querySelector('.st-key-dpq_figure_cloud .js-plotly-plot')"
LABELS = {"Simulate": "Simulation, not private", "Release": "Release: ε = 0.1"}


@pytest.fixture(scope="module")
def adult_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three columns of all people of the Adult data, as a file somebody might bring."""
    ages, hours = (load_example(key).values.astype(int) for key in ("adult-age-full", "adult-hours"))
    path = tmp_path_factory.mktemp("own") / "people.csv"
    rows = (f"{age},{hour},{hour // 8}" for age, hour in zip(ages, hours, strict=True))
    path.write_text("\n".join(["age,hours,days", *rows, ""]))
    return path


@pytest.mark.parametrize("size", SIZES)
def test_the_picture_stays_in_view_while_any_control_is_turned(open_page: Callable[..., Page], size: str) -> None:
    page = open_page("/explore?mechanism=aq&epsilon=0.1", viewport=SIZES[size])
    settled(page, SIZES[size])
    page.get_by_text("Protects: one person joins or leaves").click()
    page.get_by_text("Possible values: 0 to 120 years").click()
    controls = page.locator(".st-key-dpq_controls :is(input[role=combobox], [role=combobox], input[type=text])")
    count = controls.count()
    assert count >= 4
    for at in range(count):
        if not controls.nth(at).is_visible():
            continue
        controls.nth(at).scroll_into_view_if_needed()
        page.evaluate("new Promise(seen => requestAnimationFrame(() => requestAnimationFrame(seen)))")
        assert is_whole(page, SIZES[size]["height"]), controls.nth(at).get_attribute("aria-label")
    page.get_by_role("textbox", name="Highest").fill("110")
    page.keyboard.press("Enter")
    idle(page)
    assert is_whole(page, SIZES[size]["height"])


def test_a_cold_link_to_a_server_that_forbids_exploring_uploads(open_page: Callable[..., Page], tmp_path: Path) -> None:
    with serve(tmp_path / "release.log", DPQ_MODE="release") as strict:
        page = open_page("/explore?data=adult-age&quantiles=quartiles", url=strict.url)
        assert len(private_values(page)) == 3
        expect(page.get_by_role("link", name="Learn", exact=True)).to_be_visible()
        assert page.get_by_test_id("stException").count() == 0
        page.get_by_role("combobox", name="Data", exact=True).click()
        page.get_by_role("option", name="Age").first.wait_for()
        assert page.get_by_role("option", name="My own").count() == 0
        page.keyboard.press("Escape")
        page.get_by_role("link", name="Release from own data").click()
        page.locator("input[type=file]").wait_for(state="attached")
        assert page.get_by_text("This data is public or synthetic").count() == 0
        page.close()


@pytest.mark.parametrize("verb", LABELS)
def test_an_own_file_is_answered_and_taken_away(verb: str, page: Page, adult_csv: Path) -> None:
    exploring = verb == "Simulate"
    bring(page, adult_csv, "age", public=exploring)
    page.get_by_text("Age", exact=True).click()
    idle(page)
    press(page, verb)
    shown = private_values(page)
    table = rows_of(page)
    assert [float(row["value"]) for row in table] == shown
    assert [row["label"] for row in table if not row["label"].startswith(LABELS[verb])] == []
    ages = np.loadtxt(adult_csv, delimiter=",", skiprows=1)[:, 0]
    assert np.abs(np.array(shown) - np.quantile(ages, np.arange(1, 10) / 10)).max() <= 5


def rows_of(page: Page) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(downloaded(page, "CSV"))))


def test_three_columns_are_explored_and_then_released(open_page: Callable[..., Page], adult_csv: Path) -> None:
    page = open_page("/explore?data=file")
    page.get_by_text("This data is public or synthetic").click()
    idle(page)
    bring_several(page, adult_csv, "hours", "days")
    without_bounds(page)
    press(page, "Simulate")
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    page.get_by_text("Mean rank error", exact=True).wait_for()
    page.get_by_role("link", name="Release from own data").click()
    page.get_by_role("heading", name="What values are possible").wait_for()
    bring_several(page, adult_csv, "hours", "days")
    without_bounds(page)
    press(page, "Release")
    page.get_by_text("Spent by this release").wait_for()
    idle(page)
    expect(page.get_by_text("Spent by this release")).to_be_in_viewport()
    assert [row["column"] for row in rows_of(page)] == ["age"] * 9 + ["hours"] * 9 + ["days"] * 9
    assert page.get_by_test_id("stException").count() == 0


SCREENS: dict[str, tuple[ViewportSize, str]] = {"wide": (WIDE, "light"), "phone": (PHONE, "dark")}


@pytest.mark.parametrize("screen", SCREENS)
def test_the_way_of_reading_follows_what_is_said(open_page: Callable[..., Page], tmp_path: Path, screen: str) -> None:
    viewport, scheme = SCREENS[screen]
    path = tmp_path / "messy.csv"
    path.write_text("income;split\n" + "45,000.50;3:45\n-;4:10\n9999999;3:05\n" * 20)
    page = open_page("/release", viewport=viewport, color_scheme=scheme)
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_role("button", name="Read this column").click()
    page.get_by_text("say which (“Texts that mean zero” or").wait_for()
    page.get_by_role("button", name="How it is read: change").click()
    page.get_by_role("textbox", name="Texts that mean zero").fill("-")
    page.get_by_role("textbox", name="Texts that mean zero").press("Tab")
    idle(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Read this column").click()
    line = page.get_by_text("income: numbers, point as decimal mark")
    expect(line).to_be_in_viewport()
    expect(line).to_contain_text('zero: "-"')
    page.get_by_role("button", name="How it was read: change").click()
    codes = page.get_by_role("textbox", name="Codes that mean a missing value")
    codes.fill("9999999, -99")
    codes.press("Tab")
    idle(page)
    so = page.get_by_role("button", name="Read again")
    so.scroll_into_view_if_needed()
    expect(so).to_be_in_viewport(ratio=1)
    so.click()
    expect(line).to_contain_text("and 9999999 and -99")
    idle(page)
    expect(line).to_be_in_viewport()


def pictured(page: Page, folder: Path, *, shift: bool = False) -> Path:
    """Press the camera of the first figure, and return the file."""
    camera = page.locator(".modebar-btn").first
    with page.expect_download() as waiting:
        camera.dispatch_event("click", {"shiftKey": shift})
    file = folder / waiting.value.suggested_filename
    waiting.value.save_as(file)
    return file


def test_the_camera_of_a_figure_saves_png_and_svg_under_the_policy_of_the_server(page: Page, tmp_path: Path) -> None:
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    png, svg = pictured(page, tmp_path).read_bytes(), pictured(page, tmp_path, shift=True).read_text()
    assert png.startswith(b"\x89PNG")
    assert len(png) > 20_000
    assert ">simulated, not private<" in svg
    ElementTree.fromstring(svg)
    assert pictured(page, tmp_path).suffix == ".png"


def test_a_downloaded_figure_opens_offline_and_saves_svg(page: Page, browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "figure.html"
    file.write_text(downloaded(page, "Figure"), encoding="utf-8")
    size: ViewportSize = {"width": 1000, "height": 2000}
    with browser.new_context(offline=True, viewport=size) as context:
        opened, complaints = context.new_page(), []
        opened.on("console", lambda message: complaints.append(message.text))
        opened.goto(file.as_uri())
        expect(opened.locator(".js-plotly-plot")).to_have_count(3)
        expect(opened.get_by_text("simulated, not private")).to_have_count(3)
        expect(opened.get_by_text("share of people").first).to_be_visible()
        assert "private" in pictured(opened, tmp_path).read_text()
        assert not complaints


def test_a_click_on_a_run_of_the_cloud_opens_that_run_inside(open_page: Callable[..., Page]) -> None:
    page = open_page("/explore?mechanism=aq&epsilon=0.1")
    page.locator(".st-key-dpq_figure_cloud").scroll_into_view_if_needed()
    idle(page)
    page.locator(".st-key-dpq_figure_cloud .js-plotly-plot .main-svg").first.wait_for()
    x, y = page.evaluate(
        f"""() => {{
            const plot = {CLOUD}, layout = plot._fullLayout, runs = plot.data[3], at = plot.getBoundingClientRect()
            return [at.left + layout._size.l + layout.xaxis.l2p(runs.x[0]),
                    at.top + layout._size.t + layout.yaxis.l2p(runs.y[0])]
        }}"""
    )
    page.mouse.move(x, y + 4)
    page.locator(".hovertext").first.wait_for()  # before that plotly hears no click
    page.mouse.click(x, y + 4)
    page.wait_for_url("**/inside?**")
    expect(page.get_by_text("with seed 1, not a release")).to_be_visible()


def test_the_keyboard_opens_the_shown_run_of_a_cloud(open_page: Callable[..., Page]) -> None:
    page = open_page("/explore?mechanism=aq&epsilon=0.1")
    page.get_by_role("button", name="Look inside run 1").press("Enter")
    page.wait_for_url("**/inside?**")
    expect(page.get_by_role("textbox", name="exact epsilon")).to_have_value("0.1")


def test_only_settings_change_private_values_and_a_reload_keeps_both(page: Page) -> None:
    """A changed setting answers with the same seed, without a press."""
    shown = private_values(page)

    def unchanged() -> bool:
        idle(page)
        return private_values(page) == shown

    for label in ("Numbers", "A cloud of runs"):
        page.get_by_text(label, exact=True).first.click()
        assert unchanged(), label
        expect(page.locator(".st-key-dpq_figure_cloud")).to_have_count(int(label != "Numbers"))
    downloaded(page, "JSON")
    assert unchanged()
    choose(page, "Mechanism", "One by one")
    page.get_by_text("Possible values: 0 to 120 years").click()
    page.get_by_role("textbox", name="Highest").fill("150")
    page.keyboard.press("Enter")
    idle(page)
    page.get_by_role("slider", name="Privacy loss ε").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("Simulation with seed 1, not a release · Age · One by one (IndExp) · ε = 0.2").wait_for()
    expect(page.get_by_role("textbox", name="exact epsilon")).to_have_value("0.2")
    assert not unchanged()
    shown = private_values(page)

    page.reload()
    page.get_by_test_id("stMetricValue").first.wait_for()
    assert unchanged()
    expect(page.get_by_text("Possible values: 0 to 150 years")).to_be_visible()
    expect(page.get_by_role("textbox", name="exact epsilon")).to_have_value("0.2")


def test_back_and_forward_restore_settings(page: Page) -> None:
    page.get_by_text("Quartiles", exact=True).click()
    page.wait_for_url("**quantiles=quartiles**")
    idle(page)
    page.get_by_text("Protects: one person joins or leaves").click()
    page.get_by_text("ρ", exact=True).click()
    page.wait_for_url("**budget=concentrated**")
    idle(page)
    page.go_back()
    page.get_by_role("slider", name="Privacy loss ε").wait_for()
    idle(page)
    assert "budget" not in page.url
    assert "quantiles=quartiles" in page.url
    page.get_by_role("link", name="Compare", exact=True).click()
    page.wait_for_url("**/compare?quantiles=quartiles**")
    idle(page)
    page.go_back()
    idle(page)
    if "/compare" in page.url:  # the page without its settings, as the menu opened it
        page.go_back()
    page.get_by_text("What do private quantiles look like?").wait_for()
    assert "/explore?quantiles=quartiles" in page.url
