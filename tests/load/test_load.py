"""Many people on one server: each gets the own answer, nobody waits for another, and nothing is left behind.

`pytest tests/load --slow=with -s` prints the times and the memory. Both are compared with those of a quiet time on the
same server just before, since machines differ.
"""

import json
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from threading import Barrier, Event

import psutil
import pytest
from playwright.sync_api import Browser
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages.learn.texts import text_of
from pages.room.membership import CLOSED
from pages.server import sessions
from tests.browser import driving
from tests.browser.asking import press
from tests.jobs.test_queue import wait
from tests.load.attacks import ATTACKS, SECONDS, WISHES, Block, Flood, slow_links
from tests.load.classroom import Person, Visit, classroom, drag, heard_of_others, in_words, open_room, visit
from tests.load.visitor import ANSWER_SECONDS, Visitor, visiting
from tests.narrowing import present

pytestmark = pytest.mark.slow
a_crowd = pytest.mark.slow(days=16)
"""Takes two to eight minutes, of which a fresh machine has one crowd a day."""

Say = Callable[[str, str], None]
MEGABYTE = 1_000_000
KEPT_SECONDS = 2 * 60 + 5
"""For two minutes Streamlit keeps the session of somebody who has left."""
COLLECTION_SECONDS = 2
"""So often the server looks for garbage."""
TIMES_MEMORY = 1.2
PEOPLE, FIRST_SECONDS = 30, 5
TIMES_QUIET, ALLOWANCE = 2.0, 0.3
"""How many times as long as in quiet a change may take in the median, and so many seconds."""
MORE_SECONDS, TIMES_LONGEST = 2.0, 3.0
"""The same of the longest one, for somebody who is alone beside the work of one other."""
BESIDE_SECONDS, AFTER_SECONDS = 45, 30
"""The first is more than a simulation may take on a server, and the reading of the file."""
FLOODS = [Flood(new=True, tabs=4, seconds=3), Flood(new=False, tabs=4, seconds=3)]
CORES = os.cpu_count() or 1
OTHERS = CORES + 3
"""Threads that listen to processes, look after them, and run the page of somebody else."""
WAVES, WAVE_SECONDS = 24, 20
STUDENTS, ROOMS = 60, 2
LESSON = "halves"
REVEALED = "The answer is on this page now."
MOST_SECONDS = 3.0
BAR = 5
"""Elements and blocks of a student's line: its place, its row, the name, the button, and what to do."""
VISITORS, PRESSES = 8, 10
FILES = re.compile(r"simulation-not-private-Age-\d{4}-\d\d-\d\d\.(csv|json)|plan\.json")
HOW_MANY = 3


def server_of(url: str) -> psutil.Process:
    """The process of a server that this process has started."""
    port = url.rsplit(":", 1)[1]
    return next(child for child in psutil.Process().children() if port in child.cmdline())


def megabytes(server: psutil.Process) -> float:
    """The resident memory of the server and of the processes that it has started."""
    processes = [server, *server.children(recursive=True)]
    return sum(int(process.memory_info().rss) for process in processes) / MEGABYTE


def megabytes_when_forgotten(server: psutil.Process, url: str, page: str = "explore") -> float:
    """Once the sessions of all who left are over. Streamlit looks for such sessions only when somebody leaves."""
    time.sleep(KEPT_SECONDS)
    with visiting(url, page, ""):
        time.sleep(COLLECTION_SECONDS)
    return megabytes(server)


def waits(url: str, seconds: float, people: int = 1) -> list[float]:
    """How long each change takes while all drag, in order of length."""
    ready = Barrier(people)
    with ThreadPoolExecutor(people) as threads:
        dragging = [threads.submit(drag, url, ready, seconds) for _ in range(people)]
        return sorted(wait for each in dragging for wait in each.result())


def in_short(times: list[float]) -> str:
    return f"{times[len(times) // 2]:.2f} s (median), {times[-1]:.1f} s (longest)"


@a_crowd
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: str(attack.__name__))
def test_nobody_else_waits_for_long_and_nothing_is_left_behind(attack: Block, server: driving.Server, say: Say) -> None:
    """Everybody else closes the tab, whose session ends then; the visitor who attacks just hangs up."""
    process = server_of(server.url)
    waits(server.url, FIRST_SECONDS, PEOPLE)  # the server has everything in memory then
    quiet = waits(server.url, SECONDS, PEOPLE)
    time.sleep(sessions.GRACE_SECONDS + COLLECTION_SECONDS)
    at_first = megabytes(process)
    with attack(server.url):
        beside = waits(server.url, SECONDS, PEOPLE)
        at_once = megabytes(process)
    before, after = quiet[len(quiet) // 2], beside[len(beside) // 2]
    at_last = megabytes_when_forgotten(process, server.url)
    memory = f"{at_first:.0f} MB before, {at_once:.0f} MB beside it, {at_last:.0f} MB when forgotten"
    say(attack.__name__, f"{in_short(quiet)}; {in_short(beside)}; {memory}")
    assert after < TIMES_QUIET * before + ALLOWANCE
    assert at_last <= TIMES_MEMORY * at_first


@a_crowd
@pytest.mark.parametrize("wish", WISHES, ids=lambda wish: str(wish.__name__))
def test_nobody_waits_for_the_most_expensive_wish_of_another(wish: Block, server: driving.Server, say: Say) -> None:
    process = server_of(server.url)
    waits(server.url, FIRST_SECONDS)
    quiet, threads = waits(server.url, FIRST_SECONDS * 2), process.num_threads()
    with ThreadPoolExecutor(1) as aside:
        others = aside.submit(waits, server.url, BESIDE_SECONDS)
        with wish(server.url):
            beside = others.result()
    after = waits(server.url, AFTER_SECONDS)
    say(wish.__name__, f"{in_short(quiet)}; beside it {in_short(beside)}; after it {in_short(after)}")
    assert max(beside[-1], after[-1]) < max(quiet[-1] + MORE_SECONDS, TIMES_LONGEST * quiet[-1])
    wait(lambda: process.num_threads() <= threads + OTHERS)
    assert len(alive(process)) <= CORES


def alive(server: psutil.Process) -> list[psutil.Process]:
    return [child for child in server.children(recursive=True) if child.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.parametrize("flood", FLOODS, ids=lambda flood: str(flood.__name__))
def test_a_tab_has_one_thread_however_often_it_asks_and_then_none(server: driving.Server, flood: Flood) -> None:
    process, most = server_of(server.url), 0
    waits(server.url, 1)
    before = process.num_threads()
    with flood(server.url), visiting(server.url, "explore", ""):
        ends = time.monotonic() + 2 * flood.seconds
        while time.monotonic() < ends:
            most = max(most, process.num_threads())
            time.sleep(0.05)
    assert most <= before + 2 * flood.tabs + OTHERS, "one that ends may be beside the next"
    wait(lambda: process.num_threads() <= before + OTHERS)
    assert len(alive(process)) <= CORES


def slow_ones(url: str) -> list[psutil.Process]:
    """The processes that the server has started and that have given way to others."""
    usual = psutil.Process().nice()
    found = []
    for child in server_of(url).children(recursive=True):
        try:
            found += [child] if child.nice() > usual and child.status() != psutil.STATUS_ZOMBIE else []
        except psutil.NoSuchProcess:
            continue
    return found


def test_a_link_that_computes_for_long_makes_nobody_wait_and_ends_with_its_visitor(server: driving.Server) -> None:
    """What others ask is answered while the long work still goes on."""
    with visiting(server.url, "explore", "") as other:
        with slow_links(server.url):
            wait(lambda: len(slow_ones(server.url)) > 1)
            at_work = slow_ones(server.url)
            field = other.widget_id("text_input", "exact epsilon")
            for amount in ("0.5", "2"):
                other.act(WidgetState(id=field, string_value=amount))
                assert f"ε = {amount}" in other.said()
            assert [each for each in at_work if each.is_running()], "two changes were answered while a link is at work"
            with visiting(server.url, "explore", "") as newcomer:
                assert newcomer.all_of("plotly_chart"), "a newcomer sees the first picture"
        wait(lambda: not slow_ones(server.url))


def test_eight_people_get_their_own_answers(calm: driving.Server, say: Say) -> None:
    visits = classroom(calm.url, people=8, seconds=4)
    say("eight people", in_words(visits))
    assert not heard_of_others(visits)


def test_an_answer_to_somebody_else_would_be_noticed(calm: driving.Server) -> None:
    """The control: frames of somebody else among one's own, and frames exchanged."""
    one, other = (visit(calm.url, Person(number), time.monotonic()) for number in range(2))
    mixed = [Visit(one.person, one.content + other.content, 0, 0, (0,)), other]
    exchanged = [Visit(one.person, other.content, 0, 0, (0,)), Visit(other.person, one.content, 0, 0, (0,))]
    assert not heard_of_others([one, other])
    assert heard_of_others(mixed) == ["person 0 was sent word and median of 1: (True, True)"]
    assert len(heard_of_others(exchanged)) == 4


@a_crowd
@pytest.mark.browser
def test_thirty_people_and_a_browser(calm: driving.Server, browser: Browser, say: Say) -> None:
    """Everybody arrives within 30 s and presses five times, so that for a while all are there; then all leave."""
    process = server_of(calm.url)
    visit(calm.url, Person(500), time.monotonic())
    before = megabytes(process)
    with ThreadPoolExecutor(1) as aside:
        going = aside.submit(classroom, calm.url, people=PEOPLE, seconds=30, presses=5, pause=5)
        pressed = press_until(going.done, browser, calm.url)
        visits = going.result()
    busy = megabytes(process)
    say("thirty people", in_words(visits))
    say("the browser beside them", f"{len(pressed)} presses, {max(pressed):.1f} s at most from button to result")
    assert not heard_of_others(visits)
    after = megabytes_when_forgotten(process, calm.url)
    say("memory of the server", f"{before:.0f} MB after one, {busy:.0f} MB with all, {after:.0f} MB when forgotten")
    assert after <= TIMES_MEMORY * before


def press_until(done: Callable[[], bool], browser: Browser, url: str) -> list[float]:
    """One more person, with a real browser and an example, who presses until the others are done; seconds per press."""
    page = driving.new_visitor(browser).new_page()
    page.goto(f"{url}/explore")
    page.get_by_test_id("stMetricValue").first.wait_for()
    found: list[float] = []
    while not done() or not found:
        pressed = time.monotonic()
        press(page, "New noise")
        page.get_by_text(f"Simulation with seed {len(found) + 2},").wait_for()
        found.append(time.monotonic() - pressed)
        page.wait_for_timeout(2_000)
    assert page.get_by_test_id("stException").count() == 0
    page.context.close()
    return found


@a_crowd
def test_a_lesson_long_the_memory_does_not_grow(calm: driving.Server, say: Say) -> None:
    """Eight people come in each wave and leave; the last eight waves need no more than an earlier eight.

    A session is kept for two minutes, so that six waves are there at once.
    """
    process, sizes = server_of(calm.url), []
    start = time.monotonic()
    for wave in range(WAVES):
        visits = classroom(calm.url, people=8, seconds=WAVE_SECONDS / 4)
        assert not heard_of_others(visits)
        sizes.append(megabytes(process))
        time.sleep(max(0.0, start + (wave + 1) * WAVE_SECONDS - time.monotonic()))
    say("memory of the server, each wave in MB", " ".join(f"{size:.0f}" for size in sizes))
    assert max(sizes[-8:]) <= 1.1 * max(sizes[6:14])


def fetch(url: str, address: str, **headers: str) -> tuple[int, str]:
    asked = urllib.request.Request(f"{url}/{address}", headers=headers)
    try:
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return answer.status, answer.read().decode("utf-8-sig")
    except urllib.error.HTTPError as error:
        return error.code, ""


def press_and_fetch(url: str, number: int) -> list[int]:
    """Press New noise again and again, and take every file away: with the seed that was just pressed."""
    found = []
    with visiting(url, "explore", f"epsilon={number + 1}") as visitor:
        for press in range(PRESSES):
            visitor.press("New noise")
            files = {name: link for name, link in visitor.links().items() if FILES.fullmatch(name)}
            assert len(files) == HOW_MANY
            for name in sorted(files):
                status, content = fetch(url, files[name])
                found.append(status)
                if status == 200 and "simulation" in name:
                    assert re.search(rf'"seed": "?{press + 2}\b', content) or f",{press + 2}," in content
                if name.endswith(".json") and status == 200:
                    said = json.loads(content)
                    asked = [one["privacy"] for one in said["plans"].values()] if "plans" in said else [said["budget"]]
                    assert [float(budget["epsilon"]) for budget in asked] == [number + 1]
    return found


def test_every_file_is_found_while_others_are_at_work(server: driving.Server) -> None:
    """Each is found, and is that of who asked, whatever the others do meanwhile."""
    with ThreadPoolExecutor(VISITORS) as threads:
        visits = [threads.submit(press_and_fetch, server.url, number) for number in range(VISITORS)]
        found = [status for visit in visits for status in visit.result()]
    assert found == [200] * VISITORS * PRESSES * HOW_MANY


def test_an_address_ends_with_its_tab_and_is_for_this_host_only(server: driving.Server) -> None:
    with visiting(server.url, "explore", "") as visitor:
        address = visitor.links()["plan.json"]
        assert fetch(server.url, address)[0] == 200
        assert fetch(server.url, address, Host="rebound.example.org") == (400, "")
        assert fetch(server.url, f"download/{'0' * 32}") == (404, "")
        visitor.leave()
    wait(lambda: fetch(server.url, address)[0] != 200)
    assert fetch(server.url, address) == (404, "")


@contextmanager
def room(url: str) -> Iterator[tuple[Visitor, str]]:
    """A lecturer with a room for a lesson, and the room's link."""
    with visiting(url, "learn", f"lesson={LESSON}") as lecturer:
        yield lecturer, f"room={open_room(lecturer)}"


def test_what_the_lecturer_shows_comes_to_students_who_ask_for_nothing(calm: driving.Server) -> None:
    with room(calm.url) as (lecturer, link), visiting(calm.url, "learn", link) as student:
        for label, words in (
            ("Ask everyone", "Make your prediction below."),
            ("Reveal", REVEALED),
            ("Close the room", "The room has ended."),
        ):
            lecturer.press(label)
            assert student.called_within(ANSWER_SECONDS)
            assert student.sees(words)
        student.query = link
        student.open()
        assert student.sees(words), "also where its page has run twice in a moment"
        assert not student.sees("no room with this code")


def bird(visitor: Visitor) -> str:
    """Whom a student's page says that it is of."""
    return present(re.search(r"You are \*\*(.*?)\*\*", visitor.said()))[1]


def noise(visitor: Visitor) -> str:
    return present(re.search(r"seed=(1\d{4})", visitor.query))[1]


def predict(student: Visitor, which: int) -> None:
    asked = text_of(LESSON).predict
    student.act(WidgetState(id=student.widget_id("radio", asked.text), string_value=asked.choices[which].text))


def test_who_reloads_is_the_same_student_and_who_gets_the_address_is_another(calm: driving.Server) -> None:
    with room(calm.url) as (lecturer, link):
        lecturer.press("Ask everyone")
        with visiting(calm.url, "learn", link) as student:
            predict(student, 0)
            name, cookie, address = bird(student), student.cookie, student.query
        assert student.cookie not in address
        with visiting(calm.url, "learn", address, cookie) as again, visiting(calm.url, "learn", address) as other:
            assert bird(again) == name
            assert again.sees("Your prediction is in; wait for the others.")
            assert bird(other) != name
            assert other.sees("Make your prediction below.")
            lecturer.poll_until(partial(lecturer.sees, "1 of 2 have predicted."))
            assert not lecturer.sees(f"1  {text_of(LESSON).predict.choices[0].text}")
            lecturer.go("explore")
            lecturer.press("Everybody draws")
            for visitor in (again, other):
                visitor.poll_until(partial(visitor.sees, "your own noise"))
            seed, address = noise(again), again.query
            assert noise(other) != seed
        with visiting(calm.url, "explore", address, cookie) as again:
            assert (bird(again), noise(again)) == (name, seed)


def test_who_leaves_is_out_and_who_closes_is_told_so(calm: driving.Server) -> None:
    with room(calm.url) as (lecturer, link):
        with visiting(calm.url, "learn", link) as student:
            leave = WidgetState(id=student.widget_id("button", "Leave"), trigger_value=True)
            student.act_in(present(student.auto_rerun).fragment_id, leave)
            student.open()
            assert "in room" not in student.said()
            assert "room=" not in student.query
        close = WidgetState(id=lecturer.widget_id("button", "Close the room"), trigger_value=True)
        lecturer.act_in(present(lecturer.auto_rerun).fragment_id, close)
        assert lecturer.sees(CLOSED)
        assert not lecturer.sees("no room with this code")
        assert "room=" not in lecturer.query


def test_a_page_that_was_turned_is_not_emptied_by_what_its_browser_asked_before(calm: driving.Server) -> None:
    """A student's page says every few seconds that it is there; here at the moment when the lecturer turns it."""
    with room(calm.url) as (lecturer, link), visiting(calm.url, "learn", link) as student:
        lecturer.go("explore")
        learn, word = student.page_script_hash, present(student.auto_rerun)
        lecturer.press("Everybody draws")
        student.ask_again(word)
        assert student.sees("your own noise")
        assert student.page_script_hash == lecturer.page_script_hash != learn
        assert not student.called_within(1), "and nothing comes after it"
        student.ask_again(present(student.auto_rerun))
        assert student.sees("your own noise"), "what it asks of the new page is heard"


def test_a_whole_page_is_sent_before_a_part_of_it_is_made_again(calm: driving.Server) -> None:
    """Otherwise the part is missing among what the page says, and its browser puts it in the place of another."""
    with room(calm.url) as (_, link), visiting(calm.url, "learn", link) as student:
        part = present(student.auto_rerun).fragment_id
        for _ in range(40):
            before = len(student.frames)
            student.ask_whole_and_part(part)
            assert said_of(part, student.frames[before:]) == [BAR, BAR]


def said_of(part: str, frames: list[bytes]) -> list[int]:
    """How many elements and blocks of a part of the page each run has sent."""
    counts: list[int] = []
    for message in map(ForwardMsg.FromString, frames):
        kind = message.WhichOneof("type")
        if kind == "new_session":
            counts.append(0)
        elif kind == "delta" and message.delta.fragment_id == part:
            counts[-1] += 1
    return counts


@a_crowd
def test_sixty_people_in_two_rooms(calm: driving.Server, say: Say) -> None:
    """It takes three minutes, two of them to see what the server has forgotten; the times are said before."""
    process, revealed = server_of(calm.url), dict[str, float]()
    with visiting(calm.url, "learn", f"lesson={LESSON}"):
        before = megabytes(process)

    def attend(link: str, number: int, there: Event) -> float:
        """Come, predict when asked, and return the seconds from the reveal to the own picture."""
        with visiting(calm.url, "learn", link) as student:
            student.poll_until(partial(student.sees, "Make your prediction below."))
            predict(student, number % 2)
            there.set()
            student.poll_until(partial(student.sees, REVEALED))
            assert student.all_of("plotly_chart")
            return time.monotonic() - revealed[link]

    with ExitStack() as stack, ThreadPoolExecutor(STUDENTS) as threads:
        rooms = [stack.enter_context(room(calm.url)) for _ in range(ROOMS)]
        there = [Event() for _ in range(STUDENTS)]
        for lecturer, _ in rooms:
            lecturer.press("Ask everyone")
        visits = [threads.submit(attend, rooms[at % ROOMS][1], at, there[at]) for at in range(STUDENTS)]
        assert all(event.wait(120) for event in there)
        for lecturer, link in rooms:
            revealed[link] = time.monotonic()
            lecturer.press("Reveal")
        found = sorted(each.result() for each in visits)
        say("from reveal to picture", in_short(found))
        for lecturer, _ in rooms:
            lecturer.poll_until(partial(lecturer.sees, f"{STUDENTS // ROOMS} of"))
            lecturer.press("Close the room")
    busy = megabytes(process)
    after = megabytes_when_forgotten(process, calm.url, "learn")
    say("memory of the server", f"{before:.0f} MB before, {busy:.0f} MB with all, {after:.0f} MB when forgotten")
    assert found[-1] <= MOST_SECONDS
    assert after <= TIMES_MEMORY * before
