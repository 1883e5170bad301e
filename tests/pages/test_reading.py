"""A column that is read just between two looks at its job."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
import streamlit as st

from pages.files import reading
from pages.keys import PREFIX
from tests.pages.driving import open_page, run


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
