"""The lecturer's own public numbers: the form that opens a room with them."""

from __future__ import annotations

import streamlit as st

from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.results.data_set import DataSet, PublicData
from dpq_core.results.wording import count_in_words

from .. import keys
from ..classroom import membership, numbers
from ..classroom.rooms import new_code
from ..frame import links
from ..frame.header import complain
from ..menu import file_of
from ..server import signin
from ..settings import table
from ..settings.table import text

LABEL = "Use these numbers in a room"
AGREED = "These numbers are public: everybody in the room may see them"
SHOWN = (
    "Everybody in the room gets these {}, with their bounds and their step, and sees the true quantiles beside private "
    "ones. Do not use private data here: the numbers stay in this server's memory until the room has ended."
)
OF_COLUMN = ("data", *table.DATA, *table.PEOPLE, *table.GROUPS, "more", *table.OF_A_DRAW)
"""Settings that are not those of a room's numbers."""


def offer(data: DataSet | None, bounds: Domain | FindBounds | None) -> None:
    """Offer to open a room with a column of the lecturer's own, or to show it in the room that is open."""
    leads = membership.led() is not None
    if data is None or data.is_example or signin.configured() or (membership.inside() and not leads):
        return
    if not isinstance(data, PublicData):
        return
    with st.popover(LABEL, icon=":material/groups:", type="tertiary"):
        if reason := numbers.why_not(data, bounds, text("step")):
            st.caption(reason)
            return
        _ask(data, leads=leads)


def _ask(data: PublicData, *, leads: bool) -> None:
    st.markdown(SHOWN.format(count_in_words(data.public_count, "number")))
    of = data.identity
    name = st.text_input(
        "What are these numbers?", data.name if data.file else "", key=keys.widget("room_name", of),
        max_chars=numbers.LONGEST_NAME, placeholder="Minutes to school",
    )  # fmt: skip
    agreed = st.checkbox(AGREED, key=keys.widget("room_public", of))
    label = "Show them to the room" if leads else "Open the room"
    if st.button(label, key=keys.widget("room_numbers"), type="primary", disabled=not agreed) and agreed:
        _open(data, name)


def _open(data: PublicData, name: str) -> None:
    bounds = text("lower"), text("upper"), text("step")
    brought = numbers.example_of(data, bounds, name, new_code())
    asked = {each: value for each, value in links.link_values().items() if each not in OF_COLUMN}
    settings = asked | {"data": brought.key}
    membership.show_numbers(links.page(), settings, brought)
    if membership.led() is None:
        complain(membership.refusal())
        return
    st.switch_page(file_of(links.page()), query_params=settings | membership.address())
