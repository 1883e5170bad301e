"""The draws that a mechanism may ask for."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any, Protocol, TypeAlias

import numpy as np

from ..arrays import Flags, Integers
from .integer_noise import Size

Attempt: TypeAlias = Callable[[Any, Integers], tuple[Integers, Flags]]
"""Returns what it draws for some rows, and which of these are accepted; it changes nothing else."""


class Entropy(Protocol):
    """The draws that a mechanism may ask for; `trials` runs go side by side, one with the exact sampler."""

    exact: bool
    """Whether draws are exact and from the operating system's entropy."""
    trials: int
    """The number of independent runs that are drawn at once."""

    def below(self, limits: Integers) -> Integers:
        """Return independent uniform integers, 0 <= x < limit; same shape as `limits`, all >= 1."""

    def coins(self, numerator: int, denominator: int) -> Flags:
        """One coin for each run, (trials,): true with probability numerator / denominator."""

    def accepted_rows(self, attempt: Attempt, rows: Integers, shape: tuple[int, ...], at_once: float = 1) -> Integers:
        """Return the first accepted result of each row, (rows, *shape); `at_once` attempts are made for each together.

        Attempts are independent and change nothing else, and draw from the entropy that they are given. So a sampler
        that follows all outcomes knows where a rejection loop begins again.
        """
        found, waiting = np.empty((rows.size, *shape), np.int64), np.arange(rows.size)
        while waiting.size:
            drawn, accepted = self._side_by_side(attempt, rows[waiting], at_once, shape)
            found[waiting[accepted]] = drawn[accepted]
            waiting = waiting[~accepted]
        return found

    def accepted_soon(
        self, attempt: Attempt, rows: Integers, tries: int, shape: tuple[int, ...], at_once: float | None = None
    ) -> tuple[Integers, Flags]:
        """Do as `accepted_rows`, but stop after some attempts for each row; also return which rows accepted one.

        `at_once`: all of them, by default. The values of rows without one are arbitrary. Code that draws these rows in
        another way must use the same distribution.
        """
        found, done = np.zeros((rows.size, *shape), np.int64), np.zeros(rows.size, dtype=np.bool_)
        for _ in range(0, tries, ceil(at_once or tries)):
            waiting = np.flatnonzero(~done)
            if waiting.size:
                found[waiting], done[waiting] = self._side_by_side(attempt, rows[waiting], at_once or tries, shape)
        return found, done

    def _side_by_side(
        self, attempt: Attempt, rows: Integers, count: float, shape: tuple[int, ...]
    ) -> tuple[Integers, Flags]:
        """Return an accepted result of each row, and whether there is one, of `count` attempts for each.

        Rows of the same number share their attempts: the first of them gets the first one that is accepted, the second
        the next.
        """
        if count == 1 or not rows.size:
            return attempt(self, rows)
        whole, more = divmod(ceil(count * rows.size), rows.size)
        every = np.concatenate([np.repeat(rows, whole), rows[:more]])
        drawn, accepted = attempt(self, every)
        order, found = np.argsort(rows, kind="stable"), np.flatnonzero(accepted)
        found = found[np.argsort(every[found], kind="stable")]
        wanted, given = rows[order], every[found]
        place = given.searchsorted(wanted) + np.arange(rows.size) - wanted.searchsorted(wanted)
        has_one = np.zeros(rows.size, dtype=np.bool_)
        has_one[order] = done = place < given.searchsorted(wanted, side="right")
        values = np.zeros((rows.size, *shape), np.int64)
        values[order[done]] = drawn[found[place[done]]]
        return values, has_one

    def discrete_laplace(self, scale: Size, shape: tuple[int, ...]) -> Integers:
        """Return independent integers with P(k) proportional to exp(-|k| / scale)."""

    def discrete_gaussian(self, sigma_squared: Size, shape: tuple[int, ...]) -> Integers:
        """Return independent integers with P(k) proportional to exp(-k^2 / (2 sigma_squared))."""
