"""Pieces of pages: headline, primary button, and of every outcome its line, metrics, tables, notes and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import inf, isnan, nextafter
from typing import Any, Literal
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitPageNotFoundError

from dpq_core.privacy.budgets import Adjacency
from dpq_core.results import exports
from dpq_core.results.data_set import DataSet
from dpq_core.results.kinds import Released
from dpq_core.results.wording import DisplayText

from .. import keys
from ..menu import file_of
from . import screen
from .header import escape
from .screen import IN_VIEW

NOT_PRIVATE = ":orange-badge[:material/visibility: Explore: not private, the truth is on this screen]"
PRIVATE_ONLY = ":blue-badge[:material/lock: Release: private answers only]"
RUN = keys.widget("run")
"""The key of the main button of Explore and of Release."""
PIXELS_A_ROW = 35
MOST_ROWS = 10
MOST_IN_WORDS = 500
"""Rows."""


def primary_button(
    label: str, key: str, icon: str, reason: str, *, otherwise: str = "",
    questions: Callable[[], None] | None = None,
) -> bool:  # fmt: skip
    """Draw the primary button of a form, in view however long the form is; while it is disabled a line says why.

    `otherwise`: what the line says while it is not. `questions` draws what has to be answered first, above it.
    Returns whether it was pressed just now.
    """
    with st.container(key=IN_VIEW, gap="xsmall"):
        if questions is not None:
            questions()
        pressed = st.button(
            label,
            key=key,
            type="primary",
            icon=icon,
            width="stretch",
            disabled=bool(reason),
            on_click=screen.note_press,
        )
        if reason or otherwise:
            st.caption(escape(reason) or otherwise)
    return pressed and not reason


def page_link(page: str, words: str, settings: Mapping[str, str]) -> None:
    """Draw a link within the session; where this page runs without the menu, one to a new tab."""
    icon = ":material/arrow_outward:"
    try:
        st.page_link(file_of(page), label=words, icon=icon, query_params=settings)
    except StreamlitPageNotFoundError:
        st.link_button(words, f"{page}?{urlencode(settings)}".rstrip("?"), icon=icon, type="tertiary")


def headline(data: DataSet | None, adjacency: Adjacency, badge: str) -> str:
    """Return the line under a page's question: the column that is chosen now, what is protected, and what is shown.

    A result further down says itself what it is of.
    """
    if data is None:
        return badge
    protected = adjacency.of(data.protected)
    return f":gray[Now showing: {escape(data.about)} · {protected}] {badge}"


def nothing_yet(button: str, reason: str, nothing: str = "Nothing simulated yet.", more: str = "") -> DeltaGenerator:
    """Say that nothing was pressed yet, in which words, or the `reason` why it cannot be; return the place below."""
    place = st.container(border=True)
    place.markdown(f"**{nothing}**")
    place.caption(f"{escape(reason) or f'Press {button} when the settings are right.'}{more}")
    return place


def result(name: str) -> DeltaGenerator:
    """Return the place of a finished outcome, drawn from its own record: no setting changes anything in it."""
    return st.container(key=keys.widget("result", name))


def result_line(outcome: exports.Labelled, changed: str, kind: str = "", of: str = "") -> None:
    """Say what an outcome is of, how and at which budget it was made, and whether settings have changed since."""
    facts = [
        kind or exports.kind_in_words(outcome),
        escape(of or outcome.wording.name),
        exports.mechanism_in_words(outcome),
        str(outcome.plan.privacy),
        escape(exports.adjacency_in_words(outcome)),
    ]
    st.markdown(f":gray[{' · '.join(facts)}]{changed_badge(changed)}")


def changed_badge(changed: str) -> str:
    """Return the one word in a result that depends on the page's settings; empty where nothing has changed."""
    return f" :blue-badge[:material/update: {changed}]" if changed else ""


REMARKS = st.column_config.Column(alignment="left", width=192)
"""The column of sentences: read from their first word, and wide enough for one."""


def table(
    columns: dict[str, list[Any]], alt: str, left: int = 1, *, most: int = MOST_ROWS, width: Any = None,
    helps: Mapping[str, str] | None = None,
) -> None:  # fmt: skip
    """Draw texts in rows; after the first `left` columns numbers, to the right. `DisplayText` sorts by its number.

    `width`: of the columns of numbers, in pixels; None for what they need. `helps`: what columns hold, by their names.
    """
    height = height_of(len(next(iter(columns.values()), [])), most)
    said = helps or {}
    sides = {
        name: REMARKS if name == "remark"
        else st.column_config.Column(alignment="right", width=width, help=said.get(name)) if at >= left
        else st.column_config.Column(alignment="left", help=said.get(name))
        for at, name in enumerate(columns)
    }  # fmt: skip
    st.dataframe(_with_words(columns), hide_index=True, alt=alt, height=height, column_config=sides)


def height_of(rows: int, most: int = MOST_ROWS) -> int:
    """Return the pixels of a table with a head; of one with more than `most` rows half a row says that it goes on."""
    return round(PIXELS_A_ROW * ((rows if rows <= most else most + 0.5) + 1)) + 3


def _with_words(columns: dict[str, list[Any]]) -> Any:
    """Return the columns; where some hold `DisplayText`, a frame of their numbers that is drawn in their words.

    A long table shows the numbers of its words instead: drawing many words would take a second.
    """
    counted = {name: cells for name, cells in columns.items() if any(isinstance(cell, DisplayText) for cell in cells)}
    if not counted:
        return columns
    import pandas

    if len(next(iter(counted.values()))) > MOST_IN_WORDS:
        return pandas.DataFrame(columns | {name: list(map(_said, cells)) for name, cells in counted.items()})
    numbers = {name: _numbers(cells) for name, cells in counted.items()}
    frame = pandas.DataFrame(columns | {name: list(each) for name, (each, _) in numbers.items()})
    # With a random uuid a table that did not change would be another. All columns at once: each call takes as long.
    return frame.style.set_uuid("words").format({name: words.__getitem__ for name, (_, words) in numbers.items()})


def _numbers(cells: list[DisplayText]) -> tuple[list[float], dict[float, str]]:
    """Return the numbers of a column and the words of each; one that has other words already moves by a hair.

    What is no number comes last, as infinity: of a missing one the browser draws no words.
    """
    numbers: list[float] = []
    words: dict[float, str] = {}
    for cell in cells:
        number = inf if isnan(cell.number) else float(cell.number)
        while words.setdefault(number, cell.words) != cell.words:
            number = nextafter(number, -inf)
        numbers.append(number)
    return numbers, words


def _said(cell: DisplayText) -> float:
    """Return the number that the words say, or else the number itself."""
    try:
        return float(cell.words.replace(",", ""))
    except ValueError:
        return cell.number


def notes(said: Iterable[str]) -> None:
    """Show the notes of mechanisms on their answers."""
    for note in said:
        st.caption(f":material/info: {escape(note)}")


def page_of_figures(outcome: exports.Labelled, title: str, figures: list[Any]) -> str:
    """Return figures as one file, with what they are and what may be done with them."""
    from dpq_core.figures.frame import as_html as in_a_page
    from dpq_core.figures.frame import shown

    drawn = [shown(figure, simulated=not isinstance(outcome, Released)) for figure in figures]
    facts = f"{exports.price(outcome)} · {exports.adjacency_in_words(outcome)}"
    data = exports.data_in_words(outcome) if isinstance(outcome, Released) else outcome.source
    paragraphs = [exports.privacy_label(outcome), facts, exports.origin_in_words(outcome), data]
    return in_a_page(drawn, title=title, paragraphs=[text for text in paragraphs if text])


def figure_key(name: str, *of: object) -> str:
    """Return the key of a figure; `of`: which one of several of this name."""
    return keys.widget("figure", name, *of)


def draw(
    place: DeltaGenerator, figure: Any, name: str, alt: str, *, fills: bool = False, simulated: bool = True
) -> None:
    """Draw a figure in its place; `fills`: as high as that is; `simulated`: whether it says that it is."""
    from dpq_core.figures.frame import CONFIG, shown

    height: Literal["stretch", "content"] = "stretch" if fills else "content"
    place.plotly_chart(shown(figure, simulated=simulated), key=figure_key(name), config=CONFIG, alt=alt, height=height)
