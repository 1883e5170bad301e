"""Exact losses of tables with two groups: somebody joins one, is in both, moves, or stays; naive budgets are caught."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, cast

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, Intervals, ParameterError, Plan, PureDP, calibrate
from dpq_core.audit.branching import enumerate_law
from dpq_core.audit.branching_fast import enumerate_fast_law
from dpq_core.audit.groups import GroupTable, compare_groups
from dpq_core.audit.losses import all_outputs
from dpq_core.calibrations import calibrate_grouped, mechanism_of
from dpq_core.groups import calibration, draw_once
from dpq_core.groups.bounding import NAMING_UNITS
from dpq_core.groups.draws import draw_groups
from dpq_core.groups.finding import NamingRule
from dpq_core.mechanisms import Lemma
from dpq_core.mechanisms.aq import mechanism as aq
from dpq_core.mechanisms.joint import LOSS_OF_ROUNDING
from dpq_core.people import UNIT, share_rows
from dpq_core.privacy import composition, unit_of_groups
from tests.audit.extremes import ROUNDING, exceeds
from tests.narrowing import only, present

JOINS, REPLACED = Adjacency
GRID, WIDE = Domain(0, 2, 1), Domain(0, 9, 1)
STAY = [[], [(2, "n", 1)], [(0, "n", 1), (2, "s", 2), (2, "s", 3)]]
"""The rows of those who stay: value, group, person."""
OWN = [[(0, "n", 9)], [(2, "s", 9)], [(0, "n", 9), (2, "s", 9)], [(2, "n", 9), (0, "n", 9), (0, "s", 9)]]
"""The rows of the one who changes: in one group, in the other, in both."""
BUDGETS = [PureDP(1.0), ApproxDP(1.0, 0.01), ZCDP(0.1)]


def losses(plan, stays=STAY, own=OWN, domain=GRID, alter=None, **how):
    befores = [[]] if plan.adjacency is JOINS else own
    for rows, before, after in product(stays, befores, own):
        a, b = (GroupTable([*rows, *each], domain, ("n", "s"), **how) for each in (before, after))
        loss, claimed = compare_groups(plan, a, b, alter=alter)
        assert claimed.covers(plan.privacy)
        yield exceeds(plan, loss)


@pytest.mark.covering(2)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS, ids=["pure", "approximate", "concentrated"])
@pytest.mark.parametrize(
    ("mechanism", "most", "take"), [("aq", 1, "random"), ("aq", 2, "first"), ("freetotal", 2, "max")]
)
def test_a_person_in_any_groups_holds_the_whole_budget(mechanism, most, take, privacy, adjacency):
    plan = Plan(["1/3", "2/3"], mechanism, privacy, adjacency)
    assert max(losses(plan, groups_per_person=most, take=take)) <= ROUNDING


SEVERAL = [
    [(0, "n", 9), (0, "n", 9), (2, "n", 9)],
    [(2, "s", 9), (2, "s", 9), (0, "n", 9)],
    [(0, "n", 9), (0, "n", 9), (2, "s", 9), (2, "s", 9)],
]
"""The rows of the one who changes, where several of a group may count."""


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS, ids=["pure", "approximate", "concentrated"])
@pytest.mark.parametrize("most", [1, 2])
def test_a_person_with_several_records_in_each_group_holds_the_whole_budget(most, privacy, adjacency):
    plan = Plan(["1/2"], "aq", privacy, adjacency)
    rule = {"own": SEVERAL, "groups_per_person": most, "take": None, "most_rows": 2}
    assert max(losses(plan, **rule)) <= ROUNDING


def test_several_records_in_each_group_use_the_budget_up():
    """Two records in each of two groups, all below every other record: that is what the budget was divided for."""
    others = [[(9, group, person) for person, group in enumerate("nnnnssss")]]
    rule = {"own": [[(0, group, 99) for group in "nnss"]], "domain": WIDE, "groups_per_person": 2}
    assert -0.2 < max(losses(Plan(["1/2"], "aq", PureDP(1.0)), others, take=None, most_rows=2, **rule)) <= ROUNDING


def test_one_record_too_many_in_a_group_breaks_the_budget(monkeypatch):
    """The enumeration notices where records are taken for one."""
    monkeypatch.setattr(calibration, "unit_of_groups", lambda *given, most_rows, **how: unit_of_groups(*given, **how))
    rule = {"own": [[(0, "n", 99)] * 2], "domain": WIDE, "take": None, "most_rows": 2}
    assert max(losses(Plan(["1/2"], "aq", PureDP(1.0)), [FAR], **rule)) > 0.5


ANYWHERE: dict[str, Any] = {"groups_per_person": "any", "take": None, "most_rows": 2}
"""Two rows of a person count, wherever they are."""


@pytest.mark.covering(1)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS, ids=["pure", "approximate", "concentrated"])
@pytest.mark.parametrize(("mechanism", "levels"), [("aq", ["1/3", "2/3"]), ("freetotal", ["1/3"]), ("indexp", ["1/2"])])
def test_a_person_with_records_in_any_groups_holds_the_whole_budget(mechanism, levels, privacy, adjacency):
    """Every set of two of this person's rows may be kept: both in one group, or one in each."""
    plan = Plan(levels, mechanism, privacy, adjacency)
    assert max(losses(plan, own=SEVERAL, **ANYWHERE)) <= ROUNDING


def test_names_are_found_by_persons_who_are_in_as_many_groups_as_they_have_records():
    """Two names that one person alone could bring about, and both answers, cost the budget and nothing more."""
    for adjacency in Adjacency:
        plan = Plan(["1/2"], "aq", ApproxDP(1.0, 0.01), adjacency)
        assert max(losses(plan, own=[*OWN, *SEVERAL], finding=0.5, **ANYWHERE)) <= ROUNDING


def test_names_by_persons_in_one_group_break_the_budget_of_those_in_any(monkeypatch):
    """A new person brings two names about, each with all of delta."""
    plan, own = Plan(["1/2"], "aq", ApproxDP(1.0, 1e-6)), [[(0, "n", 9), (0, "s", 9)]]
    assert -1e-8 < max(losses(plan, [[]], own, finding=0.9, **ANYWHERE)) <= 0
    monkeypatch.setattr("dpq_core.groups.table.Groups.most_groups", 1)
    assert max(losses(plan, [[]], own, finding=0.9, **ANYWHERE)) > 0.9e-6


@pytest.mark.parametrize("groups", ["nn", "ns"])
def test_two_records_in_any_groups_use_the_budget_up_and_half_the_noise_is_caught(groups):
    """In one group or in two: each record costs half of epsilon."""
    own, plan = [[(0, group, 99) for group in groups]], Plan(["1/2"], "indexp", PureDP(1.0))
    assert -0.01 < max(losses(plan, [FAR], own, WIDE, **ANYWHERE)) <= ROUNDING
    assert max(losses(plan, [FAR], own, WIDE, twice, **ANYWHERE)) > 0.9


@pytest.mark.parametrize("adjacency", Adjacency)
def test_names_are_found_by_persons_whatever_records_they_have(adjacency):
    plan = Plan(["1/2"], "aq", ApproxDP(1.0, 0.01), adjacency)
    rule: dict[str, Any] = {"groups_per_person": 2, "take": None, "most_rows": 2, "finding": 0.5}
    table = GroupTable([*SEVERAL[0], (1, "s", 1)], GRID, ("n", "s"), **rule)
    assert table.groups().people_in.tolist() == [1, 1]
    assert max(losses(plan, own=SEVERAL, **rule)) <= ROUNDING


IN_PARTS = [
    [(0, "n", 9), (2, "s", 9)],
    [(2, "n", 9)],
    [(2, "s", 9), (0, "s", 9), (1, "n", 9), (2, "n", 9), (2, "n", 9)],
]
"""The rows of the one who changes, whose mass is spread over both groups or lies in one."""
SHARES = [
    ("aq", {}, ["1/3", "2/3"]),
    ("aq", {"draws": "several"}, ["1/3", "2/3"]),
    ("indexp", {}, ["1/3", "2/3"]),
    ("jointexp", {}, ["1/3", "2/3"]),
    ("freetotal", {}, ["1/3", "2/3"]),
]
COUNTS = [("aggtree", {"branching": 2, "height": 2}), ("binhist", {"bins": 2})]


@pytest.mark.covering(1)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS, ids=["pure", "approximate", "concentrated"])
@pytest.mark.parametrize(("mechanism", "options", "levels"), SHARES)
def test_a_person_whose_mass_is_spread_over_groups_holds_the_whole_budget(
    mechanism, options, levels, privacy, adjacency
):
    plan = Plan(levels, mechanism, privacy, adjacency, options)
    assert max(losses(plan, own=IN_PARTS, take="share")) <= ROUNDING


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS, ids=["pure", "approximate", "concentrated"])
@pytest.mark.parametrize(("mechanism", "options"), COUNTS)
def test_noisy_counts_of_a_person_whose_mass_is_spread_hold_the_whole_budget(mechanism, options, privacy, adjacency):
    """By the lemma of each group's counts: losses of independent noise add up over the groups."""
    plan = Plan(["1/2"], mechanism, privacy, adjacency, options)
    pairs = [(STAY[2], [*STAY[2], *own]) for own in IN_PARTS]
    if adjacency is REPLACED:
        pairs = [([*STAY[2], *one], [*STAY[2], *other]) for one, other in product(IN_PARTS, IN_PARTS)]
    for tables in pairs:
        one, other = (GroupTable(rows, GRID, ("n", "s"), take="share").groups() for rows in tables)
        found = calibrate_grouped(one, plan)
        parameters, claim, audit = present(found.shared), found.guarantee, mechanism_of(plan).AUDIT
        assert isinstance(audit, Lemma)
        both: list[list[Any]] = [[each.column(at).records for each in (one, other)] for at in range(2)]
        lost = [audit.loss(before, after, parameters, GRID.cells) for before, after in both]
        assert claim.covers(privacy)
        if isinstance(privacy, ZCDP):
            assert sum(present(each.rho) for each in lost) <= present(claim.rho) * (1 + ROUNDING)
        else:
            assert claim.delta > 0 or sum(each.epsilon for each in lost) <= claim.epsilon * (1 + ROUNDING)
            assert claim.rho is None or sum(present(each.rho) for each in lost) <= claim.rho * (1 + ROUNDING)


@pytest.mark.parametrize("own", [[(0, "n", 99)], [(0, "n", 99), (0, "s", 99)], [(0, "n", 99)] * 3 + [(0, "s", 99)]])
def test_every_group_has_nearly_the_whole_budget_where_mass_is_spread(own):
    """Half in each of two groups loses as much together as all in one: nothing is divided by the number of groups."""
    plan = Plan(["1/2"], "aq", PureDP(1.0))
    assert -0.3 < max(losses(plan, [FAR], [own], domain=WIDE, take="share")) <= ROUNDING


def twice(calibrated):
    return replace(calibrated, shared=calibrated.shared.with_rates_times(Fraction(2)))


def test_whole_budgets_break_where_a_person_moves_with_all_rows():
    plan, own = Plan(["1/2"], "aq", PureDP(1.0), REPLACED), [[(0, "n", 99)], [(9, "s", 99)]]
    assert max(losses(plan, [FAR_AND_ONE], own, domain=WIDE, take="share")) <= ROUNDING
    assert max(losses(plan, [FAR_AND_ONE], own, domain=WIDE, take="share", alter=twice)) > 0.4


def test_weights_that_are_given_group_by_group_break_the_budget(monkeypatch):
    """As if a person weighed 1 in each group."""
    plan, own = Plan(["1/2"], "aq", PureDP(1.0)), [[(0, "n", 99), (0, "s", 99)]]

    def naive(codes, count, unit=UNIT, ordered=None):
        rows, _ = share_rows(codes, count, unit, ordered)
        return rows, np.full(rows.size, UNIT, np.int32)

    monkeypatch.setattr("dpq_core.groups.bounding.share_rows", naive)
    assert max(losses(plan, [FAR], own, domain=WIDE, take="share")) > 0.5


def test_what_rounding_adds_is_counted_once_for_each_draw_of_each_group():
    assert composition.LOSS_OF_ROUNDING >= LOSS_OF_ROUNDING
    groups = GroupTable([], GRID, ("n", "s"), take="share").groups()
    for plan in (Plan(["1/3", "1/2", "2/3"], "jointexp", PureDP(1.0)), Plan(["1/3"], "jointexp", ZCDP(0.5), REPLACED)):
        found = calibrate_grouped(groups, plan)
        each, unit = present(found.shared).guarantee, found.unit
        assert unit.shared_draws == 2 * len(plan.quantiles)
        added = unit.shared_draws * composition.LOSS_OF_ROUNDING
        if isinstance(plan.privacy, PureDP):
            assert Fraction(each.epsilon) + added <= 1 < Fraction(each.epsilon) + 2 * added
        else:
            assert 4 * (Fraction(present(each.rho)) + added) < Fraction(1, 2) < 4 * (present(each.rho) + 3 * added)
        assert found.guarantee.covers(plan.privacy)


STAYING = [0] * 2 + [5] * 16 + [9] * 2
FAR = [(value, group, 20 * side + at) for side, group in enumerate("ns") for at, value in enumerate(STAYING)]
"""In either group most are equal, so that one value has nearly all chance: what changes its score changes all."""
FAR_AND_ONE = [*FAR, (9, "n", 98)]
"""Of them and a person at 0 in the first group, as many lie above the middle as below it."""


@pytest.mark.parametrize(
    ("adjacency", "most", "own"),
    [
        (JOINS, 1, [[(0, "n", 99)]]),
        (JOINS, 2, [[(0, "n", 99), (0, "s", 99)]]),
        (REPLACED, 1, [[(0, "n", 99)], [(8, "s", 99)]]),
    ],
    ids=["joins one group", "joins both", "moves"],
)
def test_the_budget_is_used(adjacency, most, own):
    plan = Plan(["1/2"], "aq", PureDP(1.0), adjacency)
    stays = FAR_AND_ONE if adjacency is REPLACED else FAR
    assert -0.01 < max(losses(plan, [stays], own, WIDE, groups_per_person=most)) <= ROUNDING


def naive(privacy, adjacency=JOINS):
    parameters = calibrate(Plan(["1/2"], "indexp", privacy, adjacency))
    return lambda calibrated: replace(calibrated, shared=parameters)


def test_a_whole_budget_for_each_of_two_groups_is_caught():
    own, plan = [[(0, "n", 99), (0, "s", 99)]], Plan(["1/2"], "indexp", PureDP(1.0))
    assert max(losses(plan, [FAR], own, WIDE, naive(PureDP(1.0)), groups_per_person=2)) > 0.5
    assert max(losses(plan, [FAR], own, WIDE, groups_per_person=2)) <= ROUNDING


def test_a_whole_budget_where_one_is_replaced_is_caught():
    """A record that moves to the other group has left one and joined the other."""
    own, plan = [[(0, "n", 99)], [(8, "s", 99)]], Plan(["1/2"], "indexp", PureDP(1.0), REPLACED)
    assert max(losses(plan, [FAR_AND_ONE], own, WIDE, naive(PureDP(1.0)))) > 0.5
    assert max(losses(plan, [FAR_AND_ONE], own, WIDE)) <= ROUNDING


def test_half_of_rho_where_one_is_replaced_is_caught():
    """Enough for who moves; who stays in a group and changes there costs four times, not twice."""
    stays, own = [[(5, "n", 1)]], [[(0, "n", 99)], [(9, "n", 99)]]
    plan = Plan(["1/2"], "indexp", ZCDP(0.5), REPLACED)
    assert max(losses(plan, stays, own, WIDE, naive(ZCDP(0.25)))) > 0.1
    assert -0.1 < max(losses(plan, stays, own, WIDE)) <= ROUNDING


# ── found groups ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("epsilon", "delta"), [("1/10", "1/100"), ("1", "1/1000000"), ("3", "1/5"), ("1/1000", "1/7")])
def test_the_chance_to_be_named_is_the_optimal_one(epsilon, delta):
    """Both inequalities hold without tolerance, and one of them is used up at every step until the chance is 1."""
    rule = NamingRule(Fraction(epsilon), Fraction(delta))
    chances = [Fraction(chance, 1 << rule.bits) for chance in rule.chances(10**6)]
    growth, d = rule.growth, Fraction(delta)
    assert float(np.exp(float(Fraction(epsilon)))) - float(growth) + 1e-15 >= 0
    assert not chances[0]
    assert chances[-1] == 1
    for before, after in pairwise(chances):
        left = growth * before + d - after, growth * (1 - after) + d - (1 - before)
        assert before <= after
        assert min(left) >= 0
        assert min(left) < Fraction(1, 2**120) or after == 1


def test_a_smaller_growth_would_be_refuted():
    """The exact exponential lies between the growth that is used and a little more."""
    rule = NamingRule(Fraction(1), Fraction(1, 100))
    terms, factorial, e = [], 1, Fraction(0)
    for k in range(60):
        factorial *= max(k, 1)
        terms.append(Fraction(1, factorial))
    e = sum(terms, Fraction(0))  # below e by less than 2 / 60!
    assert e - Fraction(1, 2**200) < rule.growth < e + Fraction(2, factorial)


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("most", [1, 2])
def test_names_and_answers_together_hold_the_budget(adjacency, most):
    stays = [[], [(2, "n", 1), (2, "n", 2), (0, "s", 3)]]
    plan = Plan(["1/2"], "aq", ApproxDP(1.0, 0.05), adjacency)
    found = list(losses(plan, stays, groups_per_person=most, finding=0.4))
    assert max(found) <= ROUNDING


def test_the_delta_of_names_is_reached():
    """Whoever comes alone has the group named with the chance delta, and no more."""
    plan = Plan(["1/2"], "aq", ApproxDP(1.0, 0.001))
    (found,) = losses(plan, [[]], [[(0, "n", 9)]], finding=0.4)
    assert -1e-9 < found <= ROUNDING


def test_a_rule_with_twice_the_delta_is_caught():
    def double(calibrated):
        rule = calibrated.naming
        return replace(calibrated, naming=NamingRule(Fraction(2, 5), 2 * rule.delta))

    plan = Plan(["1/2"], "aq", ApproxDP(1.0, 0.001))
    assert max(losses(plan, [[]], [[(0, "n", 9)]], alter=double, finding=0.4)) > 0.0009


@pytest.mark.parametrize("adjacency", Adjacency)
def test_names_by_shares_and_answers_by_shares_hold_the_budget(adjacency):
    """A person's parts of 1/64 are counted in whichever groups they are; those who stay make names uncertain."""
    stays = [[], [(2, "n", 1), (0, "s", 1), (2, "n", 2)]]
    plan = Plan(["1/2"], "aq", ApproxDP(1.0, 0.05), adjacency)
    assert max(losses(plan, stays, IN_PARTS, take="share", finding=0.4)) <= ROUNDING


@pytest.mark.parametrize("own", [[(0, "n", 9)], [(0, "n", 9), (2, "s", 9)], [(0, "n", 9)] * 3 + [(2, "s", 9)]])
def test_the_delta_of_names_by_shares_is_used_up(own):
    """By all parts of a person together, in one group or in two: one delta for each group would be reached twice."""
    plan = Plan(["1/2"], "aq", ApproxDP(1.0, 0.001))
    (found,) = losses(plan, [[]], [own], take="share", finding=0.4)
    assert -1.1e-4 < found <= ROUNDING


def test_parts_of_persons_that_pay_as_whole_ones_are_caught():
    def whole(calibrated):
        rule, steps = calibrated.naming, NAMING_UNITS
        return replace(calibrated, naming=NamingRule(Fraction(2, 5), rule.delta * steps))

    plan = Plan(["1/2"], "aq", ApproxDP(1.0, 0.001))
    assert max(losses(plan, [[]], [[(0, "n", 9)]], take="share", alter=whole, finding=0.4)) > 0.001


def test_parts_of_persons_are_counted_once_for_all_groups():
    rows = [(0, "n", 1), (1, "s", 1), (2, "s", 1), *((k, "n", 2) for k in range(70)), (2, "s", 3)]
    groups = GroupTable(rows, Domain(0, 99, 1), ("n", "s"), take="share", finding=0.5).groups()
    assert groups.people_in.tolist() == [21 + 64, 43 + 64]
    assert calibrate_grouped(groups, Plan(["1/2"], "aq", ApproxDP(1.0, 0.01))).unit.shared_draws == UNIT


@pytest.mark.parametrize("privacy", [PureDP(1.0), ZCDP(0.1)])
def test_names_need_a_delta(privacy):
    table = GroupTable([(0, "n", 1)], GRID, ("n",), finding=0.5)
    with pytest.raises(ParameterError, match="must have a delta"):
        calibrate_grouped(table.groups(), Plan(["1/2"], "aq", privacy))


# ── intervals ────────────────────────────────────────────────────────────────────────────────────────────────────────


def with_intervals(privacy, adjacency, mechanism="aq", **settings):
    options = {"draws": "one"} if mechanism == "aq" else {}
    return Plan(["1/2"], mechanism, privacy, adjacency, options, **{"intervals": 0.5, "about_n": 1000} | settings)


@pytest.mark.covering(1)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS, ids=["pure", "approximate", "concentrated"])
@pytest.mark.parametrize("most", [1, 2])
def test_the_levels_at_the_ends_are_part_of_the_budget(most, privacy, adjacency):
    """All levels are outputs, of both groups, although a release tells fewer numbers than that."""
    plan = with_intervals(privacy, adjacency)
    groups = GroupTable([], GRID, ("n", "s"), groups_per_person=most).groups()
    assert len(present(calibrate_grouped(groups, plan).shared).levels) == 3
    assert max(losses(plan, groups_per_person=most)) <= ROUNDING


def test_a_quarter_of_the_noise_is_caught_with_levels_at_the_ends():
    own, plan = [[(0, "n", 99), (0, "s", 99)]], with_intervals(PureDP(1.0), JOINS)

    def quarter(calibrated):
        return replace(calibrated, shared=calibrated.shared.with_rates_times(Fraction(4)))

    assert max(losses(plan, [FAR], own, WIDE, quarter, groups_per_person=2)) > 0.5
    assert max(losses(plan, [FAR], own, WIDE, groups_per_person=2)) <= ROUNDING


@pytest.mark.covering(1)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS, ids=["pure", "approximate", "concentrated"])
@pytest.mark.parametrize("mechanism", ["aq", "indexp", "jointexp", "freetotal"])
def test_the_levels_at_the_ends_are_part_of_the_budget_of_a_person_whose_mass_is_spread(mechanism, privacy, adjacency):
    plan = with_intervals(privacy, adjacency, mechanism)
    groups = GroupTable([], GRID, ("n", "s"), take="share").groups()
    assert len(present(calibrate_grouped(groups, plan).shared).levels) == 3
    assert max(losses(plan, own=IN_PARTS, take="share")) <= ROUNDING


def test_half_the_noise_is_caught_with_levels_at_the_ends_where_mass_is_spread():
    own, plan = [[(0, "n", 99), (0, "s", 99)]], with_intervals(PureDP(1.0), JOINS, "indexp")

    def half(calibrated):
        return replace(calibrated, shared=calibrated.shared.with_rates_times(Fraction(2)))

    assert max(losses(plan, [FAR], own, WIDE, half, take="share")) > 0.1
    assert max(losses(plan, [FAR], own, WIDE, take="share")) <= ROUNDING


@pytest.mark.parametrize("intervals", [0.5, Intervals(0.9, together=True)])
def test_what_rounding_adds_is_counted_for_every_level_at_an_end(intervals):
    groups = GroupTable([], GRID, ("n", "s", "w"), take="share").groups()
    for levels in (["1/2"], ["1/10", "1/2", "9/10"], ["1/2", "1/2", "0.51"]):
        plan = Plan(levels, "aq", PureDP(1.0), options={"draws": "one"}, intervals=intervals, about_n=1000)
        found = calibrate_grouped(groups, plan)
        drawn = len(present(found.shared).levels)
        assert drawn > len(set(levels))
        assert found.unit.shared_draws >= 3 * drawn, "as many draws as there are levels, in each group"


@pytest.mark.covering(1)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS, ids=["pure", "approximate", "concentrated"])
@pytest.mark.parametrize("most", [1, 2])
def test_groups_with_ends_of_their_own_hold_the_budget(most, privacy, adjacency):
    """One group is laid for few records, whose ends are the bounds, and the other one for many."""
    plan = with_intervals(privacy, adjacency, about_n={"n": 2, "s": 1000})
    found = calibrate_grouped(GroupTable([], GRID, ("n", "s"), groups_per_person=most).groups(), plan)
    assert {number: len(parameters.levels) for number, parameters in found.by_number.items()} == {2: 1, 1000: 3}
    assert max(losses(plan, groups_per_person=most)) <= ROUNDING


def test_half_of_the_noise_is_caught_where_groups_have_ends_of_their_own():
    own, plan = [[(0, "n", 99), (0, "s", 99)]], with_intervals(PureDP(1.0), JOINS, about_n={"n": 2, "s": 1000})

    def half(calibrated):
        less = {number: each.with_rates_times(Fraction(2)) for number, each in calibrated.by_number.items()}
        return replace(calibrated, by_number=less)

    assert max(losses(plan, [FAR], own, WIDE, half, groups_per_person=2)) > 0.2
    assert max(losses(plan, [FAR], own, WIDE, groups_per_person=2)) <= ROUNDING


def test_names_and_answers_with_intervals_together_hold_the_budget():
    stays = [[], [(2, "n", 1), (2, "n", 2), (0, "s", 3)]]
    for adjacency in Adjacency:
        plan = with_intervals(ApproxDP(1.0, 0.05), adjacency)
        assert max(losses(plan, stays, groups_per_person=2, finding=0.4)) <= ROUNDING


# ── what is shipped ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("take", ["first", "share"])
def test_shipped_intervals_have_the_distribution_of_each_group_alone(take):
    """Every path of the exact sampler through two groups: answers and both ends, by the law of all levels."""
    rows: list[Any] = [(0, "n", 1), (2, "n", 2), (1, "s", 3)]
    if take == "share":
        rows = [(0, "n", 1), (2, "n", 1), (2, "s", 1), (1, "s", 2)]
    groups = GroupTable(rows, GRID, ("n", "s"), take=take).groups()
    calibrated = calibrate_grouped(groups, with_intervals(PureDP(1.0), JOINS))
    parameters = only(aq.AQParameters, calibrated.shared)
    assert parameters.levels.index(Fraction(1, 2)) == 1

    def program(entropy):
        _, values, ends = draw_once(groups, calibrated, entropy)
        return tuple(
            tuple(map(int, (low, value, high))) for (value,), ((low, high),) in zip(values, present(ends), strict=True)
        )

    law = enumerate_law(program)
    assert sum(law.chances.values()) > 1 - Fraction(1, 10**100)
    outputs = all_outputs(3, 3)
    alone = [
        dict(
            zip(
                map(tuple, outputs.tolist()),
                np.exp(aq.log_law(outputs, cast(Any, column.records), parameters, 3)),
                strict=True,
            )
        )
        for column in map(groups.column, range(2))
    ]
    assert len(law.chances) == len(outputs) ** 2
    for (first, second), chance in law.chances.items():
        assert float(chance) == pytest.approx(alone[0][first] * alone[1][second], rel=1e-9)


@pytest.mark.parametrize("finding", [None, 0.5])
def test_the_shipped_draws_have_this_distribution(finding):
    """Every path of the exact sampler, of names and of answers in both groups."""
    rows = [(0, "n", 1), (2, "n", 2), (1, "s", 3)]
    table = GroupTable(rows, GRID, ("n", "s"), finding=finding)
    groups, plan = table.groups(), Plan(["1/2"], "aq", ApproxDP(1.0, 0.3))
    calibrated = calibrate_grouped(groups, plan)

    def program(entropy):
        which, values, _ = draw_once(groups, calibrated, entropy)
        return tuple(which.tolist()), tuple(GRID.encode(values[:, 0]).tolist())

    law = enumerate_law(program)
    assert law.cut < Fraction(1, 10**100)
    assert sum(law.chances.values()) > 1 - Fraction(1, 10**100)
    alone = [[np.exp(x) for x in log_law(groups, calibrated, group)] for group in range(2)]
    names = [1.0, 1.0] if finding is None else named_chances(groups, calibrated)
    for (which, cells), chance in law.chances.items():
        wanted = 1.0
        for group in range(2):
            wanted *= names[group] * alone[group][cells[which.index(group)]] if group in which else 1 - names[group]
        assert float(chance) == pytest.approx(wanted, rel=1e-9)


def test_the_fast_draws_have_this_distribution_too():
    """Every path of the fast sampler through the ranges of two groups, with blocks of many intervals."""
    rows = [(0, "n", 1), (2, "n", 2), (1, "s", 3), (1, "s", 4), (2, "s", 5)]
    groups, plan = GroupTable(rows, GRID, ("n", "s")).groups(), Plan(["1/3", "1/2"], "aq", PureDP(1.5))
    calibrated = calibrate_grouped(groups, plan)

    def program(entropy):
        return tuple(map(tuple, draw_groups(groups, np.arange(2), calibrated, entropy, 1)[0][0].tolist()))

    exact, fast = enumerate_law(program), enumerate_fast_law(program)
    assert set(exact.chances) == set(fast.chances)
    assert len(exact.chances) == 36
    for outcome, chance in exact.chances.items():
        assert float(fast.chances[outcome]) == pytest.approx(float(chance), rel=1e-9)


def log_law(groups, calibrated, group):
    return aq.log_law(np.arange(3)[:, None], groups.column(group).cells, calibrated.shared, 3).tolist()


def named_chances(groups, calibrated):
    rule = calibrated.naming
    return [rule.chances(size)[min(size, len(rule.chances(size)) - 1)] / 2**rule.bits for size in groups.sizes.tolist()]
