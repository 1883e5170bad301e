"""A release in five steps: what each still needs, the forecast before money, one question before it is spent."""

from __future__ import annotations

import io
import re
from html import unescape
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import Domain, PureDP
from dpq_core.advice import PublicFacts, best_plan
from dpq_core.results import two_digits
from dpq_core.results.scripts import as_script
from dpq_core.studies import even_levels
from pages.keys import PREFIX
from pages.steps import cards, confirm, forecast, points_in_words
from tests.pages.driving import (
    CONFIRM,
    asks,
    bring,
    charged,
    csv_of,
    named,
    open_page,
    press,
    read,
    run,
    said,
    set_bounds,
    widget,
    words,
)

ROWS = range(20, 520)
HEADS = re.compile(r"(Step \d): </b>(.*?)</h2><p>(.*?)</p>")


def states(visit: AppTest) -> list[str]:
    """What the head of each card says."""
    heads = [HEADS.search(element.proto.body) for element in visit.get("html")]
    return [f"{found[1]} {unescape(found[3])}" for found in heads if found]


def question_of(visit: AppTest) -> str:
    """What a dialog repeats, among all other text."""
    return " ".join(element.value for element in visit.markdown).replace("\\", "")


def test_each_step_says_what_is_done_and_what_is_still_needed() -> None:
    visit = open_page(data="file")
    assert [line[:20] for line in states(visit)] == [
        "Step 1 Still needed:", "Step 2 Still needed:", "Step 3 Still needed:", "Step 4 Done: deciles",
        "Step 5 Still needed:",
    ]  # fmt: skip
    assert forecast.LATER in said(visit)
    bring(visit, csv_of(ROWS), "visits.csv")
    assert states(visit)[0] == "Step 1 Done: visits.csv, column age"
    assert states(visit)[2] == "Step 3 Still needed: say the lowest and the highest value, or choose digits"
    set_bounds(visit, "0", "1000", "1")
    assert states(visit)[1:] == [
        "Step 2 Done: every row is a different person; one person joins or leaves",
        "Step 3 Done: 0 to 1,000, in steps of 1",
        "Step 4 Done: deciles",
        "Step 5 Done: ready; it would use ε = 1 of 3",
    ]
    set_bounds(visit, "0", "1000", "0.1")
    assert states(visit)[2] == "Step 3 Done: 0 to 1,000, in steps of 0.1"
    set_bounds(visit, "0.5", "1000", "0.1")
    assert states(visit)[2] == "Step 3 Done: 0.5 to 1,000.0, in steps of 0.1"
    run(visit.checkbox[0].check())
    assert states(visit) == [], "public data is explored, in one form"


def test_of_dates_the_first_and_the_last_day_are_asked() -> None:
    visit = bring(open_page(data="file"), b"day\n" + b"".join(b"2024-01-%02d\n" % (1 + k % 31) for k in ROWS))
    assert states(visit)[2] == "Step 3 Still needed: say the first and the last day"


def test_groups_that_nobody_named_are_asked_for_and_not_called_wrong() -> None:
    visit = open_page(data="file")
    visit.file_uploader[0].upload("visits.csv", "".join(["ward,age\n", *(f"A,{age}\n" for age in ROWS)]).encode())
    run(visit)
    run(named(visit.selectbox, "column").set_value("age"))
    each = named(visit.selectbox, "group_column")
    set_bounds(read(run(each.set_value("ward"))), "0", "1000", "1")
    assert states(visit)[3] == "Step 4 Still needed: say which groups are answered"
    run(visit.text_area(key=f"{PREFIX}_group_names").set_value("A\nB"))
    assert states(visit)[3] == "Step 4 Done: deciles, for each of 2 groups of ward"
    assert "expected error" not in said(visit).replace("Expected error", ""), "the forecast alone has one"
    run(visit.button(key=f"{PREFIX}_run").click())
    assert "deciles of age from visits.csv, for each of 2 groups of ward" in question_of(visit)


def test_of_groups_that_are_found_no_error_is_simulated_and_none_is_said_to_be(own_ledger: Path) -> None:
    visit = open_page(data="file", budget="approximate", mechanism="aq")
    visit.file_uploader[0].upload("visits.csv", "".join(["ward,age\n", *(f"A,{age}\n" for age in ROWS)]).encode())
    run(visit)
    run(named(visit.selectbox, "column").set_value("age"))
    each = named(visit.selectbox, "group_column")
    set_bounds(read(run(each.set_value("ward"))), "0", "1000", "1")
    run(widget(visit, f"{PREFIX}_group_way").set_value("found"))
    assert states(visit)[-1] == "Step 5 Done: ready; it would use ε = 1, δ = 0.000001 of ε = 3"
    assert "not known in advance" in said(visit)
    assert "of rank, on average" not in said(visit)
    assert forecast.ABOUT_GROUPS not in said(visit)
    run(visit.button(key=f"{PREFIX}_run").click())
    assert "Expected error] not known in advance" in question_of(visit)
    assert "It uses] ε = 1, δ = 0.000001 of ε = 3, from the budget of visits" in question_of(visit)


def test_errors_in_points_are_a_number_or_less_than_one() -> None:
    points = ((), (0.03,), (0.03, 2.0), (1.234,))
    assert [points_in_words(each) for each in points] == [
        "not known in advance", "under 0.1 points", "± 0.1 to 2 points", "± 1.2 points"
    ]  # fmt: skip


def test_the_forecast_is_that_of_the_choice_and_another_error_sets_the_budget() -> None:
    visit = set_bounds(bring(open_page(), csv_of(ROWS)), "0", "1000", "1")
    best = best_plan(PublicFacts(quantiles=even_levels(9), privacy=PureDP(1.0), n=1000, domain=Domain(0, 1000, 1)))
    expected = f"± {two_digits(best.ranking[0].mean.typical / 10)} points"
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


def test_a_press_asks_once_and_spends_only_after_a_yes(own_ledger: Path) -> None:
    visit = set_bounds(bring(open_page(), csv_of(ROWS)), "0", "1000", "1")
    run(visit.text_input(key=f"{PREFIX}_column_unit").set_value("years"))
    run(visit.button(key=f"{PREFIX}_run").click())
    assert asks(visit)
    question = question_of(visit)
    for fact in (
        "deciles of age",
        "0 to 1,000 years",
        "one person joins or leaves",
        "ε = 1 of 3, from the budget of own",
    ):
        assert fact in question, fact
    assert charged(own_ledger) == 0
    run(visit.text_input(key=f"{PREFIX}_upper").set_value("2000"))
    assert not asks(visit), "a changed setting takes the question back"
    assert charged(own_ledger) == 0
    assert f"{PREFIX}:outcome:release" not in visit.session_state
    press(visit)
    assert charged(own_ledger) == 1
    run(run(visit))
    assert charged(own_ledger) == 1
    assert cards.AGAIN in [expander.label for expander in visit.expander]
    assert states(visit)[-1] == "Step 5 Done: released; another answer would use ε = 1 of 3, of which 2 is left"


def test_a_yes_holds_for_nothing_else_and_once(own_ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[tuple[object, ...]] = []
    say = confirm._say

    def heard(number: int, wanted: tuple[object, ...]) -> None:
        answers.append((number, wanted))
        say(number, wanted)

    monkeypatch.setattr(confirm, "_say", heard)
    visit = set_bounds(bring(open_page(), csv_of(ROWS)), "0", "1000", "1")
    run(visit.button(key=f"{PREFIX}_run").click())
    visit.session_state[f"{PREFIX}_upper"] = "2000"
    run(visit.button(key=CONFIRM).click())
    assert charged(own_ledger) == 0, "the bounds were others when it was asked"
    run(visit.button(key=f"{PREFIX}_run").click())
    run(visit.button(key=CONFIRM).click())
    assert charged(own_ledger) == 1
    visit.session_state[f"{PREFIX}:confirmed"] = answers[-1]
    run(visit)
    assert charged(own_ledger) == 1, "a second click on the same question"


def test_a_total_is_left_out_by_one_click_and_scripts_say_so() -> None:
    visit = open_page()
    rows = "".join(f"p{age},{age}\n" for age in ROWS)
    bring(visit, f"who,age\n{rows}Total,900\n".encode(), column="age")
    repair = f"{PREFIX}_repair_left_out:1"
    assert visit.button(key=repair).label == "Leave out the last row"
    assert "Only for rows of no person" in said(visit)
    visit.button(key=repair).click()
    read_again(visit)
    assert "without the last row" in said(visit)
    press(set_bounds(visit, "0", "1000", "1"))
    script = as_script(visit.session_state[f"{PREFIX}:outcome:release"])
    assert "layout=find_layout('own.csv', left_out=1)" in script
    assert "import find_layout, read_column" in script


def read_again(visit: AppTest) -> None:
    """Run until the column that a repair reads is there."""
    for _ in range(200):
        run(visit)
        if f"{PREFIX}_change" in {button.key for button in visit.button}:
            return
    raise AssertionError("the column was not read")


def test_of_a_workbook_the_sheet_is_chosen() -> None:
    book = openpyxl.Workbook()
    (first,) = book.worksheets
    first.append(["read me"])
    sheet = book.create_sheet("visits")
    for row in (["age"], *([age] for age in ROWS)):
        sheet.append(row)
    written = io.BytesIO()
    book.save(written)
    visit = open_page(data="file")
    visit.file_uploader[0].upload("own.xlsx", written.getvalue())
    run(visit)
    assert "holds no numbers; choose another one" in said(visit)
    sheets = named(visit.selectbox, "sheet")
    run(sheets.set_value("visits"))
    assert states(read(visit))[0] == "Step 1 Done: own.xlsx, column age"
    assert "own.xlsx · sheet visits · age · numbers" in said(visit)


def test_an_own_file_is_the_first_choice_while_the_page_opens_with_an_example() -> None:
    visit = open_page()
    data = visit.selectbox(key=f"{PREFIX}_data")
    assert data.options[0] == "My own file …"
    assert data.value == "adult-age"
    assert states(visit) == []


def test_the_last_step_leads_to_the_first_one_that_is_open() -> None:
    visit = open_page(data="file")
    assert lead(visit, "step").label == "Go to step 1: File"
    bring(visit, csv_of([k % 90 for k in range(300)]))
    assert lead(visit, "step").label == "Go to step 3: What values are possible"
    run(lead(visit, "step").click())
    assert 'data-occasion="field:dpq_step_3"' in words(visit).replace("\\", "")
    assert 'data-occasion="field:dpq_step_3"' not in words(run(visit)).replace("\\", ""), "once for each press"
    set_bounds(visit, "0", "120", "1")
    assert lead(visit, "step") is None


def test_a_wrong_field_is_pointed_to_where_it_stands() -> None:
    """The number of people and the budget are asked in the last step, quantiles in the fourth."""
    visit = set_bounds(bring(open_page(data="file"), csv_of([k % 90 for k in range(300)])), "0", "120", "1")
    red = "Still needed: correct the fields in red"
    for name, wrong, right in (("shape_size", "many", "1000"), ("epsilon", "0", "1")):
        run(visit.text_input(key=f"{PREFIX}_{name}").set_value(wrong))
        assert [red in said for said in states(visit)] == [False] * 4 + [True], name
        assert lead(visit, "step") is None
        run(visit.text_input(key=f"{PREFIX}_{name}").set_value(right))
        assert not any(red in said for said in states(visit))
    run(visit.button_group(key=f"{PREFIX}_quantiles").set_value("own"))
    run(visit.text_input(key=f"{PREFIX}_own").set_value("2"))
    assert red in states(visit)[3]


def lead(visit: AppTest, of: str) -> Any:
    return next((button for button in visit.button if button.key == f"{PREFIX}_lead_{of}"), None)


def test_bounds_take_the_notation_of_the_page_and_ask_about_a_point() -> None:
    visit = bring(open_page(data="file"), csv_of([k % 90 for k in range(300)]))
    set_bounds(visit, "0", "200.000", "1")
    assert "“Highest” can be read in two ways: type 200 or 200,000 in place of 200.000." in said(visit)
    for typed in ("200,000", "200 000"):
        set_bounds(visit, "0", typed, "1")
        assert "0 to 200,000" in states(visit)[2]


def test_no_budget_is_offered_that_the_data_set_does_not_have() -> None:
    visit = set_bounds(
        bring(open_page(data="file", epsilon="0.01"), csv_of([k % 90 for k in range(300)])), "0", "9", "1"
    )
    run(visit.text_input(key=f"{PREFIX}_total_epsilon_0").set_value("0.05"))
    run(visit.button_group(key=f"{PREFIX}_accepted").set_value("1"))
    assert "does not allow this: the release needs" in said(visit)
    assert f"{PREFIX}_apply_budget" not in {button.key for button in visit.button}
