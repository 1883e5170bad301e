"""What a study will take, in seconds: for deciding where to run it and for the time left, and nothing else."""

from __future__ import annotations

from ..mechanisms import MECHANISMS
from ..plan import Plan
from ..privacy import ApproxDP
from ..trials import TRIALS_AT_ONCE
from .configuration import Configuration

SECONDS_A_RECORD = 2e-7
"""Drawing, encoding and sorting one record."""
ACCOUNTANT_SECONDS = 1.5
"""Loading the accountant and converting the first approximate budget of a process."""


def expected_seconds(configurations: list[Configuration], records: int = 1000) -> float:
    """How long the configurations will take, one after the other; `records` where a configuration names no n."""
    accountant = (
        ACCOUNTANT_SECONDS
        if any(isinstance(configuration.privacy, ApproxDP) for configuration in configurations)
        else 0.0
    )
    columns = {
        (configuration.data, configuration.n, configuration.domain): configuration.data_sets
        * (configuration.n or records)
        for configuration in configurations
    }
    return accountant + sum(map(likely_seconds, configurations)) + SECONDS_A_RECORD * sum(columns.values())


def likely_seconds(configuration: Configuration) -> float:
    """How long the simulations of one configuration will take."""
    data_sets, trials = configuration.data_sets, configuration.trials
    passes = data_sets * -(-(trials // data_sets) // TRIALS_AT_ONCE)
    return _seconds(configuration.plan, configuration.method.mechanism, len(configuration.quantiles), trials, passes)


def seconds_of(plan: Plan, trials: int) -> float:
    """How long `trials` runs of a plan on one data set will take; with intervals it draws up to three times as many."""
    m = len(set(plan.quantiles)) * (1 if plan.intervals is None else 3)
    return _seconds(plan, plan.mechanism, m, trials, -(-trials // TRIALS_AT_ONCE))


def _seconds(plan: Plan, mechanism: str, m: int, trials: int, passes: int) -> float:
    cost = MECHANISMS[mechanism].PROFILE.seconds_of(plan)
    return passes * (cost.once + cost.level * m) + trials * (cost.trial + cost.trial_and_level * m)
