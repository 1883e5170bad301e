"""Shares: exact losses between tables that differ by one person with several rows, and what runs is what is stated.

Losses are for the weights that are shipped, 2^20 units to a person. The samplers are followed with two to four units,
so that all their outcomes can be listed.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpq_core import Adjacency, Domain, PureDP
from dpq_core.audit.losses import all_outputs
from dpq_core.mechanisms.aq import mechanism as aq
from dpq_core.mechanisms.freetotal import mechanism as freetotal
from dpq_core.mechanisms.indexp import mechanism as indexp
from dpq_core.mechanisms.joint import mechanism as joint
from dpq_core.mechanisms.registry import MECHANISMS
from tests import harness
from tests.audit.test_people_claims import BUDGET_NAMES, BUDGETS, GRID, JOINS, REPLACED, loss_of, table, tables
from tests.harness import ROUNDING, Column, ExactEntropy, Plan, SeededSampler, calibrate, exceeds, weighted

OTHERS = [[], [[3, 3, 0]], [[0, 1], [3]]]
OWN = [[0], [0, 3], [3, 0, 1]]
WAYS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("aq", {}, ["1/3", "2/3"]), ("aq", {"draws": "several"}, ["1/3", "2/3"]), ("indexp", {}, ["1/3", "2/3"]),
    ("jointexp", {}, ["1/3", "2/3"]), ("freetotal", {}, ["1/3", "2/3"]),
    ("aggtree", {"branching": 2, "height": 2}, ["1/2"]), ("binhist", {"bins": 2}, ["1/2"]),
]  # fmt: skip
FLOORED: list[tuple[str, dict[str, Any], list[str]]] = [
    ("aq", {"calibration": "paper"}, ["1/4", "1/2", "3/4"]),
    ("indexp", {"calibration": "paper"}, ["1/3", "2/3"]),
]
"""With the printed constants: targets are whole units of a person."""
ENDS: list[tuple[str, dict[str, Any], list[str]]] = [
    *((key, {}, [level]) for key in ("aq", "indexp", "jointexp", "freetotal") for level in ("0", "1")),
    *((key, {}, ["0", "1"]) for key in ("aq", "indexp", "jointexp", "freetotal")),
    ("aq", {"draws": "one"}, ["0", "1/2", "1"]),
]
"""Whose scores a person moves one way."""
ALL = [*WAYS, *FLOORED, *ENDS]


@pytest.mark.slow(keep=tuple(f"{key}-options{at}-levels{at}-pure-add_remove" for at, (key, *_) in enumerate(ALL)))
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS, ids=BUDGET_NAMES)
@pytest.mark.parametrize(("mechanism", "options", "levels"), ALL)
def test_a_person_with_all_rows_holds_the_whole_budget(mechanism, options, levels, privacy, adjacency):
    plan = Plan(levels, mechanism, privacy, adjacency, options)
    pairs = list(tables(adjacency, OTHERS, OWN))
    assert max(exceeds(plan, loss_of(plan, pair, GRID, per_person="weight")) for pair in pairs) <= ROUNDING


def one_sided(adjacency, own):
    """Many near one end; a person with these rows joins, or comes for one who is at that end."""
    others = {f"stays {i}": [8 if adjacency is REPLACED else 9] for i in range(9 if adjacency is JOINS else 6)}
    before = others | ({"changed": [9, 9]} if adjacency is REPLACED else {})
    return table(before), table(others | {"changed": own})


@pytest.mark.parametrize("own", [[0] * 9, [0, 0, 0, 1]])
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("mechanism", ["aq", "indexp", "jointexp", "freetotal"])
def test_the_budget_is_used_and_half_the_noise_is_caught(mechanism, adjacency, own):
    plan, pair = Plan(["1/2"], mechanism, PureDP(1.0), adjacency), one_sided(adjacency, own)
    wide = Domain(0, 9, 1)
    sound = loss_of(plan, pair, wide, per_person="weight")
    broken = loss_of(plan, pair, wide, per_person="weight", alter=lambda p: p.with_rates_times(Fraction(2)))
    assert 0.55 < sound.epsilon <= 1 < broken.epsilon


@pytest.mark.slow(keep=["pure-indexp", "approximate-freetotal", "concentrated-binhist"])
@pytest.mark.parametrize("mechanism", ["aq", "indexp", "jointexp", "freetotal", "aggtree", "binhist"])
@pytest.mark.parametrize("privacy", BUDGETS, ids=BUDGET_NAMES)
def test_rows_at_full_weight_are_caught(mechanism, privacy, monkeypatch):
    """As if every row were a person: nine rows at one end lose almost nine times the budget."""

    def naive(codes, count, ordered=None):
        rows, _ = harness.share_rows(codes, count, ordered=ordered)
        return rows, np.full(rows.size, harness.UNIT)

    options: dict[str, Any] = {"aggtree": {"branching": 2, "height": 1}, "binhist": {"bins": 2}}
    plan, pair = Plan(["1/2"], mechanism, privacy, JOINS, options.get(mechanism, {})), one_sided(JOINS, [0] * 9)
    wide = Domain(0, 9, 1)
    assert exceeds(plan, loss_of(plan, pair, wide, per_person="weight")) <= ROUNDING
    monkeypatch.setattr("dpq_core.people.shares.share_rows", naive)
    naive_loss = loss_of(plan, pair, wide, per_person="weight")
    assert exceeds(plan, naive_loss) > 0.05
    if isinstance(privacy, PureDP):
        assert naive_loss.epsilon > 6


# ── intervals ────────────────────────────────────────────────────────────────────────────────────────────────────────


def sure(mechanism, options, privacy, adjacency, **settings):
    return Plan(["1/2"], mechanism, privacy, adjacency, options, **{"intervals": 0.5, "about_n": 1000} | settings)


@pytest.mark.slow(keep=("aq-options0-pure-add_remove", "jointexp-options2-concentrated-replace_one"))
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS, ids=BUDGET_NAMES)
@pytest.mark.parametrize(
    ("mechanism", "options"), [("aq", {"draws": "one"}), ("indexp", {}), ("jointexp", {}), ("freetotal", {})]
)
def test_the_levels_at_the_ends_of_intervals_are_part_of_the_budget_of_a_person(mechanism, options, privacy, adjacency):
    """All levels are outputs, although a release tells fewer numbers than that."""
    plan = sure(mechanism, options, privacy, adjacency, **{} if adjacency is JOINS else {"about_n": None})
    worst = max(
        exceeds(plan, loss_of(plan, pair, GRID, per_person="weight")) for pair in tables(adjacency, OTHERS, OWN)
    )
    assert worst <= ROUNDING
    people = harness.persons([0, 0, 1])
    column = harness.usual_column([0.0, 3.0, 1.0], GRID, seed=0, people=people, per_person="weight")
    if adjacency is JOINS:
        assert len(harness.Calibrated.for_column(column, plan).parameters.levels) == 3


@pytest.mark.slow(keep="indexp")
@pytest.mark.parametrize("mechanism", ["aq", "indexp", "jointexp", "freetotal"])
def test_a_quarter_of_the_noise_is_caught_with_levels_at_the_ends(mechanism):
    plan, pair = sure(mechanism, {}, PureDP(1.0), JOINS), one_sided(JOINS, [0] * 9)
    wide = Domain(0, 9, 1)
    broken = loss_of(plan, pair, wide, per_person="weight", alter=lambda p: p.with_rates_times(Fraction(4)))
    assert loss_of(plan, pair, wide, per_person="weight").epsilon <= 1 < broken.epsilon


# ── what runs ────────────────────────────────────────────────────────────────────────────────────────────────────────

LOG_LAWS: dict[str, Any] = {
    "aq": aq.log_law, "indexp": indexp.log_law, "jointexp": joint.log_law, "freetotal": freetotal.log_law,
}  # fmt: skip
DATA = [([0, 2, 3], [1, 2, 1]), ([1, 1, 3], [4, 2, 2]), ([], []), ([0, 2, 3], [1, 2, 2]), ([1], [1])]
"""Rows on a grid of 4, and their weights; four units to a person. In a group there may be parts of persons."""


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("sampler", harness.SAMPLERS)
@pytest.mark.parametrize(("rows", "weights"), DATA)
@pytest.mark.parametrize(("mechanism", "options", "levels"), WAYS[:5])
def test_what_runs_is_what_is_stated(mechanism, options, levels, rows, weights, sampler):
    plan, cells = Plan(levels, mechanism, PureDP(1.0), JOINS, options), weighted(rows, weights)
    column = Column(cells, Domain(0, 3, 1), 0, 0, 0, "person")
    law, outputs = harness.law_of_run(plan, column, sampler=sampler), all_outputs(4, 2)
    harness.check_chances(law, outputs, np.exp(LOG_LAWS[mechanism](outputs, cells, calibrate(plan), 4)))


@pytest.mark.parametrize("kind", ["aggtree", "binhist"])
def test_noise_on_counts_is_in_units(kind, monkeypatch):
    drawn = []
    for entropy in (ExactEntropy, SeededSampler):
        original = entropy.discrete_laplace

        def recorded(self, scale, shape, original=original):
            drawn.append(scale)
            return original(self, scale, shape)

        monkeypatch.setattr(entropy, "discrete_laplace", recorded)
    plan, cells = Plan(["1/2"], kind, PureDP(1.0)), weighted([0, 2], [5, 3])
    parameters = calibrate(plan)
    for each in (ExactEntropy(), SeededSampler(0, 1, 0)):
        MECHANISMS[kind].run(Column(cells, Domain(0, 3, 1), 0, 0, 0, "person"), parameters, each)
    assert drawn == [4 * parameters.noise.size] * 2  # type: ignore[attr-defined]
