"""Exact quantiles and rank errors. Everything here reads the data exactly: private, for Explore and tests only."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Floats, Integers, Segments
from .column import Column, Data
from .domain.measure import BaseMeasure
from .errors import ParameterError, each_of
from .plan import Level, parse_level
from .sketches.greenwald_khanna import GKSketch

NOISE_INTERVAL = (2.5, 97.5)
"""Percent: 95 of 100 simulated errors lie between these two."""


def rank_errors(column: Data, quantiles: Iterable[Level], values: ArrayLike) -> Floats:
    """Return rank errors in records, of the shape of `values` (..., m): 0 where a value has the target rank.

    The distance from r = floor(q n) to the interval [#{x < v}, #{x <= v}]; on tie-free data the papers' gap. Ties widen
    the interval. With n = 0 every error is 0. A NaN value has the error NaN. O(log n) each. For a sketch or bins it is
    the distance to their rank bounds: the rank error is at least that, and at most their `rank_slack` more. If rows are
    shares of persons, ranks are sums of weights, and errors are in persons, with fractions. Raises ParameterError for a
    level outside [0, 1].
    """
    _refuse_groups(column)
    return np.abs(signed_rank_errors(column, quantiles, values))


def signed_rank_errors(column: Data, quantiles: Iterable[Level], values: ArrayLike) -> Floats:
    """Return rank errors with a sign: positive where the value lies too high, negative where it lies too low.

    Of groups, `values` (..., groups, m) lie on the grid. An upper bound between the grid's values then counts as the
    last of them: no record is above that.
    """
    answers, levels = _answers(values), _levels(quantiles)
    if column.in_groups and column.segments is None:
        each = [signed_rank_errors(column.column(at), levels, answers[..., at, :]) for at in range(len(column.names))]
        return np.stack(each, axis=-2) if each else np.empty(answers.shape)
    below, at_most = _rank_interval(column, answers)
    wanted = _ranks(column, levels) if column.in_groups else _ranks(column, levels)[0]
    errors = np.maximum(below - wanted, 0) - np.maximum(wanted - at_most, 0)
    return np.where(np.isnan(answers), np.nan, errors / column.unit)


def target_ranks(column: Data, quantiles: Iterable[Level]) -> list[int]:
    """Return the target rank floor(q n) of each quantile, in records; in units of shares, n of them to a person."""
    _refuse_groups(column)
    return list(map(int, _ranks(column, _levels(quantiles))[0]))


def _refuse_groups(column: Data) -> None:
    if column.in_groups:
        raise ParameterError("column", "must be a column in one piece: of groups give one, with column_of_group(name).")
    if column.find_bounds is not None:
        raise ParameterError("column", "must have known bounds: give column.on(domain).")


def _levels(quantiles: Iterable[Level]) -> list[Fraction]:
    said = each_of(quantiles, "quantiles", "must be a list of levels, such as [0.25, 0.5, '3/4'].")
    return [parse_level(each) for each in said]


def _ranks(column: Data, levels: list[Fraction]) -> Integers:
    """Return the target rank of each level in each group, (groups, m)."""
    many, ranks = column.masses.astype(object), np.empty((len(column.names), len(levels)), np.int64)
    for at, level in enumerate(levels):
        ranks[:, at] = many * level.numerator // level.denominator  # integers of any size
    return ranks


def _answers(values: ArrayLike) -> Floats:
    try:
        if not np.iscomplexobj(values):
            return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ParameterError("values", "must be numbers, with one for each level in every row.")


def true_quantiles(column: Column, quantiles: Iterable[Level]) -> Floats:
    """Return the exact quantiles, shape (m,), in the given order: record floor(q n), at least the first; NaN if n = 0.

    They are on the grid, as the column is. Spreadsheets and numpy may interpolate between two records instead. Raises
    ParameterError for a level outside [0, 1].
    """
    ranks = target_ranks(column, quantiles)
    if not column.records.size:
        return np.full(len(ranks), np.nan)
    return column.values_of(column.records[np.array([max(rank - 1, 0) for rank in ranks], dtype=np.int64)])


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


def cdf_points(column: Column, most: int = 2000) -> tuple[Floats, Floats]:
    """Return at most `most` points (value, fraction at or below) of the exact distribution; none where n = 0."""
    rows = column.cells
    ranks = np.unique(np.linspace(1, max(rows.size, 1), most).astype(np.int64))[: rows.size]
    cells = np.unique(column.places.cells_of(rows[ranks - 1]))
    return column.domain.decode(cells), column.count_below(cells + 1) / max(column.records.size, 1)


def _rank_interval(column: Data, values: Floats) -> tuple[Integers, Integers]:
    """Return #{x < v} and #{x <= v}, or a sketch's bounds on them; values may be off the grid, NaN is the lower."""
    domain = column.domain
    if column.segments is not None:
        start, end = column.starts[:-1, None], column.starts[1:, None]
        low, high = _ties(column.segments, column.places, domain.encode(values), start, end)
        return low - start, high - start
    lower, upper = float(domain.lower), float(domain.upper)
    cells = domain.encode(np.clip(np.nan_to_num(values, nan=lower), lower, upper))
    between = values - domain.decode(cells) > domain.tolerance
    below, at_most = column.count_below(cells + between), column.count_through(cells)
    outside = values < lower
    return np.where(outside, 0, below), np.where(outside, 0, at_most)


def _ties(
    records: Segments, places: BaseMeasure, cells: Integers, start: Integers, end: Integers
) -> tuple[Integers, Integers]:
    """Return between which places in [start, end) the records have the values of grid indices: first, and one after
    last.
    """
    first, own = places.own(cells)
    beyond = first + own
    low = records.searchsorted_within(first, start, end)
    if records.size == 0:
        return low, low
    high, ends = low.copy(), np.broadcast_to(end, low.shape)
    tied = (low < end) & (records.nearest(low) < beyond)  # few, or the domain is coarse
    high[tied] = records.searchsorted_within(beyond[tied], low[tied], ends[tied])
    return low, high
