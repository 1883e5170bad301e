"""A folder with a file of people, and lines that are answered or refused in it."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dpq_core.__main__ import main
from dpq_core.release import Release

Answered = Callable[[str], tuple[dict[str, Any], str]]
Refused = Callable[[str], str]
PEOPLE = """\
id,salary,age,office,sex,day
1,3100,31,north,f,2024-01-05
1,3300,31,north,f,2024-02-05
2,2800,45,south,m,2024-03-01
3,4100,28,north,m,2024-01-09
4,5200,60,south,f,2024-01-20
"""
SHORT = {
    "ASKED": "--quantiles quartiles --epsilon 1", "SALARY": "--column salary=0:200000:100",
    "AGE": "--column age=0:120:1", "DAY": "--column day=2020-01-01:2026-12-31",
    "BY": "--by office=north,south --by sex=f,m",
}  # fmt: skip
"""Words in capitals that stand for others in the lines of these tests."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_in_place: None) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DPQ_MODE", raising=False)
    monkeypatch.setenv("DPQ_LEDGER_URL", "ledger.sqlite")
    Path("people.csv").write_text(PEOPLE)
    return tmp_path


def typed(line: str) -> list[str]:
    return [word for part in shlex.split(line) for word in shlex.split(SHORT.get(part, shlex.quote(part)))]


@pytest.fixture
def answered(folder: Path, capsys: pytest.CaptureFixture[str]) -> Answered:
    """Run a line that is answered; return the answer (`shown`), and what else was written."""

    def run(line: str) -> tuple[dict[str, Any], str]:
        assert main(["release", *typed(line)]) == 0, capsys.readouterr().err
        out, err = capsys.readouterr()
        return shown(out), err

    return run


def shown(text: str) -> dict[str, Any]:
    """Return the JSON of a release, with its rows as files have them, and its columns by their names."""
    found: dict[str, Any] = json.loads(text)
    rows = Release.from_json(text).for_files()
    columns = {each["column"]: each for each in found["cells"]}
    return found | {"answers": rows.astype(object).where(rows.notna(), None).to_dict("records"), "columns": columns}


@pytest.fixture
def refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> Refused:
    """Run a line that is refused without an answer; return the sentence."""

    def run(line: str) -> str:
        assert main(["release", *typed(line)]) in range(1, 6)
        out, err = capsys.readouterr()
        *_, last = err.strip().splitlines()
        assert (out, last[:12]) == ("", "dpq: error: ")
        return last[12:].removeprefix("people.csv: ")

    return run
