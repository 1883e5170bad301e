"""AQ, IndExp, both JointExp and the sketch end to end: exact laws of the shipped `run` beside `log_law` and claim.

Followed for every budget and both adjacencies, in both samplers: all draws, the weights of cells, envelopes, and
rejection. No mass is cut, so that every claim is checked answer by answer. Single draws from more data, with blocks of
many gaps and windows of a few: `tests/mechanisms`, and JointExp below. Not followed: sketches made of batches and
merges.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, PureDP
from dpq_core.arrays import Floats
from dpq_core.audit.losses import all_outputs
from dpq_core.mechanisms.aq import mechanism as aq
from dpq_core.mechanisms.freetotal import mechanism as freetotal
from dpq_core.mechanisms.freetotal.apart import Apart, ApartRecursion
from dpq_core.mechanisms.freetotal.mechanism import FreeTotalParameters
from dpq_core.mechanisms.freetotal.proposals import Proposals
from dpq_core.mechanisms.freetotal.sampling import draw as draw_free
from dpq_core.mechanisms.gk import mechanism as gk
from dpq_core.mechanisms.indexp import mechanism as indexp
from dpq_core.mechanisms.joint import mechanism as joint
from dpq_core.mechanisms.joint.mechanism import JointParameters
from dpq_core.mechanisms.joint.numbers import Wide
from dpq_core.mechanisms.joint.recursion import Recursion
from dpq_core.mechanisms.joint.sampling import choose, draw
from dpq_core.plan import OptionValue
from tests.branching import exp_bounds
from tests.harness import (
    NO_CUT,
    SAMPLERS,
    Plan,
    calibrate,
    check_chances,
    column,
    law_of_run,
    log_of,
    loss_of_laws,
    mechanism_of,
    within,
)
from tests.narrowing import only

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
    ("indexp", {}, ["0", "1"]),
    ("aq", {"draws": "one"}, ["0", "1"]),
)

KEPT = tuple(
    f"{key}-options{at}-levels{at}-{('approximate-add_remove', 'concentrated-substitute')[at % 2]}"
    for at, (key, *_) in enumerate(PLANS)
)


@cache
def found(plan, values):
    return law_of_run(plan, column(values, GRID))


def parameters_of(plan, n):
    return calibrate(plan, n if plan.adjacency is REPLACE else None)


@pytest.mark.slow(keep=KEPT)
@pytest.mark.parametrize("adjacency", [JOIN, REPLACE])
@pytest.mark.parametrize("privacy", BUDGETS, ids=["pure", "approximate", "concentrated", "weak"])
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
            assert within(privacy, guarantee, loss_of_laws(laws[0], laws[1], guarantee.epsilon))
            if guarantee.delta == 0 and guarantee.epsilon < 1000:
                _, above = exp_bounds(Fraction(guarantee.epsilon))
                for a, b in (laws, laws[::-1]):
                    assert all(chance <= above * b.at_least(x) for x, chance in a.chances.items())


@pytest.mark.slow(keep=KEPT)
@pytest.mark.parametrize("adjacency", [JOIN, REPLACE])
@pytest.mark.parametrize("privacy", BUDGETS, ids=["pure", "approximate", "concentrated", "weak"])
@pytest.mark.parametrize(("key", "options", "levels"), PLANS)
def test_the_fast_sampler_has_the_stated_law(key, options, levels, privacy, adjacency):
    plan, outputs = Plan(levels, key, privacy, adjacency, options), all_outputs(GRID, len(levels))
    for values in ((), (1,), (0, 2, 2), (0, 1, 3, 3)):
        stated = LOG_LAWS[key](outputs, np.array(values, np.int64), parameters_of(plan, len(values)), GRID)
        check_chances(law_of_run(plan, column(values, GRID), sampler="fast"), outputs, np.exp(stated))


@pytest.mark.parametrize(
    ("key", "options", "levels"),
    [
        ("indexp", {}, ["1/4", "1/2"]),
        ("aq", {"draws": "several"}, ["1/3", "2/3"]),
        ("aq", {}, ["1/4", "1/2"]),
        *PLANS[4:6],
    ],
)
def test_fast_trials_side_by_side_are_independent(key, options, levels):
    """Rows of one matrix: the law of two trials is the square of the law of one."""
    plan, grid = Plan(levels, key, PureDP(2.0), JOIN, options), 3
    sample, parameters = column((0, 1, 1, 2), grid), parameters_of(plan, 4)

    def program(entropy):
        entropy.trials = 2
        return tuple(mechanism_of(plan).run(sample, parameters, entropy).reshape(-1).tolist())

    one = law_of_run(plan, sample, sampler="fast")
    pairs = [(*first, *second) for first in one.chances for second in one.chances]
    stated = [float(first * second) for first in one.chances.values() for second in one.chances.values()]
    check_chances(SAMPLERS["fast"](program), np.array(pairs), np.array(stated))


# ── JointExp's own numbers ───────────────────────────────────────────────────────────────────────────────────────────


def test_a_choice_by_float_weights_is_exact():
    """Options are proposed by integers that are not below their weights: the law is that of the floats themselves."""
    mantissas, exponents = np.array([0.7, 0.5000001, 0.9, 0.0, 2 / 3]), np.array([0, -3, -40, -(2**50), -70])
    weights = Wide(mantissas[:, None], exponents[:, None])
    law = SAMPLERS["exact"](lambda entropy: int(choose(weights, entropy)[0]))
    exact = [
        Fraction(m) * Fraction(2) ** e if m else 0 for m, e in zip(mantissas.tolist(), exponents.tolist(), strict=True)
    ]
    assert set(law.chances) == {0, 1, 2, 4}
    for option, chance in law.chances.items():
        assert abs(chance * sum(exact) / exact[option] - 1) < NO_CUT


def drawn_from(source, sampler, entropy):
    return tuple(sampler(source, entropy)[0].tolist())


every_sampler = pytest.mark.parametrize("sampler", SAMPLERS)
every_column = pytest.mark.parametrize(
    ("records", "levels"),
    [([1, 2, 2, 5, 6, 7, 7, 7], ["1/4", "3/4"]), ([1, 1, 1, 2, 3, 3], ["1/10", "1/2", "3/5"]), ([3, 3], [0, 1])],
)


@pytest.mark.slow(keep=("2-records2-levels2-exact", "20-records0-levels0-fast", "1-records1-levels1-exact"))
@every_sampler
@every_column
@pytest.mark.parametrize("window", [1, 2, 20])
def test_a_window_does_not_change_the_law(window, records, levels, sampler):
    cells, grid = np.array(records, np.int64), max(records) + 2
    parameters = only(JointParameters, calibrate(Plan(levels, "jointexp", PureDP(3.0)), None))
    recursion = Recursion(cells, grid, parameters.levels, parameters.rate, window)
    assert recursion.whole == (window == 20 or len(records) == 2 == window)
    outputs = all_outputs(grid, len(levels))
    stated = joint.log_law(outputs, cells, parameters, grid)
    check_chances(SAMPLERS[sampler](partial(drawn_from, recursion, draw)), outputs, np.exp(stated))


# ── JointExp with a free total: by proposals, as with more records ───────────────────────────────────────────────────


@pytest.mark.slow(
    keep=(
        "1-1-records0-levels0-exact",
        "3-2-records2-levels2-fast",
        "1-20-records1-levels1-exact",
        "20-20-records2-levels2-exact",
    )
)
@every_sampler
@every_column
@pytest.mark.parametrize(("reach", "window"), [(20, 20), (3, 2), (1, 20), (1, 1)])
def test_proposals_near_and_far_have_the_stated_law(reach, window, records, levels, sampler):
    """Totals, tuples outside the reach, and those outside of every window: none is missing, none comes twice."""
    cells, grid = np.array(records, np.int64), max(records) + 2
    parameters = only(FreeTotalParameters, calibrate(Plan(levels, "freetotal", PureDP(3.0)), None))
    kind = ApartRecursion if sampler == "fast" else Recursion
    slow = kind(cells, grid, parameters.levels, parameters.rate // 3, window)
    proposals = Proposals(slow, parameters.rate, reach)
    assert proposals.everywhere == (reach >= len(records))
    if sampler == "fast" and (reach, window, len(records)) == (1, 1, 8):
        assert isinstance(slow, Apart), "levels are apart: their weights are plain floats"
        assert slow.plain
    outputs = all_outputs(grid, len(levels))
    stated = freetotal.log_law(outputs, cells, parameters, grid)
    check_chances(
        SAMPLERS[sampler](partial(drawn_from, proposals, partial(draw_free, trials=1))), outputs, np.exp(stated)
    )
