"""The widgets of settings and of options of mechanisms. What was chosen holds on every page.

Label, key and choices come from the table of settings. Sentences about links name settings and their default values in
the words of their widgets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import streamlit as st

from dpq_core.sources.examples import EXAMPLES

from .. import keys
from ..form.table import LONGEST_LINE, OPTIONS, SETTINGS, key, setting_of, text
from ..learn.texts import text_of

Shown = Callable[[Any], str]
"""What an option is called on the screen."""
Options = Sequence[str] | Mapping[str, str]
"""Those that are offered, or what each is called; without any all choices of the setting."""


def selectbox(
    name: str, options: Options = (), shown: Shown | None = None, *, help: str | None = None,
    searched: bool = False, on_change: Callable[[], None] | Literal["rerun"] = "rerun",
) -> str:  # fmt: skip
    """Draw a list of which one option is chosen, and return it; `searched`: whether one can type to find it."""
    if isinstance(options, Mapping):
        shown = options.__getitem__
    shown = shown or SETTINGS[name].shown
    if text(name) in (options or SETTINGS[name].choices):
        words = shown(text(name))  # a browser keeps the words it has shown: chosen anew where they are others now
        last = keys.state("words", name)
        if st.session_state.get(last, words) != words and key(name) in st.session_state:
            st.session_state[key(name)] = text(name)
        st.session_state[last] = words
    mode = "fuzzy" if searched else None
    return choose(st.selectbox, name, options, shown, help=help, filter_mode=mode, on_change=on_change)


def choose(
    widget: Callable[..., object], name: str, options: Options = (), shown: Shown | None = None, **more: Any
) -> str:
    """Draw a widget of Streamlit with one chosen option, and return that; `more`: what else the widget takes.

    Options are called as the table of settings says, unless `shown` or a mapping says otherwise.
    """
    if isinstance(options, Mapping):
        options, shown = tuple(options), options.__getitem__
    setting = setting_of(name)
    st.session_state.setdefault(key(name), setting.default)
    offered, shown = options or setting.choices, shown or setting.shown
    widget(setting.label, offered, format_func=shown, key=key(name), persist_state="session", **more)
    return text(name)


radio, select_slider = partial(choose, st.radio), partial(choose, st.select_slider)
"""Options below each other, and texts along a slider."""
segmented_control = partial(choose, st.segmented_control, required=True)
"""Options side by side as one bar."""
pills = partial(choose, st.pills, required=True)
"""Options side by side as buttons."""


def text_input(
    name: str, *, help: str | None = None, label: str = "", placeholder: str | None = None,
    max_chars: int = LONGEST_LINE, width: int | Literal["stretch"] = "stretch",
) -> str:  # fmt: skip
    """Draw a field for text, and return its text; at first its default, on every page."""
    st.session_state.setdefault(key(name), setting_of(name).default)
    st.text_input(
        label or setting_of(name).label, key=key(name), persist_state="session", help=help, placeholder=placeholder,
        max_chars=max_chars, width=width,
    )  # fmt: skip
    return text(name)


def label_of(name: str) -> str:
    """Return the label of a setting's widget or an option's: `binhist.bins` -> `Bins`; the name if neither."""
    known = SETTINGS.get(name) or OPTIONS.get(name)
    return known.label if known else name


def usual_value(name: str) -> str:
    """Return the usual value of a setting as its widget shows it; empty where the widget shows none."""
    value = SETTINGS[name].default
    if name == "lesson":
        return text_of(value).title
    return EXAMPLES[value].label if name == "data" else SETTINGS[name].shown(value)
