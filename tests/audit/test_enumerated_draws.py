"""AQ, IndExp, both JointExp and the sketch end to end: the exact law of the shipped `run` beside `log_law` and claim.

Followed for every budget and both adjacencies: all draws, the integer weights of cells, envelopes, and rejection. No
mass is cut, so that every claim is checked answer by answer. Not followed: data whose blocks hold many gaps (a budget
for which two records count alike), sketches made of batches and merges, and JointExp's window above 2,000 records but
for its own test below.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Plan, PureDP
from dpq_core.arrays import Floats
from dpq_core.audit.branching import enumerate_law, exp_bounds
from dpq_core.mechanisms.aq import mechanism as aq
from dpq_core.mechanisms.freetotal import mechanism as freetotal
from dpq_core.mechanisms.freetotal.proposals import Proposals
from dpq_core.mechanisms.freetotal.sampling import draw as draw_free
from dpq_core.mechanisms.gk import mechanism as gk
from dpq_core.mechanisms.indexp import mechanism as indexp
from dpq_core.mechanisms.joint import mechanism as joint
from dpq_core.mechanisms.joint.numbers import Wide
from dpq_core.mechanisms.joint.recursion import Recursion
from dpq_core.mechanisms.joint.sampling import choose, draw
from dpq_core.plan import OptionValue
from dpq_core.release import calibrate
from tests.audit.enumerated import NO_CUT, law_of_run, log_of, sample_of, within

JOIN, REPLACE = Adjacency.ADD_REMOVE, Adjacency.SUBSTITUTE
GRID = 4
LOG_LAWS: dict[str, Callable[..., Floats]] = {
    "aq": aq.log_law,
    "indexp": indexp.log_law,
    "jointexp": joint.log_law,
    "freetotal": freetotal.log_law,
    "gkexp": gk.log_law,
}
BUDGETS = (PureDP(1.0), ApproxDP(1.0, 1e-3), ZCDP(0.1), PureDP(30.0))
PLANS: tuple[tuple[str, dict[str, OptionValue], list[str]], ...] = (
    ("aq", {}, ["1/4", "1/2", "3/4"]),
    ("aq", {"draws": "several"}, ["1/3", "2/3"]),
    ("aq", {"calibration": "paper"}, ["1/3", "1/2"]),
    ("indexp", {}, ["1/4", "1/2"]),
    ("jointexp", {}, ["1/4", "1/2"]),
    ("freetotal", {}, ["1/4", "1/2"]),
    ("freetotal", {}, ["0", "1"]),
    ("gkexp", {"alpha": 0.2, "n_max": 8}, ["1/3", "1/2"]),
)


@cache
def found(plan, values):
    return law_of_run(plan, sample_of(values, GRID))


def parameters_of(plan, n):
    return calibrate(plan, n if plan.adjacency is REPLACE else None)


@pytest.mark.parametrize("adjacency", [JOIN, REPLACE])
@pytest.mark.parametrize("privacy", BUDGETS, ids=str)
@pytest.mark.parametrize(("key", "options", "levels"), PLANS)
def test_what_runs_is_what_is_stated(key, options, levels, privacy, adjacency):
    """Outcome by outcome: the law of `run` is `log_law`, and neighbours keep the claim in both directions."""
    plan = Plan(levels, key, privacy, adjacency, options)
    for values in ((), (1,), (0, 2, 2), (0, 1, 3, 3)):
        others = tuple(sorted((*values, 3) if adjacency is JOIN else (*values[1:], 3)))
        pair = [values, others] if adjacency is JOIN or values else [values]
        for each in pair:
            law, parameters = found(plan, each), parameters_of(plan, len(each))
            assert law.cut < NO_CUT
            assert all(tuple(sorted(output)) == output for output in law.chances)
            outputs = np.array(sorted(law.chances))
            stated = LOG_LAWS[plan.mechanism](outputs, np.array(each, np.int64), parameters, GRID)
            assert [log_of(law.chances[x]) for x in sorted(law.chances)] == pytest.approx(stated.tolist(), abs=1e-9)
            assert np.exp(stated).sum() == pytest.approx(1, abs=1e-9)
        if len(pair) == 2:
            guarantee = parameters_of(plan, len(values)).guarantee
            laws = [found(plan, each) for each in pair]
            assert within(plan, guarantee, *laws)
            if guarantee.delta == 0 and guarantee.epsilon < 1000:
                _, above = exp_bounds(Fraction(guarantee.epsilon))
                for a, b in (laws, laws[::-1]):
                    assert all(chance <= above * b.at_least(x) for x, chance in a.chances.items())


# ── JointExp's own numbers ───────────────────────────────────────────────────────────────────────────────────────────


def test_a_choice_by_float_weights_is_exact():
    """Options are proposed by integers that are not below their weights: the law is that of the floats themselves."""
    mantissas, exponents = np.array([0.7, 0.5000001, 0.9, 0.0, 2 / 3]), np.array([0, -3, -40, -(2**50), -70])
    weights = Wide(mantissas[:, None], exponents[:, None])
    law = enumerate_law(lambda entropy: int(choose(weights, entropy)[0]))
    exact = [
        Fraction(m) * Fraction(2) ** e if m else 0 for m, e in zip(mantissas.tolist(), exponents.tolist(), strict=True)
    ]
    assert set(law.chances) == {0, 1, 2, 4}
    for option, chance in law.chances.items():
        assert abs(chance * sum(exact) / exact[option] - 1) < NO_CUT


def drawn_from(recursion, entropy):
    return tuple(draw(recursion, entropy)[0].tolist())


@pytest.mark.parametrize("window", [1, 2])
def test_a_window_does_not_change_the_law(window):
    levels, cells, rate = (Fraction(1, 3), Fraction(2, 3)), np.array([0, 1, 1, 2, 3, 3]), 3 << 31
    whole, narrow = (Recursion(cells, GRID, levels, rate, size) for size in (6, window))
    assert whole.whole
    assert not narrow.whole
    laws = [enumerate_law(partial(drawn_from, r)) for r in (whole, narrow)]
    assert len(laws[0].chances) == 10
    for outcome, chance in laws[0].chances.items():
        assert float(laws[1].at_least(outcome) / chance) == pytest.approx(1, abs=1e-12)


# ── JointExp with a free total: by proposals, as with more records ───────────────────────────────────────────────────


@pytest.mark.parametrize(("reach", "window"), [(9, 9), (1, 9), (1, 1)])
def test_proposals_near_and_far_have_the_stated_law(reach, window):
    """Totals, tuples outside the reach, and those outside of every window: none is missing, none comes twice."""
    levels, cells, rate = (Fraction(1, 3), Fraction(2, 3)), np.array([0, 1, 3]), 1 << 32
    parameters = replace(freetotal.calibrate(Plan(["1/3", "2/3"], "freetotal"), None), rate=rate)
    proposals = Proposals(Recursion(cells, GRID, levels, rate // 3, window), rate, reach)
    assert proposals.everywhere == (reach == 9)
    law = enumerate_law(lambda entropy: tuple(draw_free(proposals, entropy)[0].tolist()))
    outputs = np.array(sorted(law.chances))
    assert len(outputs) == 10, "all non-decreasing pairs of four cells"
    stated = freetotal.log_law(outputs, cells, parameters, GRID)
    assert [log_of(law.chances[x]) for x in sorted(law.chances)] == pytest.approx(stated.tolist(), abs=1e-12)
