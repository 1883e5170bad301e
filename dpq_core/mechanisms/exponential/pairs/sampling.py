"""The exponential mechanism for two quantiles at once, sampled exactly at a cost that hardly depends on n or epsilon.

Idea. A pair of indices v <= w is drawn with weight exp(-rate * s). Let x = #{records < v} - p n and y = #{records < w}
- q n be the signed rank errors of both; s is their span, from the least of 0, x, y to the greatest. Among three points
on a line the distances add up to twice the span: 2 s = |x| + |y - x| + |y|, the score of JointExp for two quantiles
(Gillenwater, Joseph, Kulesza 2021). So this is JointExp's output distribution, and its recursion over all intervals is
not needed: intervals of v and of w are taken together in blocks, outwards from either target as in `exponential`, and
the blocks of pairs make a small table. One draw picks a block of pairs by its mass, an index in either block, and
accepts with the ratio of the pair's weight to the block's if v <= w, or else everything starts again: the distribution
is that of all pairs, whatever the blocks.

Attempts. A proposal with v > w weighs no more than the same indices in increasing order: sorting brings both closer to
the targets in all, and the distance between them closer to the wanted one. Within blocks the weight falls by e^4 at
most, so inside of the outer blocks the table holds at most 2 e^4 times the mass of increasing pairs, for any data;
five times is usual. More blocks are taken where the outer ones hold much. Cost O(b^2 + log n) with b = O(log(n rate))
blocks on a side; it reads ranks by searches only, so the records may be stored anywhere.

Claim. Let the shares of the records wanted below, between and above both be u_1, u_2, u_3. A record that joins or
leaves in the i-th place moves the i-th of the three distances by at most 1 - u_i and each other one by its own share,
together by 2 (1 - u_i): s moves by at most 1 - u_i. A replaced record leaves one place and enters another, n is
fixed: two distances move by 1, s by at most 1, and not at all where the place is the same. Weights, and their sum,
follow.

Weights never fall below 2^-126 of the nearest pair's: exp(-rate * min(s, s0 + K)), where s0 is the least span of whole
ranks and K is public. The least one is taken over all pairs of whole ranks, so with a record more it is at most the
span of the same ranks with the record put in the widest place: s0 moves by at most 1 - max u_i, which is no more than s
itself may move, in whichever place; not at all where n is fixed. So the claim holds for the cut-off weights too. In the
exact sampler a pair is accepted with the ratio of integers, its weight (above the ideal by at most 2^-126 of it) and
its block's (not below the ideal); `guarded` lowers rates by more than that. Accuracy: the pairs of a full domain of
2^62 indices, all at the floor, weigh 2^-3 of one pair at the top.
"""

from __future__ import annotations

from ....arrays import Integers
from ....noise import Entropy, ExactEntropy, FastEntropy
from ....sample import SortedCells
from ..distribution import Partitions
from .distribution import PairAim
from .exact import draw_pairs_exact
from .fast import draw_pairs_fast


def draw_pairs(cells: SortedCells, parts: Partitions, target_levels: tuple[PairAim, ...], entropy: Entropy) -> Integers:
    """Return drawn indices, shape (trials, draws, 2), increasing: column j draws in its range with `target_levels[j]`.

    Indices, parts and their ends are those of `exponential.draw`.
    """
    if isinstance(entropy, ExactEntropy):
        return draw_pairs_exact(cells, parts, target_levels, entropy)
    assert isinstance(entropy, FastEntropy), "there are two samplers"
    return draw_pairs_fast(cells, parts, target_levels, entropy)
