"""Intervals where all rows of a person weigh 1 together: whole columns and groups, as often as they say, in persons."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.accuracy import signed_rank_errors
from dpq_core.calibrations import Calibrated
from dpq_core.mechanisms.base import Confidence
from dpq_core.mechanisms.counts.intervals import interval_leaves
from dpq_core.mechanisms.counts.noise import Noise
from dpq_core.mechanisms.counts.tree import TreeShape
from dpq_core.noise.integer_noise import Size
from dpq_core.people.shares import UNIT, WeightedCells
from dpq_core.privacy.budgets import Privacy
from dpq_core.study import simulate_column
from tests.harness import Plan, calibrate_grouped
from tests.narrowing import present

REPLACED = dpq.Adjacency.REPLACE_ONE
GRID = dpq.Domain(0, 120, 1)
BUDGETS: list[Privacy] = [dpq.PureDP(1.0), dpq.ApproxDP(1.0, 1e-6), dpq.ZCDP(0.1)]
READS = [key for key, mechanism in dpq.MECHANISMS.items() if mechanism.PROFILE.reads_shares]
RANDOM = np.random.default_rng(5)
IDS = RANDOM.integers(0, 400, 2400)
OWN = RANDOM.normal(60, 15, 400)
VALUES = OWN[IDS] + RANDOM.normal(0, 8, 2400)
NAMES = RANDOM.choice(["a", "b"], 2400)


def planned(mechanism: str, **settings: Any) -> Plan:
    given: dict[str, Any] = {
        "intervals": 0.95, "about_n": 400, "options": {"draws": "one"} if mechanism == "aq" else {},
    }  # fmt: skip
    return Plan(["1/4", "1/2"], mechanism, **given | {"privacy": dpq.PureDP(1.0)} | settings)


def column(seed: int | None = 0, domain: dpq.Domain = GRID) -> dpq.Column:
    return dpq.Column.from_values(VALUES, domain, people=dpq.People.of(IDS), per_person="weight", seed=seed)


def grouped(seed: int | None = 0) -> dpq.Column:
    return dpq.Column.from_values(
        VALUES, GRID, groups=NAMES, names=["a", "b"], people=dpq.People.of(IDS), per_person="weight", seed=seed
    )


@pytest.mark.slow(keep=("binhist-add_remove", "binhist-replace_one"))
@pytest.mark.parametrize("adjacency", dpq.Adjacency)
@pytest.mark.parametrize("mechanism", READS)
def test_shares_have_intervals_within_the_budget_whole_and_in_groups(mechanism, adjacency):
    for privacy in BUDGETS if mechanism in {"aq", "indexp", "binhist", "aggtree"} else BUDGETS[:1]:
        plan = planned(mechanism, privacy=privacy, adjacency=adjacency, intervals=0.5)
        assert Calibrated.for_column(column(), plan).guarantee.covers(privacy)
        assert calibrate_grouped(grouped(), plan).guarantee.covers(privacy)
    found, by_group = dpq.release(column(None), plan), dpq.release(grouped(None), plan)
    assert found.guarantee.covers(plan.privacy)
    assert by_group.guarantee.covers(plan.privacy)
    whole, groups = found["column"], by_group["column"]
    for intervals, values in zip(whole.intervals + groups.intervals, whole.values + groups.values, strict=True):
        assert all(low <= value <= high for (low, high), value in zip(intervals, values, strict=True))
    said, said_of_groups = (present(cells.basis).sentences for cells in (whole, groups))
    assert "where all rows of a person weigh 1 together" in said[0]
    assert "where all rows of a person in all groups weigh 1" in said_of_groups[0]
    assert "records" not in " ".join((*said, *said_of_groups))


def exact_share_quantile(rows: Any, values: Any, level: Fraction) -> float:
    """The least value at or below which rows of this weight lie, by fractions of a person."""
    counts = np.bincount(IDS)
    order = np.argsort(values[rows], kind="stable")
    sums = np.cumsum(1 / counts[IDS[rows][order]])
    return float(values[rows][order][np.searchsorted(sums, float(level) * sums[-1] - 1e-4)])


@pytest.mark.slow(keep=("replace_one-binhist-privacy5", "add_remove-aq-privacy0"))
@pytest.mark.parametrize(("mechanism", "privacy"), [
    ("aq", dpq.PureDP(1.0)), ("indexp", dpq.ZCDP(0.2)), ("jointexp", dpq.PureDP(1.0)),
    pytest.param("freetotal", dpq.PureDP(1.0), marks=pytest.mark.slow), ("aggtree", dpq.PureDP(1.0)),
    ("binhist", dpq.ZCDP(0.1)),
])  # fmt: skip
@pytest.mark.parametrize("adjacency", dpq.Adjacency)
def test_intervals_of_shares_hold_as_often_as_they_say(mechanism, privacy, adjacency):
    """At 400 trials a proportion below 0.92 has less than one chance in 200 where each holds with 0.95."""
    plan, trials = (
        planned(mechanism, privacy=privacy, adjacency=adjacency),
        100 if mechanism in {"jointexp", "freetotal"} else 400,
    )
    study = dpq.simulate(column(), plan, trials=trials)["column"]
    assert study.coverage.min() >= 0.92
    intervals = present(study.intervals)[:, 0]
    for at, level in enumerate(plan.quantiles):
        true = exact_share_quantile(np.arange(2400), VALUES, level)
        held = (intervals[:, at, 0] <= true) & (true <= intervals[:, at, 1])
        assert held.mean() >= 0.92
    own = dpq.simulate(grouped(), replace(plan, about_n=180), trials=trials)["column"]
    assert own.coverage.shape == (2, 2)
    assert own.coverage.min() >= 0.92


def hardest(n: int, level: Fraction, side: int) -> dpq.Column:
    """Persons' weights where a unit beside a level a gap begins, and both values begin with half a person."""
    start = level.numerator * n * UNIT // level.denominator + side
    cuts = [*(0, *range(UNIT // 2, start, UNIT)), *(start, *range(start + UNIT // 2, n * UNIT, UNIT))]
    cells = np.sort(np.searchsorted([start], cuts, side="right") * 120 * 2**20 + RANDOM.integers(0, 2**20, len(cuts)))
    records = WeightedCells.of(cells, np.diff([*cuts, n * UNIT]), UNIT)
    return dpq.Column(records, GRID, 20, 0, 0, "person", per_person="weight")


@pytest.mark.slow(keep=("indexp-0.5", "aq-8.0", "indexp-20.0"))
@pytest.mark.parametrize(("mechanism", "epsilon"), [("aq", 1.0), ("aq", 8.0), ("indexp", 0.5), ("indexp", 20.0)])
def test_intervals_hold_on_the_hardest_shapes_of_shares(mechanism, epsilon):
    """A unit beside the quantile empty range begins, and ranks are half a person off: in runs that nobody chose."""
    plan = planned(mechanism, privacy=dpq.PureDP(epsilon), about_n=300, intervals=0.9)
    for level, side in product(plan.quantiles, (1, -1)):
        sample = hardest(300, level, side)
        assert signed_rank_errors(sample, [level], [[1.0]])[0, 0] * UNIT == side, "where a whole record is missing"
        held = simulate_column(sample, Calibrated.for_column(sample, plan), 600, 11).coverage.min()
        assert held >= 0.86, "0.9, and what chance does in 600 runs"


# ── the noise, in units ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("population", [False, True])
@pytest.mark.parametrize("proved", [False, True])
def test_leaves_of_counts_in_units_are_those_of_counts_in_persons(kind, population, proved):
    """The same estimates, told in units: the same leaves, as all limits are as many times as far."""
    if population and proved:
        return
    noise, tree = Noise(kind, Size(Fraction(9))), TreeShape(4, 2)
    estimates = [RANDOM.integers(0, 40, (50, 4)).astype(float), RANDOM.integers(0, 12, (50, 16)).astype(float)]
    sure = Confidence(0.025, proved, population)
    levels = (Fraction(1, 4), Fraction(1, 2))
    persons = interval_leaves(estimates, tree, noise, levels, None, sure)
    units = interval_leaves([each * UNIT for each in estimates], tree, noise, levels, None, sure, UNIT)
    wrong = interval_leaves([each * UNIT for each in estimates], tree, noise, levels, None, sure)
    near = sum(int(np.abs(a - b).max()) for a, b in zip(persons, units, strict=True))
    assert near <= (kind == "laplace")
    assert not all(np.array_equal(a, b) for a, b in zip(persons, wrong, strict=True))


def test_proved_intervals_of_shares_hold():
    for mechanism in ("aq", "indexp", "binhist"):
        asked = dpq.Intervals(0.9, proved=True)
        study = dpq.simulate(column(), planned(mechanism, intervals=asked, privacy=dpq.PureDP(4.0)), 200)["column"]
        assert present(study.basis).proved
        assert study.coverage.min() >= 0.9
    with pytest.raises(dpq.ParameterError, match="no theorem bounds its error"):
        dpq.simulate(column(), planned("freetotal", intervals=asked))


def test_of_the_population_persons_are_the_sample():
    narrow, wide = (
        dpq.simulate(column(), planned("binhist", intervals=dpq.Intervals(0.95, of=of), privacy=dpq.PureDP(8.0)), 50)[
            "column"
        ]
        for of in ("data", "population")
    )
    widths = [np.diff(present(each.intervals), axis=-1).mean() for each in (narrow, wide)]
    assert widths[1] > 2 * widths[0]
    assert "of which the persons are taken to be a random sample" in present(wide.basis).sentences[0]


# ── public facts alone, and refusals ─────────────────────────────────────────────────────────────────────────────────


def test_no_private_mass_decides_the_ends():
    few = dpq.Column.from_values([1.0, 2.0, 3.0], GRID, people=dpq.People.of([0, 0, 1]), per_person="weight", seed=0)
    for mechanism in ("aq", "indexp", "binhist"):
        one, other = (Calibrated.for_column(each, planned(mechanism)) for each in (column(), few))
        assert one == other
    replaced = Calibrated.for_column(column(), planned("indexp", adjacency=REPLACED, about_n=None))
    assert present(replaced.drawn_levels).basis.sentences[-1] == ("Nothing is assumed about the number of persons.")


def test_a_draw_that_would_take_too_long_is_refused_before_it_is_tried(monkeypatch):
    monkeypatch.setattr("dpq_core.intervals.drawn.failing", None)
    monkeypatch.setattr("dpq_core.mechanisms.freetotal.mechanism.is_too_much_in_shares", lambda levels, rate: True)
    for data in (column(None), grouped(None)):
        with pytest.raises(dpq.ParameterError, match=r"must be fewer for FreeTotal.* The ends of intervals are levels"):
            dpq.release(data, planned("freetotal", about_n=123))
        with pytest.raises(dpq.ParameterError, match="must be fewer for FreeTotal"):
            dpq.release(data, planned("freetotal", intervals=None, about_n=None))


@pytest.mark.parametrize("mechanism", ["slice", "gkexp"])
def test_mechanisms_that_read_whole_records_stay_refused(mechanism):
    for data in (column(None), grouped(None)):
        with pytest.raises(dpq.ParameterError, match="must make one record of each person"):
            dpq.release(data, planned(mechanism, options={}))
