"""People who drag beside one visitor who wants to stall the server: they wait about as long as without that one.

Times are compared with those of a quiet half minute on the same server just before, since machines differ.
`pytest tests/load/test_attacks.py -m "" -s` prints both.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from threading import Barrier
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidHandshake

from tests.browser import driving
from tests.load.classroom import drag
from tests.load.test_downloads import links
from tests.load.test_stalls import JOINT
from tests.load.visitor import connecting, visiting

PEOPLE, SECONDS, FIRST_SECONDS = 30, 30, 5
SLOW_LINKS, SOCKETS, SILENT, DOWNLOADS = 5, 200, 200, 200
TIMES_QUIET, ALLOWANCE = 2.0, 0.3
"""How many times as long as in quiet a change may take in the median, and so many seconds."""


@contextmanager
def slow_links(url: str) -> Iterator[None]:
    """Open pages whose simulations run until the server ends them."""
    with ExitStack() as there:
        for _ in range(SLOW_LINKS):
            there.enter_context(connecting(url, "quantiles", JOINT)).ask_and_not_wait()
        yield


@contextmanager
def many_sockets(url: str) -> Iterator[None]:
    """Open as many pages of one browser as the server allows, and ask for more."""
    with ExitStack() as there:
        first = there.enter_context(connecting(url, "quantiles", ""))
        refused = 0
        for _ in range(SOCKETS):
            try:
                there.enter_context(connecting(url, "quantiles", "", first.cookie))
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
    done = threading.Event()

    def ask(addresses: list[str]) -> None:
        for number in range(DOWNLOADS):
            if done.wait(SECONDS / DOWNLOADS):
                return
            with _connection(url) as connection:
                address = addresses[number % len(addresses)]
                host = urlsplit(url).netloc
                connection.sendall(f"GET /{address} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())

    with visiting(url, "quantiles", "") as visitor, ThreadPoolExecutor(1) as aside:
        asking = aside.submit(ask, sorted(links(visitor).values()))
        try:
            yield
        finally:
            done.set()
            asking.result()


def _connection(url: str) -> socket.socket:
    host, _, port = urlsplit(url).netloc.partition(":")
    return socket.create_connection((host, int(port)), timeout=30)


def waits(url: str, seconds: float = SECONDS) -> list[float]:
    """How long each change takes while all drag, in order of length."""
    ready = Barrier(PEOPLE)
    with ThreadPoolExecutor(PEOPLE) as threads:
        people = [threads.submit(drag, url, ready, seconds) for _ in range(PEOPLE)]
        return sorted(wait for each in people for wait in each.result())


@pytest.mark.very_slow
@pytest.mark.parametrize("attack", [slow_links, many_sockets, silent_connections, unheard_downloads])
def test_nobody_else_waits_for_long(
    attack: Callable[[str], AbstractContextManager[None]], tmp_path: Path, say: Callable[[str, str], None]
) -> None:
    with driving.serve(tmp_path / "server.log") as server:
        waits(server.url, FIRST_SECONDS)  # the server has everything in memory then
        quiet = waits(server.url)
        with attack(server.url):
            beside = waits(server.url)
    before, after = quiet[len(quiet) // 2], beside[len(beside) // 2]
    say(
        attack.__name__,
        f"{before:.2f} s and {after:.2f} s (median), {quiet[-1]:.1f} s and {beside[-1]:.1f} s (longest)",
    )
    assert after < TIMES_QUIET * before + ALLOWANCE
