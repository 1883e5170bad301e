"""The options of mechanisms as texts: what was chosen on a page, and what a link says."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpq_core.mechanisms import MECHANISMS, Option
from dpq_core.plan import OptionValue

from .check import fits
from .table import OPTION, key


def chosen_options(mechanism: str) -> dict[str, str]:
    """Return the options of a mechanism that differ from their defaults, as texts: `aq.calibration` -> `paper`."""
    found = {}
    for option in MECHANISMS[mechanism].OPTIONS if mechanism in MECHANISMS else ():
        value = st.session_state.get(key(f"{OPTION}_{mechanism}.{option.name}"))
        if value is not None and str(value) not in {"", str(option.default)}:
            found[f"{mechanism}.{option.name}"] = str(value)
    return found


def option_of(name: str) -> Option | None:
    """Return the option with a name such as `aq.calibration`; None where there is none."""
    mechanism, _, wanted = name.partition(".")
    options = MECHANISMS[mechanism].OPTIONS if mechanism in MECHANISMS else ()
    return next((option for option in options if option.name == wanted), None)


def option_fits(name: str, text: str) -> bool:
    """Return whether `aq.calibration=paper` names an option of a mechanism and a value that it takes."""
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
