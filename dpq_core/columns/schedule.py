"""One path from a question to its answers, for one column, the groups of a column, or a table.

A schedule is calibrated before any data are read: its steps are fixed, and one guarantee covers all of them. The
answers are drawn from it, and it says what an account of a ledger is charged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from ..calibrations import Calibrations, calibrate_grouped, check_plan
from ..columns_plan import ColumnsPlan
from ..domain.numbers import Number
from ..errors import ParameterError
from ..finding.column import Columns, RawGroups, Source, whole_of
from ..finding.steps import Steps, calibrate_data, draw_data
from ..frames.rows import COLUMN
from ..groups.calibration import CalibratedGroups
from ..groups.draws import draw_grouped_cells
from ..groups.table import Groups, refuse_seeded
from ..plan import Plan
from ..privacy.budgets import Guarantee
from ..progress import Progress, unheard
from ..release import AnyPlan, Cells, Release
from .release import CalibratedColumns, calibrate_columns, columns_plan, draw_columns, found_once

Asked: TypeAlias = Source | Columns
"""One column, whole or in groups, or the columns of a table by their names."""


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """What a release will do, calibrated: its steps, and what all of them guarantee together."""

    plan: AnyPlan
    """As the answers state it: with the options that a sketch already decided."""
    steps: Steps | CalibratedGroups | CalibratedColumns
    guarantee: Guarantee

    @property
    def n_public(self) -> int | None:
        """Return the number of records of one column in one piece where it is public; else None."""
        steps = [*self.steps.columns.values()] if isinstance(self.steps, CalibratedColumns) else [self.steps]
        return steps[0].n_public if len(steps) == 1 and not isinstance(steps[0], CalibratedGroups) else None


def schedule_of(
    data: Asked,
    plan: Plan | Mapping[str, Plan] | ColumnsPlan,
    weights: Mapping[str, Number] | None = None,
    calibrations: Calibrations | None = None,
) -> Schedule:
    """Return the schedule that answers a plan on these data; draw nothing.

    `calibrations`: those of the plan for one column in one piece, if they were made before. Raises ParameterError (also
    Infeasible), DataError.
    """
    if isinstance(data, Mapping):
        whole = columns_plan(data, plan, weights)
        columns = calibrate_columns(data, whole)
        return Schedule(plan=whole, steps=columns, guarantee=columns.guarantee)
    if weights is not None:
        raise ParameterError("weights", "must be None for a single sample.")
    check_plan(plan)
    assert isinstance(plan, Plan), "checked"
    if isinstance(data, RawGroups):
        one = {COLUMN: data}
        assert data.coarse.finding is None or found_once(one) is not None, "groups to be found are found first"
        columns = calibrate_columns(one, columns_plan(one, plan))
        return Schedule(plan=plan, steps=columns, guarantee=columns.guarantee)
    if isinstance(data, Groups):
        grouped = calibrate_grouped(data, plan)
        return Schedule(plan=plan, steps=grouped, guarantee=grouped.guarantee)
    steps = calibrate_data(data, plan, calibrations)
    return Schedule(plan=steps.plan, steps=steps, guarantee=steps.guarantee)


def draw(data: Asked, schedule: Schedule, progress: Progress = unheard) -> Release[Any]:
    """Return the answers of a schedule that was calibrated for these data, drawn now. Raises Infeasible."""
    return Release.of(_cells(data, schedule, progress), schedule.plan, schedule.guarantee)


def _cells(data: Asked, schedule: Schedule, progress: Progress) -> tuple[Cells, ...]:
    steps = schedule.steps
    if isinstance(steps, CalibratedColumns):
        if isinstance(data, Mapping):
            return draw_columns(data, steps, progress)
        (one,) = draw_columns({COLUMN: data}, steps, progress)
        assert isinstance(schedule.plan, Plan), "of one column"
        return (replace(one, plan=schedule.plan, guarantee=schedule.guarantee),)
    assert not isinstance(data, Mapping | RawGroups), "calibrated for a table"
    if isinstance(steps, CalibratedGroups):
        assert isinstance(data, Groups), "calibrated for groups"
        found = draw_grouped_cells(data, steps)
    else:
        assert not isinstance(data, Groups), "calibrated for a column in one piece"
        found = draw_data(data, steps)
    progress(1.0)
    return (found,)


def refuse_seeded_in(data: Asked) -> None:
    """Raise ParameterError for data with seeded tie-breaking, which can be guessed: no release may be drawn from it."""
    for each in data.values() if isinstance(data, Mapping) else (data,):
        refuse_seeded(whole_of(each))
