"""What did the mechanism do?"""

import streamlit as st

from pages import keys
from pages.explore import live
from pages.form.data import choose_data
from pages.form.inputs import choose_inputs, show_details
from pages.form.places import epsilon_first
from pages.inside import choices, microscope, runs
from pages.room import bar
from pages.shell import fields, links, pieces, screen
from pages.shell.header import page_header

headline = page_header("What did the mechanism do?")
links.begin("inside")
bar.bar()
run_tab, microscope_tab, microscope_open = fields.tabs("look", ("One run", "Microscope"))

with microscope_tab:
    if microscope_open:
        microscope.show()
        links.write_link()
        st.stop()

with run_tab:
    form, answer = screen.halves()
    with answer:
        splits_place = st.container()

with form, screen.controls():
    places = epsilon_first(of_intervals=False)
    brought = choose_data(of_groups=True, places=places)
    inputs = choose_inputs(brought, one_mechanism=True, may_find=True, of_groups=True, places=places)
    with splits_place:
        choices.choose_splits(inputs.plan)
    group = choices.choose_group(inputs)
    reason = runs.why_not(inputs, group)
    label = live.LABEL if runs.is_live(inputs) else "Run"
    pressed = pieces.primary_button(label, keys.widget("run_inside"), ":material/casino:", reason)
    due = runs.run_due(inputs, group, pressed=pressed, ready=not reason)
    link = st.empty()

headline.markdown(pieces.headline(inputs.brought, inputs.adjacency, pieces.NOT_PRIVATE))
links.write_link()

with answer, screen.answer():
    live.reserve()
    if due:
        runs.draw(inputs, group, *due)
    runs.show(inputs, group, ready=not reason, link=link)

show_details(inputs)

screen.show_answer()
