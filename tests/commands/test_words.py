"""`dpq release`: what is asked in words or by a plan file, as lines with what their answers or refusals hold."""

import csv
import io
import json
from functools import partial, reduce
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dpq_core import Domain, FindBounds, Plan, PureDP
from dpq_core.__main__ import main
from dpq_core.advice.choice import choose
from dpq_core.ledger.accounts import Ledger
from tests.advice.asked import ask
from tests.commands.conftest import Answered, Refused, typed


def at(found: Any, path: str) -> Any:
    """What an answer holds at a path such as `columns.age.domain`."""
    return reduce(lambda held, name: held[int(name) if isinstance(held, list) else name], path.split("."), found)


SURE = "--intervals 0.9"
WORDS: dict[str, dict[str, Any]] = {
    "AGE ASKED": {"guarantee.epsilon": 1, "guarantee.exact": True, "answers.2.level": 0.75},
    "--column age=0:120:1:round ASKED": {"columns.age.domain": Domain(0, 120, 1, measure="round").as_dict()},
    "--column age=0:120:round ASKED": {"columns.age.domain": Domain(0, 120).as_dict()},
    "--column age=0:120:uniform ASKED": {"columns.age.domain": Domain(0, 120, measure="uniform").as_dict()},
    "--column age=-1000/2:-.5:0.5 ASKED": {"columns.age.domain": Domain(-500, "-1/2", "1/2").as_dict()},
    "--column age=digits ASKED": {"columns.age.domain": Domain.significant().as_dict()},
    "--column age=digits:3:smallest=1:largest=1e6:negative=no ASKED": {
        "columns.age.domain": Domain.significant(3, 1, 10**6, negative=False).as_dict()
    },
    "--column age=find:1:share=0.2:negative=no ASKED": {
        "columns.age.find_bounds": FindBounds("0.2", negative=False, step=1).as_dict(), "columns.age.domain.step": "1"
    },
    "--column salary=find:step=10 BY ASKED": {"columns.salary.find_bounds": FindBounds(step=10).as_dict()},
    "AGE --quantiles median --rho 0.5 --adjacency joins --mechanism aq": {
        "columns.age.plan.privacy": {"kind": "concentrated", "rho": 0.5}, "columns.age.plan.mechanism": "aq"
    },
    f"AGE ASKED {SURE} --about-n 1000": {"columns.age.basis.proved": False, "cells.0.plan.about_n": 1000},
    f"AGE ASKED --mechanism aggtree {SURE}": {"columns.age.basis.proved": False, "cells.0.plan.about_n": None},
    f"--column age=find:1:largest=1000 ASKED --mechanism indexp {SURE} --about 1000": {"guarantee.epsilon": 1},
    f"AGE ASKED --mechanism indexp --person id --per-person weight {SURE} --about 9": {"guarantee.protects": "person"},
    f"SALARY --by office=north,south ASKED {SURE} --about 'north=300, south=9'": {
        "cells.0.plan.about_n": [["north", 300], ["south", 9]]
    },
    f"SALARY --by office=north,south ASKED {SURE} --noisy-count": {"cells.0.plan.about_n": "noisy"},
    "AGE --by office=north --other rest ASKED": {"answers.0.office": "north", "answers.3.office": "rest"},
    "AGE --adjacency replaced ASKED --person id --max-rows-per-person 2": {"guarantee.adjacency": "replace_one"},
    "AGE --adjacency replaced ASKED --by sex=f,m": {"guarantee.adjacency": "replace_one"},
    "AGE --adjacency replaced ASKED --missing -1": {"guarantee.adjacency": "replace_one"},
    "AGE --adjacency replaced ASKED --person id --max-rows-per-person 2 --by sex=f,m --max-groups-per-person any": {
        "guarantee.protects": "person"
    },
}  # fmt: skip
"""Lines, and what their answers hold."""


@pytest.mark.slow(keep=[line for line in WORDS if "=find" not in line and SURE not in line])
@pytest.mark.parametrize("line", WORDS)
def test_a_question_in_words_is_answered_as_it_was_asked(line: str, answered: Answered) -> None:
    found, err = answered(f"people.csv {line}")
    assert {path: at(found, path) for path in WORDS[line]} == WORDS[line]
    assert "Not charged to any ledger" in err
    assert all((each["intervals"] != []) is ("intervals" in line) for each in found["cells"])
    assert found["account"] == found["id"] == ""
    assert not Path("ledger.sqlite").exists()


@pytest.mark.slow
def test_dates_persons_and_digits(answered: Answered, refused: Refused) -> None:
    line = "people.csv DAY --column salary=digits:1 --person id --per-person max ASKED"
    found, _ = answered(line)
    assert found["guarantee"]["protects"] == "person"
    days = [row["value"] for row in found["answers"] if row["column"] == "day"]
    assert all("2020-01-01" <= day <= "2026-12-31" for day in days)
    assert found["columns"]["salary"]["domain"]["digits"] == 1
    assert "both dates and numbers" in refused(f"{line} --out answers.parquet")
    assert main(["release", *typed("people.csv SALARY ASKED --out answers.parquet")]) == 0
    assert pd.read_parquet("answers.parquet")["column"].tolist() == ["salary"] * 3


def test_groups_of_a_file_and_groups_that_are_found(answered: Answered) -> None:
    Path("offices.txt").write_text("\ufeffsouth\n\nAcme, Inc.\nnorth\n", encoding="utf-8")
    found, _ = answered("people.csv SALARY --by office=@offices.txt ASKED")
    assert list(dict.fromkeys(row["office"] for row in found["answers"])) == ["south", "Acme, Inc.", "north"]
    found, err = answered("people.csv SALARY --by office=find ASKED --delta 1e-6")
    assert found["answers"] == []
    assert "No group is large enough to be named.\n" in err
    Path("many.csv").write_text("pay,office\n" + "9,north\n50,' south '\n".replace("'", "") * 200 + "77,QX81\n")
    found, err = answered("many.csv --column pay=0:100:1 --by office=find --quantiles median --epsilon 20 --delta 1e-4")
    assert {row["office"]: row["value"] for row in found["answers"]}.keys() == {"north", "south"}
    assert "QX81" not in json.dumps(found) + err


def test_a_listed_name_that_the_column_cannot_hold_is_refused_before_a_charge(refused: Refused) -> None:
    pd.DataFrame({"pay": [3.0, 4.0], "office": [0, 1]}).to_parquet("pay.parquet")
    said = refused("pay.parquet --column pay=0:9:1 --by office=0,north ASKED --account new --total-epsilon 60")
    assert "The column of groups holds whole numbers, so no row can be in north." in said
    assert Ledger.from_environment(make_key=True).accounts() == ()


def test_whether_a_value_is_missing_is_not_told_by_a_refusal(refused: Refused) -> None:
    line = "people.csv AGE --adjacency replaced ASKED"
    whole = refused(line)
    assert "`--missing` must be given" in whole
    Path("people.csv").unlink()
    assert refused(line) == whole


@pytest.mark.slow
def test_a_missing_value_counts_as_something_else_in_each_column(answered: Answered) -> None:
    blank = "".join(f"{row},,,north,f,\n" for row in range(400))
    Path("people.csv").write_text(f"id,salary,age,office,sex,day\n5,4100,28,north,m,2024-01-09\n{blank}")
    line = "people.csv --column salary=0:9000:1000 AGE DAY --adjacency replaced --quantiles median --epsilon 1000"
    found, _ = answered(f"{line} --missing salary=7000 --missing age=40 --missing day=2024-02-01")
    values = {row["column"]: row["value"] for row in found["answers"]}
    assert values == {"salary": 7000, "age": 40, "day": "2024-02-01"}


@pytest.mark.slow
def test_a_way_to_read_is_said_once_for_all_its_columns(answered: Answered) -> None:
    read = [line for line in answered("people.csv SALARY DAY AGE ASKED")[1].splitlines() if line.startswith("Read ")]
    assert [line.partition(":")[0] for line in read] == ["Read salary, age", "Read day"]


@pytest.mark.slow
def test_ends_of_intervals_may_be_open_in_every_file() -> None:
    line = "people.csv DAY --quantiles median --epsilon 1e-6 --intervals 0.999 --about 5"  # hardly any end is known
    for name, read in (("answers.csv", partial(pd.read_csv, dtype=str)), ("answers.parquet", pd.read_parquet)):
        assert main(["release", *typed(f"{line} --out {name}")]) == 0
        row = read(name).iloc[0]
        assert row["low"] == "-inf" or "2020-01-01" < row["low"] <= row["value"]
        assert row["high"] == "inf" or row["value"] <= row["high"] < "2026-12-31"


def test_a_terminal_gets_a_table_to_read(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows, without columns that hold nothing, such as units and intervals that nobody asked for; and warnings."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    line = "people.csv --column salary=0:200000:100 --by office=north --quantiles percentiles --epsilon 20"
    assert main(["release", *typed(line)]) == 0
    out, err = capsys.readouterr()
    headline, columns, *rows = out.splitlines()
    assert "Warning: " in err
    assert headline.startswith("99 answers")
    assert len(rows) == 99
    assert columns.split() == ["column", "office", "level", "quantile", "value"]


def test_a_table_computes_nothing_and_a_column_like_a_fact_keeps_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    Path("people.csv").write_text(Path("people.csv").read_text().replace("office", "label"))
    Path("names.txt").write_text("north\n=1+1\n")
    assert main(["release", *typed("people.csv SALARY --by label=@names.txt ASKED --csv")]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["label"] for row in rows} == {"north", "'=1+1"}
    assert all(row["label (2)"].startswith("Release: ") for row in rows)


@pytest.mark.parametrize("about", [None, 5000])
def test_the_best_mechanism_is_that_of_python(about: int | None, answered: Answered) -> None:
    asked = Plan("quartiles", "best", PureDP(1))
    found, _ = answered(f"people.csv AGE ASKED {'' if about is None else f'--about {about}'}")
    best = choose(ask(plan=asked, domain=Domain(0, 120, 1), about_n=about))
    assert found["columns"]["age"]["plan"]["mechanism"] == best.run.plan.mechanism


@pytest.mark.parametrize(("about", "mechanism"), [("", "aq"), ("--about 5", "indexp")])
def test_a_guess_decides_what_is_best_in_groups(about: str, mechanism: str, answered: Answered) -> None:
    found, _ = answered(f"people.csv AGE --by sex=f,m ASKED {about}")
    assert found["columns"]["age"]["plan"]["mechanism"] == mechanism


def test_a_guess_of_the_number_decides_how_many_levels_are_drawn(answered: Answered) -> None:
    levels = ",".join(f"{level}/21" for level in range(1, 21))
    found, _ = answered(f"people.csv AGE --quantiles {levels} --mechanism aq --epsilon 0.5 --about 100")
    assert " of 20 levels were drawn" in found["columns"]["age"]["notes"][-1]
    assert len(found["answers"]) == 20


@pytest.mark.slow
def test_a_forecast_reads_and_spends_nothing(capsys: pytest.CaptureFixture[str], refused: Refused) -> None:
    Path("people.csv").unlink()
    off = "Answers are off by about "
    for line, sentence in {
        "SALARY": off,
        "SALARY --column days=find:1": "depends on the bounds that the release finds",
        "SALARY BY": "By your guess every group is large enough",
        "SALARY --person id --per-person weight": off,
        "SALARY --by sex=find --delta 1e-6": "A group of at least",
    }.items():
        assert main(["forecast", *typed(f"people.csv {line} ASKED --about 2000")]) == 0
        out, err = capsys.readouterr()
        assert sentence in out
        assert err == ""
    assert main(["forecast", *typed("SALARY ASKED --about 9 --save-plan plan.json --quiet")]) == 0
    assert main(["forecast", "--plan", "plan.json"]) == 0
    first, again = capsys.readouterr().out.splitlines()
    assert first == again
    for line, sentence in {
        "SALARY": "`--about` must be given: about how many records",
        "SALARY BY --about north=5": "`--about` must have a number for every group",
    }.items():
        assert main(["forecast", *typed(f"people.csv {line} ASKED")]) == 2
        assert sentence in capsys.readouterr().err


def test_a_name_that_could_be_a_value_is_not_released(answered: Answered, refused: Refused) -> None:
    Path("people.csv").write_text("36,office\n41,north\n52,south\n")
    assert "`--column` must call this column 'column 1'" in refused("people.csv --column 36=0:99:1 --header ASKED")
    assert answered("people.csv --column 'column 1=0:99:1' --header ASKED")[0]["answers"][0]["column"] == "column 1"


@pytest.mark.parametrize("about", ["north=300,9", "=9", "north=", "north=1,north=2", "north=x", "9,9", ""])
def test_a_guess_that_is_no_number_is_not_understood(about: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["release", *typed("people.csv SALARY ASKED"), "--about", about])
    assert "must be a whole number, or one for each group" in capsys.readouterr().err


@pytest.mark.slow
def test_two_columns_with_a_noisy_count_are_counted_once(answered: Answered) -> None:
    found, _ = answered(f"people.csv SALARY AGE ASKED {SURE} --noisy-count")
    notes = [each["notes"][-1] for each in found["columns"].values()]
    assert len({note.partition(" that every column has, and ")[0] for note in notes}) == 1, "one number for both"
    parts = [each["plan"]["privacy"]["epsilon"] for each in found["columns"].values()]
    assert parts == pytest.approx([0.475, 0.475])
    assert found["guarantee"]["epsilon"] == 1
    assert {row["column"] for row in found["answers"]} == {"salary", "age"}


def test_answers_at_a_bound_are_called_that(answered: Answered) -> None:
    found, _ = answered("people.csv --column age=0:5:1 --quantiles median --epsilon 20")
    assert "lie at the highest possible value" in found["warnings"][-1] or "lies at" in found["warnings"][-1]


REFUSED = """
--column age=0:120 ASKED :: age=0:120:1
AGE --column salary ASKED :: salary=0:200000:100
AGE --epsilon 1 :: `--quantiles` must be given
AGE --quantiles median :: `--epsilon` must be given
--by sex=f,m ASKED :: `--column` must say what to answer, as NAME=LOW:HIGH:STEP
AGE --by sex:f,m ASKED :: as in sex=a,b, or
AGE --by sex=f,f ASKED :: `--by` of 'sex': the names must be diff
AGE --by sex=f,,m ASKED :: `--by` of 'sex': the names must be texts
AGE --by sex=f --by sex=m ASKED :: each column once, got 'sex' twice
AGE BY --by id=find ASKED :: or be find for every column
AGE --by sex=find ASKED :: `--delta` must be given with `--epsilon`
AGE --by sex=@none ASKED :: the file none cannot be used: no such file or directory.
--column salry=0:9:1 ASKED :: `--column` must be one of the column names of this file. Did you mean 'salary'?
AGE --by ofice=a ASKED :: `--by` must be one of the column names
AGE --person idd --per-person mean ASKED :: `--person` must be one of the column names of this file. Did you mean 'id'?
ASKED :: `--column` must say what to answer, as NAME=LOW:HIGH:STEP
--column age=0-120 ASKED :: age=0:200000:100, or age=digits, or age=find; got '0-
--column age=120:0:1 ASKED :: `--column` cannot be age=120:0:1: `upper` must be >
--column age=a:b:c ASKED :: `--column` cannot be age=a:b:c: `lower` must be
--column age=0:nan:1 ASKED :: `upper` must be a finite number
--column day=2024-01-01:9 ASKED :: day=2024-01-01:9: `upper` must be a date such as 2024-01-31.
--column day=9:2024-01-01:1 ASKED :: `lower` must be a date such as 2024-01-31.
--column age=0:120:1:years ASKED :: `measure` must be one of uniform, round
--column day=2024-02-30:2024-03-01 ASKED :: must be a date such as
--column age=digits:7 ASKED :: `digits` must be a whole number from 1 to 3
--column age=digits:two ASKED :: `digits` must be a whole number from 1 to 3
--column age=digits:step=2 ASKED :: `digits` may have digits, smallest=..., largest=..., negative=..., each once
--column age=find:1:step=2 ASKED :: `find` may have step, share=...
--column age=find:negative=maybe ASKED :: `negative` must be one of yes, no
--column age=find:share=2 ASKED :: `share` must lie between 0 and 1
--column day=digits ASKED :: holds dates
DAY --missing 3 ASKED :: `--missing` of 'day' must be a date such as 2024-01-31.
AGE --missing salary=3 ASKED :: columns that are answered
AGE --missing 2024-12-31 ASKED :: `--missing` of 'age' must be a finite number, got '2024-12-31'.
AGE DAY --adjacency replaced --missing age=40 ASKED :: `--missing` must be given
AGE --by office=north,south --intervals 0.9 --about north=3 ASKED :: every group: add one for 'south'.
AGE --about north=3,south=4 ASKED :: `--about` must be one number for
AGE --intervals 95 --about 300 ASKED :: got 95.0. For 95 % write 0.95.
AGE --person id --per-person mean --max-rows-per-person 3 ASKED :: `--max-rows-per-person`, one of both, must say
AGE --table people ASKED :: `--table` must not be given with a file: give one of both.
AGE --intervals 0.9 --about 0 ASKED :: `--about` must be a whole number
AGE --by sex=find --quantiles median --rho 1 :: `--delta` must be given with `--epsilon`
AGE --rho 1 ASKED :: `--rho` must be given alone, without `--epsilon`
AGE --max-groups-per-person 2 ASKED :: `--max-groups-per-person` must go with `--person`
AGE --by sex=f,m --person id --per-person mean --max-groups-per-person any ASKED :: must be a number unless
AGE ASKED --account =x --total-epsilon 1 :: `--account` must be one line of 1 to
AGE --other rest ASKED :: `--other` must go with a list of groups
AGE --by sex=f --other '' ASKED :: `--other` must name the group of all other rows
AGE --csv --out a.csv ASKED :: `--csv` must be left out with `--out`
AGE --by sex ASKED :: as in sex=a,b, or sex=@FILE with a name on each line, or sex=find
AGE AGE ASKED :: each column once, got 'age' twice
AGE --by age=1,2 ASKED :: must name a column that you do not ask quantiles of, got 'age'
AGE --person age --per-person mean ASKED :: must name a column that you do not ask quantiles of, got 'age'
AGE --intervals 0.9 ASKED :: such as 1000. Or `--noisy-count` counts them.
AGE --noisy-count ASKED :: `--noisy-count` must go with `--intervals`
AGE --out answers.xlsx ASKED :: `--out` must end in
--column age=2020-01-01:2026-01-01 ASKED :: holds no dates
--column day=0:10:1 ASKED :: holds dates
--column office=0:10:1 ASKED :: A cell is not a number
AGE --adjacency replaced ASKED :: `--missing` must be given
AGE --person id ASKED :: `--per-person` or `--max-rows-per-person`, one of both, must say what of each person's rows
AGE --person '' --per-person mean ASKED :: `--person` must name the column of ids.
AGE --person id --max-rows-per-person many ASKED :: `--max-rows-per-person` must be a whole number from 1 to 1,000.
AGE --quantiles median --epsilon much :: `--epsilon` must be a number such as 0.5.
AGE --per-person mean ASKED :: `--per-person` must go with `--person`.
AGE --total-epsilon 3 ASKED :: `--total-epsilon` must go with `--account`.
AGE --release-id one ASKED :: `--release-id` must go with `--account`.
AGE --account new ASKED :: `--account` must be that of an account in this ledger, got 'new'
AGE --account new --total-delta 1e-5 ASKED :: `--total-delta` must go with `--total-epsilon`
AGE --account new --total-epsilon nan ASKED :: `--total-epsilon` must be finite and > 0
AGE --account new --total-epsilon 0.1 ASKED :: `--epsilon` or `--rho` must fit what is left
AGE --account new --total-epsilon 3 --out nowhere/answers.csv ASKED :: `--out` must be a file that can be written
AGE --account new --total-epsilon 3 --mechanism normal ASKED :: `--adjacency` must be `replace_one`
AGE --person id --per-person weight --by sex=f,m --mechanism slice ASKED :: `--per-person` must make one
AGE --by sex=f,m --mechanism aq --intervals 0.999 --noisy-count ASKED :: must be a number for a chance above 99.8 %
"""
"""A line, and what its refusal says. Names in capitals stand for the words in `conftest`."""


@pytest.mark.parametrize("row", REFUSED.strip().splitlines(), ids=lambda row: row.partition(" :: ")[0])
def test_what_is_half_said_is_refused_with_what_to_type(row: str, refused: Refused) -> None:
    line, sentence = row.split(" :: ")
    assert sentence in refused(f"people.csv {line}")
    ledger = Path("ledger.sqlite")
    assert not ledger.exists() or Ledger.at(ledger).accounts() == ()
