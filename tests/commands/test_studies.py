"""`dpq study`: a grid file as a table."""

import json
import subprocess
import sys
from pathlib import Path

import pandas
import pytest

from dpq_core.__main__ import INTERRUPTED, UNREADABLE, WRONG_WORDS, main
from dpq_core.studies import engine
from dpq_core.studies.design import StudyDesign
from dpq_core.studies.engine import steps_on
from tests.documents import ROOT

GRID = StudyDesign(mechanisms=["aq", "slice"], quantiles=[3], n=[50], trials=10, seed=1)


@pytest.fixture(autouse=True)
def grid(folder):
    Path("grid.json").write_text(GRID.to_json())


@pytest.mark.parametrize("name", ["result.parquet", "result.csv", "result.json"])
def test_a_study_is_written(capsys, name):
    assert main(["study", "grid.json", "--out", name, "--trials", "20", "--seed", "5"]) == 0
    out, err = capsys.readouterr()
    read = {"parquet": pandas.read_parquet, "csv": pandas.read_csv, "json": pandas.read_json}[name.split(".")[1]]
    table = read(name)
    assert (table["trials"].tolist(), table["seed"].tolist()) == ([20, 20], [5, 5])
    assert table["supported"].tolist() == [True, False]
    assert out == ""
    assert "100 %" in err


def test_cells_on_a_cluster_are_the_same():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0", protocol="inproc") as workers:
        found = [row for _, row in steps_on(workers.scheduler_address, GRID)]
    errors = {row.configuration: row.max_error for _, row in engine.steps(GRID) if row.supported}
    assert {row.configuration: row.max_error for row in found if row.supported} == errors
    assert len(found) == len(GRID)


def test_a_grid_file_of_the_dashboard_repeats_a_study_to_the_last_byte_but_for_time():
    Path("grid.json").write_text(json.dumps({"label": "Settings only"} | GRID.as_dict()))
    tables = []
    for name in ("one.csv", "two.csv"):
        assert main(["study", "grid.json", "--out", name]) == 0
        table = pandas.read_csv(name, dtype=str, keep_default_na=False)
        assert float(table.pop("ms_per_trial")[0]) > 0
        tables.append(table.to_csv())
    assert tables[0] == tables[1]
    errors = [row.mean_error for _, row in engine.steps(GRID) if row.supported]
    assert [float(found) for found in table["mean_error"] if found] == errors


def test_an_interrupted_study_writes_nothing(monkeypatch):
    def interrupted(grid):
        yield next(engine_steps(grid))
        raise KeyboardInterrupt

    engine_steps = engine.steps
    monkeypatch.setattr(engine, "steps", interrupted)
    assert main(["study", "grid.json", "--out", "r.csv"]) == INTERRUPTED
    assert not Path("r.csv").exists()


@pytest.mark.slow
def test_it_runs_as_a_module(tmp_path):
    command = [sys.executable, "-m", "dpq_core", "study", tmp_path / "grid.json", "--out", tmp_path / "r.json"]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0
    assert len(json.loads(Path("r.json").read_text())) == 2


@pytest.mark.parametrize(("line", "sentence"), [
    ("grid.json --out result.txt", "`out` must end in .parquet, .csv, .json, got 'result.txt'."),
    ("none.json --out r.csv", "the file none.json cannot be used: no such file or directory."),
    ("people.csv --out r.csv", "people.csv: `grid` must be JSON text."),
    ("grid.json --out r.csv --trials 0", "`trials` must be a whole number >= 1, got 0."),
])  # fmt: skip
def test_a_mistake_is_one_clear_line(capsys, line, sentence):
    Path("people.csv").write_text("age\n31\n")
    assert main(["study", *line.split()]) in (WRONG_WORDS, UNREADABLE)
    assert capsys.readouterr().err == f"dpq: error: {sentence}\n"
    assert not Path("r.csv").exists()
