"""Who may upload, and how much: asked of the gate alone, without a server."""

import asyncio
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import pytest
from starlette.formparsers import MultiPartParser
from starlette.requests import ClientDisconnect
from streamlit import config
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from dpq_core.groups.names import GroupColumn
from dpq_core.sources.pasted import read_pasted
from pages.files import content
from pages.server import uploads

SESSION = "one"
MEGABYTE = uploads.MEGABYTE


@pytest.fixture(autouse=True)
def manager(monkeypatch: pytest.MonkeyPatch) -> MemoryUploadedFileManager:
    """What the server holds; one session has been shown an uploader."""
    held = MemoryUploadedFileManager("/upload")
    monkeypatch.setattr("pages.server.uploads.runtime.exists", lambda: True)
    monkeypatch.setattr("pages.server.uploads.runtime.get_instance", lambda: SimpleNamespace(uploaded_file_mgr=held))
    grant = uploads.Grant()
    grant.may_upload = True
    monkeypatch.setattr(uploads, "_granted", WeakValueDictionary({SESSION: grant}))
    monkeypatch.setattr(uploads, "kept_for_the_test", grant, raising=False)
    return held


def put(
    size: int | None,
    session: str = SESSION,
    parts: Sequence[int | None] | None = None,
    then: Callable[[], object] = int,
) -> int | None:
    """The status of an upload that announces this size; None where the application has heard the whole of it.

    `parts`: how many bytes arrive, one after the other, what was announced where it is None; after them nothing, where
    they end with 0, and their sender has gone, where they end with None. `then`: what happens when all have arrived,
    before the application has ended.
    """
    statuses: list[int] = []
    coming: list[int | None] = [*([size or 0] if parts is None else parts)]

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async def receive() -> Any:
        length = coming.pop(0)
        if length is None:
            return {"type": "http.disconnect"}
        if not length:
            await asyncio.sleep(60)
        return {"type": "http.request", "body": bytes(length), "more_body": bool(coming)}

    async def handed_on(scope: Any, receive: Any, send: Any) -> None:
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                await send({"type": "http.response.start", "status": 500, "headers": []})
                raise ClientDisconnect
            more = message["more_body"]
        then()

    headers = [] if size is None else [(b"content-length", str(size).encode())]
    scope = {"type": "http", "method": "PUT", "headers": headers}
    asyncio.run(uploads.admit(handed_on, scope, receive, send, session=session))
    return statuses[0] if statuses else None


def hold(manager: MemoryUploadedFileManager, session: str, megabytes: int) -> None:
    data = bytes(megabytes * MEGABYTE)
    manager.add_file(session, UploadedFileRec(f"file {megabytes}", "a.csv", "text/csv", data))


def test_only_who_was_shown_an_uploader_may_upload() -> None:
    assert put(10) is None
    assert put(10, session="a stranger") == 403
    assert put(None) == 411, "an upload says its size first"
    uploads._granted["two"] = grant = uploads.Grant()
    assert put(10, session="two") == 403, "what it holds is counted, and it was shown no uploader"
    grant.may_upload = True
    assert put(10, session="two") is None
    del grant
    assert put(10, session="two") == 403, "the right ends with the session"


def test_sessions_and_servers_hold_so_much(manager: MemoryUploadedFileManager, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "_largest", lambda: 10 * MEGABYTE)
    monkeypatch.setenv(uploads.MOST_OF_ALL, "25")
    hold(manager, SESSION, 12)
    assert put(8 * MEGABYTE) is None
    assert put(8 * MEGABYTE + 1) == 413
    hold(manager, "another", 6)
    assert put(7 * MEGABYTE) is None
    assert put(7 * MEGABYTE + 1) == 413


def test_what_has_arrived_counts_and_not_what_was_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "_largest", lambda: 10 * MEGABYTE)
    inner: list[bool] = []

    def second() -> None:
        assert uploads._arriving == {SESSION: 15 * MEGABYTE}
        inner.extend(uploads._has_room(SESSION, more * MEGABYTE) for more in (5, 6))

    assert put(16 * MEGABYTE, parts=(10 * MEGABYTE, 5 * MEGABYTE), then=second) is None
    assert inner == [True, False]
    assert not uploads._arriving


def test_an_announcement_takes_no_room_and_a_body_that_stops_arriving_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "IDLE_SECONDS", 0.01)
    monkeypatch.setattr(uploads, "_largest", lambda: 10 * MEGABYTE)
    assert put(20 * MEGABYTE, parts=(MEGABYTE, 0)) == 408
    put(10, parts=(4, None))  # who hangs up leaves no error, and so no page in the log
    assert not uploads._arriving


def test_more_than_was_announced_is_cut_off_where_it_has_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a request does that announces ten bytes and sends chunks."""
    monkeypatch.setattr(uploads, "_largest", lambda: 10 * MEGABYTE)
    assert put(10, parts=(8 * MEGABYTE, 8 * MEGABYTE)) is None
    assert put(10, parts=(8 * MEGABYTE, 8 * MEGABYTE, 8 * MEGABYTE)) == 413
    assert not uploads._arriving


def test_a_file_that_is_kept_to_read_another_column_counts_as_an_upload(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "_largest", lambda: 10 * MEGABYTE)
    monkeypatch.setenv(uploads.MOST_OF_ALL, "100")
    own = uploads._granted[SESSION]
    monkeypatch.setattr("streamlit.session_state", {uploads._GRANT: own})
    uploads.count_kept(15 * MEGABYTE)
    assert put(5 * MEGABYTE) is None
    assert put(5 * MEGABYTE + 1) == 413
    uploads.count_kept(0)
    assert put(5 * MEGABYTE + 1) is None


def test_columns_count_as_uploads_of_session_visitor_and_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "_largest", lambda: 10 * MEGABYTE)
    monkeypatch.setenv(uploads.MOST_OF_ALL, "50")
    own, same, other = uploads.Grant("browser"), uploads.Grant("browser"), uploads.Grant("other")
    for session, grant in zip((SESSION, "same", "other"), (own, same, other), strict=True):
        monkeypatch.setitem(uploads._granted, session, grant)
    monkeypatch.setattr("streamlit.session_state", {uploads._GRANT: own})
    monkeypatch.setattr("pages.server.sessions.session", lambda: SESSION)
    assert uploads.count_columns(20 * MEGABYTE)
    assert not uploads.count_columns(20 * MEGABYTE + 1), "of a session"
    assert own.columns == 20 * MEGABYTE, "those before stay"
    same.columns = 5 * MEGABYTE
    assert uploads.count_columns(1)
    assert uploads.count_columns(20 * MEGABYTE), "in place of those before"
    assert uploads.count_columns(1)
    same.columns += 1
    assert not uploads.count_columns(20 * MEGABYTE), "of a visitor"
    same.columns, other.columns = 0, 30 * MEGABYTE
    assert uploads.count_columns(20 * MEGABYTE)
    other.columns += 1
    assert uploads.count_columns(1)
    assert not uploads.count_columns(20 * MEGABYTE), "of the server"
    assert put(MEGABYTE, session="other") == 403
    other.may_upload = True
    assert put(20 * MEGABYTE, session="other") == 413, "uploads have no more room than columns leave"


def test_the_bytes_of_columns_are_those_of_their_arrays_and_of_names() -> None:
    column = read_pasted("\n".join(map(str, range(10_000))))
    names = tuple(f"name {number}" for number in range(1000))
    groups = GroupColumn(np.zeros(10_000, dtype=np.int32), names)
    alone = content.bytes_of(((column, None, None), b"digest"))
    assert 8 * 10_000 < alone < 8 * 10_000 + 2_000
    with_groups = content.bytes_of(((column, None, groups), b"digest"))
    assert 4 * 10_000 + sum(map(len, names)) < with_groups - alone < 4 * 10_000 + 20 * len(names)


@pytest.mark.parametrize(("other", "refused"), [({"browser"}, True), ({"address"}, True), (set(), False)])
def test_a_visitor_with_many_sessions_holds_a_part(
    manager: MemoryUploadedFileManager, monkeypatch: pytest.MonkeyPatch, other: set[str], refused: bool
) -> None:
    monkeypatch.setattr(uploads, "_largest", lambda: 10 * MEGABYTE)
    monkeypatch.setenv(uploads.MOST_OF_ALL, "40")
    grants = uploads.Grant("browser", "address"), uploads.Grant(*other, "")
    for session, grant in zip((SESSION, "another"), grants, strict=True):
        grant.may_upload = True
        monkeypatch.setitem(uploads._granted, session, grant)
    hold(manager, "another", 15)
    assert put(5 * MEGABYTE) is None
    assert put(5 * MEGABYTE + 1) == (413 if refused else None)


def test_what_goes_wrong_in_the_application_is_not_hidden() -> None:
    def wrong() -> None:
        raise RuntimeError("of the application")

    with pytest.raises(RuntimeError, match="of the application"):
        put(10, then=wrong)
    assert not uploads._arriving


def test_no_upload_is_larger_than_what_stays_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MultiPartParser, "spool_max_size", MultiPartParser.spool_max_size)
    uploads.keep_in_memory()
    assert config.get_option("server.maxUploadSize") * MEGABYTE < MultiPartParser.spool_max_size
