"""The release of all groups of a column from the command line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dpq_core import Adjacency, ApproxDP, Plan, PureDP
from dpq_core.__main__ import WRONG, main
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.history.entries import standing

RELEASE = ["release", "plan.json", "pay.csv", "--column", "pay", "--lower", "0", "--upper", "100", "--step", "1"]
GROUPS = ["--groups", "department"]
LISTED = [*GROUPS, "--names", "north, south,west"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_in_place: None) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DPQ_MODE", raising=False)
    monkeypatch.setenv("DPQ_LEDGER_URL", "ledger.sqlite")
    write_plan(Plan(["3/4", "1/4"], privacy=PureDP(50.0)))
    rows = "".join(f"{k % 2 * 50 + k % 9},{('north', ' south ')[k % 2]},{k // 4}\n" for k in range(400))
    Path("pay.csv").write_text("pay,department,person\n" + rows + "77,QX81,5\n")


def write_plan(plan: Plan, **more: Any) -> None:
    Path("plan.json").write_text(json.dumps({"plan": plan.as_dict(), **more} if more else plan.as_dict()))


def answer(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    assert main([*RELEASE, *arguments]) == 0, capsys.readouterr().err
    out, err = capsys.readouterr()
    assert "QX81" not in out + err
    return out, err


def values(out: str) -> dict[tuple[str, str], float]:
    return {(row["group"], row["level"]): row["value"] for row in json.loads(out)["quantiles"]}


def test_every_listed_group_is_answered_from_rows_of_its_own(capsys):
    out, err = answer(LISTED, capsys)
    found = values(out)
    assert list(found) == [(name, level) for name in ("north", "south", "west") for level in ("3/4", "1/4")]
    assert 0 <= found["north", "1/4"] <= found["north", "3/4"] < 20
    assert 45 < found["south", "1/4"] <= found["south", "3/4"] < 70
    released = json.loads(out)
    assert released["label"].startswith("Release: ε = 50, one person joins or leaves.")
    assert released["guarantee"]["epsilon"] == 50
    assert "Not charged to any ledger" in err


def test_a_plan_file_may_ask_for_intervals_of_each_group(capsys):
    plan = Plan(["3/4", "1/4"], "binhist", PureDP(50.0), intervals=0.9, about_n=100)
    write_plan(plan)
    out, _ = answer(LISTED, capsys)
    released = json.loads(out)
    assert len(released["quantiles"]) == 6
    for row in released["quantiles"]:
        assert list(row) == ["group", "level", "value", "low", "high"]
        assert 0 <= row["low"] <= row["value"] <= row["high"] <= 100
    assert "in each group, not in all groups at once" in released["intervals"]["sentences"][1]
    assert Plan.from_dict(released["plan"]) == plan
    out, _ = answer([*LISTED, "--csv"], capsys)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert list(rows[0])[:5] == ["group", "level", "value", "low", "high"]
    assert all(float(row["low"]) <= float(row["value"]) <= float(row["high"]) for row in rows)


def test_a_noisy_count_in_a_plan_file_counts_every_group(capsys):
    write_plan(Plan(["1/2"], "aq", PureDP(1.0), intervals=0.9, about_n="noisy"))
    out, _ = answer(LISTED, capsys)
    released = json.loads(out)
    assert released["notes"][-1].startswith("Noisy counts of the records: ")
    assert "from 5 % of the budget" in released["intervals"]["sentences"][2]


def test_a_noisy_count_for_a_higher_chance_is_refused_before_anything_is_charged(capsys):
    write_plan(Plan(["1/2"], "aq", PureDP(1.0), intervals=0.999, about_n="noisy"))
    assert main([*RELEASE, *LISTED, "--account", "new", "--total-epsilon", "3"]) == WRONG
    assert "`about_n` must be a number for a chance above 99.8 %" in capsys.readouterr().err
    (account,) = Ledger.from_environment(make_key=True).accounts()
    assert standing(account).entries == ()


def test_a_listed_name_that_the_column_cannot_hold_is_refused_before_a_charge(capsys):
    rows = pd.read_csv("pay.csv")
    rows["department"] = rows["person"] % 2
    rows.drop(columns=["person"]).to_parquet("pay.csv")
    account = ["--account", "new", "--total-epsilon", "60"]
    for line in (
        [*RELEASE, *GROUPS, "--names", "0,1,north"],
        ["release", "pay.csv", "--column", "pay=0:100:1", "--by", "department=0,1,north", "--epsilon", "1",
         "--quantiles", "median"],
    ):  # fmt: skip
        assert main([*line, *account]) == WRONG
        assert "The column of groups holds whole numbers, so no row can be in north." in capsys.readouterr().err
        accounts = Ledger.from_environment(make_key=True).accounts()
        assert all(standing(each).entries == () for each in accounts)
    assert {name for name, _ in values(answer([*GROUPS, "--names", "0,1"], capsys)[0])} == {"0", "1"}


def test_a_table_has_a_row_for_each_quantile_and_the_ledger_one_charge(capsys):
    account = ["--account", "staff", "--total-epsilon", "60", "--csv", "--other", "=1+1"]
    assert main([*RELEASE, *LISTED, *account]) == 0
    out, err = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["group"] for row in rows] == ["north"] * 2 + ["south"] * 2 + ["west"] * 2 + ["'=1+1"] * 2
    assert [row["level"] for row in rows] == ["3/4", "1/4"] * 4
    assert {row["account"] for row in rows} == {"staff"}
    assert rows[0]["label"].startswith("Release: ε = 50")
    (charged,) = Ledger.from_environment().accounts()
    assert [entry.release_id for entry in standing(charged).entries] == [rows[0]["release_id"]]
    assert "charged to staff: ε = 10 left of ε = 60." in err
    assert main(["ledger", "show", "staff"]) == 0
    assert "3/4 1/4 of 4 groups" in capsys.readouterr().out


def test_a_list_comes_from_a_file_and_a_person_is_in_several_groups(capsys):
    Path("names.txt").write_text("\ufeffsouth\n\nAcme, Inc.\n", encoding="utf-8")
    whose = ["--person", "person", "--take", "mean", "--groups-per-person", "2"]
    out, _ = answer([*GROUPS, "--names-file", "names.txt", *whose], capsys)
    assert [name for name, _ in values(out)][::2] == ["south", "Acme, Inc."]
    assert values(out)["south", "1/4"] > 45
    guarantee = json.loads(out)["guarantee"]
    assert (guarantee["epsilon"], guarantee["protects"]) == (50, "person")


def test_the_list_of_a_plan_file_of_the_dashboard_holds(capsys):
    plan = Plan(["1/2"], privacy=PureDP(50.0))
    write_plan(plan, groups={"column": "department", "names": ["north"], "other": "rest"})
    assert list(values(answer([], capsys)[0])) == [("north", "1/2"), ("rest", "1/2")]
    write_plan(plan, groups={"names": ["north"]})
    assert main(RELEASE) == WRONG
    assert "`groups` must name a column" in capsys.readouterr().err


def test_groups_are_found_with_a_delta(capsys):
    write_plan(Plan(["1/2"], privacy=ApproxDP(20.0, 1e-4)))
    assert list(values(answer([*GROUPS, "--find-groups"], capsys)[0])) == [("north", "1/2"), ("south", "1/2")]


def test_that_no_group_is_named_is_said(capsys):
    Path("pay.csv").write_text("pay,department\n50,A\n51,B\n52,C\n")
    write_plan(Plan(["1/2"], privacy=ApproxDP(0.1, 1e-9)))
    out, err = answer([*GROUPS, "--find-groups"], capsys)
    assert json.loads(out)["quantiles"] == []
    assert "No group is large enough to be named.\n" in err


def test_the_best_mechanism_is_chosen_for_a_group_and_a_forecast_reads_nothing(capsys):
    write_plan(Plan(["1/2"], "best", PureDP(1.0)))
    assert "Chose " in answer([*LISTED, "--about", "300"], capsys)[1]
    Path("pay.csv").unlink()
    out, _ = answer([*LISTED, "--about", "3", "--forecast"], capsys)
    assert "By your guess that is every group." in out
    assert not Path("ledger.sqlite").exists()


def test_sizes_of_groups_are_private_so_values_may_be_missing(capsys):
    write_plan(Plan(["1/2"], privacy=PureDP(50.0), adjacency=Adjacency.SUBSTITUTE))
    assert json.loads(answer(LISTED, capsys)[0])["guarantee"]["adjacency"] == Adjacency.SUBSTITUTE


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--names", "a"], "`--names` must go with `--groups`."),
        (GROUPS, "`--names` or `--names-file` must list the groups, or `--find-groups` be given."),
        ([*LISTED, "--find-groups"], "`--names` or `--names-file` must list the groups, or `--find-groups` be given."),
        ([*GROUPS, "--names", "a,a"], "`names` must be different from each other."),
        ([*GROUPS, "--names", ""], "`names` must be from 1 to 16,777,215 groups."),
        ([*GROUPS, "--names-file", "none"], "the file none cannot be used: no such file or directory."),
        (
            [*LISTED, "--intervals", "0.9"],
            "`--intervals` must be left out with `--groups`: a plan file may hold intervals, with about_n",
        ),
        ([*LISTED, "--person", "person", "--most-rows", "2"], "`--take` must make one number of each person, such as"),
        ([*LISTED, "--person", "person"], "`--take` or `--most-rows` must say what of each person's rows counts."),
        ([*LISTED, "--forecast"], "`--about` must be given for `--forecast`"),
        ([*LISTED, "--about", "9"], "`--about` must go with the mechanism 'best' in the plan, or with `--forecast`."),
    ],
)
def test_a_mistake_is_one_clear_line_before_the_file_is_read(capsys, arguments, sentence):
    Path("pay.csv").unlink()
    assert main([*RELEASE, *arguments]) == WRONG
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([*LISTED, "--groups-per-person", "2"], "`groups_per_person` must be 1 without `people`"),
        ([*GROUPS, "--find-groups"], "`privacy` must have a delta where groups are found"),
    ],
)
def test_what_a_library_refuses_is_one_line_too(capsys, arguments, sentence):
    assert main([*RELEASE, *arguments]) == WRONG
    assert sentence in capsys.readouterr().err.splitlines()[-1]
