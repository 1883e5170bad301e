"""Studies of persons with several rows: what is taken, what the grid says, and what choosing rows at random costs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpq_core import Adjacency, Domain, ParameterError, Plan, PureDP, Sample, simulate, true_quantiles
from dpq_core.advice.needs import needs
from dpq_core.advice.ranking import PublicFacts, best_plan
from dpq_core.advice.simulation import Simulation
from dpq_core.calibrations import calibrations_of
from dpq_core.people.ids import People
from dpq_core.people.takes import Take
from dpq_core.privacy.composition import Unit
from dpq_core.sources.examples import load_example, load_people
from dpq_core.studies import engine
from dpq_core.studies.engine import Samples
from dpq_core.studies.grid import Grid
from dpq_core.studies.shapes import Table, table_of
from dpq_core.studies.takes import EVERY_ROW, SOME_ROWS, compare_takes

DOMAIN = Domain(0, 180, "0.1")
LEVELS = [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]
VISITS, PATIENTS = load_example("visits").values, load_people("visits")
ROWS = np.bincount(PATIENTS.codes)


def test_the_example_has_patients_with_one_to_fifty_visits() -> None:
    assert (PATIENTS.count, ROWS.min(), ROWS.max()) == (1000, 1, 50)
    assert PATIENTS.codes.size == VISITS.size == 5670


@pytest.mark.parametrize(
    ("settings", "n"), [({"take": "mean"}, 1000), ({"most_rows": 5}, int(np.minimum(ROWS, 5).sum()))]
)
def test_a_row_is_what_a_sample_of_people_gives(settings: dict[str, object], n: int) -> None:
    grid = Grid(mechanisms=["aq"], data=["visits"], quantiles=[LEVELS], trials=64, **settings)  # type: ignore[arg-type]
    assert Grid.from_json(grid.to_json()) == grid
    (configuration,) = grid.configurations()
    sample = Sample.from_values(VISITS, DOMAIN, seed=configuration.data_seed(0), people=PATIENTS, **settings)  # type: ignore[arg-type]
    study = simulate(sample, configuration.plan, 64, configuration.noise_seed(0))
    (row,) = [row for _, row in engine.steps(grid)]
    assert row.n == n
    assert row.mean_error == pytest.approx(study.rank_errors.mean())
    alone = replace(configuration, take=None, most_rows=None)
    assert alone.noise_seed(0) != configuration.noise_seed(0)


def test_a_given_table_and_a_public_shape_are_of_people_too() -> None:
    grid = Grid(mechanisms=["aq"], data=["mine", "uniform"], domains=[DOMAIN], most_rows=3)
    mine, shape = grid.configurations()
    samples = Samples({"mine": Table(VISITS, PATIENTS)})
    assert samples.of(mine, 0).n == np.minimum(ROWS, 3).sum()
    for sample in (samples.of(mine, 0), samples.of(shape, 0)):
        assert (sample.protects, sample.most_rows) == ("person", 3)


def test_persons_are_drawn_with_all_their_rows() -> None:
    values = np.arange(7.0)
    people = People.of(["a", "b", None, "a", "c", "a", "b"])
    drawn = table_of("mine", 400, 1, {"mine": Table(values, people)})
    assert drawn is not None
    rows = [drawn.values[drawn.people.codes == one].tolist() for one in range(400)]
    assert {tuple(row) for row in rows} == {(0.0, 3.0, 5.0), (1.0, 6.0), (4.0,)}
    assert 100 < sum(row == [4.0] for row in rows) < 170


def test_a_grid_takes_one_of_two() -> None:
    with pytest.raises(ParameterError, match="take"):
        Grid(take="mean", most_rows=3)


@pytest.mark.parametrize("take", ["mean", "median", "min", "max", "first", "last"])
def test_what_a_choice_estimates_is_what_its_sample_holds(take: Take) -> None:
    found = {each.take: each for each in compare_takes(VISITS, PATIENTS, DOMAIN, LEVELS, 5)}
    sample = Sample.from_values(VISITS, DOMAIN, seed=0, people=PATIENTS, take=take)
    assert found[take].quantiles == tuple(true_quantiles(sample, LEVELS))
    every = Sample.from_values(VISITS, DOMAIN, seed=0)
    assert found[EVERY_ROW].quantiles == tuple(true_quantiles(every, LEVELS))


def test_the_sampling_error_is_that_of_choosing_rows_again_and_again() -> None:
    """The deviation over 400 choices has a standard error of 3.5 %: the mean of three, at most that."""
    found = {each.take: each for each in compare_takes(VISITS, PATIENTS, DOMAIN, LEVELS, 5)}
    for take, settings in {"random": {"take": "random"}, SOME_ROWS: {"most_rows": 5}}.items():
        cells = DOMAIN.encode(np.array(found[take].quantiles)) + 1
        counts = [
            Sample.from_values(VISITS, DOMAIN, seed=seed, people=PATIENTS, **settings).count_below(cells)  # type: ignore[arg-type]
            for seed in range(400)
        ]
        measured = float(np.std(counts, axis=0, ddof=1).mean())
        assert found[take].sampling_error == pytest.approx(measured, rel=0.12)
    assert found[SOME_ROWS].cut == pytest.approx(1 - np.minimum(ROWS, 5).sum() / ROWS.sum())


@pytest.mark.slow(keep="add_remove")
@pytest.mark.parametrize("adjacency", Adjacency)
def test_advice_is_for_a_part_of_the_budget(adjacency: Adjacency) -> None:
    asked = Plan(LEVELS, privacy=PureDP(1.0), adjacency=adjacency)
    unit = Unit("person", 5 if adjacency is Adjacency.ADD_REMOVE else 10)
    facts = PublicFacts.of(asked, 1000, DOMAIN, unit)
    found = Simulation(facts, "aq", 1000)
    assert found._calibrated.parameters.guarantee.epsilon == pytest.approx(1 / unit.steps_per_group)
    best = best_plan(facts)
    assert (best.plan.privacy, best.plan.adjacency) == (PureDP(1.0), adjacency)
    assert best.ranking[0].mean.typical > 2 * best_plan(PublicFacts.of(asked, 1000, DOMAIN)).ranking[0].mean.typical


def test_what_a_mechanism_needs_is_said_of_one_record() -> None:
    plan = Plan(LEVELS, "slice", PureDP(1.0))
    assert not needs(plan, 2000, DOMAIN.cells)
    refused = needs(plan, 2000, DOMAIN.cells, calibrations_of(plan, unit=Unit("person", 20)))
    assert refused
    assert "A person counts as 20 records" in str(refused[0])
    assert not {way.name for way in refused[0].remedies} & {"epsilon", "adjacency"}, "their values are for one record"
