"""The controls of the domain: its bounds or significant digits, said from public knowledge, never from the data.

Without bounds there are two ways to say what answers there can be: significant digits, or bounds found from the budget.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpq_core.advice.simulation import BOUNDS_WHILE_UNKNOWN, error_of_way
from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.plan import Plan
from dpq_core.question import Bounds
from dpq_core.release import DATE
from dpq_core.results.data_set import DataSet
from dpq_core.results.wording import expected_in_words
from dpq_core.studies.shapes import USUAL_SIZE
from dpq_core.typed import UNKNOWN, possible_of

from .. import keys
from ..server import work
from ..shell import fields, links
from ..shell.header import NARROWEST, escape, term, understood
from . import said, table
from .places import HERE, Place
from .said import typed_column
from .table import SOURCES, WAYS, key, text

SAY_BOUNDS = "Type the lowest and the highest possible value, from public knowledge. Bounds read off the data leak."
REMARKS = {
    "known": "The smallest error if they are right. A value beyond a bound counts as the bound.",
    "digits": "You need to know nothing. Answers are rounded, so records that differ by little count as equal.",
    "find": "A part of the budget finds them. With few records or a small budget they may be too narrow.",
}


def show_errors(plan: Plan | None, bounds: Bounds | None, count: int | None, many: str) -> None:
    """Offer to show the expected rank error of each way, at the public guess of the number of records."""
    if plan is None or bounds is None:
        return
    if st.button("Help me choose bounds", key=keys.widget("which_way"), icon=":material/help:", type="tertiary"):
        _errors(plan, bounds, count or USUAL_SIZE, many)


@st.dialog("Which way to bounds?", width="medium")
def _errors(plan: Plan, bounds: Domain | FindBounds, count: int, many: str) -> None:
    """Show the three ways side by side, in a dialog, so that they are simulated only when the visitor opens it."""
    st.caption(
        f"{MECHANISMS[plan.mechanism].LABEL}, {plan.privacy}, among {count:,} made-up {many} of seven shapes; "
        "this does not use your data. Rounding to digits and values beyond found bounds count as errors."
    )
    known = bounds if isinstance(bounds, Domain) and bounds.has_even_steps else BOUNDS_WHILE_UNKNOWN
    digits = bounds if isinstance(bounds, Domain) and not bounds.has_even_steps else Domain.significant(2)
    finding = bounds if isinstance(bounds, FindBounds) else FindBounds()
    with st.spinner("Simulating …"):
        for way, each in {"known": known, "digits": digits, "find": finding}.items():
            error = work.know(error_of_way, plan, each, known, count)
            expected = "not available" if error is None else f"expect {expected_in_words(error, 'record', many)}"
            st.markdown(f"**{WAYS[way]}**: {expected}  \n:small[{REMARKS[way]}]")


Preset = tuple[str, str, str, str]
"""Lowest, highest, step and unit."""
PRESETS: dict[str, dict[str, Preset]] = {
    "number": {
        "Age": ("0", "120", "1", "years"),
        "Percent": ("0", "100", "0.1", "%"),
        "Money": ("0", "1000000", "100", ""),
        "Hours a week": ("0", "168", "1", "hours"),
    },
    "percent": {"0 to 100": ("0", "100", "0.1", "%"), "-100 to 100": ("-100", "100", "0.1", "%")},
    "money": {"Up to 1,000": ("0", "1000", "1", ""), "Up to 1 million": ("0", "1000000", "100", "")},
    "duration": {"Up to an hour": ("0", "3600", "1", ""), "Up to a day": ("0", "86400", "1", "")},
    "date": {
        "1900 to 2100": ("1900-01-01", "2100-12-31", "1", ""), "2000 to 2030": ("2000-01-01", "2030-12-31", "1", ""),
    },
}  # fmt: skip
PRESET_UNITS = {preset[3] for presets in PRESETS.values() for preset in presets.values()}
"""Units that the next preset may take away: a person's own one stays."""
BOUNDS, OF_DATES = {"lower": "0", "upper": "100", "step": "finest"}, ("2000-01-31", "2000-01-31", "a day")
"""The fields with what they show while they are empty, and what those of dates show."""


def choose_domain(data: DataSet | None) -> Domain | None:
    """Ask for the bounds and a step, or for significant digits, and return their grid; None while there is none."""
    bounds = choose_bounds(data)
    return bounds if isinstance(bounds, Domain) else None


def choose_bounds(data: DataSet | None, of_person: Place | None = None) -> Bounds | None:
    """Ask the same; where the page may, the bounds can also be found from the budget.

    `of_person`: where it is asked what a row is called, if not here.

    An own column is asked about once it is there, since what was said before was not said of it. A page that plans can
    study a public shape until then, and that has bounds, too.
    """
    if data is None and links.page() not in table.PLANNED:
        st.caption("The page asks for the lowest and the highest value once the column is read.")
        return None
    kind = data.kind if data else UNKNOWN
    is_own = text("data") in SOURCES if data is None else not data.is_example  # no example says the bounds
    way = _choose_way() if kind != DATE else "known"
    if is_own and way == "known":
        presets, widget = PRESETS.get(kind, PRESETS["number"]), keys.widget("preset", kind)
        typed = tuple(map(text, BOUNDS))
        st.session_state[widget] = next((label for label, preset in presets.items() if preset[:3] == typed), None)
        st.pills(
            "Typical ranges", list(presets), key=widget, help=term("domain"),
            on_change=partial(_apply, presets, widget),
        )  # fmt: skip
    in_a_row = 3 if way == "known" and kind != DATE else 2  # a date needs the room
    with st.grid(in_a_row, min_column_width=NARROWEST, gap="small"):
        _choose(way, kind)
    bounds = _bounds(way, kind)
    if is_own:
        of_people = data is not None and data.person is not None
        _words(kind, data.unit if data else "", of_people=of_people, of_person=of_person)
    return bounds


def _choose_way() -> str:
    """Ask how the grid of all answers is defined. If bounds cannot be found here, but elsewhere were, it is digits."""
    offered = tuple(WAYS) if links.asks("share") else ("known", "digits")
    if text("bounds") not in offered:
        st.session_state[key("bounds")] = "digits"
    return fields.pills("bounds", offered, help=term("ways to bounds"))


def _choose(way: str, kind: str) -> None:
    match way:
        case "digits":
            fields.segmented_control("digits", help=term("significant digits"))
        case "find":
            fields.selectbox("share")
            fields.text_input("step", placeholder="finest")
        case _:
            for name, hint in zip(BOUNDS, OF_DATES if kind == DATE else BOUNDS.values(), strict=True):
                fields.text_input(name, placeholder=hint)
            return
    fields.segmented_control("negative")
    for name in ("smallest", "largest"):
        fields.text_input(name)


def _bounds(way: str, kind: str) -> Bounds | None:
    """Return what the fields say; None, with a message, while one is empty or wrong."""
    if way == "known" and not (text("lower").strip() and text("upper").strip()):
        before = said.bounded_before(said.present())
        dropped = f"Bounds, step and unit of {escape(before)} do not hold for this column. " if before else ""
        st.caption(f"{dropped}{SAY_BOUNDS}")
        return None
    bounds = understood(lambda: possible_of(typed_column(text, kind)))
    if way == "digits" and isinstance(bounds, Domain):
        numbers = f"0 and {bounds.cells - 1:,} numbers of {text('digits')} digits"
        st.caption(f"No bounds needed: {numbers}. An answer is rounded to them.")
    return bounds


def _words(kind: str, unit: str, *, of_people: bool, of_person: Place | None) -> None:
    """Ask what a value and a row are called. Dates have no unit."""
    with st.grid(1 if kind == DATE or of_person else 2, min_column_width=NARROWEST, gap="small"):
        if kind != DATE:
            fields.text_input("column_unit", placeholder=unit or "years", max_chars=table.LONGEST_WORD)
        label = "One person is a" if of_people else ""
        with of_person or HERE:
            fields.text_input("one", label=label, placeholder="person", max_chars=table.LONGEST_WORD)


def _apply(presets: dict[str, Preset], widget: str) -> None:
    preset = presets.get(st.session_state[widget] or "")
    if preset is None:
        return
    for name, value in zip(BOUNDS, preset[:3], strict=True):
        st.session_state[key(name)] = value
    if preset[3] or text("column_unit") in PRESET_UNITS:
        st.session_state[key("column_unit")] = preset[3]
