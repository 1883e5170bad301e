"""How the five steps of a release of several columns stand, and its forecast: from public facts alone."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.privacy import Adjacency
from dpq_core.results import TableRequest, count_in_words, expected_points

from .. import steps
from ..budget import PayingAccount
from ..form import GroupsAsked, plan_of_whole
from ..frame import ChosenTable, escape
from ..steps import State
from . import view
from .words import far_off_in_words, question_in_words, values_in_words

MOST_SAID = 4
"""Columns whose possible values the head of a step names."""
RED = State(False, "correct the fields in red")


def show(
    cards: steps.Steps, table: ChosenTable | None, request: TableRequest | None, groups: GroupsAsked | None,
    adjacency: Adjacency, payer: PayingAccount | None,
) -> None:  # fmt: skip
    """Say at the head of each step how it stands, and in the last one what to expect."""
    refused = request is not None and view.refused(request) is not None
    first = _first(table, None if refused else request, groups, adjacency)
    price = steps.price_in_words(plan_of_whole(request), payer) if request else ""
    reason = view.why_not(table, request, payer)
    steps.show_states(cards, steps.with_last(first, table.identity if table else "", price, reason))
    _forecast(cards.forecast, None if refused else request, payer)


def _first(
    table: ChosenTable | None, request: TableRequest | None, groups: GroupsAsked | None, adjacency: Adjacency
) -> tuple[State, ...]:
    if table is None:
        return State(False, "columns that can be read"), RED, State(False, "the columns first"), RED
    file = State(True, f"{table.reading.file}, {count_in_words(len(table.columns), 'column')}")
    person = steps.person_of(table.columns[0], adjacency)
    if groups is not None and groups.choice is None:
        return file, person, State(False, "the groups first"), State(False, "say which groups are answered")
    if request is None:
        return file, person, RED, RED
    few = len(request.plans) <= MOST_SAID
    values = values_in_words(table, request) if few else f"said of {count_in_words(len(request.plans), 'column')}"
    return file, person, State(True, values), State(True, question_in_words(table, request))


def _forecast(place: DeltaGenerator, request: TableRequest | None, payer: PayingAccount | None) -> None:
    with place:
        if request is None:
            st.caption(steps.LATER)
            return
        steps.show_numbers(expected_points(request), plan_of_whole(request), payer)
        if far_off := far_off_in_words(request):
            st.caption(escape(f"Often far off: {far_off}."))
