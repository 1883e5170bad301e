"""Groups: which rows reach which group, what a release says of them, and that all of them are answered together."""

from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dpq_core as dpq
from dpq_core.results.answers import weights_of
from tests import harness
from tests.harness import UNIT, Plan, calibrate, calibrate_grouped, persons, usual_groups
from tests.narrowing import present

JOINS, REPLACED = dpq.Adjacency
GRID = dpq.Domain(0, 100, 1)
PLAN = Plan(["1/2", "1/4", "1/2"])


def cells(groups, name):
    return groups.column(groups.names.index(name)).cells.tolist()


def made(values, labels, names, domain=GRID, **how):
    return usual_groups(values, labels, domain, names=names, **{"tie_bits": 0, "seed": 0} | how)


@pytest.mark.parametrize("labels", [
    ["a", " b ", "a", "c", None, "b"], np.array(["a", " b ", "a", "c", "", "b"]),
    pd.Series(["a", " b ", "a", "c", None, "b"], index=[5, 4, 3, 2, 1, 0]),
    pd.Series(["a", " b ", "a", "c", None, "b"], dtype="category"),
], ids=["list", "array", "series", "category"])  # fmt: skip
def test_rows_go_to_their_group_and_others_are_dropped(labels):
    groups = made([5, 1, 3, 9, 8, 200], labels, ["b", " a", "empty"])
    assert groups.names == ("b", "a", "empty")
    assert [cells(groups, name) for name in groups.names] == [[1, 100], [3, 5], []]
    assert groups.dropped == 2


@pytest.mark.parametrize("labels", [[1, 2, 1, 3], np.array([1.0, 2, 1, np.nan]), pd.Series([1, 2, 1, None])])
def test_whole_numbers_are_names_and_others_are_pooled(labels):
    groups = made([5, 1, 3, 9], labels, [2, 7], other="rest")
    assert groups.names == (2, 7, "rest")
    assert [cells(groups, name) for name in groups.names] == [[1], [], [3, 5, 9]]


def test_a_number_has_the_name_of_its_text_unless_both_are_listed():
    assert cells(made([5], [1], ["1"]), "1") == [5]
    assert cells(made([5, 7], [1, "1"], [1]), 1) == [5, 7]
    both = made([5, 7], [1, "1"], [1, "1"])
    assert (cells(both, 1), cells(both, "1")) == ([5], [7])


def test_equal_cells_have_the_same_group_whichever_comes_first():
    """Else a row could change the group of others."""
    ones = [1, 1.0, True, Decimal(1)]
    for labels in (ones, ones[::-1], [*ones[3:], *ones[:3]]):
        assert len(cells(made([5] * len(labels), labels, [1, "a"]), 1)) == len(ones)


def test_missing_values_are_dropped_or_stood_in_for():
    assert cells(made([5, None, np.inf], ["a", "a", "a"], ["a"]), "a") == [5]
    assert cells(made([5, None, np.inf], ["a", "a", "a"], ["a"], missing=7), "a") == [5, 7, 7]


@pytest.mark.slow
def test_many_rows_in_parts_of_the_column():
    """More rows than are looked up at once, in a column that is not sorted."""
    size = (1 << 20) + 1000
    generator = np.random.default_rng(0)
    labels, values = generator.integers(0, 50, size), generator.integers(0, 101, size)
    groups = made(values, labels.astype(str), [str(name) for name in range(49, -1, -1)])
    for name in ("0", "17", "49"):
        assert np.array_equal(cells(groups, name), np.sort(values[labels == int(name)]))


@pytest.mark.parametrize("per_person", ["first", "max", "median", "random"])
def test_a_person_has_one_number_in_at_most_so_many_groups(per_person):
    labels, ids = ["a", "a", "b", "c", "x", "a"], [1, 1, 1, 1, 1, 2]
    values, people = [3, 7, 20, 30, 90, 50], persons(ids)
    seen = set()
    for seed in range(20):
        groups = made(
            values, labels, ["a", "b", "c"], people=people, max_groups_per_person=2, per_person=per_person, seed=seed
        )
        kept = [set(cells(groups, name)) for name in groups.names]
        assert 50 in kept[0]
        own = kept[0] - {50}
        assert own <= {"first": {3}, "max": {7}, "median": {3}}.get(per_person, {3, 7})
        assert len(own) + len(kept[1]) + len(kept[2]) == 2
        seen.add(tuple(map(len, kept)))
    assert seen == {(2, 1, 0), (2, 0, 1), (1, 1, 1)}, "every pair of groups is kept sometimes"


def test_a_person_has_at_most_so_many_rows_in_each_of_so_many_groups():
    labels, ids = ["a", "a", "a", "b", "c", "x", "a"], [1, 1, 1, 1, 1, 1, 2]
    values, people, seen = [3, 7, 9, 20, 30, 90, 50], persons(ids), set()
    for seed in range(40):
        groups = made(
            values, labels, ["a", "b", "c"], people=people, max_groups_per_person=2, max_rows_per_person=2, seed=seed
        )
        kept = [cells(groups, name) for name in groups.names]
        own = [cell for cell in kept[0] if cell != 50]
        assert 50 in kept[0]
        assert set(own) <= {3, 7, 9}
        assert len(own) in {0, 2}
        assert bool(own) + len(kept[1]) + len(kept[2]) == 2
        assert present(groups.persons).tolist() == [1 + bool(own), len(kept[1]), len(kept[2])]
        assert groups.dropped == 7 - sum(map(len, kept))
        seen.add((tuple(own), len(kept[1]), len(kept[2])))
    assert seen == {
        ((3, 7), 1, 0), ((3, 9), 1, 0), ((7, 9), 1, 0), ((3, 7), 0, 1), ((3, 9), 0, 1), ((7, 9), 0, 1), ((), 1, 1),
    }  # fmt: skip


def test_a_person_has_at_most_so_many_rows_in_all_groups_together():
    labels, ids = ["a", "a", "b", "c", "x", "a", "b"], [1, 1, 1, 1, 1, 2, 2]
    values, people, seen = [3, 7, 20, 30, 90, 50, 60], persons(ids), set()
    for seed in range(60):
        groups = made(
            values, labels, ["a", "b", "c"], people=people, max_groups_per_person="any", max_rows_per_person=2,
            seed=seed,
        )  # fmt: skip
        kept = [cells(groups, name) for name in groups.names]
        own = tuple(sorted(cell for each in kept for cell in each if cell not in {50, 60}))
        assert 50 in kept[0], "the other person has two rows, and both count"
        assert 60 in kept[1]
        assert len(own) == 2
        assert set(own) <= {3, 7, 20, 30}
        counted = [1 + bool({3, 7} & set(own)), 1 + (20 in own), int(30 in own)]
        assert present(groups.persons).tolist() == counted
        assert groups.dropped == 7 - sum(map(len, kept))
        seen.add(own)
    assert seen == {(3, 7), (3, 20), (3, 30), (7, 20), (7, 30), (20, 30)}, "every pair of rows is kept sometimes"
    assert (groups.most_groups, groups.records_each) == (2, 2)


def test_missing_values_and_rows_of_nobody_are_no_rows_of_a_person():
    values, ids = [3, np.nan, 7, 9, 11], persons([1, 1, 1, None, 2])
    groups = made(
        values, list("aabbx"), ["a", "b"], people=ids, max_groups_per_person="any", max_rows_per_person=2, seed=0
    )
    assert [cells(groups, name) for name in groups.names] == [[3], [7]]
    assert groups.dropped == 3
    known = made(
        values, list("aabbx"), ["a", "b"], people=ids, max_groups_per_person="any", max_rows_per_person=3, seed=0,
        missing=5,
    )  # fmt: skip
    assert [sorted(cells(known, name)) for name in known.names] == [[3, 5], [7]]


def test_persons_of_a_group_are_counted_whatever_values_they_have():
    """Rows of no group and of nobody are none; somebody in two groups counts in one, if in one is what may be."""
    codes, ids = np.array([0, 0, 1, -1, 1, 0], np.int32), persons([1, 1, 2, 3, 1, None])
    counted = partial(harness.counted_for_names, codes, 3, share=False)
    assert counted(ids, 2, None).tolist() == [1, 2, 0]
    assert {tuple(counted(ids, 1, seed).tolist()) for seed in range(20)} == {(1, 1, 0), (0, 2, 0)}
    assert counted(None, 1, None).tolist() == [3, 2, 0]


def test_a_group_is_found_by_its_persons_and_not_by_their_records():
    """One person with a thousand rows, all of which count, and a group of a thousand persons."""
    people = persons([0] * 1000 + list(range(1, 1001)))
    groups = usual_groups(
        [1] * 2000, ["one"] * 1000 + ["many"] * 1000, GRID, names=None, people=people, max_rows_per_person=1000
    )
    assert sorted(groups.people_in.tolist()) == [1, 1000]
    plan = Plan(["1/2"], "indexp", dpq.ApproxDP(1.0, 1e-6))
    assert dpq.release(groups, plan)["column"].groups == ("many",)


def test_rows_of_a_person_weigh_one_together_in_all_listed_groups():
    """A row outside of the list, one without a value and one of nobody have no weight."""
    labels, ids = ["a", "a", "b", "x", "b", "b", "a"], [1, 1, 1, 1, 1, 2, None]
    values, people = [3, 7, 20, 30, None, 50, 60], persons(ids)
    groups = made(values, labels, ["a", "b"], people=people, per_person="weight")
    assert [cells(groups, name) for name in "ab"] == [[3, 7], [20, 50]], "each value in its own row's group"
    first, second = groups.column(0).records, groups.column(1).records
    assert first.size + second.size == 2 * UNIT
    assert abs(first.size - 2 * UNIT / 3) < 1
    assert groups.dropped == 3
    assert (groups.protects, groups.per_person, groups.max_groups_per_person) == ("person", "weight", 1)
    stood_in = made([None, 5], ["a", "b"], ["a", "b"], people=persons([1, 2]), per_person="weight", missing=9)
    assert [each.column(at).cells.tolist() for each in [stood_in] for at in range(2)] == [[9], [5]]


def test_a_group_that_weighs_less_than_one_person_has_true_quantiles_and_a_size():
    """A person with three rows in one group and one in the other: a quarter of a person is somebody."""
    groups = made([3, 5, 7, 9], ["b", "b", "b", "a"], ["a", "b", "c"], people=persons([1] * 4), per_person="weight")
    truth = [harness.true_quantiles(groups.column(at), ["1/2"]).tolist() for at in range(3)]
    assert truth[:2] == [[9], [5]]
    assert np.isnan(truth[2]).all()
    assert harness.distribution_distance(groups.column(0), [3.0]) == 1
    assert weights_of(groups) == [1, 1, 0]
    several = made([1] * 6, list("aaabab"), ["a", "b"], people=persons([1, 1, 2, 2, 3, 4]), per_person="weight")
    assert [mass / UNIT for mass in several.masses.tolist()] == [2.5, 1.5]
    assert weights_of(several) == [3, 2], "in persons, and not in rows"


def test_errors_of_shares_are_counted_in_persons_of_the_group():
    groups = made([10, 20, 30, 40], ["a", "a", "b", "a"], ["a", "b"], people=persons([1, 1, 1, 2]), per_person="weight")
    study = dpq.simulate(groups, Plan(["1/2"], "aq", dpq.PureDP(50.0)), trials=3)["column"]
    expected = [harness.signed_rank_errors(groups.column(at), ["1/2"], study.values[:, at]) for at in range(2)]
    assert np.array_equal(study.signed_rank_errors, np.stack(expected, axis=1))


@pytest.mark.parametrize("mechanism", ["slice", "gkexp", "normal"])
def test_what_reads_whole_records_refuses_shares_in_groups(mechanism):
    groups = made([10, 20], ["a", "b"], ["a", "b"], people=persons([1, 1]), per_person="weight")
    with pytest.raises(dpq.ParameterError, match="is one of aq"):
        calibrate_grouped(groups, Plan(["1/2"], mechanism, dpq.ApproxDP(1.0, 1e-6)))
    with pytest.raises(dpq.ParameterError, match="steps show records"):
        dpq.explain(groups, Plan(["1/2"], "aq", dpq.PureDP(1.0)), group="a")


def test_groups_of_a_person_are_as_likely():
    count = 3000
    ids, labels = np.repeat(np.arange(count), 3), np.tile(["a", "b", "c"], count)
    groups = made(np.zeros(3 * count), labels, ["a", "b", "c"], people=persons(ids))
    assert groups.sizes.sum() == count
    assert (abs(groups.sizes - 1000) < 130).all()  # five standard deviations


def test_rows_without_a_valid_value_take_no_group_from_a_person():
    people = persons([1, 1, 2, None])
    groups = made([None, 4, 5, 6], ["a", "b", "a", "a"], ["a", "b"], people=people)
    assert [cells(groups, name) for name in "ab"] == [[5], [4]]


# ── releases ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_listed_group_is_answered_in_the_order_of_the_plan():
    groups = usual_groups([5.0] * 400, ["a"] * 400, GRID, names=["empty", "a"])
    found = dpq.release(groups, PLAN)
    answers = found.values["column"]
    assert list(answers) == ["empty", "a"]
    assert all(len(values) == 3 and values[0] == values[2] >= values[1] for values in answers.values())
    assert list(answers["a"]) == [5, 5, 5]
    assert found.guarantee == replace(calibrate(PLAN).guarantee, exact=True)


OPTIONS: dict[str, Any] = {"normal": {"sigma": 10.0, "mean_bound": 100}, "gkexp": {"n_max": 100}}


@pytest.mark.parametrize("mechanism", [key for key in dpq.MECHANISMS if key not in {"slice", "normal"}])
@pytest.mark.parametrize("adjacency", dpq.Adjacency)
@pytest.mark.parametrize(
    "privacy", [dpq.PureDP(1.0), dpq.ZCDP(0.1), dpq.ApproxDP(1.0, 1e-6)], ids=["pure", "zcdp", "approx"]
)
def test_every_mechanism_answers_groups_within_the_budget(mechanism, adjacency, privacy):
    people = persons([1, 1, 2, 3])
    how: dict[str, Any] = {"names": ["a", "b"], "people": people, "max_groups_per_person": 3}
    groups = usual_groups([5, 6, 7, 8], ["a", "b", "a", "b"], GRID, **how)
    plan = Plan(["1/2"], mechanism, privacy, adjacency, OPTIONS.get(mechanism, {}))
    found = dpq.release(groups, plan)
    assert found.guarantee.covers(privacy)
    assert found.guarantee.adjacency is adjacency
    assert found.guarantee.protects == "person"
    assert all(0 <= value <= 100 for values in found["column"].values for value in values)


@pytest.mark.parametrize(
    ("adjacency", "most", "pure", "concentrated"),
    [(JOINS, 1, 1, 1), (JOINS, 3, 3, 3), (REPLACED, 1, 2, 4), (REPLACED, 3, 6, 12)],
)
def test_what_one_record_of_a_group_may_cost(adjacency, most, pure, concentrated):
    groups = made([5], ["a"], ["a"], people=persons([1]), max_groups_per_person=most)
    for privacy, each in ((dpq.PureDP(1.0), dpq.PureDP(1.0 / pure)), (dpq.ZCDP(0.6), dpq.ZCDP(0.6 / concentrated))):
        found = calibrate_grouped(groups, Plan(["1/2"], "indexp", privacy, adjacency))
        wanted, spent = calibrate(Plan(["1/2"], "indexp", each)).guarantee, found.parameters.guarantee
        assert (spent.epsilon, spent.rho) == pytest.approx((wanted.epsilon, wanted.rho), rel=1e-12)
        whole = found.guarantee
        if isinstance(privacy, dpq.ZCDP):
            assert whole.rho == pytest.approx(0.6, rel=1e-9)
        else:
            assert whole.epsilon == pytest.approx(1, rel=1e-9)


def test_one_small_group_refuses_for_all_and_the_whole_is_charged():
    values, labels = [*range(100)] * 40 + [5], ["a"] * 4000 + ["b"]
    groups = usual_groups(values, labels, GRID, names=["a", "b"])
    plan = Plan(["1/4", "1/2"], "slice", dpq.ApproxDP(1.0, 1e-6))
    with pytest.raises(
        dpq.Infeasible, match="None of the groups is answered, and all of the budget is spent"
    ) as refused:
        dpq.release(groups, plan)
    assert (refused.value.charged, refused.value.remedies) == (1.0, ())
    assert refused.value.noisy_count is not None
    large = usual_groups(values * 2, ["a"] * 4001 + ["b"] * 4001, GRID, names=["a", "b"])
    found = dpq.release(large, plan)
    assert (found["column"].groups, found.guarantee.covers(plan.privacy)) == (("a", "b"), True)


def test_found_groups_are_large_and_their_names_tell_no_order():
    labels = ["large"] * 500 + ["alone"] + ["middle"] * 400
    groups = usual_groups([5.0] * 901, labels, GRID, names=None)
    found = dpq.release(groups, Plan(["1/2"], "aq", dpq.ApproxDP(1.0, 1e-6)))
    assert found["column"].groups == ("large", "middle")
    assert found.guarantee.epsilon == pytest.approx(1, abs=1e-9)
    assert found.guarantee.covers(dpq.ApproxDP(1.0, 1e-6))
    assert found.guarantee.rho is None
    study = dpq.simulate(groups, Plan(["1/2"], "aq", dpq.ApproxDP(1.0, 1e-6)), trials=70)["column"]
    assert study.groups == ("alone", "large", "middle")
    assert np.isnan(study.values[:, 0]).all()
    assert (study.values[:, 1:] == 5).all()


# ── simulations ──────────────────────────────────────────────────────────────────────────────────────────────────────


def skewed(count=600, seed=None):
    generator = np.random.default_rng(3)
    return (
        generator.gamma(2, 10, count),
        np.repeat(["a", "b", "c"], [count // 2, count // 3, count - 5 * count // 6]),
        seed,
    )


@pytest.mark.parametrize("mechanism", ["aq", "freetotal", "indexp"])
@pytest.mark.parametrize("domain", [dpq.Domain(0, 100, 1), dpq.Domain(0, 100)], ids=["ties", "fine"])
def test_rank_errors_are_those_of_each_group_alone(mechanism, domain):
    values, labels, _ = skewed()
    groups = usual_groups(values, labels, domain, names=["b", "a", "c", "none"], seed=4)
    plan = Plan(["1/2", "9/10", "1/3"], mechanism)
    study = dpq.simulate(groups, plan, trials=3, seed=1)["column"]
    assert study.values.shape == study.rank_errors.shape == (3, 4, 3)
    for at in range(4):
        wanted = dpq.rank_errors(groups.column(at), plan.quantiles, study.values[:, at])
        assert np.array_equal(study.rank_errors[:, at], wanted)


@pytest.mark.parametrize(("mechanism", "options"), [
    ("aq", {}), ("aq", {"draws": "several"}), ("freetotal", {}),
], ids=["one", "several", "all"])  # fmt: skip
def test_groups_have_the_distribution_of_a_column_alone(mechanism, options):
    """Fast sampler: mean rank errors and answers of 1000 trials agree with those of a Column, in every group."""
    values, labels, _ = skewed(240)
    groups = usual_groups(values, labels, dpq.Domain(0, 100), names=["a", "c"], seed=4)
    plan = Plan(["1/4", "1/2", "3/4"], mechanism, options=options)
    study = dpq.simulate(groups, plan, trials=1000)["column"]
    for at in range(2):
        alone = dpq.simulate(groups.column(at), plan, trials=1000, seed=9)["column"]
        pairs = (study.rank_errors, alone.rank_errors), (study.values, alone.values)
        for mine, other in ((mine[:, at], other[:, 0]) for mine, other in pairs):
            spread = np.sqrt((mine.var(axis=0) + other.var(axis=0)) / 1000)
            assert (abs(mine.mean(axis=0) - other.mean(axis=0)) < 5 * spread).all()


@pytest.mark.parametrize(("names", "most"), [(60, 2), (61, 1), (None, 1)])
def test_many_groups_are_drawn_one_quantile_at_a_time(names, most):
    """From public facts alone."""
    listed = None if names is None else [str(name) for name in range(names)]
    groups = usual_groups([1.0, 2.0], ["0", "1"], GRID, names=listed)
    drawn = calibrate_grouped(groups, Plan(["1/3", "2/3"], "aq", dpq.ApproxDP(1.0, 1e-6))).parameters
    assert len(vars(drawn)["root"].levels) == most


# ── refusals ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("how", "name"), [
    ({"names": "ab"}, "names"), ({"names": []}, "names"), ({"names": ["a", " a"]}, "names"),
    ({"names": ["a", None]}, "names"), ({"names": [b"a"]}, "names"), ({"names": ["a"], "other": "a"}, "other"),
    ({"names": None, "other": "rest"}, "other"), ({"names": None, "finding": 1.0}, "finding"),
    ({"names": ["a"], "max_groups_per_person": 2}, "max_groups_per_person"),
    ({"names": ["a"], "max_groups_per_person": 0}, "max_groups_per_person"),
    ({"names": ["a"], "people": persons([1]), "per_person": "mode"}, "per_person"),
    ({"names": ["a"], "people": persons([1]), "per_person": "first", "max_rows_per_person": 2}, "per_person"),
    ({"names": ["a"], "people": persons([1]), "max_rows_per_person": 0}, "max_rows_per_person"),
    ({"names": ["a"], "max_rows_per_person": 2}, "people"), ({"names": ["a"], "per_person": "mean"}, "people"),
    (
        {"names": ["a"], "people": persons([1]), "per_person": "weight", "max_groups_per_person": 2},
        "max_groups_per_person",
    ),
])  # fmt: skip
def test_settings_that_are_refused(how, name):
    with pytest.raises(dpq.ParameterError) as refused:
        usual_groups([1], ["a"], GRID, **how)
    assert refused.value.name == name


@pytest.mark.parametrize("given", [
    {"groups": ["secret", "b"]}, {"groups": "secret"}, {"groups": [["secret"]]}, {"groups": [{}]},
    {"people": persons([1, 2])}, {"people": [1]},
])  # fmt: skip
def test_columns_that_are_refused_are_not_quoted(given):
    with pytest.raises(dpq.DataError) as refused:
        usual_groups(**{"values": [1], "groups": ["a"], "domain": GRID, "names": ["a"]} | given)
    assert "secret" not in str(refused.value)


def test_a_seeded_table_is_not_released():
    with pytest.raises(dpq.ParameterError, match="`seed` must be None"):
        dpq.release(made([1], ["a"], ["a"]), PLAN)
    groups = usual_groups([1], ["a"], GRID, names=["a"])
    with pytest.raises(dpq.ParameterError, match="`mechanism`"):
        dpq.release(groups, Plan(["1/2"], "nothing"))


def test_nothing_of_the_data_is_in_its_name():
    groups = usual_groups([1] * 7, ["secret"] * 7, GRID, names=None)
    assert repr(groups).count("secret") == repr(groups).count("7") == 0


@pytest.mark.parametrize(
    "names", [[2**63 - 1], [1 - 2**63], [2**63 - 4, 2**63 - 1], [1 - 2**63, 3 - 2**63], [-3, 2], [1 - 2**63, 2**63 - 1]]
)
def test_a_number_far_from_all_names_is_none_of_them(names):
    """Also where their difference does not fit into 64 bits."""
    near = {name + step for name in [*names, 0, 2**63 - 1, -(2**63)] for step in range(-5, 6)}
    column = sorted(value for value in near if -(2**63) <= value < 2**63)
    groups = made([0] * len(column), np.array(column, np.int64), names)
    assert groups.sizes.tolist() == [1] * len(names)
    assert groups.dropped == len(column) - len(names)


@pytest.mark.parametrize("how", [{}, {"max_groups_per_person": 2, "people": persons(range(40))}])
@pytest.mark.parametrize("mechanism", ["aq", "jointexp"])
def test_one_group_is_explained_with_its_own_part_of_the_budget(mechanism, how):
    groups = made(np.arange(40), ["a", "b"] * 20, ["a", "b"], **how)
    whole = Plan(["1/4", "1/2"], mechanism, dpq.PureDP(2.0))
    part = replace(whole, privacy=dpq.PureDP(2.0 / how.get("max_groups_per_person", 1)))
    found, alone = (
        dpq.explain(groups, whole, seed=3, group=" b "),
        dpq.explain(groups.column_of_group("b"), part, seed=3),
    )
    assert (found.steps, found.values, found.seed) == (alone.steps, alone.values, 3)
    assert (found.guarantee.epsilon, found.plan) == (2.0, whole)
    assert (groups.column_of_group("b").cells == np.arange(1, 40, 2)).all()
