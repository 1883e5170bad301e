"""The Quantiles page as a visitor meets it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from dpq_core.sources.examples import load_example
from tests.browser.driving import Server, idle, serve
from tests.browser.quantiles import bring, bring_several, choose, downloaded, figure_values, press
from tests.every_run import kept

CLOUD = "document.querySelector('.st-key-dpq_figure_cloud .js-plotly-plot')"


@pytest.fixture(scope="module")
def adult_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two columns of all people of the Adult data, as a file somebody might bring."""
    ages, hours = (load_example(key).values.astype(int) for key in ("adult-age-full", "adult-hours"))
    path = tmp_path_factory.mktemp("own") / "people.csv"
    path.write_text("age,hours\n" + "\n".join(f"{age},{hour}" for age, hour in zip(ages, hours, strict=True)) + "\n")
    return path


def on_the_grid(values: list[float]) -> bool:
    return all(value == int(value) and 0 <= value <= 120 for value in values)


@pytest.mark.very_slow
def test_first_picture_from_a_cold_start(open_page: Callable[..., Page], tmp_path: Path) -> None:
    with serve(tmp_path / "cold.log") as cold:
        page = open_page("/", url=cold.url)
        page.get_by_test_id("stMetricValue").first.wait_for()
        values = figure_values(page, 0, 3)
        page.close()
    assert len(values) == 9
    assert on_the_grid(values)


@pytest.mark.very_slow
def test_own_file_explored(page: Page, adult_csv: Path) -> None:
    bring(page, adult_csv, "age", public=True)
    page.get_by_text("Age", exact=True).click()
    idle(page)
    press(page, "Simulate")
    shown = figure_values(page, 0, 3)
    table = list(csv.DictReader(io.StringIO(downloaded(page, "CSV"))))
    assert on_the_grid(shown)
    assert [float(row["private"]) for row in table] == shown
    assert {row["label"] for row in table} == {
        "Simulation, not private: made beside the true values, for public or synthetic data only."
    }
    assert page.get_by_test_id("stException").count() == 0


@pytest.mark.very_slow
def test_own_file_released(page: Page, adult_csv: Path) -> None:
    bring(page, adult_csv, "age")
    page.get_by_text("Age", exact=True).click()
    idle(page)
    press(page, "Release")
    shown = figure_values(page, 0, 0)
    table = list(csv.DictReader(io.StringIO(downloaded(page, "CSV"))))
    assert on_the_grid(shown)
    assert [float(row["private"]) for row in table] == shown
    about = {"at_bound", "mechanism", "column_name", "data_set", "date", "release_id", "label"}
    assert set(table[0]) == {"level", "quantile", "private", "unit"} | about
    ages = np.loadtxt(adult_csv, delimiter=",", skiprows=1)[:, 0]
    assert np.abs(np.array(shown) - np.quantile(ages, np.arange(1, 10) / 10)).max() <= 5


def test_a_downloaded_figure_opens_small_offline_and_without_a_script(
    page: Page, browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "figure.html"
    file.write_text(downloaded(page, "Figure"), encoding="utf-8")
    assert file.stat().st_size < 300_000
    context = browser.new_context(offline=True, java_script_enabled=False, viewport={"width": 1000, "height": 2000})
    opened, complaints = context.new_page(), []
    opened.on("console", lambda message: complaints.append(message.text))
    opened.goto(file.as_uri())
    drawings = opened.locator("svg")
    expect(drawings).to_have_count(3)
    for number in range(3):
        box = drawings.nth(number).bounding_box()
        assert box
        assert box["width"] > 600
        assert box["height"] > 300
    expect(opened.get_by_text("share of people").first).to_be_visible()
    marks = drawings.first.locator("path[fill='#dd7f1f']")
    assert 9 in [(each.get_attribute("d") or "").count("M") for each in marks.all()], "a diamond for each decile"
    first = marks.first.bounding_box()
    assert first
    assert first["width"] > 5
    assert not complaints
    context.close()


@pytest.mark.very_slow
def test_a_broken_file_gives_one_sentence(page: Page, tmp_path: Path) -> None:
    broken = tmp_path / "broken.csv"
    broken.write_text("age\n23\n24\nforty-two\n")
    choose(page, "Data", "My own file")
    page.locator("input[type=file]").set_input_files(broken)
    page.get_by_text("Yes, it holds the names of the columns").click()
    page.get_by_role("button", name="Read this column").click()
    page.get_by_text("A cell is not a number").wait_for()
    assert page.get_by_text("Row 4.").count() == 0
    page.get_by_role("button", name="Show where").click()
    page.get_by_text("Row 4.").wait_for()
    assert page.get_by_text("forty-two").count() == 0
    assert page.get_by_test_id("stException").count() == 0
    page.get_by_role("button", name="Read this column").wait_for()


def test_a_click_on_a_run_of_the_cloud_opens_that_run_inside(open_page: Callable[..., Page]) -> None:
    """After the runs have played, too: plotly then finds a mark only where the whole figure was drawn."""
    page = open_page("/quantiles?mechanism=aq&epsilon=0.1")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function(f"() => {CLOUD}?.data[3].customdata[0][0] > 1")
    page.get_by_role("button", name="Stop", exact=True).click()
    page.locator(".st-key-dpq_figure_cloud").scroll_into_view_if_needed()
    idle(page)
    x, y = page.evaluate(
        f"""() => {{
            const plot = {CLOUD}, layout = plot._fullLayout, runs = plot.data[2], at = plot.getBoundingClientRect()
            return [at.left + layout._size.l + layout.xaxis.l2p(runs.x[0]),
                    at.top + layout._size.t + layout.yaxis.l2p(runs.y[0])]
        }}"""
    )
    page.mouse.move(x, y + 4)
    page.locator(".hovertext").first.wait_for()  # before that plotly hears no click
    page.mouse.click(x, y + 4)
    page.wait_for_url("**/inside?**")
    expect(page.get_by_text("with seed 1, not a release")).to_be_visible()


@pytest.mark.very_slow
def test_the_keyboard_plays_steps_through_and_opens_the_runs_of_a_cloud(open_page: Callable[..., Page]) -> None:
    page = open_page("/quantiles?mechanism=aq&epsilon=0.1")
    shown = f"{CLOUD}?.data[3].customdata[0][0]"  # it is drawn anew after each press
    page.get_by_role("button", name="Next run").press("Enter")
    page.wait_for_function(f"() => {shown} === 2")
    page.get_by_role("button", name="Play", exact=True).press("Enter")
    page.wait_for_function(f"() => {shown} > 4")
    page.get_by_role("button", name="Stop", exact=True).press("Enter")
    idle(page)
    page.get_by_role("button", name="Look inside run 2").press("Enter")
    page.wait_for_url("**/inside?**run_number=2**")
    expect(page.get_by_text("with seed 1, not a release")).to_be_visible()
    expect(page.get_by_role("textbox", name="exact epsilon")).to_have_value("0.1")


@pytest.mark.very_slow
def test_only_settings_and_new_noise_change_private_values(page: Page) -> None:
    """A changed setting answers with the same seed, without a press."""
    shown = figure_values(page, 0, 3)

    def unchanged() -> bool:
        idle(page)
        return figure_values(page, 0, 3) == shown

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
    idle(page)
    expect(page.get_by_role("textbox", name="exact epsilon")).to_have_value("0.2")
    assert page.get_by_text("Settings changed").count() == 0
    assert not unchanged()

    page.reload()
    page.get_by_test_id("stMetricValue").first.wait_for()
    idle(page)
    expect(page.get_by_text("Possible values: 0 to 150 years")).to_be_visible()
    expect(page.get_by_role("textbox", name="exact epsilon")).to_have_value("0.2")
    assert page.get_by_text("One by one (IndExp)").count() >= 1
    assert len(figure_values(page, 0, 3)) == 9


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


@pytest.mark.parametrize("scheme", kept(["light", "dark"], "light"))
def test_a_phone_shows_everything_without_scrolling_sideways(open_page: Callable[..., Page], scheme: str) -> None:
    page = open_page("/", viewport={"width": 390, "height": 2400}, color_scheme=scheme)
    figure_values(page, 0, 3)
    wide = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
    assert wide <= 390
    assert page.get_by_role("button", name="New noise", exact=True).is_visible()
    ground = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    painted = page.evaluate("document.querySelector('.js-plotly-plot .main-svg').style.background")
    assert "255, 255, 255)" not in painted


@pytest.mark.very_slow
def test_a_bad_link_is_explained(open_page: Callable[..., Page]) -> None:
    page = open_page("/quantiles?epsilon=abc&quantiles=quartiles")
    page.get_by_text("in the link was not understood (abc); using “1”").wait_for()
    assert len(figure_values(page, 0, 3)) == 3
    assert "epsilon" not in page.url


@pytest.mark.very_slow
def test_a_cold_link_straight_to_a_server_that_forbids_exploring_uploads(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    with serve(tmp_path / "release.log", DPQ_MODE="release") as strict:
        page = open_page("/quantiles?data=adult-age&quantiles=quartiles", url=strict.url)
        assert len(figure_values(page, 0, 3)) == 3
        expect(page.get_by_role("link", name="Learn", exact=True)).to_be_visible()
        assert page.get_by_test_id("stException").count() == 0
        choose(page, "Data", "My own file")
        page.get_by_text("This server gives private answers only").wait_for()
        assert page.get_by_text("This data is public or synthetic").count() == 0
        page.close()


@pytest.mark.very_slow
def test_keyboard_reaches_the_button(page: Page, server: Server) -> None:
    button = page.get_by_role("button", name="New noise", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    page.get_by_text("Simulation with seed 2").wait_for()


@pytest.mark.very_slow
def test_two_columns_by_the_old_address_are_explored_and_then_released(
    open_page: Callable[..., Page], adult_csv: Path
) -> None:
    page = open_page("/columns?table=file")
    page.wait_for_url("**/quantiles?data=file")
    assert page.get_by_role("link", name="Several columns").count() == 0
    public = page.get_by_text("This data is public or synthetic")
    public.click()
    idle(page)
    bring_several(page, adult_csv, "hours")
    press(page, "Simulate")
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    page.get_by_text("Mean rank error", exact=True).wait_for()
    public.click()
    idle(page)
    page.get_by_role("heading", name="What values are possible").wait_for()
    press(page, "Release")
    page.get_by_text("Spent by this release").wait_for()
    idle(page)
    expect(page.get_by_text("Spent by this release")).to_be_in_viewport()
    values = page.locator(".st-key-dpq_step_3-change")
    expect(values.locator("canvas").first).to_be_hidden()
    values.get_by_text("Change", exact=True).click()
    idle(page)
    expect(values.locator("canvas").first).to_be_visible()
    table = list(csv.DictReader(io.StringIO(downloaded(page, "CSV"))))
    assert [row["column"] for row in table] == ["age"] * 5 + ["hours"] * 5
    assert page.get_by_test_id("stException").count() == 0
