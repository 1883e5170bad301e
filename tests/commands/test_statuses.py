"""How a line ends: its exit status by the kind of error, the file that is named, and what `--quiet` leaves unsaid."""

import io
import sys
from pathlib import Path
from time import sleep
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

import dpq_core as dpq
from dpq_core.__main__ import main
from dpq_core.commands import texts
from tests.commands.conftest import Answered, Refused, typed
from tests.narrowing import only

RELEASE = "release people.csv AGE --quantiles median --epsilon 1"
CHARGED = f"{RELEASE} --account staff --total-epsilon 1 --release-id june"
COUNTED = "release people.csv AGE --quantiles 1/4,1/2 --mechanism slice --epsilon 1"
STATUSES = {
    "release people.csv --column age ASKED": (2, "`--column` must say"),
    "release people.csv --column salry=0:9:1 ASKED": (2, "people.csv: `--column` must be one of the column names"),
    "release people.csv --plan plan.json": (2, "plan.json: `quantiles` must"),
    "release none.csv AGE ASKED": (3, "none.csv: The file cannot be opened; check that it exists"),
    "release people.csv --plan none.json": (3, "the file none.json cannot be used: no such file or directory."),
    "release people.csv --column office=0:9:1 ASKED": (3, "people.csv: A cell is not a number"),
    "study people.csv --out r.csv": (2, "people.csv: `grid` must be JSON text."),
    f"{RELEASE} --account staff": (4, "`--epsilon` or `--rho` must fit what is left of this budget"),
    CHARGED.replace("0:120:1", "0:130:1").replace("AGE", "--column age=0:130:1"): (4, "`--release-id` must be new"),
    COUNTED: (5, "Finding this out has spent epsilon = "),
    "report answers.json --out r.html": (2, "answers.json is a file."),
}
"""A line after CHARGED, its status, and what its error says."""


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("line", STATUSES)
def test_the_kind_of_an_error_is_the_status(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*typed(RELEASE), "--save-plan", "plan.json"]) == 0
    Path("plan.json").write_text(Path("plan.json").read_text().replace("1/2", "3/2"))
    assert main(typed(CHARGED)) == 0
    capsys.readouterr()
    assert main(typed(line)) == STATUSES[line][0]
    assert STATUSES[line][1] in capsys.readouterr().err.splitlines()[-1]


def test_a_line_that_is_quiet_says_errors_alone(capsys: pytest.CaptureFixture[str]) -> None:
    for line in (CHARGED, RELEASE, f"{RELEASE} --out answers.csv", RELEASE.replace("release", "forecast", 1)):
        assert main([*typed(line), "--quiet", "--about", "300"]) == 0
        assert capsys.readouterr().err == ""
    assert main(["release", "none.csv", *typed("AGE ASKED"), "--quiet"]) == 3
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_or_closed_stream_leaves_the_status_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of cron with a full disk: Python itself would end with 120, or put sentences among the answers."""
    assert main(typed(CHARGED)) == 0
    for name, held, line, status in (
        ("stdout", "full", CHARGED, 1), ("stdout", "full", "ledger show", 1), ("stderr", "full", CHARGED, 0),
        ("stderr", "full", "release none.csv AGE ASKED", 3), ("stderr", "", CHARGED, 0),
        ("stdout", "", f"{CHARGED} --out a.csv", 0), ("stdout", "", CHARGED, 2),
    ):  # fmt: skip
        with monkeypatch.context() as patched, open("/dev/full", "w", buffering=1) as full:
            patched.setattr(sys, name, full if held else None)
            assert main(typed(line)) == status
            full.flush()
            if (name, held) == ("stderr", ""):
                sys.stderr.close()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_how_far_long_work_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for patience, quiet, told in ((0.01, False, "Reading: 50 %"), (60.0, False, ""), (0.01, True, "")):
        monkeypatch.setattr(sys, "stderr", Terminal())
        monkeypatch.setattr(texts, "PATIENCE", patience)
        monkeypatch.setattr(texts, "SHOWN_EVERY", 0.01)
        with texts.progress_of(SimpleNamespace(quiet=quiet), "Reading") as heard:  # type: ignore[arg-type]
            heard(0.5)
            sleep(0.1)
        shown = only(Terminal, sys.stderr).getvalue()
        assert told in shown
        assert bool(shown) is bool(told)
        assert not shown or shown.endswith("\r\33[K"), "it does not stay"


FRAME = {"id": ["a", "a", "b"], "age": [31.0, 32.0, 45.0]}


@pytest.mark.slow
def test_an_account_of_shell_and_python_is_one_whoever_is_protected(answered: Answered, refused: Refused) -> None:
    word, person = "--account patients --one-row-is patient", "--person id --per-person mean"
    answered(f"people.csv AGE {person} ASKED {word} --total-epsilon 9")
    account = dpq.account("patients", one_row_is="patient")
    assert (account.number, account.protected) == (dpq.account("patients").number, "patient with all rows")
    asked: dict[str, Any] = {"levels": "median", "epsilon": 1, "account": account}
    found = dpq.quantiles(FRAME, {"age": (0, 99, 1)}, person="id", per_person="mean", **asked)
    assert found.description.person == "patient"
    with pytest.raises(dpq.ParameterError, match="must protect the same as its earlier releases"):
        dpq.quantiles(FRAME, {"age": (0, 99, 1)}, **asked)
    dpq.account("wards", epsilon=3, one_row_is="patient")
    assert answered(f"people.csv AGE {person} ASKED --account wards")[0]["description"]["person"] == "patient"
    assert refused("people.csv AGE ASKED --account wards").startswith("`--person` must be given: wards protects one")


def test_the_word_for_a_person_is_in_all_files(answered: Answered) -> None:
    line = "people.csv AGE --person id --per-person mean ASKED --one-row-is household"
    found = answered(line)[0]
    assert "each household counts once" in found["description"]["rule"]
    label = "Release: ε = 1, one household with all rows joins or leaves."
    for name, read in (("a.csv", pd.read_csv), ("a.parquet", pd.read_parquet)):
        assert main(["release", *typed(line), "--out", name]) == 0
        assert set(read(name)["label"]) == {label}
