"""Which differences between the runs of two mechanisms are real, and which are chance."""

from __future__ import annotations

from math import hypot, sqrt

from dpq_core.studies import Row

TELLS = 2
"""A difference of this many standard errors is not chance."""


def clearly_worse(row: Row, best: Row, error: str = "mean_error") -> bool:
    """Return whether the means of an error differ by more than twice the standard error of their difference."""
    difference = float(getattr(row, error) - getattr(best, error))
    return difference > TELLS * hypot(getattr(row, f"{error}_se"), getattr(best, f"{error}_se"))


def fails_otherwise(row: Row, best: Row) -> bool:
    """Return whether one of the two fails and the other never does, or clearly less often."""
    shares = [each.failed / each.trials for each in (row, best)]
    spread = sqrt(sum(share * (1 - share) / each.trials for share, each in zip(shares, (row, best), strict=True)))
    return (0 in shares and max(shares) > 0) or abs(shares[0] - shares[1]) > TELLS * spread
