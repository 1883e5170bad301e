"""The options of mechanisms as texts: what was chosen on a page, what counts there, and what a link says."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

import streamlit as st

from dpq_core import typed
from dpq_core.mechanisms.base import Option
from dpq_core.mechanisms.registry import MECHANISMS

from .check import fits
from .said import said_now
from .table import OPTION, PAGES, PLANNED, key

CHOSEN = ("choice", "flag")
"""Kinds of options that are buttons; the others are fields, which are empty at first."""


def chosen_options(mechanism: str, said: Callable[[str], str] = said_now) -> dict[str, str]:
    """Return the options of a mechanism that differ from their defaults, as texts: `binhist.bins` -> `50`.

    `said`: what gives the text of an option by its name.
    """
    found = {}
    for option in MECHANISMS[mechanism].OPTIONS if mechanism in MECHANISMS else ():
        value = said(f"{OPTION}_{mechanism}.{option.name}")
        if value not in {"", str(option.default)}:
            found[f"{mechanism}.{option.name}"] = value
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
    mechanisms = list(MECHANISMS) if page in PLANNED else [mechanism]
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
    return typed.option_of(mechanism, wanted)


def option_fits(name: str, text: str) -> bool:
    """Return whether `binhist.bins=50` names an option of a mechanism and a value that it takes."""
    option = option_of(name)
    return option is not None and fits(partial(typed.checked_option, option), text)
