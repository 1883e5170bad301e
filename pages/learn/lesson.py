"""The Learn page: a lesson, its text, the prediction, the live figure, the check."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from .. import keys
from ..classroom import membership
from ..frame import fields, links, pieces, screen
from ..frame.header import term
from ..frame.style import IN_VIEW
from ..lessons.texts import Quiz
from ..server import scripts
from ..settings import table
from ..settings.table import key, text
from .course import COURSE, Lesson, minutes

_DONE = keys.state("lessons_done")
_TURNED = keys.state("lesson_turned")
SEED = "learn_seed"
AS_PREDICTED = ":material/check_circle: As you predicted"
FOR_THE_CLASS = ":material/groups: The whole class predicts; then the lecturer reveals."
WAITING = ":material/hourglass: Your prediction is in. You may change it until the lecturer reveals."
NOT_AS_PREDICTED = ":material/lightbulb: Not this time"
RIGHT = ":material/check: **This is right.**"
CHECK_HELP = "As often as you like; nothing is graded."


def choose_lesson() -> Lesson:
    """Draw the rail of lessons, which a phone has below the lesson, and return the lesson that is open."""
    with screen.controls(border=False):
        fields.radio("lesson", list(COURSE), partial(_numbered, _done()), on_change=_turn)
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
    return f"{place} · {len(_done())} done · {minutes()} minutes in all"


def tell(lesson: Lesson) -> None:
    """Show the title and the text of a lesson."""
    st.header(lesson.text.title, anchor=False)
    st.markdown(lesson.text.words)


def predict(lesson: Lesson) -> bool:
    """Ask the question before the reveal, and return whether it was answered, rightly or wrongly."""
    with st.container(border=True):
        asked = membership.asked(lesson.key)
        given = membership.prediction() if asked else None
        if given is not None:  # also after a reload of the page
            st.session_state.setdefault(_widget(lesson, "predict"), given)
        answered = _ask(
            "Predict first",
            lesson.text.predict,
            _widget(lesson, "predict"),
            then=partial(_reveal, lesson),
            mark_right=not asked or membership.revealed(),
        )
        if asked and answered is not None:
            membership.predict(lesson.key, answered)
        if asked and not membership.revealed():
            st.caption(WAITING if answered is not None else FOR_THE_CLASS)
            return False
        if answered is not None:
            right, in_question = lesson.text.predict.choice(answered).right, lesson.control.in_question
            where = "see the figure"
            if in_question not in ("", text(lesson.setting)):
                where = f"move the slider back to {lesson.control.shown(in_question)} to see it"
            st.caption(f"{AS_PREDICTED if right else NOT_AS_PREDICTED}: {where}.")
    return asked or answered is not None


def _reveal(lesson: Lesson) -> None:
    """Move the slider to the state that the question asks about, so that the figure shows what the answer speaks of.

    Where a room has asked, hand the answer in instead: before the page is drawn, as its first line speaks of it.
    """
    if membership.asked(lesson.key):
        membership.predict(lesson.key, st.session_state[_widget(lesson, "predict")])
    elif lesson.control.in_question:
        st.session_state[key(lesson.setting)] = lesson.control.in_question


def move(lesson: Lesson) -> str:
    """Draw the slider, and return its position."""
    return fields.select_slider(lesson.setting, lesson.control.options, lesson.control.shown)


def show(lesson: Lesson, setting: str, *, revealed: bool) -> int | None:
    """Show the figure with one sentence of numbers, the reveal after a prediction; return the seed of its draws."""
    cache_key = (lesson.key, setting, int(text(SEED)), revealed)
    with st.spinner("Drawing …"):
        picture = membership.once(links.page(), links.link_values(), cache_key, partial(lesson.show, *cache_key[1:]))
    state = "revealed" if revealed else "before"
    st.markdown(f"**{picture.sentence}**")
    figure = screen.enlarged(picture.figure)
    pieces.draw(st.container(), figure, f"lesson_{lesson.key}_{state}", picture.alt, simulated=False)
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
        answered = _ask("Check yourself", question, widget, CHECK_HELP, then=partial(_tick, lesson))
        if answered is not None:
            choice = question.choice(answered)
            verdict = (
                ":blue[:material/check_circle: **Right.**]" if choice.right else ":material/replay: **Not quite.**"
            )
            st.markdown(f"{verdict} {choice.because}")


def _tick(lesson: Lesson) -> None:
    """Note that a lesson is done once its check is answered rightly; before the rail is drawn, which shows a tick."""
    answered = st.session_state[_widget(lesson, "check")]
    if answered is not None and lesson.text.check.choice(answered).right:
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
                on_click=_redraw, help=f"Seed {seed} now. {term('simulation')}",
            )  # fmt: skip
        with st.popover("Copy link", icon=":material/link:", type="tertiary"):
            st.caption("Opens this lesson with the same slider and the same draw. It holds no answers.")
            st.code(links.link_text(), language=None, wrap_lines=True)
            links.offer_room()


def turn(lesson: Lesson, *, presented: bool = False) -> None:
    """Draw the buttons to the previous and the next lesson, which the arrow keys press where it is presented."""
    names = list(COURSE)
    at = names.index(lesson.key)
    with st.container(key=IN_VIEW, horizontal=True, horizontal_alignment="distribute"):
        st.button(
            "Previous", key=keys.widget("previous"), icon=":material/arrow_back:", disabled=at == 0,
            on_click=_open, args=(names[max(at - 1, 0)],), shortcut="Left" if presented else None,
        )  # fmt: skip
        last = at == len(names) - 1
        if presented:
            screen.leave_presentation()
        st.button(
            "Next", key=keys.widget("next"), icon=":material/arrow_forward:", icon_position="right", disabled=last,
            type="primary", on_click=_open, args=(names[at if last else at + 1],),
            shortcut="Right" if presented else None,
        )  # fmt: skip
    if last and _done() == set(names):
        st.success("All lessons done. Now try it on a column of your own.", icon=":material/school:")


def _ask(
    heading: str,
    question: Quiz,
    widget: str,
    help_text: str | None = None,
    then: Callable[[], None] | None = None,
    mark_right: bool = False,
) -> str | None:
    """Ask a question and return what was chosen. `mark_right`: once something was, the right choice says so."""
    texts = [choice.text for choice in question.choices]
    st.markdown(f"**{heading}**", help=help_text)
    marked = mark_right and st.session_state.get(widget) is not None
    captions = [RIGHT if choice.right else "" for choice in question.choices] if marked else None
    answered: str | None = st.radio(
        question.text, texts, index=None, key=widget, persist_state="session", on_change=then, captions=captions
    )
    return answered


def _widget(lesson: Lesson, question: str) -> str:
    return keys.widget(question, lesson.key)


def _numbered(done: set[str], name: str) -> str:
    lesson = COURSE[name]
    return f"{lesson.number} {':blue[**✓**]' if name in done else '·'} {lesson.text.title}"


def _done() -> set[str]:
    return set(st.session_state.get(_DONE, set()))


def _open(name: str) -> None:
    st.session_state[key("lesson")] = name
    _turn()


def _turn() -> None:
    """Begin at the top of the lesson that is chosen now."""
    st.session_state[_TURNED] = True


def _redraw() -> None:
    st.session_state[key(SEED)] = str(int(text(SEED)) % table.MOST_SEEDS + 1)
