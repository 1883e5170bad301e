"""What a question costs, and why it cannot be answered: from public facts, with made-up rows in place of data.

The library decides with the table that a release would read: a form refuses nothing by itself.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .columns_plan import ColumnsPlan
from .domain.domain import Domain
from .errors import Infeasible, ParameterError
from .groups.names import GroupColumn
from .people.ids import People
from .privacy.budgets import Adjacency
from .question import Question
from .schedule import Schedule, schedule_of
from .table import Table

STAND_IN = "a group"
"""One that a release might find."""


def cost_of(question: Question, plan: ColumnsPlan | None = None) -> Schedule:
    """Return a question calibrated for equal made-up rows: its `guarantee` is what a release costs.

    `plan`: that of the question, with mechanisms in place of "best". Where the number of records is public, it is taken
    to be as many as the question guesses. Raises ParameterError (also Infeasible).
    """
    rows, first = 1, next(iter(question.columns.values()))
    if question.groups is None and question.persons is None and question.adjacency is Adjacency.REPLACE_ONE:
        rows = first.about_n if isinstance(first.about_n, int) else 1
    return schedule_of(made_up(question, rows).columns, plan or question.plan)


@lru_cache(maxsize=128)
def refusal_of(question: Question) -> ParameterError | None:
    """Return why no data are answered so; None where some are. What depends on how many records there are is no reason.

    No mechanism of the question may be "best".
    """
    try:
        cost_of(question)
    except Infeasible:
        return None
    except ParameterError as error:
        return error.with_traceback(None)
    return None


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
        parts = name if isinstance(name, tuple) else (name,)
        in_one = np.zeros(rows, np.int32)
        frame |= {by: GroupColumn(in_one, (part,)) for by, part in zip(groups.by, parts, strict=True)}
    if question.persons is not None:
        frame[question.persons.column] = People.of(np.zeros(rows, np.int64))
    return Table.of(frame, question)
