"""Bound DPExpGK's errors: the part of the sketch, the part of the noise, and the alpha that suits.

Theorem (after Alabi, Ben-Eliezer & Chaturvedi 2022, Theorem 4.11, with the sensitivity proved in `mechanism`).
With probability at least 1 - beta every draw's target is within ln(m cells / beta) / rate records of the rank bounds
of its answer, and the exact ranks are off from these by at most E - 1.
Proof. Some cell has distance 0 and weight 1. All cells farther away than d weigh at most cells * exp(-rate d)
together, which is beta / m for the d above; and there are m draws.
"""

from __future__ import annotations

from math import floor, log, log10

from ...errors import LARGEST, ParameterError, shown
from ..base import USUAL_BETA
from .mechanism import GKParameters


def error_parts(parameters: GKParameters, cells: int, beta: float = USUAL_BETA) -> tuple[float, float]:
    """Return (sketch, noise) in records, whose sum bounds the largest rank error with probability 1 - beta.

    Ranks are those of the targets q n (floor(q n) where n is public); `cells` is the size of the domain. Public. With
    no levels both are 0.
    """
    _check("beta", beta, below=1)
    _check("cells", cells)
    if not parameters.target_levels:
        return 0.0, 0.0
    rate = min(float(target_level.rate) for target_level in parameters.target_levels)
    return float(parameters.threshold - 1), log(len(parameters.target_levels) * cells / beta) / rate


def suggested_alpha(error: float, epsilon: float, cells: int, beta: float = USUAL_BETA) -> float:
    """Return the largest alpha, to two digits, whose bound for one quantile is the fraction `error` of n_max.

    From 2 alpha n (1 + 2 ln(cells / beta) / epsilon) <= error n: alpha ~ error * epsilon / ln(cells), as in Theorem
    4.11. `epsilon` is one draw's: about the m-th part of the budget for m quantiles. Raises ParameterError.
    """
    _check("error", error, below=1)
    _check("epsilon", epsilon)
    _check("cells", cells)
    _check("beta", beta, below=1)
    largest = min(error / (2 * (1 + 2 * log(cells / beta) / epsilon)), 0.5)
    digits = 1 - floor(log10(largest))  # so that two are left
    return floor(largest * 10.0**digits) / 10.0**digits


def _check(name: str, value: float, below: float | None = None) -> None:
    if not (0 < value <= LARGEST and (below is None or value < below)):
        limit = "" if below is None else f" and < {below:g}"
        raise ParameterError(name, f"must be finite and > 0{limit}, got {shown(value)}.")
