"""What do several columns of my table look like, under one budget?"""

import streamlit as st

from pages import budget, columns, lectern
from pages.form import (
    OF_TABLE,
    Asking,
    choose_adjacency,
    choose_counting,
    choose_groups,
    choose_intervals,
    choose_privacy,
)
from pages.frame import Mode, links, page_header, pending, presses, screen
from pages.quantiles import drawing, live

headline = page_header("What do several columns look like, under one budget?")
links.begin("columns")
lectern.bar()
budget.say_if_closed()

form, answer = screen.halves()

with answer:
    notice = st.container()
    asked = st.container()

with form, screen.controls():
    table = columns.choose_table()
    first = table.columns[0] if table else None
    groups = choose_groups(first, OF_TABLE)
    sure = st.container(gap="xsmall")
    privacy = choose_privacy(None)
    adjacency = choose_adjacency(columns.one_of(table))
    with sure:
        chosen = groups.any_choice(first) if groups and first else None
        many = len(table.columns) if table else 1
        asking = Asking(first, columns.bounds_of_first(table), chosen, many)
        intervals = choose_intervals(asking) if table else None
        counted = intervals is not None and choose_counting(asking)
    size = columns.choose_size(table, in_groups=groups is not None, with_intervals=intervals is not None)
    with asked:
        request = None
        if table:
            whole = columns.typed_of_whole(table, privacy, size, groups, intervals, counted=counted)
            request = columns.choose_questions(table, whole, adjacency)
        columns.say_refusal(request)
    payer = budget.choose_payer(columns.payer_data(table), word="table_one", read_again=columns.read_again)
    reason = columns.why_not(table, request, payer)
    pressed = columns.button(table, request, payer, reason)
    pressed = columns.confirmed(table, request, payer, pressed=pressed)
    links.show_link()

headline.markdown(columns.headline(table, request))
links.write_link()
pending.keep("columns", table.identity if table and table.mode is Mode.RELEASE else None)

with answer, screen.answer():
    above = st.container() if columns.outcome_of(table) else notice
    budget.tell_of_release(above, payer, columns.payer_data(table))
    live.reserve()
    if table and request and not reason and (pressed or columns.is_first_picture(table)):
        drawing.draw(table, request, payer, seed=None if pressed else 1)
    elif not pressed:
        drawing.finish_interrupted(table, payer)
    if table:
        presses.show_failure(table.identity)
    columns.show(table, request, ready=not reason)

screen.show_answer()
