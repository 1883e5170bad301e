"""What was said about a column is forgotten with it, on every page with the form; then it has to be given again."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.compare import leaderboard as compare
from pages.keys import PREFIX
from pages.settings import said
from pages.tradeoff import questions as tradeoff
from tests.jobs.test_line import wait
from tests.pages import studying
from tests.pages.driving import (
    RANDOM,
    bring,
    csv_of,
    field,
    forget,
    new_people,
    open_page,
    paste,
    press,
    private_values,
    read_kept,
    run,
    set_bounds,
    turn_to,
    widget,
    words,
)

SAID = {
    "lower": "20011", "upper": "200033", "step": "1", "column_unit": "quatloos", "one": "zebra", "missing": "30077",
    "shape_size": "4099", "n_max": "50770013",
}  # fmt: skip
"""What is said of the first column; each is found wherever it stays."""
EMPTY = dict.fromkeys(SAID, "") | {"one": "person", "shape_size": "1000"}
TRACES = re.compile("|".join(value for value in SAID.values() if value != "1"))
KEPT = f"{PREFIX}:kept_file"
SALARIES = np.random.default_rng(3).integers(20_500, 90_000, size=60)
EXPENSES = np.random.default_rng(4).integers(3, 900, size=60)
A = b"salary,expenses\n" + b"\n".join(b"%d,%d" % pair for pair in zip(SALARIES, EXPENSES, strict=True)) + b"\n"
B = b"cost\n" + b"\n".join(b"%d" % value for value in EXPENSES) + b"\n"
FORMS: dict[str, dict[str, str]] = {
    "quantiles": {"adjacency": "substitute", "quantiles": "median"},
    "inside": {"adjacency": "substitute", "quantiles": "median"},
    "compare": {"quantiles": "median", "trials": "100"},
    "tradeoff": {"quantiles": "median", "swept": "aq"},
    "stream": {"stream": "data"},
}
"""Every page with the form, and a link to it."""
PUBLIC = {"inside", "stream"}
"""Pages that show nothing of private data, so that there the first column is declared public."""
BUTTONS = {"quantiles": "run", "stream": "run_stream", "inside": "run_inside"} | {
    name: f"run_{name}" for name in ("compare", "tradeoff")
}


def other_file(visit: AppTest) -> AppTest:
    return bring(forget(visit), B, "other.csv")


def other_column(visit: AppTest) -> AppTest:
    return bring(forget(visit), A, "salaries.csv", column="expenses")


def pasted_after_forgetting(visit: AppTest) -> AppTest:
    return paste(forget(visit), EXPENSES)


def pasted_without_forgetting(visit: AppTest) -> AppTest:
    return paste(visit, EXPENSES)


def back_from_an_example(visit: AppTest) -> AppTest:
    run(visit.selectbox(key=f"{PREFIX}_data").set_value("adult-hours"))
    return run(visit.selectbox(key=f"{PREFIX}_data").set_value("file"))


REMEDY = re.compile('label: "Call it .*?zebra.*?"')
"""The button that takes the word from the budget of the same file, where the server keeps it."""
CHANGES = [other_file, other_column, pasted_after_forgetting, pasted_without_forgetting]
OF_THE_SAME_FILE = [other_column]
"""There the budget of the file still protects what was said first."""


def fields(visit: AppTest) -> dict[str, Any]:
    """Of the things that are said of a column, those that the form shows now."""
    shown = {str(field.key).removeprefix(f"{PREFIX}_"): field for field in visit.text_input}
    return {name: shown[name] for name in SAID if name in shown}


def say(visit: AppTest) -> AppTest:
    for _ in range(2):  # what a missing value counts as is asked once there are bounds
        for name, typed in fields(visit).items():
            typed.set_value(SAID[name])
        run(visit)
    return visit


def use(visit: AppTest, page: str) -> AppTest:
    """Release or simulate from the first column, or study a shape of its bounds."""
    if page in {"compare", "tradeoff"}:
        return studying.press(visit, page, {"compare": compare.NAME, "tradeoff": tradeoff.SWEEP}[page])
    press(visit, BUTTONS[page])
    if page == "stream":
        wait(lambda: visit.session_state["dpq:job:stream"].finished)
    return run(visit)


def first_column(page: str) -> AppTest:
    return use(say(bring(open_page(page, data="file", **FORMS[page]), A, "salaries.csv", public=page in PUBLIC)), page)


@pytest.mark.covering(1)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("page", FORMS)
def test_another_column_starts_empty_and_sleeps_until_its_bounds_are_given(
    page: str, change: Callable[[AppTest], AppTest]
) -> None:
    visit = first_column(page)
    assert TRACES.search(words(visit))
    shown = fields(visit)
    assert len(shown) >= 6 - (page == "stream")
    assert {name: field.value for name, field in shown.items()} == {name: SAID[name] for name in shown}
    change(visit)
    again = fields(visit)
    assert set(again) >= {"lower", "upper", "step", "column_unit", "one"}
    assert {name: field.value for name, field in again.items()} == {name: EMPTY[name] for name in again}
    assert visit.button(key=f"{PREFIX}_{BUTTONS[page]}").disabled
    assert not TRACES.search(REMEDY.sub("", words(visit))), "nothing on the screen speaks of the first column any more"
    left = [*(field.proto for field in visit.text_input), visit.query_params, visit.code]
    assert not TRACES.search(RANDOM.sub("", " ".join(map(str, left)))), page
    set_bounds(visit, "0", "1000", "1")
    if page == "quantiles" and change not in OF_THE_SAME_FILE:
        new_people(visit)
    private = page in PUBLIC and not visit.checkbox[0].value
    other_unit = page == "quantiles" and change in OF_THE_SAME_FILE
    assert visit.button(key=f"{PREFIX}_{BUTTONS[page]}").disabled == (private or other_unit)
    if other_unit:
        assert "protects one zebra" in words(visit)
        assert not run(visit.text_input(key=f"{PREFIX}_one").set_value("zebra")).button(key=f"{PREFIX}_run").disabled


@pytest.mark.parametrize("page", FORMS)
def test_what_was_said_of_a_column_stays_on_the_way_back_from_an_example(page: str) -> None:
    visit = first_column(page)
    shown = {name: field.value for name, field in fields(visit).items()}
    back_from_an_example(visit)
    assert {name: field.value for name, field in fields(visit).items()} == shown


def test_the_salary_bounds_of_before_release_no_expenses() -> None:
    """Nine zeros for ε = 0.5: all answers at the lower end of somebody else's bounds."""
    visit = first_column("quantiles")
    other_file(visit)
    assert visit.button(key=f"{PREFIX}_run").disabled
    press(new_people(set_bounds(visit, "0", "1000", "1")))
    assert 0 < float(private_values(visit)[0]) < 1000


def test_pasted_values_are_another_column_than_the_file_before_them() -> None:
    """With the same bounds: the answer is that of what was pasted, and nothing is declared about it."""
    visit = set_bounds(bring(open_page(quantiles="median"), b"low\n" + b"10\n" * 400, public=True), "0", "100", "1")
    press(visit)
    assert float(private_values(visit)[0]) < 30
    set_bounds(paste(visit, np.full(400, 90)), "0", "100", "1")
    assert not visit.checkbox[0].value
    assert "Nothing released since this page was opened" in words(visit)
    press(visit)
    assert float(private_values(visit)[0]) > 70


def test_a_reading_in_the_other_way_is_dropped() -> None:
    visit = open_page()
    run(visit.selectbox(key=f"{PREFIX}_data").set_value("file"))
    visit.file_uploader[0].upload("own.csv", B)
    run(visit)
    run(visit.button(key=f"{PREFIX}_read").click())
    run(visit.selectbox(key=f"{PREFIX}_data").set_value("paste"))
    assert f"{PREFIX}:brought" not in visit.session_state
    assert visit.text_area


def test_another_page_and_another_answer_forget_nothing() -> None:
    visit = turn_to(first_column("quantiles"), "compare")
    assert {"upper", "column_unit", "one", "missing"} <= set(fields(visit))
    assert {name: field.value for name, field in fields(visit).items()} == {name: SAID[name] for name in fields(visit)}
    press(turn_to(visit, "quantiles"))
    assert visit.text_input(key=f"{PREFIX}_upper").value == SAID["upper"]


@pytest.mark.parametrize("page", ["quantiles", "inside"])
def test_an_own_column_is_asked_about_once_it_is_there(page: str) -> None:
    visit = run(open_page(page).selectbox(key=f"{PREFIX}_data").set_value("file"))
    assert not fields(visit)
    assert "highest value once the column is read" in words(visit)


@pytest.mark.parametrize("page", ["compare", "tradeoff"])
def test_a_shape_that_was_planned_with_leaves_no_bounds_for_the_column(page: str) -> None:
    visit = open_page(page, data="file", lower="20011", upper="200033", step="1", shape_size="4099", quantiles="median")
    assert visit.text_input(key=f"{PREFIX}_upper").value == "200033"
    assert not visit.button(key=f"{PREFIX}_run_{page}").disabled
    bring(visit, B)
    assert {name: field.value for name, field in fields(visit).items()} == {name: EMPTY[name] for name in fields(visit)}
    assert visit.button(key=f"{PREFIX}_run_{page}").disabled


def test_a_link_carries_bounds_of_an_example_but_none_of_an_own_column() -> None:
    assert open_page(lower="5", upper="95").text_input(key=f"{PREFIX}_upper").value == "95"
    visit = open_page(data="file", lower="20011", upper="200033", **{"normal.sigma": "8071"})
    assert "“Highest” in the link is of another column; say it of your own" in visit.info[0].value
    bring(visit, B)
    assert not fields(visit)["lower"].value
    assert visit.button(key=f"{PREFIX}_run").disabled
    say(visit)
    assert not TRACES.search(str(visit.query_params))
    assert "8071" not in words(visit)


@pytest.mark.very_slow
def test_back_to_an_address_of_the_first_column_brings_nothing_of_it_back() -> None:
    visit = first_column("compare")
    before = {name: visit.query_params[name] for name in visit.query_params}
    assert "200033" in str(before), "a shape can be studied again by anybody"
    other_file(visit)
    set_bounds(visit, "0", "1000", "1")
    for name, value in before.items():
        visit.query_params[name] = value
    run(visit)
    assert visit.text_input(key=f"{PREFIX}_upper").value == "1000", "what was said of the second column stays"


def test_back_keeps_what_was_said_of_the_column_that_is_there() -> None:
    visit = set_bounds(bring(open_page(data="file"), B), "0", "1000", "1")
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("0.5"))
    del visit.query_params["epsilon"]
    run(visit)
    assert visit.text_input(key=f"{PREFIX}_epsilon").value == "1"
    assert visit.text_input(key=f"{PREFIX}_upper").value == "1000"
    assert not visit.button(key=f"{PREFIX}_run").disabled


def test_what_a_mechanism_was_told_of_the_column_is_forgotten_too() -> None:
    visit = bring(open_page(mechanism="normal"), B)
    told = [f"{PREFIX}_option_normal.{name}" for name in ("sigma", "mean_bound")]
    for name in told:
        visit.text_input(key=name).set_value("8071")
    visit.text_input(key=f"{PREFIX}_option_normal.beta").set_value("0.1")
    run(visit)
    other_column(visit)
    assert [visit.text_input(key=name).value for name in told] == ["", ""]
    assert visit.text_input(key=f"{PREFIX}_option_normal.beta").value == "0.1", "a choice of the method stays"


@pytest.mark.very_slow
def test_what_a_report_calls_an_older_answer_says_nothing_of_the_next_column() -> None:
    visit = turn_to(bring(open_page(data="file"), B), "report", unit="quatloos", records="4099")
    assert visit.session_state[f"{PREFIX}_unit"] == "quatloos"
    assert fields(turn_to(visit, "quantiles"))["column_unit"].value == ""
    assert fields(turn_to(visit, "compare"))["shape_size"].value == "1000"


def test_another_preset_takes_the_unit_of_the_one_before_and_leaves_an_own_one() -> None:
    visit = bring(open_page(data="file"), B)
    unit = f"{PREFIX}_column_unit"

    def choose(preset: str) -> str:
        run(widget(visit, f"{PREFIX}_preset_number").set_value(preset))
        return str(visit.text_input(key=unit).value)

    assert [choose("Age"), choose("Money")] == ["years", ""]
    run(visit.text_input(key=unit).set_value("€"))
    assert choose("Money") == choose("Age").replace("years", "€")


def test_a_unit_never_stands_beside_dates() -> None:
    visit = bring(open_page(quantiles="median"), B)
    run(visit.text_input(key=f"{PREFIX}_column_unit").set_value("€"))
    dates = b"born\n" + b"\n".join(b"1980-01-%02d" % (1 + day % 28) for day in range(300))
    bring(forget(visit), dates, "people.csv")
    assert "column_unit" not in fields(visit)
    press(set_bounds(visit, "1900-01-01", "2030-12-31", "1"))
    assert private_values(visit)[0].startswith("19")
    assert "€" not in words(visit)


@pytest.mark.very_slow
def test_a_pending_release_changes_on_its_own_page_alone() -> None:
    visit = set_bounds(bring(open_page(data="file", quantiles="quartiles"), csv_of(range(20, 90))), "0", "120", "1")
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("0.5"))
    other = turn_to(visit, "tradeoff")
    run(other.button_group(key=f"{PREFIX}_quantiles").set_value("percentiles"))
    run(other.button_group(key=f"{PREFIX}_preset_number").set_value("Money"))
    run(other.text_input(key=f"{PREFIX}_epsilon").set_value("8"))
    other = turn_to(other, "compare")
    run(other.selectbox(key=f"{PREFIX}_data").set_value("adult-age"))
    back = turn_to(other, "quantiles")
    assert [back.session_state[f"{PREFIX}_{name}"] for name in ("data", "quantiles", "epsilon", "upper", "step")] == [
        "file", "quartiles", "0.5", "120", "1",
    ]  # fmt: skip
    run(back.button(key=f"{PREFIX}_change").click())
    other = turn_to(back, "compare")
    run(other.button_group(key=f"{PREFIX}_quantiles").set_value("median"))
    assert turn_to(other, "quantiles").session_state[f"{PREFIX}_quantiles"] == "median", "nothing is pending any more"


def test_another_column_of_the_same_file_keeps_what_was_said_of_its_people_and_of_the_budget(own_ledger: Path) -> None:
    """Its bounds have to be given again, and another file starts empty."""
    visit = bring(open_page(data="file", quantiles="median"), A, "staff.csv", column="salary")
    set_bounds(visit, "20011", "200033", "1")
    for name in ("one", "shape_size"):
        visit.text_input(key=f"{PREFIX}_{name}").set_value(SAID[name])
    run(field(visit, "account").set_value("all staff"))
    run(visit.button(key=f"{PREFIX}_another_column").click())
    assert not visit.file_uploader, "the file is kept"
    assert "staff.csv" in words(visit).replace("\\", "")
    read_kept(visit, column="expenses")
    kept = {name: visit.text_input(key=f"{PREFIX}_{name}").value for name in ("one", "shape_size", "lower", "upper")}
    assert kept == {"one": "zebra", "shape_size": "4099", "lower": "", "upper": ""}
    assert field(visit, "account").value == "all staff"
    assert visit.button(key=f"{PREFIX}_run").disabled
    press(set_bounds(visit, "0", "1000", "1"))
    assert len(private_values(visit)) == 1
    assert KEPT in visit.session_state
    run(visit.button(key=f"{PREFIX}_another_column").click())
    bring(visit, B, "costs.csv")
    kept = {name: visit.text_input(key=f"{PREFIX}_{name}").value for name in ("one", "shape_size", "lower", "upper")}
    assert kept == {"one": "person", "shape_size": "1000", "lower": "", "upper": ""}
    forget(visit)
    assert KEPT not in visit.session_state
    assert visit.file_uploader, "the file is forgotten with the data"


def test_the_report_is_of_the_last_release_also_where_another_column_is_chosen(own_ledger: Path) -> None:
    visit = bring(open_page(data="file", quantiles="median"), A, "staff.csv", column="salary")
    press(set_bounds(visit, "20011", "200033", "1"))
    released = visit.session_state[f"{PREFIX}:outcome:release"].release_id
    run(visit.button(key=f"{PREFIX}_another_column").click())
    assert f"{PREFIX}:outcome:release" not in visit.session_state
    report = turn_to(visit, "report")
    assert report.session_state[f"{PREFIX}_answer"] == f"1/{released}"
    assert "A simulation on public data" not in words(report)


def test_answers_about_a_kept_file_are_kept_with_it(own_ledger: Path) -> None:
    """Whether its first row is a header is asked once."""
    rows = "zq7ada,47.5\n" + "".join(f"p{at},{20 + at % 50}\n" for at in range(300))
    visit = open_page(data="file", quantiles="median")
    visit.file_uploader[0].upload("plain.csv", rows.encode())
    run(visit)
    run(visit.radio[0].set_value("No, it is the first record"))
    visit = read_kept(visit, column="column 2")
    run(visit.button(key=f"{PREFIX}_another_column").click())
    assert visit.radio[0].value == "No, it is the first record"
    visit = read_kept(visit, column="column 2")
    press(set_bounds(visit, "0", "1000", "1"))
    assert len(private_values(visit)) == 1


def test_groups_by_another_column_have_no_list_of_those_before(monkeypatch: pytest.MonkeyPatch) -> None:
    session: dict[str, object] = {}
    monkeypatch.setattr("streamlit.session_state", session)
    of = partial(said.column_identity, 2)
    for group, names in (("region", "north"), ("sex", "")):
        session.clear()
        said.keep_for(of("salary"), people="said:2", groups="said:2:by:region")
        session |= {f"{PREFIX}_group_names": "north", f"{PREFIX}_one": "nurse", f"{PREFIX}_lower": "3"}
        said.keep_for(said.COMING)
        assert session[f"{PREFIX}_lower"] == ""
        said.keep_for(of("expenses"), people="said:2", groups=f"said:2:by:{group}")
        found = [session[f"{PREFIX}_{name}"] for name in ("group_names", "one", "lower")]
        assert found == [names, "nurse", ""]
        assert said.bounded_before(of("expenses")) == "salary"
        said.keep_for(of("salary"), people="said:2", groups="said:2:by:region")
        assert [session[f"{PREFIX}_{name}"] for name in ("group_names", "one", "lower")] == ["north", "nurse", "3"]
        said.forget(2)
        said.keep_for(said.column_identity(3, "salary"), people="said:3", groups="said:3:by:region")
        assert [session[f"{PREFIX}_{name}"] for name in ("group_names", "one", "lower")] == ["", "person", ""]
