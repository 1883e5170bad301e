"""The course: its lessons in their order, one of them on the screen, and what ends it: exercises as a notebook."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

import streamlit as st

from .. import keys
from ..form import table
from ..form.table import key, text
from ..room import membership
from ..server import downloads, scripts
from ..shell import fields, links, pieces, screen
from ..shell.header import term
from ..shell.screen import IN_VIEW
from . import shows
from .shows import Show
from .texts import LESSONS, Control, LessonText, Quiz, text_of

SHOWS: dict[str, Show] = {
    "quantile": shows.guess_the_middle,
    "one-person": shows.one_more_person,
    "gaps": shows.draw_from_intervals,
    "one-by-one": shows.one_by_one,
    "halves": shows.halves,
    "slices": shows.slices,
    "broken": shows.broken_claim,
    "beliefs": shows.averaged_releases,
}
EXERCISES = Path(__file__).parents[1] / "texts" / "exercises.md"
CODE = re.compile(r"```python\n(.*?)```\n?", re.DOTALL)


@dataclass(frozen=True)
class Lesson:
    """One screen: its text, its slider, and the figure that follows from both."""

    key: str
    number: int
    control: Control
    text: LessonText
    show: Show

    @property
    def reveal(self) -> str:
        """Its text once the prediction was made, about the state that the figure then shows."""
        return self.text.reveal.replace("{shown}", self.control.shown(self.control.in_question))


COURSE = {
    key: Lesson(key, number, control, text_of(key), SHOWS[key])
    for number, (key, control) in enumerate(LESSONS.items(), 1)
}
"""By their names in links, in order."""


def close() -> None:
    """Show what is under the last lesson."""
    with st.expander("What the course has shown", icon=":material/school:"):
        st.markdown("\n".join(map(_answered, COURSE.values())))
    st.markdown("**Exercises.** Eight questions to think about, with solutions in Python that run.")
    downloads.show({"Notebook": notebook}, "exercises")


def _answered(lesson: Lesson) -> str:
    """Return the question at the end of a lesson, its right answer as a sentence, and why it is right."""
    check, right = lesson.text.check, lesson.text.check.right
    return f"{lesson.number}. **{lesson.text.title}.** {check.text} {right.text.rstrip('.')}. {right.because}"


def notebook() -> str:
    """Return the exercises as a Jupyter notebook: text and code in cells of their own, in the order of the file."""
    cells: list[dict[str, Any]] = []
    for at, piece in enumerate(CODE.split(EXERCISES.read_text(encoding="utf-8"))):
        if lines := piece.strip().splitlines(keepends=True):
            cell: dict[str, Any] = {"cell_type": "markdown", "id": f"cell-{at}", "metadata": {}, "source": lines}
            code: dict[str, Any] = {"cell_type": "code", "execution_count": None, "outputs": []}
            cells.append(cell | code if at % 2 else cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, indent=1)


_DONE, _TURNED = keys.state("lessons_done"), keys.state("lesson_turned")
SEED = "learn_seed"
AS_PREDICTED = ":material/check_circle: As you predicted"
NOT_AS_PREDICTED = ":material/lightbulb: Not this time"
FOR_THE_CLASS = ":material/groups: The whole class predicts; then the lecturer reveals."
WAITING = ":material/hourglass: Your prediction is in. You may change it until the lecturer reveals."
IS_RIGHT = ":material/check: **This is right.**"
RIGHT, WRONG = ":blue[:material/check_circle: **Right.**]", ":material/replay: **Not quite.**"
CHECK_HELP = "As often as you like; nothing is graded."


def choose_lesson() -> Lesson:
    """Draw the rail of lessons, which a phone has below the lesson, and return the lesson that is open."""
    done = _done()

    def numbered(name: str) -> str:
        return f"{COURSE[name].number} {':blue[**✓**]' if name in done else '·'} {COURSE[name].text.title}"

    with screen.controls(border=False):
        fields.radio("lesson", list(COURSE), numbered, on_change=_turn)
    return lesson_now()


def lesson_now() -> Lesson:
    """Return the lesson that is open, without the rail."""
    if st.session_state.pop(_TURNED, False):
        scripts.run(scripts.TO_THE_TOP, text("lesson"))
    return COURSE[text("lesson")]


def progress() -> str:
    """Return where in the course this is, how long it takes, and how much of it is done."""
    lesson = COURSE[text("lesson")]
    place = f"Lesson {lesson.number} of {len(COURSE)}, about {round(60 * lesson.text.minutes, -1):.0f} seconds"
    minutes = ceil(sum(each.text.minutes for each in COURSE.values()))
    return f"{place} · {len(_done())} done · {minutes} minutes in all"


def predict(lesson: Lesson) -> bool:
    """Ask the question before the figure, and return whether the figure may show what it is about.

    Where a room asks, it may once the lecturer has revealed it.
    """
    room, attended, widget = membership.asking(lesson.key), membership.attended(), _widget(lesson, "predict")
    waits, in_question = room is not None and not room.revealed, lesson.control.in_question
    if room is not None and attended is not None and attended[1].prediction is not None:
        st.session_state.setdefault(widget, attended[1].prediction)  # also after a reload of the page
    with st.container(border=True):
        answered = _ask("Predict first", lesson.text.predict, widget, partial(_reveal, lesson), mark_right=not waits)
        if room is not None and answered is not None:
            membership.predict(lesson.key, answered)
        if waits:
            st.caption(FOR_THE_CLASS if answered is None else WAITING)
        elif answered is not None:
            found = AS_PREDICTED if answered == lesson.text.predict.right.text else NOT_AS_PREDICTED
            where = "see the figure"
            if in_question not in ("", text(lesson.control.setting)):
                where = f"move the slider back to {lesson.control.shown(in_question)} to see it"
            st.caption(f"{found}: {where}.")
    return not waits and (room is not None or answered is not None)


def _reveal(lesson: Lesson) -> None:
    """Move the slider to the state that the question asks about, so that the figure shows what the answer speaks of.

    Where a room has asked, hand the answer in instead: before the page is drawn, as its first line speaks of it.
    """
    if membership.asking(lesson.key):
        membership.predict(lesson.key, st.session_state[_widget(lesson, "predict")])
    elif lesson.control.in_question:
        st.session_state[key(lesson.control.setting)] = lesson.control.in_question


def show(lesson: Lesson, *, revealed: bool) -> int | None:
    """Show slider and figure with one sentence of numbers, and the reveal; return the seed of what was drawn."""
    setting = fields.select_slider(lesson.control.setting, lesson.control.options, lesson.control.shown)
    cache_key = (lesson.key, setting, int(text(SEED)), revealed)
    with st.spinner("Drawing …"):
        picture = membership.once(links.page(), links.link_values(), cache_key, partial(lesson.show, *cache_key[1:]))
    st.markdown(f"**{picture.sentence}**")
    name = f"lesson_{lesson.key}_{'revealed' if revealed else 'before'}"
    pieces.draw(st.container(), screen.enlarged(picture.figure), name, picture.alt, simulated=False)
    if revealed:
        st.markdown(lesson.reveal)
    else:
        st.caption(":material/visibility_off: Predict first to see the rest.")
    how = "Computed exactly" if picture.seed is None else f"Simulated with seed {picture.seed}, not a release"
    with st.expander("The same numbers as a table", type="compact"):
        pieces.table(picture.table, picture.alt)
        st.caption(f"{how}. All data in the lessons are public or made up.")
    return picture.seed


def check(lesson: Lesson) -> None:
    """Ask the question at the end, and say why an answer is right or wrong."""
    question, widget = lesson.text.check, _widget(lesson, "check")
    with st.container(border=True):
        answered = _ask("Check yourself", question, widget, partial(_tick, lesson), help_text=CHECK_HELP)
        if answered is not None:
            choice = next(each for each in question.choices if each.text == answered)
            st.markdown(f"{RIGHT if choice.is_right else WRONG} {choice.because}")


def _tick(lesson: Lesson) -> None:
    """Note that a lesson is done once its check is answered rightly; before the rail is drawn, which shows a tick."""
    if st.session_state[_widget(lesson, "check")] == lesson.text.check.right.text:
        st.session_state[_DONE] = _done() | {lesson.key}
        st.session_state[key("lesson")] = lesson.key  # else the browser looks for the name without the tick


def more(lesson: Lesson, seed: int | None) -> None:
    """Show the formula, the terms, a page that goes on, another draw where something was drawn, and the link."""
    with st.expander("The formula, and where it is proved", type="compact"):
        st.markdown(lesson.text.formula)
    with st.expander("The words of this lesson", type="compact"):
        for name in lesson.text.terms:
            st.markdown(f"**{name.capitalize()}.** {term(name)}")
    deeper = lesson.text.deeper
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        pieces.page_link(deeper.page, deeper.words, deeper.settings)
        if seed is not None:
            st.button(
                "Another draw", key=keys.widget("another_draw"), icon=":material/casino:", type="tertiary",
                on_click=st.session_state.update, args=({key(SEED): str(int(text(SEED)) % table.MOST_SEEDS + 1)},),
                help=f"Seed {seed} now. {term('simulation')}",
            )  # fmt: skip
        links.show_link("It holds no answers.")


def turn(lesson: Lesson) -> None:
    """Draw the buttons to the previous and the next lesson."""
    at, last = lesson.number - 1, len(COURSE) - 1
    screen.turns(at, last, _open, ("Previous", "Next"), key=IN_VIEW)
    if at == last and _done() == set(COURSE):
        st.success("All lessons done. Now try it on a column of your own.", icon=":material/school:")


def _ask(
    heading: str, question: Quiz, widget: str, then: Callable[[], None], *, help_text: str | None = None,
    mark_right: bool = False,
) -> str | None:  # fmt: skip
    """Ask a question and return what was chosen. `mark_right`: once something was, the right choice says so."""
    st.markdown(f"**{heading}**", help=help_text)
    marked = mark_right and st.session_state.get(widget) is not None
    captions = [IS_RIGHT if choice.is_right else "" for choice in question.choices] if marked else None
    answered: str | None = st.radio(
        question.text, [choice.text for choice in question.choices], index=None, key=widget, persist_state="session",
        on_change=then, captions=captions,
    )  # fmt: skip
    return answered


def _widget(lesson: Lesson, question: str) -> str:
    return keys.widget(question, lesson.key)


def _done() -> set[str]:
    return set(st.session_state.get(_DONE, set()))


def _open(at: int) -> None:
    st.session_state[key("lesson")] = list(COURSE)[at]
    _turn()


def _turn() -> None:
    """Begin at the top of the lesson that is chosen now."""
    st.session_state[_TURNED] = True
