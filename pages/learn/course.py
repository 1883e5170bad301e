"""The lessons in their order: the picture of each, and the setting of its slider."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from ..lessons.controls import CONTROLS, LESSONS, Control
from ..lessons.texts import LessonText, text_of
from . import basics, promises, structures
from .picture import Show

SHOWS: dict[str, Show] = {
    "quantile": basics.guess_the_middle,
    "one-person": basics.one_more_person,
    "gaps": basics.draw_from_intervals,
    "one-by-one": structures.one_by_one,
    "halves": structures.halves,
    "slices": structures.slices,
    "broken": promises.broken_claim,
    "beliefs": promises.averaged_releases,
}


@dataclass(frozen=True)
class Lesson:
    """One screen: its text, its slider, and the figure that follows from both."""

    key: str
    number: int
    setting: str

    @property
    def is_last(self) -> bool:
        """Whether the course ends with it."""
        return self.number == len(COURSE)

    @property
    def text(self) -> LessonText:
        """Its text."""
        return text_of(self.key)

    @property
    def control(self) -> Control:
        """Its slider."""
        return CONTROLS[self.setting]

    @property
    def reveal(self) -> str:
        """Its text once the prediction was made, about the state that the figure then shows."""
        return self.text.reveal.replace("{shown}", self.control.shown(self.control.in_question))

    @property
    def show(self) -> Show:
        """The function that makes its picture."""
        return SHOWS[self.key]


COURSE = {key: Lesson(key, number, setting) for number, (key, setting) in enumerate(LESSONS.items(), 1)}
"""By their names in links, in order."""


def minutes() -> int:
    """Return how many minutes all lessons take, rounded up."""
    return ceil(sum(each.text.minutes for each in COURSE.values()))
