"""What do several columns of my table look like, under one budget?"""

import streamlit as st

from dpq_core.ui import budget, columns, lectern
from dpq_core.ui.columns import drawing
from dpq_core.ui.forms import choose_adjacency, choose_privacy
from dpq_core.ui.shell import links, page_header, screen

headline = page_header("What do several columns look like, under one budget?")
links.begin("columns")
lectern.bar()

form, answer = screen.halves()

with answer:
    asked = st.container()

with form, screen.controls():
    table = columns.choose_table()
    privacy = choose_privacy(None)
    adjacency = choose_adjacency(columns.one_of(table))
    size = columns.choose_size(table)
    with asked:
        request = columns.choose_questions(table, privacy, adjacency, size) if table else None
    payer = budget.choose_payer(drawing.payer_data(table))
    reason = columns.why_not(table, request, payer)
    pressed = columns.button(table, request, payer, reason)
    pressed = columns.confirmed(table, request, payer, pressed=pressed)
    links.show_link()

headline.markdown(columns.headline(table, request))
links.write_link()

with answer, screen.answer():
    if table and request and not reason and (pressed or drawing.is_first_picture(table)):
        drawing.draw(table, request, payer, seed=None if pressed else 1)
    elif not pressed:
        drawing.finish_interrupted(table, payer)
    drawing.PRESSES.show_failure()
    columns.show(table, request, ready=not reason)

screen.show_answer()
