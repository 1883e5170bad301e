"""Intervals where bounds are found first: fixed before any bound is known, of all records, open at a found bound."""

from itertools import product
from math import inf, isinf
from typing import Any

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.calibrations import Calibrated
from dpq_core.draw import Found
from dpq_core.encoding import checked_bits
from dpq_core.noise.fast import SeededSampler
from dpq_core.privacy.budgets import Privacy
from dpq_core.steps import OF_THE_WALK, BoundsFirst, steps_with_bounds
from dpq_core.study import simulate_column
from tests.harness import raw_groups
from tests.narrowing import only, present

REPLACED = dpq.Adjacency.REPLACE_ONE
BUDGETS: list[Privacy] = [dpq.PureDP(1.0), dpq.ApproxDP(1.0, 1e-6), dpq.ZCDP(0.1)]
RANDOM = np.random.default_rng(3)
INCOMES = RANDOM.lognormal(10, 1, 1200)
GROUPS = RANDOM.choice(["a", "b"], 1200)
IDS = np.arange(1200) // 2
SMALL = dpq.FindBounds("1/10", 1, 10**6, step=100, negative=False)
"""Ten thousand possible values: the distance of ends is found soon."""
LOW = dpq.FindBounds("1/10", 1, 10**4, step=10, negative=False)
"""Most incomes lie beyond the highest bound that can be found."""


def planned(mechanism: str = "indexp", quantiles: Any = ("1/4", "1/2"), **settings: Any) -> dpq.Plan:
    given: dict[str, Any] = {"privacy": dpq.PureDP(1.0), "intervals": 0.95, "about_n": 1000} | settings
    return dpq.Plan(list(quantiles), mechanism, **given)


def column(bounds: dpq.FindBounds = SMALL, seed: int | None = 0, values: Any = INCOMES, **how: Any) -> dpq.Column:
    return dpq.Column.from_values(values, bounds, seed=seed, **how)


def grouped(bounds: dpq.FindBounds = SMALL, seed: int | None = 0, **how: Any) -> dpq.Column:
    return raw_groups(INCOMES, GROUPS, bounds, {"names": ["a", "b"], "seed": seed} | how)


def levels_of(steps: BoundsFirst) -> Any:
    return only(Calibrated, steps.second).parameters.levels


def truth(values: Any, plan: dpq.Plan) -> list[float]:
    ordered = np.sort(values)
    return [float(ordered[level.numerator * ordered.size // level.denominator - 1]) for level in plan.quantiles]


# ── fixed before ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("bounds", [
    dpq.FindBounds(), dpq.FindBounds(step=1), dpq.FindBounds(largest=1000, step=1), dpq.FindBounds(negative=False),
    SMALL,
])  # fmt: skip
def test_no_domain_that_can_be_found_has_more_values_than_that_which_ends_are_laid_for(bounds):
    finest, cells = bounds.finest, bounds.grid.cells
    most = finest.cells << checked_bits(None, finest)
    some = [*range(0, cells, max(cells // 40, 1)), bounds.zero, bounds.zero + 1, cells - 1]
    for low, high in product(some, some):
        if low <= bounds.zero < high:
            found = bounds.between(low, high)
            assert found.cells <= finest.cells < 4 * 10**13 or bounds.step is not None
            assert found.cells << checked_bits(None, found) <= most
    assert finest.cells <= 2 * max(bounds.widest.cells, 10**13 if bounds.step is None else 0)


@pytest.mark.slow(one_in=7)
@pytest.mark.parametrize("adjacency", dpq.Adjacency)
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
@pytest.mark.parametrize("mechanism", ["aq", "indexp", "freetotal", "aggtree", "binhist"])
def test_a_release_with_intervals_holds_its_budget_whatever_is_found(mechanism, budget, adjacency):
    plan = planned(mechanism, ["1/2"], privacy=budget, adjacency=adjacency, intervals=0.5)
    raw = column(seed=None)
    steps = steps_with_bounds(raw, plan)
    assert steps.guarantee.covers(budget)
    found = dpq.release(raw, plan)
    assert found.plan.first == plan
    assert found.guarantee.covers(budget)
    assert found.guarantee.epsilon == steps.guarantee.epsilon
    basis = only(Calibrated, steps.second).basis
    assert found["column"].basis == basis
    assert len(present(basis).sentences) == 3
    ((low, high),), (value,) = found.intervals["column"], found.values["column"]
    assert low <= value <= high


def test_no_record_decides_which_levels_are_drawn():
    """Where one may join or leave: other values, and other numbers of them, the same second step and the same walk."""
    for mechanism in ("aq", "indexp", "binhist"):
        one, other = (
            steps_with_bounds(column(values=values), planned(mechanism)) for values in (INCOMES, np.array([5.0, 7e5]))
        )
        assert one == other
        assert (len(levels_of(one)) > 2) is (mechanism != "binhist")
    many, few = (levels_of(steps_with_bounds(column(), planned(about_n=n))) for n in (5000, 800))
    assert max(many) < max(few)


@pytest.mark.slow
def test_a_person_with_several_rows_and_several_groups_divides_the_levels_at_the_ends_as_well():
    people = dpq.People.of(IDS)
    for how in ({"per_person": "mean"}, {"max_rows_per_person": 2}, {"per_person": "weight"}):
        rows: dict[str, Any] = {"people": people} | how
        for raw in (
            column(**rows),
            grouped(**rows | ({"max_groups_per_person": 2} if "weight" not in how.values() else {})),
        ):
            steps = steps_with_bounds(raw, planned(intervals=0.5))
            assert steps.guarantee.covers(dpq.PureDP(1.0))
            assert steps.guarantee.protects == "person"
            assert isinstance(steps.second, Calibrated)
            assert steps.second.basis is not None


# ── how often they hold ──────────────────────────────────────────────────────────────────────────────────────────────


def held_by_hand(raw: dpq.Column, steps: BoundsFirst, intervals: Any, trials: int, values: Any) -> Any:
    """Whether each interval holds the true quantile of the values as they are, ends at found bounds being open."""
    domains = steps.find(raw, SeededSampler(0, trials, OF_THE_WALK))
    true = np.array(truth(values, steps.plan))
    ends = np.array([[float(each.lower), float(each.upper)] for each in domains])
    lower, upper = ends[:, :1], ends[:, 1:]
    low, high = intervals[..., 0], intervals[..., 1]
    return ((low <= lower) | (low <= true)) & ((high >= upper) | (true <= high))


@pytest.mark.slow(keep=("inside-replace_one-aq-privacy0", "beyond-replace_one-indexp-privacy1"))
@pytest.mark.parametrize(
    ("mechanism", "privacy"),
    [("aq", dpq.PureDP(1.0)), ("indexp", dpq.ZCDP(0.2)), ("aggtree", dpq.PureDP(1.0)), ("binhist", dpq.ZCDP(0.1))],
)
@pytest.mark.parametrize("adjacency", dpq.Adjacency)
@pytest.mark.parametrize("bounds", [SMALL, LOW], ids=["inside", "beyond"])
def test_intervals_hold_the_quantiles_of_all_records_as_often_as_they_say(mechanism, privacy, adjacency, bounds):
    """At 400 trials a proportion below 0.92 has less than one chance in 200 where each holds with 0.95."""
    plan = planned(mechanism, ["1/20", "1/2"], privacy=privacy, adjacency=adjacency)
    raw = column(bounds)
    study, steps = dpq.simulate(raw, plan, trials=400)["column"], steps_with_bounds(raw, plan)
    intervals, covered = present(study.intervals), present(study.covered)
    assert study.basis == only(Calibrated, steps.second).basis is not None
    by_hand = held_by_hand(raw, steps, intervals[:, 0], 400, INCOMES)
    assert by_hand.mean(axis=0).min() >= 0.92
    assert study.coverage.min() >= 0.92
    assert not (covered[:, 0] & ~by_hand).any(), "counted on the grid, without the step that the values add"
    if bounds is LOW:
        assert truth(INCOMES, plan)[1] > 2 * float(LOW.widest.upper), "the median lies beyond every bound"


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", ["indexp", "binhist"])
def test_intervals_of_each_group_hold_as_often_as_they_say(mechanism):
    raw, plan = grouped(), planned(mechanism, about_n=400)
    study = simulate_column(raw, steps_with_bounds(raw, plan), 300, 0)
    assert present(study.intervals).shape == (300, 2, 2, 2)
    assert study.coverage.min() >= 0.92
    assert "in each group, not in all groups at once" in present(study.basis).sentences[1]
    low = simulate_column(raw, steps_with_bounds(raw, planned("binhist", intervals=0.5, about_n=400)), 300, 0)
    assert 0.4 < low.coverage.min() < 0.9


def test_a_group_that_was_not_named_has_no_interval():
    raw, plan = grouped(), planned(about_n=400)
    named = np.array([[True, False]] * 5 + [[True, True]] * 5)
    study = simulate_column(raw, steps_with_bounds(raw, plan), 10, 0, Found(dict(zip(raw.names, named.T, strict=True))))
    assert np.isnan(present(study.intervals)[:5, 1]).all()
    assert not present(study.covered)[:5, 1].any()
    assert np.isfinite(present(study.intervals)[5:]).all()


# ── what is told ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_end_at_a_found_bound_is_open_in_tables_and_said_to_be():
    raw = column(LOW, seed=None)
    found = dpq.release(raw, planned("binhist", ["1/100", "1/2", "9/10"]))
    assert found["column"].domain.upper == 10**4
    assert [high for _, high in found.intervals["column"][1:]] == [1e4, 1e4]
    frame = found.to_frame()
    assert frame["high"].tolist()[1:] == [inf, inf]
    assert not any(isinf(each) for each in found.values["column"])
    assert "Where an interval ends at a bound" in present(found["column"].basis).sentences[0]
    assert any("what does counts as the nearest bound" in warning for warning in found.warnings)


# ── refusals ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_is_missing_or_wrong_is_named_before_anything_is_drawn(monkeypatch):
    monkeypatch.setattr(BoundsFirst, "find", None)
    for raw in (column(seed=None), grouped(seed=None)):
        with pytest.raises(dpq.ParameterError, match="`about_n` must be given for intervals"):
            steps_with_bounds(raw, planned(about_n=None))
        with pytest.raises(dpq.ParameterError, match="`about_n` must be a number for a chance above"):
            steps_with_bounds(raw, planned(about_n="noisy", intervals=0.999))
    normal = planned("normal", adjacency=REPLACED, options={"sigma": 1, "mean_bound": 100})
    with pytest.raises(
        dpq.ParameterError, match="`intervals` must be None where bounds are found for normal: it finds"
    ):
        dpq.release(column(seed=None), normal)
