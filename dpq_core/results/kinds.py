"""What was drawn of a question: a release, or a simulation beside the truth, with all that is needed to show it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from ..arrays import Floats
from ..frame import Rows
from ..grouping import Grouping
from ..plan import Plan
from ..privacy.budgets import Guarantee
from ..question import Question
from ..release import Release
from ..study import SimulatedCells
from .answers import Answers
from .chosen import Chosen, TableReading
from .wording import Wording

NOT_PRIVATE = "Simulation, not private: made beside the true values, for public or synthetic data only."
"""The label of every file with the truth in it."""


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
        return tuple(dict.fromkeys(note for answer in self.answers for note in answer.cells.notes))

    @property
    def too_small(self) -> tuple[str, ...] | None:
        """Return the groups too small for the plan, by their sizes; None where that is not known."""
        if all(answer.too_small is None for answer in self.answers):
            return None
        return tuple(answer.group for answer in self.answers if answer.too_small)


@dataclass(frozen=True, kw_only=True, repr=False)
class FirstRun(Release):
    """The first run of a simulation, which is no release; in its tables the truth is beside the answers."""

    answers: tuple[Answers, ...]
    """Of each column, or of each of its groups."""
    data_set: str
    seed: int

    @property
    def _parts(self) -> list[Rows]:
        found, answers = [], iter(self.answers)
        for part in super()._parts:
            own = [next(answers) for _ in part.groups]
            beside = {"true": [each.true_values for each in own], "rank_error": [each.errors for each in own]}
            if all(each.lows for each in own):
                beside |= {"noise_low": [each.lows for each in own], "noise_high": [each.highs for each in own]}
            shape = part.numbers["value"].shape
            numbers: dict[str, Any] = {name: np.array(each, np.float64).reshape(shape) for name, each in beside.items()}
            numbers["rank_error"] = numbers["rank_error"].astype(np.int64)
            remarks = tuple(remark for each in own for remark in each.remarks)
            found.append(replace(part, numbers={**part.numbers, **numbers}, remarks=remarks))
        return found

    def _ends(self, as_wide: bool) -> dict[str, Any]:
        kept = {name: ends for name, ends in super()._ends(as_wide).items() if name in {"remark", "mechanism"}}
        return kept | {"data_set": self.data_set, "date": self.made, "seed": self.seed, "label": NOT_PRIVATE}


@dataclass(frozen=True, kw_only=True, eq=False)
class Simulated(Answered):
    """A simulation beside the truth. Not private: for data that is public, synthetic or declared so."""

    seed: int
    n: int
    """How many records there are."""
    draws: int
    """How many runs were simulated in one go; the first one is shown."""
    runs: SimulatedCells | None = None
    """Of one column in one piece: all runs, of which the first is shown."""
    cdf: tuple[Floats, Floats] = (np.empty(0), np.empty(0))
    """Of the same column, the distribution of the data: values, and the share at or below each."""

    @property
    def many_runs(self) -> SimulatedCells:
        """Return the runs of one column in one piece."""
        assert self.runs is not None, "of one column in one piece"
        return self.runs


@dataclass(frozen=True, kw_only=True, eq=False)
class Released(Answered):
    """A release: its answers and public facts, nothing else."""
