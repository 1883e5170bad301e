"""Run the pages of other sessions at once, so that nobody has to ask every second whether there is anything new.

Streamlit runs a page when its browser asks. Here the server asks in the browser's place, with the same message. What is
asked in the same moment is kept in order here: Streamlit has no word for that.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ContextInfo
from streamlit.runtime.scriptrunner import RerunException, get_script_run_ctx

SENT_SECONDS, MOST_SECONDS = 0.03, 5.0
"""After which what was said is sent, three times as long as Streamlit gathers it; and only against waiting for ever."""
_loops: list[asyncio.AbstractEventLoop] = []
"""The loop that serves the visitors of this process; none where Streamlit runs without our front door."""
_left: dict[str, str] = {}
"""By session, the page from which the server has turned it, until its browser speaks of another one."""


@dataclass(frozen=True)
class OpenPage:
    """The page that a session has open, as its browser asks for it: an address, and nothing of what stands on it."""

    session: str = field(repr=False)
    page: str
    query: str
    context: ContextInfo | None = field(repr=False)

    def message(self) -> BackMsg:
        """Return what the browser would send; without widgets, because the server knows what they hold."""
        message = BackMsg()
        asked = message.rerun_script
        asked.query_string, asked.page_script_hash = self.query, self.page
        if self.context is not None:
            asked.context_info.CopyFrom(self.context)
        return message


def serve_from_here() -> None:
    """Note the event loop that is running now, which must carry every message to a session."""
    _loops[:] = [asyncio.get_running_loop()]


def open_page() -> OpenPage | None:
    """Return the page that this session is running; None outside a server."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return None
    return OpenPage(context.session_id, context.page_script_hash, context.query_string, context.context_info)


def run_again(pages: Iterable[OpenPage]) -> None:
    """Run these pages, from any thread. Whoever has no connection now is passed over."""
    for loop in _loops:
        for page in pages:
            loop.call_soon_threadsafe(runtime.get_instance().handle_backmsg, page.session, page.message())


def deliver() -> None:
    """Wait until all that this run has said is sent to the browser; at its very end, unless the page begins anew.

    If a part of the page is asked for at that moment, its run takes back what the whole page has said of that part and
    was not sent. The browser misses it among the others, and puts the part in the place of the next: a lesson goes.
    """
    if isinstance(sys.exception(), RerunException):
        return
    for loop in _loops:
        sent = threading.Event()
        if loop.is_running():
            loop.call_soon_threadsafe(loop.call_later, SENT_SECONDS, sent.set)
            sent.wait(MOST_SECONDS)


def turn_to_this(pages: Iterable[OpenPage]) -> None:
    """Turn these pages to the one that this session has open, from any thread."""
    here, pages = open_page(), list(pages)
    if here is None:
        return
    run_again(replace(page, page=here.page) for page in pages)
    for loop in _loops:
        loop.call_soon_threadsafe(_leave, [page for page in pages if page.page != here.page])


def _leave(pages: Iterable[OpenPage]) -> None:
    """Note what these sessions were turned from, and forget whoever has gone; on the loop alone."""
    server = runtime.get_instance()
    if "handle_backmsg" not in vars(server):
        vars(server)["handle_backmsg"] = _passing_over_left(server.handle_backmsg)
    for session in [session for session in _left if not server.is_active_session(session)]:
        del _left[session]
    _left.update({page.session: page.page for page in pages})


def _passing_over_left(handle: Callable[..., None]) -> Callable[..., None]:
    """Hear browsers, but not what one asks for a fragment of a page that it does not know yet to be gone.

    It asks every few seconds, or because somebody touched something at that moment. Streamlit would run that fragment
    after the new page, and say that the old page is open: the browser empties the new one, finds no place for the
    fragment ("Bad delta path"), and stops.
    """

    def hear(session: str, message: BackMsg, **where: Any) -> None:
        asked = message.rerun_script  # by a browser where a connection comes with it, and else by this server
        if where and session in _left and message.HasField("rerun_script"):
            if asked.fragment_id and asked.page_script_hash == _left[session]:
                return
            del _left[session]
        handle(session, message, **where)

    return hear
