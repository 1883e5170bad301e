"""Draws beside their law."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

Drawn = TypeVar("Drawn")


def until(attempt: Callable[[], Drawn | None], draws: int) -> NDArray[np.int64]:
    """So many draws of a sampler whose attempts may fail."""
    found: list[Drawn] = []
    while len(found) < draws:
        drawn = attempt()
        if drawn is not None:
            found.append(drawn)
    return np.array(found)


def p_of(counts: NDArray[np.int64], law: NDArray[np.float64]) -> float:
    """The p-value of counts whose expectations are `law`; outcomes too rare for chi-square are taken together."""
    order = np.argsort(law)
    rare = np.cumsum(law[order]) < 20
    pooled_law = np.append(law[order][~rare], law[order][rare].sum())
    pooled = np.append(counts[order][~rare], counts[order][rare].sum())
    used = pooled_law > 0
    return float(chi2.sf(((pooled - pooled_law)[used] ** 2 / pooled_law[used]).sum(), used.sum() - 1))
