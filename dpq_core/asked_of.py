"""The question that a plan asks of a table, or of one column; what a question costs, and why it is refused.

All is read off public facts. Nothing is computed from the data for a question: the names of groups that are to be found
are not in it. Its cost is that of a table of made-up rows, so the library decides as a release would: a form refuses
nothing by itself.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .column import Columns, Data
from .columns_plan import Plans, Weights
from .domain.domain import Domain
from .domain.numbers import exact_number
from .errors import Infeasible, ParameterError
from .grouping import FindGroups, Grouping
from .groups.names import GroupColumn, parts_of
from .one_column import ROWS
from .people.ids import People
from .privacy.budgets import Adjacency
from .question import WEIGHT, Asked, Persons, Question
from .schedule import Schedule, columns_in, columns_plan, schedule_of
from .table import Table

NOT_ONE_TABLE = (
    "must have the same groups and persons, or all be in one piece, to be charged to an account or to have the best "
    "mechanism chosen: make one table of them, with Table.from_frame."
)
STAND_IN = "a group"
"""One that a release might find."""


def question_of(
    data: Data | Columns | Table, plan: Plans, weights: Weights = None, *, size: int | None = None
) -> Question:
    """Return the question that a release with this plan answers. Raises ParameterError.

    `size`: of a synthetic column, in place of the plan's levels.
    """
    columns = data.columns if isinstance(data, Table) else columns_in(data)
    whole = columns_plan(columns, plan, weights)
    if isinstance(data, Table):
        groups, persons = data.groups, data.persons
    else:
        of_rows = [(_grouping_of(each), _persons_of(each)) for each in columns.values()]
        if any(each != of_rows[0] for each in of_rows):
            raise ParameterError("columns", NOT_ONE_TABLE)
        groups, persons = of_rows[0]
    asked = {
        name: Asked(
            possible=each.find_bounds or each.domain,
            levels=(),
            missing=None if each.missing is None else exact_number(each.missing, "missing"),
            synthetic=size,
            held=each.held,
            sketch=dict(each.options),
        )
        for name, each in columns.items()
    }
    found = Question(columns=asked, budget=whole.privacy, groups=groups, persons=persons).with_plan(whole)
    return found.of_dates(data.dates) if isinstance(data, Table) else found


def _persons_of(whole: Data) -> Persons | None:
    if whole.held != ROWS or whole.protects == "record":
        return None
    groups, (column, missing_is_person) = whole.max_groups_per_person, whole.whose
    return Persons(
        column=column, per_person=whole.per_person, max_rows=whole.max_rows_per_person,
        max_groups=None if whole.per_person == WEIGHT else groups, missing_is_person=missing_is_person,
    )  # fmt: skip


def _grouping_of(whole: Data) -> Grouping | None:
    if not whole.in_groups:
        return None
    if whole.finding is not None:
        return Grouping(by=whole.by, names=FindGroups(str(whole.finding)))
    if not whole.pooled:
        return Grouping(by=whole.by, names=whole.names)
    return Grouping(by=whole.by, names=whole.names[:-1], other=whole.names[-1])  # type: ignore[arg-type]  # of one column


def cost_of(question: Question) -> Schedule:
    """Return a question without "best" calibrated for equal made-up rows: its `guarantee` is what a release costs.

    Where the number of records is public, it is taken to be as many as the question guesses. Raises ParameterError
    (also Infeasible).
    """
    rows, first = 1, next(iter(question.columns.values()))
    if question.groups is None and question.persons is None and question.adjacency is Adjacency.REPLACE_ONE:
        rows = first.about_n if isinstance(first.about_n, int) else 1
    return schedule_of(made_up(question, rows).columns, question.plan)


@lru_cache(maxsize=128)
def cost_or_refusal(question: Question) -> Schedule | ParameterError:
    """Return what a question without "best" costs, or why it cannot be answered, for all who ask the same."""
    try:
        return cost_of(question)
    except ParameterError as error:
        return error.with_traceback(None)


def refusal_of(question: Question) -> ParameterError | None:
    """Return why no data are answered so; None where some are, or where it depends on how many records there are."""
    found = cost_or_refusal(question)
    return None if isinstance(found, Schedule | Infeasible) else found


def made_up(question: Question, rows: int = 1) -> Table:
    """Return a table of rows of one person in one group, all with the lowest values.

    Raises ParameterError for what no table can be asked.
    """
    groups = question.groups
    frame: dict[str, object] = {
        name: np.full(rows, float(each.lower) if isinstance(each, Domain) else 0.0)
        for name, each in question.possible.items()
    }
    if groups is not None:
        name = groups.listed[0] if groups.listed else (STAND_IN,) * len(groups.by)
        in_one = np.zeros(rows, np.int32)
        frame |= {by: GroupColumn(in_one, (part,)) for by, part in zip(groups.by, parts_of(name), strict=True)}
    if question.persons is not None:
        frame[question.persons.column] = People.of(np.zeros(rows, np.int64))
    return Table.of(frame, question)
