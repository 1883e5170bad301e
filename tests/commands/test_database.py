"""A release from a database on the command line: counted there, charged as a file is, and never shown."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from dpq_core import Plan, PureDP
from dpq_core.__main__ import WRONG, main
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.history.entries import standing

BOUNDS = ["--lower", "0", "--upper", "100", "--step", "1"]
TABLE = ["--database", "sqlite:///clinic.db", "--table", "patients"]


@pytest.fixture(autouse=True)
def clinic(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("DPQ_MODE", "DPQ_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DPQ_LEDGER_URL", "ledger.sqlite")
    Path("plan.json").write_text(Plan(["1/2"], privacy=PureDP(50.0)).to_json())
    with sqlite3.connect("clinic.db") as connection:
        connection.execute("CREATE TABLE patients (id, age)")
        connection.executemany("INSERT INTO patients VALUES (?, ?)", [(k % 50, k % 101) for k in range(3000)])
    connection.close()


def median(capsys, *arguments):
    assert main(["release", "plan.json", *arguments, *BOUNDS]) == 0
    out, err = capsys.readouterr()
    assert "sqlite:" not in out + err
    return json.loads(out)["quantiles"][0]["value"]


def test_a_table_or_a_query_is_released(capsys, monkeypatch):
    assert median(capsys, *TABLE, "--column", "age") == pytest.approx(50, abs=2)
    query = ["--query", "SELECT age FROM patients WHERE age <= 20"]
    monkeypatch.setenv("DPQ_DATABASE_URL", "sqlite:///clinic.db")
    assert median(capsys, *query) == pytest.approx(10, abs=2)
    people = ["--column", "age", "--person", "id", "--take", "max"]
    assert median(capsys, *TABLE, *people) == pytest.approx(100, abs=2)


@pytest.mark.parametrize("people", [[], ["--person", "id", "--take", "mean"]], ids=["rows", "people"])
def test_groups_of_a_table_are_named_as_they_are_typed(capsys, people):
    query = "SELECT id, age, id % 2 + 1 AS ward FROM patients WHERE (id % 2) = (age > 50)"
    data = ["--database", "sqlite:///clinic.db", "--query", query, "--column", "age", *people]
    assert main(["release", "plan.json", *data, *BOUNDS, "--groups", "ward", "--names", "1,2"]) == 0
    found = {row["group"]: row["value"] for row in json.loads(capsys.readouterr().out)["quantiles"]}
    assert found == {"1": pytest.approx(25, abs=8), "2": pytest.approx(75, abs=8)}


def test_a_table_is_charged_and_known_again(capsys):
    account = ["--account", "patients", "--total-epsilon", "200"]
    median(capsys, *TABLE, "--column", "age", *account)
    with sqlite3.connect("clinic.db") as connection:
        connection.execute("INSERT INTO patients VALUES (1, 2)")
    connection.close()
    assert main(["release", "plan.json", *TABLE, "--column", "age", *BOUNDS, "--account", "patients"]) == 0
    assert "charged for other files before" not in capsys.readouterr().err
    assert main(["release", "plan.json", *TABLE[:2], "--query", "SELECT age FROM patients", *BOUNDS, *account[:2]]) == 0
    assert "charged for other files before" in capsys.readouterr().err
    ledger = Ledger.from_environment(make_key=False)
    assert standing(ledger.account("patients")).spent == pytest.approx(150)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "`file` must be given"),
        (["x.csv", "--table", "t"], "`--table` must not be given with a file: give one of both."),
        (["x.csv", *TABLE], "`--database` must not be given with a file: give one of both."),
        (TABLE[2:], "`--database` must be given, or DPQ_DATABASE_URL."),
        ([*TABLE, "--query", "SELECT 1"], "`--query` must not be given with `--table`: give one of both."),
        (TABLE, "`--column` must be given: the table has 2 columns."),
        ([*TABLE, "--column", "aeg"], "`column` must be one of the column names"),
        ([*TABLE, "--column", "age", "--person", "id", "--take", "first"], "`--take` must not be first or last"),
        (["--database", "sqlite:///gone.db", "--table", "t", "--column", "x"], "The database cannot be read"),
    ],
    ids=lambda each: "",
)
def test_what_cannot_be_read_is_one_line(capsys, arguments, sentence):
    assert main(["release", "plan.json", *arguments, *BOUNDS]) == WRONG
    out, err = capsys.readouterr()
    assert out == ""
    assert f"error: {sentence}" in err
    assert "sqlite:" not in err
