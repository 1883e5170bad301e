"""The options of mechanisms as texts: what was chosen on a page, what counts there, and what a link says."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

import streamlit as st

from dpq_core.mechanisms.base import Option
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.plan import OptionValue

from .check import fits
from .said import PLANNED
from .table import EVERY, OPTION, PAGES, key, text

CHOSEN = ("choice", "flag")
"""Kinds of options that are buttons; the others are fields, which are empty at first."""


def chosen_options(mechanism: str) -> dict[str, str]:
    """Return the options of a mechanism that differ from their defaults, as texts: `binhist.bins` -> `50`."""
    found = {}
    for option in MECHANISMS[mechanism].OPTIONS if mechanism in MECHANISMS else ():
        value = st.session_state.get(key(f"{OPTION}_{mechanism}.{option.name}"))
        if value is not None and str(value) not in {"", str(option.default)}:
            found[f"{mechanism}.{option.name}"] = str(value)
    return found


def has_options(page: str) -> bool:
    """Return whether options count on a page."""
    return page in PLANNED or "mechanism" in PAGES[page]


def of_page(page: str, mechanism: str) -> dict[str, str]:
    """Return the options that count on a page, as it says them and as its link carries them.

    `mechanism`: the one that the page draws; a page that studies several counts the options of all of them.
    """
    if not has_options(page):
        return {}
    mechanisms = [mechanism]
    if page in PLANNED:
        only = text("swept") if page == "tradeoff" else EVERY
        mechanisms = list(MECHANISMS) if only == EVERY else [only]
    found = {name: value for each in mechanisms for name, value in chosen_options(each).items()}
    return {name: value for name, value in found.items() if option_fits(name, value)}


def clear(but: Collection[str] = ()) -> None:
    """Set all options to their defaults, but those of these settings; before their widgets are drawn."""
    for mechanism, each in MECHANISMS.items():
        for option in each.OPTIONS:
            name = f"{OPTION}_{mechanism}.{option.name}"
            if name not in but and key(name) in st.session_state:
                st.session_state[key(name)] = str(option.default or "") if option.kind in CHOSEN else ""


def option_of(name: str) -> Option | None:
    """Return the option with a name such as `binhist.bins`; None where there is none."""
    mechanism, _, wanted = name.partition(".")
    options = MECHANISMS[mechanism].OPTIONS if mechanism in MECHANISMS else ()
    return next((option for option in options if option.name == wanted), None)


def option_fits(name: str, text: str) -> bool:
    """Return whether `binhist.bins=50` names an option of a mechanism and a value that it takes."""
    option = option_of(name)
    return option is not None and fits(partial(checked_option, option), text)


def checked_option(option: Option, text: str) -> OptionValue:
    """Return the value of an option from its text. Raises ParameterError."""
    return option.checked(_option_value(option.kind, text))


def _option_value(kind: str, text: str) -> str | int | float | bool:
    """Return an option's value; the text itself where it is none, which the option then refuses by name."""
    try:
        match kind:
            case "integer":
                return int(text)
            case "number":
                return float(text.strip().replace(",", "."))
    except ValueError:
        return text
    return {"True": True, "False": False}.get(text, text) if kind == "flag" else text
