"""The page says how a column was read, and takes what is said against it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core.results import values_to_explore
from pages.files import reading
from pages.form import data
from pages.keys import PREFIX
from tests.pages.driving import open_page, read_several, run, words

OPEN = b"it\tother\n" + b"1.117\tx\n2.222\ty\n" * 40
COMMA = "comma as decimal mark, point between thousands"
POINT = "point as decimal mark, comma between thousands"


def upload(visit: AppTest, content: bytes) -> AppTest:
    visit.file_uploader[0].upload("own.tsv", content)
    run(visit)
    return press_and_wait(visit, f"{PREFIX}_read")


def press_and_wait(visit: AppTest, name: str) -> AppTest:
    """Press a button that reads, and wait until there is a column or a refusal."""
    return wait(run(visit.button(key=name).click()))


def wait(visit: AppTest) -> AppTest:
    deadline = time.monotonic() + 60
    while not any(button.key in (f"{PREFIX}_change", f"{PREFIX}_show_where") or "_repair_" in str(button.key)
                  for button in visit.button):  # fmt: skip
        assert time.monotonic() < deadline
        run(visit)
    return visit


def keys(visit: AppTest) -> set[str | None]:
    return {button.key for button in visit.button}


def said(visit: AppTest) -> str:
    return words(visit).replace("\\", "")


def test_a_file_of_a_survey_is_read_and_the_line_says_what_it_declares(tmp_path: Path) -> None:
    table = pd.DataFrame({"age": [23.0, 977.0, 31.0] * 20, "region": [1.0, 2.0, 1.0] * 20})
    pyreadstat.write_sav(table, tmp_path / "own.sav", missing_ranges={"age": [977]})
    visit = open_page(data="file")
    visit.file_uploader[0].upload("own.sav", (tmp_path / "own.sav").read_bytes())
    run(visit)
    press_and_wait(visit, f"{PREFIX}_read")
    assert "and values that the file declares to be missing" in said(visit)
    assert "977" not in said(visit)


def test_a_refusal_is_mended_by_one_press_and_the_line_says_how_it_was_read() -> None:
    visit = open_page(data="file")
    upload(visit, OPEN)
    labels = {button.label for button in visit.button}
    assert {"Points are decimal marks", "Commas are decimal marks"} <= labels
    run(visit.button(key=f"{PREFIX}_repair_decimal:,").click())
    deadline = time.monotonic() + 60
    while f"{PREFIX}_change" not in keys(visit):
        assert time.monotonic() < deadline
        run(visit)
    assert f"it: numbers, {COMMA}" in said(visit)
    assert "1.117" not in said(visit)
    assert "2222" not in said(visit)


def test_a_reading_is_changed_and_holds_for_the_file_that_is_kept() -> None:
    visit = open_page(data="file")
    upload(visit, b"it\tother\n" + b"17\tx\n-99\ty\n" * 40)
    assert f"it: numbers, {POINT}" in said(visit)
    visit.text_input(key=f"{PREFIX}_reading_missing_codes").set_value("x")
    run(visit.button(key=f"{PREFIX}_read_so").click())
    assert "“Codes that mean a missing value” must be a list of numbers" in said(visit)
    visit.text_input(key=f"{PREFIX}_reading_missing_codes").set_value("-99, 12")
    before = visit.session_state[reading._BROUGHT]
    wait(run(visit.button(key=f"{PREFIX}_read_so").click()))
    assert visit.session_state[reading._BROUGHT] is not before, "read once more, without another press"
    assert "missing: blank cells, and texts such as NA, null or ?, and -99 and 12" in said(visit)


def test_pasted_values_are_read_as_is_said() -> None:
    visit = open_page(data="paste")
    visit.text_area[0].set_value("17\n-\n23")
    press_and_wait(visit, f"{PREFIX}_read")
    run(visit.button(key=f"{PREFIX}_repair_zero:-").click())
    deadline = time.monotonic() + 60
    while f"{PREFIX}_change" not in keys(visit):
        assert time.monotonic() < deadline
        run(visit)
    assert 'zero: "-"' in said(visit)
    visit.text_input(key=f"{PREFIX}_reading_missing_codes").set_value("23")
    wait(run(visit.button(key=f"{PREFIX}_read_so").click()))
    assert 'zero: "-"' in said(visit)
    assert "null or ?, and 23" in said(visit), "the values are still there to be read"
    pasted = visit.session_state[reading._BROUGHT].column
    assert set(values_to_explore(pasted)[0][[0, 1]]) == {17, 0}
    run(visit.button(key=f"{PREFIX}_change").click())
    assert visit.text_area[0].value == "", "forgotten with the data"
    assert not [name for name, value in visit.session_state._state.filtered_state.items() if value == "17\n-\n23"]


def test_the_script_says_what_was_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.tsv").write_bytes(OPEN)
    visit = open_page(data="file")
    upload(visit, OPEN)
    run(visit.button(key=f"{PREFIX}_repair_decimal:,").click())
    deadline = time.monotonic() + 60
    while f"{PREFIX}_change" not in keys(visit):
        assert time.monotonic() < deadline
        run(visit)
    script = data._brought_data(visit.session_state[reading._BROUGHT], declared_public=False).reading
    assert "reading=Reading(decimal=',')" in script
    found: dict[str, Any] = {}
    exec(script, found)
    assert set(found["values"]) == {1117, 2222}


TABLE = b"pay\tage\tother\n" + b"1.117\t17\tx\n2.222\t-99\ty\n" * 40


def read_table(visit: AppTest) -> AppTest:
    return read_several(visit, TABLE.decode(), ["age"], name="own.tsv")


def test_each_of_several_columns_says_how_it_was_read_and_can_be_read_otherwise() -> None:
    visit = read_table(open_page(data="file"))
    assert f"age: numbers, {POINT}" in said(visit)
    assert "pay: numbers" not in said(visit)
    wait(run(visit.button(key=f"{PREFIX}_mend_pay:decimal:,").click()))
    assert f"pay: numbers, {COMMA}" in said(visit)
    run(visit.selectbox(key=f"{PREFIX}_change_which").set_value(1))
    codes = next(field for field in visit.text_input if "_reading_missing_codes:1" in str(field.key))
    codes.set_value("-99")
    wait(run(next(button for button in visit.button if f"{PREFIX}_read_so_1" in str(button.key)).click()))
    assert f"pay: numbers, {COMMA}" in said(visit), "what was said of another column stays"
    assert "age: numbers" in said(visit)
    assert "null or ?, and -99" in said(visit)
    own = visit.session_state[reading._BROUGHT]
    values = {each.name: values_to_explore(each.column)[0] for each in own.columns}
    assert {name: set(found[~np.isnan(found)]) for name, found in values.items()} == {"pay": {1117, 2222}, "age": {17}}


def test_codes_of_another_kind_are_refused_by_the_name_of_their_field() -> None:
    visit = open_page(data="file")
    upload(visit, b"it\tother\n" + b"17\tx\n-99\ty\n" * 40)
    visit.text_input(key=f"{PREFIX}_reading_missing_codes").set_value("9999-12-31")
    run(visit.button(key=f"{PREFIX}_read_so").click())
    deadline = time.monotonic() + 60
    while "must be numbers, as the values of this column are" not in said(visit):
        assert time.monotonic() < deadline
        run(visit)
    assert "“Codes that mean a missing value” must be numbers" in said(visit)
    assert "missing_codes`" not in said(visit)


def test_how_a_column_is_read_stays_with_the_upload_and_can_be_taken_back() -> None:
    visit = open_page(data="file")
    upload(visit, b"it\tother\n" + b"17\tx\n-99\ty\n" * 40)
    visit.text_input(key=f"{PREFIX}_reading_missing_codes").set_value("-99, 12")
    wait(run(visit.button(key=f"{PREFIX}_read_so").click()))
    kept = "It is read with -99 and 12 as missing."
    run(visit.button(key=f"{PREFIX}_another_column").click())
    assert kept in said(visit)
    run(visit.button(key=f"{PREFIX}_undo_repairs").click())
    assert kept not in said(visit)
    run(visit.button(key=f"{PREFIX}_another_file").click())
    upload(visit, b"it\tother\n" + b"17\tx\n-99\ty\n" * 40)
    assert "-99 and 12" not in said(visit), "another upload is another question"
    table = read_table(open_page(data="file"))
    wait(run(table.button(key=f"{PREFIX}_mend_pay:decimal:,").click()))
    run(table.button(key=f"{PREFIX}_another_column").click())
    assert "It is read pay with commas as decimal marks." in said(table)
