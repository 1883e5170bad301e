"""Which quantiles, by which mechanism, at which price: the widgets that make a Plan."""

from __future__ import annotations

from fractions import Fraction

import streamlit as st

from ... import unsupported
from ...errors import ParameterError
from ...mechanisms import MECHANISMS
from ...plan import OptionValue, Plan, parse_levels
from ...privacy import Adjacency, Privacy
from ..page import complain, escape, in_words, term
from ..settings import MOST_EVEN, OPTION, PRESETS, chosen_options, key, option_value, text

LEVELS = {"median": 2, "quartiles": 4, "deciles": 10, "percentiles": 100}
"""Into how many parts each preset cuts."""
LABELS = {
    "median": "Median", "quartiles": "Quartiles", "deciles": "Deciles", "percentiles": "Percentiles",
    "even": "Evenly spaced", "own": "Own",
}  # fmt: skip


def choose_levels() -> tuple[Fraction, ...] | None:
    """The quantile levels, or None while what was typed is none."""
    st.pills(
        "Quantiles", PRESETS, format_func=LABELS.__getitem__, key=key("quantiles"), required=True,
        help=term("quantile"), persist_state="session",
    )  # fmt: skip
    chosen = text("quantiles")
    if chosen in LEVELS:
        return evenly(LEVELS[chosen] - 1)
    if chosen == "even":
        return _even()
    st.text_input("Shares", key=key("own"), help='Such as "0.5, 1/3, 90%".', persist_state="session")
    try:
        levels = parse_levels(text("own"))
    except ParameterError as error:
        complain(in_words(error))
        return None
    if not levels:
        complain("Type at least one share between 0 and 1, such as 0.5 or 90%.")
    return levels or None


def evenly(count: int) -> tuple[Fraction, ...]:
    """`count` levels that cut the records into equal parts."""
    return tuple(Fraction(k, count + 1) for k in range(1, count + 1))


def _even() -> tuple[Fraction, ...] | None:
    st.text_input("How many", key=key("even"), persist_state="session")
    try:
        count = int(text("even"))
    except ValueError:
        count = 0
    if 1 <= count <= MOST_EVEN:
        return evenly(count)
    complain(f"How many must be a whole number from 1 to {MOST_EVEN:,}.")
    return None


def choose_mechanism() -> str:
    """The key of the chosen mechanism; its idea in a popover beside it."""
    st.selectbox(
        "Mechanism", list(MECHANISMS), format_func=lambda name: MECHANISMS[name].LABEL, key=key("mechanism"),
        help=term("mechanism"), persist_state="session", filter_mode=None,
    )  # fmt: skip
    return text("mechanism")


def choose_options(mechanism: str) -> dict[str, OptionValue]:
    """What the mechanism lets one tune, as a form made from its OPTIONS; only what differs from the defaults."""
    options = MECHANISMS[mechanism].OPTIONS
    if options:
        with st.expander("Fine-tuning", type="compact"):
            for option in options:
                _option(mechanism, option.name)
    found: dict[str, OptionValue] = {}
    for option in options:
        typed = chosen_options().get(f"{mechanism}.{option.name}")
        if typed is not None:
            try:
                found[option.name] = option.checked(option_value(option.kind, typed))
            except ValueError as error:
                complain(in_words(error))
    return found


def _option(mechanism: str, name: str) -> None:
    option = next(option for option in MECHANISMS[mechanism].OPTIONS if option.name == name)
    widget = key(f"{OPTION}_{mechanism}.{name}")
    label = name.replace("_", " ").capitalize()
    default = "" if option.default is None else str(option.default)
    if option.kind in {"choice", "flag"}:
        words = {"True": "yes", "False": "no"}
        st.session_state.setdefault(widget, default)
        st.segmented_control(
            label, list(option.choices) or list(words), format_func=lambda choice: words.get(choice, choice),
            key=widget, required=True, help=option.help, persist_state="session",
        )  # fmt: skip
    else:
        st.text_input(label, key=widget, help=option.help, persist_state="session", placeholder=default or "automatic")


def explain_mechanisms(plan: Plan | None, count: int | None) -> None:
    """Why the chosen mechanism cannot serve the plan, if so; and every mechanism in plain words."""
    reason = unsupported(plan, count) if plan else None
    if reason:
        complain(in_words(reason))
    with st.popover("Which one?", icon=":material/help:", type="tertiary"):
        for name, mechanism in MECHANISMS.items():
            st.markdown(f"**{mechanism.LABEL}**  \n{mechanism.SUMMARY}")
            reason = unsupported(_same_for(plan, name), count) if plan else None
            fits = "Serves this budget." if reason is None else f"Not for this budget: {escape(reason)}"
            st.caption(f"{fits} {mechanism.CLAIM}  \n{mechanism.REFERENCE}")


def _same_for(plan: Plan, mechanism: str) -> Plan:
    """The plan with another mechanism; options belong to one mechanism only."""
    options = plan.options if mechanism == plan.mechanism else {}
    return Plan(plan.quantiles, mechanism, plan.privacy, plan.adjacency, options)


def make_plan(
    levels: tuple[Fraction, ...] | None,
    mechanism: str,
    options: dict[str, OptionValue],
    privacy: Privacy | None,
    adjacency: Adjacency,
) -> Plan | None:
    """The plan, if every part of it is there."""
    if levels is None or privacy is None:
        return None
    return Plan(levels, mechanism, privacy, adjacency, options)
