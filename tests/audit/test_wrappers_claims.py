"""What stands around a draw, by the code that is shipped: whole releases along all outcomes, half the noise caught.

Synthetic columns, intervals, tie-breaking bits, values with counts, sketches, OpenDP's measurements, the names of found
groups, bounds and numbers of records that are found for persons.
"""

from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import partial
from importlib import import_module
from math import exp
from typing import Any

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, BinCounts, Domain, GKSketch, Plan, PureDP, release, synthesize
from dpq_core.privacy.composition import budget_of_step
from tests import harness
from tests.harness import ROUNDING, calibrated, column, grouped, kind, law_of_release, loss_of_laws
from tests.narrowing import present

JOINS, REPLACED = Adjacency
GRID = Domain(0, 9, 1)
PURE, CONCENTRATED = PureDP(1.0), ZCDP(0.1)
PAIRS = {JOINS: ([1, 1, 9], [1, 1, 9, 9]), REPLACED: ([0, 1, 1, 9], [1, 1, 9, 9])}
"""Neighbours that cost a median nearly all that it claims."""
PAIRS_OF_RHO = {JOINS: ([4], [0, 4]), REPLACED: ([0, 4], [4, 9])}
PAIRS_OF_TWO = {JOINS: ([2] * 18 + [6] * 22, [0] + [2] * 18 + [6] * 22), REPLACED: ([0, 8, 8, 8, 8], [8, 8, 8, 8, 9])}
"""The same for the quantiles 1/4 and 3/4 together. A record that joins below all costs one of them all, and the other
one a third of that: two thirds of what is claimed.
"""
every_adjacency = pytest.mark.parametrize("adjacency", Adjacency)


def kept_and_half_caught(
    answer: Callable[[Any], Hashable], tables: Any, plan: Plan, monkeypatch: Any, reached: float
) -> None:
    """`answer`: what is released of a table."""
    claim = harness.parameters(plan, len(tables[0])).guarantee
    harness.reached_with_half_noise_caught(answer, tables, plan, claim, reached, monkeypatch)


@pytest.mark.slow(keep="replace_one")
@every_adjacency
def test_a_synthetic_column(adjacency, monkeypatch):
    plan = Plan(["1/2"], "indexp", PURE, adjacency)
    kept_and_half_caught(
        lambda table: synthesize(column(table, GRID), 2, plan)["column"].values,
        PAIRS_OF_TWO[adjacency],
        plan,
        monkeypatch,
        0.65 if adjacency is JOINS else 0.6,
    )


@every_adjacency
def test_intervals_with_their_answers(adjacency, monkeypatch):
    """All levels at the ends are drawn under the one budget, and their width follows from public facts alone."""
    plan = Plan(["1/2"], "indexp", PURE, adjacency, intervals=0.5, about_n=4)

    def answer(table):
        found = release(column(table, GRID), plan)["column"]
        return found.values, found.intervals

    kept_and_half_caught(answer, PAIRS[adjacency], plan, monkeypatch, 0.3)


@pytest.mark.slow
@every_adjacency
@pytest.mark.parametrize("mechanism", ["indexp", "aq", "freetotal"])
def test_tie_breaking_bits_are_part_of_the_release(mechanism, adjacency, monkeypatch):
    """One bit for each record, drawn when the sample is made: every outcome of it."""
    plan = Plan(["1/2"], mechanism, PURE, adjacency)

    def answer(table):
        return release(column(table, GRID, bits=1), plan)["column"].values

    kept_and_half_caught(answer, PAIRS[adjacency], plan, monkeypatch, 0.4)


@pytest.mark.slow(one_in=3)
@every_adjacency
@pytest.mark.parametrize("privacy", [PURE, CONCENTRATED], ids=kind)
def test_sketches_that_were_merged(privacy, adjacency, monkeypatch):
    """Of two streams, stored and read in between; every value is kept, so that its ranks are exact."""
    plan = Plan(["1/2"], "gkexp", privacy, adjacency, {"alpha": 0.0, "n_max": 6})
    tables = (PAIRS if privacy is PURE else PAIRS_OF_RHO)[adjacency]

    def answer(table):
        whole = GKSketch(0.0, GRID, 6)
        for part in (table[:1], table[1:]):
            stream = GKSketch(0.0, GRID, 3)
            stream.update(np.array(part, np.float64))
            whole.merge(GKSketch.from_bytes(stream.to_bytes()))
        return release(whole, plan)["column"].values

    kept_and_half_caught(answer, tables, plan, monkeypatch, 0.8)


@every_adjacency
def test_counts_of_bins_that_were_merged_answer_as_the_records(adjacency, monkeypatch):
    plan, table = Plan(["1/2"], "binhist", PureDP(4.0), adjacency, {"bins": 2}), PAIRS[adjacency][0]

    def answer():
        parts = [BinCounts(GRID, 2) for _ in range(2)]
        for part, values in zip(parts, (table[:2], table[2:]), strict=True):
            part.update(np.array(values, np.float64))
        parts[0].merge(parts[1])
        return release(parts[0], plan)["column"].values

    cut = Fraction(1, 10**6)
    assert law_of_release(answer, monkeypatch, cut) == law_of_release(
        lambda: release(column(table, GRID), plan)["column"].values, monkeypatch, cut
    )


# ── OpenDP ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("privacy", [PURE, CONCENTRATED], ids=kind)
def test_a_measurement_of_opendp_loses_no_more_than_its_map_says(privacy, monkeypatch):
    """At distance 1, 2 and 3, from the function that OpenDP calls."""
    opendp = pytest.importorskip("opendp.prelude")
    opendp.enable_features("contrib", "honest-but-curious")
    from dpq_core.opendp import make_private_quantiles

    plan, tables = Plan(["1/2"], "indexp", privacy), ([4.0, 5.0], [4.0, 5.0, 0.0], [4.0, 5.0, 0.0, 0.0])
    usual = import_module("dpq_core.opendp").Column.from_values
    monkeypatch.setattr(
        import_module("dpq_core.opendp").Column, "from_values", lambda *given: usual(*given, tie_bits=0)
    )
    measured = make_private_quantiles(GRID, opendp.symmetric_distance(), plan)

    def answer(table):
        return tuple(measured(table))

    def losses():
        laws = [law_of_release(partial(answer, table), monkeypatch) for table in tables]
        found = [loss_of_laws(laws[0], each, 1.0) for each in laws[1:]]
        return [each.rho if privacy is CONCENTRATED else each.epsilon for each in found]

    claims = [measured.map(distance) for distance in (1, 2)]
    assert all(0.5 * claim < lost <= claim * (1 + ROUNDING) for claim, lost in zip(claims, losses(), strict=True))
    harness.halve_noise("indexp", monkeypatch)
    assert all(lost > claim for claim, lost in zip(claims, losses(), strict=True))


# ── found groups, bounds and numbers ─────────────────────────────────────────────────────────────────────────────────


FOUND = {(JOINS, 1): 0.999, (JOINS, 2): 0.999, (REPLACED, 1): 0.43, (REPLACED, 2): 0.46}
"""How much of delta is reached: who moves takes one step in each group, and pays for two."""


@pytest.mark.slow(keep=("add_remove-1", "replace_one-1"))
@pytest.mark.parametrize(("adjacency", "most"), FOUND)
def test_found_groups_of_persons(adjacency, most, monkeypatch):
    """Names and answers of all groups together; a rule with so much more delta is caught."""
    budget, grid = ApproxDP(1.0, 0.001), Domain(0, 1, 1)
    plan = Plan(["1/2"], "jointexp", budget, adjacency)
    moved, own = ([(0.0, name, "changes") for name in names[:most]] for names in ("uv", "st"))
    stay = [(1.0, "n", "a"), (1.0, "n", "b")]
    tables = [*stay, *(moved if adjacency is REPLACED else [])], [*stay, *own]

    def answer(rows):
        groups = grouped(rows, grid, names=None, max_groups_per_person=most, finding=0.5)
        found = release(groups, plan)["column"]
        return found.groups, found.values

    def share():
        first, second = (law_of_release(partial(answer, rows), monkeypatch) for rows in tables)
        return loss_of_laws(first, second, budget.epsilon).delta / budget.delta

    reached, usual = share(), budget_of_step
    assert FOUND[adjacency, most] < reached <= 1 + ROUNDING

    def generous(epsilon, delta, unit):
        each, of_one = usual(epsilon, delta, unit)
        return each, of_one * 2 / Fraction(reached)

    monkeypatch.setattr("dpq_core.privacy.composition.budget_of_step", generous)
    assert share() > 1.2


@every_adjacency
@pytest.mark.parametrize(("mechanism", "spent"), [("indexp", 0.025), ("binhist", 0)])
def test_names_have_what_answers_leave_of_delta(mechanism, spent, adjacency):
    """Delta is divided: answers spend half of it for a whole person, or none, and the names at most the rest."""
    groups = grouped([(1.0, "n", "a")], GRID, names=None, finding=0.5)
    steps = calibrated(Plan(["1/2"], mechanism, ApproxDP(1.0, 0.05), adjacency), groups)
    naming, each = present(steps.naming), steps.parameters.guarantee
    assert steps.unit.guarantee_of(ApproxDP(0.5, 0.025), adjacency, each).delta == spent
    steps = 1 if adjacency is JOINS else 1 + exp(0.25)  # a quarter of epsilon for each of two
    assert float(naming.delta) * steps == pytest.approx(0.05 - spent)


@every_adjacency
def test_a_noisy_number_of_rows_costs_a_person_what_it_is_charged(adjacency):
    """At most two rows each: who joins brings two, and who is replaced changes their number by two at most."""
    plan = Plan(["1/2"], "indexp", PureDP(8.0), adjacency, intervals=0.9, about_n="noisy")
    rows = {"a": [1, 1], "b": [2], "c": [3, 3, 3]}

    def persons(names):
        values, ids = zip(*((value, name) for name in names for value in rows[name]), strict=True)
        return column(values, GRID, persons=ids, max_rows_per_person=2)

    steps = calibrated(plan, persons("ab"))

    def number(names, entropy):
        return int(steps.noisy(persons(names), entropy)[0, 0])

    first, second = (harness.law(partial(number, names), Fraction(1, 10**7)) for names in ("ab", "abc"))
    assert harness.worst_ratio(first, second, 1e-5) == pytest.approx(float(steps.finding), rel=1e-3)
    assert steps.guarantee.epsilon <= 8
