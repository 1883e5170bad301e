"""What a study will take, in seconds: for deciding where to run it and for the time left, and nothing else."""

from __future__ import annotations

from typing import NamedTuple

from ..privacy import ApproxDP
from ..trials import TRIALS_AT_ONCE
from .configuration import Configuration

SECONDS_A_RECORD = 2e-7
"""Drawing, encoding and sorting one record."""
ACCOUNTANT_SECONDS = 1.5
"""Loading the accountant and converting the first approximate budget of a process."""


class Cost(NamedTuple):
    """Seconds of one pass over up to 64 trials: once, for each level, for each trial, for each trial and level."""

    once: float
    level: float = 0.0
    trial: float = 0.0
    trial_and_level: float = 0.0


COSTS = {
    "aq": Cost(4e-3, trial_and_level=3.6e-6),
    "indexp": Cost(2e-3, trial_and_level=3e-6),
    "jointexp": Cost(1e-3, level=1.2e-3, trial_and_level=2e-5),
    "aggtree": Cost(2e-3, trial=6e-4),
    "slice": Cost(5e-3, trial_and_level=6e-6),
    "gkexp": Cost(3e-3, trial_and_level=2.5e-6),
    "binhist": Cost(1e-3, trial=2.5e-4),
    "normal": Cost(2e-3, trial=4e-5),
}
"""Fitted to n = 1,000 to 100,000 and m = 9 to 60 on one core of a small machine; right within a factor of about 3."""
UNKNOWN = Cost(5e-3, level=1e-3, trial=6e-4, trial_and_level=1e-5)
"""For a mechanism without a row."""


def expected_seconds(cells: list[Configuration], records: int = 1000) -> float:
    """How long the cells will take, one after the other; `records` where a cell names no n."""
    accountant = ACCOUNTANT_SECONDS if any(isinstance(cell.privacy, ApproxDP) for cell in cells) else 0.0
    columns = {(cell.data, cell.n, cell.domain): cell.data_sets * (cell.n or records) for cell in cells}
    return accountant + sum(map(expected_cell_seconds, cells)) + SECONDS_A_RECORD * sum(columns.values())


def expected_cell_seconds(cell: Configuration) -> float:
    """How long the simulations of one cell will take."""
    cost, m, trials = COSTS.get(cell.method.mechanism, UNKNOWN), len(cell.quantiles), cell.trials
    passes = cell.data_sets * -(-(trials // cell.data_sets) // TRIALS_AT_ONCE)
    return passes * (cost.once + cost.level * m) + trials * (cost.trial + cost.trial_and_level * m)
