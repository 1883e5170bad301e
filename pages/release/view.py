"""What the page Release shows: five cards, each with what is done or still needed, which data, and the last answer."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape as html_escape
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.errors import LedgerError
from dpq_core.report.facts import Report
from dpq_core.results.wording import count_in_words
from dpq_core.typed import about_in

from .. import keys
from ..answers import answers
from ..files import reading
from ..form import refusals
from ..form import table as settings
from ..form.data import own_identity
from ..form.form import Form
from ..form.places import Places
from ..form.table import MADE_UP, SETTINGS, text
from ..payment.account import PayingAccount, spent_of
from ..releases import choice, report
from ..shell import pieces, screen, state
from ..shell.header import escape
from ..shell.state import ChosenTable
from . import forecast
from .questions import VERB

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
    price = forecast.price_in_words(question.budget, payer) if question else ""
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
    return State(True, f"{forecast.values_in_words(form.data, form.bounds)}{said}")


def _question(form: Form) -> State:
    question = form.question
    if form.levels is not None and form.groups and form.group_choice is None:
        return State(False, "say which groups are answered")
    others_are_done = form.domain is not None and not form.cost_is_wrong and not form.lacking
    if form.levels is None or (question is None and others_are_done):
        return State(False, "correct the fields in red")
    if question is not None and question.several:
        return State(True, forecast.question_in_words(question))
    said = forecast.levels_in_words(form.levels)
    return State(True, said + forecast.intervals_in_words(form.intervals) + forecast.groups_in_words(form.group_choice))


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
    cards.append(beside.container(border=True, gap="small", key=keys.widget("last_step")))
    heads = tuple(card.container() for card in cards)
    if state.released(own_identity()) is not None:
        cards[-1] = cards[-1].expander(AGAIN, key=keys.widget("release_again"), icon=":material/replay:")
    expected = cards[-1].container()
    file, person, values, question, cost = (card.container() for card in cards)
    places = Places(file, person, values, question, cost, epsilon=cost, kind=cost, further=question, in_steps=True)
    return Steps(places, heads, expected)


def show_states(steps: Steps, form: Form, payer: PayingAccount | None, reason: str) -> None:
    """Say at the head of each card how it stands, lead to the first that is open, and say what to expect in the last.

    `reason`: why nothing can be released yet; empty where it can.
    """
    with steps.forecast:
        forecast.show(form, payer)
    states = states_of(form, payer, reason)
    for number, (head, title, found) in enumerate(zip(steps.heads, TITLES, states, strict=True), start=1):
        kind, begin = ("dpq-done", "Done") if found.done else ("dpq-open", "Still needed")
        head.html(
            f'<div class="dpq-step {kind}"><h2><span aria-hidden="true">{number}</span>'
            f'<b class="dpq-heard">Step {number}: </b>{title}</h2><p>{begin}: {html_escape(found.words)}</p></div>'
        )
    open_ones = [number for number, state in enumerate(states[:-1], start=1) if not state.done]
    if open_ones:
        with steps.places.cost:
            screen.lead(f"Go to step {open_ones[0]}: {TITLES[open_ones[0] - 1]}", _key(open_ones[0]), "step")


def _key(number: int, *part: str) -> str:
    return keys.widget("step", number, *part)


NOTHING = "Nothing released since this page was opened."


def show_headline(form: Form) -> None:
    """Show which data these are, and that nothing exact of them is on the screen."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(pieces.headline(form.named, form.adjacency, pieces.PRIVATE_ONLY), width="content")
        with st.container(width="content"):
            pieces.page_link("explore", "Try this question on made-up data", question_on_made_up_data())


def question_on_made_up_data() -> dict[str, str]:
    """Return the settings with which Explore asks the same of made-up values: of the column on the screen, whole."""
    here = {*settings.PAGES["release"]} - {*settings.GROUPS, "weight"}
    asked = [name for name in settings.PAGES["explore"] if name in here]
    said = {name: text(name) for name in asked if text(name) != SETTINGS[name].default and settings.counts(name)}
    return said | {"data": MADE_UP, "intervals": text("release_intervals")}


def _show_again() -> bool:
    """Show the report of an answer that was released before the page was loaded again; return whether there is one."""
    try:
        stored = choice.last_released()
    except LedgerError as error:
        st.error(escape(str(error)))
        return True
    if stored is None:
        return False
    size = SETTINGS["shape_size"]
    guess = about_in(text("shape_size") if size.takes(text("shape_size")) else size.default)
    with st.container(border=True):
        st.markdown("**Released before this page was loaded again**")
        report.show(Report.of_stored(stored, guess))
        pieces.page_link("releases", "All that was released", {"answer": choice.name_of(stored)})
    return True


def show(form: Form, payer: PayingAccount | None, *, reason: str) -> None:
    """Show the last answer, or that there is none yet; folded under a refusal, where there is one."""
    table = form.table
    refused = refusals.find("release", form)
    if refused:
        refusals.show("release", refused, payer)
    outcome = state.released(table.identity) if table else None
    if table is None or outcome is None:
        if not refused and not (table is None and _show_again()):
            with pieces.nothing_yet(VERB, reason, NOTHING, " Until then nothing of the data leaves the server."):
                pieces.page_link("releases", "Answers from before, also before a reload", {})
        return
    spent = spent_of(outcome.release.account)
    if refused:
        answers.show_folded(outcome, spent)
    else:
        answers.show(outcome, "" if form.made(outcome) else f"Settings changed: press {VERB}", spent)
