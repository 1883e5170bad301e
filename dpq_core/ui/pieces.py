"""What every outcome on the screen is made of: its line, metrics, tables, notes, downloads and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitPageNotFoundError

from . import budget, exports
from .columns import ReleasedColumn
from .exports import Labelled, Outcome
from .page import escape, in_words, term
from .runs import Released
from .settings import PREFIX, key
from .state import Mode
from .style import IN_VIEW
from .wording import Wording

NOT_PRIVATE = ":orange-badge[:material/visibility: Explore: not private, the truth is on this screen]"
PRIVATE_ONLY = ":blue-badge[:material/lock: Release: private answers only]"
SPENT_HELP = "The budget that a release with these settings spends. A simulation of public data spends nothing."
TOTAL_HELP = "All releases of this data set, by whomever and whenever. The page Budget shows how they add up."
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


def result_line(outcome: Labelled, kind: str, changed: str) -> None:
    """What this is, of which column, by which mechanism, at which budget; and whether settings have changed since."""
    badge = f" :blue-badge[:material/update: {changed}]" if changed else ""
    mechanism = exports.mechanism_in_words(outcome)
    st.markdown(f":gray[{kind} · {escape(outcome.wording.name)} · {mechanism} · {outcome.plan.privacy}]{badge}")


def price_if_released(outcome: Outcome) -> None:
    """What a simulation would have cost as a release."""
    st.metric("Budget this would use", exports.price(outcome), help=SPENT_HELP, width="stretch")


def prices(outcome: Released | ReleasedColumn) -> None:
    """What a release has cost, and all of its data set."""
    st.metric("Spent by this release", exports.price(outcome), help=term("release"), width="stretch")
    st.metric("Spent of the budget", budget.spent_of(outcome.account), help=TOTAL_HELP, width="stretch")


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
            st.download_button(label, content, file, key=widget, icon=icon, on_click="ignore")


def page_of_figures(outcome: Labelled, title: str, figures: list[Any]) -> str:
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
