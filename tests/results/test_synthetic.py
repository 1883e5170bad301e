"""A synthetic column: what is drawn, what is kept, and what the files say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dpq_core import Domain, Plan, Sample
from dpq_core.accuracy import distribution_distance
from dpq_core.calibrations import calibrations_of
from dpq_core.ledger.accounts import Account
from dpq_core.results import exports
from dpq_core.results import scripts as export_scripts
from dpq_core.results import synthetic as columns
from dpq_core.results.outcomes import EXPLORE_SEED
from dpq_core.results.synthetic import Column, ReleasedColumn, SimulatedColumn
from tests.results.test_outcomes import DOMAIN, FILE, PLAN, ROOT, VALUES, data, private

SIZE = 40
WANTED = calibrations_of(columns.plan_of(PLAN, SIZE))


@pytest.fixture(scope="module")
def simulated() -> SimulatedColumn:
    return columns.simulate_column(data(), explored(), WANTED, 3)


@pytest.fixture(scope="module")
def released(account: Account) -> ReleasedColumn:
    return columns.release_column(private(), DOMAIN, WANTED, account, "first press")


def explored() -> Sample:
    return Sample.from_values(VALUES, DOMAIN, seed=EXPLORE_SEED)


def test_a_simulated_column_can_be_repeated_and_knows_its_distance(simulated: SimulatedColumn) -> None:
    assert columns.simulate_column(data(), explored(), WANTED, 3).values == simulated.values
    assert columns.plan_of(Plan([], PLAN.mechanism, PLAN.privacy, PLAN.adjacency), SIZE) == WANTED.plan
    assert simulated.distance == distribution_distance(explored(), simulated.values)
    assert 0 < simulated.distance < 0.2
    assert list(simulated.values) == sorted(simulated.values)


def test_a_released_column_has_nothing_of_the_truth(released: ReleasedColumn) -> None:
    assert "731" not in repr(vars(released)) + exports.as_json(released) + exports.as_csv(released)
    assert "731" not in exports.as_plan(released)
    assert released.guarantee.exact
    assert len(released.values) == SIZE
    assert exports.price(released) == "ε = 1"


@pytest.mark.slow(keep="simulated")
@pytest.mark.parametrize("kind", ["simulated", "released"])
def test_the_script_runs(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, through_the_ledger: dict[str, str]
) -> None:
    column: Column = request.getfixturevalue(kind)
    script = tmp_path / "again.py"
    script.write_text(export_scripts.as_script(column), encoding="utf-8")
    (tmp_path / FILE).touch()
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True, cwd=tmp_path, timeout=120,
        env={"PYTHONPATH": str(ROOT), "PATH": ""} | through_the_ledger,
    )  # fmt: skip
    values = tuple(map(float, done.stdout.splitlines()))
    if kind == "simulated":
        assert values == column.values
    else:
        assert len(values) == SIZE
        assert "another release" in export_scripts.as_script(column)


def test_an_empty_column_of_data_has_a_synthetic_one() -> None:
    domain = Domain(0, 10, 1)
    sample = Sample.from_values(np.empty(0), domain, seed=0)
    column = columns.simulate_column(data(), sample, calibrations_of(columns.plan_of(Plan([], "aq"), 5)), 1)
    assert (len(column.values), column.distance) == (5, 0)
