"""The wall of a room, on the lecturer's screen: what the class has predicted, and each student's private answer."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpq_core.results.wording import count_in_words
from dpq_core.tabular import table_as_csv

from ..learn.course import COURSE
from ..server import downloads
from ..shell import pieces
from . import membership
from .rooms import Answered, Room

ROW = ("question", "asked", "student", "answer", "right answer")


def show(room: Room) -> None:
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
    return table_as_csv(ROW, ((number[each.turn], *_row(each)) for each in answered))


def _row(each: Answered) -> tuple[str, str, str, str]:
    if not each.lesson:
        return each.axis, each.student, each.answer, "" if each.truth is None else f"{each.truth:.6g}"
    question = COURSE[each.lesson].text.predict
    return question.text, each.student, each.answer, question.right.text
