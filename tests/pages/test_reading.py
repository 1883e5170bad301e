"""A column that is read just between two looks at its job."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
import streamlit as st

from pages.files import reading
from pages.keys import PREFIX
from pages.server import uploads
from tests.jobs.test_line import wait
from tests.pages.driving import open_page, run, words


def test_a_column_that_is_ready_a_moment_after_the_first_look_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    look: Callable[[str], reading.OwnColumn | None] = reading.brought

    def look_a_moment_too_early(way: str) -> reading.OwnColumn | None:
        seen = look(way)
        going = st.session_state.get(reading._READING)
        while going is not None and not going.job.finished:
            time.sleep(0.01)
        return seen

    monkeypatch.setattr(reading, "brought", look_a_moment_too_early)
    original = reading._read_text

    def slow(*asked):
        time.sleep(1)
        return original(*asked)

    monkeypatch.setattr(reading, "_read_text", slow)
    visit = open_page(data="paste")
    visit.text_area[0].set_value("1 2 3")
    run(visit.button(key=f"{PREFIX}_read").click())
    assert f"{PREFIX}_change" in {button.key for button in visit.button}


def test_a_column_for_which_there_is_no_room_is_let_go_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    counted, room = list[int](), list[bool]()

    def count(size: int) -> bool:
        counted.append(size)
        return bool(room) or not size

    monkeypatch.setattr(uploads, "count_columns", count)
    visit = open_page(data="paste")
    visit.text_area[0].set_value("1 2 3")
    run(visit.button(key=f"{PREFIX}_read").click())
    wait(lambda: visit.session_state[reading._READING].job.finished)
    run(visit)
    assert uploads.NO_ROOM.partition(".")[0] in words(visit)
    assert visit.session_state[reading._READING].job.result is None
    assert counted[-1] > 3 * 8
    room.append(True)
    run(visit.button(key=f"{PREFIX}_read").click())
    while f"{PREFIX}_change" not in {button.key for button in visit.button}:
        run(visit)
    assert uploads.NO_ROOM.partition(".")[0] not in words(visit)
    run(visit.button(key=f"{PREFIX}_change").click())
    assert counted[-1] == 0, "what is forgotten is not counted"
