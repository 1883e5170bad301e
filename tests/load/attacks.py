"""What one visitor does to a server: attacks that would stall it, and the most expensive wishes; each lasts as a block.

Each attack also looks at the end whether somebody else still gets what that visitor tries to take away from all.
"""

from __future__ import annotations

import os
import re
import select
import socket
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import count, cycle
from multiprocessing import get_context
from urllib.parse import urlsplit
from uuid import uuid4

import numpy as np
from streamlit.proto.Common_pb2 import FileUploaderState, FileURLs, StringArray, UploadedFileInfo
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import InvalidHandshake

from tests.load.classroom import open_room
from tests.load.visitor import ANSWER_SECONDS, Visitor, connecting, visiting
from tests.narrowing import present

SECONDS = 30
"""How long the attacks last that tests compare with a quiet time."""
JOINT = "data=adult-age-full&mechanism=jointexp&epsilon=0.02&quantiles=even&even=60"
"""A simulation that runs until the server ends it."""
SLOW_LINKS, SOCKETS, SILENT, DOWNLOADS, UPLOADS, JOINS = 5, 200, 200, 200, 5, 130
MEGABYTE = 1 << 20
ANNOUNCED = 400 * MEGABYTE
"""The largest file: so many of UPLOADS are all that a server holds at once."""
SENT_A_SECOND = 40
"""Megabytes that a body brings which announces ten bytes."""
ELSEWHERE = "127.0.0.2"
"""An address of this machine for which rooms count: for its usual one they do not."""
OWN_NOISE = "your own noise"
ROWS, COLUMNS, GROUPS = 10**6, 1000, 10**5
BOUNDS = {"Lowest": "0", "Highest": "100", "Step": "1"}
A_SECOND = 10
"""So often a tab of a flood asks for something new, before it could see what it asked for last."""

Block = Callable[[str], AbstractContextManager[None]]


@contextmanager
def slow_links(url: str) -> Iterator[None]:
    """Open pages whose simulations run until the server ends them."""
    with ExitStack() as there:
        for _ in range(SLOW_LINKS):
            there.enter_context(connecting(url, "explore", JOINT)).ask_and_not_wait()
        yield


@contextmanager
def many_sockets(url: str) -> Iterator[None]:
    """Open as many pages of one browser as the server allows, and ask for more."""
    with ExitStack() as there:
        first = there.enter_context(connecting(url, "explore", ""))
        refused = 0
        for _ in range(SOCKETS):
            try:
                there.enter_context(connecting(url, "explore", "", first.cookie))
            except InvalidHandshake:
                refused += 1
        assert refused, "one browser has so many pages at most"
        yield


@contextmanager
def silent_connections(url: str) -> Iterator[None]:
    """Connect and say nothing, or half a request."""
    with ExitStack() as there:
        for number in range(SILENT):
            there.enter_context(_connection(url)).sendall(b"" if number % 2 else b"GET / HTTP/1.1\r\nHost: ")
        yield


@contextmanager
def unheard_downloads(url: str) -> Iterator[None]:
    """Ask for one's own files again and again, and hang up."""
    with visiting(url, "explore", "") as visitor:
        addresses, host = cycle(sorted(visitor.links().values())), urlsplit(url).netloc

        def ask() -> None:
            with _connection(url) as connection:
                connection.sendall(f"GET /{next(addresses)} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())

        with _meanwhile(ask, SECONDS / DOWNLOADS):
            yield


@contextmanager
def announced_uploads(url: str) -> Iterator[None]:
    """Announce as much as a server holds in pages of one browser, and send nothing or a byte now and then.

    What the server ends is announced again.
    """
    with ExitStack() as there:
        pages = [there.enter_context(visiting(url, "release", "data=file"))]
        pages += [
            there.enter_context(visiting(url, "release", "data=file", pages[0].cookie)) for _ in range(UPLOADS - 1)
        ]
        bodies = [there.enter_context(Upload(url, page, ANNOUNCED)) for page in pages]

        def trickle() -> None:
            for number, body in enumerate(bodies):
                if not body.send(b"1\n" if number % 2 else b""):
                    body.begin()

        with _meanwhile(trickle, 1):
            yield
            _others_upload(url)


@contextmanager
def unannounced_bytes(url: str) -> Iterator[None]:
    """Announce ten bytes and send chunks without end; begin again whenever the server cuts them off.

    That takes as many seconds as the server reads slowly; tests/ui/test_uploads.py holds that it does.
    """
    content = b"1234567\n" * (MEGABYTE // 8)
    with visiting(url, "release", "data=file") as page, Upload(url, page, 10, chunked=True) as body:

        def pour() -> None:
            if not body.send(content):
                body.begin()

        with _meanwhile(pour, 1 / SENT_A_SECOND):
            yield
            _others_upload(url)


def _others_upload(url: str) -> None:
    with visiting(url, "release", "data=file") as other:
        assert upload(url, other, b"age\n" + b"37\n" * 100) == 204


@contextmanager
def full_room(url: str) -> Iterator[None]:
    """Fill a class's room from one address while everybody draws, with a new browser each time.

    Those who have a place keep it. The last of them has drawn what the lecturer shows, and draws another example then.
    """
    with visiting(url, "explore", "") as lecturer, ExitStack() as there:
        link = f"room={open_room(lecturer)}"
        lecturer.press("Everybody draws")
        joined = [there.enter_context(visiting(url, "learn", link, source=ELSEWHERE)) for _ in range(JOINS)]
        inside = [each for each in joined if each.sees(OWN_NOISE)]
        truth = _truth_of(lecturer)
        data = next(box for box in inside[-1].all_of("selectbox") if box.label == "Data")
        inside[-1].act(WidgetState(id=data.id, string_value=data.options[-1]))
        turns = cycle(inside)

        def stay() -> None:
            student = next(turns)
            if student.auto_rerun is not None:  # else it came too late to keep its place
                student.ask_again(student.auto_rerun)

        with _meanwhile(stay, SECONDS / JOINS):
            yield
            with visiting(url, "learn", link) as student:
                assert student.sees(OWN_NOISE), "there is a place for somebody from elsewhere"
        assert _truth_of(lecturer) == truth


def _truth_of(lecturer: Visitor) -> str:
    """What the lecturer's page says that is true, as it stands now."""
    lecturer.ask_again(present(lecturer.auto_rerun))
    return present(re.search(r"the true value is (\S+)\.", lecturer.said()))[1]


ATTACKS: tuple[Block, ...] = (
    slow_links, many_sockets, silent_connections, unheard_downloads, announced_uploads, unannounced_bytes, full_room,
)  # fmt: skip


@contextmanager
def percentiles_with_intervals(url: str) -> Iterator[None]:
    """99 quantiles of a million rows, each with an interval of 99 %."""
    settings = "data=file&quantiles=percentiles&intervals=0.99&epsilon=1"
    with visiting(url, "explore", settings) as visitor:
        bring_file(url, visitor, _table({"age": _ages(ROWS)}))
        _read(visitor, "Read this column")
        yield


@contextmanager
def wide_table(url: str) -> Iterator[None]:
    """A file of a thousand columns, of which the page offers every one."""
    with visiting(url, "explore", "data=file&quantiles=quartiles&epsilon=1") as visitor:
        bring_file(url, visitor, _table({f"c{number}": _ages(2000) for number in range(COLUMNS)}))
        _read(visitor, "Read this column")
        yield


@contextmanager
def many_groups(url: str) -> Iterator[None]:
    """Nine deciles of each of a hundred thousand groups, from a million rows."""
    with visiting(url, "explore", "data=file&quantiles=deciles&epsilon=1&mechanism=aq") as visitor:
        names = np.random.default_rng(1).integers(0, GROUPS, ROWS)
        bring_file(url, visitor, _table({"age": _ages(ROWS), "g": [f"g{name}" for name in names.tolist()]}))
        each = visitor.widget_id("multiselect", "For each …")
        visitor.act(WidgetState(id=each, string_array_value=StringArray(data=["g"])))
        _read(visitor, "Read this column")
        yield


def _ages(count: int) -> list[int]:
    found: list[int] = np.random.default_rng(0).normal(50, 15, count).clip(0, 100).astype(int).tolist()
    return found


def _table(columns: dict[str, list[int] | list[str]]) -> bytes:
    """The columns as CSV."""
    lines = (",".join(map(str, cells)) for cells in zip(*columns.values(), strict=True))
    return "\n".join((",".join(columns), *lines)).encode()


def _read(visitor: Visitor, button: str) -> None:
    """Read the file, say the bounds, and press Simulate without waiting for what comes."""
    visitor.press(button)
    visitor.wait_for("button", "Forget my data")
    fields = [(visitor.widget_id("text_input", label), text) for label, text in BOUNDS.items()]
    visitor.act(*(WidgetState(id=name, string_value=text) for name, text in fields))
    visitor.act_and_not_wait(WidgetState(id=visitor.widget_id("button", "Simulate"), trigger_value=True))


class Flood:
    """Tabs of different browsers that send a message again and again, in a process of their own, and close then.

    There they take no time from somebody who measures.
    """

    def __init__(self, new: bool, tabs: int = 25, seconds: float = 15) -> None:
        """`new`: each message asks for another epsilon, as a slider does; otherwise to see the page once more."""
        self.__name__ = "new_budgets" if new else "nothing_new"
        self.new, self.tabs, self.seconds = new, tabs, seconds

    @contextmanager
    def __call__(self, url: str) -> Iterator[None]:
        with ProcessPoolExecutor(1, get_context("spawn")) as aside:
            sent = aside.submit(self.send, url)
            yield
            assert sent.result() > self.tabs, "each has asked more than once"

    def send(self, url: str) -> int:
        """Return how many messages were sent."""
        with visiting(url, "explore", "") as first, ThreadPoolExecutor(self.tabs) as threads:
            field = first.widget_id("text_input", "exact epsilon")
            return sum([each.result() for each in [threads.submit(self._tab, url, field) for _ in range(self.tabs)]])

    def _tab(self, url: str, field: str) -> int:
        with connecting(url, "explore", "") as tab:
            ends, sent = time.monotonic() + self.seconds, 0
            while time.monotonic() < ends:
                tab.act_and_not_wait(*([WidgetState(id=field, string_value=_new_epsilon())] if self.new else []))
                sent += 1
                tab.hear_for(1 / A_SECOND)
            tab.leave()
        return sent


_amounts = count(1)


def _new_epsilon() -> str:
    """An amount that nobody has asked for: nothing of its answer is known."""
    return f"{0.5 + (os.getpid() % 1000 + next(_amounts) / 10_000) / 1000:.7f}"


WISHES: tuple[Block, ...] = (
    percentiles_with_intervals, slow_links, wide_table, many_groups, Flood(new=True), Flood(new=False)
)  # fmt: skip


@contextmanager
def _meanwhile(step: Callable[[], object], every: float) -> Iterator[None]:
    """Do something again and again, so many seconds apart, until the block ends; what goes wrong in it is raised."""
    done = threading.Event()

    def repeat() -> None:
        while not done.wait(every):
            step()

    with ThreadPoolExecutor(1) as aside:
        doing = aside.submit(repeat)
        try:
            yield
        finally:
            done.set()
            doing.result()


def _connection(url: str) -> socket.socket:
    host, _, port = urlsplit(url).netloc.partition(":")
    return socket.create_connection((host, int(port)), timeout=30)


# ── uploads without a browser ────────────────────────────────────────────────────────────────────────────────────────

BEGINS = b'--part\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n'
ENDS = b"\r\n--part--\r\n"


def upload(url: str, visitor: Visitor, content: bytes, file_id: str = "") -> int:
    """Upload a file from a page that shows an uploader; the status of the answer."""
    path = _path(visitor, file_id)
    asked = urllib.request.Request(f"{url}{path}", BEGINS + content + ENDS, _headers(visitor), method="PUT")
    with urllib.request.urlopen(asked, timeout=ANSWER_SECONDS) as answer:
        return int(answer.status)


def bring_file(url: str, visitor: Visitor, content: bytes) -> None:
    """Declare a file public, upload it, and tell the page so, as its uploader does."""
    public = visitor.widget_id("checkbox", "This data is public or synthetic")
    visitor.act(WidgetState(id=public, bool_value=True))
    file_id = str(uuid4())
    assert upload(url, visitor, content, file_id) == 204
    brought = UploadedFileInfo(file_id=file_id, name="a.csv", size=len(content), file_urls=FileURLs(file_id=file_id))
    state = FileUploaderState(uploaded_file_info=[brought])
    visitor.act(WidgetState(id=visitor.widget_id("file_uploader", "File"), file_uploader_state_value=state))


class Upload:
    """The body of an upload of which so many bytes are announced, and which is sent bit by bit."""

    def __init__(self, url: str, visitor: Visitor, announced: int, *, chunked: bool = False) -> None:
        """`chunked`: sent in chunks besides, whose end the server knows by themselves."""
        self._url, self._visitor, self._announced, self._chunked = url, visitor, announced, chunked
        self.ended: list[int | None] = []
        """What the server said each time when it ended one; None where it only closed the connection."""

    def __enter__(self) -> Upload:
        self.begin()
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def begin(self) -> None:
        """Announce it on a new connection, and send nothing yet."""
        address, self._begun = urlsplit(self._url), False
        self._connection = socket.create_connection((address.hostname, address.port or 80), timeout=30)
        headers = {"Host": address.netloc, **_headers(self._visitor), "Content-Length": str(self._announced)}
        headers |= {"Transfer-Encoding": "chunked"} if self._chunked else {}
        lines = [f"PUT {_path(self._visitor)} HTTP/1.1", *(f"{name}: {text}" for name, text in headers.items()), "", ""]
        self._connection.sendall("\r\n".join(lines).encode())

    def send(self, content: bytes) -> bool:
        """Send some more of the file; whether the server still listens."""
        try:
            if not select.select([self._connection], [], [], 0)[0]:
                self._send(content)
                return True
            answer = self._connection.recv(1 << 16)
        except OSError:
            answer = b""
        self._connection.close()
        self.ended.append(int(answer.split()[1]) if answer else None)
        return False

    def _send(self, content: bytes) -> None:
        if not content:
            return
        part = content if self._begun else BEGINS + content
        self._begun = True
        self._connection.sendall(b"%x\r\n%b\r\n" % (len(part), part) if self._chunked else part)


def _path(visitor: Visitor, file_id: str = "") -> str:
    return f"/_stcore/upload_file/{visitor.session}/{file_id or uuid4()}"


def _headers(visitor: Visitor) -> dict[str, str]:
    return {
        "Cookie": visitor.cookie,
        "X-Xsrftoken": visitor.cookie.partition("=")[2],
        "Content-Type": "multipart/form-data; boundary=part",
    }
