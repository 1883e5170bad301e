"""Exact quantiles and rank errors. Everything here reads the data exactly: private, for Explore and tests only."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Floats, Integers
from .errors import ParameterError, each_of
from .plan import Level, parse_level
from .sample import Data, Sample
from .sketches.greenwald_khanna import GKSketch

NOISE_INTERVAL = (2.5, 97.5)
"""Percent: 95 of 100 simulated errors lie between these two."""


def rank_errors(sample: Data, quantiles: Iterable[Level], values: ArrayLike) -> Floats:
    """Return rank errors in records, of the shape of `values` (..., m): 0 where a value has the target rank.

    The distance from r = floor(q n) to the interval [#{x < v}, #{x <= v}]; on tie-free data the papers' gap. Ties widen
    the interval. With n = 0 every error is 0. A NaN value has the error NaN. O(log n) each. For a sketch or bins it is
    the distance to their rank bounds: the rank error is at least that, and at most their `rank_slack` more. If rows are
    shares of persons, ranks are sums of weights, and errors are in persons, with fractions. Raises ParameterError for a
    level outside [0, 1].
    """
    return np.abs(signed_rank_errors(sample, quantiles, values))


def signed_rank_errors(sample: Data, quantiles: Iterable[Level], values: ArrayLike) -> Floats:
    """Return rank errors with a sign: positive where the value lies too high, negative where it lies too low."""
    answers = _answers(values)
    below, at_most = _rank_interval(sample, answers)
    wanted = np.array(target_ranks(sample, quantiles), dtype=np.int64)
    errors = np.maximum(below - wanted, 0) - np.maximum(wanted - at_most, 0)
    return np.where(np.isnan(answers), np.nan, errors / sample.unit)


def target_ranks(sample: Data, quantiles: Iterable[Level]) -> list[int]:
    """Return the target rank floor(q n) of each quantile, in records; in units of shares, n of them to a person."""
    levels = each_of(quantiles, "quantiles", "must be a list of levels, such as [0.25, 0.5, '3/4'].")
    if sample.in_groups:
        raise ParameterError("sample", "must be a column in one piece: of groups give one, with sample_of(name).")
    (count,) = sample.masses.tolist()
    return [level.numerator * count // level.denominator for level in map(parse_level, levels)]


def _answers(values: ArrayLike) -> Floats:
    try:
        if not np.iscomplexobj(values):
            return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ParameterError("values", "must be numbers, with one for each level in every row.")


def true_quantiles(sample: Sample, quantiles: Iterable[Level]) -> Floats:
    """Return the exact quantiles, shape (m,), in the given order: record floor(q n), at least the first; NaN if n = 0.

    They are on the grid, as the sample is. Spreadsheets and numpy may interpolate between two records instead. Raises
    ParameterError for a level outside [0, 1].
    """
    ranks = target_ranks(sample, quantiles)
    if not sample.records.size:
        return np.full(len(ranks), np.nan)
    return sample.values_of(sample.records[np.array([max(rank - 1, 0) for rank in ranks], dtype=np.int64)])


def sketch_quantiles(sketch: GKSketch, quantiles: Iterable[Level]) -> Floats:
    """Return the quantiles of a sketch, shape (m,), without any privacy: NaN where there is no data.

    The stored value whose rank bounds allow the smallest error: at most E / 2, E = `sketch.threshold`, so alpha n_max
    as Greenwald & Khanna 2001 promise. Proof: of the last point with most_below <= rank + (E - 1) / 2, the next one
    has more, hence this one has least_through > rank + (E - 1) / 2 - (E - 1); the last point of all reaches n.
    O(points) each.
    """
    bounds, ranks = sketch.bounds, target_ranks(sketch, quantiles)
    if bounds.n == 0:
        return np.full(len(ranks), np.nan)
    chosen = [int(np.argmin(np.maximum(bounds.most_below - rank, rank - bounds.least_through))) for rank in ranks]
    return sketch.values_of(bounds.cells[chosen])


def cdf_points(sample: Sample, most: int = 2000) -> tuple[Floats, Floats]:
    """Return at most `most` points (value, fraction at or below) of the exact distribution; none where n = 0."""
    rows = sample.cells
    ranks = np.unique(np.linspace(1, max(rows.size, 1), most).astype(np.int64))[: rows.size]
    cells = np.unique(sample.places.cells_of(rows[ranks - 1]))
    return sample.domain.decode(cells), sample.count_below(cells + 1) / max(sample.records.size, 1)


def _rank_interval(sample: Data, values: Floats) -> tuple[Integers, Integers]:
    """Return #{x < v} and #{x <= v}, or a sketch's bounds on them; values may be off the grid, NaN is the lower."""
    domain = sample.domain
    lower, upper = float(domain.lower), float(domain.upper)
    cells = domain.encode(np.clip(np.nan_to_num(values, nan=lower), lower, upper))
    between = values - domain.decode(cells) > domain.tolerance
    if not isinstance(sample, Sample):
        below, at_most = sample.rank_bounds(cells + between)[0], sample.rank_bounds(cells)[1]
    else:
        below, at_most = sample.count_below(cells + between), sample.count_below(cells + 1)
    outside = values < lower
    return np.where(outside, 0, below), np.where(outside, 0, at_most)
