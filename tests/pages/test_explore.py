"""Quantiles: the first screen, what answers at once, a projector, long simulations."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpq_core import Plan
from dpq_core.jobs.queue import POOL, TOO_LONG, TooLongError
from dpq_core.jobs.turns import Once
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.results.simulated import noise_interval, simulate_table, usual_error
from dpq_core.typed import USUAL
from pages.explore import live
from pages.form.table import SETTINGS
from pages.keys import PREFIX
from pages.menu import file_of
from pages.server import runs, work
from pages.shell import pieces
from tests.pages import driving
from tests.pages.driving import bring, figures, keys, link_of, open_page, press, private_values, run, said, words

SIMULATION = f"{PREFIX}:outcome:explore"


def epsilon_of(visit: AppTest) -> float:
    return float(visit.session_state[SIMULATION].plan.privacy.epsilon)


@pytest.fixture
def usual_epsilon(monkeypatch: pytest.MonkeyPatch) -> str:
    """The one with which pages open outside of tests."""
    usual: str = USUAL["epsilon"]
    monkeypatch.setitem(SETTINGS, "epsilon", replace(SETTINGS["epsilon"], default=usual))
    return usual


@pytest.mark.slow
def test_a_first_visit_opens_where_noise_can_be_seen_with_epsilon_first(usual_epsilon: str) -> None:
    visit = open_page()
    outcome = visit.session_state[SIMULATION]
    assert (epsilon_of(visit), outcome.seed) == (float(usual_epsilon), 1)
    assert sum(a != b for a, b in zip(outcome.only.values, outcome.only.true_values, strict=True)) >= 5, (
        "diamonds beside circles"
    )
    assert f"off by about {usual_error(outcome):.2g} of 1,000 people on average" in visit.header[0].value
    assert [metric.label for metric in visit.metric][:3] == [
        "Mean rank error", "Farthest answer of this run", "Private median",
    ]  # fmt: skip
    assert visit.metric[2].value.endswith("years")
    assert len(private_values(visit)) == 9
    assert pieces.NOT_PRIVATE in words(visit)
    keys = [node.key for node in _widgets(visit.get_by_key(f"{PREFIX}_controls"))]
    assert keys[:2] == [f"{PREFIX}_epsilon", f"{PREFIX}_slider_epsilon"]
    assert keys.index(f"{PREFIX}_data") < keys.index(f"{PREFIX}_quantiles")
    for epsilon, right in (("0.1", 53), ("1", 74)):
        run(visit.text_input(key=f"{PREFIX}_epsilon").set_value(epsilon))
        assert f"right at most {right} times in 100" in words(visit)


@pytest.mark.slow
def test_every_door_has_the_same_epsilon_and_keeps_another_that_was_chosen(usual_epsilon: str) -> None:
    for page in ("inside", "compare", "tradeoff", "stream", "release", "explore"):
        visit = open_page(page)
        assert visit.text_input(key=f"{PREFIX}_epsilon").value == usual_epsilon
    assert epsilon_of(open_page(data="adult-hours")) == float(usual_epsilon), "a link names what differs"
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("0.2"))
    assert driving.turn_to(visit, "release").text_input(key=f"{PREFIX}_epsilon").value == "0.2"


@pytest.mark.slow
def test_axes_stand_still_while_epsilon_is_turned() -> None:
    visit = open_page(mechanism="aq", epsilon="0.1")
    before = [figure["layout"]["xaxis"]["range"] for figure in figures(visit)[:2]]
    for epsilon in ("0.2", "0.15"):
        run(visit.text_input(key=f"{PREFIX}_epsilon").set_value(epsilon))
        assert [figure["layout"]["xaxis"]["range"] for figure in figures(visit)[:2]] == before
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("0.001"))
    values, errors = (figure["layout"]["xaxis"]["range"] for figure in figures(visit)[:2])
    assert values == before[0], "ages stay between their bounds"
    assert errors[1] > before[1][1]
    run(visit)
    assert [figure["layout"]["xaxis"]["range"] for figure in figures(visit)[:2]] == [values, errors]


def _widgets(node: Any) -> list[Any]:
    found: list[Any] = []
    for child in getattr(node, "children", {}).values():
        found += [child] if getattr(child, "key", None) and not getattr(child, "children", None) else _widgets(child)
    return found


AGES = np.random.default_rng(5).integers(18, 91, size=7319)
"""An uploaded column; its length is a canary."""


@pytest.mark.slow
def test_the_cloud_is_made_while_its_tab_is_open_and_its_numbers_stand_in_the_table() -> None:
    visit = open_page(quantiles="quartiles", epsilon="0.1")
    cloud, outcome = figures(visit)[2], visit.session_state[f"{PREFIX}:outcome:explore"]
    strokes = cloud["data"][3]
    at = [place for place, run in enumerate(strokes["customdata"]) if run == 17]
    assert [strokes["x"][place] for place in at] == outcome.many_runs.values[16, 0].tolist()
    lows, highs = outcome.only.lows, outcome.only.highs
    shown = driving.cells(visit.dataframe[0])["95 of 100 runs (years)"]
    assert shown == [f"{low:.0f} to {high:.0f}" for low, high in zip(lows, highs, strict=True)]
    visit.session_state[f"{PREFIX}:details"] = "Numbers"
    assert len(figures(run(visit))) == 2


@pytest.mark.slow
def test_intervals_stand_in_figure_table_and_link() -> None:
    visit = open_page(quantiles="quartiles", mechanism="aggtree", intervals="0.95", intervals_of="population")
    assert driving.field(visit, "shape_size").value == "1000"
    assert "95 % interval (years)" in visit.dataframe[0].value.columns
    assert figures(visit)[0]["data"][0]["name"] == "interval"
    assert link_of(visit)["intervals"] == "0.95"
    run(driving.widget(visit, f"{PREFIX}_intervals").set_value("none"))
    press(visit)
    assert not any("% interval (years)" in name for name in visit.dataframe[0].value.columns)
    assert "intervals" not in link_of(visit)


def test_answers_at_a_bound_are_warned_of() -> None:
    visit = open_page(lower="0", upper="10", step="1", quantiles="deciles")
    assert [each.value.partition("\\:")[0] for each in visit.warning] == [
        "All 9 answers lie at the highest possible value"
    ]
    assert not open_page(quantiles="deciles").warning


def test_opens_with_a_result_after_presses_on_other_pages() -> None:
    visit = AppTest.from_file(str(driving.ROOT / file_of("explore")), default_timeout=60)
    visit.session_state[f"{PREFIX}:seed"] = 2
    assert run(visit).session_state[SIMULATION].seed == run(visit).session_state[SIMULATION].seed == 1
    assert press(visit).session_state[SIMULATION].seed == 3, "other pages have had the second one"


def test_on_an_example_every_setting_answers_at_once_with_the_same_seed() -> None:
    visit = press(open_page(mechanism="aq"))
    for field_name, value in {"epsilon": "0.5", "upper": "150"}.items():
        run(visit.text_input(key=f"{PREFIX}_{field_name}").set_value(value))
    run(driving.widget(visit, f"{PREFIX}_quantiles").set_value("quartiles"))
    outcome = visit.session_state[SIMULATION]
    assert (outcome.seed, outcome.plan.privacy.epsilon, outcome.only.domain.upper) == (2, 0.5, 150)
    assert len(private_values(visit)) == 3
    assert run(visit).session_state[SIMULATION] is outcome, "a rerun draws nothing"
    assert press(visit).session_state[SIMULATION].seed == 3


@pytest.mark.slow
def test_ones_own_public_data_wait_for_the_first_press() -> None:
    visit = driving.own(driving.csv_of(AGES[:300]), public=True, mechanism="aq")
    assert not [fold.label for fold in visit.expander if fold.label.startswith("Possible values")], "asked in the open"
    assert not visit.metric
    first = press(visit).session_state[SIMULATION]
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("0.5"))
    now = visit.session_state[SIMULATION]
    assert (now.seed, now.plan.privacy.epsilon) == (first.seed, 0.5)
    run(visit.button(key=f"{PREFIX}_change").click())
    assert not visit.checkbox[0].value, "another file starts undeclared"


def test_a_link_is_read_and_written() -> None:
    visit = open_page(quantiles="quartiles", epsilon="0.7", mechanism="indexp", data="tied")
    assert visit.session_state[SIMULATION].plan.mechanism == "indexp"
    assert len(private_values(visit)) == 3
    assert visit.query_params["epsilon"] == "0.7"
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("best"))
    assert not {"mechanism", "seed"} & link_of(visit).keys()
    visit = open_page(mechanism="binhist", **{"binhist.bins": "50"})
    assert dict(visit.session_state[SIMULATION].plan.options) == {"bins": 50}
    assert visit.query_params["binhist.bins"] == "50"


def test_what_a_link_got_wrong_is_said_until_the_button_is_pressed() -> None:
    visit = open_page(epsilon="abc", quantiles="quartiles", even="20000", colour="red")
    assert all(f"`{wrong}`" in visit.info[0].value for wrong in ("abc", "20000", "colour"))
    assert visit.text_input(key=f"{PREFIX}_epsilon").value == "1"
    assert len(private_values(visit)) == 3
    press(visit)
    assert not visit.info


@pytest.mark.slow
def test_numbers_are_read_with_two_digits_and_sorted_by_their_size() -> None:
    """At a small budget errors of hundreds and of fractions meet: nothing is 0.3 people or 0.00 %."""
    visit = press(open_page(data="income", epsilon="0.3", quantiles="percentiles"))
    outcome = visit.session_state[f"{PREFIX}:outcome:explore"]
    table = visit.dataframe[0]
    assert all(kind.kind == "f" for kind in table.value.dtypes), "text would sort 100 before 20"
    assert list(table.value["quantile"]) == pytest.approx(list(range(1, 100)))
    assert list(table.value["rank error (people)"]) == list(outcome.only.errors)
    shown = [cell for row in zip(*driving.cells(table).values(), strict=True) for cell in row]
    assert "0.00 %" not in shown
    errors = [text for text in shown[3::6] if text != "0"]
    assert errors
    assert all(len(text.strip("-").replace(",", "").rstrip("0")) <= 2 for text in errors)
    for at, (low, high) in enumerate(zip(*noise_interval(outcome.many_runs), strict=True)):
        ends = [int(end.replace(",", "")) for end in shown[6 * at + 4].split(" to ")]
        assert ends[0] <= low, "rounded outwards"
        assert ends[1] >= high


def test_a_mean_below_one_person_is_no_fraction_of_a_person() -> None:
    visit = open_page()
    for mean, shown in ((0.3, "under 1 person"), (0.0, "0 people"), (12.64, "13 people")):
        before = visit.session_state[SIMULATION]
        errors = np.full_like(before.many_runs.signed_rank_errors, mean)
        runs = replace(before.many_runs, signed_rank_errors=errors)
        own = replace(before.only, errors=(mean,) * 9)
        visit.session_state[SIMULATION] = replace(before, runs=runs, answers=(own,))
        assert [metric.value for metric in run(visit).metric][:2] == [shown, shown]


BROKEN = {
    "words.csv": b"age\n23\n24\nforty-two\n", "empty.csv": b"", "broken.parquet": b"PAR1 this is no parquet file",
    "noise.xlsx": bytes(range(256)) * 4,
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_one_sentence_and_quotes_no_cell(name: str) -> None:
    visit = driving.upload(open_page(data="file"), name, BROKEN[name])
    if visit.radio:  # a word among the numbers: is "age" a header?
        driving.read(run(visit.radio[0].set_value(visit.radio[0].options[0])))
    assert len([element.value for element in visit.markdown if ":material/error:" in element.value]) == 1
    assert "forty" not in words(visit)


@pytest.mark.slow
def test_dates_are_typed_and_shown_as_dates() -> None:
    content = b"day\n" + b"\n".join(b"2024-01-%02d" % (1 + k % 28) for k in range(300))
    visit = driving.set_bounds(
        bring(open_page(quantiles="median"), content, public=True), "2020-01-01", "2030-12-31", "1"
    )
    press(visit)
    assert private_values(visit)[0].startswith("2024-01-")
    run(visit.text_input(key=f"{PREFIX}_lower").set_value("soon"))
    assert "must be a date such as 2024" in said(visit)


@pytest.mark.slow
def test_missing_values_count_as_the_lowest_or_as_a_person_says_where_the_number_of_records_is_public() -> None:
    """They never lead to a complaint: it would tell that some are missing."""
    content = b"age\n" + b"\n".join([b"30", b"NA", b"50"] * 60)
    visit = driving.set_bounds(bring(open_page(adjacency="replace_one"), content, public=True), "0", "120", "1")
    press(visit)
    assert visit.metric
    lowest = visit.dataframe[0].value.iloc[0, 1]
    run(visit.text_input(key=f"{PREFIX}_missing").set_value("120"))
    press(visit)
    assert (lowest, visit.dataframe[0].value.iloc[0, 1]) == (0, 30)
    run(visit.text_input(key=f"{PREFIX}_missing").set_value("none"))
    assert "“Missing values count as” must be" in words(visit)


def layouts(visit: AppTest) -> list[dict[str, Any]]:
    return [json.loads(chart.proto.spec)["layout"] for chart in visit.get("plotly_chart")]


def pressed(visit: AppTest, name: str) -> AppTest:
    return run(visit.button(key=f"{PREFIX}_{name}").click())


@pytest.mark.slow
def test_a_projector_shows_one_figure_at_a_time_with_large_texts_and_is_left_again() -> None:
    usual = layouts(open_page(mechanism="aq"))
    visit = pressed(open_page(mechanism="aq"), "present")
    assert visit.query_params == {"mechanism": "aq"}, "the link says nothing of it"
    names = ("previous", "next", "present_off")
    shortcuts = {name: visit.button(key=f"{PREFIX}_{name}").proto.shortcut for name in names}
    assert shortcuts == {"previous": "left", "next": "right", "present_off": "escape"}
    (first,) = layouts(visit)
    assert first["xaxis"]["title"]["font"]["size"] > 1.4 * usual[0]["xaxis"]["title"]["font"]["size"]
    assert first["xaxis"]["range"] == usual[0]["xaxis"]["range"]
    axes = []
    for at in range(3):
        (figure,) = layouts(visit)
        axes.append(figure["xaxis"]["title"]["text"])
        assert visit.button(key=f"{PREFIX}_previous").disabled is (at == 0)
        visit = pressed(visit, "next")
    assert axes[0] == axes[2] != axes[1]
    (figure,) = layouts(pressed(visit, "previous"))
    assert figure["xaxis"]["title"]["text"] == axes[2]
    visit = pressed(visit, "present_off")
    assert len(layouts(visit)) > 1
    assert "present_off" not in {str(each.key) for each in visit.button}


SLOW_ONES = {simulate_table}
SLOW = {"data": "adult-age-full", "mechanism": "jointexp"}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was begun. JointExp's simulations and SLOW_ONES take a second whenever somebody looks, and have no end."""
    begun, now, usual = list[str](), [0.0], work.compute

    def compute(function: Callable[..., Any], *arguments: Any, meanwhile: Callable[[], object] = lambda: None) -> Any:
        plans = [each if isinstance(each, Plan) else getattr(each, "plan", None) for each in arguments]
        begun.append(next(plan.mechanism if isinstance(plan, Plan) else plan.mechanisms[0] for plan in plans if plan))
        if begun[-1] != "jointexp" and function not in SLOW_ONES:
            return usual(function, *arguments)
        for _ in range(5):
            meanwhile()
            now[0] += 1.0
        st.stop()

    monkeypatch.setattr(live, "_took", {})
    monkeypatch.setattr(live, "monotonic", lambda: now[0])
    monkeypatch.setattr(work, "compute", compute)
    return begun


LONG: dict[str, tuple[str, dict[str, str]]] = {
    "timed": ("explore", SLOW), "explain_once": ("inside", SLOW),
    "simulate_table": ("explore", driving.OF_TWO | {"epsilon": "1"}),
}  # fmt: skip


@pytest.mark.parametrize("name", LONG)
def test_a_visitor_sees_how_long_a_simulation_takes_and_can_cancel_it(name: str, asked: list[str]) -> None:
    page, link = LONG[name]
    visit = open_page(page, **link)
    assert len(asked) == 1
    assert "This simulation has taken 4 s." in said(visit)
    assert (f"{PREFIX}_way_timed:mechanism:aq" in keys(visit)) is (link is SLOW and page == "explore")
    press(visit, f"cancel_live_{name}")
    assert len(asked) == 1, "it waits for its button"
    assert f"{PREFIX}_cancel_live_{name}" not in keys(visit)


def test_a_visitor_can_take_a_quicker_mechanism_instead(asked: list[str]) -> None:
    visit = open_page(**SLOW)
    press(visit, "way_timed:mechanism:aq")
    assert asked == ["jointexp", "aq"]
    assert visit.session_state[f"{PREFIX}_mechanism"] == "aq"
    assert f"{PREFIX}_cancel_live_timed" not in keys(visit)


def test_a_result_stands_in_the_same_place_whether_it_took_long_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the browser shows the one before beside it until the page has run to its end."""
    monkeypatch.setattr(live, "_took", {})
    now, usual, looks = [0.0], work.compute, [3, 0]

    def compute(*asked: Any, meanwhile: Callable[[], object] = lambda: None) -> Any:
        for _ in range(looks.pop(0)):
            meanwhile()
            now[0] += 1.0
        return usual(*asked)

    monkeypatch.setattr(live, "monotonic", lambda: now[0])
    monkeypatch.setattr(work, "compute", compute)
    visit = open_page(data="adult-age-full", mechanism="aq")
    slow = list(visit.tabs[0].children)
    quick = list(press(visit).tabs[0].children)
    assert looks == []
    assert slow == quick == list(run(visit).tabs[0].children)


@pytest.mark.slow
def test_a_link_to_a_draw_that_would_take_too_long_computes_nothing_and_offers_what_does(asked: list[str]) -> None:
    visit = open_page(data="adult-age-full", mechanism="freetotal", epsilon="0.02", quantiles="even", even="60")
    assert asked == []
    offered = {button.label for button in visit.button}
    assert f"Use {MECHANISMS['aq'].LABEL}" in offered
    assert any(label.startswith("Use ε = 0.") for label in offered)
    press(visit, "way_explore_0:mechanism:aq")
    assert asked == ["aq"]
    assert visit.metric


@pytest.mark.slow
def test_what_takes_too_long_to_work_out_from_public_facts_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine it took half a minute, and the page showed an error."""

    def too_long(*_: object, **__: object) -> None:
        raise TooLongError(TOO_LONG)

    monkeypatch.setattr(runs, "serves", lambda: True)
    monkeypatch.setattr(work, "_known", Once())
    monkeypatch.setattr(POOL, "begin", too_long)
    assert TOO_LONG in [each.value for each in open_page("compare").warning]
