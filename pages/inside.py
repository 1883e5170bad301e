"""What did the mechanism do?"""

import streamlit as st

from dpq_core.ui import inside, links, microscope, quantiles, screen, state
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
    privacy = choose_privacy(quantiles.count_shown(data, mode), data.many if data else "records")
    adjacency = choose_adjacency(data.one if data else "record")
    counted = choose_missing(data, domain)
    plan = make_plan(levels, mechanism, options, privacy, adjacency)
    may_look = inside.may_look(data, mode)
    reason = inside.why_not(counted, domain, plan, may_look=may_look)
    pressed = inside.run_button(reason)
    quantiles.show_link()

headline.markdown(quantiles.headline(data, mode))
links.write_link()

with answer, screen.answer():
    if may_look and counted and domain and plan and not reason and (pressed or inside.is_first_picture(data)):
        inside.draw(counted, domain, plan, first=not pressed)
    inside.show(counted or data, domain, plan, may_look=may_look, ready=not reason)

with report_place:
    report(counted, domain, mode)
with which:
    explain_mechanisms(plan, quantiles.public_count(data))

screen.show_answer()
