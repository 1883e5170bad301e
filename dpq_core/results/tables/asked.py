"""The columns of a question as a release reads them: whole or in groups, with bounds that are known or to be found.

The library decides, with made-up rows, whether they can be answered: a form refuses nothing by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from ...arrays import Floats
from ...columns.release import CalibratedColumns, calibrate_columns, columns_plan
from ...columns.schedule import schedule_of
from ...columns_plan import ColumnsPlan
from ...domain.domain import Domain
from ...domain.finding import FindBounds
from ...errors import Infeasible, ParameterError
from ...finding.column import Columns, RawGroups, Source
from ...groups.calibration import CalibratedGroups
from ...groups.names import GroupColumn
from ...groups.table import Groups
from ...people.ids import People
from ...plan import Plan
from ...privacy.budgets import Adjacency
from ...tables.table import Table
from ..groups.choice import GroupChoice
from ..persons import PersonChoice

Bounds: TypeAlias = Domain | FindBounds
ONE = "column"
"""The name of a made-up column."""
IDS = "whose row"
"""A name for the column of ids that no other column has."""


def columns_asked(
    values: Mapping[str, Floats],
    bounds: Mapping[str, Bounds],
    chosen: GroupChoice | None,
    groups: Sequence[GroupColumn],
    person: PersonChoice | None,
    people: People | None,
    missing: Mapping[str, Fraction | None],
    seed: int | None = None,
) -> Columns:
    """Return the columns of a table as a release reads them, by their names.

    `groups`: the columns that the chosen groups are by, in their order; `people`: whose rows they are; `missing`: what
    a missing value counts as in some columns. Raises DataError, ParameterError.
    """
    frame: dict[str, Any] = dict(values)
    settings: dict[str, Any] = {"missing": dict(missing), "seed": seed}
    if chosen is not None:
        frame |= zip(chosen.columns, groups, strict=True)
        settings |= chosen.settings_of_table(person)
    if person is not None:
        ids = unused(frame)
        frame[ids] = person.named(people)
        settings |= {"person": ids, **person.settings}
    return Table.from_frame(frame, bounds, **settings).columns


def unused(names: Collection[str]) -> str:
    """Return a name for the column of ids that no other column has."""
    found = IDS
    while found in names:
        found += " "
    return found


def in_groups(column: Source) -> Groups | RawGroups:
    """Return a column that was asked for in groups."""
    assert isinstance(column, Groups | RawGroups), "asked for in groups"
    return column


def calibrated_groups(
    plan: Plan, bounds: Bounds, chosen: GroupChoice, person: PersonChoice | None, about: int
) -> CalibratedGroups | CalibratedColumns:
    """Return what the groups of one column cost; the rest as in `calibrated_columns`."""
    one = in_groups(made_up({ONE: bounds}, chosen, person, {}, _rows(plan, chosen, person, about))[ONE])
    steps = schedule_of(one, plan).steps
    assert isinstance(steps, CalibratedGroups | CalibratedColumns), "of groups"
    return steps


@lru_cache(maxsize=128)
def refusal_of(
    plan: Plan, bounds: Bounds, chosen: GroupChoice | None, person: PersonChoice | None, columns: int = 1
) -> ParameterError | None:
    """Return why no column like this is answered so, from public facts; None where some columns are.

    `columns`: how many such columns are answered together. What depends on the number of records is no such reason.
    """
    try:
        table = made_up({f"{ONE} {number}": bounds for number in range(columns)}, chosen, person, {})
        calibrate_columns(table, columns_plan(table, plan))
    except Infeasible:
        return None
    except ParameterError as error:
        return error.with_traceback(None)
    return None


def calibrated_columns(
    plan: ColumnsPlan,
    bounds: Mapping[str, Bounds],
    chosen: GroupChoice | None,
    person: PersonChoice | None,
    missing: Mapping[str, Fraction | None],
    about: int = 1,
) -> CalibratedColumns:
    """Return what a question of several columns costs, from public facts: no data is read.

    `about`: a guess of the records of each column or group, for mechanisms that read their number where it is public.
    Raises ParameterError (also Infeasible).
    """
    return calibrate_columns(
        made_up(bounds, chosen, person, missing, _rows(plan.plans[0], chosen, person, about)), plan
    )


def made_up(
    bounds: Mapping[str, Bounds],
    chosen: GroupChoice | None,
    person: PersonChoice | None,
    missing: Mapping[str, Fraction | None],
    rows: int = 1,
) -> Columns:
    """Return the columns of a made-up table with the same settings: equal rows, in one of the groups."""
    values = {
        name: np.full(rows, (float(each.lower) if isinstance(each, Domain) else 0.0)) for name, each in bounds.items()
    }
    in_one = np.zeros(rows, np.int32)
    groups = [GroupColumn(in_one, (name,)) for name in chosen.first] if chosen else []
    people = People.of(np.zeros(rows, np.int64)) if person else None
    return columns_asked(values, bounds, chosen, groups, person, people, missing)


def _rows(plan: Plan, chosen: GroupChoice | None, person: PersonChoice | None, about: int) -> int:
    """Return the number of made-up rows for a column whose number of records is public; one if it is private."""
    alone = person is None and chosen is None
    return about if alone and plan.adjacency is Adjacency.SUBSTITUTE else 1
