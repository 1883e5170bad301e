"""Which uploads the server accepts: from sessions that were shown an uploader, with limits per session, visitor and
all. The columns that a session has read count as its uploads do: a small file can hold large ones.

Only bytes that have arrived count, not the announced size: an announcement takes no room from others, and a body that
stops arriving is ended. Uploads stay in memory. Starlette alone would write files above a megabyte to the temporary
folder.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from weakref import WeakValueDictionary

import streamlit as st
from starlette.formparsers import MultiPartParser
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config, runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from dpq_core.mode import setting

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
NO_ROOM_HERE = PlainTextResponse("There is no room for this file now.", 413)
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
_arriving: Counter[str] = Counter()
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
    own: Grant = st.session_state.setdefault(_GRANT, Grant(sessions.browser(), st.context.ip_address or ""))
    if here := sessions.session():
        _granted[here] = own
    return own


async def admit(app: ASGIApp, scope: Scope, receive: Receive, send: Send, *, session: str) -> None:
    """Hand an upload on to Streamlit if there is a right to it and room for it, else refuse it."""
    size = _announced(scope)
    if session not in _granted or not _granted[session].may_upload:
        refusal: PlainTextResponse | None = PlainTextResponse("Nobody asked for a file here.", 403)
    elif size is None:
        refusal = PlainTextResponse("An upload says its size first.", 411)
    elif not _has_room(session, size):
        refusal = NO_ROOM_HERE
    else:
        refusal = await _hand_on(app, scope, receive, send, session)
    if refusal is not None:
        await refusal(scope, receive, send)


async def _hand_on(app: ASGIApp, scope: Scope, receive: Receive, send: Send, session: str) -> PlainTextResponse | None:
    """Let the application take a body, counted as it arrives; return what to answer instead where it is cut off."""
    arrived, refusal = 0, None

    async def next_part() -> Message:
        """Return the next part; or that the body ends here, because no more comes or there is no room for more."""
        nonlocal arrived, refusal
        try:
            message = await asyncio.wait_for(receive(), IDLE_SECONDS)
        except TimeoutError:
            refusal = PlainTextResponse("The file stopped arriving.", 408)
            return {"type": "http.disconnect"}
        size = len(message.get("body", b""))
        if size and not _has_room(session, size):
            refusal = NO_ROOM_HERE
            return {"type": "http.disconnect"}
        arrived += size
        _arriving[session] += size
        return message

    async def answer(message: Message) -> None:
        if refusal is None:
            await send(message)

    try:
        with suppress(ClientDisconnect):  # its complaint of a body that was cut off, or whose sender has gone
            await app(scope, next_part, answer)
    finally:
        _arriving[session] -= arrived
        if not _arriving[session]:
            del _arriving[session]
    return refusal


def _announced(scope: Scope) -> int | None:
    """Return the length that the request announces, which the server reads no further than; None without one."""
    text = dict(scope["headers"]).get(b"content-length", b"").decode("latin-1")
    return int(text) if text.isdecimal() and len(text) < 16 else None


def _has_room(session: str, size: int) -> bool:
    """Return whether `size` further bytes are within the limits of the session, its visitor and all."""
    held, most = _held(), MEGABYTE * int(setting(MOST_OF_ALL) or USUAL_OF_ALL)
    own = _granted.get(session)
    visitors = [
        sum(held[each] for each, grant in list(_granted.items()) if word in grant.visitor)
        for word in (own.visitor if own else ())
    ]
    return (
        held[session] + size <= MOST_OF_A_SESSION * _largest()
        and all(theirs + size <= most // PART_OF_A_VISITOR for theirs in visitors)
        and held.total() + size <= most
    )


def _held() -> Counter[str]:
    """Return the bytes of uploads, of files kept from them, and of columns that each session holds now."""
    held = _arriving + Counter({session: grant.kept + grant.columns for session, grant in list(_granted.items())})
    manager = runtime.get_instance().uploaded_file_mgr if runtime.exists() else None
    if isinstance(manager, MemoryUploadedFileManager):
        for session, files in list(manager.file_storage.items()):
            held[session] += sum(len(file.data) for file in list(files.values()))
    return held


def _largest() -> int:
    return int(config.get_option("server.maxUploadSize")) * MEGABYTE
