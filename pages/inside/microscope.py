"""The microscope: both exact distributions of a tiny pair of neighbours, and the exact loss against the claim.

It computes at once, because nothing is drawn at random and the data are made up: nothing is spent. Each view, a sound
mechanism or a broken variant, keeps its own fields. The link has those of the view that is shown, where they differ
from how it opens.
"""

from __future__ import annotations

import re
from fractions import Fraction

import streamlit as st

from dpq_core.audit.broken import BROKEN, MOST_CELLS, MOST_RECORDS, Broken, BrokenAtScale, TinyPair
from dpq_core.errors import ParameterError
from dpq_core.frame import level_name
from dpq_core.plan import OptionValue, Plan, parse_levels
from dpq_core.privacy.budgets import ZCDP, PureDP

from .. import keys
from ..form.privacy import AMOUNTS, nearest_stop
from ..form.table import SETTINGS, TINY_OWN, key, text
from ..shell import fields, links, screen
from ..shell.header import complain, escape, sentence_of, term
from .losses import Comparison, show_comparison, show_sizes

CHANGES, QUANTILES = (TINY_OWN[name].choices for name in ("change", "quantiles"))
CHANGE = "One person"
"""Joins, leaves, or is replaced: what other pages call the protection."""
FIRST_PAIR = TinyPair(values=(3, 4, 4, 7, 12, 19), joining=19, highest=19)
"""What the microscope opens with."""
TINY_OPTIONS: dict[str, dict[str, OptionValue]] = {
    "gkexp": {"alpha": 0.0, "n_max": MOST_RECORDS + 1},
    "normal": {"sigma": 5.0, "mean_bound": 40.0},
}
"""What a mechanism needs to know. A sketch keeps all of these few values; the variant "sketch" merges some."""
_CARRIED = keys.state("tiny:carried")
"""What the link said when this page last wrote it: anything else comes from a link that was opened since."""


def show() -> None:
    """Draw the microscope: controls beside the outcome, and for a broken variant what is wrong and its fix.

    Draw it only while its tab is open. `links.begin` comes before it, `links.write_link` after it.
    """
    st.caption(
        "These people are made up, so everything can be shown and nothing is spent. Type other values, or choose a "
        "broken variant.",
        help=term("neighbour"),
    )
    form, answer = screen.halves()
    with form, screen.controls():
        view = View(fields.selectbox("tiny_show", help=term("microscope")))
        variant, privacy = view.variant, _choose_amount(view)
        comparison = None if isinstance(variant, BrokenAtScale) else _choose_comparison(view, privacy)
        view.carry()
        links.show_link("Its people are made up.", of_a_draw=False)
    with answer:
        if variant:
            rows = {"What is done": variant.printed, "Why it breaks": variant.reason, "Fix": variant.fix}
            with st.container(border=True, gap="xsmall"):
                for label, sentence in rows.items():
                    st.markdown(f":gray[{label}:] {escape(sentence)}")
        if isinstance(variant, BrokenAtScale):
            assert isinstance(privacy, PureDP), "it is stated for a pure budget"
            show_sizes(variant, Fraction(privacy.epsilon))
        elif comparison:
            try:
                pair = comparison.compared()
            except ParameterError as error:  # the protection is called otherwise here
                complain(sentence_of(error).replace(f"“{SETTINGS['adjacency'].label}”", f"“{CHANGE}”"))
            else:
                show_comparison(comparison, pair)


class View:
    """A sound mechanism or a broken variant, and what its fields open with."""

    def __init__(self, name: str) -> None:
        """Fill the fields from a link that was opened since the last run."""
        self.name, self.variant = name, BROKEN.get(name)
        self.opens = _opens(self.variant)
        linked = {field: text(f"tiny_{field}") for field in TINY_OWN}
        if linked == st.session_state.get(_CARRIED, dict.fromkeys(TINY_OWN, "")):
            return
        for field, value in linked.items():
            st.session_state.pop(self._widget(field), None)
            if value and field in self.opens:
                st.session_state[self._widget(field)] = type(self.opens[field])(value)

    def _widget(self, field: str) -> str:
        return keys.widget("microscope", self.name, field)

    def key(self, field: str) -> str:
        """Return the key of a field, which holds what it opens with unless something else was chosen."""
        st.session_state.setdefault(self._widget(field), self.opens[field])
        return self._widget(field)

    def carry(self) -> None:
        """Let the link say what differs from how the view opens. Call it after all fields."""
        linked = dict.fromkeys(TINY_OWN, "")
        for field, first in self.opens.items():
            value = st.session_state.get(self._widget(field), first)
            if value != first and TINY_OWN[field].takes(str(value)):
                linked[field] = str(value)
        for field, value in linked.items():
            st.session_state[key(f"tiny_{field}")] = value
        st.session_state[_CARRIED] = linked


def _opens(variant: Broken | BrokenAtScale | None) -> dict[str, str | int]:
    """Return what the fields of a view open with."""
    usual = variant.privacy if variant else PureDP(1.0)
    assert isinstance(usual, ZCDP | PureDP), "variants are stated for pure or concentrated budgets"
    name, amount = ("rho", usual.rho) if isinstance(usual, ZCDP) else ("epsilon", usual.epsilon)
    budget: dict[str, str | int] = {name: next(stop for stop in AMOUNTS[name] if float(stop) == amount)}
    if isinstance(variant, BrokenAtScale):
        return budget
    pair = variant.pair if variant else FIRST_PAIR
    replaced = pair.leaving is not None and pair.joining is not None
    return budget | {
        "values": ", ".join(map(str, pair.values)),
        "highest": pair.highest,
        "change": CHANGES[2 if replaced else pair.joining is None],
        "leaving": pair.values[0] if pair.leaving is None else pair.leaving,
        "joining": pair.joining or 0,
        "quantiles": variant.quantiles if variant else QUANTILES[0],
    }


def _choose_amount(view: View) -> PureDP | ZCDP:
    """Ask for the budget as the variant states it."""
    name = "rho" if "rho" in view.opens else "epsilon"
    least = view.variant.least_epsilon if isinstance(view.variant, BrokenAtScale) else 0.0
    stops = [stop for stop in AMOUNTS[name] if float(stop) >= least]
    widget = view.key(name)
    st.session_state[widget] = nearest_stop(st.session_state[widget], stops) or view.opens[name]
    chosen = st.select_slider(SETTINGS[name].label, stops, key=widget, help=term(name), persist_state="session")
    return ZCDP(float(chosen)) if name == "rho" else PureDP(float(chosen))


def _choose_comparison(view: View, privacy: PureDP | ZCDP) -> Comparison | None:
    """Ask for mechanism, data set, change and quantiles; None while a text is wrong."""
    variant, fixed = view.variant, False
    assert not isinstance(variant, BrokenAtScale), "such a variant has no tiny pair"
    if variant:
        fixed = fields.segmented_control("tiny_state") == "fixed"
    mechanism = (variant and variant.mechanism) or fields.selectbox("tiny_mechanism", help=term("mechanism"))
    quantiles = st.selectbox(
        SETTINGS["tiny_quantiles"].label, QUANTILES, key=view.key("quantiles"), persist_state="session",
        format_func=lambda levels: escape(", ".join(map(level_name, parse_levels(levels)))), help=term("quantile"),
        filter_mode=None,
    )  # fmt: skip
    pair = _choose_pair(view)
    if pair is None:
        return None
    options = dict((variant and variant.options) or TINY_OPTIONS.get(mechanism, {}))
    plan = Plan(parse_levels(quantiles), mechanism, privacy, pair.adjacency, options)
    return Comparison(variant=variant, fixed=fixed, plan=plan, pair=pair)


def _choose_pair(view: View) -> TinyPair | None:
    values = st.text_input(
        SETTINGS["tiny_values"].label, key=view.key("values"), persist_state="session", max_chars=60,
        help=f"At most {MOST_RECORDS} whole numbers. They are made up, and the link has them.",
    )  # fmt: skip
    highest = _number(view, "highest", least=1) if view.variant is None else int(view.opens["highest"])
    st.caption(f"Public: every value lies from 0 to {highest}.")
    change = st.segmented_control(
        CHANGE, CHANGES, key=view.key("change"), required=True, persist_state="session",
        help=term("adjacency"),
    )  # fmt: skip
    with st.container(horizontal=True, gap="small"):
        leaving = _number(view, "leaving") if change != CHANGES[0] else None
        joining = _number(view, "joining") if change != CHANGES[1] else None
    try:
        return TinyPair(values=parse_values(values), leaving=leaving, joining=joining, highest=highest)
    except ParameterError as error:
        complain(error.sentence(lambda name: f"“{SETTINGS[f'tiny_{name}'].label}”"))
    return None


def _number(view: View, field: str, least: int = 0) -> int:
    label, widget = SETTINGS[f"tiny_{field}"].label, view.key(field)
    typed = st.number_input(label, least, MOST_CELLS - 1, step=1, key=widget, persist_state="session")
    return int(view.opens[field] if typed is None else typed)


def parse_values(typed: str) -> tuple[int, ...]:
    """Return the whole numbers of a list such as "3, 4; 7", in increasing order. Raises ParameterError."""
    try:
        return tuple(sorted(int(piece) for piece in re.split(r"[,;\s]+", typed) if piece))
    except ValueError:
        raise ParameterError("values", "must be whole numbers such as 3, 4, 7.") from None
