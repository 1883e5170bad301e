"""ApproximateQuantiles (AQ): answer the middle quantile, split the data there, and go on in both halves.

Idea. The middle level is drawn by the exponential mechanism; records below the answer go left, the others right, and
each half answers its own middle level. A record is looked at once on every level of the recursion instead of once for
every quantile, so the budget is divided by about log2(m) and not by m.

Source. Kaplan, Schnapp, Stemmer, "Differentially Private Approximate Quantiles", ICML 2022, Algorithm 1.

Claim. ADD_REMOVE: for given outputs a record meets the nodes of one path, so losses add up along paths (Theorem 3.1;
concentrated budgets by a Renyi filter, Feldman & Zrnic 2021). REPLACE_ONE: two records, on one path and then on two.
`aq.recursion.claim` proves what a split costs on either side and adds it up; `aq.shape` chooses where to split. A
split may draw many levels at once (`freetotal`); its part then falls into more than two, which the same proof counts.

Paper says / we do / why: see NOTES, which the app shows.

Cost. O(m (log n + log(n) / epsilon')), never O(n): the intervals far from a target are not read.

Error. Theorems 3.5 and 3.12 of that paper, [KSS], say 2 gamma for the levels j / (m + 1), where gamma bounds every
draw. Their proof lets one end of a range be wrong. Both can be: see `added_up`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from math import log, sqrt

import numpy as np

from ...arrays import Cells, Floats, Integers, SortedCells
from ...column import Column
from ...noise.entropy import Entropy
from ...plan import Plan
from ...privacy.budgets import ZCDP, Adjacency, ApproxDP, Guarantee, Privacy, PureDP
from ...privacy.conversions import largest_rho, round_up
from ..base import EVERY_BUDGET, Bound, Law, Option, Parameters, Profile, TimeCost, distinct_levels, options_of
from ..exponential.distribution import Ranges, rounded_rate
from ..joint.draws import LARGEST_RATE
from .recursion import Node, claim, concentrated, expected_error, map_rates, pure
from .rounds import AQStep, Round, between, descend, padded, rounds_of, steps_of
from .shape import BEST, BEST_OF_KNOWN, ONE, AtOnce


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


KEY = "aq"
LABEL = "Splitting in halves (AQ)"
SUMMARY = (
    "Finds the middle quantile first, splits the data at the answer, and goes on in both halves. "
    "It uses each person's data once per halving, not once per quantile, and many quantiles cost little more than a "
    "few. The best choice for most columns."
)
CLAIM = "Pure, approximate or concentrated privacy, for a person who joins or leaves and for one who is replaced."
REFERENCE = "Kaplan, Schnapp, Stemmer: Differentially Private Approximate Quantiles. ICML 2022, Algorithm 1."
NOTES = (
    (
        "epsilon divided by log2(m) + 1 at every split",
        "split places and budgets with the least expected error, each path filled to epsilon exactly",
        "short branches waste nothing: a quarter less error for 20 quantiles at the same privacy",
    ),
    (
        "target floor(q n), sensitivity 1",
        "target q n without rounding; a person on the longer side of a split pays as at a median, only one on the "
        "shorter side more",
        "up to half the error for the same privacy where one person joins or leaves",
    ),
    (
        "the same budget when one person is replaced",
        "a budget for two paths",
        "a replaced record can follow two paths: a data set with a loss of 2.998 shares where 2 were claimed is known",
    ),
    (
        "one quantile at every split",
        "a split may draw up to six quantiles, the first one up to 24, in one draw with a free total, where the model "
        "of the shape expects less error; where one of a known number of people is replaced up to four, the first one "
        "up to 16; with a concentrated budget every split draws one",
        "fewer splits share the budget: a fifth to two fifths less error with pure privacy; with a concentrated budget "
        "several would gain next to nothing, and err up to twice as much where many people share a value",
    ),
)
SUPPORTS = EVERY_BUDGET
READS = Column
OPTIONS: tuple[Option, ...] = ()


MOST_KEPT = 32
"""Calibrated plans that are remembered, .15 MB for 199 levels: a page asks for the same one again at every change."""


@dataclass(frozen=True, kw_only=True)
class AQParameters(Parameters):
    """The recursion with its rates; `floored`: whether targets are, as printed."""

    root: Node
    floored: bool
    whole_values: bool = True
    """Whether a node that nothing lies below draws a value, not a slot."""

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """Return the nodes of the recursion, round by round."""
        return rounds_of(self.root, self.floored, self.whole_values and not self.floored)

    def with_rates_times(self, factor: Fraction) -> AQParameters:
        """Return the same recursion with other noise under the same guarantee: for audits of broken mechanisms."""
        return replace(self, root=map_rates(self.root, lambda node: node.rate * factor))

    def as_if_distinct(self) -> AQParameters:
        """Return the same recursion with scores of slots throughout."""
        return replace(self, whole_values=False)

    @property
    def slowest_rate(self) -> float:
        """Return the lowest rate of a split."""
        return float(min(each.rate for some in self.rounds for nodes in some for each in nodes.target_levels))

    @property
    def standard_error(self) -> float:
        """Return the error of an answer in the model by which splits are chosen."""
        return sqrt(expected_error(self.root, [float(level) for level in self.levels]) / len(self.levels))

    def bound(self, plan: Plan, cells: int, beta: float) -> Bound:
        """Return what is proved of these splits at their own rates, draw by draw."""
        return Bound(proved(self.root, cells, beta), "after KSS, Lemma A.1, draw by draw")


def calibrate(plan: Plan, n_public: int | None, at_once: AtOnce | None = None) -> AQParameters:
    """Return the recursion for a plan with the guarantee it gives. O(m).

    `at_once`: which levels may be drawn together; None where the model of the shape decides. It judges what a draw of
    several may lose by a guess of the number of records, or by `n_public`, where one is replaced. Without that one
    level is drawn at a time there.
    """
    options_of(plan, OPTIONS)
    joins = plan.adjacency is Adjacency.ADD_REMOVE
    known = None if at_once or joins else n_public
    usual = BEST if joins else ONE if known is None else BEST_OF_KNOWN
    return _calibrated(distinct_levels(plan), plan.privacy, plan.adjacency, at_once or usual, known)


@lru_cache(maxsize=MOST_KEPT)
def _calibrated(
    levels: tuple[Fraction, ...], privacy: Privacy, adjacency: Adjacency, at_once: AtOnce, n: int | None
) -> AQParameters:
    """Return the parameters for a budget; nothing but public facts is kept."""
    return of_root(levels, *_root(levels, privacy, adjacency, at_once, n), adjacency)


def of_root(
    levels: tuple[Fraction, ...], root: Node, within: ApproxDP | None, adjacency: Adjacency, *, floored: bool = False
) -> AQParameters:
    """Return the parameters of a recursion with what it claims; with a delta it is `within` the whole budget."""
    spent = within.epsilon if within else round_up(claim(root, adjacency, floored, squared=False))
    rho = round_up(claim(root, adjacency, floored, squared=True))
    guarantee = Guarantee(epsilon=spent, delta=within.delta if within else 0.0, rho=rho, adjacency=adjacency)
    root = map_rates(root, lambda node: rounded_rate(node.rate))
    return AQParameters(levels=levels, guarantee=guarantee, root=root, floored=floored)


def _root(
    levels: tuple[Fraction, ...], privacy: Privacy, adjacency: Adjacency, at_once: AtOnce, n: int | None
) -> tuple[Node, ApproxDP | None]:
    """Return the recursion with the least error for a budget, and that budget where its delta is spent."""
    if isinstance(privacy, ZCDP):
        return concentrated(levels, Fraction(privacy.rho), adjacency), None
    without_delta = pure(levels, Fraction(privacy.epsilon), adjacency, at_once, n)
    if isinstance(privacy, PureDP):
        return without_delta, None
    rho, proportions = Fraction(largest_rho(privacy.epsilon, privacy.delta)), [float(level) for level in levels]
    if not rho:  # at the smallest budgets the conversion finds none
        return without_delta, None
    root = concentrated(levels, rho, adjacency)
    if expected_error(without_delta, proportions) <= expected_error(root, proportions):
        return without_delta, None
    return root, privacy


def run(column: Column, parameters: AQParameters, entropy: Entropy) -> Integers:
    """Return the drawn slots, shape (entropy.trials, levels), increasing along levels."""
    drawn = run_side_by_side(column.records, _runs(column, entropy), parameters, entropy)
    return drawn.reshape(entropy.trials, len(parameters.levels))


def run_side_by_side(
    records: Cells, runs: Ranges, parameters: AQParameters, entropy: Entropy, copies: int = 1
) -> Integers:
    """Return what `run` does, (copies, rows, levels), for runs in ranges (rows,): of one column, or each of its own.

    A node draws this many copies in the ranges to which a run led, and in no others, so that each range is weighed
    once: for how often single answers err. Those of one copy among several need not increase.
    """
    rows, levels = runs.start.size, len(parameters.levels)
    answers = np.empty((copies * rows, levels), np.int64)
    for _, nodes, _, chosen in descend(records, runs, parameters.rounds, levels, entropy, copies):
        answers[:, nodes.columns] = chosen
    return answers.reshape(copies, rows, levels)


def _runs(column: Column, entropy: Entropy) -> Ranges:
    return Ranges.whole(column.records.size, column.slots, (entropy.trials,), column.places)


def log_law(outputs: Integers, cells: SortedCells, parameters: AQParameters, grid: int) -> Floats:
    """Return log probabilities of increasing outputs (outputs, levels): the product over all nodes."""
    total = np.zeros(len(outputs))
    answers, ranks = padded(outputs, 0, grid - 1), padded(cells.searchsorted(outputs), 0, cells.size)
    for nodes in chain.from_iterable(parameters.rounds):
        parts = between(nodes, answers, ranks)
        total += nodes.log_density(cells, parts, outputs[:, nodes.columns]).sum(axis=1)
    return total


def trace(column: Column, parameters: AQParameters, entropy: Entropy, trial: int = 0) -> list[AQStep]:
    """Return one run, node by node, round by round."""
    descent = descend(column.records, _runs(column, entropy), parameters.rounds, len(parameters.levels), entropy)
    return [step for seen in descent for step in steps_of(column, parameters.levels, *seen, trial)]


AUDIT = Law(log_law)
SEVERAL_COST = TimeCost(4e-3, level=2e-4, trial_and_level=1.2e-5)
PROFILE = Profile(
    colour="#4577c6",
    symbol="circle",
    reads_shares=True,
    singly=lambda plan, n_public: calibrate(plan, n_public, ONE),
    interpolates=True,
    cost=TimeCost(4e-3, trial_and_level=3.6e-6),
    cost_of=lambda plan: SEVERAL_COST if plan.adjacency is Adjacency.ADD_REMOVE else None,
)
