"""Draw from options, many draws side by side: propose in floats, accept exactly. `noise.proposals` has the proof.

A draw is a row. It has options: ranges of indices, each with a bound of the log weights of its indices. An attempt
picks an option by its mass, a uniform index in it, and accepts the index with the ratio of its own weight to that of
the option. That is rejection sampling under an envelope: the law is that of the weights of all indices, for any
options.

In the theorem's words an index of an option with L indices has a_i = L, and l_i is log L and the bound. The seeded
sampler does the same in floats, its coin included.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import ceil

import numpy as np

from ...arrays import Flags, Floats, Integers
from ...noise.entropy import Entropy
from ...noise.exact import ExactEntropy
from ...noise.fast import SeededSampler
from ...noise.proposals import ACCEPTED, whole_weights

TOP_BITS = 40
"""Bits behind the point of the logarithm that is largest in a row: short fractions are quick."""


class Options:
    """Options of draws side by side; what an index weighs is known to subclasses."""

    def __init__(self, edges: Integers, logs: Floats, tops: Floats) -> None:
        """Take options by rows: option i holds the indices edges[i] + 1 .. edges[i + 1], of log weights up to a bound.

        That is logs[i] + top. No log is above 0, and one of a row is above -745. Those above -1000 may be too small by
        2^-22; those below by anything, since their options weigh less than 2^-40 of the largest: v >= 1 is enough.
        """
        self.edges, self.logs, self.tops = edges, logs, tops
        self.lengths = edges[:, 1:] - edges[:, :-1]
        masses = np.exp(logs)
        masses *= self.lengths
        self.beyond = masses[:, 0] + masses[:, -1]
        self.sums = np.cumsum(masses, axis=1, out=masses)

    def draw(self, rows: Integers, entropy: Entropy) -> Integers:
        """Return one index for each of the rows."""
        return entropy.accepted_rows(self.attempt, rows, ())

    def excess(self, rows: Integers, options: Integers, chosen: Integers) -> Floats:
        """Return how far the log weight of each index is below that of its option, for the seeded sampler."""
        raise NotImplementedError

    def exact_exponents(self, rows: Integers, chosen: Integers) -> list[tuple[int, int]]:
        """Return what an index weighs for the exact sampler: exp(-numerator / denominator), denominator > 0."""
        raise NotImplementedError

    def attempt(self, entropy: Entropy, rows: Integers) -> tuple[Integers, Flags]:
        """Return one index for each of the rows, and whether it is accepted."""
        if isinstance(entropy, ExactEntropy):
            return self._exact_attempt(entropy, rows)
        assert isinstance(entropy, SeededSampler), "there are two samplers"
        one = len(self.sums) == 1
        options = entropy.choices(self.sums[0], rows.size) if one else entropy.choice(self.sums[rows])
        chosen = self.edges[rows, options] + 1 + entropy.below(self.lengths[rows, options])
        return chosen, entropy.bernoulli(np.exp(-self.excess(rows, options, chosen)))

    def _exact_attempt(self, entropy: ExactEntropy, rows: Integers) -> tuple[Integers, Flags]:
        weights, sums, tops = self._whole_weights
        options = np.array([entropy.choice(sums[row]) for row in rows.tolist()])
        lengths = self.lengths[rows, options]
        chosen = self.edges[rows, options] + 1 + entropy.below(lengths)
        ratios = map(Fraction, (ACCEPTED * lengths.astype(object)).tolist(), weights[rows, options].tolist())
        exponents = [
            Fraction((over << TOP_BITS) + tops[row] * under, under << TOP_BITS)
            for row, (over, under) in zip(rows.tolist(), self.exact_exponents(rows, chosen), strict=True)
        ]
        return chosen, np.array(list(map(entropy.accept, ratios, exponents)))

    @cached_property
    def _whole_weights(self) -> tuple[Integers, Integers, list[int]]:
        """Return all v, their running sums, and each row's largest logarithm, rounded up, in units of 2^-TOP_BITS."""
        with np.errstate(divide="ignore"):
            weights, largest = whole_weights(np.log(self.lengths) + self.logs)
        return weights, weights.cumsum(axis=1), [ceil(top * 2**TOP_BITS) for top in (largest + self.tops).tolist()]
