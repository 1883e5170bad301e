"""What do the private quantiles of my column look like?"""

import streamlit as st

from pages.budget import alike, panel
from pages.class_views import bar, numbers, students
from pages.columns import data as columns_data
from pages.columns import form as columns_form
from pages.form.data import asks_in_steps, choose_data, read_again
from pages.form.folds import epsilon_first
from pages.form.inputs import choose_inputs, show_details
from pages.form.plan import announce_change
from pages.frame import fields, links, presses, screen, state
from pages.frame.header import page_header
from pages.frame.state import ChosenTable, Mode
from pages.groups import forecast
from pages.groups import view as groups_view
from pages.quantiles import drawing, live, presenting, synthetic, view
from pages.settings.table import TABS
from pages.steps import cards as steps_cards
from pages.steps import confirm

says = "" if screen.is_presented() else view.WHAT_THIS_IS
headline = page_header("What do the private quantiles of my column look like?", says=says)
links.begin("quantiles")
bar.bar()
panel.say_if_closed()

if columns_data.are_chosen():
    columns_form.answer(headline)
    st.stop()

presented = screen.presented()
in_steps = asks_in_steps()
with_picture = view.has_picture(in_steps=in_steps)
form, answer = screen.halves(46) if in_steps else screen.halves()
notice = answer.container()
beside = answer.container()

with form, screen.controls(border=not in_steps):
    cards = steps_cards.draw(beside) if in_steps else None
    places = cards.places if cards else epsilon_first()
    brought = choose_data(of_groups=True, of_several=True, places=places)
    inputs = choose_inputs(
        brought, one_mechanism=True, with_intervals=True, may_find=True, of_groups=True, places=places
    )
    data, mode, asked = inputs.data, inputs.mode, inputs.request
    table = ChosenTable.of_column(data) if data else None
    with places.cost:
        payer = panel.choose_payer(inputs.brought, read_again=read_again)
        if inputs.groups:
            reason = groups_view.why_not(inputs, payer)
        else:
            reason = view.why_not(inputs) or view.not_paid(payer, inputs, inputs.availability)
        pressed = view.run_button(inputs, reason, payer)
    pressed = confirm.confirmed("run", inputs, payer, pressed=pressed)
    seed = (groups_view if inputs.groups else view).seed_to_draw(inputs, pressed=pressed, ready=not reason)
    link = st.container()

with notice:
    announce_change(inputs.plan, inputs.best if inputs.domain else None)
with headline:
    view.show_headline(inputs)
links.write_link()
presses.keep("quantiles", inputs.brought.identity if inputs.brought and mode is Mode.RELEASE else None)

with answer, screen.picture() if with_picture else screen.answer():
    above = st.container()
    quantiles_tab, column_tab, column_open = fields.tabs("show", TABS)
details = st.container() if with_picture else quantiles_tab

released = inputs.brought is not None and state.has_released(inputs.brought.identity)
alike.tell_of_release(above if released else notice, payer, inputs.brought)

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
        column_pressed = confirm.confirmed("run_column", of_column, payer, pressed=column_pressed, size=size)
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
        groups_view.show(inputs, payer, ready=not reason)
    else:
        view.show(inputs, ready=not reason, payer=payer, details=details)
        with details:
            students.hand_in(data, current=view.shown_seed(inputs) is not None)

if presented:
    with answer:
        presenting.turn(state.outcome_of(inputs.column))

links.write_address()  # with the seed of a column that was drawn meanwhile
with link:
    links.show_link()
    numbers.offer(inputs.data, inputs.bounds)
show_details(inputs)
view.show_equivalents(inputs)
forecast.show(inputs, payer)
if cards:
    steps_cards.show(cards, inputs, payer, reason)

screen.show_answer()
