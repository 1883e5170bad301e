"""One press of the button: what is drawn, what is kept, and what the files say."""

import csv
import io
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dpq_core import Column, Domain, Plan, PureDP
from dpq_core.columns_plan import ColumnsPlan
from dpq_core.frame import level_text
from dpq_core.ledger.accounts import Account
from dpq_core.ledger.history.entries import standing
from dpq_core.plan import parse_level
from dpq_core.question import Asked, Question
from dpq_core.results import exports as export_scripts
from dpq_core.results.chosen import Chosen, TableReading
from dpq_core.results.data_set import EXPLORE_SEED, PrivateData, PublicData
from dpq_core.results.kinds import Answered, Released, Simulated
from dpq_core.results.released import release_asked
from dpq_core.results.sealed import SealedColumn
from dpq_core.results.simulated import around, noise_interval, simulate_column
from dpq_core.results.trace import explain_once
from dpq_core.sources.reading import Opening
from dpq_core.tabular import table_as_csv

ROOT = Path(__file__).parents[2]
DOMAIN = Domain(0, 120, 1)
PLAN = Plan(["1/4", "1/2", "3/4"], "aq", PureDP(1.0))
VALUES = np.random.default_rng(1).integers(18, 91, size=731).astype(float)
FILE = "=ages.csv"
READ = "np.random.default_rng(1).integers(18, 91, size=730 + 1).astype(float)"
READING = TableReading(("import numpy as np",), (("age", READ),), file=FILE)
QUESTION = Question(
    columns={"age": Asked(possible=DOMAIN, levels=PLAN.quantiles, mechanism="aq")}, budget=PLAN.privacy, file=Opening()
)
ASKED = Chosen(question=QUESTION, plan=ColumnsPlan.of(["age"], PLAN))


def data() -> PublicData:
    return PublicData(
        identity="upload:1", name="age", kind="number", unit="years", one="person", many="people", about="a.csv",
        source="", is_example=False, reading=READING, values=VALUES,
    )  # fmt: skip


def private() -> PrivateData:
    """The same column, where nobody declared it public."""
    facts = {name: value for name, value in vars(data()).items() if name not in {"values", "people", "groups"}}
    return PrivateData(**facts, column=SealedColumn(VALUES, b"its digest"))


@pytest.fixture(scope="module")
def simulation() -> Simulated:
    return simulate_column(data(), Column.from_values(VALUES, DOMAIN, seed=EXPLORE_SEED), ASKED, 3)


@pytest.fixture(scope="module")
def released(account: Account) -> Released:
    about = "upload:1", "a.csv"
    return release_asked([private()], ASKED, READING, account, "first press", "", *about, of_table=False)


def test_its_truth_is_the_truth(simulation: Simulated) -> None:
    ordered = np.sort(VALUES)
    own, many = simulation.only, simulation.many_runs
    assert own.true_values == tuple(ordered[int(Fraction(q) * 731) - 1] for q in ("1/4", "1/2", "3/4"))
    assert simulation.n == 731
    lows, highs = noise_interval(many)
    for low, error, high in zip(lows, own.errors, highs, strict=True):
        assert low <= 0 <= high
        assert abs(error) < 731


def test_a_run_is_shown_over_every_record_and_no_farther_than_the_bounds() -> None:
    ends = np.repeat([0.0, 7.0, 120.0], 9)
    run = explain_once(data(), Column.from_values(ends, DOMAIN, seed=1), PLAN, 1)
    assert (run.edges[0], run.edges[-1], sum(run.counts)) == (0, 121, 27), "the last bar is that of the highest value"
    beyond = around(np.array([-3.5, np.nan]), Domain(0, 10, 1))
    assert (beyond.lower, beyond.upper, beyond.step) == (Fraction(-7, 2), Fraction(10), Fraction(1, 10**5))


def test_a_release_has_nothing_of_the_truth(released: Released) -> None:
    text = repr(vars(released))
    assert "731" not in text
    assert released.guarantee.exact
    assert all(value == int(value) for value in released.only.values)


@pytest.mark.parametrize("level", [Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(12, 365)])
def test_no_spreadsheet_takes_a_level_for_a_date(level: Fraction) -> None:
    text = level_text(level)
    assert not re.fullmatch(r"[\d\s]+[/.-][\d\s/.-]+", text)
    assert "%" in text
    exact = re.search(r"\((.*)\)", text)
    assert parse_level(exact[1] if exact else text.split(" · ")[0]) == level


def test_no_spreadsheet_computes_a_text() -> None:
    evil = ["=1+1", "+1", "-1", "@x", "\tx", "＝1", "ok", -1.5, float("nan")]
    (row,) = list(csv.reader(io.StringIO(table_as_csv([], [evil]))))[1:]
    assert row == ["'=1+1", "'+1", "'-1", "'@x", "'\tx", "'＝1", "ok", "-1.5", ""]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["simulation", "released"])
def test_a_script_gives_the_same_answers_twice_and_charges_nothing(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, account: Account, through_the_ledger: dict[str, str]
) -> None:
    outcome, before = request.getfixturevalue(kind), len(standing(account).entries)
    (tmp_path / FILE).touch()
    first, second = (run_script(outcome, tmp_path, through_the_ledger) for _ in range(2))
    assert first.returncode == second.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    assert len(standing(account).entries) == before
    if kind == "simulation":
        assert tuple(map(float, first.stdout.split())) == outcome.only.values
    else:
        printed = [float(row["value"]) for row in csv.DictReader(io.StringIO(first.stdout))]
        assert tuple(printed) == outcome.only.values


@pytest.mark.slow(keep="simulation")
@pytest.mark.parametrize("kind", ["simulation", "released"])
def test_a_script_names_the_file_that_is_missing_and_charges_nothing(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, account: Account, through_the_ledger: dict[str, str]
) -> None:
    outcome = request.getfixturevalue(kind)
    before = len(standing(account).entries)
    done = run_script(outcome, tmp_path, through_the_ledger)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"{FILE} is not in {tmp_path}: put the file with the data there, and try again.\n"
    assert len(standing(account).entries) == before


def run_script(outcome: Answered, folder: Path, ledger: dict[str, str]) -> subprocess.CompletedProcess[str]:
    script = folder / "again.py"
    script.write_text(export_scripts.as_script(outcome), encoding="utf-8")
    return subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, cwd=folder, timeout=120,
        env={"PYTHONPATH": str(ROOT), "PATH": ""} | ledger,
    )  # fmt: skip
