"""The door: what may leave, what it refuses, what its results say, and what it warns of, whatever the data are."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core import (
    Adjacency,
    ApproxDP,
    DataError,
    Domain,
    FindBounds,
    Groups,
    ParameterError,
    Plan,
    PrivacyWarning,
    PureDP,
    RawSample,
    Sample,
    calibrate,
    release,
    simulate,
    synthesize,
)
from dpq_core.__main__ import main
from dpq_core.accuracy import distribution_distance
from dpq_core.calibrations import calibrate_for
from dpq_core.mechanisms.aq import mechanism as aq
from dpq_core.release import draw_release
from dpq_core.trials import simulate_calibrated
from tests.narrowing import present

AGES = Domain(17, 90, 1)
VALUES = np.arange(17, 91).repeat(5)
LARGE = Plan([0.5], privacy=PureDP(8.0))
SEEDED: dict[str, Callable[[int | None], Any]] = {
    "a column": lambda seed: Sample.from_values(VALUES, AGES, seed=seed),
    "groups": lambda seed: Groups.from_values(VALUES, ["a", "b"] * 185, AGES, names=["a", "b"], seed=seed),
    "bounds to be found": lambda seed: RawSample.from_values(VALUES, FindBounds(), seed=seed),
    "columns": lambda seed: {"age": Sample.from_values(VALUES, AGES, seed=seed)},
}


def test_a_release_carries_what_was_chosen_and_nothing_of_the_truth():
    plan = Plan([0.5, 0.25], privacy=PureDP(0.3))
    answer = release(Sample.from_values(VALUES, AGES), plan)
    assert (answer.plan, answer.domain, answer.version) == (plan, AGES, dpq.__version__)
    held = "values guarantee plan domain warnings notes intervals basis version find_bounds"
    assert vars(answer).keys() == set(held.split())
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


# ── warnings ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_odd_but_legal_budgets_are_answered_with_a_warning():
    sample = Sample.from_values(VALUES, AGES)
    assert not release(sample, Plan([0.5])).warnings
    (sentence,) = release(sample, LARGE).warnings
    assert "ε = 8" in sentence
    assert len(release(sample, Plan([0.5], privacy=ApproxDP(8.0, 0.01))).warnings) == 2


@pytest.mark.parametrize(
    ("kind", "plan"),
    [
        *((kind, LARGE) for kind in SEEDED),
        ("a column", Plan([0.5], privacy=PureDP(8.0), intervals=0.9, about_n="noisy")),
    ],
    ids=[*SEEDED, "a number to be counted"],
)
def test_a_release_and_a_study_warn_of_a_large_budget(kind, plan):
    """A release warns where it was asked for; a study in its result alone."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        released = release(SEEDED[kind](None), plan)
    assert [str(each.message) for each in caught] == list(released.warnings)
    assert {(each.category, Path(each.filename)) for each in caught} == {(PrivacyWarning, Path(__file__))}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study = simulate(SEEDED[kind](0), plan, trials=2)
    for found in (released, study):
        assert any("ε = 8" in each for each in found.warnings)
        assert kind == "columns" or found.plan == plan


def test_the_command_tells_its_warnings_in_the_answer_alone(tmp_path, monkeypatch, capsys, read_in_place):
    monkeypatch.chdir(tmp_path)
    Path("plan.json").write_text(LARGE.to_json())
    Path("ages.csv").write_text("age\n" + "31\n47\n" * 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyWarning)
        assert main(["release", "plan.json", "ages.csv", "--column", "age=0:99:1"]) == 0
    assert "ε = 8" in json.loads(capsys.readouterr().out)["warnings"][0]


# ── results of all shapes ────────────────────────────────────────────────────────────────────────────────────────────

PAY, ROWS = Domain(0, 500, 10), 40
FRAME: dict[str, Any] = {"age": 20 + np.arange(ROWS), "pay": 10 * np.arange(ROWS), "sex": ["f", "m"] * (ROWS // 2)}
BY = {"sex": ["f", "m"]}
PLAN = Plan("quartiles", "indexp", epsilon=8, intervals=0.5, about_n=ROWS // 2)
SHAPES: dict[str, list[tuple[str | None, tuple[str, ...] | None]]] = {
    "column": [(None, None)],
    "groups": [(None, ("f", "m"))],
    "table": [("age", None), ("pay", None)],
    "table in groups": [("age", ("f", "m")), ("pay", ("f", "m"))],
}


def asked(shape: str, seed: int | None = None) -> Any:
    """One column, its groups, or the columns of a table in groups."""
    if shape == "column":
        return Sample.from_values(FRAME["age"], AGES, seed=seed)
    if shape == "groups":
        return Groups.from_values(FRAME["age"], FRAME["sex"], AGES, names=["f", "m"], seed=seed)
    by = BY if shape == "table in groups" else None
    return dpq.Table.from_frame(FRAME, {"age": AGES, "pay": PAY}, by=by, seed=seed)


@pytest.mark.parametrize("shape", SHAPES)
def test_results_of_every_shape_are_read_part_by_part(shape: str) -> None:
    """A part for each column, with all its groups."""
    found = release(asked(shape), PLAN)
    assert isinstance(found, dpq.Release)
    frame = found.to_frame()
    assert [value for part in found.parts for row in part.values for value in row] == frame["value"].tolist()
    ends = [low for part in found.parts for row in part.intervals for low, _ in row]
    assert len(ends) == len(frame) == 3 * sum(len(groups or "1") for _, groups in SHAPES[shape])
    assert all(low == there or there == -np.inf for low, there in zip(ends, frame["low"], strict=True))
    assert all(part.basis is not None and part.domain in {AGES, PAY} for part in found.parts)
    assert sum(part.guarantee.epsilon for part in found.parts) == pytest.approx(found.guarantee.epsilon)
    study = simulate(asked(shape, seed=0), PLAN, trials=5)
    for part in study.parts:
        groups = len(part.groups or "1")
        assert part.values.shape == part.signed_rank_errors.shape == (5, groups, 3)
        assert present(part.intervals).shape == (5, groups, 3, 2)
    in_rows = np.concatenate([part.values.reshape(5, -1) for part in study.parts], axis=1)
    assert study.to_frame()["value"].tolist() == in_rows.ravel().tolist()
    for each in (found, study):
        assert [(part.column, part.groups) for part in each.parts] == SHAPES[shape]


def test_a_part_has_its_own_share_of_the_budget_and_says_how_its_bounds_were_found() -> None:
    table = dpq.Table.from_frame(FRAME, {"age": AGES, "pay": FindBounds(step=10)}, by=BY)
    found = release(table, Plan("median", "indexp", epsilon=8, weights={"age": 1, "pay": 3}))
    age, pay = found.parts
    assert (age.plan.privacy, pay.plan.privacy) == (PureDP(2.0), PureDP(6.0))
    assert (age.find_bounds, pay.find_bounds) == (None, FindBounds(step=10))
    assert (age.by, pay.by) == (("sex",), ("sex",))
    assert found.releases["pay"].parts[0].values == pay.values
