"""Intervals of groups that rest on a noisy number of each: what is spent and told, how often they hold, refusals."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpq_core as dpq
from tests.groups.test_intervals_of_groups import BUDGETS, GRID, WAYS, planned, table
from tests.harness import UNIT, NoisyCount, calibrate_grouped, kind, persons, usual_groups
from tests.narrowing import present

JOINS, REPLACED = dpq.Adjacency
COUNTED = planned(about_n="noisy")


def numbers_of(note: str) -> dict[str, int]:
    said = note.removeprefix("Noisy counts of the records: ").removesuffix(".")
    return {name: int(number.replace(",", "")) for name, number in (each.split(": ") for each in said.split(", "))}


@pytest.mark.slow(keep=("listed-approximate-replace_one", "in two-pure-add_remove"))
@pytest.mark.parametrize("adjacency", dpq.Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS, ids=kind)
@pytest.mark.parametrize("way", ["listed", "in two"])
def test_a_release_spends_what_was_requested_and_says_what_it_counted(way, privacy, adjacency):
    plan = replace(COUNTED, privacy=privacy, adjacency=adjacency)
    people = {"people": persons(np.arange(3950) % 2500)} if "people" in WAYS[way] else {}
    groups = table((3000, 900, 50), seed=None, **WAYS[way] | people)
    found = dpq.release(groups, plan)
    assert found.guarantee.covers(privacy)
    assert found.plan.first == plan
    assert dpq.Plan.from_json(plan.to_json()).to_json() == plan.to_json()
    calibrated = calibrate_grouped(groups, plan)
    number, numbers = calibrated.count.number, numbers_of(found.notes[-1])
    values, intervals = found.values["column"], found.intervals["column"]
    assert list(numbers) == list(values) == ["g0", "g1", "g2"]
    sizes = dict(zip(map(str, groups.names), groups.sizes.tolist(), strict=True))
    assert numbers != sizes
    assert all(abs(numbers[name] - size) <= 20 / number.rate for name, size in sizes.items())
    for name in numbers:
        pairs = zip(values[name], intervals[name], strict=True)
        assert all(low <= value <= high for value, (low, high) in pairs)
    sentences = present(found["column"].basis).sentences
    assert "95 %" in sentences[1]
    assert "in each group" in sentences[1]
    assert "from 5 % of the budget" in sentences[2]
    assert "0.5 % at most" in sentences[2]


@pytest.mark.slow(keep="aq-how0")
@pytest.mark.parametrize(("mechanism", "how"), [("aq", {}), ("indexp", {"people": persons(np.arange(900) // 3)})])
def test_intervals_hold_as_often_as_asked_with_the_error_of_the_numbers_in_them(mechanism, how):
    """At 100 trials a proportion below 0.82 has less than one chance in 100 where each holds with 0.9."""
    rule = {"max_rows_per_person": 3} if how else {}
    groups = table((600, 300), domain=dpq.Domain(0, 120, 0.01), **how, **rule)
    study = dpq.simulate(
        groups, planned(mechanism, about_n="noisy", intervals=0.9, privacy=dpq.PureDP(4.0)), trials=100
    )
    assert study.coverage["column"].min() >= 0.82


def test_the_ends_have_what_the_number_leaves_of_the_chance():
    steps = calibrate_grouped(table(), COUNTED)
    assert steps.count.number.failing + (1 - present(steps.rest.intervals).chance) == pytest.approx(0.05)


@pytest.mark.slow
def test_found_groups_are_counted_once_they_are_named():
    labels = ["large"] * 500 + ["alone"] + ["middle"] * 400
    values = np.random.default_rng(0).normal(60, 15, 901)
    groups = usual_groups(values, labels, GRID, names=None)
    plan = replace(COUNTED, privacy=dpq.ApproxDP(1.0, 1e-6))
    found = dpq.release(groups, plan)
    assert found.guarantee.covers(plan.privacy)
    assert list(numbers_of(found.notes[-1])) == list(found["column"].groups) == ["large", "middle"]
    study = dpq.simulate(groups, plan, trials=12)["column"]
    assert np.isnan(present(study.intervals)[:, 0]).all()
    assert not present(study.covered)[:, 0].any()
    nobody = dpq.release(usual_groups([1.0], ["alone"], GRID, names=None), plan)
    assert (nobody.values, nobody.intervals) == ({"column": {}}, {})


@pytest.mark.parametrize(("mechanism", "adjacency"), [("binhist", JOINS), ("aggtree", REPLACED)], ids=["bins", "trees"])
def test_nothing_is_counted_where_no_number_is_needed(mechanism, adjacency):
    groups = table(seed=None)
    plan = planned(mechanism, about_n="noisy", adjacency=adjacency)
    found, bare = dpq.release(groups, plan), dpq.release(groups, replace(plan, about_n=None))
    assert found.guarantee == bare.guarantee
    assert (found["column"].basis, found.notes) == (bare["column"].basis, bare.notes)


@pytest.mark.slow(keep=("pure-replace_one", "approximate-replace_one", "concentrated-replace_one"))
@pytest.mark.parametrize("adjacency", dpq.Adjacency)
@pytest.mark.parametrize("privacy", [dpq.PureDP(4.0), dpq.ApproxDP(4.0, 1e-6), dpq.ZCDP(0.5)], ids=kind)
def test_shares_of_persons_are_counted_in_each_group_at_its_whole_budget(privacy, adjacency):
    how: dict[str, Any] = {"people": persons(np.arange(1100) % 400), "per_person": "weight"}
    plan = planned(privacy=privacy, adjacency=adjacency, about_n="noisy")
    groups = table(seed=None, **how)
    found = dpq.release(groups, plan)
    assert found.guarantee.covers(privacy)
    assert found.guarantee.protects == "person"
    rate = float(calibrate_grouped(groups, plan).count.number.rate)
    said = found.notes[-1].removeprefix("Noisy counts of the persons: ").removesuffix(".")
    for at, (name, number) in enumerate(each.split(": ") for each in said.split(", ")):
        assert name == f"g{at}"
        assert abs(float(number) - groups.masses[at] / UNIT) < 25 / rate
    assert groups.masses.sum() == 400 * UNIT
    assert "in persons, is counted with noise" in present(found["column"].basis).sentences[2]


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(dpq.ParameterError, match=r"99\.8"):
        calibrate_grouped(table(), planned(about_n="noisy", intervals=dpq.Intervals(0.999)))
    with pytest.raises(dpq.ParameterError, match="no theorem"):
        calibrate_grouped(table(), planned("jointexp", about_n="noisy", intervals=dpq.Intervals(0.9, proved=True)))
    with pytest.raises(dpq.ParameterError, match="must be larger for a noisy count"):
        NoisyCount.of(Fraction(1, 2**31), dpq.Intervals(0.9), 2**20)
    with pytest.raises(dpq.ParameterError, match="`about_n` must be a number, such as about_n=300, where a run"):
        dpq.explain(table(), COUNTED, group="g1")


def test_levels_that_are_too_many_with_their_ends_are_refused_before_the_counts():
    plan = dpq.Plan([k / 31 for k in range(1, 31)], "freetotal", dpq.PureDP(50.0), intervals=0.9, about_n="noisy")
    with pytest.raises(dpq.Infeasible, match="The ends of intervals are levels, too") as refused:
        dpq.release(table(seed=None), plan)
    assert (refused.value.charged, refused.value.noisy_count) == (0, None)
