"""Inside: one run step by step, and the microscope, where every broken variant is seen to break."""

import json
import re
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import MECHANISMS, Adjacency, Column, Domain, Plan, PureDP, explain, privacy_loss
from dpq_core.accuracy import signed_rank_errors, true_quantiles
from dpq_core.audit.broken import BROKEN, Broken
from dpq_core.results.data_set import EXPLORE_SEED
from dpq_core.results.simulated import DRAWS
from dpq_core.sources.examples import load_example, load_groups
from pages.form.data import NOT_PUBLIC
from pages.form.table import MOST_STEPS
from pages.inside import steps as inside_steps
from pages.inside.losses import MOST_POINTS, _thinned
from pages.inside.microscope import parse_values
from pages.inside.words import answer_in_words
from pages.keys import PREFIX
from pages.learn.course import COURSE
from pages.shell import links, pieces
from pages.shell.fields import label_of
from tests.narrowing import only, present
from tests.pages import driving
from tests.pages.driving import is_disabled, link_of, named, open_page, press, run, said, widget, words

RUN, STEP = f"{PREFIX}:inside:run", inside_steps.STEP
LINKS: dict[str, dict[str, str]] = {
    "aq": {}, "slice": {"data": "adult-age-full"}, "gkexp": {"adjacency": "replace_one"},
    "normal": {"adjacency": "replace_one", "normal.sigma": "15", "normal.mean_bound": "120"},
}  # fmt: skip
"""What a mechanism needs besides its name."""
open_inside = partial(open_page, "inside")


def selected(visit: AppTest) -> tuple[int, list[int]]:
    """The step of the slider, and the rows that the table marks."""
    slider = named(visit.slider, "inside_step")
    table = present(slider.key).replace(STEP, inside_steps.TABLE)
    return only(int, slider.value), list(visit.session_state[table]["selection"]["rows"])


@pytest.mark.slow(keep="slice")
@pytest.mark.parametrize("mechanism", list(MECHANISMS))
def test_every_mechanism_shows_its_structure_after_two_presses(mechanism: str) -> None:
    """It is chosen, and where it is not available for the first example, one button shows it on another."""
    visit = open_inside()
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value(mechanism))
    for button in [each for each in visit.button if each.key == f"{PREFIX}_show_example"]:
        run(button.click())
    shown = visit.session_state[RUN]
    assert shown.plan.mechanism == mechanism
    opened = len(shown.steps) if mechanism == "slice" else 1
    assert visit.session_state[f"{PREFIX}:inside:step"] == opened
    assert open_inside(**link_of(visit)).session_state[RUN].plan == shown.plan


@pytest.mark.slow(keep="aq")
@pytest.mark.parametrize("mechanism", list(MECHANISMS))
def test_every_mechanism_shows_its_inside_and_how_far_each_step_is_off(mechanism: str) -> None:
    """A draw can hit the target of its part and still be far off, where the part was cut in the wrong place."""
    visit = open_inside(mechanism=mechanism, epsilon="0.3", **LINKS.get(mechanism, {}))
    shown = visit.session_state[RUN]
    for each in visit.dataframe:
        columns = json.loads(each.proto.columns)
        assert all(columns[name]["help"] for name in each.value.columns), "every number is explained where it stands"
    assert pieces.NOT_PRIVATE in words(visit)
    assert not re.findall(r"{(?:many|one)}|target_level", words(visit)), "every place for a word is filled"
    page = inside_steps._as_page(shown, len(shown.steps) // 2)
    assert page.count('class="plotly-graph-div"') == 2
    assert shown.made in page
    assert MECHANISMS[mechanism].LABEL in page
    quantiles, values = [step.level for step in shown.steps], [step.value for step in shown.steps]
    column = visit.session_state[f"{PREFIX}:column on its grid"][1]
    assert list(shown.truths) == list(true_quantiles(column, quantiles))
    assert list(shown.errors) == list(signed_rank_errors(column, quantiles, values))
    lines = [answer_in_words(shown, at)[1] for at in range(len(shown.steps))]
    for line, error, truth in zip(lines, shown.errors, shown.truths, strict=True):
        told = f"{shown.wording.count(abs(error))} too {'high' if error > 0 else 'low'}" if error else "no rank error"
        assert told in line
        assert (f"the true value is {shown.wording.value(truth)}" in line) is bool(error)
    elsewhere = any(re.search(r"(hits|above|below) the \w+", line) for line in lines)
    assert elsewhere is (mechanism in {"aq", "slice", "aggtree", "binhist"})


def test_hitting_the_target_of_a_part_is_not_called_right() -> None:
    """The fault that was there: "just where it aimed" beside a value far from the true quantile."""
    for seed in range(1, 40):
        visit = open_inside(mechanism="aq", **LINKS["aq"], epsilon="0.1", quantiles="quartiles", seed=str(seed))
        shown = visit.session_state[RUN]
        for at in range(3):
            if shown.off_target[at] == 0 and shown.errors[at] != 0:
                line = answer_in_words(shown, at)[1]
                assert "It hits the target of its part." in line
                assert "the true value is " in line
                return
    raise AssertionError("no such run")


@pytest.mark.slow
def test_a_changed_setting_is_run_at_once_with_the_same_seed() -> None:
    visit = open_inside()
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("aggtree"))
    assert (visit.session_state[RUN].plan.mechanism, visit.session_state[RUN].seed) == ("aggtree", 1)
    run(visit.slider(key=STEP).set_value(2))
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("3"))
    assert selected(visit) == (2, [1]), "the step that was looked at stays"
    assert visit.session_state[RUN].plan.privacy == PureDP(3.0)
    press(visit, "run_inside")
    assert visit.session_state[RUN].seed == 2
    assert selected(visit) == (1, [0])
    other = driving.turn_to(visit, "explore")
    assert other.session_state[f"{PREFIX}:outcome:explore"].plan.options == {}, "what Inside shows counts there alone"
    assert not {name for name in link_of(other) if name.startswith(("splits", "aq."))}


@pytest.mark.slow
def test_the_page_opens_with_one_quantile_a_draw_and_a_switch_shows_what_is_drawn_at_once() -> None:
    """The fault that was there: "One step: all 9 answers come from one draw" on the page for recursions."""
    visit = open_inside()
    shown = visit.session_state[RUN]
    assert shown.plan.mechanism == "aq"
    assert [len(draw) for draw in shown.draws] == [1] * 9
    assert max(step.depth for step in shown.steps) == 3
    assert "splits" not in link_of(visit)
    run(visit.button_group(key=f"{PREFIX}_splits").set_value("drawn"))
    assert link_of(visit)["splits"] == "drawn"
    for each in (visit, open_inside(**link_of(visit))):
        assert [len(draw) for draw in each.session_state[RUN].draws] == [9]
    for link, asked in (
        ({"mechanism": "freetotal"}, False), ({"mechanism": "aq", "adjacency": "replace_one"}, False),
        ({"mechanism": "aq"}, True),
    ):  # fmt: skip
        groups = {group.key for group in open_inside(**link).button_group}
        assert (f"{PREFIX}_splits" in groups) is asked, "the switch is there where it counts"


def test_links_of_lessons_open_a_run_that_splits_in_halves() -> None:
    targets = [each.text.deeper for each in COURSE.values() if each.text.deeper.settings.get("mechanism") == "aq"]
    inside = [each.settings for each in targets if each.page == "inside"]
    assert inside
    for settings in inside:
        shown = open_inside(**settings).session_state[RUN]
        assert {len(draw) for draw in shown.draws} == {1}
        assert shown.steps[0].level == Fraction(1, 2), "the middle first"


def test_a_link_opens_the_very_run_of_a_cloud() -> None:
    cloud = open_page(mechanism="aq", seed="4", quantiles="quartiles").session_state[f"{PREFIX}:outcome:explore"]
    visit = open_inside(mechanism="aq", quantiles="quartiles", seed="4", run_number="70", splits="drawn")
    shown = visit.session_state[RUN]
    assert sorted(step.value for step in shown.steps) == cloud.many_runs.values[69, 0].tolist()
    assert link_of(visit)["run_number"] == "70"
    assert "seed 4, run 70" in inside_steps._as_page(shown, 0)
    press(visit, "run_inside")
    assert (visit.session_state[RUN].seed, visit.session_state[RUN].run) == (5, 0)
    assert "run_number" not in visit.query_params


def test_one_selected_answer_for_slider_and_table() -> None:
    visit = run(open_inside(mechanism="aq").slider(key=STEP).set_value(4))
    assert selected(visit) == (4, [3])
    assert [each for each in visit.markdown if each.value.startswith("**Answer 4 of 9")]
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("indexp"))
    assert selected(visit) == (4, [3])
    run(widget(visit, f"{PREFIX}_quantiles").set_value("median"))
    assert STEP not in [slider.key for slider in visit.slider]
    assert len(visit.get("plotly_chart")) == 2


def test_a_slider_is_believed_before_what_the_table_still_shows() -> None:
    """While an arrow key is held the browser moves on and has not seen yet what the table was told meanwhile."""
    visit = open_inside(mechanism="aq", run_step="9")
    for step in (1, 2, 8):
        visit.slider(key=STEP).set_value(step)
        moved = visit._tree.get_widget_states()
        stale = moved.widgets.add(id=visit.dataframe[0].proto.id)
        stale.string_value = '{"selection": {"rows": [6], "columns": [], "cells": []}}'
        visit._run(moved)
        assert selected(visit) == (step, [step - 1])


@pytest.mark.slow
def test_ones_own_data_are_run_at_a_press_and_only_while_they_are_public() -> None:
    visit = driving.own(
        driving.csv_of([20 + 7 * k % 100 for k in range(900)]), public=True, page="inside", mechanism="aq"
    )
    assert RUN not in visit.session_state
    press(visit, "run_inside")
    first = visit.session_state[RUN]
    assert first.n == 900
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("3"))
    assert (visit.session_state[RUN].plan.privacy, visit.session_state[RUN].seed) == (PureDP(3.0), first.seed)
    run(visit.checkbox[0].uncheck())
    assert RUN not in visit.session_state
    assert is_disabled(visit, "run_inside")
    assert not [*visit.get("plotly_chart"), *visit.dataframe]
    assert NOT_PUBLIC in words(visit)


@pytest.mark.slow
def test_what_cannot_be_run_shows_nothing_in_its_place() -> None:
    for link in ({"mechanism": "slice"}, {"quantiles": "even", "even": str(MOST_STEPS + 1)}):
        visit = open_inside(**link)
        assert not visit.get("plotly_chart")
        assert is_disabled(visit, "run_inside")
    microscope = open_inside(look="Microscope")
    assert RUN not in microscope.session_state
    assert f"{PREFIX}_run_inside" not in driving.keys(microscope)


def test_a_run_of_one_group_has_its_records_and_its_part_of_the_budget() -> None:
    visit = open_inside(data="visits", each="group", mechanism="aq", quantiles="median")
    whose = named(visit.selectbox, "group_run")
    values, domain = load_example("visits").values, visit.session_state[RUN].domain
    groups = Column.from_values(values, domain, groups=load_groups("visits"), names=whose.options, seed=EXPLORE_SEED)
    for name in (whose.value, "Hill"):
        run(whose.set_value(name))
        shown = visit.session_state[RUN]
        assert (shown.group, shown.n, shown.seed) == (name, groups.column_of_group(name).n, 1)
        expected = explain(groups, shown.plan, 1, DRAWS, group=name)
        assert tuple(step.value for step in shown.steps) == expected.values
        assert name not in link_of(visit)


def script() -> None:
    from pages.inside import microscope
    from pages.shell import links

    links.begin("inside")
    microscope.show()
    links.write_link()


def open_microscope(**link: str) -> AppTest:
    visit = AppTest.from_function(script, default_timeout=60)
    for name, value in link.items():
        visit.query_params[name] = value
    return run(visit)


def metric(visit: AppTest, label: str) -> str:
    return next(metric.value for metric in visit.metric if metric.label == label)


def tiny(name: str, view: str = "sound") -> str:
    return f"{PREFIX}_microscope_{view}:{name}"


@pytest.mark.slow
def test_the_number_is_that_of_privacy_loss() -> None:
    visit = open_microscope()
    run(visit.text_input(key=tiny("values")).set_value("2, 2, 9"))
    run(visit.number_input(key=tiny("joining")).set_value(15))
    run(visit.selectbox(key=tiny("quantiles")).set_value("1/4, 3/4"))
    for mechanism in ("aq", "indexp", "jointexp"):
        run(visit.selectbox(key=f"{PREFIX}_tiny_mechanism").set_value(mechanism))
        plan = Plan(["1/4", "3/4"], mechanism, PureDP(1.0))
        loss = privacy_loss(plan, [2, 2, 9], [2, 2, 9, 15], Domain(0, 19, 1))
        assert metric(visit, "Exact loss") == f"ε = {loss.epsilon:.3f}"
        assert metric(visit, "Claim") == "ε = 1.000"
        assert "holds" in words(visit)


@pytest.mark.slow(keep=("half", "floored", "height"))
@pytest.mark.parametrize("name", BROKEN)
def test_a_link_opens_each_broken_variant_and_its_fix(name: str) -> None:
    visit = open_microscope(tiny_show=name)
    assert "close: broken" in words(visit)
    assert BROKEN[name].reason[:30] in said(visit)
    assert all(len(trace["x"]) <= 2000 for figure in driving.figures(visit) for trace in figure["data"])
    if name == "floored":
        run(visit.text_input(key=tiny("values", name)).set_value(""))
        assert "One pair within the claim proves nothing" in words(visit)
    if isinstance(BROKEN[name], Broken):
        run(widget(visit, f"{PREFIX}_tiny_state").set_value("fixed"))
        assert "close: broken" not in words(visit)
        assert "check: holds" in words(visit)
        assert "proves nothing" not in words(visit)
        assert link_of(visit)["tiny_state"] == "fixed"


@pytest.mark.slow
def test_the_link_holds_every_field_of_the_view_and_opens_them_again() -> None:
    visit = open_microscope(tiny_mechanism="indexp")
    typed = {"values": "1, 2, 9", "highest": 12, "change": "is replaced", "leaving": 2, "joining": 11,
             "quantiles": "1/4, 3/4", "epsilon": "0.5"}  # fmt: skip
    for name, value in typed.items():
        run(widget(visit, tiny(name)).set_value(value))
    link = {"tiny_mechanism": "indexp"} | {f"tiny_{name}": str(value) for name, value in typed.items()}
    assert link_of(visit) == link
    (copied,) = visit.code
    assert "tiny_values=1%2C+2%2C+9" in copied.value
    other = open_microscope(**link)
    assert metric(other, "Exact loss") == metric(visit, "Exact loss")
    assert link_of(other) == link
    run(visit.selectbox(key=f"{PREFIX}_tiny_show").set_value("half"))
    assert link_of(visit) == {"tiny_show": "half", "tiny_mechanism": "indexp"}, "every view keeps its own fields"
    run(visit.selectbox(key=f"{PREFIX}_tiny_show").set_value("sound"))
    assert link_of(visit) == link
    visit.query_params.clear()
    visit.query_params["tiny_epsilon"] = "0.9"
    assert run(visit).select_slider(key=tiny("epsilon")).value == "1", "the nearest stop"
    assert visit.text_input(key=tiny("values")).value == "3, 4, 4, 7, 12, 19", "another link sets back the rest"


WRONG_LINKS = [
    ("tiny_values", "1, x"), ("tiny_values", "3, 400"), ("tiny_change", "dies"), ("tiny_quantiles", "1/7"),
    ("tiny_epsilon", "-1"), ("tiny_joining", "1e9"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "wrong"), WRONG_LINKS)
def test_a_field_in_a_link_that_makes_no_sense_is_named(name: str, wrong: str) -> None:
    values, notes = links.read_link({name: wrong}, "inside")
    assert values[name] == ""
    assert [label_of(name) in note and wrong in note for note in notes] == [True]


def test_a_person_can_leave_or_be_replaced() -> None:
    visit = open_microscope()
    run(widget(visit, tiny("change")).set_value("leaves"))
    run(visit.number_input(key=tiny("leaving")).set_value(4))
    assert "without 4" in words(visit)
    run(widget(visit, tiny("change")).set_value("is replaced"))
    assert "with 19 instead" in words(visit)
    plan = Plan(["1/2"], "aq", PureDP(1.0), Adjacency.REPLACE_ONE)
    loss = privacy_loss(plan, [3, 4, 4, 7, 12, 19], [3, 4, 7, 12, 19, 19], Domain(0, 19, 1))
    assert metric(visit, "Exact loss") == f"ε = {loss.epsilon:.3f}"


def test_a_mistake_is_named_beside_its_field() -> None:
    visit = open_microscope()
    for typed in ("3, many", "3.5", "1e3", "3, 99", "1 " * 13):
        run(visit.text_input(key=tiny("values")).set_value(typed))
        assert "“People’s values”" in said(visit)
        assert not visit.metric
    for typed in ("3", ""):  # nobody at all is a data set, too
        run(visit.text_input(key=tiny("values")).set_value(typed))
        assert metric(visit, "Exact loss").startswith("ε = ")
    run(visit.selectbox(key=f"{PREFIX}_tiny_mechanism").set_value("normal"))
    assert "“One person” must be" in said(visit), "a refusal names the control that is here"
    total = open_microscope(tiny_show="total")
    run(total.selectbox(key=tiny("quantiles", "total")).set_value("1/4, 3/4"))
    assert "“Quantiles” must be one level" in said(total)


@pytest.mark.parametrize(("typed", "read"), [("3, 4,7", (3, 4, 7)), ("7;3\n4", (3, 4, 7)), ("", ()), ("  5 ", (5,))])
def test_typed_values(typed: str, read: tuple[int, ...]) -> None:
    assert parse_values(typed) == read


def test_a_thinned_line_keeps_its_ends_and_the_worst_output() -> None:
    order = np.random.default_rng(1).permutation(10_001)
    places = _thinned(order, worst=4321)
    assert len(places) <= MOST_POINTS + 1
    assert {0, 10_000} <= set(places.tolist())
    assert 4321 in order[places]
    assert _thinned(order[:5], worst=0).tolist() == [0, 1, 2, 3, 4]
