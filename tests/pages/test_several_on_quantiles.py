"""Quantiles of one column or of several on one page: chosen in the file step, and found by the old address."""

from __future__ import annotations

from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from dpq_core.results import ColumnsOutcome, ColumnsReleased, ColumnsSimulation
from pages import FORMER, MENU, columns
from pages.columns import asking
from pages.files import reading
from pages.form import data
from pages.frame import links
from pages.keys import PREFIX
from pages.settings.table import key
from tests.pages.driving import (
    ROOT,
    bring,
    column_key,
    field,
    forget,
    link_of,
    metrics,
    more_key,
    named,
    open_page,
    press,
    read,
    read_several,
    run,
    said,
    set_bounds,
    turn_to,
)

RNG = np.random.default_rng(8)
AGES, PAYS = RNG.integers(18, 90, 900), RNG.integers(10, 90, 900) * 100
CSV = "age,pay,site\n" + "".join(f"{age},{pay},north\n" for age, pay in zip(AGES, PAYS, strict=True))
CHANGE = f"{PREFIX}_another_column"


def through_the_app(page: str, **link: str) -> AppTest:
    """A page as the menu of the app opens it."""
    visit = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in link.items():
        visit.query_params[name] = value
    visit._page_hash = calc_hash(page)  # as the browser asks for it: AppTest knows no pages of st.navigation
    return run(visit)


def outcome(visit: AppTest, mode: str) -> ColumnsOutcome:
    found = visit.session_state[f"{PREFIX}:table_outcome:{mode}"]
    assert isinstance(found, ColumnsOutcome)
    return found


@pytest.mark.parametrize("public", [True, False])
def test_two_columns_chosen_in_the_file_step_are_explored_and_released(own_ledger: Path, public: bool) -> None:
    visit = read_several(through_the_app("quantiles", data="file"), CSV, ["pay"], public=public)
    assert [table.value["column"].tolist() for table in visit.dataframe[:2]] == [["age", "pay"]] * 2
    visit = press(visit, "run_columns")
    found = outcome(visit, "explore" if public else "release")
    assert isinstance(found, ColumnsSimulation if public else ColumnsReleased)
    assert [each.wording.name for each in found.answers] == ["age", "pay"]
    assert metrics(visit)["Columns"] == "2"
    assert all(bool(each.true_values) is public for each in found.answers)


def with_more(visit: AppTest) -> AppTest:
    """The same upload, read with a second column."""
    run(visit.button(key=CHANGE).click())
    run(visit.multiselect(key=more_key(visit)).set_value(["pay"]))
    return read(visit)


def test_one_column_is_as_it_was_and_a_second_one_is_added_by_change_column(own_ledger: Path) -> None:
    visit = bring(open_page(data="file"), CSV.encode(), "people.csv", column="age")
    assert "Synthetic column" in said(visit)
    run(field(visit, "one").set_value("employee"))
    run(field(visit, "account").set_value("staff"))
    visit = with_more(visit)
    assert field(visit, "account").value == "staff"
    assert field(visit, "one").value == "employee", "what was said of its people stays"
    assert "Synthetic column" not in said(visit)


def test_change_column_begins_with_the_columns_of_before(own_ledger: Path) -> None:
    visit = read_several(open_page(data="file"), CSV, ["pay"])
    run(visit.button(key=CHANGE).click())
    assert named(visit.selectbox, "column").value == "age"
    assert named(visit.multiselect, "more_columns").value == ["pay"]
    visit = read(visit)
    assert visit.dataframe[0].value.iloc[:, 0].tolist() == ["age", "pay"]


def test_change_column_keeps_what_was_typed_of_each_column(own_ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = asking._usual
    typed: dict[str, dict[str, Any]] = {"age": {"lower": "0", "upper": "120", "step": "1"}, "pay": {"weight": 3.0}}
    with monkeypatch.context() as patch:
        patch.setattr(asking, "_usual", lambda column: usual(column) | typed[column.name])
        visit = read_several(open_page(data="file"), CSV, ["pay"])
        run(visit)
    visit = read(run(visit.button(key=CHANGE).click()))
    values, questions = (table.value for table in visit.dataframe[:2])
    assert values["upper"].tolist() == ["120", ""]
    assert questions["weight"].tolist() == [1.0, 3.0]
    assert run(visit).dataframe[0].value["upper"].tolist() == ["120", ""], "and stays"
    visit = read_several(forget(visit), CSV, ["pay"])
    assert visit.dataframe[0].value["upper"].tolist() == ["", ""], "forgotten with the data"


@pytest.mark.very_slow
def test_bounds_of_a_column_stay_when_a_second_one_is_added(own_ledger: Path) -> None:
    visit = set_bounds(bring(open_page(data="file"), CSV.encode(), "people.csv", column="age"), "16", "99", "1")
    visit = with_more(visit)
    values = visit.dataframe[0].value
    assert values[["lower", "upper", "step"]].to_numpy().tolist() == [["16", "99", "1"], ["", "", ""]]
    visit = read_several(forget(visit), CSV, ["pay"])
    assert visit.dataframe[0].value["upper"].tolist() == ["", ""], "forgotten with the data"


@pytest.mark.very_slow
def test_a_column_without_bounds_stays_one_when_a_second_one_is_added(own_ledger: Path) -> None:
    visit = bring(open_page(data="file"), CSV.encode(), "people.csv", column="age")
    run(named(visit.button_group, "bounds").set_value("digits"))
    run(named(visit.button_group, "digits").set_value("3"))
    visit = with_more(visit)
    assert visit.dataframe[0].value["otherwise"].tolist() == ["3 digits", "2 digits"]


def test_typed_bounds_of_an_example_stay_when_its_other_column_is_added() -> None:
    visit = open_page(data="adult-age-full", upper="100")
    run(named(visit.selectbox, "more").set_value("adult-hours"))
    assert visit.dataframe[0].value["upper"].tolist() == ["100", "168"]


def test_rows_of_another_file_begin_empty(own_ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = asking._usual
    with monkeypatch.context() as patch:
        patch.setattr(asking, "_usual", lambda column: usual(column) | {"upper": "120"})
        visit = read_several(open_page(data="file"), CSV, ["pay"])
    visit = read_several(run(visit.button(key=CHANGE).click()), CSV, ["pay"], name="others.csv")
    assert visit.dataframe[0].value["upper"].tolist() == ["", ""]


def test_an_example_adds_the_other_column_of_its_table_and_its_link_repeats_the_draw() -> None:
    visit = open_page(data="adult-age-full")
    run(visit.selectbox(key=key("more")).set_value("adult-hours"))
    assert [each.wording.name for each in outcome(visit, "explore").answers] == ["Age", "Working hours a week"]
    press(visit, "run_columns")
    link = link_of(visit)
    assert link.items() >= links.OF_TWO.items()
    again = open_page(**link)
    assert [each.values for each in outcome(again, "explore").answers] == [
        each.values for each in outcome(visit, "explore").answers
    ]
    run(visit.selectbox(key=key("more")).set_value(""))
    assert "Synthetic column" in said(visit)
    run(visit.selectbox(key=key("more")).set_value("adult-hours"))
    run(visit.selectbox(key=key("data")).set_value("adult-age"))
    assert "more" not in link_of(visit)


@pytest.mark.parametrize(
    ("link", "settings"),
    [
        ({}, links.OF_TWO),
        ({"table": "adult", "epsilon": "0.5"}, links.OF_TWO | {"epsilon": "0.5"}),
        ({"table": "file", "adjacency": "substitute"}, {"data": "file", "adjacency": "substitute"}),
    ],
)
def test_the_old_address_leads_to_quantiles_with_its_settings(link: dict[str, str], settings: dict[str, str]) -> None:
    visit = through_the_app("columns", **link)
    assert link_of(visit).items() >= settings.items()
    assert "not a setting" not in said(visit)
    assert visit.selectbox(key=key("data")).value == settings["data"]
    assert (f"{PREFIX}_run_columns" in {button.key for button in visit.button}) is ("more" in settings)


def test_the_old_address_is_in_no_menu() -> None:
    assert set(links.PLACES) == set(FORMER)
    assert not set(FORMER) & {page for page, _, _ in MENU}


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


def test_the_persons_column_is_no_column_to_ask_about(own_ledger: Path) -> None:
    table = "who,age,pay\n" + "".join(
        f"p{at % 300},{age},{pay}\n" for at, (age, pay) in enumerate(zip(AGES, PAYS, strict=True))
    )
    visit = open_page(data="file")
    visit.file_uploader[0].upload("people.csv", table.encode())
    run(visit)
    run(visit.selectbox(key=column_key(visit)).set_value("age"))
    run(visit.multiselect(key=more_key(visit)).set_value(["who"]))
    asked = named(visit.selectbox, "person_column")
    run(asked.set_value("who"))
    assert visit.button(key=f"{PREFIX}_read").label == "Read these two columns"


def test_columns_that_are_read_in_the_middle_of_a_run_are_not_taken_for_one(
    own_ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page has looked whether several are chosen, and then the reading ends."""
    look, found = columns.are_chosen, [False]

    def too_early() -> bool:
        seen, found[0] = found[0], look()
        return seen and found[0]

    monkeypatch.setattr(columns, "are_chosen", too_early)
    visit = read_several(open_page(data="file"), CSV, ["pay"])
    assert f"{PREFIX}_run_columns" in {button.key for button in visit.button}
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
