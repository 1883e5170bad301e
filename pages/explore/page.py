"""What do private quantiles look like?"""

import streamlit as st

from pages.answers import answers
from pages.explore import live
from pages.form import details, refusals
from pages.form.form import draw_form
from pages.form.places import epsilon_first
from pages.room import bar
from pages.shell import links, pieces, screen, state

says = "" if screen.is_presented() else live.WHAT_THIS_IS
headline = bar.begin("explore", "What do private quantiles look like?", says)

presented, with_picture = screen.presented(), live.has_picture()
controls, answer = screen.halves()

with controls, screen.controls():
    form = draw_form(epsilon_first())
    reason = refusals.why_not(form)
    label = live.LABEL if live.is_live(form) else live.VERB
    pressed = pieces.primary_button(label, pieces.RUN, ":material/casino:", reason)
    present = live.Now(form)
    seed = present.seed_to_draw(pressed=pressed, ready=not reason, again=live.seed_due(form))
    link = st.container(horizontal=True, gap="small")

with headline:
    live.show_headline(form)
links.write_link()

with answer, screen.picture() if with_picture else screen.answer():
    result = st.container()
below = st.container() if with_picture else result

with result:
    live.reserve()
    if seed:
        live.draw(form, seed)
    present.show(refusals.find("explore", form), reason=reason, details=below)
    if form.table and not form.several and not form.groups:
        with below:
            bar.hand_in(form.data, current=present.shown_seed is not None)

if presented:
    with answer:
        answers.turn(state.outcome_of(form.column))

links.write_address()
with link:
    links.show_link()
    bar.offer_room(form.data, form.bounds)
details.show(form)

screen.show_answer()
