"""Bound the rank errors of draws from a sketch, with a sound scale of the noise.

[BSPACE] Alabi, Ben-Eliezer, Chaturvedi, "Bounded Space Differentially Private Quantiles", 2022.
"""

from __future__ import annotations

from fractions import Fraction

from ...privacy import Privacy
from ..base import USUAL_BETA, Bound
from ..exponential import check_positive, error_of_one_draw
from ..indexp import epsilon_of_each, one_by_one


def error_of_one_level(threshold: int, cells: int, epsilon: float, beta: float = USUAL_BETA) -> float:
    """Return the error of the sketch and of noise of sensitivity E for one level: after [BSPACE] Theorem 4.11.

    E is the `threshold` of the sketch, max(1, floor(2 alpha n_max)): `sketches.merge_threshold`.
    """
    check_positive(threshold=threshold)
    return threshold - 1 + error_of_one_draw(cells, epsilon, beta, threshold)


def for_each_level(
    levels: tuple[Fraction, ...], cells: int, privacy: Privacy, beta: float, threshold: int
) -> Bound | None:
    """Return the bound for each of m independent draws, with beta / m; a sketch with E = 1 counts as all records."""
    m = len(levels)
    if m == 0 or threshold == 1:
        return one_by_one(levels, cells, privacy, beta)
    error = error_of_one_level(threshold, cells, epsilon_of_each(m, privacy), beta / m)
    return Bound(error, "after BSPACE, Theorem 4.11, for each level")
