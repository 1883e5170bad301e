"""`dpq report`: the sheet of a release that the ledger keeps, of a column, of several, and of groups."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dpq_core as dpq
from dpq_core.__main__ import WRONG_WORDS, main
from dpq_core.ledger.accounts import Ledger
from tests.commands.conftest import typed
from tests.documents import ROOT

AGES = [float(20 + k % 60) for k in range(600)]
FRAME: dict[str, Any] = {"age": AGES, "pay": [100 * age for age in AGES], "sex": ["f", "m"] * 300}
AGE = {"age": (0, 120, 1)}
KINDS: dict[str, dict[str, Any]] = {
    "one": {"columns": AGE},
    "several": {"columns": AGE | {"pay": (0, 20_000, 100)}},
    "groups": {"columns": AGE, "by": {"sex": ["f", "m"]}},
}


@pytest.fixture
def account() -> Any:
    return dpq.account("staff", epsilon=9, one_row_is="employee")


def report(*line: str, account: str = "staff") -> str:
    assert main(["report", account, *line, "--out", "report.html"]) == 0
    return Path("report.html").read_text(encoding="utf-8")


@pytest.mark.slow(keep=("groups", "one"))
@pytest.mark.parametrize("kind", KINDS)
def test_a_stored_release_of_every_kind_has_a_report(kind: str, account: Any) -> None:
    answers = dpq.quantiles(FRAME, levels="quartiles", epsilon=3, account=account, release_id=kind, **KINDS[kind])
    text = report(kind, "--people", "600")
    values = answers.values["age"]
    told = [values[0]] if isinstance(values, tuple) else [each[0] for each in values.values()]
    assert text.lower().startswith("<!doctype html>")
    assert all(f"{value:g}" in text for value in told)
    assert "ε = 6 left of ε = 9" in text


@pytest.mark.slow
def test_a_report_needs_nothing_of_the_dashboard() -> None:
    """With `pip install .` alone, `dpq report` of 1.1.0 ended in a traceback: no module plotly."""
    code = "import sys; sys.modules |= dict.fromkeys(('plotly', 'streamlit', 'PIL')); import dpq_core.commands.ledger, "
    subprocess.run([sys.executable, "-c", f"{code} dpq_core.report.html"], check=True, cwd=ROOT)


def test_a_column_alone_has_the_usual_report_and_the_last_release_is_taken(account: Any) -> None:
    column = dpq.Column.from_values(AGES, dpq.Domain(0, 120, 1))
    for name, level in (("june", "1/4"), ("july", "3/4")):
        answers = dpq.release(column, dpq.Plan(level, "aq", epsilon=2), account=account, release_id=name)
    text = report()
    assert "july" in text
    assert "june" not in text
    assert f"{answers['column'].values[0][0]:g}" in text
    assert "june" in report("june")
    assert "would then be right at most" in text
    dpq.release(column, dpq.Plan("1/2", "aq", epsilon=4), account=account)
    assert "the budget did not allow it" in report(), "4 of 9 are spent already, and 4 more"


@pytest.mark.slow
def test_a_release_is_found_however_many_there_were_since_and_whoever_they_are_of(account: Any) -> None:
    column = dpq.Column.from_values(AGES, dpq.Domain(0, 120, 1))
    other = dpq.account("visitors", epsilon=9, one_row_is="visitor")
    plan = dpq.Plan("1/2", "aq", epsilon=0.01)
    dpq.release(column, plan, account=account, release_id="first")
    for number in range(101):
        dpq.release(column, plan, account=other, release_id=str(number))
    assert "first" in report()
    assert "first" in report("first")


@pytest.mark.parametrize(("line", "told"), [
    (("--out", "report.pdf"), "`--out` must end in .html"),
    (("--out", "report.html", "--people", "0"), "`--people` must be a whole number from 1"),
    (("nothing", "--out", "report.html"), "`release_id` must be that of an answered release of this data set"),
    (("--out", "report.html"), "`release_id` must be that of an answered release of this data set"),
])  # fmt: skip
def test_what_cannot_be_reported_is_refused_and_nothing_is_written(
    line: tuple[str, ...], told: str, account: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "staff", *line]) == WRONG_WORDS
    assert told in capsys.readouterr().err
    assert not list(Path().glob("report*"))


def test_a_data_set_that_is_none_is_refused(account: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "nobody", "--out", "report.html"]) == WRONG_WORDS
    assert "`account` must be that of an account in this ledger" in capsys.readouterr().err
    assert Ledger.from_environment().accounts()[0].name == "staff"


PERSONS = {
    "weight": (("--per-person", "weight"), "For half of all rows (those of one patient weigh as much as one), stay is"),
    "rows": (("--max-rows-per-person", "3"), "For half of the rows that count, stay is"),
    "mean": (("--per-person", "mean"), "For half of the patients, stay is"),
}


@pytest.mark.slow
@pytest.mark.parametrize("rule", PERSONS)
def test_a_report_says_of_what_of_persons_answers_are(rule: str) -> None:
    """The line said it; the report once took the answers of all rows for those of all patients."""
    Path("stays.csv").write_text("id,stay\n" + "".join(f"{row % 200},{row % 40}\n" for row in range(600)))
    line, told = PERSONS[rule]
    asked = "stays.csv --column stay=0:60:1 ASKED --person id --account staff --total-epsilon 3 --one-row-is patient"
    assert main(["release", *typed(asked), *line]) == 0
    text = report()
    assert told in text
    assert "with all their rows" in text


def test_a_report_of_a_release_of_python_knows_what_counts_of_a_person(account: Any) -> None:
    patients = dpq.account("patients", epsilon=9, one_row_is="patient")
    column = dpq.Column.from_values(
        AGES, dpq.Domain(0, 120, 1), people=dpq.People.of(range(600)), max_rows_per_person=3
    )
    dpq.release(column, dpq.Plan("median", "aq", epsilon=1), account=patients)
    said = report(account="patients")
    assert "For half of the rows that count" in said
    assert "at most 3 rows of each patient count" in said


@pytest.mark.slow
def test_groups_of_a_line_are_judged_by_the_size_that_was_said() -> None:
    Path("people.csv").write_text("age,sex\n" + "".join(f"{20 + row % 60},{'fm'[row % 2]}\n" for row in range(600)))
    asked = "people.csv AGE --by sex=f,m --quantiles median --epsilon 1"
    assert main(["release", *typed(f"{asked} --account staff --total-epsilon 3")]) == 0
    assert "in each of 2 groups" in report(), "nobody said a size"
