"""Intervals that rest on a noisy number of records: what is spent, refused, and how often they hold."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.ledger.charging import charged_release
from dpq_core.noise.fast import SeededSampler
from dpq_core.schedule import schedule_of
from dpq_core.steps import CountFirst, steps_of
from dpq_core.study import explain_column, simulate_column
from tests.ledger.alone import opened
from tests.narrowing import only, present

DOMAIN = dpq.Domain(0, 100_000, 10)
INCOMES = np.random.default_rng(3).lognormal(9, 0.8, 2000)
KINDS = ["pure", "approximate", "concentrated"]
PLAN = dpq.Plan(["1/4", "1/2"], "aq", dpq.PureDP(1.0), intervals=0.9, about_n="noisy")


def sample(seed=None, **how):
    return dpq.Column.from_values(INCOMES, DOMAIN, seed=seed, **how)


def counted_first(column, plan):
    return only(CountFirst, steps_of(column, plan))


@pytest.mark.slow(keep="pure")
@pytest.mark.parametrize("budget", [dpq.PureDP(1.0), dpq.ApproxDP(1.0, 1e-6), dpq.ZCDP(0.125)], ids=KINDS)
def test_a_release_spends_what_was_requested_and_says_what_it_counted(budget):
    plan = replace(PLAN, privacy=budget)
    released = dpq.release(sample(), plan)
    assert released.plan.first == plan == dpq.Plan.from_json(plan.to_json())
    assert released.guarantee.covers(budget)
    spent = present(released.guarantee.rho) / budget.rho if isinstance(budget, dpq.ZCDP) else released.guarantee.epsilon
    assert 0.99 < spent <= 1
    ends = zip(released.values["column"], released.intervals["column"], strict=True)
    assert all(low <= value <= high for value, (low, high) in ends)
    noisy = int(released.notes[-1].removeprefix("A noisy count of the records: ").rstrip(".").replace(",", ""))
    number = int(present(released["column"].basis).sentences[2].split()[2].replace(",", ""))
    steps = counted_first(sample(), plan)
    assert number == steps.count.number.at_least(noisy) != INCOMES.size  # which no rounded number is
    assert 0.9 * (noisy - steps.count.number.margin) <= number < noisy
    assert "90 %" in present(released["column"].basis).sentences[1]
    assert "1 % at most" in present(released["column"].basis).sentences[2]


@pytest.mark.slow(keep="indexp")
@pytest.mark.parametrize("mechanism", ["indexp", "slice"])
def test_both_steps_state_the_delta_that_the_second_one_spends(mechanism):
    steps = counted_first(sample(), replace(PLAN, mechanism=mechanism, privacy=dpq.ApproxDP(1.0, 0.01)))
    answers = steps.second(sample(), 1000)
    assert answers.plan.about_n == 1000, "the number that was drawn, whatever the column holds"
    assert 0 < answers.guarantee.delta <= steps.guarantee.delta == 0.01
    assert Fraction(answers.guarantee.epsilon) + steps.finding <= Fraction(steps.guarantee.epsilon)


@pytest.mark.slow
def test_intervals_hold_as_often_as_asked_with_the_error_of_the_number_in_them():
    column = sample(seed=0)
    study = simulate_column(column, steps_of(column, PLAN), 100, 1, firsts=2)
    assert study.coverage.min() >= 0.9
    known = dpq.simulate(column, replace(PLAN, about_n=INCOMES.size), 100, 1)["column"]
    wider = np.diff(present(study.intervals)).mean() / np.diff(present(known.intervals)).mean()
    assert 1 < wider < 1.6
    steps = counted_first(sample(), PLAN)
    assert present(steps.rest.intervals).chance == pytest.approx(0.91)
    assert steps.count.number.failing + (1 - present(steps.rest.intervals).chance) == pytest.approx(0.1)
    rates = [steps.count.number.at_least(steps.count.number.margin + n) / n for n in (1, 7, 999, 123_457)]
    assert all(0.96 < rate <= 1 for rate in rates)


@pytest.mark.parametrize("plan", [
    replace(PLAN, adjacency=dpq.Adjacency.REPLACE_ONE), replace(PLAN, mechanism="aggtree"),
], ids=["the number is public", "a tree needs none"])  # fmt: skip
def test_nothing_is_counted_where_no_number_is_needed(plan):
    released = dpq.release(sample(), plan)
    assert released.guarantee == dpq.release(sample(), replace(plan, about_n=None)).guarantee
    assert not [note for note in released.notes if "noisy count" in note]


def test_a_person_with_several_records_divides_the_rate_of_the_number():
    ids = dpq.People.of(np.arange(INCOMES.size) // 4)
    one, four = (
        counted_first(sample(people=ids, **how), PLAN) for how in ({"per_person": "mean"}, {"max_rows_per_person": 4})
    )
    assert four.count.number.rate == one.count.number.rate / 4 == Fraction(1, 80)
    assert {one.guarantee.protects, four.guarantee.protects} == {"person"}


@pytest.mark.slow(keep="concentrated")
@pytest.mark.parametrize("budget", [dpq.PureDP(2.0), dpq.ApproxDP(2.0, 1e-6), dpq.ZCDP(0.5)], ids=KINDS)
def test_persons_are_counted_where_their_rows_weigh_1_together(budget):
    """Four rows each: 500 persons. At 40 trials a proportion below 0.75 has less than one chance in 100."""
    plan, people = replace(PLAN, privacy=budget), dpq.People.of(np.arange(INCOMES.size) // 4)
    released = dpq.release(sample(people=people, per_person="weight"), plan)
    assert released.guarantee.covers(budget)
    assert released.guarantee.protects == "person"
    told = float(released.notes[-1].removeprefix("A noisy count of the persons: ").rstrip(".").replace(",", ""))
    steps = counted_first(sample(people=people, per_person="weight"), plan)
    assert abs(told - 500) < 25 / float(steps.count.number.rate)
    assert "persons or more, by a noisy count" in present(released["column"].basis).sentences[2]
    assert steps.count.number.at_least(round(told * 2**20)) < told


@pytest.mark.parametrize("budget", [dpq.PureDP(2.0), dpq.ApproxDP(2.0, 1e-6)], ids=str)
def test_persons_cost_a_count_in_units_what_one_record_costs(budget):
    """A person's units add up to what a record moves a count by: a twentieth of epsilon."""
    shares = sample(people=dpq.People.of(np.arange(INCOMES.size) // 4), per_person="weight")
    number = counted_first(shares, replace(PLAN, privacy=budget)).count.number
    assert number.rate == Fraction(1, 10)
    assert number.rate == counted_first(sample(), replace(PLAN, privacy=budget)).count.number.rate
    noise = number.noisy(np.zeros(20_000, np.int64), SeededSampler(0))
    assert abs(noise).mean() == pytest.approx(10 * number.unit, rel=0.05)


def test_a_count_does_not_hide_which_way_to_divide_a_budget_has_less_noise():
    """What answers with intervals spend follows from the number, so their whole part is stated, in every way."""
    ids, groups = np.arange(INCOMES.size) // 4, {"groups": ["a", "b"] * (INCOMES.size // 2), "names": ["a", "b"]}
    how = {"people": dpq.People.of(ids), "max_rows_per_person": 2, "max_groups_per_person": 2}
    column, plan = sample(**groups, **how), replace(PLAN, mechanism="indexp", privacy=dpq.ApproxDP(1.0, 1e-6))
    assert schedule_of({"income": column}, plan).columns["income"] == steps_of(column, plan)


@pytest.mark.slow
def test_intervals_of_persons_hold_with_the_error_of_their_number_in_them():
    """At 48 trials a proportion below 0.77 has less than one chance in 100 where each holds with 0.9."""
    people = dpq.People.of(np.arange(INCOMES.size) // 4)
    found = dpq.simulate(
        sample(seed=0, people=people, per_person="weight"), replace(PLAN, privacy=dpq.PureDP(4.0)), 48, 1
    )
    study = found["column"]
    assert study.coverage.min() >= 0.77


@pytest.mark.slow
def test_intervals_hold_after_both_first_steps():
    """At 48 trials a proportion below 0.77 has less than one chance in 100 where each holds with 0.9."""
    raw = dpq.Column.from_values(INCOMES, dpq.FindBounds(step=10), seed=0)
    study = simulate_column(raw, steps_of(raw, replace(PLAN, privacy=dpq.PureDP(4.0))), 48, 1, firsts=3)
    assert study.coverage.min() >= 0.77
    assert "by a noisy count" in present(study.basis).sentences[2]
    with pytest.raises(dpq.ParameterError, match="`about_n` must be a number, such as about_n=300, where a run"):
        explain_column(raw, steps_of(raw, PLAN), 1, firsts=3)


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(dpq.ParameterError, match="seed"):
        dpq.release(sample(seed=1), PLAN)
    with pytest.raises(dpq.ParameterError, match=r"99\.8"):
        dpq.release(sample(), replace(PLAN, intervals=dpq.Intervals(0.999)))
    with pytest.raises(dpq.ParameterError, match="seed"):
        dpq.release({"income": sample(seed=1)}, PLAN)
    sketch = dpq.GKSketch(0.01, DOMAIN, 10_000)
    with pytest.raises(dpq.ParameterError, match="no records are at hand"):
        dpq.release(sketch, replace(PLAN, mechanism="gkexp"))
    proved = dpq.Plan(["1/2"], "jointexp", intervals=dpq.Intervals(0.9, proved=True), about_n="noisy")
    with pytest.raises(dpq.ParameterError, match="no theorem"):
        counted_first(sample(), proved)
    with pytest.raises(dpq.ParameterError, match="'noisy'"):
        dpq.Plan.from_dict(PLAN.as_dict() | {"about_n": "many"})


def test_a_ledger_charges_both_steps_once_and_a_refusal_after_the_number_by_the_number(tmp_path):
    account = opened(tmp_path, dpq.ApproxDP(3.0, 1e-5))
    first = charged_release(sample(), PLAN, account, release_id="a")
    assert charged_release(sample(), PLAN, account, release_id="a") == first
    assert first.guarantee.epsilon == pytest.approx(1)
    slices = dpq.Plan(["0.5", "0.51"], "slice", dpq.ApproxDP(0.5, 3e-7), intervals=0.9, about_n="noisy")
    with pytest.raises(dpq.Infeasible, match="had been counted") as refused:
        charged_release(dpq.Column.from_values(INCOMES[:60], DOMAIN), slices, account)
    assert refused.value.charged == pytest.approx(0.025)
    account.ledger.engine.dispose()
