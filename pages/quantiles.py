"""What do the private quantiles of my column look like?"""

import streamlit as st

from dpq_core.ui import budget, quantiles
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
from dpq_core.ui.quantiles import drawing, synthetic
from dpq_core.ui.shell import links, page_header, screen, state

headline = page_header("What do the private quantiles of my column look like?")
quantiles.show_notes(links.begin("quantiles"))

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
    with st.container(gap="xsmall"):
        privacy = choose_privacy(counts.public_count(data, mode), data.many if data else "records")
        equivalents = st.container()
    adjacency = choose_adjacency(data.one if data else "record")
    counted = choose_missing(data, domain)
    plan = make_plan(levels, mechanism, options, privacy, adjacency)
    payer = budget.choose_payer(data, mode)
    reason = quantiles.why_not(counted, domain, plan, mode) or quantiles.not_paid(payer, counted, plan, mode)
    pressed = quantiles.run_button(mode, reason, plan, payer)
    seed = quantiles.seed_to_draw(counted, domain, plan, mode, pressed=pressed, ready=not reason)
    link = st.container()

headline.markdown(quantiles.headline(data, mode))
links.write_link()

with answer, screen.answer():
    quantiles_tab, column_tab, column_open = quantiles.answer_tabs()

# Both buttons come before the first result, so that it knows what either has spent.
with quantiles_tab:
    if counted and domain and plan and not reason and (pressed or seed):
        drawing.draw_quantiles(counted, domain, plan, mode, payer, seed)
    elif not pressed:
        drawing.finish_interrupted(counted, payer)
    if not column_open:
        drawing.show_failure()

with column_tab:
    if column_open:
        size, column_reason, column_pressed = synthetic.ask(counted, domain, plan, mode, payer)
        column_seed = synthetic.seed_to_draw(
            counted, domain, plan, size, mode, pressed=column_pressed, ready=not column_reason
        )
        if counted and domain and plan and size and (column_pressed or column_seed):
            drawing.draw_column(counted, domain, plan, size, mode, payer, column_seed)
        drawing.show_failure()
        synthetic.show(counted or data, domain, plan, size, mode, ready=not column_reason)
    else:
        links.carry(column_seed=None)

with quantiles_tab:
    quantiles.show(counted or data, domain, plan, mode, ready=not reason, payer=payer)

links.write_address()  # with the seed of a column that was drawn meanwhile
with link:
    quantiles.show_link()
with report_place:
    report(counted, domain, mode)
with which:
    explain_mechanisms(plan, counted, mode)
with equivalents:
    quantiles.show_equivalents(plan, counted, mode)

screen.show_answer()
