"""Draw the answers of a column from the operating system's entropy, for a plan that was calibrated for it."""

from __future__ import annotations

from fractions import Fraction

from .arrays import Floats
from .calibrations import Calibrated, check_calibrated, check_plan
from .errors import Infeasible, ParameterError, shown
from .group_privacy import refused_for_each
from .groups.table import refuse_seeded
from .intervals.drawn import draw_values
from .intervals.ends import as_pairs, of_values
from .noise.entropy import Entropy
from .noise.exact import ExactEntropy
from .plan import MAX_LEVELS, Plan
from .release import Cells
from .sketches.data import Data


def draw_cells(sample: Data, calibrated: Calibrated) -> Cells:
    """Return the answers of a column in one piece, for a plan that was calibrated for these data. Raises Infeasible."""
    refuse_seeded(sample)
    check_calibrated(sample, calibrated)
    try:
        values, intervals = draw(sample, calibrated, ExactEntropy())
    except Infeasible as refused:
        raise refused_for_each(refused, calibrated.unit) from None
    pairs = None if intervals is None else as_pairs(of_values(intervals[0], sample.domain).tolist())
    return Cells(
        values=(tuple(values[0].tolist()),),
        guarantee=calibrated.guarantee,
        plan=calibrated.plan,
        domain=sample.domain,
        notes=calibrated.notes,
        intervals=() if pairs is None else (pairs,),
        basis=None if calibrated.drawn is None else calibrated.drawn.basis,
    )


def draw(sample: Data, calibrated: Calibrated, entropy: Entropy) -> tuple[Floats, Floats | None]:
    """Return drawn values (trials, m) and their intervals (trials, m, 2): see `draw_values`."""
    values, intervals = draw_values(sample, calibrated.drawn_plan, calibrated.parameters, calibrated.drawn, entropy)
    among = calibrated.interpolation
    return (values, intervals) if among is None else (among.answers(values, sample.domain), among.intervals(intervals))


def synthetic_plan(plan: Plan, size: int) -> Plan:
    """Return the plan that a synthetic column of `size` values answers. Raises ParameterError."""
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MAX_LEVELS:
        raise ParameterError("size", f"must be a whole number from 1 to {MAX_LEVELS}, got {shown(size)}.")
    check_plan(plan)
    levels = [Fraction(2 * i + 1, 2 * size) for i in range(size)]
    return Plan(levels, plan.mechanism, plan.privacy, plan.adjacency, plan.options)
