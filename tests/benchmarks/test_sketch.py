"""GKSketch: items a second, points kept, draws from it; Apache DataSketches' KLL beside it."""

import numpy as np
import pytest

from dpq_core import GKSketch, Plan
from dpq_core.mechanisms.gk import mechanism as gk
from dpq_core.noise import ExactEntropy
from dpq_core.studies.grid import even_levels

datasketches = pytest.importorskip("datasketches")
target = pytest.mark.target
ITEMS = 10**7
ALPHAS = {1e-2: 73, 1e-3: 715, 1e-4: 7214}
"""The points that GKArray (DataDog's sketches-py, plain Python, eps = alpha) keeps of this very column, counted once.

It forgets a point where g + d <= floor(2 alpha (n - 1)), which is the same promise as here.
"""
READING = "a sketch of 10^7 floats, alpha ="
BESIDE_KLL = 1.67
"""At least 0.6 of the items a second that DataSketches' KLL reads, whether or not numpy sorts with vectors."""


def sketch_of(values, domain, alpha):
    sketch = GKSketch(alpha, domain, values.size)
    sketch.update(values)
    return sketch


@pytest.mark.parametrize(
    "alpha",
    [pytest.param(alpha, marks=target(8, f"{READING} {alpha:g}", at_most=BESIDE_KLL, of="KLL")) for alpha in ALPHAS],
)
def test_time_beside_kll(timed, columns, domain, alpha):
    values = columns[ITEMS]
    sketch = timed(lambda: sketch_of(values, domain, alpha), beside=lambda: largest_kll(values, alpha), rounds=3)
    assert_bound_holds(sketch, np.sort(domain.encode(values)))


@target(8, f"{READING} 0.001 (10 million a second)", at_most=100)
def test_items_a_second(timed, columns, domain):
    assert timed(lambda: sketch_of(columns[ITEMS], domain, 1e-3), rounds=3).n == ITEMS


def assert_bound_holds(sketch, ordered):
    """At the sketch's own points, one beside each, and at as many others."""
    cells = np.concatenate([sketch.bounds.cells, sketch.bounds.cells + 1, ordered[:: ordered.size // 5000]])
    low, high = sketch.rank_bounds(cells)
    below, through = np.searchsorted(ordered, cells, "left"), np.searchsorted(ordered, cells, "right")
    assert (low <= below).all()
    assert (below < low + sketch.threshold).all()
    assert (through <= high).all()
    assert (high < through + sketch.threshold).all()


@pytest.mark.parametrize(
    "alpha",
    [
        pytest.param(
            alpha, marks=target(8, f"the sketch: points that it keeps, alpha = {alpha:g}", at_most=1.5, of="GKArray")
        )
        for alpha in ALPHAS
    ],
)
def test_points(counted, columns, domain, alpha):
    assert counted(lambda: len(sketch_of(columns[ITEMS], domain, alpha)) / ALPHAS[alpha]) > 0.1


def largest_kll(values, alpha):
    """Randomised, and for single ranks 99 % sure; with a parameter as large as the library allows."""
    k = 8
    while k < 65_535 and datasketches.kll_doubles_sketch.get_normalized_rank_error(k, False) > alpha:
        k = min(2 * k, 65_535)
    sketch = datasketches.kll_doubles_sketch(k)
    sketch.update(values)
    return sketch


@target(8, "DataSketches' KLL, alpha = 0.001: points", of="GKArray")
def test_points_of_kll(counted, columns):
    assert counted(lambda: largest_kll(columns[ITEMS], 1e-3).num_retained / ALPHAS[1e-3]) > 1


@target(8, "nine quantiles of a sketch, exact sampler", at_most=15)
def test_draws(timed, columns, domain):
    sketch = sketch_of(columns[10**6], domain, 1e-3)
    parameters = gk.calibrate(Plan(even_levels(9), "gkexp", options=sketch.options), None)
    assert (np.diff(timed(lambda: gk.run(sketch, parameters, ExactEntropy()))) >= 0).all()
