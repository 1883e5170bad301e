"""Quantiles of a column whose bounds nobody knows: find bounds from a share of the budget, then draw between them.

Two steps, one release, one guarantee. The first is one private walk outwards from 0 for each end (`walk`); the second
is the plan on the domain that was found, with the rest of the budget. Its domain is an output of the first, which
composition allows: `budget` adds both up, and docs/how-we-know.md has the argument.
"""

from .budget import rest_of
from .column import RawSample
from .steps import (
    CalibratedSteps,
    calibrate_raw,
    clipped,
    draw_data,
    explain_with_bounds,
    release_raw,
    simulate_raw,
    simulate_with_bounds,
)
from .walk import Walk

__all__ = [
    "CalibratedSteps",
    "RawSample",
    "Walk",
    "calibrate_raw",
    "clipped",
    "draw_data",
    "explain_with_bounds",
    "release_raw",
    "rest_of",
    "simulate_raw",
    "simulate_with_bounds",
]
