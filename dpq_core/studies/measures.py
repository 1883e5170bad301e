"""The three measures of how far answers are from the truth, each with its one name, over simulated runs of a plan."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats

MEAN_RANK_ERROR = "mean rank error"
WORST_RANK_ERROR = "worst rank error"
ERROR_BOUND = "error bound (95 of 100 runs)"
"""Headings of the glossary, which says what each of them is; pages take their words from here."""
OF_HUNDRED = 95
"""In this many of 100 runs no answer is farther off than the error bound."""


@dataclass(frozen=True)
class RankErrors:
    """The rank errors of many runs in records, in three measures that must not be taken for one another."""

    mean: float
    """Over all quantiles and all runs."""
    worst: float
    """Of each run the largest over its quantiles; here the mean over all runs."""
    bound: int
    """The largest of a run is no larger than this in 95 of 100 runs."""


def measured(errors: Floats) -> RankErrors:
    """Return the three measures of unsigned rank errors, shape (trials, m), with at least one trial and one level."""
    worst = errors.max(axis=1)
    return RankErrors(
        mean=float(errors.mean()),
        worst=float(worst.mean()),
        bound=int(np.percentile(worst, OF_HUNDRED, method="higher")),
    )
