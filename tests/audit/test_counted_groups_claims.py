"""Every group is counted with noise, then answered by its own number: the law of both on tiny tables, and the claim."""

from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import pairwise, product
from math import exp, expm1, log, log1p
from typing import Any

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, Plan, PureDP
from dpq_core.audit.losses import all_outputs, loss_between
from tests import harness
from tests.group_audit import GroupTable
from tests.harness import UNIT, SeededSampler, calibrated, stated
from tests.narrowing import present

JOINS, REPLACED = Adjacency
GRID = Domain(0, 2, 1)
STAY: list[Any] = [(2, "n", 1), (2, "n", 2), (2, "s", 3)]
OWN: list[Any] = [[(0, "n", 9)], [(2, "s", 9)], [(0, "n", 9), (0, "s", 9)]]
BUDGETS = [PureDP(16.0), ApproxDP(16.0, 0.01), ZCDP(8.0)]
REACH = 60
"""Counts that are followed: all but one in a billion, up to numbers for which ends are no longer the bounds."""


def planned(privacy: Any, adjacency: Adjacency = JOINS) -> Plan:
    return Plan(["1/2"], "indexp", privacy, adjacency, intervals=0.5, about_n="noisy")


def groups_of(rows: Any, **how: Any) -> Any:
    return GroupTable(rows, GRID, ("n", "s"), **how).groups()


def law_of_counts(n: int, rate: float) -> tuple[Any, Any]:
    """The log chances of all noisy numbers that are followed."""
    numbers = np.arange(-REACH, REACH + 1)
    return numbers, -rate * abs(numbers - n) + log1p(-exp(-rate)) - log1p(exp(-rate))


PARTS = 4
"""Into how many ranges a person's units are put, by which a noisy number is told: a function of what is released."""
IN_PARTS: list[Any] = [[(0, "n", 9), (2, "s", 9)], [(2, "n", 9)], [(2, "s", 9), (0, "s", 9), (1, "n", 9), (2, "n", 9)]]
SHARE: dict[str, Any] = {"per_person": "weight"}


def below(edges: Any, mass: int, rate: float) -> Any:
    """The logarithms of the chance that a number is in each range between edges, in units."""
    base, found = -log1p(exp(-rate)), []
    for low, high in pairwise(edges.tolist()):
        if high <= mass:
            found.append(base - rate * (mass - high + 1) + log(-expm1(-rate * (high - low))))
        elif low > mass:
            found.append(base - rate * (low - mass) + log(-expm1(-rate * (high - low))))
        else:
            found.append(log1p(-exp(base - rate * (mass - low + 1)) - exp(base - rate * (high - mass))))
    return np.array(found)


def answered_by(steps, groups, least):
    """The parameters of a group with at least so many records, and what is drawn for its intervals."""
    return steps.by_number(groups, [least])[least][1:]


def law_of_group(groups, at, steps, faster=Fraction(1)):
    """The log chances of a group's noisy number with all levels that are drawn for it.

    Of shares it is the range of the number: all numbers of a range lay the same ends.
    """
    number, shares, records = steps.count.number, groups.per_person == "weight", groups.column(at).records
    if shares:
        edges = number.margin + np.arange(-6 * PARTS, 14 * PARTS + 1) * (UNIT // PARTS)
        numbers, chances = edges[:-1], below(edges, int(groups.masses[at]), float(number.rate * faster / UNIT))
    else:
        numbers, chances = law_of_counts(records.size, float(number.rate * faster))
    laws: dict[int, Any] = {}
    parts = []
    for one, chance in zip(numbers.tolist(), chances, strict=True):
        least = number.at_least(one)
        assert not shares or least == number.at_least(one + UNIT // PARTS - 1)
        if least not in laws:
            by = harness.with_less_noise(answered_by(steps, groups, least)[0], faster)
            laws[least] = stated(steps.plan, all_outputs(GRID.cells, len(by.levels)), records, by, GRID.cells)
        parts.append(chance + laws[least])
    assert shares or len({len(law) for law in laws.values()}) > 1, "the number decides how many levels are drawn"
    return np.concatenate(parts)


def losses(plan, own=OWN, faster=Fraction(1), **how):
    for before, after in product([[]] if plan.adjacency is JOINS else own, own):
        laws: list[Any] = []
        for rows in (before, after):
            groups = groups_of([*STAY, *rows], **how)
            steps = calibrated(plan, groups)
            laws.append(reduce(np.add.outer, [law_of_group(groups, at, steps, faster) for at in range(2)]).reshape(-1))
        assert steps.guarantee.covers(plan.privacy)
        yield harness.exceeds(plan, loss_between(laws[0], laws[1], steps.guarantee.epsilon))


TWO_ROWS: dict[str, Any] = {"per_person": None, "max_rows_per_person": 2}
HOLDS: dict[str, tuple[list[Any], dict[str, Any]]] = {
    # rows of the one who changes, and how rows are taken
    "in_one": (OWN[:2], {"max_groups_per_person": 1}),
    "in_two": (OWN, {"max_groups_per_person": 2}),
    "several_in_each": ([[(0, "n", 9), (0, "n", 9)], [(2, "s", 9), (2, "s", 9)]], TWO_ROWS),
    # whose numbers move two groups by one, or one group by two
    "anywhere": ([[(0, "n", 9), (0, "s", 9)], [(2, "s", 9), (2, "s", 9)]], TWO_ROWS | {"max_groups_per_person": "any"}),
    "shares": (IN_PARTS, SHARE),
}


@pytest.mark.slow(keep="shares-approximate-add_remove")
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS, ids=harness.kind)
@pytest.mark.parametrize("row", HOLDS)
def test_counts_and_answers_of_all_groups_hold_the_budget(row, privacy, adjacency):
    own, how = HOLDS[row]
    found = max(losses(planned(privacy, adjacency), own, **how))
    assert found <= harness.ROUNDING
    if adjacency is JOINS and isinstance(privacy, PureDP):
        assert found > -8, "the tables have power"


CAUGHT: dict[str, tuple[list[Any], dict[str, Any], float]] = {
    "in_one": ([[(0, "n", 9)]], {"max_groups_per_person": 1}, 1),
    "in_two": ([[(0, "n", 9), (0, "s", 9)]], {"max_groups_per_person": 2}, 1),
    "anywhere": (*HOLDS["anywhere"], 1),
    "shares": (*HOLDS["shares"], 0.2),
}


@pytest.mark.slow(keep="shares")
@pytest.mark.parametrize("row", CAUGHT)
def test_half_of_the_noise_is_caught(row):
    own, how, least = CAUGHT[row]
    assert max(losses(planned(PureDP(16.0)), own, Fraction(2), **how)) > least


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize(("most", "rows"), [(1, 1), (2, 1), (2, 3)])
def test_counts_alone_lose_all_that_they_are_charged(most, rows, adjacency):
    """A person in as many groups as may be, with as many records in each: a twentieth of epsilon, no more and no less.

    One who is replaced leaves these groups for as many others.
    """
    how: dict[str, Any] = {"max_groups_per_person": most} | (
        {} if rows == 1 else {"per_person": None, "max_rows_per_person": rows}
    )
    moved = most * rows * (1 if adjacency is JOINS else 2)
    for privacy in (PureDP(2.0), ApproxDP(2.0, 1e-6)):
        rate = calibrated(planned(privacy, adjacency), groups_of([], **how)).count.number.rate
        assert moved * float(rate) == pytest.approx(0.1)
    concentrated = calibrated(planned(ZCDP(2.0), adjacency), groups_of([], **how))
    rate = concentrated.count.number.rate
    steps = rows * (1 if adjacency is JOINS else 2)
    assert most * (steps * float(rate)) ** 2 / 2 == pytest.approx(0.1)
    assert 1.999 < present(concentrated.guarantee.rho) <= 2


def test_names_counts_and_answers_hold_the_budget_together():
    """Given the names, whatever they are, both other steps keep what the names leave."""
    for adjacency, most in product(Adjacency, (1, 2)):
        plan = planned(ApproxDP(16.0, 0.01), adjacency)
        found = calibrated(plan, groups_of(STAY, finding=0.25, max_groups_per_person=most))
        assert found.guarantee.covers(plan.privacy)
        steps = found.each.unit.epsilon_divisor
        rest = found.rest.privacy
        if most == 1 and adjacency is JOINS:
            assert isinstance(rest, ApproxDP), "each group may choose its way, as a person is in one"
        else:
            assert not isinstance(rest, ApproxDP), "one way for all groups"
        if not isinstance(rest, ZCDP):
            counted = float(found.count.number.rate) * steps
            assert 4 + counted + rest.epsilon <= 16 * (1 + 1e-12)
            assert counted == pytest.approx(12 / 20)


@pytest.mark.parametrize("adjacency", Adjacency)
def test_masses_are_counted_in_units_at_the_whole_budget_of_each_group(adjacency):
    """A person's masses in both groups add up to one, and so do the losses; one who is replaced moves with all rows."""
    plan = planned(PureDP(2.0), adjacency)
    one, other = groups_of(STAY, per_person="weight"), groups_of([*STAY, *IN_PARTS[2]], per_person="weight")
    steps = calibrated(plan, one)
    assert abs(other.masses - one.masses).sum() == UNIT
    assert (other.masses % UNIT != 0).all()
    times = 1 if adjacency is JOINS else 2
    assert times * steps.count.number.rate == Fraction(1, 10)
    surely = replace(steps.count.number, rate=Fraction(UNIT * 10**6))
    drawn = replace(steps, count=replace(steps.count, number=surely)).noisy(other, SeededSampler(0, 3))
    assert np.array_equal(drawn, np.tile(other.masses, (3, 1))), "nothing is rounded before the noise is added"


# ── what is shipped ──────────────────────────────────────────────────────────────────────────────────────────────────


def shipped_law(groups, steps, monkeypatch, cut):
    """Of a release: the numbers of all groups, their answers and intervals."""

    def answer():
        found = harness.answers(replace(groups, seed=None), steps)
        return found.notes[-1], *zip(found.groups, found.values, found.intervals, strict=True)

    return harness.law_of_release(answer, monkeypatch, cut)


@pytest.mark.slow
def test_the_shipped_draws_have_this_law(monkeypatch):
    """One group: every number with its answer and both ends, and nothing else."""
    groups = GroupTable(STAY[:2], GRID, ("n",)).groups()
    steps = calibrated(planned(PureDP(16.0)), groups)
    number_of, records = steps.count.number, groups.column(0).cells
    law = shipped_law(groups, steps, monkeypatch, Fraction(1, 10**6))
    numbers, chances = law_of_counts(2, float(number_of.rate))
    seen = 0.0
    for number, chance in zip(numbers.tolist(), chances, strict=True):
        parameters, drawn = answered_by(steps, groups, number_of.at_least(number))
        outputs = all_outputs(GRID.cells, len(parameters.levels))
        told: dict[Any, float] = {}
        for output, own in zip(outputs, stated(steps.plan, outputs, records, parameters, GRID.cells), strict=True):
            value = float(output[parameters.levels.index(Fraction(1, 2))])
            (low, high) = present(drawn).at_ends(output[None].astype(float), parameters.levels, GRID)[0, 0].tolist()
            key = value, (low, min(high + 1, 2))
            told[key] = told.get(key, 0.0) + exp(own)
        for (value, ends), own in told.items():
            outcome = f"Noisy counts of the records: n: {number:,}.", ("n", (value,), (ends,))
            found = float(law.at_least(outcome))
            assert found == pytest.approx(exp(chance) * own, abs=float(law.cut) + 1e-9)
            seen += found
    assert seen > 1 - 1e-4


def test_what_is_counted_of_an_empty_group_is_nothing(monkeypatch):
    groups = GroupTable(STAY[:2], GRID, ("n", "s")).groups()
    steps = calibrated(planned(PureDP(16.0)), groups)
    monkeypatch.setattr(SeededSampler, "discrete_laplace", lambda self, scale, shape: np.zeros(shape, np.int64))
    assert steps.noisy(groups, SeededSampler(1, 1)).tolist() == [groups.masses.tolist()] == [[2, 0]]


@pytest.mark.slow
def test_groups_are_counted_and_answered_each_by_itself(monkeypatch):
    """Two groups together: the law of one times the law of the other."""
    both = groups_of(STAY)
    alone = [GroupTable([row for row in STAY if row[1] == name], GRID, (name,)).groups() for name in "ns"]
    plan = planned(PureDP(48.0))
    laws = [shipped_law(one, calibrated(plan, one), monkeypatch, Fraction(1, 10**4)) for one in alone]
    joint = shipped_law(both, calibrated(plan, both), monkeypatch, Fraction(1, 10**4))
    for (told, first), (also, second) in product(laws[0].chances, laws[1].chances):
        note = f"{told.removesuffix('.')}, {also.removeprefix('Noisy counts of the records: ')}"
        wanted = float(laws[0].at_least((told, first)) * laws[1].at_least((also, second)))
        if wanted > 0.001:
            assert float(joint.at_least((note, first, second))) == pytest.approx(wanted, rel=0.02)
    assert sum(map(float, joint.chances.values())) > 0.98


def test_no_private_size_decides_what_is_spent_or_drawn_first():
    small, large = (calibrated(planned(PureDP(1.0)), groups_of(rows)) for rows in ([], STAY * 9))
    assert small == large
    assert replace(small, plan=planned(PureDP(2.0))) != large
    rate = float(small.count.number.rate)
    assert log(rate) == pytest.approx(log(0.05))
