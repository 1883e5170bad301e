"""Bounds found from a share of the budget, then the plan between them: what is spent, refused, and how far off."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.ledger.charging import charged_release
from dpq_core.privacy.budgets import Guarantee
from dpq_core.privacy.composition import after_first, first_and_rest
from dpq_core.privacy.conversions import largest_rho
from dpq_core.steps import split, steps_with_bounds
from tests.ledger.alone import opened
from tests.narrowing import present

INCOMES = np.random.default_rng(7).lognormal(10, 1, 1000)
QUARTILES = ["1/4", "1/2", "3/4"]


def raw(values=INCOMES, **options):
    return dpq.Column.from_values(values, dpq.FindBounds(), **options)


def test_bounds_are_exact_decimals_around_what_was_found():
    found = dpq.FindBounds("1/20", 5e-4, "2000", negative=False, step="0.25")
    assert found.grid == dpq.Domain.significant(1, "0.0001", 10_000, negative=False)
    cell = found.grid.first_at_least(Fraction(7, 10))
    assert found.between(cell, cell + 1) == dpq.Domain("0.5", "1", "0.25")
    assert dpq.FindBounds.from_dict(found.as_dict()) == found == eval(repr(found), {**vars(dpq)})
    usual = dpq.FindBounds()
    low, high = usual.zero - 3, usual.grid.first_at_least(Fraction(30_000))
    assert usual.between(low, high) == dpq.Domain("-0.000003", 30_000, "0.00000001")
    assert all(usual.between(at, usual.zero + 1).cells <= 10**13 + 2 for at in range(0, usual.zero, 7))


@pytest.mark.parametrize(("wrong", "name"), [
    ({"share": 0}, "share"), ({"share": 1}, "share"), ({"smallest": 0}, "smallest"),
    ({"smallest": 10, "largest": 1}, "largest"), ({"step": 0}, "step"), ({"step": "1e-9"}, "step"),
])  # fmt: skip
def test_what_makes_no_bounds_is_refused_before_anything_is_drawn(wrong, name):
    with pytest.raises(dpq.ParameterError) as refused:
        dpq.FindBounds(**wrong)
    assert refused.value.name == name


@pytest.mark.parametrize("adjacency", dpq.Adjacency)
@pytest.mark.parametrize("budget", [dpq.PureDP(1.0), dpq.ApproxDP(1.0, 1e-6), dpq.ZCDP(0.125)], ids=str)
def test_a_release_spends_what_was_requested_and_says_its_bounds(budget, adjacency):
    plan = dpq.Plan(QUARTILES, "aq", budget, adjacency)
    released = dpq.release(raw(), plan)
    assert released.plan.first == plan
    assert released.guarantee.covers(budget)
    assert released.guarantee.exact
    spent = present(released.guarantee.rho) / budget.rho if isinstance(budget, dpq.ZCDP) else released.guarantee.epsilon
    assert 0.99 < spent <= 1
    domain = released["column"].domain
    assert domain.lower <= 0 < domain.upper
    assert all(domain.lower <= value <= domain.upper for value in released.values["column"])
    assert f"{float(domain.upper):,.12g} were found" in released.warnings[-1]


def test_an_approximate_budget_goes_the_way_of_less_noise():
    def spent(rest):
        rho = rest.privacy.rho if isinstance(rest.privacy, dpq.ZCDP) else 0.2
        return Guarantee(epsilon=1, delta=0, rho=rho, adjacency=rest.adjacency)

    plan, share = dpq.Plan(QUARTILES, "aq", dpq.ApproxDP(1.0, 1e-6)), Fraction(1, 10)
    first, pure, _ = split(plan, first_and_rest(plan.privacy, share), spent)
    assert first == share
    assert isinstance(pure.privacy, dpq.ApproxDP)
    assert Fraction(pure.privacy.epsilon) + first <= 1
    assert pure.privacy.epsilon == pytest.approx(0.9)
    assert pure.privacy.delta == 1e-6
    plan = dpq.Plan(QUARTILES, "aq", dpq.ApproxDP(8.0, 0.1))
    (first, by_rho, _), rho = split(plan, first_and_rest(plan.privacy, share), spent), largest_rho(8.0, 0.1)
    assert isinstance(by_rho.privacy, dpq.ZCDP)
    assert by_rho.privacy.rho == pytest.approx(0.9 * rho)
    assert first**2 / 2 <= share * Fraction(rho)
    second = Guarantee(epsilon=7.9, delta=0, rho=0.9 * rho, adjacency=plan.adjacency)
    both = after_first(plan.privacy, first, second)
    assert (both.epsilon, both.delta) == (8.0, 0.1)


@pytest.mark.parametrize("kind", [dpq.ApproxDP, dpq.ZCDP])
def test_one_way_that_is_refused_leaves_the_other_and_two_are_refused_by_the_first(kind):
    def spent(rest):
        if isinstance(rest.privacy, refused):
            raise dpq.ParameterError("privacy", f"no {type(rest.privacy).__name__}")
        return Guarantee(epsilon=1, delta=0, rho=0.2, adjacency=rest.adjacency)

    plan, refused = dpq.Plan(QUARTILES, "aq", dpq.ApproxDP(1.0, 1e-6)), kind
    ways = first_and_rest(plan.privacy, Fraction(1, 10))
    assert isinstance(split(plan, ways, spent)[1].privacy, dpq.ZCDP if kind is dpq.ApproxDP else dpq.ApproxDP)
    refused = ()
    assert isinstance(split(plan, ways, spent)[1].privacy, dpq.ApproxDP), "of two that are alike the first"
    refused = (dpq.ApproxDP, dpq.ZCDP)
    with pytest.raises(dpq.ParameterError, match="no ApproxDP"):
        split(plan, ways, spent)


def test_persons_with_several_rows_divide_both_steps():
    ids = np.arange(INCOMES.size) // 4
    plan = dpq.Plan(QUARTILES, "aq", dpq.PureDP(1.0))
    ways: tuple[dict[str, Any], ...] = ({"per_person": "mean"}, {"max_rows_per_person": 4})
    one, four = (steps_with_bounds(raw(people=dpq.People.of(ids), **how), plan) for how in ways)
    assert four.walk.rate == one.walk.rate / 4 == Fraction(1, 40)
    assert [each.guarantee.protects for each in (one, four)] == ["person", "person"]
    assert four.guarantee.covers(plan.privacy)
    assert dpq.release(raw(people=dpq.People.of(ids), per_person="mean"), plan).guarantee.protects == "person"


def test_what_no_release_may_read_is_refused():
    plan = dpq.Plan(QUARTILES)
    with pytest.raises(dpq.ParameterError, match="seed"):
        dpq.release(raw(seed=1), plan)
    with pytest.raises(dpq.DataError, match="missing"):
        dpq.release(raw([1.0, np.nan]), dpq.Plan(QUARTILES, adjacency=dpq.Adjacency.REPLACE_ONE))
    with pytest.raises(dpq.DataError):
        raw(["a", "b"])
    with pytest.raises(dpq.ParameterError, match="share"):
        dpq.release(raw(), dpq.Plan(QUARTILES, privacy=dpq.PureDP(1e-9)))
    with pytest.raises(dpq.ParameterError, match="one record of each person"):
        dpq.release(
            raw(people=dpq.People.of(np.arange(INCOMES.size) // 4), per_person="weight"), dpq.Plan(QUARTILES, "slice")
        )
    with pytest.raises(dpq.ParameterError, match="seed"):
        dpq.release({"income": raw(seed=1)}, plan)
    assert "1000" not in repr(raw()).replace(repr(dpq.FindBounds()), "")
    assert raw(missing=3).dropped == 0


def test_a_study_counts_errors_over_all_records_and_stays_near_known_bounds():
    plan = dpq.Plan(["1/10", "1/2", "9/10"], "aq", dpq.PureDP(2.0))
    study, again = (dpq.simulate(raw(seed=0), plan, trials=40, seed=3)["column"] for _ in range(2))
    assert np.array_equal(study.values, again.values)
    assert study.guarantee == steps_with_bounds(raw(), plan).guarantee
    known = dpq.simulate(dpq.Column.from_values(INCOMES, dpq.Domain(0, 200_000), seed=0), plan, trials=40, seed=3)[
        "column"
    ]
    assert 0.5 * known.rank_errors.mean() < study.rank_errors.mean() < 5 * known.rank_errors.mean() + 5
    far = dpq.simulate(dpq.Column.from_values(INCOMES, dpq.FindBounds(largest=1000), seed=0), plan, trials=4, seed=3)
    assert far.rank_errors["column"][:, -1].min() > 800, "what lies beyond the bound counts as an error of its quantile"


def test_a_release_from_a_ledger_is_charged_once_and_stored(tmp_path):
    account = opened(tmp_path, dpq.ApproxDP(2.0, 1e-6))
    plan = dpq.Plan(QUARTILES, "aq", dpq.PureDP(1.0))
    first = charged_release(raw(), plan, account, release_id="a")
    assert charged_release(raw(), plan, account, release_id="a") == first
    assert account.refusal(replace(first.guarantee, epsilon=1.0)) is None
    slices = dpq.Plan(["0.5", "0.51"], "slice", dpq.ApproxDP(0.5, 3e-7))
    with pytest.raises(dpq.Infeasible) as refused:
        charged_release(raw(INCOMES[:60]), slices, account)
    assert refused.value.charged == pytest.approx(0.05 + 0.18), "the bounds had been found"
    account.ledger.engine.dispose()
