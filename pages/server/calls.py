"""Run the pages of other sessions at once, so that nobody has to ask every second whether there is anything new.

Streamlit runs a page when its browser asks. Here the server asks in the browser's place, with the same message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ContextInfo
from streamlit.runtime.scriptrunner import get_script_run_ctx

from . import runs

_loops: list[asyncio.AbstractEventLoop] = []
"""The loop that serves the visitors of this process; none where Streamlit runs without our front door."""


@dataclass(frozen=True)
class OpenPage:
    """The page that a session has open, as its browser requests it, and nothing of its content."""

    session: str = field(repr=False)
    page: str
    context: ContextInfo | None = field(repr=False)

    def message(self) -> BackMsg:
        """Return what the browser would send, without widgets and settings, because the server knows what they hold.

        Those in its address may be of another page: where the session has turned to this one by itself at that moment,
        they would be read as a link, and put the usual settings in the place of what the lecturer shows.
        """
        message = BackMsg()
        asked = message.rerun_script
        asked.page_script_hash = self.page
        if self.context is not None:
            asked.context_info.CopyFrom(self.context)
        return message


def serve_from_here() -> None:
    """Note the event loop that is running now, which must carry every message to a session; none of them is lost."""
    _loops[:] = [asyncio.get_running_loop()]
    runs.keep_all()


def serves() -> bool:
    """Return whether this process is a server, with our front door."""
    return bool(_loops)


def open_page() -> OpenPage | None:
    """Return the page that this session is running; None outside a server."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return None
    return OpenPage(context.session_id, context.page_script_hash, context.context_info)


def run_again(pages: Iterable[OpenPage]) -> None:
    """Run these pages again, from any thread. Sessions without a connection are skipped."""
    for loop in _loops:
        for page in pages:
            loop.call_soon_threadsafe(runtime.get_instance().handle_backmsg, page.session, page.message())


def turn_to_this(pages: Iterable[OpenPage]) -> None:
    """Turn these pages to the one that this session has open, from any thread."""
    here, pages = open_page(), list(pages)
    if here is None:
        return
    run_again(replace(page, page=here.page) for page in pages)
    left = {page.session: page.page for page in pages if page.page != here.page}
    for loop in _loops:
        loop.call_soon_threadsafe(runs.turned, left, runtime.get_instance())
