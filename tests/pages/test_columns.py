"""Several columns on Quantiles: an example beside its truth, a release, what is kept of each, the old address."""

from __future__ import annotations

import re
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpq_core import Domain, FindBounds, ParameterError, Plan
from dpq_core.advice.choice import BEST_LABEL
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.history.entries import standing, stored_releases
from dpq_core.results.answers import Answers
from dpq_core.results.wording import Wording
from pages.columns import asking, results
from pages.columns import data as columns_data
from pages.files import reading
from pages.form import data
from pages.form.requests import TypedTable, request_of
from pages.keys import PREFIX
from pages.settings.table import key
from tests.pages.driving import (
    CONFIRM,
    OF_TWO,
    bring,
    column_key,
    field,
    forget,
    is_disabled,
    keys,
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
from tests.pages.shapes import SHAPES


def columns_of(visit, label):
    """The cells of the table of results that has this column."""
    frames = [frame.value for frame in visit.dataframe if label in frame.value.columns]
    assert len(frames) == 1
    return frames[0]


@pytest.mark.slow
def test_an_example_opens_with_a_simulation_beside_the_truth():
    visit = open_page(**OF_TWO)
    shown = columns_of(visit, "true")
    medians = shown.query("quantile.round(6) == 50")["private"]
    age, hours = (f"{value:.0f}" for value in medians)
    assert f"Medians: Age {age} years; Working hours a week {hours} hours." in said(visit)
    assert list(shown["quantile"].round(6))[:5] == [5, 25, 50, 75, 95]
    assert len(shown) == 10
    first = metrics(visit)
    assert first["Columns"] == "2"
    assert press(visit, "run_columns").session_state
    assert metrics(visit).keys() == first.keys()
    assert "seed 2" in said(visit), "a press draws again"
    run(visit.selectbox(key=key("adjacency")).set_value("substitute"))
    assert "Settings changed: press Simulate" in said(visit)
    assert link_of(visit) == OF_TWO | {"adjacency": "substitute"}
    axis = named(visit.button_group, "boxes_axis")
    assert axis.value == "Each its own", "years and hours share an axis only where somebody asks for it"
    assert "Axis" in {group.label for group in run(axis.set_value("Linear")).button_group}


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", ["add_remove", "substitute"])
def test_a_release_is_one_charge_and_dated_by_the_ledger(own_ledger, adjacency):
    content = CSV.replace("site", "name").replace(",north", ",Ann")
    visit = read_several(open_page(data="file", adjacency=adjacency), content, ["pay", "name"])
    assert "name is left out" in said(visit)
    assert field(visit, "account").value == "people"
    run(visit.text_input(key=key("epsilon")).set_value("5"))
    assert is_disabled(visit, "run_columns"), "the budget does not allow it"
    run(visit.text_input(key=key("epsilon")).set_value("1"))
    run(visit.button(key=f"{PREFIX}_run_columns").click())
    question = " ".join(element.value for element in visit.markdown).replace("\\", "")
    for fact in (
        "5 %, 25 %, 50 %, 75 %, 95 % of age, pay",
        "ε = 1 of 3, from the budget of people",
        "among 1,000 people",
    ):
        assert fact in question, fact
    run(visit.button(key=CONFIRM).click())
    shown = columns_of(visit, "private")
    assert [name for name in shown if name != "remark"] == ["column", "quantile", "private"]
    assert sorted(set(shown["column"])) == ["age", "pay"]
    (account,) = Ledger.at(own_ledger, key="a key for the tests").accounts()
    (entry,) = standing(account).entries
    assert (entry.columns, entry.levels) == (2, 10)
    assert entry.guarantee.epsilon == pytest.approx(1)
    assert visit.session_state[f"{PREFIX}:table_outcome:release"].made == entry.finished
    assert not str(entry.finished).startswith("1999")


@pytest.mark.slow
def test_the_report_turns_to_the_latest_release_whichever_page_it_is_from(own_ledger):
    older, release = SHAPES["column"].drawn(), f"{PREFIX}:outcome:release"
    visit = read_several(open_page(data="file"), CSV, ["pay"])
    visit.session_state[release] = older.session_state[release]
    press(new_people(run(visit)), "run_columns")
    report = turn_to(visit, "report")
    stored, _ = stored_releases(Ledger.at(own_ledger))
    assert report.selectbox(key=key("answer")).value == f"2/{stored.release.id}"


@pytest.mark.slow
def test_who_is_one_person_is_asked_once_for_all_columns_and_the_budget_is_theirs(own_ledger):
    visit = open_page(data="file")
    visit.file_uploader[0].upload("people.csv", WHOSE.encode())
    run(visit)
    run(visit.selectbox(key=column_key(visit)).set_value("age"))
    run(visit.multiselect(key=more_key(visit)).set_value(["patient", "pay"]))
    run(named(visit.selectbox, "person_column").set_value("patient"))
    read(visit)
    run(field(visit, "one").set_value("patient"))
    run(visit.selectbox(key=key("take")).set_value("mean"))
    assert "one patient with all rows joins or leaves" in said(visit)
    press(visit, "run_columns")
    assert sorted(set(columns_of(visit, "private")["column"])) == ["age", "pay"], "the ids are no column to ask about"
    words = said(visit)
    assert not [number for number in (307, 907) if str(number) in words]
    (account,) = Ledger.at(own_ledger, key="a key for the tests").accounts()
    (entry,) = standing(account).entries
    assert (entry.guarantee.protects, account.one_row_is) == ("person", "patient")
    run(visit.selectbox(key=key("take")).set_value("share"))
    assert "Settings changed" in said(visit)


@pytest.mark.slow
def test_answers_that_are_too_noisy_are_no_finding(own_ledger):
    visit = read_several(open_page(data="file"), CSV, ["pay"], public=True)
    for epsilon, usable in (("0.01", False), ("5", True)):
        run(visit.text_input(key=key("epsilon")).set_value(epsilon))
        press(visit, "run_columns")
        assert bool(re.search(r"\*\*Medians?: age \d+", said(visit))) is usable


@pytest.mark.slow
def test_answers_that_are_often_far_off_are_forecast_and_drawn_as_no_finding(own_ledger):
    """-5.6e13 was printed as an age, with "1.1 points of rank" promised for all levels."""
    visit = read_several(open_page(data="file"), CSV, ["pay"])
    run(field(visit, "shape_size").set_value("300"))
    run(visit.button(key=f"{PREFIX}_run_columns").click())
    question = " ".join(element.value for element in visit.markdown).replace("\\", "")
    assert re.search(r"5 %.*95 %.* of age, pay", question.partition("Often far off")[2])
    run(visit.button(key=CONFIRM).click())
    shown = columns_of(visit, "private")
    assert set(shown.query("quantile.round(6) == 5")["remark"]) != {""}


def test_a_typical_range_and_negative_values_are_chosen_by_column() -> None:
    usual = {"column": "pay", "quantiles": "50%", "mechanism": BEST_LABEL, "weight": 1.0}
    row = usual | {"lower": "", "upper": "", "step": "", "range": None, "otherwise": "2 digits", "negative": False}

    def bounds(kind: str = "number", **edited: Any) -> Domain | FindBounds:
        typed = asking.typed_row(row | edited, kind)
        return request_of({"pay": typed}, TypedTable()).bounds["pay"]

    for edited, expected in (
        ({}, Domain.significant(2, negative=False)), ({"negative": True}, Domain.significant(2)),
        ({"range": "Age"}, Domain(0, 120, 1)), ({"range": "Age", "step": "5"}, Domain(0, 120, 5)),
        ({"range": "Age", "lower": "0", "upper": "90", "step": "1"}, Domain(0, 90, 1)),
        ({"otherwise": asking.FIND, "step": "5"}, FindBounds(negative=False, step=5)),
    ):  # fmt: skip
        assert bounds(**edited) == expected
    days = bounds("date", range="2000 to 2030")
    assert isinstance(days, Domain)
    assert days.cells == 11_323
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


RNG = np.random.default_rng(8)
AGES, PAYS = RNG.integers(18, 90, 907), RNG.integers(10, 90, 907) * 100
CSV = "age,pay,site\n" + "".join(f"{age},{pay},north\n" for age, pay in zip(AGES, PAYS, strict=True))
WHOSE = "patient,age,pay\n" + "".join(
    f"{at % 307},{age},{pay}\n" for at, (age, pay) in enumerate(zip(AGES, PAYS, strict=True))
)
CHANGE = f"{PREFIX}_another_column"


def outcome(visit: AppTest, mode: str) -> Any:
    return visit.session_state[f"{PREFIX}:table_outcome:{mode}"]


def with_more(visit: AppTest) -> AppTest:
    """The same upload, read with a second column."""
    run(visit.button(key=CHANGE).click())
    run(visit.multiselect(key=more_key(visit)).set_value(["pay"]))
    return read(visit)


@pytest.mark.slow
def test_what_was_said_of_one_column_stays_when_a_second_one_is_added(own_ledger: Path) -> None:
    visit = bring(open_page(data="file"), CSV.encode(), "people.csv", column="age")
    assert "Synthetic column" in said(visit)
    for name, value in {"one": "employee", "account": "staff"}.items():
        run(field(visit, name).set_value(value))
    visit = with_more(set_bounds(visit, "16", "99", "1"))
    assert (field(visit, "account").value, field(visit, "one").value) == ("staff", "employee")
    assert "Synthetic column" not in said(visit)
    values = visit.dataframe[0].value
    assert values[["lower", "upper", "step"]].to_numpy().tolist() == [["16", "99", "1"], ["", "", ""]]
    visit = read_several(forget(visit), CSV, ["pay"])
    assert visit.dataframe[0].value["upper"].tolist() == ["", ""], "forgotten with the data"


@pytest.mark.slow
def test_change_column_keeps_the_columns_and_what_was_typed_of_each(
    own_ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = asking._usual
    typed: dict[str, dict[str, Any]] = {"age": {"lower": "0", "upper": "120", "step": "1"}, "pay": {"weight": 3.0}}
    with monkeypatch.context() as patch:
        patch.setattr(asking, "_usual", lambda column: usual(column) | typed[column.name])
        visit = run(read_several(open_page(data="file"), CSV, ["pay"]))
    run(visit.button(key=CHANGE).click())
    assert named(visit.selectbox, "column").value == "age"
    assert named(visit.multiselect, "more_columns").value == ["pay"]
    visit = read(visit)
    values, questions = (table.value for table in visit.dataframe[:2])
    assert values.iloc[:, 0].tolist() == ["age", "pay"]
    assert values["upper"].tolist() == ["120", ""]
    assert questions["weight"].tolist() == [1.0, 3.0]
    assert run(visit).dataframe[0].value["upper"].tolist() == ["120", ""], "and stays"
    visit = read_several(run(visit.button(key=CHANGE).click()), CSV, ["pay"], name="others.csv")
    assert visit.dataframe[0].value["upper"].tolist() == ["", ""], "rows of another file begin empty"


def test_typed_bounds_of_an_example_stay_when_its_other_column_is_added() -> None:
    visit = open_page(data="adult-age-full", upper="100")
    run(named(visit.selectbox, "more").set_value("adult-hours"))
    assert visit.dataframe[0].value["upper"].tolist() == ["100", "168"]


@pytest.mark.slow
def test_an_example_adds_the_other_column_of_its_table_and_its_link_repeats_the_draw() -> None:
    visit = open_page(data="adult-age-full")
    run(visit.selectbox(key=key("more")).set_value("adult-hours"))
    assert [each.wording.name for each in outcome(visit, "explore").answers] == ["Age", "Working hours a week"]
    press(visit, "run_columns")
    link = link_of(visit)
    assert link.items() >= OF_TWO.items()
    again = open_page(**link)
    assert [each.values for each in outcome(again, "explore").answers] == [
        each.values for each in outcome(visit, "explore").answers
    ]
    run(visit.selectbox(key=key("more")).set_value(""))
    assert "Synthetic column" in said(visit)
    run(visit.selectbox(key=key("more")).set_value("adult-hours"))
    run(visit.selectbox(key=key("data")).set_value("adult-age"))
    assert "more" not in link_of(visit)


@pytest.mark.slow
def test_other_pages_study_one_of_the_columns(own_ledger: Path) -> None:
    visit = read_several(open_page(data="file"), CSV, ["pay"], public=True)
    inside = turn_to(visit, "inside")
    assert inside.selectbox(key=column_key(inside)).options == ["age", "pay"]
    run(inside.selectbox(key=column_key(inside)).set_value(1))
    for name, value in {"lower": "0", "upper": "9000", "step": "100"}.items():
        inside.text_input(key=key(name)).set_value(value)
    press(run(inside), "run_inside")
    kept = inside.session_state._state.filtered_state
    assert any(getattr(value, "identity", "") == "upload:0:pay" for value in kept.values())
    forget(inside)
    kept = inside.session_state._state.filtered_state
    assert not any(str(getattr(value, "identity", "")).startswith("upload:") for value in kept.values())


def test_columns_that_are_read_in_the_middle_of_a_run_are_not_taken_for_one(
    own_ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page has looked whether several are chosen, and then the reading ends."""
    look, found = columns_data.are_chosen, [False]

    def too_early() -> bool:
        seen, found[0] = found[0], look()
        return seen and found[0]

    monkeypatch.setattr(columns_data, "are_chosen", too_early)
    visit = read_several(open_page(data="file"), CSV, ["pay"])
    assert f"{PREFIX}_run_columns" in keys(visit)
    assert visit.session_state[f"{PREFIX}:said_of:column"] == "said:1:of:"


def test_a_column_that_is_read_while_the_page_looks_is_shown_at_once(
    own_ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One question finds the reading unfinished, and the next one, in the same run, takes its column."""
    brought, several, asked = reading.brought, data._one_of_several, [False]

    def after_the_job(way: str) -> reading.OwnColumn | None:
        found: reading.ReadingJob | None = st.session_state.get(reading._READING)
        while found is not None and not found.job.finished:
            sleep(0.01)
        asked[0] = asked[0] or found is not None
        return several(way)

    monkeypatch.setattr(reading, "brought", lambda way: brought(way) if asked[0] else None)
    monkeypatch.setattr(data, "_one_of_several", after_the_job)
    visit = open_page(data="paste")
    run(visit.text_area(key=f"{PREFIX}_pasted_0").set_value("1\n2\n3\n4"))
    run(visit.button(key=f"{PREFIX}_read").click())
    assert asked[0]
    assert "Forget my data" in {button.label for button in visit.button}
