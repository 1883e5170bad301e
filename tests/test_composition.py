"""Every claim of `privacy.composition`, enumerated on mechanisms that reach it, and sums that never pass a budget."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from math import erfc, exp, inf, log, prod, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import ZCDP, Adjacency, ApproxDP, Infeasible, ParameterError, PureDP
from dpq_core.privacy import composition
from dpq_core.privacy.budgets import SMALLEST_BUDGET, Privacy
from dpq_core.privacy.composition import PrivacyUnit, budget_of_step, in_sequence, unit_of_groups, ways_to_divide
from dpq_core.privacy.conversions import largest_rho, pure_to_rho
from tests.harness import Guarantee, exp_floor

JOINS, REPLACED = Adjacency
Law = dict[object, float]
"""The chance of every output."""
BUDGETS = st.one_of(
    st.floats(1e-3, 20).map(PureDP),
    st.floats(1e-3, 20).map(ZCDP),
    st.builds(ApproxDP, st.floats(1e-3, 20), st.sampled_from([1e-9, 1e-6, 1e-3])),
)
ROUNDING = 1 + 1e-9


def response(epsilon: float, bit: int, delta: float = 0.0) -> Law:
    """A bit, told truly with odds of e^epsilon; with a chance of delta it is told as a fact. It reaches both."""
    told = exp(epsilon) / (1 + exp(epsilon))
    law: Law = {one: (1 - delta) * (told if one == bit else 1 - told) for one in (0, 1)}
    return law | {f"surely {bit}": delta} if delta else law


def together(laws: Iterable[Law]) -> Law:
    """The law of independent outputs."""
    picks = (zip(*pick, strict=True) for pick in product(*(law.items() for law in laws)))
    return {out: prod(chances) for out, chances in picks}


def epsilon_between(one: Law, other: Law) -> float:
    """The largest log ratio, in either direction."""
    return max(abs(log(one[out] / other[out])) for out in one)


def delta_between(one: Law, other: Law, epsilon: float) -> float:
    """What is beyond a factor of e^epsilon, in the worse direction."""
    outs = {**one, **other}
    pairs = [(one.get(out, 0.0), other.get(out, 0.0)) for out in outs]
    return max(sum(max(pair[way] - exp(epsilon) * pair[1 - way], 0.0) for pair in pairs) for way in (0, 1))


def rho_between(one: Law, other: Law) -> float:
    """The largest Renyi divergence of an order, divided by the order, in either direction; over orders up to 11."""
    logs = np.log([[one[out] for out in one], [other[out] for out in one]])
    orders = np.array([[1 + 10 ** (k / 10)] for k in range(-30, 11)])
    return max(
        float(np.max(np.log(np.exp(orders * p + (1 - orders) * q).sum(axis=1)) / (orders[:, 0] - 1) / orders[:, 0]))
        for p, q in (logs, logs[::-1])
    )


def whole_line(scale: float, shift: int, *, gaussian: bool) -> Law:
    """A discrete Laplace or Gaussian around `shift`, to where it has hardly any weight left."""
    far = range(-int(20 * scale), int(20 * scale) + shift + 1)
    weights = {k: exp(-((k - shift) ** 2) / (2 * scale**2) if gaussian else -abs(k - shift) / scale) for k in far}
    total = sum(weights.values())
    return {k: weight / total for k, weight in weights.items()}


# ── in sequence ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("epsilons", [(0.5, 0.5), (0.1, 1.0, 0.3), (2.0, 0.01)])
def test_losses_in_sequence_add_up_and_the_sum_is_reached(epsilons: Sequence[float]) -> None:
    parts = [Guarantee(epsilon=each, delta=0.0, rho=None, adjacency=JOINS) for each in epsilons]
    whole = in_sequence(PureDP(5.0), parts)
    laws = [together(response(each, bit) for each in epsilons) for bit in (0, 1)]
    assert whole.epsilon == pytest.approx(epsilon_between(*laws), rel=1e-12)
    assert whole.rho is not None
    assert rho_between(*laws) <= whole.rho
    assert whole.delta == 0


def test_deltas_in_sequence_add_up_and_the_sum_is_nearly_reached() -> None:
    spent = [(0.5, 1e-3), (0.25, 2e-3)]
    parts = [Guarantee(epsilon=epsilon, delta=delta, rho=None, adjacency=JOINS) for epsilon, delta in spent]
    whole = in_sequence(ApproxDP(1.0, 0.01), parts)
    assert (whole.epsilon, whole.rho) == (0.75, None)
    one, other = (together(response(e, bit, d) for e, d in spent) for bit in (0, 1))
    reached = delta_between(one, other, whole.epsilon)
    assert 0.99 * whole.delta < reached <= whole.delta * ROUNDING


def test_a_part_may_be_chosen_by_what_was_found_before() -> None:
    """The second answer is about the bit where the first was 1, and about its opposite where it was 0."""
    laws: list[Law] = []
    for bit in (0, 1):
        both = {told: response(0.3, bit if told else 1 - bit) for told in (0, 1)}
        first = response(0.4, bit)
        laws.append({(told, again): first[told] * both[told][again] for told in (0, 1) for again in (0, 1)})
    parts = [Guarantee(epsilon=each, delta=0.0, rho=pure_to_rho(each), adjacency=JOINS) for each in (0.4, 0.3)]
    whole = in_sequence(PureDP(1.0), parts)
    assert epsilon_between(*laws) == pytest.approx(whole.epsilon, rel=1e-12)
    assert composition.after_first(PureDP(1.0), Fraction(0.4), parts[1]) == whole


def test_concentrated_parts_add_up_in_rho() -> None:
    scales = (3.0, 5.0)
    parts = [Guarantee(epsilon=inf, delta=0.0, rho=1 / (2 * scale**2), adjacency=JOINS) for scale in scales]
    whole = in_sequence(ZCDP(1.0), parts)
    laws = [together(whole_line(scale, shift, gaussian=True) for scale in scales) for shift in (0, 1)]
    assert whole.rho is not None
    assert 0.999 * whole.rho < rho_between(*laws) <= whole.rho * ROUNDING


@pytest.mark.slow
@given(BUDGETS, st.lists(st.fractions(Fraction(1, 50), 20), min_size=1, max_size=6))
def test_parts_by_weights_add_up_to_no_more_than_the_whole(whole: Privacy, weights: list[Fraction]) -> None:
    for parts in composition.parts_by_weights(whole, weights):
        given_out = [Guarantee.of(part, JOINS) for part in parts]
        assert in_sequence(whole, given_out).covers(whole)
        for weight, part in zip(weights, parts, strict=True):
            share = weight / sum(weights)
            for name in vars(part).keys() & vars(whole).keys():
                value, exact = Fraction(vars(part)[name]), share * Fraction(vars(whole)[name])
                assert exact * (1 - Fraction(1, 10**15)) <= value <= exact


@given(BUDGETS, st.fractions(Fraction(1, 100), Fraction(9, 10)))
def test_a_first_step_and_the_rest_add_up_to_no_more_than_the_whole(whole: Privacy, share: Fraction) -> None:
    for first, rest in composition.first_and_rest(whole, share):
        both = composition.after_first(whole, first, Guarantee.of(rest, JOINS))
        assert both.covers(whole)
        if not isinstance(rest, ZCDP):
            assert both.epsilon == pytest.approx(whole.epsilon, rel=1e-12)  # type: ignore[union-attr]


PLACES = [
    PrivacyUnit(), PrivacyUnit("person", 3), PrivacyUnit("person", 1, 4), PrivacyUnit("person", 2, 3),
    PrivacyUnit("person", 2, 1, True),
]  # fmt: skip


@pytest.mark.slow
@given(BUDGETS, st.fractions(Fraction(1, 100), Fraction(9, 10)), st.sampled_from(PLACES))
def test_a_first_step_in_each_group_and_the_rest_add_up(whole: Privacy, share: Fraction, unit: PrivacyUnit) -> None:
    """One record changes each answer by a factor of at most e^rate: k of them in each of g groups are followed."""
    for rate, rest in composition.first_of_each(whole, share, unit):
        following = Guarantee.of(rest, JOINS)
        both = composition.after_first(whole, rate, following, unit)
        assert both.covers(whole)
        assert unit.is_one_record or not isinstance(rest, ApproxDP), "one way for all groups"
        each = unit.steps_per_group * float(rate)  # of all records of a person in one group
        if isinstance(rest, ZCDP):
            assert both.rho is not None
            assert both.rho >= (rest.rho + unit.max_groups_per_person * each**2 / 2) / ROUNDING
            if isinstance(whole, ZCDP):
                assert both.rho == pytest.approx(whole.rho, rel=1e-12)
        else:
            lost = epsilon_between(response(min(each, 30), 0), response(min(each, 30), 1)) * unit.max_groups_per_person
            assert both.epsilon >= (rest.epsilon + lost) / ROUNDING
            assert both.epsilon == pytest.approx(whole.epsilon, rel=1e-12)  # type: ignore[union-attr]


def test_too_little_for_a_part_is_refused_before_anything_is_calibrated() -> None:
    with pytest.raises(ParameterError, match="`weights` must leave each column a budget"):
        composition.parts_by_weights(PureDP(2 * SMALLEST_BUDGET), [Fraction(1), Fraction(3)])
    with pytest.raises(ParameterError, match="`share` must leave the quantiles a budget"):
        composition.first_and_rest(PureDP(SMALLEST_BUDGET), Fraction(1, 2))


# ── ways ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_one_way_is_taken_for_all_parts_because_two_ways_add_up_to_neither() -> None:
    """An (eps/2)-DP part beside Gaussian noise of rho/2, at eps = 1 and delta = 1e-6: 22.7 times the delta."""
    epsilon, delta = 1.0, 1e-6
    shift = sqrt(largest_rho(epsilon, delta))  # in standard deviations: rho/2 = shift^2 / 2

    def beyond(loss: float) -> float:
        return (erfc((loss / shift - shift / 2) / sqrt(2)) - exp(loss) * erfc((loss / shift + shift / 2) / sqrt(2))) / 2

    told = exp(epsilon / 2) / (1 + exp(epsilon / 2))
    cost = told * beyond(epsilon / 2) + (1 - told) * beyond(3 * epsilon / 2)
    assert cost / delta == pytest.approx(22.72, abs=0.01)
    assert beyond(epsilon) < delta, "the Gaussian part alone"


def test_the_ways_to_divide_a_budget_each_imply_it() -> None:
    assert ways_to_divide(PureDP(1.0)) == (PureDP(1.0),)
    assert ways_to_divide(ZCDP(0.5)) == (ZCDP(0.5),)
    whole = ApproxDP(1.0, 1e-6)
    assert ways_to_divide(whole) == (whole, PureDP(1.0), ZCDP(largest_rho(1.0, 1e-6)))
    assert ways_to_divide(ApproxDP(1e-7, 1e-6)) == (ApproxDP(1e-7, 1e-6), PureDP(1e-7)), "a rho that is no budget"


def test_of_all_ways_the_one_that_spends_most_is_taken_and_of_those_alike_the_first() -> None:
    def spent(made: tuple[str, float]) -> list[Guarantee]:
        half = made[1] / 2
        return [Guarantee(epsilon=inf, delta=0.0, rho=half, adjacency=JOINS)] * 2

    assert composition.least_noisy([("a", 0.1), ("b", 0.3), ("c", 0.3)], lambda way: way, spent) == ("b", 0.3)


def test_a_refused_way_leaves_the_others_and_where_all_are_refused_the_first_is_told() -> None:
    def make(way: int) -> Guarantee:
        if way in refused:
            raise Infeasible("mechanism", f"cannot do {way}.")
        return Guarantee(epsilon=way, delta=0.0, rho=None, adjacency=JOINS)

    refused: set[int] = {3}
    assert composition.least_noisy([1, 3, 2], make, lambda made: (made,)).epsilon == 2
    refused = {1, 2, 3}
    with pytest.raises(Infeasible, match="cannot do 1"):
        composition.least_noisy([1, 2, 3], make, lambda made: (made,))


# ── records of a person, and groups ──────────────────────────────────────────────────────────────────────────────────


UNITS = [
    *((PrivacyUnit("person", rows), 1, rows) for rows in (2, 3, 8)),
    *(
        (unit_of_groups(JOINS, groups, max_rows_per_person=rows), groups, rows)
        for groups in (1, 2)
        for rows in (1, 2, 3)
    ),
]


@pytest.mark.parametrize(("unit", "groups", "rows"), UNITS)
def test_losses_of_all_records_in_all_groups_are_the_whole(unit: PrivacyUnit, groups: int, rows: int) -> None:
    """Noise of one record, around numbers that move by all records of a person in each group."""
    (pure,), (by_rho,) = (unit.budgets_for_each(whole) for whole in (PureDP(0.9), ZCDP(0.1)))
    assert isinstance(pure, PureDP)
    assert isinstance(by_rho, ZCDP)
    laws = [whole_line(1 / pure.epsilon, shift, gaussian=False) for shift in (0, rows)]
    assert groups * epsilon_between(*laws) == pytest.approx(0.9, rel=1e-9)
    normal = [whole_line(sqrt(1 / (2 * by_rho.rho)), shift, gaussian=True) for shift in (0, rows)]
    assert 0.0999 < groups * rho_between(*normal) <= 0.1 * ROUNDING
    replaced = unit_of_groups(REPLACED, groups, max_rows_per_person=rows)
    assert (replaced.epsilon_divisor, replaced.rho_divisor) == (2 * unit.epsilon_divisor, 4 * unit.rho_divisor)


@pytest.mark.parametrize("steps", [2, 3, 5])
def test_a_delta_handed_down_would_cost_more_than_as_many_deltas(steps: int) -> None:
    """Chances that rise as fast as (eps/k, delta) lets them, k steps on: the formula of the docstring, exactly."""
    epsilon, delta = 1.0, 1e-3
    chances = [0.0]
    for _ in range(steps):
        chances.append(exp(epsilon / steps) * chances[-1] + delta)
    assert all(after <= exp(epsilon / steps) * before + delta * ROUNDING for before, after in pairwise(chances))
    assert chances[-1] == pytest.approx(delta * (exp(epsilon) - 1) / (exp(epsilon / steps) - 1))
    assert chances[-1] > steps * delta


@pytest.mark.parametrize("unit", [
    PrivacyUnit("person", 2), PrivacyUnit("person", 3), PrivacyUnit(steps_per_group=2, max_groups_per_person=2),
    PrivacyUnit(max_groups_per_person=3),
])  # fmt: skip
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0])
def test_a_mechanism_without_rho_has_a_delta_so_small_that_steps_add_up(unit: PrivacyUnit, epsilon: float) -> None:
    """Chances that rise as fast as a step lets them in each group, step after step; groups add up their deltas."""
    whole = ApproxDP(epsilon, 1e-3)
    (each,) = unit.budgets_for_each(whole, knows_rho=False)
    assert isinstance(each, ApproxDP)
    chance = 0.0
    for _ in range(unit.steps_per_group):
        chance = exp(each.epsilon) * chance + each.delta
    assert unit.max_groups_per_person * chance == pytest.approx(whole.delta, rel=1e-9)
    assert unit.epsilon_divisor * each.epsilon == pytest.approx(whole.epsilon, rel=1e-12)
    of_each = Guarantee(epsilon=each.epsilon, delta=each.delta, rho=None, adjacency=JOINS)
    found = unit.guarantee_of(whole, JOINS, of_each)
    assert (found.epsilon, found.delta) <= (whole.epsilon, whole.delta)
    assert found.delta == pytest.approx(whole.delta, rel=1e-9)
    assert found.epsilon == pytest.approx(whole.epsilon, rel=1e-9)
    more = unit.guarantee_of(ApproxDP(epsilon, 0.5), JOINS, replace(of_each, delta=2 * each.delta))
    assert more.delta == pytest.approx(2 * whole.delta, rel=1e-9)


@pytest.mark.parametrize("groups", [2, 3])
def test_a_delta_for_each_of_several_groups_costs_all_of_them_together(groups: int) -> None:
    """Each group tells by an event of chance delta/g who is there, and else by randomised response."""
    unit, whole = unit_of_groups(JOINS, groups), ApproxDP(0.9, 1e-3)
    (each,) = unit.budgets_for_each(whole, knows_rho=False)
    assert isinstance(each, ApproxDP)
    one, other = (together(response(each.epsilon, bit, each.delta) for _ in range(groups)) for bit in (0, 1))
    assert 0.99 * whole.delta < delta_between(one, other, whole.epsilon) <= whole.delta * ROUNDING
    one, other = (together(response(each.epsilon, bit, 2 * each.delta) for _ in range(groups)) for bit in (0, 1))
    assert delta_between(one, other, whole.epsilon) > 1.9 * whole.delta


def test_a_replaced_record_that_stays_in_its_group_costs_four_times_rho() -> None:
    """One record leaves and another one joins: a count of those below the median less those above moves by 2."""
    rho = 0.02
    laws = [whole_line(sqrt(1 / (2 * rho)), shift, gaussian=True) for shift in (0, 2)]
    unit = unit_of_groups(REPLACED, 1)
    assert unit.rho_divisor == 4
    assert 0.999 * unit.rho_divisor * rho < rho_between(*laws) <= unit.rho_divisor * rho * ROUNDING


@pytest.mark.parametrize("groups", [1, 2, 3])
def test_losses_of_the_groups_of_a_person_add_up(groups: int) -> None:
    unit = unit_of_groups(JOINS, groups)
    (each,) = unit.budgets_for_each(PureDP(0.9))
    assert isinstance(each, PureDP)
    laws = [together(response(each.epsilon, bit) for _ in range(groups)) for bit in (0, 1)]
    assert epsilon_between(*laws) == pytest.approx(0.9, rel=1e-12)
    assert unit_of_groups(REPLACED, groups).epsilon_divisor == 2 * groups


@pytest.mark.parametrize("spread", [[1], [3], [2, 1], [1, 1, 1]])
@pytest.mark.parametrize("adjacency", [JOINS, REPLACED])
def test_records_in_any_groups_cost_as_many_records_in_one(spread: list[int], adjacency: Adjacency) -> None:
    """Three records of a person at most, wherever they are; one who is replaced leaves some groups for others."""
    unit = unit_of_groups(adjacency, "any", max_rows_per_person=3)
    steps = 3 if adjacency is JOINS else 6
    assert (unit.epsilon_divisor, unit.rho_divisor) == (steps, steps**2), "whatever number of groups they are in"
    (each,) = unit.budgets_for_each(PureDP(0.9))
    (normal,) = unit.budgets_for_each(ZCDP(0.1))
    assert isinstance(each, PureDP)
    assert isinstance(normal, ZCDP)
    pure = rho = 0.0
    for records in spread:  # noise of one record in each group: its number moves by the records that are there
        moved = records * (steps // 3)
        pure += epsilon_between(*(whole_line(1 / each.epsilon, shift, gaussian=False) for shift in (0, moved)))
        rho += rho_between(*(whole_line(sqrt(1 / (2 * normal.rho)), shift, gaussian=True) for shift in (0, moved)))
    assert pure <= 0.9 * ROUNDING
    assert rho <= 0.1 * ROUNDING
    if sum(spread) == 3:
        assert pure == pytest.approx(0.9, rel=1e-9), "all of epsilon, for the records add up"
    if spread == [3]:
        assert rho > 0.0999


def test_where_one_of_several_parts_differs_the_worst_counts() -> None:
    parts = [
        Guarantee(epsilon=1.0, delta=1e-6, rho=0.4, adjacency=REPLACED),
        Guarantee(epsilon=2.0, delta=0.0, rho=0.3, adjacency=REPLACED),
    ]
    assert composition.worst_of(parts) == Guarantee(epsilon=2.0, delta=1e-6, rho=0.4, adjacency=REPLACED)
    unknown = Guarantee(epsilon=1.0, delta=0.0, rho=None, adjacency=REPLACED)
    assert composition.worst_of([*parts, unknown]).rho is None


# ── names of groups ──────────────────────────────────────────────────────────────────────────────────────────────────


def named(epsilon: Fraction, delta: Fraction, size: int) -> float:
    """The chance that a group of such a size is named: it rises as fast as it may from each size to the next."""
    chance = 0.0
    for _ in range(size):
        chance = min(exp(epsilon) * chance + float(delta), 1 - exp(-epsilon) * (1 - chance - float(delta)), 1.0)
    return chance


def names_of(epsilon: Fraction, delta: Fraction, sizes: Sequence[int]) -> Law:
    chances = [named(epsilon, delta, size) for size in sizes]
    return together({True: chance, False: 1 - chance} for chance in chances)


@pytest.mark.parametrize("units", [4, 64])
@pytest.mark.parametrize("parts", [[1.0], [0.5, 0.5], [0.25, 0.25, 0.5]])
@pytest.mark.parametrize("adjacency", [JOINS, REPLACED])
def test_names_by_parts_of_a_person_cost_what_was_given(units: int, parts: list[float], adjacency: Adjacency) -> None:
    """In however many groups the parts are, what they cost is the whole, and all of it where they are in one."""
    whole, one = (Fraction(1), Fraction(1, 10**4)), unit_of_groups(adjacency, 1)
    each = budget_of_step(*whole, composition.unit_of_names(one, units))
    joined = [int(part * units) for part in parts]
    if adjacency is REPLACED:  # the old parts leave some groups, and the new ones come to another
        before, after = names_of(*each, [*joined, 0]), names_of(*each, [*[0] * len(joined), units])
    else:
        before, after = names_of(*each, [0] * len(joined)), names_of(*each, joined)
    reached = delta_between(before, after, float(whole[0])) / float(whole[1])
    assert 0.3 < reached <= ROUNDING
    if len(parts) == 1 and adjacency is JOINS:
        assert reached > 0.99


@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize(("adjacency", "steps"), [(JOINS, 1), (REPLACED, 2)])
def test_names_of_all_groups_of_a_person_cost_what_was_given(groups: int, adjacency: Adjacency, steps: int) -> None:
    whole, unit = (Fraction(1), Fraction(1, 10**4)), unit_of_groups(adjacency, groups)
    each = budget_of_step(*whole, unit)
    before, after = names_of(*each, [0] * groups), names_of(*each, [steps] * groups)
    reached = delta_between(before, after, float(whole[0])) / float(whole[1])
    assert 0.99 < reached <= ROUNDING
    twice = budget_of_step(whole[0], 2 * whole[1], unit)
    assert delta_between(names_of(*twice, [0] * groups), names_of(*twice, [steps] * groups), 1.0) > 1.9e-4


def test_two_steps_in_a_group_are_rounded_towards_less() -> None:
    unit = unit_of_groups(REPLACED, 1)
    epsilon, delta = budget_of_step(Fraction(1), Fraction(1, 1000), unit)
    assert epsilon == Fraction(1, 2)
    power = Fraction(1 << 300, exp_floor(epsilon, 300) + 1)  # rounded down
    assert delta * (1 + power) <= Fraction(1, 1000) < delta * (1 + power) * (1 + Fraction(1, 10**60))


def test_names_and_answers_spend_the_whole_budget_and_no_more() -> None:
    whole = ApproxDP(1.0, 1e-6)
    names, rest = composition.names_and_answers(whole, Fraction(1, 4))
    assert names + Fraction(rest.epsilon) <= 1
    assert rest.delta == whole.delta / 2
    left, both = composition.after_names(whole, names, Guarantee.of(rest, JOINS))
    assert left == Fraction(whole.delta) - Fraction(rest.delta)
    assert both.covers(whole)
    left, both = composition.after_names(
        whole, names, Guarantee(epsilon=rest.epsilon, delta=0.0, rho=None, adjacency=JOINS)
    )
    assert left == Fraction(whole.delta)
