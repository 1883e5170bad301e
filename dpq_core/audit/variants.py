"""Describe a broken variant: how it differs from the sound mechanism, in words and in code, and where that shows.

It shows on a data set small enough to list, and its neighbour.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ..arrays import Integers
from ..calibrations import calibrate
from ..domain.domain import Domain
from ..errors import Name, ParameterError
from ..mechanisms.base import Make, Parameters
from ..plan import OptionValue, Plan
from ..privacy.budgets import Adjacency, Privacy, PureDP
from .losses import LogLaw, Pair, compare

MOST_CELLS = 40
MOST_RECORDS = 12


@dataclass(frozen=True, kw_only=True)
class TinyPair:
    """A data set of whole numbers from 0 to `highest`, from which one value leaves, or which one joins, or both.

    Both: one person is replaced. Raises ParameterError for a value that is not in 0..highest, for one that leaves and
    was not there, for more than 12 records or 40 cells, and where nobody changes.
    """

    values: tuple[int, ...]
    leaving: int | None = None
    joining: int | None = None
    highest: int = MOST_CELLS - 1

    def __post_init__(self) -> None:
        if not 1 <= self.highest < MOST_CELLS:
            raise ParameterError("highest", f"must be a whole number from 1 to {MOST_CELLS - 1}, got {self.highest}.")
        if len(self.values) > MOST_RECORDS:
            raise ParameterError("values", f"must be at most {MOST_RECORDS} numbers, got {len(self.values)}.")
        changes = [value for value in (self.leaving, self.joining) if value is not None]
        if not changes:
            raise ParameterError("joining", ("or ", Name("leaving"), " must be a value: one person has to change."))
        for value in (*self.values, *changes):
            if not 0 <= value <= self.highest:
                raise ParameterError("values", f"must lie from 0 to {self.highest}, got {value}.")
        if self.leaving is not None and self.leaving not in self.values:
            raise ParameterError("leaving", f"must be one of the values, got {self.leaving}.")

    @property
    def other(self) -> tuple[int, ...]:
        """Return the neighbouring data set, in increasing order."""
        remaining = list(self.values)
        if self.leaving is not None:
            remaining.remove(self.leaving)
        return tuple(sorted([*remaining, *([] if self.joining is None else [self.joining])]))

    @property
    def adjacency(self) -> Adjacency:
        """Return the relation under which the two data sets are neighbours."""
        replaced = self.leaving is not None and self.joining is not None
        return Adjacency.REPLACE_ONE if replaced else Adjacency.ADD_REMOVE

    def domain(self, parts: int = 1) -> Domain:
        """Return the public grid 0..highest, every step cut into this many sub-steps."""
        return Domain(0, self.highest + 1 - Fraction(1, parts), Fraction(1, parts))


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
    make: Make = calibrate
    """The sound parameters."""
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
        return compare(
            plan, pair.values, pair.other, pair.domain(self.parts),
            make=self.make, alter=alter, records=self.records, law=self.law,
        )  # fmt: skip

    def fixed(self, plan: Plan, pair: TinyPair) -> Pair:
        """Return the same of the sound mechanism. Raises as `losses.compare`."""
        return compare(plan, pair.values, pair.other, pair.domain(self.parts), make=self.make)


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
