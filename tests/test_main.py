"""The package on the command line."""

from __future__ import annotations

import errno
import json
import re
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pandas
import pytest

from dpq_core import ZCDP, Adjacency, Domain, FindBounds, LedgerError, Plan, PublicFacts, PureDP, best_plan, ledger
from dpq_core.__main__ import INTERRUPTED, WRONG, main
from dpq_core.cluster.grid import steps_on
from dpq_core.commands import charging
from dpq_core.ledger import Ledger, standing
from dpq_core.studies import engine
from dpq_core.studies.grid import Grid

ROOT = Path(__file__).parents[1]
GRID = Grid(mechanisms=["aq", "slice"], quantiles=[3], n=[50], trials=10, seed=1)
SLACK_SECONDS = 15.0
"""Of a busy machine."""
BOUNDS = ["--column", "age", "--lower", "0", "--upper", "120", "--step", "1"]

CHARGED = ["release", "plan.json", "people.csv", *BOUNDS, "--account", "patients"]
OPENED = [*CHARGED, "--total-epsilon", "3", "--total-delta", "1e-5", "--one-row-is", "patient"]


@pytest.fixture
def files(tmp_path, monkeypatch, read_in_place):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DPQ_MODE", raising=False)
    monkeypatch.setenv("DPQ_LEDGER_URL", "ledger.sqlite")
    Path("grid.json").write_text(GRID.to_json())
    Path("plan.json").write_text(Plan(["3/4", "1/4"], privacy=ZCDP(0.5)).to_json())
    Path("persons.csv").write_text("Ada,36\nAlan,41\n")
    Path("people.csv").write_text("age,city\n31,a\n47,b\n,c\n8765,d\n")
    return tmp_path


def complaint(capsys):
    out, err = capsys.readouterr()
    lines = err.strip().splitlines()
    assert out == ""
    assert lines[-1].startswith("dpq: error: ")
    return lines[-1].removeprefix("dpq: error: ")


@pytest.mark.parametrize("name", ["result.parquet", "result.csv", "result.json"])
def test_a_study_is_written(files, capsys, name):
    assert main(["study", "grid.json", "--out", name, "--trials", "20", "--seed", "5"]) == 0
    out, err = capsys.readouterr()
    read = {"parquet": pandas.read_parquet, "csv": pandas.read_csv, "json": pandas.read_json}[name.split(".")[1]]
    table = read(name)
    assert table["trials"].tolist() == [20, 20]
    assert table["seed"].tolist() == [5, 5]
    assert table["supported"].tolist() == [True, False]
    assert out == ""
    assert "100 %" in err
    assert "not supported" in err


def test_cells_on_a_cluster_are_the_same(files):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0", protocol="inproc") as workers:
        found = [row for _, row in steps_on(workers.scheduler_address, GRID)]
    errors = {row.configuration: row.max_error for _, row in engine.steps(GRID) if row.supported}
    assert {row.configuration: row.max_error for row in found if row.supported} == errors
    assert len(found) == len(GRID)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["study", "grid.json", "--out", "result.txt"], "`out` must end in .parquet, .csv, .json, got 'result.txt'."),
        (["study", "none.json", "--out", "r.csv"], "the file none.json cannot be used: no such file or directory."),
        (["study", "people.csv", "--out", "r.csv"], "`grid` must be JSON text."),
        (["study", "grid.json", "--out", "r.csv", "--trials", "0"], "`trials` must be a whole number >= 1, got 0."),
        (["release", "grid.json", "people.csv", *BOUNDS], "`plan` must hold exactly"),
        (["release", "people.csv", "people.csv", *BOUNDS], "`plan` must be JSON text."),
        (["release", "plan.json", "none.csv", *BOUNDS], "The file cannot be opened"),
        (["release", "plan.json", "people.csv", *BOUNDS, "--column", "name"], "`column` must be one of"),
        (["release", "plan.json", "people.csv", *BOUNDS, "--column", "city"], "A cell is not a number"),
        (["release", "plan.json", "persons.csv", *BOUNDS], "`--header` or `--no-header` must be given for this file"),
        (["release", "plan.json", "people.csv", *BOUNDS, "--upper", "nan"], "`upper` must be a finite number"),
        (["release", "plan.json", "people.csv", *BOUNDS[2:]], "`--column` must be given: the file has 2 columns."),
        (["release", "plan.json", "people.csv", *BOUNDS[:2]], "`--lower` and `--upper` must be given: the plan"),
        (["release", "plan.json", "people.csv", *BOUNDS[:4]], "`--lower` and `--upper` must be given together"),
        (["release", "plan.json", "people.csv", *BOUNDS, "--total-epsilon", "3"], "`--total-epsilon` must go with"),
        (["release", "plan.json", "people.csv", *BOUNDS, "--digits", "2"], "`--digits` replaces `--lower`"),
        (["release", "plan.json", "people.csv", *BOUNDS, "--largest", "9"], "`--digits` must be given with the ends"),
        (
            ["release", "plan.json", "people.csv", *BOUNDS, "--find-bounds"],
            "`--find-bounds` replaces `--lower`",
        ),
        (["release", "plan.json", "people.csv", *BOUNDS, "--share", "0.2"], "`--share` must go with `--find-bounds`."),
        (
            ["release", "plan.json", "people.csv", *BOUNDS, "--noisy-count"],
            "`--noisy-count` must go with",
        ),
        (["release", "plan.json", "people.csv", "--digits", "9"], "`digits` must be a whole number from 1 to 3"),
        (["release", "plan.json", "people.csv", *BOUNDS, "--take", "mean"], "`--take` must go with `--person`."),
        (["release", "plan.json", "people.csv", *BOUNDS, "--person", "city"], "`--take` or `--most-rows` must say"),
        ([*CHARGED], "`--account` must be that of an account in this ledger, got 'patients'"),
        ([*CHARGED, "--total-delta", "1e-5"], "`--total-delta` must go with `--total-epsilon`"),
        ([*CHARGED, "--total-epsilon", "nan"], "`epsilon` must be finite and > 0"),
        ([*CHARGED, "--total-epsilon", "0.1", "--total-delta", "1e-9"], "`privacy` must fit what is left"),
    ],
)
def test_a_mistake_is_one_clear_line(files, capsys, arguments, sentence):
    assert main(arguments) == WRONG
    assert complaint(capsys).startswith(sentence)
    assert not Path("r.csv").exists()


def test_a_line_that_cannot_be_understood_exits_with_a_code_of_its_own(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["release"])
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("usage: dpq release FILE --column NAME=LOW:HIGH:STEP"), "nothing is missing from its help"
    with pytest.raises(SystemExit) as ended:
        main(["release", "plan.json", "people.csv", "--about", "many"])
    assert ended.value.code == 2
    assert "error: argument --about/--about-n: must be a whole number, or one for each group" in capsys.readouterr().err


def test_a_release_says_what_it_is_and_nothing_of_the_data(files, capsys):
    assert main(["release", "plan.json", "people.csv", *BOUNDS, "--missing", "40"]) == 0
    out, err = capsys.readouterr()
    released = json.loads(out)
    assert released["kind"] == "release"
    assert released["label"].startswith("Release: ρ = 0.5, one person joins or leaves.")
    assert [answer["level"] for answer in released["quantiles"]] == ["3/4", "1/4"]
    assert all(answer["value"] in range(121) for answer in released["quantiles"])
    assert (released["guarantee"]["exact"], released["guarantee"]["rho"] <= 0.5) == (True, True)
    assert Plan.from_dict(released["plan"]) == Plan.from_json(Path("plan.json").read_text())
    assert "8765" not in out + err


def test_intervals_are_released_with_the_answers(files, capsys):
    arguments = ["release", "plan.json", "people.csv", *BOUNDS]
    assert main([*arguments, "--intervals", "0.9", "--about-n", "1000"]) == 0
    released = json.loads(capsys.readouterr().out)
    assert all(0 <= answer["low"] <= answer["value"] <= answer["high"] <= 120 for answer in released["quantiles"])
    assert released["intervals"]["proved"] is False
    assert "90 %" in released["intervals"]["sentences"][1]
    assert released["plan"]["about_n"] == 1000
    assert main([*arguments, "--intervals", "0.9"]) == WRONG
    assert complaint(capsys).startswith("`about_n` must be given for intervals")
    assert main([*arguments, "--about-n", "1000"]) == 0
    assert json.loads(capsys.readouterr().out)["plan"]["about_n"] == 1000


def test_a_row_is_named_where_that_is_asked_for(files, capsys):
    arguments = ["release", "plan.json", "people.csv", *BOUNDS, "--column", "city"]
    assert main(arguments) == WRONG
    told = complaint(capsys)
    assert told.endswith("`--show-where` names the row.")
    assert not any(digit in told.replace("2024-01-31", "").replace("1:30:00", "") for digit in "0123456789")
    assert main([*arguments, "--show-where"]) == WRONG
    assert complaint(capsys).endswith("delete titles and totals. Row 2.")
    Path("dates.csv").write_text("day\n01/02/2024\n")
    assert main(["release", "plan.json", "dates.csv", *BOUNDS, "--column", "day"]) == WRONG
    assert "--show-where" not in complaint(capsys)


def test_a_file_without_a_header_is_released_once_that_is_said(files, capsys):
    for said, column in (("--no-header", "column 2"), ("--header", "36")):
        assert main(["release", "plan.json", "persons.csv", *BOUNDS[2:], "--column", column, said]) == 0
        out, err = capsys.readouterr()
        assert json.loads(out)["kind"] == "release"
        assert not [configuration for configuration in ("Ada", "Alan") if configuration in out + err]


def test_a_plan_file_of_the_dashboard_needs_no_more_than_a_file_of_one_column(files, capsys):
    domain = Domain(0, "120.5", "1/2")
    content = {"label": "Settings only", "plan": json.loads(Path("plan.json").read_text()), "domain": domain.as_dict()}
    Path("plan.json").write_text(json.dumps(content))
    Path("ages.csv").write_text("age\n31\n47\n")
    for further in ([], BOUNDS):
        assert main(["release", "plan.json", "ages.csv", *further]) == 0
        released = json.loads(capsys.readouterr().out)
        assert released["domain"] == (Domain(0, 120, 1) if further else domain).as_dict()


def test_a_plan_file_of_people_releases_for_people_and_their_account_pays_for_nothing_else(files, capsys):
    Path("visits.csv").write_text("patient,age\nPX17701,31\nPX17701,47\nPX17702,8765\n")
    plan = Plan(["1/2"], privacy=PureDP(0.5)).as_dict()
    person = {"column": "patient", "one": "patient", "most_rows": 2}
    Path("plan.json").write_text(json.dumps({"plan": plan, "person": person}))
    visits = [word.replace("people.csv", "visits.csv") for word in OPENED]
    assert main(visits) == 0
    out, err = capsys.readouterr()
    released = json.loads(out)
    assert released["label"].startswith("Release: ε = 0.5, one person with all rows joins or leaves.")
    assert (released["guarantee"]["protects"], released["guarantee"]["epsilon"]) == ("person", 0.5)
    assert "PX1770" not in out + err
    assert [account.one_row_is for account in accounts()] == ["patient with all rows"]
    Path("plan.json").write_text(json.dumps(plan))
    assert main(visits) == WRONG
    assert complaint(capsys).startswith("`--person` must be given: patients protects one patient with all rows.")
    Path("plan.json").write_text(json.dumps({"plan": plan, "person": {"column": "patient", "take": "sum"}}))
    assert main(visits) == WRONG
    assert complaint(capsys).startswith("`take` must be one of mean,")


@pytest.mark.parametrize("possible", [BOUNDS, ["--column", "age=0:120:1"]], ids=["one column", "a table"])
def test_an_answer_of_persons_is_a_plan_file_for_persons_only(files, capsys, possible):
    Path("visits.csv").write_text("patient,age\nPX17701,31\nPX17701,47\nPX17702,8765\n")
    whose = ["--person", "patient", "--take", "mean"]
    assert main(["release", "plan.json", "visits.csv", *possible, *whose, "--out", "answer.json"]) == 0
    capsys.readouterr()
    assert main(["release", "answer.json", "visits.csv", *possible]) == WRONG
    assert complaint(capsys).startswith("`--person` must be given: the plan file is an answer that protects a person")
    assert main(["release", "answer.json", "visits.csv", *possible, *whose]) == 0
    assert json.loads(capsys.readouterr().out)["guarantee"]["protects"] == "person"


def test_an_account_of_rows_pays_for_no_people(files, capsys):
    assert main(OPENED) == 0
    capsys.readouterr()
    assert main([*CHARGED, "--person", "age", "--take", "mean"]) == WRONG
    assert complaint(capsys).startswith(
        "`--person` must go with an account of people: patients counts each row as one patient."
    )


def test_a_plan_may_ask_for_the_best_mechanism_and_what_is_charged_names_it(files, capsys):
    asked = Plan(["3/4", "1/4"], "best", PureDP(0.5))
    Path("plan.json").write_text(asked.to_json())
    best = best_plan(PublicFacts.of(asked, 5000, Domain(0, 120, 1)))
    assert main([*OPENED, "--about", "5000"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["plan"] == best.plan.as_dict()
    assert f"Chose {best.mechanism}. {best.reason}" in err
    assert "5,000 records" in best.reason
    assert [entry.plan for entry in standing(accounts()[0]).entries] == [best.plan]


def test_a_guess_of_the_number_decides_how_many_levels_are_drawn(files, capsys):
    Path("plan.json").write_text(Plan([f"{level}/21" for level in range(1, 21)], "aq", PureDP(0.5)).to_json())
    assert main(["release", "plan.json", "people.csv", *BOUNDS, "--about", "100"]) == 0
    released = json.loads(capsys.readouterr().out)
    assert re.match(r"1\d of 20 levels were drawn", released["notes"][-1])
    assert len(released["quantiles"]) == 20


@pytest.mark.parametrize(
    ("arguments", "domain"),
    [
        (["--digits", "2"], Domain.significant()),
        (["--digits", "3", "--smallest", "1", "--largest", "1e6", "--no-negative"],
         Domain.significant(3, 1, 10**6, negative=False)),
    ],
)  # fmt: skip
def test_significant_digits_stand_instead_of_bounds(files, capsys, arguments, domain):
    assert main(["release", "plan.json", "people.csv", "--column", "age", *arguments]) == 0
    released = json.loads(capsys.readouterr().out)
    assert Domain.from_dict(released["domain"]) == domain
    Path("plan.json").write_text(json.dumps(released))
    assert main(["release", "plan.json", "people.csv", "--column", "age"]) == 0
    assert json.loads(capsys.readouterr().out)["domain"] == released["domain"]


def test_a_noisy_count_stands_in_for_a_number_of_records(files, capsys):
    Path("plan.json").write_text(Plan(["1/2"], privacy=PureDP(1.0)).to_json())
    assert main(["release", "plan.json", "people.csv", *BOUNDS, "--intervals", "0.9", "--noisy-count"]) == 0
    released = json.loads(capsys.readouterr().out)
    assert released["plan"]["about_n"] == "noisy"
    assert released["notes"][-1].startswith("A noisy count of the records: ")
    assert "a noisy count from 5 % of the budget" in released["intervals"]["sentences"][2]


def test_bounds_are_found_from_a_share_of_the_budget_and_a_plan_file_finds_them_anew(files, capsys):
    arguments = ["release", "plan.json", "people.csv", "--column", "age"]
    assert main([*arguments, "--find-bounds", "--share", "0.2", "--step", "1", "--no-negative"]) == 0
    released = json.loads(capsys.readouterr().out)
    assert FindBounds.from_dict(released["find_bounds"]) == FindBounds("0.2", negative=False, step=1)
    assert (released["domain"]["lower"], released["domain"]["step"]) == ("0", "1")
    assert 0.99 < released["guarantee"]["rho"] / 0.5 <= 1
    assert "were found from 20 % of the budget" in released["warnings"][-1]
    Path("plan.json").write_text(json.dumps(released | {"plan": released["plan"] | {"mechanism": "best"}}))
    assert main([*arguments, "--about", "1000", "--account", "a", "--total-epsilon", "9", "--total-delta", "1e-5"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["find_bounds"] == released["find_bounds"]
    assert again["plan"]["privacy"] == released["plan"]["privacy"]
    (entry,) = standing(accounts()[0]).entries
    assert entry.guarantee.rho == again["guarantee"]["rho"]


def test_intervals_go_with_bounds_that_are_found_and_with_shares_of_persons(files, capsys):
    Path("plan.json").write_text(Plan(["1/2"], "indexp", PureDP(1.0)).to_json())
    asked = ["release", "plan.json", "people.csv", "--column", "age", "--intervals", "0.9", "--about", "1000"]
    assert main([*asked, "--find-bounds", "--step", "1", "--largest", "1000", "--no-negative"]) == 0
    between = json.loads(capsys.readouterr().out)
    assert main([*asked, "--lower", "0", "--upper", "120", "--person", "city", "--take", "share"]) == 0
    shares = json.loads(capsys.readouterr().out)
    for released in (between, shares):
        (quantile,) = released["quantiles"]
        assert quantile["low"] <= quantile["value"] <= quantile["high"]
        assert released["guarantee"]["epsilon"] <= 1
    assert "An end at a bound is open" in between["intervals"]["sentences"][0]
    assert "at least 1,000 persons" in shares["intervals"]["sentences"][2]


def test_a_grid_file_of_the_dashboard_repeats_a_study_to_the_last_byte_but_for_time(files):
    Path("grid.json").write_text(json.dumps({"label": "Settings only"} | GRID.as_dict()))
    tables = []
    for name in ("one.csv", "two.csv"):
        assert main(["study", "grid.json", "--out", name]) == 0
        table = pandas.read_csv(name, dtype=str, keep_default_na=False)
        assert float(table.pop("ms_per_trial")[0]) > 0
        tables.append(table.to_csv())
    assert tables[0] == tables[1]
    errors = [row.mean_error for _, row in engine.steps(GRID) if row.supported]
    assert [float(found) for found in table["mean_error"] if found] == errors


def test_what_a_refusal_has_cost_is_told(files, capsys):
    Path("plan.json").write_text(Plan(["1/4", "1/2"], "slice").to_json())
    assert main(["release", "plan.json", "people.csv", *BOUNDS]) == WRONG
    assert "Finding this out has spent epsilon = " in complaint(capsys)


def accounts():
    return Ledger.at("ledger.sqlite").accounts()


def write_plan(epsilon, adjacency=Adjacency.ADD_REMOVE):
    Path("plan.json").write_text(Plan(["1/2"], privacy=PureDP(epsilon), adjacency=adjacency).to_json())


def test_an_account_is_opened_charged_and_charged_again(files, capsys):
    write_plan(0.5)
    for times in (1, 2):
        assert main(OPENED if times == 1 else CHARGED) == 0
        out, err = capsys.readouterr()
        released = json.loads(out)
        (account,) = accounts()
        entry = standing(account).entries[-1]
        assert (released["account"], released["release_id"]) == ("patients", entry.release_id)
        assert len(standing(account).entries) == times
        assert entry.guarantee.rho == released["guarantee"]["rho"]
        assert f"charged to patients: ε = {3 - times * 0.5:g} left of ε = 3, δ = 0.00001." in err
        assert "Not charged" not in err
    assert (account.one_row_is, account.adjacency) == ("patient", Adjacency.ADD_REMOVE)
    assert main([*CHARGED, "--total-epsilon", "4"]) == WRONG
    assert complaint(capsys) == "`--total-epsilon` must be left out: the total of patients stays ε = 3, δ = 0.00001."
    assert main([*CHARGED, "--one-row-is", "visit"]) == WRONG
    assert complaint(capsys) == "`--one-row-is` must be left out, or be patient."
    assert main(OPENED) == 0, "the same line again charges the same account"


def test_the_same_line_with_the_same_id_gives_the_same_answer_and_charges_nothing(files, capsys):
    write_plan(2.0)
    asked = ["--release-id", "of june"]
    assert main([*OPENED, *asked]) == 0
    first, err = capsys.readouterr()
    assert json.loads(first)["release_id"] == "of june"
    assert "Released and charged to patients: ε = 1 left" in err
    assert main([*CHARGED, *asked]) == 0, "although it could not be paid once more"
    second, err = capsys.readouterr()
    assert second == first
    assert err.splitlines()[-1] == (
        "This is the stored answer of this id; nothing was charged to patients: ε = 1 left of ε = 3, δ = 0.00001."
    )
    Path("people.csv").write_text("age,weight\n31,62\n47,80\n")
    others = {
        "another file": CHARGED,
        "another column and another file": ["weight" if word == "age" else word for word in CHARGED],
        "other bounds and another file": ["130" if word == "120" else word for word in CHARGED],
    }
    for how, line in others.items():
        assert main([*line, *asked]) == WRONG
        said = complaint(capsys)
        assert said.startswith("`release_id` must be new for a new request")
        assert f"with {how}. Use a new release id" in said
    assert len(standing(accounts()[0]).entries) == 1
    assert main(["release", "plan.json", "people.csv", *BOUNDS, *asked]) == WRONG
    assert complaint(capsys) == "`--release-id` must go with `--account`."


def test_what_an_account_cannot_pay_is_refused_before_the_file_is_read(files, capsys):
    write_plan(2.0)
    assert main([*CHARGED, "--total-epsilon", "3"]) == 0
    capsys.readouterr()
    Path("people.csv").unlink()
    assert main(CHARGED) == WRONG
    assert complaint(capsys).startswith("`privacy` must fit what is left of this budget: the release needs ε = 2")
    write_plan(0.5, Adjacency.SUBSTITUTE)
    assert main([*CHARGED, "--missing", "0"]) == WRONG
    assert complaint(capsys) == "`adjacency` must be that of patients: one person joins or leaves."
    assert len(standing(accounts()[0]).entries) == 1


def test_without_an_account_one_line_says_what_is_not_done(files, capsys):
    assert main(["release", "plan.json", "people.csv", *BOUNDS]) == 0
    out, err = capsys.readouterr()
    assert [line for line in err.splitlines() if line.startswith("Not charged to any ledger")] != []
    assert not {"account", "release_id"} & set(json.loads(out))
    assert not Path("ledger.sqlite").exists()


def test_a_server_for_releases_charges_every_one(files, capsys, monkeypatch):
    monkeypatch.setenv("DPQ_MODE", "release")
    assert main(["release", "plan.json", "people.csv", *BOUNDS]) == WRONG
    assert complaint(capsys) == "`--account` must be given: with DPQ_MODE=release a ledger counts all."
    monkeypatch.delenv("DPQ_LEDGER_KEY")
    assert main(OPENED) == WRONG
    assert complaint(capsys).startswith("`DPQ_LEDGER_KEY` must be set")
    monkeypatch.setenv("DPQ_LEDGER_KEY", "a secret of some length")
    assert main(OPENED) == 0


@pytest.mark.parametrize("people", ["31\n47\n", "31\n\n47\n"], ids=["none missing", "one missing"])
def test_where_the_number_is_public_missing_values_are_asked_about_before_reading(files, capsys, people):
    """Whether one is missing must not be told by whether the command goes on."""
    write_plan(1.0, Adjacency.SUBSTITUTE)
    Path("people.csv").write_text(f"age,city\n{people}".replace("\n", ",x\n").replace("city,x", "city"))
    assert main(["release", "plan.json", "people.csv", *BOUNDS]) == WRONG
    first = complaint(capsys)
    Path("people.csv").unlink()
    assert main(["release", "plan.json", "people.csv", *BOUNDS]) == WRONG
    assert complaint(capsys) == first
    assert first.startswith("`--missing` must be given")
    Path("people.csv").write_text("age\n31\n47\n")
    assert main(["release", "plan.json", "people.csv", *BOUNDS, "--missing", "40"]) == 0


def test_the_curator_is_told_of_the_same_file_under_another_name(files, capsys):
    assert main(OPENED) == 0
    assert "looks the same" not in capsys.readouterr().err
    assert main([*OPENED[:-8], "--account", "visits", *OPENED[-6:]]) == 0
    assert "This file looks the same as one charged to patients." in capsys.readouterr().err


def test_an_interrupted_release_says_that_its_charge_stays(files, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("dpq_core.ledger.charging.draw", interrupted)
    assert main(OPENED) == INTERRUPTED
    assert "What was charged stays charged." in capsys.readouterr().err
    assert [entry.state for entry in standing(accounts()[0]).entries] == ["failed"]


def test_an_interrupted_study_writes_nothing(files, capsys, monkeypatch):
    def interrupted(grid):
        yield next(engine_steps(grid))
        raise KeyboardInterrupt

    engine_steps = engine.steps
    monkeypatch.setattr(engine, "steps", interrupted)
    assert main(["study", "grid.json", "--out", "r.csv"]) == INTERRUPTED
    assert not Path("r.csv").exists()


def test_it_runs_as_a_module(files):
    command = [sys.executable, "-m", "dpq_core", "study", str(files / "grid.json"), "--out", str(files / "r.json")]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0
    assert len(json.loads(Path("r.json").read_text())) == 2


def test_a_locked_ledger_is_one_sentence_in_time(files, capsys):
    assert main([*CHARGED, "--total-epsilon", "6", "--total-delta", "1e-5"]) == 0
    capsys.readouterr()
    other = sqlite3.connect("ledger.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    start = time.monotonic()
    assert main(CHARGED) == WRONG
    assert time.monotonic() - start < 5 + SLACK_SECONDS
    assert complaint(capsys) == "The ledger cannot be reached; nothing was charged."
    assert main(["ledger", "verify"]) == 0, "whoever looks needs no lock"
    other.close()
    assert len(standing(accounts()[0]).entries) == 1


def test_an_answer_that_cannot_be_written_is_told_as_charged(files, capsys, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(charging, "give_release", full)
    assert main(OPENED) == WRONG
    charged, failed = capsys.readouterr().err.splitlines()[-2:]
    assert charged == "The answer was released and charged to patients: the page Report has it."
    assert failed == "dpq: error: the output cannot be used: no space left on device."
    assert len(standing(accounts()[0]).entries) == 1


def test_an_answer_that_was_given_is_told_as_charged_whatever_comes_after(files, capsys, monkeypatch):
    def out_of_reach(*_):
        raise LedgerError("The ledger cannot be reached; nothing was charged.")

    monkeypatch.setattr(ledger, "sums", out_of_reach)
    assert main(OPENED) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["account"] == "patients"
    assert err.splitlines()[-1].startswith("The answer was released and charged to patients; the ledger can no longer")
    assert "nothing was charged" not in err
    assert len(standing(accounts()[0]).entries) == 1
