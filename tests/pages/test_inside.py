"""The Inside page without a browser: one run, its steps, and nothing of private data."""

from __future__ import annotations

import csv
import io
import json
import re
from fractions import Fraction
from functools import partial
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Element

from dpq_core import Groups, PureDP, explain
from dpq_core.accuracy import signed_rank_errors, true_quantiles
from dpq_core.mechanisms import MECHANISMS
from dpq_core.results import DRAWS, EXPLORE_SEED
from dpq_core.sources.examples import load_example, load_groups
from pages.inside import steps as inside_steps
from pages.inside import words as inside_words
from pages.inside.words import step_in_words
from pages.keys import PREFIX
from pages.learn import COURSE
from pages.settings.table import MOST_STEPS
from tests.narrowing import only, present
from tests.pages.driving import bring, csv_of, link_of, named, open_page, press, run, set_bounds, turn_to, words

RUN, STEP = f"{PREFIX}:inside:run", inside_steps.STEP
LINKS = {
    "aq": {"aq.draws": "one"},
    "slice": {"data": "adult-age-full"},
    "gkexp": {"adjacency": "substitute"},
    "normal": {"adjacency": "substitute", "normal.sigma": "15", "normal.mean_bound": "120"},
}
"""What a mechanism needs besides its name."""


open_inside = partial(open_page, "inside")


def selected(visit: AppTest) -> tuple[int, list[int]]:
    """The step of the slider, and the rows that the table marks."""
    slider = named(visit.slider, "inside_step")
    table = present(slider.key).replace(STEP, inside_steps.TABLE)
    return only(int, slider.value), list(visit.session_state[table]["selection"]["rows"])


def line_of_step(visit: AppTest) -> str:
    return next(element.value for element in visit.markdown if element.value.startswith("**Answer "))


@pytest.mark.parametrize("mechanism", list(MECHANISMS))
def test_every_mechanism_shows_its_structure_after_two_presses(mechanism: str) -> None:
    """It is chosen, and where it is not available for the first example, one button shows it on another."""
    visit = open_inside()
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value(mechanism))
    for button in [each for each in visit.button if each.key == f"{PREFIX}_show_example"]:
        run(button.click())
    shown = visit.session_state[RUN]
    assert shown.plan.mechanism == mechanism
    assert "not available" not in words(visit)
    opened = len(shown.steps) if mechanism == "slice" else 1
    assert visit.session_state[f"{PREFIX}:inside:step"] == opened
    assert open_inside(**link_of(visit)).session_state[RUN].plan == shown.plan


@pytest.mark.parametrize("mechanism", list(MECHANISMS))
def test_every_mechanism_shows_its_inside(mechanism: str) -> None:
    visit = open_inside(mechanism=mechanism, **LINKS.get(mechanism, {}))
    assert len(visit.get("plotly_chart")) == 2
    table = visit.dataframe[0].value
    assert len(table) == 9
    run_shown = visit.session_state[RUN]
    assert len(visit.dataframe) == (1 if mechanism == "slice" else 2), "the figure beside has a table too"
    assert list(table["drawn (years)"]) == [run_shown.wording.number(step.value) for step in run_shown.steps]
    order, folded = list(visit.dataframe[0].proto.column_order), inside_words.words_of(run_shown).folded
    assert order == [name for name in table.columns if name not in folded]
    assert set(folded) <= set(table.columns) & set(next(csv.reader(io.StringIO(inside_words.as_csv(run_shown)))))
    for shown in visit.dataframe:
        columns = json.loads(shown.proto.columns)
        assert all(columns[name]["help"] for name in shown.value.columns), "every number is explained where it stands"
    assert "Explore: not private" in words(visit)
    assert "seed 1" in words(visit)
    assert not {"{many}", "{one}"} & set(re.findall(r"{\w+}", words(visit))), "every place for a word is filled"
    page = inside_steps._as_page(run_shown, len(run_shown.steps) // 2)
    assert page.count("<svg") == 2
    assert run_shown.made in page
    assert MECHANISMS[mechanism].LABEL in page
    assert len(page.encode()) < 100_000


@pytest.mark.parametrize("mechanism", list(MECHANISMS))
def test_every_step_says_how_far_it_is_from_its_target_and_from_the_true_quantile(mechanism: str) -> None:
    """A draw can hit the target of its part and still be far off, where the part was cut in the wrong place."""
    visit = open_inside(mechanism=mechanism, epsilon="0.3", **LINKS.get(mechanism, {}))
    shown = visit.session_state[RUN]
    quantiles = [step.level for step in shown.steps]
    values = [step.value for step in shown.steps]
    sample = visit.session_state[f"{PREFIX}:sample"][1]
    assert list(shown.truths) == list(true_quantiles(sample, quantiles))
    assert list(shown.errors) == list(signed_rank_errors(sample, quantiles, values))
    lines = [step_in_words(shown, at) for at in range(len(shown.steps))]
    for line, error, truth in zip(lines, shown.errors, shown.truths, strict=True):
        if error:
            assert f"{shown.wording.count(abs(error))} too {'high' if error > 0 else 'low'}" in line
            assert f"(true: {shown.wording.value(truth)})" in line
        else:
            assert line.endswith("no rank error")
        assert "target_level" not in line
    inner = [line for line in lines if "; overall " in line]
    assert bool(inner) is (mechanism in {"aq", "slice", "aggtree", "binhist"})
    assert all("as targeted within its " in line or "the target of its " in line for line in inner)
    rows = visit.dataframe[0].value
    assert list(rows["rank error (people)"]) == [f"{error:,}" for error in shown.errors]
    assert list(rows["true (years)"]) == [shown.wording.number(truth) for truth in shown.truths]


def test_levels_between_the_drawn_ones_have_no_step_and_the_page_says_so() -> None:
    link = {"adjacency": "substitute", "quantiles": "even", "even": "20", "epsilon": "0.2"}
    visit = open_inside(mechanism="aq", **link)
    run_shown = visit.session_state[RUN]
    drawn = len(run_shown.steps)
    assert 8 <= drawn < len(run_shown.plan.quantiles) == 20
    assert f"{drawn} of 20 levels were drawn; the others lie between them" in words(visit)
    assert len(visit.dataframe[0].value) == drawn


def test_hitting_the_target_of_a_part_is_not_called_right() -> None:
    """The fault that was there: "just where it aimed" beside a value far from the true quantile."""
    visit = open_inside(mechanism="aq", **LINKS["aq"], epsilon="0.1", quantiles="quartiles")
    shown = visit.session_state[RUN]
    found = [at for at in range(3) if shown.off_target[at] == 0 and shown.errors[at] != 0]
    for seed in range(2, 40):
        if found:
            break
        visit = open_inside(mechanism="aq", **LINKS["aq"], epsilon="0.1", quantiles="quartiles", seed=str(seed))
        shown = visit.session_state[RUN]
        found = [at for at in range(3) if shown.off_target[at] == 0 and shown.errors[at] != 0]
    line = step_in_words(shown, found[0])
    assert "as targeted within its part; overall " in line
    assert "(true: " in line


def test_a_changed_setting_is_run_at_once_with_the_same_seed() -> None:
    visit = open_inside()
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("aggtree"))
    assert visit.session_state[RUN].plan.mechanism == "aggtree"
    assert visit.session_state[RUN].seed == 1
    assert "Settings changed" not in words(visit)
    press(visit, "inside_next")
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("3"))
    assert selected(visit) == (2, [1]), "the step that was looked at stays"
    assert visit.session_state[RUN].plan.privacy == PureDP(3.0)
    press(visit, "run_inside")
    assert visit.session_state[RUN].seed == 2
    assert selected(visit) == (1, [0])


def test_data_of_ones_own_are_first_run_at_a_press() -> None:
    values = [300 + 7 * k % 500 for k in range(900)]
    visit = set_bounds(bring(open_inside(), csv_of(values), public=True), "0", "1000", "1")
    assert visit.button(key=f"{PREFIX}_run_inside").label == "Run"
    press(visit, "run_inside")
    first = visit.session_state[RUN]
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("3"))
    assert visit.session_state[RUN].plan.privacy == PureDP(3.0)
    assert visit.session_state[RUN].seed == first.seed
    assert visit.button(key=f"{PREFIX}_run_inside").label == "New noise"


@pytest.mark.parametrize(
    ("mechanism", "draws"),
    [
        ("freetotal", [9]),
        ("jointexp", [9]),
        ("indexp", [1] * 9),
        ("aq", [5, 1, 1, 4, 4, 4, 5, 1, 2, 2, 2]),
        ("aggtree", [1] * 9),
    ],
)
def test_a_joint_draw_is_one_step(mechanism: str, draws: list[int]) -> None:
    levels = {"quantiles": "even", "even": "31", "aq.levels": "all"} if mechanism == "aq" else {}
    visit = open_inside(mechanism=mechanism, splits="drawn", **levels)
    shown = visit.session_state[RUN]
    assert [len(draw) for draw in shown.draws] == draws
    assert list(visit.dataframe[0].value["step"]) == [str(at) for at, size in enumerate(draws, 1) for _ in range(size)]
    sliders = [slider for slider in visit.slider if slider.key == STEP]
    if len(draws) == 1:
        assert not sliders
        assert "One step: all 9 answers come from one draw" in words(visit)
        return
    assert (sliders[0].value, sliders[0].max) == (1, len(draws))
    press(visit, "inside_next")
    assert selected(visit) == (2, [draws[0]]), "the first answer of the second draw"
    assert (f"Step 2 of {len(draws)}: one draw of" in words(visit)) is (max(draws) > 1)
    press(visit, "inside_previous")
    assert selected(visit) == (1, [0])


def test_the_page_opens_with_one_quantile_a_draw_and_a_switch_shows_what_is_drawn_at_once() -> None:
    """The fault that was there: "One step: all 9 answers come from one draw" on the page for recursions."""
    visit = open_inside()
    shown = visit.session_state[RUN]
    assert shown.plan.mechanism == "aq"
    assert [len(draw) for draw in shown.draws] == [1] * 9
    assert max(step.depth for step in shown.steps) == 3
    assert "splits" not in link_of(visit)
    run(visit.button_group(key=f"{PREFIX}_splits").set_value("drawn"))
    assert [len(draw) for draw in visit.session_state[RUN].draws] == [9]
    assert link_of(visit)["splits"] == "drawn"
    assert [len(draw) for draw in open_inside(**link_of(visit)).session_state[RUN].draws] == [9]


def test_what_inside_shows_counts_there_alone() -> None:
    visit = turn_to(open_inside(mechanism="aq"), "quantiles")
    assert visit.session_state[f"{PREFIX}:outcome:explore"].plan.options == {}
    assert not {name for name in link_of(visit) if name.startswith(("splits", "aq."))}


@pytest.mark.parametrize(
    ("link", "asked"),
    [
        ({"mechanism": "freetotal"}, False),
        ({"mechanism": "aq", "adjacency": "substitute"}, False),
        ({"mechanism": "aq", "aq.calibration": "paper"}, False),
        ({"mechanism": "aq", "aq.draws": "several"}, True),
    ],
)
def test_the_switch_is_there_where_it_counts(link: dict[str, str], asked: bool) -> None:
    visit = open_inside(**link)
    assert (f"{PREFIX}_splits" in [group.key for group in visit.button_group]) is asked
    advanced = f"{PREFIX}_option_aq.draws" in [group.key for group in visit.button_group]
    assert not advanced, "one setting of how many are drawn at once, not two"


def test_links_of_lessons_open_a_run_that_splits_in_halves() -> None:
    targets = [each.text.deeper for each in COURSE.values() if each.text.deeper.settings.get("mechanism") == "aq"]
    inside = [each.settings for each in targets if each.page == "inside"]
    assert inside
    for settings in inside:
        shown = open_inside(**settings).session_state[RUN]
        assert {len(draw) for draw in shown.draws} == {1}
        assert shown.steps[0].level == Fraction(1, 2), "the middle first"


def test_a_link_opens_the_very_run_of_a_cloud() -> None:
    cloud = open_page(mechanism="aq", seed="4", quantiles="quartiles").session_state[f"{PREFIX}:outcome:explore"].runs
    visit = open_inside(mechanism="aq", quantiles="quartiles", seed="4", run_number="70", splits="drawn")
    shown = visit.session_state[RUN]
    assert sorted(step.value for step in shown.steps) == cloud[69].tolist()
    assert "Run 70 of those with seed 4, not a release" in words(visit)
    assert link_of(visit)["run_number"] == "70"
    assert "seed 4, run 70" in inside_steps._as_page(shown, 0)
    press(visit, "run_inside")
    assert (visit.session_state[RUN].seed, visit.session_state[RUN].run) == (5, 0)
    assert "run_number" not in visit.query_params


def test_one_selected_step_for_buttons_slider_and_table() -> None:
    visit = open_inside(mechanism="aq", **LINKS["aq"])
    assert selected(visit) == (1, [0])
    press(visit, "inside_next")
    assert selected(visit) == (2, [1])
    run(visit.slider(key=STEP).set_value(3))
    assert selected(visit) == (3, [2])
    press(visit, "inside_next")
    assert selected(visit) == (4, [3])
    assert line_of_step(visit).startswith("**Answer 4 of 9")
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("indexp"))
    assert selected(visit) == (4, [3])


def test_playing_goes_from_the_first_step_to_the_last_and_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(inside_steps, "time", SimpleNamespace(monotonic=lambda: now[0]))
    visit = open_inside(mechanism="aq", **LINKS["aq"], quantiles="quartiles")
    assert visit.button(key=f"{PREFIX}_inside_play").label == "Play", "nothing plays by itself"
    press(visit, "inside_play")
    assert selected(visit)[0] == 1
    run(visit)
    assert selected(visit)[0] == 1, "a rerun before its time is no step"
    for wanted in (2, 3):
        now[0] += 10
        run(visit)
        assert selected(visit) == (wanted, [wanted - 1])
    assert visit.button(key=f"{PREFIX}_inside_play").label == "Play"
    now[0] += 10
    run(visit)
    assert selected(visit)[0] == 3


def test_what_a_slow_browser_still_shows_moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks for the next step before it has seen this one, and says of every field what it shows."""
    now = [100.0]
    monkeypatch.setattr(inside_steps, "time", SimpleNamespace(monotonic=lambda: now[0]))
    visit = press(open_inside(mechanism="aq", **LINKS["aq"], quantiles="quartiles"), "inside_play")
    for wanted in (2, 3):
        shown = visit._tree.get_widget_states()
        now[0] += 10
        run(visit)
        visit._run(shown)
        assert selected(visit) == (wanted, [wanted - 1])
        assert visit.button(key=f"{PREFIX}_inside_play").label == ("Pause" if wanted == 2 else "Play")


def test_a_slider_is_believed_before_what_the_table_still_shows() -> None:
    """While an arrow key is held the browser moves on and has not seen yet what the table was told meanwhile."""
    visit = open_inside(mechanism="aq", **LINKS["aq"], run_step="9")
    for step in (1, 2, 3, 5, 8):
        visit.slider(key=STEP).set_value(step)
        moved = visit._tree.get_widget_states()
        stale = moved.widgets.add(id=visit.dataframe[0].proto.id)
        stale.string_value = '{"selection": {"rows": [6], "columns": [], "cells": []}}'
        visit._run(moved)
        assert selected(visit) == (step, [step - 1])


def test_a_button_is_believed_before_what_the_slider_still_shows() -> None:
    visit = open_inside(mechanism="aq", **LINKS["aq"], run_step="9")
    shown = visit._tree.get_widget_states()
    press(visit, "inside_previous")
    assert selected(visit) == (8, [7])
    visit.button(key=f"{PREFIX}_inside_previous").click()
    pressed = visit._tree.get_widget_states()
    of_slider = next(state for state in shown.widgets if STEP in state.id)
    for state in pressed.widgets:
        if state.id == of_slider.id:
            state.CopyFrom(of_slider)
    visit._run(pressed)
    assert selected(visit) == (7, [6])


def test_whatever_else_selects_a_step_stops_playing() -> None:
    visit = press(open_inside(mechanism="aq", **LINKS["aq"]), "inside_play")
    assert visit.button(key=f"{PREFIX}_inside_play").label == "Pause"
    press(visit, "inside_next")
    assert visit.button(key=f"{PREFIX}_inside_play").label == "Play"


def test_private_data_show_nothing_of_a_run() -> None:
    values = [300 + 7 * k % 500 for k in range(900)]
    visit = set_bounds(bring(open_inside(), csv_of(values)), "0", "1000", "1")
    assert visit.button(key=f"{PREFIX}_run_inside").disabled
    assert "The inside of a run shows the data themselves" in words(visit)
    assert not visit.get("plotly_chart")
    assert not visit.dataframe


def test_a_run_on_data_that_is_not_public_any_more_goes() -> None:
    values = [300 + 7 * k % 500 for k in range(900)]
    visit = set_bounds(bring(open_inside(), csv_of(values), public=True), "0", "1000", "1")
    press(visit, "run_inside")
    assert visit.session_state[RUN].n == 900
    run(visit.checkbox[0].uncheck())
    assert RUN not in visit.session_state
    assert not visit.get("plotly_chart")


def test_what_cannot_be_run_is_one_sentence() -> None:
    visit = open_inside(mechanism="slice")
    assert "must be further apart" in words(visit)
    assert not visit.get("plotly_chart")
    many = open_inside(quantiles="even", even=str(MOST_STEPS + 1))
    assert f"At most {MOST_STEPS} quantiles can be looked into" in words(many)
    assert many.button(key=f"{PREFIX}_run_inside").disabled


def test_one_quantile_has_no_slider() -> None:
    visit = open_inside(quantiles="median")
    assert STEP not in [slider.key for slider in visit.slider]
    assert len(visit.get("plotly_chart")) == 2


def test_a_link_opens_the_microscope_alone() -> None:
    visit = open_inside(look="Microscope")
    assert RUN not in visit.session_state
    assert visit.query_params["look"] == "Microscope"
    assert f"{PREFIX}_run_inside" not in [button.key for button in visit.button]


def test_figures_have_an_alternative_text() -> None:
    charts = open_inside().get("plotly_chart")
    assert charts
    assert all(isinstance(chart, Element) and chart.proto.alt for chart in charts)


def test_a_run_of_one_group_has_its_records_and_its_part_of_the_budget() -> None:
    visit = open_inside(data="visits", each="group", mechanism="aq", quantiles="median")
    whose = named(visit.selectbox, "group_run")
    shown, values = visit.session_state[RUN], load_example("visits").values
    groups = Groups.from_values(values, load_groups("visits"), shown.domain, names=whose.options, seed=EXPLORE_SEED)
    assert (shown.group, shown.n) == (whose.value, groups.sample_of(whose.value).n)
    assert "One run of Harbour with seed 1" in words(visit)
    run(whose.set_value("Hill"))
    shown = visit.session_state[RUN]
    assert (shown.group, shown.n, shown.seed) == ("Hill", groups.sample_of("Hill").n, 1)
    expected = explain(groups, shown.plan, 1, DRAWS, group="Hill")
    assert tuple(step.value for step in shown.steps) == expected.values
    assert "Hill" not in link_of(visit)
