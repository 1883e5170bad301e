"""DPExpGK: the exponential mechanism on the rank bounds of a Greenwald-Khanna sketch, in bounded space.

Idea. A sketch keeps a few thousand points of a column of any length, and knows for every grid point x an
interval [lo, hi] that holds #{records < x} and #{records <= x}. Each level draws a grid point with weight
exp(-rate * distance of its target rank from [lo, hi]), for itself; the answers are sorted.

Source. Algorithm 2 (DPExpGK) of Alabi, Ben-Eliezer & Chaturvedi, "Bounded Space Differentially Private Quantiles",
2022; sketch of Greenwald & Khanna 2001. With alpha = 0, or one so small that E = 1, the bounds are exact: DPExpFull.

Claim. Let D(x) be the distance of the target from the exact interval [#{< x}, #{<= x}]. The sketch's interval holds
the exact one and is wider by at most E - 1 at either end (`sketches.rank_bounds`), so the sketch's distance lies in
[D(x) - (E - 1), D(x)], for any order of the stream, its batches and its merges. Between neighbours D moves by at
most 1 (REPLACE_ONE: n is public and the target floor(q n) is fixed) or max(q, 1 - q) (ADD_REMOVE: the target is q n;
counts move by 0 or 1, relative to it by q or 1 - q). So the sketch's distance moves by at most s = E - 1 + 1 or s = E
- 1 + max(q, 1 - q), although the sketch itself may change everywhere. With rate = e / (2 s) a draw is
e-bounded-range: e-DP, `bounded_range_rho(e)`-zCDP. Draws do not depend on each other, so m of them compose as
those of IndExp, whose accounting is used. E is made from alpha and a public n_max, never from a private n.

Paper says / we do / why: see NOTES, which the app shows.

Cost. From a sketch O(points) for a level and its trials; a Column is made into one first, in O(n / E * log n).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log

import numpy as np

from ...arrays import Floats, Integers
from ...column import Column
from ...domain.domain import Domain
from ...errors import ParameterError, Remedy
from ...noise.entropy import Entropy
from ...plan import Plan
from ...privacy.budgets import Adjacency
from ...sketches.greenwald_khanna import MOST_ALPHA, GKSketch, merge_threshold
from ...sketches.rank_bounds import RankBounds
from ..base import EVERY_BUDGET, USUAL_BETA, Bound, Law, Option, Profile, TimeCost, options_of
from ..exponential.distribution import Rate, Target, sensitivity
from ..indexp.mechanism import SeparateDraws, log_sorted, one_by_one
from ..indexp.mechanism import calibrate as calibrate_independent
from .classes import Classes, GKStep, step_of

KEY = "gkexp"
LABEL = "From a sketch (DPExpGK)"
SUMMARY = (
    "Reads the column once, in little memory, and draws every quantile from what the sketch still knows of its rank. "
    "The noise covers everything that one person can change in the sketch, so a coarser sketch means more noise. "
    "For columns that do not fit into memory; with the finest sketch it is the one-by-one mechanism without one."
)
CLAIM = "Pure, approximate or concentrated privacy, for a person who joins or leaves and for one who is replaced."
REFERENCE = "Alabi, Ben-Eliezer, Chaturvedi: Bounded Space Differentially Private Quantiles. 2022. Algorithm 2."
NOTES = (
    (
        "exp(epsilon / 2 * score), not divided by the sensitivity",
        "divided by the sensitivity of the score",
        "one person can change a sketch in many places: as printed, epsilon = 1 loses 10 to 50",
    ),
    (
        "sensitivity 4 alpha n + 2",
        "E - 1 + max(q, 1 - q), or E for a person who is replaced; E = max(1, floor(2 alpha n_max))",
        "bounds on ranks that are proved for batches and merges give half the noise",
    ),
    (
        "alpha times the number of people in the data",
        "alpha times a public bound on it, unless one person is replaced by another",
        "a merge threshold that moves with a private number loses 24 at epsilon = 1, from 199 people to 200",
    ),
    (
        "classes between stored values, without the outer two",
        "every grid value belongs to a class, the outer two gaps among them",
        "a value that only one of two neighbouring columns can answer gives a person away",
    ),
)
SUPPORTS = EVERY_BUDGET
READS = GKSketch
OPTIONS = (
    Option(
        name="alpha",
        kind="number",
        default=0.0001,
        minimum=0,
        maximum=MOST_ALPHA,
        help="How coarse the sketch is: the share of `n_max` by which its ranks may be off. 0 keeps every value.",
    ),
    Option(
        name="n_max",
        kind="integer",
        default=None,
        minimum=1,
        maximum=2**53,
        help="A public bound on the number of people, from public knowledge. Needed where that number is private.",
    ),
)


@dataclass(frozen=True, kw_only=True)
class GKParameters(SeparateDraws):
    """The sketch's alpha and n_max, and the target of every draw."""

    alpha: float
    n_max: int

    @property
    def threshold(self) -> int:
        """Return E: the sketch's rank bounds are off by less than this many records."""
        return merge_threshold(self.alpha, self.n_max)

    def bound(self, plan: Plan, cells: int, beta: float) -> Bound:
        """Return what the paper proves, with the sensitivity that is proved here."""
        return one_by_one(self.levels, cells, plan.privacy, beta, self.threshold)

    def error_parts(self, cells: int, beta: float = USUAL_BETA) -> tuple[float, float]:
        """Return (sketch, noise) in records, whose sum bounds the largest rank error with probability 1 - beta. Public.

        Ranks are those of the targets q n (floor(q n) where n is public); `cells` is the size of the domain.

        Theorem (after Alabi, Ben-Eliezer & Chaturvedi 2022, Theorem 4.11, with the sensitivity proved above). With that
        probability every draw's target is within ln(m cells / beta) / rate records of the rank bounds of its answer,
        and the exact ranks are off from these by at most E - 1. Proof. Some cell has distance 0 and weight 1. All cells
        farther away than d weigh at most cells exp(-rate d) together, which is beta / m for the d above; m draws.
        """
        rate = min(float(each.rate) for each in self.target_levels)
        return float(self.threshold - 1), log(len(self.target_levels) * cells / beta) / rate


def calibrate(plan: Plan, n_public: int | None) -> GKParameters:
    """Return one target for each distinct level with the guarantee of all. O(m). Raises ParameterError."""
    options = options_of(plan, OPTIONS)
    alpha = float(options["alpha"] or 0)
    n_max = options["n_max"]
    if not isinstance(n_max, int):
        if n_public is None:
            raise ParameterError(
                "n_max",
                "must be given where the number of people is private: a public bound on it, such as 10000.",
                (Remedy("n_max"), Remedy("adjacency", Adjacency.REPLACE_ONE.value)),
            )
        n_max = max(n_public, 1)
    single = calibrate_independent(Plan(plan.quantiles, "indexp", plan.privacy, plan.adjacency), n_public)
    extra = merge_threshold(alpha, n_max) - 1  # what a sketch adds to the score's sensitivity: see `rank_bounds`
    target_levels = tuple(
        replace(target_level, rate=_spread(target_level, extra)) for target_level in single.target_levels
    )
    return GKParameters(
        levels=single.levels, guarantee=single.guarantee, alpha=alpha, n_max=n_max, target_levels=target_levels
    )


def _spread(target_level: Target, extra: int) -> Rate:
    """Return the rate of an exact score, lowered to that of one which moves by `extra` records more."""
    exact = sensitivity(target_level.level, target_level.floored)
    return Rate(target_level.rate * exact / (exact + extra))


def run(data: Column | GKSketch, parameters: GKParameters, entropy: Entropy) -> Integers:
    """Return drawn indices, shape (entropy.trials, levels), sorted along levels; slots for a Column."""
    drawn = _draw(_bounds_of(data, parameters), data.domain.cells, parameters, entropy)
    drawn.sort(axis=1)
    return data.places.before(drawn)


def _bounds_of(data: Column | GKSketch, parameters: GKParameters) -> RankBounds:
    if isinstance(data, Column):
        counted = replace(data, max_rows_per_person=None)  # the parameters are for one record, not for a person
        data = GKSketch.from_column(counted, parameters.alpha, parameters.n_max)
    return data.bounds


def _draw(bounds: RankBounds, grid: int, parameters: GKParameters, entropy: Entropy) -> Integers:
    classes = Classes.of(bounds, grid)
    drawn = [classes.draw(target_level, bounds.n, entropy) for target_level in parameters.target_levels]
    return np.array(drawn, dtype=np.int64).reshape(len(drawn), entropy.trials).T


def log_law(outputs: Integers, cells: Integers, parameters: GKParameters, grid: int) -> Floats:
    """Return log probabilities of sorted outputs (outputs, levels), for the sketch that `run` makes of a Column."""
    column = Column.from_values(cells, Domain(0, max(grid - 1, 1), 1), tie_bits=0)
    return log_law_of(outputs, _bounds_of(column, parameters), parameters, grid)


def log_law_of(outputs: Integers, bounds: RankBounds, parameters: GKParameters, grid: int) -> Floats:
    """Return log probabilities of sorted outputs for any sketch: of any order, of any batches and merges."""
    classes = Classes.of(bounds, grid)
    logs = [classes.log_density(outputs, target_level, bounds.n) for target_level in parameters.target_levels]
    return log_sorted(outputs, np.stack(logs, axis=1))


def trace(data: Column | GKSketch, parameters: GKParameters, entropy: Entropy, trial: int = 0) -> list[GKStep]:
    """Return one run, level by level; values before sorting."""
    bounds = _bounds_of(data, parameters)
    chosen = _draw(bounds, data.domain.cells, parameters, entropy)[trial]
    classes = Classes.of(bounds, data.domain.cells)
    return [
        step_of(data.domain, classes, target_level, bounds.n, int(cell), parameters.threshold)
        for target_level, cell in zip(parameters.target_levels, chosen, strict=True)
    ]


AUDIT = Law(log_law)
PROFILE = Profile(
    colour="#c2648c",
    symbol="x",
    cost=TimeCost(3e-3, trial_and_level=2.5e-6),
)
