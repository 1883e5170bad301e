"""The line on top of every page in a room: the lecturer's buttons and the wall, or what a student is to do."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

import streamlit as st

from dpq_core.results.data_set import DataSet
from dpq_core.results.kinds import Simulated
from dpq_core.results.wording import count_in_words, spoken_level

from .. import keys
from ..form.table import key, text
from ..learn.course import COURSE
from ..menu import ENTRANCE
from ..server import runs, scripts
from ..shell import links, screen, state
from ..shell.header import complain
from . import membership, teach, wall
from .rooms import Room, Student, shown_code

POLL_SECONDS = 1.0
"""Between two looks of the lecturer's page at what has come in."""
HERE_SECONDS = 5.0
"""Between two words of a student's page that it is there. What the lecturer shows comes at once, unless the connection
is broken at that moment: then with the next word.
"""
HERE_ONLY = ":material/warning: This address is of this computer only: phones need the dashboard on a server."
QR_LIGHT, QR_DARK, QR_PIXELS = "#ffffff", "#111111", 360


def bar() -> None:
    """Draw the line of the room that this session is in; nothing where it is in none."""
    if refused := membership.refusal():
        complain(refused)
    if ending := membership.ending():
        st.info(ending, icon=":material/door_open:")
    elif (room := membership.led()) is not None:
        if room.shown == 1:  # where the lecturer has shown nothing yet, the room has just opened: here is its code
            scripts.run(scripts.TO_THE_TOP, room.code)
        _lead()
    elif membership.inside():
        _attend()


@st.fragment(run_every=HERE_SECONDS)
def _attend() -> None:
    found = membership.attended()
    if found is None or membership.behind():
        st.rerun(scope="app")
    room, student = found
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", gap="small"):
        st.markdown(f":small[You are **{student.name}** in room {shown_code(room.code)}.]", width="content")
        st.button("Leave", key=keys.widget("leave_room"), type="tertiary", on_click=membership.leave)
    st.markdown(_task(room, student))


def _task(room: Room, student: Student) -> str:
    if room.question and room.revealed:
        return "The answer is on this page now."
    if room.question:
        given = student.prediction is not None
        return "Your prediction is in; wait for the others." if given else "**Make your prediction below.**"
    if room.drawing:
        return "You have your own noise: nobody else sees the same answers."
    return "You see what the lecturer shows, and may try what you like."


def hand_in(data: DataSet | None, *, current: bool) -> None:
    """Hand in the answer in the middle of the simulation that is shown, if the room has asked for this very draw.

    `current`: whether it was drawn with the settings of the page as they are now.
    """
    found, outcome = membership.attended(), state.outcome_of(data)
    if found is None or not found[0].drawing or not current or not isinstance(outcome, Simulated):
        return
    levels, own = outcome.plan.quantiles, outcome.only
    at = levels.index(sorted(levels)[len(levels) // 2])
    unit = f" ({outcome.wording.unit})" if outcome.wording.unit else ""
    drawn_with = links.link_values() | {"seed": str(outcome.seed)}
    membership.answer(drawn_with, own.values[at], own.true_values[at], f"{spoken_level(levels[at])}{unit}")


@st.fragment(run_every=POLL_SECONDS)
def _lead() -> None:
    room = membership.led()
    if room is None or membership.behind():
        st.rerun(scope="app")
    here = count_in_words(membership.ROOMS.present(room), "person")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":material/groups: Your room **{shown_code(room.code)}** · {here} here")
        with st.popover("Show the join code", icon=":material/qr_code_2:", key=teach.JOIN_CODE, on_change="rerun"):
            _join_code(links.address_of(room.page, {membership.PARAMETER: shown_code(room.code)}))
        _buttons(room)
        st.button("Close the room", key=keys.widget("close_room"), type="tertiary", on_click=membership.close)
    wall.show(room)


def _join_code(link: str) -> None:
    alt = "The link of this room as a QR code"
    with st.container(key=screen.QR_CODE):
        st.image(qr_code(link), caption="Scan the code to join the room", alt=alt, width=QR_PIXELS)
    st.code(link, language=None, wrap_lines=True)
    if is_of_this_machine(link):
        st.caption(HERE_ONLY)
    st.caption("Students need no account. The room ends after two hours, or when you close it.")


def _buttons(room: Room) -> None:
    page, settings = links.page(), links.link_values()
    lesson = text("lesson") if page == "learn" else ""
    if lesson and room.question == lesson and not room.revealed:
        _button("Reveal", ":material/visibility:", _reveal, "Everybody sees the answer, and the figure that shows it.")
    elif lesson:
        ask = partial(_show, question=lesson)
        _button("Ask everyone", ":material/quiz:", ask, "Everybody sees this lesson and makes a prediction.")
    elif page == "explore" and links.all_public():
        draw = partial(_show, drawing=True)
        _button("Everybody draws", ":material/casino:", draw, "Everybody gets these settings and separate noise.")
    if page != ENTRANCE and links.all_public() and (page, settings) != (room.page, dict(room.settings)):
        _button("Show this to everyone", ":material/cast:", _show, "Everybody sees this page with these settings.")


def _button(label: str, icon: str, act: Callable[[Room], None], help_text: str) -> None:
    st.button(
        label, key=keys.widget("in_room", label), icon=icon, type="primary", on_click=_act, args=(act,), help=help_text
    )


def _act(act: Callable[[Room], None]) -> None:
    """Do in the room that is led what its button says, and turn all students to it."""
    if room := membership.led():
        act(room)
        runs.turn_to_this(room.pages())


def _show(room: Room, *, question: str = "", drawing: bool = False) -> None:
    membership.ROOMS.show(room, links.page(), links.link_values(), question=question, drawing=drawing)


def _reveal(room: Room) -> None:
    """Reveal, with the slider where the question asks about."""
    lesson = COURSE[room.question]
    if lesson.control.in_question:
        st.session_state[key(lesson.control.setting)] = lesson.control.in_question
    membership.ROOMS.reveal(room, links.link_values())


def is_of_this_machine(link: str) -> bool:
    """Return whether no other machine can open a link."""
    host = urlsplit(link).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def qr_code(link: str) -> str:
    """Return a link as a QR code: an SVG of some kilobytes, made here."""
    import segno

    place = io.BytesIO()
    segno.make(link, error="m").save(
        place, kind="svg", scale=5, border=2, dark=QR_DARK, light=QR_LIGHT, xmldecl=False, svgns=True, nl=False,
    )  # fmt: skip
    return place.getvalue().decode()
