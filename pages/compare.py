"""Which mechanism suits my data?"""

import streamlit as st

from dpq_core.ui import compare, quantiles, studies
from dpq_core.ui.budget import counts
from dpq_core.ui.compare import advice
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

headline = page_header("Which mechanism suits my data?")
quantiles.show_notes(links.begin("compare"))

form, answer = screen.halves()

with form, screen.controls():
    data = choose_data()
    mode = state.decide_mode(data)
    domain = choose_domain(data, of_shape=True)
    report_place = st.container()
    levels = choose_levels()
    privacy = choose_privacy(counts.public_count(data, mode), data.many if data else "records")
    adjacency = choose_adjacency(data.one if data else "record")
    counted = choose_missing(data, domain)
    records = studies.choose_records(data, mode)
    trouble = compare.choose_trouble()
    trials = studies.choose_trials()
    setup = studies.setup(data, counted, domain, levels, privacy, adjacency, mode, records, trials)
    asked = compare.question(setup, trouble)
    pressed = studies.button("Compare", "run_compare", studies.why_not(domain, asked))
    quantiles.show_link()

headline.markdown(studies.headline(data, mode))
links.write_link()

with answer:
    advice.show(asked)

with answer, screen.answer():
    if asked and (pressed or studies.is_first(compare.NAME, data)):
        compare.draw(asked, state.next_seed() if pressed else None)
    studies.show(compare.NAME, asked, data, mode, compare.DOING, "Compare", compare.show)

with report_place:
    report(counted, domain, mode)

screen.show_answer()
