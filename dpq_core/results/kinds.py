"""The kinds of outcomes: a simulation or a release, frozen with everything that is needed to show it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..accuracy import NOISE_INTERVAL
from ..arrays import Floats
from ..domain import Domain, FindBounds
from ..intervals import Basis
from ..plan import Plan
from ..privacy import Guarantee
from ..release import QuantileRelease
from .data_set import Report
from .persons import PersonChoice
from .wording import Wording

DOTS = 50
"""Of a picture of one quantile in many runs."""


@dataclass(frozen=True, kw_only=True, eq=False)
class OutcomeFacts:
    """The public part of every outcome: its data, its settings, its wording."""

    identity: str
    of_example: bool
    about: str
    source: str
    reading: str
    wording: Wording
    missing: Fraction | None
    plan: Plan
    domain: Domain
    notes: tuple[str, ...]
    """Remarks of the mechanism on how it resolved its settings from public facts."""
    made: str
    """When it was simulated or released: UTC, to the second."""
    file: str
    """The file that `reading` needs beside it; empty where it needs none."""
    person: PersonChoice | None
    """Who has several rows, and what is taken of them; None where every row is of somebody else."""
    find_bounds: FindBounds | None = None
    """How the domain was found; None where it was chosen."""

    @property
    def bounds(self) -> Domain | FindBounds:
        """What was said of the bounds."""
        return self.find_bounds or self.domain

    @property
    def made_of(self) -> tuple[object, ...]:
        """What decided which records were made of the column, as `DataSet.made_of`."""
        return self.identity, self.missing, self.person

    @property
    def settings(self) -> tuple[object, ...]:
        """What it was made with; compare with `settings_of`."""
        return self.made_of, self.bounds, self.plan


@dataclass(frozen=True, kw_only=True, eq=False)
class Simulation(OutcomeFacts):
    """One simulated answer beside the truth. Not private: for data that is public, synthetic or declared so."""

    report: Report
    n: int
    seed: int
    sample_seed: int
    draws: int
    """How many answers were simulated in one go; the first one is `values`."""
    values: tuple[float, ...]
    true_values: tuple[float, ...]
    errors: tuple[float, ...]
    """Signed rank errors in records: positive where the private value lies too high."""
    lows: tuple[float, ...]
    highs: tuple[float, ...]
    repeats: tuple[tuple[float, ...], ...]
    runs: Floats
    """All simulated answers, (draws, m): the first row is `values`."""
    usual_error: float
    """The mean rank error over all of them."""
    cdf: tuple[Floats, Floats]
    guarantee: Guarantee
    warnings: tuple[str, ...]
    version: str
    intervals: tuple[tuple[float, float], ...] = ()
    """Of each value, where the plan asks for them."""
    held: tuple[float, ...] = ()
    """How often each interval holds the true quantile, among all answers that were simulated."""
    basis: Basis | None = None

    @property
    def run_ends(self) -> tuple[Floats, Floats]:
        """Two of the simulated answers for each quantile, (m,): 95 of 100 lie between them."""
        low, high = NOISE_INTERVAL
        lows = np.percentile(self.runs, low, axis=0, method="lower")
        return lows, np.percentile(self.runs, high, axis=0, method="higher")

    @property
    def dots(self) -> list[int]:
        """Fifty runs in the order of their first answer, with as many below each as between two: numbers from 0."""
        order = np.argsort(self.runs[:, 0], kind="stable")
        return [int(order[int((dot + 0.5) / DOTS * len(order))]) for dot in range(DOTS)]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleaseFacts(OutcomeFacts):
    """A release: its answers and public facts, nothing else."""

    release: QuantileRelease
    account: str
    """The data set whose budget was charged."""
    release_id: str
    """Under which the ledger keeps the answer."""
    records: int | None
    """How many there are, where the adjacency makes that public; else None."""

    @property
    def values(self) -> tuple[float, ...]:
        """The released answers."""
        return self.release.values

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee that was charged."""
        return self.release.guarantee

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about settings that are legal and unusual."""
        return self.release.warnings

    @property
    def version(self) -> str:
        """The version of dpq_core."""
        return self.release.version


@dataclass(frozen=True, kw_only=True, eq=False)
class Released(ReleaseFacts):
    """Released quantiles."""

    reference: tuple[int, int] | None
    """The noise interval on the public reference shape, in ranks; None where the mechanism could not run on it."""
    reference_size: int
    """How many records this shape has."""

    @property
    def intervals(self) -> tuple[tuple[float, float], ...]:
        """The interval of each answer, where the plan asks for them."""
        return self.release.intervals

    @property
    def basis(self) -> Basis | None:
        """What the intervals rest on."""
        return self.release.basis
