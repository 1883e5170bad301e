"""One press of the button: what is drawn, what is kept, and what the files say."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, Domain, Guarantee, Plan, PureDP, Sample
from dpq_core.ledger import Account, standing
from dpq_core.privacy import Privacy
from dpq_core.ui import exports, runs
from dpq_core.ui.data import DataSet, report_on
from dpq_core.ui.runs import EXPLORE_SEED, Released, Simulation

ROOT = Path(__file__).parents[2]
DOMAIN = Domain(0, 120, 1)
PLAN = Plan(["1/4", "1/2", "3/4"], "aq", PureDP(1.0))
VALUES = np.random.default_rng(1).integers(18, 91, size=731).astype(float)
READING = "import numpy as np\n\nvalues = np.random.default_rng(1).integers(18, 91, size=730 + 1).astype(float)"


def data() -> DataSet:
    return DataSet(
        identity="upload:1", name="age", kind="number", unit="years", one="person", many="people", about="a.csv",
        source="", is_example=False, public=True, reading=READING, values=VALUES,
    )  # fmt: skip


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    return runs.simulate_once(data(), Sample.from_values(VALUES, DOMAIN, seed=EXPLORE_SEED), PLAN, 3)


@pytest.fixture(scope="module")
def released(account: Account) -> Released:
    return runs.release_once(data(), Sample.from_values(VALUES, DOMAIN), PLAN, account, "first press")


def test_a_simulation_can_be_repeated(simulation: Simulation) -> None:
    again = runs.simulate_once(data(), Sample.from_values(VALUES, DOMAIN, seed=EXPLORE_SEED), PLAN, 3)
    assert again.values == simulation.values
    assert again.repeats == simulation.repeats


def test_its_truth_is_the_truth(simulation: Simulation) -> None:
    ordered = np.sort(VALUES)
    assert simulation.true_values == tuple(ordered[int(Fraction(q) * 731) - 1] for q in ("1/4", "1/2", "3/4"))
    assert simulation.n == 731
    for low, error, high in zip(simulation.lows, simulation.errors, simulation.highs, strict=True):
        assert low <= 0 <= high
        assert abs(error) < 731


def test_a_release_has_nothing_of_the_truth(released: Released) -> None:
    text = repr(vars(released))
    assert "731" not in text
    assert released.release.guarantee.exact
    assert all(value == int(value) for value in released.release.values)


def test_the_reference_interval_does_not_see_the_data(released: Released) -> None:
    assert released.reference == runs.reference_interval(PLAN, DOMAIN)
    low, high = runs.reference_interval(PLAN, DOMAIN) or (0, 0)
    assert low <= 0 <= high < 100


def test_no_levels_no_interval() -> None:
    assert runs.simulate_once(data(), Sample.from_values(VALUES, DOMAIN, seed=0), Plan([]), 1).values == ()


def test_report() -> None:
    values = np.array([1.0, 1.0, np.nan, 500.0, -3.0])
    report = report_on(values, Sample.from_values(values, DOMAIN), DOMAIN)
    assert (report.rows, report.missing, report.outside, report.distinct, report.tied) == (5, 1, 2, 3, True)


def test_csv_holds_the_label_and_the_same_values(simulation: Simulation, released: Released) -> None:
    for outcome in (simulation, released):
        table = list(csv.DictReader(io.StringIO(exports.as_csv(outcome))))
        assert [float(row["private"]) for row in table] == list(outcome.values)
        assert all(row["label"] == exports.privacy_label(outcome) for row in table)
    assert "true" not in table[0]
    assert "rank_error" not in table[0]


def test_json_and_plan_can_be_read_back(simulation: Simulation, released: Released) -> None:
    told = json.loads(exports.as_json(released))
    assert told["kind"] == "release"
    assert "731" not in exports.as_json(released)
    assert Plan.from_dict(told["plan"]) == PLAN
    assert json.loads(exports.as_json(simulation))["seed"] == 3
    plan = json.loads(exports.as_plan(simulation))
    assert Plan.from_dict(plan["plan"]) == PLAN
    assert Domain(**plan["domain"]) == DOMAIN
    assert "731" not in exports.as_plan(simulation)


def test_the_same_id_gives_the_same_answer_and_spends_once(released: Released, account: Account) -> None:
    before = len(standing(account).entries)
    again = runs.release_once(data(), Sample.from_values(VALUES, DOMAIN), PLAN, account, "first press")
    assert again.release == released.release
    assert len(standing(account).entries) == before


@pytest.mark.parametrize("kind", ["simulation", "released"])
def test_the_script_runs_and_repeats_a_simulation(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, account: Account, through_the_ledger: dict[str, str]
) -> None:
    outcome = request.getfixturevalue(kind)
    charged_before = len(standing(account).entries)
    script = tmp_path / "again.py"
    script.write_text(exports.as_script(outcome), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True, cwd=tmp_path, timeout=120,
        env={"PYTHONPATH": str(ROOT), "PATH": ""} | through_the_ledger,
    )  # fmt: skip
    printed = [float(line.split()[1]) for line in done.stdout.splitlines()]
    assert len(printed) == 3
    assert len(standing(account).entries) - charged_before == (kind == "released")
    if kind == "simulation":
        assert tuple(printed) == outcome.values
    else:
        assert "another release" in exports.as_script(outcome)


def test_labels_and_prices(simulation: Simulation, released: Released) -> None:
    assert exports.privacy_label(simulation).startswith("Simulation, not private")
    assert exports.privacy_label(released) == "Release: ε = 1, one person joins or leaves."
    assert exports.price(released) == "ε = 1"


def test_a_price_is_in_the_terms_of_the_plan(released: Released) -> None:
    def price(spent: Guarantee, privacy: Privacy) -> str:
        plan = Plan(PLAN.quantiles, "aq", privacy)
        return exports.price(replace(released, plan=plan, release=replace(released.release, guarantee=spent)))

    spent = partial(Guarantee, adjacency=Adjacency.ADD_REMOVE, delta=0.0, rho=None)
    assert price(spent(epsilon=1), PureDP(1.0)) == "ε = 1"
    assert price(spent(epsilon=1, rho=0.25), ZCDP(0.5)) == "ρ = 0.25"
    assert price(spent(epsilon=1, delta=1e-6), ZCDP(0.5)) == "ε = 1, δ = 1e-06"
