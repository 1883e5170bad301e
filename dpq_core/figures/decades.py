"""Values over many decades on one axis: linear up to a unit around 0, logarithmic beyond it, on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, copysign, floor, isfinite, log10
from typing import Any

from .axes import MOST_TICKS, plain

LINEAR_UP_TO = 30.0
"""A linear axis shows values well whose sizes differ by no larger factor."""
LEAST_PLAIN = -4
"""0.0001; what is smaller is a power of ten."""


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
