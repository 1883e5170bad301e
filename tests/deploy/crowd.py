"""People who release from columns of their own on a deployed server; one process is killed while they press."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from threading import Barrier, BrokenBarrierError, Semaphore
from urllib.parse import urlencode

import pyarrow as pa
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed

from dpq_core.ledger import upkeep
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.checking import State
from dpq_core.ledger.history.entries import standing
from pages.frame.header import LOST, PAID
from tests.deploy import people
from tests.deploy.machine import KEY, Machine
from tests.load import classroom
from tests.load.visitor import Visitor

EPSILON = Decimal("0.5")
LINK = urlencode({"data": "paste", "quantiles": "quartiles", "epsilon": EPSILON})
CONFIRM, MOST_PRESSES = "Yes, release", 5
AT_THE_PROVIDER = Semaphore(4)
"""The tests' provider of sign-in answers no more people at a time."""


def email_of(number: int) -> str:
    return f"curator{number}@example.org"


@dataclass
class Story:
    """What happened to one person."""

    column: classroom.Person
    person: people.Person
    processes: list[str] = field(default_factory=list)
    """The letters of those that served this person, one after the other."""
    presses: int = 0
    answers: list[list[int]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    """From each press to its answer."""
    away: float = 0.0
    """Seconds from the broken connection to a page that says so; 0 for those who lost none."""
    frames: list[bytes] = field(default_factory=list)


def live(machine: Machine, number: int, pressing: Barrier) -> Story:
    """Sign in, release twice (the second time all at once), and where the connection breaks come back and go on."""
    story = Story(classroom.Person(number), people.Person(machine, email_of(number)))
    session = ""
    try:
        with AT_THE_PROVIDER:
            story.person.sign_in()
        with story.person.visiting("quantiles", LINK) as visitor:
            session = _arrive(story, visitor)
            _bring(visitor, story.column)
            _release(story, visitor)
            pressing.wait()
            _release(story, visitor)
    except ConnectionClosed:
        _come_back(story, session)
    except BaseException:
        pressing.abort()  # nobody waits for this one
        raise
    return story


def _come_back(story: Story, session: str) -> None:
    lost = time.monotonic()
    with story.person.visiting("quantiles", LINK, session) as visitor:
        said = " ".join(markdown.body for markdown in visitor.all_of("markdown"))
        assert LOST in said
        assert PAID in said
        story.away = time.monotonic() - lost
        assert _arrive(story, visitor) != session
        visitor.act(WidgetState(id=visitor.widget_id("button", "I see"), trigger_value=True))
        assert LOST not in " ".join(markdown.body for markdown in visitor.all_of("markdown"))
        _bring(visitor, story.column)
        _release(story, visitor)


def _arrive(story: Story, visitor: Visitor) -> str:
    visitor.frames = story.frames = [*story.frames, *visitor.frames]
    story.processes.append(story.person.cookies[people.PROCESS])
    return people.session_of(visitor)


def data_set_of(column: classroom.Person) -> str:
    """The name of a person's data set, which the server offers to everybody; nothing else of it is theirs."""
    return f"records {column.number}"


def _bring(visitor: Visitor, column: classroom.Person) -> None:
    """Paste the column, wait until it is read, say what is known of it and whose budget pays."""
    visitor.act(
        WidgetState(id=visitor.widget_id("text_area", "Values"), string_value=column.pasted),
        WidgetState(id=visitor.widget_id("button", "Read these values"), trigger_value=True),
    )
    visitor.wait_for("button", "Forget my data")
    said = column.said | {"Name of the data set": data_set_of(column)}
    visitor.act(*(WidgetState(id=visitor.widget_id("text_input", name), string_value=said[name]) for name in said))


def _ask(visitor: Visitor) -> None:
    """Press Release until the page asks whether to release.

    That the data set is a new one has to be said as soon as there is another one, which may be made before any press.
    """
    for _ in range(MOST_PRESSES):
        buttons = visitor.all_of("button")
        if any(button.label == CONFIRM for button in buttons):
            return
        ready = [button.id for button in buttons if button.label == "Release" and not button.disabled]
        new = [box.id for box in visitor.all_of("checkbox") if "is a new data set" in box.label.replace("\\", "")]
        said = [WidgetState(id=box, bool_value=True) for box in new]
        visitor.act(*([WidgetState(id=ready[0], trigger_value=True)] if ready else said))
    raise AssertionError("the page never asked whether to release")


def _release(story: Story, visitor: Visitor) -> None:
    """Press Release, and say yes; the answer is that of this person's column."""
    began = time.monotonic()
    story.presses += 1
    for _ in range(MOST_PRESSES):
        _ask(visitor)
        visitor.act(WidgetState(id=visitor.widget_id("button", CONFIRM), trigger_value=True))
        tables = [table for table in visitor.all_of("dataframe") if table.alt.startswith("Released private quantiles")]
        if tables:
            break
    (numbers,) = tables
    story.seconds.append(time.monotonic() - began)
    columns = pa.ipc.open_stream(numbers.arrow_data.data).read_all().to_pydict()
    answer = [int(cell) for cell in columns["private"]]
    column = story.column
    assert all(column.lower <= value <= column.lower + classroom.WIDTH for value in answer)
    story.answers.append(answer)


def crowd(machine: Machine, size: int, after: float) -> tuple[str, list[Story]]:
    """Have so many people live their stories, and kill the first process while all press; return its letter.

    `after`: seconds from the second press of all to the kill.
    """
    pressing = Barrier(size + 1, timeout=600)
    with ThreadPoolExecutor(size) as threads:
        stories = [threads.submit(live, machine, number, pressing) for number in range(size)]
        try:
            pressing.wait()
        except BrokenBarrierError as error:
            raise _first_of(stories) or error from None
        time.sleep(after)
        machine.processes["a"].kill()
        return "a", [story.result() for story in stories]


def _first_of(stories: Sequence[Future[Story]]) -> BaseException | None:
    """What happened to somebody who could not go on, for whom all others waited."""
    found = [story.exception() for story in stories]
    return next((error for error in found if error and not isinstance(error, BrokenBarrierError)), None)


def check(machine: Machine, killed: str, stories: Sequence[Story]) -> None:
    """Nobody paid for more than was pressed or for another, nobody was sent another's words, all went on."""
    ledger = Ledger.at(machine.ledger, key=KEY, heads=machine.folder / "heads")
    try:
        assert not [each.problem for each in upkeep.verify(ledger) if each.problem]
        assert upkeep.entries_lost(ledger) == 0
        assert len(ledger.accounts()) == len(stories)
        for story in stories:
            _check_charges(ledger, killed, story)
    finally:
        ledger.engine.dispose()
    for story in stories:
        content, own = b"".join(story.frames), story.column.word
        assert own.encode() in content
        words = [other.column.word for other in stories if other is not story]
        assert not [word for word in words if word.encode() in content]


def _check_charges(ledger: Ledger, killed: str, story: Story) -> None:
    found = standing(ledger.account(data_set_of(story.column)))
    states = [entry.state for entry in found.entries]
    assert {entry.who for entry in found.entries} == {story.person.email}
    assert found.total.epsilon == len(states) * EPSILON
    if story.away:
        assert story.processes[0] == killed
        assert story.processes[1] != killed
        assert len(story.answers) <= len(states) <= story.presses, "a press is charged once at most"
        assert states.count(State.CHARGED) <= 1
        assert set(states) <= {State.CHARGED, State.ANSWERED}
    else:
        assert states == [State.ANSWERED] * story.presses
        assert len(story.answers) == story.presses
