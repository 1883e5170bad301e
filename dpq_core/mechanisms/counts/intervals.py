"""Intervals for quantiles from noisy counts, by what the noise does to sums: for any data and any number of records.

Let D(e) be the records below an edge e, less q n. Its least-squares estimate from the noisy counts (`tree`, without
the step that removes negative counts, which is not linear) errs by a weighted sum of the noises alone, so that the
distribution of the error depends on public facts only. The leaf that holds the q-quantile begins where D <= 0 and ends
where D >= 0. An interval reaches from the first leaf to the last one of which the estimates do not rule that out; it
misses the true leaf only if the error at one of its two ends is beyond its limit on one side. So no tests of many
edges add up. Everything is post-processing.

Variance. Least-squares estimates of sibling nodes without their parent have independent errors of variance v(level).
Agreement adds to each child the same part of what the parent has over, and a leaf's place within its parent is counted
in equal parts. So the records below an edge are, level by level, a contrast among siblings (weights that add up to
nothing, hence uncorrelated with their sum and with all levels above), and the edge's share of the total.

Shares. Where a person's rows weigh 1 together, counts and noise are in whole units, of which a person has `unit`: the
noise is `unit` times as wide, and of the same kind, so all of the above and of the limits holds in units. Of a
population, persons are what is sampled. One with the mass m, of which m f lies below the quantile, moves D by
m (f - q): f has (weighted by m) the mean q and at most the variance q (1 - q), as 0 <= f <= 1; and m^2 <= m. So of the
mass N the sums below an edge err by a variance of at most N q (1 - q), as N whole records do.

Limits. Approximate: a normal quantile, or that of a single Laplace noise where it is larger. Proved, for tail beta:
(log(1/beta) + K(t)) / t for every t > 0, with K the cumulant generating function of the error (Chernoff). For discrete
Gaussian noise K(t) <= variance t^2 / 2 (Canonne, Kamath & Steinke 2020, Lemma 9). For discrete Laplace noise of scale s
E exp(t X) = sinh(a)^2 / (sinh(a + b) sinh(a - b)) with a = 1 / (2 s) and b = t / 2, at most 1 / (1 - s^2 t^2), since
log(sinh(x) / x) is convex and even; and a weight |w| <= 1 turns -log(1 - w^2 s^2 t^2) into at most -w^2 log(1 - s^2
t^2), which is convex in w^2.
"""

from __future__ import annotations

from fractions import Fraction
from math import log, sqrt
from statistics import NormalDist

import numpy as np

from ...arrays import Floats, Integers
from ..base import Confidence
from .noise import Noise
from .tree import TreeShape, consistent

STEPS = 400
"""Values of t that are tried for a proved limit; every one of them gives a sound limit."""


def interval_leaves(
    estimates: list[Floats],
    shape: TreeShape,
    noise: Noise,
    levels: tuple[Fraction, ...],
    total: int | None,
    sure: Confidence,
    unit: int = 1,
) -> tuple[Integers, Integers]:
    """Return the first and the last leaf of each level's interval, (trials, levels), from estimates without agreement.

    `total` is the number of records where it is public; it and the estimates are in units of a record, or of a person,
    of which each has `unit`. O(trials * levels * leaves).
    """
    noise = noise if unit == 1 else noise.times(Fraction(unit))
    leaves = consistent(estimates, shape, total, nonnegative=False)[-1]
    below = np.concatenate([np.zeros((len(leaves), 1)), np.cumsum(leaves, axis=1)], axis=1)
    places = np.arange(shape.leaves + 1) / shape.leaves
    inner, of_total = contrast_variances(shape), 0.0 if total is not None else shape.branching * _variances(shape)[0]
    first, last = (np.empty((len(leaves), len(levels)), np.int64) for _ in range(2))
    for column, level in enumerate(map(float, levels)):
        limit = _limits(noise, inner + (places - level) ** 2 * of_total, sure)
        if sure.population:
            sampled = unit * np.maximum(below[:, -1:], 1) * level * (1 - level)
            limit = np.sqrt(limit**2 + NormalDist().inv_cdf(1 - sure.tail) ** 2 * sampled)
        over = below - level * below[:, -1:]
        begins, ends = over[:, :-1] <= limit[..., :-1], over[:, 1:] >= -limit[..., 1:]
        begins[:, 0] = ends[:, -1] = True  # nothing lies below the grid, nothing above it
        possible = begins & ends
        first[:, column] = possible.argmax(axis=1)
        last[:, column] = shape.leaves - 1 - possible[:, ::-1].argmax(axis=1)
    return first, last


def contrast_variances(shape: TreeShape) -> Floats:
    """Return the variance of the estimated records below each edge, given the total, for counts of variance 1."""
    width = shape.leaves
    edges, found = np.arange(shape.leaves + 1), np.zeros(shape.leaves + 1)
    for variance in _variances(shape):
        within = edges % width / width * shape.branching  # how many children lie below, the last one in part
        whole = np.floor(within)
        found += variance * (whole + (within - whole) ** 2 - within**2 / shape.branching)
        width //= shape.branching
    return found


def _variances(shape: TreeShape) -> list[float]:
    """Return the variance of a node's estimate from itself and all below it, from the top level to the leaves."""
    found = [1.0]
    for _ in range(shape.height - 1):
        of_sum = shape.branching * found[0]
        found.insert(0, of_sum / (of_sum + 1))
    return found


def _limits(noise: Noise, variances: Floats, sure: Confidence) -> Floats:
    """Return beyond which error an estimate lies with the chance `tail` on one side; `variances` are of unit noise."""
    if not sure.proved:
        normal = NormalDist().inv_cdf(1 - sure.tail)
        single = log(0.5 / sure.tail) / sqrt(2) if noise.kind == "laplace" else 0.0
        return max(normal, single) * np.sqrt(noise.variance * variances)
    unlikely = log(1 / sure.tail)
    if noise.kind == "gaussian":
        return np.sqrt(2 * unlikely * float(noise.size) * variances)
    scaled = (np.arange(STEPS) + 0.5) / STEPS  # s t
    least = np.full(variances.shape, np.inf)
    for each in scaled:
        np.minimum(least, float(noise.size) / each * (unlikely - variances * np.log1p(-(each**2))), out=least)
    return least
