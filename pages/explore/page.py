"""What do private quantiles look like?"""

import streamlit as st

from pages.answers import presenting
from pages.explore import drawing, live, now, view
from pages.form import refusals, small_groups
from pages.form.data import choose_table
from pages.form.inputs import show_details, show_equivalents
from pages.form.places import epsilon_first
from pages.form.plan import announce_change
from pages.form.several import draw_form
from pages.room import bar, teach
from pages.shell import links, screen, state
from pages.shell.header import page_header

headline = page_header("What do private quantiles look like?", says="" if screen.is_presented() else view.WHAT_THIS_IS)
links.begin("explore")
bar.bar()

presented, with_picture = screen.presented(), view.has_picture()
controls, answer = screen.halves()
notice = answer.container()

with controls, screen.controls():
    places = epsilon_first()
    form = draw_form(choose_table(places), places)
    table, asked, inputs = form.table, form.asked, form.inputs
    reason = refusals.why_not(inputs, asked)
    pressed = view.button(reason, is_live=live.is_live(inputs))
    present = now.Now(table, asked, in_groups=inputs.groups is not None)
    seed = present.seed_to_draw(pressed=pressed, ready=not reason, again=live.seed_due(inputs))
    link = st.container()

with notice:
    announce_change(inputs.plan, inputs.best if inputs.domain else None)
with headline:
    view.show_headline(form)
links.write_link()

with answer, screen.picture() if with_picture else screen.answer():
    result = st.container()
details = st.container() if with_picture else result

with result:
    live.reserve()
    if table and asked and seed:
        drawing.draw(table, asked, seed, inputs.calibrations)
    present.show(refusals.find("explore", inputs), ready=not reason, details=details)
    if table and table.bare and not inputs.groups:
        with details:
            bar.hand_in(inputs.data, current=present.shown_seed is not None)

if presented:
    with answer:
        presenting.turn(state.outcome_of(inputs.column))

links.write_address()
with link:
    links.show_link()
    teach.offer(inputs.data, inputs.bounds)
show_details(inputs)
show_equivalents(inputs)
small_groups.show(inputs)

screen.show_answer()
