"""What are the private quantiles of my data?"""

import streamlit as st

from pages.answers import answers
from pages.form import details
from pages.form.data import read_again
from pages.form.form import draw_form
from pages.payment.account import choose_payer, tell_of_release
from pages.payment.ledger import say_if_closed
from pages.release import drawing, questions, view
from pages.room import bar
from pages.shell import links, presses, screen, state

headline = bar.begin("release", "What are the private quantiles of my data?")
say_if_closed()

presented = screen.presented()
controls, answer = screen.halves(46)
notice, beside = answer.container(), answer.container()

with controls, screen.controls(border=False):
    steps = view.draw(beside)
    form = draw_form(steps.places)
    table, asked = form.table, form.chosen
    with steps.places.cost:
        payer = choose_payer(table.columns[0] if table else None, read_again=read_again)
        reason = questions.why_not(form, payer)
        pressed = questions.button(reason, payer, form.question.budget if form.question else None)
    confirmed = questions.confirmed(form, payer, pressed=pressed)
    link = st.container()

with headline:
    view.show_headline(form)
links.write_link()
presses.keep(table.identity if table else None)

with answer, screen.answer():
    above, result = st.container(), st.container()
released = table is not None and state.released(table.identity) is not None
tell_of_release(above if released else notice, payer, table.columns[0] if table else None)

with result:
    if table and payer and asked and confirmed and not reason:
        drawing.draw(table, asked, payer)
    elif table and payer:
        drawing.finish_interrupted(table, payer)
    if table:
        presses.show_failure(table.identity)
    view.show(form, payer, reason=reason)

if presented:
    with answer:
        answers.turn(state.outcome_of(form.column))

links.write_address()
with link:
    links.show_link()
details.show(form, payer)
view.show_states(steps, form, payer, reason)

screen.show_answer()
