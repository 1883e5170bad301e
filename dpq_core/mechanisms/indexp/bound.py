"""Bound the rank errors of independent draws that share a budget.

[KSS]    Kaplan, Schnapp, Stemmer, "Differentially Private Approximate Quantiles", ICML 2022.
"""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

from ...privacy import ZCDP, ApproxDP, Privacy, PureDP
from ..base import Bound
from ..exponential import error_of_one_draw
from .composition import largest_each


def epsilon_of_each(count: int, privacy: Privacy) -> float:
    """Return the printed epsilon of one of this many draws."""
    match privacy:
        case PureDP(epsilon):
            return epsilon / count
        case ZCDP(rho):
            return sqrt(8 * rho / count)
        case ApproxDP(epsilon, delta):
            return float(largest_each(count, epsilon, delta))


def one_by_one(levels: tuple[Fraction, ...], cells: int, privacy: Privacy, beta: float) -> Bound | None:
    """Return [KSS] Lemma A.1 for each of m independent draws that share the budget, with beta / m; None for m = 0."""
    m = len(levels)
    if m == 0:
        return None
    error = error_of_one_draw(cells, epsilon_of_each(m, privacy), beta / m)
    return Bound(error, "KSS, Lemma A.1, for each level")
