"""Intervals for groups: those of each group alone, from public facts, as often as they say; and what is refused."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dpq_core import MECHANISMS, ZCDP, Adjacency, ApproxDP, Domain, Intervals, ParameterError, PureDP, release, simulate
from dpq_core.privacy.budgets import Privacy
from tests.harness import Calibrated, Column, Plan, calibrate_grouped, persons, usual_column, usual_groups
from tests.narrowing import present

JOINS, REPLACED = Adjacency
GRID = Domain(0, 120, 1)
BUDGETS: list[Privacy] = [PureDP(1.0), ZCDP(0.1), ApproxDP(1.0, 1e-6)]
OPTIONS: dict[str, Any] = {"gkexp": {"n_max": 1000}, "aq": {"draws": "one"}}


SLOW = {"freetotal", "jointexp"}


def planned(mechanism: str = "aq", **settings: Any) -> Plan:
    given = {"intervals": 0.95, "about_n": 300, "options": OPTIONS.get(mechanism, {})} | settings
    return Plan(["3/4", "1/4"], mechanism, **{"privacy": PureDP(1.0)} | given)


def table(sizes: tuple[int, ...] = (300, 300, 500), seed: int | None = 0, domain: Domain = GRID, **how: Any) -> Column:
    drawn = np.random.default_rng(2)
    values = np.concatenate([drawn.normal(30 + 20 * at, 12, size) for at, size in enumerate(sizes)])
    names = [f"g{at}" for at in range(len(sizes))]
    return usual_groups(values, np.repeat(names, sizes), domain, **{"names": names, "seed": seed} | how)


WAYS: dict[str, dict[str, Any]] = {
    "listed": {},
    "in two": {"people": persons(np.arange(1100) % 700), "max_groups_per_person": 2},
}


@pytest.mark.slow(keep=("in two-replace_one-binhist", "listed-add_remove-aggtree"))
@pytest.mark.parametrize("mechanism", [key for key in MECHANISMS if key not in {"slice", "normal"}])
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("way", WAYS)
def test_every_group_has_its_intervals_within_the_budget(mechanism, adjacency, way):
    groups = table(**WAYS[way])
    for privacy in BUDGETS[:1] if mechanism in SLOW else BUDGETS:
        plan = planned(mechanism, privacy=privacy, adjacency=adjacency, intervals=0.5)
        assert calibrate_grouped(groups, plan).guarantee.covers(privacy)
    found = release(replace(groups, seed=None), plan)
    assert found.guarantee.covers(plan.privacy)
    assert found.plan.first == plan
    cells = found["column"]
    assert cells.groups == ("g0", "g1", "g2")
    for values, intervals in zip(cells.values, cells.intervals, strict=True):
        assert len(values) == len(intervals) == 2
        assert all(low <= value <= high for (low, high), value in zip(intervals, values, strict=True))
    assert len(present(cells.basis).sentences) == 3


@pytest.mark.slow(keep=("add_remove-listed-binhist-privacy3", "add_remove-in two-aq-privacy0"))
@pytest.mark.parametrize(
    ("mechanism", "privacy"),
    [("aq", PureDP(0.5)), ("indexp", ZCDP(0.2)), ("aggtree", PureDP(1.0)), ("binhist", ZCDP(0.1))],
)
@pytest.mark.parametrize(("adjacency", "way"), [(JOINS, "listed"), (JOINS, "in two"), (REPLACED, "listed")])
def test_intervals_of_each_group_hold_as_often_as_they_say(mechanism, privacy, adjacency, way):
    """At 400 trials a proportion below 0.92 has less than one chance in 200 where each holds with 0.95."""
    study = simulate(table(**WAYS[way]), planned(mechanism, privacy=privacy, adjacency=adjacency), trials=400)["column"]
    intervals, covered = present(study.intervals), present(study.covered)
    assert intervals.shape == (400, 3, 2, 2)
    assert covered.shape == (400, 3, 2)
    assert study.coverage.shape == (3, 2)
    assert study.coverage.min() >= 0.92
    assert (intervals[..., 0] <= study.values).all()
    assert (study.values <= intervals[..., 1]).all()


def test_intervals_of_a_low_chance_fail_and_those_together_hold_at_once_in_each_group():
    """So that the test above can fail."""
    groups = table()
    low, once = (
        simulate(groups, planned("binhist", intervals=asked), trials=300)["column"]
        for asked in (0.5, Intervals(0.9, together=True))
    )
    assert 0.42 < low.coverage.min() < 0.9
    assert present(once.covered).all(axis=2).mean(axis=0).min() >= 0.85
    together = calibrate_grouped(groups, planned(intervals=Intervals(0.9, together=True))).basis
    assert "in each group, not in all groups at once" in present(together).sentences[1]
    proved = calibrate_grouped(groups, planned(intervals=Intervals(0.9, proved=True))).basis
    assert present(proved).proved


# ── public facts alone ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("adjacency", Adjacency)
def test_no_private_size_decides_the_ends(adjacency):
    """Other sizes, the same parameters, notes and basis."""
    for mechanism in ("aq", "indexp", "binhist"):
        plan = planned(mechanism, adjacency=adjacency)
        small, large = (calibrate_grouped(table(sizes), plan) for sizes in ((1, 0, 3), (300, 500, 800)))
        assert small == large
        assert list(small.levels) == [None]
        assert bool(present(small.drawn_levels).ends) is (mechanism != "binhist")


def test_found_groups_are_named_as_without_intervals_and_others_hold_nothing():
    labels = ["large"] * 500 + ["alone"] + ["middle"] * 400
    values = np.random.default_rng(0).normal(60, 15, 901)
    groups = usual_groups(values, labels, GRID, names=None)
    plan = planned(privacy=ApproxDP(1.0, 1e-6))
    found = release(groups, plan)
    assert list(found.intervals["column"]) == list(found.values["column"]) == ["large", "middle"]
    assert found.guarantee.covers(plan.privacy)
    study = simulate(groups, plan, trials=70)["column"]
    assert study.groups == ("alone", "large", "middle")
    assert np.isnan(present(study.intervals)[:, 0]).all()
    assert not present(study.covered)[:, 0].any()
    assert np.isnan(study.coverage[0]).all()
    assert study.coverage[1:].min() >= 0.9


# ── refusals ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("adjacency", Adjacency)
def test_what_is_missing_is_named_before_anything_is_drawn(adjacency, monkeypatch):
    monkeypatch.setattr("dpq_core.calibrations.Calibrated.values_and_intervals", None)
    groups = table(seed=None)
    with pytest.raises(ParameterError, match="`about_n` must be given for intervals"):
        release(groups, planned(adjacency=adjacency, about_n=None))


# ── a number for each group ──────────────────────────────────────────────────────────────────────────────────────────

EACH = {"g0": 300, "g1": 120, "g2": 300}


def test_a_number_for_each_group_lays_its_own_ends():
    for numbers in (EACH | {"g0": 3000}, EACH):  # among so few as EACH all have the same ends
        found = calibrate_grouped(table(), planned(about_n=numbers))
        for name, number in numbers.items():
            alone = Calibrated.for_column(usual_column([], GRID, seed=0), planned(about_n=number))
            parameters, drawn = found.of_group(name)
            assert (parameters, present(drawn).ends) == (alone.parameters, present(alone.drawn_levels).ends)
    assert "its intervals are worked out for (120 to 300)" in present(found.basis).sentences[2]
    assert calibrate_grouped(table(), planned(about_n=dict.fromkeys(EACH, 300))).basis == (
        calibrate_grouped(table(), planned()).basis
    )


@pytest.mark.parametrize("privacy", BUDGETS, ids=str)
@pytest.mark.parametrize("way", ["listed", "in two"])
def test_a_number_for_each_group_keeps_the_budget_and_the_chance(way, privacy):
    """At 300 trials a proportion below 0.915 has less than one chance in 200 where each holds with 0.95."""
    people = {"people": persons(np.arange(920) % 700)} if "people" in WAYS[way] else {}
    groups, plan = table((300, 120, 500), **WAYS[way] | people), planned(about_n=EACH, privacy=privacy)
    assert calibrate_grouped(groups, plan).guarantee.covers(privacy)
    study = simulate(groups, plan, trials=300)
    assert study.coverage["column"].min() >= 0.915
    released = release(replace(groups, seed=None), plan)
    assert released.guarantee.covers(privacy)
    assert released.plan.first == plan == Plan.from_json(plan.to_json())


def test_one_way_to_divide_the_budget_is_chosen_for_all_numbers():
    """With few records both ends lie at the bounds, and fewer levels are drawn."""
    people: dict[str, Any] = WAYS["in two"]
    plan = Plan("median", "indexp", ApproxDP(1.0, 1e-6), intervals=0.9, about_n={"g0": 5000, "g1": 20, "g2": 20})
    alone = [calibrate_grouped(table(**people), replace(plan, about_n=number)) for number in (20, 5000)]
    assert [one.guarantee.delta for one in alone] == [0, 1e-6], "each number alone chooses a way of its own"
    found = calibrate_grouped(table(**people), plan)
    assert [parameters.guarantee.epsilon for _, parameters, _ in found.levels.values()] == [0.5, 0.5]
    assert (found.guarantee.epsilon, found.guarantee.delta) == (1, 0)


def test_the_guarantee_of_groups_with_numbers_of_their_own_is_that_of_the_worst():
    """How many levels are drawn follows from the number, and so does what rho loses in epsilon."""
    plan = planned("indexp", privacy=ZCDP(0.1), intervals=0.5, about_n={"g0": 50, "g1": 3000, "g2": 50})
    found = calibrate_grouped(table(), plan)
    each = [parameters.guarantee.epsilon for _, parameters, _ in found.levels.values()]
    assert len(set(each)) == 2
    assert found.guarantee.epsilon == max(each)


@pytest.mark.parametrize(("about", "sentence"), [
    ({"g0": 300, "g1": 300}, "must have a number for every group: add one for 'g2'"),
    (EACH | {"g3": 300}, "must name listed groups only: leave out 'g3'"), ({}, "must name groups, as in"),
    ({None: 300}, "must name groups by texts or whole numbers"),
    ({"g0": 0}, r"must be a whole number from 1 to 10\^15 for each group"),
    ({"g0": "noisy"}, r"must be a whole number from 1 to 10\^15 for each group, got 'noisy'"),
])  # fmt: skip
@pytest.mark.parametrize("mechanism", ["aq", "binhist"])
def test_numbers_for_other_groups_are_refused(about, sentence, mechanism):
    with pytest.raises(ParameterError, match=f"`about_n` {sentence}"):
        calibrate_grouped(table(), planned(mechanism, about_n=about, adjacency=REPLACED))


def test_numbers_of_groups_need_groups_whose_names_are_known():
    values = np.zeros(9)
    found = usual_groups(values, ["a"] * 9, GRID, names=None)
    with pytest.raises(
        ParameterError, match="`about_n` must be one number, such as about_n=300, or 'noisy' where groups are found"
    ):
        calibrate_grouped(found, planned(about_n={"a": 9}, privacy=ApproxDP(1.0, 1e-6)))
    for adjacency in Adjacency:
        with pytest.raises(ParameterError, match="`about_n` must be one number for a column without groups"):
            release(usual_column(values, GRID), planned(about_n={"a": 9}, adjacency=adjacency))


def test_names_are_compared_as_those_of_groups_are():
    pairs = [("north", "f"), ("south", "f")]
    groups = usual_groups(np.zeros(2), [1, 2], GRID, names=[1, 2], seed=0)
    assert calibrate_grouped(groups, planned(about_n={np.int64(2): 300, 1: 200})).numbers == {1: 200, 2: 300}
    two = replace(groups, names=tuple(pairs))
    assert calibrate_grouped(two, planned(about_n={(" north", "f"): 200, pairs[1]: 300})).numbers == {
        pairs[0]: 200, pairs[1]: 300,
    }  # fmt: skip
