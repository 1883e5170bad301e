"""People with columns of their own on one server: each brings one, presses Simulate, and knows its own answer."""

import json
import re
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import cycle
from threading import Barrier
from urllib.parse import urlencode

from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.browser.frames import found_in
from tests.load.visitor import Visitor, visiting
from tests.narrowing import present

RECORDS = 2_000
QUARTERS = (250, 500, 750)
"""A column is three heaps, so that its quartiles are the same by every definition."""
WIDTH = 1_000
MILLION = 1_000_000
DRAGGED = ("0.1", "0.2", "0.3", "0.5", "0.7", "1", "1.5", "2", "3")
RESTS = 0.5
"""Seconds between two changes: a slider rests 0.2 s before it asks, and somebody looks at what came."""
COMPLAINT = ":material/error:"
"""What begins every sentence about something that did not work."""
LETTERS = str.maketrans("0123456789", "bcdegkmnrt")
"""No s, because a word that ends with it is its own plural on the screen."""


@dataclass(frozen=True)
class Person:
    """Somebody whose number of records, values, bounds and wording nobody else has."""

    number: int

    @property
    def lower(self) -> int:
        return (self.number + 1) * MILLION

    @property
    def word(self) -> str:
        """What one of its records is called; it is written all over the screen."""
        return "quux" + f"{self.number:03}".translate(LETTERS)

    @property
    def records(self) -> int:
        return RECORDS + 2 * self.number

    @property
    def quartiles(self) -> list[int]:
        return [self.lower + quarter for quarter in QUARTERS]

    @property
    def pasted(self) -> str:
        return "\n".join(str(self.quartiles[at % 3]) for at in range(self.records))

    @property
    def link(self) -> str:
        return urlencode({"data": "paste", "quantiles": "quartiles", "epsilon": 2})

    @property
    def said(self) -> dict[str, str]:
        """What this person types of the column, by the labels of the fields."""
        bounds = {"Lowest": self.lower, "Highest": self.lower + WIDTH, "Step": 1}
        return {label: str(number) for label, number in bounds.items()} | {"One row is a": self.word}


@dataclass(frozen=True)
class Visit:
    """What somebody has seen; times in seconds."""

    person: Person
    content: bytes
    """Every frame that was sent to this person."""
    opened: float
    brought: float
    answered: tuple[float, ...]
    """From the button to the end of the run that shows the result, for each press."""


def visit(url: str, person: Person, start: float, presses: int = 1, pause: float = 0.0) -> Visit:
    """Arrive at `start` (of time.monotonic), bring the column, simulate `presses` times, leave."""
    time.sleep(max(0.0, start - time.monotonic()))
    began = time.monotonic()
    with visiting(url, "explore", person.link) as visitor:
        opened = time.monotonic()
        bring(visitor, person)
        brought = time.monotonic()
        answered = []
        for _ in range(presses):
            pressed = time.monotonic()
            visitor.act(WidgetState(id=main_button(visitor), trigger_value=True))
            answered.append(time.monotonic() - pressed)
            recognise(visitor, person)
            time.sleep(pause)
        return Visit(person, b"\n".join(visitor.frames), opened - began, brought - opened, tuple(answered))


def drag(url: str, ready: Barrier, seconds: float) -> list[float]:
    """Open the first page, and once all are there drag epsilon for so long; the seconds from each change to its end."""
    with visiting(url, "explore", "") as visitor:
        field = visitor.widget_id("text_input", "exact epsilon")
        ready.wait()
        ends, waits = time.monotonic() + seconds, list[float]()
        for amount in cycle((*DRAGGED, *DRAGGED[-2:0:-1])):
            changed = time.monotonic()
            if changed > ends:
                visitor.leave()
                return waits
            visitor.act(WidgetState(id=field, string_value=amount))
            waits.append(time.monotonic() - changed)
            assert f"ε = {amount}" in visitor.said(), "it is the answer to what was asked"
            assert not [said.body for said in visitor.all_of("markdown") if COMPLAINT in said.body]
            time.sleep(RESTS)
    raise AssertionError("a cycle has no end")


def open_room(lecturer: Visitor) -> str:
    """Open a room on the page that somebody has open, and return its code."""
    lecturer.press("Teach: open a room")
    return present(re.search("[0-9A-Z]{4}-[0-9A-Z]{4}", lecturer.said()))[0]


def main_button(visitor: Visitor) -> str:
    """The id of the button for the first picture, and after it for other noise."""
    labels = [button.label for button in visitor.all_of("button")]
    return visitor.widget_id("button", "New noise" if "New noise" in labels else "Simulate")


def bring(visitor: Visitor, person: Person) -> None:
    """Declare the column public, paste it, wait until it is read, and say what is known of it."""
    visitor.act(WidgetState(id=visitor.widget_id("checkbox", "This data is public or synthetic"), bool_value=True))
    visitor.act(
        WidgetState(id=visitor.widget_id("text_area", "Values"), string_value=person.pasted),
        WidgetState(id=visitor.widget_id("button", "Read these values"), trigger_value=True),
    )
    visitor.wait_for("button", "Forget my data")
    fields = [(visitor.widget_id("text_input", label), value) for label, value in person.said.items()]
    visitor.act(*(WidgetState(id=name, string_value=value) for name, value in fields))


def recognise(visitor: Visitor, person: Person) -> None:
    """The answer on the screen is that of this person's column: its truth, its count, its bounds; and it is drawn."""
    drawn = {trace.get("name"): trace.get("x") for trace in json.loads(visitor.all_of("plotly_chart")[0].spec)["data"]}
    true, private = ([int(value) for value in drawn[name]] for name in ("true", "private"))
    assert true == person.quartiles
    assert all(person.lower <= value <= person.lower + WIDTH for value in private)
    said = " ".join(each.body for kind in ("heading", "markdown") for each in visitor.all_of(kind))
    assert f" of {person.records:,}" in said
    assert person.word in said
    assert len(visitor.all_of("plotly_chart")) == 3, "two pictures, and the cloud of runs"


def classroom(url: str, people: int, seconds: float, presses: int = 1, pause: float = 0.0) -> list[Visit]:
    """So many people who arrive evenly over so many seconds, each in a thread; what went wrong for one is raised."""
    start = time.monotonic()
    with ThreadPoolExecutor(people) as threads:
        visits = [
            threads.submit(visit, url, Person(at), start + at * seconds / people, presses, pause)
            for at in range(people)
        ]
        return [visit.result() for visit in visits]


def heard_of_others(visits: Sequence[Visit]) -> list[str]:
    """Whose words or values were sent to somebody else; and who did not get their own."""
    complaints = []
    for one in visits:
        for other in visits:
            marks = other.person.word.encode() in one.content, _holds(one.content, other.person.quartiles[1])
            if marks != ((True, True) if one is other else (False, False)):
                complaints.append(
                    f"person {one.person.number} was sent word and median of {other.person.number}: {marks}"
                )
    return complaints


def _holds(content: bytes, median: int) -> bool:
    """Four bytes meet by chance in so many frames, eight do not."""
    return any(not way.startswith(("float32", "int32")) for way in found_in(content, median))


def in_words(visits: Sequence[Visit]) -> str:
    """The times of a classroom, for the report of a test."""
    answered = sorted(seconds for visit in visits for seconds in visit.answered)
    opened, brought = (max(getattr(visit, name) for visit in visits) for name in ("opened", "brought"))
    return (
        f"{len(visits)} people, {len(answered)} presses: from button to result {answered[len(answered) // 2]:.1f} s "
        f"(median), {answered[-1]:.1f} s (longest); "
        f"page opened within {opened:.1f} s, column read within {brought:.1f} s"
    )
