"""The five cards of a release: a number, a title, and one line on what is done or still needed, from public facts."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.results.wording import count_in_words

from .. import keys
from ..files import reading
from ..form.data import own_identity
from ..form.form import Form
from ..form.places import Places
from ..form.table import text
from ..payment.account import PayingAccount
from ..server.scripts import LAST_STEP
from ..shell import screen, state
from ..shell.state import ChosenTable
from . import forecast
from .words import (
    groups_in_words,
    intervals_in_words,
    levels_in_words,
    price_in_words,
    question_in_words,
    values_in_words,
)

TITLES = ("File", "Who is one person", "What values are possible", "What to ask", "Forecast and release")
AGAIN = "Ask again"
OPEN = "answer what is asked of the rows"


class State(NamedTuple):
    """Whether a step is done, and what was chosen or is still needed."""

    done: bool
    words: str


def states_of(form: Form, payer: PayingAccount | None, reason: str) -> tuple[State, ...]:
    """Return the states of the five steps; `reason`: why nothing can be released yet, empty where it can."""
    table, question = form.table, form.question
    first = (_file(table), _person(form), _values(form), _question(form))
    if table is None or not all(each.done for each in first):
        return (*first, State(False, "steps 1 to 4"))
    ready = "released. Another answer" if state.released(table.identity) else "ready; it"
    needed = "correct the fields in red." if form.cost_is_wrong else reason[:1].lower() + reason[1:]
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


def _person(form: Form) -> State:
    table = form.table
    if table is None:
        return State(False, "say whose rows these are, then read them" if reading.held() is None else OPEN)
    data = table.column
    protected = form.adjacency.of(data.protected)
    if data.person is None:
        return State(True, f"every row is a different person; {protected}")
    return State(True, f"all rows with the same {data.person.column}; {protected}")


def _values(form: Form) -> State:
    table = form.table
    if table is None:
        return State(False, "the column first")
    if form.bounds is None:
        of = "" if table.bare else f" of {table.column.name}"
        days, values = f"first and the last day{of}", f"lowest and the highest value{of}, or choose digits"
        return State(False, f"say the {days if table.column.kind == 'date' else values}")
    if form.data is None:
        return State(False, "correct the field in red")
    if form.lacking:
        return State(False, f"say those of {', '.join(form.lacking)}")
    said = "" if table.bare else f" for {table.column.name}; {count_in_words(len(table.columns), 'column')} said"
    return State(True, f"{values_in_words(form.data, form.bounds)}{said}")


def _question(form: Form) -> State:
    question = form.question
    if form.levels is not None and form.groups and form.group_choice is None:
        return State(False, "say which groups are answered")
    if form.levels is None or (question is None and _is_complete(form)):
        return State(False, "correct the fields in red")
    if question is not None and question.several:
        return State(True, question_in_words(question))
    said = levels_in_words(form.levels)
    return State(True, said + intervals_in_words(form.intervals) + groups_in_words(form.group_choice))


def _is_complete(form: Form) -> bool:
    """Return whether all other steps are done, so that a question that is missing has a wrong field in its own."""
    return form.domain is not None and not form.cost_is_wrong and not form.lacking


@dataclass(frozen=True)
class Steps:
    """The cards, in which the controls are drawn and of which each says at the end how it stands."""

    places: Places
    heads: tuple[DeltaGenerator, ...]
    forecast: DeltaGenerator
    """What to expect, above the controls of the budget."""


def draw(beside: DeltaGenerator) -> Steps:
    """Draw the first four cards, and the last one `beside` them, all of them empty.

    Once there is an answer, what would ask for another one folds away, so that the answer is seen first.
    """
    cards = [st.container(border=True, gap="small", key=_key(number)) for number in range(1, len(TITLES))]
    cards.append(beside.container(border=True, gap="small", key=LAST_STEP))
    heads = tuple(card.container() for card in cards)
    if state.released(own_identity()) is not None:
        cards[-1] = cards[-1].expander(AGAIN, key=keys.widget("release_again"), icon=":material/replay:")
    forecast = cards[-1].container()
    file, person, values, question, cost = (card.container() for card in cards)
    places = Places(file, person, values, question, cost, epsilon=cost, kind=cost, further=question, in_steps=True)
    return Steps(places, heads, forecast)


def show(
    steps: Steps, form: Form, payer: PayingAccount | None, reason: str
) -> None:  # fmt: skip
    """Say at the head of each card how it stands, lead to the first that is open, and say what to expect in the last.

    `reason`: why nothing can be released yet; empty where it can.
    """
    with steps.forecast:
        forecast.show(form, payer)
    states = states_of(form, payer, reason)
    for number, (head, title, found) in enumerate(zip(steps.heads, TITLES, states, strict=True), start=1):
        head.html(_head(number, title, found))
    open_ones = [number for number, state in enumerate(states[:-1], start=1) if not state.done]
    if open_ones:
        with steps.places.cost:
            screen.lead(f"Go to step {open_ones[0]}: {TITLES[open_ones[0] - 1]}", _key(open_ones[0]), "step")


def _key(number: int, *part: str) -> str:
    return keys.widget("step", number, *part)


def _head(number: int, title: str, state: State) -> str:
    """Return the head of a card; for those who hear it, too, it begins with `Done` or `Still needed`."""
    kind, begin = ("dpq-done", "Done") if state.done else ("dpq-open", "Still needed")
    return (
        f'<div class="dpq-step {kind}"><h2><span aria-hidden="true">{number}</span>'
        f'<b class="dpq-heard">Step {number}: </b>{title}</h2><p>{begin}: {escape(state.words)}</p></div>'
    )
