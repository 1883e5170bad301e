"""The rule for charges: exact sums, the strongest adaptive adversary by exact enumeration, and where it would fail."""

from decimal import Decimal
from functools import lru_cache
from math import exp, inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import ZCDP, Adjacency, ApproxDP, BudgetError, PureDP
from dpq_core.ledger.filters import INFINITE, Limits, ReleaseCost, exact, grant, limits_of, rounded_down, rounded_up
from dpq_core.privacy.budgets import Guarantee
from dpq_core.privacy.conversions import largest_rho, rho_to_epsilon

JOINS = Adjacency.ADD_REMOVE
BUDGETS = [PureDP(1.0), ApproxDP(1.0, 1e-6), ZCDP(0.1)]


def stated(epsilon=inf, delta=0.0, rho=None):
    return Guarantee(epsilon=epsilon, delta=delta, rho=rho, adjacency=JOINS)


def spend(budget, guarantees):
    """The sums after as many of the releases as are granted, and how many these were."""
    candidates, total = limits_of(budget), ReleaseCost()
    for done, guarantee in enumerate(guarantees):
        try:
            limits, cost = grant(candidates, total, guarantee)
        except BudgetError:
            return total, done
        candidates, total = (limits,), total + cost
    return total, len(guarantees)


@pytest.mark.parametrize("parts", [10, 30, 70, 1000])
def test_equal_parts_fill_a_budget_exactly(parts):
    total, done = spend(PureDP(parts / 10), [stated(0.1)] * (parts + 1))
    assert done == parts
    assert total.epsilon == Decimal(parts) / 10


def test_the_smallest_excess_is_refused():
    assert spend(PureDP(1.0), [stated(0.1)] * 9 + [stated(0.10000000000000002)])[1] == 9
    assert spend(PureDP(1.0), [stated(1.0), stated(1e-300)])[1] == 1


@given(st.decimals(min_value=0, max_value=10, places=25))
def test_what_is_left_is_shown_rounded_down_and_what_is_spent_rounded_up(amount):
    assert exact(rounded_down(amount)) <= amount <= exact(rounded_up(amount))
    assert exact(rounded_up(amount)) - exact(rounded_down(amount)) <= amount.scaleb(-13)


@given(
    st.sampled_from(BUDGETS),
    st.lists(
        st.builds(
            stated,
            st.one_of(st.floats(1e-9, 1), st.just(inf)),
            st.sampled_from([0.0, 1e-9, 3e-7, 1e-6]),
            st.one_of(st.none(), st.floats(1e-9, 0.05)),
        )
    ),
)
def test_what_was_granted_is_within_one_set_of_limits(budget, guarantees):
    candidates, total, refused = limits_of(budget), ReleaseCost(), []
    for guarantee in guarantees:
        try:
            limits, cost = grant(candidates, total, guarantee)
            candidates, total = (limits,), total + cost
        except BudgetError as error:
            refused.append(error)
    assert all(error.requested > error.remaining >= 0 for error in refused)
    assert any(limits.allow(total) for limits in candidates)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (0.3, 1e-9), (5.0, 0.01)])
def test_every_split_of_delta_stays_within_the_budget(epsilon, delta):
    for limits in limits_of(ApproxDP(epsilon, delta)):
        reserved = exact(delta) - limits.delta
        assert limits.epsilon == exact(epsilon)
        assert reserved >= 0
        assert limits.rho is None or rho_to_epsilon(float(limits.rho), float(reserved)) <= epsilon


@pytest.mark.parametrize("whole", [
    stated(1.0), stated(1.0, 1e-6), stated(1.0, 1e-6, rho=largest_rho(1.0, 1e-6)), stated(1.0, 1e-6, rho=0.5),
    stated(rho=largest_rho(1.0, 1e-6)),
], ids=["pure", "delta", "rho and delta", "delta, and a large rho", "rho only"])  # fmt: skip
def test_one_release_may_use_a_whole_budget(whole):
    assert spend(ApproxDP(1.0, 1e-6), [whole, stated(0.01)])[1] == 1


def test_many_small_releases_are_counted_by_rho_and_few_large_ones_plainly():
    assert spend(ApproxDP(1.0, 1e-6), [stated(0.5)] * 9)[1] == 2
    assert spend(ApproxDP(1.0, 1e-6), [stated(0.01)] * 999)[1] == 458 > 100


def test_budgets_of_one_kind_take_what_they_can_count():
    assert spend(PureDP(1.0), [stated(0.5, 1e-9)])[1] == 0
    assert spend(PureDP(1.0), [stated(rho=0.001)])[1] == 0
    assert spend(ZCDP(0.1), [stated(0.5, 1e-9)])[1] == 0
    assert spend(ZCDP(0.1), [stated(0.5, 1e-9, rho=0.05)] * 3)[1] == 2
    assert spend(ZCDP(0.1), [stated(0.2)] * 9)[1] == 5  # 0.2^2 / 2 each
    assert spend(ApproxDP(1.0, 1e-6), [stated(rho=0.02), stated(0.1, 1e-7), stated(0.5)])[1] == 1


def test_a_release_counted_by_rho_alone_closes_the_plain_sum():
    total, done = spend(ApproxDP(1.0, 1e-6), [stated(0.5, 9e-7, rho=0.004), stated(0.3)])
    assert (total.epsilon, total.delta, done) == (INFINITE, 0, 1)


# ── the theorem, against every adaptive choice ───────────────────────────────────────────────────────────────────────

SMALL, LARGE, LEAK = 0.1, 0.5, 0.02
COSTS = {
    "small": ReleaseCost(exact(SMALL), exact(0), exact(SMALL) ** 2 / 2),
    "large": ReleaseCost(exact(LARGE), exact(0), exact(LARGE) ** 2 / 2),
    "leak": ReleaseCost(exact(0), exact(LEAK), exact(0)),
    "refused": ReleaseCost(exact(SMALL), exact(0), exact(LARGE) ** 2 / 2),
}
"""Randomized response at two strengths, the worst pure release of each; one that tells all with chance LEAK; and one
that is charged as large and in half of all cases ends in a refusal which has lost only the small epsilon."""


def worst_case(limits, epsilon):
    """The largest P(O) - e^epsilon Q(O) of any interaction: every release is chosen by the answers before it."""

    @lru_cache(None)
    def beyond(done, tenths):
        """The largest expected (1 - e^(epsilon - loss))+ under P from here on; the loss so far is in tenths."""

        def after(name):
            return tuple(times + (name == other) for times, other in zip(done, COSTS, strict=True))

        def response(name, strength):
            likely, step = 1 / (1 + exp(-strength)), round(10 * strength)
            return likely * beyond(after(name), tenths + step) + (1 - likely) * beyond(after(name), tenths - step)

        reached = [0.0, 1 - exp(epsilon - tenths / 10)]
        if limits.allow(cost_of(after("small"))):
            reached.append(response("small", SMALL))
        if limits.allow(cost_of(after("large"))):
            large = response("large", LARGE)
            reached += [large, large / 2 + response("refused", SMALL) / 2]
        if limits.allow(cost_of(after("leak"))):
            reached.append(LEAK + (1 - LEAK) * beyond(after("leak"), tenths))
        return max(reached)

    return beyond((0, 0, 0, 0), 0)


@lru_cache(None)
def cost_of(done):
    total = ReleaseCost()
    for times, cost in zip(done, COSTS.values(), strict=True):
        total += cost.times(times)
    return total


@pytest.mark.parametrize("split", [0, 1, 2])
def test_no_adaptive_choice_exceeds_the_budget(split):
    limits = limits_of(ApproxDP(1.0, 4 * LEAK))[split]
    reached = worst_case(limits, 1.0)
    assert reached <= 4 * LEAK + 1e-12
    assert reached >= 1 - (1 - LEAK) ** int(limits.delta / exact(LEAK)) - 1e-12  # it leaks at least


def test_the_adversary_breaks_a_delta_that_is_used_twice():
    once = ApproxDP(1.0, 4 * LEAK)
    twice = Limits(exact(once.epsilon), exact(once.delta), exact(largest_rho(once.epsilon, once.delta)))
    assert worst_case(twice, 1.0) > 4 * LEAK + 1e-3


def test_no_adaptive_choice_exceeds_a_pure_budget():
    assert worst_case(limits_of(PureDP(1.0))[0], 1.0) <= 1e-12
