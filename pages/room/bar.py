"""How a page begins, with the line of the room that a session is in, the wall, and the button that opens a room.

With an example on the page, or with public numbers of the lecturer's own.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.results.data_set import DataSet, PublicData
from dpq_core.results.kinds import Simulated
from dpq_core.results.wording import count_in_words, spoken_level
from dpq_core.sources.examples import Example
from dpq_core.tabular import table_as_csv

from .. import keys
from ..form import table
from ..form.table import key, text
from ..learn.course import COURSE
from ..menu import ENTRANCE, file_of
from ..server import downloads, runs, scripts, signin
from ..shell import links, pieces, state
from ..shell.header import complain, page_header
from . import membership
from .rooms import Answered, Room, Student, new_code, shown_code

ROW = ("question", "asked", "student", "answer", "right answer")


def show_wall(room: Room) -> None:
    """Draw the predictions that were asked for, or the answers that people drew; nothing before that."""
    students = list(room.students.values())
    if room.question:
        _predictions(room, [each.prediction for each in students if each.prediction is not None])
    elif room.drawing:
        _answers(room, [each.answer for each in students if each.answer is not None])
    if room.answers():
        downloads.show({"CSV": partial(as_csv, room)}, "answers of the class")


def _predictions(room: Room, given: list[str]) -> None:
    """Draw how many have predicted; what they predicted only once it is revealed, so that nobody copies the others."""
    from dpq_core.figures.lessons import draw_predictions

    asked, people = COURSE[room.question].text.predict, membership.ROOMS.present(room, or_predicted=True)
    have = "has" if people == 1 else "have"
    st.markdown(f"**{asked.text}** {len(given)} of {people} {have} predicted.")
    if not room.revealed:
        return
    texts = [choice.text for choice in asked.choices]
    counts = [given.count(each) for each in texts]
    alt = "Predictions: " + "; ".join(f"{count} for {each}" for each, count in zip(texts, counts, strict=True))
    figure = draw_predictions(texts, counts, texts.index(asked.right.text))
    pieces.draw(st.container(), figure, "room_predictions", alt, simulated=False)


def _answers(room: Room, answers: list[float]) -> None:
    from dpq_core.figures.lessons import draw_answers

    if room.truth is None or not answers:
        st.markdown("Answers appear here as people draw them.")
        return
    low, high = (f"{end:,.6g}" for end in (min(answers), max(answers)))
    spread = low if low == high else f"from {low} to {high}"
    said = f"{count_in_words(len(answers), 'private answer')}, {spread}; the true value is {room.truth:,.6g}."
    costs = " The spread is the noise. A real release would be one of these dots." if low != high else ""
    st.markdown(f"**{said}**{costs}")
    pieces.draw(st.container(), draw_answers(answers, room.truth, room.axis), "room_answers", said)


def as_csv(room: Room) -> str:
    """Return what the class has answered as CSV: a row for each student and question, in the order of the questions."""
    answered = room.answers()
    number = {turn: at for at, turn in enumerate(dict.fromkeys(each.turn for each in answered), start=1)}
    return table_as_csv(ROW, ((number[each.turn], *_row_of(each)) for each in answered))


def _row_of(each: Answered) -> tuple[str, str, str, str]:
    if not each.lesson:
        return each.axis, each.student, each.answer, "" if each.truth is None else f"{each.truth:.6g}"
    question = COURSE[each.lesson].text.predict
    return question.text, each.student, each.answer, question.right.text


POLL_SECONDS = 1.0
"""Between two looks of the lecturer's page at what has come in."""
HERE_SECONDS = 5.0
"""Between two words of a student's page that it is there. What the lecturer shows comes at once, unless the connection
is broken at that moment: then with the next word.
"""
HERE_ONLY = ":material/warning: This address is of this computer only: phones need the dashboard on a server."
QR_LIGHT, QR_DARK, QR_PIXELS = "#ffffff", "#111111", 360


def begin(page: str, question: str, says: str = "") -> DeltaGenerator:
    """Draw the head of a page, take its settings from its link, and draw the line of the room that this session is in.

    Returns the place under the question; `says`: as of `page_header`.
    """
    headline = page_header(question, says=says)
    links.begin(page)
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
    return headline


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
    axis = f"{spoken_level(levels[at])}{unit}"
    membership.ROOMS.answer(*found, drawn_with, own.values[at], own.true_values[at], axis)


@st.fragment(run_every=POLL_SECONDS)
def _lead() -> None:
    room = membership.led()
    if room is None or membership.behind():
        st.rerun(scope="app")
    here = count_in_words(membership.ROOMS.present(room), "person")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":material/groups: Your room **{shown_code(room.code)}** · {here} here")
        with st.popover("Show the join code", icon=":material/qr_code_2:", key=JOIN_CODE, on_change="rerun"):
            link = links.address_of(room.page, {membership.PARAMETER: shown_code(room.code)})
            alt = "The link of this room as a QR code"
            st.markdown(f"## {shown_code(room.code)}")
            with st.container(key=keys.widget("qr_code")):
                st.image(qr_code(link), caption="Scan the code to join the room", alt=alt, width=QR_PIXELS)
            st.code(link, language=None, wrap_lines=True)
            if is_of_this_machine(link):
                st.caption(HERE_ONLY)
            st.caption("Students need no account. The room ends after two hours, or when you close it.")
        _buttons(room)
        st.button("Close the room", key=keys.widget("close_room"), type="tertiary", on_click=membership.close)
    show_wall(room)


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
    """Draw a button that does something in the room that is led, and turns all students to it."""

    def press() -> None:
        if room := membership.led():
            act(room)
            runs.turn_to_this(room.pages())

    st.button(label, key=keys.widget("in_room", label), icon=icon, type="primary", on_click=press, help=help_text)


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


LABEL, BACK, ICON = "Teach: open a room", "Back to your room", ":material/groups:"
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
OF_COLUMN = (*table.DATA, *table.PEOPLE, *table.GROUPS, *table.SEVERAL, *table.OF_A_DRAW)
"""Settings that are not those of a room's numbers."""


def offer_room(data: DataSet | None = None, bounds: Domain | FindBounds | None = None) -> None:
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
        back = membership.waiting() is not None
        st.button(
            BACK if back else LABEL, key=keys.widget("open_room"), icon=ICON, type="tertiary", on_click=_open,
            help="Students stay where they are." if back else "Students join with a code and see this page.",
        )  # fmt: skip


def _open() -> None:
    membership.open_room(links.page(), links.link_values())
    st.session_state[JOIN_CODE] = bool((room := membership.led()) and room.shown == 1)


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
        _show_numbers(data, name)


def _show_numbers(data: PublicData, name: str) -> None:
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
