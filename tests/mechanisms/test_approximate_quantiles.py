"""AQ: the public recursion, its claims, and answers on every odd input."""

from dataclasses import replace
from fractions import Fraction
from itertools import chain

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, PureDP, explain, rank_errors, simulate
from dpq_core.audit.losses import all_outputs
from dpq_core.mechanisms.aq.mechanism import log_law, run
from dpq_core.mechanisms.aq.recursion import Node, claim, expected_error, halves, lost, map_rates, shaped
from dpq_core.mechanisms.aq.shape import TYPICAL_COLUMN, Shaper
from dpq_core.mechanisms.base import DrawStep
from tests.harness import SAMPLERS, Plan, SeededSampler, check_chances, column, even_levels, usual_column
from tests.mechanisms.recursions import calibrate, root_of
from tests.narrowing import all_of, present


def uniform_plan(m, privacy=PureDP(1.0), adjacency=Adjacency.ADD_REMOVE, **options):  # noqa: B008
    """One level at a time, unless `draws` is given."""
    return Plan(even_levels(m), "aq", privacy, adjacency, {"draws": "one"} | options)


def columns_of(parameters):
    return sorted(int(column) for nodes in chain.from_iterable(parameters.rounds) for column in nodes.columns.flat)


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 7, 8, 20, 63, 64, 100, pytest.param(2000, marks=pytest.mark.slow)])
def test_the_recursion_answers_every_level_once_and_is_hardly_deeper_than_log2_m(m):
    parameters = calibrate(uniform_plan(m))
    assert columns_of(parameters) == list(range(m))
    assert m.bit_length() <= len(parameters.rounds) <= m.bit_length() + 1
    assert len(calibrate(uniform_plan(m, calibration="paper")).rounds) == m.bit_length()
    several = calibrate(uniform_plan(m, draws="several"))
    assert columns_of(several) == list(range(m))
    assert len(several.rounds) <= len(parameters.rounds)


@pytest.mark.parametrize(
    "grow", [halves, lambda levels: shaped(levels, Shaper(False)), lambda levels: shaped(levels, Shaper(True))]
)
def test_levels_are_relative_to_the_answers_around_them(grow):
    root = grow((Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)))
    assert [root.level, *(child.level for child in root.children)] == [Fraction(1, 2)] * 3
    ends = grow((Fraction(0), Fraction(1, 2), Fraction(1)))
    assert [child.level for child in ends.children] == [Fraction(0), Fraction(1)]


def slow_claim(node, adjacency, paper):
    """The claim written out in floats, path by path."""
    if node is None:
        return 0.0, 0.0
    (one_left, two_left), (one_right, two_right) = (slow_claim(x, adjacency, paper) for x in node.children)
    rate, q = float(node.rate), float(node.level)
    left, right = (2, 2) if paper else (1 - q + max(q, 1 - q), q + max(q, 1 - q))
    one = max(left * rate + one_left, right * rate + one_right)
    return one, max((2 if paper else 1) * rate + max(two_left, two_right), 2 * rate + one_left + one_right)


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("calibration", ["sharp", "paper"])
@pytest.mark.parametrize("m", [1, 2, 3, 5, 20, 99])
def test_the_rates_spend_exactly_the_claim(m, calibration, adjacency):
    parameters = calibrate(uniform_plan(m, PureDP(0.7), adjacency, calibration=calibration))
    losses = slow_claim(parameters.root, adjacency, calibration == "paper")
    spent = losses[adjacency is Adjacency.REPLACE_ONE]
    assert spent == pytest.approx(parameters.guarantee.epsilon, rel=1e-9)
    assert parameters.guarantee.epsilon <= 0.7
    if calibration == "sharp":
        assert parameters.guarantee.epsilon == pytest.approx(0.7, rel=1e-12)


def test_a_short_branch_leaves_its_budget_to_the_split_above_it():
    """One level below 1/3 of the way, none beside it: only the side where the recursion goes on is paid for."""
    root = root_of(uniform_plan(2))
    left, right = root.children
    first, second = root, present(left or right)
    assert left is None or right is None
    q = float(first.level) if right else 1 - float(first.level)
    worst = max(q, 1 - q)
    ends, goes_on = float(first.rate) * (1 - q + worst), float(first.rate) * (q + worst) + float(second.rate)
    assert max(ends, goes_on) == pytest.approx(1, rel=1e-9)
    assert float(first.rate) * 2 * worst + float(second.rate) > 1.05, "the larger cost on both sides would be too much"


@pytest.mark.slow(keep=("5-0.92", "20-0.84"))
@pytest.mark.statistical
@pytest.mark.parametrize(("m", "share"), [(5, 0.92), (20, 0.84), (60, 1.0)])
def test_the_shape_errs_less_than_even_halves_at_even_budgets(m, share):
    """Against the recursion of the paper at targets q n, epsilon / L for every split; 640 runs each."""
    plan, depth = uniform_plan(m), m.bit_length()
    parameters = calibrate(plan)
    even = map_rates(halves(parameters.levels), lambda n: 1 / (2 * depth * max(n.level, 1 - n.level)))
    errors: dict[str, list[float]] = {"even": [], "shaped": []}
    for seed in range(10):
        column = usual_column(np.random.default_rng(seed).uniform(-5, 5, 1000), DOMAIN, seed=seed)
        for name, each in (("even", replace(parameters, root=even)), ("shaped", parameters)):
            values = column.values_of(run(column, each, SeededSampler(seed, 64)))
            errors[name].append(rank_errors(column, plan.quantiles, values).mean())
    assert np.mean(errors["shaped"]) < share * np.mean(errors["even"])


def errors_of(m, adjacency, draws, seeds=range(10)):
    """Mean rank error of 640 runs."""
    plan = uniform_plan(m, PureDP(1.0), adjacency, draws=draws)
    samples = [usual_column(np.random.default_rng(seed).uniform(-5, 5, 1000), DOMAIN, seed=seed) for seed in seeds]
    studies = (simulate(each, plan, 64, seed=seed) for seed, each in zip(seeds, samples, strict=True))
    return np.mean([study.rank_errors["column"] for study in studies])


@pytest.mark.slow(keep=("2-add_remove", "5-add_remove"))
@pytest.mark.statistical
@pytest.mark.parametrize(
    ("m", "adjacency"), [(2, Adjacency.ADD_REMOVE), (5, Adjacency.ADD_REMOVE), (10, Adjacency.REPLACE_ONE)]
)
def test_several_at_once_err_less(m, adjacency):
    assert errors_of(m, adjacency, "several") < 0.8 * errors_of(m, adjacency, "one")


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize(("privacy", "epsilon"), [(PureDP(0.7), 0.7), (ZCDP(0.1), 0.9), (ApproxDP(1.0, 1e-6), 0.4)])
@pytest.mark.parametrize("m", [1, 2, 5, 20, 99])
def test_several_at_once_keep_the_budget_and_expect_less_error(m, privacy, epsilon, adjacency):
    plans = [uniform_plan(m, privacy, adjacency, draws=draws) for draws in ("one", "several")]
    assert calibrate(plans[1]).guarantee.covers(privacy)
    levels, (one, several) = [float(level) for level in plans[1].quantiles], map(root_of, plans)
    errors = [expected_error(root, levels) + lost(root, TYPICAL_COLUMN, epsilon) for root in (several, one)]
    assert errors[0] <= errors[1] * (1 + 1e-9)
    if m == 20 and isinstance(privacy, PureDP):
        assert expected_error(several, levels) < 0.5 * expected_error(one, levels)
        assert float(claim(several, adjacency, False, squared=False)) == pytest.approx(0.7, rel=1e-9)


def drawn_at_once(plan):
    return max(nodes.columns.reshape(len(nodes.target_levels), -1).shape[1] for nodes in chain(*calibrate(plan).rounds))


def usual_plan(m, epsilon=1.0):
    return Plan(even_levels(m), "aq", PureDP(epsilon))


def test_usual_draws_are_of_all_or_of_up_to_six_where_someone_joins():
    firsts = [len(root_of(usual_plan(m)).levels) for m in (2, 5, 10, 20, 60, 99)]
    assert firsts[:3] == [2, 5, 10]
    assert all(4 <= drawn <= 6 for drawn in firsts[3:])
    assert drawn_at_once(usual_plan(99)) == 5
    assert drawn_at_once(usual_plan(20, 4.0)) == 20, "at four times the budget, rare columns are no matter"
    assert [len(root_of(usual_plan(5, epsilon)).levels) for epsilon in (0.1, 0.00001)] == [5, 1]
    assert root_of(usual_plan(20)) == root_of(uniform_plan(20, draws="best"))
    assert drawn_at_once(uniform_plan(20)) == 1
    assert drawn_at_once(uniform_plan(20, draws="several")) == 20


def test_where_one_is_replaced_draws_follow_the_number_of_records():
    """One at a time of few, in groups of unknown size, and with rho; together of as many as are safe."""

    def first(m, n, privacy=PureDP(1.0)):  # noqa: B008
        plan = uniform_plan(m, privacy, adjacency=Adjacency.REPLACE_ONE, draws="best")
        return len(calibrate(plan, n).root.levels)

    assert [first(9, n) for n in (None, 100, 1000, 10**6)] == [1, 1, 4, 9]
    assert [first(99, n) for n in (None, 1000, 10**6)] == [1, 1, 3]
    assert first(9, 10**6, ZCDP(0.125)) == 1


FINE = Domain(0, 2**40 - 1, 1)


def half_tied(rng):
    """1,000 records on a fine grid, half of them equal."""
    return np.where(rng.random(1000) < 0.5, 2**39, rng.integers(0, 2**40, 1000)).astype(np.float64)


@pytest.mark.slow(keep="100 records")
@pytest.mark.statistical
@pytest.mark.parametrize(("m", "domain", "made", "times"), [
    pytest.param(20, FINE, half_tied, 1.3, id="half of the records are equal"),
    pytest.param(60, FINE, half_tied, 1.3, id="half of the records are equal, 60 quantiles"),
    pytest.param(
        35, Domain(-1e9, 1e9, measure="uniform"), lambda rng: rng.normal(0, 5, 1000), 1, id="far too wide a range"
    ),
    pytest.param(20, Domain(-100, 100, measure="uniform"), lambda rng: rng.normal(0, 5, 100), 1, id="100 records"),
])  # fmt: skip
def test_usual_draws_err_no_more_than_one_at_a_time_on_rare_columns(m, domain, made, times):
    """With 16 or 20 at once they erred two to seven times as much.

    Where half of the records are equal, single draws with nothing below them see that, and draws of several do not.
    """
    errors: dict[str, list[float]] = {"best": [], "one": []}
    for seed in range(4):
        column = usual_column(made(np.random.default_rng(seed)), domain, seed=seed)
        for draws, found in errors.items():
            study = simulate(column, uniform_plan(m, draws=draws), 64, seed=seed)
            found.append(study.rank_errors["column"].mean())
    assert np.mean(errors["best"]) < times * np.mean(errors["one"])


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_runs_with_several_have_their_law(sampler):
    """Two, and a single and a pair between them, on 3 cells, against all outputs."""
    sample, plan = column([0, 1, 1, 2, 2], 3), uniform_plan(5, PureDP(4.0), draws="several")
    parameters = calibrate(plan)
    assert [nodes.columns.shape for nodes in chain.from_iterable(parameters.rounds)] == [(1, 5)]
    levels = parameters.levels
    inner = Node((2, 3), (Fraction(1, 3), Fraction(2, 3)), Fraction(1), (None, None, None))
    single = Node((0,), (Fraction(1, 2),), Fraction(1), (None, None))
    parameters = replace(parameters, root=Node((1, 4), (levels[1], levels[4]), Fraction(1), (single, inner, None)))
    assert [nodes.columns.shape for nodes in chain.from_iterable(parameters.rounds)] == [(1, 2), (1, 1), (1, 2)]

    def program(entropy):
        return tuple(run(sample, parameters, entropy)[0].tolist())

    outputs = all_outputs(3, 5)
    check_chances(SAMPLERS[sampler](program), outputs, np.exp(log_law(outputs, sample.cells, parameters, 3)))


@pytest.mark.parametrize("epsilon", [1e-6, 1e6])
def test_at_any_budget_several_can_be_drawn_or_one_is(epsilon):
    """The joint sampler counts rates in 2^-32 of a bit: below that one level is drawn at a time."""
    column = usual_column(np.linspace(-50, 50, 101), DOMAIN, seed=0)
    plan = uniform_plan(3, PureDP(epsilon), draws="several")
    assert (len(root_of(plan).levels) == 3) == (epsilon > 1)
    assert simulate(column, plan, trials=3, seed=1).values["column"].shape == (3, 3)


@pytest.mark.parametrize("m", [1, 3, 7, 127])
def test_paper_constants(m):
    depth = m.bit_length()
    joined = root_of(uniform_plan(m, calibration="paper"))
    assert float(2 * joined.rate) == pytest.approx(1 / (np.log2(m) + 1), rel=1e-9)
    replaced = root_of(uniform_plan(m, adjacency=Adjacency.REPLACE_ONE, calibration="paper"))
    assert float(2 * replaced.rate) == pytest.approx(1 / (2 * depth - 1), rel=1e-9)
    concentrated = root_of(uniform_plan(m, ZCDP(0.1), Adjacency.REPLACE_ONE, calibration="paper"))
    assert float(2 * concentrated.rate) == pytest.approx((0.8 / (2 * depth - 1)) ** 0.5, rel=1e-9)


@pytest.mark.parametrize("m", [1, 5, 120])
def test_a_small_delta_is_used_where_it_helps(m):
    pure = root_of(uniform_plan(m, PureDP(1.0))).rate
    approximate = calibrate(uniform_plan(m, ApproxDP(1.0, 1e-6)))
    rate = approximate.root.rate
    assert rate >= pure
    assert approximate.guarantee.covers(ApproxDP(1.0, 1e-6))
    assert (approximate.guarantee.delta > 0) == (rate > pure) == (m == 120)


DOMAIN = Domain(-100, 100, measure="uniform")


@pytest.mark.slow(keep=("1-values3", "100-values2"))
@pytest.mark.parametrize("values", [[], [5.0], [7.0] * 1000, list(range(2000))])
@pytest.mark.parametrize("m", [1, 100, 2000])
def test_any_number_of_quantiles_of_any_data(values, m):
    study = simulate(usual_column(values, DOMAIN, seed=1), uniform_plan(m), trials=2, seed=0)
    assert np.isfinite(study.values["column"]).all()


def test_ties_are_answered_as_sharply_as_distinct_values():
    """Without tie-breaking bits the answer would be off by thousands of records at any epsilon."""
    hours = np.concatenate([np.full(20_000, 40), np.random.default_rng(0).integers(1, 99, 20_000)])
    column = usual_column(hours, Domain(0, 100), seed=0)
    assert simulate(column, Plan(["1/2"]), trials=50, seed=0).rank_errors["column"].mean() < 20


def test_a_trace_holds_every_node_with_its_part():
    column = usual_column(np.linspace(-50, 50, 501), DOMAIN, seed=0)
    trace = explain(column, uniform_plan(5), seed=4)
    steps = all_of(DrawStep, trace.steps)
    assert [step.depth for step in steps] == [0, 1, 1, 2, 2]
    root, left, right = steps[:3]
    assert root.records == (0, 501)
    assert left.records[1] == right.records[0]
    assert left.bounds[1] == right.bounds[0] == root.value
    assert trace.values == tuple(sorted(step.value for step in steps))
    for step in steps:
        assert step.bounds[0] <= step.value <= step.bounds[1]
        assert len(step.distribution[0]) == len(step.distribution[1]) <= 600
        assert sum(step.distribution[1]) == pytest.approx(1)
    assert all(0 < step.epsilon < 1.2 for step in steps)


def test_several_at_once_are_steps_of_one_round_with_one_part():
    column = usual_column(np.linspace(-50, 50, 501), DOMAIN, seed=0)
    trace = explain(column, uniform_plan(2, draws="several"), seed=4)
    lower, upper = all_of(DrawStep, trace.steps)
    assert (lower.depth, upper.depth) == (0, 0)
    assert lower.records == upper.records == (0, 501)
    assert (lower.target, upper.target) == (167, 334)
    assert lower.epsilon == upper.epsilon == pytest.approx(1, rel=1e-9)
    assert trace.values == (lower.value, upper.value)
    for step in (lower, upper):
        values, chances = step.distribution
        assert len(values) == len(chances) <= 600
        assert sum(chances) == pytest.approx(1)
