"""Several columns in groups on the screen: what was found, and a picture of the groups for each column."""

from __future__ import annotations

import streamlit as st

from dpq_core.results.answers import Answers
from dpq_core.results.tables.kinds import ColumnsOutcome, ColumnsReleased
from dpq_core.results.wording import count_in_words
from pages.groups import results

from .. import keys
from ..frame import pieces
from ..frame.header import escape

MOST_SAID, MOST_DRAWN = 4, 6
"""Columns of the sentence, and of the pictures: the table has all."""


def finding(outcome: ColumnsOutcome) -> str:
    """Return between what the middle answers of each column lie, in the groups that are large enough."""
    released = isinstance(outcome, ColumnsReleased)
    said = [f"{results.finding(own, released=released)}." for own in _by_column(outcome).values()]
    more = len(said) - MOST_SAID
    return " ".join([*said[:MOST_SAID], *([f"{count_in_words(more, 'column')} more below."] if more > 0 else [])])


def _by_column(outcome: ColumnsOutcome) -> dict[str, list[Answers]]:
    found: dict[str, list[Answers]] = {}
    for answer in outcome.answers:
        found.setdefault(answer.wording.name, []).append(answer)
    return found


def show(outcome: ColumnsOutcome) -> None:
    """Draw the groups of each column from the highest middle answer to the lowest, those too small last."""
    by_column = _by_column(outcome)
    if not by_column:
        st.caption("No group is large enough to be named.")
        return
    many = max(map(len, by_column.values())) > results.MOST_ROWS
    sought = results.ask_for_group(keys.widget("table_sought", outcome.made)) if many else ""
    released = isinstance(outcome, ColumnsReleased)
    for name, answers in list(by_column.items())[:MOST_DRAWN]:
        st.markdown(f"**{escape(name)}**")
        place = st.container()
        if found := results.in_view(results.ranked(answers), sought):
            about = f"Quantiles of {name} in every group; see the table"
            pieces.draw(place, results.rows_figure(found), f"groups_{name}", about, simulated=not released)
    left_out = len(by_column) - MOST_DRAWN
    if left_out > 0:
        st.caption(f"Only in the table: {count_in_words(left_out, 'column')} more.")
    st.caption(results.reading_help(outcome.answers, outcome.many, released=released))
