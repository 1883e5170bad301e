"""The public recursion of AQ: who answers which level, what each split may spend, and what the whole then costs.

All of it follows from the levels, the budget and the adjacency; no data is read here. Exact fractions throughout.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, log2, nextafter, sqrt

from ..privacy import Adjacency, largest_epsilon
from .aq_shape import Shaper, relative, side_costs, spread
from .gap_exponential import sensitivity


@dataclass(frozen=True)
class Node:
    """One split of the recursion, public: which level it answers and what it may spend."""

    column: int
    level: Fraction
    """Relative to the records that reach the node: 1/2 is their median."""
    rate: Fraction
    left: Node | None
    right: Node | None


def halves(levels: tuple[Fraction, ...]) -> Node:
    """The recursion as printed: the middle one of increasing distinct levels first, then both halves. Rates are 1."""
    return _grown(levels, 0, Fraction(0), Fraction(1), lambda levels, low, high: ((len(levels) - 1) // 2, Fraction(1)))


def shaped(levels: tuple[Fraction, ...], concentrated: bool) -> Node:
    """The recursion with the least expected error for a budget of 1 on every path where one record joins or leaves.

    The rates are floats, made exact; what they really cost says `claim`.
    """
    shaper, budgets = Shaper(concentrated), {(Fraction(0), Fraction(1)): 1.0}

    def choose(levels: tuple[Fraction, ...], low: Fraction, high: Fraction) -> tuple[int, Fraction]:
        budget = budgets[low, high]
        split = shaper.best(relative([float(level) for level in levels], float(low), float(high)))
        level = levels[split.middle]
        rate = split.rate * (sqrt(budget) if concentrated else budget)
        place = float((level - low) / (high - low))
        left, right = side_costs(place)
        if concentrated:
            left = right = max(place, 1 - place) ** 2 * rate / 2
        budgets[low, level], budgets[level, high] = budget - rate * left, budget - rate * right
        return split.middle, Fraction(rate)

    return _grown(levels, 0, Fraction(0), Fraction(1), choose)


def _grown(
    levels: tuple[Fraction, ...],
    first: int,
    low: Fraction,
    high: Fraction,
    choose: Callable[[tuple[Fraction, ...], Fraction, Fraction], tuple[int, Fraction]],
) -> Node:
    """The recursion between the answered levels `low` and `high`, one level at least; columns count from `first`."""
    middle, rate = choose(levels, low, high)
    level, below, above = levels[middle], levels[:middle], levels[middle + 1 :]
    return Node(
        column=first + middle,
        level=(level - low) / (high - low),
        rate=rate,
        left=_grown(below, first, low, level, choose) if below else None,
        right=_grown(above, first + middle + 1, level, high, choose) if above else None,
    )


def _size(node: Node | None) -> int:
    return 0 if node is None else 1 + _size(node.left) + _size(node.right)


def pure(levels: tuple[Fraction, ...], epsilon: Fraction, adjacency: Adjacency, paper: bool) -> Node:
    """The recursion for a pure budget; one level at least."""
    if paper:
        # Theorem 3.1 with log base 2; under SUBSTITUTE two paths share all but the root's share: 2 L - 1.
        return _scaled(halves(levels), lambda root: epsilon / _paper_depth(root, adjacency) / 2)
    unit = shaped(levels, concentrated=False)
    return _scaled(unit, lambda root: epsilon / claim(root, adjacency, False, squared=False))


def concentrated(levels: tuple[Fraction, ...], rho: Fraction, adjacency: Adjacency, paper: bool) -> Node:
    """The recursion for a concentrated budget: a draw with 2 s rate = e costs e^2 / 8 (Cesar & Rogers 2021)."""
    if paper:
        return _scaled(halves(levels), lambda root: largest_epsilon(rho / _paper_depth(root, adjacency)) / 2)
    unit = shaped(levels, concentrated=True)
    return _scaled(unit, lambda root: largest_epsilon(rho / claim(root, adjacency, False, squared=True) / 8))


def _scaled(root: Node, factor: Callable[[Node], Fraction]) -> Node:
    """All rates times what `factor` makes of the recursion."""
    times = _shortened(factor(root))
    return map_rates(root, lambda node: node.rate * times)


def _shortened(value: Fraction) -> Fraction:
    """A fraction > 0 rounded down to 128 significant bits: claims add up hundreds of them."""
    unit = Fraction(2) ** (value.numerator.bit_length() - value.denominator.bit_length() - 128)
    return value // unit * unit


def expected_error(root: Node, levels: Sequence[float]) -> float:
    """The squared error of all answers in the model of `aq_shape`, to compare recursions for the same levels."""
    at = _size(root.left)
    below, above = relative(levels[:at], 0.0, levels[at]), relative(levels[at + 1 :], levels[at], 1.0)
    error = spread(below, above) / float(root.rate) ** 2
    sides = ((root.left, below), (root.right, above))
    return error + sum(expected_error(node, inside) for node, inside in sides if node is not None)


def _paper_depth(root: Node, adjacency: Adjacency) -> Fraction:
    count = _size(root)
    if adjacency is Adjacency.ADD_REMOVE:
        return Fraction(nextafter(log2(count), inf) if count > 1 else 0) + 1
    return Fraction(2 * count.bit_length() - 1)


def claim(root: Node, adjacency: Adjacency, floored: bool, *, squared: bool) -> Fraction:
    """The loss of the whole recursion: epsilon, or rho where `squared`. Tests enumerate it.

    `one`: a record x that joins or leaves follows one path. At a split with the answer w it changes the distance of w
    from the target by at most 1 - q if x < w, and then goes left, or by at most q, and goes right; the sum of weights
    changes as if by max(q, 1 - q). So the split costs rate * (1 - q + max) a record that goes left, and
    rate * (q + max) one that goes right: the longer side has the cost of a median, and only the shorter one more.
    (The cut-off weights of `gap_exponential` move by min(q, 1 - q) at most, which is less than either.)

    `two`: a replaced record. Where both versions are in a node its count is fixed. If both then go to the same side,
    the distance of w has not changed and the sum of weights costs rate * 1; if they part, both cost rate * 1, and
    from there on each side has one record more or less.

    Floored targets may move by 1 whatever the side, and a concentrated loss is that of the whole draw, not of one
    answer: there every split costs the same on both sides.
    """
    replaced, nothing = adjacency is Adjacency.SUBSTITUTE, Fraction(0)

    def losses(node: Node | None) -> tuple[Fraction, Fraction]:
        if node is None:
            return nothing, nothing
        (one_left, two_left), (one_right, two_right) = losses(node.left), losses(node.right)
        if squared or floored:
            whole, fixed = 2 * node.rate * sensitivity(node.level, floored), 2 * node.rate
            if squared:
                whole, fixed = whole**2 / 8, fixed**2 / 8
            one = whole + max(one_left, one_right)
            two = fixed + max(two_left, two_right, one_left + one_right) if replaced else nothing
            return one, two
        left, right = side_costs(node.level)
        one = max(node.rate * left + one_left, node.rate * right + one_right)
        two = node.rate + max(two_left, two_right, node.rate + one_left + one_right) if replaced else nothing
        return one, two

    return losses(root)[replaced]


def map_rates(node: Node, rate_of: Callable[[Node], Fraction]) -> Node:
    """The same recursion with the rates that `rate_of` gives its nodes."""
    left, right = node.left and map_rates(node.left, rate_of), node.right and map_rates(node.right, rate_of)
    return replace(node, rate=rate_of(node), left=left, right=right)
