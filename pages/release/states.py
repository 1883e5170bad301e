"""How each of the five steps stands, in one line: from public facts alone."""

from __future__ import annotations

from typing import NamedTuple

from dpq_core.results.wording import count_in_words

from ..files import reading
from ..form.inputs import Inputs
from ..form.several import Form
from ..form.table import text
from ..payment.account import PayingAccount
from ..shell import state
from ..shell.state import ChosenTable
from .words import (
    groups_in_words,
    intervals_in_words,
    levels_in_words,
    price_in_words,
    question_in_words,
    values_in_words,
)

OPEN = "answer what is asked of the rows"


class State(NamedTuple):
    """Whether a step is done, and what was chosen or is still needed."""

    done: bool
    words: str


def states_of(form: Form, payer: PayingAccount | None, reason: str) -> tuple[State, ...]:
    """Return the states of the five steps; `reason`: why nothing can be released yet, empty where it can."""
    table, inputs, question = form.table, form.inputs, form.question
    first = (_file(table), _person(table, inputs), _values(form), _question(form))
    if table is None or not all(each.done for each in first):
        return (*first, State(False, "steps 1 to 4"))
    ready = "released. Another answer" if state.released(table.identity) else "ready; it"
    needed = "correct the fields in red." if inputs.cost_is_wrong else reason[:1].lower() + reason[1:]
    price = price_in_words(question.budget, payer) if question else ""
    return (*first, State(not needed, needed or f"{ready} would use {price}"))


def _file(table: ChosenTable | None) -> State:
    if table is None:
        if reading.held() is not None:
            return State(False, OPEN)
        pasted = text("data") == "paste"
        return State(False, "paste values, and read them" if pasted else "choose a file and a column, and read it")
    data = table.column
    column = data.name if data.name.startswith("column ") else f"column {data.name}"
    of_file = column if table.bare else count_in_words(len(table.columns), "column")
    return State(True, f"{data.file}, {of_file}" if data.file else "pasted values")


def _person(table: ChosenTable | None, inputs: Inputs) -> State:
    if table is None:
        return State(False, "say whose rows these are, then read them" if reading.held() is None else OPEN)
    data = table.column
    protected = inputs.adjacency.of(data.protected)
    if data.person is None:
        return State(True, f"every row is a different person; {protected}")
    return State(True, f"all rows with the same {data.person.column}; {protected}")


def _values(form: Form) -> State:
    table, inputs = form.table, form.inputs
    if table is None:
        return State(False, "the column first")
    if inputs.bounds is None:
        of = "" if table.bare else f" of {table.column.name}"
        days, values = f"first and the last day{of}", f"lowest and the highest value{of}, or choose digits"
        return State(False, f"say the {days if table.column.kind == 'date' else values}")
    if inputs.data is None:
        return State(False, "correct the field in red")
    if form.lacking:
        return State(False, f"say those of {', '.join(form.lacking)}")
    said = "" if table.bare else f" for {table.column.name}; {count_in_words(len(table.columns), 'column')} said"
    return State(True, f"{values_in_words(inputs.data, inputs.bounds)}{said}")


def _question(form: Form) -> State:
    inputs, question = form.inputs, form.question
    if inputs.levels is not None and inputs.groups and inputs.group_choice is None:
        return State(False, "say which groups are answered")
    if inputs.levels is None or (question is None and _is_complete(form)):
        return State(False, "correct the fields in red")
    if question is not None and question.several:
        return State(True, question_in_words(question))
    said = levels_in_words(inputs.levels)
    return State(True, said + intervals_in_words(inputs.intervals) + groups_in_words(inputs.group_choice))


def _is_complete(form: Form) -> bool:
    """Return whether all other steps are done, so that a question that is missing has a wrong field in its own."""
    return form.inputs.domain is not None and not form.inputs.cost_is_wrong and not form.lacking
