"""What public facts say of a question: what runs, what it costs, its words, and what to expect. No data is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..advice.choice import choose
from ..api import public_counts
from ..column import Columns
from ..columns_plan import ColumnsPlan
from ..cost import cost_of, made_up
from ..domain.finding import FindBounds
from ..draw import synthetic_plan
from ..errors import ParameterError
from ..privacy.budgets import Adjacency, Guarantee
from ..question import Question
from ..release import DATE, ColumnWords
from ..sources.column import Column


def plan_to_run(question: Question, columns: Columns | None = None) -> ColumnsPlan:
    """Return the plan of a question with the best mechanisms; of a synthetic column with the levels of its values.

    `columns`: those that it is asked of, once they are read: how many records they have may be public. Raises
    ParameterError, DataError.
    """
    question = choose(question, None if columns is None else public_counts(columns, question.plan)).question
    plan, sizes = question.plan, [each.synthetic for each in question.columns.values()]
    if sizes == [None] * len(sizes):
        return plan
    (possible, *_), (size, *others) = question.possible.values(), sizes
    if others or size is None or question.groups is not None or isinstance(possible, FindBounds):
        raise ParameterError("plan", "must ask for a synthetic column alone, in one piece, with known bounds.")
    return replace(plan, plans=(synthetic_plan(plan.plans[0], size),))


def price_of(question: Question) -> Guarantee | None:
    """Return what a release costs; None where that depends on the number of people.

    What cannot be combined, or is beyond the mechanism, is found out with made-up rows. Raises ParameterError.
    """
    if question.adjacency is not Adjacency.SUBSTITUTE:
        return cost_of(question, plan_to_run(question)).guarantee
    made_up(question)
    return None


def words_of(read: Mapping[str, Column]) -> dict[str, ColumnWords]:
    """Return how the values of columns are written, as they were read."""
    return {
        name: ColumnWords(kind=column.kind, unit="" if column.kind == DATE else column.unit)
        for name, column in read.items()
    }
