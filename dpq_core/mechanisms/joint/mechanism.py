"""JointExp: all quantiles in one draw of the exponential mechanism over ordered tuples.

Idea. An ordered tuple of cells is scored by how far the numbers of records between its neighbours are from the wanted
ones, d = sum over j of |(k_j - k_{j-1}) - (q_j - q_{j-1}) n| with k_j = #{x < v_j}, both ends included, and drawn with
weight exp(-rate * d). Nothing is divided among the quantiles: a record counts in one difference only.

Source. Gillenwater, Joseph, Kulesza, "Differentially Private Quantiles", ICML 2021, Algorithm 1.

Claim. REPLACE_ONE: a record leaves one difference and enters another: d moves by at most 2. ADD_REMOVE: one difference
gains a record, all targets grow by their shares, which sum to 1: d moves by at most 2 (1 - the smallest share)
(`sensitivity`). With s for either and rate = e / (2 s), every weight moves by a factor of at most exp(e / 2),
so the draw is e-bounded-range, hence e-DP and `bounded_range_rho(e)`-zCDP. Where all scores move one way, half of s
does it (`half_range`). Each tuple is drawn with its weight, exactly (`joint.draws`).
Targets are not rounded: with floor(q n) one record could move every difference (`audit.printed`).

Paper says / we do / why: see NOTES, which the app shows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import Self
from weakref import WeakKeyDictionary

import numpy as np

from ...arrays import Floats, Integers, SortedCells
from ...column import Column
from ...errors import Infeasible, ParameterError, Remedy
from ...noise.entropy import Entropy
from ...people.shares import WeightedCells
from ...plan import Plan
from ...privacy.budgets import ZCDP, Adjacency, Guarantee, PureDP
from ...privacy.conversions import bounded_range_rho, largest_epsilon, largest_rho, round_up
from ..base import EVERY_BUDGET, DrawStep, Law, Option, Parameters, Profile, TimeCost, distinct_levels, options_of
from ..exponential.density import condensed
from ..exponential.distribution import Rate, rounded_rate
from .distance import counts_between, plain_proportions, proportions_of
from .draws import LARGEST_RATE, SMALLEST_RATE, Draws, JointDraws, draws_of
from .windows import Part, Windows

KEY = "jointexp"
LABEL = "All at once (JointExp)"
SUMMARY = (
    "Draws all quantiles together, scored by how many people lie between neighbouring answers. "
    "Each person counts between two answers only, so nothing is divided among the quantiles. "
    "As accurate as splitting in halves for up to about twenty quantiles, and less so beyond."
)
CLAIM = "Pure, approximate or concentrated privacy, for a person who joins or leaves and for one who is replaced."
REFERENCE = "Gillenwater, Joseph, Kulesza: Differentially Private Quantiles. ICML 2021, Algorithm 1."
NOTES = (
    (
        "sums over all pairs of gaps by fast Fourier transform",
        "two-sided running sums of positive terms, which only propose; what is accepted has exact chances",
        "round-off of the transform changes which tuples are drawn: about twice the error at 120 quantiles",
    ),
    (
        "continuous intervals between records",
        "a public grid; quantiles that share a gap are drawn among its non-decreasing choices, counted exactly",
        "answers in floating point can tell records apart",
    ),
    (
        "all gaps are weighed",
        "a window around the targets, and rejection under an exact envelope outside it",
        "the same law for a million records at a small cost",
    ),
)
SUPPORTS = EVERY_BUDGET
READS = Column
OPTIONS: tuple[Option, ...] = ()

MOST_LEVELS = 500


@dataclass(frozen=True, kw_only=True)
class JointParameters(Parameters):
    """The exponent of the one draw for each record of distance."""

    rate: Rate

    @property
    def slowest_rate(self) -> float:
        """Return the rate of the one draw."""
        return float(self.rate)

    @classmethod
    def of_plan(cls, plan: Plan, moved: Fraction, most_levels: int, name: str) -> Self:
        """Return the rate for a plan with the guarantee it gives. Raises ParameterError, Infeasible: too many levels.

        `moved`: how far one record moves the score of a tuple. `name`: of the mechanism, in messages.
        """
        levels = distinct_levels(plan)
        if len(levels) > most_levels:
            raise Infeasible(
                "quantiles",
                f"must be at most {most_levels} distinct levels for {name}; AQ answers more.",
                (Remedy("mechanism", "aq"),),
            )
        rate, guarantee = budget_of(plan, half_range(levels, plan.adjacency, moved))
        return cls(levels=levels, guarantee=guarantee, rate=rate)

    @property
    def standard_error(self) -> float:
        """Return the error of an answer among k even levels: sqrt((k + 2) / 3) / rate.

        The signed errors of the numbers of records between neighbours are two-sided exponential, with a variance of
        2 / rate^2, and they add up to 0. So the j-th answer errs with a variance of 2 j (k + 1 - j) / (k + 1) / rate^2,
        which is (k + 2) / 3 / rate^2 on average. `tests/mechanisms/test_standard_errors.py` measures it.
        """
        return sqrt((len(self.levels) + 2) / 3) / self.slowest_rate

    def with_rates_times(self, factor: Fraction) -> Self:
        """Return the same draw with other noise under the same claim: for audits of broken mechanisms."""
        return replace(self, rate=Rate(self.rate * factor))

    def weighed(self, cells: SortedCells, grid: int) -> Draws:
        """Return how tuples are drawn from these cells."""
        return draws_of([Part.of(cells, grid, self.levels, self.rate)])

    def draws(self, column: Column) -> Draws:
        """Return how tuples are drawn from a column. The last of each living column is kept, and nothing random."""
        known = _KEPT.get(column)
        if known is None or known[0] != self:
            cells = column.records if isinstance(column.records, WeightedCells) else column.cells_at_places
            known = _KEPT[column] = self, self.weighed(cells, column.slots)
        return known[1]


_KEPT: WeakKeyDictionary[Column, tuple[JointParameters, Draws]] = WeakKeyDictionary()


def one_way(levels: tuple[Fraction, ...], adjacency: Adjacency) -> bool:
    """Whether a change of one record moves the scores of all tuples one way, or not at all.

    With the levels 0 and 1 alone the score is a multiple of how many records lie outside of one part: below the answer
    to level 0 and above that to level 1. A record that joins adds to it or does not, wherever the answers lie. One
    that is replaced by a higher one takes from what lies below, or does not; with both levels it may also add to what
    lies above.
    """
    return set(levels) <= {0, 1} and (adjacency is Adjacency.ADD_REMOVE or len(levels) == 1)


def half_range(levels: tuple[Fraction, ...], adjacency: Adjacency, moved: Fraction) -> Fraction:
    """Half the length of the interval in which the changes of all scores lie, each of which may have moved so far.

    It replaces the sensitivity s: 2 s long is the interval from -s to s, and s where all scores move one way. What
    a log ratio may be is the length of the interval: a change of one score less that of a mean of them.
    """
    return moved / 2 if one_way(levels, adjacency) else moved


class JointStep(DrawStep):
    """The draw of one quantile given those above it. Private."""


def sensitivity(levels: tuple[Fraction, ...], adjacency: Adjacency) -> Fraction:
    """How far one record moves the score of a tuple: see Claim."""
    if adjacency is Adjacency.REPLACE_ONE:
        return Fraction(2)
    return 2 * (1 - min(proportions_of(levels)))


def calibrate(plan: Plan, n_public: int | None) -> JointParameters:
    """Return the rate for a plan with the guarantee it gives; `n_public` is not used. O(m)."""
    options_of(plan, OPTIONS)
    return JointParameters.of_plan(plan, sensitivity(distinct_levels(plan), plan.adjacency), MOST_LEVELS, "JointExp")


def claim(rate: Fraction, moved: Fraction) -> Fraction:
    """Return the bounded range of a draw, where `moved` is the half range of the scores."""
    return 2 * moved * rate


def budget_of(plan: Plan, moved: Fraction) -> tuple[Rate, Guarantee]:
    """The rate and the guarantee of one draw, `moved` the half range of its scores. Raises ParameterError."""
    delta = 0.0
    if isinstance(plan.privacy, PureDP):
        exact = Fraction(plan.privacy.epsilon)
    elif isinstance(plan.privacy, ZCDP):
        exact = largest_epsilon(Fraction(plan.privacy.rho))
    else:
        epsilon, delta = plan.privacy.epsilon, plan.privacy.delta
        exact = largest_epsilon(Fraction(largest_rho(epsilon, delta)))
        if epsilon >= exact:
            exact, delta = Fraction(epsilon), 0.0
    rate = rounded_rate(exact / (2 * moved))  # the largest whose claim is at most `exact`
    if rate < SMALLEST_RATE:
        raise ParameterError(
            "privacy",
            "is too small for one draw of all quantiles: choose a larger budget.",
            (Remedy("mechanism", "aq"),),
        )
    rate = Rate(min(rate, LARGEST_RATE))
    if rate == LARGEST_RATE:
        exact = min(exact, claim(rate, moved))
    return rate, Guarantee(
        epsilon=epsilon if delta else round_up(exact),
        delta=delta,
        rho=round_up(bounded_range_rho(exact)),
        adjacency=plan.adjacency,
    )


def run(column: Column, parameters: JointParameters, entropy: Entropy) -> Integers:
    """Return the drawn slots, shape (entropy.trials, levels), non-decreasing along levels."""
    return parameters.draws(column).draw(entropy, entropy.trials)


def log_law(outputs: Integers, cells: SortedCells, parameters: JointParameters, grid: int) -> Floats:
    """Log probabilities of non-decreasing outputs (outputs, levels), by sums over all pairs of intervals."""
    part = Part.of(cells, grid, parameters.levels, parameters.rate)
    (places, edges), rate, count = part.every_interval, float(part.rate), part.count
    lengths, ranks = np.diff(edges).astype(np.float64), places.astype(np.float64)
    wanted, levels = plain_proportions(part.levels) * count, len(part.levels)
    more = np.arange(levels)[:, None]
    ways = np.cumsum(np.log(lengths + more) - np.log(more + 1.0), axis=0)
    steps, later = ranks[:, None] - ranks, np.tri(ranks.size, k=-1, dtype=bool)
    starts, ends = [-rate * np.abs(ranks - wanted[0])], np.empty(0)
    for column in range(levels):
        if column:
            logs = np.where(later, ends - rate * np.abs(steps - wanted[column]), -np.inf)
            starts.append(np.logaddexp.reduce(logs, axis=1))
        stays = rate * np.cumsum(np.append(0.0, wanted[column:0:-1]))
        runs = [ways[back] - stays[back] + starts[column - back] for back in range(column + 1)]
        ends = np.logaddexp.reduce(np.array(runs), axis=0)
    total = np.logaddexp.reduce(ends - rate * np.abs(count - ranks - wanted[-1]))
    between = counts_between(part.ranks_of(outputs), count)
    return np.asarray(-rate * np.abs(between - wanted).sum(axis=1) - total, dtype=np.float64)


FURTHER = 8
"""Ranks of weight 1 / e by which windows of a picture are wider: what lies beyond weighs exp(-2 FURTHER) of it."""


def trace(column: Column, parameters: JointParameters, entropy: Entropy, trial: int = 0) -> list[JointStep]:
    """One run, level by level. A law is that of a place given the later answers; levels of one place share it."""
    draws = parameters.draws(column)
    assert isinstance(draws, JointDraws), "made by `weighed`"
    chosen = draws.draw(entropy, entropy.trials)[trial]
    values = column.values_of(chosen)
    low_value, high_value = column.values_of(np.array([0, column.slots - 1]))
    levels, adjacency = parameters.levels, parameters.guarantee.adjacency
    moved = half_range(levels, adjacency, sensitivity(levels, adjacency))
    (part,), (reach,) = draws.parts, draws.reaches
    seen = Windows([part], [[reach + FURTHER / part.rate] * len(levels)])
    laws = [condensed(column, edges, np.exp(logs - logs.max())) for edges, logs in seen.laws(chosen)]
    return [
        JointStep(
            level=level,
            depth=0,
            records=(0, column.n),
            bounds=(float(low_value), float(high_value)),
            target=float(level * column.n),
            value=float(value),
            epsilon=float(claim(parameters.rate, moved)),
            distribution=law,
            together=levels[0],
        )
        for level, value, law in zip(levels, values, laws, strict=True)
    ]


AUDIT = Law(log_law)
PROFILE = Profile(
    colour="#2a9093",
    symbol="diamond",
    reads_shares=True,
    interpolates=True,
    draws_backwards=True,
    cost=TimeCost(1e-3, level=1.2e-3, trial_and_level=2e-5),
)
