"""The controls of the budget, and of what one record can change."""

from __future__ import annotations

from math import inf, log10

import streamlit as st

from dpq_core.errors import ParameterError
from dpq_core.privacy.budgets import ZCDP, Adjacency, ApproxDP, Guarantee, Privacy, PureDP, budget_in_digits
from dpq_core.results.data_set import DataSet
from dpq_core.typed import amount_of, budget_of

from .. import keys
from ..shell import fields
from ..shell.header import term, understood
from . import table
from .places import HERE, Place
from .table import LONGEST_LINE, SETTINGS, key, text

BUDGET_WORDS = {
    "pure": "Pure: the strictest promise.",
    "approximate": "Approximate: ε may fail with the small probability δ.",
    "concentrated": "Concentrated: adds up gently over many answers.",
}
AMOUNTS = {
    "epsilon": ("0.01", "0.02", "0.05", "0.1", "0.2", "0.3", "0.5", "0.7", "1", "1.5", "2", "3", "5", "7", "10"),
    "rho": ("0.0001", "0.0003", "0.001", "0.003", "0.005", "0.01", "0.03", "0.05", "0.1", "0.3", "0.5", "1", "3", "10"),
}
"""The stops of the sliders, about evenly spaced on a log scale."""
GENERIC_DELTA = 1e-5
"""A δ above this is questioned where the number of people is not known."""


def choose_privacy(data: DataSet | None, of_kind: Place = HERE) -> Privacy | None:
    """Ask for the budget; None while a number is missing or wrong. `of_kind`: where its kind is asked."""
    with of_kind:
        budget = fields.segmented_control("budget", help=term("budget"))
        st.caption(BUDGET_WORDS[budget])
    right = _choose_amount("rho" if budget == "concentrated" else "epsilon")
    if budget == "approximate":
        fields.text_input("delta", help=term("delta"))
    if not right:
        return None
    privacy = understood(lambda: budget_of({name: text(name) for name in table.BUDGET}))
    return _question(privacy, data) if isinstance(privacy, ApproxDP) else privacy


def _question(privacy: ApproxDP, data: DataSet | None) -> ApproxDP:
    """Question a δ that is legal but large against one in the number of people."""
    count, many = (data.public_count, data.many) if data else (None, "records")
    if count and privacy.delta >= 1 / count:
        most = f"1/n = {budget_in_digits(1 / count, 2)} for {count:,} {many}"
        st.caption(f":material/warning: δ should be far below {most}.")
    elif count is None and privacy.delta > GENERIC_DELTA:
        usual = f"{budget_in_digits(GENERIC_DELTA)} is usual"
        st.caption(f":material/warning: δ should be far below one in the number of {many}; {usual}.")
    return privacy


def _choose_amount(name: str) -> bool:
    """Draw the exact number, and below it a slider over usual amounts, each of which follows the other.

    The slider is near a number that is none of its own, so it shows none. Returns whether the amount is a number.
    """
    stops, slider = list(AMOUNTS[name]), keys.widget("slider", name)
    nearest = nearest_stop(text(name), stops)
    if nearest is not None:
        st.session_state[slider] = nearest
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.markdown(f":small[{SETTINGS[name].label}]", help=term(name), width="stretch")
        st.text_input(
            f"exact {name}", key=key(name), label_visibility="collapsed", persist_state="session",
            max_chars=LONGEST_LINE, width=76,
        )  # fmt: skip
    st.select_slider(
        SETTINGS[name].label, stops, key=slider, label_visibility="collapsed", persist_state="session",
        on_change=lambda: st.session_state.update({key(name): st.session_state[slider]}),
    )  # fmt: skip
    st.html(f"<style>.st-key-{slider} [data-testid=stSliderThumbValue] {{visibility: hidden}}</style>")
    st.caption("← more private · more accurate →")
    return understood(lambda: amount_of(name, text(name))) is not None


def nearest_stop(typed: str, stops: list[str]) -> str | None:
    """Return the stop nearest to a typed amount on a log scale; None where it is none."""
    try:
        number = amount_of("amount", typed)
    except ParameterError:
        return None
    return min(stops, key=lambda stop: abs(log10(float(stop) / number))) if 0 < number < inf else None


def choose_adjacency(one: str) -> Adjacency:
    """Ask what one record can change."""
    words = {adjacency.value: adjacency.of(one) for adjacency in Adjacency}
    return Adjacency(fields.selectbox("adjacency", words, help=term("adjacency")))


def equivalents(privacy: Privacy, guarantee: Guarantee | None) -> str:
    """Return the same budget in the other two ways; of a pure one the ρ that a release will state, if known.

    Loads the accountant, so ask only after everything else is drawn.
    """
    from dpq_core.privacy.conversions import largest_rho, pure_to_rho, rho_to_epsilon

    match privacy:
        case PureDP(epsilon):
            if guarantee is None or guarantee.rho is None:
                return f"This ε also keeps ρ = {budget_in_digits(pure_to_rho(epsilon), 3)}."
            return f"This mechanism also keeps ρ = {budget_in_digits(guarantee.rho, 3)}."
        case ApproxDP(epsilon, delta):
            rho = largest_rho(epsilon, delta)
            known = f"ρ = {budget_in_digits(rho, 3)} would keep" if rho else "Of no ρ is it known to keep"
            return f"{known} this promise. No pure ε follows."
        case ZCDP(rho):
            return (
                f"Then also ε = {budget_in_digits(rho_to_epsilon(rho, 1e-6), 3)} with δ = 0.000001. No pure ε follows."
            )
