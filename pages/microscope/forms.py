"""The controls of the microscope: what to look at, a tiny data set, who changes, and the budget."""

from __future__ import annotations

import re
from dataclasses import dataclass

import streamlit as st

from dpq_core.audit.broken import BROKEN
from dpq_core.audit.losses import Pair, compare
from dpq_core.audit.variants import MOST_CELLS, MOST_RECORDS, Broken, BrokenAtScale, TinyPair
from dpq_core.errors import ParameterError
from dpq_core.frames.rows import level_name
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.plan import OptionValue, Plan, parse_levels
from dpq_core.privacy.budgets import ZCDP, Privacy, PureDP

from ..form.privacy import AMOUNTS, nearest_stop
from ..frame import fields
from ..frame.header import complain, escape, term
from ..settings import microscope, table
from ..settings.table import SETTINGS

LONGEST_VALUES = 60
CHANGE = "One person"
"""Joins, leaves, or is replaced: what other pages call the protection."""
FIRST_PAIR = TinyPair(values=(3, 4, 4, 7, 12, 19), joining=19, highest=19)
"""What the microscope opens with."""
TINY_OPTIONS: dict[str, dict[str, OptionValue]] = {
    "gkexp": {"alpha": 0.0, "n_max": MOST_RECORDS + 1},
    "normal": {"sigma": 5.0, "mean_bound": 40.0},
}
"""What a mechanism needs to know. A sketch keeps all of these few values; the variant "sketch" merges some."""
NAMES = {name: SETTINGS[f"tiny_{name}"].label for name in ("values", "highest", "joining", "leaving")}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two neighbouring data sets, and the mechanism under which they are compared."""

    variant: Broken | None
    """None: the sound mechanism."""
    fixed: bool
    plan: Plan
    pair: TinyPair

    def compared(self) -> Pair:
        """Return the distributions and the loss of this pair. Raises ParameterError where it is not available."""
        return self.variant.compare(self.plan, self.pair) if self.variant and not self.fixed else self.sound()

    def sound(self) -> Pair:
        """Return the same of the sound mechanism on the same pair."""
        plan, pair = self.plan, self.pair
        return self.variant.fixed(plan, pair) if self.variant else compare(plan, pair.values, pair.other, pair.domain())

    @property
    def names(self) -> tuple[str, str]:
        """The two data sets in words: "without 39", "with 39"."""
        leaving, joining = self.pair.leaving, self.pair.joining
        if leaving is not None and joining is not None:
            return f"with {leaving}", f"with {joining} instead"
        if leaving is None:
            return f"without {joining}", f"with {joining}"
        return f"with {leaving}", f"without {leaving}"


def choose_view() -> str:
    """Ask what to look at: the sound mechanism, or a broken variant, by its key."""
    names = {table.SOUND: "A sound mechanism", **{name: variant.name for name, variant in BROKEN.items()}}
    return fields.selectbox("tiny_show", list(names), names.__getitem__, help=term("microscope"))


def choose_pair_and_plan(view: str) -> Comparison | None:
    """Draw all controls but that of the view; None while a text is wrong. Each view keeps its own values."""
    variant = BROKEN.get(view)
    assert not isinstance(variant, BrokenAtScale), "such a variant has no tiny pair"
    fixed = False
    if variant:
        broken, whole = table.TINY_STATES
        labels = {broken: "Broken", whole: "Fixed"}
        fixed = fields.segmented_control("tiny_state", table.TINY_STATES, labels.__getitem__) == whole
    mechanism = (variant and variant.mechanism) or fields.selectbox(
        "tiny_mechanism", list(MECHANISMS), lambda name: MECHANISMS[name].LABEL, help=term("mechanism")
    )
    preset = variant.pair if variant else FIRST_PAIR
    presets = _presets(preset) | {"quantiles": variant.quantiles if variant else table.TINY_QUANTILES[0]}
    pair = _choose_pair(view, preset, presets, sized=variant is None)
    quantiles = st.selectbox(
        "Quantiles", table.TINY_QUANTILES, format_func=_levels_in_words, persist_state="session", filter_mode=None,
        key=microscope.start(view, "quantiles", presets["quantiles"]), help=term("quantile"),
    )  # fmt: skip
    privacy = choose_amount(view, variant.privacy if variant else PureDP(1.0), presets=presets)
    if pair is None:
        return None
    options = dict((variant and variant.options) or TINY_OPTIONS.get(mechanism, {}))
    plan = Plan(parse_levels(quantiles), mechanism, privacy, pair.adjacency, options)
    return Comparison(variant=variant, fixed=fixed, plan=plan, pair=pair)


def _presets(pair: TinyPair) -> dict[str, str | int]:
    """Return with what the fields of a view about this pair open."""
    return {
        "values": ", ".join(map(str, pair.values)),
        "highest": pair.highest,
        "change": table.TINY_CHANGES[2]
        if None not in (pair.leaving, pair.joining)
        else table.TINY_CHANGES[pair.joining is None],
        "leaving": _first(pair.leaving, pair.values),
        "joining": _first(pair.joining, (0,)),
    }


def choose_amount(
    view: str, usual: Privacy, least: float = 0.0, presets: dict[str, str | int] | None = None
) -> Privacy:
    """Ask for the budget as the variant states it; called last, for the link then says what is chosen."""
    name = "rho" if isinstance(usual, ZCDP) else "epsilon"
    stops = [stop for stop in AMOUNTS[name] if float(stop) >= least]
    assert isinstance(usual, ZCDP | PureDP), "variants are stated for pure or concentrated budgets"
    amount = usual.rho if isinstance(usual, ZCDP) else usual.epsilon
    default = next(stop for stop in stops if float(stop) == amount)
    widget = microscope.start(view, name, default)
    st.session_state[widget] = nearest_stop(st.session_state[widget], stops) or default
    chosen = st.select_slider(SETTINGS[name].label, stops, key=widget, help=term(name), persist_state="session")
    microscope.carry(view, (presets or {}) | {name: default})
    return ZCDP(float(chosen)) if name == "rho" else PureDP(float(chosen))


def _choose_pair(view: str, preset: TinyPair, presets: dict[str, str | int], *, sized: bool) -> TinyPair | None:
    highest = preset.highest
    values = st.text_input(
        NAMES["values"], key=microscope.start(view, "values", presets["values"]), persist_state="session",
        help=f"Whole numbers, made up: at most {MOST_RECORDS}. They are part of the link.", max_chars=LONGEST_VALUES,
    )  # fmt: skip
    if sized:
        highest = _number(view, "highest", presets, least=1)
    st.caption(f"Public: every value lies from 0 to {highest}.")
    change = st.segmented_control(
        CHANGE, table.TINY_CHANGES, key=microscope.start(view, "change", presets["change"]), required=True,
        persist_state="session", help=term("adjacency"),
    )  # fmt: skip
    with st.container(horizontal=True, gap="small"):
        leaving = _number(view, "leaving", presets) if change != table.TINY_CHANGES[0] else None
        joining = _number(view, "joining", presets) if change != table.TINY_CHANGES[1] else None
    try:
        return TinyPair(values=parse_values(values), leaving=leaving, joining=joining, highest=highest)
    except ParameterError as error:
        complain(error.sentence(lambda name: f"“{NAMES[name]}”"))
    return None


def _first(wanted: int | None, others: tuple[int, ...]) -> int:
    return next((value for value in (wanted, *others) if value is not None), 0)


def _number(view: str, name: str, presets: dict[str, str | int], least: int = 0) -> int:
    widget = microscope.start(view, name, presets[name])
    typed = st.number_input(NAMES[name], least, MOST_CELLS - 1, step=1, key=widget, persist_state="session")
    return int(presets[name] if typed is None else typed)


def parse_values(typed: str) -> tuple[int, ...]:
    """Return the whole numbers of a list such as "3, 4; 7", in increasing order. Raises ParameterError."""
    try:
        return tuple(sorted(int(piece) for piece in re.split(r"[,;\s]+", typed) if piece))
    except ValueError:
        raise ParameterError("values", "must be whole numbers such as 3, 4, 7.") from None


def _levels_in_words(levels: str) -> str:
    return escape(", ".join(level_name(level) for level in parse_levels(levels)))
