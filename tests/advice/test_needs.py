"""What a refused plan needs: all at once, as settings, and every way that is offered does what it says."""

import itertools

import numpy as np
import pytest

from dpq_core import MECHANISMS, ZCDP, Adjacency, ApproxDP, Column, Domain, Infeasible, Plan, PureDP, release, simulate
from dpq_core.advice.choice import needs, with_remedy
from dpq_core.calibrations import calibrate
from dpq_core.errors import Remedy
from dpq_core.privacy.budgets import Privacy

DECILES = [f"{k}/10" for k in range(1, 10)]
JOIN, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
AGES = Domain(0, 120, 1)
BUDGETS = (PureDP(1.0), ApproxDP(1.0, 1e-6), ZCDP(0.5))


def people(n: int) -> Column:
    return Column.from_values(np.random.default_rng(n).integers(17, 91, n), AGES, seed=0)


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("count", [400, 1000, 2000])
@pytest.mark.parametrize("adjacency", [JOIN, REPLACE])
@pytest.mark.parametrize("privacy", BUDGETS[:2])
def test_every_way_out_for_slices_leads_out(count: int, adjacency: Adjacency, privacy: PureDP | ApproxDP) -> None:
    """Not only on paper: runs on so many records, whose noisy number differs from one to the next, are answered."""
    plan, column = Plan(DECILES, "slice", privacy, adjacency), people(count)
    found = needs(plan, count, AGES.cells)
    if not found:
        simulate(column, plan, 2, seed=1)
        return
    (need,) = found
    assert need.remedies[-1] == Remedy("merge_close", True)
    for way in need.remedies:
        changed = with_remedy(plan, way)
        assert needs(changed, count, AGES.cells) == ()
        for seed in range(10):
            simulate(column, changed, 1, seed=seed)


@pytest.mark.parametrize("privacy", BUDGETS[:2])
def test_what_a_run_refuses_after_a_noisy_count_has_ways_that_do_for_the_next_one(privacy: PureDP | ApproxDP) -> None:
    """Seeded: a noisy number far from 700 needs nothing, or more than another run does, in one of 300 tests."""
    column, plan = people(700), Plan(DECILES, "slice", privacy)
    for run in range(5):
        with pytest.raises(Infeasible) as refused:
            simulate(column, plan, 1, seed=run)
        assert f"a noisy number of {refused.value.noisy_count:,} people" in str(refused.value)
        for way in refused.value.remedies:
            for seed in range(5):
                simulate(column, with_remedy(plan, way), 1, seed=seed)


def test_a_release_that_is_refused_after_a_noisy_count_is_charged() -> None:
    """Of 400 people, where room for deciles needs twice as many: the count is not off by that in 10^9 runs."""
    with pytest.raises(Infeasible) as refused:
        release(Column.from_values(np.random.default_rng(400).integers(17, 91, 400), AGES), Plan(DECILES, "slice"))
    assert refused.value.charged > 0


def test_the_private_number_of_records_is_asked_by_nothing() -> None:
    """Without a number that may be known a plan where one joins or leaves is refused by no count at all."""
    for key in MECHANISMS:
        known, unknown = (needs(Plan(DECILES, key), None, cells) for cells in (AGES.cells, None))
        assert [vars(need) for need in known] == [vars(need) for need in unknown]
    assert needs(Plan(DECILES, "slice"), None, AGES.cells) == ()


@pytest.mark.parametrize("key", list(MECHANISMS))
@pytest.mark.parametrize("adjacency", [JOIN, REPLACE])
@pytest.mark.parametrize("privacy", BUDGETS)
def test_after_the_best_way_out_the_plan_is_served(key: str, adjacency: Adjacency, privacy: Privacy) -> None:
    """Also with every option that some budget or adjacency does not go with."""
    count = 1000
    choices = [
        [(option.name, choice) for choice in option.choices] for option in MECHANISMS[key].OPTIONS if option.choices
    ]
    for chosen in itertools.product(*choices):
        plan = Plan(DECILES, key, privacy, adjacency, dict(chosen))
        found = needs(plan, count, AGES.cells)
        for need in found:
            assert need.remedies, str(need)
            plan = with_remedy(plan, need.remedies[0])
        assert needs(plan, count, AGES.cells) == ()
        calibrate(plan, count if plan.adjacency is REPLACE else None)


def test_a_wide_range_of_means_offers_a_delta_or_a_bound_that_do() -> None:
    options = {"sigma": 0.01, "mean_bound": 9000.0}
    for privacy in (PureDP(1.0), ApproxDP(1e-6, 0.4)):
        plan = Plan(DECILES, "normal", privacy, REPLACE, options)
        (need,) = needs(plan, 1000)
        assert {way.name for way in need.remedies} == {"delta", "mean_bound"}
        for way in need.remedies:
            assert needs(with_remedy(plan, way), 1000) == ()
