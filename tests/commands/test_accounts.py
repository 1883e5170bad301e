"""`dpq release --account`: opened, charged, refused before the file is read, and answered again for the same id."""

import errno
import sqlite3
from pathlib import Path

import pytest

from dpq_core import Adjacency, LedgerError
from dpq_core.__main__ import FAILED, INTERRUPTED, main
from dpq_core.commands import release
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.history.entries import standing
from dpq_core.ledger.store.database import NOT_REACHED
from tests.commands.conftest import PEOPLE, Answered, Refused, typed

RELEASE = "people.csv AGE --quantiles median --epsilon 0.5"
DEAR = RELEASE.replace("0.5", "2")
CHARGED = f"{RELEASE} --account patients"
OPENING = "--account patients --total-epsilon 3 --total-delta 1e-5 --one-row-is patient"
OPENED = f"{RELEASE} {OPENING}"


def accounts():
    return Ledger.at("ledger.sqlite").accounts()


def entries():
    return standing(accounts()[0]).entries


def test_an_account_is_opened_charged_and_charged_again(answered: Answered, refused: Refused) -> None:
    for times, line in ((1, OPENED), (2, CHARGED)):
        found, err = answered(line)
        (account,) = accounts()
        assert (found["account"], found["id"]) == ("patients", entries()[-1].release_id)
        assert len(entries()) == times
        assert entries()[-1].guarantee.rho == found["guarantee"]["rho"]
        assert f"charged to patients: ε = {3 - times * 0.5:g} left of ε = 3, δ = 0.00001." in err
        assert "Not charged" not in err
    assert (account.one_row_is, account.adjacency) == ("patient", Adjacency.ADD_REMOVE)
    assert refused(f"{CHARGED} --total-epsilon 4").startswith("`--total-epsilon` must be left out")
    assert refused(f"{CHARGED} --one-row-is visit") == "`--one-row-is` must be left out, or be patient."
    assert answered(OPENED), "the same line again charges the same account"


def test_the_same_line_and_id_give_the_same_answer_uncharged(answered: Answered, refused: Refused) -> None:
    first, err = answered(f"{DEAR} {OPENING} --release-id june")
    assert first["id"] == "june"
    assert "Released and charged to patients: ε = 1 left" in err
    again = f"{DEAR} --account patients --release-id june"
    second, err = answered(again)  # although it could not be paid once more
    assert second == first
    assert "nothing was charged to patients: ε = 1 left of ε = 3" in err.splitlines()[-1]
    Path("people.csv").write_text(PEOPLE.replace("3100", "3200"))
    for how, line in {
        "another file": again,
        "other bounds and another file": again.replace("AGE", "--column age=0:130:1"),
    }.items():
        said = refused(line)
        assert said.startswith("`--release-id` must be new for a new request")
        assert f"with {how}. Use a new release id" in said
    assert len(entries()) == 1


def test_what_an_account_cannot_pay_is_refused_before_the_file_is_read(answered: Answered, refused: Refused) -> None:
    answered(f"{DEAR} --account patients --total-epsilon 3")
    Path("people.csv").unlink()
    said = refused(f"{DEAR} --account patients")
    assert said.startswith("`--epsilon` or `--rho` must fit what is left of this budget: the release needs ε = 2")
    assert len(entries()) == 1


def test_a_release_server_charges_all(answered: Answered, refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DPQ_MODE", "release")
    assert refused(RELEASE) == "`--account` must be given: with DPQ_MODE=release a ledger counts all."
    monkeypatch.delenv("DPQ_LEDGER_KEY")
    assert refused(OPENED).startswith("`DPQ_LEDGER_KEY` must be set")
    monkeypatch.setenv("DPQ_LEDGER_KEY", "a secret of some length")
    answered(OPENED)


def test_the_curator_is_told_of_the_same_file_under_another_name(answered: Answered) -> None:
    assert "looks the same" not in answered(OPENED)[1]
    said = answered(OPENED.replace("--account patients", "--account visits"))[1]
    assert "This file looks the same as one charged to patients." in said


def test_an_interrupted_release_is_charged(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dpq_core.ledger.charging.draw", interrupted)
    assert main(["release", *typed(OPENED)]) == INTERRUPTED
    assert "What was charged stays charged." in capsys.readouterr().err
    assert [entry.state for entry in entries()] == ["failed"]


def test_a_locked_ledger_is_one_sentence(answered: Answered, refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    answered(OPENED)
    monkeypatch.setattr("dpq_core.ledger.store.database.WAIT_SECONDS", 0.05)
    other = sqlite3.connect("ledger.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert refused(CHARGED) == NOT_REACHED
    assert main(["ledger", "verify"]) == 0, "who only looks needs no lock"
    other.close()
    assert len(entries()) == 1


def test_an_answer_lost_is_told_as_charged(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(release, "print", full, raising=False)
    assert main(["release", *typed(OPENED)]) == FAILED
    charged, failed = capsys.readouterr().err.splitlines()[-2:]
    assert charged == "The answer was released and charged to patients: the page Releases has it."
    assert failed == "dpq: error: the output cannot be used: no space left on device."
    assert len(entries()) == 1


def test_an_answer_is_charged_if_the_ledger_is_lost_later(answered: Answered, monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_reach(*_: object) -> None:
        raise LedgerError(NOT_REACHED)

    monkeypatch.setattr("dpq_core.ledger.history.entries.sums", out_of_reach)
    found, err = answered(OPENED)
    assert found["account"] == "patients"
    assert err.splitlines()[-1].startswith("The answer was released and charged to patients; the ledger can no longer")
    assert "nothing was charged" not in err
    assert len(entries()) == 1
