"""The exponential mechanism for one quantile, sampled exactly at a cost that hardly depends on n or epsilon.

Idea. Every index w of a range is drawn with weight exp(-rate * |#{x < w} - target|) (Smith 2011). All indices between
two neighbouring records (an interval) have the same weight, and known implementations weigh all n + 1 intervals. Here
intervals are taken together in blocks outwards from the target, b = 1 / (2 rate) intervals each, under the weight of
the nearest interval of the block; some blocks on each side, then everything beyond. A block's mass takes two look-ups.
An attempt picks a block by mass and a uniform index in it, finds the index's interval by binary search, and accepts
with the ratio of its weight to the block's (`Options`). The distribution is exactly that of all intervals, for any
blocks. Within a block the weight falls by at most e^(1/2), so a draw takes under two attempts, and cost is
O(log(n rate) + log n).

Where much weight lies beyond the blocks, they begin anew at the nearest interval on each side that holds an index, and
are twice as many. This ends: that interval weighs at least as much as one index, what lies D records beyond it at most
exp(-rate D) for each of up to 2^62 indices, which is little when rate D > 50.

Claim. Where a count differs by at most s records, relative to its target, between neighbours, every weight changes by a
factor of at most exp(s * rate), and the sum of weights likewise: a draw is (2 s rate)-bounded-range, hence 2 s rate-DP
and `bounded_range_rho(2 s rate)`-zCDP. The exact sampler has exactly this law, for any rates > 0: rounding only decides
how many attempts it takes (`noise.exact`).

Levels 0 and 1 (`range_of_draw`). The target is 0 or n, floored or not. A record that joins adds 0 or 1 to #{x < w}, or
to n - #{x < w}, so every log weight falls by 0 to rate, and so does that of the sum of weights. A log ratio is the
difference of two such numbers: the draw is rate-bounded-range, half of 2 s rate. A record that is replaced by a higher
one takes 0 or 1 from #{x < w} for every w, and leaves n as it is: the same. Of persons whose rows weigh 1 together
what the old rows have below w, less what the new ones have, differs by at most 1 between two w, since both grow with w
from 0 to 1: the same again.

Draws of whole values have another score and the same claim: `exponential.distribution`.

Options, with the proof in `noise.exact`. A draw is a row. It has options: ranges of indices, each with a bound of
the log weights of its indices. An attempt picks an option by its mass, a uniform index in it, and accepts the index
with the ratio of its own weight to that of the option. That is rejection sampling under an envelope: the law is that of
the weights of all indices, for any options.

In the theorem's words an index of an option with L indices has a_i = L, and l_i is log L and the bound. The seeded
sampler does the same in floats, its coin included.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil

import numpy as np

from ...arrays import Cells, Flags, Floats, Integers, Segments, chunks
from ...noise.entropy import Entropy
from ...noise.exact import ACCEPTED, ExactEntropy, whole_weights
from ...noise.fast import SeededSampler
from .distribution import Ranges, Target, count_below, edges_around, left_edges, per_unit, ranks_around, split_targets

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


_MATRIX_ELEMENTS = 1 << 18
WIDER = 6
"""Times as wide are the blocks of a seeded draw that reads a column of its own: fewer to weigh, and more attempts."""


def draw(
    cells: Cells,
    partitions: Ranges,
    target_levels: tuple[Target, ...],
    entropy: Entropy,
    targets: Integers | None = None,
    copies: int = 1,
) -> Integers:
    """Return drawn indices, shape (copies x trials, draws): column j draws in its range with `target_levels[j]`.

    `cells` are all records, sorted. The records of a range are those in [start, end); any that lie outside its index
    range count as lying at its ends. `targets`, whole ranks (trials, draws) within each part, replace those of the
    target levels; one outside 0..count counts as the nearer of the two, which changes every weight by the same factor.
    Weighted rows count as several records of one unit each, and ranges are in units. Each range is weighed once, for
    any number of copies.
    """
    shape = partitions.start.shape
    if partitions.start.size == 0:
        return np.empty((copies * shape[0], *shape[1:]), np.int64)
    draws = Draws.of(cells, partitions, per_unit(target_levels, cells), targets)
    if isinstance(cells, Segments) and not entropy.exact:
        draws = replace(draws, width=WIDER * draws.width)
    count = draws.partitions.counts
    enough = np.ceil((np.log(count * draws.rate + 2) + 3) / (draws.rate * draws.width))  # beyond rarely lies much
    blocks = int(np.minimum(enough, np.ceil((count + 1) / draws.width)).max())
    return _drawn(draws, blocks, copies, entropy).T.reshape(copies * shape[0], *shape[1:])


def _drawn(draws: Draws, blocks: int, copies: int, entropy: Entropy) -> Integers:
    """Return `copies` indices for each draw, (draws, copies), as many at once as fit the memory."""
    chosen = np.empty((draws.column.size, copies), np.int64)
    for some in chunks(draws.column.size, max(_MATRIX_ELEMENTS // (2 * blocks + 4), 1)):
        options = Blocks(draws.take(some), blocks)
        done, more = np.flatnonzero(options.enough), np.flatnonzero(~options.enough)
        chosen[some][done] = options.draw(np.repeat(done, copies), entropy).reshape(-1, copies)
        if more.size:
            chosen[some][more] = _drawn(options.from_the_nearest(more), 2 * blocks, copies, entropy)
    return chosen


@dataclass(frozen=True)
class Draws:
    """Draws of one kind, a row each: ranges, targets whole + rest, rates, and where blocks begin on either side."""

    cells: Cells
    partitions: Ranges
    target_levels: tuple[Target, ...]
    column: Integers
    """Which of the target levels a row has."""
    whole: Integers
    rest: Floats
    left: Integers
    """The rank of the nearest block on the left; ranks fall from there."""
    right: Integers
    rate: Floats
    width: Integers
    """How many ranks are a block."""

    @classmethod
    def of(
        cls, cells: Cells, partitions: Ranges, target_levels: tuple[Target, ...], targets: Integers | None = None
    ) -> Draws:
        """Return a row for each trial and draw; whole values are drawn by all of them or by none."""
        whole, rest = split_targets(partitions.counts, target_levels, targets)
        whole, rest = whole.reshape(-1), rest.reshape(-1)
        if targets is not None:
            target_levels = tuple(replace(each, floored=True) for each in target_levels)
        above = whole + (rest > 0)
        column = np.broadcast_to(np.arange(len(target_levels)), partitions.start.shape).reshape(-1)
        left = whole if target_levels[0].signed else above - 1
        rate = np.array([each.rate_as_float for each in target_levels])[column]
        width = np.array([each.block_width for each in target_levels])[column]
        return cls(cells, partitions.flat(), target_levels, column, whole, rest, left, above, rate, width)

    @property
    def signed(self) -> bool:
        """Return whether whole values are drawn."""
        return self.target_levels[0].signed

    def take(self, rows: Integers | slice) -> Draws:
        """Return some of the draws."""
        return replace(
            self, partitions=self.partitions.flat(rows), column=self.column[rows], whole=self.whole[rows],
            rest=self.rest[rows], left=self.left[rows], right=self.right[rows], rate=self.rate[rows],
            width=self.width[rows],
        )  # fmt: skip

    def ranks_around(self, rows: Integers | slice, chosen: Integers) -> tuple[Integers, Integers]:
        """Return how many records are below the value of each index, and at most at it; both below if not signed."""
        if self.signed:
            return ranks_around(self.cells, self.partitions.flat(rows), chosen)
        below = count_below(self.cells, self.partitions.flat(rows), chosen)
        return below, below


class Blocks(Options):
    """All intervals, or all values, in blocks outwards from the target, each weighed as its nearest one.

    Option 0 is open. Then come the blocks left of the target, a value around it, those on the right, and an open one.
    """

    def __init__(self, draws: Draws, blocks: int) -> None:
        self.draws, self.middle = draws, blocks + 1
        far = draws.width[:, None] * np.arange(blocks + 1)
        left, right = draws.left[:, None] - far[:, ::-1], draws.right[:, None] + far
        if draws.signed:
            edges = edges_around(draws.cells, draws.partitions, left, right)
        else:
            last = draws.partitions.counts[:, None] + 1
            edges = left_edges(draws.cells, draws.partitions, np.hstack([np.zeros_like(last), left + 1, right, last]))
        begins, self.base, least = self._distances(edges)
        logs = np.hstack([begins[0][:, None] + far[:, ::-1], begins[1][:, None], begins[2][:, None] + far])
        logs *= -draws.rate[:, None]
        super().__init__(edges, logs, -draws.rate * least)

    def _distances(self, edges: Integers) -> tuple[tuple[Floats, ...], Integers, Floats]:
        """Return by how much the first block on the left, the middle and that on the right are beyond the nearest one.

        And the distance of that one, as a whole number and a rest: so no rounding grows with ranks.
        """
        draws, whole, rest = self.draws, self.draws.whole, self.draws.rest
        left, right = whole - draws.left, draws.right - whole
        base, middle = np.minimum(left, right), np.full(rest.shape, np.inf)
        if draws.signed:
            before, last = edges[:, self.middle], edges[:, self.middle + 1]
            below, at_most = draws.ranks_around(slice(None), before + 1)
            over, under = below - whole, whole - at_most
            base = np.where(last > before, np.minimum(base, np.maximum(over, under)), base)
            middle = np.where(last > before, np.maximum((over - base) - rest, (under - base) + rest), np.inf)
        found = (left - base) + rest, middle, (right - base) - rest
        least = np.minimum(np.minimum(found[0], found[2]), middle)
        return tuple(each - least for each in found), base, least

    @property
    def enough(self) -> Flags:
        """Whether so little lies beyond a row's blocks that more blocks do not pay."""
        return np.asarray(5 * self.beyond < self.sums[:, -1], dtype=np.bool_)

    def from_the_nearest(self, rows: Integers) -> Draws:
        """Return draws of some rows whose blocks begin at the nearest indices on both sides of the target.

        On a side without any they begin farther away than on the other one.
        """
        draws, edges = self.draws.take(rows), self.edges[rows]
        _, left = draws.ranks_around(slice(None), edges[:, self.middle])
        right, _ = draws.ranks_around(slice(None), edges[:, self.middle + 1] + 1)
        on_left, on_right = edges[:, self.middle] > edges[:, 0], edges[:, self.middle + 1] < edges[:, -1]
        left, right = np.where(on_left, left, draws.left), np.where(on_right, right, draws.right)
        return replace(
            draws,
            left=np.where(on_left, left, 2 * draws.whole - right - 1),
            right=np.where(on_right, right, 2 * draws.whole - left + 2),
        )

    def exact_exponents(self, rows: Integers, chosen: Integers) -> list[tuple[int, int]]:
        """Return rate (score - base) of each index. The score is max(a - t, t - b); a = b unless values are whole."""
        draws = self.draws
        ranks = (each.tolist() for each in draws.ranks_around(rows, chosen))
        columns = (each[rows].tolist() for each in (draws.column, draws.whole, draws.partitions.counts))
        rows_of = ((draws.target_levels[column], whole, count) for column, whole, count in zip(*columns, strict=True))
        bases, targets = (
            self.base[rows].tolist(),
            [
                (each.rate, whole, 1)
                if each.floored
                else (each.rate, each.level.numerator * count, each.level.denominator)
                for each, whole, count in rows_of
            ],
        )
        found = []
        for (rate, over, under), base, below, at_most in zip(targets, bases, *ranks, strict=True):
            score = max(below * under - over, over - at_most * under) - base * under
            found.append((rate.numerator * score, rate.denominator * under))
        return found

    def excess(self, rows: Integers, options: Integers, chosen: Integers) -> Floats:
        """Return rate (rank - nearest rank of the block) of each index, on its own side of the target."""
        draws, left, outwards = self.draws, options < self.middle, np.abs(options - self.middle) - 1
        partitions, steps = draws.partitions.flat(rows), draws.width[rows] * outwards
        nearest = np.where(left, draws.left[rows] - steps, draws.right[rows] + steps)
        wanted = chosen
        if draws.signed:
            first, behind = partitions.values.around(chosen)
            wanted = np.where(left, behind, first)
        if isinstance(draws.cells, Segments):  # a search within the ranks of the block
            counts = partitions.counts
            far = np.where(outwards == self.middle - 1, counts, draws.width[rows] - 1)
            begin = partitions.start + np.clip(np.where(left, nearest - far, nearest), 0, counts)
            end = partitions.start + np.clip(np.where(left, nearest, nearest + far), 0, counts)
            ranks = draws.cells.searchsorted_within(wanted, begin, end) - partitions.start
        else:
            ranks = count_below(draws.cells, partitions, wanted)
        return np.where(outwards < 0, 0.0, draws.rate[rows] * np.abs(ranks - nearest))
