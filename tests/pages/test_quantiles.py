"""The Quantiles page, run without a browser."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core.results import DRAWS
from pages import file_of
from pages.frame import state
from pages.keys import PREFIX
from pages.quantiles import live
from tests.jobs.test_line import wait
from tests.pages.driving import (
    ROOT,
    bring,
    cells,
    csv_of,
    displayed,
    field,
    figures,
    link_of,
    open_page,
    press,
    private_values,
    run,
    said,
    set_bounds,
    widget,
    words,
)

AGES = np.random.default_rng(5).integers(18, 91, size=7319)
"""An uploaded column; its length is a canary."""
ROWS = "7,319"


def test_opens_with_a_result() -> None:
    visit = open_page()
    assert [metric.label for metric in visit.metric][:3] == [
        "Mean rank error",
        "Farthest answer of this run",
        "Private median",
    ]
    assert visit.metric[2].value.endswith("years")
    assert len(private_values(visit)) == 9
    assert "Simulation with seed 1, not a release" in words(visit)
    assert "not private, the truth is on this screen" in words(visit)
    assert len(figures(visit)) == 3


def test_the_cloud_is_made_while_its_tab_is_open_and_its_numbers_stand_in_the_table() -> None:
    visit = open_page(quantiles="quartiles", epsilon="0.1")
    cloud, outcome = figures(visit)[2], visit.session_state[f"{PREFIX}:outcome:explore"]
    strokes = cloud["data"][2]
    at = [place for place, run in enumerate(strokes["customdata"]) if run == 17]
    assert [strokes["x"][place] for place in at] == outcome.runs[16].tolist()
    lows, highs = (each.tolist() for each in outcome.run_ends)
    shown = cells(visit.dataframe[0])["95 of 100 runs (years)"]
    assert shown == [f"{low:g} to {high:g}" for low, high in zip(lows, highs, strict=True)]
    visit.session_state[f"{PREFIX}:details"] = "Numbers"
    assert len(figures(run(visit))) == 2


def test_in_a_crowd_a_table_that_nobody_sees_is_drawn_when_its_tab_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "is_crowded", lambda: True)
    visit = open_page()
    assert not visit.dataframe
    visit.session_state[f"{PREFIX}:details"] = "Numbers"
    assert len(private_values(run(visit))) == 9


def test_intervals_stand_in_figure_table_and_link() -> None:
    visit = open_page(quantiles="quartiles", mechanism="aggtree", intervals="0.95", intervals_of="population")
    assert field(visit, "shape_size").value == "1000"
    (column,) = [name for name in visit.dataframe[0].value.columns if "% interval (" in name]
    assert column == "95 % interval (years)"
    assert "population, of which the people are taken to be a random sample" in words(visit)
    assert figures(visit)[0]["data"][0]["name"] == "interval"
    assert link_of(visit)["intervals"] == "0.95"
    assert "Then also ρ = " in words(visit), "which ρ the release states depends on the levels that it adds"
    run(widget(visit, f"{PREFIX}_intervals").set_value("none"))
    press(visit)
    assert not any("% interval (years)" in name for name in visit.dataframe[0].value.columns)
    assert "intervals" not in link_of(visit)


def test_answers_at_a_bound_are_called_that_above_them() -> None:
    visit = open_page(lower="0", upper="10", step="1", quantiles="deciles")
    assert [each.value.replace("\\", "") for each in visit.warning] == [
        "All 9 answers lie at the highest possible value: the bound is probably too low, unless nearly all values are "
        "the same."
    ]
    assert not open_page(quantiles="deciles").warning


def test_opens_through_the_menu_too() -> None:
    visit = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert not visit.exception
    assert visit.metric


def test_two_visitors_see_the_same_first_picture() -> None:
    assert private_values(open_page()) == private_values(open_page())


def test_opens_with_a_result_after_presses_on_other_pages() -> None:
    visit = AppTest.from_file(str(ROOT / file_of("quantiles")), default_timeout=60)
    visit.session_state[f"{PREFIX}:seed"] = 2
    assert "Simulation with seed 1, not a release" in words(run(visit))
    assert "Simulation with seed 1, not a release" in words(run(visit))
    assert "Simulation with seed 3, not a release" in words(press(visit)), "other pages have had the second one"


def test_where_work_is_long_nothing_but_the_button_changes_a_private_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_SECONDS", 0.0)
    visit = open_page()
    shown = visit.session_state[f"{PREFIX}:outcome:explore"]
    table = visit.dataframe[0].value

    def still_the_same() -> None:
        run(visit)
        assert visit.session_state[f"{PREFIX}:outcome:explore"] is shown
        assert visit.dataframe[0].value.equals(table)

    still_the_same()
    for name in ("median", "quartiles", "percentiles", "even", "own", "deciles"):
        widget(visit, f"{PREFIX}_quantiles").set_value(name)
        still_the_same()
    for name in ("approximate", "concentrated", "pure"):
        widget(visit, f"{PREFIX}_budget").set_value(name)
        still_the_same()
    for name, values in {"mechanism": ["indexp", "aq"], "adjacency": ["substitute", "add_remove"]}.items():
        for value in values:
            visit.selectbox(key=f"{PREFIX}_{name}").set_value(value)
            still_the_same()
    for name, value in {"lower": "-10", "upper": "200", "step": "0.5", "epsilon": "0.3"}.items():
        visit.text_input(key=f"{PREFIX}_{name}").set_value(value)
        still_the_same()
        assert "Settings changed: press Simulate" in words(visit)
    visit.select_slider(key=f"{PREFIX}_slider_epsilon").set_value("2")
    still_the_same()
    assert visit.text_input(key=f"{PREFIX}_epsilon").value == "2"
    visit.selectbox(key=f"{PREFIX}_data").set_value("tiny")
    still_the_same()

    press(visit)
    assert visit.session_state[f"{PREFIX}:outcome:explore"] is not shown
    assert "Settings changed" not in words(visit)


def test_on_an_example_every_setting_answers_at_once_with_the_same_seed() -> None:
    name = f"{PREFIX}:outcome:explore"
    visit = press(open_page(mechanism="aq"))
    for field_name, value in {"epsilon": "0.5", "upper": "150"}.items():
        run(visit.text_input(key=f"{PREFIX}_{field_name}").set_value(value))
    run(widget(visit, f"{PREFIX}_quantiles").set_value("quartiles"))
    outcome = visit.session_state[name]
    assert "Simulation with seed 2, not a release" in words(visit)
    assert (outcome.seed, outcome.plan.privacy.epsilon, outcome.domain.upper) == (2, 0.5, 150)
    assert len(private_values(visit)) == 3
    assert "Settings changed" not in words(visit)
    assert visit.button(key=f"{PREFIX}_run").label == "New noise"
    assert run(visit).session_state[name] is outcome, "a rerun draws nothing"
    assert press(visit).session_state[name].seed == 3


def test_in_a_crowd_the_other_runs_follow_when_a_visitor_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    name, said_of_many = f"{PREFIX}:outcome:explore", "Many are drawing at this moment"
    visit = press(open_page(mechanism="aq"))
    monkeypatch.setattr(live, "is_crowded", lambda: True)
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("0.5"))
    first = visit.session_state[name]
    assert first.draws == live.FIRST_DRAWS
    assert said_of_many in words(visit)
    assert run(visit).session_state[name] is first, "while the crowd is there nothing is drawn again"
    monkeypatch.setattr(live, "is_crowded", lambda: False)
    whole = run(visit).session_state[name]
    assert (whole.draws, whole.seed, whole.values) == (DRAWS, first.seed, first.values)
    assert said_of_many not in words(visit)


def test_ones_own_public_data_wait_for_the_first_press() -> None:
    visit = set_bounds(bring(open_page(mechanism="aq"), csv_of(AGES[:300]), public=True), "0", "120", "1")
    assert "Nothing simulated yet" in words(visit)
    first = press(visit).session_state[f"{PREFIX}:outcome:explore"]
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("0.5"))
    now = visit.session_state[f"{PREFIX}:outcome:explore"]
    assert (now.seed, now.plan.privacy.epsilon) == (first.seed, 0.5)


def test_a_release_waits_for_its_button_whatever_changes() -> None:
    visit = press(set_bounds(bring(open_page(mechanism="aq"), csv_of(AGES[:300])), "0", "120", "1"))
    released = visit.session_state[f"{PREFIX}:outcome:release"]
    spent = visit.metric[2].value
    for field_name, value in {"epsilon": "0.5", "upper": "150"}.items():
        run(visit.text_input(key=f"{PREFIX}_{field_name}").set_value(value))
    assert visit.session_state[f"{PREFIX}:outcome:release"] is released
    assert visit.metric[2].value == spent
    assert "Settings changed: press Release" in words(visit)
    assert not {"New noise", "Play"} & {button.label for button in visit.button}
    assert "A cloud of runs" not in words(visit)
    assert visit.session_state[f"{PREFIX}:outcome:explore"].of_example, "nothing is simulated of private data"


def test_every_press_has_a_seed_of_its_own_and_shows_it() -> None:
    visit = open_page(epsilon="0.05")
    first = private_values(visit)
    press(visit)
    assert "seed 2" in words(visit)
    assert private_values(visit) != first


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("upper", "12x", "“Highest” must be a finite number, got '12x'"),
        ("upper", "-5", "“Highest” must be > “Lowest”"),
        ("step", "0", "“Step” must be > 0"),
        ("epsilon", "-1", "“ε” must be finite and > 0, got -1.0"),
        ("epsilon", "many", "“ε” must be a number such as 0.5"),
    ],
)
def test_a_wrong_setting_is_named_and_stops_the_button(name: str, value: str, sentence: str) -> None:
    visit = open_page()
    run(visit.text_input(key=f"{PREFIX}_{name}").set_value(value))
    said = " ".join(element.value.replace("\\", "") for element in visit.markdown)
    assert sentence in said
    assert visit.button(key=f"{PREFIX}_run").disabled


def test_own_levels_are_read_and_a_bad_one_is_named() -> None:
    visit = open_page(quantiles="own", own="0.5, 1/3, 90%")
    assert list(visit.dataframe[0].value["quantile"]) == pytest.approx([50, 100 / 3, 90]), (
        "numbers, as it sorts by them"
    )
    assert {"50 % · median", "33.33 %", "90 %"} <= set(displayed(visit.dataframe[0]))
    run(visit.text_input(key=f"{PREFIX}_own").set_value("1.5"))
    assert "must lie between 0 and 1" in words(visit)
    assert visit.button(key=f"{PREFIX}_run").disabled


def test_a_link_is_read_and_written() -> None:
    visit = open_page(quantiles="quartiles", epsilon="0.7", mechanism="indexp", data="tied")
    assert visit.session_state[f"{PREFIX}:outcome:explore"].plan.mechanism == "indexp"
    assert len(private_values(visit)) == 3
    assert visit.query_params["epsilon"] == "0.7"
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("best"))
    assert "mechanism" not in visit.query_params
    assert "seed" not in visit.query_params


def test_an_option_of_a_mechanism_is_in_the_link() -> None:
    visit = open_page(**{"aq.calibration": "paper"})
    assert dict(visit.session_state[f"{PREFIX}:outcome:explore"].plan.options) == {"calibration": "paper"}
    assert visit.query_params["aq.calibration"] == "paper"


def test_what_a_link_got_wrong_is_said_until_the_button_is_pressed() -> None:
    visit = open_page(epsilon="abc", quantiles="quartiles", colour="red")
    assert visit.info[0].value.startswith("“Privacy loss ε” in the link was not understood (`abc`); using “1”.")
    assert "`colour` in the link is not a setting" in visit.info[0].value
    assert visit.text_input(key=f"{PREFIX}_epsilon").value == "1"
    assert len(private_values(visit)) == 3
    press(visit)
    assert not visit.info


def test_numbers_are_read_with_two_digits_and_sorted_by_their_size() -> None:
    """At a small budget errors of hundreds and of fractions meet: nothing is 0.3 people or 0.00 %."""
    visit = press(open_page(data="income", epsilon="0.3", quantiles="percentiles"))
    outcome = visit.session_state[f"{PREFIX}:outcome:explore"]
    table = visit.dataframe[0]
    assert all(kind.kind == "f" for kind in table.value.dtypes), "text would sort 100 before 20"
    assert list(table.value["quantile"]) == pytest.approx(list(range(1, 100)))
    assert list(table.value["rank error (people)"]) == list(outcome.errors)
    shown = displayed(table)
    assert "0.00 %" not in shown
    errors = [text for text in shown[3::7] if text != "0"]
    assert errors
    assert all(len(text.strip("-").replace(",", "").rstrip("0")) <= 2 for text in errors)
    for at, (low, high) in enumerate(zip(outcome.lows, outcome.highs, strict=True)):
        said = [int(end.replace(",", "")) for end in shown[7 * at + 5].split(" to ")]
        assert said[0] <= low, "rounded outwards"
        assert said[1] >= high


@pytest.mark.parametrize(("mean", "said"), [(0.3, "under 1 person"), (0.0, "0 people"), (12.64, "13 people")])
def test_a_mean_below_one_person_is_no_fraction_of_a_person(mean: float, said: str) -> None:
    visit = open_page()
    name = f"{PREFIX}:outcome:explore"
    visit.session_state[name] = replace(visit.session_state[name], errors=(mean,) * 9, usual_error=mean)
    run(visit)
    assert [metric.value for metric in visit.metric][:2] == [said, said]


def test_an_upload_is_released_and_its_truth_stays() -> None:
    visit = set_bounds(bring(open_page(data="file"), csv_of(AGES)), "0", "120", "1")
    assert "Nothing released since this page was opened" in words(visit)
    assert not visit.metric
    press(visit)
    assert "Release: private answers only" in words(visit)
    assert [metric.label for metric in visit.metric] == [
        "Private median",
        "Spent by this release",
        "Spent of the budget by now",
    ]
    assert ROWS not in words(visit)
    assert ROWS.replace(",", "") not in words(visit)
    assert list(visit.dataframe[0].value.columns) == ["quantile", "private"]
    (figure,) = figures(visit)
    answers, possible, held = figure["data"]
    assert figure["layout"]["xaxis2"]["range"] == possible["x"] == [0.0, 120.0]
    assert held["x"] == [min(answers["x"]), max(answers["x"])]
    outcome = visit.session_state[f"{PREFIX}:outcome:release"]
    assert not {"true_values", "errors", "n", "cdf", "report", "seed"} & set(vars(outcome))
    assert outcome.guarantee.exact


def test_every_release_spends_again() -> None:
    visit = set_bounds(bring(open_page(data="file"), csv_of(AGES)), "0", "120", "1")
    press(run(field(visit, "total_delta").set_value("0")))
    first = visit.session_state[f"{PREFIX}:outcome:release"]
    run(visit)
    assert visit.session_state[f"{PREFIX}:outcome:release"] is first
    assert visit.metric[2].value == "ε = 1 of 3"
    press(visit)
    assert visit.metric[2].value == "ε = 2 of 3"


def test_declared_public_is_explored_until_it_is_taken_back() -> None:
    visit = open_page(data="file")
    assert "Release: private answers only" in words(visit)
    run(visit.checkbox[0].check())
    assert "Explore: not private" in words(visit), "before it is read"
    run(visit.checkbox[0].uncheck())
    visit = set_bounds(bring(visit, csv_of(AGES), public=True), "0", "120", "1")
    assert f"Read: {ROWS} rows" in words(visit)
    press(visit)
    assert visit.metric[0].label == "Mean rank error"
    assert ROWS in words(visit)
    assert "Explore: not private, the truth is on this screen" in words(visit)
    run(visit.checkbox[0].uncheck())
    assert "Release: private answers only" in words(visit)
    assert "Nothing released since this page was opened" in words(visit)
    assert ROWS not in words(visit)
    assert ROWS.replace(",", "") not in words(visit)
    assert f"{PREFIX}:outcome:explore" not in visit.session_state


def test_a_server_can_forbid_exploring_uploads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(state.SERVER_MODE, "release")
    visit = set_bounds(bring(open_page(data="file"), csv_of(AGES)), "0", "120", "1")
    assert not visit.checkbox
    press(visit)
    assert visit.metric[0].label == "Private median"


def test_another_file_starts_undeclared() -> None:
    visit = bring(open_page(data="file"), csv_of(AGES), public=True)
    assert visit.checkbox[0].value
    run(visit.button(key=f"{PREFIX}_change").click())
    assert not visit.checkbox[0].value


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"age\n23\n24\nforty-two\n", "words.csv"),
        (b"", "empty.csv"),
        (b"PAR1 this is no parquet file", "broken.parquet"),
        (bytes(range(256)) * 4, "noise.xlsx"),
    ],
)
def test_a_broken_file_is_one_sentence_and_quotes_no_cell(content: bytes, name: str) -> None:
    visit = open_page()
    run(visit.selectbox(key=f"{PREFIX}_data").set_value("file"))
    visit.file_uploader[0].upload(name, content)
    run(visit)
    if visit.radio:  # a word among the numbers: is "age" a header?
        run(visit.radio[0].set_value(visit.radio[0].options[0]))
        run(visit.button(key=f"{PREFIX}_read").click())
        wait(lambda: f"{PREFIX}_read" in [button.key for button in run(visit).button])
    complaints = [element.value for element in visit.markdown if ":material/error:" in element.value]
    assert len(complaints) == 1
    assert "forty" not in words(visit)
    assert not visit.exception


def test_dates_are_typed_and_shown_as_dates() -> None:
    content = b"day\n" + b"\n".join(b"2024-01-%02d" % (1 + k % 28) for k in range(300))
    visit = set_bounds(bring(open_page(quantiles="median"), content, public=True), "2020-01-01", "2030-12-31", "1")
    press(visit)
    assert private_values(visit)[0].startswith("2024-01-")
    run(visit.text_input(key=f"{PREFIX}_lower").set_value("soon"))
    assert "must be a date such as 2024" in said(visit)


def test_pasted_values() -> None:
    visit = open_page()
    run(visit.selectbox(key=f"{PREFIX}_data").set_value("paste"))
    visit.text_area[0].set_value("\n".join(str(value) for value in AGES))
    run(visit)
    run(visit.button(key=f"{PREFIX}_read").click())
    for _ in range(100):
        if f"{PREFIX}_change" in [button.key for button in visit.button]:
            break
        run(visit)
    press(set_bounds(visit, "0", "120", "1"))
    assert visit.metric[0].label == "Private median"


def test_missing_values_count_as_the_lowest_or_as_a_person_says_where_the_number_of_records_is_public() -> None:
    """They never lead to a complaint: it would tell that some are missing."""
    content = b"age\n" + b"\n".join([b"30", b"NA", b"50"] * 60)
    visit = set_bounds(bring(open_page(adjacency="substitute"), content, public=True), "0", "120", "1")
    press(visit)
    assert visit.metric
    lowest = visit.dataframe[0].value.iloc[0, 1]
    run(visit.text_input(key=f"{PREFIX}_missing").set_value("120"))
    press(visit)
    assert (lowest, visit.dataframe[0].value.iloc[0, 1]) == (0, 30)
    run(visit.text_input(key=f"{PREFIX}_missing").set_value("none"))
    assert "“Missing values count as” must be" in words(visit)


def test_an_unusual_budget_is_warned_of() -> None:
    visit = open_page(epsilon="20")
    assert "protects little" in words(visit)


@pytest.mark.parametrize("budget", ["approximate", "concentrated"])
def test_the_other_budgets(budget: str) -> None:
    visit = open_page(budget=budget)
    assert visit.metric[3].value.startswith("ρ =" if budget == "concentrated" else "ε =")
    assert "No pure ε follows" in words(visit)


def test_a_large_delta_is_questioned() -> None:
    visit = open_page(budget="approximate", delta="0.01")
    assert "far below 1/n = 0.001 for 1,000 people" in words(visit)
