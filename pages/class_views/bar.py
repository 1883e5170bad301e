"""The line on top of every page in a room: the lecturer's buttons, or what a student is to do.

Wall. The lecturer's screen shows predictions of the class as they come, and everybody's own noise.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

import streamlit as st

from dpq_core.frames.offered import table_as_csv
from dpq_core.results.wording import count_in_words

from .. import keys
from ..classroom import membership
from ..classroom.rooms import Answered, Room, Student, shown_code
from ..frame import links, pieces, style
from ..frame.header import complain
from ..learn.course import COURSE
from ..menu import ENTRANCE
from ..server import downloads
from ..settings.table import key, text

ROW = ("question", "asked", "student", "answer", "right answer")


def show_wall(room: Room) -> None:
    """Draw the predictions that were asked for, or the answers that people drew; nothing before that."""
    students = list(room.students.values())
    if room.question:
        _predictions(room, [each.prediction for each in students if each.prediction is not None])
    elif room.drawing:
        _answers(room, [each.answer for each in students if each.answer is not None])
    if membership.ROOMS.answers(room):
        downloads.show({"CSV": partial(as_csv, room)}, "answers of the class")


def as_csv(room: Room) -> str:
    """Return what the class has answered as CSV: a row for each student and question, in the order of the questions."""
    answered = membership.ROOMS.answers(room)
    number = {turn: at for at, turn in enumerate(dict.fromkeys(each.turn for each in answered), start=1)}
    return table_as_csv(ROW, ((number[each.turn], *_row(each)) for each in answered))


def _row(each: Answered) -> tuple[str, str, str, str]:
    if not each.lesson:
        return each.axis, each.student, each.answer, "" if each.truth is None else f"{each.truth:.6g}"
    question = COURSE[each.lesson].text.predict
    return question.text, each.student, each.answer, next(choice.text for choice in question.choices if choice.right)


def _predictions(room: Room, given: list[str]) -> None:
    """Draw how many have predicted; what they predicted only once it is revealed, so that nobody copies the others."""
    from dpq_core.figures.lessons.classroom import draw_predictions

    choices = COURSE[room.question].text.predict.choices
    people = membership.ROOMS.expected(room)
    told = f"{len(given)} of {people} {'has' if people == 1 else 'have'} predicted."
    st.markdown(f"**{COURSE[room.question].text.predict.text}** {told}")
    if not room.revealed:
        return
    texts = [choice.text for choice in choices]
    counts = [given.count(each) for each in texts]
    right = next(at for at, choice in enumerate(choices) if choice.right)
    alt = "Predictions: " + "; ".join(f"{count} for {each}" for each, count in zip(texts, counts, strict=True))
    pieces.draw(st.container(), draw_predictions(texts, counts, right), "room_predictions", alt, simulated=False)


def _answers(room: Room, answers: list[float]) -> None:
    from dpq_core.figures.lessons.classroom import draw_answers

    if room.truth is None or not answers:
        st.markdown("Answers appear here as people draw them.")
        return
    ends = [f"{end:,.6g}" for end in (min(answers), max(answers))]
    spread = " to ".join(dict.fromkeys(ends))
    costs = "This spread is what privacy costs; a release is one of these dots." if ends[0] != ends[1] else ""
    st.markdown(
        f"**The same question, {count_in_words(len(answers), 'answer')}: {spread}.** True is {room.truth:,.6g}. {costs}"
    )
    dots = count_in_words(len(answers), "private answer")
    alt = f"{dots}, {spread}, and the true value {room.truth:,.6g}, as dots"
    pieces.draw(st.container(), draw_answers(answers, room.truth, room.axis), "room_answers", alt)


POLL_SECONDS = 1.0
"""Between two looks of the lecturer's page at what has come in."""
HERE_SECONDS = 5.0
"""Between two words of a student's page that it is there. What the lecturer shows comes at once, unless the connection
is broken at that moment: then with the next word.
"""
HERE_ONLY = ":material/warning: This address is of this computer only: phones need the dashboard on a server."
ENDED = "The room has ended. The page stays as it is."
CLOSED = "You have closed the room. Students keep the page that they have open."
QR_LIGHT, QR_DARK = "#ffffff", "#111111"
QR_PIXELS = 360


def bar() -> None:
    """Draw the line of the room that this session is in; nothing where it is in none."""
    refused = membership.refusal()
    if refused:
        complain(refused)
    if membership.has_ended():
        st.info(CLOSED if membership.has_closed() else ENDED, icon=":material/door_open:")
    elif membership.led() is not None:
        _lead()
    elif membership.inside():
        _attend()


@st.fragment(run_every=HERE_SECONDS)
def _attend() -> None:
    found = membership.attended()
    if found is None or membership.behind():
        st.rerun(scope="app")
    room, student = found
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        whom = f"You are **{student.name}** in room {shown_code(room.code)}."
        st.markdown(f":material/groups: {whom} {_task(room, student)}")
        st.button("Leave", key=keys.widget("leave_room"), type="tertiary", on_click=membership.leave)


def _task(room: Room, student: Student) -> str:
    if room.question and room.revealed:
        return "The answer is on this page now."
    if room.question:
        given = student.prediction is not None
        return "Your prediction is in; wait for the others." if given else "**Make your prediction below.**"
    if room.drawing:
        return "You have your own noise: nobody else sees the same answers."
    return "You see what the lecturer shows, and may try what you like."


@st.fragment(run_every=POLL_SECONDS)
def _lead() -> None:
    room = membership.led()
    if room is None or membership.behind():
        st.rerun(scope="app")
    present = count_in_words(membership.ROOMS.present(room), "person")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":material/groups: Your room **{shown_code(room.code)}** · {present} here")
        with st.popover("Show the join code", icon=":material/qr_code_2:"):
            with st.container(key=style.QR_CODE):
                st.image(
                    qr_code(_link(room)),
                    caption="Scan this to come in",
                    alt="The link of this room as a QR code",
                    width=QR_PIXELS,
                )
            st.code(_link(room), language=None, wrap_lines=True)
            if is_of_this_machine(_link(room)):
                st.caption(HERE_ONLY)
            st.caption("They need no account. The room ends after two hours, or when you close it.")
        _buttons(room)
        st.button("Close the room", key=keys.widget("close_room"), type="tertiary", on_click=membership.close)
    show_wall(room)


def _buttons(room: Room) -> None:
    lesson = text("lesson") if links.page() == "learn" else ""
    if lesson and room.question == lesson and not room.revealed:
        _button("Reveal", ":material/visibility:", _reveal, "Everybody sees the answer, and the figure that shows it.")
    elif lesson:
        _button("Ask everyone", ":material/quiz:", _ask, "Everybody sees this lesson and makes a prediction.")
    elif links.page() == "quantiles" and links.all_public():
        _button("Everybody draws", ":material/casino:", _draw, "Everybody gets these settings and noise of their own.")
    here = links.page(), links.link_values()
    if links.page() != ENTRANCE and links.all_public() and here != (room.page, dict(room.settings)):
        _button("Show this to everyone", ":material/cast:", _show, "Everybody sees this page with these settings.")


def _button(label: str, icon: str, act: Callable[[Room], None], help_text: str) -> None:
    st.button(
        label, key=keys.widget("in_room", label), icon=icon, type="primary", on_click=_act, args=(act,), help=help_text
    )


def _act(act: Callable[[Room], None]) -> None:
    """Do in the room that is led what its button says, and turn all students to it."""
    room = membership.led()
    if room is not None:
        act(room)
        membership.call(room)


def _show(room: Room) -> None:
    membership.ROOMS.show(room, links.page(), links.link_values())


def _ask(room: Room) -> None:
    membership.ROOMS.ask(room, text("lesson"), links.link_values())


def _reveal(room: Room) -> None:
    """Reveal, with the slider where the question asks about."""
    lesson = COURSE[room.question]
    if lesson.control.in_question:
        st.session_state[key(lesson.setting)] = lesson.control.in_question
    membership.ROOMS.reveal(room, links.link_values())


def _draw(room: Room) -> None:
    membership.ROOMS.draw(room, links.link_values())


def _link(room: Room) -> str:
    return links.address_of(room.page, {membership.PARAMETER: shown_code(room.code)})


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
