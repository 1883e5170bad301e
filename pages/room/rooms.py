"""Rooms of a class: what the lecturer shows, what students predict and draw. In memory, bounded, without private data.

A room holds the settings of one page with public data, as its link does, and what its students answered. It may hold
numbers that its lecturer declared public, and no other upload. It does not know who a person is: students have the name
of a bird.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from threading import RLock

from dpq_core.jobs.turns import Once
from dpq_core.noise.exact import ExactEntropy
from dpq_core.sources.examples import Example

from ..server.runs import OpenPage

MOST_ANSWERS = 20_000
"""Kept of a room: of 200 people to 100 questions."""
LETTERS, CODE_LENGTH = "23456789ABCDEFGHJKMNPQRSTUVWXYZ", 8
"""Of codes: none of those that look like each other."""
OWN_WRONG_CODES, WRONG_CODES, FIRST_CODES = 10, 300, 2_000
"""A minute: of one visitor; of the server, before it refuses those who were wrong already, and those who were not yet.

So nobody closes the door for all. In an hour 120,000 codes are tried at most, of 31^8: a room of 50 is found with a
chance of 7e-6.
"""
MOST_PEOPLE, MOST_OF_ADDRESS, MOST_ROOMS = 200, 100, 50
"""In a room; of them from one network address, which a whole class may share; and rooms on this server."""
MOST_TABS = 4
"""Of one student that are turned when the lecturer shows something: those that were opened last."""
OPEN_SECONDS = 2 * 3600.0
GONE_SECONDS = 20.0
"""A student who has not asked for so long has left, and can lose the place where the room is full."""
FIRST_OWN_SEED = 10_000
"""From here on count the seeds with which students draw noise of their own."""

COLOURS = (
    "amber", "azure", "blue", "bronze", "coral", "crimson", "golden", "green", "grey", "indigo", "ivory", "jade",
    "lilac", "orange", "pearl", "purple", "red", "silver", "teal", "white",
)  # fmt: skip
BIRDS = (
    "bunting", "crane", "cuckoo", "curlew", "dove", "duck", "eagle", "falcon", "finch", "gannet", "goose", "grebe",
    "gull", "heron", "jay", "kestrel", "kite", "lark", "magpie", "martin", "owl", "plover", "puffin", "raven",
    "robin", "rook", "sparrow", "starling", "stork", "swallow", "swan", "swift", "tern", "thrush", "wagtail", "wren",
)  # fmt: skip
NAMES = tuple(f"{colour} {bird}" for colour in COLOURS for bird in BIRDS)
"""Of students. There are 720, more than a room holds people."""


class RoomError(ValueError):
    """A room that cannot be opened or entered; the sentence says why and what to do."""


@dataclass
class Student:
    """A person in a room. `number`: from 0, in the order of coming; `answer`: of the own draw of public data.

    `browser`: what only this browser has, which comes again as the same student; `address`: its network. Either is
    empty where it is not known.
    """

    browser: str = field(repr=False)
    address: str = field(repr=False)
    name: str
    number: int
    seen: float
    prediction: str | None = None
    answer: float | None = None
    pages: dict[str, OpenPage] = field(default_factory=dict, repr=False)
    """By session, those that are run again when the lecturer shows something."""


@dataclass(frozen=True)
class Answered:
    """What a student predicted in a lesson, or drew; `turn`: which of the pages that were shown it belongs to."""

    turn: int
    lesson: str
    """Empty for a draw, which has a quantile and a true value."""
    axis: str
    student: str
    answer: str
    truth: float | None


@dataclass
class Room:
    """What everybody in a room sees, and what they have answered. Changed by `Rooms` alone."""

    code: str
    key: str
    """Known to the lecturer's session alone."""
    browser: str
    """What only the lecturer's browser has; empty where nothing is known of it."""
    opened: float
    page: str
    settings: Mapping[str, str]
    numbers: Example | None = None
    """What the lecturer brought, and declared public."""
    shown: int = 1
    """Grows with all that students have to see: they follow."""
    question: str = ""
    """The lesson whose prediction the room asks for."""
    revealed: bool = False
    drawing: bool = False
    """Whether everybody draws noise of their own."""
    truth: float | None = None
    axis: str = ""
    """What the answers are of."""
    students: dict[str, Student] = field(default_factory=dict)
    earlier: deque[Answered] = field(default_factory=lambda: deque(maxlen=MOST_ANSWERS))
    """What was answered to earlier questions."""
    came: int = 0
    results: Once = field(default_factory=Once, repr=False)
    """What all see of the page that is shown now, by what it was made of; gone with the page."""

    def settings_of(self, student: Student) -> dict[str, str]:
        """Return the settings that a student sees: what the lecturer shows, where asked for with the own seed."""
        return {**self.settings, **({"seed": self.seed_of(student)} if self.drawing else {})}

    def seed_of(self, student: Student) -> str:
        """Return the seed of a student's own noise: another one for everybody, and for each time."""
        return str(FIRST_OWN_SEED + 1000 * (self.shown % 900) + student.number % 1000)

    def answered(self) -> list[Answered]:
        """Return what students have answered to the question that is asked now, or drawn."""
        return [
            Answered(self.shown, self.question, self.axis, each.name, answer, self.truth)
            for each in list(self.students.values())
            if (answer := each.prediction or ("" if each.answer is None else f"{each.answer:.6g}"))
        ]

    def answers(self) -> list[Answered]:
        """Return what the class has answered, question by question; predictions once they are revealed."""
        return [*self.earlier, *([] if self.question and not self.revealed else self.answered())]

    def pages(self) -> list[OpenPage]:
        """Return the pages that students have open, as far as they are known."""
        return [page for each in list(self.students.values()) for page in list(each.pages.values())]


class Rooms:
    """All rooms of this server. Every method takes a moment and may be called from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = RLock()
        self._rooms: dict[str, Room] = {}
        self._wrong: deque[float] = deque(maxlen=FIRST_CODES)

    def open(self, page: str, settings: Mapping[str, str], browser: str = "", numbers: Example | None = None) -> Room:
        """Return a new room with a page on its wall, led from this browser. Raises RoomError where there are too many.

        `browser`: what only the lecturer's browser has; empty where nothing is known of it; `numbers`: public ones that
        the lecturer brought.
        """
        with self._lock:
            self._end_old()
            if len(self._rooms) >= MOST_ROOMS:
                raise RoomError("This server has as many rooms as it can hold. Try again later, or close one.")
            room = Room(new_code(), new_code(), browser, self._clock(), page, dict(settings), numbers)
            self._rooms[room.code] = room
            return room

    def find(self, code: str) -> Room | None:
        """Return the room of a code that is known to be one; None once it has ended."""
        with self._lock:
            self._end_old()
            return self._rooms.get(code)

    def led_from(self, browser: str, typed: str = "") -> Room | None:
        """Return the room that was opened last in this very browser, or there with the code `typed`; None without."""
        with self._lock:
            self._end_old()
            own = [room for room in self._rooms.values() if browser and compare_digest(room.browser, browser)]
            return next((room for room in own[::-1] if not typed or room.code == plain(typed)), None)

    def enter(
        self, typed: str, browser: str = "", address: str = "", wrong: deque[float] | None = None
    ) -> tuple[Room, str]:
        """Return the room of a code that a visitor typed or scanned, and the student's token. Raises RoomError.

        A browser that has a student in the room gets that student again. Browser and address: as of a Student.
        `wrong`: when this visitor has typed wrong codes; one more is added.
        """
        wrong = deque() if wrong is None else wrong
        with self._lock:
            room, now = self.find(plain(typed)), self._clock()
            for times, most in (wrong, OWN_WRONG_CODES), (self._wrong, WRONG_CODES if wrong else FIRST_CODES):
                if len(times) >= most and now - times[-most] < 60:
                    raise RoomError("Too many wrong codes were tried. Wait a minute, and try again.")
            if room is None:
                self._wrong.append(now)
                wrong.append(now)
                raise RoomError("There is no room with this code. Rooms end after two hours; ask for the code again.")
            for token, each in room.students.items():
                if browser and each.browser == browser:
                    return room, token
            _make_place(room, address, now)
            taken = {each.name for each in room.students.values()}
            free = [name for name in NAMES if name not in taken]
            token, name = new_code(), free[ExactEntropy().integer_below(len(free))]
            room.students[token] = Student(browser, address, name, room.came, now)
            room.came += 1
            return room, token

    def student(self, code: str, token: str) -> tuple[Room, Student] | None:
        """Return a student and the room, noting that the student is there; None where either has gone."""
        with self._lock:
            room = self.find(code)
            student = room.students.get(token) if room else None
            if room is None or student is None:
                return None
            student.seen = self._clock()
            return room, student

    def present(self, room: Room, *, or_predicted: bool = False) -> int:
        """Return how many students are there now; `or_predicted`: or have been, and have left a prediction."""
        since, students = self._clock() - GONE_SECONDS, list(room.students.values())
        return sum(each.seen > since or (or_predicted and each.prediction is not None) for each in students)

    def show(
        self, room: Room, page: str, settings: Mapping[str, str], *, question: str = "", drawing: bool = False,
        numbers: Example | None = None,
    ) -> None:  # fmt: skip
        """Bring everybody to a page with these settings.

        `question`: the lesson whose prediction then waits to be revealed; `drawing`: with noise of their own;
        `numbers`: public ones of the lecturer in place of earlier ones.
        """
        with self._lock:
            room.earlier.extend(room.answered())
            room.numbers = numbers or room.numbers
            room.page, room.question, room.drawing = page, question, drawing
            room.revealed, room.truth, room.axis = False, None, ""
            self._turn(room, settings)
            for student in room.students.values():
                student.prediction = student.answer = None

    def reveal(self, room: Room, settings: Mapping[str, str]) -> None:
        """Show everybody what the prediction was about, with these settings of the lesson."""
        with self._lock:
            room.revealed = True
            self._turn(room, settings)

    def note_page(self, student: Student, page: OpenPage) -> None:
        """Note a page that a student has open, in place of the oldest one where there are too many."""
        with self._lock:
            student.pages.pop(page.session, None)
            student.pages[page.session] = page
            for oldest in list(student.pages)[:-MOST_TABS]:
                del student.pages[oldest]

    def predict(self, room: Room, student: Student, lesson: str, choice: str) -> None:
        """Keep a student's prediction, the last one before the reveal."""
        with self._lock:
            if room.question == lesson and not room.revealed:
                student.prediction = choice

    def answer(
        self, room: Room, student: Student, settings: Mapping[str, str], value: float, truth: float, axis: str
    ) -> None:
        """Keep what a student's own draw has answered, beside the truth that everybody may know.

        Only with the `settings` that the lecturer shows and the student's own seed: another example has another truth.
        """
        with self._lock:
            if room.drawing and room.settings_of(student) == dict(settings):
                student.answer, room.truth, room.axis = value, truth, axis

    def close(self, room: Room) -> None:
        """End a room for everybody."""
        with self._lock:
            self._rooms.pop(room.code, None)

    def _turn(self, room: Room, settings: Mapping[str, str]) -> None:
        room.settings, room.results = dict(settings), Once()
        room.shown += 1

    def _end_old(self) -> None:
        now = self._clock()
        for code in [code for code, room in self._rooms.items() if now - room.opened > OPEN_SECONDS]:
            del self._rooms[code]


def _make_place(room: Room, address: str, now: float) -> None:
    """Let the student go who has been away longest where there is no place for another. Raises RoomError."""
    neighbours = {token: each for token, each in room.students.items() if address and each.address == address}
    crowds = [
        (neighbours, MOST_OF_ADDRESS, f"This room holds {MOST_OF_ADDRESS} people from one network address."),
        (room.students, MOST_PEOPLE, f"This room is full: it holds {MOST_PEOPLE} people."),
    ]
    for crowd, most, sentence in crowds:
        if len(crowd) < most:
            continue
        token = min(crowd, key=lambda each: crowd[each].seen)
        if now - crowd[token].seen < GONE_SECONDS:
            raise RoomError(f"{sentence} Try again when someone has left.")
        del room.students[token]
        return


def plain(typed: str) -> str:
    """Return a code without the hyphen and in capitals, as rooms are called."""
    return "".join(character for character in typed.upper() if character in LETTERS)[: CODE_LENGTH + 1]


def shown_code(code: str) -> str:
    """Return a code as people read it: `K7QM-3XRT`."""
    return f"{code[:4]}-{code[4:]}"


def new_code() -> str:
    """Return a code that nobody can guess."""
    return "".join(LETTERS[ExactEntropy().integer_below(len(LETTERS))] for _ in range(CODE_LENGTH))
