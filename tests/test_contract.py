"""What every registered mechanism keeps: one row for each here, and nothing else is needed to add one."""

from dataclasses import dataclass, field, is_dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpq_core as dpq
from dpq_core.plan import OptionValue
from dpq_core.privacy.budgets import Privacy
from tests.harness import SAMPLERS, Plan, calibrate, column, law_of_run, unsupported, usual_column
from tests.narrowing import present


@dataclass(frozen=True)
class Row:
    """What a mechanism's module cannot say itself: how to get a few different answers from it quickly."""

    levels: tuple[str, ...] = ("1/4", "1/2", "3/4")
    people: int = 300
    options: dict[str, OptionValue] = field(default_factory=dict)
    privacy: dpq.PureDP | dpq.ApproxDP = dpq.PureDP(0.8)  # noqa: RUF009 (frozen)
    few_draws: dict[str, OptionValue] = field(default_factory=dict)
    """Options with which all outcomes of a run on three records can be followed."""
    may_refuse: bool = False

    @property
    def data(self):
        return np.random.default_rng(0).gamma(2, 12, self.people)


ROWS = {
    "aq": Row(),
    "indexp": Row(),
    "jointexp": Row(),
    "freetotal": Row(),
    "aggtree": Row(few_draws={"branching": 2, "height": 1}),
    "slice": Row(
        people=5000,  # slices need room
        options={"merge_close": True},
        privacy=dpq.ApproxDP(0.8, 1e-6),
        few_draws={"half_width": 1, "noise": "flat"},
        may_refuse=True,
    ),
    "gkexp": Row(options={"alpha": 0.004, "n_max": 300}, few_draws={"alpha": 0.2, "n_max": 8}),
    "binhist": Row(few_draws={"bins": 2}),
    "normal": Row(
        people=600, options={"sigma": 30, "mean_bound": 200}, few_draws={"sigma": 1000.0, "mean_bound": 1000.0}
    ),
}
BUDGETS: dict[str, Privacy] = {
    "pure": dpq.PureDP(0.8), "approximate": dpq.ApproxDP(0.8, 1e-6), "concentrated": dpq.ZCDP(0.05),
}  # fmt: skip
DOMAIN = dpq.Domain(0, 100, "0.5")
SIGNIFICANT = dpq.Domain.significant(2, "0.1", 100)
every_domain = pytest.mark.parametrize("domain", [DOMAIN, SIGNIFICANT], ids=["even", "significant"])

every_mechanism = pytest.mark.parametrize("key", list(dpq.MECHANISMS))
PLANS = [
    (key, kind, adjacency)
    for key, m in dpq.MECHANISMS.items()
    for adjacency in m.SUPPORTS
    for kind in m.SUPPORTS[adjacency]
]
every_plan = pytest.mark.parametrize(("key", "kind", "adjacency"), PLANS)


def plan_for(key, kind=None, adjacency=None, levels=None, privacy=None):
    row = ROWS[key]
    adjacency = adjacency or next(iter(dpq.MECHANISMS[key].SUPPORTS))
    budget = privacy or (BUDGETS[kind] if kind else row.privacy)
    return Plan(row.levels if levels is None else levels, key, budget, adjacency, row.options)


def answer_or_refusal(column, plan):
    """The release, or None where the mechanism may refuse and says that it cannot be done."""
    try:
        return dpq.release(column, plan)
    except dpq.Infeasible:
        assert ROWS[plan.mechanism].may_refuse
        return None


def test_every_mechanism_has_a_row():
    assert not dpq.MECHANISMS.keys() ^ ROWS.keys()


@every_mechanism
def test_a_module_introduces_itself(key):
    module = dpq.MECHANISMS[key]
    assert key == module.KEY
    assert not module.LABEL.isupper()
    assert len(module.SUMMARY.split(". ")) == 3
    assert all(len(row) == 3 and all(row) for row in module.NOTES)
    assert module.CLAIM
    assert module.REFERENCE
    assert "Claim." in present(module.__doc__)
    assert all(option.help and option.name for option in module.OPTIONS)


@every_domain
@every_plan
def test_answers_lie_on_the_grid_in_order_and_within_the_guarantee(key, kind, adjacency, domain):
    column = usual_column(ROWS[key].data, domain)
    answer = dpq.release(column, plan_for(key, kind, adjacency))
    values = answer.values["column"]
    assert len(values) == 3
    assert list(values) == sorted(values)
    assert np.isin(values, domain.decode(np.arange(domain.cells))).all()
    assert answer.guarantee.exact
    assert answer.guarantee.adjacency is adjacency
    assert answer.guarantee.covers(BUDGETS[kind])


@pytest.mark.slow(one_in=5)
@every_plan
def test_a_simulation_is_repeatable_and_not_a_release(key, kind, adjacency):
    column = usual_column(ROWS[key].data, DOMAIN, seed=1)
    plan = plan_for(key, kind, adjacency)
    first = dpq.simulate(column, plan, trials=70, seed=5)
    again, other, longer = (
        dpq.simulate(column, plan, trials, seed).values["column"] for trials, seed in ((70, 5), (70, 6), (200, 5))
    )
    values = first.values["column"]
    assert np.array_equal(values, again)
    assert not np.array_equal(values, other)
    assert np.array_equal(longer[:70], values)
    assert not first.guarantee.exact
    assert values.shape == first.rank_errors["column"].shape == (70, 3)


@pytest.mark.slow(keep=tuple(f"levels0-{key}" for key in dpq.MECHANISMS if key != "normal"))
@every_mechanism
@pytest.mark.parametrize("levels", [("1/2",), ("0", "1")])
def test_both_samplers_have_one_law(key, levels):
    """Three records on two values, with short noise: every answer, and every refusal, to a billionth."""
    adjacency = next(iter(dpq.MECHANISMS[key].SUPPORTS))
    plan, sample = Plan(levels, key, dpq.PureDP(9.0), adjacency, ROWS[key].few_draws), column((0, 1, 1), 2)
    exact, fast = (law_of_run(plan, sample, Fraction(1, 10**6), sampler) for sampler in SAMPLERS)
    assert max(exact.cut, fast.cut) < Fraction(1, 500)
    assert exact.chances.keys() == fast.chances.keys()
    for outcome, chance in exact.chances.items():
        assert float(chance - fast.at_least(outcome)) == pytest.approx(0, abs=1e-9)


@every_mechanism
def test_no_quantiles_spend_nothing(key):
    column = usual_column(ROWS[key].data, DOMAIN)
    plan = plan_for(key, levels=[])
    answer = dpq.release(column, plan)
    assert answer.values == {"column": ()}
    assert (answer.guarantee.epsilon, answer.guarantee.delta, answer.guarantee.rho or 0) == (0, 0, 0)
    assert dpq.simulate(column, plan, trials=3).values["column"].shape == (3, 0)
    assert dpq.explain(column, plan, seed=1).steps == ()
    joined = [1, 2, 2, 4] if plan.adjacency is dpq.Adjacency.ADD_REMOVE else [2, 2, 4]
    assert dpq.privacy_loss(plan, [1, 2, 2], joined, dpq.Domain(0, 4, 1)).epsilon == 0


@every_domain
@every_mechanism
@pytest.mark.parametrize("values", [[], [50.0], [50.0] * 30])
def test_tiny_and_tied_data_are_answered(key, values, domain):
    column = usual_column(values, domain)
    answer = answer_or_refusal(column, plan_for(key, levels=[0, "1/2", "1/2", 1]))
    if answer is not None:
        lowest, median, same, highest = answer.values["column"]
        assert lowest <= median == same <= highest


@every_mechanism
def test_levels_in_any_order_keep_their_answers(key):
    column = usual_column(ROWS[key].data, DOMAIN, seed=1)
    up = dpq.simulate(column, plan_for(key, levels=["1/4", "1/2", "3/4"]), 5, seed=3).values["column"]
    mixed = dpq.simulate(column, plan_for(key, levels=["3/4", "1/4", "3/4", "1/2"]), 5, seed=3).values["column"]
    assert np.array_equal(mixed, up[:, [2, 0, 2, 1]])


@every_mechanism
def test_unknown_options_and_bad_values_are_refused_by_name(key):
    with pytest.raises(dpq.ParameterError) as caught:
        calibrate(Plan(["1/2"], key, options={"nonsense": 1}))
    assert caught.value.name == "nonsense"
    for option in dpq.MECHANISMS[key].OPTIONS:
        with pytest.raises(dpq.ParameterError) as caught:
            calibrate(Plan(["1/2"], key, options={option.name: -1e9}))
        assert caught.value.name == option.name
        assert f"`{option.name}`" in unsupported(Plan(["1/2"], key, options={option.name: -1e9}))


@pytest.mark.parametrize("domain", [dpq.Domain(0, 4, 1), dpq.Domain.significant(1, 2, 3)], ids=["even", "significant"])
@every_plan
def test_the_exact_loss_stays_within_the_guarantee(key, kind, adjacency, domain):
    plan = plan_for(key, kind, adjacency, levels=["1/2"])
    a, b = ([1, 2, 2], [1, 2, 2, 4]) if adjacency is dpq.Adjacency.ADD_REMOVE else ([1, 2, 2], [2, 2, 4])
    loss = dpq.privacy_loss(plan, a, b, domain)
    guarantee = calibrate(plan, 3).guarantee
    assert loss.delta <= guarantee.delta
    assert loss.epsilon <= guarantee.epsilon + 1e-9 or guarantee.delta > 0
    louder = dpq.privacy_loss(plan, a, b, domain, alter=lambda sound: sound.with_rates_times(Fraction(4)))
    before, after = ((each.epsilon, each.delta, each.rho or 0.0) for each in (loss, louder))
    assert any(now > then for then, now in zip(before, after, strict=True)), "a quarter of the noise shows"


@every_plan
@pytest.mark.parametrize(("domain", "trials", "runs"), [
    (DOMAIN, 1, (0,)), (DOMAIN, 2, (0, 1)), pytest.param(DOMAIN, 256, (0, 64, 255), marks=pytest.mark.slow),
    pytest.param(SIGNIFICANT, 256, (64, 255), marks=pytest.mark.slow),
])  # fmt: skip
def test_a_trace_is_a_simulated_run(key, kind, adjacency, domain, trials, runs):
    """So that one page can show the inside of the very run that another one shows."""
    column = usual_column(ROWS[key].data, domain, seed=1)
    plan = plan_for(key, kind, adjacency)
    answers = dpq.simulate(column, plan, trials=trials, seed=trials + 2).values["column"]
    for run in runs:
        trace = dpq.explain(column, plan, seed=trials + 2, trials=trials, run=run)
        assert trace.values == tuple(answers[run])
        assert len(trace.steps) == 3
        assert {step.value for step in trace.steps} == set(trace.values)


@pytest.mark.slow(keep=("indexp", "binhist"))
@every_mechanism
@given(
    values=st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=20),
    levels=st.lists(st.fractions(0, 1, max_denominator=10**7), max_size=5),
    epsilon=st.floats(1e-4, 1e5),
)
def test_any_data_any_levels_any_budget(key, values, levels, epsilon):
    column = usual_column(values, dpq.Domain(-10, 10), missing=0)
    delta = getattr(ROWS[key].privacy, "delta", None)
    budget = dpq.PureDP(epsilon) if delta is None else dpq.ApproxDP(epsilon, delta)
    answer = answer_or_refusal(column, plan_for(key, levels=levels, privacy=budget))
    if answer is None:
        return
    by_level = dict(zip(levels, answer.values["column"], strict=True))
    assert all(-10 <= value <= 10 for value in by_level.values())
    assert [by_level[level] for level in sorted(by_level)] == sorted(by_level.values())


@every_mechanism
def test_a_huge_budget_gives_the_truth(key):
    row = ROWS[key]
    column = usual_column(range(row.people + 1), dpq.Domain(0, row.people, 1), seed=1)
    budget = replace(row.privacy, epsilon=1000.0)
    study = dpq.simulate(column, plan_for(key, levels=[Fraction(1, 2)], privacy=budget), trials=20)
    assert study.rank_errors["column"].max() <= 1  # the target lies between two ranks


@every_mechanism
def test_parameters_are_frozen_through_and_through(key):
    """So that what is drawn is what law, claim and audits read."""
    waiting: list[Any] = [calibrate(plan_for(key), 5000)]
    kinds = set[Any]()
    while waiting:
        part = waiting.pop()
        if is_dataclass(part):
            kinds.add(type(part))
            waiting += vars(part).values()
        elif isinstance(part, tuple):
            waiting += part
    assert len(kinds) > 1, "the guarantee at least"
    assert all(kind.__dataclass_params__.frozen for kind in kinds)
