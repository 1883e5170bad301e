"""Errors are objects with facts. Their sentences take any labels, and tell of the data only what the docs list."""

import ast
import pickle
import re

import pytest

from dpq_core import Adjacency, Domain, Infeasible, ParameterError, Plan, PureDP
from dpq_core.calibrations import calibrate
from dpq_core.errors import BudgetError, DataError, Disclosure
from pages.payment.ledger import key_problem
from pages.shell.header import sentence_of
from tests.documents import ROOT, text_of

TOLD_ELSEWHERE = {
    Disclosure.NAMES: ("pages/files/layouts.py", "ask_header"),
    Disclosure.PROGRESS: ("pages/shell/waiting.py", "progress"),
    Disclosure.FINGERPRINT: ("dpq_core/ledger/files.py", "compare_files"),
    Disclosure.MISSING: ("dpq_core/calibrations.py", "public_count"),
}
"""Where that is told which is no error of a reader."""
IN_MESSAGES = {"name", "file", "held", "unit", "listed()", "bad.problem", "odd", "shown",
               "name or named(encoding)"}  # fmt: skip
"""What is in braces in the messages of readers: names of formats, types and files, and what the notations say."""
LIMITS = {"MAX_COLUMNS", "MAX_ROWS", "MAX_SHARED_TEXTS", "MOST_FOLD", "ODD_ONE"}


def errors_of_readers() -> list[ast.Call]:
    return [
        node
        for file in (ROOT / "dpq_core/sources").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "DataError"
    ]


def test_the_sentence_has_the_labels_of_the_page_that_shows_it() -> None:
    with pytest.raises(ParameterError) as caught:
        Domain(5, 1)
    assert str(caught.value) == "`upper` must be > `lower`, got 5 and 1."
    assert caught.value.sentence(str.upper) == "UPPER must be > LOWER, got 5 and 1."
    assert sentence_of(caught.value) == "“Highest” must be > “Lowest”, got 5 and 1."


def test_a_setting_without_a_field_is_shown_without_backticks() -> None:
    assert sentence_of(ParameterError("DPQ_LEDGER_KEY", "must be set.")) == "DPQ_LEDGER_KEY must be set."
    assert "`" not in key_problem({"DPQ_MODE": "release", "DPQ_LEDGER_KEY": "short"})


def test_what_was_typed_is_never_taken_for_the_name_of_a_setting() -> None:
    with pytest.raises(ParameterError) as caught:
        Plan(["`lower`"])
    assert sentence_of(caught.value).endswith("got '`lower`'.")


def test_a_refusal_by_a_number_of_records_carries_it() -> None:
    with pytest.raises(Infeasible) as caught:
        calibrate(Plan(["0.5", "0.51"], "slice", PureDP(1.0), Adjacency.REPLACE_ONE), 100)
    assert caught.value.count == 100
    assert "for 100 people" in str(caught.value)


def test_the_page_about_privacy_lists_what_the_code_tells() -> None:
    section = text_of("docs/privacy.md").split("\n## What lies outside the promise\n")[1].split("\n## ")[0]
    bullets = re.findall(r"^- (.*(?:\n  .*)*)", section, re.MULTILINE)
    assert [" ".join(bullet.split()) for bullet in bullets] == [each.value for each in Disclosure]
    for file, name in TOLD_ELSEWHERE.values():
        assert f"def {name}(" in text_of(file)
    named = {ast.unparse(word.value) for call in errors_of_readers() for word in call.keywords}
    told = {f"Disclosure.{each.name}" for each in set(Disclosure) - TOLD_ELSEWHERE.keys()}
    assert told <= named


def test_no_message_of_a_reader_is_made_of_a_row_or_a_cell() -> None:
    texts = [node for call in errors_of_readers() for node in ast.walk(call.args[0])]
    parts = {ast.unparse(node.value) for node in texts if isinstance(node, ast.FormattedValue)}
    assert parts == IN_MESSAGES | LIMITS


def test_a_row_is_told_on_request() -> None:
    error = DataError("Wrong.", discloses=Disclosure.CELL, row=48_613)
    assert DataError("Wrong.").where == ""
    assert error.where == error.beginning("File 2: ").where == "Row 48,613."
    assert error.beginning("File 2: ").discloses is Disclosure.CELL
    assert "48" not in str(error) + repr(error) + str(error.args)


@pytest.mark.parametrize("error", [
    DataError("Wrong.", discloses=Disclosure.CELL, row=7), ParameterError("header", "must be True or False."),
    Infeasible("n", "is too small.", noisy_count=12, charged=0.5), BudgetError("ε", remaining=0.5, requested=1.0),
])  # fmt: skip
def test_errors_survive_the_way_to_another_process(error: ValueError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
