"""Describe a broken variant: how it differs from the sound mechanism, in words and in code, and where that shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ..arrays import Integers
from ..mechanisms import Parameters
from ..plan import OptionValue, Plan
from ..privacy import Privacy, PureDP
from .losses import LogLaw, Pair, compare
from .tiny import TinyPair


@dataclass(frozen=True, kw_only=True)
class Broken:
    """A variant that can be compared on any tiny pair, with the pair and the settings that show the break."""

    name: str
    printed: str
    """What the paper, or naive code, does."""
    reason: str
    fix: str
    mechanism: str | None
    """None: any."""
    pair: TinyPair
    quantiles: str
    privacy: Privacy
    options: tuple[tuple[str, OptionValue], ...] = ()
    parts: int = 1
    """Into how many sub-steps every step of the pair's grid is cut."""
    alter: Callable[[Plan, Parameters], Parameters] | None = None
    """The broken parameters, from the plan and the sound ones."""
    records: Callable[[Integers], Integers] | None = None
    """The broken records, from sorted grid indices."""
    law: LogLaw | None = None
    """The broken output distribution, in place of the mechanism's."""

    def compare(self, plan: Plan, pair: TinyPair) -> Pair:
        """Return the distributions and the loss of the variant under the guarantee of the plan.

        Raises as `losses.compare`.
        """
        alter = None if self.alter is None else partial(self.alter, plan)
        domain = pair.domain(self.parts)
        return compare(plan, pair.values, pair.other, domain, alter=alter, records=self.records, law=self.law)


@dataclass(frozen=True, kw_only=True)
class BrokenAtScale:
    """A variant that needs too many records to be drawn: the loss of one pair at one output, for growing sizes."""

    name: str
    printed: str
    reason: str
    fix: str
    mechanism: str
    privacy: PureDP
    least_epsilon: float
    """Below it the sums would have to reach farther."""
    of: str
    """What grows: "quantiles" or "people"."""
    sizes: tuple[int, ...]
    at: str
    """The pair and the output, in words."""
    loss: Callable[[int, Fraction, bool], float]
    """From a size, a guaranteed epsilon, and whether it is the printed variant."""
