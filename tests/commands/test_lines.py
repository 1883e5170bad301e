"""Lines as they are typed into a shell: dates, numbers below 0, help whose examples run, and what the ledger shows."""

import os
import re
import shlex
import sqlite3
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from dpq_core import Plan, PureDP
from dpq_core.__main__ import WRONG_WORDS, main
from dpq_core.commands import study
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.history.entries import standing

ROOT = Path(__file__).parents[2]
EXAMPLE = re.compile(r"^  (dpq (?:\\\n|.)*)", re.MULTILINE)


@pytest.fixture(autouse=True)
def files(folder):
    Path("grid.json").write_text('{"mechanisms": ["aq"], "quantiles": [1], "n": [10], "trials": 2}')
    row = "{},2024-{:02}-15,{},{}\n"
    rows = [row.format(age, 1 + age % 12, age - 40, ("Bath", "York")[age % 2]) for age in range(20, 80)]
    Path("patients.csv").write_text("age,admitted,balance,city\n" + "".join(rows))
    write_people("people.csv")
    with closing(sqlite3.connect("clinic.db")) as clinic, clinic:
        clinic.execute("CREATE TABLE patients (age INTEGER)")
        clinic.executemany("INSERT INTO patients VALUES (?)", [(age,) for age in range(20, 80)])


def write_people(path):
    """The table that examples are about: employees with two rows each, of whom all groups are large."""
    rows = ["id,salary,days,score,department,sex,hired"]
    for k in range(1800):
        who = f"{k // 2},{20_000 + 17 * k},{k % 31},{k % 9 + 0.5}"
        where = f"{('sales', 'research', 'legal')[k % 3]},{'fm'[k // 3 % 2]}"
        rows.append(f"{who},{where},20{k % 24:02}-0{1 + k % 9}-15")
    Path(path).write_text("\n".join(rows))


def refusal(capsys, *arguments):
    assert main(list(arguments)) in range(1, 6)
    out, err = capsys.readouterr()
    assert out == ""
    return err.removeprefix("dpq: error: ").strip()


def helped(capsys, *command):
    with pytest.raises(SystemExit) as ended:
        main([*command, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", ["", "release", "forecast", "report", "study", "papers", "ledger", "app"])
def test_every_help_has_examples(capsys, command):
    text = helped(capsys, *filter(None, [command]))
    examples = EXAMPLE.findall(text.partition("Examples")[2])
    assert examples
    for example in examples:
        typed = shlex.split(example.replace("\\\n", " "))
        assert typed[1] in ({command} if command else {"app", "release", "forecast", "report", "study", "ledger"})


def test_the_help_of_a_release_begins_with_a_sentence_and_six_lines(capsys):
    text = helped(capsys, "release")
    first, _, others = text.partition("\noptions:\n")
    assert len(EXAMPLE.findall(first)) == 6
    assert "plan.json" not in first
    assert "plan.json" in others
    assert main_alone(capsys) == text


def main_alone(capsys):
    """What `dpq release` says alone."""
    with pytest.raises(SystemExit) as ended:
        main(["release"])
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err


@pytest.mark.slow(keep=("study", "ledger"))
@pytest.mark.parametrize("command", ["release", "study", "ledger"])
def test_examples_in_a_help_run(capsys, monkeypatch, command):
    Ledger.from_environment().open_account(
        "patients", budget=PureDP(3), adjacency=Plan(["1/2"]).adjacency, one_row_is="patient"
    )
    with closing(sqlite3.connect("ledger.sqlite")) as here, closing(sqlite3.connect("copy.sqlite")) as there:
        here.backup(there)
    for example in EXAMPLE.findall(helped(capsys, command)):
        if " rekey " in example:
            Path("old-key").write_text(os.environ["DPQ_LEDGER_KEY"])
            monkeypatch.setenv("DPQ_LEDGER_KEY", "another key for the tests")
        line = example.replace("\\\n", " ").replace(" --total-epsilon 3 --total-delta 1e-5", "")
        line, _, out = line.partition(" > ")
        assert main(shlex.split(line)[1:]) == 0, line
        Path(out.strip() or "rest").write_text(capsys.readouterr().out)
    charged = {account.name: len(standing(account).entries) for account in Ledger.from_environment().accounts()}
    assert charged == ({"patients": 2, "staff": 1} if command == "release" else {"patients": 0})


def test_the_ledger_shows_sums_and_releases_and_exports_them(capsys):
    assert main(["ledger", "show"]) == WRONG_WORDS, "there is none yet"
    Ledger.from_environment().engine.dispose()
    capsys.readouterr()
    assert main(["ledger", "show"]) == 0
    assert capsys.readouterr().out == "Nothing has been released from this ledger yet.\n"
    asked = "--column age=0:99:1 --quantiles 1/4,1/2 --mechanism aq --epsilon 0.5"
    charged = "--account wards --total-epsilon 2 --release-id june"
    assert main(f"release patients.csv {asked} {charged}".split()) == 0
    capsys.readouterr()
    assert main(["ledger", "show"]) == 0
    header, line = capsys.readouterr().out.splitlines()
    assert header.split() == ["data", "set", "total", "spent", "left", "releases", "protects"]
    assert re.split(r"  +", line) == ["wards", "ε = 2", "ε = 0.5", "ε = 1.5", "1", "one person"]
    assert main(["ledger", "show", "wards"]) == 0
    _, line = capsys.readouterr().out.splitlines()
    number, _, *more = re.split(r"  +", line)
    assert (number, more) == ("1", ["age", "aq", "25 %, 50 %", "answered", "0.5", "1.5", "june"])
    for name in ("history.csv", "history.json"):
        assert main(["ledger", "export", "wards", name]) == 0
        assert "aq" in Path(name).read_text()
    capsys.readouterr()
    assert refusal(capsys, "ledger", "export", "wards", "a.txt").startswith("`path` must end in .csv or .json")
    assert refusal(capsys, "ledger", "show", "nobody").startswith("`account` must be that of an account")


def test_without_its_packages_the_dashboard_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setattr(study, "find_spec", lambda name: None if name == "streamlit" else find_spec(name))
    for port in ("0", "65536", "-1"):
        assert refusal(capsys, "app", "--port", port).startswith("`--port` must be a number from 1 to 65535")
    assert refusal(capsys, "app") == "The dashboard is not installed: pip install 'dpq-core[app]'."


@pytest.mark.parametrize("line", ["release --groups ward", "ledger rekey --los"])
def test_the_beginning_of_an_option_is_none(line, capsys):
    """`--groups` of version 1 would be taken for `--max-groups-per-person`."""
    with pytest.raises(SystemExit):
        main(line.split())
    last = capsys.readouterr().err.splitlines()[-1]
    assert "unrecognized" in last or "required" in last
