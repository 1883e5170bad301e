"""`dpq release` in words, without a plan file: columns with their possible values, groups, persons, a budget."""

from __future__ import annotations

import csv
import errno
import io
import json
import shlex
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dpq_core import Plan
from dpq_core.__main__ import main
from dpq_core.commands import charging
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.history.entries import standing

ROWS = [
    ("id", "salary", "age", "office", "sex", "day"),
    (1, 3100, 31, "north", "f", "2024-01-05"),
    (1, 3300, 31, "north", "f", "2024-02-05"),
    (2, 2800, 45, "south", "m", "2024-03-01"),
    (3, 4100, 28, "north", "m", "2024-01-09"),
    (4, 5200, 60, "south", "f", "2024-01-20"),
]
SALARY, AGE, DAY = "salary=0:200000:100", "age=0:120:1", "day=2020-01-01:2026-12-31"
ASKED = ("--quantiles", "quartiles", "--epsilon", "1")
BY = ("--by", "office=north,south", "--by", "sex=f,m")


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_in_place: None) -> str:
    monkeypatch.delenv("DPQ_MODE", raising=False)
    monkeypatch.setenv("DPQ_LEDGER_URL", str(tmp_path / "ledger.sqlite"))
    file = tmp_path / "people.csv"
    with file.open("w", newline="") as opened:
        csv.writer(opened).writerows(ROWS)
    return str(file)


def answer(capsys: pytest.CaptureFixture[str], *line: str) -> dict[str, Any]:
    assert main(["release", *line]) == 0, capsys.readouterr().err
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def refusal(capsys: pytest.CaptureFixture[str], *line: str) -> str:
    assert main(["release", *line]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


@pytest.mark.slow
def test_columns_without_a_plan_file(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, people, "--column", SALARY, "--column", "age=find:1", *ASKED)
    answers = [(row["column"], row["level"]) for row in found["answers"]]
    assert answers == [(name, q) for name in ("salary", "age") for q in (0.25, 0.5, 0.75)]
    assert all("low" not in row for row in found["answers"])
    assert found["guarantee"]["epsilon"] == 1
    assert found["columns"]["salary"]["domain"]["step"] == "100"
    assert ["find_bounds" in found["columns"][name] for name in ("salary", "age")] == [False, True]
    in_groups = answer(capsys, people, "--column", "salary=find:1", *BY, *ASKED)["columns"]["salary"]
    assert (in_groups["find_bounds"]["share"], bool(in_groups["domain"]["upper"])) == ("1/10", True)


def test_the_old_options_take_a_plan_in_words_and_the_last_of_several_columns(
    people: str, capsys: pytest.CaptureFixture[str]
) -> None:
    old = (
        "--column",
        "salary",
        "--column",
        "age",
        "--lower",
        "0",
        "--upper",
        "120",
        "--step",
        "1",
        "--mechanism",
        "aq",
    )
    line = ("release", people, *old, "--quantiles", "median", "--rho", "0.5", "--adjacency", "joins")
    assert main(list(line)) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert "Read age" in err
    assert (found["plan"]["mechanism"], found["plan"]["privacy"]) == ("aq", {"kind": "concentrated", "rho": 0.5})
    assert len(found["quantiles"]) == 1


@pytest.mark.parametrize(
    "line",
    [
        ("--column", "age=0:1440:1:round"),
        ("--column", "age", "--lower", "0", "--upper", "1440", "--step", "1", "--measure", "round"),
    ],
)
def test_round_numbers_with_a_step_can_be_asked_for(
    line: tuple[str, ...], people: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = answer(capsys, people, *line, *ASKED)
    domain = found["domain"] if "domain" in found else found["columns"]["age"]["domain"]
    assert domain == {"lower": "0", "upper": "1440", "step": "1", "measure": "round"}


def test_several_columns_in_groups_by_two_columns_as_csv(
    people: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "answers.csv"
    sure = ("--intervals", "0.9", "--about", "3")
    assert main(["release", people, "--column", SALARY, "--column", AGE, *BY, *ASKED, *sure, "--out", str(out)]) == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))
    assert list(rows[0]) == ["column", "office", "sex", "level", "quantile", "value", "low", "high", "label"]
    assert {(row["column"], row["office"], row["sex"]) for row in rows} == {
        (column, office, sex) for column in ("salary", "age") for office in ("north", "south") for sex in ("f", "m")
    }
    assert len(rows) == 24
    assert capsys.readouterr().out == ""


@pytest.mark.slow
def test_dates_persons_and_digits(people: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = (people, "--column", DAY, "--column", "salary=digits:1", "--person", "id", "--take", "max", *ASKED)
    found = answer(capsys, *line)
    assert found["guarantee"]["protects"] == "person"
    days = [row["value"] for row in found["answers"] if row["column"] == "day"]
    assert all("2020-01-01" <= day <= "2026-12-31" for day in days)
    assert found["columns"]["salary"]["domain"]["digits"] == 1
    out = tmp_path / "answers.parquet"
    assert "both dates and numbers" in refusal(capsys, *line, "--out", str(out))
    assert main(["release", people, "--column", SALARY, *ASKED, "--out", str(out)]) == 0
    assert pd.read_parquet(out)["column"].tolist() == ["salary"] * 3


def test_groups_of_a_file_and_groups_that_are_found(
    people: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = tmp_path / "offices.txt"
    names.write_text("south\nnorth\n")
    found = answer(capsys, people, "--column", SALARY, "--by", f"office=@{names}", *ASKED)
    assert list(dict.fromkeys(row["office"] for row in found["answers"])) == ["south", "north"]
    line = (people, "--column", SALARY, "--by", "office=find", *ASKED)
    assert "delta" in refusal(capsys, *line)
    assert answer(capsys, *line, "--delta", "1e-6")["answers"] == []


@pytest.mark.parametrize("charge", [(), ("--account", "weighed", "--total-epsilon", "1")], ids=["free", "charged"])
def test_the_weights_of_a_plan_file_divide_the_budget(
    people: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], charge: tuple[str, ...]
) -> None:
    plan = tmp_path / "weighed.json"
    plan.write_text(Plan("median", "best", epsilon=1, weights={"salary": 3, "age": 1}).to_json())
    found = answer(capsys, str(plan), people, "--column", SALARY, "--column", AGE, *charge)
    parts = {name: each["plan"]["privacy"]["epsilon"] for name, each in found["columns"].items()}
    assert parts == {"salary": 0.75, "age": 0.25}


def test_an_account_is_charged_once(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    line = (people, "--column", SALARY, "--column", AGE, *BY, *ASKED, "--account", "words", "--release-id", "june")
    first = answer(capsys, *line, "--total-epsilon", "1", "--one-row-is", "employee")
    assert (first["account"], first["release_id"]) == ("words", "june")
    assert answer(capsys, *line) == first
    (account,) = Ledger.from_environment().accounts()
    assert account.one_row_is == "employee"
    assert [entry.guarantee.epsilon for entry in standing(account).entries] == [1]
    Path(people).unlink()
    assert "`privacy` must fit what is left of this budget" in refusal(capsys, *line[:-1], "july")


def test_what_cannot_be_done_is_refused_before_an_account_is_opened_or_the_file_is_read(
    people: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(people).unlink()
    account, of_shares = ("--account", "new", "--total-epsilon", "3"), ("--person", "id", "--take", "share")
    for line, sentence in (
        ((*ASKED, "--column", SALARY, *of_shares, "--by", "sex=f,m", "--mechanism", "slice"), "`--take` must make one"),
        ((*ASKED, "--column", SALARY, "--out", "nowhere/answers.csv"), "`--out` must be a file that can be written"),
        ((*ASKED, "--column", SALARY, "--mechanism", "normal"), "`--adjacency` must be `substitute`"),
        ((*ASKED[:3], "4", "--column", SALARY), "`privacy` must fit what is left of this budget"),
    ):
        assert sentence in refusal(capsys, people, *line, *account)
    assert Ledger.from_environment(make_key=True).accounts() == ()


@pytest.mark.slow
def test_a_missing_value_may_be_left_out_where_the_number_of_records_is_private(
    people: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line = (people, "--column", AGE, "--adjacency", "replaced", *ASKED)
    in_groups = ("--person", "id", "--most-rows", "2", "--by", "sex=f,m", "--groups-per-person", "any")
    for rule in (("--person", "id", "--most-rows", "2"), ("--by", "sex=f,m"), in_groups):
        assert answer(capsys, *line, *rule)["guarantee"]["adjacency"] == "substitute"


def test_the_number_of_groups_of_a_person_is_a_number_or_any(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    line = (people, "--column", AGE, *ASKED, "--by", "sex=f,m", "--person", "id")
    few, any_groups = (
        answer(capsys, *line, "--most-rows", "2", "--groups-per-person", each)["guarantee"] for each in ("2", "any")
    )
    assert few["epsilon"] == any_groups["epsilon"]
    told = refusal(capsys, *line, "--take", "mean", "--groups-per-person", "any")
    assert "`--groups-per-person` must be a number unless `--most-rows` limits" in told
    with pytest.raises(SystemExit):
        main(["release", *line, "--groups-per-person", "several"])
    assert "must be a whole number such as 1, or any" in capsys.readouterr().err


def test_whether_a_value_is_missing_is_not_told_by_a_refusal(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    line = (people, "--column", AGE, "--adjacency", "replaced", *ASKED)
    whole = refusal(capsys, *line)
    assert "`--missing` must be given" in whole
    Path(people).unlink()
    assert refusal(capsys, *line) == whole


@pytest.mark.slow
def test_a_missing_value_counts_as_something_else_in_each_column(
    people: str, capsys: pytest.CaptureFixture[str]
) -> None:
    blank = "".join(f"{at},,,north,f,\n" for at in range(400))
    Path(people).write_text(f"id,salary,age,office,sex,day\n5,4100,28,north,m,2024-01-09\n{blank}")
    line = ("--column", "salary=0:9000:1000", "--column", AGE, "--column", DAY, "--adjacency", "replaced")
    missing = ("--missing", "salary=7000", "--missing", "age=40", "--missing", "day=2024-02-01")
    asked = ("--quantiles", "median", "--epsilon", "1000")
    found = {row["column"]: row["value"] for row in answer(capsys, people, *line, *missing, *asked)["answers"]}
    assert found == {"salary": 7000, "age": 40, "day": "2024-02-01"}


def test_an_answer_that_cannot_be_written_is_told_as_charged(
    people: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(charging, "give_table", full)
    line = (people, "--column", SALARY, *ASKED, "--account", "words", "--total-epsilon", "1")
    assert "The answer was released and charged to words: the page Report has it." in refusal(capsys, *line)


@pytest.mark.slow
def test_a_way_to_read_is_said_once_for_all_its_columns(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["release", people, "--column", SALARY, "--column", DAY, "--column", AGE, *ASKED]) == 0
    read = [line for line in capsys.readouterr().err.splitlines() if line.startswith("Read ")]
    assert [line.partition(":")[0] for line in read] == ["Read salary, age", "Read day"]


def test_answers_are_written_for_the_old_options_too(
    people: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = (people, "--column", "age", "--lower", "0", "--upper", "120", "--step", "1", *ASKED)
    files = [tmp_path / f"answers.{ending}" for ending in ("json", "csv", "parquet")]
    for file in files:
        assert main(["release", *old, "--out", str(file)]) == 0
        out, err = capsys.readouterr()
        assert out == ""
        assert f"Wrote the answers to {file}." in err
    assert len(json.loads(files[0].read_text(encoding="utf-8"))["quantiles"]) == 3
    for table in (pd.read_csv(files[1]), pd.read_parquet(files[2])):
        assert table["column"].tolist() == ["age"] * 3
        assert table["level"].tolist() == [0.25, 0.5, 0.75]
    assert main(["release", *old, "--csv"]) == 0
    assert capsys.readouterr().out.startswith("column,level,quantile,value,low,high,label\nage,0.25,")


@pytest.mark.slow
def test_ends_of_intervals_may_be_open_in_every_file(
    people: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sure = ("--intervals", "0.999", "--about", "5")  # at this budget hardly any end is known
    line = (people, "--column", DAY, "--quantiles", "median", "--epsilon", "1e-6", *sure)
    (found,) = answer(capsys, *line)["answers"]
    assert found["low"] is None or "2020-01-01" < found["low"] <= found["value"]
    assert found["high"] is None or found["value"] <= found["high"] < "2026-12-31"
    for name, read in (("answers.csv", partial(pd.read_csv, dtype=str)), ("answers.parquet", pd.read_parquet)):
        assert main(["release", *line, "--out", str(tmp_path / name)]) == 0
        row = read(tmp_path / name).iloc[0]
        assert row["low"] == "-inf" or "2020-01-01" < row["low"] <= row["value"]
        assert row["high"] == "inf" or row["value"] <= row["high"] < "2026-12-31"


def test_a_column_called_like_a_fact_of_the_release_keeps_its_name(
    people: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = Path(people)
    file.write_text(file.read_text().replace("office", "label"))
    assert main(["release", people, "--column", SALARY, "--by", "label=north,south", *ASKED, "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["label"] for row in rows} == {"north", "south"}
    assert all(row["label (2)"].startswith("Release: ") for row in rows)


def test_a_release_in_words_is_a_plan_for_the_next_one(
    people: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = answer(capsys, people, "--column", SALARY, *ASKED)
    plan = tmp_path / "answers.json"
    plan.write_text(json.dumps(first))
    assert answer(capsys, str(plan), people, "--column", AGE)["plan"] == first["plan"]
    plan.write_text(json.dumps(first | {"groups": {"column": "sex", "names": ["f"]}}))
    assert "`--by` must list the groups: those in the plan file" in refusal(capsys, str(plan), people, "--column", AGE)


@pytest.mark.slow
def test_a_forecast_reads_and_spends_nothing(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(people).unlink()
    told = {
        "whole": ((people, "--column", SALARY), "Answers are off by about "),
        "several": (
            (people, "--column", SALARY, "--column", "days=find:1"),
            "days: The expected errors depend on the bounds",
        ),
        "groups": ((people, "--column", SALARY, *BY), "By your guess every group is large enough"),
        "old": (
            (people, "--column", "age", "--lower", "0", "--upper", "120", "--step", "1"),
            "Answers are off by about ",
        ),
        "share": ((people, "--column", SALARY, "--person", "id", "--take", "share"), "Answers are off by about "),
    }
    for line, sentence in told.values():
        assert main(["release", *line, *ASKED, "--forecast", "--about", "2000"]) == 0
        out, err = capsys.readouterr()
        assert sentence in out
        assert "Read" not in err
    for line, sentence in (
        ((people, "--column", SALARY, "--forecast"), "`--about` must be given for `--forecast`"),
        (
            (people, "--column", SALARY, "--by", "sex=f,m", "--about", "9"),
            "`--about` must go with `--intervals` or `--forecast`.",
        ),
        (
            (people, "--column", SALARY, "--by", "sex=find", "--delta", "1e-6", "--forecast", "--about", "9"),
            "`--forecast` must go with a list of groups",
        ),
    ):
        assert sentence in refusal(capsys, *line, *ASKED)


@pytest.mark.slow
def test_a_table_of_a_database_is_answered_one_column_at_a_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("clinic.db")) as clinic, clinic:
        clinic.execute("CREATE TABLE stays (id, days, ward)")
        rows = [(k // 2, k % 50, ("north", "south")[k % 2]) for k in range(2000)]
        clinic.executemany("INSERT INTO stays VALUES (?, ?, ?)", rows)
    line = ("--database", "sqlite:///clinic.db", "--table", "stays", "--column", "days=0:50:1", "--epsilon", "20")
    assert answer(capsys, *line, "--quantiles", "median")["answers"][0]["value"] == pytest.approx(25, abs=2)
    grouped = ("--by", "ward=south,north", "--person", "id", "--take", "max", "--groups-per-person", "2")
    found = answer(capsys, *line, *grouped, "--quantiles", "median")["answers"]
    assert [row["ward"] for row in found] == ["south", "north"]
    assert "`--column` must be given once for a database" in refusal(capsys, *line, "--column", "id=find", *ASKED[:2])
    assert "Did you mean 'days'?" in refusal(capsys, *line[:5], "day=0:50:1", *line[6:], *ASKED[:2])


def test_a_name_that_could_be_a_value_is_not_released(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(people).write_text("36,office\n41,north\n52,south\n")
    line = ("--header", *ASKED)
    assert "`--column` must call this column 'column 1'" in refusal(capsys, people, "--column", "36=0:99:1", *line)
    assert answer(capsys, people, "--column", "column 1=0:99:1", *line)["answers"][0]["column"] == "column 1"


REFUSED = """
--column age=0:120 ASKED :: age=0:120:1
AGE --column salary ASKED :: salary=0:200000:100
AGE --lower 3 ASKED :: `--lower` must be left out
AGE --epsilon 1 :: `--quantiles` must be given
AGE --quantiles median :: `--epsilon` must be given
--by sex=f,m ASKED :: `--column` must say what to answer, as NAME=LOW:HIGH:STEP
AGE --by sex:f,m ASKED :: as in sex=a,b, or
AGE --by sex=f,f ASKED :: `--by` of 'sex': the names must be diff
AGE --by sex=f,,m ASKED :: `--by` of 'sex': the names must be texts
AGE --by sex=f --by sex=m ASKED :: each column once, got 'sex' twice
AGE BY --by id=find ASKED :: or be find for every column
AGE --by sex=find ASKED :: `--delta` must be given with `--epsilon`
--column salry=0:9:1 ASKED :: `--column` must be one of the column names of this file.
--column salry=0:9:1 ASKED :: Did you mean 'salary'?
AGE --by ofice=a ASKED :: `--by` must be one of the column names
AGE --person idd --take mean ASKED :: `--person` must be one of the column names of this file. Did you mean 'id'?
ASKED :: `--column` must say what to answer, as NAME=LOW:HIGH:STEP
--column age=0-120 ASKED :: age=0:200000:100, or age=digits, or age=find; got '0-
--column age=120:0:1 ASKED :: `--column` cannot be age=120:0:1: `upper` must be >
--column age=a:b:c ASKED :: `--column` cannot be age=a:b:c: `lower` must be
--column day=2024-01-01:9 ASKED :: the step between two values
--column day=2024-01-01:9:1 ASKED :: must give two dates, or two numbers, for 'day'
--column age=0:120:1:years ASKED :: `measure` must be one of uniform, round, got
--column day=2024-02-30:2024-03-01 ASKED :: must be a date that exists
--column age=digits:7 ASKED :: `digits` must be a whole number from 1 to 3
--column age=digits:two ASKED :: `digits` must be a whole number from 1 to 3
--column day=digits ASKED :: holds dates
DAY --missing 3 ASKED :: or say `--missing day=` and a date
AGE --missing salary=3 ASKED :: columns that are answered
AGE DAY --adjacency replaced --missing age=40 ASKED :: `--missing` must be given
AGE --by office=north,south --intervals 0.9 --about north=3 ASKED :: every group: add one for 'south'.
AGE --intervals 0.9 --about north=3,south=4 ASKED :: `--about` must be one number for
AGE --intervals 95 --about 300 ASKED :: got 95.0. For 95 % write 0.95.
AGE --person id --take mean --most-rows 3 ASKED :: last, random, share, or left out with `--most-rows`.
AGE --table people ASKED :: `--table` must not be given with a file: give one of both.
AGE --intervals 0.9 --about 0 ASKED :: `--about` must be a whole number
AGE --by sex=find --quantiles median --rho 1 :: `--delta` must be given with `--epsilon`
AGE --rho 1 ASKED :: `--rho` must be given alone, without `--epsilon`
AGE --groups sex --names f ASKED :: `--by` lists the groups
AGE --groups-per-person 2 ASKED :: must go with `--by`
AGE --csv --out a.csv ASKED :: `--csv` must be left out with `--out`
AGE --by sex ASKED :: as in sex=a,b, or sex=@FILE with a name on each line, or sex=find
AGE AGE ASKED :: each column once, got 'age' twice
AGE --by age=1,2 ASKED :: must name a column that you do not ask quantiles of, got 'age'
AGE --intervals 0.9 ASKED :: `--about` must be given
AGE --out answers.xlsx ASKED :: `--out` must end in
--column age=2020-01-01:2026-01-01 ASKED :: holds no dates
--column day=0:10:1 ASKED :: holds dates
AGE --adjacency replaced ASKED :: `--missing` must be given
AGE --person id --take mean --by sex=f,m ASKED :: in how many groups one person counts, such as 1
"""
"""A line, and what its refusal says. Names in capitals stand for the words above."""


@pytest.mark.slow
def test_each_group_may_have_a_guess_of_its_own(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    line = (people, "--column", SALARY, "--by", "office=north,south", *ASKED, "--about", "north=300, south=9")
    found = answer(capsys, *line, "--intervals", "0.9")
    assert found["plan"]["about_n"] == [["north", 300], ["south", 9]]
    assert "its intervals are worked out for (9 to 300)" in json.dumps(found)
    assert main(["release", *line, "--forecast"]) == 0
    assert "south" in capsys.readouterr().out


@pytest.mark.parametrize("about", ["north=300,9", "=9", "north=", "north=1,north=2", "north=x", "9,9", ""])
def test_a_guess_that_is_no_number_is_refused(about: str, people: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["release", people, "--column", SALARY, *ASKED, "--about", about])
    assert "must be a whole number, or one for each group" in capsys.readouterr().err


@pytest.mark.parametrize("row", REFUSED.strip().splitlines(), ids=lambda row: row.partition(" :: ")[0])
def test_what_is_half_said_is_refused_with_what_to_type(
    row: str, people: str, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = {name: ("--column", told) for name, told in (("AGE", AGE), ("SALARY", SALARY), ("DAY", DAY))}
    named = {"ASKED": ASKED, "BY": BY} | columns
    line, sentence = row.split(" :: ")
    words = [each for word in shlex.split(line) for each in named.get(word, (word,))]
    assert sentence in refusal(capsys, people, *words)


def test_a_plan_file_and_words_do_not_mix(people: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text("{}")
    assert f"`plan` must come before the data: {plan} {people}." in refusal(capsys, people, str(plan))
    assert "must not be given with a plan file" in refusal(capsys, str(plan), people, "--column", AGE, *ASKED)


@pytest.mark.slow
def test_two_columns_with_a_noisy_count_are_counted_once(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    sure = ("--intervals", "0.9", "--noisy-count")
    found = answer(capsys, people, "--column", SALARY, "--column", AGE, *ASKED, *sure)
    notes = [each["notes"][-1] for each in found["columns"].values()]
    assert len({note.partition(" that every column has, and ")[0] for note in notes}) == 1, "one number for both"
    parts = [each["plan"]["privacy"]["epsilon"] for each in found["columns"].values()]
    assert parts == pytest.approx([0.475, 0.475])
    assert found["guarantee"]["epsilon"] == 1
    assert {row["column"] for row in found["answers"]} == {"salary", "age"}
