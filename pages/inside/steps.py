"""The steps of a run on the screen, with one selected by a click in figure or table, or by a slider.

`_SELECTED` holds the selected answer, 1 for the first, and slider and table follow it. The slider and its buttons go
from draw to draw: answers of a joint draw are one step. The selection of a figure cannot be set, so a
figure with an older click is drawn again under another key.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.mechanisms.slices.trace import SliceStep
from dpq_core.results.trace import InsideRun

from .. import keys
from ..frame import links, pieces
from ..frame.header import escape, term
from ..server import downloads
from ..server.scripts import figure_key
from . import words as inside_words
from .details import details_of

STEP, TABLE = keys.widget("inside_step"), keys.widget("inside_table")
_SELECTED = keys.state("inside:step")
_CLICKS = keys.state("inside:clicks")
_REQUESTED = keys.state("inside:asked")
"""Which answer each part of the screen asks for in this run: with a message on one, a browser sends what all show."""
WORDS = 2
"""The first columns of the table, which stand to the left; numbers stand to the right."""
MOVERS = ("button", "figure", "slider", "table")
"""Who is believed first. While an arrow key is held the slider is ahead of what the table has been told meanwhile."""


def show(run: InsideRun, link: DeltaGenerator, *, linked: bool) -> None:
    """Show the run at its selected step.

    `link`: the place of the page's link; it says which answer is selected where `linked`, as the run is one of the
    present settings.
    """
    st.session_state.setdefault(_SELECTED, 1)
    _show_steps(run, link, linked)


def start_at(run: InsideRun, answer: int) -> None:
    """Select an answer of a run, 1 for the first. At the last one everything that was drawn can be seen."""
    _go_to(min(max(answer, 1), len(run.steps)))


def opens_at(run: InsideRun) -> int:
    """Return the answer that a new run shows: the first; the last where only that one shows the whole structure."""
    return len(run.steps) if run.steps and isinstance(run.steps[0], SliceStep) else 1


def selected() -> int:
    """Return the selected answer, 1 for the first."""
    return int(st.session_state.get(_SELECTED, 1))


@st.fragment
def _show_steps(run: InsideRun, link: DeltaGenerator, linked: bool) -> None:
    """Show the selected step in figures and tables, as a fragment: only this changes with another step."""
    starts = [draw[0] + 1 for draw in run.draws]
    _follow()
    at = min(max(st.session_state[_SELECTED], 1), len(run.steps)) - 1
    _controls(bisect_right(starts, at + 1), starts)
    links.carry(run_step=at + 1 if linked and at else None)
    links.write_address()
    with link.container():
        links.show_link()
    if said := inside_words.draw_in_words(run, at):
        st.markdown(said)
    st.markdown(f"**{escape(inside_words.step_in_words(run, at))}**")
    from dpq_core.figures.structure.scene import MOST_STEPS_IN_FULL

    words = inside_words.words_of(run)
    whole, part = st.columns((66, 34), gap="small") if words.step else (st.container(), None)
    st.caption(
        words.run.format(many=run.wording.many)
        + (inside_words.CLOSE_UP if len(run.steps) > MOST_STEPS_IN_FULL else ""),
        help="\n\n".join(f"**{name.capitalize()}.** {term(name)}" for name in words.terms) or None,
    )
    _tables(run, at)
    _downloads(run, at)
    _figures(run, at, whole, part, words.step.format(many=run.wording.many))


def _controls(now: int, starts: Sequence[int]) -> None:
    """Draw previous, next, and a slider over the draws of the run; `starts`: the first answer of each."""
    last = len(starts)
    if last == 1:
        return
    if st.session_state.get(STEP) != now:
        st.session_state[STEP] = now
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.button(
            "Previous", key=keys.widget("inside_previous"), icon=":material/chevron_left:", disabled=now <= 1,
            on_click=_ask, args=("button", starts[max(now - 2, 0)]),
        )  # fmt: skip
        st.button(
            "Next", key=keys.widget("inside_next"), icon=":material/chevron_right:", disabled=now >= last,
            on_click=_ask, args=("button", starts[min(now, last - 1)]),
        )  # fmt: skip
        st.slider("Step of the run", 1, last, key=STEP, on_change=_slid, args=(starts,), help=term("step of a run"))


def _figures(run: InsideRun, at: int, whole: Any, part: Any, about: str) -> None:
    from dpq_core.figures.frame import CONFIG, shown
    from dpq_core.figures.structure.pictures import picture_of

    scene = _scene(run, at)
    picture = picture_of(run.steps[at])
    name = _figure_key()
    alt = "What the mechanism did, step by step, with the selected step framed; see the table"
    with whole:
        st.plotly_chart(
            shown(picture.run(scene)), key=name, on_select=_clicked, selection_mode="points", config=CONFIG, alt=alt
        )
    if picture.step is not None and part is not None:
        with part:
            st.markdown(f":small[**{escape(inside_words.part_in_words(run, at))}**]")
            st.plotly_chart(
                shown(picture.step(scene)), key=figure_key("inside_step"), config=CONFIG,
                alt=f"{about} See the table of the selected answer",
            )  # fmt: skip
            st.caption(about)


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
    columns, folded = inside_words.table_of(run), inside_words.words_of(run).folded
    details = details_of(run, at)
    places = st.tabs(["All answers", "The selected answer"]) if details else [st.container()]
    with places[0]:
        configured = {
            name: st.column_config.Column(
                alignment="left" if at < WORDS else "right", help=inside_words.explained(run, name)
            )
            for at, name in enumerate(columns)
        }
        st.session_state[TABLE] = {"selection": {"rows": [at], "columns": [], "cells": []}}
        st.dataframe(
            columns, key=TABLE, hide_index=True, on_select=_picked,
            selection_mode="single-row-required", column_config=configured,
            column_order=[name for name in columns if name not in folded],
            alt="Every answer of the run; the selected one is marked",
            height=pieces.height_of(len(run.steps)),
        )  # fmt: skip
    if details:
        with places[1]:
            helps = {name: inside_words.explained(run, name) for name in details}
            pieces.table(details, "The numbers of the selected answer", helps=helps)


def _downloads(run: InsideRun, at: int) -> None:
    files = {"CSV": lambda: inside_words.as_csv(run), "Figure": lambda: _as_page(run, at)}
    downloads.show(files, "inside-not-private", of=run.wording.name, day=run.made)


def _as_page(run: InsideRun, at: int) -> str:
    from dpq_core.figures.structure.pictures import picture_of

    picture, scene = picture_of(run.steps[at]), _scene(run, at)
    figures = [picture.run(scene), *([picture.step(scene)] if picture.step else [])]
    return pieces.page_of_figures(run, "What the mechanism did", figures)


def _figure_key() -> str:
    return figure_key("inside", st.session_state.get(_CLICKS, 0))


def _go_to(answer: int) -> None:
    """Select an answer, 1 for the first. A figure that holds an older click is made anew, or it would keep that."""
    st.session_state[_SELECTED] = answer
    if st.session_state.get(_figure_key(), {}).get("selection", {}).get("points"):
        st.session_state[_CLICKS] = st.session_state.get(_CLICKS, 0) + 1


def _ask(mover: str, answer: int) -> None:
    st.session_state.setdefault(_REQUESTED, {})[mover] = answer


def _follow() -> None:
    """Select the requested answer, if any: other states in the same message of the browser are older."""
    requested = st.session_state.pop(_REQUESTED, {})
    for mover in MOVERS:
        if mover in requested:
            if mover == "figure":
                st.session_state[_SELECTED] = requested[mover]
            else:
                _go_to(requested[mover])
            return


def _slid(starts: Sequence[int]) -> None:
    _ask("slider", starts[min(int(st.session_state[STEP]), len(starts)) - 1])


def _clicked() -> None:
    points = st.session_state[_figure_key()]["selection"]["points"]
    numbers = [point["customdata"] for point in points if "customdata" in point]
    if numbers:
        number = numbers[0]
        _ask("figure", 1 + int(number[0] if isinstance(number, list | tuple) else number))


def _picked() -> None:
    rows = st.session_state[TABLE]["selection"]["rows"]
    if rows:
        _ask("table", 1 + int(rows[0]))
