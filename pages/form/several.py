"""Several columns of one table: the form is about one of them, and the question is about all."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from dpq_core.cost import cost_of
from dpq_core.errors import Infeasible, ParameterError
from dpq_core.question import Question
from dpq_core.release import DATE
from dpq_core.results.chosen import Chosen, resolved
from dpq_core.results.data_set import DataSet
from dpq_core.results.kinds import Released, Simulated
from dpq_core.typed import Words, WrongColumn

from .. import keys
from ..server import work
from ..shell import fields
from ..shell.header import complain, escape, sentence_of
from ..shell.state import ChosenTable
from . import said
from .inputs import Inputs, choose_inputs, question_of
from .places import Places
from .said import typed_column

_JUDGED = keys.state("table_judged")
OPEN = "Still needed: the possible values of {}."
WEIGHT_HELP = (
    "The columns divide the budget by their weights: with 2 beside two columns of 1, this one has half of it. Which "
    "columns there are and what they hold is taken as public; how many values are missing is not shown."
)
SAME_HELP = (
    "The other columns get these quantiles, this mechanism and its options. Those without bounds are also answered in "
    "significant digits, or find their bounds, where this one does."
)


@dataclass(frozen=True)
class Form:
    """What a form says: of which columns, what its controls give about one of them, and what is asked of all."""

    table: ChosenTable | None
    inputs: Inputs
    asked: Chosen | Question | None
    """Of one column by itself the plan, too, that is drawn; None while something is missing."""
    lacking: tuple[str, ...] = ()
    """Which of several columns need bounds that nobody said yet."""

    @property
    def question(self) -> Question | None:
        """Return what is asked, without the plan."""
        return self.asked.question if isinstance(self.asked, Chosen) else self.asked

    @property
    def named(self) -> DataSet | None:
        """Return the data that a headline names: the column, as it is once it was brought, or all of several."""
        shown, table = self.inputs.brought, self.table
        return replace(shown, about=table.about) if shown and table and not table.bare else shown


def draw_form(table: ChosenTable | None, places: Places) -> Form:
    """Draw the controls below those of the data, for one column or for several, and return what they say."""
    inputs = choose_inputs(
        table.column if table else None, one_mechanism=True, with_intervals=True, may_find=True, of_groups=True,
        columns=len(table.columns) if table else 1, places=places,
    )  # fmt: skip
    if table and table.bare and inputs.column:
        table = ChosenTable.of_column(inputs.column)  # with what its missing values count as
    with places.question:
        if table is None or table.bare:
            return Form(table, inputs, inputs.chosen if table else None)
        return _of_several(table, inputs)


def _of_several(table: ChosenTable, inputs: Inputs) -> Form:
    """Ask for the weight of the column that the form is about; say why all cannot be answered together."""
    _choose_weight(table)
    words = _words(table)
    lacking = _lacking_bounds(words)
    question = _question_of(table, inputs, words, lacking)
    refused = refused_together(question) if question else None
    if refused is not None:
        complain(sentence_of(refused))
    return Form(table, inputs, question, lacking)


def resolved_of(asked: Chosen | Question) -> Chosen:
    """Return the question with the plans that are drawn; of several columns they are worked out in the pool."""
    return asked if isinstance(asked, Chosen) else work.know(resolved, asked)


def is_current(outcome: Simulated | Released, table: ChosenTable, asked: Chosen | Question | None) -> bool:
    """Return whether an outcome was made from just what is asked, in every setting and word."""
    if asked is None:
        return False
    made = outcome.chosen if isinstance(asked, Chosen) else outcome.question
    return (outcome.identity, outcome.one, made) == (table.identity, table.one, asked)


def refused_together(question: Question) -> ParameterError | None:
    """Return why several columns cannot be answered as is asked, from public facts; None where they can.

    What depends on the number of records, the press decides. Kept for the next run of the page.
    """
    stored: tuple[Question, ParameterError | None] | None = st.session_state.get(_JUDGED)
    if stored is not None and stored[0] == question:
        return stored[1]
    found: ParameterError | None = None
    try:
        cost_of(question, resolved_of(question).plan)
    except Infeasible:
        pass
    except ParameterError as error:
        found = error.with_traceback(None)
    st.session_state[_JUDGED] = (question, found)
    return found


def _choose_weight(table: ChosenTable) -> None:
    """Ask for the weight of the column that the form is about, and offer to ask all columns what it is asked."""
    name, others = table.column.name, [each for at, each in enumerate(table.said_of) if at != table.at]
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        fields.text_input("weight", label=f"Weight of {name}", help=WEIGHT_HELP, width=150)
        st.button(
            "Ask all columns the same", key=keys.widget("ask_the_same"), icon=":material/content_copy:",
            type="tertiary", on_click=said.ask_the_same, args=(others,), help=SAME_HELP,
        )  # fmt: skip


def _question_of(
    table: ChosenTable, inputs: Inputs, words: dict[str, Words], lacking: tuple[str, ...]
) -> Question | None:
    """Return the question about all columns; None while something is missing or wrong, with what is so of the others.

    `inputs`: what the form gives, which is about one of them; `words`: what was said of each.
    """
    if inputs.privacy is None or inputs.count is None or (inputs.groups and inputs.groups.choice is None):
        return None
    if others := [name for name in lacking if name != table.column.name]:
        st.caption(f":material/straighten: {escape(OPEN.format(', '.join(others)))}")
    if lacking:
        return None
    try:
        return table.reading.asked(question_of(inputs, words, table.columns[0], inputs.count))
    except WrongColumn as wrong:
        if wrong.column != table.column.name or not inputs.is_wrong:
            complain(f"{wrong.column}: {sentence_of(wrong)}")
    except ParameterError as error:
        complain(sentence_of(error))
    return None


def _lacking_bounds(words: dict[str, Words]) -> tuple[str, ...]:
    """Return which of several columns need bounds that nobody said yet."""
    known = {name: each for name, each in words.items() if each["bounds"] == "known" or each["kind"] == DATE}
    return tuple(name for name, each in known.items() if not (each["lower"].strip() and each["upper"].strip()))


def _words(table: ChosenTable) -> dict[str, Words]:
    """Return what was said of each of several columns, on the screen or before."""
    found: dict[str, Words] = {}
    for data, said_of in zip(table.columns, table.said_of, strict=False):
        of_column = said.of_column(said_of)
        found[data.name] = {**typed_column(of_column, data.kind), "unit": data.unit}
    return found
