"""Axes of a still drawing: the pixels of values, and the places of ticks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from math import ceil, floor, isfinite, log10
from typing import Any

ROOM = 0.05
"""Of an axis without a range, beyond the outermost values."""
TICKS_ACROSS, TICKS_UP = 7, 6
"""About how many ticks an axis gets that does not list its own."""
DATES = 5
MOST_POWERS = 9

Tick = tuple[float, str]


@dataclass(frozen=True)
class PixelAxis:
    """One axis: `low` and `high` are the places of its ends, `start` and `end` their pixels."""

    layout: Any
    """As plotly describes it."""
    kind: str
    """`linear`, `log` or `date`."""
    low: float
    high: float
    start: float
    end: float

    def at(self, value: Any) -> float | None:
        """Return the pixel of a value, or None where it has none: a gap, or no number."""
        place = place_of(value, self.kind)
        return None if place is None else self.pixel(place)

    def pixel(self, place: float) -> float:
        """Return the pixel of a place: a number, its power of ten, or a day."""
        return round(self.start + (place - self.low) / (self.high - self.low) * (self.end - self.start), 1)

    def ticks(self) -> list[Tick]:
        """Return the pixels and the words of the ticks that lie on the axis."""
        low, high = sorted((self.low, self.high))
        edge = 1e-6 * (high - low)
        return [(self.pixel(place), words) for place, words in self._ticks() if low - edge <= place <= high + edge]

    def _ticks(self) -> list[Tick]:
        values, texts = self.layout.tickvals, self.layout.ticktext
        if values is not None:
            words = texts if texts is not None else [number_text(value, self.layout.tickformat) for value in values]
            found = [(place_of(value, self.kind), str(text)) for value, text in zip(values, words, strict=True)]
            return [(place, text) for place, text in found if place is not None]
        low, high = sorted((self.low, self.high))
        match self.kind:
            case "date":
                days = [round(low + (high - low) * (at + 0.5) / DATES) for at in range(DATES)]
                return [(float(day), date.fromordinal(max(day, 1)).isoformat()) for day in days]
            case "log":
                return [(log10(value), number_text(value, self.layout.tickformat)) for value in powers(low, high)]
        step = self.layout.dtick or round_step((high - low) / (TICKS_UP if self.start > self.end else TICKS_ACROSS))
        places = [round(at * step, 12) for at in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]
        return [(place, number_text(place, self.layout.tickformat)) for place in places]


def axis_of(layout: Any, values: Iterable[Any], start: float, end: float) -> PixelAxis:
    """Return an axis with the range that it is given, or with one around all values."""
    shown = list(values)
    kind = layout.type or ("date" if any(isinstance(value, str) for value in shown) else "linear")
    if layout.range is not None:
        ends = [float(end) if kind == "log" else place_of(end, kind) for end in layout.range]
        low, high = (0.0 if end is None else end for end in ends)
    else:
        places = [place for place in (place_of(value, kind) for value in shown) if place is not None] or [0.0, 1.0]
        low, high = min(places), max(places)
        room = ROOM * ((high - low) or 1.0)
        low, high = (0.0 if layout.rangemode == "tozero" and low >= 0 else low - room), high + room
    return PixelAxis(layout, kind, low, high if high != low else low + 1.0, start, end)


def place_of(value: Any, kind: str) -> float | None:
    """Return where a value lies on an axis of this kind, or None where it has no place there."""
    if value is None:
        return None
    if kind == "date":
        try:
            return float(date.fromisoformat(str(value)[:10]).toordinal())
        except ValueError:
            return None
    number = float(value)
    if kind == "log":
        return log10(number) if 0 < number < float("inf") else None
    return number if isfinite(number) else None


def powers(low: float, high: float) -> list[float]:
    """Return the values with ticks on a logarithmic axis: powers of ten, between few of them 2 and 5 as well."""
    first, last = floor(low), ceil(high)
    every = -(-(last - first + 1) // MOST_POWERS)
    digits = (1, 2, 5) if high - low < 1.5 else (1,)
    return [digit * 10.0**power for power in range(first, last + 1, every) for digit in digits]


def round_step(least: float) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that is no smaller."""
    power = 10.0 ** floor(log10(least))
    return next(digit * power for digit in (1, 2, 5, 10) if digit * power >= least * 0.999)


def number_text(value: float, how: str | None) -> str:
    """Return a number as plotly writes it on an axis with a `tickformat`, or without one."""
    return format(value, how or ",.10g")
