"""Which room this session is in, and as whom: what it follows, predicts and answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar, cast

import streamlit as st

from dpq_core.sources.examples import Example

from .. import keys
from ..form import table
from ..server import runs, sessions, work
from .rooms import OWN_WRONG_CODES, Room, RoomError, Rooms, Student, plain, shown_code

ROOMS = Rooms()
"""Of this server: they go with it."""
PARAMETER, LEADS = "room", "leads"
"""In the links that students get, beside the settings of a page; and in the lecturer's own address, after a reload.

What lets a lecturer lead is no word of the address, which a projector shows, but what the browser has: `sessions`.
"""
ENDED = "The room has ended. The page stays as it is."
CLOSED = "You have closed the room. Students keep the page that they have open."
_PLACE, _ENDED = keys.state("room_place"), keys.state("room_ended")
_REFUSED, _WRONG = keys.state("room_refused"), keys.state("room_wrong")
T = TypeVar("T")


@dataclass(frozen=True)
class Place:
    """Where a session is: in a room, by the lecturer's key or a student's token, and what it has followed so far."""

    code: str
    key: str
    shown: int = 0
    closed: bool = False
    """By this session, which led it."""


def open_room(page: str, settings: Mapping[str, str], numbers: Example | None = None) -> None:
    """Lead the room of this browser, with the lecturer's own public numbers, or a new one with a page on its wall."""
    try:
        if (own := waiting()) and numbers:
            ROOMS.show(own, page, settings, numbers=numbers)
        _lead(own or ROOMS.open(page, settings, sessions.browser(), numbers))
    except RoomError as error:
        st.session_state[_REFUSED] = str(error)


def enter(typed: str, *, leads: bool = False) -> None:
    """Enter the room of a code, unless this session is in it already; who opened it here and `leads` leads it again."""
    place, ended = _place(), cast(Place | None, st.session_state.get(_ENDED))
    if place is not None and place.code == plain(typed):
        return
    if ended is not None and ended.code == plain(typed):  # its page runs twice in a moment: it hears that a second time
        st.session_state[_PLACE] = ended
        return
    if leads and (own := ROOMS.led_from(sessions.browser(), typed)):
        return _lead(own)
    try:
        wrong = st.session_state.setdefault(_WRONG, deque(maxlen=OWN_WRONG_CODES))
        room, token = ROOMS.enter(typed, sessions.browser(), sessions.network_of(st.context.ip_address or ""), wrong)
        st.session_state[_PLACE] = Place(room.code, token)
    except RoomError as error:
        st.session_state[_REFUSED] = str(error)


def take_numbers() -> None:
    """Take the numbers of this session's room, where it has some: its link names them, and the form offers them."""
    if present := room():
        table.take_numbers(present.numbers)


def refusal() -> str:
    """Return why a room could not be opened or entered, once; empty where nothing was wrong."""
    return str(st.session_state.pop(_REFUSED, ""))


def ending() -> str:
    """Return that the room of this session has ended, which the session has left then; empty where it goes on."""
    place = _place()
    if place is None or room() is not None:
        return ""
    st.session_state[_ENDED] = st.session_state.pop(_PLACE)
    return CLOSED if place.closed else ENDED


def leave() -> None:
    """Leave the room as a student, whose page no longer asks for it."""
    st.session_state.pop(_PLACE, None)
    st.query_params.pop(PARAMETER, None)


def close() -> None:
    """End the room that this session leads, for everybody in it."""
    if room := led():
        ROOMS.close(room)
        st.session_state[_PLACE] = Place(room.code, room.key, closed=True)
        runs.run_again(room.pages())


def inside() -> bool:
    """Return whether this session has entered or opened a room that it has not left."""
    return _place() is not None


def waiting() -> Room | None:
    """Return the room of this browser, which this session may lead; None where it has none, or is in one."""
    return None if inside() else ROOMS.led_from(sessions.browser())


def led() -> Room | None:
    """Return the room that this session leads; None where it leads none, or it has ended."""
    place = _place()
    room = ROOMS.find(place.code) if place else None
    return room if room and place and room.key == place.key else None


def attended() -> tuple[Room, Student] | None:
    """Return the room that this session attends, and as whom; None where it attends none, or it has ended."""
    place = _place()
    return ROOMS.student(place.code, place.key) if place else None


def room() -> Room | None:
    """Return the room of this session, led or attended."""
    found = attended()
    return found[0] if found else led()


def asking(lesson: str) -> Room | None:
    """Return the room of this session if it asks for the prediction of this lesson, revealed or not."""
    present = room()
    return present if present is not None and present.question == lesson else None


def behind() -> bool:
    """Return whether something has to be seen that this session's last whole page did not show."""
    present, place = room(), _place()
    return bool(present and place and present.shown != place.shown)


def wanted() -> tuple[str, dict[str, str]] | None:
    """Return the page and the settings that a student has to open now; None for everybody else, and once `followed`."""
    found = attended()
    return (found[0].page, found[0].settings_of(found[1])) if found is not None and behind() else None


def followed() -> None:
    """Note that what is on the wall now is on this page, too."""
    if (present := room()) and (place := _place()):
        st.session_state[_PLACE] = replace(place, shown=present.shown)


def address() -> dict[str, str]:
    """Return what the address bar holds in a room besides settings, so that a reload comes back."""
    if (place := _place()) is None:
        return {}
    return {PARAMETER: shown_code(place.code)} | ({LEADS: "yes"} if led() else {})


def once(page: str, settings: Mapping[str, str], cache_key: object, make: Callable[[], T]) -> T:
    """Return what all see who have on this page what the room shows; made for this session alone where it differs.

    `make`: the same for everyone who makes it, of public data and of what `cache_key` names.
    """
    present = room()
    if present is None or (page, dict(settings)) != (present.page, dict(present.settings)):
        return make()
    return work.once(present.results, cache_key, make)


def note_page() -> None:
    """Note which page a student has open, with its present address."""
    found, page = attended(), runs.open_page()
    if found is not None and page is not None:
        ROOMS.note_page(found[1], page)


def predict(lesson: str, choice: str) -> None:
    """Hand in a student's prediction; a lecturer's counts nowhere."""
    if found := attended():
        ROOMS.predict(*found, lesson, choice)


def _lead(room: Room) -> None:
    st.session_state[_PLACE] = Place(room.code, room.key, room.shown)


def _place() -> Place | None:
    return cast(Place | None, st.session_state.get(_PLACE))
