"""Sixty people in two rooms of one server: from the reveal to everybody's picture, and what is left behind."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from threading import Event

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages.class_views.bar import CLOSED
from pages.lessons.texts import text_of
from tests.browser import driving
from tests.load.memory import megabytes, megabytes_when_forgotten, server_of
from tests.load.rooms import Lesson, open_room
from tests.load.visitor import ANSWER_SECONDS, Visitor, visiting
from tests.narrowing import present

PEOPLE, ROOMS = 60, 2
LESSON = "halves"
REVEALED = "The answer is on this page now."
MOST_SECONDS = 3.0
BAR = 4
"""Elements and blocks of a student's line: its place, its row, the text and the button."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[driving.Server]:
    with driving.serve(tmp_path / "server.log") as running:
        yield running
    log = running.log.read_text(errors="replace")
    assert not [word for word in ("Traceback", "Error", "Exception") if word in log], log[-4000:]


def attend(url: str, lesson: Lesson, number: int, there: Event) -> float:
    """Come, predict when asked, and return the seconds from the reveal to the own picture."""
    choices = text_of(LESSON).predict.choices
    with visiting(url, "learn", f"room={lesson.code}") as student:
        student.poll_until(partial(student.sees, "Make your prediction below."))
        choice = WidgetState(
            id=student.widget_id("radio", text_of(LESSON).predict.text), string_value=choices[number % 2].text
        )
        student.act(choice)
        there.set()
        student.poll_until(partial(student.sees, REVEALED))
        assert student.all_of("plotly_chart")
        return time.monotonic() - lesson.revealed


def test_what_the_lecturer_shows_comes_to_students_who_ask_for_nothing(server: driving.Server) -> None:
    with visiting(server.url, "learn", f"lesson={LESSON}") as lecturer:
        room = open_room(lecturer)
        with visiting(server.url, "learn", f"room={room.code}") as student:
            for label, words in (
                ("Ask everyone", "Make your prediction below."),
                ("Reveal", REVEALED),
                ("Close the room", "The room has ended."),
            ):
                lecturer.press(label)
                assert student.called_within(ANSWER_SECONDS)
                assert student.sees(words)
            student.query = f"room={room.code}"
            student.open()
            assert student.sees(words), "also where its page has run twice in a moment"
            assert not student.sees("no room with this code")


def bird(visitor: Visitor) -> str:
    """Whom a student's page says that it is of."""
    return present(re.search(r"You are \*\*(.*?)\*\*", visitor.said()))[1]


def noise(visitor: Visitor) -> str:
    return present(re.search(r"seed=(1\d{4})", visitor.query))[1]


@pytest.mark.very_slow
def test_who_reloads_is_the_same_student_and_who_gets_the_address_is_another(server: driving.Server) -> None:
    choices = text_of(LESSON).predict.choices
    with visiting(server.url, "learn", f"lesson={LESSON}") as lecturer:
        room = open_room(lecturer)
        lecturer.press("Ask everyone")
        with visiting(server.url, "learn", f"room={room.code}") as student:
            radio = student.widget_id("radio", text_of(LESSON).predict.text)
            student.act(WidgetState(id=radio, string_value=choices[0].text))
            name, cookie, address = bird(student), student.cookie, student.query
        assert student.cookie not in address
        with visiting(server.url, "learn", address, cookie) as again, visiting(server.url, "learn", address) as other:
            assert bird(again) == name
            assert again.sees("Your prediction is in; wait for the others.")
            assert bird(other) != name
            assert other.sees("Make your prediction below.")
            lecturer.poll_until(partial(lecturer.sees, "1 of 2 have predicted."))
            assert not lecturer.sees(f"1  {choices[0].text}")
            lecturer.go("quantiles")
            lecturer.press("Everybody draws")
            for visitor in (again, other):
                visitor.poll_until(partial(visitor.sees, "your own noise"))
            seed, address = noise(again), again.query
            assert noise(other) != seed
        with visiting(server.url, "quantiles", address, cookie) as again:
            assert (bird(again), noise(again)) == (name, seed)


@pytest.mark.very_slow
def test_who_leaves_is_out_and_who_closes_is_told_so(server: driving.Server) -> None:
    with visiting(server.url, "learn", f"lesson={LESSON}") as lecturer:
        room = open_room(lecturer)
        with visiting(server.url, "learn", f"room={room.code}") as student:
            leave = WidgetState(id=student.widget_id("button", "Leave"), trigger_value=True)
            student.act_in(present(student.auto_rerun).fragment_id, leave)
            student.open()
            assert "in room" not in student.said()
            assert "room=" not in student.query
        close = WidgetState(id=lecturer.widget_id("button", "Close the room"), trigger_value=True)
        lecturer.act_in(present(lecturer.auto_rerun).fragment_id, close)
        assert lecturer.sees(CLOSED)
        assert not lecturer.sees("no room with this code")
        assert "room=" not in lecturer.query


@pytest.mark.very_slow
def test_a_page_that_was_turned_is_not_emptied_by_what_its_browser_asked_before(server: driving.Server) -> None:
    """A student's page says every few seconds that it is there; here at the moment when the lecturer turns it."""
    with visiting(server.url, "learn", f"lesson={LESSON}") as lecturer:
        room = open_room(lecturer)
        with visiting(server.url, "learn", f"room={room.code}") as student:
            lecturer.go("quantiles")
            learn, word = student.page_script_hash, present(student.auto_rerun)
            lecturer.press("Everybody draws")
            student.ask_again(word)
            assert student.sees("your own noise")
            assert student.page_script_hash == lecturer.page_script_hash != learn
            assert not student.called_within(1), "and nothing comes after it"
            student.ask_again(present(student.auto_rerun))
            assert student.sees("your own noise"), "what it asks of the new page is heard"


def test_a_whole_page_is_sent_before_a_part_of_it_is_made_again(server: driving.Server) -> None:
    """Otherwise the part is missing among what the page says, and its browser puts it in the place of another."""
    with visiting(server.url, "learn", f"lesson={LESSON}") as lecturer:
        room = open_room(lecturer)
        with visiting(server.url, "learn", f"room={room.code}") as student:
            part = present(student.auto_rerun).fragment_id
            for _ in range(40):
                before = len(student.frames)
                student.ask_whole_and_part(part)
                assert said_of(part, student.frames[before:]) == [BAR, BAR]


def said_of(part: str, frames: list[bytes]) -> list[int]:
    """How many elements and blocks of a part of the page each run has sent."""
    counts: list[int] = []
    for message in map(ForwardMsg.FromString, frames):
        kind = message.WhichOneof("type")
        if kind == "new_session":
            counts.append(0)
        elif kind == "delta" and message.delta.fragment_id == part:
            counts[-1] += 1
    return counts


@pytest.mark.very_slow
def test_sixty_people_in_two_rooms(server: driving.Server, say: Callable[[str, str], None]) -> None:
    """It takes three minutes, two of them to see what the server has forgotten; the times are said before."""
    process = server_of(server.url)
    with visiting(server.url, "learn", f"lesson={LESSON}"):
        before = megabytes(process)
    with ExitStack() as stack, ThreadPoolExecutor(PEOPLE) as threads:
        lessons = [
            open_room(stack.enter_context(visiting(server.url, "learn", f"lesson={LESSON}"))) for _ in range(ROOMS)
        ]
        there = [Event() for _ in range(PEOPLE)]
        for lesson in lessons:
            lesson.lecturer.press("Ask everyone")
        visits = [threads.submit(attend, server.url, lessons[at % ROOMS], at, there[at]) for at in range(PEOPLE)]
        assert all(event.wait(120) for event in there)
        for lesson in lessons:
            lesson.revealed = time.monotonic()
            lesson.lecturer.press("Reveal")
        waits = sorted(visit.result() for visit in visits)
        say("from reveal to picture", f"{waits[len(waits) // 2]:.1f} s (median), {waits[-1]:.1f} s (last)")
        for lesson in lessons:
            lesson.lecturer.poll_until(partial(lesson.lecturer.sees, f"{PEOPLE // ROOMS} of"))
            lesson.lecturer.press("Close the room")
    busy = megabytes(process)
    after = megabytes_when_forgotten(process, server.url, "learn")
    say("memory of the server", f"{before:.0f} MB before, {busy:.0f} MB with all, {after:.0f} MB when forgotten")
    assert waits[-1] <= MOST_SECONDS
    assert after <= 1.2 * before
