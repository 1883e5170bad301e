"""The keys of widgets and of what a session keeps: no two things share one."""

from __future__ import annotations

from functools import partial

import pytest

from pages import keys
from pages.settings import SETTINGS


@pytest.fixture(autouse=True)
def made_here_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test makes is forgotten after it."""
    monkeypatch.setattr(keys, "_MADE", dict(keys._MADE))


def test_a_second_place_is_refused_a_key() -> None:
    for _ in range(2):  # a page runs again and again
        assert keys.widget("tested") == "dpq_tested"
    with pytest.raises(ValueError, match=r"dpq_tested is made at .*test_keys.py:\d+ and at .*test_keys.py:\d+"):
        keys.widget("tested")
    assert keys.state("tested") == "dpq:tested", "which is another thing"


def test_no_other_widget_has_the_key_of_a_setting() -> None:
    assert keys.setting("records") == "dpq_records"
    for name in SETTINGS:
        with pytest.raises(ValueError, match=rf"dpq_{name}\b.* made at"):
            keys.widget(name)
    with pytest.raises(KeyError, match="no setting present"):
        keys.setting("present")


def test_a_key_cannot_be_one_of_several_of_another_name() -> None:
    assert keys.widget("field", 1) == "dpq_field_1"
    for make in (partial(keys.widget, "field_1"), partial(keys.widget, "field_of", 1)):
        with pytest.raises(ValueError, match="could be dpq_field_, made at"):
            make()
    with pytest.raises(ValueError, match="could be dpq_option_, made at"):
        keys.widget("option_aq")


def test_several_of_one_name_are_told_apart_whatever_they_are_of() -> None:
    def field(*of: object) -> str:
        return keys.widget("several", *of)

    of = [("a", "b"), ("a:b",), ("a_b",), ("a", "b", ""), ("a%3Ab",), ("é",), ("e",)]
    assert len({field(*each) for each in of}) == len(of)
