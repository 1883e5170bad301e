"""Choose where AQ splits a list of levels, and how much of its budget a split takes, from the levels alone.

A draw errs by about 1 / rate records, and its error moves everything between its neighbours, less and less the
farther away. So a split's squared error counts once for its own level and (1 - d)^2 times for a level at the fraction d
of the way to the next answered one; between two levels of one draw their covariance counts, too (`ERRORS`). The shape
with the least sum is taken. At the ends of the data several levels may move together into the empty range beyond
(`lost_outside`): of a few shapes that differ there the best is taken, for usual columns and for rare ones
(`HARD_COLUMNS`). It is a model: it decides how accurate the answers are and never how private, which
`aq.recursion.claim` adds up from the rates it is given.

Measured, mean rank error, U(-5, 5), n = 1000, domain [-100, 100], epsilon 1, one person joins or leaves, 300 trials:
6.8 against 8.8 with even splits and even budgets at 20 levels, 3.6 against 4.2 at 5, 11.1 against 11.5 at 60.
`tests/benchmarks/errors.py` has the errors with several at once, and docs/free-total.md those of rare columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import exp, inf, sqrt
from typing import NamedTuple, TypeAlias, TypeVar

Proportions: TypeAlias = tuple[float, ...]
Places: TypeAlias = tuple[int, ...]
Ends: TypeAlias = tuple[bool, bool]
Most: TypeAlias = tuple[int, int, int]
"""How many levels may be drawn at once within the data, at an end of it, and of all data."""
Level = TypeVar("Level", float, Fraction)

OFF_CENTRE_UP_TO = 24
"""Longer lists are split in the middle: that is within 2 % of the best in the model."""
MOST_AT_ONCE = 24
ONE_AT_A_TIME: Most = (1, 1, 1)


class AtOnce(NamedTuple):
    """Which levels may be drawn at once: the shape with the least error is taken, one at a time among them."""

    shapes: tuple[Most, ...]
    cautious: bool
    """Whether it must do on `HARD_COLUMNS` columns, too."""


ONE = AtOnce((), cautious=False)
BEST = AtOnce(((6, 1, 4), (6, 2, 4), (6, 2, 5), (6, 1, 6), (6, 2, 6), (6, 2, MOST_AT_ONCE)), cautious=True)
"""More than six at first pay where they are all; with others below them they lose `HARD_COLUMNS` columns.

In the model, for 2 to 199 levels and eight budgets: one rule for all, (6, 2, 6), errs 10 % more than the best of nine
shapes for each plan, and at worst twice as much. These six and one at a time err .01 % more, and 1.7 % at worst.
"""
BEST_OF_KNOWN = AtOnce(((4, 1, 4), (4, 4, 4), (3, 2, 16)), cautious=True)
"""Where the number of records is known: it says where draws at the ends of the data are safe.

One record is replaced there, which costs a draw of many more; and draws of five and six levels take long below others.
"""
LEAST_RATE = Fraction(1, 2**20)
"""The rate of a draw of k levels is k^2 times this at least: its sampler cannot count lower ones."""


class ColumnShape(NamedTuple):
    """A kind of column, guessed without a look at any: where a draw may leave its place is judged by it."""

    records: float
    """At an epsilon of 1 or more; a smaller budget has more."""
    each: float
    """Records for each level, at least."""
    pull: float
    """The logarithm of how much more room a level has beyond the data, or beside many ties, than at its place."""
    likely: float
    """Its weight beside the usual column."""


TYPICAL_COLUMN = ColumnShape(1000, 0, 6.0, likely=1.0)
HARD_COLUMNS = (ColumnShape(1000, 0, 28.0, likely=0.01), ColumnShape(100, 2, 4.2, likely=0.1))
"""Data in one of the 2^40 steps of a default range, or half of them tied in one: 28 = ln 2^40. And few records.

Where draws of many levels leave such data, they err many times as much as draws of one: 129 against 39 ranks with 20 at
once among 1,000 half tied records. The weights decide little, since a loss appears within a few orders of e.
"""
HALVINGS = 24
ERRORS: Mapping[int, tuple[float, float]] = {
    1: (2.0, 0.0), 2: (1.11, 0.50), 3: (1.38, 0.60), 4: (1.78, 0.67), 5: (2.10, 0.71), 6: (2.48, 0.75), 8: (3.14, 0.80),
    10: (3.82, 0.83), 12: (4.52, 0.86), 16: (5.83, 0.89), 20: (7.18, 0.91), 24: (8.50, 0.92),
}  # fmt: skip
"""Of a draw of this many even levels at rate 1: mean squared error of each, and covariance of neighbours over it.

One level is a point under a two-sided exponential. Several are drawn with exp(-d), d as in `freetotal.mechanism`: by
simulation, which `tests/mechanisms/test_aq_errors.py` does again.
"""


class Split(NamedTuple):
    """The best split of a list with one unit of budget left on its paths."""

    error: float
    """Sum of squared errors of all levels, given exact ends; a budget b divides it by b^2, or by b if concentrated."""
    places: Places
    """Which of the levels are drawn: one, or several at once."""
    rate: float
    """A budget b multiplies it by b, or by sqrt(b) if concentrated."""


class Shaper:
    """Finds the best splits, for one kind of budget, and remembers those of lists that it has seen."""

    def __init__(self, concentrated: bool) -> None:
        self.concentrated = concentrated
        self._known: dict[tuple[Proportions, Ends, tuple[int, ...]], Split] = {}

    def best(self, levels: Proportions, most: Most, ends: Ends) -> Split:
        """Return where to split increasing levels, relative to the answers around them, and at which rate.

        `ends`: whether the part is the first of the data, and whether it is the last.
        """
        if not levels:
            return Split(0.0, (), 0.0)
        relevant = most[: sum(ends) + 1]
        if len(set(relevant)) == 1:
            ends = False, False
        key = tuple(round(level, 9) for level in levels), ends, relevant
        if key not in self._known:
            candidates = middles(len(levels)) + at_once(len(levels), relevant[-1])
            splits = (self._at(levels, places, most, ends) for places in candidates)
            self._known[key] = min(splits, key=lambda split: split.error)
        return self._known[key]

    def _at(self, levels: Proportions, places: Places, most: Most, ends: Ends) -> Split:
        drawn, parts = [levels[place] for place in places], parted(levels, places)
        own, around = spread(parts), inner_ends(ends, len(parts))
        rest = [self.best(part, most, each).error for part, each in zip(parts, around, strict=True)]
        if self.concentrated:
            return _concentrated(own, sum(rest), spread_of_changes(drawn), places)
        return _pure(own, rest, side_costs(drawn), places)


def inner_ends(ends: Ends, parts: int) -> list[Ends]:
    """Return which of the parts that a split makes are the first of all data, or the last."""
    return [(ends[0] and part == 0, ends[1] and part == parts - 1) for part in range(parts)]


def middles(count: int) -> list[Places]:
    """Return the places worth a try where one of `count` levels is drawn."""
    middle = (count - 1) // 2
    aside = (count // 8, count // 4) if count <= OFF_CENTRE_UP_TO else ()
    places = {middle, *(count // 2 - step for step in aside), *(middle + step for step in aside)}
    return [(place,) for place in sorted(places)]


def at_once(count: int, most: int) -> list[Places]:
    """Return the places worth a try where 2 to `most` of `count` levels are drawn at once, evenly."""
    tried = {drawn for drawn in ERRORS if 1 < drawn <= min(count, most)} | ({count} if 1 < count <= most else set())
    return [tuple((place + 1) * (count + 1) // (drawn + 1) - 1 for place in range(drawn)) for drawn in sorted(tried)]


def parted(levels: Proportions, places: Places) -> list[Proportions]:
    """Return the levels below, between and above those at the places, relative to the answers around them."""
    ends = [0.0, *(levels[place] for place in places), 1.0]
    inner = [levels[before + 1 : after] for before, after in pairwise([-1, *places, len(levels)])]
    return [relative(part, *around) for part, around in zip(inner, pairwise(ends), strict=True)]


def spread(parts: Sequence[Proportions]) -> float:
    """Return the squared error that a draw at rate 1 adds to its own levels and to those in the parts beside it."""
    first, *between, last = parts
    variance, alike = errors_of(len(parts) - 1)
    errors = len(parts) - 1 + sum(d * d for d in first) + sum((1 - d) ** 2 for d in last)
    errors += sum(1 - 2 * (1 - alike) * d * (1 - d) for part in between for d in part)
    return variance * errors


def errors_of(drawn: int) -> tuple[float, float]:
    """Return `ERRORS` of any number of levels up to MOST_AT_ONCE."""
    above = min(each for each in ERRORS if each >= drawn)
    below = max(each for each in ERRORS if each <= drawn)
    proportion = (drawn - below) / max(above - below, 1)
    variance, alike = (low + proportion * (high - low) for low, high in zip(ERRORS[below], ERRORS[above], strict=True))
    return variance, alike


def lost_outside(levels: Proportions, records: float, rate: float, pull: float, count: int) -> float:
    """Return the squared error by which a draw in a part at an end of the data leaves it, with `records` records.

    All its levels may move into the empty range beyond the data, where they have exp(pull) times the room each. That
    costs as many records as the part has; of one level, as many as should be below or above it. Where many records
    are ties, levels at their place move beside them at the same price.
    """
    against = rate * records * (1.0 if len(levels) > 1 else min(levels[0], 1 - levels[0])) - len(levels) * pull
    return count * records**2 / 3 / (1 + exp(max(min(against, 600.0), -600.0)))


def relative(levels: Sequence[Level], low: Level, high: Level) -> tuple[Level, ...]:
    """Return levels as fractions of the way from `low` to `high`."""
    return tuple((level - low) / (high - low) if high > low else high - low for level in levels)


def moved(levels: Sequence[Level]) -> Level:
    """Return how far one record that joins or leaves moves the score of a draw of these levels; see `claim`."""
    return 1 - min(proportions_of(levels)) if len(levels) == 1 else levels[0] * 0 + 1


def only_ends(levels: Sequence[Level]) -> bool:
    """Return whether the levels are 0 or 1 or both: a record that joins moves the scores of all answers one way."""
    return all(level in (0, 1) for level in levels)


def spread_of_changes(levels: Sequence[Level]) -> Level:
    """Return how far apart the changes of two scores are, at most, where a record joins; see `claim`."""
    return moved(levels) if only_ends(levels) else 2 * moved(levels)


def range_of(levels: Sequence[Fraction], floored: bool) -> Fraction:
    """Return the length of the interval of log ratios of a draw at rate 1 where a record joins or leaves."""
    return Fraction(2) if floored else spread_of_changes(levels)


def side_costs(levels: Sequence[Level]) -> list[Level]:
    """Return what a draw at rate 1 costs a record that then goes to the first part, the second, ...; see `claim`."""
    worst, proportions = moved(levels), proportions_of(levels)
    if only_ends(levels):
        return [worst for _ in proportions]
    if len(levels) == 1:
        return [1 - proportion + worst for proportion in proportions]
    return [worst + ((1 - proportion) / proportion if 2 * proportion > 1 else worst) for proportion in proportions]


def proportions_of(levels: Sequence[Level]) -> list[Level]:
    """Return how much lies below the first level, between two, and above the last."""
    proportions: list[Level] = [after - before for before, after in pairwise(levels)]
    proportions.insert(0, levels[0])
    proportions.append(1 - levels[-1])
    return proportions


def _pure(own: float, rest: Sequence[float], costs: Sequence[float], places: Places) -> Split:
    """Return the least own / rate^2 + sum of rest / (1 - cost rate)^2, a convex function, by bisection."""
    low, high = 0.0, 1 / max(costs)
    if not any(rest):
        return Split(own / high**2, places, high)
    sides = [(error, cost) for error, cost in zip(rest, costs, strict=True) if error]
    for _ in range(HALVINGS):
        rate, rises = (low + high) / 2, 0.0
        for error, cost in sides:
            left = 1 - cost * rate
            rises = inf if left <= 0 else rises + error * cost / left**3
        low, high = (low, rate) if rises > own / rate**3 else (rate, high)
    return Split(own / low**2 + sum(error / (1 - cost * low) ** 2 for error, cost in sides), places, low)


def _concentrated(own: float, rest: float, spread: float, places: Places) -> Split:
    """Return the least own / rate^2 + rest / (1 - rho), where the draw takes rho = (spread rate)^2 / 8."""
    unit = spread**2 / 8
    proportion = 1.0 if rest == 0 else sqrt(own * unit) / (sqrt(own * unit) + sqrt(rest))
    error = own * unit / proportion + (rest / (1 - proportion) if rest else 0.0)
    return Split(error if proportion else inf, places, sqrt(proportion / unit))
