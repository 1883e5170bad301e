"""What a browser hears where runs of its page follow each other closely: all of it, in order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.caching.storage.dummy_cache_storage import MemoryCacheStorageManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.session_manager import ClientContext, SessionClient

from pages.server import runs
from tests.narrowing import present

PAGE = """
import streamlit as st

@st.fragment
def part():
    st.text("part")

st.text("top")
part()
st.text("lesson")
"""
WHOLE = ["begins", "top", "block", "part", "lesson", "ends"]
FRAGMENT = ["begins", "block", "part", "ends"]
SECONDS = 30.0
Act = Callable[["Browser", str], Awaitable[None]]
Visit = Callable[[Act], None]


class Browser(SessionClient):
    """A page that was opened, and what was sent to it."""

    def __init__(self, server: Runtime, before: str | None = None) -> None:
        """`before`: the session that it had until its connection was lost."""
        self.server, self.frames = server, list[ForwardMsg]()
        self.session = server.connect_session(client=self, user_info={}, existing_session_id=before)

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        self.frames.append(msg)

    @property
    def client_context(self) -> ClientContext | None:
        return None

    @property
    def app(self) -> AppSession:
        return present(self.server.get_app_session(self.session))

    def ask(self, fragment: str = "") -> None:
        message = BackMsg()
        message.rerun_script.query_string, message.rerun_script.fragment_id = "", fragment
        self.server.handle_backmsg(self.session, message)

    def wait_without_hearing(self) -> None:
        """Wait until the thread that runs the page has ended, while the server's loop stands still."""
        present(present(self.app._scriptrunner)._script_thread).join(SECONDS)

    async def heard(self, runs: int) -> list[ForwardMsg]:
        """Return what came until so many runs had ended, and forget it."""
        async with asyncio.timeout(SECONDS):
            while sum(message.HasField("script_finished") for message in self.frames) < runs:
                await asyncio.sleep(0.01)
        frames, self.frames = self.frames, []
        return frames


def words_of(frames: list[ForwardMsg]) -> list[str]:
    return [word for message in frames if (word := word_of(message))]


def word_of(message: ForwardMsg) -> str:
    kind = message.WhichOneof("type")
    if kind == "delta":
        return message.delta.new_element.text.body or "block"
    return {"new_session": "begins", "script_finished": "ends"}.get(str(kind), "")


@pytest.fixture
def visit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Visit:
    """Call a function with a browser that has the page open and the id of its fragment, on a server of its own."""
    for place, name in (
        (AppSession, "_clear_queue"),
        (AppSession, "_create_scriptrunner"),
        (Runtime, "handle_backmsg"),
        (Runtime, "connect_session"),
    ):
        monkeypatch.setattr(place, name, getattr(place, name))  # so that Streamlit is given back as it was
    monkeypatch.setattr(Runtime, "_instance", None)
    (tmp_path / "page.py").write_text(PAGE)
    runs.keep_all()

    async def serve(act: Act) -> None:
        server = Runtime(
            RuntimeConfig(
                script_path=str(tmp_path / "page.py"),
                media_file_storage=MemoryMediaFileStorage("/media"),
                uploaded_file_manager=MemoryUploadedFileManager("/uploads"),
                cache_storage_manager=MemoryCacheStorageManager(),
            )
        )
        await server.start()
        browser = Browser(server)
        browser.ask()
        (part,) = {message.delta.fragment_id for message in await browser.heard(1)} - {""}
        await act(browser, part)
        server.stop()
        await server.stopped

    return lambda act: asyncio.run(serve(act))


def test_a_page_is_whole_though_a_part_of_it_is_asked_for_before_it_was_sent(visit: Visit) -> None:
    async def act(browser: Browser, part: str) -> None:
        browser.ask()
        browser.ask(part)
        browser.wait_without_hearing()
        assert words_of(await browser.heard(2)) == WHOLE + FRAGMENT

    visit(act)


def test_a_page_is_heard_though_a_part_of_it_is_asked_for_once_it_has_run(visit: Visit) -> None:
    async def act(browser: Browser, part: str) -> None:
        browser.ask()
        browser.wait_without_hearing()
        browser.ask(part)
        assert words_of(await browser.heard(2)) == WHOLE + FRAGMENT

    visit(act)


def test_nothing_runs_for_whoever_has_gone_meanwhile(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    async def act(browser: Browser, part: str) -> None:
        browser.ask()
        browser.wait_without_hearing()
        browser.ask(part)
        monkeypatch.setattr(runs, "create_scriptrunner", lambda *_: begun.append(part))
        browser.server.close_session(browser.session)
        await asyncio.sleep(100 * runs.HEARD_SECONDS)

    begun: list[str] = []
    visit(act)
    assert begun == []


@pytest.mark.parametrize("heard_meanwhile", [True, False])
def test_whoever_comes_back_hears_nothing_of_the_run_in_which_it_was_lost(
    visit: Visit, *, heard_meanwhile: bool
) -> None:
    """Its beginning may have been lost on the way, and what it says later cannot be shown without it."""

    async def act(browser: Browser, part: str) -> None:
        browser.ask()
        browser.wait_without_hearing()
        browser.server.disconnect_session(browser.session)
        if heard_meanwhile:
            await asyncio.sleep(0)
        again = Browser(browser.server, browser.session)
        assert again.session == browser.session
        await asyncio.sleep(100 * runs.HEARD_SECONDS)
        assert again.frames == []
        again.ask()
        assert words_of(await again.heard(1)) == WHOLE
        again.ask(part)
        assert words_of(await again.heard(1)) == FRAGMENT

    visit(act)
