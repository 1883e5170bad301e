"""What a study will take, in seconds: for deciding where to run it and for the time left, and nothing else."""

from __future__ import annotations

from ..mechanisms import MECHANISMS
from ..privacy import ApproxDP
from ..trials import TRIALS_AT_ONCE
from .configuration import Configuration

SECONDS_A_RECORD = 2e-7
"""Drawing, encoding and sorting one record."""
ACCOUNTANT_SECONDS = 1.5
"""Loading the accountant and converting the first approximate budget of a process."""


def expected_seconds(cells: list[Configuration], records: int = 1000) -> float:
    """How long the cells will take, one after the other; `records` where a cell names no n."""
    accountant = ACCOUNTANT_SECONDS if any(isinstance(cell.privacy, ApproxDP) for cell in cells) else 0.0
    columns = {(cell.data, cell.n, cell.domain): cell.data_sets * (cell.n or records) for cell in cells}
    return accountant + sum(map(likely_seconds, cells)) + SECONDS_A_RECORD * sum(columns.values())


def likely_seconds(cell: Configuration) -> float:
    """How long the simulations of one cell will take."""
    cost, m, trials = MECHANISMS[cell.method.mechanism].PROFILE.cost, len(cell.quantiles), cell.trials
    passes = cell.data_sets * -(-(trials // cell.data_sets) // TRIALS_AT_ONCE)
    return passes * (cost.once + cost.level * m) + trials * (cost.trial + cost.trial_and_level * m)
