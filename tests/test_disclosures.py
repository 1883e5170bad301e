"""What is told about data although no budget pays for it: the list in the docs is that of the code and its messages."""

from __future__ import annotations

import ast
import pickle
import re
from pathlib import Path

import pytest

from dpq_core.errors import BudgetError, DataError, Disclosure, Infeasible, ParameterError

ROOT = Path(__file__).parents[1]
READERS = sorted((ROOT / "dpq_core" / "sources").rglob("*.py"))
MESSAGES = {
    Disclosure.NAMES: ("pages/files/layouts.py", "ask_header"),
    Disclosure.PROGRESS: ("pages/frame/waiting.py", "progress"),
    Disclosure.FINGERPRINT: ("dpq_core/ledger/files.py", "compare_files"),
    Disclosure.MISSING: ("dpq_core/calibrations.py", "public_count"),
}
"""Where that is told which is no error of a reader."""


def calls_of_data_error(source: str) -> list[ast.Call]:
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "DataError"]


def told(call: ast.Call) -> str:
    """The disclosure that is named in a call, "" where there is none."""
    found = [ast.unparse(keyword.value) for keyword in call.keywords if keyword.arg == "discloses"]
    return found[0].removeprefix("Disclosure.") if found else ""


def test_the_page_about_privacy_has_the_list_of_the_code() -> None:
    page = (ROOT / "docs/privacy.md").read_text(encoding="utf-8")
    section = page.split("\n## What lies outside the promise\n")[1].split("\n## ")[0]
    bullets = re.findall(r"^- (.*(?:\n  .*)*)", section, re.MULTILINE)
    assert [" ".join(bullet.split()) for bullet in bullets] == [each.value for each in Disclosure]


def test_every_error_of_a_reader_says_what_it_tells() -> None:
    unnamed = {
        f"{file.name}:{call.lineno}": ast.unparse(call)
        for file in READERS
        for call in calls_of_data_error(file.read_text(encoding="utf-8"))
        if told(call) not in Disclosure.__members__
    }
    assert not unnamed
    assert calls_of_data_error('raise DataError("x")'), "the search finds them"
    assert not told(calls_of_data_error('raise DataError("x")')[0])


def test_everything_on_the_list_is_told_somewhere() -> None:
    in_errors = {told(call) for file in READERS for call in calls_of_data_error(file.read_text(encoding="utf-8"))}
    for each, (file, name) in MESSAGES.items():
        functions = [node.name for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
                     if isinstance(node, ast.FunctionDef)]  # fmt: skip
        assert name in functions
        in_errors.add(each.name)
    assert in_errors - {""} == set(Disclosure.__members__)


def test_no_message_of_a_reader_is_made_of_a_row_or_a_cell() -> None:
    """What stands in braces in a message: limits, names of formats, types and files, and what the notations say."""
    parts = {
        ast.unparse(part.value)
        for file in READERS
        for call in calls_of_data_error(file.read_text(encoding="utf-8"))
        for text in ast.walk(call.args[0])
        if isinstance(text, ast.JoinedStr)
        for part in text.values
        if isinstance(part, ast.FormattedValue)
    }
    limits = {part for part in parts if part.isupper()}
    assert parts - limits == {"name", "file", "held", "unit", "listed()", "self.problem", "_cure(record, width)"}
    assert limits == {
        "MAX_COLUMNS", "MAX_EXCEL_BYTES", "MAX_ROWS", "MAX_SHARED_TEXTS", "MOST_FOLD", "ODD_ONE"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("error", "where"),
    [
        (DataError("Wrong."), ""),
        (DataError("Wrong.", discloses=Disclosure.CELL, row=48_613), "Row 48,613."),
        (DataError("Wrong.", row=5), "Row 5."),
    ],
)
def test_a_row_is_told_on_request(error: DataError, where: str) -> None:
    assert error.where == where
    assert "5" not in str(error) + repr(error) + str(error.args)
    assert error.beginning("File 2: ").where == where
    assert error.beginning("File 2: ").discloses is error.discloses


@pytest.mark.parametrize(
    "error",
    [
        DataError("Wrong.", discloses=Disclosure.CELL, row=7),
        ParameterError("header", "must be True or False."),
        Infeasible("n", "is too small.", noisy_count=12, charged=0.5),
        BudgetError("ε", remaining=0.5, requested=1.0),
    ],
)
def test_errors_survive_the_way_to_another_process(error: ValueError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
