"""Runs of a page that follow each other closely: whose turn it is to run, and what Streamlit 1.67 loses then.

Turns. Python runs one thread at a time. A hundred pages that run at once would make every visitor wait for all of them.
So pages run a few at a time, in fair turns by visitor, and what waits for an answer lets others run meanwhile. What is
asked for again and again, before there can be an answer, begins when its visitor rests for a moment. A session has one
thread, by `runner.fastReruns`: what its visitor asks for while that one waits or runs is merged into one run.

Losses. A browser asks for a part of its page, a fragment, every few seconds or because a visitor touched it. Sometimes
the whole page runs at the same moment. Then three things can go wrong that no browser can notice: it goes on showing
the earlier page, or the page without one of its parts. A fourth is a connection that is lost while a page runs. This is
the only module that changes Streamlit.

Calls. Streamlit runs a page when its browser asks. Where a class goes on together the server asks in the browsers'
place, with the same message, so that nobody has to ask every second whether there is anything new.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic, sleep
from typing import Any
from weakref import WeakKeyDictionary

from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ContextInfo
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequest,
    ScriptRequests,
    ScriptRequestType,
)

from dpq_core.jobs.queue import Asker
from dpq_core.jobs.turns import Gate

from . import sessions

MOST_SECONDS = 3.0
"""Of a turn: a run that takes longer goes on beside the others."""
RESTLESS = 3
"""Wishes that were dropped within some seconds: a visitor drags a slider, or it is a program."""
REST_SECONDS, LONGEST_REST, LOOK_SECONDS = 0.25, 5.0, 0.05
PAGES = Gate(os.cpu_count() or 1, MOST_SECONDS)
Asked = Callable[[], object]


def take(latest: Asked = lambda: None, is_over: Callable[[], bool] = sessions.is_gone) -> None:
    """Wait until this run of a page may go on, or is over because its visitor has left.

    `latest`: what its visitor asked for last. One who dropped several wishes has to rest before the next is begun.
    """
    if PAGES.turns.dropped(visitor()) >= RESTLESS:
        _rest(latest, is_over)
    PAGES.enter(visitor(), is_over)


def _rest(latest: Asked, is_over: Callable[[], bool]) -> None:
    """Wait until nothing new was asked for during REST_SECONDS, and not for ever."""
    ends, since, seen = monotonic() + LONGEST_REST, monotonic(), latest()
    while monotonic() < min(since + REST_SECONDS, ends) and not is_over():
        sleep(LOOK_SECONDS)
        if (now := latest()) is not seen:
            since, seen = monotonic(), now


def take_another(latest: Asked = lambda: None, is_over: Callable[[], bool] = sessions.is_gone) -> None:
    """Wait for another turn, where what this one was for is not wanted any more."""
    PAGES.leave()
    PAGES.turns.drop(visitor())
    take(latest, is_over)


@contextmanager
def waiting() -> Iterator[None]:
    """Let other pages run while this one waits for something."""
    had_one = PAGES.is_inside
    PAGES.leave()
    try:
        yield
    except BaseException:
        if had_one:
            take_another()
        raise
    if had_one:
        take()


def asker() -> Asker:
    """Return for whom this page begins jobs."""
    return Asker(visitor(), partial(sessions.has_gone, sessions.session()))


def visitor() -> str:
    """Return the name of this visitor where visitors take turns; empty outside a server."""
    return sessions.browser() or sessions.session()


HEARD_SECONDS = 0.002
"""Between two looks whether the last words of a run were heard."""
clear_queue, create_scriptrunner = AppSession._clear_queue, AppSession._create_scriptrunner
on_scriptrunner_ready, on_scriptrunner_yield = (
    ScriptRequests.on_scriptrunner_ready,
    ScriptRequests.on_scriptrunner_yield,
)
handle_backmsg, connect_session = Runtime.handle_backmsg, Runtime.connect_session
_begun_by: WeakKeyDictionary[AppSession, str] = WeakKeyDictionary()
"""What only the browser of each session has."""
_left: dict[str, str] = {}
"""By session, the page from which the server has turned it, until its browser speaks of another one."""


def keep_all() -> None:
    """Alter Streamlit in this process, so that nothing is lost."""
    for place, method in ((AppSession, _clear_queue), (AppSession, _create_scriptrunner)):
        setattr(place, method.__name__, method)
    setattr(ScriptRequests, on_scriptrunner_ready.__name__, _take_turn)
    setattr(ScriptRequests, on_scriptrunner_yield.__name__, _take_another_turn)
    setattr(Runtime, handle_backmsg.__name__, _pass_over_left)
    setattr(Runtime, connect_session.__name__, _connect)


def turned(sessions: Mapping[str, str], server: Runtime) -> None:
    """Note from which page the server has turned these sessions, and forget those that ended; on the loop alone."""
    for gone in [session for session in _left if not server.is_active_session(session)]:
        del _left[gone]
    _left.update(sessions)


def _clear_queue(session: AppSession, fragments: list[str] | None = None) -> None:
    """Take back what was not sent yet where a whole page begins; keep it where a fragment does, and add to it.

    Streamlit would take back what the page before it says of this fragment alone: the browser misses the fragment among
    the others, closes the gap, and then puts the fragment in the place of another.
    """
    if fragments:
        session._browser_queue._delta_index_map.clear()  # which would put what it says in the place of what is kept
    else:
        clear_queue(session)


def _create_scriptrunner(session: AppSession, asked: RerunData) -> None:
    """Begin with a run once all that the one before has said was heard.

    A fragment that is asked for just after the end of a run comes to a runner that takes no more. Streamlit would
    forget that runner at once, and with it what it has said and the loop has still to hear: up to a whole page.
    """
    before = session._scriptrunner
    if session._state is AppSessionState.SHUTDOWN_REQUESTED:
        return
    if before is None:
        create_scriptrunner(session, asked)
    elif not before.request_rerun(asked):
        session._event_loop.call_later(HEARD_SECONDS, _create_scriptrunner, session, asked)


def _take_turn(requests: ScriptRequests) -> ScriptRequest:
    """Return what a session is to run now, once it is its visitor's turn; what is asked for meanwhile is merged."""
    if requests._state is ScriptRequestType.RERUN:
        take(*_asked_by(requests))
    asked = on_scriptrunner_ready(requests)
    if asked.type is not ScriptRequestType.RERUN:
        PAGES.leave()
    return asked


def _take_another_turn(requests: ScriptRequests) -> ScriptRequest | None:
    """Return why a run has to end, if it has to; one that begins anew waits for another turn, if it has one now."""
    scoped, parts = requests._rerun_data.is_fragment_scoped_rerun, requests._rerun_data.fragment_id_queue
    if requests._state is ScriptRequestType.RERUN and (scoped or not parts) and PAGES.is_inside:
        take_another(*_asked_by(requests))
    return on_scriptrunner_yield(requests)


def _asked_by(requests: ScriptRequests) -> tuple[Callable[[], RerunData], Callable[[], bool]]:
    """Return what says what a session was asked for last, and what says whether its run is over."""
    return lambda: requests._rerun_data, lambda: requests._state is ScriptRequestType.STOP


def _pass_over_left(server: Runtime, session: str, message: BackMsg, **where: Any) -> None:
    """Hear browsers, but not what one asks for a fragment of a page that it does not know yet to be gone.

    Streamlit would run that fragment after the new page, and say that the old page is open: the browser empties the
    new one, finds no place for the fragment ("Bad delta path"), and stops.
    """
    asked = message.rerun_script  # by a browser where a connection comes with it, and else by this server
    if where and session in _left and message.HasField("rerun_script"):
        if asked.fragment_id and asked.page_script_hash == _left[session]:
            return
        del _left[session]
    handle_backmsg(server, session, message, **where)


def _connect(server: Runtime, **browser: Any) -> str:
    """Connect a browser; if it lost its connection during a run, send nothing more of that run.

    A session is taken up again only by the browser that began it: another one gets a session of its own.

    Streamlit would send the rest of that run, whose beginning was lost. The browser would then find a text where it
    expects a container, and would remove the whole page ("'setIn' cannot be called on an ElementNode"). A browser that
    lost its connection during a run asks for the page again.
    """
    client = browser["client"].client_context
    whose = "" if client is None else sessions.browser_of(client.cookies)
    before = browser.get("existing_session_id")
    if before and any(each.id == before and other != whose for each, other in list(_begun_by.items())):
        browser["existing_session_id"] = None
    connected = connect_session(server, **browser)
    session = server.get_app_session(connected)
    if session is not None:
        _begun_by[session] = whose
        sessions.note(session, {} if client is None else dict(client.headers))
    if connected == browser.get("existing_session_id") and session is not None:
        session._browser_queue.clear()
        if session._scriptrunner is not None:
            session._scriptrunner.request_stop()
            session._scriptrunner, session._state = None, AppSessionState.APP_NOT_RUNNING
    return connected


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
    keep_all()


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
        loop.call_soon_threadsafe(turned, left, runtime.get_instance())
