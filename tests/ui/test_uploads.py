"""Who may upload, and how much: asked of the gate alone, without a server."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.formparsers import MultiPartParser
from streamlit import config
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from dpq_core.ui.server import uploads

SESSION = "one"
MEGABYTE = uploads.MEGABYTE


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> MemoryUploadedFileManager:
    """What the server holds; one session has been shown an uploader."""
    held = MemoryUploadedFileManager("/upload")
    monkeypatch.setattr("dpq_core.ui.server.uploads.runtime.exists", lambda: True)
    monkeypatch.setattr(
        "dpq_core.ui.server.uploads.runtime.get_instance", lambda: SimpleNamespace(uploaded_file_mgr=held)
    )
    grant = uploads.Grant()
    monkeypatch.setitem(uploads._granted, SESSION, grant)
    monkeypatch.setattr(uploads, "kept_for_the_test", grant, raising=False)
    return held


def put(size: int | None, session: str = SESSION, app: Any = None) -> int | None:
    """The status of an upload that announces this size; None where it was handed on."""
    statuses: list[int] = []

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async def handed_on(scope: Any, receive: Any, send: Any) -> None:
        if app is not None:
            app()

    headers = [] if size is None else [(b"content-length", str(size).encode())]
    scope = {"type": "http", "method": "PUT", "headers": headers}
    asyncio.run(uploads.admit(handed_on, scope, None, send, session=session))
    return statuses[0] if statuses else None


def hold(manager: MemoryUploadedFileManager, session: str, megabytes: int) -> None:
    data = bytes(megabytes * MEGABYTE)
    manager.add_file(session, UploadedFileRec(f"file {megabytes}", "a.csv", "text/csv", data))


def test_only_who_was_shown_an_uploader_may_upload(manager: MemoryUploadedFileManager) -> None:
    assert put(10) is None
    assert put(10, session="a stranger") == 403


def test_the_right_ends_with_the_session(manager: MemoryUploadedFileManager) -> None:
    uploads._granted["two"] = grant = uploads.Grant()
    assert put(10, session="two") is None
    del grant
    assert put(10, session="two") == 403


@pytest.mark.parametrize("size", [None])
def test_an_upload_says_its_size_first(size: int | None, manager: MemoryUploadedFileManager) -> None:
    assert put(size) == 411


def test_a_session_and_a_server_hold_so_much_and_no_more(
    manager: MemoryUploadedFileManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "_largest", lambda: 10 * MEGABYTE)
    monkeypatch.setenv(uploads.MOST_OF_ALL, "25")
    hold(manager, SESSION, 12)
    assert put(8 * MEGABYTE) is None
    assert put(8 * MEGABYTE + 1) == 413
    hold(manager, "another", 6)
    assert put(7 * MEGABYTE) is None
    assert put(7 * MEGABYTE + 1) == 413


def test_what_is_on_its_way_counts(manager: MemoryUploadedFileManager, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "_largest", lambda: 10 * MEGABYTE)
    inner: list[int | None] = []

    def second() -> None:
        assert uploads._arriving == {SESSION: 15 * MEGABYTE}
        inner.append(5 if uploads._has_room(SESSION, 5 * MEGABYTE) else 413)
        inner.append(6 if uploads._has_room(SESSION, 6 * MEGABYTE) else 413)

    assert put(15 * MEGABYTE, app=second) is None
    assert inner == [5, 413]
    assert not uploads._arriving


def test_no_upload_is_larger_than_what_stays_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MultiPartParser, "spool_max_size", MultiPartParser.spool_max_size)
    uploads.keep_in_memory()
    assert config.get_option("server.maxUploadSize") * MEGABYTE < MultiPartParser.spool_max_size
