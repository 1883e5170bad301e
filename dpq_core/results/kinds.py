"""The kinds of outcomes: a simulation or a release, frozen with everything that is needed to show it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from ..accuracy import NOISE_INTERVAL
from ..arrays import Floats
from ..columns.plan import ColumnsPlan
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..intervals.drawn import Basis
from ..plan import Plan
from ..privacy.budgets import Guarantee
from ..version import VERSION
from .answers import Answers
from .groups.choice import GroupChoice
from .groups.sizes import GroupSizes
from .persons import PersonChoice
from .wording import Wording


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """What was drawn in one press, of one column or of several; `identity` is that of the column or of the table."""

    identity: str
    about: str
    plan: Plan | ColumnsPlan
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

    account: str
    """The data set whose budget was charged."""
    release_id: str
    """Under which the ledger keeps the answer."""


@dataclass(frozen=True, kw_only=True, eq=False)
class OutcomeFacts(Outcome):
    """The public part of every outcome of one column: its data, its settings, its wording."""

    of_example: bool
    source: str
    reading: str
    wording: Wording
    missing: Fraction | None
    plan: Plan
    domain: Domain
    notes: tuple[str, ...]
    """Remarks of the mechanism on how it resolved its settings from public facts."""
    file: str
    """The file that `reading` needs beside it; empty where it needs none."""
    person: PersonChoice | None
    """Who has several rows, and what is taken of them; None if every row is another person."""
    find_bounds: FindBounds | None = None
    """How the domain was found; None where it was chosen."""
    warnings: tuple[str, ...] = ()
    """Sentences about what is legal and unusual."""
    basis: Basis | None = None
    """What intervals rest on: the same in every group."""

    @property
    def protected(self) -> str:
        """What the promise covers: one record, or one person with all rows."""
        return self.wording.protected

    @property
    def bounds(self) -> Domain | FindBounds:
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


@dataclass(frozen=True, kw_only=True, eq=False)
class QuantilesFacts(OutcomeFacts):
    """One answer for each quantile of a column."""

    values: tuple[float, ...]
    intervals: tuple[tuple[float, float], ...] = ()
    """Of each value, where the plan asks for them."""

    @property
    def answers(self) -> tuple[Answers, ...]:
        """Return the column as the one cell that it is."""
        return (
            Answers(
                wording=self.wording, plan=self.plan, domain=self.domain, values=self.values, notes=self.notes,
                intervals=self.intervals, basis=self.basis, find_bounds=self.find_bounds,
            ),
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class Simulation(QuantilesFacts, Explored):
    """One simulated answer beside the truth, with many others of which their noise is known."""

    n: int
    draws: int
    """How many answers were simulated in one go; the first one is `values`."""
    true_values: tuple[float, ...]
    errors: tuple[float, ...]
    """Signed rank errors in records: positive where the private value lies too high."""
    held: tuple[float, ...] = ()
    """How often each interval holds the true quantile, among all answers that were simulated."""
    lows: tuple[float, ...]
    """Ends of the noise intervals, in records."""
    highs: tuple[float, ...]
    repeats: tuple[tuple[float, ...], ...]
    runs: Floats
    """All simulated answers, (draws, m): the first row is `values`."""
    usual_error: float
    """The mean rank error over all of them."""
    cdf: tuple[Floats, Floats]

    @property
    def answers(self) -> tuple[Answers, ...]:
        """Return the column as the one cell that it is, beside the truth."""
        (own,) = super().answers
        return (replace(own, true_values=self.true_values, errors=self.errors, held=self.held),)

    @property
    def run_ends(self) -> tuple[Floats, Floats]:
        """Two of the simulated answers for each quantile, (m,): 95 of 100 lie between them."""
        low, high = NOISE_INTERVAL
        lows = np.percentile(self.runs, low, axis=0, method="lower")
        return lows, np.percentile(self.runs, high, axis=0, method="higher")


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleaseFacts(OutcomeFacts, Paid):
    """A release of one column."""

    records: int | None
    """How many there are, where the adjacency makes that public; else None."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Released(QuantilesFacts, ReleaseFacts):
    """Released quantiles."""

    reference: tuple[int, int] | None
    """The noise interval on the public reference shape, in ranks; None where the mechanism could not run on it."""
    reference_size: int
    """How many records this shape has."""


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupsFacts(OutcomeFacts):
    """Answers of all groups that were simulated or released in one go."""

    groups: GroupChoice
    groups_reading: str
    """Python that reads the column of groups, after `reading`."""
    answers: tuple[Answers, ...]
    sizes: GroupSizes
    """The guessed sizes of groups before a release; the true ones in a simulation."""

    @property
    def too_small(self) -> tuple[str, ...] | None:
        """Return the groups too small for the plan, by their sizes; None where that is not known."""
        if all(answer.too_small is None for answer in self.answers):
            return None
        return tuple(answer.group for answer in self.answers if answer.too_small)


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupedSimulation(GroupsFacts, Explored):
    """One simulated run beside the truth."""

    draws: int


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupedReleased(GroupsFacts, Paid):
    """A release of all groups."""


Quantiles: TypeAlias = Simulation | Released
GroupsOutcome: TypeAlias = GroupedSimulation | GroupedReleased
