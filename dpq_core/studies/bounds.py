"""What is known of rank errors before anything is run: what theorems promise, and what no mechanism can do better.

Theorems. Every bound is in records, holds for all levels of one run at once with probability 1 - beta, and takes it
that no two records share one of the `cells` of the output space (the slots of a Column; the papers' psi). None
depends on the data. Rounding a rank to a whole number can add one record. Each mechanism's own bound is in its folder.

The limit of one median of many distinct records (`least_error`): docs/limit.md has the proof.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Integers
from ..calibrations import Calibrated
from ..errors import ParameterError, is_real, shown
from ..mechanisms.base import USUAL_BETA, Bound

FAR = 40.0
"""Half of the ring, in 1 / epsilon: a law that falls by e^(2 epsilon) from gap to gap has nothing left there."""
LEAST_EPSILON, MOST_EPSILON = 0.01, 20.0
"""Of the limit: a smaller one needs a ring of more than 8,000 gaps; with a larger one hardly any error is left."""


def bound_of(calibrated: Calibrated, n: int, cells: int) -> Bound | None:
    """Return what is known of the error of a calibrated plan; None where nothing is, as of interpolated answers.

    `n` and `cells` are those of the Column; no bound exceeds n, as no rank error does.
    """
    if calibrated.interpolation is not None:
        return None
    bound = calibrated.parameters.bound(calibrated.each_plan, cells, USUAL_BETA)
    return None if bound is None else bound._replace(error=min(bound.error, float(n)))


@lru_cache(maxsize=256)
def least_error(epsilon: float, records: int) -> float:
    """Return the mean rank error of one median, in records, that no mechanism can be below where one joins or leaves.

    On average over data with `records` distinct records, or one more, among many more possible values; for a pure
    `epsilon` from 0.01 to 20. It is 0 for fewer than 3 records. Up to two seconds. Raises ParameterError.
    """
    if isinstance(records, bool) or not isinstance(records, int) or records < 0:
        raise ParameterError("records", f"must be a whole number of at least 0, got {shown(records)}.")
    if not (is_real(epsilon) and LEAST_EPSILON <= epsilon <= MOST_EPSILON):
        raise ParameterError("epsilon", f"must be from {LEAST_EPSILON:g} to {MOST_EPSILON:g}, got {shown(epsilon)}.")
    if records < 3:  # a ring of fewer gaps has one at most
        return 0.0
    halves = 2 * min(2 * int(FAR / epsilon) + 4, records - 1)  # steps of half a gap around the ring
    at = np.arange(halves)
    even = at % 2 == 0
    beside = at / 2 + np.where(even, 0.0, 0.5)
    errors = np.minimum(beside, abs(beside - halves / 2))  # whichever way around is shorter
    pairs = np.stack([at, (at + 1) % halves], axis=1)
    return _least_mean(errors / 2, even.astype(np.int64), pairs, epsilon)


def _least_mean(errors: Floats, groups: Integers, pairs: NDArray[np.int64], epsilon: float) -> float:
    """Return the least sum of errors times chances: chances of a group add up to 1, those of a pair are neighbours."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    both = np.concatenate([pairs, pairs[:, ::-1]])
    row, one = np.arange(len(both)), np.ones(len(both))
    claim = coo_array(
        (np.concatenate([one, -exp(epsilon) * one]), (np.tile(row, 2), both.T.reshape(-1))),
        shape=(len(both), errors.size),
    )
    sums = coo_array((np.ones(errors.size), (groups, np.arange(errors.size))))
    found = linprog(
        errors, A_ub=claim.tocsr(), b_ub=np.zeros(len(both)), A_eq=sums.tocsr(), b_eq=np.ones(groups.max() + 1),
        bounds=(0, None), method="highs",
    )  # fmt: skip
    assert found.status == 0, found.message
    return float(found.fun)
