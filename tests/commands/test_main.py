"""The package on the command line: studies, and releases by a plan file, with an account and without."""

from __future__ import annotations

import errno
import json
import re
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas
import pytest

from dpq_core import ZCDP, Adjacency, Domain, FindBounds, LedgerError, Plan, PublicFacts, PureDP, best_plan
from dpq_core.__main__ import INTERRUPTED, WRONG, main
from dpq_core.cluster.grid import steps_on
from dpq_core.commands import charging
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.history.entries import standing
from dpq_core.studies import engine
from dpq_core.studies.grid import Grid
from tests.documents import ROOT

GRID = Grid(mechanisms=["aq", "slice"], quantiles=[3], n=[50], trials=10, seed=1)
AGE = "release plan.json people.csv --column age"
RELEASE = f"{AGE} --lower 0 --upper 120 --step 1"
CHARGED = f"{RELEASE} --account patients"
OPENED = f"{CHARGED} --total-epsilon 3 --total-delta 1e-5 --one-row-is patient"


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch, read_in_place):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DPQ_MODE", raising=False)
    monkeypatch.setenv("DPQ_LEDGER_URL", "ledger.sqlite")
    Path("grid.json").write_text(GRID.to_json())
    Path("plan.json").write_text(Plan(["3/4", "1/4"], privacy=ZCDP(0.5)).to_json())
    Path("persons.csv").write_text("Ada,36\nAlan,41\n")
    Path("people.csv").write_text("age,city\n31,a\n47,b\n,c\n8765,d\n")
    Path("visits.csv").write_text("patient,age\nPX17701,31\nPX17701,47\nPX17702,8765\n")


@pytest.fixture
def released(capsys):
    """Run a line that is answered; return the answer, and what else was written."""

    def run(line: str) -> tuple[dict[str, Any], str]:
        assert main(shlex.split(line)) == 0, capsys.readouterr().err
        out, err = capsys.readouterr()
        return json.loads(out), err

    return run


@pytest.fixture
def refused(capsys):
    """Run a line that is refused, in one line; return that line."""

    def run(line: str) -> str:
        assert main(shlex.split(line)) == WRONG
        out, err = capsys.readouterr()
        *_, last = err.strip().splitlines()
        assert (out, last[:12]) == ("", "dpq: error: ")
        return str(last[12:])

    return run


def accounts():
    return Ledger.at("ledger.sqlite").accounts()


def entries():
    return standing(accounts()[0]).entries


def write_plan(epsilon=0.5, adjacency=Adjacency.ADD_REMOVE, **further):
    plan = Plan(["1/2"], privacy=PureDP(epsilon), adjacency=adjacency)
    Path("plan.json").write_text(json.dumps({"plan": plan.as_dict(), **further}) if further else plan.to_json())


# ── studies ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["result.parquet", "result.csv", "result.json"])
def test_a_study_is_written(capsys, name):
    assert main(["study", "grid.json", "--out", name, "--trials", "20", "--seed", "5"]) == 0
    out, err = capsys.readouterr()
    read = {"parquet": pandas.read_parquet, "csv": pandas.read_csv, "json": pandas.read_json}[name.split(".")[1]]
    table = read(name)
    assert (table["trials"].tolist(), table["seed"].tolist()) == ([20, 20], [5, 5])
    assert table["supported"].tolist() == [True, False]
    assert out == ""
    assert "100 %" in err


def test_cells_on_a_cluster_are_the_same():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0", protocol="inproc") as workers:
        found = [row for _, row in steps_on(workers.scheduler_address, GRID)]
    errors = {row.configuration: row.max_error for _, row in engine.steps(GRID) if row.supported}
    assert {row.configuration: row.max_error for row in found if row.supported} == errors
    assert len(found) == len(GRID)


def test_a_grid_file_of_the_dashboard_repeats_a_study_to_the_last_byte_but_for_time():
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


def test_an_interrupted_study_writes_nothing(monkeypatch):
    def interrupted(grid):
        yield next(engine_steps(grid))
        raise KeyboardInterrupt

    engine_steps = engine.steps
    monkeypatch.setattr(engine, "steps", interrupted)
    assert main(["study", "grid.json", "--out", "r.csv"]) == INTERRUPTED
    assert not Path("r.csv").exists()


@pytest.mark.slow
def test_it_runs_as_a_module(tmp_path):
    command = [
        sys.executable,
        "-m",
        "dpq_core",
        "study",
        str(tmp_path / "grid.json"),
        "--out",
        str(tmp_path / "r.json"),
    ]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0
    assert len(json.loads(Path("r.json").read_text())) == 2


# ── mistakes ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("study grid.json --out result.txt", "`out` must end in .parquet, .csv, .json, got 'result.txt'."),
        ("study none.json --out r.csv", "the file none.json cannot be used: no such file or directory."),
        ("study people.csv --out r.csv", "`grid` must be JSON text."),
        ("study grid.json --out r.csv --trials 0", "`trials` must be a whole number >= 1, got 0."),
        (RELEASE.replace("plan", "grid"), "`plan` must hold exactly"),
        (RELEASE.replace("plan.json", "people.csv"), "`plan` must be JSON text."),
        (RELEASE.replace("people", "none"), "The file cannot be opened"),
        (f"{RELEASE} --column name", "`column` must be one of"),
        (f"{RELEASE} --column city", "A cell is not a number"),
        (RELEASE.replace("people", "persons"), "`--header` or `--no-header` must be given for this file"),
        (f"{RELEASE} --upper nan", "`upper` must be a finite number"),
        (RELEASE.replace("--column age", ""), "`--column` must be given: the file has 2 columns."),
        (AGE, "`--lower` and `--upper` must be given: the plan"),
        (f"{AGE} --lower 0", "`--lower` and `--upper` must be given together"),
        (f"{RELEASE} --total-epsilon 3", "`--total-epsilon` must go with"),
        (f"{RELEASE} --digits 2", "`--digits` replaces `--lower`"),
        (f"{RELEASE} --largest 9", "`--digits` must be given with the ends"),
        (f"{RELEASE} --find-bounds", "`--find-bounds` replaces `--lower`"),
        (f"{RELEASE} --share 0.2", "`--share` must go with `--find-bounds`."),
        (f"{RELEASE} --noisy-count", "`--noisy-count` must go with"),
        (f"{RELEASE} --intervals 0.9", "`about_n` must be given for intervals"),
        (f"{RELEASE} --release-id one", "`--release-id` must go with `--account`."),
        ("release plan.json people.csv --digits 9", "`digits` must be a whole number from 1 to 3"),
        (f"{RELEASE} --take mean", "`--take` must go with `--person`."),
        (f"{RELEASE} --person city", "`--take` or `--most-rows` must say"),
        (CHARGED, "`--account` must be that of an account in this ledger, got 'patients'"),
        (f"{CHARGED} --total-delta 1e-5", "`--total-delta` must go with `--total-epsilon`"),
        (f"{CHARGED} --total-epsilon nan", "`epsilon` must be finite and > 0"),
        (f"{CHARGED} --total-epsilon 0.1 --total-delta 1e-9", "`privacy` must fit what is left"),
    ],
)
def test_a_mistake_is_one_clear_line(refused, line, sentence):
    assert refused(line).startswith(sentence)
    assert not Path("r.csv").exists()


@pytest.mark.parametrize(
    ("line", "said"), [("release", "usage: dpq release"), (f"{RELEASE} --about many", "--about-n:")]
)
def test_a_line_that_cannot_be_understood_exits_with_a_code_of_its_own(capsys, line, said):
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    out, err = capsys.readouterr()
    assert (ended.value.code, out, said in err) == (2, "", True)


def test_a_row_is_named_where_that_is_asked_for(refused):
    said = refused(f"{RELEASE} --column city")
    assert "`--show-where`" in said
    assert not any(digit in said.replace("2024-01-31", "").replace("1:30:00", "") for digit in "0123456789")
    assert refused(f"{RELEASE} --column city --show-where").endswith("Row 2.")


def test_what_a_refusal_has_cost_is_told(refused):
    Path("plan.json").write_text(Plan(["1/4", "1/2"], "slice").to_json())
    assert "Finding this out has spent epsilon = " in refused(RELEASE)


# ── releases ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_release_says_what_it_is_and_nothing_of_the_data(released):
    found, err = released(f"{RELEASE} --missing 40")
    assert found["kind"] == "release"
    assert [answer["level"] for answer in found["quantiles"]] == ["3/4", "1/4"]
    assert all(answer["value"] in range(121) for answer in found["quantiles"])
    assert (found["guarantee"]["exact"], found["guarantee"]["rho"] <= 0.5) == (True, True)
    assert Plan.from_dict(found["plan"]) == Plan.from_json(Path("plan.json").read_text())
    assert "8765" not in json.dumps(found) + err
    assert "Not charged to any ledger" in err
    assert not {"account", "release_id"} & set(found)
    assert not Path("ledger.sqlite").exists()


@pytest.mark.slow
def test_intervals_are_released_with_the_answers(released):
    found, _ = released(f"{RELEASE} --intervals 0.9 --about-n 1000")
    assert all(0 <= answer["low"] <= answer["value"] <= answer["high"] <= 120 for answer in found["quantiles"])
    assert found["intervals"]["proved"] is False
    assert found["plan"]["about_n"] == 1000
    counted, _ = released(f"{RELEASE} --intervals 0.9 --noisy-count")
    assert counted["plan"]["about_n"] == "noisy"


def test_intervals_go_with_bounds_that_are_found_and_with_shares_of_persons(released):
    Path("plan.json").write_text(Plan(["1/2"], "indexp", PureDP(1.0)).to_json())
    asked = f"{AGE} --intervals 0.9 --about 1000"
    for more in (
        "--find-bounds --step 1 --largest 1000 --no-negative",
        "--lower 0 --upper 120 --person city --take share",
    ):
        found, _ = released(f"{asked} {more}")
        (quantile,) = found["quantiles"]
        assert quantile["low"] <= quantile["value"] <= quantile["high"]
        assert found["guarantee"]["epsilon"] <= 1


def test_a_file_without_a_header_is_released_once_that_is_said(released):
    for said, column in (("--no-header", "'column 2'"), ("--header", "36")):
        found, err = released(f"{RELEASE.replace('people', 'persons')} --column {column} {said}")
        assert found["kind"] == "release"
        assert not [name for name in ("Ada", "Alan") if name in json.dumps(found) + err]


def test_a_plan_file_of_the_dashboard_needs_no_more_than_a_file_of_one_column(released):
    domain = Domain(0, "120.5", "1/2")
    content = {"label": "Settings only", "plan": json.loads(Path("plan.json").read_text()), "domain": domain.as_dict()}
    Path("plan.json").write_text(json.dumps(content))
    Path("ages.csv").write_text("age\n31\n47\n")
    line = "release plan.json ages.csv"
    for further, expected in (("", domain), (" --lower 0 --upper 120 --step 1", Domain(0, 120, 1))):
        assert released(line + further)[0]["domain"] == expected.as_dict()


def test_a_plan_file_of_people_releases_for_people_and_their_account_pays_for_nothing_else(released, refused):
    visits, plan = OPENED.replace("people", "visits"), Plan(["1/2"], privacy=PureDP(0.5)).as_dict()
    write_plan(person={"column": "patient", "one": "patient", "most_rows": 2})
    found, err = released(visits)
    assert (found["guarantee"]["protects"], found["guarantee"]["epsilon"]) == ("person", 0.5)
    assert "PX1770" not in json.dumps(found) + err
    assert [account.one_row_is for account in accounts()] == ["patient with all rows"]
    Path("plan.json").write_text(json.dumps(plan))
    assert refused(visits).startswith("`--person` must be given: patients protects one patient with all rows.")
    write_plan(person={"column": "patient", "take": "sum"})
    assert refused(visits).startswith("`take` must be one of mean,")


@pytest.mark.parametrize("possible", ["--column age --lower 0 --upper 120 --step 1", "--column age=0:120:1"])
def test_an_answer_of_persons_is_a_plan_file_for_persons_only(released, refused, possible):
    line, whose = f"release plan.json visits.csv {possible}", "--person patient --take mean"
    assert main(shlex.split(f"{line} {whose} --out answer.json")) == 0
    again = line.replace("plan", "answer")
    assert refused(again).startswith("`--person` must be given: the plan file is an answer that protects a person")
    assert released(f"{again} {whose}")[0]["guarantee"]["protects"] == "person"


def test_an_account_of_rows_pays_for_no_people(released, refused):
    released(OPENED)
    assert refused(f"{CHARGED} --person age --take mean").startswith("`--person` must go with an account of people")


def test_a_plan_may_ask_for_the_best_mechanism_and_what_is_charged_names_it(released):
    asked = Plan(["3/4", "1/4"], "best", PureDP(0.5))
    Path("plan.json").write_text(asked.to_json())
    best = best_plan(PublicFacts.of(asked, 5000, Domain(0, 120, 1)))
    found, err = released(f"{OPENED} --about 5000")
    assert found["plan"] == best.plan.as_dict()
    assert f"Chose {best.mechanism}. {best.reason}" in err
    assert [entry.plan for entry in entries()] == [best.plan]


def test_a_guess_of_the_number_decides_how_many_levels_are_drawn(released):
    Path("plan.json").write_text(Plan([f"{level}/21" for level in range(1, 21)], "aq", PureDP(0.5)).to_json())
    found, _ = released(f"{RELEASE} --about 100")
    assert re.match(r"1\d of 20 levels were drawn", found["notes"][-1])
    assert len(found["quantiles"]) == 20


@pytest.mark.parametrize(
    ("arguments", "domain"),
    [
        ("--digits 2", Domain.significant()),
        ("--digits 3 --smallest 1 --largest 1e6 --no-negative", Domain.significant(3, 1, 10**6, negative=False)),
    ],
)
def test_significant_digits_stand_instead_of_bounds(released, arguments, domain):
    found, _ = released(f"{AGE} {arguments}")
    assert Domain.from_dict(found["domain"]) == domain
    Path("plan.json").write_text(json.dumps(found))
    assert released(AGE)[0]["domain"] == found["domain"]


@pytest.mark.slow
def test_bounds_are_found_from_a_share_of_the_budget_and_a_plan_file_finds_them_anew(released):
    found, _ = released(f"{AGE} --find-bounds --share 0.2 --step 1 --no-negative")
    assert FindBounds.from_dict(found["find_bounds"]) == FindBounds("0.2", negative=False, step=1)
    assert (found["domain"]["lower"], found["domain"]["step"]) == ("0", "1")
    assert 0.99 < found["guarantee"]["rho"] / 0.5 <= 1
    assert "were found from 20 % of the budget" in found["warnings"][-1]
    Path("plan.json").write_text(json.dumps(found | {"plan": found["plan"] | {"mechanism": "best"}}))
    again, _ = released(f"{AGE} --about 1000 --account a --total-epsilon 9 --total-delta 1e-5")
    assert again["find_bounds"] == found["find_bounds"]
    assert again["plan"]["privacy"] == found["plan"]["privacy"]
    (entry,) = entries()
    assert entry.guarantee.rho == again["guarantee"]["rho"]


# ── accounts ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_account_is_opened_charged_and_charged_again(released, refused):
    write_plan()
    for times, line in ((1, OPENED), (2, CHARGED)):
        found, err = released(line)
        (account,) = accounts()
        assert (found["account"], found["release_id"]) == ("patients", entries()[-1].release_id)
        assert len(entries()) == times
        assert entries()[-1].guarantee.rho == found["guarantee"]["rho"]
        assert f"charged to patients: ε = {3 - times * 0.5:g} left of ε = 3, δ = 0.00001." in err
        assert "Not charged" not in err
    assert (account.one_row_is, account.adjacency) == ("patient", Adjacency.ADD_REMOVE)
    assert refused(f"{CHARGED} --total-epsilon 4").startswith("`--total-epsilon` must be left out")
    assert refused(f"{CHARGED} --one-row-is visit") == "`--one-row-is` must be left out, or be patient."
    assert released(OPENED), "the same line again charges the same account"


def test_the_same_line_with_the_same_id_gives_the_same_answer_and_charges_nothing(released, refused):
    write_plan(2.0)
    first, err = released(f"{OPENED} --release-id june")
    assert first["release_id"] == "june"
    assert "Released and charged to patients: ε = 1 left" in err
    second, err = released(f"{CHARGED} --release-id june")  # although it could not be paid once more
    assert second == first
    assert "nothing was charged to patients: ε = 1 left of ε = 3" in err.splitlines()[-1]
    Path("people.csv").write_text("age,weight\n31,62\n47,80\n")
    others = {
        "another file": CHARGED,
        "another column and another file": CHARGED.replace("--column age", "--column weight"),
        "other bounds and another file": CHARGED.replace("120", "130"),
    }
    for how, line in others.items():
        said = refused(f"{line} --release-id june")
        assert said.startswith("`release_id` must be new for a new request")
        assert f"with {how}. Use a new release id" in said
    assert len(entries()) == 1


def test_what_an_account_cannot_pay_is_refused_before_the_file_is_read(released, refused):
    write_plan(2.0)
    released(f"{CHARGED} --total-epsilon 3")
    Path("people.csv").unlink()
    assert refused(CHARGED).startswith("`privacy` must fit what is left of this budget: the release needs ε = 2")
    write_plan(0.5, Adjacency.SUBSTITUTE)
    assert refused(f"{CHARGED} --missing 0") == "`adjacency` must be that of patients: one person joins or leaves."
    assert len(entries()) == 1


def test_a_server_for_releases_charges_every_one(released, refused, monkeypatch):
    monkeypatch.setenv("DPQ_MODE", "release")
    assert refused(RELEASE) == "`--account` must be given: with DPQ_MODE=release a ledger counts all."
    monkeypatch.delenv("DPQ_LEDGER_KEY")
    assert refused(OPENED).startswith("`DPQ_LEDGER_KEY` must be set")
    monkeypatch.setenv("DPQ_LEDGER_KEY", "a secret of some length")
    released(OPENED)


@pytest.mark.parametrize("people", ["31,x\n47,x\n", "31,x\n,x\n47,x\n"], ids=["none missing", "one missing"])
def test_where_the_number_is_public_missing_values_are_asked_about_before_reading(released, refused, people):
    """Whether one is missing must not be told by whether the command goes on."""
    write_plan(1.0, Adjacency.SUBSTITUTE)
    Path("people.csv").write_text(f"age,city\n{people}")
    first = refused(RELEASE)
    assert first.startswith("`--missing` must be given")
    Path("people.csv").unlink()
    assert refused(RELEASE) == first
    Path("people.csv").write_text("age\n31\n47\n")
    released(f"{RELEASE} --missing 40")


def test_the_curator_is_told_of_the_same_file_under_another_name(released):
    assert "looks the same" not in released(OPENED)[1]
    said = released(OPENED.replace("--account patients", "--account visits"))[1]
    assert "This file looks the same as one charged to patients." in said


def test_an_interrupted_release_says_that_its_charge_stays(capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("dpq_core.ledger.charging.draw", interrupted)
    assert main(shlex.split(OPENED)) == INTERRUPTED
    assert "What was charged stays charged." in capsys.readouterr().err
    assert [entry.state for entry in entries()] == ["failed"]


def test_a_locked_ledger_is_one_sentence(released, refused, monkeypatch):
    released(f"{CHARGED} --total-epsilon 6 --total-delta 1e-5")
    monkeypatch.setattr("dpq_core.ledger.store.database.WAIT_SECONDS", 0.05)
    other = sqlite3.connect("ledger.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert refused(CHARGED) == "The ledger cannot be reached; nothing was charged."
    assert main(["ledger", "verify"]) == 0, "who only looks needs no lock"
    other.close()
    assert len(entries()) == 1


def test_an_answer_that_cannot_be_written_is_told_as_charged(capsys, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(charging, "give_release", full)
    assert main(shlex.split(OPENED)) == WRONG
    charged, failed = capsys.readouterr().err.splitlines()[-2:]
    assert charged == "The answer was released and charged to patients: the page Report has it."
    assert failed == "dpq: error: the output cannot be used: no space left on device."
    assert len(entries()) == 1


def test_an_answer_that_was_given_is_told_as_charged_if_the_ledger_is_lost_afterwards(released, monkeypatch):
    def out_of_reach(*_):
        raise LedgerError("The ledger cannot be reached; nothing was charged.")

    monkeypatch.setattr("dpq_core.ledger.history.entries.sums", out_of_reach)
    found, err = released(OPENED)
    assert found["account"] == "patients"
    assert err.splitlines()[-1].startswith("The answer was released and charged to patients; the ledger can no longer")
    assert "nothing was charged" not in err
    assert len(entries()) == 1
