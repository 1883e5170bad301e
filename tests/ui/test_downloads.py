"""Files to take away: what a session offers, what the front door hands out, and what nobody gets."""

import asyncio
import codecs
import io
import logging
import threading
from collections.abc import Callable
from typing import Any

import openpyxl
import pytest
from streamlit import config
from streamlit.testing.v1 import AppTest

from dpq_core.results.exports import as_xlsx
from pages.server import door, downloads
from pages.server.downloads import MOST_OFFERS, Offer, disposition
from tests.pages.driving import drawn_by

Answer = tuple[int, dict[str, str], bytes]


def page() -> None:
    import streamlit as st

    from pages.server import downloads

    content = st.text_input("Content", "a,b")
    for number in range(int(st.text_input("How many", "1"))):
        downloads.show({"CSV": lambda: content, "JSON": lambda: content}, f"file-{number}")
    st.button("Forget", on_click=downloads.forget)


def tokens(visit: AppTest) -> list[str]:
    """Those on the screen, from top to bottom."""
    return [piece.split('"')[0] for link in visit.get("html") for piece in link.proto.body.split("download/")[1:]]


async def stays() -> Any:
    """What a server hears of a connection that stays open: the end of the request, and then nothing."""
    await asyncio.sleep(60)


async def closes() -> Any:
    """What a server hears of a connection that closes."""
    return {"type": "http.disconnect"}


async def ask(token: str) -> Answer:
    """The status, the headers and the content that a browser gets for a token."""
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    await downloads.hand_out({"type": "http", "method": "GET", "headers": []}, stays, send, token=token)
    headers = {name.decode(): text.decode() for name, text in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:])


def get(token: str) -> Answer:
    return asyncio.run(ask(token))


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Offer]:
    """Offer a file as a session would that lives as long as the test."""
    kept: list[Offer] = []

    def offer(make: Callable[[], str] = lambda: "content", name: str = "file.json") -> Offer:
        kept.append(Offer(name, make))
        monkeypatch.setitem(downloads._offered, kept[-1].token, kept[-1])
        return kept[-1]

    return offer


@pytest.fixture
def visit() -> AppTest:
    return drawn_by(page)


def test_a_link_leads_to_the_file(visit: AppTest) -> None:
    first, workbook, second = tokens(visit)
    status, headers, content = get(first)
    assert (status, content) == (200, codecs.BOM_UTF8 + b"a,b"), "spreadsheets know its encoding"
    assert headers["content-type"] == "text/csv; charset=utf-8"
    assert headers["content-disposition"].startswith('attachment; filename="file-0.csv"')
    assert headers["cache-control"] == "no-store"
    assert get(second)[2] == b"a,b", "that mark is for spreadsheets only"
    assert get(workbook)[1]["content-disposition"].startswith('attachment; filename="file-0.xlsx"')
    assert get(workbook)[2].startswith(b"PK"), "the same rows as a workbook"


def test_an_address_stays_the_same_and_leads_to_what_was_drawn_last(visit: AppTest) -> None:
    before = tokens(visit)
    visit.text_input[0].set_value("c,d").run()
    assert tokens(visit) == before
    assert get(before[2])[2] == b"c,d"


def test_a_file_goes_with_its_session_though_it_was_fetched_a_moment_ago(visit: AppTest) -> None:
    token, state = tokens(visit)[0], visit.session_state._state

    async def fetch_twice() -> Answer:
        assert (await ask(token))[0] == 200
        for name in state.filtered_state:  # as sessions.py empties the memory of a closed tab
            del state[name]
        return await ask(token)

    status, headers, content = asyncio.run(fetch_twice())
    assert (status, headers["cache-control"]) == (404, "no-store")
    assert b"a,b" not in content


def test_what_is_forgotten_is_not_handed_out(visit: AppTest) -> None:
    before = tokens(visit)
    visit.button[0].click().run()
    assert [get(token)[0] for token in before] == [404] * 3
    assert [get(token)[0] for token in tokens(visit)] == [200] * 3


def test_a_session_offers_so_many_files_and_the_last_ones(visit: AppTest) -> None:
    first = tokens(visit)
    visit.text_input[1].set_value(str(MOST_OFFERS)).run()
    now = tokens(visit)
    assert now[:3] == first
    kept = [get(token)[0] == 200 for token in now]
    assert kept == [False] * 2 * MOST_OFFERS + [True] * MOST_OFFERS


@pytest.mark.parametrize("base", ["", "deep/er"])
def test_a_door_has_any_path(base: str, offer: Callable[..., Offer], monkeypatch: pytest.MonkeyPatch) -> None:
    known = config.get_option
    monkeypatch.setattr(config, "get_option", lambda name: base if name == "server.baseUrlPath" else known(name))
    path = f"/{base}/download/{offer().token}".replace("//", "/")
    assert at_the_door("GET", path, "127.0.0.1") == [200]
    assert at_the_door("HEAD", path, "127.0.0.1") == [200]
    assert at_the_door("GET", path, "rebound.example.org") == [400]
    assert at_the_door("POST", path, "127.0.0.1") == ["Streamlit"]
    assert at_the_door("GET", f"/elsewhere{path}", "127.0.0.1") == ["Streamlit"]


def at_the_door(method: str, path: str, host: str) -> list[int | str]:
    """The status of the answer, or that Streamlit is asked for one."""
    found: list[int | str] = []

    async def streamlit(scope: Any, receive: Any, send: Any) -> None:
        found.append("Streamlit")

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            found.append(message["status"])

    scope = {"type": "http", "method": method, "path": path, "headers": [(b"host", host.encode())]}
    asyncio.run(door.FrontDoor(streamlit)(scope, stays, send))
    return found


@pytest.mark.parametrize("token", ["", "0" * 32, "../app.py", "é", "x" * 5000])
def test_nobody_guesses(token: str, offer: Callable[..., Offer]) -> None:
    offer()
    assert get(token)[0] == 404


def test_a_file_that_is_not_made_tells_nothing(offer: Callable[..., Offer], caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> str:
        raise ValueError("the cell 51.71875")

    with caplog.at_level(logging.DEBUG):
        status, _, content = get(offer(fail).token)
    assert status == 500
    assert "51.71875" not in content.decode() + caplog.text
    assert "ValueError" in caplog.text


def test_a_file_is_made_once_for_all_who_ask_for_it(offer: Callable[..., Offer]) -> None:
    made: list[str] = []

    def make() -> str:
        made.append("once")
        return f"{len(made)}"

    async def many() -> list[Answer]:
        file = offer(make)
        found = [*await asyncio.gather(*(ask(file.token) for _ in range(20))), await ask(file.token)]
        file.make = lambda: "of another run"
        return [*found, await ask(file.token)]

    *same, other = (content for _, _, content in asyncio.run(many()))
    assert same == [b"1"] * 21
    assert other == b"of another run"


def test_a_session_makes_one_file_at_a_time_and_others_do_not_wait(offer: Callable[..., Offer]) -> None:
    started, go_on = list[int](), threading.Event()

    def slow(number: int) -> Callable[[], str]:
        def make() -> str:
            started.append(number)
            assert go_on.wait(60)
            return str(number)

        return make

    async def both() -> None:
        own = [offer(slow(number)) for number in range(5)]
        for file in own[1:]:
            file.turn = own[0].turn
        waiting = [asyncio.create_task(ask(file.token)) for file in own]
        assert (await ask(offer().token))[2] == b"content", "another session's file is made meanwhile"
        while not started:  # in a thread, which may begin later than the other session's
            await asyncio.sleep(0.01)
        assert started == [0]
        go_on.set()
        assert [content for _, _, content in await asyncio.gather(*waiting)] == [b"0", b"1", b"2", b"3", b"4"]

    asyncio.run(both())


def test_all_links_of_a_session_share_a_turn_and_no_address_with_another(visit: AppTest) -> None:
    other = drawn_by(page)
    assert not {*tokens(visit)} & {*tokens(other)}
    assert all(len(token) == 32 for token in tokens(other))
    own, others = ({id(downloads._offered[token].turn) for token in tokens(each)} for each in (visit, other))
    assert len(own) == len(others) == 1
    assert own != others


def test_a_file_is_made_once_for_all_who_hang_up(offer: Callable[..., Offer]) -> None:
    made: list[str] = []

    def make() -> str:
        made.append("")
        return "late"

    async def leave_all() -> None:
        file, scope = offer(make), {"type": "http", "method": "GET", "headers": []}

        async def nobody(message: Any) -> None:
            pass

        for _ in range(200):
            await downloads.hand_out(scope, closes, nobody, token=file.token)

    asyncio.run(leave_all())
    assert made == [""]


@pytest.mark.parametrize(
    "name",
    ["plain.csv", 'a".csv', "a\r\nSet-Cookie: x=1.csv", "a; filename=b.exe", "../../a.csv", "a\\b.csv", "Größe.csv",
     "a\x00.csv", "\ud800.csv"],
)  # fmt: skip
def test_no_name_of_a_file_gets_out_of_its_header(name: str, offer: Callable[..., Offer]) -> None:
    header = disposition(name)
    assert get(offer(name=name).token)[1]["content-disposition"] == header
    plain, coded = header.removeprefix('attachment; filename="').split("\"; filename*=UTF-8''")
    safe = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
    assert {*plain} <= safe
    assert {*coded} <= safe | {"%", "~"}
    assert (plain, coded) == (name, name) or name != "plain.csv"


def test_no_name_gets_out_of_its_link(offer: Callable[..., Offer]) -> None:
    link = downloads._link("<b>", "download", offer(name='"><script>x</script>.csv'))
    assert "<script" not in link
    assert "<b>" not in link
    assert link.count('"') == 8


TABLE = 'level,private,label,release_id\n0.5,-38,"=HYPERLINK(""x"")",007\n1/3,1e5,"a, b",12345678901234567\n'


def sheet(content: bytes) -> openpyxl.worksheet.worksheet.Worksheet:
    return openpyxl.load_workbook(io.BytesIO(content)).active


def test_numbers_are_numbers_and_all_else_is_text_and_nothing_a_formula() -> None:
    rows = [[*row] for row in sheet(as_xlsx(TABLE, "ages")).iter_rows()]
    assert {cell.data_type for row in rows for cell in row} == {"n", "s"}
    assert [[cell.value for cell in row] for row in rows] == [
        ["level", "private", "label", "release_id"],
        [0.5, -38, '=HYPERLINK("x")', "007"],
        ["1/3", 100_000, "a, b", "12345678901234567"],
    ]


@pytest.mark.parametrize(
    ("name", "kept"),
    [("ages", "ages"), ("a/b[1]:c*?\\", "a b 1  c"), ("'", "table"), ("x" * 40, "x" * 31), ("", "table")],
)
def test_a_sheet_has_a_name_that_excel_takes(name: str, kept: str) -> None:
    assert sheet(as_xlsx("a\n1\n", name)).title == kept


@pytest.mark.parametrize(("of", "name"), [
    ("salaries 2026", "release-salaries-2026-2026-11-26.csv"),
    ("Gehälter/München", "release-Gehälter-München-2026-11-26.csv"), ("../../etc", "release-etc-2026-11-26.csv"),
    ("", "release-2026-11-26.csv"), ("x" * 90, f"release-{'x' * 60}-2026-11-26.csv"),
])  # fmt: skip
def test_a_file_is_called_by_its_data_and_its_day(of: str, name: str) -> None:
    assert downloads.file_name("release", of, "2026-11-26T10:00:00+00:00", "csv") == name
