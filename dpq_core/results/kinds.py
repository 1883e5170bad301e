"""What was drawn of a question: a release, or a simulation beside the truth, with all that is needed to show it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from ..arrays import Floats
from ..grouping import Grouping
from ..plan import Plan
from ..privacy.budgets import Guarantee
from ..question import Bounds, Question
from ..release import Release
from .answers import Answers
from .chosen import Chosen, TableReading
from .wording import Wording


@dataclass(frozen=True, kw_only=True, eq=False)
class Answered:
    """The answers of one question, of one column or of several, in one piece or in groups."""

    identity: str
    """That of the column or of the table."""
    about: str
    source: str = ""
    """Who made an example."""
    of_example: bool = False
    chosen: Chosen
    """What was asked, with the mechanisms that were run."""
    reading: TableReading
    """How its rows are read again."""
    of_table: bool = False
    """Whether it was asked of several columns, or of a table of one."""
    wordings: tuple[Wording, ...]
    """Of each column, in order."""
    answers: tuple[Answers, ...]
    """Of each column, or of each of its groups."""
    release: Release
    """The same answers as they are stored; of a simulation those of its first run, which is no release."""

    @property
    def guarantee(self) -> Guarantee:
        """Return the guarantee of all answers together."""
        return self.release.guarantee

    @property
    def made(self) -> str:
        """Return when it was simulated or released: UTC, to the second."""
        return self.release.made

    @property
    def question(self) -> Question:
        """Return what was asked."""
        return self.chosen.question

    @property
    def plan(self) -> Plan:
        """Return the plan of the first column, with the budget of the whole."""
        return self.chosen.plan.first

    @property
    def wording(self) -> Wording:
        """Return the words of the first column."""
        return self.wordings[0]

    @property
    def one(self) -> str:
        """Return what one record is called."""
        return self.wording.one

    @property
    def many(self) -> str:
        """Return what records are called."""
        return self.wording.many

    @property
    def several(self) -> bool:
        """Return whether several columns were asked for together."""
        return self.question.several

    @property
    def groups(self) -> Grouping | None:
        """Return which groups were asked for; None where each column is in one piece."""
        return self.question.groups

    @property
    def alone(self) -> bool:
        """Return whether one column was asked for, in one piece."""
        return not self.of_table and self.groups is None

    @property
    def by_column(self) -> list[list[Answers]]:
        """Return the answers of each column: one, or one for each group."""
        return [list(own) for _, own in groupby(self.answers, key=lambda answer: answer.wording.name)]

    @property
    def only(self) -> Answers:
        """Return the answers of the one column in one piece that was asked for."""
        (found,) = self.answers
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """Return remarks on how mechanisms resolved settings from public facts, each once."""
        return tuple(dict.fromkeys(note for answer in self.answers for note in answer.notes))

    @property
    def bounds(self) -> Bounds:
        """Return the settings of the bounds of the first column."""
        return next(iter(self.question.possible.values()))

    @property
    def too_small(self) -> tuple[str, ...] | None:
        """Return the groups too small for the plan, by their sizes; None where that is not known."""
        if all(answer.too_small is None for answer in self.answers):
            return None
        return tuple(answer.group for answer in self.answers if answer.too_small)


@dataclass(frozen=True, kw_only=True, eq=False)
class Runs:
    """Many simulated answers of one column in one piece: what a picture of their noise needs."""

    values: Floats
    """All simulated answers, (draws, m): the first row is shown."""
    lows: tuple[float, ...]
    """Ends of the intervals that hold 95 of 100 signed rank errors, in records."""
    highs: tuple[float, ...]
    usual_error: float
    """The mean rank error over all of them."""
    cdf: tuple[Floats, Floats]
    """The distribution of the data: values, and the share at or below each."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Simulated(Answered):
    """A simulation beside the truth. Not private: for data that is public, synthetic or declared so."""

    seed: int
    n: int
    """How many records there are."""
    draws: int
    """How many runs were simulated in one go; the first one is shown."""
    runs: Runs | None = None
    """Of one column in one piece."""

    @property
    def many_runs(self) -> Runs:
        """Return the runs of one column in one piece."""
        assert self.runs is not None, "of one column in one piece"
        return self.runs


@dataclass(frozen=True, kw_only=True, eq=False)
class Released(Answered):
    """A release: its answers and public facts, nothing else."""
