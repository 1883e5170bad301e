"""The answers of a run on the screen, of which a slider, a click in the figure, or the table selects one.

The selection of a figure cannot be set, so a figure with an older click is drawn again under another key.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.mechanisms.slices.draws import SliceStep
from dpq_core.results.trace import InsideRun

from .. import keys
from ..form.table import SETTINGS
from ..server import downloads
from ..shell import links, pieces
from ..shell.header import escape, term
from .words import answer_in_words, as_csv, columns_of, filled, kind_of, table_of

STEP, TABLE = keys.widget("inside_step"), keys.widget("inside_table")
_SELECTED = keys.state("inside:step")
"""The selected answer, 1 for the first: slider and table follow it."""
_CLICKS = keys.state("inside:clicks")
_REQUESTED = keys.state("inside:requested")
"""Which answer each part of the screen asks for in this run: with a message on one, a browser sends what all show."""
MOVERS = ("figure", "slider", "table")
"""Who is believed first. While an arrow key is held the slider is ahead of what the table has been told meanwhile."""
WORDS = 2
"""The first columns of the table, which stand to the left; numbers stand to the right."""
CLOSE_UP = " There are many answers, so the figure shows the surroundings of the selected one."


def select(answer: int) -> None:
    """Select an answer, 1 for the first. A figure that holds an older click is made anew, or it would keep that."""
    st.session_state[_SELECTED] = answer
    if st.session_state.get(_figure_key(), {}).get("selection", {}).get("points"):
        st.session_state[_CLICKS] = st.session_state.get(_CLICKS, 0) + 1


def open_run(run: InsideRun, before: InsideRun | None) -> None:
    """Select the answer that was looked at `before` in such a run, else the first; of slices the last, with all."""
    slices = bool(run.steps) and isinstance(run.steps[0], SliceStep)
    alike = before is not None and (before.seed, len(before.steps)) == (run.seed, len(run.steps))
    if not alike or (slices and before is not None and before.plan.mechanism != run.plan.mechanism):
        select(len(run.steps) if slices else 1)


@st.fragment
def show(run: InsideRun, link: DeltaGenerator, *, linked: bool) -> None:
    """Show the selected answer in figures and tables, as a fragment: only this changes with another one.

    `link`: the place of the page's link; it says which answer is selected where `linked`, as the run is one of the
    present settings.
    """
    from dpq_core.figures.structure.scene import MOST_STEPS_IN_FULL

    requested = st.session_state.pop(_REQUESTED, {})  # other states in the same message of the browser are older
    mover = next((mover for mover in MOVERS if mover in requested), None)
    if mover == "figure":
        st.session_state[_SELECTED] = requested[mover]
    elif mover:
        select(requested[mover])
    last = len(run.steps)
    selected = st.session_state[_SELECTED] = min(max(st.session_state.get(_SELECTED, 1), 1), last)
    if last > 1:
        st.session_state[STEP] = selected
        st.slider(SETTINGS["run_step"].label, 1, last, key=STEP, on_change=_slid, help=term("step of a run"))
    links.carry(run_step=selected if linked and selected > 1 else None)
    links.write_address()
    with link.container():
        links.show_link()
    kind, at = kind_of(run), selected - 1
    headline, sentence = answer_in_words(run, at)
    st.markdown(f"**{escape(headline)}**  \n{escape(sentence)}")
    whole, close = st.columns((64, 36), gap="medium") if kind.close else (st.container(), None)
    _figures(run, at, whole, close)
    with whole:
        st.caption(
            filled(kind.whole, run) + (CLOSE_UP if last > MOST_STEPS_IN_FULL else ""),
            help="\n\n".join(f"**{name.capitalize()}.** {term(name)}" for name in kind.terms) or None,
        )
    _tables(run, at)
    files = {"CSV": partial(as_csv, run), "Figure": partial(_as_page, run, at)}
    downloads.show(files, "inside-not-private", of=run.wording.name, day=run.made)


def _figures(run: InsideRun, at: int, whole: DeltaGenerator, close: DeltaGenerator | None) -> None:
    from dpq_core.figures.frame import CONFIG, shown
    from dpq_core.figures.structure.pictures import picture_of

    kind, picture, scene, name = kind_of(run), picture_of(run.steps[at]), _scene(run, at), _figure_key()
    whole.plotly_chart(
        shown(picture.run(scene)), key=name, on_select=partial(_clicked, name), selection_mode="points", config=CONFIG,
        alt="What the mechanism did, step by step, with the selected step framed; see the table",
    )  # fmt: skip
    if picture.step is not None and close is not None:
        about = filled(kind.close, run)
        close.plotly_chart(
            shown(picture.step(scene)), key=pieces.figure_key("inside_close"), config=CONFIG,
            alt=f"{about} See the table of the selected answer",
        )  # fmt: skip
        close.caption(f"**{escape(kind.title(run, run.steps[at]))}.** {about}")


def _scene(run: InsideRun, at: int) -> Any:
    from dpq_core.figures.frame import ACCENT, MECHANISM_COLOURS
    from dpq_core.figures.structure.scene import Scene

    return Scene(
        steps=run.steps, at=at, targets=run.targets, ranks=run.ranks, truths=run.truths, true_ranks=run.true_ranks,
        edges=run.edges, counts=run.counts, n=run.n, bounds=(float(run.domain.lower), float(run.domain.upper)),
        spread=run.spread, axis=run.wording.axis, one=run.wording.one, many=run.wording.many,
        colour=MECHANISM_COLOURS.get(run.plan.mechanism, ACCENT), read=run.wording.number,
        dated=run.wording.kind == "date",
    )  # fmt: skip


def _tables(run: InsideRun, at: int) -> None:
    """Show all answers as a table, and the numbers of the selected one's figure as another."""
    kind, step, columns = kind_of(run), run.steps[at], columns_of(run)
    rows = kind.rows(run, at, step)
    places = st.tabs(["All answers", "The selected answer"]) if rows else [st.container()]
    st.session_state[TABLE] = {"selection": {"rows": [at], "columns": [], "cells": []}}
    places[0].dataframe(
        table_of(run, columns, run.steps), key=TABLE, hide_index=True, on_select=_picked,
        selection_mode="single-row-required", height=pieces.height_of(len(run.steps)),
        column_config={
            filled(column.name, run): st.column_config.Column(
                alignment="left" if place < WORDS else "right", help=filled(column.meaning, run)
            )
            for place, column in enumerate(columns)
        },
        column_order=[filled(column.name, run) for column in columns if not column.folded],
        alt="Every answer of the run; the selected one is marked",
    )  # fmt: skip
    if rows:
        with places[1]:
            meanings = {filled(column.name, run): filled(column.meaning, run) for column in kind.row}
            pieces.table(table_of(run, kind.row, rows), "The numbers of the selected answer", helps=meanings)


def _as_page(run: InsideRun, at: int) -> str:
    from dpq_core.figures.structure.pictures import picture_of

    picture, scene = picture_of(run.steps[at]), _scene(run, at)
    figures = [picture.run(scene), *([picture.step(scene)] if picture.step else [])]
    return pieces.page_of_figures(run, "What the mechanism did", figures)


def _figure_key() -> str:
    return pieces.figure_key("inside", st.session_state.get(_CLICKS, 0))


def _ask(mover: str, answer: int) -> None:
    st.session_state.setdefault(_REQUESTED, {})[mover] = answer


def _slid() -> None:
    _ask("slider", int(st.session_state[STEP]))


def _clicked(figure: str) -> None:
    points = st.session_state[figure]["selection"]["points"]
    numbers = [point["customdata"] for point in points if "customdata" in point]
    if numbers:
        number = numbers[0]
        _ask("figure", 1 + int(number[0] if isinstance(number, list | tuple) else number))


def _picked() -> None:
    rows = st.session_state[TABLE]["selection"]["rows"]
    if rows:
        _ask("table", 1 + int(rows[0]))
