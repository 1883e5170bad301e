"""Say why slices do not fit, and what would do instead: in public terms only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, log10

from ...errors import Infeasible, Name, Remedy
from ..base import USUAL_DELTA
from .layout import Rules, half_width, least_half_width, merged, needed_slacks, ranks_of
from .ranks import slack_for, terms_between

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
