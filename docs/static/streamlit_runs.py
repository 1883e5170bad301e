"""What Streamlit loses where runs of a page follow each other closely. Needs streamlit alone: python streamlit_runs.py

Each case plays a browser on a server of its own and prints what the browser hears. Nothing here is of this project.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import streamlit as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.caching.storage.dummy_cache_storage import MemoryCacheStorageManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.session_manager import ClientContext, SessionClient

PAGE = """
import time
import streamlit as st

time.sleep(0.3)  # so that the page still runs when a part is asked for at once

@st.fragment
def part():
    st.text("part")

st.text("top")
part()
st.text("end")
"""


class Browser(SessionClient):
    """What is sent to one browser, and what it asks for."""

    def __init__(self, server: Runtime, before: str | None = None) -> None:
        """`before`: the session that it had until its connection was lost."""
        self.server, self.heard = server, list[ForwardMsg]()
        self.session = server.connect_session(client=self, user_info={}, existing_session_id=before)

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        """Keep what the server sends."""
        self.heard.append(msg)

    @property
    def client_context(self) -> ClientContext | None:
        """Return nothing: this browser has no connection of its own."""
        return None

    def ask(self, fragment: str = "") -> None:
        """Ask for the page, or for a part of it."""
        message = BackMsg()
        message.rerun_script.query_string, message.rerun_script.fragment_id = "", fragment
        self.server.handle_backmsg(self.session, message)

    def end_of_run(self) -> None:
        """Wait until the thread of the page has ended; the server's loop, which waits here, has sent nothing yet."""
        runner = getattr(self.server.get_app_session(self.session), "_scriptrunner", None)
        if runner is not None:
            runner._script_thread.join()

    async def quiet(self) -> None:
        """Wait until nothing has come for two seconds."""
        before = -1
        while len(self.heard) > before:
            before = len(self.heard)
            await asyncio.sleep(2.0)

    async def words(self) -> list[str]:
        """Return the texts that came, and what began and ended."""
        await self.quiet()
        heard, self.heard = self.heard, []
        return [word for message in heard if (word := _word(message))]


def _word(message: ForwardMsg) -> str:
    kind = message.WhichOneof("type")
    if kind == "delta":
        return message.delta.new_element.text.body
    return {"new_session": "[begins]", "script_finished": "[ends]"}.get(str(kind), "")


async def before_it_was_sent(browser: Browser, part: str) -> list[str]:
    """A part is asked for while the whole page, which has just run, waits to be sent."""
    browser.ask()
    browser.ask(part)
    browser.end_of_run()
    return await browser.words()


async def after_the_run(browser: Browser, part: str) -> list[str]:
    """A part is asked for when the thread of the page has ended and the server has not heard of it yet."""
    browser.ask()
    browser.end_of_run()
    browser.ask(part)
    return await browser.words()


async def after_a_lost_connection(browser: Browser, part: str) -> list[str]:
    """A browser comes back after its connection was lost in the middle of a run; it has asked for nothing yet."""
    browser.ask()
    browser.end_of_run()
    await asyncio.sleep(0)
    browser.server.disconnect_session(browser.session)
    return await Browser(browser.server, browser.session).words()


CASES: dict[str, Callable[[Browser, str], Awaitable[list[str]]]] = {
    "before it was sent": before_it_was_sent,
    "after the run": after_the_run,
    "after a lost connection": after_a_lost_connection,
}


async def play(case: Callable[[Browser, str], Awaitable[list[str]]], page: Path) -> list[str]:
    """Return what a browser hears in one case."""
    Runtime._instance = None
    server = Runtime(
        RuntimeConfig(
            script_path=str(page),
            media_file_storage=MemoryMediaFileStorage("/media"),
            uploaded_file_manager=MemoryUploadedFileManager("/uploads"),
            cache_storage_manager=MemoryCacheStorageManager(),
        )
    )
    await server.start()
    browser = Browser(server)
    browser.ask()
    await browser.quiet()
    (part,) = {message.delta.fragment_id for message in browser.heard} - {""}
    browser.heard = []
    found = await case(browser, part)
    server.stop()
    await server.stopped
    return found


def main() -> None:
    """Print what is heard in each case."""
    print(f"Streamlit {st.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.py"
        page.write_text(PAGE)
        for name, case in CASES.items():
            print(f"{name}: {' '.join(asyncio.run(play(case, page)))}")


if __name__ == "__main__":
    main()
