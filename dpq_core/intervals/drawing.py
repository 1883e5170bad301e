"""Draw the answers of one column with their intervals: of all records, or of one group of many."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..domain.domain import Domain
from ..mechanisms.base import Parameters
from ..mechanisms.registry import MECHANISMS
from ..noise.entropy import Entropy
from ..plan import Plan
from ..sketches.data import Data
from .drawn import Drawn


def draw_values(
    data: Data, plan: Plan, parameters: Parameters, drawn: Drawn | None, entropy: Entropy
) -> tuple[Floats, Floats | None]:
    """Return drawn values (trials, m) in the plan's order, and their intervals (trials, m, 2) where it asks for them.

    `parameters` are those of all levels, `drawn` is what they are drawn for. The intervals are for values of the grid:
    `of_values` makes them hold for values as they are. Raises ParameterError (also Infeasible).
    """
    if drawn is None or drawn.ends:
        values = data.values_of(MECHANISMS[plan.mechanism].run(data, parameters, entropy))
        return read_off(values, plan, parameters, drawn, data.domain)
    found = parameters.run_with_intervals(data, entropy, drawn.sure)
    cells = np.minimum(found.lows, found.answers), found.answers, np.maximum(found.highs, found.answers)
    low, middle, high = (in_plan_order(data.values_of(each), plan, parameters) for each in cells)
    return middle, np.stack([low, high], axis=-1)


def read_off(
    values: Floats, plan: Plan, parameters: Parameters, drawn: Drawn | None, domain: Domain
) -> tuple[Floats, Floats | None]:
    """Return the answers (..., m) and intervals (..., m, 2) among the values (..., levels) of all drawn levels."""
    intervals = None if drawn is None else drawn.at_ends(values, parameters.levels, domain)
    return in_plan_order(values, plan, parameters), intervals


def in_plan_order(values: Floats, plan: Plan, parameters: Parameters) -> Floats:
    """Return answers (..., distinct levels) spread over the plan's levels (..., m): any order, repeats repeated."""
    column = {level: at for at, level in enumerate(parameters.levels)}
    return values[..., [column[level] for level in plan.quantiles]]
