"""The Learn page: prediction, reveal, check, progress, links, and a student of a room."""

import json
import re
from collections.abc import Iterator
from functools import partial
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from dpq_core.figures.frame import shown
from pages.learn import course as lesson_page
from pages.learn.course import AS_PREDICTED, COURSE, IS_RIGHT, NOT_AS_PREDICTED
from pages.learn.texts import LESSONS, text_of
from pages.room import membership
from pages.room.membership import CLOSED, ENDED
from pages.room.rooms import Room, shown_code
from pages.server import sessions
from pages.server.runs import OpenPage
from tests.narrowing import present
from tests.pages.driving import figures, open_page, run

open_lesson = partial(open_page, "learn")


def answer(visit: AppTest, question: str, lesson: str, *, right: bool) -> str:
    """Choose a right or a wrong answer; why it is so."""
    choices = getattr(text_of(lesson), question).choices
    choice = next(choice for choice in choices if choice.is_right is right)
    run(visit.radio(key=f"dpq_{question}_{lesson}").set_value(choice.text))
    return str(choice.because)


def said(visit: AppTest) -> str:
    return "\n".join(element.value for element in [*visit.markdown, *visit.caption, *visit.header])


@pytest.mark.slow(keep=("True-quantile", "False-beliefs"))
@pytest.mark.parametrize("lesson", LESSONS)
@pytest.mark.parametrize("right", [True, False])
def test_a_lesson_is_predicted_revealed_and_checked(lesson: str, right: bool) -> None:
    """Wherever the slider stood before; moved away later, the line says where to see it."""
    known = COURSE[lesson]
    in_question = known.control.in_question
    elsewhere = next(option for option in known.control.options if option not in (in_question, known.control.default))
    visit = open_lesson(lesson=lesson, **{known.control.setting: elsewhere})
    assert visit.header[0].value == known.text.title
    assert known.reveal not in said(visit)
    assert not visit.radio(key=f"dpq_predict_{lesson}").proto.captions
    before = figures(visit)
    answer(visit, "predict", lesson, right=right)
    marks = [caption == IS_RIGHT for caption in visit.radio(key=f"dpq_predict_{lesson}").proto.captions]
    assert marks == [choice.is_right for choice in known.text.predict.choices], "after a wrong answer, too"
    assert (AS_PREDICTED in said(visit), NOT_AS_PREDICTED in said(visit)) == (right, not right)
    chosen = in_question or elsewhere
    assert visit.select_slider(key=f"dpq_{known.control.setting}").value == chosen
    picture = known.show(chosen, 1, True)
    assert f"**{picture.sentence}**" in said(visit)
    drawn = shown(picture.figure, simulated=False)
    assert figures(visit) == [json.loads(drawn.to_json())] != before
    assert known.reveal in said(visit)
    run(visit.select_slider(key=f"dpq_{known.control.setting}").set_value(elsewhere))
    there = f"move the slider back to {known.control.shown(in_question)} to see it."
    assert (there in said(visit)) is bool(in_question)
    for checked, done in ((False, "0 done"), (True, "1 done")):
        assert answer(visit, "check", lesson, right=checked) in said(visit)
        assert done in said(run(visit))


def test_rail_and_buttons_turn_lessons_and_a_teachers_link_holds_no_answer() -> None:
    visit = open_lesson(lesson="magic", learn_guess="200")
    assert "`magic`" in visit.info[0].value
    assert visit.header[0].value == text_of("quantile").title
    assert len(visit.radio(key="dpq_lesson").options) == len(COURSE)
    answer(visit, "predict", "quantile", right=False)
    answer(visit, "check", "quantile", right=True)
    ticked = [each for each in visit.radio(key="dpq_lesson").options if "✓" in each]
    assert ticked == [f"1 :blue[**✓**] {text_of('quantile').title}"]
    run(visit.button(key="dpq_next").click())
    assert visit.header[0].value == text_of(list(LESSONS)[1]).title
    run(visit.button(key="dpq_previous").click())
    assert COURSE["quantile"].reveal in said(visit)
    assert NOT_AS_PREDICTED in said(visit)
    run(visit.radio(key="dpq_lesson").set_value("halves"))
    assert visit.query_params == {"lesson": "halves"}
    link = {"lesson": "halves", "learn_halves": "15", "learn_seed": "7"}
    visit = open_lesson(**link)
    assert visit.select_slider(key="dpq_learn_halves").value == "15"
    answer(visit, "predict", "halves", right=True)
    assert visit.query_params == link
    run(visit.button(key="dpq_another_draw").click())
    assert visit.query_params["learn_seed"] == "8"


def test_whoever_has_turned_already_keeps_the_own_noise_when_the_server_asks_for_the_page(room: Room) -> None:
    """The page that the student had open before stands in no message: its settings would be a link to this one."""
    membership.ROOMS.show(room, "explore", {}, drawing=True)
    visit = open_page("explore", room=shown_code(room.code))
    (student,) = room.students.values()
    for asked in ("", OpenPage("session", "page", None).message().rerun_script.query_string):
        if asked:
            visit.query_params.clear()
            visit.query_params.update(parse_qsl(asked))
        assert f"seed {room.seed_of(student)}" in said(run(visit))
        assert not visit.info


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    """A room that was opened in the lecturer's browser; pages that are opened in the test are of a student's."""
    opened = membership.ROOMS.open("learn", {"lesson": "halves"}, "the lecturer's")
    monkeypatch.setattr(sessions, "browser", lambda: "a student's")
    yield opened
    membership.ROOMS.close(opened)


def test_a_student_predicts_once_and_a_reloaded_page_is_of_the_same_one(room: Room) -> None:
    membership.ROOMS.show(room, "learn", {"lesson": "halves"}, question="halves")
    visit = open_lesson(room=shown_code(room.code))
    assert "Make your prediction below." in said(visit)
    answer(visit, "predict", "halves", right=False)
    before, chosen = bird(visit), visit.radio(key="dpq_predict_halves").value
    for each in (visit, open_lesson(**visit.query_params)):
        assert bird(each) == before
        assert each.radio(key="dpq_predict_halves").value == chosen
        assert "Your prediction is in; wait for the others." in said(each)
        assert COURSE["halves"].reveal not in said(each)
        assert not each.radio(key="dpq_predict_halves").proto.captions, "before the lecturer reveals"
    assert len(room.students) == membership.ROOMS.present(room, or_predicted=True) == 1
    membership.ROOMS.reveal(room, {"lesson": "halves"})
    run(each.radio(key="dpq_predict_halves").set_value(text_of("halves").predict.choices[1].text))
    (student,) = room.students.values()
    assert student.prediction == chosen, "after the reveal nothing counts any more"


def test_a_shared_address_gives_nobody_the_place_of_another(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    visit = open_lesson(room=shown_code(room.code))
    assert set(visit.query_params) == {"lesson", "room"}
    monkeypatch.setattr(sessions, "browser", lambda: "somebody else's")
    other = open_lesson(**visit.query_params)
    assert bird(other) != bird(visit)
    assert len(room.students) == 2
    for _ in range(2):  # who leaves is out
        run(other.button(key="dpq_leave_room").click() if "room" in other.query_params else other)
        assert "room" not in other.query_params
        assert not re.search(r"You are \*\*", said(other))


def test_a_reloaded_page_draws_the_same_noise_and_another_example_leaves_the_wall_as_it_is(room: Room) -> None:
    membership.ROOMS.show(room, "explore", {"quantiles": "median", "epsilon": "0.1"}, drawing=True)
    visit = open_page("explore", room=shown_code(room.code))
    (student,) = room.students.values()
    noise, before = f"seed {room.seed_of(student)}", (student.answer, room.truth, room.axis)
    assert noise in said(visit)
    assert "dpq_own_data" not in [button.key for button in visit.button], "nothing leads a student away"
    assert None not in before, "it was handed in"
    assert noise in said(open_page("explore", **visit.query_params))
    assert list(room.students.values()) == [student]
    run(visit.selectbox(key="dpq_data").set_value("income"))
    assert noise in said(visit), "with the own noise"
    assert (student.answer, room.truth, room.axis) == before


def test_a_lecturer_who_closes_the_room_is_told_and_sees_no_error(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    student = open_lesson(room=shown_code(room.code))
    monkeypatch.setattr(sessions, "browser", lambda: "the lecturer's")
    lecturer, other_tab = (open_lesson(room=shown_code(room.code), leads="yes") for _ in range(2))
    run(lecturer.button(key="dpq_close_room").click())
    for _ in range(2):  # its page may run twice in a moment
        assert [each.value for each in lecturer.info] == [CLOSED]
        assert not lecturer.error
        lecturer.query_params["room"] = shown_code(room.code)
        run(lecturer)
    for others in (student, other_tab):
        run(others)
        assert [each.value for each in others.info] == [ENDED]
        assert not others.error


def bird(visit: AppTest) -> str:
    """Whom a student's page says that it is of."""
    return present(re.search(r"You are \*\*(.*?)\*\*", said(visit)))[1]


def test_the_last_lesson_ends_with_what_the_course_has_shown_and_with_exercises() -> None:
    course = list(COURSE.values())
    title = "What the course has shown"
    assert not [each for each in open_lesson(lesson=course[-2].key).expander if each.label == title]
    visit = open_lesson(lesson=course[-1].key)
    (closing,) = [each for each in visit.expander if each.label == title]
    for each in course:
        for part in (each.text.title, each.text.check.text, each.text.check.right.text, each.text.check.right.because):
            assert part in closing.markdown[0].value
    assert [each for each in visit.get("html") if "Notebook" in each.proto.body]
    assert not visit.success
    visit.session_state[lesson_page._DONE] = set(COURSE)
    assert len(run(visit).success) == 1, "all lessons are done"


def test_a_lesson_is_presented_without_rail_and_form_and_the_arrow_keys_turn_it() -> None:
    visit = open_lesson(lesson="halves")
    usual = figures(visit)[0]["layout"]
    run(visit.button(key="dpq_present").click())
    assert not [each for each in visit.radio if each.key == "dpq_lesson"]
    assert not visit.expander or "The formula, and where it is proved" not in {each.label for each in visit.expander}
    large = figures(visit)[0]["layout"]
    assert large["xaxis"]["title"]["font"]["size"] > 1.4 * usual["xaxis"]["title"]["font"]["size"]
    keys = {name: visit.button(key=f"dpq_{name}").proto.shortcut for name in ("previous", "next", "present_off")}
    assert keys == {"previous": "left", "next": "right", "present_off": "escape"}
    assert visit.query_params == {"lesson": "halves"}, "a link opens the page as students need it"
    run(visit.button(key="dpq_next").click())
    assert visit.header[0].value == text_of("slices").title
    run(visit.button(key="dpq_present_off").click())
    assert visit.radio(key="dpq_lesson").value == "slices"
    assert not visit.button(key="dpq_next").proto.shortcut


def test_a_student_of_a_room_sees_the_question_first_and_nothing_that_leads_away(room: Room) -> None:
    membership.ROOMS.show(room, "learn", {"lesson": "halves"}, question="halves")
    visit = open_lesson(room=shown_code(room.code))
    drawn = [str(getattr(each, "key", None) or getattr(each, "value", "")) or each.type for each in visit.main]
    figure = drawn.index("dpq_figure_lesson_halves_before")
    assert drawn.index("dpq_predict_halves") < figure < drawn.index(COURSE["halves"].text.words)
    for hidden in ("previous", "next", "present", "open_room"):
        assert not [each for each in visit.button if each.key == f"dpq_{hidden}"]
    assert not [each for each in visit.radio if each.key == "dpq_lesson"]
