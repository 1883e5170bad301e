"""What did the mechanism do?"""

import streamlit as st

from pages import keys
from pages.explore import live
from pages.form import details
from pages.form.form import draw_form
from pages.form.places import epsilon_first
from pages.form.table import SETTINGS, key
from pages.inside import microscope, runs
from pages.room import bar
from pages.shell import links, pieces, screen

headline = bar.begin("inside", "What did the mechanism do?")
run_tab, microscope_tab = st.tabs(SETTINGS["look"].choices, key=key("look"), on_change="rerun")

with microscope_tab:
    if microscope_tab.open:  # nothing need be drawn into a closed one
        microscope.show()
        links.write_link()
        st.stop()

with run_tab:
    controls, answer = screen.halves()
    with answer:
        splits_place = st.container()

with controls, screen.controls():
    form = draw_form(epsilon_first())
    with splits_place:
        runs.choose_splits(form.plan)
    group = runs.choose_group(form)
    reason = runs.why_not(form, group)
    label = live.LABEL if runs.is_live(form) else "Run"
    pressed = pieces.primary_button(label, keys.widget("run_inside"), ":material/casino:", reason)
    due = runs.run_due(form, group, pressed=pressed, ready=not reason)
    link = st.empty()

headline.markdown(pieces.headline(form.column, form.adjacency, pieces.NOT_PRIVATE))
links.write_link()

with answer, screen.answer():
    live.reserve()
    if due:
        runs.draw(form, group, *due)
    runs.show(form, group, reason=reason, link=link)

details.show(form)

screen.show_answer()
