"""`dpq ledger`: back up, verify, and accept what lacks charges only to who says how many."""

import json
import os
import sqlite3
from pathlib import Path

import pytest

from dpq_core import PureDP
from dpq_core.__main__ import WRONG, main
from dpq_core.ledger import Ledger, charged_release
from tests.ledger.clients import JOINS, plan, sample


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DPQ_LEDGER_URL", "ledger.sqlite")
    monkeypatch.setenv("DPQ_LEDGER_HEADS", str(tmp_path / "heads"))
    opened = Ledger.from_environment()
    opened.open_account("people", budget=PureDP(1.0), adjacency=JOINS, one_row_is="person")
    yield opened
    opened.engine.dispose()


def spend(ledger, times):
    for _ in range(times):
        charged_release(sample(), plan(0.1), ledger.account("people"))


def told(capsys):
    out, err = capsys.readouterr()
    return out.splitlines(), err.removeprefix("dpq: error: ").strip()


def test_a_ledger_verifies_and_so_does_its_backup(ledger, capsys, tmp_path):
    spend(ledger, 4)
    assert main(["ledger", "verify"]) == 0
    assert told(capsys) == (["people: 4 charges verified.", "Nothing is missing."], "")
    assert main(["ledger", "backup", "copy.sqlite"]) == 0
    assert told(capsys)[0][0] == "people: 4 charges verified."
    before = Path("copy.sqlite").read_bytes()
    assert main(["ledger", "verify", "copy.sqlite"]) == 0
    assert Path("copy.sqlite").read_bytes() == before, "it is not even opened"
    assert sorted(os.listdir()) == ["copy.sqlite", "heads", "ledger.sqlite", "ledger.sqlite-shm", "ledger.sqlite-wal"]
    assert main(["ledger", "backup", "copy.sqlite"]) == WRONG
    assert "file exists" in told(capsys)[1]
    assert Path("copy.sqlite").read_bytes() == before


def test_an_older_ledger_is_named_and_accepted_by_the_number_of_its_lost_entries(ledger, capsys):
    spend(ledger, 4)
    assert main(["ledger", "accept"]) == 0
    assert told(capsys)[0] == ["This ledger lacks nothing: there is nothing to accept."]
    assert main(["ledger", "backup", "copy.sqlite"]) == 0
    spend(ledger, 6)
    with sqlite3.connect("copy.sqlite") as older, sqlite3.connect("ledger.sqlite") as now:
        older.backup(now)
    capsys.readouterr()
    assert main(["ledger", "verify"]) == WRONG
    assert told(capsys)[1] == "This ledger lacks at least 11 entries: it is older than its head, or another one."
    for arguments in ([], ["--lost", "6"], ["--lost", "0"]):
        assert main(["ledger", "accept", *arguments]) == WRONG
        assert told(capsys)[1].startswith("`--lost")
        assert main(["ledger", "verify"]) == WRONG
        capsys.readouterr()
    assert main(["ledger", "accept", "--lost", "11"]) == 0
    (said,) = told(capsys)[0]
    assert said.startswith("Accepted, with at least 11 entries lost.")
    assert main(["ledger", "verify"]) == 0
    spend(ledger, 6)
    closing = said[said.index("Ledger.") : said.index(" closes")].replace("patients", "people")
    assert eval(closing, {"Ledger": Ledger}).closed is not None, "the sentence says how"


def test_a_changed_charge_is_named(ledger, capsys):
    spend(ledger, 3)
    with sqlite3.connect("ledger.sqlite") as now:
        now.execute("UPDATE dpq_releases SET epsilon = '0.01' WHERE place = 3")
    assert main(["ledger", "verify"]) == WRONG
    lines, sentence = told(capsys)
    assert lines == ["people: 1 charge verified; charge 2 is missing or was changed."]
    assert sentence.startswith("The ledger's record of people was changed")


def test_where_there_is_no_ledger_none_is_made(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DPQ_LEDGER_URL", "none.sqlite")
    for action in (["verify"], ["accept"], ["backup", "copy"]):
        assert main(["ledger", *action]) == WRONG
        assert "there is no file at DPQ_LEDGER_URL" in told(capsys)[1]
    assert os.listdir() == []


def test_without_a_key_links_are_checked_as_far_as_they_go(ledger, capsys, monkeypatch):
    spend(ledger, 2)
    monkeypatch.delenv("DPQ_LEDGER_KEY")
    monkeypatch.setenv("HOME", str(Path.cwd()))
    assert main(["ledger", "verify"]) == 0
    assert "Without the key, the command did not check who signed the entries." in told(capsys)[0]


def test_a_backup_is_restored_and_what_it_lacks_is_said(ledger, capsys, monkeypatch):
    spend(ledger, 2)
    assert main(["ledger", "backup", "copy.sqlite"]) == 0
    spend(ledger, 1)
    capsys.readouterr()
    assert main(["ledger", "heads", "heads.json"]) == 0
    assert main(["ledger", "verify", "--heads", "heads.json"]) == 0
    capsys.readouterr()
    assert main(["ledger", "verify", "copy.sqlite", "--heads", "heads.json"]) == WRONG
    assert told(capsys)[1] == "This ledger lacks at least 2 entries: it is older than its head, or another one."
    assert main(["ledger", "restore", "copy.sqlite"]) == WRONG
    assert "must have no account yet" in told(capsys)[1]
    ledger.engine.dispose()
    for file in Path().glob("ledger.sqlite*"):
        file.unlink()
    assert main(["ledger", "restore", "copy.sqlite"]) == WRONG
    lines, sentence = told(capsys)
    assert lines == ["people: 2 charges verified."], "who reads this alone is not told that all is well"
    assert sentence == (
        "The backup copy.sqlite is in place, but nothing can be released from it yet. This ledger lacks at least 2 "
        "entries: it is older than its head, or another one. Accept it with dpq ledger accept only if there is no "
        "newer backup."
    )
    assert main(["ledger", "show"]) == WRONG
    assert "older than what was charged" in told(capsys)[1]
    assert main(["ledger", "accept", "--lost", "2"]) == 0
    assert main(["ledger", "show"]) == 0
    assert main(["ledger", "verify"]) == 0
    assert main(["ledger", "verify", "--heads", "heads.json"]) == WRONG


def test_a_backup_that_lacks_nothing_is_restored_with_code_0(ledger, capsys):
    spend(ledger, 2)
    assert main(["ledger", "backup", "copy.sqlite"]) == 0
    ledger.engine.dispose()
    for file in Path().glob("ledger.sqlite*"):
        file.unlink()
    capsys.readouterr()
    assert main(["ledger", "restore", "copy.sqlite"]) == 0
    assert told(capsys)[0] == ["people: 2 charges verified.", "Restored from copy.sqlite: nothing is missing."]


OTHER = "another key for these tests"


def changed_key(monkeypatch):
    """Set another key than the ledger's, which is left in a file."""
    Path("old-key").write_text(os.environ["DPQ_LEDGER_KEY"] + "\n")
    monkeypatch.setenv("DPQ_LEDGER_KEY", OTHER)


def test_another_key_is_refused_until_the_ledger_is_linked_anew_with_the_old_one(ledger, capsys, monkeypatch):
    spend(ledger, 3)
    changed_key(monkeypatch)
    for line in (["verify"], ["show"], ["backup", "copy.sqlite"], ["heads", "heads.json"]):
        assert main(["ledger", *line]) == WRONG
        assert "has another key" in told(capsys)[1]
    Path("no-key").write_text("this is not the key it was")
    assert main(["ledger", "rekey", "--old", "no-key"]) == WRONG
    assert "has another key" in told(capsys)[1]
    assert main(["ledger", "rekey", "--old", "old-key"]) == 0
    (said,), err = told(capsys)
    assert said.startswith("Changed the key: 3 charges signed again. Start programs that use this ledger again")
    assert err == ""
    assert main(["ledger", "verify"]) == 0
    assert told(capsys)[0] == ["people: 3 charges verified.", "Nothing is missing."]
    assert main(["ledger", "rekey", "--old", "old-key"]) == WRONG
    assert "has another key" in told(capsys)[1]


def test_a_ledger_whose_key_is_lost_goes_on_and_says_what_nobody_can_check(ledger, capsys, monkeypatch):
    spend(ledger, 3)
    monkeypatch.setenv("DPQ_LEDGER_KEY", OTHER)
    assert main(["ledger", "rekey", "--lost"]) == 0
    assert told(capsys)[0][0].startswith("Changed the key: 3 charges signed again. Nobody can check who wrote them.")
    spend(Ledger.from_environment(), 1)
    assert main(["ledger", "verify"]) == 0
    assert told(capsys)[0][0] == "people: 4 charges verified, 3 of them signed without the key."


def test_a_backup_from_before_the_key_changed_needs_the_old_key(ledger, capsys, monkeypatch):
    spend(ledger, 2)
    assert main(["ledger", "backup", "copy.sqlite"]) == 0
    old = os.environ["DPQ_LEDGER_KEY"]
    changed_key(monkeypatch)
    assert main(["ledger", "rekey", "--old", "old-key"]) == 0
    capsys.readouterr()
    assert main(["ledger", "verify", "copy.sqlite"]) == WRONG
    assert "has another key" in told(capsys)[1]
    monkeypatch.setenv("DPQ_LEDGER_URL", "restored.sqlite")
    monkeypatch.setenv("DPQ_LEDGER_KEY", old)
    assert main(["ledger", "restore", "copy.sqlite"]) == 0
    monkeypatch.setenv("DPQ_LEDGER_KEY", OTHER)
    assert main(["ledger", "rekey", "--old", "old-key"]) == 0
    assert main(["ledger", "verify"]) == 0
    assert told(capsys)[0][-2:] == ["people: 2 charges verified.", "Nothing is missing."]


def test_rekey_needs_a_new_key_and_one_of_two_ways(ledger, capsys, monkeypatch):
    changed_key(monkeypatch)
    monkeypatch.setenv("DPQ_MODE", "release")
    monkeypatch.delenv("DPQ_LEDGER_KEY")
    assert main(["ledger", "rekey", "--lost"]) == WRONG
    assert told(capsys)[1] == "`DPQ_LEDGER_KEY` must be set: it is the new key of the ledger."
    for line in (["rekey"], ["rekey", "--lost", "--old", "old-key"]):
        with pytest.raises(SystemExit):
            main(["ledger", *line])


def test_a_release_is_shown_with_its_column_and_its_id(ledger, capsys):
    Path("ages.csv").write_text("age,pay\n" + "31,9\n45,7\n" * 50)
    Path("plan.json").write_text(plan(0.1).to_json())
    asked = ["plan.json", "ages.csv", "--column", "age", "--lower", "0", "--upper", "120", "--step", "1"]
    assert main(["release", *asked, "--account", "people"]) == 0
    spend(ledger, 1)
    released = json.loads(capsys.readouterr().out)["release_id"]
    assert main(["ledger", "show", "people"]) == 0
    head, named, unnamed = (line.split() for line in told(capsys)[0])
    assert named[-1] == released, "with which `dpq report` finds it"
    at = head.index("of") - 1  # the title of the moments has a space, and no moment has one
    assert (named[at], unnamed[at]) == ("age", "-")
