"""The exact law of what two columns answer together, from the code that releases: one guarantee, kept and reached.

One person changes one record in each column. Every outcome of every draw of both is followed, on tiny data.
"""

from dataclasses import replace
from functools import cache
from itertools import product

import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, Plan, PureDP
from tests.audit.extremes import pairs
from tests.harness import answers, calibrated, column, grouped, law_of_release, loss_of_laws, share_of, within

JOINS, REPLACED = Adjacency
PURE, APPROXIMATE, CONCENTRATED = PureDP(1.0), ApproxDP(1.0, 0.01), ZCDP(0.1)
BUDGETS = pytest.mark.parametrize(
    "budget", [PURE, APPROXIMATE, CONCENTRATED], ids=["pure", "approximate", "concentrated"]
)
WEIGHTS = {"age": 1, "income": 3}
SMALL, WIDE = 2, 10
HEAP = (5,) * 16
WORST_EPSILON = {JOINS: (HEAP, (0, *HEAP)), REPLACED: ((0, 0, 0, *HEAP, 9, 9, 9), (0, 0, *HEAP, 9, 9, 9, 9))}
WORST_RHO = {JOINS: ((3, 4, 4), (0, 3, 4, 4)), REPLACED: ((0, 5), (5, 9))}
"""Neighbours on the wide grid that cost a median nearly all that it claims."""


def columns_of(table, cells):
    return {name: column(own, cells) for name, own in zip(WEIGHTS, table, strict=True)}


def law_of(table, cells, steps, monkeypatch):
    """The law of the answers of both columns, by the shipped code."""
    columns = columns_of(table, cells)
    return law_of_release(lambda: tuple(each.values for each in answers(columns, steps)), monkeypatch)


@pytest.mark.slow(keep=("pure-add_remove", "approximate-replace_one", "concentrated-replace_one"))
@pytest.mark.parametrize("adjacency", Adjacency)
@BUDGETS
def test_no_pair_of_tables_costs_more_than_the_whole_claims(budget, adjacency, monkeypatch):
    plan = Plan(["1/2"], "aq", budget, adjacency)
    steps = cache(lambda n: calibrated(plan, columns_of(((0,) * n,) * 2, SMALL), WEIGHTS))
    law = cache(lambda table: law_of(table, SMALL, steps(len(table[0])), monkeypatch))
    changes = pairs(SMALL, (0, 1, 2), adjacency)
    tables = [((a, b), (c, d)) for (a, c), (b, d) in product(changes, changes) if len(a) == len(b)]
    assert len(tables) > 4
    for one, other in tables:
        claim = steps(len(one[0])).guarantee
        assert claim.covers(budget)
        assert within(budget, claim, loss_of_laws(law(one), law(other), claim.epsilon))


@pytest.mark.slow(keep="approximate-replace_one")
@pytest.mark.parametrize("adjacency", Adjacency)
@BUDGETS
def test_the_whole_is_nearly_reached_and_twice_as_much_is_caught(budget, adjacency, monkeypatch):
    plan = Plan(["1/2"], "indexp", budget, adjacency)
    first, second = (WORST_EPSILON if budget is PURE else WORST_RHO)[adjacency]
    before, after = (first, first), (second, second)
    columns = columns_of(before, WIDE)
    sound = calibrated(plan, columns, WEIGHTS)
    naive = replace(sound, columns={name: calibrated(plan, own) for name, own in columns.items()})
    claim = sound.guarantee

    def loss_by(steps):
        one, other = (law_of(table, WIDE, steps, monkeypatch) for table in (before, after))
        return loss_of_laws(one, other, claim.epsilon)

    found, caught = loss_by(sound), loss_by(naive)
    if budget is PURE:
        assert 0.85 < found.epsilon <= claim.epsilon == 1
        assert caught.epsilon > 1.7
    else:
        assert 0.85 * claim.rho < found.rho <= claim.rho
        assert caught.rho > 1.4 * claim.rho
    if budget is APPROXIMATE:
        assert (claim.epsilon, claim.delta) == (1, 0.01)
        assert found.delta <= 0.01 < caught.delta


def mixed(rows):
    """A column of all rows and one in groups: (value, group, person) of each row."""
    domain, ids = Domain(0, 3, 1), [str(person) for _, _, person in rows]
    named = [(value, group, str(person)) for value, group, person in rows]
    return {
        "age": column([value for value, *_ in rows], domain, persons=ids, max_rows_per_person=2),
        "pay": grouped(named, domain, names=["n", "s"], per_person="max", max_groups_per_person=2),
    }


@pytest.mark.slow(keep="pure")
@pytest.mark.parametrize("budget", [PURE, CONCENTRATED], ids=["pure", "concentrated"])
def test_a_person_with_several_rows_in_groups_holds_the_whole_budget(budget, monkeypatch):
    """The one who joins has two rows, in both groups: each column would cost twice its part without being divided."""
    plan = Plan(["1/2"], "indexp", budget, JOINS)
    values = [0] * 14 if budget is PURE else [1, 1, 2]
    stay = [(value, group, (at, group)) for at, value in enumerate(values) for group in "ns"]
    tables = stay, [*stay, (3, "n", "joins"), (3, "s", "joins")]
    claim = calibrated(plan, mixed(stay), {"age": 1, "pay": 2}).guarantee
    assert claim.covers(budget)
    assert claim.protects == "person"

    def law(rows):
        table = mixed(rows)
        steps = calibrated(plan, table, {"age": 1, "pay": 2})

        def answer():
            return tuple((each.groups, each.values) for each in answers(table, steps))

        return law_of_release(answer, monkeypatch)

    one, other = map(law, tables)
    loss = loss_of_laws(one, other, claim.epsilon)
    assert within(budget, claim, loss)
    assert share_of(budget, claim, loss) > 0.75, "the pair has power"
