"""Who may come in, as whom, and with how many pages at once."""

import asyncio
from collections import Counter
from typing import Any

import pytest
import uvicorn
from streamlit.web.server.starlette.starlette_server import _get_uvicorn_config_kwargs

from dpq_core.ledger.accounts import checked_text
from pages.server import door, sessions
from pages.server.signin import CURATORS, Role, recorded_name, role_of
from tests.narrowing import present

HERE, ELSEWHERE = "127.0.0.1", "192.0.2.7"


@pytest.fixture(autouse=True)
def nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "_open_pages", Counter())
    monkeypatch.setattr(door, "MOST_OPEN", {"browser": 2, "address": 3, "all": 5})


def test_a_browser_an_address_and_all_have_so_many_pages() -> None:
    assert [door.enter("a", ELSEWHERE) is not None for _ in range(3)] == [True, True, False]
    assert [door.enter(name, ELSEWHERE) is not None for name in "bc"] == [True, False]
    assert [door.enter(name, "192.0.2.8") is not None for name in "cde"] == [True, True, False], "five in all"


def test_the_addresses_of_one_customer_are_one() -> None:
    assert [door.enter(str(at), f"2001:db8:0:7::{at}") is not None for at in range(4)] == [True, True, True, False]
    assert door.enter("next door", "2001:db8:0:8::1") is not None


@pytest.mark.parametrize("address", [HERE, "::1", "", "unix:"])
def test_behind_a_proxy_of_this_machine_addresses_say_nothing(address: str) -> None:
    assert [door.enter(name, address) is not None for name in "abcdef"] == [True] * 5 + [False]


def test_a_place_is_free_once_it_is_left() -> None:
    first, second = present(door.enter("a", HERE)), present(door.enter("a", HERE))
    assert door.enter("a", HERE) is None
    door.leave(first)
    assert door.enter("a", HERE) is not None
    door.leave(second)
    assert dict(door._open_pages) == {("browser", "a"): 1, ("all", "all"): 1}, "nothing is kept of who has gone"


@pytest.mark.parametrize(("peer", "counted"), [(HERE, ELSEWHERE), ("192.0.2.99", "192.0.2.99")])
def test_a_proxy_here_says_who_asks_and_nobody_else(monkeypatch: pytest.MonkeyPatch, peer: str, counted: str) -> None:
    """Streamlit starts uvicorn with its usual settings; what it believes becomes the visitor's address everywhere."""
    monkeypatch.setattr(door, "_may_connect", lambda scope: True)
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    settings = {name: value for name, value in _get_uvicorn_config_kwargs().items() if name != "ws"}
    seen: list[Counter[tuple[str, str]]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(Counter(door._open_pages))

    server = uvicorn.Config(door.FrontDoor(app), **settings)
    server.load()
    scope = {"type": "websocket", "headers": [(b"x-forwarded-for", ELSEWHERE.encode())], "client": (peer, 1)}
    asyncio.run(server.loaded_app(scope, None, None))
    assert seen == [{("address", counted): 1, ("all", "all"): 1}]


@pytest.mark.parametrize("code", [sessions.GONE, door.LOST])
def test_the_front_door_counts_pages_until_their_sessions_end(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    monkeypatch.setattr(door, "_may_connect", lambda scope: True)
    monkeypatch.setattr(sessions, "kept_seconds", {code: 0.01}.__getitem__)
    served, refused = list[str](), list[Any]()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        served.append("")
        await receive()

    async def receive() -> Any:
        return {"type": "websocket.disconnect", "code": code}

    async def send(message: Any) -> None:
        refused.append(message)

    async def connect() -> None:
        scope = {"type": "websocket", "headers": [], "client": (ELSEWHERE, 1)}
        for _ in range(4):
            await door.FrontDoor(app)(scope, receive, send)
        assert door._open_pages["address", ELSEWHERE] == 3
        await asyncio.sleep(0.05)

    asyncio.run(connect())
    assert (len(served), refused) == (3, [{"type": "websocket.close", "code": door.REFUSED}])
    assert not door._open_pages


def test_a_session_is_kept_for_longer_where_its_tab_was_not_closed() -> None:
    assert sessions.kept_seconds(sessions.GONE) < sessions.kept_seconds(door.LOST)


LIST = {CURATORS: " ada@example.org, Grace@Example.org,,"}


@pytest.mark.parametrize(("user", "role"), [
    ({"is_logged_in": True, "email": "ada@example.org"}, Role.CURATOR),
    ({"is_logged_in": True, "email": "GRACE@example.org", "email_verified": True}, Role.CURATOR),
    ({"is_logged_in": True, "email": "ada@example.org", "email_verified": False}, Role.VIEWER),
    ({"is_logged_in": True, "email": "ada@example.org", "email_verified": "false"}, Role.VIEWER),
    ({"is_logged_in": True, "email": "eve@example.org"}, Role.VIEWER),
    ({"is_logged_in": True, "email": ""}, Role.VIEWER), ({"is_logged_in": True}, Role.VIEWER),
    ({"is_logged_in": False, "email": "ada@example.org"}, Role.STRANGER),
    ({"is_logged_in": "yes", "email": "ada@example.org"}, Role.STRANGER), ({}, Role.STRANGER),
])  # fmt: skip
def test_role(user: dict[str, Any], role: Role) -> None:
    assert role_of(user, LIST) is role


def test_without_a_list_nobody_is_a_curator() -> None:
    for environment in ({}, {CURATORS: ""}, {CURATORS: " , "}):
        assert role_of({"is_logged_in": True, "email": ""}, environment) is Role.VIEWER
        assert role_of({"is_logged_in": True, "email": "ada@example.org"}, environment) is Role.VIEWER


@pytest.mark.parametrize(("user", "name"), [
    ({"email": "ada@example.org", "name": "Ada"}, "ada@example.org"), ({"name": "Ada L."}, "Ada L."),
    ({"email": None, "name": ""}, ""), ({}, ""), ({"email": "=HYPERLINK(1)@x"}, "user =HYPERLINK(1)@x"),
    ({"email": "a\nb\x00@x"}, "ab@x"), ({"email": "a" * 500}, "a" * 180), ({"email": " _@x"}, "user _@x"),
])  # fmt: skip
def test_the_name_that_the_ledger_records_is_one_that_it_takes(user: dict[str, Any], name: str) -> None:
    assert recorded_name(user) == name
    assert name == "" or checked_text(name, "who") == name
