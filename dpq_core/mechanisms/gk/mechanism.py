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

Classes. A sketch with points v_1 < ... < v_k knows 2 k + 1 classes of indices: the points, the open intervals between
them, and the two outer intervals. All indices of a class have the same bounds [lo, hi], and both ends rise from class
to class. An index's distance is that of the target from [lo, hi]; its weight exp(-rate * distance). Some class always
has distance 0: the first with hi >= target has lo <= #{< x} <= hi of the class before it < target. Classes are the
options of a draw (`exponential.sampling.Options`).

Paper says / we do / why: see NOTES, which the app shows.

Cost. From a sketch O(points) for a level and its trials; a Column is made into one first, in O(n / E * log n).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
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
from ..base import EVERY_BUDGET, USUAL_BETA, Bound, Law, Option, Profile, TimeCost, TraceStep, options_of
from ..exponential.density import Pieces
from ..exponential.distribution import Rate, Target, sensitivity
from ..exponential.sampling import Options
from ..indexp.mechanism import SeparateDraws, log_sorted, one_by_one
from ..indexp.mechanism import calibrate as calibrate_independent


@dataclass(frozen=True, eq=False)
class Classes:
    """Indices first[i] .. first[i + 1] - 1 have rank bounds [least[i], most[i]]; `first` ends with the grid's size."""

    first: Integers
    least: Integers
    most: Integers
    stored: Integers
    """1 where the class is a point of the sketch, 0 where it is an open interval."""

    @classmethod
    def of(cls, bounds: RankBounds, grid: int) -> Classes:
        """Return the classes of a sketch on a grid of `grid` values, without empty ones. O(points)."""
        through = np.concatenate([[0], bounds.least_through])
        below = np.append(bounds.most_below, bounds.n)
        first = np.concatenate([[0], np.stack([bounds.cells, bounds.cells + 1], axis=1).reshape(-1)])
        least, most = np.repeat(through, 2)[:-1], np.repeat(below, 2)[1:]
        stored = np.arange(first.size) % 2
        some = np.diff(first, append=grid) > 0
        return cls(np.append(first[some], grid), least[some], most[some], stored[some])

    def distances(self, target: Fraction) -> Floats:
        """Return how far the target lies from each class's bounds, in records: negative for classes below it."""
        whole = int(target)
        rest = float(target - whole)
        too_high = np.maximum(self.least - whole - rest, 0.0)
        too_low = np.maximum(whole - self.most + rest, 0.0)
        return np.asarray(too_high - too_low, dtype=np.float64)

    def log_weights(self, target_level: Target, n: int) -> Floats:
        """Return the log weight of each index of a class, where there are n records."""
        distances = np.abs(self.distances(target_level.ranks(n)[0]))
        return np.asarray(-target_level.rate_as_float * distances, dtype=np.float64)

    def probabilities(self, target_level: Target, n: int) -> Floats:
        """Return the probability of each class."""
        weights = np.diff(self.first) * np.exp(self.log_weights(target_level, n))
        return np.asarray(weights / weights.sum(), dtype=np.float64)

    def log_density(self, cells: Integers, target_level: Target, n: int) -> Floats:
        """Return the log probability of each of the indices, same shape."""
        logs = self.log_weights(target_level, n)
        of_cell = np.searchsorted(self.first, cells, side="right") - 1
        return np.asarray(logs[of_cell] - np.log(np.sum(np.diff(self.first) * np.exp(logs))), dtype=np.float64)

    def draw(self, target_level: Target, n: int, entropy: Entropy) -> Integers:
        """Return drawn indices, shape (entropy.trials,). O(classes), and O(log classes) for each trial."""
        return ClassOptions(self, target_level, n).draw(np.zeros(entropy.trials, np.int64), entropy)


class ClassOptions(Options):
    """The classes of one draw, all indices of each at one distance from the target."""

    def __init__(self, classes: Classes, target_level: Target, n: int) -> None:
        self.classes, self.target_level, self.target = classes, target_level, target_level.ranks(n)[0]
        super().__init__(classes.first[None, :] - 1, classes.log_weights(target_level, n)[None, :], np.zeros(1))

    def excess(self, rows: Integers, options: Integers, chosen: Integers) -> Floats:
        """Return 0 for each index."""
        return np.zeros(rows.size)

    def exact_exponents(self, rows: Integers, chosen: Integers) -> list[tuple[int, int]]:
        """Return rate * distance of each index."""
        of_cell = np.searchsorted(self.classes.first, chosen, side="right") - 1
        bounds = zip(self.classes.least[of_cell].tolist(), self.classes.most[of_cell].tolist(), strict=True)
        distances = [max(least - self.target, self.target - most, Fraction(0)) for least, most in bounds]
        return [(self.target_level.rate * distance).as_integer_ratio() for distance in distances]


MOST_CLASSES = 401


@dataclass(frozen=True, kw_only=True)
class GKClass:
    """Values with the same rank bounds: a point of the sketch, or an open interval between two. Private."""

    bounds: tuple[float, float]
    """Its first and its last value."""
    ranks: tuple[int, int]
    """[lo, hi]: lo <= #{records < x} and #{records <= x} <= hi for each x of the class."""
    stored: bool
    """Whether it is a point that the sketch keeps."""
    probability: float


@dataclass(frozen=True, kw_only=True)
class GKStep(TraceStep):
    """How one quantile was drawn from the sketch. Private."""

    records: int
    threshold: int
    """E: rank bounds are off by less than this."""
    rate: float
    """The weight of a value falls by this exponent for each record between the target and its rank bounds."""
    points: int
    """How many points the whole sketch keeps."""
    classes: tuple[GKClass, ...]
    """At most 401 around the target, from left to right."""
    chosen: int
    """Which of them holds the value, or -1 where it lies farther away."""

    @property
    def distribution(self) -> Pieces:
        """Return the starts of the classes, and the probability of each."""
        return tuple(each.bounds[0] for each in self.classes), tuple(each.probability for each in self.classes)

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the first and the last value of the classes."""
        return self.classes[0].bounds[0], self.classes[-1].bounds[1]


def step_of(domain: Domain, classes: Classes, target_level: Target, n: int, cell: int, threshold: int) -> GKStep:
    """Return the step that drew a grid index."""
    target = target_level.ranks(n)[0]
    nearest = int(np.argmin(np.abs(classes.distances(target))))
    start = max(min(nearest - MOST_CLASSES // 2, classes.least.size - MOST_CLASSES), 0)
    shown = slice(start, start + MOST_CLASSES)
    starts, ends = domain.decode(classes.first[:-1][shown]), domain.decode(classes.first[1:][shown] - 1)
    rows = zip(
        starts.tolist(),
        ends.tolist(),
        classes.least[shown].tolist(),
        classes.most[shown].tolist(),
        classes.stored[shown].tolist(),
        classes.probabilities(target_level, n)[shown].tolist(),
        strict=True,
    )
    found = tuple(
        GKClass(bounds=(first, last), ranks=(least, most), stored=bool(stored), probability=probability)
        for first, last, least, most, stored, probability in rows
    )
    place = int(np.searchsorted(classes.first, cell, side="right")) - 1 - start
    return GKStep(
        level=target_level.level,
        target=float(target),
        records=n,
        threshold=threshold,
        rate=float(target_level.rate),
        points=int(classes.stored.sum()),
        classes=found,
        chosen=place if 0 <= place < len(found) else -1,
        value=float(domain.decode(np.array([cell]))[0]),
    )


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
