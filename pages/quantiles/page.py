"""What do the private quantiles of my column look like?"""

import streamlit as st

from dpq_core.results.chosen import Chosen
from pages.answers import presenting
from pages.form.data import asks_in_steps, choose_table, read_again
from pages.form.folds import epsilon_first
from pages.form.inputs import choose_inputs, show_details
from pages.form.plan import announce_change
from pages.form.several import asked_of
from pages.payment import alike
from pages.payment.account import choose_payer
from pages.payment.ledger import say_if_closed
from pages.quantiles import drawing, live, view
from pages.room import bar, teach
from pages.shell import links, presses, screen, state
from pages.shell.header import page_header
from pages.shell.state import ChosenTable, Mode
from pages.steps import cards as steps_cards
from pages.steps import confirm, groups

says = "" if screen.is_presented() else view.WHAT_THIS_IS
headline = page_header("What do the private quantiles of my column look like?", says=says)
links.begin("quantiles")
bar.bar()
say_if_closed()

presented = screen.presented()
in_steps = asks_in_steps()
with_picture = view.has_picture(in_steps=in_steps)
form, answer = screen.halves(46) if in_steps else screen.halves()
notice = answer.container()
beside = answer.container()

with form, screen.controls(border=not in_steps):
    cards = steps_cards.draw(beside) if in_steps else None
    places = cards.places if cards else epsilon_first()
    table = choose_table(places)
    inputs = choose_inputs(
        table.column if table else None, one_mechanism=True, with_intervals=True, may_find=True, of_groups=True,
        columns=len(table.columns) if table else 1, places=places,
    )  # fmt: skip
    if table and table.bare and inputs.column:
        table = ChosenTable.of_column(inputs.column)  # with what its missing values count as
    with places.question:
        asked = asked_of(table, inputs) if table else None
    question = asked.question if isinstance(asked, Chosen) else asked
    mode, first = inputs.mode, table.columns[0] if table else None
    with places.cost:
        payer = choose_payer(first, read_again=read_again)
        reason = view.why_not(inputs, asked) or view.not_paid(payer, inputs, asked)
        budget = question.budget if question else None
        pressed = view.run_button(mode, reason, payer, budget, is_live=live.is_live(inputs))
    pressed = confirm.confirmed("run", inputs, table, asked, payer, pressed=pressed)
    now = view.Now(table, asked, in_groups=inputs.groups is not None)
    seed = now.seed_to_draw(pressed=pressed, ready=not reason, again=live.seed_due(inputs))
    link = st.container()

with notice:
    announce_change(inputs.plan, inputs.best if inputs.domain else None)
with headline:
    view.show_headline(inputs, table)
links.write_link()
presses.keep("quantiles", table.identity if table and mode is Mode.RELEASE else None)

with answer, screen.picture() if with_picture else screen.answer():
    above, result = st.container(), st.container()
details = st.container() if with_picture else result

released = table is not None and state.has_released(table.identity)
alike.tell_of_release(above if released else notice, payer, first)

with result:
    live.reserve()
    if table and asked and not reason and (pressed or seed):
        drawing.draw(table, asked, payer, seed, calibrations=inputs.calibrations)
    elif not pressed:
        drawing.finish_interrupted(table, payer)
    if table:
        presses.show_failure(table.identity)
    now.show(mode, ready=not reason, details=details, refused=view.refusal("quantiles", inputs), payer=payer)
    if table and table.bare and not inputs.groups:
        with details:
            bar.hand_in(inputs.data, current=now.shown_seed is not None)

if presented:
    with answer:
        presenting.turn(state.outcome_of(inputs.column))

links.write_address()
with link:
    links.show_link()
    teach.offer(inputs.data, inputs.bounds)
show_details(inputs)
view.show_equivalents(inputs)
groups.show(inputs, payer)
if cards:
    steps_cards.show(cards, inputs, table, question, payer, reason)

screen.show_answer()
