"""`dpq ledger`: show, verify, heads, rekey, and accept what lacks entries only from a person who says how many."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import dpq_core
from dpq_core.__main__ import FAILED, WRONG_WORDS, main
from dpq_core.ledger.accounts import Ledger
from tests.ledger.clients import KEY, OTHER, open_one, spend

LACKS = "This ledger lacks at least {} entries: it is older than its head, or another one."


@pytest.fixture
def ledger(folder, monkeypatch):
    for name, value in (("HEADS", str(folder / "heads")), ("KEY", KEY)):
        monkeypatch.setenv(f"DPQ_LEDGER_{name}", value)
    opened = Ledger.from_environment()
    open_one(opened)
    yield opened
    opened.engine.dispose()


@pytest.fixture
def dpq(capsys):
    """What runs a command of the ledger, and returns its code, the lines that it prints and its error."""

    def run(line):
        capsys.readouterr()
        code = main(["ledger", *line.split()])
        out, err = capsys.readouterr()
        return code, out.splitlines(), err.removeprefix("dpq: error: ").strip()

    return run


def copied(source, target):
    """Copy a ledger while it is in use, as `sqlite3 SOURCE ".backup TARGET"` does."""
    with closing(sqlite3.connect(source)) as here, closing(sqlite3.connect(target)) as there:
        here.backup(there)


def test_a_ledger_and_a_copy_of_it_verify_and_a_changed_charge_is_named(ledger, dpq):
    spend(ledger, 4)
    assert dpq("verify") == (0, ["people: 4 charges verified.", "Nothing is missing."], "")
    copied("ledger.sqlite", "copy.sqlite")
    before = Path("copy.sqlite").read_bytes()
    assert dpq("verify copy.sqlite") == (0, ["people: 4 charges verified."], "")
    assert Path("copy.sqlite").read_bytes() == before, "it is not even opened"
    with closing(sqlite3.connect("ledger.sqlite")) as now, now:
        now.execute("UPDATE dpq_releases SET epsilon = '0.01' WHERE place = 3")
    code, lines, sentence = dpq("verify")
    assert (code, lines) == (FAILED, ["people: 1 charge verified; charge 2 is missing or was changed."])
    assert sentence.startswith("The ledger's record of people was changed")


@pytest.mark.slow
def test_a_copy_that_was_put_back_is_named_and_accepted_by_the_number_of_its_lost_entries(ledger, dpq):
    spend(ledger, 4)
    assert dpq("accept")[1] == ["This ledger lacks nothing: there is nothing to accept."]
    copied("ledger.sqlite", "copy.sqlite")
    spend(ledger, 6)
    assert dpq("heads heads.json")[0] == dpq("verify --heads heads.json")[0] == 0
    assert dpq("verify copy.sqlite --heads heads.json")[::2] == (FAILED, LACKS.format(12))
    copied("copy.sqlite", "ledger.sqlite")
    assert dpq("show")[0] == FAILED
    for line in ("accept", "accept --lost 6", "accept --lost 0"):
        assert dpq("verify")[::2] == (FAILED, LACKS.format(12))
        assert dpq(line)[2].startswith("`--lost")
    code, (said,), _ = dpq("accept --lost 12")
    assert (code, said[:40]) == (0, "Accepted, with at least 12 entries lost.")
    assert (dpq("verify")[0], dpq("show")[0], dpq("verify --heads heads.json")[0]) == (0, 0, FAILED)
    spend(ledger, 6)
    closing_one = said[said.index("dpq_core.") : said.index(" closes")].replace("patients", "people")
    assert eval(closing_one, {"dpq_core": dpq_core}).closed is not None, "the sentence says how"


@pytest.mark.parametrize("line", ["verify", "accept", "show", "heads heads.json"])
def test_where_there_is_no_ledger_none_is_made(monkeypatch, dpq, line):
    monkeypatch.setenv("DPQ_LEDGER_URL", "none.sqlite")
    code, _, sentence = dpq(line)
    assert code == WRONG_WORDS
    assert "there is no file at DPQ_LEDGER_URL" in sentence
    assert os.listdir() == ["people.csv"]


def test_without_a_key_links_are_checked_as_far_as_they_go(ledger, dpq, monkeypatch):
    spend(ledger, 2)
    monkeypatch.delenv("DPQ_LEDGER_KEY")
    monkeypatch.setenv("HOME", str(Path.cwd()))
    code, lines, _ = dpq("verify")
    assert code == 0
    assert "Without the key, the command did not check who signed the entries." in lines


@pytest.mark.slow
def test_another_key_is_refused_until_the_ledger_is_signed_anew_with_the_old_one(ledger, dpq, monkeypatch):
    spend(ledger, 3)
    copied("ledger.sqlite", "copy.sqlite")
    Path("old-key").write_text(KEY + "\n")
    Path("no-key").write_text("this is not the key it was")
    monkeypatch.setenv("DPQ_LEDGER_KEY", OTHER)
    for line in ("verify", "show", "heads heads.json", "rekey --old no-key"):
        assert dpq(line)[0] == FAILED
        assert "has another key" in dpq(line)[2]
    code, (said,), err = dpq("rekey --old old-key")
    assert (code, err) == (0, "")
    assert said.startswith("Changed the key: 3 charges signed again. Start programs that use this ledger again")
    assert dpq("verify") == (0, ["people: 3 charges verified.", "Nothing is missing."], "")
    for line in ("rekey --old old-key", "verify copy.sqlite"):
        assert "has another key" in dpq(line)[2]


def test_a_ledger_whose_key_is_lost_goes_on_and_says_what_nobody_can_check(ledger, dpq, monkeypatch):
    spend(ledger, 3)
    monkeypatch.setenv("DPQ_LEDGER_KEY", OTHER)
    said = dpq("rekey --lost")[1][0]
    assert said.startswith("Changed the key: 3 charges signed again. Nobody can check who wrote them.")
    spend(Ledger.from_environment(), 1)
    assert dpq("verify")[1][0] == "people: 4 charges verified, 3 of them signed without the key."


def test_rekey_needs_a_new_key_and_one_of_two_ways(ledger, dpq, monkeypatch):
    for line in ("rekey", "rekey --lost --old old-key"):
        with pytest.raises(SystemExit):
            dpq(line)
    monkeypatch.setenv("DPQ_MODE", "release")
    monkeypatch.delenv("DPQ_LEDGER_KEY")
    assert dpq("rekey --lost")[2] == "`DPQ_LEDGER_KEY` must be set: it is the new key of the ledger."
