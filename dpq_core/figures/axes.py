"""Axes that are easy to read: logarithmic axes with plain numbers, and value axes around the quantiles, without a tail.

Logarithmic ticks are at 1, 10, 100, with at least two of them. The axes of a live picture keep still: they change in
few steps, when marks would leave them. `Decades` is linear up to a unit around 0, and logarithmic beyond it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import count
from math import ceil, copysign, floor, isfinite, log10
from typing import Any

import numpy as np

Range = tuple[float, float]

ROOM = 0.04  # of an axis, beyond the outermost points
MOST_TICKS = 7
LARGE_NUMBERS = ((9, "B"), (6, "M"), (3, "k"))
LARGEST_LETTER = 11  # 100B; larger numbers are powers of ten
PLAIN_UP_TO = 3  # 1,000 is written out; larger numbers have a letter
TAIL_SHOWN = 0.7  # of the distance of the outermost quantiles, on the value axis beyond them
LEAST_DAYS = 5  # shown before the first date and after the last one
ALONE = 0.1  # around a single value, as a share of the whole axis
OUTERMOST = 0.01  # shares at both ends of a distribution that do not decide how much of the axis is shown

NARROW_ENOUGH = 3.0  # a scale runs from bound to bound up to this many times the width of the body of the data
EDGE = 0.03  # of a scale, beyond its ends
STEPS = (1, 2, 5)  # of the ends of a scale of rank errors, in each power of ten
SMALLEST_REACH = 5  # records to either side that the scale of rank errors shows at least
SHRINKS_BELOW = 1 / 20  # a scale of errors shrinks where the farthest mark is nearer to 0 than this share of it

Values = Sequence[float] | Sequence[str]  # numbers, or ISO dates
Steps = tuple[Values, Sequence[float]]  # values, and the share at or below each


def log_range(values: Iterable[float]) -> Range | None:
    """Return the range of a logarithmic axis, in powers of ten, that shows all values above 0; None without any.

    A range with fewer than two powers of ten is extended to the next ones.
    """
    powers = [log10(value) for value in values if isfinite(value) and value > 0]
    if not powers:
        return None
    low, high = min(powers), max(powers)
    if floor(high) - ceil(low) < 1:
        low, high = floor(low), max(ceil(high), floor(low) + 1)
    space = ROOM * (high - low)
    return low - space, high + space


def linear_range(values: Sequence[Any]) -> tuple[Any, Any]:
    """Return the range of a linear axis that shows all values with some room; 0 to 1 without any."""
    if dates := _dates(values):
        return _around_dates(dates, ROOM)
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = ROOM * (high - low) or ROOM * abs(high) or 1.0
    return low - room, high + room


def log_ticks(ends: Range | None) -> dict[str, Any]:
    """Return the settings of a logarithmic axis with this range, in powers of ten."""
    if ends is None:
        return {"type": "log", "dtick": 1}
    powers = range(ceil(ends[0]), floor(ends[1]) + 1)
    powers = powers[:: ceil(len(powers) / MOST_TICKS) or 1]
    values, texts = [10.0**power for power in powers], [plain(power) for power in powers]
    return {"type": "log", "range": ends, "tickvals": values, "ticktext": texts}


def plain(power: int) -> str:
    """Return a power of ten as people write it: `0.01`, `1`, `1,000`, `10k`, `1M`, `1e12`."""
    if power <= PLAIN_UP_TO:
        return f"{10**power:,}" if power >= 0 else f"{10.0**power:.{-power}f}"
    if power > LARGEST_LETTER:
        return f"1e{power}"
    size, letter = next(each for each in LARGE_NUMBERS if power >= each[0])
    return f"{10 ** (power - size):,}{letter}"


def around(marks: Sequence[Any], steps: Values) -> list[Any] | None:
    """Return the part of the value axis around the quantiles, so that a tail does not squeeze them; None for all."""
    if dates := _dates(marks):
        tails = _around_dates(dates, TAIL_SHOWN)
        whole = _around_dates([*dates, *_dates([*steps[:1], *steps[-1:]])], ROOM)
        return [max(tails[0], whole[0]), min(tails[1], whole[1])]
    numbers = [mark for mark in marks if isinstance(mark, int | float) and isfinite(mark)]
    ends = [step for step in (*steps[:1], *steps[-1:]) if isinstance(step, int | float)]
    if not numbers or not ends:
        return None
    alone = ALONE * (ends[-1] - ends[0])
    room = TAIL_SHOWN * (max(numbers) - min(numbers)) or min(alone, abs(numbers[0])) or alone
    if not room:
        return None
    low, high = max(ends[0], min(numbers) - room), min(ends[-1], max(numbers) + room)
    edge = EDGE * (high - low)
    return [min(low, min(numbers)) - edge, max(high, max(numbers)) + edge]


def _dates(marks: Sequence[Any]) -> list[date]:
    return [date.fromisoformat(mark) for mark in marks if isinstance(mark, str) and mark[4:5] == "-"]


def _around_dates(dates: Sequence[date], share: float) -> tuple[str, str]:
    """Return the ends of an axis of dates, so far apart that its ticks are days."""
    room = max(timedelta(LEAST_DAYS), share * (max(dates) - min(dates)))
    return str(max(min(dates), date.min + room) - room), str(min(max(dates), date.max - room) + room)


def body_of(steps: Steps) -> list[Any]:
    """Return the values of a distribution without its outermost hundredths."""
    return [value for value, share in zip(*steps, strict=True) if OUTERMOST <= share <= 1 - OUTERMOST]


def reach_of(errors: Sequence[float], before: int | None = None) -> int:
    """Return where a scale of rank errors ends on either side, in records: 5, 10, 20, 50, 100, ...

    `before`: the end of the scale that is shown now, which stays as long as all errors fit and are not all tiny on it.
    """
    farthest = max(map(abs, errors), default=0.0)
    if before is not None and farthest <= before and farthest >= SHRINKS_BELOW * before:
        return before
    ends: Iterator[int] = (step * 10**power for power in count() for step in STEPS)
    return next(end for end in ends if end >= max(farthest, SMALLEST_REACH))


def value_range(true: Sequence[float], private: Sequence[float], distribution: Steps, bounds: Range) -> Range | None:
    """Return the ends of the value axis of a live picture; None where they cannot be computed.

    `distribution`: the true one; `bounds`: the least and the largest value of an answer. The axis runs from bound to
    bound, or around the true quantiles where the bounds are far away. Then it doubles until it has room for the private
    quantiles, so it is the same for most budgets. It also shows quantiles beyond bounds that were found.
    """
    base, body = around(true, distribution[0]), body_of(distribution)
    if base is None:
        return None
    lowest, highest = min(bounds[0], *true, *private), max(bounds[1], *true, *private)
    low, high = max(base[0], lowest), min(base[1], highest)
    if body and highest - lowest <= NARROW_ENOUGH * (max(body) - min(body)):
        low, high = lowest, highest
    while private and (min(private) < low or max(private) > high):
        width = high - low
        low = max(low - width, lowest) if min(private) < low else low
        high = min(high + width, highest) if max(private) > high else high
    edge = EDGE * (high - low)
    return low - edge, high + edge


LINEAR_UP_TO = 30.0  # a linear axis shows values well whose sizes differ by no larger factor
LEAST_PLAIN = -4  # 0.0001; what is smaller is a power of ten


@dataclass(frozen=True)
class Decades:
    """A symmetric logarithmic axis: the places of 0, the unit and ten units are 0, 1 and 2."""

    unit_power: int
    """The power of ten up to which the axis is linear."""

    def at(self, value: float) -> float:
        """Return the place of a value."""
        size = abs(value) / 10.0**self.unit_power
        return copysign(size if size <= 1 else 1 + log10(size), value)

    def along(self, values: Iterable[Any]) -> list[Any]:
        """Return the places of values; a gap stays one."""
        return [self.at(value) if isinstance(value, int | float) else value for value in values]

    def ticks(self, low: float, high: float) -> dict[str, Any]:
        """Return the ticks of an axis between two places, in plain numbers: 0 and powers of ten, of both signs."""
        places = range(ceil(low), floor(high) + 1)
        every = ceil(len(places) / MOST_TICKS) or 1
        shown = [place for place in places if place % every == 0]
        return {"tickvals": shown, "ticktext": [self._text(place) for place in shown]}

    def _text(self, place: int) -> str:
        power = abs(place) - 1 + self.unit_power
        text = plain(power) if power >= LEAST_PLAIN else f"1e{power}"
        return "0" if place == 0 else f"−{text}" if place < 0 else text


def decades_of(marks: Sequence[Any]) -> Decades | None:
    """Return the axis for values of many sizes; None where a linear one shows them as well."""
    sizes = [abs(mark) for mark in marks if isinstance(mark, int | float) and isfinite(mark) and mark != 0]
    if not sizes or max(sizes) <= LINEAR_UP_TO * min(sizes):
        return None
    return Decades(floor(log10(min(sizes))))


MOST_STEPS = 5
"""Between the ticks of an axis of rows; fewer where their texts are long."""
LETTERS = 24
"""About as many fit below an axis on a phone."""
DATES = (1 / 8, 1 / 2, 7 / 8)
"""About where an axis of dates has its ticks: no text goes beyond its ends."""


@dataclass(frozen=True)
class Axis:
    """The values at the left and the right end of rows of answers, and its ticks: where, and what they say."""

    low: float
    high: float
    decades: Decades | None = None
    """Where the answers lie many decades apart."""
    ticks: tuple[tuple[float, str], ...] = ()
    """Each by its place from 0 to 1."""

    def share(self, value: float) -> float:
        """Return the place of a value from 0 to 1; beyond the ends, that end's."""
        low, high, at = map(self._along, (self.low, self.high, value))
        return min(max((at - low) / (high - low), 0.0), 1.0)

    def _along(self, value: float) -> float:
        return value if self.decades is None else self.decades.at(value)


def axis_of(
    answers: Sequence[float],
    bounds: tuple[float, float],
    number: Callable[[float], str],
    *,
    least: float = 0.0,
    wide: bool = False,
) -> Axis:
    """Return the axis around the answers; from bound to bound where these are one value or none.

    It begins and ends at a tick, unless a bound is nearer. `number`: a value as text. `least`: the smallest step that
    this shows; 0 for dates. `wide`: answers may lie many decades apart.
    """
    low, high = min(answers, default=0.0), max(answers, default=0.0)
    if low >= high:
        low, high = bounds
    if decades := decades_of(answers) if wide else None:
        start, end = decades.at(low), decades.at(high)
        found = decades.ticks(start, end)
        ticks = zip(found["tickvals"], found["ticktext"], strict=True)
        return Axis(low, high, decades, tuple(((place - start) / (end - start), text) for place, text in ticks))
    if not least:
        days = [_round_date(low + at * (high - low), high - low) for at in DATES]
        return Axis(low, high, ticks=tuple(((day - low) / (high - low), number(day)) for day in days))
    longest = max(len(number(low)), len(number(high)))
    step = max(_step(low, high, min(max(LETTERS // longest, 1), MOST_STEPS)), least)
    first, last = floor(low / step), ceil(high / step)
    low, high = max(first * step, min(low, bounds[0])), min(last * step, max(high, bounds[1]))
    marks = [place * step for place in range(first, last + 1) if low <= place * step <= high]
    return Axis(low, high, ticks=tuple(((mark - low) / (high - low), number(mark)) for mark in marks))


def _round_date(days: float, width: float) -> float:
    """Return the nearest first of January or of a month where an axis of this width in days has many, or the same."""
    if width <= 366:
        return days
    unit, half = ("Y", 183) if width > 12 * 366 else ("M", 15)
    return float(np.datetime64(round(days) + half, "D").astype(f"M8[{unit}]").astype("M8[D]").astype(np.int64))


def _step(low: float, high: float, most: int) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that goes `most` times into an axis at most."""
    power = 10.0 ** floor(log10((high - low) / most))
    return next(step * power for step in (*STEPS, 10) if step * power * most >= high - low)
