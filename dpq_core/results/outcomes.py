"""What simulations and releases of a page have in common: their public facts, their words, and their noise."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from ..accuracy import NOISE_INTERVAL
from ..arrays import Floats
from ..column import RawColumn
from ..domain.domain import Domain
from ..plan import Plan
from ..question import Bounds
from ..release import ColumnWords, Description
from ..sample import Sample
from .answers import as_floats
from .data_set import DataSet, PublicData
from .wording import Wording, decimals_of

EXPLORE_SEED = 0
"""The tie-breaking bits of explored data; fixed, so that a simulation can be repeated from its own seed."""
REPEATS = 20
"""Further answers shown as other runs with the same settings."""
TRIALS = 235
"""Simulated answers behind a noise interval; with the others 256, which the simulator draws in four equal parts."""
DRAWS = 1 + REPEATS + TRIALS
"""All answers of a simulation of one column in one piece."""
WALKS = 4
"""Bounds that are found, or records counted, for all these answers: each costs a sort, or a search for ends."""
MOST_STEPS = 2**50
"""Of the grid that the truth beside found bounds is put on."""


def words_of(columns: Mapping[str, DataSet]) -> Description:
    """Return how the values of columns are written, and what their rows are called."""
    first = next(iter(columns.values()))
    words = {name: ColumnWords(kind=data.kind, unit=data.unit) for name, data in columns.items()}
    return Description(columns=words, one=first.one, many=first.many, person=first.one_person)


def settings_of(data: DataSet, bounds: Bounds | None, plan: Plan | None) -> tuple[object, ...]:
    """Return what a run depends on, besides its seed."""
    return data.cache_key, bounds, plan


def wording_of(data: DataSet, domain: Domain | None) -> Wording:
    """Return how the values of this column on this grid are written."""
    decimals = 0 if domain is None else decimals_of(domain)
    return Wording(data.name, data.kind, data.unit, data.one, data.many, decimals, data.one_person)


def raw_sample(data: PublicData, find_bounds: Any) -> RawColumn:
    """Return the column whose bounds are to be found, with repeatable tie-breaking bits."""
    return RawColumn.from_values(data.values, find_bounds, seed=EXPLORE_SEED, missing=data.missing, **data.of_people)


def truth_beside(raw: RawColumn, data: PublicData, found: Domain) -> Sample:
    """Return all records where they are, also beyond the bounds that were found."""
    return raw.on(around(data.values, found)).in_one_piece()


def around(values: Floats, found: Domain) -> Domain:
    """Return even steps around the found bounds and all values, for the truth beside an answer: private as they are."""
    finite = values[np.isfinite(values)]
    ends = [*map(Fraction, finite[[finite.argmin(), finite.argmax()]].tolist())] if finite.size else []
    lower, upper = min([found.lower, *ends]), max([found.upper, *ends])
    step = found.step / 10**5
    while (upper - lower) / step > MOST_STEPS:
        step *= 10
    return Domain(floor(lower / step) * step, ceil(upper / step) * step, step)


def noise_interval(errors: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return for each level the bounds of 95 of 100 signed rank errors (trials, levels) of simulated answers."""
    if not errors.shape[1]:
        return (), ()
    lows, highs = np.percentile(errors, NOISE_INTERVAL, axis=0)
    return as_floats(np.floor(lows)), as_floats(np.ceil(highs))
