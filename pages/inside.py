"""What did the mechanism do?"""

import streamlit as st

from dpq_core.ui import counts, inside, links, microscope, quantiles, screen, state
from dpq_core.ui.forms.bounds import choose_domain
from dpq_core.ui.forms.data import choose_data, choose_missing, report
from dpq_core.ui.forms.plan import choose_levels, choose_mechanism, choose_options, explain_mechanisms, make_plan
from dpq_core.ui.forms.privacy import choose_adjacency, choose_privacy
from dpq_core.ui.page import page_header

headline = page_header("What did the mechanism do?")
quantiles.show_notes(links.begin("inside"))
run_tab, microscope_tab, microscope_open = inside.tabs()

with microscope_tab:
    if microscope_open:
        microscope.show()
        links.write_link()
        st.stop()

with run_tab:
    form, answer = screen.halves()

with form, screen.controls():
    data = choose_data()
    mode = state.decide_mode(data)
    domain = choose_domain(data)
    report_place = st.container()
    levels = choose_levels()
    with st.container(gap="xsmall"):
        mechanism = choose_mechanism()
        which = st.container()
        options = choose_options(mechanism)
    privacy = choose_privacy(counts.public_count(data, mode), data.many if data else "records")
    adjacency = choose_adjacency(data.one if data else "record")
    counted = choose_missing(data, domain)
    plan = make_plan(levels, mechanism, options, privacy, adjacency)
    may_look = inside.may_look(data, mode)
    reason = inside.why_not(counted, domain, plan, may_look=may_look)
    pressed = inside.run_button(reason)
    seed = inside.seed_to_draw(counted, domain, plan, pressed=pressed, ready=not reason)
    link = st.empty()

headline.markdown(quantiles.headline(data, mode))
links.write_link()

with answer, screen.answer():
    if may_look and counted and domain and plan and seed:
        inside.draw(counted, domain, plan, seed)
    inside.show(counted or data, domain, plan, may_look=may_look, ready=not reason, link=link)

with report_place:
    report(counted, domain, mode)
with which:
    explain_mechanisms(plan, counted, mode)

screen.show_answer()
