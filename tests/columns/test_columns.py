"""Several columns under one budget: how it is divided, what adds up, and that all are answered or none."""

import json
import sys
from fractions import Fraction
from math import inf

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.columns_plan import ColumnsPlan
from dpq_core.privacy.budgets import Privacy
from dpq_core.privacy.conversions import largest_rho
from dpq_core.schedule import draw, schedule_of
from tests.narrowing import only, present

JOINS, REPLACED = dpq.Adjacency
GRID, DIGITS = dpq.Domain(0, 100, 1), dpq.Domain.significant(2)
VALUES = np.random.default_rng(0).normal(50, 15, 2000)
QUARTILES = ["1/4", "1/2", "3/4"]
BUDGETS: list[Privacy] = [dpq.PureDP(0.7), dpq.ApproxDP(0.7, 1e-6), dpq.ZCDP(0.03)]
every_budget = pytest.mark.parametrize("privacy", BUDGETS, ids=["pure", "approximate", "concentrated"])


def table(seed=None, **others):
    return {
        "age": dpq.Column.from_values(VALUES, GRID, seed=seed, **others),
        "income": dpq.Column.from_values(np.exp(VALUES / 10), DIGITS, seed=seed, **others),
    }


def many(count, seed=None):
    column = dpq.Column.from_values(VALUES, GRID, seed=seed)
    return {f"column {at}": column for at in range(count)}


def exact_sum(losses):
    return sum(map(Fraction, losses), Fraction(0))


@every_budget
@pytest.mark.parametrize("adjacency", dpq.Adjacency)
@pytest.mark.parametrize("weights", [None, {"age": 1, "income": "1/3"}])
def test_one_guarantee_for_the_whole(privacy, adjacency, weights):
    found = dpq.release(table(), dpq.Plan(QUARTILES, "aq", privacy, adjacency), weights)
    whole, parts = found.guarantee, [each.guarantee for each in found.cells]
    assert (whole.exact, whole.adjacency, whole.protects) == (True, adjacency, "record")
    assert whole.covers(privacy)
    assert exact_sum(present(part.rho) for part in parts) <= Fraction(present(whole.rho))
    assert exact_sum(part.epsilon for part in parts) <= Fraction(whole.epsilon) or whole.delta > 0
    spent = whole.rho if isinstance(privacy, dpq.ZCDP) else whole.epsilon
    assert spent == pytest.approx(getattr(privacy, "rho", None) or privacy.epsilon, rel=1e-9)
    assert (found.values["age"],) == found["age"].values
    assert [found[name].domain for name in found.values] == [GRID, DIGITS]
    by_weight = [
        part.privacy.rho if isinstance(part.privacy, dpq.ZCDP) else part.privacy.epsilon
        for part in (each.plan for each in found.cells)
    ]
    assert by_weight[0] / by_weight[1] == pytest.approx(1 if weights is None else 3)


def test_a_plan_says_how_columns_divide_its_budget_and_a_call_may_say_otherwise():
    plan = dpq.Plan("median", "best", epsilon=1, weights={"age": 1, "income": 3})
    spent = {name: each.guarantee.epsilon for name, each in dpq.release(table(), plan).items()}
    assert spent == {"age": 0.25, "income": 0.75}
    equal = dpq.release(table(), plan, {"age": 1, "income": 1})
    assert [each.guarantee.epsilon for each in equal.cells] == [0.5, 0.5]
    study = dpq.simulate(table(seed=0), plan, trials=2)
    assert [each.guarantee.epsilon for each in study.cells] == [0.25, 0.75]
    assert {each.weights for found in (equal.plan, study.plan) for each in found.plans.values()} == {None}
    with pytest.raises(dpq.ParameterError, match="`weights`"):
        dpq.release(table()["age"], plan)


@pytest.mark.parametrize("count", [1, 3, 7, 100])
@every_budget
def test_parts_add_up_to_no_more_and_nearly_to_all(privacy, count):
    for way in ColumnsPlan.of(many(count), dpq.Plan(QUARTILES, "aq", privacy)).divided():
        plans = list(way.values())
        kind = type(plans[0].privacy)
        whole = {
            dpq.PureDP: getattr(privacy, "epsilon", 0.0),
            dpq.ApproxDP: getattr(privacy, "epsilon", 0.0),
            dpq.ZCDP: privacy.rho if isinstance(privacy, dpq.ZCDP) else largest_rho(0.7, 1e-6),
        }[kind]
        parts = [Fraction(next(iter(vars(plan.privacy).values()))) for plan in plans]
        assert 1 - 1e-14 < sum(parts) / Fraction(whole) <= 1
        assert exact_sum(getattr(plan.privacy, "delta", 0.0) for plan in plans) <= Fraction(1e-6)


def test_many_columns_go_through_rho_and_few_may_not():
    """Twenty medians at (1, 1e-6): rho 0.016 in all by parts of epsilon, 0.02 by the largest rho."""
    few = dpq.release(many(2), dpq.Plan(["1/2"], "aq", dpq.ApproxDP(1.0, 1e-6))).guarantee
    lots = dpq.release(many(20), dpq.Plan(["1/2"], "aq", dpq.ApproxDP(1.0, 1e-6))).guarantee
    assert (few.epsilon, few.delta) == (1.0, 0.0)
    assert (lots.epsilon, lots.delta) == (1.0, 1e-6)
    assert present(lots.rho) == pytest.approx(largest_rho(1.0, 1e-6))
    assert present(lots.rho) > 20 * (1 / 20) ** 2 / 8


def test_a_pure_budget_is_never_answered_with_a_delta():
    found = dpq.release(many(50), dpq.Plan(["1/2"], "aq", dpq.PureDP(1.0))).guarantee
    assert (found.epsilon, found.delta) == pytest.approx((1, 0), rel=1e-15, abs=0)


def test_a_plan_for_each_column():
    plans = {"age": dpq.Plan(["1/10", "1/2"], "indexp"), "income": dpq.Plan(QUARTILES, "jointexp")}
    found = dpq.release(table(), plans)
    assert found.mechanisms == {"age": "indexp", "income": "jointexp"}
    assert [len(values) for values in found.values.values()] == [2, 3]
    assert found.guarantee.epsilon == pytest.approx(1)


@pytest.mark.parametrize(("plan", "weights", "names"), [
    (dpq.Plan(["1/2"]), {"age": 1}, "weights"), (dpq.Plan(["1/2"]), {"age": 1, "income": 0}, "weights"),
    (dpq.Plan(["1/2"]), {"age": 1, "income": float("nan")}, "weights"),
    (dpq.Plan(["1/2"]), {"age": 1, "income": 10**12}, "weights"), ({"age": dpq.Plan(["1/2"])}, None, "plan"),
    ({"age": dpq.Plan(["1/2"]), "income": dpq.Plan(["1/2"], privacy=dpq.PureDP(2.0))}, None, "plan"),
    ({"age": dpq.Plan(["1/2"]), "income": dpq.Plan(["1/2"], adjacency=REPLACED)}, None, "plan"),
    ({"age": dpq.Plan(["1/2"]), "income": 3}, None, "plan"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(plan, weights, names):
    with pytest.raises(dpq.ParameterError) as refused:
        dpq.release(table(), plan, weights)
    assert refused.value.name == names


def test_no_columns_and_single_samples_with_weights_are_refused():
    with pytest.raises(dpq.ParameterError, match="`columns`"):
        dpq.release({}, dpq.Plan(["1/2"]))
    with pytest.raises(dpq.ParameterError, match="`weights`"):
        dpq.release(table()["age"], dpq.Plan(["1/2"]), {"age": 1})
    with pytest.raises(dpq.ParameterError, match="`seed`"):
        dpq.release(table(seed=0), dpq.Plan(["1/2"]))


@pytest.mark.slow
def test_persons_are_protected_in_all_columns_or_in_none():
    people = dpq.People.of(np.repeat(np.arange(500), 4))
    taken, kept = table(people=people, per_person="median"), table(people=people, max_rows_per_person=2)
    for persons in (taken, kept, {"age": taken["age"], "income": kept["income"]}):
        found = dpq.release(persons, dpq.Plan(QUARTILES, "aq", dpq.PureDP(1.0)))
        assert found.guarantee.protects == "person"
        assert found.guarantee.epsilon == pytest.approx(1)
    shares = dpq.release(table(people=people, per_person="weight"), dpq.Plan(QUARTILES, "best", dpq.PureDP(1.0)))
    assert shares.guarantee.protects == "person"
    with pytest.raises(dpq.ParameterError, match="`columns` must all protect records, or all protect persons"):
        dpq.release({"age": taken["age"], "income": table()["income"]}, dpq.Plan(QUARTILES))


def test_a_column_may_be_in_groups_beside_one_that_is_not():
    people = dpq.People.of(np.repeat(np.arange(500), 4))
    pay = dpq.Column.from_values(VALUES, GRID, groups=np.tile(["n", "s"], 1000), names=["n", "s", "w"], people=people)
    given = {"pay": pay, "age": table(people=people, per_person="median")["age"]}
    plan = dpq.Plan(QUARTILES, "aq", dpq.PureDP(1.0))
    found = dpq.release(given, plan, {"pay": 3, "age": 1})
    assert found.guarantee.protects == "person"
    assert found.guarantee.epsilon == pytest.approx(1)
    assert [each.guarantee.epsilon for each in found.cells] == pytest.approx([0.75, 0.25])
    assert set(only(dict, found.values["pay"])) == {"n", "s", "w"}
    assert "\npay,s," in found.to_csv()
    study = dpq.simulate(
        {"pay": dpq.Column.from_values(VALUES, GRID, groups=["n"] * 2000, names=["n", "s"], seed=1)}, plan, 3
    )
    assert study.values["pay"].shape == study.rank_errors["pay"].shape == (3, 2, 3)
    with pytest.raises(dpq.ParameterError, match="all protect records, or all protect persons"):
        dpq.release({"pay": pay, "age": table()["age"]}, plan)


def test_a_column_that_refuses_leaves_none_and_spends_all():
    """SliceQuantiles draws before it can refuse: what other columns drew is told by that, too."""
    slices = dpq.Plan(["1/4", "1/2", "51/100"], "slice", dpq.ApproxDP(0.3, 1e-6))
    plans = {"age": dpq.Plan(QUARTILES, "aq", slices.privacy), "income": slices}
    with pytest.raises(dpq.Infeasible, match="No column is answered") as refused:
        dpq.release(table(), plans)
    assert refused.value.charged == pytest.approx(0.3)


def test_a_column_alone_that_refuses_costs_what_it_has_drawn():
    """As it does without a name; in groups, other groups may have been drawn before."""
    slices = dpq.Plan(["1/4", "1/2", "51/100"], "slice", dpq.ApproxDP(0.3, 1e-6))
    for alone in (table()["income"], {"income": table()["income"]}):
        with pytest.raises(dpq.Infeasible, match="noisy number") as refused:
            dpq.release(alone, slices)
        assert refused.value.charged == pytest.approx(0.12)
    groups = dpq.Column.from_values([1.0] * 40, dpq.Domain(0, 9, 1), groups=["n", "s"] * 20, names=["n", "s"])
    with pytest.raises(dpq.Infeasible, match="None of the groups is answered") as refused:
        dpq.release({"income": groups}, slices)
    assert refused.value.charged == pytest.approx(0.3)


def test_a_simulation_is_repeated_column_by_column():
    given, plan = table(seed=0), dpq.Plan(QUARTILES, "aq", dpq.ZCDP(0.1))
    study, other = dpq.simulate(given, plan, 5, seed=3), dpq.simulate({**given, "more": given["age"]}, plan, 5, seed=3)
    assert study.values["age"].shape == study.rank_errors["age"].shape == (5, 3)
    assert study.guarantee.covers(plan.privacy)
    own = study["age"]
    assert (dpq.simulate(given["age"], own.plan, 5, own.seed)["column"].values == own.values).all()
    assert own.seed == other["age"].seed != other["more"].seed


def test_nothing_is_drawn_before_every_column_is_calibrated(monkeypatch):
    drawn = []
    monkeypatch.setattr(sys.modules["dpq_core.schedule"], "cells_of", lambda *_: drawn.append(1))
    plans = {"age": dpq.Plan(QUARTILES), "income": dpq.Plan(QUARTILES, "no such")}
    with pytest.raises(dpq.ParameterError, match="`mechanism`"):
        dpq.release(table(), plans)
    assert drawn == []


def test_an_unknown_rho_stays_unknown():
    calibrated = schedule_of(table(), dpq.Plan(QUARTILES, "slice", dpq.ApproxDP(0.9, 1e-6)))
    assert calibrated.guarantee.rho is None
    assert (calibrated.guarantee.epsilon, calibrated.guarantee.delta) == pytest.approx((0.9, 1e-6))
    gaussian = schedule_of(table(), dpq.Plan(QUARTILES, "aggtree", dpq.ZCDP(0.1)))
    assert gaussian.guarantee.epsilon == inf or gaussian.guarantee.covers(dpq.ZCDP(0.1))
    assert all(each.guarantee.covers(dpq.ZCDP(0.1)) for each in draw(table(), gaussian).cells)


def test_what_is_unusual_about_the_whole_budget_is_said_once():
    """Each of four columns has an epsilon of 5, which alone brings no warning; each of three with 10 brought one."""
    four, three = (
        dpq.release(many(count), dpq.Plan(QUARTILES, privacy=dpq.PureDP(epsilon)))
        for count, epsilon in ((4, 20), (3, 30_000))
    )
    for answered, epsilon in ((four, "20"), (three, "30,000")):
        assert answered.warnings == (f"ε = {epsilon} protects little: values up to 1 are usual, above 5 rare.",)
        assert json.loads(answered.to_json())["warnings"] == list(answered.warnings)
    large = dpq.release(many(2), dpq.Plan(QUARTILES, privacy=dpq.ApproxDP(1.0, 1e-3)))
    assert [warning for warning in large.warnings if warning.startswith("δ = 0.001 is large")]
    assert dpq.release(many(2), dpq.Plan(QUARTILES)).warnings == ()
