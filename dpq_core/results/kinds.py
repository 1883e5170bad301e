"""The kinds of outcomes: a simulation or a release, frozen with everything that is needed to show it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..accuracy import NOISE_INTERVAL
from ..arrays import Floats
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..intervals.drawn import Basis
from ..plan import Plan
from ..privacy.budgets import Guarantee
from ..release import Release
from ..version import VERSION
from .answers import Answers
from .groups.choice import GroupChoice
from .persons import PersonChoice
from .tables.asked import Bounds
from .tables.kinds import TableReading, TableRequest
from .wording import Wording


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """What was drawn in one press; `identity` is that of the column or of the table."""

    identity: str
    about: str
    source: str = ""
    """Who made an example."""
    of_example: bool = False
    made: str
    """When it was simulated or released: UTC, to the second."""
    guarantee: Guarantee
    """Of all answers together."""
    version: str = VERSION


@dataclass(frozen=True, kw_only=True, eq=False)
class Explored(Outcome):
    """A simulation beside the truth. Not private: for data that is public, synthetic or declared so."""

    seed: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Paid(Outcome):
    """A release: its answers and public facts, nothing else."""

    release: Release[Any]

    @property
    def account(self) -> str:
        """Return the data set whose budget was charged."""
        return self.release.account

    @property
    def release_id(self) -> str:
        """Return the id under which the ledger keeps the answer."""
        return self.release.id


@dataclass(frozen=True, kw_only=True, eq=False)
class Answered(Outcome):
    """The answers of one request, of one column or of several, in one piece or in groups."""

    request: TableRequest
    """What was asked, with the mechanisms that were run."""
    reading: TableReading
    """How its rows are read again."""
    of_table: bool = False
    """Whether it was asked of several columns, or of a table of one."""
    one: str
    many: str
    protected: str
    """What the promise covers: one record, or one person with all rows."""
    rule: str = ""
    """What counts of each person, as a sentence; empty if every row is another person."""
    wordings: tuple[Wording, ...]
    """Of each column, in order."""
    answers: tuple[Answers, ...]
    """Of each column, or of each of its groups."""
    warnings: tuple[str, ...] = ()
    """Sentences about what is legal and unusual."""

    @property
    def plan(self) -> Plan:
        """Return the plan of the first column, with the budget of the whole."""
        return next(iter(self.request.plans.values()))

    @property
    def wording(self) -> Wording:
        """Return the words of the first column."""
        return self.wordings[0]

    @property
    def several(self) -> bool:
        """Return whether several columns were asked for together."""
        return len(self.request.plans) > 1

    @property
    def groups(self) -> GroupChoice | None:
        """Return which groups were asked for; None where each column is in one piece."""
        return self.request.groups

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
        return next(iter(self.request.bounds.values()))

    @property
    def cache_key(self) -> tuple[object, ...]:
        """Return what decided which records were made of the first column, as `DataSet.cache_key`."""
        name = next(iter(self.request.plans))
        return self.identity, self.request.missing.get(name), self.request.person

    @property
    def settings(self) -> tuple[object, ...]:
        """Return what one column was made with; compare with `settings_of`."""
        return self.cache_key, self.bounds, self.plan

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
    repeats: tuple[tuple[float, ...], ...]
    """Some of the others, as other runs with the same settings."""
    lows: tuple[float, ...]
    """Ends of the intervals that hold 95 of 100 signed rank errors, in records."""
    highs: tuple[float, ...]
    usual_error: float
    """The mean rank error over all of them."""
    cdf: tuple[Floats, Floats]
    """The distribution of the data: values, and the share at or below each."""

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """Return two of the simulated answers for each quantile, (m,): 95 of 100 lie between them."""
        low, high = NOISE_INTERVAL
        lows = np.percentile(self.values, low, axis=0, method="lower")
        return lows, np.percentile(self.values, high, axis=0, method="higher")


@dataclass(frozen=True, kw_only=True, eq=False)
class Simulated(Answered, Explored):
    """One simulated run beside the truth, with others of which its noise is known."""

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
class Released(Answered, Paid):
    """A release of all that was asked."""

    reference: tuple[int, int] | None = None
    """The noise interval of one column on a public shape, in ranks; None where the mechanism could not run on it."""
    reference_size: int = 0
    """How many records this shape has."""


@dataclass(frozen=True, kw_only=True, eq=False)
class OutcomeFacts(Outcome):
    """The public part of what is drawn of one column besides its quantiles: its data, its settings, its wording."""

    reading: TableReading
    wording: Wording
    missing: Fraction | None
    plan: Plan
    domain: Domain
    notes: tuple[str, ...]
    """Remarks of the mechanism on how it resolved its settings from public facts."""
    person: PersonChoice | None
    """Who has several rows, and what is taken of them; None if every row is another person."""
    find_bounds: FindBounds | None = None
    """How the domain was found; None where it was chosen."""
    warnings: tuple[str, ...] = ()
    """Sentences about what is legal and unusual."""
    basis: Basis | None = None

    @property
    def protected(self) -> str:
        """What the promise covers: one record, or one person with all rows."""
        return self.wording.protected

    @property
    def bounds(self) -> Bounds:
        """The settings of the bounds."""
        return self.find_bounds or self.domain

    @property
    def cache_key(self) -> tuple[object, ...]:
        """What decided which records were made of the column, as `DataSet.cache_key`."""
        return self.identity, self.missing, self.person

    @property
    def settings(self) -> tuple[object, ...]:
        """What it was made with; compare with `settings_of`."""
        return self.cache_key, self.bounds, self.plan
