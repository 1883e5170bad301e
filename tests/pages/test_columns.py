"""Several columns on a page: an example beside its truth, and a release of a file that shows nothing but answers."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpq_core import Domain, FindBounds, ParameterError, Plan
from dpq_core.advice import BEST_LABEL
from dpq_core.ledger import Ledger, standing
from dpq_core.ledger.history import stored_releases
from dpq_core.results import Answers, Wording, outcomes
from dpq_core.results.tables import outcomes as table_outcomes
from pages.columns import asking, results
from pages.columns.results import finding
from pages.form import TypedTable, request_of
from pages.frame.links import OF_TWO
from pages.keys import PREFIX
from pages.settings.table import key
from pages.steps import confirm
from tests.pages.driving import (
    CONFIRM,
    asks,
    charged,
    column_key,
    csv_of,
    field,
    link_of,
    metrics,
    more_key,
    named,
    new_people,
    open_page,
    press,
    read,
    read_several,
    run,
    said,
    set_bounds,
    turn_to,
)
from tests.pages.driving import bring as bring_column

NEVER = "1999-12-31T00:00:00+00:00"
ROWS = 6113
MISSING = 1739
"""Numbers that appear nowhere else."""
RNG = np.random.default_rng(0)
AGES, PAYS = RNG.integers(18, 90, ROWS), np.round(RNG.lognormal(10, 1, ROWS), 2)
CSV = "age;pay;name\n" + "\n".join(
    f"{'' if at < MISSING else age};{pay};Ann" for at, (age, pay) in enumerate(zip(AGES, PAYS, strict=True))
)


def bring(*, public=False):
    return read_several(open_page(data="file"), CSV, ["pay", "name"], public=public)


def columns_of(visit, label):
    """The cells of the table of results that has this column."""
    frames = [frame.value for frame in visit.dataframe if label in frame.value.columns]
    assert len(frames) == 1
    return frames[0]


def test_an_example_opens_with_a_simulation_beside_the_truth():
    visit = open_page(**OF_TWO)
    assert metrics(visit)["Columns"] == "2"
    medians = columns_of(visit, "true").query("quantile.round(6) == 50")["private"]
    age, hours = (f"{value:.0f}" for value in medians)
    assert f"Medians: Age {age} years; Working hours a week {hours} hours." in said(visit)
    assert "Explore: not private" in said(visit)
    shown = columns_of(visit, "true")
    assert list(shown["quantile"].round(6))[:5] == [5, 25, 50, 75, 95]
    assert len(shown) == 10
    first = metrics(visit)
    assert press(visit, "run_columns").session_state
    assert metrics(visit).keys() == first.keys()
    assert "seed 2" in said(visit), "a press draws again"
    run(visit.selectbox(key=key("adjacency")).set_value("substitute"))
    assert "Settings changed: press Simulate" in said(visit)
    assert link_of(visit) == OF_TWO | {"adjacency": "substitute"}


@pytest.mark.parametrize("adjacency", ["add_remove", "substitute"])
def test_a_release_is_charged_once_and_shows_answers_alone(own_ledger, adjacency, monkeypatch):
    for clock in (table_outcomes, outcomes):
        monkeypatch.setattr(clock, "now", lambda: NEVER)  # the date is the ledger's
    visit = bring()
    assert "name is left out" in said(visit)
    run(visit.selectbox(key=key("adjacency")).set_value(adjacency))
    assert field(visit, "account").value == "people"
    assert "Nothing released since this page was opened" in said(visit)
    press(visit, "run_columns")
    assert metrics(visit)["Spent by this release"] == "ε = 1"
    assert metrics(visit)["Spent of the budget by now"] == "ε = 1 of 3"
    shown = columns_of(visit, "private")
    assert [name for name in shown if name != "remark"] == ["column", "quantile", "private"]
    assert sorted(set(shown["column"])) == ["age", "pay"]
    words = said(visit)
    assert not [number for number in (ROWS, MISSING, ROWS - MISSING) if str(number) in words]
    (account,) = Ledger.at(own_ledger, key="a key for the tests").accounts()
    (entry,) = standing(account).entries
    assert (entry.columns, entry.levels) == (2, 10)
    assert entry.guarantee.epsilon == pytest.approx(1)
    assert visit.session_state[f"{PREFIX}:table_outcome:release"].made == entry.finished != NEVER
    run(visit)
    assert len(standing(account).entries) == 1, "a rerun draws nothing"


@pytest.mark.very_slow
def test_the_report_turns_to_the_latest_release_whichever_page_it_is_from(own_ledger):
    older = press(set_bounds(bring_column(open_page(quantiles="median"), csv_of(AGES)), "0", "120", "1"))
    visit, release = bring(), f"{PREFIX}:outcome:release"
    visit.session_state[release] = older.session_state[release]
    press(new_people(run(visit)), "run_columns")
    report = turn_to(visit, "report")
    stored, _ = stored_releases(Ledger.at(own_ledger))
    assert report.selectbox(key=key("answer")).value == f"1/{stored.release_id}"


def test_a_press_asks_once_and_spends_only_after_a_yes_to_just_this(own_ledger, monkeypatch):
    answers = []
    say_yes = confirm._say

    def heard(number, wanted):
        answers.append((number, wanted))
        say_yes(number, wanted)

    monkeypatch.setattr(confirm, "_say", heard)
    visit = bring()
    assert field(visit, "shape_size").value == "1000"
    run(field(visit, "shape_size").set_value("many"))
    assert visit.button(key=f"{PREFIX}_run_columns").disabled
    run(field(visit, "shape_size").set_value("20,000"))
    run(visit.button(key=f"{PREFIX}_run_columns").click())
    assert asks(visit)
    question = " ".join(element.value for element in visit.markdown).replace("\\", "")
    for fact in (
        "5 %, 25 %, 50 %, 75 %, 95 % of age, pay",
        "numbers of 2 significant digits for age, pay",
        "whether one person joins or leaves",
        "points of rank on average among 20,000 people; more among fewer",
        "ε = 1 of 3, from the budget of people, for all columns together",
    ):
        assert fact in question, fact
    assert charged(own_ledger) == 0
    run(visit.text_input(key=key("epsilon")).set_value("0.5"))
    assert not asks(visit), "a changed setting takes the question back"
    run(visit.button(key=f"{PREFIX}_run_columns").click())
    visit.session_state[key("epsilon")] = "0.75"
    run(visit.button(key=CONFIRM).click())
    assert charged(own_ledger) == 0, "the budget was another one when it was asked"
    press(visit, "run_columns")
    assert charged(own_ledger) == 1
    assert metrics(visit)["Spent by this release"] == "ε = 0.75"
    visit.session_state[f"{PREFIX}:confirmed"] = answers[-1]
    run(run(visit))
    assert charged(own_ledger) == 1, "a second click on the same question"


def test_a_budget_that_protects_little_is_warned_of():
    visit = open_page(**OF_TWO, epsilon="20")
    assert "ε = 20 protects little" in " ".join(warning.value for warning in visit.warning)


def test_nothing_is_asked_before_a_simulation(own_ledger):
    visit = bring(public=True)
    run(visit.button(key=f"{PREFIX}_run_columns").click())
    assert not asks(visit)
    assert "true" in columns_of(visit, "private").columns


def test_a_file_declared_public_is_explored_and_forgotten_at_a_press(own_ledger):
    visit = open_page(data="file")
    assert "Release: private" in said(visit)
    run(visit.checkbox[0].check())
    assert "Explore: not private" in said(visit), "before it is read"
    visit = press(bring(public=True), "run_columns")
    assert "true" in columns_of(visit, "private").columns
    assert not own_ledger.exists()
    run(visit.checkbox[0].uncheck())
    assert "Nothing released since this page was opened" in said(visit)
    assert not visit.dataframe or all("true" not in frame.value.columns for frame in visit.dataframe)
    press(visit, "change")
    assert visit.file_uploader
    kept = visit.session_state._state.filtered_state
    assert not [name for name in kept if str(name).startswith((f"{PREFIX}:table_outcome", f"{PREFIX}:reading"))]
    assert f"{PREFIX}:brought" not in kept


def test_the_truth_of_a_table_goes_with_the_declaration(own_ledger):
    visit = press(bring(public=True), "run_columns")
    assert f"{PREFIX}:table_outcome:explore" in visit.session_state
    run(visit.checkbox[0].uncheck())
    assert f"{PREFIX}:table_outcome:explore" not in visit.session_state


def test_a_budget_that_does_not_allow_it_is_said_before_the_press():
    visit = bring()
    run(visit.text_input(key=key("epsilon")).set_value("5"))
    assert "The budget of people does not allow this" in said(visit)
    assert visit.button(key=f"{PREFIX}_run_columns").disabled


def test_who_is_one_person_is_asked_once_for_all_columns_and_the_budget_is_theirs(own_ledger):
    visit = open_page(data="file")
    rows = [f"{at % 977};{age};{pay}" for at, (age, pay) in enumerate(zip(AGES, PAYS, strict=True))]
    visit.file_uploader[0].upload("people.csv", ("patient;age;pay\n" + "\n".join(rows)).encode())
    run(visit)
    run(visit.selectbox(key=column_key(visit)).set_value("age"))
    run(visit.multiselect(key=more_key(visit)).set_value(["patient", "pay"]))
    asked = named(visit.selectbox, "person_column")
    run(asked.set_value("patient"))
    assert visit.selectbox(key=key("adjacency")).options[0] == "one person joins or leaves", "before it is read"
    read(visit)
    run(field(visit, "one").set_value("patient"))
    run(visit.selectbox(key=key("take")).set_value("mean"))
    assert "one patient with all rows joins or leaves" in said(visit)
    press(visit, "run_columns")
    assert sorted(set(columns_of(visit, "private")["column"])) == ["age", "pay"], "the ids are no column to ask about"
    assert "Each patient counts once, by the mean of their rows." in said(visit)
    words = said(visit)
    assert not [number for number in (ROWS, 977, 976) if str(number) in words]
    (account,) = Ledger.at(own_ledger, key="a key for the tests").accounts()
    (entry,) = standing(account).entries
    assert (entry.guarantee.protects, account.one_row_is) == ("person", "patient with all rows")
    run(visit.selectbox(key=key("take")).set_value("share"))
    assert "Settings changed" in said(visit)


def test_answers_that_are_too_noisy_are_no_finding(own_ledger):
    visit = bring(public=True)
    run(visit.text_input(key=key("epsilon")).set_value("0.01"))
    press(visit, "run_columns")
    assert "Too noisy to use: answers are" in said(visit)
    assert "Medians:" not in said(visit)
    run(visit.text_input(key=key("epsilon")).set_value("5"))
    press(visit, "run_columns")
    assert re.search(r"\*\*Medians?: age \d+", said(visit))


def test_a_median_day_is_said_as_people_say_it():
    day, pay = Wording("admitted", "date"), Wording("pay", "money", "€", decimals=0)
    plan, domain = Plan(["1/2"]), Domain(0, 10**5, 1)
    columns = [Answers(wording=each, plan=plan, domain=domain, values=(19_000.0,)) for each in (day, pay)]
    outcome: Any = SimpleNamespace(answers=columns, many="patients", grouped=False)
    said = finding(outcome)
    assert said == "Medians: admitted 2022-01-08; pay €\u00a019,000."


def test_answers_that_are_often_far_off_are_forecast_and_drawn_as_no_finding(own_ledger):
    """-5.6e13 was printed as an age, with "1.1 points of rank" promised for all levels."""
    visit = bring()
    assert "Without bounds: age, pay." in said(visit)
    run(field(visit, "shape_size").set_value("300"))
    run(visit.button(key=f"{PREFIX}_run_columns").click())
    question = " ".join(element.value for element in visit.markdown).replace("\\", "")
    assert "Often far off" in question
    assert re.search(r"5 %.*95 %.* of age, pay", question.partition("Often far off")[2])
    assert "of either sign" not in question, "nobody said that values can be negative"
    run(visit.button(key=CONFIRM).click())
    shown = columns_of(visit, "private")
    assert set(shown.query("quantile.round(6) == 5")["remark"]) != {""}


def test_a_typical_range_and_negative_values_are_chosen_by_column() -> None:
    usual = {"column": "pay", "quantiles": "50%", "mechanism": BEST_LABEL, "weight": 1.0}
    row = usual | {"lower": "", "upper": "", "step": "", "range": None, "otherwise": "2 digits", "negative": False}

    def bounds(kind: str = "number", **edited: Any) -> Domain | FindBounds:
        typed = asking.typed_row(row | edited, kind)
        return request_of({"pay": typed}, TypedTable()).bounds["pay"]

    assert bounds() == Domain.significant(2, negative=False)
    assert bounds(negative=True) == Domain.significant(2)
    assert bounds(range="Age") == Domain(0, 120, 1)
    assert bounds(range="Age", step="5") == Domain(0, 120, 5)
    assert bounds(range="Age", lower="0", upper="90", step="1") == Domain(0, 90, 1)
    days = bounds("date", range="2000 to 2030")
    assert isinstance(days, Domain)
    assert days.cells == 11_323
    assert bounds(otherwise=asking.FIND, step="5") == FindBounds(negative=False, step=5)
    with pytest.raises(ParameterError, match="a column of this kind"):
        bounds("date", range="Age")


def test_a_box_leaves_out_a_whisker_that_is_not_usable() -> None:
    plan = Plan(results.BOX_LEVELS)
    values = (-5.6e13, 27.0, 41.0, 55.0, 74.0)
    column = Answers(wording=Wording("age"), plan=plan, domain=Domain.significant(2), values=values)
    assert results._drawn(column) == (27.0, 27.0, 41.0, 55.0, 74.0)
    assert column.remarks == ("not usable at this budget", "", "", "", "")
    noise = Answers(
        wording=Wording("age"), plan=plan, domain=Domain.significant(2), values=(18, 27, 41, 55, 74),
        chances=(0.8, 0.6, 0.02, 0.004, 0.3),
    )  # fmt: skip
    assert noise.remarks[2:] == ("far off in about 2 of 100 releases", "", "far off in about 30 of 100 releases")
    assert results._drawn(noise) is None, "a quartile is not usable"


@pytest.mark.parametrize(
    ("units", "together"),
    [
        (("years", "years"), True),
        (("years", "hours"), False),
        (("years", ""), False),
        (("", ""), False),  # nobody said that they are of one unit
        (("",), True),
    ],
)
def test_only_columns_of_one_unit_share_an_axis_at_first(units: tuple[str, ...], together: bool) -> None:
    plan, domain, values = Plan(results.BOX_LEVELS), Domain(0, 100, 1), (18.0, 27.0, 41.0, 55.0, 74.0)
    columns = [
        Answers(wording=Wording(f"column {at}", unit=unit), plan=plan, domain=domain, values=values)
        for at, unit in enumerate(units)
    ]
    assert results._fit_one_axis(columns) is together


def test_years_and_hours_share_an_axis_only_where_somebody_asks_for_it():
    visit = open_page(**OF_TWO)
    axis = named(visit.button_group, "boxes_axis")
    assert axis.value == "Each its own"
    assert "Axis" in {group.label for group in run(axis.set_value("Linear")).button_group}
