"""A race between mechanisms: all run a few times on the public shapes, then those go on that may be the best."""

from __future__ import annotations

from math import isqrt

from ..mechanisms import MECHANISMS
from .facts import PublicFacts
from .simulation import Simulation, expected_seconds

MOST_SECONDS = 0.45
"""A mechanism whose first runs would take longer, by the stated costs, does not run."""
FEWEST_RUNS, RUNS = 8, 32
"""Runs on each shape, for one quantile. With many quantiles fewer runs are enough: an error is the mean over them."""
LEAST_RUNS = 2
"""The number of runs that gives a standard error."""
RIVAL_SECONDS = 0.05
"""One that may be the best runs on for so long where fewer runs would do: errors of quantiles that are read from the
same noisy counts are large or small together, and so tell less than as many of their own."""
CLEARLY_WORSE = 1.6
"""A mechanism whose error after the first runs is this many times that of the best one is dropped."""
NEGLIGIBLE_ERROR = 0.1
"""Records: two errors that are both smaller are as good as each other."""


def first_runs(facts: PublicFacts, mechanism: str, n: int) -> Simulation:
    """Return the first runs of a mechanism. Raises ParameterError, Infeasible, where it is not available."""
    simulation = Simulation(facts, mechanism, n)
    simulation.run(_first(facts, mechanism))
    return simulation


def run_on(facts: PublicFacts, simulations: dict[str, Simulation]) -> None:
    """Add runs to those that may be the best, where the first ones leave that open."""
    found = {key: simulation.mean.typical for key, simulation in simulations.items()}
    rivals = [key for key in found if found[key] <= max(CLEARLY_WORSE * min(found.values()), NEGLIGIBLE_ERROR)]
    if len(rivals) == 1 or all(found[key] <= NEGLIGIBLE_ERROR for key in rivals):
        return
    for key in rivals:
        more = _of_rival(facts, key) - simulations[key].runs
        if more > 0:
            simulations[key].run(more)


def too_slow(facts: PublicFacts, mechanism: str) -> bool:
    """Return whether even the first runs of a mechanism would take too long."""
    return expected_seconds(facts, mechanism, _first(facts, mechanism)) > MOST_SECONDS


def _first(facts: PublicFacts, mechanism: str) -> int:
    """Return how many runs come first: a few, or as many as take no longer than what has to be done once for all."""
    cost, m = MECHANISMS[mechanism].PROFILE.seconds_of(facts.plan(mechanism)), facts.m
    as_long = (cost.once + cost.level * m) / (cost.trial + cost.trial_and_level * m)
    return min(max(enough_runs(facts, FEWEST_RUNS), int(as_long)), enough_runs(facts, RUNS))


def _of_rival(facts: PublicFacts, mechanism: str) -> int:
    """Return how many runs one has that may be the best: enough, or half as many as of one where that is quick."""
    none, one = (expected_seconds(facts, mechanism, runs) for runs in (0, 1))
    return max(enough_runs(facts, RUNS), min(RUNS // 2, int(RIVAL_SECONDS / (one - none))))


def enough_runs(facts: PublicFacts, of_one: int) -> int:
    """Return how many runs with this many quantiles are as precise as `of_one` runs with one."""
    return max(of_one // isqrt(facts.m), LEAST_RUNS)
