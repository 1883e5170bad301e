"""A classroom on one server: nobody waits long, sees an error or hears of somebody else; and what is left behind.

`pytest tests/load -m "" -s` prints the times. Only the test with 30 people has a limit on them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from playwright.sync_api import Browser

from tests.browser import driving
from tests.browser.quantiles import press
from tests.load.classroom import (
    Person,
    Visit,
    classroom,
    drag,
    heard_of_others,
    in_words,
    visit,
)
from tests.load.memory import megabytes, megabytes_when_forgotten, server_of

SOAK_SECONDS = 24 * 60
WAVE_SECONDS = 60
DRAGGING, DRAGGING_SECONDS, MOST_MEDIAN_SECONDS = 30, 60, 1.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[driving.Server]:
    """A server that nobody has visited; at the end its log must have no trace of an error."""
    with driving.serve(tmp_path / "server.log") as running:
        yield running
    log = running.log.read_text(errors="replace")
    assert not [word for word in ("Traceback", "Error", "Exception", " ended with ") if word in log], log[-4000:]


@pytest.mark.slow
def test_eight_people_get_their_own_answers(server: driving.Server, say: Callable[[str, str], None]) -> None:
    visits = classroom(server.url, people=8, seconds=4)
    say("eight people", in_words(visits))
    assert not heard_of_others(visits)


@pytest.mark.very_slow
def test_an_answer_to_somebody_else_would_be_noticed(server: driving.Server) -> None:
    """The control: frames of somebody else among one's own, and frames exchanged."""
    one, other = (visit(server.url, Person(number), time.monotonic()) for number in range(2))
    mixed = [Visit(one.person, one.content + other.content, 0, 0, (0,)), other]
    exchanged = [Visit(one.person, other.content, 0, 0, (0,)), Visit(other.person, one.content, 0, 0, (0,))]
    assert not heard_of_others([one, other])
    assert heard_of_others(mixed) == ["person 0 was sent word and median of 1: (True, True)"]
    assert len(heard_of_others(exchanged)) == 4


@pytest.mark.very_slow
@pytest.mark.browser
def test_thirty_people_and_a_browser(server: driving.Server, browser: Browser, say: Callable[[str, str], None]) -> None:
    """Everybody arrives within 30 s and presses five times, so that for a while all are there; then all leave."""
    process = server_of(server.url)
    visit(server.url, Person(500), time.monotonic())
    before = megabytes(process)
    with ThreadPoolExecutor(1) as aside:
        going = aside.submit(classroom, server.url, people=30, seconds=30, presses=5, pause=5)
        waits = press_until(going.done, browser, server.url)
        visits = going.result()
    busy = megabytes(process)
    say("thirty people", in_words(visits))
    say("the browser beside them", f"{len(waits)} presses, {max(waits):.1f} s at most from button to result")
    assert not heard_of_others(visits)
    after = megabytes_when_forgotten(process, server.url)
    say(
        "memory of the server",
        f"{before:.0f} MB after one visit, {busy:.0f} MB with all, {after:.0f} MB when forgotten",
    )
    assert after <= 1.2 * before


@pytest.mark.very_slow
def test_thirty_people_drag_epsilon_for_a_minute(server: driving.Server, say: Callable[[str, str], None]) -> None:
    ready = Barrier(DRAGGING)
    with ThreadPoolExecutor(DRAGGING) as threads:
        people = [threads.submit(drag, server.url, ready, DRAGGING_SECONDS) for _ in range(DRAGGING)]
        waits = sorted(wait for each in people for wait in each.result())
    middle = waits[len(waits) // 2]
    say("thirty people dragging", f"{len(waits)} changes, {middle:.2f} s (median), {waits[-1]:.1f} s (longest)")
    assert middle < MOST_MEDIAN_SECONDS


@pytest.mark.very_slow
def test_a_lesson_long_the_memory_does_not_grow(server: driving.Server, say: Callable[[str, str], None]) -> None:
    """Eight people come each minute and leave; the last eight minutes need no more than an earlier eight."""
    process, sizes = server_of(server.url), []
    start = time.monotonic()
    for wave in range(SOAK_SECONDS // WAVE_SECONDS):
        visits = classroom(server.url, people=8, seconds=WAVE_SECONDS / 4)
        assert not heard_of_others(visits)
        sizes.append(megabytes(process))
        time.sleep(max(0.0, start + (wave + 1) * WAVE_SECONDS - time.monotonic()))
    say("memory of the server, each minute in MB", " ".join(f"{size:.0f}" for size in sizes))
    assert max(sizes[-8:]) <= 1.1 * max(sizes[4:12])


def press_until(done: Callable[[], bool], browser: Browser, url: str) -> list[float]:
    """One more person, with a real browser and an example, who presses until the others are done; seconds per press."""
    page = driving.new_visitor(browser).new_page()
    page.goto(f"{url}/quantiles")
    page.get_by_test_id("stMetricValue").first.wait_for()
    waits: list[float] = []
    while not done() or not waits:
        pressed = time.monotonic()
        press(page, "New noise")
        page.get_by_text(f"Simulation with seed {len(waits) + 2},").wait_for()
        waits.append(time.monotonic() - pressed)
        page.wait_for_timeout(2_000)
    assert page.get_by_test_id("stException").count() == 0
    page.context.close()
    return waits
