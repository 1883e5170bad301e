"""The exponential mechanism for one quantile, sampled exactly at a cost that hardly depends on n or epsilon.

Idea. Every index w of a range is drawn with weight exp(-rate * |#{x < w} - target|) (Smith 2011). All indices between
two neighbouring records (an interval) have the same weight, and known implementations weigh all n + 1 intervals. Here
intervals are taken together in blocks outwards from the target, b = 1 / (2 rate) intervals each, under the weight of
the nearest interval of the block; some blocks on each side, then everything beyond. A block's mass takes two look-ups.
One draw picks a block by mass, a uniform index in it, finds the index's interval by binary search, and accepts with the
ratio of its weight to the block's, or else everything starts again. That is rejection sampling under an envelope: the
distribution is exactly that of all intervals, for any blocks. Within a block the weight falls by at most e^(1/2),
so a draw takes under two attempts, and cost is O(log(n rate) + log n).

Claim. Where a count differs by at most s records, relative to its target, between neighbours, every weight changes by a
factor of at most exp(s * rate), and the sum of weights likewise: a draw is (2 s rate)-bounded-range, hence 2 s rate-DP
and `bounded_range_rho(2 s rate)`-zCDP. In the exact sampler each weight, of an interval or of a block, is an
integer within a factor of 1 + 2^-75 above its ideal (`ceil_exp`, `CeilTable`); `guarded` lowers every rate by 2^-40 of
itself, which is more than that.

Levels 0 and 1 (`range_of_draw`). The target is 0 or n, floored or not. A record that joins adds 0 or 1 to #{x < w}, or
to n - #{x < w}, so every log weight falls by 0 to rate, and so does that of the sum of weights. A log ratio is the
difference of two such numbers: the draw is rate-bounded-range, half of 2 s rate. A record that is replaced by a higher
one takes 0 or 1 from #{x < w} for every w, and leaves n as it is: the same. Of persons whose rows weigh 1 together
what the old rows have below w, less what the new ones have, differs by at most 1 between two w, since both grow with w
from 0 to 1: the same again.

Draws of whole values have another score and the same claim: `ties`.

Weights never fall below 2^-126 of the nearest interval's: exp(-rate * min(d, d0 + K)), where d0 is the distance of the
target from the nearest whole rank and K is public. Between neighbours d0 moves by at most min(q, 1 - q) where d moves
by up to max(q, 1 - q) = s, and not at all where targets are floored or n is fixed, so the claim holds for the cut-off
weights too. A full domain of such indices weighs 2^-64 of a single index in the nearest interval.
"""

from __future__ import annotations

from ...arrays import Integers
from ...noise.entropy import Entropy
from ...noise.exact import ExactEntropy
from ...noise.fast import FastEntropy
from ...sample import Cells
from .distribution import Partitions, TargetLevel, per_unit
from .exact import draw_exact
from .fast import draw_fast


def draw(
    cells: Cells,
    partitions: Partitions,
    target_levels: tuple[TargetLevel, ...],
    entropy: Entropy,
    targets: Integers | None = None,
    copies: int = 1,
) -> Integers:
    """Return drawn indices, shape (copies x trials, draws): column j draws in its range with `target_levels[j]`.

    `cells` are all records, sorted. The records of a range are those in [start, end); any that lie outside its index
    range count as lying at its ends. `targets`, whole ranks (trials, draws) within each part, replace those of the
    target levels; one outside 0..count counts as the nearer of the two, which changes every weight by the same factor.
    Weighted rows count as several records of one unit each, and ranges are in units.
    """
    target_levels = per_unit(target_levels, cells)
    if isinstance(entropy, ExactEntropy):
        return draw_exact(cells, partitions.repeated(copies), target_levels, entropy, targets)
    assert isinstance(entropy, FastEntropy), "there are two samplers"
    return draw_fast(cells, partitions, target_levels, entropy, targets, copies)
