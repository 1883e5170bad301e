"""How often intervals fail on the public shapes, with ranges that many runs share."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.calibrations import Calibrated
from dpq_core.intervals.drawn import _all_levels
from dpq_core.intervals.ends import Ends
from dpq_core.intervals.errors import _answers, _failed, _side_by_side, failing, records_to_simulate, shapes, ties
from dpq_core.mechanisms.base import Parameters
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.noise.fast import SeededSampler
from dpq_core.studies.design import even_levels
from tests.harness import Plan

MONEY = dpq.Domain(0, 200_000, "0.01")
DECILES = tuple(Fraction(level, 10) for level in range(1, 10))
N, TOO_SHORT, ENOUGH = 3000, 90.0, 125.0


def _calibrated(plan: dpq.Plan, distance: float) -> tuple[Parameters, tuple[Ends, ...]]:
    drawn, ends = _all_levels(plan, distance, N)
    return MECHANISMS[plan.mechanism].calibrate(drawn, None).as_if_distinct(), ends


@pytest.mark.slow(keep="one")
@pytest.mark.parametrize("draws", ["best", "one"])
def test_an_answer_of_runs_with_shared_ranges_has_the_distribution_of_a_run(draws: str) -> None:
    """By shape and end how often the interval fails, which its whole path decides; both differ by chance alone."""
    plan = Plan(DECILES, "aq", dpq.PureDP(1.0), options={"draws": draws})
    parameters, ends = _calibrated(plan, {"best": TOO_SHORT, "one": 130.0}[draws])
    columns = [shapes(MONEY, N, DECILES)[shape] for shape in {"best": (1, 4), "one": (2, 3)}[draws]]
    runs = [_answers(plan, parameters, columns, SeededSampler(1, 160, part), 2) for part in range(3)]
    for place, column in enumerate(columns):
        shared = np.concatenate([_failed(plan, parameters, ends, column, list(each)[place]) for each in runs])
        cells = MECHANISMS["aq"].run(column, parameters, SeededSampler(2, 160, place))
        alone = _failed(plan, parameters, ends, column, cells)
        assert np.abs(shared.mean(axis=0) - alone.mean(axis=0)).max() < 0.15
        assert 0.1 < alone.mean(axis=0).max() < 0.9, "so that it could differ"


@pytest.mark.slow
def test_runs_of_one_joint_draw_side_by_side_have_the_distribution_of_a_run() -> None:
    """FreeTotal draws all levels at once: its runs are independent, from shapes side by side."""
    levels, n = tuple(Fraction(level, 4) for level in (1, 2, 3)), 400
    plan = dpq.Plan(levels, "freetotal", dpq.PureDP(1.0))
    drawn, ends = _all_levels(plan, 32.0, n)
    parameters = MECHANISMS["freetotal"].calibrate(drawn, None)
    columns = [shapes(MONEY, n, levels)[shape] for shape in (2, 3)]
    found = list(_answers(plan, parameters, columns, SeededSampler(3, 800), 8))
    for place, (column, cells) in enumerate(zip(columns, found, strict=True)):
        shared = _failed(plan, parameters, ends, column, cells)
        alone = MECHANISMS["freetotal"].run(column, parameters, SeededSampler(4, 800, place))
        failed = _failed(plan, parameters, ends, column, alone)
        assert np.abs(shared.mean(axis=0) - failed.mean(axis=0)).max() < 0.08, "four standard errors"
        assert 0.1 < failed.mean(axis=0).max() < 0.9, "so that it could differ"


def worst(distance: float, levels: tuple[Fraction, ...] = DECILES, n: int = N) -> float:
    """How often the interval that fails most does so, with this distance."""
    drawn, ends = _all_levels(dpq.Plan(levels, "aq", dpq.PureDP(1.0)), distance, n)
    plan = dpq.Plan(levels, "aq", dpq.PureDP(1.0))
    return float(failing(MECHANISMS["aq"].calibrate(drawn, None), plan, ends, MONEY, n).max())


@pytest.mark.slow
def test_a_check_finds_what_fails_and_passes_what_is_farther() -> None:
    assert worst(TOO_SHORT) > 0.15
    assert worst(ENOUGH) <= 0.05


@pytest.mark.slow(keep="3-budget0-50")
@pytest.mark.parametrize(
    ("levels", "budget", "most"),
    [(3, dpq.PureDP(1), 50), (5, dpq.PureDP(1), 135), (5, dpq.PureDP(5), 16), (19, dpq.ZCDP(0.1), 160)],
)
def test_guesses_are_what_checks_pass(levels: int, budget: Any, most: float, monkeypatch: pytest.MonkeyPatch) -> None:
    shares = list[float]()

    def counted(*what: Any) -> Any:
        seen = failing(*what)
        shares.append(float(seen.max()))
        return seen

    monkeypatch.setattr("dpq_core.intervals.drawn.failing", counted)
    plan = dpq.Plan(even_levels(levels), "aq", budget, intervals=0.95, about_n=N)
    found = Calibrated.for_column(dpq.Column.from_values(range(N), MONEY, seed=0), plan).drawn_levels
    assert found is not None
    assert len(shares) <= 4
    assert shares[-1] <= 0.05, "what is returned has passed"
    assert (
        max(float(level - end.low) for level, end in zip(plan.quantiles, found.ends, strict=True) if end.low) < most / N
    )


def test_what_a_known_number_of_records_decides_is_what_is_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Among fewer records AQ draws fewer levels at once where one is replaced, and errs otherwise."""
    simulated = list[Parameters]()

    def seen(parameters: Parameters, plan: dpq.Plan, *_: Any) -> Any:
        simulated.append(parameters)
        return np.zeros(len(plan.quantiles))

    monkeypatch.setattr("dpq_core.intervals.drawn.failing", seen)
    plan = dpq.Plan(DECILES, "aq", dpq.PureDP(1.0), dpq.Adjacency.REPLACE_ONE, intervals=0.95)
    drawn = Calibrated.for_column(dpq.Column.from_values(range(60_000), MONEY, seed=0), plan).parameters
    assert simulated == [drawn]


def test_a_very_fine_grid_is_simulated_shape_by_shape_and_others_side_by_side() -> None:
    """Ten of the finest would not fit into 64 bits; a domain without a step has few bits that tell records apart."""
    found = (*shapes(dpq.Domain(0, 100), 60_000, DECILES), *ties(dpq.Domain(0, 100), 60_000, DECILES, 300))
    assert len(_side_by_side(found, dpq.Plan(DECILES, "aq"))) == 1
    domain = dpq.Domain(0, 2**57, 1)
    plan = dpq.Plan(["1/2"], "aq", dpq.PureDP(5.0), intervals=0.95, about_n=1000)
    drawn, ends = _all_levels(dpq.Plan(["1/2"], "aq", dpq.PureDP(5.0)), 30.0, 1000)
    parameters: Parameters = MECHANISMS["aq"].calibrate(drawn, None)
    assert failing(parameters, plan, ends, domain, 1000).max() <= 0.05


def test_rounded_values_have_as_many_equal_records_everywhere_as_a_part_more_than_an_end_is_far() -> None:
    """Each level is the last record of a value on one side, the first on the other; blocks divide what is between."""
    below, above = ties(MONEY, N, DECILES, 105)
    for column, side in ((below, 1), (above, -1)):
        values, counts = np.unique(column.values_of(column.cells), return_counts=True)
        ends = np.cumsum(counts)[:-1]
        assert len(values) == 20
        assert all(np.abs(ends - (int(level * N) + side)).min() <= 1 for level in DECILES)
        assert 140 < np.median(counts) < 160


def test_percentiles_at_the_distance_that_gaps_alone_need_fail_on_rounded_values() -> None:
    """Answers of neighbours leave their values together, and take along the ends between them."""
    levels = tuple(Fraction(level, 100) for level in range(1, 100))
    assert worst(200.0, levels, 60_000) > 0.2


def test_ends_that_do_not_meet_among_all_records_do_not_meet_among_those_that_are_simulated() -> None:
    """Of percentiles of 60,000 records they met among 4,000, and the plan that was then drawn was never simulated."""
    levels = tuple(Fraction(level, 100) for level in range(1, 100))
    plan = dpq.Plan(levels, "aq", dpq.PureDP(1.0))
    for distance in (8.0, 100.0, 200.0):
        some = records_to_simulate(60_000, distance, levels)
        assert len(_all_levels(plan, distance, some)[0].quantiles) == 297
        assert len(_all_levels(plan, distance, 60_000)[0].quantiles) == 297
    assert records_to_simulate(10**9, 10**4, levels) < 10**6, "memory"
