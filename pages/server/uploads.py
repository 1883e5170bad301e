"""Which uploads the server accepts: from sessions that were shown an uploader, with limits per session, visitor and
all. The columns that a session has read count as its uploads do: a small file can hold large ones.

Only bytes that have arrived count, not the announced size: an announcement takes no room from others, and a body that
stops arriving is ended. Uploads stay in memory. Starlette alone would write files above a megabyte to the temporary
folder.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any
from weakref import WeakValueDictionary

import streamlit as st
from starlette.formparsers import MultiPartParser
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from streamlit import config, runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from .. import keys
from . import sessions

MEGABYTE = 1 << 20
MOST_OF_A_SESSION = 2
"""The number of files of the largest size that a session may hold: one, and the next before the first is deleted."""
PART_OF_A_VISITOR = 2
"""All sessions of one browser, and all from one address, hold at most this part of what the server holds: one half."""
IDLE_SECONDS = 20.0
"""A body of which nothing arrives for so long ends."""
MOST_OF_ALL = "DPQ_UPLOADS_MB"
USUAL_OF_ALL = 2000
"""Megabytes of uploads and columns that a server holds at once, where DPQ_UPLOADS_MB says nothing else."""
NO_ROOM = (
    "This needs more memory than the server has for you now. Choose fewer columns or a file with fewer rows, or forget "
    "the data in your other tabs, and try again."
)
_GRANT = keys.state("grant")


class Grant:
    """What one session holds, and its right to upload; it ends with the session, whose memory holds it."""

    def __init__(self, *visitor: str) -> None:
        """`visitor`: what the session has in common with others of the same visitor, such as its browser."""
        self.visitor = {word for word in visitor if word}
        self.may_upload = False
        self.kept = 0
        """The bytes of the file that the session keeps after its columns were read."""
        self.columns = 0
        """The bytes of these columns."""


_granted: WeakValueDictionary[str, Grant] = WeakValueDictionary()
_arriving: dict[str, int] = {}
"""Bytes of bodies that have arrived so far, by session."""


def keep_in_memory() -> None:
    """Keep uploads of every size off the disk."""
    MultiPartParser.spool_max_size = _largest() + MEGABYTE


def grant() -> None:
    """Let this session upload: it is about to be shown an uploader."""
    _own().may_upload = True


def count_kept(size: int) -> None:
    """Count the bytes of the file that this session keeps as if they were still an upload."""
    _own().kept = size


def count_columns(size: int) -> bool:
    """Count the bytes of the columns that this session holds in place of others; return whether there is room."""
    own, here = _own(), sessions.session()
    if size > own.columns and not _has_room(here, size - own.columns):
        return False
    own.columns = size
    return True


def _own() -> Grant:
    """Return what is counted of this session."""
    own: Grant = st.session_state.setdefault(_GRANT, Grant(sessions.browser(), st.context.ip_address or ""))
    if here := sessions.session():
        _granted[here] = own
    return own


async def admit(
    app: Callable[..., Awaitable[None]], scope: Any, receive: Any, send: Any, *, session: str
) -> None:  # fmt: skip
    """Hand an upload on to Streamlit if there is a right to it and room for it, else refuse it."""
    size = _announced(scope)
    if session not in _granted or not _granted[session].may_upload:
        answer: PlainTextResponse | None = PlainTextResponse("Nobody asked for a file here.", 403)
    elif size is None:
        answer = PlainTextResponse("An upload says its size first.", 411)
    elif not _has_room(session, size):
        answer = _no_room()
    else:
        answer = await _Body(session, receive, send).hand_on(app, scope)
    if answer is not None:
        await answer(scope, receive, send)


def _no_room() -> PlainTextResponse:
    return PlainTextResponse("There is no room for this file now.", 413)


class _Body:
    """The body of one upload, which is counted as it arrives."""

    def __init__(self, session: str, receive: Any, send: Any) -> None:
        self._session, self._receive, self._send = session, receive, send
        self._arrived = 0
        self._refusal: PlainTextResponse | None = None

    async def hand_on(self, app: Callable[..., Awaitable[None]], scope: Any) -> PlainTextResponse | None:
        """Let the application take the body; return what to answer in its place where the body was cut off."""
        try:
            with suppress(ClientDisconnect):  # its complaint of a body that was cut off, or whose sender has gone
                await app(scope, self._next, self._answer)
        finally:
            _arriving[self._session] = _arriving.get(self._session, 0) - self._arrived
            if not _arriving[self._session]:
                del _arriving[self._session]
        return self._refusal

    async def _next(self) -> Any:
        """Return the next part of the body, or that it ends here: no more comes, or there is no room for more."""
        try:
            message = await asyncio.wait_for(self._receive(), IDLE_SECONDS)
        except TimeoutError:
            return self._cut_off(PlainTextResponse("The file stopped arriving.", 408))
        size = len(message.get("body", b""))
        if size and not _has_room(self._session, size):
            return self._cut_off(_no_room())
        self._arrived += size
        _arriving[self._session] = _arriving.get(self._session, 0) + size
        return message

    def _cut_off(self, refusal: PlainTextResponse) -> Any:
        self._refusal = refusal
        return {"type": "http.disconnect"}

    async def _answer(self, message: Any) -> None:
        if self._refusal is None:
            await self._send(message)


def _announced(scope: Any) -> int | None:
    """Return the length that the request announces, which the server reads no further than; None without one."""
    text = dict(scope["headers"]).get(b"content-length", b"").decode("latin-1")
    return int(text) if text.isdecimal() and len(text) < 16 else None


def _has_room(session: str, size: int) -> bool:
    """Return whether `size` further bytes are within the limits of the session, its visitor and all."""
    uploaded = _held()
    held = {each: uploaded.get(each, 0) + _arriving.get(each, 0) for each in {*uploaded, *_arriving}}
    own = _granted.get(session)
    visitors = {
        other: sum(held.get(each, 0) for each, grant in list(_granted.items()) if other in grant.visitor)
        for other in (own.visitor if own else ())
    }
    return (
        held.get(session, 0) + size <= MOST_OF_A_SESSION * _largest()
        and all(theirs + size <= _most_of_all() // PART_OF_A_VISITOR for theirs in visitors.values())
        and sum(held.values()) + size <= _most_of_all()
    )


def _held() -> dict[str, int]:
    """Return the bytes of uploads, of files kept from them, and of columns that each session holds now."""
    held = {session: grant.kept + grant.columns for session, grant in list(_granted.items())}
    manager = runtime.get_instance().uploaded_file_mgr if runtime.exists() else None
    if isinstance(manager, MemoryUploadedFileManager):
        for session, files in list(manager.file_storage.items()):
            held[session] = held.get(session, 0) + sum(len(file.data) for file in list(files.values()))
    return held


def _largest() -> int:
    return int(config.get_option("server.maxUploadSize")) * MEGABYTE


def _most_of_all() -> int:
    text = os.environ.get(MOST_OF_ALL, "").strip()
    return int(text) * MEGABYTE if text.isdecimal() else USUAL_OF_ALL * MEGABYTE
