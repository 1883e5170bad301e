"""Exact losses of tables with two groups: somebody joins one, is in both, moves, or stays; naive budgets are caught."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise, product
from math import inf
from typing import Any

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, ParameterError, PureDP
from dpq_core.audit.losses import all_outputs
from dpq_core.mechanisms.base import Lemma
from dpq_core.privacy.composition import unit_of_groups
from tests import harness
from tests.group_audit import GroupTable, compare_groups
from tests.harness import ROUNDING, UNIT, PartitionSelection, Plan, calibrated, kind, law, of_groups, with_less_noise
from tests.narrowing import present

JOINS, REPLACED = Adjacency
GRID, WIDE = Domain(0, 2, 1), Domain(0, 9, 1)
STAY = [[], [(2, "n", 1)], [(0, "n", 1), (2, "s", 2), (2, "s", 3)]]
"""The rows of those who stay: value, group, person."""
OWN = [[(0, "n", 9)], [(2, "s", 9)], [(0, "n", 9), (2, "s", 9)], [(2, "n", 9), (0, "n", 9), (0, "s", 9)]]
"""The rows of the one who changes: in one group, in the other, in both."""
SEVERAL = [
    [(0, "n", 9), (0, "n", 9), (2, "n", 9)],
    [(2, "s", 9), (2, "s", 9), (0, "n", 9)],
    [(0, "n", 9), (0, "n", 9), (2, "s", 9), (2, "s", 9)],
]
"""The same where several rows of a group may count."""
IN_PARTS = [
    [(0, "n", 9), (2, "s", 9)], [(2, "n", 9)], [(2, "s", 9), (0, "s", 9), (1, "n", 9), (2, "n", 9), (2, "n", 9)],
]  # fmt: skip
"""The same of somebody whose mass is spread over both groups or lies in one."""
STAYING = [0] * 2 + [5] * 16 + [9] * 2
FAR = [(value, group, 20 * side + at) for side, group in enumerate("ns") for at, value in enumerate(STAYING)]
"""In either group most are equal, so that one value has nearly all chance: what changes its score changes all."""
FAR_AND_ONE = [*FAR, (9, "n", 98)]
"""Of them and a person at 0 in the first group, as many lie above the middle as below it."""
BUDGETS = [PureDP(1.0), ApproxDP(1.0, 0.01), ZCDP(0.1)]
ANYWHERE: dict[str, Any] = {"max_groups_per_person": "any", "per_person": None, "max_rows_per_person": 2}
"""Two rows of a person count, wherever they are."""
IN_EACH: dict[str, Any] = {"per_person": None, "max_rows_per_person": 2}
SHARE: dict[str, Any] = {"per_person": "weight"}
ENDS: dict[str, Any] = {"intervals": 0.5, "about_n": 1000}
OWN_ENDS: dict[str, Any] = {"intervals": 0.5, "about_n": {"n": 2, "s": 1000}}
ONE = {"draws": "one"}


def losses(plan, stays=STAY, own=OWN, domain=GRID, alter=None, **how):
    befores = [[]] if plan.adjacency is JOINS else own
    for rows, before, after in product(stays, befores, own):
        a, b = (GroupTable([*rows, *each], domain, ("n", "s"), **how) for each in (before, after))
        loss, claimed = compare_groups(plan, a, b, alter=alter)
        assert claimed.covers(plan.privacy)
        yield harness.exceeds(plan, loss)


# ── every budget ─────────────────────────────────────────────────────────────────────────────────────────────────────

PAIR, MEDIAN = ["1/3", "2/3"], ["1/2"]
HOLDS: dict[str, tuple[str, list[str], dict[str, Any], list[Any], dict[str, Any], dict[str, Any]]] = {
    # mechanism, levels, options, rows of the one who changes, how rows are taken, what the plan asks for besides
    "one_random": ("aq", PAIR, {}, OWN, {"max_groups_per_person": 1, "per_person": "random"}, {}),
    "two_first": ("aq", PAIR, {}, OWN, {"max_groups_per_person": 2, "per_person": "first"}, {}),
    "two_max": ("freetotal", PAIR, {}, OWN, {"max_groups_per_person": 2, "per_person": "max"}, {}),
    "several_in_one": ("aq", MEDIAN, {}, SEVERAL, IN_EACH | {"max_groups_per_person": 1}, {}),
    "several_in_two": ("aq", MEDIAN, {}, SEVERAL, IN_EACH | {"max_groups_per_person": 2}, {}),
    "anywhere_aq": ("aq", PAIR, {}, SEVERAL, ANYWHERE, {}),
    "anywhere_freetotal": ("freetotal", ["1/3"], {}, SEVERAL, ANYWHERE, {}),
    "anywhere_indexp": ("indexp", MEDIAN, {}, SEVERAL, ANYWHERE, {}),
    "shares_aq": ("aq", PAIR, {}, IN_PARTS, SHARE, {}),
    "shares_several": ("aq", PAIR, {"draws": "several"}, IN_PARTS, SHARE, {}),
    "shares_indexp": ("indexp", PAIR, {}, IN_PARTS, SHARE, {}),
    "shares_jointexp": ("jointexp", PAIR, {}, IN_PARTS, SHARE, {}),
    "shares_freetotal": ("freetotal", PAIR, {}, IN_PARTS, SHARE, {}),
    # all levels are outputs, of both groups, although a release tells fewer numbers than that
    "ends_in_one": ("aq", MEDIAN, ONE, OWN, {"max_groups_per_person": 1}, ENDS),
    "ends_in_two": ("aq", MEDIAN, ONE, OWN, {"max_groups_per_person": 2}, ENDS),
    "ends_of_shares_aq": ("aq", MEDIAN, ONE, IN_PARTS, SHARE, ENDS),
    "ends_of_shares_indexp": ("indexp", MEDIAN, {}, IN_PARTS, SHARE, ENDS),
    "ends_of_shares_jointexp": ("jointexp", MEDIAN, {}, IN_PARTS, SHARE, ENDS),
    "ends_of_shares_freetotal": ("freetotal", MEDIAN, {}, IN_PARTS, SHARE, ENDS),
    # one group is laid for few records, whose ends are the bounds, and the other one for many
    "own_ends_in_one": ("aq", MEDIAN, ONE, OWN, {"max_groups_per_person": 1}, OWN_ENDS),
    "own_ends_in_two": ("aq", MEDIAN, ONE, OWN, {"max_groups_per_person": 2}, OWN_ENDS),
}


@pytest.mark.slow(keep=tuple(f"{row}-pure-add_remove" for row in HOLDS))
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS, ids=kind)
@pytest.mark.parametrize("row", HOLDS)
def test_a_person_in_any_groups_holds_the_whole_budget(row, privacy, adjacency):
    mechanism, levels, options, own, how, asked = HOLDS[row]
    plan = Plan(levels, mechanism, privacy, adjacency, options, **asked)
    found = calibrated(plan, GroupTable([], GRID, ("n", "s"), **how).groups())
    if asked is ENDS:
        assert len(found.parameters.levels) == 3
    if asked is OWN_ENDS:
        assert {number: len(by.levels) for number, (_, by, _) in found.levels.items()} == {2: 1, 1000: 3}
    assert max(losses(plan, own=own, **how)) <= ROUNDING


UNCERTAIN = [[], [(2, "n", 1), (2, "n", 2), (0, "s", 3)]]
"""Of those who stay so many that names are uncertain."""
FOUND: dict[str, tuple[float, list[Any], list[Any], dict[str, Any], dict[str, Any]]] = {
    # delta, rows of those who stay, of the one who changes, how rows are taken, what the plan asks for besides
    "in_any_groups": (0.01, STAY, [*OWN, *SEVERAL], ANYWHERE | {"finding": 0.5}, {}),
    "by_persons_with_several": (0.01, STAY, SEVERAL, IN_EACH | {"max_groups_per_person": 2, "finding": 0.5}, {}),
    "in_one": (0.05, UNCERTAIN, OWN, {"max_groups_per_person": 1, "finding": 0.4}, {}),
    "in_two": (0.05, UNCERTAIN, OWN, {"max_groups_per_person": 2, "finding": 0.4}, {}),
    "by_shares": (0.05, [[], [(2, "n", 1), (0, "s", 1), (2, "n", 2)]], IN_PARTS, SHARE | {"finding": 0.4}, {}),
    "with_intervals": (0.05, UNCERTAIN, OWN, {"max_groups_per_person": 2, "finding": 0.4}, {"options": ONE} | ENDS),
}


@pytest.mark.slow(keep=tuple(f"{row}-add_remove" for row in FOUND if row != "in_any_groups"))
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("row", FOUND)
def test_names_and_answers_together_hold_the_budget(row, adjacency):
    """Names are found by persons, whatever records they have; parts of 1/64 of a person in whichever groups."""
    delta, stays, own, how, asked = FOUND[row]
    plan = Plan(MEDIAN, "aq", ApproxDP(1.0, delta), adjacency, **asked)
    if row == "by_persons_with_several":
        table = GroupTable([*SEVERAL[0], (1, "s", 1)], GRID, ("n", "s"), **how)
        assert table.groups().people_in.tolist() == [1, 1]
    assert max(losses(plan, stays, own, **how)) <= ROUNDING


# ── reached, and caught ──────────────────────────────────────────────────────────────────────────────────────────────


def naive(privacy, adjacency=JOINS):
    """A budget for each record of each group."""
    by = harness.parameters(Plan(MEDIAN, "indexp", privacy, adjacency))
    return lambda steps: replace(steps, levels={None: (steps.plan, by, None)})


def more_delta(times):
    def alter(steps):
        return replace(steps, naming=PartitionSelection(Fraction(2, 5), steps.naming.delta * times))

    return alter


BOTH = [[(0, "n", 99), (0, "s", 99)]]
MOVES = [[(0, "n", 99)], [(8, "s", 99)]]
ALONE = [[(0, "n", 9)]]
OF_NAMES = ApproxDP(1.0, 0.001)


@dataclass(frozen=True)
class Case:
    """Above the budget by more than `reached`, which is below 0, and by nothing; broken so, by more than `caught`."""

    own: list[Any]
    reached: float
    how: dict[str, Any] = field(default_factory=dict)
    stays: list[Any] = field(default_factory=lambda: FAR)
    mechanism: str = "aq"
    privacy: Any = PureDP(1.0)  # noqa: RUF009 (frozen)
    adjacency: Adjacency = JOINS
    asked: dict[str, Any] = field(default_factory=dict)
    broken: Callable[[Any], Any] | None = None
    caught: float = inf
    domain: Domain = WIDE


TWO = {"max_groups_per_person": 2}
CASES = {
    # all below every other record: that is what the budget was divided for
    "several_in_each_group": Case(
        [[(0, group, 99) for group in "nnss"]],
        -0.2,
        TWO | IN_EACH,
        [(9, group, person) for person, group in enumerate("nnnnssss")],
    ),
    # in one group or in two: each record costs half of epsilon
    **{
        f"anywhere_{groups}": Case(
            [[(0, group, 99) for group in groups]], -0.01, ANYWHERE, FAR, "indexp", broken=with_less_noise, caught=0.9
        )
        for groups in ("nn", "ns")
    },
    # half in each of two groups loses as much together as all in one: nothing is divided by the number of groups
    "share_in_one": Case([[(0, "n", 99)]], -0.3, SHARE),
    "share_in_both": Case(BOTH, -0.3, SHARE),
    "share_in_parts": Case([[(0, "n", 99)] * 3 + [(0, "s", 99)]], -0.3, SHARE),
    "share_moves": Case(
        [[(0, "n", 99)], [(9, "s", 99)]], -1, SHARE, FAR_AND_ONE, adjacency=REPLACED, broken=with_less_noise, caught=0.4
    ),
    "joins_one": Case([[(0, "n", 99)]], -0.01, {"max_groups_per_person": 1}),
    "joins_both": Case(BOTH, -0.01, TWO),
    "moves": Case(MOVES, -0.01, {"max_groups_per_person": 1}, FAR_AND_ONE, adjacency=REPLACED),
    # a whole budget for each of two groups, or for the record that leaves one and the one that joins another
    "whole_for_each": Case(BOTH, -1, TWO, mechanism="indexp", broken=naive(PureDP(1.0)), caught=0.5),
    "whole_for_who_moves": Case(
        MOVES, -1, {}, FAR_AND_ONE, "indexp", adjacency=REPLACED, broken=naive(PureDP(1.0)), caught=0.5
    ),
    # enough for who moves; who stays in a group and changes there costs four times, not twice
    "half_of_rho": Case(
        [[(0, "n", 99)], [(9, "n", 99)]], -0.1, {}, [(5, "n", 1)], "indexp", ZCDP(0.5), REPLACED,
        broken=naive(ZCDP(0.25)), caught=0.1,
    ),
    # whoever comes alone has the group named with the chance delta, and no more; so have all parts of a person together
    "name": Case(
        ALONE, -1e-9, {"finding": 0.4}, [], "aq", OF_NAMES, broken=more_delta(2), caught=0.0009, domain=GRID
    ),
    "name_by_share": Case(
        ALONE, -1.1e-4, SHARE | {"finding": 0.4}, [], "aq", OF_NAMES, broken=more_delta(harness.NAMING_UNITS),
        caught=0.001, domain=GRID,
    ),
    **{
        f"name_by_parts_{len(own)}": Case([own], -1.1e-4, SHARE | {"finding": 0.4}, [], "aq", OF_NAMES, domain=GRID)
        for own in ([(0, "n", 9), (2, "s", 9)], [(0, "n", 9)] * 3 + [(2, "s", 9)])
    },
    "ends": Case(BOTH, -1, TWO, asked={"options": ONE} | ENDS, broken=lambda by: with_less_noise(by, 4), caught=0.5),
    "ends_of_shares": Case(BOTH, -1, SHARE, mechanism="indexp", asked=ENDS, broken=with_less_noise, caught=0.1),
    "own_ends": Case(BOTH, -1, TWO, asked={"options": ONE} | OWN_ENDS, broken=with_less_noise, caught=0.2),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_budget_is_used_and_what_is_too_little_noise_is_caught(case):
    plan = Plan(MEDIAN, case.mechanism, case.privacy, case.adjacency, **case.asked)
    found = max(losses(plan, [case.stays], case.own, case.domain, **case.how))
    assert case.reached < found <= (0 if case.privacy is OF_NAMES else ROUNDING) + ROUNDING
    if case.broken is not None:
        assert max(losses(plan, [case.stays], case.own, case.domain, case.broken, **case.how)) > case.caught


def test_one_record_too_many_in_a_group_breaks_the_budget(monkeypatch):
    """The enumeration notices where records are taken for one."""
    usual = unit_of_groups
    monkeypatch.setattr(
        "dpq_core.privacy.composition.unit_of_groups", lambda *given, max_rows_per_person, **how: usual(*given, **how)
    )
    assert max(losses(Plan(MEDIAN, "aq", PureDP(1.0)), [FAR], [[(0, "n", 99)] * 2], WIDE, **IN_EACH)) > 0.5


def test_names_by_persons_in_one_group_break_the_budget_of_those_in_any(monkeypatch):
    """A new person brings two names about, each with all of delta."""
    plan, own = Plan(MEDIAN, "aq", ApproxDP(1.0, 1e-6)), [[(0, "n", 9), (0, "s", 9)]]
    assert -1e-8 < max(losses(plan, [[]], own, finding=0.9, **ANYWHERE)) <= 0
    monkeypatch.setattr("dpq_core.column.Column.most_groups", 1)
    assert max(losses(plan, [[]], own, finding=0.9, **ANYWHERE)) > 0.9e-6


def test_weights_that_are_given_group_by_group_break_the_budget(monkeypatch):
    """As if a person weighed 1 in each group."""
    plan, own = Plan(["1/2"], "aq", PureDP(1.0)), [[(0, "n", 99), (0, "s", 99)]]

    def naive(codes, count, unit=UNIT, ordered=None):
        rows, _ = harness.share_rows(codes, count, unit, ordered)
        return rows, np.full(rows.size, UNIT, np.int32)

    monkeypatch.setattr("dpq_core.people.shares.share_rows", naive)
    assert max(losses(plan, [FAR], own, domain=WIDE, per_person="weight")) > 0.5


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS, ids=kind)
@pytest.mark.parametrize(
    ("mechanism", "options"), [("aggtree", {"branching": 2, "height": 2}), ("binhist", {"bins": 2})]
)
def test_noisy_counts_of_a_person_whose_mass_is_spread_hold_the_whole_budget(mechanism, options, privacy, adjacency):
    """By the lemma of each group's counts: losses of independent noise add up over the groups."""
    plan = Plan(["1/2"], mechanism, privacy, adjacency, options)
    pairs = [(STAY[2], [*STAY[2], *own]) for own in IN_PARTS]
    if adjacency is REPLACED:
        pairs = [([*STAY[2], *one], [*STAY[2], *other]) for one, other in product(IN_PARTS, IN_PARTS)]
    for tables in pairs:
        one, other = (GroupTable(rows, GRID, ("n", "s"), per_person="weight").groups() for rows in tables)
        found = calibrated(plan, one)
        by, claim, audit = found.parameters, found.guarantee, harness.mechanism_of(plan).AUDIT
        assert isinstance(audit, Lemma)
        both: list[list[Any]] = [[each.column(at).records for each in (one, other)] for at in range(2)]
        lost = [audit.loss(before, after, by, GRID.cells) for before, after in both]
        assert claim.covers(privacy)
        if isinstance(privacy, ZCDP):
            assert sum(present(each.rho) for each in lost) <= present(claim.rho) * (1 + ROUNDING)
        else:
            assert claim.delta > 0 or sum(each.epsilon for each in lost) <= claim.epsilon * (1 + ROUNDING)
            assert claim.rho is None or sum(present(each.rho) for each in lost) <= claim.rho * (1 + ROUNDING)


@pytest.mark.parametrize("budget", [PureDP(1.0), ApproxDP(0.5, 0.01), ZCDP(0.5)], ids=str)
@pytest.mark.parametrize("adjacency", Adjacency, ids=lambda each: each.name)
def test_every_group_has_what_one_whole_record_has(budget, adjacency):
    """Nothing is kept aside for draws in several groups; a delta is handed down to none of them."""
    groups = GroupTable([], GRID, ("n", "s"), per_person="weight").groups()
    found = calibrated(Plan(["1/3", "1/2", "2/3"], "jointexp", budget, adjacency), groups)
    each, steps = found.parameters.guarantee, 1 if adjacency is JOINS else 2
    assert found.unit.shares
    assert not each.delta
    if isinstance(budget, PureDP):
        assert each.epsilon == 1 / steps
    elif isinstance(budget, ZCDP):
        assert present(each.rho) == pytest.approx(0.5 / steps**2, rel=1e-10)
    assert found.guarantee.covers(budget)


# ── found groups ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("epsilon", "delta"), [("1/10", "1/100"), ("1", "1/1000000"), ("3", "1/5"), ("1/1000", "1/7")])
def test_the_chance_to_be_named_is_the_optimal_one(epsilon, delta):
    """Both inequalities hold without tolerance, and one of them is used up at every step until the chance is 1."""
    rule = PartitionSelection(Fraction(epsilon), Fraction(delta))
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
    rule = PartitionSelection(Fraction(1), Fraction(1, 100))
    terms, factorial, e = [], 1, Fraction(0)
    for k in range(60):
        factorial *= max(k, 1)
        terms.append(Fraction(1, factorial))
    e = sum(terms, Fraction(0))  # below e by less than 2 / 60!
    assert e - Fraction(1, 2**200) < rule.growth < e + Fraction(2, factorial)


def test_parts_of_persons_are_counted_once_for_all_groups():
    rows = [(0, "n", 1), (1, "s", 1), (2, "s", 1), *((k, "n", 2) for k in range(70)), (2, "s", 3)]
    groups = GroupTable(rows, Domain(0, 99, 1), ("n", "s"), per_person="weight", finding=0.5).groups()
    assert groups.people_in.tolist() == [21 + 64, 43 + 64]


@pytest.mark.parametrize("privacy", [PureDP(1.0), ZCDP(0.1)])
def test_names_need_a_delta(privacy):
    table = GroupTable([(0, "n", 1)], GRID, ("n",), finding=0.5)
    with pytest.raises(ParameterError, match="`delta` must be given with `epsilon` where groups are found"):
        calibrated(Plan(MEDIAN, "aq", privacy), table.groups())


# ── what is shipped ──────────────────────────────────────────────────────────────────────────────────────────────────


def chances_of(steps, groups, at, levels):
    """Of all outputs of a group, as the mechanism states them."""
    outputs = all_outputs(GRID.cells, levels)
    chances = np.exp(harness.stated(steps.plan, outputs, groups.column(at).records, steps.parameters, GRID.cells))
    return dict(zip(map(tuple, outputs.tolist()), chances.tolist(), strict=True))


@pytest.mark.slow(keep="first")
@pytest.mark.parametrize("per_person", ["first", "weight"])
def test_shipped_intervals_have_the_distribution_of_each_group_alone(per_person):
    """Every path of the exact sampler through two groups: answers and both ends, by the law of all levels."""
    rows: list[Any] = [(0, "n", 1), (2, "n", 2), (1, "s", 3)]
    if per_person == "weight":
        rows = [(0, "n", 1), (2, "n", 1), (2, "s", 1), (1, "s", 2)]
    groups = GroupTable(rows, GRID, ("n", "s"), per_person=per_person).groups()
    steps = calibrated(Plan(MEDIAN, "aq", PureDP(1.0), options=ONE, intervals=0.5, about_n=1000), groups)
    assert steps.parameters.levels.index(Fraction(1, 2)) == 1

    def program(entropy):
        _, values, ends = of_groups(groups, steps, entropy)
        return tuple(
            tuple(map(int, (low, value, high))) for (value,), ((low, high),) in zip(values, present(ends), strict=True)
        )

    found, alone = law(program), [chances_of(steps, groups, at, 3) for at in range(2)]
    assert len(found.chances) == len(alone[0]) ** 2
    for (first, second), chance in found.chances.items():
        assert float(chance) == pytest.approx(alone[0][first] * alone[1][second], rel=1e-9)


@pytest.mark.parametrize("finding", [None, 0.5])
def test_the_shipped_draws_have_this_distribution(finding):
    """Every path of the exact sampler, of names and of answers in both groups."""
    table = GroupTable([(0, "n", 1), (2, "n", 2), (1, "s", 3)], GRID, ("n", "s"), finding=finding)
    groups = table.groups()
    steps = calibrated(Plan(MEDIAN, "aq", ApproxDP(1.0, 0.3)), groups)

    def program(entropy):
        which, values, _ = of_groups(groups, steps, entropy)
        return tuple(which.tolist()), tuple(GRID.encode(values[:, 0]).tolist())

    alone = [chances_of(steps, groups, at, 1) for at in range(2)]
    names = [1.0, 1.0] if finding is None else named_chances(groups, steps)
    for (which, cells), chance in law(program).chances.items():
        wanted = 1.0
        for at in range(2):
            wanted *= names[at] * alone[at][cells[which.index(at)],] if at in which else 1 - names[at]
        assert float(chance) == pytest.approx(wanted, rel=1e-9)


def named_chances(groups, steps):
    rule = steps.naming
    return [rule.chances(size)[min(size, len(rule.chances(size)) - 1)] / 2**rule.bits for size in groups.sizes.tolist()]


@pytest.mark.slow
def test_the_fast_draws_have_this_distribution_too():
    """Every path of the fast sampler through the ranges of two groups, with blocks of many intervals."""
    rows = [(0, "n", 1), (2, "n", 2), (1, "s", 3), (1, "s", 4), (2, "s", 5)]
    groups = GroupTable(rows, GRID, ("n", "s")).groups()
    steps = calibrated(Plan(["1/3", "1/2"], "aq", PureDP(1.5)), groups)
    exact, fast = (
        law(lambda entropy: harness.in_groups(groups, steps, entropy), sampler=each) for each in ("exact", "fast")
    )
    assert set(exact.chances) == set(fast.chances)
    assert len(exact.chances) == 36
    for outcome, chance in exact.chances.items():
        assert float(fast.chances[outcome]) == pytest.approx(float(chance), rel=1e-9)
