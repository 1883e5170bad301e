"""Search for the smallest budget that meets an error: a bisection in which every step is a statistical test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import ceil, log2, log10
from typing import Literal, TypeAlias

import numpy as np

from ..accuracy import NOISE_INTERVAL
from ..calibrations import calibrate_for
from ..errors import LARGEST, Name, ParameterError, shown
from ..privacy.budgets import ZCDP, Privacy
from ..trials import TRIALS_AT_ONCE, simulate_calibrated
from .configuration import Configuration, seed_of
from .engine import Samples
from .shapes import Given

Measure: TypeAlias = Literal["mean", "max"]

STEPS_A_DECADE = 20
"""Budgets tried are a factor of 10^(1/20), about 12 %, apart."""
LOOKS = 6
"""Interim looks: a budget is judged after 64, 128, ... 2,048 trials, as soon as they suffice."""


@dataclass(frozen=True, kw_only=True)
class TriedBudget:
    """One budget that was tried."""

    budget: float
    trials: int
    met: int
    """How many trials had an error of at most `wanted`."""
    low: float
    high: float
    """Confidence interval of the proportion of runs that meet it, at the error probability of one look."""
    error: float
    """The mean error over the trials, in records."""
    error_low: float
    error_high: float
    """95 of 100 trials had an error between these two."""
    verdict: bool | None
    """Whether the wanted proportion of runs meets it; None where the trials do not decide."""
    why_not: str = ""
    refused: ValueError | None = field(default=None, compare=False)
    """What `why_not` is the sentence of; in no file."""


@dataclass(frozen=True, kw_only=True)
class SearchResult:
    """The result of a search.

    Except with probability `chance`, the wanted proportion of runs with this budget has an error within what is wanted,
    and where `sharp` is True the next smaller budget of the grid falls short of it. Both take it that a larger budget
    is no worse.
    """

    budget: float | None
    """Epsilon, or rho for a concentrated budget; None where not even the largest budget was shown to do."""
    visit: TriedBudget | None
    """What was measured there."""
    sharp: bool
    chance: float
    visits: tuple[TriedBudget, ...]
    """In the order in which they were made."""


@dataclass(frozen=True, kw_only=True)
class BudgetSearch:
    """A search: the smallest budget at which a proportion `share` of the runs errs by at most `wanted` records.

    The error of a run is the `measure` of its rank errors over the levels. The configuration holds the rest;
    of its budget only the kind and delta count, of its data sets the first. Raises ParameterError.
    """

    configuration: Configuration
    wanted: float
    measure: Measure = "max"
    share: float = 0.95
    lowest: float = 0.01
    highest: float = 10.0
    chance: float = 0.05
    """Of a wrong answer; see SearchResult."""

    def __post_init__(self) -> None:
        if not 0 <= self.wanted <= LARGEST:
            raise ParameterError("wanted", f"must be finite and >= 0, got {shown(self.wanted)}.")
        for name, value in (("share", self.share), ("chance", self.chance)):
            if not 0 < value < 1:
                raise ParameterError(name, f"must be > 0 and < 1, got {shown(value)}.")
        if self.measure not in ("mean", "max"):
            raise ParameterError("measure", f"must be mean or max, got {shown(self.measure)}.")
        for amount in (self.lowest, self.highest):
            with_budget(self.configuration.privacy, amount)
        if not self.lowest < self.highest:
            raise ParameterError("highest", ("must be > ", Name("lowest"), "."))

    @property
    def budgets(self) -> list[float]:
        """The budgets to try: from `lowest` to `highest`, both included, in equal factors of at most 12.2 %."""
        count = max(ceil(STEPS_A_DECADE * log10(self.highest / self.lowest) - 1e-9), 1)
        return [float(budget) for budget in np.geomspace(self.lowest, self.highest, count + 1)]


def steps(search: BudgetSearch, given: Given | None = None) -> Iterator[tuple[float, TriedBudget | SearchResult]]:
    """Search: yield the fraction done with every budget as it is tried, and at last the result. Repeatable.

    Bisection over the budgets. Each is judged by an exact binomial interval (Clopper & Pearson 1934), with the chance
    to err divided evenly among all looks that the search can take; undecided after the last look counts as not shown.
    Raises ParameterError for data that is not known.
    """
    budgets = search.budgets
    most_visits = 1 + ceil(log2(len(budgets)))
    test = _Test(search, search.chance / (most_visits * LOOKS), Samples(given))
    visits = [test.visit(budgets[-1])]
    yield 1 / most_visits, visits[0]
    below, at = -1, len(budgets) - 1
    best, missed = visits[0], None
    while best.verdict and at - below > 1:
        middle = (below + at) // 2
        visits.append(test.visit(budgets[middle]))
        yield len(visits) / most_visits, visits[-1]
        if visits[-1].verdict:
            at, best = middle, visits[-1]
        else:
            below, missed = middle, visits[-1]
    yield (
        1.0,
        SearchResult(
            budget=best.budget if best.verdict else None,
            visit=best if best.verdict else None,
            sharp=missed is not None and missed.verdict is False,
            chance=search.chance,
            visits=tuple(visits),
        ),
    )


@dataclass(frozen=True)
class _Test:
    """The test of one budget."""

    search: BudgetSearch
    chance: float
    """Of one look."""
    samples: Samples

    def visit(self, budget: float) -> TriedBudget:
        """Simulate until the proportion of runs that meet the wanted error is clear, or the looks are used up."""
        goal = self.search
        configuration = replace(goal.configuration, privacy=with_budget(goal.configuration.privacy, budget))
        sample, errors, verdict = self.samples.of(configuration, 0), np.empty(0), None
        refused: ValueError | None = None
        low, high, met = 0.0, 1.0, 0
        try:
            calibrated = calibrate_for(sample, configuration.plan)
            for look in range(LOOKS):
                trials = TRIALS_AT_ONCE << max(look - 1, 0)
                seed = seed_of(configuration.noise_seed(0), "look", look)
                ranks = simulate_calibrated(sample, calibrated, trials, seed).rank_errors
                errors = np.append(errors, ranks.mean(axis=1) if goal.measure == "mean" else ranks.max(axis=1))
                met = int(np.count_nonzero(errors <= goal.wanted))
                low, high = binomial_interval(met, errors.size, self.chance)
                if low >= goal.share or high < goal.share:
                    verdict = low >= goal.share
                    break
        except ValueError as error:  # the data leaves no room at this budget; messages hold no data
            verdict, refused = False, error
        ends = np.percentile(errors, NOISE_INTERVAL) if errors.size else (np.nan, np.nan)
        return TriedBudget(
            budget=budget,
            trials=errors.size,
            met=met,
            low=low,
            high=high,
            error=float(errors.mean()) if errors.size else np.nan,
            error_low=float(ends[0]),
            error_high=float(ends[1]),
            verdict=verdict,
            why_not="" if refused is None else str(refused),
            refused=refused,
        )


def binomial_interval(met: int, trials: int, chance: float) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a proportion of which `met` of `trials` were seen.

    Each of its two ends fails with probability <= chance / 2.
    """
    from scipy.special import betaincinv

    low = float(betaincinv(met, trials - met + 1, chance / 2)) if met else 0.0
    high = float(betaincinv(met + 1, trials - met, 1 - chance / 2)) if met < trials else 1.0
    return low, high


def with_budget(privacy: Privacy, amount: float) -> Privacy:
    """Return a budget of the same kind, with the same delta, of another size. Raises ParameterError."""
    return ZCDP(amount) if isinstance(privacy, ZCDP) else replace(privacy, epsilon=amount)
