"""What is known of a mechanism beside its guarantee: colour, cost, whom it suits, when it is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..errors import ParameterError
from ..plan import Plan


class TimeCost(NamedTuple):
    """Seconds of one pass over up to 64 trials: once, for each level, for each trial, for each trial and level.

    Those of the mechanisms were fitted to n = 1,000 to 100,000 and m = 9 to 60 on one core of a small machine; they
    are right within a factor of about 3.
    """

    once: float
    level: float = 0.0
    trial: float = 0.0
    trial_and_level: float = 0.0


UNKNOWN_COST = TimeCost(5e-3, level=1e-3, trial=6e-4, trial_and_level=1e-5)


@dataclass(frozen=True, kw_only=True)
class Profile:
    """Colour, cost and advice of a mechanism; everything may be left out."""

    colour: str = "#7d899b"
    symbol: str = "circle"
    """In figures of several mechanisms, so that colour alone distinguishes none."""
    cost: TimeCost = UNKNOWN_COST
    cost_of: Callable[[Plan], TimeCost | None] = lambda plan: None
    """(plan): where its options or its adjacency make another cost of it, that one; else None."""
    reads_shares: bool = False
    """Whether it reads rows of which those of a person weigh 1 together, at no cost: where that is proved."""
    refuses_after_draws: bool = False
    """Whether it may find out only after a draw that it has no answer, where the number of records is private."""
    needs_normal: bool = False
    """Whether records must be normal. It then finds their place by itself: no bounds have to be found, none help."""
    draws_backwards: bool = False
    """Whether the steps of its trace begin at the highest quantile."""
    singly: Callable[[Plan, int | None], Any] | None = None
    """(plan, n_public): the parameters with one quantile a draw, the quickest way, where there may be several."""
    interpolates: bool = False
    """Whether some levels may be drawn, and the others interpolated, where a public number of records is small."""
    refused_on: Callable[[Plan, int, int | None], ParameterError | None] = lambda *_: None
    """(plan, cells, count): what follows only from the size of the domain, or from a known number of records."""

    def seconds_of(self, plan: Plan) -> TimeCost:
        """Return the cost of a plan."""
        return self.cost_of(plan) or self.cost
