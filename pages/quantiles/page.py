"""What do the private quantiles of my column look like?"""

import streamlit as st

from pages import budget, class_views, columns, groups, quantiles, steps
from pages.form import (
    announce_change,
    asks_in_steps,
    choose_data,
    choose_inputs,
    epsilon_first,
    read_again,
    show_details,
)
from pages.frame import ChosenTable, Mode, fields, links, page_header, presses, screen, state
from pages.quantiles import drawing, live, synthetic
from pages.settings.table import TABS

says = "" if screen.is_presented() else quantiles.WHAT_THIS_IS
headline = page_header("What do the private quantiles of my column look like?", says=says)
links.begin("quantiles")
class_views.bar()
budget.say_if_closed()

if columns.are_chosen():
    columns.answer(headline)
    st.stop()

presented = screen.presented()
in_steps = asks_in_steps()
with_picture = quantiles.has_picture(in_steps=in_steps)
form, answer = screen.halves(46) if in_steps else screen.halves()
notice = answer.container()
beside = answer.container()

with form, screen.controls(border=not in_steps, folds=not with_picture):
    cards = steps.draw(beside) if in_steps else None
    places = cards.places if cards else epsilon_first()
    brought = choose_data(of_groups=True, of_several=True, places=places)
    inputs = choose_inputs(
        brought, one_mechanism=True, with_intervals=True, may_find=True, of_groups=True, places=places
    )
    data, mode, asked = inputs.data, inputs.mode, inputs.request
    table = ChosenTable.of_column(data) if data else None
    with places.cost:
        payer = budget.choose_payer(inputs.brought, read_again=read_again)
        if inputs.groups:
            reason = groups.why_not(inputs, payer)
        else:
            reason = quantiles.why_not(inputs) or quantiles.not_paid(payer, inputs, inputs.availability)
        pressed = quantiles.run_button(inputs, reason, payer, folds=not with_picture)
    pressed = steps.confirmed("run", inputs, payer, pressed=pressed)
    seed = (groups if inputs.groups else quantiles).seed_to_draw(inputs, pressed=pressed, ready=not reason)
    link = st.container()

with notice:
    announce_change(inputs.plan, inputs.best if inputs.domain else None)
with headline:
    quantiles.show_headline(inputs)
links.write_link()
presses.keep("quantiles", inputs.brought.identity if inputs.brought and mode is Mode.RELEASE else None)

with answer, screen.picture() if with_picture else screen.answer():
    above = st.container()
    quantiles_tab, column_tab, column_open = fields.tabs("show", TABS)
details = st.container() if with_picture else quantiles_tab

released = inputs.brought is not None and state.has_released(inputs.brought.identity)
budget.tell_of_release(above if released else notice, payer, inputs.brought)

# Both buttons come before the first result, so that it knows what either has spent.
with quantiles_tab:
    live.reserve()
    if table and asked and not reason and (pressed or seed):
        drawing.draw(table, asked, payer, seed, calibrations=inputs.calibrations)
    elif not pressed:
        drawing.finish_interrupted(table, payer)
    if table and not column_open:
        presses.show_failure(table.identity)

with column_tab:
    if column_open:
        live.reserve()
        of_column = synthetic.for_column(inputs)
        size, column_reason, column_pressed = synthetic.ask(of_column, payer)
        column_pressed = steps.confirmed("run_column", of_column, payer, pressed=column_pressed, size=size)
        column_seed = synthetic.seed_to_draw(of_column, size, pressed=column_pressed, ready=not column_reason)
        drawn = (column_pressed or column_seed) and synthetic.judgement_of(of_column, size)
        column = synthetic.asked_of(of_column)
        if table and column and drawn:
            drawing.draw(table, column, payer, column_seed, size=size, calibrations=drawn.calibrations)
        if table:
            presses.show_failure(table.identity)
        synthetic.show(of_column, size, ready=not column_reason)
    else:
        links.carry(column_seed=None)

with quantiles_tab:
    if inputs.groups:
        groups.show(inputs, payer, ready=not reason)
    else:
        quantiles.show(inputs, ready=not reason, payer=payer, details=details)
        with details:
            class_views.hand_in(data, current=quantiles.shown_seed(inputs) is not None)

if presented:
    with answer:
        quantiles.presenting.turn(state.outcome_of(inputs.column))

links.write_address()  # with the seed of a column that was drawn meanwhile
with link:
    links.show_link()
    class_views.numbers.offer(inputs.data, inputs.bounds)
show_details(inputs)
quantiles.show_equivalents(inputs)
groups.forecast.show(inputs, payer)
if cards:
    steps.show(cards, inputs, payer, reason)

screen.show_answer()
