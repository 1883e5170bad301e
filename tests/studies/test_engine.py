"""The engine: rows that can be checked and recomputed one by one, and tables of them."""

import json
import sys
from dataclasses import replace
from fractions import Fraction
from types import ModuleType

import numpy as np
import pandas
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Column, Domain, ParameterError, Plan, PureDP, simulate, true_quantiles
from dpq_core.advice.choice import Run, by_rule, needs
from dpq_core.advice.errors import error_of
from dpq_core.advice.simulation import Simulation
from dpq_core.domain.finding import FindBounds
from dpq_core.people.ids import People
from dpq_core.people.takes import PerPerson
from dpq_core.privacy.composition import PrivacyUnit
from dpq_core.sources.examples import load_example, load_people
from dpq_core.studies import engine, reference
from dpq_core.studies.configuration import expected_seconds, likely_seconds
from dpq_core.studies.design import StudyDesign
from dpq_core.studies.engine import Columns, Row, run_configuration, steps
from dpq_core.studies.shapes import Table, domain_of, table_of, values_of
from dpq_core.studies.takes import EVERY_ROW, SOME_ROWS, compare_takes

SMALL = StudyDesign(
    mechanisms=["aq", "indexp"], budgets=[PureDP(1.0), ZCDP(0.125)], quantiles=[3], n=[200], trials=70, seed=3
)


def rows(grid, given=None):
    return sorted((row for _, row in steps(grid, given)), key=lambda row: row.configuration)


def without_times(row):
    return {**vars(row), "configuration": 0, "ms_per_trial": 0}


def test_a_row_is_what_its_seeds_give():
    row, configuration = rows(SMALL)[1], SMALL.configurations()[1]
    values = values_of("uniform", 200, row.data_seed, domain_of("uniform"))
    column = Column.from_values(values, domain_of("uniform"), seed=row.data_seed)
    errors = simulate(column, configuration.plan, 70, row.noise_seed).rank_errors["column"]
    means, largest = errors.mean(axis=1), errors.max(axis=1)
    assert (row.mechanism, row.n, row.m, row.trials) == ("indexp", 200, 3, 70)
    assert row.mean_error == pytest.approx(means.mean())
    assert row.max_error == pytest.approx(largest.mean())
    assert (row.max_error_low, row.max_error_high) == tuple(np.percentile(largest, (2.5, 97.5)))
    assert row.mean_error_se == pytest.approx(means.std(ddof=1) / 70**0.5)


def test_milliseconds_are_of_one_trial(monkeypatch):
    monkeypatch.setattr(engine, "thread_time", iter(np.arange(0, 9, 0.25)).__next__)
    (row,) = rows(StudyDesign(mechanisms=["aq"], n=[9], trials=20, data_sets=2))
    assert row.ms_per_trial == 25, "a quarter of a second for each of two data sets"
    (alone,) = rows(StudyDesign(mechanisms=["aq"], n=[9], trials=1))
    assert np.isnan(alone.mean_error_se), "one run has no spread"


def test_what_is_usual_for_another_mechanism_is_no_failure():
    errors = [2.0] * 90 + [25.0] * 9 + [250.0]
    assert engine.failures(np.array(errors), 1000) == 1, "one by one is off by 34 on average"


@pytest.mark.slow
def test_slices_under_a_pure_budget_fail_now_and_then():
    grid = StudyDesign(mechanisms=["slice"], n=[50_000], trials=4096, seed=1)
    ((_, row),) = steps(grid)
    assert 0 < row.failed < 20
    assert row.mean_error > 1.5 * row.mean_error_median


def test_a_cell_alone_is_what_it_is_within_any_grid():
    within = rows(SMALL)
    assert [without_times(run_configuration(configuration)) for configuration in SMALL.configurations()] == [
        without_times(row) for row in within
    ]
    alone = StudyDesign(mechanisms=["indexp"], budgets=[ZCDP(0.125)], quantiles=[3], n=[200], trials=70, seed=3)
    assert without_times(rows(alone)[0]) == without_times(within[3])


def test_more_trials_only_add():
    def errors(trials):
        configuration = StudyDesign(mechanisms=["aq"], n=[100], trials=trials).configurations()[0]
        return engine.simulated_studies(configuration, Columns())[1][0].rank_errors

    assert (errors(128)[:64] == errors(64)).all()


@pytest.mark.slow
def test_data_sets_are_fresh_and_the_standard_error_is_over_them():
    configuration = StudyDesign(mechanisms=["aq"], n=[300], trials=20, data_sets=10).configurations()[0]
    columns = Columns()
    assert len({columns.of(configuration, number).cells.tobytes() for number in range(10)}) == 10
    errors = np.array([study.rank_errors for study in engine.simulated_studies(configuration, columns)[1]])
    assert errors.shape == (10, 2, 1, 9)
    means = errors.mean(axis=(1, 2, 3))
    assert run_configuration(configuration).mean_error_se == pytest.approx(means.std(ddof=1) / 10**0.5)


def test_intervals_are_counted_where_the_grid_asks_for_them():
    grid = StudyDesign(mechanisms=["binhist", "slice"], quantiles=[3], n=[500], trials=60, intervals=0.9)
    assert StudyDesign.from_json(grid.to_json()) == grid
    held, refused = rows(grid)
    assert 0.75 < held.coverage <= 1
    assert 0 < held.width < 200
    assert np.isnan(refused.coverage)
    bare = rows(StudyDesign(mechanisms=["binhist"], quantiles=[3], n=[500], trials=60))[0]
    assert np.isnan(bare.coverage)
    assert "intervals" not in StudyDesign(n=[500]).to_json()


def test_what_is_not_supported_says_why():
    grid = StudyDesign(mechanisms=["slice"], budgets=[ZCDP(1.0), PureDP(1.0)], n=[50], adjacencies=list(Adjacency))
    found = rows(grid)
    assert [row.supported for row in found] == [False] * 4
    assert all(row.why_not and np.isnan(row.mean_error) and np.isnan(row.ms_per_trial) for row in found)
    assert rows(grid) == found, "two errors of one sentence are no difference"


def test_shares_grow_to_one_and_the_cheapest_come_first():
    grid = StudyDesign(mechanisms=["jointexp", "indexp"], quantiles=[30, 3], trials=5)
    shares, found = zip(*steps(grid), strict=True)
    assert list(shares) == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)
    assert [(row.mechanism, row.m) for row in found][-1] == ("jointexp", 30)
    assert expected_seconds(grid.configurations()) >= sum(map(likely_seconds, grid.configurations())) > 0


def test_a_given_column_is_studied_as_it_is_or_drawn_from():
    ages = np.array([20.0, 30, 30, 41, 55, 60])
    grid = StudyDesign(mechanisms=["aq"], data=["mine"], n=[None, 500], domains=[Domain(0, 120, 1)], trials=3)
    whole, drawn = rows(grid, {"mine": ages})
    assert (whole.n, drawn.n, whole.domain_cells) == (6, 500, 121)
    with pytest.raises(ParameterError, match="public bounds"):
        rows(StudyDesign(data=["mine"]), {"mine": ages})
    with pytest.raises(ParameterError, match="`data` must be one of"):
        next(steps(StudyDesign(data=["uniform", "mine"])))


def test_no_records_and_no_room_to_keep_samples(monkeypatch):
    monkeypatch.setattr(engine, "MOST_RECORDS_KEPT", 10)
    found = rows(StudyDesign(mechanisms=["aq"], n=[0, 20, 8], trials=2))
    assert [(row.n, row.supported) for row in found] == [(0, True), (20, True), (8, True)]
    assert found[0].mean_error == 0


def test_files_hold_the_frame(tmp_path):
    found = rows(SMALL)
    frame = engine.as_frame(found)
    for name in ("t.parquet", "t.csv", "t.json"):
        engine.write(found, tmp_path / name)
    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / "t.parquet"), frame)
    assert pandas.read_csv(tmp_path / "t.csv")["noise_seed"].tolist() == frame["noise_seed"].tolist()
    assert json.loads((tmp_path / "t.json").read_text())[3]["mean_error"] == pytest.approx(found[3].mean_error)
    for path in (tmp_path / "t.xlsx", tmp_path / "none" / "t.csv"):
        with pytest.raises(ParameterError, match="`out` must"):
            engine.check_path(path)


# ── the reference line of OpenDP beside our own mechanisms ───────────────────────────────────────────────────────────


def rows_of(grid: StudyDesign) -> list[Row]:
    found = list(reference.steps(grid))
    shares = [share for share, _ in found]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    own = expected_seconds(grid.configurations()) / reference.expected_with_reference(grid, 0)
    assert shares[len(grid) - 1] == pytest.approx(own)
    return [row for _, row in found]


def test_without_the_library_a_row_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    grid = StudyDesign(mechanisms=["aq", "indexp"], quantiles=[3], n=[50], adjacencies=list(Adjacency), trials=4)
    rows = rows_of(grid)
    assert len(rows) == 6
    last = [row for row in rows if row.mechanism == reference.KEY]
    assert [(row.configuration, row.supported, row.why_not) for row in last] == [
        (4, False, reference.NOT_INSTALLED), (5, False, reference.NOT_INSTALLED)
    ]  # fmt: skip
    assert {row.adjacency for row in last} == {"add_remove", "replace_one"}


@pytest.mark.parametrize(("asked", "why"), [
    ({"data": ["mine"], "domains": [Domain(0, 9, 1)], "n": [None], "per_person": "weight"}, reference.NO_SHARES),
    ({"n": [60], "find_bounds": FindBounds()}, reference.NO_BOUNDS),
])  # fmt: skip
def test_beside_shares_or_found_bounds_a_row_says_that_the_library_has_none(monkeypatch, asked, why):
    for name in ("opendp", "opendp.prelude"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    mine = {"mine": Table(np.arange(8.0), People.of(np.arange(8) // 2))}
    *_, (_, last) = reference.steps(StudyDesign(mechanisms=["indexp"], quantiles=[1], trials=2, **asked), mine)
    assert (last.mechanism, last.supported, last.why_not) == (reference.KEY, False, why)


@pytest.mark.parametrize("budget", [PureDP(1.0), ApproxDP(1.0, 1e-6), ZCDP(0.5)], ids=str)
@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_all_draws_together_spend_the_budget_and_no_more(budget, adjacency):
    opendp = pytest.importorskip("opendp.prelude")
    opendp.enable_features("contrib")
    configuration = StudyDesign(
        mechanisms=["aq"], budgets=[budget], quantiles=[["1/4", "0.9", "1/3"]], adjacencies=[adjacency]
    ).configurations()[0]
    column = Column.from_values(np.arange(60), Domain(0, 100, 1), seed=0)
    changed = 2 if adjacency is Adjacency.REPLACE_ONE else 1
    losses = [
        reference._measurement(opendp, level, configuration, column).map(changed) for level in configuration.quantiles
    ]
    shares = reference.budgets_of_one(budget, 3)
    amounts = [share.rho if isinstance(share, ZCDP) else share.epsilon for share in shares]
    assert any(max(losses) <= amount for amount in amounts)
    assert max(losses) > 0.99 * min(amounts)


@pytest.mark.statistical
def test_a_large_budget_finds_the_true_quantiles():
    """With ε = 1000 every draw of 20 is right: a miss has a probability below exp(-100)."""
    pytest.importorskip("opendp.prelude")
    grid = StudyDesign(
        mechanisms=["aq"], budgets=[PureDP(1000.0)], quantiles=[3], data=["reference"], n=[101], trials=20
    )
    row = next(row for row in rows_of(grid) if row.mechanism == reference.KEY)
    assert row.supported
    assert row.max_error <= 1
    assert row.trials == 20


# ── studies of persons with several rows ─────────────────────────────────────────────────────────────────────────────

DOMAIN = Domain(0, 180, "0.1")
LEVELS = [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]
VISITS, PATIENTS = load_example("visits").values, load_people("visits")
ROWS = np.bincount(PATIENTS.codes)


def test_the_example_has_patients_with_one_to_fifty_visits() -> None:
    assert (PATIENTS.count, ROWS.min(), ROWS.max()) == (1000, 1, 50)
    assert PATIENTS.codes.size == VISITS.size == 5670


@pytest.mark.parametrize(
    ("settings", "n"), [({"per_person": "mean"}, 1000), ({"max_rows_per_person": 5}, int(np.minimum(ROWS, 5).sum()))]
)
def test_a_row_is_what_a_sample_of_people_gives(settings: dict[str, object], n: int) -> None:
    grid = StudyDesign(mechanisms=["aq"], data=["visits"], quantiles=[LEVELS], trials=64, **settings)  # type: ignore[arg-type]
    assert StudyDesign.from_json(grid.to_json()) == grid
    (configuration,) = grid.configurations()
    column = Column.from_values(VISITS, DOMAIN, seed=configuration.data_seed(0), people=PATIENTS, **settings)  # type: ignore[arg-type]
    study = simulate(column, configuration.plan, 64, configuration.noise_seed(0))
    (row,) = [row for _, row in engine.steps(grid)]
    assert row.n == n
    assert row.mean_error == pytest.approx(study.rank_errors["column"].mean())
    alone = replace(configuration, per_person=None, max_rows_per_person=None)
    assert alone.noise_seed(0) != configuration.noise_seed(0)


def test_a_given_table_and_a_public_shape_are_of_people_too() -> None:
    grid = StudyDesign(mechanisms=["aq"], data=["mine", "uniform"], domains=[DOMAIN], max_rows_per_person=3)
    mine, shape = grid.configurations()
    columns = Columns({"mine": Table(VISITS, PATIENTS)})
    assert columns.of(mine, 0).n == np.minimum(ROWS, 3).sum()
    for column in (columns.of(mine, 0), columns.of(shape, 0)):
        assert (column.protects, column.max_rows_per_person) == ("person", 3)


def test_persons_are_drawn_with_all_their_rows() -> None:
    values = np.arange(7.0)
    people = People.of(["a", "b", None, "a", "c", "a", "b"])
    drawn = table_of("mine", 400, 1, {"mine": Table(values, people)})
    assert drawn is not None
    rows = [drawn.values[drawn.people.codes == one].tolist() for one in range(400)]
    assert {tuple(row) for row in rows} == {(0.0, 3.0, 5.0), (1.0, 6.0), (4.0,)}
    assert 100 < sum(row == [4.0] for row in rows) < 170
    nobody = table_of("mine", 5, 1, {"mine": Table(values[:1], People.of([None]))})
    assert nobody is not None
    assert nobody.values.size == nobody.people.count == 0


def test_a_grid_takes_one_of_two() -> None:
    with pytest.raises(ParameterError, match="per_person"):
        StudyDesign(per_person="mean", max_rows_per_person=3)


@pytest.mark.parametrize("per_person", ["mean", "median", "min", "max", "first", "last"])
def test_what_a_choice_estimates_is_what_its_sample_holds(per_person: PerPerson) -> None:
    found = {each.per_person: each for each in compare_takes(VISITS, PATIENTS, DOMAIN, LEVELS, 5)}
    column = Column.from_values(VISITS, DOMAIN, seed=0, people=PATIENTS, per_person=per_person)
    assert found[per_person].quantiles == tuple(true_quantiles(column, LEVELS))
    every = Column.from_values(VISITS, DOMAIN, seed=0)
    assert found[EVERY_ROW].quantiles == tuple(true_quantiles(every, LEVELS))


@pytest.mark.slow
def test_the_sampling_error_is_that_of_choosing_rows_again_and_again() -> None:
    """The deviation over 400 choices has a standard error of 3.5 %: the mean of three, at most that."""
    found = {each.per_person: each for each in compare_takes(VISITS, PATIENTS, DOMAIN, LEVELS, 5)}
    for per_person, settings in {"random": {"per_person": "random"}, SOME_ROWS: {"max_rows_per_person": 5}}.items():
        cells = DOMAIN.encode(np.array(found[per_person].quantiles)) + 1
        counts = [
            Column.from_values(VISITS, DOMAIN, seed=seed, people=PATIENTS, **settings).count_below(cells)  # type: ignore[arg-type]
            for seed in range(400)
        ]
        measured = float(np.std(counts, axis=0, ddof=1).mean())
        assert found[per_person].sampling_error == pytest.approx(measured, rel=0.12)
    assert found[SOME_ROWS].cut == pytest.approx(1 - np.minimum(ROWS, 5).sum() / ROWS.sum())


@pytest.mark.slow(keep="add_remove")
@pytest.mark.parametrize("adjacency", Adjacency)
def test_advice_is_for_a_part_of_the_budget(adjacency: Adjacency) -> None:
    asked = Plan(LEVELS, privacy=PureDP(1.0), adjacency=adjacency)
    unit = PrivacyUnit("person", 5 if adjacency is Adjacency.ADD_REMOVE else 10)
    several, alone = Run(asked, DOMAIN, unit), Run(asked, DOMAIN)
    found = Simulation(several.by("aq"), 1000)
    assert found._calibrated.parameters.guarantee.epsilon == pytest.approx(1 / unit.steps_per_group)
    errors = [error_of(run.by(next(by_rule(run, 1000))[0]), 1000) for run in (several, alone)]
    assert errors[0] > 2 * errors[1]


def test_what_a_mechanism_needs_is_said_of_one_record() -> None:
    plan = Plan(LEVELS, "slice", PureDP(1.0))
    assert not needs(plan, 2000, DOMAIN.cells)
    refused = needs(plan, 2000, DOMAIN.cells, PrivacyUnit("person", 20))
    assert refused
    assert "A person counts as 20 records" in str(refused[0])
    assert not {way.name for way in refused[0].remedies} & {"epsilon", "adjacency"}, "their values are for one record"
