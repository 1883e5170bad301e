"""The Quantiles page where several columns are chosen: its controls, its button and the answers of all columns.

Steps. Public facts alone say how the five steps of a release stand, and what its forecast is.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.privacy.budgets import Adjacency
from dpq_core.results.tables.expected import expected_points
from dpq_core.results.tables.kinds import TableRequest
from dpq_core.results.wording import count_in_words
from pages.budget import alike, panel
from pages.steps import cards as steps_cards
from pages.steps import forecast, states

from ..budget.panel import PayingAccount
from ..form.data import asks_in_steps, one_to_come, read_again
from ..form.groups import GroupsAsked, choose_groups
from ..form.places import Places
from ..form.plan import Asking, choose_counting, choose_intervals
from ..form.privacy import choose_adjacency, choose_privacy
from ..form.requests import plan_of_whole
from ..frame import links, presses, screen
from ..frame.header import escape
from ..frame.state import ChosenTable, Mode
from ..quantiles import drawing, live
from ..server import work
from ..steps.states import State
from . import view
from .asking import bounds_of_first, choose_questions, typed_of_whole
from .data import choose_size, choose_table
from .words import far_off_in_words, question_in_words, values_in_words

MOST_SAID = 4
"""Columns whose possible values the head of a step names."""
RED = State(False, "correct the fields in red")


def show(
    cards: steps_cards.Steps, table: ChosenTable | None, request: TableRequest | None, groups: GroupsAsked | None,
    adjacency: Adjacency, payer: PayingAccount | None, intervals_place: DeltaGenerator | None,
) -> None:  # fmt: skip
    """Say how each step stands, what to expect in the last one, and beside intervals what they cost."""
    refused = request is not None and view.refused(request) is not None
    first = _first(table, None if refused else request, groups, adjacency)
    price = states.price_in_words(plan_of_whole(request), payer) if request else ""
    reason = view.why_not(table, request, payer)
    steps_cards.show_states(cards, states.with_last(first, table.identity if table else "", price, reason))
    with cards.forecast:
        if request is None or refused:
            st.caption(forecast.LATER)
            return
        points = work.know(expected_points, request)
        forecast.show_numbers(points, plan_of_whole(request), payer)
        if plan_of_whole(request).intervals is not None and intervals_place is not None:
            plain = {name: replace(plan, intervals=None, about_n=None) for name, plan in request.plans.items()}
            without = work.know(expected_points, replace(request, plans=plain))
            intervals_place.caption(forecast.cost_of_intervals(points, without))
        if far_off := far_off_in_words(request):
            st.caption(escape(f"Often far off: {far_off}."))


def _first(
    table: ChosenTable | None, request: TableRequest | None, groups: GroupsAsked | None, adjacency: Adjacency
) -> tuple[State, ...]:
    if table is None:
        return State(False, "columns that can be read"), RED, State(False, "the columns first"), RED
    file = State(True, f"{table.reading.file}, {count_in_words(len(table.columns), 'column')}")
    person = states.person_of(table.columns[0], adjacency)
    if groups is not None and groups.choice is None:
        return file, person, State(False, "the groups first"), State(False, "say which groups are answered")
    if request is None:
        return file, person, RED, RED
    few = len(request.plans) <= MOST_SAID
    values = values_in_words(table, request) if few else f"said of {count_in_words(len(request.plans), 'column')}"
    return file, person, State(True, values), State(True, question_in_words(table, request))


def answer(headline: DeltaGenerator) -> None:
    """Draw all of the page below its `headline`, in which it says what is chosen."""
    in_steps = asks_in_steps()
    form, answer = screen.halves(36) if in_steps else screen.halves()
    with answer:
        notice = st.container()
        beside = st.container()
    with form, screen.controls(border=not in_steps):
        cards = steps_cards.draw(beside, here=2) if in_steps else None
        places = cards.places if cards else Places(values=beside.container(), question=beside.container())
        budget_place = places.cost if cards else st.container(gap="xsmall")  # epsilon first, as for one column
        table = choose_table(places)
        first = table.columns[0] if table else None
        with places.question:
            asked = st.container()
        with places.further:
            groups = choose_groups(first)
            sure = st.container(gap="xsmall")
        with budget_place:
            privacy = choose_privacy(None)
        with places.person:
            adjacency = choose_adjacency(first.anyone if first else one_to_come())
        with sure:
            chosen = groups.any_choice(first) if groups and first else None
            asking = Asking(first, bounds_of_first(table), chosen, len(table.columns) if table else 1)
            intervals, intervals_place = choose_intervals(asking, in_steps=in_steps) if table else (None, None)
            counted = intervals is not None and choose_counting(asking)
        with places.cost:
            size = choose_size(table, in_groups=groups is not None, with_intervals=intervals is not None)
        request = None
        if table:
            whole = typed_of_whole(table, privacy, size, groups, intervals, counted=counted)
            request = choose_questions(table, whole, adjacency, places.values, asked, headed=not in_steps)
        with asked:
            view.say_refusal(request)
        with places.cost:
            payer = panel.choose_payer(view.payer_data(table), read_again=read_again)
            reason = view.why_not(table, request, payer)
            pressed = view.button(table, request, payer, reason)
        pressed = view.confirmed(table, request, payer, pressed=pressed)
        seed = view.seed_to_draw(table, request, pressed=pressed, ready=not reason)
        link = st.container()
    if cards:
        show(cards, table, request, groups, adjacency, payer, intervals_place)

    headline.markdown(view.headline(table, request))
    links.carry(column_seed=None)
    links.write_link()
    with link:
        links.show_link()
    presses.keep("quantiles", table.identity if table and table.mode is Mode.RELEASE else None)

    with answer, screen.answer():
        above = st.container() if view.outcome_of(table) else notice
        alike.tell_of_release(above, payer, view.payer_data(table))
        live.reserve()
        if table and request and not reason and (pressed or seed):
            drawing.draw(table, request, payer, seed)
        elif not pressed:
            drawing.finish_interrupted(table, payer)
        if table:
            presses.show_failure(table.identity)
        view.show(table, request, ready=not reason)
    screen.show_answer()
