"""The widgets of settings: what a browser shows of an option that is called otherwise after a file was read."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from pages.settings import key


def page() -> None:
    import streamlit as st

    from dpq_core import Adjacency
    from pages.frame import fields

    words = {each.value: each.of(st.session_state.get("one", "record")) for each in Adjacency}
    st.text(fields.selectbox("adjacency", list(words), words.__getitem__))


def told(visit: AppTest) -> tuple[bool, str]:
    """Whether the browser is told to show an option, and its words; without that it keeps those it has shown."""
    assert not visit.exception
    proto = visit.selectbox(key=key("adjacency")).proto
    return proto.set_value, proto.raw_value


def test_an_option_that_is_called_otherwise_now_is_shown_by_its_new_words() -> None:
    visit = AppTest.from_function(page).run()
    visit.selectbox(key=key("adjacency")).set_value("substitute").run()
    assert not told(visit.run())[0]
    visit.session_state["one"] = "person"
    assert told(visit.run()) == (True, "one person is replaced by another")
    assert visit.text[0].value == "substitute"
    assert not told(visit.run())[0], "and once is enough"
