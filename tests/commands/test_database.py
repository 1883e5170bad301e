"""A release from a database on the command line: read as rows, charged as a file is, and never shown."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.history.entries import standing
from tests.commands.conftest import Answered, Refused

ASKED = "--quantiles median --epsilon 50"
CLINIC = "--database sqlite:///clinic.db"
TABLE = f"{CLINIC} --table stays --column days=0:100:1 {ASKED}"


@pytest.fixture(autouse=True)
def clinic(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DPQ_DATABASE_URL", raising=False)
    with closing(sqlite3.connect("clinic.db")) as clinic, clinic:
        clinic.execute("CREATE TABLE stays (id, days, ward)")
        rows = [(k % 50, k % 101, ("north", "south")[k % 2]) for k in range(3000)]
        clinic.executemany("INSERT INTO stays VALUES (?, ?, ?)", rows)


QUERY = "SELECT id, days, id % 2 + 1 AS ward FROM stays WHERE (id % 2) = (days > 50)"
TWO = "SELECT days, id, ward, id % 2 AS odd FROM stays"
LINES = {
    TABLE: [50],
    f"{CLINIC} --query 'SELECT days AS d FROM stays WHERE days <= 20' --column d=0:100:1 {ASKED}": [10],
    f"{TABLE} --person id --per-person max": [100],
    f"{CLINIC} --query '{QUERY}' --column days=0:100:1 --by ward=1,2 {ASKED}": [25, 75],
    f"{CLINIC} --query '{TWO}' --column days=0:100:1 --column id=0:100:1 --by ward=north --by odd=0 {ASKED}": [50, 24],
    f"{TABLE} --by ward=south,north --person id --per-person max --max-groups-per-person 2": [100, 100],
}


@pytest.mark.slow(keep=TABLE)
@pytest.mark.parametrize("line", LINES)
def test_a_table_or_a_query_is_answered_also_by_persons_and_groups(line: str, answered: Answered) -> None:
    found, err = answered(line)
    assert [row["value"] for row in found["answers"]] == pytest.approx(LINES[line], abs=4)
    assert "sqlite:" not in str(found) + err


def test_question_and_address_may_be_said_elsewhere(answered: Answered, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = answered(TABLE)
    Path("answer.json").write_text(json.dumps(first))
    monkeypatch.setenv("DPQ_DATABASE_URL", "sqlite:///clinic.db")
    assert answered("--plan answer.json --query 'SELECT days FROM stays'")[0]["question"] == first["question"]


def test_a_table_is_charged_and_known_again(answered: Answered) -> None:
    answered(f"{TABLE} --account patients --total-epsilon 200")
    with closing(sqlite3.connect("clinic.db")) as clinic, clinic:
        clinic.execute("INSERT INTO stays VALUES (1, 2, 'north')")
    assert "charged for other files before" not in answered(f"{TABLE} --account patients")[1]
    query = TABLE.replace("--table stays", "--query 'SELECT days FROM stays'")
    assert "charged for other files before" in answered(f"{query} --account patients")[1]
    ledger = Ledger.from_environment(make_key=False)
    assert standing(ledger.account("patients")).balance.spent == pytest.approx(150)


@pytest.mark.parametrize(("line", "sentence"), [
    (f"AGE {ASKED}", "`file` must be given"),
    (f"x.csv AGE {CLINIC} {ASKED}", "`--database` must not be given with a file: give one of both."),
    (f"--table t AGE {ASKED}", "`--database` must be given, or DPQ_DATABASE_URL."),
    (f"{TABLE} --query 'SELECT 1'", "`--query` must not be given with `--table`: give one of both."),
    (TABLE.replace("days=", "day="), "Did you mean 'days'?"),
    (f"{TABLE} --person id --per-person first", "`--per-person` must not be first or last"),
    (TABLE.replace("clinic", "gone"), "The database cannot be read"),
], ids=range(7))  # fmt: skip
def test_what_cannot_be_read_is_one_line(line: str, sentence: str, refused: Refused) -> None:
    said = refused(line)
    assert sentence in said
    assert "sqlite:" not in said
