"""Lay out the slices: their ranks, their width, whether they fit, and what would do: from public facts only.

Everything follows from the levels, the budget, the options and a number of records that is public or noisy; n is never
read here. A gap between two ranks has to hold two half-widths and a slack that makes failures as rare as delta says.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil, comb, floor, log, log10

import numpy as np

from ...arrays import Integers
from ...errors import Infeasible, Name, Remedy
from ..base import USUAL_DELTA
from .ranks import CONTEXT, UPWARDS, Ranks, chance_beyond, most_moved, slack_for, terms_between, to_decimal

FLAT_UP_TO = 4000
"""Measured: up to here flat noise, as a bridge, errs less than two levels, and it asks less of the gaps."""
MOST_CELLS = 2**62
"""Slots of the largest domain: the default half-width does for every domain."""
MOST_MIXTURE = Fraction(1, 1024)
"""A pure budget answers at random at most this often."""
MIXTURE_BITS = 62
WANDERING = Decimal("1e-6")
"""Where n is public, the chance that ranks from n less the last node's sum leave too little room."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The public settings of a run."""

    levels: tuple[Fraction, ...]
    epsilon: Fraction
    rank_epsilon: Fraction
    draw_epsilon: Fraction
    delta: Decimal | None
    """The delta that was requested; None for a pure budget, whose delta is mixed away."""
    half_width: int | None
    noise: str
    merge_close: bool
    beta: float
    paper: bool
    count_is_public: bool

    @property
    def kind(self) -> str:
        """Return the structure of the noise."""
        if self.noise != "auto":
            return self.noise
        return "flat" if len(self.levels) <= FLAT_UP_TO else "two_level"

    @property
    def bridged(self) -> bool:
        """Return whether ranks are fractions of n less the noise of one more rank, which is that of all records.

        Needed where n is private. Flat noise gains by it: q n - q N_(m+1) + N_q is a bridge, small at both ends.
        """
        return not self.count_is_public or (self.kind == "flat" and not self.paper)

    @property
    def places(self) -> int:
        """Return how many ranks get noise."""
        return len(self.levels) + self.bridged

    @property
    def node_epsilon(self) -> Fraction:
        """Return the budget of one node."""
        return self.rank_epsilon / most_moved(self.kind, self.places)

    def times(self, factor: Fraction) -> Rules:
        """Return the rules with every epsilon multiplied, and the printed delta that goes with them."""
        delta = self.delta
        if self.paper and delta is not None:  # Theorem 4.2 takes e^(eps1 + 2 eps2) of it
            lost = (factor - 1) * (self.rank_epsilon + 2 * self.draw_epsilon)
            delta = CONTEXT.multiply(delta, CONTEXT.exp(to_decimal(-lost)))
        return replace(
            self,
            delta=delta,
            epsilon=self.epsilon * factor,
            rank_epsilon=self.rank_epsilon * factor,
            draw_epsilon=self.draw_epsilon * factor,
        )


@dataclass(frozen=True, kw_only=True)
class SliceLayout:
    """The slices for one number of records. All levels have an answer; close ones may share it."""

    remaining: Ranks
    """The columns of the levels that get a slice."""
    answered_by: Ranks
    """For every level, the place in `remaining` of its answer."""
    ranks: Ranks
    half_width: int
    slack: Ranks
    """How much wider than two half-widths each gap between ranks is at least; closer ranks make no good run."""


@lru_cache(maxsize=512)
def arrange(rules: Rules, count: int, cells: int) -> SliceLayout | None:
    """Return the layout for `count` records (public or noisy, below 0 counts as 0) on a grid of this many values.

    None where the ranks are too close; `refusal` says what would do.
    """
    ranks = ranks_of(rules.levels, count)
    columns = tuple(range(len(ranks)))
    answered_by = columns
    width = half_width(rules, columns, ranks, count, cells)
    if width is None and rules.merge_close:
        columns, answered_by = merged(rules, ranks, count, cells)
        width = half_width(rules, columns, ranks, count, cells)
    if width is None:
        return None
    between = [ranks[after] - ranks[before] - _wander(rules, before, after) for before, after in pairwise(columns)]
    return SliceLayout(
        remaining=columns,
        answered_by=answered_by,
        ranks=tuple(ranks[column] for column in columns),
        half_width=width,
        slack=tuple(distance - 2 * width for distance in between),
    )


def ranks_of(levels: tuple[Fraction, ...], count: int) -> Ranks:
    """Return floor(q n) for every level, exactly."""
    return tuple(level.numerator * max(count, 0) // level.denominator for level in levels)


def ranks_at(levels: tuple[Fraction, ...], counts: Integers) -> Integers:
    """Return floor(q n) for every n and level, (counts, levels)."""
    counts = np.maximum(counts, 0)
    numerators, denominators = zip(*(level.as_integer_ratio() for level in levels), strict=True)
    if max(max(numerators) * int(counts.max(initial=0)), max(denominators)) < MOST_CELLS:
        return np.asarray(counts[:, None] * np.array(numerators) // np.array(denominators), dtype=np.int64)
    return np.array([ranks_of(levels, count) for count in counts.tolist()], np.int64)


def failure_delta(rules: Rules, slack: Ranks, node_epsilon: Fraction) -> Decimal:
    """Return the probability that a gap falls by its slack or more, added up over the gaps; 0 for one rank."""
    total, columns = Decimal(0), tuple(range(len(rules.levels)))
    for (terms, room), times in Counter(zip(_terms(rules, columns), slack, strict=True)).items():
        total = CONTEXT.add(total, CONTEXT.multiply(chance_beyond(room, terms, node_epsilon), times))
    return CONTEXT.multiply(total, UPWARDS)


def layout_delta(rules: Rules, layout: SliceLayout) -> Decimal:
    """Return the delta of a layout that has a slice for every level."""
    return failure_delta(rules, layout.slack, rules.node_epsilon)


def half_width(rules: Rules, columns: Ranks, ranks: Ranks, count: int, cells: int) -> int | None:
    """Return the half-width of slices at some columns' ranks: what any domain needs, or what has room, or None.

    Accuracy only, every h >= 1 is private. Refused below what evenly spread data need (count + 1 gaps of one length).
    """
    widest = enough_for(rules, len(ranks), MOST_CELLS)
    needed = needed_slacks(rules, columns, cells)
    room = min(
        (
            ranks[after] - ranks[before] - slack
            for (before, after), slack in zip(pairwise(columns), needed, strict=True)
        ),
        default=2 * max(widest, rules.half_width or 1),
    )
    width = rules.half_width or min(widest, room // 2)
    least = rules.half_width or least_half_width(rules, count)
    return width if width >= least and 2 * width <= room else None


def least_half_width(rules: Rules, count: int) -> int:
    """Return the requested half-width, or the least accepted: enough for `count` evenly spread records."""
    return rules.half_width or enough_for(rules, len(rules.levels), max(count, 0) + 1)


def needed_slacks(rules: Rules, columns: Ranks, cells: int) -> list[int]:
    """Return how much wider than two half-widths each gap between neighbouring columns has to be."""
    terms = _terms(rules, columns)
    slack = {each: _slack(rules, each, cells) for each in set(terms)}
    wander = (_wander(rules, before, after) for before, after in pairwise(columns))
    return [slack[each] + extra for each, extra in zip(terms, wander, strict=True)]


def _terms(rules: Rules, columns: Ranks) -> list[int]:
    kind, places = rules.kind, rules.places
    return [terms_between(kind, before + 1, after + 1, places) for before, after in pairwise(columns)]


def _slack(rules: Rules, terms: int, cells: int) -> int:
    count = len(rules.levels)
    # A union: over the gaps, or over all pairs of levels where a noisy number decides which of them have slices.
    pairs = count * (count - 1) // 2 if rules.merge_close and not rules.count_is_public else count - 1
    part = CONTEXT.divide(target_delta(rules, cells), max(pairs, 1))
    slack = slack_for(terms, rules.node_epsilon, part)
    if rules.paper and rules.delta is not None:
        # Theorem 4.2: w = 3 ln(m) ln(2 m / delta) / eps1; never below what the sharp theorem needs.
        logarithm = float(CONTEXT.ln(CONTEXT.divide(Decimal(2 * count), rules.delta)))
        slack = max(slack, ceil(3 * log(count) * logarithm / float(rules.rank_epsilon)))
    return slack


def _wander(rules: Rules, before: int, after: int) -> int:
    """Return how much closer two ranks may come because they follow n less noise and not the public n itself."""
    if not (rules.count_is_public and rules.bridged):
        return 0
    spread = slack_for(terms_between(rules.kind, 0, rules.places, rules.places), rules.node_epsilon, WANDERING)
    return ceil((rules.levels[after] - rules.levels[before]) * spread) + 1


def enough_for(rules: Rules, count: int, cells: int) -> int:
    """Return the half-width for which all `count` answers fall inside their slices with probability 1 - beta."""
    exponent = log(2 * count * cells) - log(rules.beta)
    return max(1, ceil(2 / float(rules.draw_epsilon) * exponent - 1))


def merged(rules: Rules, ranks: Ranks, count: int, cells: int) -> tuple[Ranks, Ranks]:
    """Return columns far enough apart, from the lowest on, and for every level the place of the nearest of them."""
    width, columns = least_half_width(rules, count), range(len(ranks))

    def far_enough(column: int) -> bool:
        (slack,) = needed_slacks(rules, (remaining[-1], column), cells)
        return ranks[column] - ranks[remaining[-1]] >= 2 * width + slack

    remaining = [0]
    while True:
        first = bisect_left(ranks, ranks[remaining[-1]] + 2 * width, remaining[-1] + 1)
        following = bisect_left(columns, True, first, key=far_enough)  # once far enough, always: slacks grow slower
        if following == len(ranks):
            break
        remaining.append(following)
    places = [ranks[column] for column in remaining]
    nearest = []
    for rank in ranks:
        above = bisect_left(places, rank)
        around = [place for place in (above - 1, above) if 0 <= place < len(places)]
        nearest.append(min(around, key=lambda place: abs(places[place] - rank)))
    return tuple(remaining), tuple(nearest)


def target_delta(rules: Rules, cells: int) -> Decimal:
    """Return the delta that all slacks together have to reach, rounded down."""
    if rules.delta is not None:
        return CONTEXT.divide(rules.delta, UPWARDS)
    share = CONTEXT.multiply(to_decimal(MOST_MIXTURE), _gain(rules))
    return CONTEXT.divide(CONTEXT.divide(share, _outputs(len(rules.levels), cells)), UPWARDS)


def mixture(rules: Rules, delta: Decimal, cells: int) -> int:
    """Return the probability of a uniform answer that makes (epsilon, delta) pure, in units of 2^-62, rounded up.

    With gamma >= delta |Y| / (e^epsilon - 1), (1 - gamma) P + gamma / |Y| <= e^epsilon ((1 - gamma) Q + gamma / |Y|)
    wherever P <= e^epsilon Q + delta, for each of the |Y| sorted answers. The coin is thrown before anything else.
    """
    if rules.delta is not None or len(rules.levels) == 1:
        return 0
    gamma = CONTEXT.divide(CONTEXT.multiply(delta, _outputs(len(rules.levels), cells)), _gain(rules))
    units = CONTEXT.multiply(CONTEXT.multiply(gamma, 2**MIXTURE_BITS), UPWARDS)
    return int(units.to_integral_value(rounding="ROUND_CEILING", context=CONTEXT))


def public_layout(rules: Rules, count: int, cells: int) -> tuple[Rules, SliceLayout, Ranks]:
    """Return for a public number of records the rules of the levels with slices, their layout, and each level's slice.

    Noise is made for these levels only. Raises Infeasible with what would do instead.
    """
    first, remaining = arrange(rules, count, cells), rules
    if first and len(first.remaining) < len(rules.levels):
        levels = tuple(rules.levels[column] for column in first.remaining)
        remaining = replace(rules, levels=levels, merge_close=False)
    layout = arrange(remaining, count, cells)
    if first is None or layout is None:
        raise refusal(rules, count, cells)
    return remaining, layout, first.answered_by


@lru_cache(maxsize=64)
def _gain(rules: Rules) -> Decimal:
    """Return e^epsilon - 1, rounded down."""
    power = CONTEXT.exp(to_decimal(rules.epsilon))
    return CONTEXT.divide(CONTEXT.subtract(power, 1), UPWARDS)


@lru_cache(maxsize=64)
def _outputs(levels: int, cells: int) -> Decimal:
    """Return the number of sorted answers, |Y| = C(cells + m - 1, m), rounded up."""
    return CONTEXT.multiply(CONTEXT.create_decimal(comb(cells + levels - 1, levels)), UPWARDS)


_LARGEST_COUNT = 2**60
_LARGEST_FACTOR = 100 * 100
ANOTHER_COUNT = Decimal("0.001")
"""The chance that another noisy number of records is so much lower that what is offered does not do after all."""


def refusal(rules: Rules, count: int, cells: int, charged: float | None = None) -> Infeasible:
    """Return why the ranks do not fit, and which n, epsilon, delta, half-width or number of answers would do.

    `count` is public, or noisy: then `charged` is what it has cost. Where the next one is noisy, what is offered leaves
    room for that.
    """
    ranks, columns = ranks_of(rules.levels, count), tuple(range(len(rules.levels)))
    slack = needed_slacks(rules, columns, cells)
    width = least_half_width(rules, count)
    distance, needed = min(
        ((after - before, 2 * width + own) for (before, after), own in zip(pairwise(ranks), slack, strict=True)),
        key=lambda pair: pair[0] - pair[1],
    )
    known = "" if rules.count_is_public else "about " if charged is None else "a noisy number of "
    people = f"{known}{max(count, 0):,} people"
    found = list(_ways(rules, count, cells))
    either = [word for words, _ in found for word in (", or ", *words)][1:]
    return Infeasible(
        "quantiles",
        (
            f"must be further apart for {people}: two are {distance:,} ranks apart where slices need {needed:,}. "
            "It would do to have ",
            *either,
            ".",
        ),
        tuple(way for _, way in found if way),
        count=count,
        noisy_count=None if charged is None else count,
        charged=charged or 0.0,
    )


def _ways(rules: Rules, count: int, cells: int) -> Iterator[tuple[tuple[str, ...], Remedy | None]]:
    """Yield what would do, in words and as a setting; more records are no setting."""
    columns, spare = tuple(range(len(rules.levels))), 0
    if not rules.count_is_public:  # two noisy numbers of the same records are as far apart, but for a small chance
        terms = 2 * terms_between(rules.kind, 0, rules.places, rules.places)
        spare = slack_for(terms, rules.node_epsilon, ANOTHER_COUNT)
    least = max(count - spare, 0)

    def fits(candidate: Rules, records: int) -> bool:
        return half_width(candidate, columns, ranks_of(candidate.levels, records), records, cells) is not None

    records = _smallest(lambda n: fits(rules, n), max(count, 1), _LARGEST_COUNT)
    if records is not None:
        yield (f"n of {records + spare:,} or more",), None
    hundredths = _smallest(lambda k: fits(rules.times(Fraction(k, 100)), least), 100, _LARGEST_FACTOR)
    if hundredths is not None:
        enough = float(rules.epsilon) * hundredths / 100
        scale: float = 10.0 ** (2 - floor(log10(enough)))
        epsilon = f"{ceil(enough * scale) / scale:.3g}"
        yield (f"ε of {epsilon} or more",), Remedy("epsilon", float(epsilon))
    if rules.delta is None and fits(replace(rules, delta=Decimal(USUAL_DELTA)), least):
        yield (f"a δ, such as {USUAL_DELTA:g}",), Remedy("delta", USUAL_DELTA)
    ranks, slack = ranks_of(rules.levels, least), needed_slacks(rules, columns, cells)
    room = min(after - before - own for (before, after), own in zip(pairwise(ranks), slack, strict=True))
    if room >= 2:
        yield ("a ", Name("half_width"), f" of at most {room // 2} (less accurate)"), Remedy("half_width", room // 2)
    answers = len(merged(rules, ranks, least, cells)[0])
    saving = f", with {answers} answer{'s' * (answers > 1)} for the {len(columns)} quantiles"
    yield (Name("merge_close"), saving), Remedy("merge_close", True)


def _smallest(fits: Callable[[int], bool], start: int, most: int) -> int | None:
    """Return about the smallest number above `start` that fits, itself checked; None where none up to `most` does."""
    low, high = start, 2 * start
    while not fits(high):
        low, high = high, 2 * high
        if high > most:
            return None
    while high - low > max(low // 200, 1):
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high
