"""What did the mechanism do?"""

import streamlit as st

from pages import keys
from pages.class_views import bar
from pages.form.data import choose_data
from pages.form.inputs import choose_inputs, show_details
from pages.frame import fields, links, pieces, screen
from pages.frame.header import page_header
from pages.inside import groups, splits, view
from pages.microscope import view as microscope_view
from pages.quantiles import live
from pages.settings import table

headline = page_header("What did the mechanism do?")
links.begin("inside")
bar.bar()
run_tab, microscope_tab, microscope_open = fields.tabs("look", table.INSIDE_TABS)

with microscope_tab:
    if microscope_open:
        microscope_view.show()
        links.write_link()
        st.stop()

with run_tab:
    form, answer = screen.halves()
    with answer:
        splits_place = st.container()

with form, screen.controls():
    inputs = choose_inputs(choose_data(of_groups=True), one_mechanism=True, may_find=True, of_groups=True)
    with splits_place:
        splits.choose_splits(inputs.plan)
    group = groups.choose_group(inputs)
    may_look = view.may_look(inputs.brought)
    reason = view.why_not(inputs, group, may_look=may_look)
    label = live.LABEL if view.is_live(inputs) else "Run"
    pressed = pieces.primary_button(label, keys.widget("run_inside"), ":material/casino:", reason)
    due = view.run_to_draw(inputs, group, pressed=pressed, ready=not reason)
    link = st.empty()

headline.markdown(pieces.headline(inputs.brought, inputs.adjacency, pieces.badge_of(inputs.mode)))
links.write_link()

with answer, screen.answer():
    live.reserve()
    if due:
        view.draw(inputs, group, *due)
    view.show(inputs, group, may_look=may_look, ready=not reason, link=link)

show_details(inputs)

screen.show_answer()
