"""The lecturer's own public numbers in a room: what may come in, what everybody gets, and what else nobody learns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpq_core.domain import Domain, FindBounds
from dpq_core.results import PersonChoice, PublicData
from pages.classroom import Rooms, numbers
from pages.classroom.numbers import MOST_NUMBERS
from pages.keys import PREFIX
from pages.settings import table
from pages.settings.check import fits
from tests.pages.driving import bring, csv_of, open_page, paste, press, run, set_bounds

MINUTES = np.array([5.0, 12, 12, 20, 25, 31, np.nan, 40])
BOUNDS = ("0", "120", "1")


def own(**changes: object) -> PublicData:
    """A column that a lecturer brought and declared public."""
    facts = {
        "identity": "upload:1", "name": "minutes", "kind": "number", "unit": "minutes", "one": "student",
        "many": "students", "about": "minutes", "source": "", "is_example": False, "reading": "", "values": MINUTES,
    }  # fmt: skip
    return PublicData(**(facts | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "bounds", "step", "reason"),
    [
        (own(), Domain(0, 120, 1), "1", ""),
        (own(), Domain(0, 120), "", "the step"),
        (own(), None, "1", "lowest"),
        (own(), Domain.significant(2), "1", "lowest"),
        (own(), FindBounds(), "1", "lowest"),
        (own(kind="date"), Domain(0, 120, 1), "1", "dates"),
        (own(person=PersonChoice("id", "student", take="mean")), Domain(0, 120, 1), "1", "another person"),
        (own(values=np.array([np.nan])), Domain(0, 120, 1), "1", "1 to 10,000"),
        (own(values=np.zeros(MOST_NUMBERS + 1)), Domain(0, 120, 1), "1", "1 to 10,000"),
    ],
)
def test_a_room_takes_public_numbers_with_bounds_and_a_step_and_nothing_else(
    data: PublicData, bounds: Domain | FindBounds | None, step: str, reason: str
) -> None:
    refused = numbers.why_not(data, bounds, step)
    assert (reason in refused) if reason else refused == ""


def test_everybody_gets_the_numbers_their_bounds_and_plain_words() -> None:
    data = own(unit="<b>", one="[a](http://x)", many="y")
    found = numbers.example_of(data, BOUNDS, "![x](http://elsewhere/y.png) *minutes*, to school", "K7QM")
    assert found.key == "class-K7QM"
    assert found.label == "x http elsewhere y png minutes to school, of this class"
    assert (found.unit, found.one_row, found.many_rows) == ("", "person", "people")
    assert (found.lower, found.upper, found.step) == BOUNDS
    assert found.read().tolist() == [5, 12, 12, 20, 25, 31, 40], "a missing number is none"
    found.read()[:] = 0
    assert found.read().tolist()[0] == 5
    kept = numbers.example_of(own(), BOUNDS, "Way", "K7QM")
    assert (kept.unit, kept.one_row, kept.many_rows) == ("minutes", "student", "students")


def test_a_room_keeps_its_numbers_until_it_ends_and_another_room_has_none() -> None:
    rooms = Rooms()
    brought = numbers.example_of(own(), BOUNDS, "Way", "K7QM")
    room, other = rooms.open("quantiles", {"data": brought.key}, numbers=brought), rooms.open("learn", {})
    assert rooms.enter(room.code)[0].numbers is brought
    assert rooms.enter(other.code)[0].numbers is None
    rooms.bring(other, replace(brought, key="class-OTHER"))
    assert rooms.enter(other.code)[0].numbers is not brought
    rooms.close(room)
    assert rooms.find(room.code) is None


def test_a_link_to_numbers_of_a_room_means_nothing_outside_it() -> None:
    assert not fits(table.SETTINGS["data"].check, "class-K7QM")
    visit = open_page(data="class-K7QM")
    assert "was not understood" in visit.info[0].value
    assert visit.selectbox(key=table.key("data")).value == "adult-age"


def test_a_room_opens_with_own_numbers_only_after_it_is_said_that_everybody_may_see_them() -> None:
    assert not [each for each in open_page().button if each.key == f"{PREFIX}_room_numbers"], "of an example"
    visit = open_page(data="paste", quantiles="median", epsilon="0.5", mechanism="aq")
    run(visit.checkbox[0].check())
    paste(visit, np.arange(40))
    press(set_bounds(visit, "0", "120", "1"))
    assert "40 numbers" in next(each.value for each in visit.markdown if "Everybody in the room gets" in each.value)
    assert visit.button(key=f"{PREFIX}_room_numbers").disabled
    (agreed,) = [each for each in visit.checkbox if each.label.startswith("These numbers are public")]
    run(agreed.check())
    assert not visit.button(key=f"{PREFIX}_room_numbers").disabled


def test_numbers_that_nobody_called_public_are_not_offered_to_a_room() -> None:
    visit = set_bounds(bring(open_page(data="file"), csv_of(MINUTES)), "0", "120", "1")
    assert not [each for each in visit.button if each.key == f"{PREFIX}_room_numbers"]
