"""Noise on ranks of which moving all ranks from one place on by one costs little, and the tails of its sums.

Every structure has one independent discrete Laplace node for each rank i = 1..m. Of the nodes, `moved_nodes` names
those that carry a whole suffix:

    flat       N_i = node_1 + ... + node_i                                 one node
    two_level  N_i = nodes of the whole blocks before i, then of its own    at most two
    binary     N_i = nodes of i, i - lowbit(i), ... (a Fenwick tree)        at most bit_length(m)

Lemma (shift). Raising the nodes of `moved_nodes(kind, i, m)` by one raises N_i, ..., N_m by one and leaves the ranks
before i as they are. With noise of scale moved / epsilon on every node this changes probabilities by e^epsilon at most.

Public arithmetic only: decimals of 80 digits, every probability rounded up.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import expm1, inf, isqrt, nextafter
from typing import TypeAlias

import numpy as np

from ...arrays import Integers
from ...noise.entropy import Entropy
from ..counts.noise import Noise, laplace_for_epsilon

Ranks: TypeAlias = tuple[int, ...]

MOST_SUMMED = 64
"""Up to this many nodes the distribution of their sum is summed exactly."""
CONTEXT = Context(prec=80, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
UPWARDS = CONTEXT.add(1, Decimal("1e-40"))
"""Far more than the rounding errors of 80 digits in any sum or product here."""
LEAST = CONTEXT.create_decimal(f"1e{MIN_EMIN}")
"""Smaller chances are rounded up to it: below, decimals lose digits, and then become 0."""


def block_size(count: int) -> int:
    """Return how many ranks a block of the two-level structure has: ceil(sqrt(m + 1))."""
    return isqrt(count) + 1


def moved_nodes(kind: str, first: int, count: int) -> list[int]:
    """Return the nodes (1..m) that together carry the ranks first..m and no other, each of these exactly once."""
    match kind:
        case "flat":
            return [first]
        case "two_level":
            next_block = -(-first // block_size(count)) * block_size(count)
            return [first] + [next_block] * (first < next_block <= count)
    nodes = []
    while first <= count:
        nodes.append(first)
        first += first & -first
    return nodes


def most_moved(kind: str, count: int) -> int:
    """Return how many nodes a suffix moves at most: the first rank's suffix moves the most."""
    return len(moved_nodes(kind, 1, count))


def prefix_noise(kind: str, nodes: Integers) -> Integers:
    """Return the noise of every rank from the nodes, both (trials, m): the structures of the module's table."""
    trials, count = nodes.shape
    match kind:
        case "flat":
            return np.cumsum(nodes, axis=1)
        case "two_level":
            size = block_size(count)
            table = np.zeros((trials, (count // size + 1) * size), np.int64)
            table[:, 1 : count + 1] = nodes
            blocks = table.reshape(trials, -1, size)
            inside = np.cumsum(blocks[:, :, 1:], axis=2)
            heads = np.cumsum(blocks[:, :, 0], axis=1)[:, :, None]
            both = np.concatenate([heads, heads + inside], axis=2)
            return both.reshape(trials, -1)[:, 1 : count + 1]
    noise = np.hstack([np.zeros((trials, 1), np.int64), nodes])
    for level in reversed(range(count.bit_length())):
        ranks = np.arange(1 << level, count + 1, 2 << level)
        noise[:, ranks] += noise[:, ranks - (1 << level)]
    return noise[:, 1:]


@dataclass(frozen=True)
class RankNoise:
    """Noise for `count` ranks: the structure, and the noise on each of its nodes."""

    kind: str
    count: int
    node: Noise

    @classmethod
    def for_epsilon(cls, kind: str, count: int, epsilon: Fraction) -> RankNoise:
        """Return the least noise of a structure where shifting any suffix by one costs `epsilon` at most."""
        return cls(kind, count, laplace_for_epsilon(epsilon, most_moved(kind, count)))  # the shift lemma

    @property
    def loss(self) -> Fraction:
        """Return what shifting a suffix costs at most, by the shift lemma."""
        return most_moved(self.kind, self.count) / self.node.size

    def draw(self, entropy: Entropy) -> Integers:
        """Return the noise of all ranks, (trials, count)."""
        return prefix_noise(self.kind, self.node.draw((entropy.trials, self.count), entropy))


def terms_between(kind: str, low: int, high: int, count: int) -> int:
    """Return how many nodes N_high - N_low is made of, each with sign + or -, for low < high."""
    match kind:
        case "flat":
            return high - low
        case "two_level":
            (block, inside), (next_block, next_inside) = divmod(low, block_size(count)), divmod(high, block_size(count))
            if block == next_block:
                return next_inside - inside
            return next_block - block + inside + next_inside
    return len(_path(low) ^ _path(high))


def _path(rank: int) -> set[int]:
    """Return the nodes of a rank in the binary structure."""
    nodes = set()
    while rank:
        nodes.add(rank)
        rank &= rank - 1
    return nodes


def chance_of(value: int, terms: int, epsilon: Fraction) -> Decimal:
    """Return P(the sum of `terms` discrete Laplace nodes of scale 1 / epsilon = value), rounded up.

    It decreases in |value|. Difference of two negative binomials, x = |value|, c = terms, a = exp(-epsilon): by Pfaff's
    transformation
        ((1-a)/(1+a))^c a^x  sum_i C(c-1, i) (a^2/(1-a^2))^i (c+x-1)! (c+i-1)! / ((c-1)!^2 (x+i)!),
    c terms, all positive. With c = 1 it is (1-a)/(1+a) a^x.
    """
    x, context = abs(value), CONTEXT
    rate = to_decimal(epsilon)
    a, square = context.exp(context.minus(rate)), context.exp(context.multiply(-2, rate))
    odds = context.divide(square, context.subtract(1, square))
    term = Decimal(1)  # (c+x-1)! / ((c-1)! x!), then from one i to the next
    for k in range(1, terms):
        term = context.divide(context.multiply(term, x + k), k)
    total = term
    for i in range(terms - 1):
        step = Fraction((terms - 1 - i) * (terms + i), (i + 1) * (x + i + 1))
        term = context.multiply(context.multiply(term, to_decimal(step)), odds)
        total = context.add(total, term)
    share = context.power(context.divide(context.subtract(1, a), context.add(1, a)), terms)
    power = context.exp(context.multiply(rate, -x))
    return context.multiply(context.multiply(share, power), context.multiply(total, UPWARDS))


@lru_cache(maxsize=4096)
def chance_beyond(value: int, terms: int, epsilon: Fraction) -> Decimal:
    """Return P(the sum of nodes >= value), value >= 0, rounded up; decreasing.

    The sum's distribution is log-concave, so its ratio P(x + 1) / P(x) does not grow: P(>= x) <= P(x) / (1 - P(x+1) /
    P(x)), with equality for one node. From many nodes on Chernoff's bound is close enough, and costs the same for any
    number.
    """
    if terms > MOST_SUMMED:
        return _chernoff(value, terms, epsilon)
    own, following = chance_of(value, terms, epsilon), chance_of(value + 1, terms, epsilon)
    if own < LEAST:
        return LEAST
    rest = CONTEXT.subtract(1, CONTEXT.divide(following, own))
    return CONTEXT.multiply(CONTEXT.divide(own, rest), UPWARDS)


def _chernoff(value: int, terms: int, epsilon: Fraction) -> Decimal:
    """Return exp(-t value) E(exp(t node))^terms >= P(the sum of nodes >= value), rounded up, t in [0, epsilon).

    E(exp(t node)) = (1 - a)^2 / ((1 - a exp(t)) (1 - a exp(-t))), a = exp(-epsilon); the best t is where the mean of
    the nodes, tilted by exp(t node), is value / terms. It is found in floats: whichever is found, the bound holds.
    """
    rate = min(float(epsilon), 300.0)
    low, high = 0.0, rate * (1 - 2.0**-50)
    for _ in range(60):
        middle = (low + high) / 2
        mean = 1 / expm1(rate - middle) - 1 / expm1(rate + middle)
        low, high = (middle, high) if mean < value / terms else (low, middle)
    context, t, exact = CONTEXT, Decimal(low), to_decimal(epsilon)
    a = context.exp(context.minus(exact))
    up = context.subtract(1, context.exp(context.subtract(t, exact)))
    down = context.subtract(1, context.exp(context.minus(context.add(t, exact))))
    node = context.divide(context.power(context.subtract(1, a), 2), context.multiply(up, down))
    falls = context.exp(context.multiply(t, -value))
    return max(context.multiply(context.multiply(falls, context.power(node, terms)), UPWARDS), LEAST)


@lru_cache(maxsize=4096)
def slack_for(terms: int, epsilon: Fraction, target: Decimal) -> int:
    """Return the smallest x >= 0 with P(sum of nodes >= x) <= target."""
    most = 1
    while chance_beyond(most, terms, epsilon) > target:
        most *= 2
    return bisect_left(range(most), True, most // 2, key=lambda x: chance_beyond(x, terms, epsilon) <= target)


def to_decimal(value: Fraction) -> Decimal:
    """Return the decimal of 80 digits nearest to a fraction."""
    return CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))


def to_float_upwards(value: Decimal) -> float:
    """Return a float that is not below a decimal >= 0."""
    nearest = float(value)
    return nearest if Decimal(nearest) >= value else nextafter(nearest, inf)
