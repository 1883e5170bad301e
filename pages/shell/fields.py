"""The widgets of settings. Label and key come from the table of settings, and what was chosen holds on every page.

Sentences about links name settings and their default values in the words of their widgets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.advice.choice import BEST_LABEL
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.papers.figures import FIGURES
from dpq_core.privacy.budgets import Adjacency
from dpq_core.sources.examples import EXAMPLES
from dpq_core.studies.streams import PATTERNS

from .. import keys
from ..form.table import LONGEST_LINE, OPTION, OPTIONS, SETTINGS, key, text
from ..learn.texts import text_of

Shown = Callable[[Any], str]
"""What an option is called on the screen."""
Options = Sequence[str] | Mapping[str, str]
"""Those that are offered, or what each is called; without any all choices of the setting."""


def selectbox(
    name: str, options: Options = (), shown: Shown = str, *, help: str | None = None,
    searched: bool = False, on_change: Callable[[], None] | Literal["rerun"] = "rerun",
) -> str:  # fmt: skip
    """Draw a list of which one option is chosen, and return it; `searched`: whether one can type to find it."""
    if isinstance(options, Mapping):
        shown = options.__getitem__
    if text(name) in (options or SETTINGS[name].choices):
        _call_anew(name, shown(text(name)))
    mode = "fuzzy" if searched else None
    return choose(st.selectbox, name, options, shown, help=help, filter_mode=mode, on_change=on_change)


def _call_anew(name: str, words: str) -> None:
    """Choose the chosen option once more where it is called otherwise now: a browser keeps the words it has shown."""
    last = keys.state("words", name)
    if st.session_state.get(last, words) != words and key(name) in st.session_state:
        st.session_state[key(name)] = text(name)
    st.session_state[last] = words


def choose(
    widget: Callable[..., object], name: str, options: Options = (), shown: Shown = str, **more: Any
) -> str:  # fmt: skip
    """Draw a widget of Streamlit with one chosen option, and return that; `more`: what else the widget takes."""
    if isinstance(options, Mapping):
        options, shown = tuple(options), options.__getitem__
    offered = options or SETTINGS[name].choices
    widget(SETTINGS[name].label, offered, format_func=shown, key=key(name), persist_state="session", **more)
    return text(name)


radio, select_slider = partial(choose, st.radio), partial(choose, st.select_slider)
"""Options below each other, and texts along a slider."""
segmented_control = partial(choose, st.segmented_control, required=True)
"""Options side by side as one bar."""
pills = partial(choose, st.pills, required=True)
"""Options side by side as buttons."""


def tabs(name: str, names: tuple[str, str]) -> tuple[DeltaGenerator, DeltaGenerator, bool]:
    """Draw two tabs; return them, and whether the second is open: nothing need be drawn into a closed one."""
    first, second = st.tabs(names, key=key(name), on_change="rerun")
    return first, second, bool(second.open)


def text_input(
    name: str, *, help: str | None = None, label: str = "", placeholder: str | None = None,
    max_chars: int = LONGEST_LINE, width: int | Literal["stretch"] = "stretch",
) -> str:  # fmt: skip
    """Draw a field for text, and return its text; at first its default, on every page."""
    st.session_state.setdefault(key(name), SETTINGS[name].default)
    st.text_input(
        label or SETTINGS[name].label, key=key(name), persist_state="session", help=help, placeholder=placeholder,
        max_chars=max_chars, width=width,
    )  # fmt: skip
    return text(name)


COMMON_LABELS = {
    "quantiles": "Deciles",
    "mechanism": BEST_LABEL,
    "each": "One answer for all",
    "group_way": "Those in the data",
    "bounds": "I know them",
    "negative": "Yes",
    "budget": "ε",
    "splits": "One quantile a draw",
    "tiny_show": "A sound mechanism",
    "tiny_state": "Broken",
    "trouble": "The data above",
    "ask": "Rank error",
    "sweep": "Privacy loss ε",
    "marked": BEST_LABEL,
    "measure": "On average",
    "stream": "Made up",
    "more": "None",
    "stream_quantiles": "Median",
}
"""Default values that are keys of one page, as its widgets show them."""


def label_of(name: str) -> str:
    """Return the label of a setting's widget or an option's: `binhist.bins` -> `Bins`; the name if neither."""
    known = SETTINGS.get(name) or OPTIONS.get(f"{OPTION}_{name}")
    return known.label if known else name


def usual_value(name: str) -> str:
    """Return the usual value of a setting as its widget shows it; empty where the widget shows none."""
    value = SETTINGS[name].default
    if name in COMMON_LABELS:
        return COMMON_LABELS[name]
    if name == "lesson":
        return text_of(value).title
    for known in (EXAMPLES, PATTERNS):
        if value in known:
            return known[value].label
    if value in MECHANISMS:
        return MECHANISMS[value].LABEL
    if name == "adjacency":
        return Adjacency(value).in_words
    if name == "figure":
        return f"{FIGURES[value].place} · {FIGURES[value].paper}"
    return f"{int(value):,}" if value.isdigit() else value
