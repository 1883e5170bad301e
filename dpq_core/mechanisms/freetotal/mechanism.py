"""JointExp with a free total: all quantiles in one draw, compared with the total that suits them best.

Idea. JointExp compares the records of each part between two answers with its share of n. A record that joins then
changes one part by one and every share of n besides. But n is private anyway and nobody asked for it: compare with the
total N that fits the answers best. With shares u_i of the levels (ends included) and n_i(y) records between y_i and
y_{i+1}, an ordered tuple of cells y is drawn with weight exp(-rate * d), where
    d(y) = min over N >= 0 of sum over i of |n_i(y) - u_i N|,
how many records must join or leave until y is exact. Half the error of JointExp.

Source. This project's own; in no paper that we know. With one level it is the exponential mechanism for one quantile
with the sensitivity max(q, 1 - q); it is the K-norm mechanism (Hardt & Talwar 2010) of the convex hull of the
sensitivity vectors. JointExp: Gillenwater, Joseph, Kulesza, ICML 2021.

Claim. ADD_REMOVE: a record changes exactly one n_i by one; so for each N the sum moves by at most 1, and so does its
minimum. REPLACE_ONE: two n_i change, d moves by at most 2; by 1 where only one share is positive (levels 0 and 1), as
the total then takes up every change in that part. With s for either, or half of it where all scores move one way
(`joint.half_range`), and rate = e / (2 s), the log ratios of all tuples lie within e, so the draw is
e-bounded-range, hence e-DP and `bounded_range_rho(e)`-zCDP. The sampler (`freetotal.draws`, which has its proof) draws
each tuple with its weight, exactly.

Cost. A first weighing has `totals.MOST_NUMBERS` numbers at most, for any n. Usual columns need two to four times as
many in all, a few seconds, and the worst that were found 35 times (`totals`). A plan whose first weighing would have
more is refused by its levels and its budget alone, before any data is read: a release has no other end.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np

from ...arrays import Cells, Floats, Integers, SortedCells
from ...column import Column
from ...errors import Infeasible, ParameterError, Remedy
from ...noise.entropy import Entropy
from ...plan import Plan
from ...privacy.budgets import ZCDP, Adjacency
from ..base import EVERY_BUDGET, Law, Option, Profile, TimeCost, TraceStep, distinct_levels, options_of
from ..exponential.distribution import Ranges, Target
from ..joint.distance import best_total, counts_of, distance, proportions_of
from ..joint.draws import Draws
from ..joint.mechanism import JointParameters, claim, half_range
from ..joint.mechanism import run as run
from ..joint.windows import Part
from .draws import Paths, draw_parts, draws_of
from .totals import enough_rate, is_too_much, is_too_much_in_shares


class Between(NamedTuple):
    """The range between two neighbouring answers, or between an answer and an end of the domain."""

    bounds: tuple[float, float]
    records: int
    wanted: float
    """Its share of the best total."""


@dataclass(frozen=True, kw_only=True)
class FreeTotalStep(TraceStep):
    """One answer of the draw, with the part on either side. Private."""

    below: Between
    above: Between
    total: float
    """The total that fits all answers of the run best."""
    distance: float
    """How many records would have to join or leave until all answers were exact."""


def steps_of(column: Column, levels: tuple[Fraction, ...], answers: Integers) -> list[FreeTotalStep]:
    """The steps of one run, by its answers (levels,) in slots."""
    proportions = proportions_of(levels)
    counts = counts_of(np.searchsorted(column.cells, answers).tolist(), column.n)
    best = best_total(counts, proportions)
    ends = column.values_of(np.array([0, *answers, column.slots - 1])).tolist()
    parts = [
        Between((ends[place], ends[place + 1]), count, float(proportion * best))
        for place, (count, proportion) in enumerate(zip(counts, proportions, strict=True))
    ]
    return [
        FreeTotalStep(
            level=level,
            target=float(level * column.n),
            value=ends[place + 1],
            below=parts[place],
            above=parts[place + 1],
            total=float(best),
            distance=float(distance(counts, proportions, best)),
            together=levels[0],
        )
        for place, level in enumerate(levels)
    ]


KEY = "freetotal"
LABEL = "All at once, any total (FreeTotal)"
SUMMARY = (
    "Draws all quantiles together, scored by how many people would have to join or leave until the answers are exact. "
    "Nothing is divided among the quantiles, and counting the people costs nothing. "
    "The most accurate for up to about twenty quantiles where people join or leave."
)
CLAIM = "Pure, approximate or concentrated privacy, for a person who joins or leaves and for one who is replaced."
REFERENCE = "This project's own, after Gillenwater, Joseph, Kulesza: Differentially Private Quantiles. ICML 2021."
NOTES = (
    (
        "JointExp compares the records between two answers with their share of n",
        "compare with their share of the total that fits best",
        "a person who joins changes one count by one, and no longer every share too: half the error",
    ),
    (
        "the best total of a tuple does not split into steps from answer to answer",
        "draw a total and a tuple together by JointExp's recursion, and accept by exact rejection",
        "the law is that of the best total, and nothing is cut off",
    ),
)
SUPPORTS = EVERY_BUDGET
READS = Column
OPTIONS: tuple[Option, ...] = ()

MOST_LEVELS = 60
"""Time and memory grow with the square of the number of levels, times the number of totals."""


class FreeTotalParameters(JointParameters):
    """The exponent of the one draw, as JointExp's."""

    def weighed(self, cells: SortedCells, grid: int) -> Draws:
        """Return how tuples are drawn from these cells."""
        return draws_of(Part.of(cells, grid, self.levels, self.rate))

    def refused_in_units(self, unit: int) -> ParameterError | None:
        """Return why the draw would take too long for shares of persons; None where it does not."""
        if unit == 1 or not is_too_much_in_shares(self.levels, self.rate):
            return None
        return Infeasible(
            "quantiles",
            "must be fewer for FreeTotal, whose draw takes too long where all rows of a person count: choose fewer "
            "levels or AQ.",
            (Remedy("mechanism", "aq"),),
        )


def sensitivity(levels: tuple[Fraction, ...], adjacency: Adjacency) -> Fraction:
    """How far one record moves the score of a tuple: see Claim."""
    return Fraction(1 if adjacency is Adjacency.ADD_REMOVE or set(levels) <= {0, 1} else 2)


def calibrate(plan: Plan, n_public: int | None) -> FreeTotalParameters:
    """Return the rate for a plan with the guarantee it gives; `n_public` is not used. O(m). Raises ParameterError."""
    options_of(plan, OPTIONS)
    moved = sensitivity(distinct_levels(plan), plan.adjacency)
    parameters = FreeTotalParameters.of_plan(plan, moved, MOST_LEVELS, "FreeTotal")
    if is_too_much(parameters.levels, parameters.rate):
        more, remedies = "a larger budget", [Remedy("mechanism", "aq")]
        if not isinstance(plan.privacy, ZCDP):
            half = half_range(parameters.levels, plan.adjacency, moved)
            enough = ceil(100 * claim(enough_rate(parameters.levels), half)) / 100
            more, remedies = f"ε of {enough:g} or more", [*remedies, Remedy("epsilon", enough)]
        raise Infeasible(
            "quantiles",
            "must be fewer for FreeTotal with so small a budget, where its draw takes too long: choose fewer levels, "
            f"{more}, or AQ.",
            tuple(remedies),
        )
    return parameters


def run_side_by_side(
    records: Cells, runs: Ranges, parameters: FreeTotalParameters, entropy: Entropy, copies: int = 1
) -> Integers:
    """Return what `run` does, (copies, rows, levels), for runs in ranges (rows,), each of which is weighed once."""
    rows, levels = runs.start.size, len(parameters.levels)
    target = Target(parameters.levels, parameters.rate)
    return draw_parts(records, runs.standing.repeated(copies), (target,), entropy).reshape(copies, rows, levels)


def log_law(outputs: Integers, cells: SortedCells, parameters: FreeTotalParameters, grid: int) -> Floats:
    """Return log probabilities of non-decreasing outputs (outputs, levels), by enumeration of all paths."""
    return Paths(Part.of(cells, grid, parameters.levels, parameters.rate)).log_law(outputs)


def trace(column: Column, parameters: FreeTotalParameters, entropy: Entropy, trial: int = 0) -> list[FreeTotalStep]:
    """Return one run, level by level: the parts between its answers, and the total that fits them best."""
    return steps_of(column, parameters.levels, run(column, parameters, entropy)[trial])


AUDIT = Law(log_law)
PROFILE = Profile(
    colour="#b2527a",
    symbol="triangle-down",
    reads_shares=True,
    interpolates=True,
    cost=TimeCost(4e-3, level=2.5e-3, trial_and_level=5e-5),
)
