"""The five cards of a release: a number, a title, and one line on what is done or still needed."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from .. import keys
from ..form.data import own_identity
from ..form.places import Places
from ..form.several import Form
from ..payment.account import PayingAccount
from ..server.scripts import LAST_STEP
from ..shell import leads, state
from . import forecast
from .states import State, states_of

TITLES = ("File", "Who is one person", "What values are possible", "What to ask", "Forecast and release")
AGAIN = "Ask again"


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
    heads = tuple(card.empty() for card in cards)
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
            leads.button(f"Go to step {open_ones[0]}: {TITLES[open_ones[0] - 1]}", _key(open_ones[0]), "step")


def _key(number: int, *part: str) -> str:
    return keys.widget("step", number, *part)


def _head(number: int, title: str, state: State) -> str:
    """Return the head of a card; for those who hear it, too, it begins with `Done` or `Still needed`."""
    kind, begin = ("dpq-done", "Done") if state.done else ("dpq-open", "Still needed")
    return (
        f'<div class="dpq-step {kind}"><h2><span aria-hidden="true">{number}</span>'
        f'<b class="dpq-heard">Step {number}: </b>{title}</h2><p>{begin}: {escape(state.words)}</p></div>'
    )
