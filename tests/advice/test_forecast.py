"""The forecast for groups: what it expects is what simulated groups show, and what it proposes does."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpq_core import (
    ZCDP,
    Adjacency,
    ApproxDP,
    Domain,
    Groups,
    ParameterError,
    People,
    Plan,
    PureDP,
    forecast_groups,
    simulate,
)
from dpq_core.advice.columns import PublicColumns, forecast_columns
from dpq_core.advice.forecast import chances_of_far, error_of, expected_error
from dpq_core.advice.groups import LARGEST_ERROR, ROUND_BUDGETS, least_group_size, least_size_for_all
from dpq_core.errors import Infeasible
from dpq_core.mechanisms.registry import MECHANISMS

DOMAIN = Domain(0, 1000)
PLAN = Plan(["1/4", "1/2", "3/4"], "aq", PureDP(1.0))
NAMES = ("north", "south", "west")


def columns(names: str) -> PublicColumns:
    return PublicColumns(domains=dict.fromkeys(names, DOMAIN))


def measured(plan: Plan, size: int, **how: Any) -> float:
    """Return the mean rank error in groups of so many records, as a fraction of these: an even spread, half as wide."""
    values = np.random.default_rng(3).uniform(200, 700, 60 * size)
    groups = Groups.from_values(values, np.repeat(np.arange(60), size), DOMAIN, names=range(60), seed=0, **how)
    return float(simulate(groups, plan, 8).rank_errors["column"].mean()) / size


@pytest.mark.parametrize(
    ("plan", "how"),
    [
        (PLAN, {}),
        (replace(PLAN, privacy=ZCDP(0.1), adjacency=Adjacency.SUBSTITUTE), {}),
        (replace(PLAN, privacy=PureDP(4.0), mechanism="indexp"), {"groups_per_person": 3}),
    ],
    ids=["joins", "replaced", "three groups each"],
)
def test_a_group_is_too_small_where_simulated_groups_of_its_size_are(plan, how):
    least = forecast_groups(plan, DOMAIN, NAMES, 50, **how).least_size
    for size, too_small in ((2 * least, False), (least // 2, True)):
        people = {"people": People.of(range(60 * size))} if "groups_per_person" in how else {}
        assert (measured(plan, size, **how, **people) > LARGEST_ERROR) == too_small


def test_every_group_has_the_error_of_its_own_guess():
    sizes = {"north": 64, "south": 512, "west": 4000}
    found = forecast_groups(PLAN, DOMAIN, NAMES, sizes)
    assert (found.names, found.sizes) == (NAMES, (64, 512, 4000))
    for fraction, size in zip(found.fractions, (64, 512), strict=False):
        assert 0.9 <= fraction / measured(PLAN, size) <= 1.6, "its shapes are harder than the even one"
    assert found.errors[2] == pytest.approx(found.errors[1], rel=0.5), "in records it hardly depends on the size"
    assert found.too_small == ()
    assert (found.budget, found.quantiles, found.pool) == (None, (), None)


@pytest.mark.parametrize("columns", [1, 2])
def test_with_more_than_sixty_groups_in_all_columns_a_draw_is_of_one_quantile(columns):
    """Its errors are not those of a draw of several, and forecasts and sizes that are large enough say so."""
    plan, size = replace(PLAN, quantiles=tuple(Fraction(at, 10) for at in range(1, 10))), 300
    few, many = (forecast_groups(plan, DOMAIN, range(at), size, in_all=at * columns) for at in (30, 61))
    assert many.errors[0] > 1.1 * few.errors[0]
    values = np.random.default_rng(3).uniform(200, 700, 61 * size)
    groups = Groups.from_values(values, np.repeat(np.arange(61), size), DOMAIN, names=range(61), seed=0)
    measured_in_many = float(simulate(groups, plan, 8).rank_errors["column"].mean())
    assert 0.9 <= many.errors[0] / measured_in_many <= 1.6, "its shapes are harder than the even one"
    sizes = [least_group_size(plan, DOMAIN, in_all=at) for at in (60, 61)]
    assert sizes[0] != sizes[1] == many.least_size


@pytest.mark.parametrize("adjacency", Adjacency)
def test_a_plan_that_the_largest_simulated_group_is_too_small_for_has_a_forecast(adjacency):
    """Slices with a tiny budget take a million records: smaller groups are too small, and errors are numbers."""
    plan = Plan(PLAN.quantiles, "slice", ApproxDP(0.01, 1e-6), adjacency)
    found = forecast_groups(plan, DOMAIN, ("north", "south"), {"north": 10**6, "south": 50})
    assert found.errors[0] < 10**6 * LARGEST_ERROR
    assert found.errors[1] == 50
    assert (found.too_small, found.least_size) == (("south",), 163_840)


def test_a_forecast_is_of_the_plan_with_its_options():
    """The fault that was there: it left them out, so that four bins erred as little as the usual number."""
    binned = replace(PLAN, mechanism="binhist", options={"bins": 4})
    sketched = replace(PLAN, mechanism="gkexp", options={"n_max": 1000})
    assert error_of(sketched, DOMAIN, 1000) < 10 < 100 < error_of(binned, DOMAIN, 1000)
    assert max(chances_of_far(sketched, DOMAIN, 1000) or (1,)) < 0.5 < min(chances_of_far(binned, DOMAIN, 1000) or (0,))
    assert forecast_groups(binned, DOMAIN, ("north",), 1024).errors[0] > 100


def test_what_is_proposed_does_and_less_does_not():
    size = 18
    found = forecast_groups(PLAN, DOMAIN, NAMES, size)
    assert found.too_small == NAMES
    assert isinstance(found.budget, PureDP)
    assert found.pool is not None
    enough = found.budget.epsilon
    assert enough in ROUND_BUDGETS
    assert measured(replace(PLAN, privacy=PureDP(enough)), size) < 1.2 * LARGEST_ERROR
    assert measured(PLAN, size) > LARGEST_ERROR
    assert [str(level) for level in found.quantiles] == ["1/2"]
    assert measured(replace(PLAN, quantiles=found.quantiles), size) < 1.2 * LARGEST_ERROR
    assert measured(Plan(["1/4", "3/4"], "aq", PureDP(1.0)), size) > LARGEST_ERROR
    assert (found.pool - 1) * size < found.least_size <= found.pool * size


@pytest.mark.parametrize(
    ("about", "name"), [({"north": 5}, "about"), (0, "about"), (float("nan"), "about"), (True, "about")]
)
def test_a_guess_is_a_whole_number_for_every_group(about, name):
    with pytest.raises(ParameterError) as error:
        forecast_groups(PLAN, DOMAIN, NAMES, about)
    assert error.value.name == name


def test_a_plan_that_is_not_available_says_so():
    with pytest.raises(ParameterError, match="slice"):
        forecast_groups(replace(PLAN, mechanism="slice", privacy=PureDP(1.0)), DOMAIN, NAMES, 50)
    with pytest.raises(ParameterError, match="normal"):
        forecast_groups(replace(PLAN, mechanism="normal"), DOMAIN, NAMES, 50)


@pytest.mark.slow
def test_what_counts_of_a_person_decides_how_large_a_group_must_be():
    one = least_group_size(PLAN, DOMAIN)
    assert least_group_size(PLAN, DOMAIN, most_rows=3) == least_group_size(PLAN, DOMAIN, groups_per_person=3) > 2 * one
    assert least_group_size(PLAN, DOMAIN, share=True) == pytest.approx(one, rel=0.1), "simulated with other numbers"
    approximate = replace(PLAN, privacy=ApproxDP(1.0, 1e-6))
    assert least_group_size(approximate, DOMAIN, share=True) > 0.9 * least_group_size(approximate, DOMAIN)
    rows = forecast_columns(PLAN, columns("a"), 20, NAMES, most_rows=3)["a"]
    assert rows == forecast_groups(PLAN, DOMAIN, NAMES, 20, groups_per_person=3).remarks


def test_columns_are_forecast_at_their_parts_of_the_budget():
    half = replace(PLAN, privacy=PureDP(0.5))
    alone, both = forecast_columns(half, columns("a"), 200), forecast_columns(PLAN, columns("ab"), 200)
    assert alone["a"] == both["a"] == both["b"]
    error = expected_error(half, DOMAIN, 200)
    assert error is not None
    assert alone["a"] == (
        f"Answers are off by about {error:.2g} of 200 records on average, which is {error / 2:.2g} %.",
    )
    alone, both = (forecast_columns(plan, columns(names), 20, NAMES) for names, plan in (("a", half), ("ab", PLAN)))
    assert alone["a"] == both["a"] == both["b"] == forecast_groups(half, DOMAIN, NAMES, 20).remarks
    with pytest.raises(ParameterError, match="`about`"):
        forecast_columns(PLAN, columns("a"), 0)


@pytest.mark.slow
def test_a_mechanism_that_needs_many_records_is_simulated_for_the_very_size_that_was_guessed() -> None:
    """The fault that was there: 1,900 records are enough, and the sizes that are simulated begin with 1,024 below."""
    plan = Plan([f"{tenth}/10" for tenth in range(1, 10)], "slice", ApproxDP(1.0, 1e-6))
    found = forecast_groups(plan, DOMAIN, ("a", "b"), {"a": 1900, "b": 100})
    assert found.fractions[0] < 0.01
    assert 1024 < found.least_size < 1900
    assert found.least_size == pytest.approx(least_size_for_all(plan, DOMAIN), rel=0.1)
    assert found.too_small == ("b",)
    with pytest.raises(Infeasible, match="for about "):
        forecast_groups(plan, DOMAIN, ("a",), 1100)


def test_slices_need_the_same_number_in_every_group_and_other_mechanisms_none() -> None:
    plan = Plan(["1/4", "1/2", "3/4"], "slice", PureDP(1.0))
    least = least_size_for_all(plan, DOMAIN)
    refused = MECHANISMS["slice"].PROFILE.refused_on
    assert refused(plan, DOMAIN.cells, least - 1) is not None
    assert refused(plan, DOMAIN.cells, least) is None
    assert least_size_for_all(replace(plan, privacy=PureDP(2.0)), DOMAIN) < least
    assert least_size_for_all(plan, DOMAIN, groups_per_person=2) > least, "each of two groups gets half of the budget"
    assert least_size_for_all(replace(plan, mechanism="aq"), DOMAIN) == 1
    assert least_size_for_all(replace(plan, adjacency=Adjacency.SUBSTITUTE), DOMAIN) == 1, "refused before any draw"
