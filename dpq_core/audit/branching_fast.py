"""The exact law of what a program answers in the fast sampler: `branching`, for one trial of `FastEntropy`.

Weights and chances that mechanisms hand to it are floats. They are taken as the rational numbers that they are, so that
the law is that of the code, up to the 53 bits of a uniform float. Its noise is followed by the law that it should have.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import partial

import numpy as np

from ..arrays import Flags, Floats, Integers
from ..noise.fast import FastEntropy
from .branching import Distribution, Paths, law_of_paths, places


def enumerate_fast_law(program: Callable[[FastEntropy], Hashable], cut_below: Fraction = Fraction(0)) -> Distribution:
    """The law of what `program` returns, hashable, for one trial of the fast sampler with a secret seed."""
    return law_of_paths(_FastBranching, program, cut_below)


class _FastBranching(Paths, FastEntropy):
    """The draws of one trial of the fast sampler."""

    trials = 1

    def bernoulli(self, numerators: Floats, denominators: Floats | float = 1.0) -> Flags:
        """Independent flags, true with probability numerator / denominator, or 1 where that is more."""
        pairs = np.broadcast_arrays(numerators, denominators)
        chances = [Fraction(a) / Fraction(b) for a, b in zip(*(each.tolist() for each in pairs), strict=True)]
        return np.array([self.flag(*chance.as_integer_ratio()) for chance in chances], dtype=np.bool_)

    def choice(self, sums: Floats) -> Integers:
        """A place for each row, with probability proportional to its weight, from running sums (rows, places)."""
        return np.array([self.branch(("choice", row), partial(places, row)) for row in map(tuple, sums.tolist())])

    def choices(self, sums: Floats, count: int) -> Integers:
        """Places, each with probability proportional to its weight, from the running sums (places,)."""
        return self.choice(np.broadcast_to(sums, (count, sums.size)))

    def choice_within(self, sums: Floats, first: Integers, last: Integers) -> Integers:
        """A place first <= x < last for each pair, with probability proportional to sums[x + 1] - sums[x]."""
        found = []
        for low, high in zip(first.tolist(), last.tolist(), strict=True):
            exact = [Fraction(each) for each in sums[low : high + 1].tolist()]
            row = tuple(each - exact[0] for each in exact[1:])
            found.append(low + self.branch(("choice", row), partial(places, row)))
        return np.array(found, dtype=np.int64)

    def accepted_rows(
        self, attempt: Callable[[FastEntropy, Integers], tuple[Integers, Flags]], rows: Integers, shape: tuple[int, ...]
    ) -> Integers:
        """What the first accepted attempt gives for each of the rows, (rows, *shape)."""

        def of_row(row: int, entropy: FastEntropy) -> tuple[int, ...] | None:
            drawn, accepted = attempt(entropy, np.array([row]))
            return tuple(drawn.reshape(-1).tolist()) if accepted[0] else None

        found = [self.accepted(partial(of_row, row)) for row in rows.tolist()]
        return np.array(found, dtype=np.int64).reshape(rows.size, *shape)

    def accepted_soon(
        self,
        attempt: Callable[[FastEntropy, Integers], tuple[Integers, Flags]],
        rows: Integers,
        tries: int,
        shape: tuple[int, ...],
    ) -> tuple[Integers, Flags]:
        """What the first accepted attempt gives, however late: where there is none in time is followed on its own."""
        return self.accepted_rows(attempt, rows, shape), np.ones(rows.size, dtype=np.bool_)

    def first_accepted(
        self, attempt: Callable[[FastEntropy, int], Integers], wanted: int, at_once: Callable[[int], int]
    ) -> Integers:
        """What the first `wanted` accepted attempts give, one after the other: they are independent."""

        def one(entropy: FastEntropy) -> tuple[int, ...] | None:
            return next(map(tuple, attempt(entropy, 1).tolist()), None)

        return np.array([self.accepted(one) for _ in range(wanted)], dtype=np.int64)
