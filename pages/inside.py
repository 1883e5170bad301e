"""What did the mechanism do?"""

import streamlit as st

from dpq_core.ui import inside, microscope, quantiles
from dpq_core.ui.budget import counts
from dpq_core.ui.forms import (
    choose_adjacency,
    choose_data,
    choose_domain,
    choose_levels,
    choose_mechanism,
    choose_missing,
    choose_options,
    choose_privacy,
    explain_mechanisms,
    make_plan,
    report,
)
from dpq_core.ui.shell import links, page_header, screen, state

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
