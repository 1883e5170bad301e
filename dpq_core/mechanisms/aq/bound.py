"""Bound the rank errors of AQ's answers: proved for any splits and any rates, from public facts only.

[KSS]    Kaplan, Schnapp, Stemmer, "Differentially Private Approximate Quantiles", ICML 2022. Its Theorems 3.5 and 3.12
say 2 gamma for the levels j / (m + 1), where gamma bounds every draw. Their proof lets one end of a range be wrong.
Both can be: see `added_up`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import log, sqrt

from ...privacy.budgets import ZCDP, Adjacency, PureDP
from ..base import USUAL_BETA, Bound
from ..exponential.distribution import error_of_one_draw
from ..joint.draws import LARGEST_RATE
from .recursion import Node


def added_up(root: Node, each: Callable[[Node], float]) -> float:
    """Return the largest error of all answers, in records, where the draw of a node errs by at most `each(node)`.

    A part lies between two answers that err by `low` and `high` records at most, or between ends of the data, which do
    not err. A target in it is the rank of its lower end and a share q of the records inside, so it errs by
    (1 - q) low + q high at most, and the draw adds its own error. Where all draws err the same way, as far as they
    can, this is reached: with 1 for each of seven even levels it is 2.25, since 5/8 lies between 1/2, which errs by 1,
    and 3/4, which errs by 0 + 1/2 + 1, so its target errs by (1 + 3/2) / 2. O(m).
    """

    def largest(node: Node | None, low: float, high: float) -> float:
        if node is None:
            return 0.0
        own = each(node)
        errors = [(1 - float(proportion)) * low + float(proportion) * high + own for proportion in node.levels]
        around = zip(node.children, pairwise([low, *errors, high]), strict=True)
        return max(*errors, *(largest(child, *ends) for child, ends in around))

    return largest(root, 0.0, 0.0)


def proved(root: Node, cells: int, beta: float) -> float:
    """Return a bound on all rank errors of a run that holds with probability 1 - beta.

    It takes it that no two records share one of the `cells`. [KSS] Lemma A.1 for each node with its own rate. Some rank
    within 1 of the target has a cell, so an answer farther off than t + 1 has the probability cells exp(-rate t) at
    most. Of k levels drawn at once, ranks within 1 below all targets have a distance of k + 1 at most
    (`freetotal.mechanism`, with the true total), no answer is farther off than the distance, and there are cells^k
    tuples at most. The draws share beta; rounding the wanted rank adds one record. O(m).
    """
    proportion = beta / _draws(root)

    def farthest(node: Node) -> float:
        if len(node.levels) > 1:
            choices = len(node.levels) * log(cells) - log(proportion)
            return len(node.levels) + 1 + choices / float(min(node.rate, LARGEST_RATE))
        return 1 + log(cells / proportion) / float(node.rate)

    return added_up(root, farthest) + 1


def _draws(node: Node | None) -> int:
    return 0 if node is None else 1 + sum(map(_draws, node.children))


def bound_as_printed(
    levels: tuple[Fraction, ...], cells: int, privacy: PureDP | ZCDP, adjacency: Adjacency, beta: float = USUAL_BETA
) -> Bound | None:
    """Return [KSS] Theorems 3.3 and 3.5, and 3.11 and 3.12 for a concentrated budget; None without levels.

    gamma bounds every draw at once. Errors add up over the L depths of the recursion: L gamma. For the levels
    j / (m + 1) the paper says 2 gamma. That counts the error of one end of a part; with both ends wrong in the same
    direction, draws within gamma can add up to 2.25 gamma at m = 7. So this is for comparison with `proved`.
    """
    m = len(levels)
    if m == 0:
        return None
    depths = m.bit_length()
    paths = 2 * depths - 1 if adjacency is Adjacency.REPLACE_ONE else depths
    each = privacy.epsilon / paths if isinstance(privacy, PureDP) else sqrt(8 * privacy.rho / paths)
    gamma = error_of_one_draw(cells, each, beta / m)
    even = levels == tuple(Fraction(j, m + 1) for j in range(1, m + 1))
    theorem = ("3.5" if even else "3.3") if isinstance(privacy, PureDP) else ("3.12" if even else "3.11")
    return Bound((min(2, depths) if even else depths) * gamma, f"KSS, Theorem {theorem}", proved=False)
