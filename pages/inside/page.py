"""What did the mechanism do?"""

import streamlit as st

from pages import class_views, inside, keys, microscope
from pages.form import choose_data, choose_inputs, show_details
from pages.frame import fields, links, page_header, pieces, screen
from pages.quantiles import live
from pages.settings import table

headline = page_header("What did the mechanism do?")
links.begin("inside")
class_views.bar()
run_tab, microscope_tab, microscope_open = fields.tabs("look", table.INSIDE_TABS)

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
    inputs = choose_inputs(
        choose_data(of_groups=True), one_mechanism=True, may_find=True, of_groups=True, set_here=inside.set_here()
    )
    with splits_place:
        inputs = inside.choose_splits(inputs)
    group = inside.choose_group(inputs)
    may_look = inside.may_look(inputs.brought)
    reason = inside.why_not(inputs, group, may_look=may_look)
    label = live.LABEL if inside.is_live(inputs) else "Run"
    pressed = pieces.primary_button(label, keys.widget("run_inside"), ":material/casino:", reason)
    due = inside.run_to_draw(inputs, group, pressed=pressed, ready=not reason)
    link = st.empty()

headline.markdown(pieces.headline(inputs.brought, inputs.adjacency, pieces.badge_of(inputs.mode)))
links.write_link()

with answer, screen.answer():
    live.reserve()
    if due:
        inside.draw(inputs, group, *due)
    inside.show(inputs, group, may_look=may_look, ready=not reason, link=link)

show_details(inputs)

screen.show_answer()
