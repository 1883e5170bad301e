"""What every outcome on the screen is made of: its line, metrics, tables, notes, downloads and figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ..plan import Plan
from . import exports, state
from .exports import Outcome
from .page import escape, in_words, term
from .settings import PREFIX
from .state import Mode
from .wording import Wording

NOT_PRIVATE = ":orange-badge[:material/visibility: Explore: not private, the truth is on this screen]"
PRIVATE_ONLY = ":blue-badge[:material/lock: Release: private answers only]"
SPENT_HELP = "The budget that a release with these settings spends. A simulation of public data spends nothing."
TOTAL_HELP = "The plain sum over all releases of this session, whatever the data."
PIXELS_A_ROW = 35
MOST_ROWS = 10


def nothing_yet(verb: str, button: str, ready: bool, spent: str) -> None:
    """Before the first press; `spent`: what releases of this session have cost, if anything."""
    with st.container(border=True):
        st.markdown(f"**Nothing {'simulated' if verb == 'Simulate' else 'released'} yet.**")
        todo = f"Press {button} when the settings are right." if ready else "Choose data and settings first."
        inside = "" if verb == "Simulate" or spent else " Until then nothing of the data leaves the server."
        st.caption(f"{todo}{inside}" + (f" Spent in this session: {spent}." if spent else ""))


def spent(mode: Mode, plan: Plan | None) -> str:
    """What releases of this session have cost, in the terms of the plan; empty where nothing was released."""
    if mode is Mode.EXPLORE or plan is None or not state.spent():
        return ""
    return exports.total_price(state.spent(), plan.privacy)


def result_line(outcome: Outcome, kind: str, changed: str) -> None:
    """What this is, of which column, by which mechanism, at which budget; and whether settings have changed since."""
    badge = f" :blue-badge[:material/update: {changed}]" if changed else ""
    mechanism = exports.mechanism_in_words(outcome)
    st.markdown(f":gray[{kind} · {escape(outcome.wording.name)} · {mechanism} · {outcome.plan.privacy}]{badge}")


def price_if_released(outcome: Outcome) -> None:
    """What a simulation would have cost as a release."""
    st.metric("Spent if released", exports.price(outcome), help=SPENT_HELP, width="stretch")


def prices(outcome: Outcome, total: str) -> None:
    """What a release has cost, and all of this session."""
    st.metric("Spent by this release", exports.price(outcome), help=term("release"), width="stretch")
    st.metric("Spent in this session", total, help=TOTAL_HELP, width="stretch")


def table(columns: dict[str, list[Any]], alt: str) -> None:
    """Texts in rows; numbers, from the second column on, to the right."""
    rows = len(next(iter(columns.values()), []))
    height = PIXELS_A_ROW * (min(rows, MOST_ROWS) + 1) + 3
    right = {name: st.column_config.Column(alignment="right") for name in list(columns)[1:]}
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
            st.download_button(label, content, file, key=widget, icon=icon, on_click="ignore")


def page_of_figures(outcome: Outcome, title: str, figures: list[Any]) -> str:
    """Figures as one file, with what they are and what may be done with them."""
    from ..figures.quantiles import as_html

    facts = f"{exports.mechanism_in_words(outcome)} · {exports.price(outcome)} · {exports.adjacency_in_words(outcome)}"
    label, data = exports.privacy_label(outcome), exports.data_in_words(outcome)
    return as_html(figures, title=title, paragraphs=[label, facts, data])


def axis_values(words: Wording, values: list[float]) -> list[Any]:
    """Values as a figure takes them: dates as texts."""
    return [words.number(value) for value in values] if words.kind == "date" else values


def draw(place: DeltaGenerator, figure: Any, name: str, alt: str) -> None:
    """A figure in a place that was kept for it."""
    from ..figures.quantiles import CONFIG

    place.plotly_chart(figure, key=f"{PREFIX}_figure_{name}", config=CONFIG, alt=alt)
