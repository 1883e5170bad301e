"""Synthetic columns, simulated or released, as frozen outcomes. Nothing here knows Streamlit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..accuracy import cdf_points, distribution_distance
from ..arrays import Floats
from ..calibrations import Calibrations
from ..domain.at_bounds import warnings_at_bounds
from ..domain.domain import Domain
from ..draw import synthetic_plan
from ..plan import Plan
from ..release import warnings_of_budget
from ..sample import Sample
from ..trials import simulate_calibrated
from .answers import as_floats
from .data_set import PrivateData, PublicData
from .kinds import Explored, OutcomeFacts, Paid
from .outcomes import described, facts
from .sealed import fingerprint_of, sample_to_release
from .wording import Wording

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from ..ledger.accounts import Account

MOST_STEPS = 1998
"""Of a distribution that is drawn; with both ends of the axis 2,000 points."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SimulatedColumn(OutcomeFacts, Explored):
    """One simulated column beside the truth. Not private: for data that is public, synthetic or declared so.

    `plan` has no quantiles: those of a column follow from its size.
    """

    values: tuple[float, ...]
    distance: float
    """The Kolmogorov distance between the distribution of the data and that of `values`."""
    cdf: tuple[Floats, Floats]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleasedColumn(OutcomeFacts, Paid):
    """A released column. `plan` has no quantiles: those of a column follow from its size."""

    @property
    def values(self) -> tuple[float, ...]:
        """Return the values, in increasing order."""
        return self.release.cells[0].values[0]


Column = SimulatedColumn | ReleasedColumn


def without_quantiles(plan: Plan) -> Plan:
    """Return the plan without its quantiles, which follow from the size of a synthetic column."""
    return Plan((), plan.mechanism, plan.privacy, plan.adjacency, plan.options)


def simulate_column(data: PublicData, sample: Sample, calibrations: Calibrations, seed: int) -> SimulatedColumn:
    """Simulate one column with the fast sampler, repeatable from its seed, and its distance from the truth.

    `calibrations`: of the plan with the quantiles of the column (`plan_of`).
    """
    study = simulate_calibrated(sample, calibrations.calibrated_for(sample), 1, seed)
    return SimulatedColumn(
        **facts(data, sample.domain, without_quantiles(calibrations.plan)),
        notes=study.notes,
        seed=seed,
        values=as_floats(study.values[0, 0]),
        distance=distribution_distance(sample, study.values[0, 0]),
        cdf=cdf_points(sample, MOST_STEPS),
        guarantee=study.guarantee,
        warnings=(
            *warnings_at_bounds(as_floats(study.values[0, 0]), sample.domain),
            *warnings_of_budget(study.plan.privacy, study.guarantee),
        ),
    )


def release_column(
    data: PrivateData, domain: Domain, calibrations: Calibrations, account: Account, release_id: str, who: str = ""
) -> ReleasedColumn:
    """Release a column: charge the account, then draw with the exact sampler. Each id spends once.

    `calibrations`: of the plan with the quantiles of the column (`plan_of`).
    """
    from ..ledger.charging import charged_synthesis

    sample = sample_to_release(data.column, domain, data.missing, data.person)
    plan, size = without_quantiles(calibrations.plan), len(calibrations.plan.quantiles)
    file, words = fingerprint_of(data.column, account.ledger), described({data.name: data})
    released = charged_synthesis(
        sample, size, plan, account, release_id=release_id, who=who, file=file, words=words,
        calibrations=calibrations, read=data.reading.said,
    )  # fmt: skip
    return ReleasedColumn(
        **facts(data, domain, plan) | {"made": released.made}, release=released, notes=released.notes,
        guarantee=released.guarantee, warnings=released.warnings, version=released.version,
    )  # fmt: skip


def steps_of(values: ArrayLike, most: int = MOST_STEPS) -> tuple[list[float], list[float]]:
    """Return at most `most` steps of the distribution of values: the values, and the fraction at or below each."""
    numbers = np.asarray(values, dtype=np.float64)
    distinct, counts = np.unique(numbers, return_counts=True)
    shown = np.unique(np.linspace(0, max(distinct.size - 1, 0), most).astype(np.int64))[: distinct.size]
    return distinct[shown].tolist(), (np.cumsum(counts)[shown] / max(numbers.size, 1)).tolist()


def preview(values: tuple[float, ...], words: Wording, rows: int) -> dict[str, list[str]]:
    """Return rows spread evenly through a column, since the first few would be nearly equal."""
    places = np.unique(np.linspace(1, len(values), rows).astype(np.int64)).tolist()
    return {"place": [f"{place:,}" for place in places], "value": [words.number(values[place - 1]) for place in places]}


@lru_cache(maxsize=8)
def plan_of(plan: Plan, size: int) -> Plan:
    """Return the plan with the quantiles of a column; cached, because thousands of fractions take time."""
    return synthetic_plan(plan, size)
