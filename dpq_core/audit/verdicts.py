"""Judge a pair of neighbours against the guarantee, and give each quantile's own distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import Floats
from ..privacy import ZCDP, Privacy
from .losses import Pair

ROUNDING = 1e-9
"""Losses are sums of a few logarithms; a loss this far above its guarantee still holds it."""


@dataclass(frozen=True)
class LossVerdict:
    """A guarantee beside the exact loss of one pair, in the terms of the budget."""

    measure: Literal["epsilon", "rho"]
    claimed: float
    found: float
    """Infinite where an answer is possible for one of the two data sets only."""

    @property
    def holds(self) -> bool:
        """Return whether this pair loses no more than is guaranteed; another pair may lose more."""
        return self.found <= self.claimed + ROUNDING


def judge(pair: Pair, privacy: Privacy) -> LossVerdict:
    """Return guarantee and loss: in rho for a concentrated budget, else in epsilon."""
    guarantee, loss = pair.guarantee, pair.loss
    if isinstance(privacy, ZCDP):
        assert guarantee.rho is not None, "a concentrated budget has a rho"
        assert loss.rho is not None, "a concentrated budget has a loss in rho"
        return LossVerdict("rho", guarantee.rho, loss.rho)
    return LossVerdict("epsilon", guarantee.epsilon, loss.epsilon)


def marginals(outputs: Floats, law: Floats) -> tuple[Floats, list[Floats]]:
    """Return the values that outputs (outputs, levels) hold, increasing, and for each quantile their probabilities."""
    values, places = np.unique(outputs, return_inverse=True)
    columns = places.reshape(outputs.shape).T
    chances = np.exp(law)
    rows = [np.bincount(column, chances, values.size).astype(np.float64) for column in columns]
    return values, rows
