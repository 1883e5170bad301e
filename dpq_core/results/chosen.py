"""What is drawn of a question and what to expect of it, from public facts; and how its rows are read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..advice.forecast import chances_far_off
from ..arrays import Floats
from ..column import Column
from ..columns_plan import ColumnsPlan
from ..frame import different
from ..groups.names import GroupColumn
from ..people.ids import People
from ..plan import AboutN
from ..question import Question
from ..sources.reading import Opening, Reading
from ..table import Table

IDS = "whose row"
ROUND = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)
"""Tenths of a power of ten: the sizes for which intervals are worked out."""


@dataclass(frozen=True)
class TableReading:
    """Python that reads the columns of a table again, each as an expression; public facts."""

    imports: tuple[str, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    """By the name of each column: those with values, and those of groups."""
    people: str = ""
    """The persons behind its rows; empty if every row is another person."""
    file: str = ""
    """The file that is needed beside it; empty where none is."""
    said: Mapping[str, Any] = field(default_factory=dict)
    """What was said of how its cells are written, as plain values: a release id belongs to it."""

    def asked(self, question: Question) -> Question:
        """Return a question with what was said of how its file is read; the same where there is none."""
        if not self.said and not self.file:
            return question
        readings = {name: Reading(**own) for name, own in self.said.get("columns", {}).items()}
        return question.as_read(
            Opening(**{name: each for name, each in self.said.items() if name != "columns"}), readings
        )

    @property
    def as_values(self) -> str:
        """Return Python that reads the first column into `values`, and whose its rows are into `people`."""
        read = self.columns[0][1] if self.columns else "[]"
        people = f"\npeople = {self.people}" if self.people else ""
        return "\n".join(self.imports) + f"\n\nvalues = {read}{people}"


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """A question, with the plan of each column that is drawn: a mechanism in place of "best"."""

    question: Question
    """As it was asked."""
    plan: ColumnsPlan
    chances: Mapping[str, tuple[float, ...]] = field(default_factory=dict, compare=False)
    """How often each answer is far off, by a forecast from public facts; columns without one are left out."""

    @property
    def drawn(self) -> Question:
        """Return the question with the mechanisms that are drawn in place of "best"."""
        return self.question.with_plan(self.plan)


def columns_asked(
    values: Mapping[str, Floats],
    question: Question,
    groups: Sequence[GroupColumn],
    people: People | None,
    seed: int | None = None,
) -> Mapping[str, Column]:
    """Return the columns of a question as a release reads them, by their names.

    `groups`: the columns that its groups are by, in their order; `people`: whose rows they are. Raises DataError,
    ParameterError.
    """
    frame: dict[str, Any] = dict(values)
    if question.groups is not None:
        frame |= zip(question.groups.by, groups, strict=True)
    if question.persons is not None:
        (ids,) = different([IDS], frame)
        frame[ids] = people and people.of_column(question.persons.column)
        question = replace(question, persons=replace(question.persons, column=ids))
    return Table.of(frame, question, seed=seed).columns


def chosen_of(question: Question, drawn: Question) -> Chosen:
    """Return a question with the plans of the same one `drawn`, in which every column has a mechanism."""
    plan = drawn.plan.each(lambda _, own: replace(own, about_n=for_intervals(own.about_n)))
    return Chosen(question=question, plan=plan)


def with_chances(chosen: Chosen) -> Chosen:
    """Return the same with how often each answer of a whole column is far off, which is simulated."""
    return chosen if chosen.question.groups else replace(chosen, chances=chances_far_off(chosen.drawn))


def without_intervals(question: Question) -> Question:
    """Return the same question without intervals."""
    columns = {name: each.without_intervals for name, each in question.columns.items()}
    return replace(question, columns=columns)


def for_intervals(about: AboutN | None) -> AboutN | None:
    """Return how many records intervals rest on: of each group its own number, rounded down."""
    return {name: rounded_down(n) for name, n in about.items()} if isinstance(about, Mapping) else about


def rounded_down(size: int) -> int:
    """Return the next lower of ten numbers a decade: fewer records only widen an interval, and few are worked out."""
    power: int = 10 ** (len(str(size)) - 1)
    return max(power * tenths // 10 for tenths in ROUND if power * tenths <= 10 * size)
