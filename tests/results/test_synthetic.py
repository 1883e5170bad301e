"""A synthetic column: what is drawn, what is kept, and what the files say."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dpq_core import Domain, Plan, Sample, unsupported
from dpq_core.accuracy import distribution_distance
from dpq_core.calibrations import calibrations_of
from dpq_core.ledger import Account
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
    assert simulated.distance == distribution_distance(explored(), simulated.values)
    assert 0 < simulated.distance < 0.2
    assert list(simulated.values) == sorted(simulated.values)


def test_the_quantiles_of_the_page_do_not_matter(simulated: SimulatedColumn) -> None:
    other = Plan([], PLAN.mechanism, PLAN.privacy, PLAN.adjacency)
    assert simulated.plan == other
    assert columns.plan_of(other, SIZE) == WANTED.plan


def test_a_released_column_has_nothing_of_the_truth(released: ReleasedColumn) -> None:
    assert "731" not in repr(vars(released))
    assert released.guarantee.exact
    assert len(released.values) == SIZE
    assert exports.price(released) == "ε = 1"


def test_steps_are_those_of_the_values_and_few() -> None:
    assert columns.steps_of([3.0, 1.0, 3.0, 2.0]) == ([1, 2, 3], [0.25, 0.5, 1])
    assert columns.steps_of([]) == ([], [])
    values, shares = columns.steps_of(np.arange(10_000.0))
    assert len(values) == len(shares) == columns.MOST_STEPS
    assert (values[0], values[-1], shares[-1]) == (0, 9999, 1)


def test_a_preview_runs_from_the_first_to_the_last(simulated: SimulatedColumn) -> None:
    shown = columns.preview(simulated.values, simulated.wording, 10)
    assert (shown["place"][0], shown["place"][-1], len(shown["place"])) == ("1", "40", 10)
    assert shown["value"][-1] == f"{simulated.values[-1]:.0f}"
    assert columns.preview((7.0,), simulated.wording, 10) == {"place": ["1"], "value": ["7"]}


def test_a_column_that_fits_needs_no_reason() -> None:
    assert unsupported(columns.plan_of(columns.without_quantiles(PLAN), SIZE)) is None


def test_files_say_what_they_are(simulated: SimulatedColumn, released: ReleasedColumn) -> None:
    for column in (simulated, released):
        table = list(csv.DictReader(io.StringIO(exports.as_csv(column))))
        assert [float(row["private"]) for row in table] == list(column.values)
        assert {row["label"] for row in table} == {exports.privacy_label(column)}
        told = json.loads(exports.as_json(column))
        assert (told["column"], told["size"]) == (list(column.values), SIZE)
        plan = json.loads(exports.as_plan(column))
        assert (plan["size"], Plan.from_dict(plan["plan"])) == (SIZE, column.plan)
        assert "731" not in exports.as_plan(column)
    assert exports.privacy_label(released) == "Release: ε = 1, one person joins or leaves."
    assert not {"largest_difference", "seed"} & set(told)
    assert "731" not in exports.as_json(released) + exports.as_csv(released)
    assert json.loads(exports.as_json(simulated))["kind"] == "simulation"


def test_dates_leave_as_dates(released: ReleasedColumn) -> None:
    dated = replace(released, wording=replace(released.wording, kind="date"))
    assert exports.as_csv(dated).splitlines()[1].startswith("1970-")


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
    *values, last = done.stdout.splitlines()
    if kind == "simulated":
        assert tuple(map(float, [*values, last])) == column.values
    else:
        assert len(values) == SIZE
        assert last.startswith("Charged to ages: epsilon = 1, delta = 0. Release id: ")
        assert "another release" in export_scripts.as_script(column)


def test_an_empty_column_of_data_has_a_synthetic_one() -> None:
    domain = Domain(0, 10, 1)
    sample = Sample.from_values(np.empty(0), domain, seed=0)
    column = columns.simulate_column(data(), sample, calibrations_of(columns.plan_of(Plan([], "aq"), 5)), 1)
    assert (len(column.values), column.distance) == (5, 0)
