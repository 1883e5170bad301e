"""Quantiles of a column without known bounds: find bounds with a share of the budget, then draw between them.

A release has two steps and one guarantee. The first step is a private walk outwards from 0 for each bound (`walk`). The
second step runs the plan on the domain that was found, with the rest of the budget. Composition allows a second step
that depends on the output of the first: `counting` adds up both, and docs/how-we-know.md has the argument. In the same
way, a noisy number of records is drawn before the intervals that depend on it (`counting`).
"""

from .column import RawGroups, RawSample
from .counting import (
    CountedSteps,
    basis_of_count,
    by_number,
    calibrate_counted,
    draw_counted,
    intervals_of,
    is_counted,
    rest_of,
    simulate_counted,
)
from .steps import (
    CalibratedSteps,
    Steps,
    calibrate_data,
    calibrate_raw,
    clipped,
    draw_data,
    draw_raw_groups,
    explain_raw,
    explain_with_bounds,
    simulate_data,
    simulate_raw_groups,
    simulate_with_bounds,
    simulated_bounds,
)
from .walk import Walk

__all__ = [
    "CalibratedSteps",
    "CountedSteps",
    "RawGroups",
    "RawSample",
    "Steps",
    "Walk",
    "basis_of_count",
    "by_number",
    "calibrate_counted",
    "calibrate_data",
    "calibrate_raw",
    "clipped",
    "draw_counted",
    "draw_data",
    "draw_raw_groups",
    "explain_raw",
    "explain_with_bounds",
    "intervals_of",
    "is_counted",
    "rest_of",
    "simulate_counted",
    "simulate_data",
    "simulate_raw_groups",
    "simulate_with_bounds",
    "simulated_bounds",
]
