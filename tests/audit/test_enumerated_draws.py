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
from dpq_core.mechanisms.freetotal.draws import FreeDraws
from dpq_core.mechanisms.gk import mechanism as gk
from dpq_core.mechanisms.indexp import mechanism as indexp
from dpq_core.mechanisms.joint import mechanism as joint
from dpq_core.mechanisms.joint import windows
from dpq_core.mechanisms.joint.distance import best_total, counts_between, distance, missed, proportions_of
from dpq_core.mechanisms.joint.draws import ExactChoices, JointDraws
from dpq_core.mechanisms.joint.windows import SLACK, Part, Windows
from dpq_core.plan import OptionValue
from tests import harness
from tests.branching import enumerate_law, exp_bounds
from tests.harness import SAMPLERS, Plan, check_chances, column, law_of_run, unit_of, weighted

JOIN, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
GRID = 4
LOG_LAWS: dict[str, Callable[..., Floats]] = {
    "aq": aq.log_law, "indexp": indexp.log_law, "jointexp": joint.log_law, "freetotal": freetotal.log_law,
    "gkexp": gk.log_law,
}  # fmt: skip
BUDGETS = (PureDP(1.0), ApproxDP(1.0, 1e-3), ZCDP(0.1), PureDP(30.0))
PLANS: tuple[tuple[str, dict[str, OptionValue], list[str]], ...] = (
    ("aq", {}, ["1/4", "1/2", "3/4"]), ("aq", {"draws": "several"}, ["1/3", "2/3"]),
    ("aq", {"calibration": "paper"}, ["1/3", "1/2"]), ("indexp", {}, ["1/4", "1/2"]), ("jointexp", {}, ["1/4", "1/2"]),
    ("freetotal", {}, ["1/4", "1/2"]), ("freetotal", {}, ["0", "1"]),
    ("gkexp", {"alpha": 0.2, "n_max": 8}, ["1/3", "1/2"]), ("indexp", {}, ["0", "1"]),
    ("aq", {"draws": "one"}, ["0", "1"]),
)  # fmt: skip

KEPT = tuple(
    f"{key}-options{at}-levels{at}-{('approximate-add_remove', 'concentrated-replace_one')[at % 2]}"
    for at, (key, *_) in enumerate(PLANS)
)


@cache
def found(plan, values):
    return law_of_run(plan, column(values, GRID))


def parameters_of(plan, n):
    return harness.calibrate(plan, n if plan.adjacency is REPLACE else None)


@pytest.mark.slow(keep=KEPT[1:])
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
            assert law.cut < harness.NO_CUT
            assert all(tuple(sorted(output)) == output for output in law.chances)
            outputs = np.array(sorted(law.chances))
            stated = LOG_LAWS[plan.mechanism](outputs, np.array(each, np.int64), parameters, GRID)
            assert [harness.log_of(law.chances[x]) for x in sorted(law.chances)] == pytest.approx(
                stated.tolist(), abs=1e-9
            )
            assert np.exp(stated).sum() == pytest.approx(1, abs=1e-9)
        if len(pair) == 2:
            guarantee = parameters_of(plan, len(values)).guarantee
            laws = [found(plan, each) for each in pair]
            assert harness.within(privacy, guarantee, harness.loss_of_laws(laws[0], laws[1], guarantee.epsilon))
            if guarantee.delta == 0 and guarantee.epsilon < 1000:
                _, above = exp_bounds(Fraction(guarantee.epsilon))
                for a, b in (laws, laws[::-1]):
                    assert all(chance <= above * b.at_least(x) for x, chance in a.chances.items())


@pytest.mark.slow(keep=KEPT[1:])
@pytest.mark.parametrize("adjacency", [JOIN, REPLACE])
@pytest.mark.parametrize("privacy", BUDGETS, ids=["pure", "approximate", "concentrated", "weak"])
@pytest.mark.parametrize(("key", "options", "levels"), PLANS)
def test_the_fast_sampler_has_the_stated_law(key, options, levels, privacy, adjacency):
    plan, outputs = Plan(levels, key, privacy, adjacency, options), all_outputs(GRID, len(levels))
    for values in ((), (1,), (0, 2, 2), (0, 1, 3, 3)):
        stated = LOG_LAWS[key](outputs, np.array(values, np.int64), parameters_of(plan, len(values)), GRID)
        check_chances(law_of_run(plan, column(values, GRID), sampler="fast"), outputs, np.exp(stated))


@pytest.mark.parametrize(("key", "options", "levels"), [
    ("indexp", {}, ["1/4", "1/2"]), ("aq", {"draws": "several"}, ["1/3", "2/3"]), ("aq", {}, ["1/4", "1/2"]),
    *PLANS[4:6],
])  # fmt: skip
def test_fast_trials_side_by_side_are_independent(key, options, levels):
    """Rows of one matrix: the law of two trials is the square of the law of one."""
    plan, grid = Plan(levels, key, PureDP(2.0), JOIN, options), 3
    sample, parameters = column((0, 1, 1, 2), grid), parameters_of(plan, 4)

    def program(entropy):
        entropy.trials = 2
        return tuple(harness.mechanism_of(plan).run(sample, parameters, entropy).reshape(-1).tolist())

    one = law_of_run(plan, sample, sampler="fast")
    pairs = [(*first, *second) for first in one.chances for second in one.chances]
    stated = [float(first * second) for first in one.chances.values() for second in one.chances.values()]
    check_chances(SAMPLERS["fast"](program), np.array(pairs), np.array(stated))


# ── several levels in one draw: windows of every width, ties, shares ─────────────────────────────────────────────────

COLUMNS = {
    "tied": (np.array([0, 2, 3, 3, 5]), 6), "few": (np.array([1, 1, 4]), 6), "none": (np.zeros(0, np.int64), 4),
    "all alike": (np.array([2] * 4), 5), "shares": (weighted([1, 3, 3, 4], [3, 1, 4, 4]), 6),
    "parts of persons": (weighted([0, 2, 5], [2, 2, 3]), 6),
}  # fmt: skip
LEVELS = (["1/2"], ["1/4", "3/4"], [0, "1/3"], [0], [0, 1], ["1/5", "201/1000"], ["1/4", "1/2", "3/4"])


def drawn_from(draws, entropy):
    return tuple(draws.draw(entropy, 1)[0].tolist())


def stated(cells, grid, levels, rate, free):
    """Chances of all tuples at a rate for a person, by the definition of d."""
    outputs, shares = all_outputs(grid, len(levels)), proportions_of(levels)
    counts = counts_between(np.asarray(cells.searchsorted(outputs)), int(cells.size)).tolist()
    totals = [best_total(each, shares) if free else Fraction(int(cells.size)) for each in counts]
    scores = [distance(each, shares, total) for each, total in zip(counts, totals, strict=True)]
    weights = np.exp([-float(rate / unit_of(cells) * score) for score in scores])
    return outputs, weights / weights.sum()


def joint_draws(cells, grid, levels, rate, reach):
    part, reach = Part.of(cells, grid, levels, rate), Fraction(reach * unit_of(cells))
    return JointDraws(Windows([part], [[reach] * len(levels)], intervals=part.few), [reach])


def free_draws(cells, grid, levels, rate, reach):
    """With windows as narrow for the far proposals, so that every kind of proposal has something to do."""
    slow, part = joint_draws(cells, grid, levels, rate / 3, reach), Part.of(cells, grid, levels, rate)
    return FreeDraws(slow, part, min(reach * unit_of(cells), part.count), every=True)


def each_interval_a_place(most, monkeypatch):
    """Where there are at most so many."""
    monkeypatch.setattr(Part, "few", property(lambda part: part.intervals(most)))


every_draw = pytest.mark.parametrize("made", [joint_draws, free_draws])
every_column = pytest.mark.parametrize(("cells", "grid"), COLUMNS.values(), ids=COLUMNS)


FOLLOWED = [
    (levels, made, sampler)
    for levels in LEVELS
    for made in (joint_draws, free_draws)
    for sampler in SAMPLERS
    if len(levels) < 3 or (made, sampler) == (joint_draws, "exact")  # else there are too many outcomes
]


@pytest.mark.slow(keep=("tied-1-3-levels4-joint_draws-exact", "tied-1-1/3-levels19-free_draws-fast"))
@pytest.mark.parametrize(("levels", "made", "sampler"), FOLLOWED)
@pytest.mark.parametrize("rate", ["1/50", "1/3", "3", "12"])
@pytest.mark.parametrize("reach", [1, 99])
@every_column
def test_no_window_changes_the_law(cells, grid, reach, rate, levels, made, sampler, monkeypatch):
    """Every outcome of an attempt: choices, cells within places, coins.

    Places of one rank and of several; and each interval as a place, with every total there can be.
    """
    levels, rate = tuple(map(Fraction, levels)), Fraction(rate)
    for slack, few in ((SLACK, 0), (6.0, 0), (SLACK, 20)):
        monkeypatch.setattr(windows, "SLACK", slack)
        each_interval_a_place(few, monkeypatch)
        law = SAMPLERS[sampler](partial(drawn_from, made(cells, grid, levels, rate, reach)))
        check_chances(law, *stated(cells, grid, levels, rate, made is free_draws))


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("kind", ["noise", "rate", "constant"])
@pytest.mark.parametrize("few", [0, 20])
@every_draw
def test_a_law_that_is_a_little_wrong_is_noticed(made, few, kind, monkeypatch):
    """Half the noise; a rate that is wrong by 3 %; and the choices of a tuple's own path in the place of K."""
    each_interval_a_place(few, monkeypatch)
    levels, (cells, grid) = (Fraction(1, 4), Fraction(3, 4)), COLUMNS["tied"]
    draws = made(cells, grid, levels, Fraction(1), 2)
    outputs, wanted = stated(cells, grid, levels, Fraction(1), made is free_draws)
    factor = {"noise": Fraction(2), "rate": Fraction(103, 100), "constant": Fraction(1)}[kind]
    least = {"noise": 0.5, "rate": 0.01, "constant": 5e-7}[kind]
    if kind != "constant":
        told = "dpq_core.mechanisms.joint.draws.missed"
        monkeypatch.setattr(told, lambda *given: (missed(*given)[0], missed(*given)[1] * factor))
    else:
        monkeypatch.setattr("dpq_core.mechanisms.joint.draws.ExactChoices", OwnChoices)
    law = enumerate_law(partial(drawn_from, draws))
    errors = [abs(float(law.at_least(tuple(y))) / p - 1) for y, p in zip(outputs.tolist(), wanted, strict=True)]
    assert least < max(errors) < 1e3 * least


class OwnChoices(ExactChoices):
    """Counts the choices of a path."""

    made = 0

    def choose(self, rows, logs):
        self.made += 1
        return super().choose(rows, logs)

    def accept(self, row, choices, share, exponent):
        assert self.made <= choices
        return super().accept(row, self.made, share, exponent)
