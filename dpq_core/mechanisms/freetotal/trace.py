"""One run of JointExp with a free total seen from inside: the records between the answers beside the best total's."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...arrays import Integers
from ...column import Column
from ..base import TraceStep
from ..joint.distance import best_total, counts_of, distance, proportions_of


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

    @property
    def draw(self) -> object:
        """Return one name for all: the run is one draw."""
        return ""


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
        )
        for place, level in enumerate(levels)
    ]
