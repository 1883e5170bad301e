"""The five cards of a release: a number, a title, and one line on what is done or still needed."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ..budget import PayingAccount
from ..forms import Inputs, Places
from ..settings import PREFIX
from . import forecast
from .states import State, states_of

TITLES = ("File", "Who is one person", "What values are possible", "What to ask", "Forecast and release")
LAST = f"{PREFIX}_last_step"
"""The key of the fifth card, which stands beside the others where there is room."""


@dataclass(frozen=True)
class Steps:
    """The cards, in which the controls are drawn and of which each says at the end how it stands."""

    places: Places
    heads: tuple[DeltaGenerator, ...]
    forecast: DeltaGenerator
    """What to expect, above the controls of the budget."""


def draw(beside: DeltaGenerator) -> Steps:
    """Draw the first four cards here and the last one `beside` them, all of them empty."""
    cards = [st.container(border=True, gap="small") for _ in TITLES[:-1]]
    with beside:
        cards.append(st.container(border=True, gap="small", key=LAST))
    heads = tuple(card.empty() for card in cards)
    forecast = cards[-1].container()
    file, person, values, question, cost = (card.container() for card in cards)
    return Steps(Places(file, person, values, question, cost, in_steps=True), heads, forecast)


def show(steps: Steps, inputs: Inputs, payer: PayingAccount | None, reason: str) -> None:
    """Say at the head of each card how it stands, and in the last one what to expect.

    `reason`: why nothing can be released yet; empty where it can.
    """
    forecast.show(steps.forecast, inputs, payer)
    states = states_of(inputs, payer, reason)
    for number, (head, title, state) in enumerate(zip(steps.heads, TITLES, states, strict=True), start=1):
        head.html(_head(number, title, state))


def _head(number: int, title: str, state: State) -> str:
    """Return the head of a card; for those who hear it, too, it begins with `Done` or `Still needed`."""
    kind, begin = ("dpq-done", "Done") if state.done else ("dpq-open", "Still needed")
    return (
        f'<div class="dpq-step {kind}"><h2><span aria-hidden="true">{"✓" if state.done else number}</span>'
        f'<b class="dpq-heard">Step {number}: </b>{title}</h2><p>{begin}: {escape(state.words)}</p></div>'
    )
