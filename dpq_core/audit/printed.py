"""Mechanisms as papers or their code print them, for Papers, Inside and tests: most of them break their guarantee.

None of these is in MECHANISMS, so no plan can reach them. Each gives parameters, data or a law for the same audit code
that checks the sound mechanisms; the regression tests show by how much a guarantee is broken.

DPHistGK. The printed algorithm counts bins in a textbook Greenwald-Khanna sketch, and adds Laplace noise of scale
2 / epsilon to these counts, as if one replaced record changed two of them by one. It changes hundreds: from the place
of the change on, other tuples are merged.

SliceQuantiles. Printed: ranks floor(q n) of the private number n. When one person joins, many ranks move at once, each
by one or not at all, and noise that is cheap to shift from one place on is expensive to shift in many places. Sound:
ranks of a noisy number of records (`slices.mechanism`). For flat noise the exact probability of an output is a sum
along a chain, slice by slice, so the loss at one output is computed exactly, up to noise that is far too large to
matter.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, exp, inf, log, log2, nextafter, sqrt

import numpy as np

from ..arrays import Floats, Integers
from ..mechanisms.aq.mechanism import AQParameters, of_root
from ..mechanisms.aq.recursion import halves, map_rates, scaled
from ..mechanisms.base import Parameters, distinct_levels
from ..mechanisms.counts import aggtree as aggregation_tree
from ..mechanisms.counts.answers import CountParameters
from ..mechanisms.counts.noise import Noise
from ..mechanisms.counts.tree import TreeShape
from ..mechanisms.exponential.density import log_density
from ..mechanisms.exponential.distribution import Ranges, Target, sensitivity
from ..mechanisms.gk import mechanism as gk_exponential
from ..mechanisms.joint import mechanism as joint_exponential
from ..mechanisms.joint.mechanism import JointParameters
from ..mechanisms.slices.draws import bisection, slice_parts, slice_target_level
from ..mechanisms.slices.layout import ranks_of
from ..mechanisms.slices.setup import SliceParameters
from ..mechanisms.slices.setup import calibrate as calibrate_slices
from ..noise.integer_noise import Size
from ..plan import Plan
from ..privacy.budgets import ZCDP, Adjacency, ApproxDP, PureDP
from ..privacy.conversions import printed_epsilon
from ..sketches.bin_counts import bin_edges

PRINTED_TREE = TreeShape(branching=12, height=4)


def aq(plan: Plan, n_public: int | None = None) -> AQParameters:
    """Return AQ with its printed constants, sound: floor(q n) at sensitivity 1, halves, equal budgets for all splits.

    Theorem 3.1 with log base 2; under REPLACE_ONE two paths share all but the root's share: 2 L - 1. No delta is used.
    """
    levels, privacy = distinct_levels(plan), plan.privacy
    count = len(levels)
    if plan.adjacency is Adjacency.ADD_REMOVE:
        depth = Fraction(nextafter(log2(count), inf) if count > 1 else 0) + 1
    else:
        depth = Fraction(2 * count.bit_length() - 1)
    if isinstance(privacy, ZCDP):
        each = printed_epsilon(Fraction(privacy.rho) / depth)
    else:
        each = Fraction(privacy.epsilon) / depth
    return of_root(levels, scaled(halves(levels), lambda _: each / 2), None, plan.adjacency, floored=True)


def tree(plan: Plan, n_public: int | None = None) -> CountParameters:
    """Return AggTree as printed where it is sound: branching 12, height 4, Laplace noise, least squares alone."""
    return replace(aggregation_tree.calibrate(plan, n_public, shape=PRINTED_TREE, kind="laplace"), nonnegative=False)


def wide_tree(plan: Plan, n_public: int | None = None) -> CountParameters:
    """Return AggTree with the printed branching and height, and noise that is sound for a concentrated budget."""
    return aggregation_tree.calibrate(plan, n_public, shape=PRINTED_TREE)


def slices(plan: Plan, n_public: int | None) -> SliceParameters:
    """Return SliceQuantiles with its printed constants, sound for several levels of a public number of records."""
    assert plan.adjacency is Adjacency.REPLACE_ONE, "floor(q n) of a private n breaks the claim: see the module"
    assert isinstance(plan.privacy, ApproxDP), "the printed constants have a delta"
    assert len(set(plan.quantiles)) > 1, "the printed width is 0 for one level"
    return calibrate_slices(plan, n_public, paper=True)


def aq_one_path_where_one_is_replaced(plan: Plan) -> AQParameters:
    """Return AQ under REPLACE_ONE with epsilon / L for every split, as if a replaced record followed one path.

    Broken: above the root's answer the two versions of a record can follow two paths. Sound: epsilon / (2 L - 1).
    """
    return _floored_with_divisor(plan, Fraction(len(set(plan.quantiles)).bit_length()))


def aq_natural_logarithm(plan: Plan) -> AQParameters:
    """Return AQ with epsilon / (ln m + 1) for every split.

    Broken: the logarithm of the proof has base 2, and with base e the path is underpaid.
    """
    return _floored_with_divisor(plan, Fraction(log(len(set(plan.quantiles))) + 1))


def _floored_with_divisor(plan: Plan, divisor: Fraction) -> AQParameters:
    assert isinstance(plan.privacy, PureDP), "the printed variants are stated for pure budgets"
    sound = aq(plan)
    rate = Fraction(plan.privacy.epsilon) / divisor / 2
    guarantee = replace(sound.guarantee, epsilon=plan.privacy.epsilon)
    return replace(sound, root=map_rates(sound.root, lambda _: rate), guarantee=guarantee)


def tie_breaking_by_sorted_position(cells: Integers, fine: int) -> Integers:
    """Return sorted records made distinct by x_(i) + i / (n + 1), on a grid `fine` times as fine.

    Broken: a record that joins moves every later one. Sound: bits drawn for each record by itself (`Column`).
    """
    ordered = np.sort(cells)
    return ordered * fine + (np.arange(1, ordered.size + 1) * fine) // (ordered.size + 1)


def gk_not_divided(plan: Plan, n_public: int | None = None) -> gk_exponential.GKParameters:
    """Return DPExpGK as Algorithm 2 is printed: weights exp(epsilon / 2 * score), not divided by the sensitivity.

    Broken: one record moves the points of a sketch, and scores by up to E. Claimed epsilon = 1, measured 10 and more.
    """
    assert isinstance(plan.privacy, PureDP), "the printed algorithm is stated for a pure budget"
    sound = gk_exponential.calibrate(plan, n_public)
    moved = [
        sensitivity(target_level.level, target_level.floored) + sound.threshold - 1
        for target_level in sound.target_levels
    ]
    target_levels = tuple(
        target_level.times(Fraction(records)) for target_level, records in zip(sound.target_levels, moved, strict=True)
    )
    return replace(sound, target_levels=target_levels)


def log_law_with_floored_targets(outputs: Integers, cells: Integers, parameters: Parameters, grid: int) -> Floats:
    """Return log probabilities of outputs with floor(q_j n) in place of q_j n, at the sound mechanism's rate.

    Broken under ADD_REMOVE: a record that joins can raise any of the m floors and leave the others, so that every
    difference between neighbours moves by one: up to m + 1 in all, where 2 (1 - the smallest share) is paid for.
    """
    assert isinstance(parameters, JointParameters), "this is a variant of JointExp"
    count = int(cells.size)
    floored = tuple(Fraction(int(level * count), max(count, 1)) for level in parameters.levels)
    return joint_exponential.log_law(outputs, cells, replace(parameters, levels=floored), grid)


def tree_sqrt_height(plan: Plan, n_public: int | None = None) -> CountParameters:
    """Return AggTree under rho with Laplace noise of scale sqrt(height / (8 rho)), as if e^2 / 8 held for it.

    Broken: that is the exponential mechanism's constant. Scale sqrt(4) is sold as rho = 1/8 and spends 0.49.
    """
    assert isinstance(plan.privacy, ZCDP), "the printed variant is stated for a concentrated budget"
    sound = wide_tree(plan)
    scale = sqrt(sound.shape.height / (8 * plan.privacy.rho))
    return replace(sound, noise=Noise("laplace", Size(Fraction(scale))))


def tree_exact_total_law(
    left: int, right: int, level: Fraction, scale: Fraction, reach: int = 60
) -> dict[Fraction, float]:
    """Return the probabilities of one quantile's place (0 to 2) in a tree of two leaves, with the exact n at its root.

    The left leaf gets discrete Laplace noise, the right one what is missing to n. Broken under ADD_REMOVE: the target
    level * n has no noise, so which answers are possible depends on n.
    """
    n, stays = left + right, exp(-1 / scale)
    law: dict[Fraction, float] = {}
    for noise in range(-reach, reach + 1):
        place = _read_off(Fraction(left + noise), Fraction(right - noise), level * n)
        law[place] = law.get(place, 0.0) + (1 - stays) / (1 + stays) * stays ** abs(noise)
    return law


def _read_off(left: Fraction, right: Fraction, target: Fraction) -> Fraction:
    """Return where `target` records lie from the left: linear inside a leaf, clamped to it."""
    inside_left = left > 0 and target <= left
    before, count = (Fraction(0), left) if inside_left else (left, right)
    share = (target - before) / count if count > 0 else Fraction(0)
    return min(max(share, Fraction(0)), Fraction(1)) + (not inside_left)


def textbook_sketch(stream: Sequence[int], alpha: float) -> list[tuple[int, int, int]]:
    """Return the tuples (value, g, delta) of Greenwald & Khanna 2001, without bands, for a stream of grid indices.

    A new tuple has g = 1 and delta = floor(2 alpha n) - 1, or 0 at either end; after every 1 / (2 alpha) records,
    neighbours with g_i + g_(i+1) + delta_(i+1) <= 2 alpha n become one. O(n * tuples).
    """
    values: list[int] = []
    gaps: list[tuple[int, int]] = []
    period = ceil(1 / (2 * alpha))
    for count, value in enumerate(stream, start=1):
        at = bisect_left(values, value)
        at_an_end = at in (0, len(values))
        values.insert(at, value)
        gaps.insert(at, (1, 0 if at_an_end else max(int(2 * alpha * count) - 1, 0)))
        if count % period == 0:
            _compress(values, gaps, 2 * alpha * count)
    return [(value, *gap) for value, gap in zip(values, gaps, strict=True)]


def _compress(values: list[int], gaps: list[tuple[int, int]], threshold: float) -> None:
    """Merge tuples into their right neighbours, from the right; the first and the last one stay."""
    for at in range(len(values) - 2, 0, -1):
        (own, _), (next_gap, next_delta) = gaps[at], gaps[at + 1]
        if own + next_gap + next_delta <= threshold:
            gaps[at + 1] = (own + next_gap, next_delta)
            del values[at], gaps[at]


def sketched_counts(stream: Sequence[int], alpha: float, grid: int, bins: int) -> Integers:
    """Return what the printed algorithm counts: the g of all tuples whose value lies in a bin; they sum to n."""
    held = textbook_sketch(stream, alpha)
    values, gaps = (np.array([entry[at] for entry in held], np.int64) for at in (0, 1))
    which = np.searchsorted(bin_edges(grid, bins), values, side="right") - 1
    return np.bincount(which, gaps, bins).astype(np.int64)


def counts_changed(stream: Sequence[int], place: int, other: int, alpha: float, grid: int, bins: int) -> int:
    """Return the L1 change of the printed counts when one record of the stream is replaced by another."""
    changed = [*stream[:place], other, *stream[place + 1 :]]
    before, after = (sketched_counts(each, alpha, grid, bins) for each in (stream, changed))
    return int(np.abs(before - after).sum())


FAR = 60
"""Noise on ranks is summed over -60..60; output and data are such that more hardly happens."""
SPACING = 8
"""Grid indices between neighbouring records of the example."""


def loss_of_private_ranks(
    count: int, rank_epsilon: Fraction, draw_epsilon: Fraction, half_width: int, *, printed: bool = True
) -> float:
    """Return the loss at one output when a record joins `count` evenly spaced quantiles of evenly spaced records.

    `printed` takes floor(q n) and floor(q (n + 1)); otherwise both data sets have the ranks of one public number.
    """
    size = count + 1
    levels = tuple(Fraction(i, size) for i in range(1, size))
    n = size * (4 * half_width + FAR) + worst_remainder(count, rank_epsilon, draw_epsilon)
    ranks, next_ranks = ranks_of(levels, n), ranks_of(levels, n + 1)
    moved = np.array(next_ranks) - np.array(ranks)
    # An output beyond the rank where the rank moves, so that every move makes it likelier.
    wanted = np.array(ranks) + moved * half_width
    outputs = wanted * SPACING - SPACING // 2
    records, grid = np.arange(n + 1) * SPACING, (n + 2) * SPACING
    target_level = slice_target_level(draw_epsilon)
    before, after = (
        log_chance(outputs, data, np.array(own), half_width, float(rank_epsilon), target_level, grid)
        for data, own in ((records[:-1], ranks), (records, next_ranks if printed else ranks))
    )
    return abs(after - before)


def worst_remainder(count: int, rank_epsilon: Fraction, draw_epsilon: Fraction) -> int:
    """Return the remainder of n by count + 1 for which moving the ranks of a joining record costs most.

    A run of ranks that move together costs a shift at both its ends, or one draw less likely for each.
    """
    size = count + 1

    def cost(remainder: int) -> float:
        moved = [i * (remainder + 1) // size - i * remainder // size for i in range(1, size)]
        runs = "".join(map(str, moved)).split("0")
        return sum(min(2 * float(rank_epsilon), len(run) * float(draw_epsilon) / 2) for run in runs)

    return max(range(size), key=cost)


def log_chance(
    outputs: Integers,
    cells: Integers,
    ranks: Integers,
    half_width: int,
    rank_epsilon: float,
    target_level: Target,
    grid: int,
) -> float:
    """Return the log probability that good slices with flat noise on `ranks` answer `outputs` (m,): a forward sum."""
    noise = np.arange(-FAR, FAR + 1)
    draws = log_draws(outputs, cells, ranks + noise[:, None], half_width, target_level, grid)
    steps = rank_epsilon * np.abs(noise[None, :] - noise[:, None])  # from noise (row) to noise (column)
    total, scale = np.exp(-rank_epsilon * np.abs(noise)), 0.0
    for at in range(outputs.size):
        if at:
            gap = ranks[at] - ranks[at - 1] + noise[None, :] - noise[:, None]
            total = total @ np.where(gap >= 2 * half_width, np.exp(-steps), 0.0)
        top = draws[:, at].max()
        total = total * np.exp(draws[:, at] - top)
        scale += float(top) + float(np.log(total.sum()))
        total /= total.sum()
    return scale


def log_draws(
    outputs: Integers, cells: Integers, noisy: Integers, half_width: Integers | int, target_level: Target, grid: int
) -> Floats:
    """Return the log probability of each output, (m,) or (rows, m), in its slice at good noisy ranks (rows, m)."""
    start, end, targets = slice_parts(noisy, half_width, cells.size)
    bounds = np.pad(np.broadcast_to(outputs, noisy.shape), ((0, 0), (1, 1)), constant_values=((0, 0), (0, grid - 1)))
    logs = np.empty(noisy.shape)
    for slices, low, high in bisection(noisy.shape[1]):
        at = slices - 1
        parts = Ranges(start[:, at], end[:, at], bounds[:, low], bounds[:, high])
        logs[:, at] = log_density(cells, parts, (target_level,) * at.size, bounds[:, slices], targets[:, at])
    return logs
