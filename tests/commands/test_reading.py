"""What the shell says of how a column was read, and what can be said against it."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

from dpq_core.__main__ import UNREADABLE, WRONG_WORDS, main
from tests.commands.conftest import shown
from tests.sources.made import workbook

MEDIAN = ["--quantiles", "median", "--epsilon", "1e6"]
POINT = "point as decimal mark, comma between thousands (so 45,000.5 would be forty-five thousand and a half)"
USUAL = "missing: blank cells, and texts such as NA, null or ?"


def release(capsys, cells, *arguments, possible="0:10000:1/1000"):
    """Release the median of a column, with next to no noise; return it, and what was said."""
    Path("a.csv").write_text("it\tother\n" + "".join(f"{cell}\tx\n" for cell in cells))
    code = main(["release", "a.csv", *MEDIAN, "--column", f"it={possible}", "--header", *arguments])
    out, err = capsys.readouterr()
    return (shown(out)["answers"][0]["value"] if code == 0 else None), code, err


@pytest.mark.parametrize("file", ["pay.sav", "pay.dta"])
def test_a_file_of_a_survey_is_released_and_its_declared_values_are_missing(capsys, file):
    table = pd.DataFrame({"pay": [17.0] * 9 + [9_999.0] * 20, "region": [1.0] * 29})
    labels: dict[str, dict[int | float, str]] = {"region": {1: "Kent"}}
    if file == "pay.sav":
        pyreadstat.write_sav(table, file, missing_ranges={"pay": [9_999]}, variable_value_labels=labels)
    else:
        table = table.astype({"pay": object, "region": int}).replace(9_999, "a")
        pyreadstat.write_dta(table, file, missing_user_values={"pay": ["a"]}, variable_value_labels=labels)
    line = ["release", file, *MEDIAN, "--column", "pay=0:10000:1"]
    assert main(line) == 0
    out, err = capsys.readouterr()
    assert shown(out)["answers"][0]["value"] == 17
    assert f"Read pay: numbers, by the types of the cells; {USUAL}, and values that the file declares to be" in err
    assert "9999" not in err
    assert main([*line, "--by", "region=Kent"]) == 0
    assert [each["value"] for each in shown(capsys.readouterr().out)["answers"]] == [17]


@pytest.mark.parametrize(("cells", "arguments", "median", "sentence"), [
    (["17"] * 9, (), 17, f"it: numbers, {POINT}; {USUAL}"),
    (["1.117"] * 9, ("--decimal", "."), 1.117, f"it: numbers, {POINT}; {USUAL}"),
    (["1.117"] * 9, ("--decimal", ","), 1117, "it: numbers, comma as decimal mark, point between thousands"),
    (["2:22"] * 9, ("--durations", "m:ss"), 142, "it: durations, minutes:seconds"),
    (["2:22"] * 9, ("--durations", "h:mm"), 8520, "it: durations, hours:minutes (so 3:45"),
    (["17"] + ["-"] * 8, ("--zero", "-"), 0, f'it: numbers, {POINT}; zero: "-"; {USUAL}'),
    (["17"] * 4 + ["-"] * 5, ("--missing-texts", "-"), 17, f'it: numbers, {POINT}; {USUAL}, and "-"'),
    (["17"] * 4 + ["gone", "lost"] * 3, ("--missing-texts", "gone, lost"), 17, f'{USUAL}, and "gone" and "lost"'),
    (["17"] * 4 + ["9999", "-99"] * 5, ("--missing-codes", "9999,-99"), 17, f"{USUAL}, and 9999 and -99"),
    (["17"] * 4 + ["-99", "9999"] * 5, ("--missing-codes", "-99,9999"), 17, f"{USUAL}, and -99 and 9999"),
    (["17 €"] * 4 + ["17"] * 5, ("--unit", "€"), 17, "numbers without a unit are in €"),
    (["0.17"] * 9, ("--percent",), 17, "it: percentages"),
    (["17 %"] * 9, ("--no-percent",), 0.17, "percentages are shares of one"),
])  # fmt: skip
def test_what_is_said_decides_and_is_said_again(capsys, cells, arguments, median, sentence):
    found, code, err = release(capsys, cells, *arguments)
    assert code == 0, err
    assert float(found) == pytest.approx(median, abs=2e-3)
    said = next(line for line in err.splitlines() if line.startswith("Read "))
    assert sentence in said


def test_the_order_of_dates_is_said(capsys):
    Path("a.csv").write_text("it,other\n" + "1/2/2021,x\n" * 9)
    line = ["release", "a.csv", *MEDIAN, "--column", "it=2021-01-01:2021-12-31"]
    for order, day in (("day-first", "2021-02-01"), ("month-first", "2021-01-02")):
        assert main([*line, "--dates", order]) == 0
        out, err = capsys.readouterr()
        assert shown(out)["answers"][0]["value"] == day
        assert f"Read it: dates, {order.split('-')[0]} before" in err


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(("cells", "flags"), [
    (["1.117"] * 9, "`--decimal=.` or `--decimal=,`"), (["2:22"] * 9, "`--durations=h:mm` or `--durations=m:ss`"),
    (["1/2/2021"] * 9, "`--dates=day-first` or `--dates=month-first`"),
    (["17", "--"], "`--zero=--` or `--missing-texts=--`"),
])  # fmt: skip
def test_a_refusal_names_the_flags_that_decide_and_they_do(capsys, cells, flags):
    _, code, err = release(capsys, cells)
    assert code == UNREADABLE
    assert f" It may be read with {flags}." in err
    possible = "2021-01-01:2021-12-31" if "dates" in flags else "0:99999:1"
    for flag in flags.split(" or "):
        assert release(capsys, cells, flag.strip("`").replace("'", ""), possible=possible)[1] == 0


@pytest.mark.parametrize(("arguments", "sentence"), [
    (("--missing-codes", "x"), "`--missing-codes` must be a list of numbers, or of dates"),
    (("--zero", "gone", "--missing-texts", "gone"), "`--zero` must not be a text that means a missing value"),
])  # fmt: skip
def test_what_cannot_be_said_is_refused_under_its_flag(capsys, arguments, sentence):
    _, code, err = release(capsys, ["17"], *arguments)
    assert code == WRONG_WORDS
    assert sentence in err


@pytest.mark.parametrize(("cell", "unit"), [("{} €", "€"), ("{} %", "%"), ("0:{}:00", "seconds"), ("{}", "")])
def test_answers_carry_their_unit_and_what_is_said_of_reading_is_on_the_standard_error_alone(capsys, cell, unit):
    Path("a.csv").write_text("it\n" + "".join(f"{cell.format(10 + row)}\n" for row in range(40)), encoding="utf-8")
    assert main(["release", "a.csv", *MEDIAN, "--column", "it=0:5000:1"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["description"]["columns"]["it"]["unit"] == unit
    assert "decimal mark" in err or unit == "seconds"
    assert "decimal mark" not in out


@pytest.mark.parametrize("rows", [(), ("--person", "who", "--per-person", "mean")])
def test_a_database_is_read_as_is_said(capsys, rows):
    with closing(sqlite3.connect("a.db")) as base, base:
        base.execute("CREATE TABLE t (it TEXT, who INTEGER)")
        base.executemany("INSERT INTO t VALUES (?, ?)", [("1.117", 1), ("1.117", 2), ("-99", 3)] * 3)
    line = ["release", *MEDIAN, "--database", "sqlite:///a.db", "--table", "t", "--column", "it=0:9:1/1000", *rows]
    assert main([*line, "--decimal", ".", "--missing-codes", "-99"]) == 0
    out, err = capsys.readouterr()
    assert float(shown(out)["answers"][0]["value"]) == pytest.approx(1.117, abs=2e-3)
    assert f"Read it: numbers, {POINT}; {USUAL}, and -99." in err


CYRILLIC = "group;pay\n" + "Москва;10\nЖуков;20\n" * 40


def groups_of(capsys, content, names, *arguments):
    Path("a.csv").write_bytes(content)
    line = ["release", "a.csv", "--column", "pay=0:100:1", "--by", f"group={names}", "--epsilon", "1000000"]
    code = main([*line, "--quantiles", "median", *arguments])
    out, err = capsys.readouterr()
    return ([each["value"] for each in shown(out)["answers"]] if code == 0 else None), err


def test_an_encoding_is_said_and_what_a_file_was_read_as_is_told(capsys):
    content = CYRILLIC.encode("cp1251")
    assert b"\x8d" not in content
    found, err = groups_of(capsys, content, "Москва,Жуков", "--encoding", "cp1251")
    assert found == [10, 20]
    assert "not UTF-8: read as Windows-1251" in err
    found, err = groups_of(capsys, "group;pay\nGenève;10\n".encode("cp1252") * 1, "Genève")
    assert found == [10]
    assert "not UTF-8: read as Windows-1252" in err
    _, err = groups_of(capsys, CYRILLIC.encode(), "Москва")
    assert "UTF-8" not in err


def test_a_sheet_and_a_separator_are_said(capsys):
    found, err = groups_of(capsys, CYRILLIC.replace(";", "^").encode(), "Москва")
    assert found is None
    assert "It may be read with `--separator='^'`." in err
    assert groups_of(capsys, CYRILLIC.replace(";", "^").encode(), "Москва", "--separator=^")[0] == [10]
    sheets = workbook([["group", "pay"], ["a", 10]], [["group", "pay"], ["a", 20]])
    assert groups_of(capsys, sheets, "a", "--sheet", "Sheet2")[0] == [20]
    blocks = "group;pay\n" + "".join(f"{name};{value}\n" + f";{value}\n" * 9 for name, value in (("a", 1), ("b", 2)))
    assert "Use `--fill-down` or `--no-fill-down`." in groups_of(capsys, blocks.encode(), "a,b")[1]
    assert groups_of(capsys, blocks.encode(), "a,b", "--fill-down")[0] == [1, 2]
    shops = ("group;pay;shop\n" + "a;10;x\n" * 20 + "a;10;Total\n" + "a;10;x\n" * 20).encode()
    assert "Use `--no-totals`." in groups_of(capsys, shops, "a")[1]
    assert groups_of(capsys, shops, "a", "--no-totals")[0] == [10]
    assert "`--sheet` must be the name of a sheet" in groups_of(capsys, sheets, "a", "--sheet", "Sheet3")[1]


def test_a_row_is_named_where_that_is_asked_for(capsys):
    said = release(capsys, ["17", "x"])[2]
    assert "`--show-where`" in said
    assert not any(digit in said.replace("2024-01-31", "").replace("1:30:00", "") for digit in "0123456789")
    assert release(capsys, ["17", "x"], "--show-where")[2].endswith("Row 3.\n")


def test_bytes_that_are_no_text_are_refused_with_the_flag_and_on_request_with_the_place(capsys):
    content = "group;pay\nア;10\n".encode("shift_jis") + b"\x81\x41;20\n"
    for arguments, told in ((), "`--show-where` names the row."), (("--show-where",), "Row 3, byte 17 of the file."):
        _, err = groups_of(capsys, content, "ア", *arguments)
        assert "The file is not UTF-8 or Windows-1252" in err
        assert "Use `--encoding NAME`." in err
        assert told in err
    found, _ = groups_of(capsys, content, "ア", "--encoding", "shift-jis")
    assert found == [10]
    for more in (("--encoding", "none"), ("--encoding", "utf-8", "--table", "t")):
        _, err = groups_of(capsys, content, "ア", *more)
        assert "`--encoding` must" in err or "`--table`" in err
