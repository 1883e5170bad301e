"""What each way to count a person's rows estimates on some data, and what it loses. As private as the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt

import numpy as np

from ..arrays import Floats, Integers
from ..domain.domain import Domain
from ..people.ids import People
from ..people.takes import WAYS_PER_PERSON, take_one

EVERY_ROW, SOME_ROWS = "every row", "rows"
"""Besides the takes: every row is another person's; at most k rows of each person."""
SHARED = ("random", "weight")
"""Both estimate a random row of a random person."""


@dataclass(frozen=True)
class Estimate:
    """What one way to count estimates, with any noise."""

    per_person: str
    quantiles: tuple[float, ...]
    """Of a random choice of rows the expected ones."""
    records: float
    sampling_error: float = 0.0
    """The standard deviation of a rank, in records, that the random choice of rows causes; the mean over the levels."""
    cut: float = 0.0
    """The share of all rows that are left out."""


def compare_takes(
    values: Floats, people: People, domain: Domain, levels: Sequence[Fraction], max_rows_per_person: int
) -> list[Estimate]:
    """Return what each way to count a person's rows estimates: one, all, at most some. O(n log n) for each."""
    used = np.isfinite(values) & (people.codes >= 0)
    cells, codes = domain.encode(values[used]), people.codes[used].astype(np.int64)
    rows: Integers = np.bincount(codes, minlength=people.count).astype(np.int64)
    found = [_weighed(EVERY_ROW, cells, np.ones(cells.size), domain, levels)]
    for per_person in WAYS_PER_PERSON:
        if per_person in SHARED:
            weighed = _weighed(per_person, cells, 1 / rows[codes], domain, levels)
            found.append(_with_error(weighed, cells, codes, rows, domain, 1) if per_person == "random" else weighed)
        else:
            taken = take_one(values, people, per_person, domain, None)
            numbers = domain.encode(taken[np.isfinite(taken)])
            found.append(_weighed(per_person, numbers, np.ones(numbers.size), domain, levels))
    capped = _weighed(SOME_ROWS, cells, np.minimum(1, max_rows_per_person / rows[codes]), domain, levels)
    found.append(_with_error(capped, cells, codes, rows, domain, max_rows_per_person))
    return found


def _weighed(per_person: str, cells: Integers, weights: Floats, domain: Domain, levels: Sequence[Fraction]) -> Estimate:
    """Return the quantiles of weighted cells, each the last one that the share of a level covers."""
    order = np.argsort(cells, kind="stable")
    sums = np.cumsum(weights[order])
    total = float(sums[-1]) if sums.size else 0.0
    if not total:
        return Estimate(per_person, (float("nan"),) * len(levels), 0.0)
    wanted = np.array([float(level) for level in levels]) * total
    at = np.searchsorted(sums, wanted * (1 + 1e-12), side="right") - 1
    values = domain.decode(cells[order][np.clip(at, 0, cells.size - 1)])
    return Estimate(per_person, tuple(values.tolist()), total)


def _with_error(of: Estimate, cells: Integers, codes: Integers, rows: Integers, domain: Domain, most: int) -> Estimate:
    """Return the same with the error of choosing `most` rows of each person at random, and the rows left out.

    Choose k of r rows without replacement, where a share p of the r is at or below a value. The number chosen at or
    below it has the variance k p (1 - p) (r - k) / (r - 1) (hypergeometric). Persons choose independently, so
    variances add up.
    """
    busy = rows > most
    spread = []
    for cell in domain.encode(np.array(of.quantiles)):
        shares = np.bincount(codes[cells <= cell], minlength=rows.size)[busy] / rows[busy]
        spread.append(sqrt(float((most * shares * (1 - shares) * (rows[busy] - most) / (rows[busy] - 1)).sum())))
    cut = float((rows[busy] - most).sum() / max(rows.sum(), 1))
    return replace(of, sampling_error=float(np.mean(spread)) if spread else 0.0, cut=cut)
