"""The lessons in their order: the picture of each, and the setting of its slider."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

from ..lessons import CONTROLS, LESSONS, SHORT_COURSE, Control, LessonText, text_of
from . import basics, groups, promises, rows, sketches, structures, surety, totals, unknown
from .picture import Show

SHOWS: dict[str, Show] = {
    "quantile": basics.guess_the_middle,
    "one-person": basics.one_more_person,
    "many-rows": rows.many_rows,
    "gaps": basics.draw_from_intervals,
    "one-by-one": structures.one_by_one,
    "halves": structures.halves,
    "slices": structures.slices,
    "free-total": totals.two_norms,
    "counts": structures.tree_of_counts,
    "sketches": sketches.sketch,
    "adding-up": promises.answers_add_up,
    "groups": groups.departments,
    "unknown-bounds": unknown.unknown_bounds,
    "how-sure": surety.intervals,
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
    def is_short(self) -> bool:
        """Whether it is one of the short course."""
        return self.number <= SHORT_COURSE

    @property
    def ends_a_course(self) -> bool:
        """Whether it is the last of the short course, or the last of all."""
        return self.number in (SHORT_COURSE, len(COURSE))

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


def minutes_of(lessons: Iterable[Lesson]) -> int:
    """Return how many minutes some lessons take, rounded up."""
    return ceil(sum(each.text.minutes for each in lessons))
