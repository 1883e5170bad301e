"""People who drag beside one visitor who wants to stall the server: they wait about as long as without that one.

Times are compared with those of a quiet half minute on the same server just before, since machines differ; so is what
the server holds once all have gone. `pytest tests/load/test_attacks.py -m "" -s` prints both.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Barrier

import pytest

from pages.server import databases, sessions
from tests.browser import driving
from tests.jobs.test_databases import ENDLESS
from tests.load import attacks
from tests.load.classroom import drag
from tests.load.memory import COLLECTION_SECONDS, megabytes, megabytes_when_forgotten, server_of

PEOPLE, FIRST_SECONDS = 30, 5
TIMES_QUIET, ALLOWANCE = 2.0, 0.3
"""How many times as long as in quiet a change may take in the median, and so many seconds."""
TIMES_MEMORY = 1.2
ATTACKS = (
    attacks.slow_links,
    attacks.many_sockets,
    attacks.silent_connections,
    attacks.unheard_downloads,
    attacks.announced_uploads,
    attacks.unannounced_bytes,
    attacks.full_room,
    attacks.endless_reads,
)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[driving.Server]:
    """A server with a database; at the end its log must have no trace of an error."""
    sqlite3.connect(tmp_path / "some.sqlite").execute("CREATE TABLE some (x)").connection.close()
    source = f'label = "{attacks.SOURCE}"\nurl = "sqlite:///{tmp_path / "some.sqlite"}"\nquery = "{ENDLESS}"\n'
    sources = tmp_path / "sources.toml"
    sources.write_text(f"[[source]]\n{source}public = true\n")
    with driving.serve(tmp_path / "server.log", **{databases.FILE: str(sources)}) as running:
        yield running
    log = running.log.read_text(errors="replace")
    assert "Traceback" not in log, log[-4000:]


def waits(url: str, seconds: float = attacks.SECONDS) -> list[float]:
    """How long each change takes while all drag, in order of length."""
    ready = Barrier(PEOPLE)
    with ThreadPoolExecutor(PEOPLE) as threads:
        people = [threads.submit(drag, url, ready, seconds) for _ in range(PEOPLE)]
        return sorted(wait for each in people for wait in each.result())


@pytest.mark.very_slow
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: str(attack.__name__))
def test_nobody_else_waits_for_long_and_nothing_is_left_behind(
    attack: Callable[[str], AbstractContextManager[None]], server: driving.Server, say: Callable[[str, str], None]
) -> None:
    """Everybody else closes the tab, whose session ends then; the visitor who attacks just hangs up."""
    process = server_of(server.url)
    waits(server.url, FIRST_SECONDS)  # the server has everything in memory then
    quiet = waits(server.url)
    time.sleep(sessions.GRACE_SECONDS + COLLECTION_SECONDS)
    at_first = megabytes(process)
    with attack(server.url):
        beside = waits(server.url)
        at_once = megabytes(process)
    before, after = quiet[len(quiet) // 2], beside[len(beside) // 2]
    at_last = megabytes_when_forgotten(process, server.url)
    say(
        attack.__name__,
        f"{before:.2f} s and {after:.2f} s (median), {quiet[-1]:.1f} s and {beside[-1]:.1f} s (longest); "
        f"{at_first:.0f} MB before, {at_once:.0f} MB beside it, {at_last:.0f} MB when forgotten",
    )
    assert after < TIMES_QUIET * before + ALLOWANCE
    assert at_last <= TIMES_MEMORY * at_first
