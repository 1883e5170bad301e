"""One run seen from inside, as a frozen outcome. Nothing here knows streamlit."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, isfinite
from typing import Any

import numpy as np

from ..mechanisms import Answer
from ..plan import Plan
from ..privacy import Guarantee
from ..sample import Sample
from ..studies.trials import explain
from .data import DataSet
from .runs import EXPLORE_SEED, Facts, facts

MOST_STEPS = 500
"""Quantiles of a run that can be looked into: each keeps the law of its draw, up to 200 pieces."""
MOST_BINS = 600
"""Of the histogram, from which a figure takes the part that it shows."""
TAILS = (0.001, 0.999)
"""Shares of the data between which the histogram lies, wherever the bounds are."""
DRAWN_BACKWARDS = ("jointexp",)
"""Mechanisms that draw the highest quantile first."""


@dataclass(frozen=True, kw_only=True, eq=False)
class InsideRun(Facts):
    """One run with what every draw saw. Not private: for data that is public, synthetic or declared so."""

    steps: tuple[Answer, ...]
    """In the order of the run; each mechanism has its own kind."""
    targets: tuple[float, ...]
    """For every step the value of the record at the rank that it aimed at; NaN where there is no data."""
    ranks: tuple[float, ...]
    """For every step the rank of the value that was drawn, in records: with ties, the nearest to the target."""
    misses: tuple[int, ...]
    """The ranks less the targets, in records: positive where a value lies too high."""
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    """The histogram of the data: records from one edge to the next, each a whole number of steps of the grid."""
    n: int
    seed: int
    sample_seed: int
    guarantee: Guarantee
    version: str


def explain_once(data: DataSet, sample: Sample, plan: Plan, seed: int) -> InsideRun:
    """One run from the fast lane, which can be repeated from its seed. O(n) besides the run itself."""
    trace = explain(sample, plan, seed)
    steps = trace.steps[::-1] if plan.mechanism in DRAWN_BACKWARDS else trace.steps
    targets, ranks, misses = zip(*(_beside_truth(sample, step) for step in steps), strict=True) if steps else ((),) * 3
    edges, counts = _histogram(sample, [step.value for step in steps])
    return InsideRun(
        **facts(data, sample, plan),
        notes=(),
        steps=steps,
        targets=targets,
        ranks=ranks,
        misses=misses,
        edges=edges,
        counts=counts,
        n=sample.n,
        seed=seed,
        sample_seed=EXPLORE_SEED,
        guarantee=trace.guarantee,
        version=trace.version,
    )


def _beside_truth(sample: Sample, step: Any) -> tuple[float, float, int]:
    """The value at the rank aimed at, the rank of the value drawn, and how many records lie between."""
    wanted = min(max(step.target, 0.0), float(sample.n))
    if not sample.n or not isfinite(wanted):
        return float("nan"), 0.0, 0
    aimed = float(sample.values_of(sample.cells[max(floor(wanted) - 1, 0)]))
    cell = sample.domain.encode(np.array([step.value]))
    below, at_most = int(sample.count_below(cell)[0]), int(sample.count_below(cell + 1)[0])
    rank = min(max(wanted, below), at_most)
    return aimed, rank, round(rank - wanted)


def _histogram(sample: Sample, values: list[float]) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Records in at most 600 ranges of equal width, whole steps of the grid, that hold the data and all answers."""
    ends = [sample.cells[int(share * (sample.n - 1))] >> sample.jitter_bits for share in TAILS if sample.n]
    places = [*map(int, ends), *sample.domain.encode(np.asarray(values, dtype=np.float64)).tolist()] or [0]
    low, high = max(min(places) - 1, 0), min(max(places) + 1, sample.domain.cells - 1)
    width = -(-(high - low + 1) // MOST_BINS)
    cells = np.arange(low, high + width + 1, width, dtype=np.int64)
    below = sample.count_below(np.minimum(cells, sample.domain.cells))
    first, step = float(sample.domain.decode(np.array([low]))[0]), float(sample.domain.step)
    edges = tuple(first + step * width * at for at in range(cells.size))
    return edges, tuple(np.diff(below).tolist())
