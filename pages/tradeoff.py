"""What does privacy cost?"""

import streamlit as st

from dpq_core.ui import quantiles, studies, tradeoff
from dpq_core.ui.budget import counts
from dpq_core.ui.forms import (
    choose_adjacency,
    choose_data,
    choose_domain,
    choose_levels,
    choose_missing,
    choose_privacy,
    report,
)
from dpq_core.ui.shell import links, page_header, screen, state
from dpq_core.ui.tradeoff import results

headline = page_header("What does privacy cost?")
quantiles.show_notes(links.begin("tradeoff"))

form, answer = screen.halves()

with form, screen.controls():
    sweeping = tradeoff.choose_question() == "sweep"
    sweep = tradeoff.choose_sweep() if sweeping else ""
    data = choose_data()
    mode = state.decide_mode(data)
    many = data.many if data else "records"
    error = 0 if sweeping else tradeoff.choose_wanted(many)
    measure = "" if sweeping else tradeoff.choose_measure()
    mechanisms = tradeoff.choose_mechanisms()
    domain = choose_domain(data, of_shape=True)
    report_place = st.container()
    levels = choose_levels()
    privacy = choose_privacy(counts.public_count(data, mode), many)
    adjacency = choose_adjacency(data.one if data else "record")
    counted = choose_missing(data, domain)
    records = studies.choose_records(data, mode)
    trials = studies.choose_trials() if sweeping else 100
    setup = studies.setup(data, counted, domain, levels, privacy, adjacency, mode, records, trials)
    asked = tradeoff.question(setup, mechanisms, sweep, error, measure)
    pressed = studies.button("Simulate" if sweeping else "Search", "run_tradeoff", studies.why_not(domain, asked))
    quantiles.show_link()

headline.markdown(studies.headline(data, mode))
links.write_link()

with answer, screen.answer():
    if sweeping:
        if asked and (pressed or studies.is_first(tradeoff.SWEEP, data)):
            tradeoff.start_sweep(asked, state.next_seed() if pressed else None)
        studies.show(tradeoff.SWEEP, asked, data, mode, "Sweeping", "Simulate", results.show_sweep)
    else:
        if asked and pressed:
            tradeoff.start_search(asked, state.next_seed())
        studies.show(tradeoff.WANTED, asked, data, mode, "Searching", "Search", results.show_search)

with report_place:
    report(counted, domain, mode)

screen.show_answer()
