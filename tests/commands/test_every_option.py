"""Every option of `dpq release`, changed alone, is refused with the same release id; words and places are answered.

The options are those of the parser: a new one without a row here fails.
"""

import argparse
import shlex
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from dpq_core.__main__ import SPENT, main
from dpq_core.commands.parser import parser_of_lines
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.history.entries import standing

ID = "--account people --release-id one"
OPENED = "--total-epsilon 9 --total-delta 1e-3"
TABLE = "people.csv --column pay=0:100:1 --quantiles median --epsilon .5"
PLAN = "people.csv --plan plan.json"
DATABASE = "--database sqlite:///people.db --column pay=0:100:1 --quantiles median --epsilon .5"
PERSON = f"{TABLE} --person id --per-person random"
REFUSED: dict[str, tuple[str, str, str]] = {
    "plan": (PLAN, "", PLAN.replace("plan.json", "other.json")),
    "column": (TABLE, "", TABLE.replace("pay=0:100:1", "pay=0:200:1")),
    "quantiles": (TABLE, "", TABLE.replace("median", "quartiles")), "epsilon": (TABLE, "", TABLE.replace(".5", ".4")),
    "delta": (TABLE, "--delta 1e-6", "--delta 1e-7"),
    "rho": (TABLE.replace("--epsilon .5", ""), "--rho .1", "--rho .05"),
    "mechanism": (TABLE, "--mechanism best", "--mechanism indexp"), "by": (TABLE, "--by region=n,s", "--by other=n,s"),
    "by, its list": (TABLE, "--by region=n,s", "--by region=n"),
    "column, its form": (TABLE, "", TABLE.replace("0:100:1", "digits")),
    "column, its ends": (TABLE.replace("0:100:1", "digits"), "", TABLE.replace("0:100:1", "digits:largest=1e6")),
    "column, its share": (TABLE.replace("0:100:1", "find"), "", TABLE.replace("0:100:1", "find:share=.2")),
    "other": (f"{TABLE} --by region=n,s", "--other rest", ""),
    "max_groups_per_person": (f"{PERSON} --by region=n,s", "--max-groups-per-person 1", "--max-groups-per-person 2"),
    "person": (TABLE, "--person id --per-person random", "--person other --per-person random"),
    "per_person": (f"{TABLE} --person id", "--per-person min", "--per-person max"),
    "max_rows_per_person": (f"{TABLE} --person id", "--max-rows-per-person 1", "--max-rows-per-person 2"),
    "intervals": (f"{TABLE} --about 50 --mechanism binhist", "--intervals .9", "--intervals .8"),
    "together": (f"{TABLE} --about 50 --mechanism binhist --intervals .9", "", "--together"),
    "population": (f"{TABLE} --about 50 --mechanism binhist --intervals .9", "", "--population"),
    "about": (f"{TABLE} --intervals .9 --mechanism binhist", "--about 50", "--about 60"),
    "noisy_count": (f"{TABLE} --intervals .9 --mechanism indexp", "--about 50", "--noisy-count"),
    "missing": (TABLE, "--missing 1", "--missing 2"), "header": (TABLE, "", "--header"),
    "encoding": (TABLE, "", "--encoding cp1252"), "decimal": (TABLE, "", "--decimal ."),
    "dates": (TABLE, "", "--dates day-first"), "durations": (TABLE, "", "--durations h:mm"),
    "missing_texts": (TABLE, "", "--missing-texts none"),
    "missing_codes": (TABLE, "--missing-codes 7", "--missing-codes 8"), "zero": (TABLE, "", "--zero nil"),
    "unit": (TABLE, "", "--unit €"), "percent": (TABLE, "", "--percent"),
    "file": (TABLE, "", TABLE.replace("people.csv", "later.csv")),
    "database": (DATABASE, "--table people", DATABASE.replace("people.db", "later.db") + " --table people"),
    "table": (DATABASE, "--table people", "--table later"),
    "query": (DATABASE, "--query 'select pay from people'", "--query 'select pay from later'"),
}  # fmt: skip
"""For each option a line, what comes behind it first, and what comes later: behind it, or as a line of its own."""
ANSWERED = {
    "one_row_is": (TABLE, "", "--one-row-is person"),
    "total_epsilon": (TABLE, "", "--total-epsilon 9 --total-delta 1e-3"),
    "total_delta": (TABLE, "", "--total-epsilon 9 --total-delta 1e-3"), "show_where": (TABLE, "", "--show-where"),
    "csv": (TABLE, "", "--csv"), "out": (TABLE, "", "--out answers.csv"),
}  # fmt: skip
"""Words, and where the answers go."""
ELSEWHERE = {
    "help": "no request", "sheet": "a workbook", "separator": "a file with an odd one", "fill_down": "as sheet",
    "totals": "as sheet", "account": "another account has other ids", "release_id": "another id", "quiet": "says less",
    "save_plan": "releases nothing", "adjacency": "refused by the account, whichever the id",
    "cluster": "reads the same rows",
}  # fmt: skip
"""Options that no id is compared by, and why."""


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    for name, epsilon in {"plan": "0.5", "other": "0.4"}.items():
        assert main(asked(f"{TABLE} --epsilon {epsilon} --save-plan {name}.json --quiet")) == 0
    rows = [(row, "ns"[row % 2], "sn"[row % 2], row // 2) for row in range(60)]
    for name, first in {"people": 0, "later": 1}.items():
        lines = [f"{pay + first},{region},{other},{who}\n" for pay, region, other, who in rows]
        Path(f"{name}.csv").write_text("pay,region,other,id\n" + "".join(lines))
        with closing(sqlite3.connect(f"{name}.db")) as held, held:
            for table in ("people", "later"):
                held.execute(f"CREATE TABLE {table} (pay INTEGER)")
                held.executemany(f"INSERT INTO {table} VALUES (?)", [(pay,) for pay, *_ in rows])


def options() -> set[str]:
    """Return the names of what `dpq release` takes, as the parser holds them."""
    (commands,) = (each for each in parser_of_lines()._actions if isinstance(each, argparse._SubParsersAction))
    return {each.dest for each in commands.choices["release"]._actions}


def test_every_option_has_a_row() -> None:
    assert {each for each in {*REFUSED, *ANSWERED, *ELSEWHERE} if ", its" not in each} == options()


def spent() -> object:
    (account,) = Ledger.at("ledger.sqlite").accounts()
    return standing(account).entries


def asked(line: str) -> list[str]:
    return ["release", *shlex.split(line)]


def tried(line: str, first: str, second: str) -> tuple[int, Callable[[], None]]:
    """Ask first, then again with one change; return how that ended, and what checks that nothing more was charged."""
    assert main(asked(f"{line} {first} {ID} {OPENED}")) == 0
    before = spent()
    other = second if "--column" in second or "--plan" in second else f"{line} {second}"

    def unchanged() -> None:
        assert main(asked(f"{line} {first} {ID}")) == 0
        assert spent() == before

    return main(asked(f"{other} {ID}")), unchanged


@pytest.mark.slow(one_in=11)
@pytest.mark.parametrize("option", REFUSED)
def test_an_option_that_changes_alone_makes_another_request(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, unchanged = tried(*REFUSED[option])
    assert code == SPENT
    assert "must be new for a new request" in capsys.readouterr().err
    unchanged()


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("option", ANSWERED)
def test_words_and_places_make_no_other_request(option: str) -> None:
    code, unchanged = tried(*ANSWERED[option])
    assert code == 0
    unchanged()
