"""[BSPACE] Alabi, Ben-Eliezer, Chaturvedi, "Bounded Space Differentially Private Quantiles", 2022: Figures 1 to 9 and
Tables 1 and 2, recomputed.

Medians of streams, uniform between 0 and 1 or standard normal, clipped to [-10, 10]; one person is replaced, so that
the length is public. The printed algorithm does not divide by the sensitivity; its curve is shown, and is not private.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial

import numpy as np

from ...accuracy import rank_errors, sketch_quantiles, true_quantiles
from ...arrays import Floats
from ...audit.printed import gk_not_divided
from ...column import Column
from ...domain.domain import Domain
from ...mechanisms.base import USUAL_BETA
from ...mechanisms.exponential.distribution import error_of_one_draw
from ...mechanisms.gk import mechanism as gk_exponential
from ...noise.fast import SeededSampler
from ...plan import Plan
from ...privacy.budgets import Adjacency, PureDP
from ...sketches.greenwald_khanna import GKSketch
from ...studies.configuration import seed_of
from ..data import SEED, flights, stream
from ..figures import Point
from ..tasks import Task, draws

DOMAIN = Domain(-10, 10, measure="uniform")
SHAPES = {"uniform": "Uniform, 0 to 1", "normal": "Standard normal"}
LENGTHS = (1_000, 3_000, 10_000, 25_000, 50_000, 100_000, 150_000, 200_000, 300_000, 400_000)
FEW_LENGTHS = (1_000, 10_000, 100_000)
FINE, COARSE = 1e-4, 0.1
EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
AT_LENGTH = 100_000
INTERVAL = (5, 95)
TAXI, GAS_SENSOR = 1_710_671, 4_178_504
SAVED = {"Taxi's length, uniform": TAXI, "Gas sensor's length, uniform": GAS_SENSOR}
SAVED_ALPHAS = {"saving-coarse": 0.01, "saving-fine": 0.001}
FLIGHTS = "Three million flights, delay"
STREAMS_DOMAIN = Domain(-2000, 2000, measure="uniform")  # of the two tables: it holds every delay in minutes
EXAMPLE = (1.0, 2.0, 2.0, 3.0, 5.0, 2.0, 6.0, 5.0)  # [BSPACE] Example 3.3
EXAMPLE_ALPHA = 0.25
WHOLE = Domain(0, 8, 1)


def panel_of(alpha: float) -> str:
    """Return the name of the panel for one alpha."""
    return f"alpha = {alpha:g}"


def error_tasks(quick: bool, *, alpha: float) -> Iterator[Task]:
    """Yield Figures 3 and 4, or 6 and 7: the rank error of the median as a fraction of n, against n."""
    for shape, panel in SHAPES.items():
        for n in FEW_LENGTHS if quick else LENGTHS:
            yield Task(panel, "gkexp", n, partial(_errors, panel, shape, n, alpha, 1.0, n, quick), cost=n + 20_000)


def budget_tasks(quick: bool) -> Iterator[Task]:
    """Yield Figure 9: the same error against epsilon, for a fine and a coarse sketch."""
    for alpha in (FINE, COARSE):
        panel = panel_of(alpha)
        for epsilon in EPSILONS[::3] if quick else EPSILONS:
            run = partial(_errors, panel, "uniform", AT_LENGTH, alpha, epsilon, epsilon, quick)
            yield Task(panel, "gkexp", epsilon, run)


def _errors(panel: str, shape: str, n: int, alpha: float, epsilon: float, x: float, quick: bool) -> Iterable[Point]:
    """Yield DPExpGK at the sound and at the printed rate, DPExpFull, and the bound for 95 of 100 runs."""
    values, trials = stream(shape, n), 20 if quick else 100
    sketch, column = _sketch(values, alpha), Column.from_values(values, DOMAIN, seed=SEED)
    seed = seed_of(SEED, "median", shape, n, alpha, epsilon)
    plan = Plan(["1/2"], "gkexp", PureDP(epsilon), Adjacency.REPLACE_ONE, sketch.options)
    full = Plan(["1/2"], "indexp", PureDP(epsilon), Adjacency.REPLACE_ONE)
    broken = gk_not_divided(plan, n)
    for curve, parameters in (("gkexp", gk_exponential.calibrate(plan, n)), ("gkexp-broken", broken)):
        cells = gk_exponential.run(sketch, parameters, SeededSampler(seed, trials))
        errors = rank_errors(column, plan.quantiles, sketch.values_of(cells))
        yield _spread(panel, curve, x, errors / n)
    yield _spread(panel, "dpexpfull", x, draws(column, full, trials, seed) / n)
    bound = error_of_one_draw(DOMAIN.cells, epsilon, USUAL_BETA, sketch.threshold)
    yield Point(panel, "gkexp-bound", x, min(bound / n, 1.0))


def _spread(panel: str, curve: str, x: float, shares: Floats) -> Point:
    """Return the mean of the trials, and the interval that holds 90 of 100."""
    low, high = np.percentile(shares, INTERVAL)
    return Point(panel, curve, x, float(shares.mean()), float(low), float(high), shares.size)


def _sketch(values: Floats, alpha: float, domain: Domain = DOMAIN) -> GKSketch:
    sketch = GKSketch(alpha, domain, values.size)
    sketch.update(values)
    return sketch


def space_tasks(quick: bool) -> Iterator[Task]:
    """Yield Figures 5 and 8: the number of points in a sketch against the stream's length."""
    for alpha in (FINE, COARSE):
        for n in FEW_LENGTHS if quick else LENGTHS:
            panel = panel_of(alpha)
            yield Task(panel, "points", n, partial(_space, panel, n, alpha), cost=n + 20_000)


def _space(panel: str, n: int, alpha: float) -> Iterable[Point]:
    yield Point(panel, "points", n, float(len(_sketch(stream("uniform", n), alpha))))
    yield Point(panel, "records", n, float(n))


def exact_tasks(quick: bool) -> Iterator[Task]:
    """Yield Figure 2: quantiles of a sketch without noise beside the true ones, on a normal stream."""
    for alpha in (COARSE, FINE):
        run = partial(_quantiles, panel_of(alpha), partial(stream, "normal", 10_000), DOMAIN, alpha, 50)
        yield Task(panel_of(alpha), "sketch", None, run)


def example_tasks(quick: bool) -> Iterator[Task]:
    """Yield Figure 1 and Example 3.3: quantiles of eight numbers, with all answers that are right up to alpha."""
    run = partial(_quantiles, "Eight numbers", partial(np.array, EXAMPLE), WHOLE, EXAMPLE_ALPHA, 8, right=True)
    yield Task("Eight numbers", "truth", None, run)


def _quantiles(
    panel: str, read: Callable[[], Floats], domain: Domain, alpha: float, parts: int, *, right: bool = False
) -> Iterable[Point]:
    """Yield the true quantiles at levels i / parts, and those of a sketch.

    `right`: from the least to the greatest value whose rank error is within alpha n.
    """
    values, levels = read(), [Fraction(i, parts) for i in range(1, parts)]
    column, distinct = Column.from_values(values, domain, seed=SEED), np.unique(values)
    for level, answer in zip(levels, true_quantiles(column, levels), strict=True):
        ends = (np.nan, np.nan)
        if right:
            errors = rank_errors(column, [level], distinct[:, np.newaxis])[:, 0]
            near = distinct[errors <= alpha * values.size]
            ends = float(near.min()), float(near.max())
        yield Point(panel, "truth", float(level), float(answer), *ends)
    for level, answer in zip(levels, sketch_quantiles(_sketch(values, alpha, domain), levels), strict=True):
        yield Point(panel, "sketch", float(level), float(answer))


def file_tasks(quick: bool) -> Iterator[Task]:
    """Yield Table 1: records and distinct values of the streams that replace the printed files, and of the flights."""
    for at, (panel, read) in enumerate(_tables().items()):
        for curve in ("records", "distinct"):
            yield Task(panel, curve, at, partial(_count, panel, curve, at, read))


def _count(panel: str, curve: str, at: int, read: Callable[[], Floats]) -> Iterable[Point]:
    values = read()
    count = values.size if curve == "records" else np.unique(values).size
    yield Point(panel, curve, at, float(count))


def _tables() -> dict[str, Callable[[], Floats]]:
    """Return a reader for each column of the two tables."""
    found: dict[str, Callable[[], Floats]] = {panel: partial(stream, "uniform", n) for panel, n in SAVED.items()}
    column = flights()
    return found if column is None else found | {FLIGHTS: partial(np.asarray, column)}


def saving_tasks(quick: bool) -> Iterator[Task]:
    """Yield Table 2: records for each point of a sketch."""
    for panel, read in _tables().items():
        for curve, alpha in SAVED_ALPHAS.items():
            yield Task(panel, curve, alpha, partial(_saving, panel, curve, alpha, read))


def _saving(panel: str, curve: str, alpha: float, read: Callable[[], Floats]) -> Iterable[Point]:
    values = read()
    yield Point(panel, curve, alpha, values.size / len(_sketch(values, alpha, STREAMS_DOMAIN)))
