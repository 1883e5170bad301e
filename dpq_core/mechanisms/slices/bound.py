"""Bound the rank errors of the printed SliceQuantiles: for comparison, since noise on ranks is built otherwise here.

[SLICE]  Imola, Boninsegna, Keller, Aamand, Roy Chowdhury, Pagh, "Differentially Private Quantiles with Smaller Error",
2025.
"""

from __future__ import annotations

from math import ceil, log

from ...plan import Plan
from ...privacy import Adjacency, ApproxDP
from ..base import USUAL_BETA, Bound
from ..exponential import check_positive


def error_as_printed(
    m: int, cells: int, rank_epsilon: float, draw_epsilon: float, delta: float, beta: float = USUAL_BETA
) -> float | None:
    """Return noise on ranks, 3 ln m ln(2m / delta) / eps1, and half a slice: [SLICE] Theorem 4.2.

    The first term fails with probability delta. None for a single level, for which it says nothing.
    """
    check_positive(m=m, cells=cells, rank_epsilon=rank_epsilon, draw_epsilon=draw_epsilon, delta=delta, beta=beta)
    if m < 2:
        return None
    noise = 3 * log(m) * log(2 * m / delta) / rank_epsilon
    half_width = ceil(2 / draw_epsilon * log(2 * m * cells / beta) - 1)
    return noise + max(half_width, 1)


def bound_as_printed(plan: Plan, cells: int, beta: float) -> Bound | None:
    """Return the printed bound, half the budget for ranks and half for slices.

    eps1 + 2 eps2, or 2 eps1 + 3 eps2 where one record is replaced.
    """
    if not plan.quantiles or not isinstance(plan.privacy, ApproxDP):
        return None
    epsilon, delta = plan.privacy.epsilon, plan.privacy.delta
    ranks, draws = (4, 6) if plan.adjacency is Adjacency.SUBSTITUTE else (2, 4)
    error = error_as_printed(len(set(plan.quantiles)), cells, epsilon / ranks, epsilon / draws, delta, beta)
    return None if error is None else Bound(error, "SLICE, Theorem 4.2", proved=False)
