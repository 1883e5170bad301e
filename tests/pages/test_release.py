"""A release in five steps: what each still needs, the forecast, one question; what a form has calibrated."""

import io
import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpq_core import Adjacency, Domain
from dpq_core.advice.choice import choose
from dpq_core.advice.errors import error_of
from dpq_core.mechanisms.aq import mechanism as approximate_quantiles
from dpq_core.results.chosen import Chosen
from dpq_core.results.wording import two_digits
from dpq_core.sources.reading import Opening
from dpq_core.typed import parse
from pages.form.table import SETTINGS
from pages.keys import PREFIX
from pages.payment.counts import FEWEST, MOST
from pages.release import forecast
from pages.release import view as cards
from pages.release.forecast import points_in_words
from pages.server import sessions
from pages.shell import presses
from tests.advice.asked import ask
from tests.pages import driving
from tests.pages.driving import bring, charged, csv_of, named, open_page, own, press, run, said, set_bounds, widget
from tests.pages.shapes import SHAPES
from tests.results.test_calibrations import Calls, calls

__all__ = ["calls"]

ROWS = range(20, 520)
HEADS = re.compile(r"(Step \d): </b>(.*?)</h2><p>(.*?)</p>")


def states(visit: AppTest) -> list[str]:
    """What the head of each card says."""
    heads = [HEADS.search(element.proto.body) for element in visit.get("html")]
    return [f"{found[1]} {unescape(found[3])}" for found in heads if found]


def test_each_step_says_what_is_done_and_what_is_still_needed() -> None:
    visit = open_page(data="file")
    assert [done(line) for line in states(visit)] == [False, False, False, True, False]
    bring(visit, csv_of(ROWS), "visits.csv")
    assert states(visit)[0] == "Step 1 Done: visits.csv, column age"
    assert [done(line) for line in states(visit)] == [True, True, False, True, False]
    for bounds, told in (
        (("0", "1000", "1"), "0 to 1,000, in steps of 1"),
        (("0", "1000", "0.1"), "0 to 1,000, in steps of 0.1"),
        (("0.5", "1000", "0.1"), "0.5 to 1,000.0, in steps of 0.1"),
    ):
        assert states(set_bounds(visit, *bounds))[2] == f"Step 3 Done: {told}"
    assert all(map(done, states(visit)))
    assert states(visit)[-1].endswith("it would use ε = 1 of 3")


def question_of(visit: AppTest) -> str:
    """What a dialog repeats, among all other text."""
    return " ".join(element.value for element in visit.markdown).replace("\\", "")


def done(state: str) -> bool:
    assert ("Done: " in state) is not ("Still needed: " in state)
    return "Done: " in state


def with_groups(**link: str) -> AppTest:
    rows = "".join(["ward,age\n", *(f"A,{age}\n" for age in ROWS)]).encode()
    visit = driving.upload(open_page(data="file", mechanism="aq", **link), "visits.csv", rows)
    run(named(visit.selectbox, "column").set_value("age"))
    return set_bounds(
        driving.read(run(named(visit.multiselect, "group_columns").set_value(["ward"]))), "0", "1000", "1"
    )


@pytest.mark.slow
def test_groups_that_nobody_named_are_asked_for_and_not_called_wrong() -> None:
    visit = with_groups()
    assert not done(states(visit)[3])
    assert not [each for each in visit.markdown if ":material/error:" in each.value]
    run(visit.text_area(key=f"{PREFIX}_group_names").set_value("A\nB"))
    assert states(visit)[3] == "Step 4 Done: deciles, for each of 2 groups of ward"
    run(visit.text_input(key=f"{PREFIX}_group_other").set_value("others"))
    assert states(visit)[3] == "Step 4 Done: deciles, for each of 3 groups of ward", "the pooled one is answered, too"
    run(visit.button_group(key=f"{PREFIX}_release_intervals").set_value("0.9"))
    run(visit.button_group(key=f"{PREFIX}_hold").set_value("together"))
    assert "deciles, with 90 % intervals that hold all at once, for each of 3 groups" in states(visit)[3]


@pytest.mark.slow
def test_of_groups_that_are_found_no_error_is_simulated_and_none_is_said_to_be() -> None:
    visit = run(widget(with_groups(budget="approximate"), f"{PREFIX}_group_way").set_value("found"))
    assert done(states(visit)[-1])
    assert points_in_words(()) in said(visit)
    assert forecast.ABOUT_GROUPS not in said(visit)
    run(visit.button(key=f"{PREFIX}_run").click())
    assert f"Expected error] {points_in_words(())}" in question_of(visit)


@pytest.mark.slow
def test_the_forecast_is_that_of_the_choice_and_another_error_sets_the_budget() -> None:
    visit = set_bounds(bring(open_page(data="file"), csv_of(ROWS)), "0", "1000", "1")
    best = choose(ask(domain=Domain(0, 1000, 1), about_n=1000))
    expected = f"± {two_digits(error_of(best.run, 1000) / 10)} points"
    assert expected in said(visit)
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("aq"))  # the best one may be another at another budget
    run(widget(visit, f"{PREFIX}_accepted").set_value("5"))
    apply = visit.button(key=f"{PREFIX}_apply_budget")
    amount = apply.label.removeprefix("Apply ε = ")
    assert 0 < float(amount) < 1
    run(apply.click())
    assert visit.text_input(key=f"{PREFIX}_epsilon").value == amount
    assert f"± 5 takes ε = {amount}, which is set." in said(visit)
    points = re.search(r"± ([\d.]+) points", said(visit))
    assert points is not None
    assert float(points[1]) <= 5


@pytest.mark.slow
@pytest.mark.parametrize("several", [False, True])
def test_a_release_has_intervals_unless_they_are_switched_off(several: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What they cost in accuracy is said beside the switch."""
    assert SETTINGS["release_intervals"].default == "none", "for all other tests of this folder"
    monkeypatch.setitem(SETTINGS, "release_intervals", SWITCH)
    visit = open_page(data="file", mechanism="aq")
    if several:
        driving.ask_all(
            driving.read_several(visit, "age,pay\n" + "".join(f"{age},{7 * age}\n" for age in ROWS), ["pay"]),
            mechanism="best",
        )
    else:
        set_bounds(bring(visit, csv_of(ROWS)), "0", "1000", "1")
    assert ", with 95 % intervals" in states(visit)[3]
    assert re.search("Intervals cost accuracy: .* in place of .* in percent of ranks", said(visit))
    run(widget(visit, f"{PREFIX}_release_intervals").set_value("none"))
    assert "intervals" not in states(visit)[3]
    assert "Intervals cost" not in said(visit)
    assert driving.link_of(visit)["release_intervals"] == "none"


@pytest.mark.slow
def test_a_press_asks_once_and_spends_only_after_a_yes(own_ledger: Path) -> None:
    visit = own(csv_of(ROWS), mechanism="aq")
    run(visit.text_input(key=f"{PREFIX}_column_unit").set_value("years"))
    run(visit.button(key=f"{PREFIX}_run").click())
    assert driving.asks(visit)
    for fact in (
        "deciles of age",
        "0 to 120 years",
        "one person joins or leaves",
        "ε = 1 of 3, from the budget of own",
    ):
        assert fact in question_of(visit), fact
    assert charged(own_ledger) == 0
    run(visit.text_input(key=f"{PREFIX}_upper").set_value("2000"))
    assert not driving.asks(visit), "a changed setting takes the question back"
    assert charged(own_ledger) == 0
    assert f"{PREFIX}:outcome:release" not in visit.session_state
    press(visit)
    assert charged(own_ledger) == 1
    run(run(visit))
    assert charged(own_ledger) == 1
    assert cards.AGAIN in [expander.label for expander in visit.expander]
    assert states(visit)[-1].endswith("ε = 1 of 3, of which 2 is left")


@pytest.mark.slow
def test_of_a_workbook_the_sheet_is_chosen() -> None:
    book = openpyxl.Workbook()
    (first,) = book.worksheets
    first.append(["read me"])
    sheet = book.create_sheet("visits")
    for row in (["age"], *([age] for age in ROWS)):
        sheet.append(row)
    written = io.BytesIO()
    book.save(written)
    visit = driving.upload(open_page(data="file"), "own.xlsx", written.getvalue())
    assert f"{PREFIX}_read" not in driving.keys(visit), "the first sheet holds no numbers"
    run(named(visit.selectbox, "sheet").set_value("visits"))
    assert states(driving.read(visit))[0] == "Step 1 Done: own.xlsx, column age"
    assert "own.xlsx · sheet visits · age · numbers" in said(visit)


def test_an_own_file_is_the_first_choice_while_the_page_opens_with_an_example() -> None:
    visit = open_page()
    data = visit.selectbox(key=f"{PREFIX}_data")
    assert data.format_func("file") == data.options[0]
    assert data.value == "adult-age"
    assert states(visit) == []


@pytest.mark.slow
def test_the_last_step_leads_to_the_first_one_that_is_open_or_wrong() -> None:
    visit = open_page(data="file")
    assert lead(visit, "step").label.startswith("Go to step 1: ")
    bring(visit, csv_of([k % 90 for k in range(300)]))
    assert lead(visit, "step").label.startswith("Go to step 3: ")
    run(lead(visit, "step").click())
    assert 'data-occasion="field:dpq_step_3"' in said(visit)
    assert 'data-occasion="field:dpq_step_3"' not in said(run(visit)), "once for each press"
    set_bounds(visit, "0", "120", "1")
    assert lead(visit, "step") is None
    run(widget(visit, f"{PREFIX}_quantiles").set_value("own"))
    for at, name, wrong, right in ((4, "shape_size", "many", "1000"), (4, "epsilon", "0", "1"), (3, "own", "2", "0.5")):
        run(visit.text_input(key=f"{PREFIX}_{name}").set_value(wrong))
        assert [step for step, state in enumerate(states(visit)) if "correct the fields in red" in state] == [at], name
        assert lead(visit, "step") is None or at == 3
        run(visit.text_input(key=f"{PREFIX}_{name}").set_value(right))
        assert all(map(done, states(visit)))


def lead(visit: AppTest, of: str) -> Any:
    return next((button for button in visit.button if button.key == f"{PREFIX}_lead_{of}"), None)


@pytest.mark.slow
def test_bounds_take_the_notation_of_the_page_and_ask_about_a_point() -> None:
    visit = own(csv_of([k % 90 for k in range(300)]))
    for typed, read_as in (("200.000", None), ("200,000", "0 to 200,000"), ("200 000", "0 to 200,000")):
        set_bounds(visit, "0", typed, "1")
        assert done(states(visit)[2]) is bool(read_as)
        assert (read_as or "200 or 200,000") in said(visit)


@pytest.mark.slow
def test_no_budget_is_offered_that_the_data_set_does_not_have() -> None:
    visit = own(csv_of([k % 90 for k in range(300)]), epsilon="0.01", mechanism="aq")
    run(visit.text_input(key=f"{PREFIX}_total_epsilon_0").set_value("0.05"))
    run(visit.button_group(key=f"{PREFIX}_accepted").set_value("1"))
    assert f"{PREFIX}_apply_budget" not in driving.keys(visit)


SWITCH = SETTINGS["release_intervals"]
"""As it stands, before the tests of this folder switch intervals off."""
AGES = np.random.default_rng(4).integers(18, 91, size=321)


@pytest.mark.slow
def test_of_an_example_the_parameters_of_aq_are_worked_out_once_for_two_pages() -> None:
    approximate_quantiles._calibrated.cache_clear()
    visit = press(run(open_page(mechanism="aq")))
    assert worked_out() == 1, "for the first picture, a rerun and a press"
    driving.turn_to(visit, "inside").button(key=f"{PREFIX}_run_inside").click().run()
    on_both = worked_out()
    assert on_both <= 2, "Inside shows one quantile a draw, too"
    visit.session_state[f"{PREFIX}_epsilon"] = "2"
    run(visit)
    visit.session_state[f"{PREFIX}_epsilon"] = "1"
    run(visit)
    assert worked_out() == on_both + 1, "once for the other budget, and not again for the one before"


def worked_out() -> int:
    return approximate_quantiles._calibrated.cache_info().misses


@pytest.mark.slow
@pytest.mark.parametrize(
    ("adjacency", "counts"), [(Adjacency.ADD_REMOVE, {None}), (Adjacency.REPLACE_ONE, {FEWEST, MOST, None})]
)
def test_a_release_draws_and_charges_with_what_the_form_has_found(
    calls: Calls, adjacency: Adjacency, counts: set[int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where one is replaced the press learns the number; then the next form is judged with it, as it may be known.

    The forecast, which is worked out once, is left out, and so is what another test of this process has worked out.
    """
    monkeypatch.setattr(forecast, "expected", lambda *_: None)
    visit = open_page(data="file", mechanism="aq", adjacency=adjacency)
    press(run(set_bounds(bring(visit, csv_of(AGES)), "0", "120", "1")))
    assert f"{PREFIX}:outcome:release" in visit.session_state
    found = [count for _, count in calls]
    before = [count for count in found if count != AGES.size]
    assert set(before) <= counts
    assert set(found[len(before) :]) == ({AGES.size} if adjacency is Adjacency.REPLACE_ONE else set())


def test_what_a_refused_plan_needs_is_worked_out_once(calls: Calls) -> None:
    """Of both needs the way out is calibrated as well; a rerun repeats nothing."""
    visit = open_page(mechanism="normal")
    assert f"{PREFIX}:outcome:explore" not in visit.session_state
    before = len(calls)
    run(run(visit))
    assert len(calls) == before > 0


def test_what_has_failed_is_said_beside_its_own_data_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A press of several columns that was refused is no news on the page of one column."""
    told: list[str] = []
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(presses, "complain", told.append)
    asked = parse({"age": {"lower": "0", "upper": "9"}})
    chosen = Chosen(question=asked, plan=asked.plan)
    press_of_table = presses.ReleaseRequest(identity="table:1", account="staff", asked=asked, resolved=chosen)
    presses.finish(press_of_table, "There is no answer.")
    for place in ("upload:1", "table:1", "table:1"):
        presses.show_failure(place)
        presses.complain_between("The ledger is gone.", "")
    assert told == ["There is no answer.", "The ledger is gone.", "The ledger is gone."]


ASKED: dict[str, dict[str, str]] = {
    "own levels": {"quantiles": "own", "own": "1/3; 90 %", "epsilon": "0.7"},
    "intervals": {"budget": "concentrated", "rho": "0.2", "adjacency": "replace_one", "intervals": "0.9"},
    "population": {"delta": "1e-7", "intervals": "0.95", "intervals_of": "population"} | {"budget": "approximate"},
    "all at once": {"intervals": "0.95", "hold": "together"},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ASKED)
def test_a_press_asks_for_what_was_typed(own_ledger: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The plain function of the same texts, which no page has drawn, gives the same request."""
    link = {"epsilon": "1"} | ASKED[name] | {"mechanism": "aq"}
    typed = {"release_intervals" if setting == "intervals" else setting: value for setting, value in link.items()}
    visit = bring(open_page(data="file", **typed), csv_of(AGES))
    bounds = {"lower": "-3", "upper": "120", "step": "1"}
    set_bounds(visit, **bounds)
    monkeypatch.setattr(sessions, "is_gone", lambda: True)  # before the charge
    begun = driving.unfinished(press(visit))
    assert begun is not None
    said = bounds | link | ({"about": "1000"} if "intervals" in link else {}) | {"one": "person"}
    assert begun.asked == parse({"age": said}, said).as_read(Opening(), {})
    assert charged(own_ledger) == 0


@pytest.mark.slow
def test_a_press_for_groups_asks_for_what_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    link: dict[str, Any] = {"mechanism": "aq", "quantiles": "median", "adjacency": "replace_one", "epsilon": "1"}
    visit = driving.listing(SHAPES["groups"].ready(**link), "north; 1,300", "south")
    monkeypatch.setattr(sessions, "is_gone", lambda: True)
    begun = driving.unfinished(press(visit))
    assert begun is not None
    (name,) = begun.asked.columns
    bounds = {name: str(visit.text_input(key=f"{PREFIX}_{name}").value) for name in ("lower", "upper", "step")}
    assert begun.asked.groups is not None
    whole = link | {"about": "1000", "by": begun.asked.groups.by, "lists": ("north; 1,300\nsouth",), "one": "person"}
    assert begun.asked == parse({name: bounds | link}, whole).as_read(Opening(), {})
    assert begun.asked.columns[name].about_n == {"north": 1300, "south": 1000}
