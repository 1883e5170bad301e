"""Fewer levels than requested, where the records cannot support all of them: some are drawn, the others interpolated.

Among few records neighbouring levels are closer than their answers err. Then it is better to draw some of the levels,
with all of the budget: each answer errs less, and the others lie on straight lines between two of them. From both ends
the 1st, 2nd, 4th, 8th, ... level is drawn, because values change most there, and further in every g-th. The number g is
the largest at which no more records lie between two drawn levels than `FARTHEST` standard errors of an answer, by the
mechanism's own model (`Parameters.standard_error`). On any data an interpolated answer lies between two answers,
so lines add no larger rank error than that. Where g = 1 nothing changes.

Privacy. The levels to draw follow from the plan and from a public number of records, before anything is drawn. They are
drawn as if they were all that the plan asks for, and lines between answers read no data: post-processing, so every
claim stands.

The number of records is the public one where the adjacency makes it public. Otherwise it is the plan's `about_n`, a
guess or what a noisy count says is surely there. As that should rather be too small, there may be `TIMES_A_GUESS` as
many. Without either, all levels are drawn. So they are for concentrated budgets, or a delta that is spent: there fewer
levels gain little (measured: docs/limit-measured.md).

An interpolated level is one between two drawn ones, a < q < b. Its true quantile lies between theirs. So it is in every
interval that reaches from the low end for a to the high end for b, unless one of these two fails. So ends are laid such
that each drawn interval fails with at most (1 - c) / 2, and one between with at most 1 - c. Where all are to hold at
once with the chance c, so do these, and nothing changes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from ..arrays import Flags, Floats, Integers
from ..domain.domain import Domain
from ..mechanisms.registry import MECHANISMS
from ..plan import Plan
from ..privacy.budgets import ZCDP
from .drawn import Calibrate

FARTHEST = 4
"""Standard errors of an answer: the most records between two drawn levels. Farther lines miss the shape of the data:
docs/limit.md."""
TIMES_A_GUESS = 2
"""How many records there may be where a number is guessed, or surely there."""
LEAST_GAIN = 0.9
"""Of the standard error of an answer: fewer levels are drawn where they leave no more than this of it."""
FEWEST_LEVELS = 8
"""Of a plan: fewer are all drawn."""
AT_RANDOM = 6
"""Answers at random are off by a sixth of the records or more: where drawn ones would be, too, nothing is gained."""

ErrorOf: TypeAlias = Callable[[tuple[Fraction, ...]], float | None]
"""The standard error of an answer where these levels are drawn; None where no model tells it."""


@dataclass(frozen=True)
class Interpolation:
    """Which levels of a plan are drawn, and the answers to all of its levels from theirs."""

    asked: tuple[Fraction, ...]
    """The plan's levels, in its order."""
    plan: Plan
    """The same plan with the levels that are drawn, increasing."""
    guess: int | None
    """About how many records there are, where that is not public."""

    @property
    def note(self) -> str:
        """Return what a reader of the answers should know: how many levels were drawn, and why no more."""
        drawn, asked = len(self.plan.quantiles), len(set(self.asked))
        why = "because the records are too few for more"
        if self.guess is not None:
            why = f"because about {self.guess:,} records are too few for more"
        note = f"{drawn} of {asked:,} levels were drawn; the others lie between them, {why}."
        if self.plan.intervals is None:
            return note
        return f"{note} The interval of such an answer reaches over those of the drawn answers on both sides."

    def answers(self, values: Floats, domain: Domain) -> Floats:
        """Return the answers (..., m) to all levels of the plan from those that were drawn (..., levels).

        They are values of the domain, and do not decrease with the level.
        """
        low, high, parts, drawn = self._neighbours
        below, above = values[..., low], values[..., high]
        return np.where(drawn, below, on_lines(below, above, parts, domain))

    def intervals(self, drawn: Floats | None) -> Floats | None:
        """Return the intervals (..., m, 2) for all levels from those of the drawn ones (..., levels, 2), if any."""
        if drawn is None:
            return None
        low, high, _, _ = self._neighbours
        return np.stack([drawn[..., low, 0], drawn[..., high, 1]], axis=-1)

    @cached_property
    def _neighbours(self) -> tuple[Integers, Integers, Floats, Flags]:
        """Return for each level the drawn ones at both sides, how far it is between them, and whether it is drawn."""
        known = self.plan.quantiles
        high = [bisect_left(known, level) for level in self.asked]
        drawn = [known[at] == level for at, level in zip(high, self.asked, strict=True)]
        low = [at if own else at - 1 for at, own in zip(high, drawn, strict=True)]
        parts = [
            0.0 if own else float((level - known[start]) / (known[end] - known[start]))
            for level, start, end, own in zip(self.asked, low, high, drawn, strict=True)
        ]
        return np.array(low, np.int64), np.array(high, np.int64), np.array(parts), np.array(drawn, np.bool_)


def interpolation_of(plan: Plan, count: int | None, calibrate: Calibrate) -> Interpolation | None:
    """Return which levels of a plan are drawn where they are not all; None where they are.

    `count`: the number of records, where it is public. Raises ParameterError (also Infeasible) where the plan is not
    available at all.
    """
    about = plan.about_n if count is None else count
    levels = tuple(sorted(set(plan.quantiles)))
    if not isinstance(about, int) or not may_interpolate(plan):
        return None
    bare = replace(plan, intervals=None, about_n=None)

    def error_of(some: tuple[Fraction, ...]) -> float | None:
        return standard_error_of(replace(bare, quantiles=some), calibrate)

    step = largest_step(levels, TIMES_A_GUESS * about if count is None else about, error_of)
    if step == 1:
        return None
    chosen = tuple(levels[place] for place in places(len(levels), step))
    return Interpolation(plan.quantiles, replace(plan, quantiles=chosen), about if count is None else None)


def may_interpolate(plan: Plan) -> bool:
    """Return whether a plan leaves it to the number of records which levels are drawn."""
    known, many = MECHANISMS.get(plan.mechanism), len(set(plan.quantiles)) >= FEWEST_LEVELS
    return many and known is not None and known.PROFILE.interpolates and not isinstance(plan.privacy, ZCDP)


@lru_cache(maxsize=256)
def standard_error_of(bare: Plan, calibrate: Calibrate) -> float | None:
    """Return the standard error of an answer in the model, None without one; from public facts alone, so it is kept."""
    each, parameters = calibrate(bare, None)
    if isinstance(each.privacy, ZCDP) or parameters.guarantee.delta:
        return None
    return parameters.standard_error


def largest_step(levels: tuple[Fraction, ...], n: int, error_of: ErrorOf) -> int:
    """Return the largest g at which drawn levels are near their neighbours: see the module. 1 if all are drawn.

    `levels` increase. Errors fall and distances grow with g, so it is found by bisection: O(log m) calibrations.
    """
    whole = error_of(levels)
    low, high = 1, len(levels)
    if whole is None or not _is_near(levels, places(len(levels), 2), n, whole):
        return 1  # fewer levels err less, so they would be even farther apart in errors
    found = whole
    while high - low > 1:
        step = (low + high) // 2
        drawn = places(len(levels), step)
        error = error_of(tuple(levels[place] for place in drawn))
        if error is not None and _is_near(levels, drawn, n, error):
            low, found = step, error
        else:
            high = step
    return low if found <= LEAST_GAIN * whole and AT_RANDOM * found <= n else 1


def _is_near(levels: Sequence[Fraction], drawn: Sequence[int], n: int, error: float) -> bool:
    """Return whether no more than `FARTHEST` errors lie between two drawn levels that have others between them."""
    apart = [levels[after] - levels[before] for before, after in pairwise(drawn) if after > before + 1]
    return float(max(apart, default=Fraction(0)) * n) <= FARTHEST * error


def places(count: int, step: int) -> tuple[int, ...]:
    """Return which of `count` levels are drawn, from 0: from both ends the 1st, 2nd, 4th, ..., then every `step`-th.

    >>> places(20, 4)
    (0, 1, 3, 7, 12, 16, 18, 19)
    """
    from_end, place = list[int](), 1
    while 2 * place <= count + 1:
        from_end.append(place - 1)
        place += min(place, step)
    found = {*from_end, *(count - 1 - each for each in from_end)}
    if from_end and count - 1 - 2 * from_end[-1] > step:
        found.add(count // 2)
    return tuple(sorted(found))


def on_lines(low: Floats, high: Floats, parts: Floats, domain: Domain) -> Floats:
    """Return the values of the domain nearest to the points at `parts` of the way from `low` to `high`.

    Both are values of the domain, low <= high. On significant digits, which are even in the logarithm, the line leads
    through the indices of the values if both have the same sign, else through the values themselves: on the way from
    one sign to the other, or from 0, most indices belong to tiny numbers.
    """
    points = np.minimum(low + parts * (high - low), high)
    found = domain.nearest(points)
    if not domain.has_even_steps:
        first, last = domain.encode(low), domain.encode(high)
        between = domain.decode(first + np.floor(parts * (last - first) + 0.5).astype(np.int64))
        found = np.where((low > 0) | (high < 0), between, found)
    return np.clip(found, low, high)
