"""The exact law of tables whose groups are found once for all columns, or whose bounds are found in groups.

From the code that releases: every outcome of every draw is followed on tiny data, names and bounds among them.
"""

from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, FindBounds, Plan, PureDP
from tests import harness
from tests.harness import calibrated, law_of_bounds, loss_of_laws, unbounded_groups, within

JOINS, REPLACED = Adjacency
GRID = Domain(0, 2, 1)
Rows = list[tuple[Any, ...]]
STAY: list[Rows] = [[], [(2, 0, "n", 1)], [(0, 1, "n", 1), (2, 2, "s", 2)]]
"""The rows of those who stay: two values, a group and a person."""
OWN: list[Rows] = [[(0, 0, "n", 9)], [(0, np.nan, "n", 9), (2, 2, "s", 9)], [(2, 1, "s", 9)]]
"""The rows of the one who changes: in either group, or in both with a value that is missing."""


def columns_of(rows, most):
    """Two columns of a table whose groups are found once."""
    how = {"names": None, "max_groups_per_person": most, "per_person": "first", "finding": 0.5}
    persons = harness.persons_of([row[2:] for row in rows], most)
    return {
        name: replace(harness.grouped([(row[at], *row[2:]) for row in rows], GRID, **how), persons=persons)
        for at, name in enumerate(("age", "pay"))
    }


def law_of(rows, plan, most, monkeypatch):
    """The law of all answers, with which groups are named, and what is claimed."""
    columns = columns_of(rows, most)
    steps = calibrated(plan, columns)

    def answer():
        return tuple((each.groups, each.values) for each in harness.answers(columns, steps))

    return harness.law_of_release(answer, monkeypatch), steps.guarantee


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("most", [1, 2])
def test_names_that_are_found_once_and_all_answers_hold_the_budget(most, adjacency, monkeypatch):
    plan = Plan(["1/2"], "indexp", ApproxDP(1.0, 0.1), adjacency)
    own = [rows for rows in OWN if len(rows) <= most]
    for stay, before, after in product(STAY[1:], [[]] if adjacency is JOINS else own, own):
        (one, claim), (other, _) = (law_of([*stay, *each], plan, most, monkeypatch) for each in (before, after))
        assert claim.covers(plan.privacy)
        assert within(plan.privacy, claim, loss_of_laws(one, other, claim.epsilon))


@pytest.mark.slow
def test_the_names_of_a_table_use_their_delta_up(monkeypatch):
    """Somebody alone in a group has it named with the chance that is left of delta: half of it, as answers take rho."""
    plan = Plan(["1/2"], "indexp", ApproxDP(1.0, 0.1), JOINS)
    (one, claim), (other, _) = (law_of([*STAY[1], *each], plan, 1, monkeypatch) for each in ([], OWN[2]))
    assert 0.499 * claim.delta < loss_of_laws(one, other, claim.epsilon).delta <= claim.delta


def test_every_column_names_the_same_groups(monkeypatch):
    plan = Plan(["1/2"], "indexp", ApproxDP(1.0, 0.1), JOINS)
    found, _ = law_of(STAY[2], plan, 1, monkeypatch)
    named = {tuple(groups for groups, _ in outcome) for outcome in found.chances}
    assert {both[0] for both in named} == {(), ("n",), ("s",), ("n", "s")}
    assert all(first == second for first, second in named)


def test_a_missing_value_does_not_tell_in_who_is_named():
    columns = columns_of([*STAY[2], *OWN[1]], 2)
    assert [columns[name].people_in.tolist() for name in ("age", "pay")] == [[2, 2], [2, 2]]
    assert columns["pay"].sizes.tolist() == [1, 2]


# ── bounds ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def drawn(groups, steps, entropy):
    return tuple(harness.of_groups(groups, steps, entropy)[1].ravel().tolist())


def whole_law(rows, plan, **how):
    """The chance of every pair of bounds with every answer of every group between them, and what is claimed."""
    raw, found = unbounded_groups(rows, harness.tiny_bounds(), ("n", "s"), **how), {}
    steps = calibrated(plan, raw)
    for (down, up), chance in np.ndenumerate(law_of_bounds(steps, raw)):
        inside = harness.law(partial(drawn, harness.between(raw, down, up), steps.second))
        for outcome, own in inside.chances.items():
            found[down, up, outcome] = float(chance) * float(own)
    return found, steps.guarantee


@pytest.mark.slow(keep="two rows-rho-replace_one")
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("budget", [PureDP(2.0), ApproxDP(2.0, 0.01), ZCDP(0.3)], ids=["pure", "approximate", "rho"])
@pytest.mark.parametrize(("how", "own"), [
    ({"max_groups_per_person": 2, "per_person": "first"}, [[(2, "n", 9), (2, "s", 9)], [(-2, "n", 9), (0, "s", 9)]]),
    ({"max_rows_per_person": 2}, [[(2, "n", 9), (1, "n", 9)], [(-2, "s", 9)]]),
    (
        {"max_rows_per_person": 2, "max_groups_per_person": "any"},
        [[(2, "n", 9), (2, "s", 9)], [(-2, "s", 9), (0, "s", 9)]],
    ),
], ids=["two groups", "two rows", "two rows in any groups"])  # fmt: skip
def test_bounds_and_the_answers_of_all_groups_hold_the_budget(how, own, budget, adjacency):
    plan = Plan(["1/2"], "indexp", budget, adjacency)
    changes = [([], own[0]), ([], own[1])] if adjacency is JOINS else [own]
    for stay, (before, after) in product([[], [(1, "n", 1), (2, "s", 2)]], changes):
        (one, claim), (other, _) = (whole_law([*stay, *each], plan, **how) for each in (before, after))
        assert claim.covers(plan.privacy)
        assert within(budget, claim, loss_of_laws(one, other, claim.epsilon))


@pytest.mark.parametrize("most", [2, "any"])
def test_finding_bounds_by_all_groups_uses_its_part_of_the_budget_up(most):
    """Two records in each of two groups, or in all of them, beyond all others: the walk costs what it was given."""
    rule, own = {"max_groups_per_person": most, "max_rows_per_person": 2}, "ns" if most == "any" else "nnss"
    before, after = (
        unbounded_groups([(8e11, group, 9) for group in groups], FindBounds("1/2", negative=False), ("n", "s"), **rule)
        for groups in ("", own)
    )
    steps = calibrated(Plan(["1/2"], "indexp", PureDP(32.0), JOINS), before)
    assert steps.finding == 16
    one, other = (law_of_bounds(steps, raw) for raw in (before, after))
    known = (one > 1e-250) & (other > 1e-250)
    assert 0.7 * 16 < float(np.abs(np.log(one[known] / other[known])).max()) <= 16 * (1 + 1e-9)
