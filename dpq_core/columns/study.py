"""Simulate releases of several columns beside the truth. Never a release."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..arrays import Flags, Floats
from ..calibrations import Calibrated
from ..domain import Number
from ..finding import CalibratedSteps, RawGroups, RawSample, simulate_data, simulate_raw_groups
from ..frames import Contents, Simulated
from ..groups import CalibratedGroups, Groups, GroupStudy
from ..noise import FastEntropy
from ..plan import Plan
from ..privacy import Guarantee
from ..release import warnings_of_budget
from ..trials import Study, check_count, simulate_calibrated, simulate_grouped_calibrated
from ..version import VERSION
from .plan import ColumnsPlan
from .release import CalibratedColumns, Columns, calibrate_columns, columns_plan, found_once

OF_NAMES = ""
"""In place of a column's name, which is never empty, where groups are named for all columns."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ColumnsStudy(Simulated):
    """Simulated answers of several columns with their rank errors. As private as the data."""

    studies: Mapping[str, Study | GroupStudy]
    guarantee: Guarantee
    """Of all columns together, were they released."""
    plan: ColumnsPlan
    seed: int

    @property
    def values(self) -> dict[str, Floats]:
        """Return the answers by column, each of shape (trials, m), or (trials, groups, m)."""
        return {name: each.values for name, each in self.studies.items()}

    @property
    def rank_errors(self) -> dict[str, Floats]:
        """Return the rank errors by column, of the shape of the answers, in records."""
        return {name: each.rank_errors for name, each in self.studies.items()}

    def _contents(self) -> Contents:
        return Contents(
            parts=tuple(each._as_part(name) for name, each in self.studies.items()),
            guarantee=self.guarantee,
            asked=self.plan.privacy,
            version=VERSION,
            warnings=warnings_of_budget(self.plan.privacy, self.guarantee),
            seed=self.seed,
            rank_error_slack=max(
                each.rank_error_slack if isinstance(each, Study) else 0 for each in self.studies.values()
            ),
            trials=max((len(each.values) for each in self.studies.values()), default=1),
        )


def simulate_columns(
    samples: Columns,
    plan: Plan | Mapping[str, Plan],
    trials: int = 100,
    seed: int = 0,
    weights: Mapping[str, Number] | None = None,
    progress: Callable[[float], object] = lambda share: None,
) -> ColumnsStudy:
    """Simulate `trials` independent runs over several columns, and return their answers and rank errors. Repeatable.

    Each column's own study can be repeated from the seed that it states. `progress` is called with the share of the
    columns that are done. Raises ParameterError, DataError.
    """
    check_count("trials", trials, 1)
    check_count("seed", seed, 0)
    calibrated = calibrate_columns(samples, columns_plan(samples, plan, weights))
    named = _named(samples, calibrated, trials, seed)
    studies: dict[str, Study | GroupStudy] = {}
    for name, each in calibrated.columns.items():
        sample, own = samples[name], seed_of(seed, name)
        if isinstance(sample, RawGroups) and isinstance(each, CalibratedSteps):
            studies[name] = simulate_raw_groups(sample, each, trials, own, named)
        elif isinstance(sample, Groups) and isinstance(each, CalibratedGroups):
            studies[name] = simulate_grouped_calibrated(sample, each, trials, own, named)
        elif isinstance(sample, RawGroups | Groups):
            raise AssertionError("calibrated for groups")
        elif isinstance(each, Calibrated) and not isinstance(sample, RawSample):
            studies[name] = simulate_calibrated(sample, each, trials, own)
        else:
            studies[name] = simulate_data(sample, each.plan, trials, own)
        progress(len(studies) / len(samples))
    return ColumnsStudy(
        studies=MappingProxyType(studies), guarantee=calibrated.guarantee, plan=calibrated.plan, seed=seed
    )


def _named(samples: Columns, calibrated: CalibratedColumns, trials: int, seed: int) -> Flags | None:
    """Return which groups each trial names for all columns, (trials, groups); None where that is not found once."""
    groups = found_once(samples)
    if groups is None or calibrated.naming is None:
        return None
    return calibrated.naming.named(groups.people_in, trials, FastEntropy(seed_of(seed, OF_NAMES), trials))


def seed_of(seed: int, name: str) -> int:
    """Return the seed of one column, which other columns do not change: 48 bits of a digest of seed and name."""
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:6], "big")
