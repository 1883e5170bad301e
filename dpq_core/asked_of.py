"""The question that a plan asks of a table, or of one column: read off the public facts of the data.

Nothing is computed from the data for it: the names of groups that are to be found are not in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from .column import Data as Read
from .columns_plan import ColumnsPlan
from .domain.numbers import exact_number
from .errors import ParameterError
from .grouping import FindGroups, Grouping
from .one_column import ROWS
from .plan import NOISY, Plan
from .question import UNNAMED, Asked, Persons, Question, Rows
from .release import DATE, ColumnWords
from .schedule import Asked as Data
from .schedule import columns_plan
from .table import Table

NOT_ONE_TABLE = (
    "must have the same groups and persons, or all be in one piece, to be charged to an account or to have the best "
    "mechanism chosen: make one table of them, with Table.from_frame."
)


def question_of(
    data: Data | Table,
    plan: Plan | Mapping[str, Plan] | ColumnsPlan,
    weights: Mapping[str, Any] | None = None,
    *,
    size: int | None = None,
    name: str = "",
) -> Question:
    """Return the question that a release with this plan answers. Raises ParameterError.

    `size`: of a synthetic column, in place of the plan's levels; `name`: of a single column.
    """
    dates = data.dates if isinstance(data, Table) else ()
    columns = data.columns if isinstance(data, Table) else data
    if not isinstance(columns, Mapping):
        columns = {name or UNNAMED: columns}
    whole = columns_plan(columns, plan, weights)
    groups, persons = (data.groups, data.persons) if isinstance(data, Table) else _of_rows(columns.values())
    possible = {name: each.find_bounds or each.domain for name, each in columns.items()}
    missing = {name: each.missing for name, each in columns.items()}
    found = question_of_rows(Rows(possible, missing, groups, persons, dates=dates), whole)
    held = {
        name: replace(each, synthetic=size, held=columns[name].held, sketch=dict(columns[name].options))
        for name, each in found.columns.items()
    }
    return replace(found, columns=held)


def question_of_rows(
    rows: Rows, plan: Plan | Mapping[str, Plan] | ColumnsPlan, weights: Mapping[str, Any] | None = None
) -> Question:
    """Return the question that a plan asks of rows, which need not be read. Raises ParameterError."""
    whole = ColumnsPlan.of(rows.possible, plan, weights)
    asked = {}
    for name, own, weight in zip(whole.names, whole.plans, whole.weights, strict=True):
        missing = rows.missing[name]
        asked[name] = Asked(
            possible=rows.possible[name],
            levels=own.quantiles,
            mechanism=own.mechanism,
            options=dict(own.options),
            intervals=own.intervals,
            about_n=None if own.about_n == NOISY else own.about_n,
            noisy_count=own.about_n == NOISY,
            missing=None if missing is None else exact_number(missing, "missing"),
            weight=weight,
            words=ColumnWords(kind=DATE) if name in rows.dates else ColumnWords(),
        )
    return Question(
        columns=asked, budget=whole.privacy, adjacency=whole.adjacency, groups=rows.groups, persons=rows.persons
    )


def _of_rows(wholes: Iterable[Read]) -> tuple[Grouping | None, Persons | None]:
    """Return the groups and the rule for persons that all columns have. Raises ParameterError."""
    found = [(_grouping_of(each), _persons_of(each)) for each in wholes]
    if any(each != found[0] for each in found):
        raise ParameterError("columns", NOT_ONE_TABLE)
    return found[0]


def _persons_of(whole: Read) -> Persons | None:
    if whole.held != ROWS or whole.protects == "record":
        return None
    rows, groups = whole.max_rows_per_person, None if whole.per_person == "weight" else whole.max_groups_per_person
    column, missing_is_person = whole.whose
    return Persons.of(whole.per_person, rows, column, max_groups_per_person=groups, missing_is_person=missing_is_person)


def _grouping_of(whole: Read) -> Grouping | None:
    if not whole.in_groups:
        return None
    if whole.finding is not None:
        return Grouping(by=whole.by, names=FindGroups(str(whole.finding)))
    if not whole.pooled:
        return Grouping(by=whole.by, names=whole.names)
    return Grouping(by=whole.by, names=whole.names[:-1], other=whole.names[-1])  # type: ignore[arg-type]  # of one column
