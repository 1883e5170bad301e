"""The public recursion of AQ: which node draws which level, what it may spend, and the loss of the whole.

All of it follows from the levels, the budget and the adjacency; no data is read here. Exact fractions throughout.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations, pairwise
from math import inf, sqrt
from typing import TypeAlias

from ...privacy.budgets import Adjacency
from ...privacy.conversions import about_bounded_range_rho, bounded_range_rho, printed_epsilon
from . import shape

MOST_LEVELS = 200
"""Of more, one level is drawn at a time: shapes take long to find, and noise drowns what is gained."""
MOST_SHAPES = 16
"""Lists of levels whose shapes are remembered, .8 MB for 199 levels: a budget that is dragged changes none of them."""
MOST_STEPS, LEAST_GAIN = 20, 1e-10
"""Towards all of a concentrated budget, and when to stop."""
Levels: TypeAlias = tuple[Fraction, ...]
Choose: TypeAlias = Callable[[Levels, Fraction, Fraction], tuple[shape.Places, Fraction]]


@dataclass(frozen=True)
class Node:
    """One draw of the recursion, public: the level, or the levels, that it answers, and its rate."""

    columns: tuple[int, ...]
    levels: Levels
    """Relative to the records that reach the node: 1/2 is their median."""
    rate: Fraction
    children: tuple[Node | None, ...]
    """One for each part into which the answers divide the node's, in order; None where no level is left."""

    @property
    def level(self) -> Fraction:
        """Return the level of a node that draws one."""
        (level,) = self.levels
        return level

    @property
    def replaced(self) -> int:
        """Return how far a record that is replaced moves the score of a draw that it was in and stays in."""
        return 1 if shape.only_ends(self.levels) else min(len(self.levels), 2)

    @property
    def one_way(self) -> bool:
        """Return whether a record that is replaced moves the scores of all answers one way, or not at all."""
        return len(self.levels) == 1 and shape.only_ends(self.levels)


def halves(levels: Levels) -> Node:
    """Return the recursion as printed, all rates 1: the middle of increasing levels first, then both halves."""
    return _grown(levels, 0, Fraction(0), Fraction(1), lambda part, *_: (((len(part) - 1) // 2,), Fraction(1)))


def shaped(levels: Levels, shaper: shape.Shaper, most: shape.Most = shape.ONE_AT_A_TIME) -> Node:
    """Return the recursion with the least expected error at a budget of 1 on every path of a joining record.

    The rates are floats, made exact; `claim` says what they really cost.
    """
    known = {(Fraction(0), Fraction(1)): (1.0, (True, True))}

    def choose(levels: Levels, low: Fraction, high: Fraction) -> tuple[shape.Places, Fraction]:
        budget, ends = known[low, high]
        split = shaper.best(shape.relative([float(level) for level in levels], float(low), float(high)), most, ends)
        drawn = [levels[place] for place in split.places]
        rate = split.rate * (sqrt(budget) if shaper.concentrated else budget)
        inner = [float(level) for level in shape.relative(drawn, low, high)]
        whole = shape.spread_of_changes(inner) ** 2 * rate / 8
        costs = [whole] * (len(drawn) + 1) if shaper.concentrated else shape.side_costs(inner)
        parts = zip(pairwise([low, *drawn, high]), costs, shape.inner_ends(ends, len(costs)), strict=True)
        known.update({around: (budget - rate * cost, part) for around, cost, part in parts})
        return split.places, Fraction(rate)

    return _grown(levels, 0, Fraction(0), Fraction(1), choose)


def _grown(levels: Levels, first: int, low: Fraction, high: Fraction, choose: Choose) -> Node:
    """Return the recursion between answered levels `low` and `high`, one at least; columns count from `first`."""
    places, rate = choose(levels, low, high)
    drawn = [levels[place] for place in places]
    parts = zip(pairwise([-1, *places, len(levels)]), pairwise([low, *drawn, high]), strict=True)
    return Node(
        columns=tuple(first + place for place in places),
        levels=shape.relative(drawn, low, high),
        rate=rate,
        children=tuple(
            _grown(levels[before + 1 : after], first + before + 1, *around, choose) if after > before + 1 else None
            for (before, after), around in parts
        ),
    )


def size(node: Node | None) -> int:
    """Return how many levels a node and all below it answer."""
    return 0 if node is None else len(node.levels) + sum(map(size, node.children))


def pure(levels: Levels, epsilon: Fraction, adjacency: Adjacency, at_once: shape.AtOnce, n: int | None = None) -> Node:
    """Return the recursion for a pure budget; one level at least. `at_once`: of shapes that are tried.

    `n`: the number of records where it is public. It decides which of the shapes is taken, and no claim.
    """
    whole = partial(claim, adjacency=adjacency, floored=False, squared=False)
    return _best(levels, at_once, float(epsilon), lambda root: epsilon / whole(root), n)


def concentrated(levels: Levels, rho: Fraction, adjacency: Adjacency) -> Node:
    """Return the recursion for a concentrated budget, where each draw is of one level.

    A draw with 2 s rate = e costs `bounded_range_rho(e)`. The shape is made with e^2 / 8 for it; then all rates go up
    until rho is spent. They stay below it, as rho(e) / e^2 does not rise.

    Several at once would err 2 % less on average for 2 to 45 levels and distinct values, but 1.8 times as much for 20
    levels of working hours, and 2.2 times for 10 where half of the records are ties (24 columns of 1,000, rho = 1/8).
    """
    squares = partial(claim, adjacency=adjacency, floored=False, squared=True, rho_of=lambda e: e**2)
    (root,) = shapes(levels, True, (shape.ONE_AT_A_TIME,))
    return _stretched(scaled(root, lambda root: printed_epsilon(rho / squares(root))), rho, adjacency)


def _stretched(root: Node, rho: Fraction, adjacency: Adjacency) -> Node:
    """Return the recursion with all rates multiplied until rho is spent: found in floats, and claimed exactly."""
    times = 1.0

    def about(epsilon: Fraction) -> Fraction:
        return Fraction(about_bounded_range_rho(float(epsilon) * times))

    for _ in range(MOST_STEPS):
        more = sqrt(rho / claim(root, adjacency, False, squared=True, rho_of=about))
        if more < 1 + LEAST_GAIN:
            break
        times *= more
    stretched = scaled(root, lambda _: Fraction(times))
    return stretched if claim(stretched, adjacency, False, squared=True) <= rho else root


def _best(
    levels: Levels, at_once: shape.AtOnce, epsilon: float, factor: Callable[[Node], Fraction], n: int | None
) -> Node:
    """Return the recursion that errs least after scaling; shapes are made for a record that joins or leaves.

    `epsilon`: the budget, to guess how many records there are. If `n` are known, several levels are drawn at once only
    where they lose less outside of the data than they err inside.
    """
    proportions = [float(level) for level in levels]
    columns = (shape.TYPICAL_COLUMN, *shape.HARD_COLUMNS) if at_once.cautious else (shape.TYPICAL_COLUMN,)
    tried = at_once.shapes if len(levels) <= MOST_LEVELS else ()
    roots = [scaled(root, factor) for root in shapes(levels, False, (shape.ONE_AT_A_TIME, *tried))]

    def error(root: Node) -> float:
        errs, leaves = expected_error(root, proportions), sum(lost(root, column, epsilon, n) for column in columns)
        return inf if n is not None and root is not roots[0] and leaves > errs else errs + leaves

    return min(filter(_can_be_drawn, roots), key=error)


@lru_cache(maxsize=MOST_SHAPES)
def shapes(levels: Levels, concentrated: bool, tried: tuple[shape.Most, ...]) -> tuple[Node, ...]:
    """Return the recursion of least error for each way to draw levels together; the budget only scales it."""
    shaper = shape.Shaper(concentrated)
    return tuple(shaped(levels, shaper, most) for most in tried)


def lost(root: Node, column: shape.ColumnShape, epsilon: float, n: int | None = None) -> float:
    """Return what `shape.lost_outside` adds up to for all draws at an end of such a column, of `n` records if known."""
    whole = max(column.records, column.each * size(root)) / min(epsilon, 1.0) if n is None else float(n)

    def of(node: Node | None, records: float, ends: shape.Ends) -> float:
        if node is None or not any(ends):
            return 0.0
        levels, around = tuple(map(float, node.levels)), shape.inner_ends(ends, len(node.children))
        parts = zip(node.children, shape.proportions_of(levels), around, strict=True)
        below = sum(of(child, records * each, inner) for child, each, inner in parts)
        return below + shape.lost_outside(levels, records, float(node.rate), column.pull, size(node))

    return column.likely * of(root, whole, (True, True))


def _can_be_drawn(node: Node | None) -> bool:
    """Return whether draws of several levels have rates that their sampler can count."""
    if node is None:
        return True
    k = len(node.levels)
    return (k == 1 or node.rate >= k * k * shape.LEAST_RATE) and all(map(_can_be_drawn, node.children))


def scaled(root: Node, factor: Callable[[Node], Fraction]) -> Node:
    """Return the recursion with all rates multiplied by `factor` of it, rounded down to 128 bits to be quick."""
    times = factor(root)
    unit = Fraction(2) ** (times.numerator.bit_length() - times.denominator.bit_length() - 128)
    times = times // unit * unit
    return map_rates(root, lambda node: node.rate * times)


def expected_error(root: Node, levels: Sequence[float]) -> float:
    """Return the squared error of all answers in the model of `aq.shape`, to compare recursions for the same levels."""
    sizes = [size(child) for child in root.children]
    places = tuple(sum(sizes[: at + 1]) + at for at in range(len(root.levels)))
    parts = shape.parted(tuple(levels), places)
    below = zip(root.children, parts, strict=True)
    return shape.spread(parts) / float(root.rate) ** 2 + sum(expected_error(node, part) for node, part in below if node)


def claim(
    root: Node,
    adjacency: Adjacency,
    floored: bool,
    *,
    squared: bool,
    rho_of: Callable[[Fraction], Fraction] = bounded_range_rho,
) -> Fraction:
    """Return the loss of the whole recursion: epsilon, or rho where `squared`; tests enumerate it.

    `rho_of` what the log ratios of one draw, in an interval of such a length, cost of rho.

    Weights are exp(-rate * s). For one level q the score s of an answer is |v - q n|, with v records below it, so that
    a record that joins or leaves moves s by 1 - q where it lies below, and by q where it does not. For several it is
    the distance d of `freetotal.mechanism`, which a record in the i-th part moves by at most 1, and by at most
    (1 - u_i) / u_i if the part's share u_i is above 1/2: d is the largest sum of z_j n_j over all z with |z_j| <= 1 and
    sum of z_j u_j = 0 (or below 0), so it moves by |z_i| at most, and |z_i| u_i <= the sum of all other |z_j| u_j
    <= 1 - u_i.

    `one`: a record that joins or leaves follows one path. If for given answers it goes to the i-th part, s moves by
    what that part says; and the sum of weights changes as if by what the worst part says. So the draw costs rate times
    both: for one level the longer side has the cost of a median, and only the shorter one more.

    Levels 0 and 1: all scores go up where a record joins, by 0 or 1, and so does the log of the sum of weights, by 0 to
    rate. d = v for level 0, n - v for level 1, and what lies below y_1 or above y_2 for both (z is 0 in the part that
    has the share 1). An answer's log ratio is the difference of two numbers from 0 to rate: at most rate, not 2 rate,
    in each part; and those of all answers lie within rate. A record that is replaced moves v by 0 or 1 in the same
    direction for all answers, so `one_way` a draw of one level costs rate in the same part and in two; both levels
    together move by 1 in either direction, and cost 2 rate.

    `two`: a replaced record. Where both versions are in a node its n is fixed. If both then go to the same part, s
    has not changed. The sum of weights costs rate * `replaced`: a record leaves one part and joins another, for one
    level 1 together, for several 1 each. If they part, s costs as much again (unless `one_way`), and from there on each
    of two parts has one record more or less, which costs as in `one`: a record that changes parts leaves one node and
    joins another.

    A node of one level with nothing below it draws whole values (`exponential.distribution`). Their scores move by as
    much at most, if not by what the answer's side says; and as no part has anything below it, only the worst part
    counts.

    Floored targets (of one level) may move by 1 on any side, and a concentrated loss is that of the whole draw,
    not of one answer: there every draw costs the same in all parts.
    """
    replaced, nothing = adjacency is Adjacency.REPLACE_ONE, Fraction(0)

    def losses(node: Node | None) -> tuple[Fraction, Fraction]:
        if node is None:
            return nothing, nothing
        ones, twos = zip(*map(losses, node.children), strict=True)
        apart = max(a + b for a, b in combinations(ones, 2))
        if squared or floored:
            # replaced: the range where a record that was in the draw stays in it
            times = 1 if node.one_way and not floored else 2
            whole, fixed = node.rate * shape.range_of(node.levels, floored), node.rate * times * node.replaced
            if squared:
                whole, fixed = rho_of(whole), rho_of(fixed)
            return whole + max(ones), fixed + max(*twos, apart) if replaced else nothing
        costs = [node.rate * cost for cost in shape.side_costs(node.levels)]
        one = max(cost + below for cost, below in zip(costs, ones, strict=True))
        both = node.rate * node.replaced
        again = nothing if node.one_way else both
        return one, both + max(*twos, again + apart) if replaced else nothing

    return losses(root)[replaced]


def map_rates(node: Node, rate_of: Callable[[Node], Fraction]) -> Node:
    """Return the same recursion with the rates that `rate_of` gives its nodes."""
    children = tuple(child and map_rates(child, rate_of) for child in node.children)
    return replace(node, rate=rate_of(node), children=children)
