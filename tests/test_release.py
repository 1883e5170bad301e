"""The door: what may leave, what it refuses, and what its results say."""

from dataclasses import replace

import numpy as np
import pytest

from dpq_core import (
    Adjacency,
    ApproxDP,
    DataError,
    Domain,
    ParameterError,
    Plan,
    PureDP,
    Sample,
    __version__,
    calibrate,
    release,
    simulate,
    synthesize,
    unsupported,
)
from dpq_core.accuracy import distribution_distance
from dpq_core.calibrations import calibrate_for
from dpq_core.mechanisms.aq import mechanism as aq
from dpq_core.release import draw_release
from dpq_core.trials import simulate_calibrated

AGES = Domain(17, 90, 1)
VALUES = np.arange(17, 91).repeat(5)


def test_a_release_carries_what_was_chosen_and_nothing_of_the_truth():
    plan = Plan([0.5, 0.25], privacy=PureDP(0.3))
    answer = release(Sample.from_values(VALUES, AGES), plan)
    assert answer.plan == plan
    assert answer.domain == AGES
    assert answer.version == __version__
    assert {field for field in vars(answer)} == {
        "values",
        "guarantee",
        "plan",
        "domain",
        "warnings",
        "notes",
        "intervals",
        "basis",
        "version",
        "find_bounds",
    }
    assert all(type(value) is float for value in answer.values)
    with pytest.raises(AttributeError):
        answer.values = ()  # type: ignore[misc]


def test_two_releases_differ():
    sample = Sample.from_values(VALUES, Domain(17, 90))
    assert release(sample, Plan([0.5])).values != release(sample, Plan([0.5])).values


@pytest.mark.parametrize("seed", [0, 1])
def test_a_seeded_sample_is_refused_and_may_be_simulated(seed):
    sample = Sample.from_values(VALUES, AGES, seed=seed)
    with pytest.raises(ParameterError) as caught:
        release(sample, Plan([0.5]))
    assert caught.value.name == "seed"
    assert simulate(sample, Plan([0.5]), trials=1).values.shape == (1, 1)


@pytest.mark.parametrize("run", [release, simulate])
def test_missing_values_need_a_public_stand_in_under_substitution(run):
    plan = Plan([0.5], adjacency=Adjacency.SUBSTITUTE)
    with pytest.raises(DataError, match="`missing`"):
        run(Sample.from_values([20.0, np.nan], AGES), plan)
    assert run(Sample.from_values([20.0, np.nan], AGES, missing=17), plan) is not None
    assert run(Sample.from_values([20.0, np.nan], AGES), Plan([0.5])) is not None


def test_the_number_of_records_is_public_where_one_is_replaced_and_nowhere_else():
    sample = Sample.from_values(VALUES, AGES)
    found = {each: calibrate_for(sample, Plan([0.5], adjacency=each)).n_public for each in Adjacency}
    assert found == {Adjacency.ADD_REMOVE: None, Adjacency.SUBSTITUTE: VALUES.size}


@pytest.mark.parametrize("run", [draw_release, lambda data, plan: simulate_calibrated(data, plan, trials=1, seed=0)])
def test_a_plan_that_was_calibrated_for_another_number_of_records_is_not_drawn(run):
    calibrated = calibrate_for(Sample.from_values(VALUES, AGES), Plan([0.5], adjacency=Adjacency.SUBSTITUTE))
    with pytest.raises(AssertionError, match="calibrated for other data"):
        run(Sample.from_values(VALUES[1:], AGES), calibrated)


@pytest.mark.parametrize("spent", [{"epsilon": 0.3000001}, {"delta": 1e-9}])
def test_a_mechanism_that_spends_more_than_was_requested_is_stopped(monkeypatch, spent):
    honest = aq.calibrate

    def spending(plan, n_public):
        parameters = honest(plan, n_public)
        return replace(parameters, guarantee=replace(parameters.guarantee, **spent))

    monkeypatch.setattr(aq, "calibrate", spending)
    with pytest.raises(AssertionError, match="no more than requested"):
        calibrate(Plan([0.5], privacy=PureDP(0.3)))


def test_an_unknown_mechanism_is_refused_with_the_known_ones():
    with pytest.raises(ParameterError, match="`mechanism` must be one of aq, indexp") as caught:
        calibrate(Plan([0.5], "laplace"))
    assert caught.value.name == "mechanism"
    assert unsupported(Plan([0.5])) is None


def test_odd_but_legal_budgets_are_answered_with_a_warning():
    sample = Sample.from_values(VALUES, AGES)
    assert not release(sample, Plan([0.5])).warnings
    (sentence,) = release(sample, Plan([0.5], privacy=PureDP(8.0))).warnings
    assert "ε = 8" in sentence
    assert len(release(sample, Plan([0.5], privacy=ApproxDP(8.0, 0.01))).warnings) == 2


def test_the_smallest_budgets_are_answered_or_refused_clearly():
    sample = Sample.from_values(VALUES, AGES)
    assert len(release(sample, Plan([0.5], privacy=PureDP(1e-6))).values) == 1
    with pytest.raises(ParameterError, match="too little for each draw"):
        release(sample, Plan([f"{j}/1001" for j in range(1, 1001)], "indexp", PureDP(1e-9)))


@pytest.mark.parametrize("mechanism", ["aq", "indexp", "jointexp", "freetotal", "aggtree"])
def test_no_record_at_all_is_a_public_number_too(mechanism):
    plan = Plan(["1/2"], mechanism, adjacency=Adjacency.SUBSTITUTE)
    assert calibrate(plan, 0).guarantee.covers(plan.privacy)
    assert len(release(Sample.from_values([], Domain(0, 9, 1)), plan).values) == 1


@pytest.mark.parametrize(("name", "value"), [("trials", 0), ("trials", 1.5), ("trials", True), ("seed", -1)])
def test_bad_trials_and_seeds_are_refused(name, value):
    with pytest.raises(ParameterError) as caught:
        simulate(Sample.from_values(VALUES, AGES), Plan([0.5]), **{name: value})
    assert caught.value.name == name


@pytest.mark.parametrize("size", [1, 7, 500])
def test_a_synthetic_column_has_the_public_size_and_is_close(size):
    sample = Sample.from_values(VALUES, AGES)
    column = synthesize(sample, size, Plan([], privacy=PureDP(2.0)))
    assert len(column.values) == size
    assert list(column.values) == sorted(column.values)
    assert column.guarantee.covers(PureDP(2.0))
    if size == 500:
        assert distribution_distance(sample, column.values) < 0.25


def test_a_generous_budget_makes_a_close_copy():
    sample = Sample.from_values(np.random.default_rng(0).normal(50, 10, 5000), AGES)
    close, rough = (synthesize(sample, 200, Plan([], privacy=PureDP(e))).values for e in (50.0, 0.05))
    assert distribution_distance(sample, close) < 0.02
    assert distribution_distance(sample, close) < distribution_distance(sample, rough)


@pytest.mark.parametrize("size", [0, -1, 1.5, True, 10**9])
def test_a_synthetic_column_needs_a_whole_size(size):
    with pytest.raises(ParameterError) as caught:
        synthesize(Sample.from_values(VALUES, AGES), size, Plan([]))
    assert caught.value.name == "size"
