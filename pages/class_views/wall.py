"""What the lecturer's screen shows of the class: predictions as they come, and everybody's own noise."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpq_core.frames import table_as_csv
from dpq_core.results import count_in_words

from ..classroom import Answered, Room, membership
from ..frame import pieces
from ..learn import COURSE
from ..server import downloads

ROW = ("question", "asked", "student", "answer", "right answer")


def show(room: Room) -> None:
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
    from dpq_core.figures.lessons import draw_predictions

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
    pieces.draw(st.container(), draw_predictions(texts, counts, right), "room_predictions", alt)


def _answers(room: Room, answers: list[float]) -> None:
    from dpq_core.figures.lessons import draw_answers

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
