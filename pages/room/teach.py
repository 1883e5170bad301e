"""The button that opens a room, with an example on the page or with public numbers of the lecturer's own."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.results.data_set import DataSet, PublicData
from dpq_core.results.wording import count_in_words
from dpq_core.sources.examples import Example

from .. import keys
from ..form import table
from ..form.table import text
from ..menu import file_of
from ..server import runs, signin
from ..shell import links
from ..shell.header import complain
from . import membership
from .rooms import new_code

LABEL, ICON = "Teach: open a room", ":material/groups:"
AGREED = "These numbers are public: everybody in the room may see them"
SHOWN = (
    "Everybody in the room gets these {}, with their bounds and their step, and sees the true quantiles beside private "
    "ones. Do not use private data here: the numbers stay in this server's memory until the room has ended."
)
JOIN_CODE = keys.widget("join_code")
"""The key of the popover that shows how students come in: it opens with the room."""
MOST_NUMBERS, LONGEST_NAME = 10_000, 60
"""In a room, where everybody gets a copy; and letters of what they are called."""
KINDS = ("number", "money", "percent")
OF_COLUMN = ("data", *table.DATA, *table.PEOPLE, *table.GROUPS, *table.SEVERAL, *table.OF_A_DRAW)
"""Settings that are not those of a room's numbers."""


def offer(data: DataSet | None = None, bounds: Domain | FindBounds | None = None) -> None:
    """Offer to open a room with this page, or with the visitor's own public column that it is about.

    Nothing is offered where people sign in, for private data, or to a visitor who is in a room, except that a lecturer
    may show other numbers there.
    """
    leads = membership.led() is not None
    if signin.configured() or (membership.inside() and not leads):
        return
    if isinstance(data, PublicData) and not data.is_example:
        with st.popover("Show these numbers in your room" if leads else LABEL, icon=ICON, type="tertiary"):
            if reason := why_not(data, bounds, text("step")):
                st.caption(reason)
            else:
                _ask(data, leads=leads)
    elif links.all_public() and not leads:
        st.button(
            LABEL, key=keys.widget("open_room"), icon=ICON, type="tertiary", on_click=_open,
            help="Students join with a code, without an account, and see this page with these settings.",
        )  # fmt: skip


def _open() -> None:
    membership.open_room(links.page(), links.link_values())
    st.session_state[JOIN_CODE] = membership.led() is not None


def _ask(data: PublicData, *, leads: bool) -> None:
    st.markdown(SHOWN.format(count_in_words(data.public_count, "number")))
    of = data.identity
    name = st.text_input(
        "What are these numbers?", data.name if data.file else "", key=keys.widget("room_name", of),
        max_chars=LONGEST_NAME, placeholder="Minutes to school",
    )  # fmt: skip
    agreed = st.checkbox(AGREED, key=keys.widget("room_public", of))
    label = "Show them to the room" if leads else "Open the room"
    if st.button(label, key=keys.widget("room_numbers"), type="primary", disabled=not agreed) and agreed:
        _show(data, name)


def _show(data: PublicData, name: str) -> None:
    """Show a column in the room that this session leads, or in one that opens with it."""
    numbers = example_of(data, (text("lower"), text("upper"), text("step")), name, new_code())
    asked = {each: value for each, value in links.link_values().items() if each not in OF_COLUMN}
    settings, room = asked | {"data": numbers.key}, membership.led()
    if room is None:
        membership.open_room(links.page(), settings, numbers)
    else:
        membership.ROOMS.show(room, links.page(), settings, numbers=numbers)
        runs.turn_to_this(room.pages())
    membership.take_numbers()
    if membership.led() is None:
        complain(membership.refusal())
        return
    st.switch_page(file_of(links.page()), query_params=settings | membership.address())


def why_not(data: PublicData, bounds: Domain | FindBounds | None, step: str) -> str:
    """Return why a room cannot use a column, with what to do; empty where it can. `step`: as it was typed."""
    if data.kind not in KINDS:
        return "A room uses numbers, and these are dates or durations. Choose a column of numbers."
    if data.person is not None:
        return "A room needs one number for each person. Choose a column in which every row is another person."
    if not isinstance(bounds, Domain) or not bounds.has_even_steps or not step.strip():
        return "First enter the lowest and the highest possible value, and the step between two values."
    count = int(np.count_nonzero(np.isfinite(data.values)))
    if not 1 <= count <= MOST_NUMBERS:
        return f"A room holds 1 to {MOST_NUMBERS:,} numbers, and these are {count:,}. Choose others."
    return ""


def example_of(data: PublicData, bounds: tuple[str, str, str], name: str, code: str) -> Example:
    """Return a column as an example of a room, in plain words: nothing that a page takes for a link or a picture.

    `bounds`: lowest, highest and step, as they were typed; `name`: what the numbers are, as the lecturer says it;
    `code`: tells this example from those of other rooms.
    """
    numbers = data.values[np.isfinite(data.values)].copy()
    letters = "".join(each if each.isalnum() or each in " -" else " " for each in name)
    shown = " ".join(letters.split())[:LONGEST_NAME].strip() or "Numbers"
    one = data.one if table.is_word(data.one) else "person"
    many = data.many if one == data.one else "people"
    lower, upper, step = (each.strip() for each in bounds)
    return Example(
        f"class-{code}", shown, f"{shown}, of this class",
        unit=data.unit if table.is_word(data.unit) else "",
        lower=lower, upper=upper, step=step, one_row=one, many_rows=many,
        source="Brought by the lecturer of this room", licence="public, as the lecturer says",
        read=numbers.copy,
    )  # fmt: skip
