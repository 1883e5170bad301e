"""The picture of a lesson for one position of its slider, and the public data that lessons are about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from dpq_core.arrays import Floats
from dpq_core.column import Column
from dpq_core.domain.domain import Domain
from dpq_core.sources.examples import EXAMPLES, load_example

SAMPLE_SEED = 0
"""Of the bits that break ties. Lessons are about public data and are no release."""
MEDIAN = Fraction(1, 2)


@dataclass(frozen=True)
class LessonPicture:
    """A figure, what it shows in words, the same numbers as a table, and a sentence about them."""

    figure: Any
    alt: str
    table: dict[str, list[Any]]
    sentence: str
    seed: int | None = None
    """Of the simulation; None where nothing was drawn."""


Show: TypeAlias = Callable[[str, int, bool], LessonPicture]
"""The slider's text, a seed, and whether the prediction was made: what is then shown. Repeatable."""


@lru_cache(maxsize=4)
def values_of(example: str) -> Floats:
    """Return the column of a public example; do not change it."""
    values = load_example(example).values
    values.flags.writeable = False
    return values


def column_of(example: str, count: int | None = None) -> Column:
    """Return the first `count` values of a public example, by default all, on the grid of its public bounds."""
    known = EXAMPLES[example]
    domain = Domain(known.lower, known.upper, known.step)
    return Column.from_values(values_of(example)[:count], domain, seed=SAMPLE_SEED)


def percent(probability: float) -> str:
    """Return a probability in percent, in two digits: `21 %`, `0.0031 %`. Only 0 and 1 read as 0 % and 100 %."""
    shown = np.format_float_positional(100 * probability, precision=2, fractional=False, trim="-")
    return "over 99\u00a0%" if shown == "100" and probability < 1 else f"{shown}\u00a0%"
