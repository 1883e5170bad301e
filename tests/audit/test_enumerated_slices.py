"""SliceQuantiles end to end: the exact law of the shipped `run`, refusals included, on tiny data.

Followed for one and two quantiles under both adjacencies: the mixture's coin, the noise of ranks and of the number of
records, refusals with that number, runs that are not good, and the draws in slices. And whole releases of two groups
with two quantiles each, of which one may refuse for both. Not followed: three quantiles or
more, shared answers (`merge_close`), a number of records kept from an earlier attempt, and the printed constants.
"""

from fractions import Fraction
from functools import cache
from math import exp

import numpy as np
import pytest

from dpq_core import Adjacency, ApproxDP, Domain, Infeasible, Plan, PureDP
from dpq_core.audit.losses import all_outputs
from dpq_core.audit.printed import log_draws
from dpq_core.mechanisms.slices import layout as slice_layout
from dpq_core.mechanisms.slices import mechanism as slices
from dpq_core.mechanisms.slices.draws import slice_target_level
from dpq_core.mechanisms.slices.layout import layout_delta, needed_slacks
from dpq_core.mechanisms.slices.ranks import terms_between
from tests.audit.test_slice_quantiles_claims import left_out, whole_law
from tests.branching import enumerate_law
from tests.group_audit import GroupTable
from tests.harness import SAMPLERS, calibrate, calibrate_grouped, column, law_of_run, of_groups, with_less_noise

CUT = Fraction(1, 10**6)
JOIN, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE


def plan_of(adjacency, levels=(0, 1), noise="flat", privacy=None):
    options = {"half_width": 1, "rank_share": 0.5, "noise": noise}
    return Plan(levels, "slice", privacy or ApproxDP(6.0 if adjacency is JOIN else 12.0, 0.05), adjacency, options)


@cache
def found(plan, values, grid):
    return law_of_run(plan, column(values, grid), CUT)


def parameters_of(plan, n):
    return calibrate(plan, n if plan.adjacency is REPLACE else None)


def check_claim(plan, values, others, grid):
    """No direction surely needs more delta than the claim has; the cut can hide up to e^epsilon times itself.

    What it hides is small beside the change of any constant; that the law is the formula's holds within the cut alone,
    and `test_slice_quantiles_claims` sums the formula over all small data sets without it.
    """
    guarantee = parameters_of(plan, len(values)).guarantee
    for a, b in ((values, others), (others, values)):
        least, _ = found(plan, a, grid).excess(found(plan, b, grid), Fraction(guarantee.epsilon))
        assert least <= Fraction(guarantee.delta)


# ── two quantiles ────────────────────────────────────────────────────────────────────────────────────────────────────


def reference(plan, values, grid, most):
    """The law by formula: slices at noisy ranks, and the mixture; refusals by their texts."""
    parameters = parameters_of(plan, len(values))
    law, refused = whole_law(parameters, values, grid, most)
    outputs = all_outputs(grid, 2)
    rules, at_random = parameters.rules, 0.0
    if rules.delta is None:
        slack = needed_slacks(rules, (0, 1), grid) if parameters.n_public is None else layout_of(plan, values).slack
        delta = chance_between_nodes(rules, slack[0], 60)
        if parameters.n_public is None:
            delta = float(slice_layout.target_delta(rules, grid))
        at_random = delta * len(outputs) / (exp(float(rules.epsilon)) - 1)
    chances = (1 - at_random) * law + at_random / len(outputs)
    expected: dict[object, float] = dict(zip(map(tuple, outputs.tolist()), chances.tolist(), strict=True))
    for count, chance in refused.items():
        text = str(slices._no_room(rules, count, grid))  # below 0 people it says 0
        expected[text] = expected.get(text, 0.0) + (1 - at_random) * chance
    return expected, left_out(parameters, most)


def layout_of(plan, values):
    return slice_layout.public_layout(parameters_of(plan, len(values)).rules, len(values), 2)[1]


def chance_between_nodes(rules, room, most):
    """P(N_1 - N_2 >= room) by plain summation: one node for flat noise, two for the others."""
    a = exp(-float(rules.node_epsilon))
    one = (1 - a) / (1 + a) * a ** np.abs(np.arange(-most, most + 1))
    terms = terms_between(rules.kind, 1, 2, rules.places)
    law = one if terms == 1 else np.convolve(one, one)
    return law[law.size // 2 + room :].sum()


def check_law(plan, values, grid, most=24):
    expected, tolerance = reference(plan, values, grid, most)
    law = found(plan, values, grid)
    assert law.cut < Fraction(1, 2000)
    for outcome in expected.keys() | law.chances.keys():
        least, chance = float(law.at_least(outcome)), expected.get(outcome, 0.0)
        assert least - 1e-12 - tolerance <= chance <= least + float(law.cut) + 1e-12 + tolerance, outcome
    return law


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["flat", "two_level", "binary"])
def test_two_quantiles_where_one_joins(noise):
    """The law is the formula's, and every pair keeps the claim: n is private, and refusals show their noisy number."""
    plan, refused = plan_of(JOIN, noise=noise), 0.0
    for values, joining in (((0, 0, 1), 1), ((0, 1, 1, 1), 0), ((), 1))[: 3 if noise == "flat" else 1]:
        others = tuple(sorted((*values, joining)))
        for each in (values, others):
            law = check_law(plan, each, 2)
            refused = max(refused, float(sum(p for x, p in law.chances.items() if isinstance(x, str))))
        check_claim(plan, values, others, 2)
    assert refused > 0.5


@pytest.mark.slow
@pytest.mark.usefixtures("little_wandering")
@pytest.mark.parametrize("noise", ["flat", "two_level", "binary"])
def test_two_quantiles_where_one_is_replaced(noise):
    plan = plan_of(REPLACE, noise=noise)
    values, others = (0,) * 4 + (1,) * 4, (0,) * 5 + (1,) * 3
    for each in (values, others):
        check_law(plan, each, 2)
    check_claim(plan, values, others, 2)
    check_fast(plan, values, 2)


@pytest.mark.slow
def test_three_cells():
    plan = plan_of(JOIN)
    check_law(plan, (0, 1, 1, 2), 3)
    check_fast(plan, (0, 1, 1, 2), 3)


def check_fast(plan, values, grid):
    """Its noise is followed by the same weights, and cut at the same places: the laws are one up to rounding."""
    exact, fast = (law_of_run(plan, column(values, grid), 100 * CUT, sampler) for sampler in SAMPLERS)
    assert exact.chances.keys() == fast.chances.keys()
    assert max(abs(float(chance - fast.at_least(x))) for x, chance in exact.chances.items()) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", [JOIN, REPLACE])
@pytest.mark.usefixtures("little_wandering")
def test_two_quantiles_with_a_pure_budget(adjacency):
    """The uniform mixture has the weight that makes delta pure, and not half of it."""
    plan = plan_of(adjacency, noise="binary", privacy=PureDP(8.0 if adjacency is JOIN else 16.0))
    values = (0,) * 3 + (1,) * 3
    others = (*values, 1) if adjacency is JOIN else (0,) * 2 + (1,) * 4
    for each in (values, others):
        check_law(plan, each, 2)
    check_claim(plan, values, others, 2)


# ── what delta is computed from ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["two_level", "binary"])
def test_gaps_fall_short_as_often_as_delta_counts_on(noise):
    """P(a gap of `run`'s own noisy ranks is 2 h or less), where n is public: as stated, neither more nor less."""
    plan, n = plan_of(REPLACE, noise=noise), 8
    sample, parameters = column([0] * n, 2), parameters_of(plan, n)
    layout = layout_of(plan, (0,) * n)

    def program(entropy):
        (group,) = slices._answers(sample, parameters, entropy).slices
        return bool(np.diff(group.noisy[0])[0] <= 2 * layout.half_width)

    law = enumerate_law(program, CUT)
    claimed = Fraction(layout_delta(parameters.rules, layout))
    assert law.at_least(True) <= claimed <= law.at_least(True) + law.cut + Fraction(1, 10**9)


# ── two groups ───────────────────────────────────────────────────────────────────────────────────────────────────────

STAY = [(value, group, 10 * side + at) for side, group in enumerate("ns") for at, value in enumerate([0, side, 1])]
FEW = CUT * 100


def law_of_groups(plan, rows, times=1, **how):
    """The law of a release of both groups, with its guarantee: all answers, or the number that one was refused by."""
    groups = GroupTable(rows, Domain(0, 1, 1), ("n", "s"), **how).groups()
    calibrated = calibrate_grouped(groups, plan)
    if times != 1:
        calibrated = with_less_noise(calibrated, times)

    def program(entropy):
        try:
            return tuple(map(tuple, of_groups(groups, calibrated, entropy)[1].tolist()))
        except Infeasible as refused:
            return refused.noisy_count, refused.charged

    return enumerate_law(program, FEW), calibrated.guarantee


@cache
def staying(plan, **how):
    return law_of_groups(plan, STAY, **how)[0]


@pytest.mark.slow
@pytest.mark.parametrize("own", [[(0, "n", 99)], [(1, "s", 99)]])
def test_who_joins_one_of_two_groups_holds_the_whole_budget(own):
    """Sizes are private: that a group is refused follows from its noisy number, and then neither is answered."""
    plan = plan_of(JOIN)
    law, guarantee = law_of_groups(plan, [*STAY, *own])
    assert guarantee.covers(plan.privacy)
    assert 0.1 < sum(float(chance) for outcome, chance in law.chances.items() if outcome[1] == guarantee.epsilon) < 0.9
    for a, b in ((law, staying(plan)), (staying(plan), law)):
        assert a.excess(b, Fraction(guarantee.epsilon))[1] <= Fraction(guarantee.delta)


@pytest.mark.slow
@pytest.mark.parametrize(("delta", "how", "own"), [
    (0.1, {"max_groups_per_person": 2}, [(0, "n", 99), (1, "s", 99)]),
    (0.05, {"per_person": None, "max_rows_per_person": 2}, [(0, "n", 99), (0, "n", 99)]),
], ids=["two groups", "two records"])  # fmt: skip
def test_who_joins_with_two_records_holds_the_whole_budget(delta, how, own):
    """Each group has half of both; each record half of epsilon, and of delta what makes two steps the whole."""
    plan = plan_of(JOIN, privacy=ApproxDP(12.0, delta))
    law, guarantee = law_of_groups(plan, [*STAY, *own], **how)
    assert guarantee.covers(plan.privacy)
    assert (guarantee.epsilon, guarantee.delta) == (12, pytest.approx(delta, rel=1e-9))
    for a, b in ((law, staying(plan, **how)), (staying(plan, **how), law)):
        assert a.excess(b, Fraction(12))[1] <= Fraction(guarantee.delta)


def test_a_quarter_of_the_noise_is_caught():
    """Half of it is, where slices are followed on more records (`test_slice_quantiles_claims`)."""
    plan = Plan((0, 1), "slice", ApproxDP(3.0, 0.05), JOIN, {"half_width": 1, "rank_share": 0.9, "noise": "binary"})
    laws = [law_of_groups(plan, rows, times=4)[0] for rows in (STAY, [*STAY, (0, "n", 99)])]
    assert max(laws[0].excess(laws[1], Fraction(3))[0], laws[1].excess(laws[0], Fraction(3))[0]) > 0.5


# ── one quantile ─────────────────────────────────────────────────────────────────────────────────────────────────────


def law_of_one(plan, values, grid, most):
    """By formula: rank noise, which is a bridge, then one draw in the slice."""
    rules, cells = parameters_of(plan, len(values)).rules, np.array(values, np.int64)
    assert rules.places == 2
    a, nodes = exp(-float(rules.rank_epsilon)), np.arange(-most, most + 1)
    one = (1 - a) / (1 + a) * a ** np.abs(nodes)
    target_level, law = slice_target_level(rules.draw_epsilon), np.zeros(grid)
    for first, chance in zip(nodes.tolist(), one, strict=True):
        counts = len(values) - first - nodes
        noisy = np.maximum(counts, 0) // 2 + first
        for rank, again in zip(noisy.tolist(), one, strict=True):
            rows = np.full((grid, 1), rank)
            own = np.exp(log_draws(np.arange(grid)[:, None], cells, rows, 1, target_level, grid).sum(axis=1))
            law += chance * again * own
    return law


@pytest.mark.slow(keep="values0-2-replace_one")
@pytest.mark.parametrize("adjacency", [JOIN, REPLACE])
@pytest.mark.parametrize(("values", "new"), [((), 2), ((1,), 0), ((0, 2), 2), ((0, 0, 1), 2)])
def test_one_quantile(adjacency, values, new):
    if not values and adjacency is REPLACE:
        return
    plan = plan_of(adjacency, ["1/2"], privacy=PureDP(6.0 if adjacency is JOIN else 12.0))
    others = tuple(sorted((*values, new) if adjacency is JOIN else (*values[1:], new)))
    for each in (values, others):
        law, expected = found(plan, each, 3), law_of_one(plan, each, 3, 12)
        for cell in range(3):
            least = float(law.at_least((cell,)))
            assert least - 1e-12 <= expected[cell] + left_out(parameters_of(plan, len(each)), 12)
            assert expected[cell] <= least + float(law.cut) + 1e-12
        assert law.cut < Fraction(1, 10**4)
    check_claim(plan, values, others, 3)
