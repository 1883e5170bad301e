"""DPExpGK: what it reads and refuses, both samplers against the law, and errors within the stated bound."""

from fractions import Fraction
from math import log

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.mechanisms.exponential.distribution import Rate, Target
from dpq_core.mechanisms.gk import mechanism as gk
from dpq_core.mechanisms.gk.mechanism import Classes, GKStep
from tests.harness import SAMPLERS, RankBounds, calibrate, check_chances, usual_column
from tests.narrowing import all_of

GRID = dpq.Domain(0, 199, 1)
REPLACE_ONE = dpq.Adjacency.REPLACE_ONE


def sketch_of(values, alpha=0.05, n_max=400):
    sketch = dpq.GKSketch(alpha, GRID, n_max)
    sketch.update(values)
    return sketch


def values_of(n=400, seed=0):
    return np.random.default_rng(seed).integers(0, 200, n)


def classes_by_hand(bounds, grid):
    """Rank bounds of every cell, found for each by itself."""
    lo, hi = bounds.interval(np.arange(grid))
    return list(zip(lo.tolist(), hi.tolist(), strict=True))


@pytest.mark.parametrize("values", [[], [0], [199], [0, 199], [3, 3, 4, 90, 90], values_of(60)])
def test_classes_cover_the_grid_with_the_sketchs_bounds(values):
    bounds = sketch_of(values, 0.1, 60).bounds
    classes = Classes.of(bounds, 200)
    spread = [
        (least, most)
        for first, end, least, most in zip(
            classes.first[:-1], classes.first[1:], classes.least, classes.most, strict=True
        )
        for _ in range(first, end)
    ]
    assert spread == classes_by_hand(bounds, 200)
    assert classes.first[classes.stored.nonzero()].tolist() == bounds.cells.tolist()
    for target in (Fraction(0), Fraction(len(values)), Fraction(len(values), 3)):
        distances = classes.distances(target)
        assert (np.diff(distances) >= 0).all()
        assert (distances == 0).any()
        exact = [
            float(max(least - target, target - most, 0))
            for least, most in zip(classes.least.tolist(), classes.most.tolist(), strict=True)
        ]
        assert np.abs(distances).tolist() == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("level", [Fraction(0), Fraction(1, 3)])
def test_both_samplers_have_the_law_of_weights_by_distance(sampler, level):
    """200 values in runs of many classes; the weights are written out from the bounds of every value."""
    bounds, rate = sketch_of(values_of()).bounds, Fraction(1, 20)
    classes, target, aim = Classes.of(bounds, 200), 400 * level, Target((level,), Rate(rate))
    distances = [max(least - target, target - most, 0) for least, most in classes_by_hand(bounds, 200)]
    weights = np.exp([-float(rate * distance) for distance in distances])
    law = SAMPLERS[sampler](lambda entropy: tuple(classes.draw(aim, 400, entropy).tolist()))
    check_chances(law, np.arange(200)[:, None], weights / weights.sum())


def test_huge_denominators_and_domains_are_drawn_exactly():
    sketch = dpq.GKSketch(0.1, dpq.Domain(0, 1, Fraction(1, 2**61)), 50)
    sketch.update(np.linspace(0.4, 0.6, 50))
    answer = dpq.release(sketch, dpq.Plan([Fraction(1, 3**300), "1/2"], "gkexp", dpq.PureDP(500.0)))
    least, median = answer.values["column"]
    assert 0 <= least <= 0.46
    assert 0.45 <= median <= 0.55


def test_a_private_number_of_people_needs_a_public_bound():
    with pytest.raises(dpq.ParameterError, match="`n_max` must be given") as caught:
        calibrate(dpq.Plan(["1/2"], "gkexp"))
    assert caught.value.name == "n_max"


def test_a_sketch_brings_its_own_options():
    sketch, plan = sketch_of(values_of()), dpq.Plan(["1/2", "1/4"], "gkexp")
    answer = dpq.release(sketch, plan)["column"]
    assert dict(answer.plan.options) == {"alpha": 0.05, "n_max": 400}
    ((median, quarter),) = answer.values
    assert median >= quarter
    same = dpq.release(sketch, dpq.Plan(["1/2"], "gkexp", options={"alpha": 0.05, "n_max": 400}))
    assert same.guarantee.exact
    for name, value in (("alpha", 0.01), ("n_max", 500)):
        with pytest.raises(dpq.ParameterError, match="the sketch's own") as caught:
            dpq.release(sketch, dpq.Plan(["1/2"], "gkexp", options={name: value}))
        assert caught.value.name == name
    for key in ("aq", "indexp"):
        for work in (dpq.release, dpq.simulate, dpq.explain):
            with pytest.raises(dpq.ParameterError, match="must be gkexp to read a GKSketch"):
                work(sketch, dpq.Plan(["1/2"], key))
    with pytest.raises(dpq.DataError, match="must be a Column or a sketch, got list"):
        dpq.release([1, 2], plan)  # type: ignore[arg-type]


def test_dropped_records_make_n_private():
    sketch = sketch_of([1.0, float("nan")])
    dpq.release(sketch, dpq.Plan(["1/2"], "gkexp"))
    with pytest.raises(dpq.DataError, match="missing"):
        dpq.release(sketch, dpq.Plan(["1/2"], "gkexp", adjacency=REPLACE_ONE))


def test_errors_known_from_a_sketch_hold_the_true_ones():
    values = values_of()
    sketch, column = sketch_of(values), usual_column(values, GRID, seed=0)
    study = dpq.simulate(sketch, dpq.Plan(["1/4", "1/2", 1], "gkexp", dpq.PureDP(3.0)), 50)["column"]
    true = dpq.rank_errors(column, study.plan.quantiles, study.values)
    assert 0 < study.rank_error_slack < sketch.threshold
    assert (study.rank_errors <= true).all()
    assert (true <= study.rank_errors + study.rank_error_slack).all()
    assert dpq.simulate(column, dpq.Plan(["1/2"], "indexp"), 2)["column"].rank_error_slack == 0


@pytest.mark.parametrize("alpha", [0, 0.001, 0.02])
def test_errors_stay_within_the_stated_bound(alpha):
    """beta = 1e-9 for each of 3 x 2 x 200 draws."""
    values = np.random.default_rng(1).normal(0, 5, 5000)
    domain = dpq.Domain(-50, 50)
    plan = dpq.Plan(["1/10", "1/2"], "gkexp", options={"alpha": alpha, "n_max": 5000})
    sketch_part, noise = gk.calibrate(plan, None).error_parts(domain.cells, beta=1e-9)
    worst = dpq.simulate(usual_column(values, domain, seed=0), plan, 200).rank_errors["column"].max()
    assert worst <= sketch_part + noise + 1
    # ln(cells) is what the worst column costs; this one is between that and a hundredth of it
    assert worst > 0.01 * (sketch_part + noise)


def test_the_finest_sketch_is_the_full_mechanism():
    """With E = 1 the law on distinct records is that of IndExp without rounding, up to its tie-breaking."""
    values = np.random.default_rng(0).permutation(200)[:60]
    column = usual_column(values, GRID, seed=0, tie_bits=0)
    plan = dpq.Plan(["1/3"], "gkexp", dpq.PureDP(0.7), REPLACE_ONE, {"alpha": 0})
    full = dpq.Plan(["1/3"], "indexp", dpq.PureDP(0.7), REPLACE_ONE)
    study, other = (dpq.simulate(column, each, 4000)["column"].rank_errors.mean() for each in (plan, full))
    assert study == pytest.approx(other, rel=0.15)


def test_the_error_bound_has_the_parts_of_the_theorem():
    cells = 10**6
    plan = dpq.Plan(["1/2"], "gkexp", dpq.PureDP(1.0), REPLACE_ONE, {"alpha": 0.0001})
    assert gk.calibrate(plan, 1).error_parts(cells)[1] == pytest.approx(2 * log(cells / 0.05), rel=1e-9)


def test_a_trace_shows_the_classes_around_the_target():
    values = values_of()
    (step,) = all_of(GKStep, dpq.explain(sketch_of(values), dpq.Plan(["1/2"], "gkexp"), seed=1).steps)
    assert (step.records, step.target, step.threshold, step.points) == (400, 200.0, 40, len(sketch_of(values)))
    assert sum(c.probability for c in step.classes) == pytest.approx(1)
    chosen = step.classes[step.chosen]
    assert chosen.bounds[0] <= step.value <= chosen.bounds[1]
    for c in step.classes:
        assert c.ranks[0] <= np.count_nonzero(values < c.bounds[0])
        assert np.count_nonzero(values <= c.bounds[1]) <= c.ranks[1]
    column, plan = usual_column(range(200), GRID, seed=0), dpq.Plan([0], "gkexp", options={"n_max": 200})
    (far,) = all_of(GKStep, dpq.explain(column, plan).steps)
    assert len(far.classes) <= 401
    assert RankBounds.empty().width == 1
