"""A page over a connection that broke and was made again, run without a browser; tests/browser breaks a real one."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages import MENU
from pages.frame import links
from pages.frame.header import LOST, PAID
from pages.server import sessions
from tests.every_run import kept
from tests.pages.driving import named, open_page, run, widgets_of, words

FIELDS = ("text_input", "selectbox", "radio", "slider", "select_slider", "button_group")


def fields(visit: AppTest, *, said_again: bool) -> set[str]:
    """The fields with a value whose value was sent to stand in place of what the browser has, or not so."""
    shown = [field for field in widgets_of(visit, FIELDS) if field.value is not None]
    return {field.proto.label for field in shown if field.proto.set_value == said_again}


PAGES = sorted(page for page, _, _ in MENU)


@pytest.mark.parametrize("page", kept(PAGES, "budget", "compare", "quantiles", "report", "room"))
def test_every_field_is_sent_again_until_a_whole_page_went_over_the_new_connection(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = ["first"]
    monkeypatch.setattr(sessions, "connection", lambda: connection[0])
    visit = run(open_page(page))
    usual = fields(visit, said_again=True)
    connection[0] = "second"
    with monkeypatch.context() as broken:
        broken.setattr(links, "write_link", lambda: None)
        assert not fields(run(visit), said_again=False)
    assert not fields(run(visit), said_again=False)
    assert fields(run(visit), said_again=True) == usual


def test_who_had_another_session_is_told_once_that_its_data_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "before", lambda: "of a process that died")
    visit = run(open_page("papers"))
    assert LOST in words(visit)
    assert PAID not in words(visit), "nothing is paid here"
    monkeypatch.setenv("DPQ_MODE", "release")
    assert f"{LOST} {PAID}" in words(run(visit))
    seen = named(visit.button, "told_of_loss")
    assert LOST not in words(run(seen.click()))
    assert LOST not in words(run(visit))
    monkeypatch.setattr(sessions, "before", lambda: "")
    assert LOST not in words(run(open_page("papers")))
