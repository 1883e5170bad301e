"""What every outcome on the screen is made of: its line, metrics, tables, notes, downloads and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitPageNotFoundError

from . import exports
from .columns import ReleasedColumn
from .exports import Labelled, Outcome, Repeatable
from .page import escape, in_words, term
from .runs import Left, Released
from .settings import PREFIX, key
from .state import Mode
from .style import IN_VIEW
from .wording import Wording

NOT_PRIVATE = ":orange-badge[:material/visibility: Explore: not private, the truth is on this screen]"
PRIVATE_ONLY = ":blue-badge[:material/lock: Release: private answers only]"
SPENT_HELP = "The budget that a release with these settings spends. A simulation of public data spends nothing."
TOTAL_HELP = "All releases of this data set by now, by whomever: the smaller of two sums that both hold."
CHOSEN = "Chosen now:"
"""Begins the line under a page's question: a result further down says itself what it is of."""
RESULT = f"{PREFIX}_result"
"""Begins the keys of the containers that hold finished outcomes."""
PIXELS_A_ROW = 35
MOST_ROWS = 10


def primary_button(
    label: str, name: str, icon: str, reason: str, *, otherwise: str = "", on_click: Callable[[], None] | None = None
) -> bool:
    """The one primary button of a form, in view however long the form is; while it is disabled a line says why.

    `otherwise`: what the line says while it is not. Returns whether it was pressed just now.
    """
    with st.container(key=IN_VIEW, gap="xsmall"):
        pressed = st.button(
            label, key=key(name), type="primary", icon=icon, width="stretch", disabled=bool(reason), on_click=on_click
        )
        if reason or otherwise:
            st.caption(escape(reason) or otherwise)
    return pressed and not reason


def page_link(page: str, words: str, settings: Mapping[str, str]) -> None:
    """A link within the session; where this page runs without the menu, and so knows no other, one to a new tab."""
    icon = ":material/arrow_outward:"
    try:
        st.page_link(f"pages/{page}.py", label=words, icon=icon, query_params=settings)
    except StreamlitPageNotFoundError:
        st.link_button(words, f"{page}?{urlencode(settings)}", icon=icon, type="tertiary")


def nothing_yet(verb: str, button: str, ready: bool, note: str = "") -> None:
    """Before the first press; `note`: one sentence more."""
    with st.container(border=True):
        st.markdown(f"**Nothing {'simulated' if verb == 'Simulate' else 'released'} yet.**")
        todo = f"Press {button} when the settings are right." if ready else "Choose data and settings first."
        st.caption(f"{todo} {note}".strip())


def note(mode: Mode) -> str:
    """What to say beside `nothing_yet` in this mode."""
    return "" if mode is Mode.EXPLORE else "Until then nothing of the data leaves the server."


def result(name: str) -> DeltaGenerator:
    """The place of a finished outcome, drawn from its own record: no setting of the page changes anything in it."""
    return st.container(key=f"{RESULT}_{name}")


def result_line(outcome: Labelled, kind: str, changed: str) -> None:
    """What this is, of which column, how, at which budget, what it hides; and whether settings have changed since."""
    facts = [
        kind,
        escape(outcome.wording.name),
        exports.mechanism_in_words(outcome),
        str(outcome.plan.privacy),
        escape(exports.adjacency_in_words(outcome)),
    ]
    st.markdown(f":gray[{' · '.join(facts)}]{changed_badge(changed)}")


def changed_badge(changed: str) -> str:
    """The one word in a result that depends on what the page says now; empty where nothing has changed."""
    return f" :blue-badge[:material/update: {changed}]" if changed else ""


def price_if_released(outcome: Outcome) -> None:
    """What a simulation would have cost as a release."""
    st.metric("Budget this would use", exports.price(outcome), help=SPENT_HELP, width="stretch")


def prices(outcome: Released | ReleasedColumn, spent: str) -> None:
    """What a release has cost, and `spent`: what all of its data set have by now."""
    st.metric("Spent by this release", exports.price(outcome), help=term("release"), width="stretch")
    st.metric("Spent of the budget by now", spent, help=TOTAL_HELP, width="stretch")


def table(columns: dict[str, list[Any]], alt: str, left: int = 1) -> None:
    """Texts in rows; after the first `left` columns numbers, to the right."""
    rows = len(next(iter(columns.values()), []))
    height = PIXELS_A_ROW * (min(rows, MOST_ROWS) + 1) + 3
    right = {name: st.column_config.Column(alignment="right") for name in list(columns)[left:]}
    st.dataframe(columns, hide_index=True, alt=alt, height=height, column_config=right)


def in_unit(words: Wording) -> str:
    """The unit behind the title of a column of numbers."""
    return f" ({words.unit})" if words.unit and words.kind != "date" else ""


def notes(outcome: Outcome) -> None:
    """What the mechanism says of its answers, and what is unusual about the settings."""
    for note in outcome.notes:
        st.caption(f":material/info: {escape(in_words(note))}")
    for warning in outcome.warnings:
        st.caption(f":material/warning: {escape(warning)}")


def downloads(files: dict[str, Callable[[], str]], name: str, plan: str) -> None:
    """A button for each file, made when it is asked for; none reruns the page. The name says what may be shown."""
    ends = {
        "CSV": (f"{name}.csv", ":material/download:"),
        "JSON": (f"{name}.json", ":material/data_object:"),
        "Figure": (f"{name}.html", ":material/image:"),
        "Python": (f"{name}.py", ":material/code:"),
        "Plan": (plan, ":material/list_alt:"),
    }
    with st.container(horizontal=True, gap="small"):
        for label, content in files.items():
            file, icon = ends[label]
            widget = f"{PREFIX}_download_{label}_{name}"
            made = exports.for_spreadsheets(content) if label == "CSV" else content
            st.download_button(label, made, file, key=widget, icon=icon, on_click="ignore")


def page_of_figures(outcome: Left | Repeatable, title: str, figures: list[Any]) -> str:
    """Figures as one file, with what they are and what may be done with them."""
    from ..figures.quantiles import as_html

    facts = f"{exports.price(outcome)} · {exports.adjacency_in_words(outcome)}"
    data = exports.data_in_words(outcome) if isinstance(outcome, Left) else outcome.source
    paragraphs = [exports.privacy_label(outcome), facts, exports.origin_in_words(outcome), data]
    return as_html(figures, title=title, paragraphs=[text for text in paragraphs if text])


def axis_values(words: Wording, values: list[float]) -> list[Any]:
    """Values as a figure takes them: dates as texts."""
    return [words.number(value) for value in values] if words.kind == "date" else values


def draw(place: DeltaGenerator, figure: Any, name: str, alt: str) -> None:
    """A figure in a place that was kept for it."""
    from ..figures.quantiles import CONFIG

    place.plotly_chart(figure, key=f"{PREFIX}_figure_{name}", config=CONFIG, alt=alt)
