"""The engine: rows that can be checked and recomputed one by one, and tables of them."""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, ParameterError, PureDP, Sample, simulate
from dpq_core.studies import engine, reference, tables
from dpq_core.studies.configuration import expected_seconds, likely_seconds
from dpq_core.studies.engine import Row, Samples, run_configuration, steps
from dpq_core.studies.grid import Grid
from dpq_core.studies.shapes import domain_of, values_of

SMALL = Grid(mechanisms=["aq", "indexp"], budgets=[PureDP(1.0), ZCDP(0.125)], quantiles=[3], n=[200], trials=70, seed=3)


def rows(grid, given=None):
    return sorted((row for _, row in steps(grid, given)), key=lambda row: row.configuration)


def without_times(row):
    return {**vars(row), "configuration": 0, "ms_per_trial": 0}


def test_a_row_is_what_its_seeds_give():
    row, configuration = rows(SMALL)[1], SMALL.configurations()[1]
    values = values_of("uniform", 200, row.data_seed, domain_of("uniform"))
    sample = Sample.from_values(values, domain_of("uniform"), seed=row.data_seed)
    errors = simulate(sample, configuration.plan, 70, row.noise_seed).rank_errors
    means, largest = errors.mean(axis=1), errors.max(axis=1)
    assert (row.mechanism, row.n, row.m, row.trials) == ("indexp", 200, 3, 70)
    assert row.mean_error == pytest.approx(means.mean())
    assert row.max_error == pytest.approx(largest.mean())
    assert (row.max_error_low, row.max_error_high) == tuple(np.percentile(largest, (2.5, 97.5)))
    assert row.mean_error_se == pytest.approx(means.std(ddof=1) / 70**0.5)
    assert row.ms_per_trial > 0


def test_slices_under_a_pure_budget_fail_now_and_then():
    grid = Grid(mechanisms=["slice"], n=[50_000], trials=4096, seed=1)
    ((_, row),) = steps(grid)
    assert 0 < row.failed < 20
    assert row.mean_error > 1.5 * row.mean_error_median


def test_a_cell_alone_is_what_it_is_within_any_grid():
    within = rows(SMALL)
    assert [without_times(run_configuration(configuration)) for configuration in SMALL.configurations()] == [
        without_times(row) for row in within
    ]
    alone = Grid(mechanisms=["indexp"], budgets=[ZCDP(0.125)], quantiles=[3], n=[200], trials=70, seed=3)
    assert without_times(rows(alone)[0]) == without_times(within[3])


def test_more_trials_only_add():
    def errors(trials):
        configuration = Grid(mechanisms=["aq"], n=[100], trials=trials).configurations()[0]
        return engine.simulated_studies(configuration, Samples())[1][0].rank_errors

    assert (errors(128)[:64] == errors(64)).all()


def test_data_sets_are_fresh_and_the_standard_error_is_over_them():
    configuration = Grid(mechanisms=["aq"], n=[300], trials=20, data_sets=10).configurations()[0]
    samples = Samples()
    assert len({samples.of(configuration, number).cells.tobytes() for number in range(10)}) == 10
    errors = np.array([study.rank_errors for study in engine.simulated_studies(configuration, samples)[1]])
    assert errors.shape == (10, 2, 9)
    means = errors.mean(axis=(1, 2))
    assert run_configuration(configuration).mean_error_se == pytest.approx(means.std(ddof=1) / 10**0.5)


def test_intervals_are_counted_where_the_grid_asks_for_them():
    grid = Grid(mechanisms=["binhist", "slice"], quantiles=[3], n=[500], trials=60, intervals=0.9)
    assert Grid.from_json(grid.to_json()) == grid
    held, refused = rows(grid)
    assert 0.75 < held.coverage <= 1
    assert 0 < held.width < 200
    assert np.isnan(refused.coverage)
    bare = rows(Grid(mechanisms=["binhist"], quantiles=[3], n=[500], trials=60))[0]
    assert np.isnan(bare.coverage)
    assert "intervals" not in Grid(n=[500]).to_json()


def test_what_is_not_supported_says_why():
    grid = Grid(mechanisms=["slice"], budgets=[ZCDP(1.0), PureDP(1.0)], n=[50], adjacencies=list(Adjacency))
    found = rows(grid)
    assert [row.supported for row in found] == [False] * 4
    assert all(row.why_not and np.isnan(row.mean_error) and np.isnan(row.ms_per_trial) for row in found)


def test_shares_grow_to_one_and_the_cheapest_come_first():
    grid = Grid(mechanisms=["jointexp", "indexp"], quantiles=[30, 3], trials=5)
    shares, found = zip(*steps(grid), strict=True)
    assert list(shares) == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)
    assert [(row.mechanism, row.m) for row in found][-1] == ("jointexp", 30)
    assert expected_seconds(grid.configurations()) >= sum(map(likely_seconds, grid.configurations())) > 0


def test_a_given_column_is_studied_as_it_is_or_drawn_from():
    ages = np.array([20.0, 30, 30, 41, 55, 60])
    grid = Grid(mechanisms=["aq"], data=["mine"], n=[None, 500], domains=[Domain(0, 120, 1)], trials=3)
    whole, drawn = rows(grid, {"mine": ages})
    assert (whole.n, drawn.n, whole.domain_cells) == (6, 500, 121)
    with pytest.raises(ParameterError, match="public bounds"):
        rows(Grid(data=["mine"]), {"mine": ages})
    with pytest.raises(ParameterError, match="`data` must be one of"):
        next(steps(Grid(data=["uniform", "mine"])))


def test_no_records_and_no_room_to_keep_samples(monkeypatch):
    monkeypatch.setattr(engine, "MOST_RECORDS_KEPT", 10)
    found = rows(Grid(mechanisms=["aq"], n=[0, 20, 8], trials=2))
    assert [(row.n, row.supported) for row in found] == [(0, True), (20, True), (8, True)]
    assert found[0].mean_error == 0


def test_files_hold_the_frame(tmp_path):
    found = rows(SMALL)
    frame = tables.as_frame(found)
    for name in ("t.parquet", "t.csv", "t.json"):
        tables.write(found, tmp_path / name)
    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / "t.parquet"), frame)
    assert pandas.read_csv(tmp_path / "t.csv")["noise_seed"].tolist() == frame["noise_seed"].tolist()
    assert json.loads((tmp_path / "t.json").read_text())[3]["mean_error"] == pytest.approx(found[3].mean_error)
    for path in (tmp_path / "t.xlsx", tmp_path / "none" / "t.csv"):
        with pytest.raises(ParameterError, match="`out` must"):
            tables.check_path(path)


# ── the reference line of OpenDP beside our own mechanisms ───────────────────────────────────────────────────────────


def rows_of(grid: Grid) -> list[Row]:
    found = list(reference.steps(grid))
    shares = [share for share, _ in found]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    return [row for _, row in found]


def test_without_the_library_a_row_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    grid = Grid(mechanisms=["aq", "indexp"], quantiles=[3], n=[50], adjacencies=list(Adjacency), trials=4)
    rows = rows_of(grid)
    assert len(rows) == 6
    last = [row for row in rows if row.mechanism == reference.KEY]
    assert [(row.configuration, row.supported, row.why_not) for row in last] == [
        (4, False, reference.NOT_INSTALLED), (5, False, reference.NOT_INSTALLED)
    ]  # fmt: skip
    assert {row.adjacency for row in last} == {"add_remove", "substitute"}


@pytest.mark.parametrize("budget", [PureDP(1.0), ApproxDP(1.0, 1e-6), ZCDP(0.5)], ids=str)
@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_all_draws_together_spend_the_budget_and_no_more(budget, adjacency):
    opendp = pytest.importorskip("opendp.prelude")
    opendp.enable_features("contrib")
    configuration = Grid(
        mechanisms=["aq"], budgets=[budget], quantiles=[["1/4", "0.9", "1/3"]], adjacencies=[adjacency]
    ).configurations()[0]
    sample = Sample.from_values(np.arange(60), Domain(0, 100, 1), seed=0)
    changed = 2 if adjacency is Adjacency.SUBSTITUTE else 1
    losses = [
        reference._measurement(opendp, level, configuration, sample).map(changed) for level in configuration.quantiles
    ]
    shares = reference.budgets_of_one(budget, 3)
    amounts = [share.rho if isinstance(share, ZCDP) else share.epsilon for share in shares]
    assert any(max(losses) <= amount for amount in amounts)
    assert max(losses) > 0.99 * min(amounts)


@pytest.mark.statistical
def test_a_large_budget_finds_the_true_quantiles():
    """With ε = 1000 every draw of 20 is right: a miss has a probability below exp(-100)."""
    pytest.importorskip("opendp.prelude")
    grid = Grid(mechanisms=["aq"], budgets=[PureDP(1000.0)], quantiles=[3], data=["reference"], n=[101], trials=20)
    row = next(row for row in rows_of(grid) if row.mechanism == reference.KEY)
    assert row.supported
    assert row.max_error <= 1
    assert row.trials == 20
