"""The exact law of what two columns answer together, from the code that releases: one guarantee, kept and reached.

One person changes one record in each column. Every outcome of every draw of both is followed, on tiny data.
"""

from __future__ import annotations

import sys
from functools import cache
from itertools import product

import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, Groups, People, Plan, PureDP, Sample
from dpq_core.audit.branching import enumerate_law
from dpq_core.calibrations import calibrate_for
from dpq_core.columns import CalibratedColumns, calibrate_columns, columns_plan, draw_columns
from dpq_core.privacy import Privacy
from tests.audit.enumerated import NO_CUT, loss_of_laws, within
from tests.audit.extremes import pairs
from tests.narrowing import only

JOINS, REPLACED = Adjacency
BUDGETS: dict[str, Privacy] = {"pure": PureDP(1.0), "approximate": ApproxDP(1.0, 0.01), "concentrated": ZCDP(0.1)}
WEIGHTS = {"age": 1, "income": 3}
SMALL, NARROW, WIDE = 2, 4, 10
HEAP = (5,) * 16
WORST_EPSILON = {
    JOINS: (HEAP, (0, *HEAP)),
    REPLACED: ((0, 0, 0, *HEAP, 9, 9, 9), (0, 0, *HEAP, 9, 9, 9, 9)),
}
WORST_RHO = {JOINS: ((3, 4, 4), (0, 3, 4, 4)), REPLACED: ((0, 5), (5, 9))}
"""Neighbours on the wide grid that cost a median nearly all that it claims."""
RELEASE, GROUPS = sys.modules["dpq_core.release"], sys.modules["dpq_core.groups.draws"]
every_budget = pytest.mark.parametrize("kind", BUDGETS)
every_adjacency = pytest.mark.parametrize("adjacency", Adjacency)


def samples_of(table, grid):
    columns = zip(WEIGHTS, table, strict=True)
    return {name: Sample.from_values(own, Domain(0, grid - 1, 1), jitter_bits=0) for name, own in columns}


def law_of(table, grid, calibrated, monkeypatch):
    """The law of the answers of both columns, by the shipped `draw_columns`."""

    def program(entropy):
        monkeypatch.setattr(RELEASE, "ExactEntropy", lambda: entropy)
        return tuple(draw_columns(samples_of(table, grid), calibrated).values.items())

    law = enumerate_law(program)
    assert law.cut < NO_CUT
    return law


def sound(samples, plan):
    return calibrate_columns(samples, columns_plan(samples, plan, WEIGHTS))


def naive(samples, plan):
    """The full budget for each column, under the guarantee of the whole."""
    columns = {name: calibrate_for(sample, plan) for name, sample in samples.items()}
    return CalibratedColumns(
        plan=columns_plan(samples, plan), columns=columns, guarantee=sound(samples, plan).guarantee
    )


@every_adjacency
@every_budget
@pytest.mark.parametrize("mechanism", ["aq"])
def test_no_pair_of_tables_costs_more_than_the_whole_claims(mechanism, kind, adjacency, monkeypatch):
    plan = Plan(["1/2"], mechanism, BUDGETS[kind], adjacency)
    calibrated = cache(lambda n: sound(samples_of(((0,) * n,) * 2, SMALL), plan))
    law = cache(lambda table: law_of(table, SMALL, calibrated(len(table[0])), monkeypatch))
    changes = pairs(SMALL, (0, 1, 2), adjacency)
    tables = [((a, b), (c, d)) for (a, c), (b, d) in product(changes, changes) if len(a) == len(b)]
    assert len(tables) > 4
    for one, other in tables:
        guarantee = calibrated(len(one[0])).guarantee
        assert guarantee.covers(plan.privacy)
        assert within(plan, guarantee, law(one), law(other))


@pytest.mark.covering(1)
@every_adjacency
@every_budget
def test_the_whole_is_nearly_reached_and_twice_as_much_is_caught(kind, adjacency, monkeypatch):
    plan = Plan(["1/2"], "indexp", BUDGETS[kind], adjacency)
    one, other = (WORST_EPSILON if kind == "pure" else WORST_RHO)[adjacency]
    before, after = (one, one), (other, other)
    samples = samples_of(before, WIDE)

    def loss_of(calibrated):
        first, second = (law_of(table, WIDE, calibrated, monkeypatch) for table in (before, after))
        return loss_of_laws(first, second, sound(samples, plan).guarantee.epsilon)

    claim, found, caught = sound(samples, plan).guarantee, loss_of(sound(samples, plan)), loss_of(naive(samples, plan))
    if kind == "pure":
        assert 0.85 < found.epsilon <= claim.epsilon == 1
        assert caught.epsilon > 1.7
    else:
        assert found.rho is not None
        assert caught.rho is not None
        assert claim.rho is not None
        assert 0.85 * claim.rho < found.rho <= claim.rho
        assert caught.rho > 1.4 * claim.rho
    if kind == "approximate":
        assert (claim.epsilon, claim.delta) == (1, 0.01)
        assert found.delta <= 0.01 < caught.delta


def law_of_persons(rows, plan, monkeypatch):
    """The law of a column of all rows and one in groups: (value, group, person) of each row."""
    samples, calibrated = mixed(rows), sound_mix(rows, plan)

    def draw(entropy):
        for module in (RELEASE, GROUPS):
            monkeypatch.setattr(module, "ExactEntropy", lambda: entropy)
        found = draw_columns(samples, calibrated).values
        return found["age"], tuple(only(dict, found["pay"]).items())

    law = enumerate_law(draw)
    assert law.cut < NO_CUT
    return law


def mixed(rows):
    values, groups, ids = ([row[at] for row in rows] for at in range(3))
    domain, people = Domain(0, NARROW - 1, 1), People.of(list(map(str, ids)))
    pay = Groups.from_values(
        values, groups, domain, names=["n", "s"], people=people, take="max", groups_per_person=2, jitter_bits=0
    )
    return {"age": Sample.from_values(values, domain, people=people, most_rows=2, jitter_bits=0), "pay": pay}


def sound_mix(rows, plan):
    return calibrate_columns(mixed(rows), columns_plan(mixed(rows), plan, {"age": 1, "pay": 2}))


@pytest.mark.parametrize("kind", ["pure", "concentrated"])
def test_a_person_with_several_rows_in_groups_holds_the_whole_budget(kind, monkeypatch):
    """The one who joins has two rows, in both groups: each column would cost twice its part without being divided."""
    plan = Plan(["1/2"], "indexp", BUDGETS[kind], JOINS)
    values = [0] * 14 if kind == "pure" else [1, 1, 2]
    stay = [(value, group, (at, group)) for at, value in enumerate(values) for group in "ns"]
    tables = stay, [*stay, (3, "n", "joins"), (3, "s", "joins")]
    guarantee = sound_mix(stay, plan).guarantee
    assert guarantee.covers(plan.privacy)
    assert guarantee.protects == "person"
    first, second = (law_of_persons(rows, plan, monkeypatch) for rows in tables)
    assert within(plan, guarantee, first, second)
    loss = loss_of_laws(first, second, guarantee.epsilon)
    reached = loss.epsilon / guarantee.epsilon if kind == "pure" else loss.rho / guarantee.rho
    assert reached > 0.75, "the pair has power"
