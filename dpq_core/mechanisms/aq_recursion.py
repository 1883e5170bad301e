"""The public recursion of AQ: who answers which level, what each split may spend, and what the whole then costs.

All of it follows from the levels, the budget and the adjacency; no data is read here. Exact fractions throughout.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, log2, nextafter

from ..privacy import Adjacency, largest_epsilon
from .gap_exponential import sensitivity


@dataclass(frozen=True)
class Node:
    """One split of the recursion, public: which level it answers and what it may spend."""

    column: int
    level: Fraction
    """Relative to the records that reach the node: 1/2 is their median."""
    share: Fraction
    """Of the budget of a path."""
    left: Node | None
    right: Node | None
    rate: Fraction = Fraction(0)


def tree(levels: tuple[Fraction, ...]) -> Node | None:
    """The recursion over increasing distinct levels: the middle one first, then both halves. Rates are still 0.

    A node takes the budget left on its path divided by the depth of the recursion from it on, so that short branches
    waste nothing and every path sums to at most 1.
    """
    return _subtree(levels, 0, Fraction(0), Fraction(1), Fraction(1))


def _subtree(levels: tuple[Fraction, ...], first: int, low: Fraction, high: Fraction, budget: Fraction) -> Node | None:
    """The recursion between the answered levels `low` and `high`; columns count from `first`."""
    if not levels:
        return None
    middle = (len(levels) - 1) // 2
    level = levels[middle]
    share = budget / len(levels).bit_length()
    return Node(
        column=first + middle,
        level=(level - low) / (high - low),
        share=share,
        left=_subtree(levels[:middle], first, low, level, budget - share),
        right=_subtree(levels[middle + 1 :], first + middle + 1, level, high, budget - share),
    )


def _size(node: Node | None) -> int:
    return 0 if node is None else 1 + _size(node.left) + _size(node.right)


def pure(root: Node, epsilon: Fraction, adjacency: Adjacency, paper: bool) -> Node:
    """Rates for a pure budget."""
    if paper:
        # Theorem 3.1 with log base 2; under SUBSTITUTE two paths share all but the root's share: 2 L - 1.
        rate = epsilon / _paper_depth(root, adjacency) / 2
        return map_rates(root, lambda _: rate)
    alone = adjacency is Adjacency.ADD_REMOVE
    unit = map_rates(root, lambda node: node.share / (2 * sensitivity(node.level, False) if alone else 1))
    scale = epsilon / claim(unit, adjacency, False, squared=False)
    return map_rates(unit, lambda node: node.rate * scale)


def concentrated(root: Node, rho: Fraction, adjacency: Adjacency, paper: bool) -> Node:
    """Rates for a concentrated budget: a draw with 2 s rate = e costs e^2 / 8 (Cesar & Rogers 2021)."""
    if paper:
        rate = largest_epsilon(rho / _paper_depth(root, adjacency)) / 2
        return map_rates(root, lambda _: rate)
    if adjacency is Adjacency.ADD_REMOVE:
        return map_rates(root, lambda node: largest_epsilon(rho * node.share) / (2 * sensitivity(node.level, False)))
    unit = map_rates(root, lambda node: largest_epsilon(node.share / 8))
    scale = largest_epsilon(rho / claim(unit, adjacency, False, squared=True) / 8)
    return map_rates(unit, lambda node: node.rate * scale)


def _paper_depth(root: Node, adjacency: Adjacency) -> Fraction:
    count = _size(root)
    if adjacency is Adjacency.ADD_REMOVE:
        return Fraction(nextafter(log2(count), inf) if count > 1 else 0) + 1
    return Fraction(2 * count.bit_length() - 1)


def claim(root: Node, adjacency: Adjacency, floored: bool, *, squared: bool) -> Fraction:
    """The loss of the whole recursion: epsilon, or rho where `squared`. Tests enumerate it.

    `one`: a record that joins or leaves follows one path and moves every score there by its sensitivity. `two`: a
    replaced record. Where both versions are in a node its count is fixed and the score moves by 1; below it they are
    together in one child, or apart in both.
    """

    def cost(exponent: Fraction) -> Fraction:
        return (2 * exponent) ** 2 / 8 if squared else 2 * exponent

    def losses(node: Node | None) -> tuple[Fraction, Fraction]:
        if node is None:
            return Fraction(0), Fraction(0)
        (one_left, two_left), (one_right, two_right) = losses(node.left), losses(node.right)
        one = cost(node.rate * sensitivity(node.level, floored)) + max(one_left, one_right)
        two = cost(node.rate) + max(two_left, two_right, one_left + one_right)
        return one, two

    return losses(root)[adjacency is Adjacency.SUBSTITUTE]


def map_rates(node: Node, rate_of: Callable[[Node], Fraction]) -> Node:
    """The same recursion with the rates that `rate_of` gives its nodes."""
    left, right = node.left and map_rates(node.left, rate_of), node.right and map_rates(node.right, rate_of)
    return replace(node, rate=rate_of(node), left=left, right=right)
