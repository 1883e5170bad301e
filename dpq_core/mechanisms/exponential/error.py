"""Bound the rank error of one draw of the exponential mechanism."""

from __future__ import annotations

from math import log

from ...errors import LARGEST, ParameterError, shown


def error_of_one_draw(cells: int, epsilon: float, beta: float, sensitivity: float = 1.0) -> float:
    """Return the rank error that one draw exceeds with probability beta: Lemma A.1 of Kaplan et al., ICML 2022.

    It takes it that no two records share one of the `cells` of the output space. Raises ParameterError.
    """
    check_positive(cells=cells, epsilon=epsilon, beta=beta, sensitivity=sensitivity)
    return 2 * sensitivity * (log(cells) + log(1 / beta)) / epsilon


def check_positive(**settings: float) -> None:
    """Raise ParameterError unless all are finite and > 0."""
    for name, value in settings.items():
        if not 0 < value <= LARGEST:
            raise ParameterError(name, f"must be finite and > 0, got {shown(value)}.")
