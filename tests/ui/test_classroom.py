"""Rooms of a class: who may come in, what is kept, what is revealed when, what ends, and a lecturer's own numbers."""

import csv
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.question import Persons
from dpq_core.results.data_set import PublicData
from pages.form import table
from pages.keys import PREFIX
from pages.learn.texts import text_of
from pages.room import bar, membership
from pages.room.bar import MOST_NUMBERS, as_csv, is_of_this_machine
from pages.room.rooms import (
    CODE_LENGTH,
    FIRST_CODES,
    GONE_SECONDS,
    LETTERS,
    MOST_OF_ADDRESS,
    MOST_PEOPLE,
    MOST_ROOMS,
    MOST_TABS,
    OPEN_SECONDS,
    OWN_WRONG_CODES,
    WRONG_CODES,
    Room,
    RoomError,
    Rooms,
    Student,
    plain,
    shown_code,
)
from pages.server.runs import OpenPage
from pages.shell import links
from tests.narrowing import present
from tests.pages.driving import bring, csv_of, drawn_by, open_page, paste, press, run, set_bounds


@pytest.mark.parametrize(("address", "own"), [
    ("http://127.0.0.1:8501/learn?room=K7QM-3XRT", True), ("http://localhost:8501/", True),
    ("http://[::1]:8501/", True), ("http://192.168.0.12:8501/learn", False),
    ("https://quantiles.example.org/learn?room=127.0.0.1", False), ("?room=K7QM-3XRT", False),
])  # fmt: skip
def test_an_address_that_phones_cannot_open_is_known(address: str, own: bool) -> None:
    assert is_of_this_machine(address) is own


class Clock:
    """Seconds that pass when the test says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def rooms(clock: Clock) -> Rooms:
    return Rooms(clock)


def lesson_room(rooms: Rooms) -> Room:
    room = rooms.open("learn", {"lesson": "quantile"})
    rooms.show(room, "learn", question="quantile", settings={"lesson": "quantile"})
    return room


def found(rooms: Rooms, room: Room, token: str) -> Student:
    return present(rooms.student(room.code, token))[1]


def predict(rooms: Rooms, room: Room, token: str, lesson: str, choice: str) -> None:
    """As a session does that holds this token."""
    if found := rooms.student(room.code, token):
        rooms.predict(*found, lesson, choice)


def test_a_code_may_be_typed_as_it_is_shown_or_anyhow(rooms: Rooms) -> None:
    room = rooms.open("learn", {})
    for typed in (room.code, shown_code(room.code), f" {shown_code(room.code).lower()} "):
        assert rooms.enter(typed)[0] is room
    assert {len(room.code), len(room.key)} == {CODE_LENGTH}
    assert room.code != room.key


def test_a_code_cannot_be_guessed_in_an_hour() -> None:
    tries = FIRST_CODES * 61  # one full minute more than an hour holds
    assert tries * MOST_ROOMS / len(LETTERS) ** CODE_LENGTH < 1e-5


def try_wrong(rooms: Rooms, wrong: deque[float], times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(RoomError, match="no room with this code"):
            rooms.enter("AAAA-AAAA", wrong=wrong)


def test_one_visitor_with_wrong_codes_waits_a_minute_and_nobody_else_does(rooms: Rooms, clock: Clock) -> None:
    room, wrong = rooms.open("learn", {}), deque[float]()
    try_wrong(rooms, wrong, OWN_WRONG_CODES)
    with pytest.raises(RoomError, match="Wait a minute"):
        rooms.enter(room.code, wrong=wrong)
    assert rooms.enter(room.code, wrong=deque([clock.now]))[0] is room, "somebody else, who mistyped once"
    clock.now += 61
    assert rooms.enter(room.code, wrong=wrong)[0] is room


def test_many_visitors_with_wrong_codes_do_not_keep_out_who_has_the_right_one(rooms: Rooms, clock: Clock) -> None:
    room = rooms.open("learn", {})
    for _ in range(WRONG_CODES):
        try_wrong(rooms, deque())
    with pytest.raises(RoomError, match="Wait a minute"):
        rooms.enter(room.code, wrong=deque([clock.now]))
    assert rooms.enter(room.code)[0] is room
    for _ in range(FIRST_CODES - WRONG_CODES):
        try_wrong(rooms, deque())
    with pytest.raises(RoomError, match="Wait a minute"):
        rooms.enter(room.code)
    clock.now += 61
    assert rooms.enter(room.code)[0] is room


def test_a_room_is_led_from_the_browser_that_opened_it_and_from_no_other(rooms: Rooms) -> None:
    room, unknown = rooms.open("learn", {}, "a secret"), rooms.open("learn", {})
    assert rooms.led_from("a secret", shown_code(room.code)) is room
    assert rooms.led_from("another", room.code) is None
    assert rooms.led_from("", room.code) is None
    assert rooms.led_from("", unknown.code) is None, "where nothing is known of the browser"
    assert rooms.led_from("a secret", unknown.code) is None
    assert rooms.led_from("a secret") is room, "a page without the room's address"
    later = rooms.open("learn", {}, "a secret")
    assert [rooms.led_from("a secret", code) for code in ("", room.code)] == [later, room]
    rooms.close(later)
    rooms.close(room)
    assert rooms.led_from("a secret", room.code) is rooms.led_from("a secret") is None


def test_what_all_see_is_made_once_and_anew_for_another_page(rooms: Rooms) -> None:
    room = rooms.open("learn", {})
    made: list[int] = []

    def make() -> int:
        made.append(len(made))
        return made[-1]

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(lambda _: room.results.get("figure", make), range(16))) == {0}
    assert room.results.get("another", make) == 1
    turns: list[Callable[[], None]] = [
        lambda: rooms.show(room, "learn", {}), lambda: rooms.show(room, "learn", question="quantile", settings={}),
        lambda: rooms.reveal(room, {}), lambda: rooms.show(room, "explore", {}, drawing=True),
    ]  # fmt: skip
    for number, turn in enumerate(turns, start=2):
        turn()
        assert room.results.get("figure", make) == number


def test_what_was_begun_for_the_page_before_is_not_shown_on_the_next(rooms: Rooms) -> None:
    room = rooms.open("learn", {})

    def make_while_the_page_turns() -> str:
        rooms.reveal(room, {})
        return "before"

    assert room.results.get("figure", make_while_the_page_turns) == "before"
    assert room.results.get("figure", lambda: "after") == "after"


def test_nobody_holds_a_lock_while_something_is_made_and_who_waits_may_leave(rooms: Rooms) -> None:
    class Gone(BaseException):
        """What Streamlit raises in a run that is over."""

    room, go_on, started = rooms.open("explore", {}), Event(), Event()

    def slow() -> str:
        started.set()
        assert go_on.wait(60)
        return "slow"

    def leave() -> None:
        raise Gone

    with ThreadPoolExecutor(1) as first:
        making = first.submit(room.results.get, "slow", slow)
        started.wait(60)
        assert room.results.get("quick", lambda: "quick") == "quick", "what is made of something else does not wait"
        with pytest.raises(Gone):
            room.results.get("slow", lambda: "never", leave)
        go_on.set()
        assert making.result() == room.results.get("slow", lambda: "never") == "slow"


def test_what_one_could_not_finish_another_makes_and_what_fails_fails_for_all(rooms: Rooms) -> None:
    room = rooms.open("explore", {})

    def ended() -> str:
        raise KeyboardInterrupt

    def fail() -> str:
        raise ValueError("too long")

    with pytest.raises(KeyboardInterrupt):
        room.results.get("figure", ended)
    with pytest.raises(ValueError, match="too long"):
        room.results.get("figure", fail)
    assert room.results.get("figure", lambda: "made") == "made"


def test_a_room_ends_after_two_hours_or_when_it_is_closed(rooms: Rooms, clock: Clock) -> None:
    first, second = rooms.open("learn", {}), rooms.open("learn", {})
    _, token = rooms.enter(first.code)
    rooms.close(second)
    assert rooms.find(second.code) is None
    clock.now += OPEN_SECONDS
    assert rooms.student(first.code, token) is not None
    clock.now += 1
    assert rooms.student(first.code, token) is None
    with pytest.raises(RoomError):
        rooms.enter(first.code)


def test_there_are_so_many_rooms_and_no_more(rooms: Rooms, clock: Clock) -> None:
    for _ in range(MOST_ROOMS):
        rooms.open("learn", {})
    with pytest.raises(RoomError, match="as many rooms"):
        rooms.open("learn", {})
    clock.now += OPEN_SECONDS + 1
    rooms.open("learn", {})


def test_a_browser_that_comes_again_is_the_same_student_with_one_vote_and_one_noise(rooms: Rooms, clock: Clock) -> None:
    room, other = lesson_room(rooms), lesson_room(rooms)
    mine = "a secret", "192.0.2.1"
    first = rooms.enter(room.code, *mine)[1]
    predict(rooms, room, first, "quantile", "stays")
    seed = room.seed_of(found(rooms, room, first))
    clock.now += 100 * GONE_SECONDS
    assert [rooms.enter(room.code, *mine)[1] for _ in range(130)] == [first] * 130
    assert found(rooms, room, first).prediction == "stays"
    assert room.seed_of(found(rooms, room, first)) == seed
    assert (len(room.students), rooms.present(room), rooms.present(room, or_predicted=True)) == (1, 1, 1)
    assert rooms.enter(room.code, "another", mine[1])[1] != first, "of the same network"
    assert rooms.enter(room.code)[1] != rooms.enter(room.code)[1], "where nothing is known of the browser"
    assert rooms.enter(other.code, *mine)[1] != first, "each room has its own"


def test_one_address_fills_its_part_of_a_room_and_leaves_the_rest_to_others(rooms: Rooms, clock: Clock) -> None:
    room = rooms.open("learn", {})
    tokens = [
        rooms.enter(room.code, str(at), "192.0.2.1")[1] for at in range(MOST_OF_ADDRESS)
    ]  # fmt: skip
    with pytest.raises(RoomError, match="one network address"):
        rooms.enter(room.code, "one more", "192.0.2.1")
    elsewhere = rooms.enter(room.code, "elsewhere", "192.0.2.2")[1]
    assert rooms.enter(room.code, "7", "192.0.2.1")[1] == tokens[7], "who is in is not refused"
    assert len(room.students) == MOST_OF_ADDRESS + 1
    clock.now += GONE_SECONDS
    for token in (elsewhere, *tokens[1:]):
        rooms.student(room.code, token)
    rooms.enter(room.code, "one more", "192.0.2.1")
    assert tokens[0] not in room.students
    assert {elsewhere, *tokens[1:]} < set(room.students)


def test_a_full_room_lets_go_of_who_was_away_longest_and_keeps_the_votes_of_others(rooms: Rooms, clock: Clock) -> None:
    room = lesson_room(rooms)
    tokens = [rooms.enter(room.code)[1] for _ in range(MOST_PEOPLE)]
    assert len({each.name for each in room.students.values()}) == MOST_PEOPLE
    for token in tokens:
        predict(rooms, room, token, "quantile", "stays")
    clock.now += 1
    for token in tokens[1:]:
        rooms.student(room.code, token)
    with pytest.raises(RoomError, match="full"):
        rooms.enter(room.code)
    clock.now += GONE_SECONDS
    assert rooms.present(room) == 0
    rooms.student(room.code, tokens[7])
    rooms.enter(room.code)
    assert rooms.present(room) == 2
    assert tokens[0] not in room.students
    assert sum(each.prediction == "stays" for each in room.students.values()) == MOST_PEOPLE - 1


def test_the_last_tabs_of_a_student_are_turned(rooms: Rooms) -> None:
    room = rooms.open("learn", {})
    token = rooms.enter(room.code)[1]
    pages = [OpenPage(f"session {at}", "learn", None) for at in range(MOST_TABS + 2)]
    for page in [*pages, pages[2]]:
        rooms.note_page(found(rooms, room, token), page)
    assert room.pages() == [*pages[3:], pages[2]]


def test_who_has_left_without_a_prediction_is_not_waited_for(rooms: Rooms, clock: Clock) -> None:
    room = lesson_room(rooms)
    first, second, third = (rooms.enter(room.code)[1] for _ in range(3))
    assert rooms.present(room, or_predicted=True) == 3
    predict(rooms, room, first, "quantile", "stays")
    clock.now += GONE_SECONDS
    rooms.student(room.code, third)
    assert rooms.present(room) == 1
    assert rooms.present(room, or_predicted=True) == 2
    assert second in room.students


def wall(room: Room) -> AppTest:
    """The wall of a room."""

    def script(room):  # without types: its source runs by itself, where the names of this file are unknown
        from pages.room.bar import show_wall

        show_wall(room)

    return drawn_by(script, room)


def wall_of(room: Room) -> str:
    """What the wall of a room says."""
    return "\n".join(each.value for each in wall(room).markdown)


@pytest.mark.slow
def test_what_a_class_predicts_is_seen_only_after_the_reveal(monkeypatch: pytest.MonkeyPatch, rooms: Rooms) -> None:
    monkeypatch.setattr(membership, "ROOMS", rooms)
    room = lesson_room(rooms)
    choices = [choice.text for choice in text_of("quantile").predict.choices]
    for choice in (choices[0], choices[0], choices[1]):
        predict(rooms, room, rooms.enter(room.code)[1], "quantile", choice)
    assert "3 of 3 have predicted." in wall_of(room)
    assert not wall(room).get("plotly_chart")
    assert not [choice for choice in choices if choice in wall_of(room)]
    rooms.reveal(room, {})
    (picture,) = wall(room).get("plotly_chart")
    assert f"2  {choices[0]}" in picture.proto.spec


def test_the_answers_of_the_class_are_a_table_to_take_away(monkeypatch: pytest.MonkeyPatch, rooms: Rooms) -> None:
    monkeypatch.setattr(membership, "ROOMS", rooms)
    room = lesson_room(rooms)
    asked = text_of("quantile").predict
    right = asked.right.text
    birds = []
    for choice in asked.choices[:2]:
        token = rooms.enter(room.code)[1]
        predict(rooms, room, token, "quantile", choice.text)
        birds.append(found(rooms, room, token).name)
    rooms.enter(room.code)  # and does not answer
    assert as_csv(room).splitlines() == ["question,asked,student,answer,right answer"], "nobody copies the others"
    assert not wall(room).get("html")
    rooms.reveal(room, {})
    first = [["1", asked.text, bird, choice.text, right] for bird, choice in zip(birds, asked.choices, strict=False)]
    assert list(csv.reader(as_csv(room).splitlines()))[1:] == first
    assert "Excel" in wall(room).get("html")[0].proto.body
    rooms.show(room, "explore", {"epsilon": "0.1", "seed": "7"}, drawing=True)
    assert not wall(room).get("plotly_chart")
    rooms.answer(
        room, found(rooms, room, token), room.settings_of(found(rooms, room, token)), 37.0, 38.0, "median (years)"
    )
    assert "1 private answer, 37; the true value is 38." in wall_of(room)
    second = ["2", "median (years)", birds[1], "37", "38"]
    assert list(csv.reader(as_csv(room).splitlines()))[1:] == [*first, second], "what was asked before is kept"


def test_predictions_count_until_the_reveal_and_only_for_what_is_asked(rooms: Rooms) -> None:
    room = lesson_room(rooms)
    token = rooms.enter(room.code)[1]
    predict(rooms, room, token, "gaps", "something else")
    assert found(rooms, room, token).prediction is None
    predict(rooms, room, token, "quantile", "up")
    predict(rooms, room, token, "quantile", "stays")
    assert found(rooms, room, token).prediction == "stays"
    rooms.reveal(room, {"lesson": "quantile"})
    predict(rooms, room, token, "quantile", "up")
    assert found(rooms, room, token).prediction == "stays"
    rooms.show(room, "learn", question="gaps", settings={"lesson": "gaps"})
    assert (found(rooms, room, token).prediction, room.revealed) == (None, False)


def test_untrusted_files_and_other_rooms_predict_nothing(rooms: Rooms) -> None:
    room, other = lesson_room(rooms), lesson_room(rooms)
    mine, theirs = rooms.enter(room.code)[1], rooms.enter(other.code)[1]
    predict(rooms, room, theirs, "quantile", "up")
    predict(rooms, room, room.key, "quantile", "up")
    assert found(rooms, room, mine).prediction is None
    assert found(rooms, other, theirs).prediction is None


def test_everybody_has_another_seed_and_only_its_own_draw_counts(rooms: Rooms) -> None:
    room = rooms.open("explore", {})
    tokens = [rooms.enter(room.code)[1] for _ in range(5)]
    rooms.show(room, "explore", {"epsilon": "0.5"}, drawing=True)
    seeds = [room.seed_of(found(rooms, room, token)) for token in tokens]
    assert len(set(seeds)) == 5
    assert all(table.SETTINGS["seed"].takes(seed) for seed in seeds)
    rooms.answer(room, found(rooms, room, tokens[0]), {"epsilon": "0.5", "seed": seeds[1]}, 40.0, 38.0, "median")
    assert found(rooms, room, tokens[0]).answer is None
    rooms.answer(room, found(rooms, room, tokens[0]), {"epsilon": "0.5", "seed": seeds[0]}, 40.0, 38.0, "median")
    assert (found(rooms, room, tokens[0]).answer, room.truth) == (40.0, 38.0)
    rooms.show(room, "explore", {"epsilon": "0.5"}, drawing=True)
    assert found(rooms, room, tokens[0]).answer is None
    assert room.seed_of(found(rooms, room, tokens[0])) != seeds[0]


def test_what_is_typed_holds_letters_of_codes_alone() -> None:
    assert plain("<script>8-9") == "SCRPT89"
    assert len(plain("A" * 10_000)) == CODE_LENGTH + 1


MINUTES = np.array([5.0, 12, 12, 20, 25, 31, np.nan, 40])
BOUNDS = ("0", "120", "1")


def own(**changes: object) -> PublicData:
    """A column that a lecturer brought and declared public."""
    facts = {
        "identity": "upload:1", "name": "minutes", "kind": "number", "unit": "minutes", "one": "student",
        "many": "students", "about": "minutes", "source": "", "is_example": False, "reading": "", "values": MINUTES,
    }  # fmt: skip
    return PublicData(**(facts | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(("data", "bounds", "step", "reason"), [
    (own(), Domain(0, 120, 1), "1", ""), (own(), Domain(0, 120), "", "the step"),
    (own(values=np.array([5.0, np.nan])), Domain(0, 120, 1), "1", ""),
    (own(values=np.zeros(MOST_NUMBERS)), Domain(0, 120, 1), "1", ""), (own(), None, "1", "lowest"),
    (own(), Domain.significant(2), "1", "lowest"), (own(), FindBounds(), "1", "lowest"),
    (own(kind="date"), Domain(0, 120, 1), "1", "dates"),
    (own(person=Persons(per_person="mean", column="id")), Domain(0, 120, 1), "1", "another person"),
    (own(values=np.array([np.nan])), Domain(0, 120, 1), "1", "1 to 10,000"),
    (own(values=np.zeros(MOST_NUMBERS + 1)), Domain(0, 120, 1), "1", "1 to 10,000"),
])  # fmt: skip
def test_a_room_takes_public_numbers_with_bounds_and_a_step_and_nothing_else(
    data: PublicData, bounds: Domain | FindBounds | None, step: str, reason: str
) -> None:
    refused = bar.why_not(data, bounds, step)
    assert (reason in refused) if reason else refused == ""


def test_everybody_gets_the_numbers_their_bounds_and_plain_words() -> None:
    data = own(unit="<b>", one="[a](http://x)", many="y")
    found = bar.example_of(data, BOUNDS, "![x](http://elsewhere/y.png) *minutes*, to school", "K7QM")
    assert found.key == "class-K7QM"
    assert found.label == "x http elsewhere y png minutes to school, of this class"
    assert (found.unit, found.one_row, found.many_rows) == ("", "person", "people")
    assert (found.lower, found.upper, found.step) == BOUNDS
    assert found.read().tolist() == [5, 12, 12, 20, 25, 31, 40], "a missing number is none"
    found.read()[:] = 0
    assert found.read().tolist()[0] == 5
    kept = bar.example_of(own(), BOUNDS, "Way", "K7QM")
    assert (kept.unit, kept.one_row, kept.many_rows) == ("minutes", "student", "students")


def test_a_room_keeps_its_numbers_until_it_ends_and_another_room_has_none() -> None:
    rooms = Rooms()
    brought = bar.example_of(own(), BOUNDS, "Way", "K7QM")
    room, other = rooms.open("explore", {"data": brought.key}, numbers=brought), rooms.open("learn", {})
    assert rooms.enter(room.code)[0].numbers is brought
    assert rooms.enter(other.code)[0].numbers is None
    rooms.show(other, "explore", {}, numbers=replace(brought, key="class-OTHER"))
    assert rooms.enter(other.code)[0].numbers is not brought
    rooms.close(room)
    assert rooms.find(room.code) is None


def test_a_link_to_numbers_of_a_room_means_nothing_outside_it() -> None:
    assert not table.SETTINGS["data"].takes("class-K7QM")
    values, notes = links.read_link({"data": "class-K7QM"}, "explore")
    assert (values["data"], len(notes)) == ("adult-age", 1)


@pytest.mark.slow
def test_a_room_opens_with_own_numbers_only_after_it_is_said_that_everybody_may_see_them() -> None:
    assert not [each for each in open_page().button if each.key == f"{PREFIX}_room_numbers"], "of an example"
    visit = open_page("explore", data="paste", quantiles="median", epsilon="0.5", mechanism="aq")
    paste(visit, np.arange(40), public=True)
    press(set_bounds(visit, "0", "120", "1"))
    assert "40 numbers" in next(each.value for each in visit.markdown if "Everybody in the room gets" in each.value)
    assert visit.button(key=f"{PREFIX}_room_numbers").disabled
    (agreed,) = [each for each in visit.checkbox if each.label.startswith("These numbers are public")]
    run(agreed.check())
    assert not visit.button(key=f"{PREFIX}_room_numbers").disabled
    private = set_bounds(bring(open_page(data="file"), csv_of(MINUTES)), "0", "120", "1")
    assert not [each for each in private.button if each.key == f"{PREFIX}_room_numbers"], "of data nobody called public"
