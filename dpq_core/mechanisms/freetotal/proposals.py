"""What is proposed to the hard form: a total with a tuple of JointExp's kind, or a tuple from far away.

The law wanted is 2^(-r d). Three kinds of proposals cover all tuples, each a class of its own, so that a tuple has one
way to be drawn. Let T be the reach of the window.
    near    A total N_j with its weight w_j, and a tuple in the window with weight 2^(-r d_N), from JointExp's recursion
            (`joint.recursion`) with targets u_i N_j. It is accepted only if N_j is one of the two neighbours, - and +,
            of the best total, with 2^(-r d - 1/2) / (w_- 2^(-r d_-) + w_+ 2^(-r d_+)), at most 1 (`totals`): the sum
            over both is 2^(-r d - 1/2), with anything between them, so no sum over all totals is needed.
    far     A tuple outside the window, or with a best total beyond all N_j, drawn from JointExp itself at a slower
            rate r' of about r / 3. There d > T: with k records below an answer for q and e = k - q n,
            d_N >= |e + q x| + |e - (1 - q) x|, x = n - N, which is least |e| / max(q, 1 - q), and the window is
            |e| <= T max(q, 1 - q); beyond all totals, d >= |n - N| > T. JointExp's own distance is
            d_n <= d_N + |n - N| <= 2 d. So r d >= (r - 2 r') T + r' d_n: accepted with 2 to the difference.
    beyond  The same outside the window of JointExp's recursion too, where d_n > 2 D, from all tuples alike.
No window and no range of totals cuts anything off; they decide about the time only.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, comb, floor

import numpy as np

from ...arrays import Integers
from ...sample import SortedCells
from ..joint.mechanism import LARGEST_RATE
from ..joint.numbers import NOTHING, RATE_BITS, Wide, power
from ..joint.recursion import Messages, Recursion, proportions_of, weigh
from ..joint.shares import Coarse
from .apart import Apart, NearTuples
from .totals import SLOWER, Totals, first_bits

MARGIN = 1.5
"""By how much more than the weights say."""
MOST_FAR = 0
"""Far proposals have about the weight of one total at most, out of a few that have most of it."""

EVERY, SMALL_COUNT = 4, 500
"""With every this-many-th record a search takes less time, if there are more than a few."""
HEAVY = 3
"""A total has a large weight if that is this many binary orders above those of all dense ones."""


class Proposals:
    """The weights of all kinds of proposals for one data set. Private."""

    def __init__(self, slow: Recursion, rate: int, reach: int, totals: Totals | None = None) -> None:
        """`slow`: the far proposals' own recursion, at less than half the rate. `reach`: T >= 1, with no records any.

        `totals`: those of a smaller reach, which stay and get more beside them.
        """
        self.slow, self.rate, self.reach = slow, rate, reach
        self.cells, self.grid, self.levels, self.count = slow.cells, slow.grid, slow.levels, slow.count
        self.proportions = proportions_of(slow.levels)
        self.spare = Fraction(rate - 2 * slow.rate, 1 << RATE_BITS)
        """The bits that a record of distance leaves beside the far proposals' own."""
        self.totals = Totals.around(self.count, len(self.proportions), rate, reach, totals)
        kind = Apart if isinstance(slow, Apart) else Messages
        self.near = NearTuples(self.cells, self.grid, self.levels, rate, self._window(), self.totals.values, kind)
        near, far = self._near_weights(), self._far_weights()
        self.weights = Wide(np.append(near.mantissa, far.mantissa), np.append(near.exponent, far.exponent))
        """Of every total, of the far proposals and of those beyond; in units of 2^-(levels * cell_bits)."""
        self.excess = int(far.exponent.max() - near.exponent.max())
        """The binary order of the far weights over that of the near ones."""
        sparse = self.totals.sparse
        dense = near.exponent[~sparse].max(initial=NOTHING)
        self.too_sparse = sparse & (near.exponent > max(dense + HEAVY, near.exponent.max() - HEAVY))
        """Of each total, whether it has a large weight and lies far from its neighbours: it is rarely accepted."""

    @property
    def everywhere(self) -> bool:
        """Whether no tuple is far: all distances are at most n."""
        return self.reach >= self.count

    @property
    def too_near(self) -> bool:
        """Return whether far proposals are too many."""
        return not self.everywhere and self.excess > MOST_FAR

    @property
    def fits(self) -> bool:
        """Return whether a fair part of the proposals will be accepted."""
        return not self.too_near and not self.too_sparse.any()

    def _window(self) -> tuple[Integers, Integers]:
        """The first and the last interval of each level."""
        sides = [self.reach * max(level, 1 - level) for level in self.levels]
        targets = [level * self.count for level in self.levels]
        lows = [max(ceil(target - side), 0) for target, side in zip(targets, sides, strict=True)]
        highs = [min(floor(target + side), self.count) for target, side in zip(targets, sides, strict=True)]
        return np.array(lows), np.array(highs)

    def _near_weights(self) -> Wide:
        rate = Fraction(self.rate, 1 << RATE_BITS)
        factors = [power(bits - rate * total) for bits, total in zip(self.totals.bits, self.totals.values, strict=True)]
        mantissas, exponents = np.array([m for m, _ in factors]), np.array([e for _, e in factors], np.int64)
        return Wide.of(self.near.sums.mantissa * mantissas, self.near.sums.exponent + exponents)

    def _far_weights(self) -> Wide:
        if self.everywhere:
            return Wide.nothing(2)
        lowered = -Fraction(1, 2) - self.spare * self.reach
        slow_rate = Fraction(self.slow.rate, 1 << RATE_BITS)
        inside, exponent = self.slow.total
        factor, shift = power(lowered - slow_rate * self.count)
        tuples = comb(self.grid + len(self.levels) - 1, len(self.levels))
        places = max(tuples.bit_length() - 53, 0)
        every, each = power(lowered - 2 * slow_rate * self.slow.window)
        whole = 0.0 if self.slow.whole else float(tuples >> places)
        return Wide.of(
            np.array([inside * factor, whole * every]),
            np.array([exponent + shift, each + places - len(self.levels) * self.slow.cell_bits]),
        )


def propose(
    cells: SortedCells, grid: int, levels: tuple[Fraction, ...], rate: int, kind: type[Recursion] = Recursion
) -> Proposals:
    """Proposals with a window so wide that few are far; at least one level.

    A guess first: its weights tell how wide is enough. Where much more is needed, as among ties, it is found with every
    few of the records. `kind`: `ApartRecursion` for the fast sampler.
    """
    slow, bits = weigh(cells, grid, levels, rate // SLOWER, kind), first_bits(len(levels))
    found = Proposals(slow, rate, _reach(slow, rate, bits))
    totals, faster = found.totals, rate * EVERY
    if not found.fits and slow.count > SMALL_COUNT and faster <= LARGEST_RATE:
        rough = weigh(Coarse(cells, EVERY), grid, levels, faster // SLOWER, kind)
        guess, bits = _enlarged(Proposals(rough, faster, _reach(rough, faster, bits)), bits)
        totals = Totals.of_values(tuple(EVERY * value for value in guess.totals.values), rate)
        found = Proposals(slow, rate, _reach(slow, rate, bits), totals)
    return _enlarged(found, bits)[0]


def _enlarged(found: Proposals, bits: int) -> tuple[Proposals, int]:
    """Return proposals that fit, and for how many binary orders their window is wide."""
    while not found.fits:
        totals = found.totals.denser(found.too_sparse, found.rate)
        if found.too_near:
            bits = min(bits + ceil((found.excess - MOST_FAR + 1) * MARGIN), 4 * bits)
        found = Proposals(found.slow, found.rate, _reach(found.slow, found.rate, bits), totals)
    return found, bits


def _reach(slow: Recursion, rate: int, bits: int) -> int:
    return min(ceil(bits / Fraction(rate - 2 * slow.rate, 1 << RATE_BITS)), slow.count)
