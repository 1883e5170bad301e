"""What a browser hears where runs of its page follow each other closely: all of it, in order."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.caching.storage.dummy_cache_storage import MemoryCacheStorageManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests, ScriptRequestType
from streamlit.runtime.session_manager import ClientContext, SessionClient
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME

from dpq_core.jobs.turns import Gate
from pages.server import runs
from tests.documents import ROOT, blocks
from tests.jobs.test_queue import wait
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

    def __init__(self, server: Runtime, before: str | None = None, cookies: dict[str, str] | None = None) -> None:
        """`before`: the session that it had until its connection was lost."""
        self.server, self.frames, self.cookies = server, list[ForwardMsg](), cookies or {}
        self.session = server.connect_session(client=self, user_info={}, existing_session_id=before)

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        self.frames.append(msg)

    @property
    def client_context(self) -> ClientContext | None:
        return cast(ClientContext, SimpleNamespace(cookies=self.cookies, headers=[])) if self.cookies else None

    @property
    def app(self) -> AppSession:
        return present(self.server.get_app_session(self.session))

    def ask(self, fragment: str = "") -> None:
        message = BackMsg()
        message.rerun_script.query_string, message.rerun_script.fragment_id = "", fragment
        self.server.handle_backmsg(self.session, message)

    def wait_until_it_runs(self) -> None:
        """Wait until the thread that runs the page has begun, while the server's loop stands still."""
        wait(lambda: present(self.app._scriptrunner)._requests._state is not ScriptRequestType.RERUN)

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
        (ScriptRequests, "on_scriptrunner_ready"),
        (ScriptRequests, "on_scriptrunner_yield"),
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


@pytest.mark.parametrize("sent", [False, True])
def test_a_page_is_whole_though_a_part_of_it_is_asked_for_before_it_was_heard(visit: Visit, *, sent: bool) -> None:
    async def act(browser: Browser, part: str) -> None:
        browser.ask()
        (browser.wait_without_hearing if sent else browser.wait_until_it_runs)()
        browser.ask(part)
        browser.wait_without_hearing()
        assert words_of(await browser.heard(2)) == WHOLE + FRAGMENT

    visit(act)


def test_what_is_asked_while_a_page_waits_is_one_run(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    async def act(browser: Browser, part: str) -> None:
        gate = Gate(1, 600)
        monkeypatch.setattr(runs, "PAGES", gate)
        gate.enter("somebody else", lambda: False)
        before = threading.active_count()
        for _ in range(5):
            browser.ask()
            await asyncio.sleep(0)
        browser.ask(part)
        wait(lambda: len(gate._waiting) == 1)
        assert threading.active_count() == before + 1
        gate.leave()
        assert words_of(await browser.heard(1)) == WHOLE
        await asyncio.sleep(0.1)
        assert browser.frames == []
        assert not gate._inside

    visit(act)


@pytest.mark.parametrize("restless", [False, True])
def test_a_run_that_is_not_wanted_any_more_waits_for_another_turn_and_if_it_happens_often_for_a_rest(
    visit: Visit, monkeypatch: pytest.MonkeyPatch, *, restless: bool
) -> None:
    async def act(browser: Browser, part: str) -> None:
        gate, rested = Gate(1, 600), list[object]()
        monkeypatch.setattr(runs, "PAGES", gate)
        monkeypatch.setattr(runs, "_rest", lambda latest, is_over: rested.append(latest()))
        if restless:
            for _ in range(runs.RESTLESS - 1):
                gate.turns.drop(browser.session)
        (tmp := Path(browser.app._script_data.main_script_path)).write_text("import time\ntime.sleep(0.3)\n" + PAGE)
        browser.server._script_cache.clear()
        browser.ask()
        browser.wait_until_it_runs()
        browser.ask()
        assert words_of(await browser.heard(2)) == ["begins", "ends", *WHOLE]
        assert gate.turns.dropped(browser.session) == 1 + (runs.RESTLESS - 1) * restless
        assert len(rested) == restless
        assert tmp.exists()

    visit(act)


def test_who_waits_for_a_turn_and_leaves_waits_no_longer(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    async def act(browser: Browser, part: str) -> None:
        gate = Gate(1, 600)
        monkeypatch.setattr(runs, "PAGES", gate)
        gate.enter("somebody else", lambda: False)
        browser.ask()
        wait(lambda: len(gate._waiting) == 1)
        thread = present(present(browser.app._scriptrunner)._script_thread)
        browser.server.disconnect_session(browser.session)
        thread.join(SECONDS)
        assert not thread.is_alive()
        assert (gate._waiting, gate.is_inside) == ([], True)
        gate.leave()

    visit(act)


def fail() -> None:
    raise ValueError("told")


def test_a_page_that_waits_for_an_answer_lets_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, inside = Gate(1, 600), list[bool]()
    monkeypatch.setattr(runs, "PAGES", gate)

    def note() -> None:
        inside.append(gate.is_inside)

    with runs.waiting():
        note()
    note()
    runs.take()
    with runs.waiting():
        note()
    note()
    with pytest.raises(ValueError, match="told"), runs.waiting():
        fail()
    note()
    gate.leave()
    assert inside == [False, False, False, True, True], "who had no turn gets none"
    assert gate.turns.dropped("") == 1


def test_a_rest_lasts_until_nothing_new_is_asked_for_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    now, asked = 0.0, list[float]()

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    def rest(until: float, *, over: float = 100.0) -> float:
        nonlocal now
        now = 0.0
        runs._rest(lambda: object() if now < until else asked, lambda: now >= over)
        return now

    monkeypatch.setattr(runs, "monotonic", lambda: now)
    monkeypatch.setattr(runs, "sleep", sleep)
    assert rest(0.0) == pytest.approx(runs.REST_SECONDS, abs=2 * runs.LOOK_SECONDS)
    assert rest(1.0) == pytest.approx(1 + runs.REST_SECONDS, abs=2 * runs.LOOK_SECONDS)
    assert rest(100.0) == pytest.approx(runs.LONGEST_REST, abs=2 * runs.LOOK_SECONDS)
    assert rest(100.0, over=1.0) == pytest.approx(1.0, abs=2 * runs.LOOK_SECONDS)


@pytest.mark.parametrize("connected", [True, False], ids=["connected", "lost"])
@pytest.mark.parametrize("other", [generate_xsrf_token_string(), ""], ids=["another browser", "no browser"])
def test_nobody_takes_up_the_session_of_another_browser(visit: Visit, other: str, *, connected: bool) -> None:
    """Its name is no secret to those who see the page's traffic or its log."""

    async def act(browser: Browser, part: str) -> None:
        cookies = {XSRF_COOKIE_NAME: generate_xsrf_token_string()}
        own = Browser(browser.server, cookies=cookies)
        own.ask()
        await own.heard(1)
        if not connected:
            browser.server.disconnect_session(own.session)
        taker = Browser(browser.server, own.session, {XSRF_COOKIE_NAME: other} if other else {})
        assert taker.session != own.session
        assert browser.server.is_active_session(own.session) is connected
        if not connected:
            assert Browser(browser.server, own.session, cookies).session == own.session

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


@pytest.mark.slow
@pytest.mark.parametrize("heard_meanwhile", [True, False])
def test_who_comes_back_hears_nothing_of_the_run_in_which_it_was_lost(visit: Visit, *, heard_meanwhile: bool) -> None:
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


@pytest.mark.slow
def test_streamlit_alone_loses_what_the_page_about_it_shows() -> None:
    script = ROOT / "docs" / "static" / "streamlit_runs.py"
    shown = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, timeout=120).stdout
    assert shown.splitlines()[1:] == blocks("docs/streamlit.md", "text")[0].splitlines()
