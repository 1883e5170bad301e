"""The exact law of tables whose groups are found once for all columns, or whose bounds are found in groups.

From the code that releases: every outcome of every draw is followed on tiny data, names and bounds among them.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, FindBounds, Groups, People, Plan, PureDP
from dpq_core.audit.branching import enumerate_law
from dpq_core.audit.losses import loss_between
from dpq_core.columns import calibrate_columns, columns_plan, draw_columns
from dpq_core.finding import RawGroups, calibrate_raw
from dpq_core.groups import GroupColumn, codes_of, draw_once, names_in, persons_in
from tests.audit.enumerated import NO_CUT, loss_of_laws, within
from tests.every_run import kept
from tests.narrowing import present

JOINS, REPLACED = Adjacency
GRID = Domain(0, 2, 1)
DRAWING = [sys.modules[f"dpq_core.{name}"] for name in ("release", "groups.draws", "columns.release")]
Rows = list[tuple[Any, ...]]
STAY: list[Rows] = [[], [(2, 0, "n", 1)], [(0, 1, "n", 1), (2, 2, "s", 2)]]
"""The rows of those who stay: two values, a group and a person."""
OWN: list[Rows] = [[(0, 0, "n", 9)], [(0, np.nan, "n", 9), (2, 2, "s", 9)], [(2, 1, "s", 9)]]
"""The rows of the one who changes: in either group, or in both with a value that is missing."""


def columns_of(rows, most):
    """Two columns of a table whose groups are found once."""
    *values, groups, ids = zip(*rows, strict=True) if rows else ((), (), (), ())
    people, labels = People.of(list(ids)), list(groups)
    names = names_in(labels) if rows else ()
    persons = persons_in(codes_of(labels, names, pooled=False), len(names), people, most, None)
    how = {"people": people, "groups_per_person": most, "take": "first", "finding": 0.5, "jitter_bits": 0}
    return {
        name: replace(Groups.from_values(own, labels, GRID, names=None, **how), persons=persons)
        for name, own in zip(("age", "pay"), map(list, values), strict=True)
    }


def law_of(rows, plan, most, monkeypatch):
    """The law of all answers, with which groups are named, and what is claimed."""
    columns = columns_of(rows, most)
    calibrated = calibrate_columns(columns, columns_plan(columns, plan))

    def program(entropy):
        for module in DRAWING:
            monkeypatch.setattr(module, "ExactEntropy", lambda: entropy)
        answers = draw_columns(columns, calibrated).values
        return tuple((name, *own.items()) for name, own in answers.items())

    law = enumerate_law(program)
    assert law.cut < NO_CUT
    return law, calibrated.guarantee


@pytest.mark.covering(1)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("most", kept([1, 2], 1))
def test_names_that_are_found_once_and_all_answers_hold_the_budget(most, adjacency, monkeypatch):
    plan = Plan(["1/2"], "indexp", ApproxDP(1.0, 0.1), adjacency)
    own = [rows for rows in OWN if len(rows) <= most]
    befores = [[]] if adjacency is JOINS else own
    for stay, before, after in product(STAY[1:], befores, own):
        (one, claim), (other, _) = (law_of([*stay, *each], plan, most, monkeypatch) for each in (before, after))
        assert claim.covers(plan.privacy)
        assert within(plan, claim, one, other)


def test_the_names_of_a_table_use_their_delta_up(monkeypatch):
    """Somebody alone in a group has it named with the chance that is left of delta: half of it, as answers take rho."""
    plan = Plan(["1/2"], "indexp", ApproxDP(1.0, 0.1), JOINS)
    (one, claim), (other, _) = (law_of([*STAY[1], *each], plan, 1, monkeypatch) for each in ([], OWN[2]))
    assert 0.499 * claim.delta < loss_of_laws(one, other, claim.epsilon).delta <= claim.delta


def test_every_column_names_the_same_groups(monkeypatch):
    plan = Plan(["1/2"], "indexp", ApproxDP(1.0, 0.1), JOINS)
    law, _ = law_of(STAY[2], plan, 1, monkeypatch)
    named = {tuple(tuple(group for group, _ in own) for _, *own in outcome) for outcome in law.chances}
    assert {both[0] for both in named} == {(), ("n",), ("s",), ("n", "s")}
    assert all(first == second for first, second in named)


def test_a_missing_value_does_not_tell_in_who_is_named():
    persons = [columns_of([*STAY[2], *OWN[1]], 2)[name].people_in.tolist() for name in ("age", "pay")]
    assert persons == [[2, 2], [2, 2]]
    assert columns_of([*STAY[2], *OWN[1]], 2)["pay"].sizes.tolist() == [1, 2]


# ── bounds ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def tiny():
    """Bounds from -2 to 2: all that can be found."""
    found = FindBounds("1/2", negative=True, step=1)
    object.__setattr__(found, "grid", Domain.significant(1, 1, 2, negative=True))
    return found


def raw_of(rows, bounds=None, **how):
    """A column in two groups whose bounds are to be found: value, group and person of each row."""
    values, groups, ids = zip(*rows, strict=True) if rows else ((), (), ())
    rule = {"names": ("n", "s"), "people": People.of(list(ids))} | how
    codes = np.array(["ns".index(each) for each in groups], np.int32)
    return RawGroups(np.array(values, np.float64), GroupColumn(codes, ("n", "s")), bounds or tiny(), rule)


def drawn(groups, calibrated, entropy):
    return tuple(draw_once(groups, calibrated, entropy)[1].ravel().tolist())


def whole_law(rows, plan, **how):
    """The chance of every pair of bounds with every answer of every group between them, and what is claimed."""
    raw = raw_of(rows, **how)
    steps, found = calibrate_raw(raw, plan), {}
    chances = steps.walk.law(raw.counted)
    zero = raw.find_bounds.zero
    for down, up in product(*map(range, chances.shape)):
        domain = raw.find_bounds.between(down, zero + 1 + up)
        groups = raw.on(domain, jitter_bits=0)
        law = enumerate_law(partial(drawn, groups, steps.of_groups))
        assert law.cut < Fraction(1, 10**12)
        for outcome, chance in law.chances.items():
            found[down, up, outcome] = chances[down, up] * float(chance)
    return found, steps.guarantee


@pytest.mark.covering(1)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("budget", [PureDP(2.0), ApproxDP(2.0, 0.01), ZCDP(0.3)], ids=["pure", "approximate", "rho"])
@pytest.mark.parametrize(
    ("how", "own"),
    [
        ({"groups_per_person": 2, "take": "first"}, [[(2, "n", 9), (2, "s", 9)], [(-2, "n", 9), (0, "s", 9)]]),
        ({"most_rows": 2}, [[(2, "n", 9), (1, "n", 9)], [(-2, "s", 9)]]),
        ({"most_rows": 2, "groups_per_person": "any"}, [[(2, "n", 9), (2, "s", 9)], [(-2, "s", 9), (0, "s", 9)]]),
    ],
    ids=["two groups", "two rows", "two rows in any groups"],
)
def test_bounds_and_the_answers_of_all_groups_hold_the_budget(how, own, budget, adjacency):
    plan = Plan(["1/2"], "indexp", budget, adjacency)
    for stay, (before, after) in product(
        [[], [(1, "n", 1), (2, "s", 2)]], [([], own[0]), ([], own[1])] if adjacency is JOINS else [own]
    ):
        (one, claim), (other, _) = (whole_law([*stay, *each], plan, **how) for each in (before, after))
        assert claim.covers(plan.privacy)
        keys = sorted(one.keys() | other.keys())
        with np.errstate(divide="ignore"):
            first, second = (np.log([law.get(key, 0.0) for key in keys]) for law in (one, other))
        loss = loss_between(first, second, claim.epsilon)
        if isinstance(budget, ZCDP):
            assert present(loss.rho) <= present(claim.rho) * (1 + 1e-9)
        else:
            assert loss.delta <= claim.delta + 1e-12


@pytest.mark.parametrize("most", [2, "any"])
def test_finding_bounds_by_all_groups_uses_its_part_of_the_budget_up(most):
    """Two records in each of two groups, or in all of them, beyond all others: the walk costs what it was given."""
    how = {"bounds": FindBounds("1/2", negative=False), "groups_per_person": most, "most_rows": 2}
    own = "ns" if most == "any" else "nnss"
    before, after = (raw_of([(8e11, group, 9) for group in groups], **how) for groups in ("", own))
    steps = calibrate_raw(before, Plan(["1/2"], "indexp", PureDP(32.0), JOINS))
    assert steps.finding == 16
    laws = [steps.walk.law(raw.counted) for raw in (before, after)]
    known = (laws[0] > 1e-250) & (laws[1] > 1e-250)
    reached = float(np.abs(np.log(laws[0][known] / laws[1][known])).max())
    assert 0.7 * 16 < reached <= 16 * (1 + 1e-9)
