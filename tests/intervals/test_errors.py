"""How often intervals fail on the public shapes, with ranges that many runs share."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.calibrations import calibrate_for
from dpq_core.intervals import errors
from dpq_core.intervals.distances import Verdict
from dpq_core.intervals.drawn import _all_levels
from dpq_core.intervals.ends import Ends
from dpq_core.intervals.errors import AT_LAST, Tally, _answers, _failed, records_to_simulate, shapes, ties, verdict
from dpq_core.mechanisms.base import Parameters
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.noise.fast import FastEntropy
from dpq_core.studies.grid import even_levels
from tests.harness import Plan

MONEY = dpq.Domain(0, 200_000, "0.01")
DECILES = tuple(Fraction(level, 10) for level in range(1, 10))
N, TOO_SHORT, ENOUGH = 3000, 90.0, 120.0


def _calibrated(plan: dpq.Plan, distance: float) -> tuple[Parameters, tuple[Ends, ...]]:
    drawn, ends = _all_levels(plan, distance, N)
    return MECHANISMS[plan.mechanism].calibrate(drawn, None).as_if_distinct(), ends


@pytest.mark.slow(keep="one")
@pytest.mark.parametrize("draws", ["best", "one"])
def test_an_answer_of_runs_with_shared_ranges_has_the_distribution_of_a_run(draws: str) -> None:
    """By shape and end how often the interval fails, which its whole path decides; both differ by chance alone."""
    plan = Plan(DECILES, "aq", dpq.PureDP(1.0), options={"draws": draws})
    parameters, ends = _calibrated(plan, {"best": TOO_SHORT, "one": 130.0}[draws])
    samples = [shapes(MONEY, N, DECILES)[shape] for shape in {"best": (1, 4), "one": (2, 3)}[draws]]
    runs = [_answers(plan, parameters, samples, FastEntropy(1, 160, part), 2) for part in range(3)]
    for place, sample in enumerate(samples):
        shared = np.concatenate([_failed(plan, parameters, ends, sample, list(each)[place]) for each in runs])
        cells = MECHANISMS["aq"].run(sample, parameters, FastEntropy(2, 160, place))
        alone = _failed(plan, parameters, ends, sample, cells)
        assert np.abs(shared.mean(axis=0) - alone.mean(axis=0)).max() < 0.15
        assert 0.1 < alone.mean(axis=0).max() < 0.9, "so that it could differ"


@pytest.mark.slow
def test_runs_of_one_joint_draw_side_by_side_have_the_distribution_of_a_run() -> None:
    """FreeTotal draws all levels at once: its runs are independent, from shapes side by side."""
    levels, n = tuple(Fraction(level, 4) for level in (1, 2, 3)), 400
    plan = dpq.Plan(levels, "freetotal", dpq.PureDP(1.0))
    drawn, ends = _all_levels(plan, 32.0, n)
    parameters = MECHANISMS["freetotal"].calibrate(drawn, None)
    samples = [shapes(MONEY, n, levels)[shape] for shape in (2, 3)]
    found = list(_answers(plan, parameters, samples, FastEntropy(3, 800), 8))
    for place, (sample, cells) in enumerate(zip(samples, found, strict=True)):
        shared = _failed(plan, parameters, ends, sample, cells)
        alone = MECHANISMS["freetotal"].run(sample, parameters, FastEntropy(4, 800, place))
        failed = _failed(plan, parameters, ends, sample, alone)
        assert np.abs(shared.mean(axis=0) - failed.mean(axis=0)).max() < 0.08, "four standard errors"
        assert 0.1 < failed.mean(axis=0).max() < 0.9, "so that it could differ"


def looked_at(*distances: float, chance: float = 0.95, rough: bool = False, before: tuple[int, ...] = ()) -> Verdict:
    """How often deciles fail with these distances, or with one."""
    plan = dpq.Plan(DECILES, "aq", dpq.PureDP(1.0), intervals=chance, about_n=N)
    bare = dpq.Plan(DECILES, "aq", dpq.PureDP(1.0))
    errors = np.array(distances if len(distances) > 1 else distances * 9)
    drawn, ends = _all_levels(bare, errors, N)
    parameters: Parameters = MECHANISMS["aq"].calibrate(drawn, None)
    return verdict(parameters, plan, ends, MONEY, N, (1 - chance) / 2, rough=rough, before=before)


@pytest.mark.slow(keep="True")
@pytest.mark.parametrize("rough", [True, False])
def test_the_intervals_that_fail_too_often_are_found_and_the_others_pass(rough: bool) -> None:
    """The outermost deciles need the longest distance, and need no other to be as long."""
    both = looked_at(TOO_SHORT, rough=rough)
    assert both.shares[[0, 8]].min() > 0.15
    assert not both.holds[[0, 8]].any()
    own = looked_at(ENOUGH, *[110.0] * 7, ENOUGH, rough=rough)
    assert own.shares.max() < 0.05
    assert own.holds.all() or rough
    assert own.runs >= (64 if rough else 46)


@pytest.mark.slow(keep="3-1.0")
@pytest.mark.parametrize(("levels", "epsilon"), [(3, 1.0), (9, 1.0), (9, 5.0)])
def test_guesses_from_the_model_need_no_look_and_are_about_as_near_as_a_check_passes(
    levels: int, epsilon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their own check passes them or nearly so, and a fifth nearer most runs fail."""
    rough, shares = list[bool](), list[float]()

    def counted(*what: Any, **how: Any) -> Verdict:
        rough.append(how["rough"])
        seen = verdict(*what, **how)
        shares.append(float(seen.shares.max()))
        return seen

    monkeypatch.setattr("dpq_core.intervals.drawn.verdict", counted)
    plan = dpq.Plan(even_levels(levels), "aq", dpq.PureDP(epsilon), intervals=0.95, about_n=N)
    found = calibrate_for(dpq.Sample.from_values(range(N), MONEY, seed=0), plan).drawn
    assert found is not None
    assert not any(rough)
    assert len(rough) <= 5
    assert shares[0] < 0.4
    assert shares[-1] < 0.05, "what is returned has passed"
    bare = dpq.Plan(plan.quantiles, "aq", plan.privacy)
    nearer = max(float(level - end.low) for level, end in zip(plan.quantiles, found.ends, strict=True) if end.low)
    all_levels, ends = _all_levels(bare, 0.8 * nearer * N, N)
    parameters: Parameters = MECHANISMS["aq"].calibrate(all_levels, None)
    assert verdict(parameters, plan, ends, MONEY, N, 0.025, rough=True).shares.max() > 0.1


def test_a_check_refuses_what_holds_a_little_less_often_than_asked_and_passes_what_never_fails() -> None:
    """With so many failures as are expected of an interval that just holds, none passes."""
    tally = Tally.of(0.05, 8, 1, 3)
    failed = np.zeros((160, 3), np.bool_)
    failed[:8, 1] = failed[:5, 2] = True
    tally.add(0, failed)
    assert tally.below(AT_LAST).tolist() == [[True, False, True]]
    assert tally.may_pass(160).tolist() == [[True, False, True]]


def test_a_check_draws_first_from_the_shapes_that_failed_before_and_then_from_all_others() -> None:
    stages = list(errors._stages([30, 31], 8, range(12), (5, 9)))
    assert stages[:2] == [(0, [5, 9], 30), (1, [5, 9], 31)]
    for shape in range(12):
        assert sum(families for _, some, families in stages if shape in some) == 61
    assert stages[2][1] == [0, 1, 2, 3, 4, 6, 7]


def test_a_check_that_begins_elsewhere_refuses_and_passes_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the shapes that come first fail, no other is drawn; where they pass, all others are."""
    drawn = list[int]()
    answers = errors._answers

    def counted(plan: dpq.Plan, parameters: Parameters, samples: Any, *rest: Any) -> Any:
        drawn.append(len(samples))
        return answers(plan, parameters, samples, *rest)

    monkeypatch.setattr(errors, "_answers", counted)
    refused = looked_at(TOO_SHORT, before=(1, 4))
    assert drawn == [2]
    assert refused.failing
    assert set(refused.failing) <= {1, 4}
    assert not refused.holds.all()
    drawn.clear()
    assert looked_at(2 * ENOUGH, before=(0, 8)).holds.all()
    assert drawn[0] == 2
    assert [each for each in drawn if each > 2] == [7, 3], "each of the others, once"


def test_failures_that_families_have_in_common_count_for_less() -> None:
    """Five in one family are a failure of one draw: they may have been more as well. So fewer pass."""
    apart, together = (Tally.of(0.05, 8, 1, 1) for _ in range(2))
    spread, one = np.zeros((2, 160, 1), np.bool_)
    spread[:6] = True  # the first copy of six families
    one[:120:20] = True  # six copies of one
    apart.add(0, spread)
    together.add(0, one)
    assert apart.shares == together.shares
    assert apart.below(AT_LAST).all()
    assert not together.below(AT_LAST).any()


def test_a_very_fine_grid_is_simulated_shape_by_shape() -> None:
    """Ten of them side by side would not fit into 64 bits."""
    domain = dpq.Domain(0, 2**57, 1)
    plan = dpq.Plan(["1/2"], "aq", dpq.PureDP(5.0), intervals=0.95, about_n=1000)
    drawn, ends = _all_levels(dpq.Plan(["1/2"], "aq", dpq.PureDP(5.0)), 30.0, 1000)
    parameters: Parameters = MECHANISMS["aq"].calibrate(drawn, None)
    assert verdict(parameters, plan, ends, domain, 1000, 0.025).holds.all()


def test_rounded_values_have_as_many_equal_records_everywhere_as_a_part_more_than_an_end_is_far() -> None:
    """Each level is the last record of a value on one side, the first on the other; blocks divide what is between."""
    below, above = ties(MONEY, N, DECILES, 105)
    for sample, side in ((below, 1), (above, -1)):
        values, counts = np.unique(sample.values_of(sample.cells), return_counts=True)
        ends = np.cumsum(counts)[:-1]
        assert len(values) == 20
        assert all(np.abs(ends - (int(level * N) + side)).min() <= 1 for level in DECILES)
        assert 140 < np.median(counts) < 160


def test_percentiles_at_the_distance_that_gaps_alone_need_fail_on_rounded_values() -> None:
    """Answers of neighbours leave their values together, and take along the ends between them."""
    levels = tuple(Fraction(level, 100) for level in range(1, 100))
    plan = dpq.Plan(levels, "aq", dpq.PureDP(1.0), intervals=0.95, about_n=60_000)
    drawn, ends = _all_levels(dpq.Plan(levels, "aq", dpq.PureDP(1.0)), 210.0, 60_000)
    parameters: Parameters = MECHANISMS["aq"].calibrate(drawn, None)
    assert verdict(parameters, plan, ends, MONEY, 60_000, 0.025, rough=True).shares.max() > 0.4


def test_ends_that_do_not_meet_among_all_records_do_not_meet_among_those_that_are_simulated() -> None:
    """Of percentiles of 60,000 records they met among 4,000, and the plan that was then drawn was never simulated."""
    levels = tuple(Fraction(level, 100) for level in range(1, 100))
    plan = dpq.Plan(levels, "aq", dpq.PureDP(1.0))
    for distance in (8.0, 100.0, 200.0):
        some = records_to_simulate(60_000, distance, levels)
        assert len(_all_levels(plan, distance, some)[0].quantiles) == 297
        assert len(_all_levels(plan, distance, 60_000)[0].quantiles) == 297
    assert records_to_simulate(10**9, 10**4, levels) < 10**6, "memory"
