"""Which uploads the server takes: from whoever was shown an uploader, up to a sum for each session and for all.

What is uploaded stays in memory. Starlette would write anything above a megabyte to the temporary folder on its way.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import Any
from weakref import WeakValueDictionary

import streamlit as st
from starlette.formparsers import MultiPartParser
from starlette.responses import PlainTextResponse
from streamlit import config, runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ..settings import PREFIX

MEGABYTE = 1 << 20
MOST_OF_A_SESSION = 2
"""A session holds at most as much as so many files of the largest size: one, and the next before the first is gone."""
MOST_OF_ALL = "DPQ_UPLOADS_MB"
USUAL_OF_ALL = 2000
"""Megabytes of uploads that a server holds at once, where DPQ_UPLOADS_MB says nothing else."""
_GRANT = f"{PREFIX}:grant"


class Grant:
    """The right of one session to upload; it ends with the session, whose memory holds it."""


_granted: WeakValueDictionary[str, Grant] = WeakValueDictionary()
_arriving: dict[str, int] = {}
"""Bytes that are on their way, by session."""


def keep_in_memory() -> None:
    """Let no upload touch the disk, whatever its size."""
    MultiPartParser.spool_max_size = _largest() + MEGABYTE


def grant() -> None:
    """Let this session upload: it is about to be shown an uploader."""
    context = get_script_run_ctx()
    if context is not None:
        own_grant = st.session_state.setdefault(_GRANT, Grant())
        _granted[context.session_id] = own_grant


async def admit(
    app: Callable[..., Awaitable[None]], scope: Any, receive: Any, send: Any, *, session: str
) -> None:  # fmt: skip
    """Hand an upload on to Streamlit if there is a right to it and room for it, else refuse it unread."""
    size = _announced(scope)
    if session not in _granted:
        await PlainTextResponse("Nobody asked for a file here.", 403)(scope, receive, send)
    elif size is None:
        await PlainTextResponse("An upload says its size first.", 411)(scope, receive, send)
    elif not _has_room(session, size):
        await PlainTextResponse("There is no room for this file now.", 413)(scope, receive, send)
    else:
        _arriving[session] = _arriving.get(session, 0) + size
        try:
            await app(scope, receive, send)
        finally:
            _arriving[session] -= size
            if not _arriving[session]:
                del _arriving[session]


def _announced(scope: Any) -> int | None:
    """Return the length that the request announces, which the server reads no further than; None without one."""
    text = dict(scope["headers"]).get(b"content-length", b"").decode("latin-1")
    return int(text) if text.isdecimal() and len(text) < 16 else None


def _has_room(session: str, size: int) -> bool:
    held = _held()
    mine = held.get(session, 0) + _arriving.get(session, 0)
    everybodys = sum(held.values()) + sum(_arriving.values())
    return mine + size <= MOST_OF_A_SESSION * _largest() and everybodys + size <= _most_of_all()


def _held() -> dict[str, int]:
    """Return the bytes of uploads that each session holds now."""
    manager = runtime.get_instance().uploaded_file_mgr if runtime.exists() else None
    if not isinstance(manager, MemoryUploadedFileManager):
        return {}
    return {
        session: sum(len(file.data) for file in list(files.values()))
        for session, files in list(manager.file_storage.items())
    }


def _largest() -> int:
    return int(config.get_option("server.maxUploadSize")) * MEGABYTE


def _most_of_all() -> int:
    text = os.environ.get(MOST_OF_ALL, "").strip()
    return int(text) * MEGABYTE if text.isdecimal() else USUAL_OF_ALL * MEGABYTE
