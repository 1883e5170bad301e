"""One configuration of a study: a mechanism, a budget, levels and data, with seeds that follow from its content.

Costs. The seconds a study will take decide where to run it and tell the time left, and nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..draw import TRIALS_AT_ONCE
from ..errors import ParameterError
from ..mechanisms.registry import MECHANISMS
from ..people.takes import PerPerson
from ..plan import Intervals, OptionValue, Plan
from ..privacy.budgets import Adjacency, ApproxDP, Privacy

SEED_BITS = 63  # a seed fits into a column of int64

Levels: TypeAlias = tuple[Fraction, ...]


@dataclass(frozen=True, init=False)
class Method:
    """A mechanism with its options, and what it is called in results: its own words where no `label` is given."""

    mechanism: str
    options: tuple[tuple[str, OptionValue], ...]
    label: str

    def __init__(self, mechanism: str, options: Mapping[str, OptionValue] | None = None, label: str = "") -> None:
        plan = Plan([], mechanism, options=options)
        if mechanism not in MECHANISMS:
            raise ParameterError("mechanism", f"must be one of {', '.join(MECHANISMS)}, got {mechanism[:40]!r}.")
        if not isinstance(label, str):
            raise ParameterError("label", f"must be a text, got {type(label).__name__}.")
        object.__setattr__(self, "mechanism", mechanism)
        object.__setattr__(self, "options", tuple(plan.options.items()))
        object.__setattr__(self, "label", label or MECHANISMS[mechanism].LABEL)

    def as_dict(self) -> dict[str, Any]:
        """Return the method as plain values."""
        return {"mechanism": self.mechanism, "options": dict(self.options), "label": self.label}


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """One combination of a grid. Its seeds follow from its own content, so it can be recomputed alone."""

    method: Method
    privacy: Privacy
    quantiles: Levels
    data: str
    n: int | None
    domain: Domain | None
    adjacency: Adjacency
    trials: int
    data_sets: int
    seed: int
    per_person: PerPerson | None = None
    max_rows_per_person: int | None = None
    intervals: Intervals | None = None
    find_bounds: FindBounds | None = None

    def plan_for(self, n: int) -> Plan:
        """Return the plan that is simulated on n records, with the requested intervals."""
        if self.intervals is None:
            return self.plan
        return replace(self.plan, intervals=self.intervals, about_n=max(n, 1))

    @property
    def plan(self) -> Plan:
        """The plan that is simulated, without intervals: seeds follow from it."""
        return Plan(self.quantiles, self.method.mechanism, self.privacy, self.adjacency, dict(self.method.options))

    @property
    def of_people(self) -> dict[str, Any]:
        """What is taken of each person's rows, as arguments of a Column; empty if every row is another person."""
        rules = {"per_person": self.per_person, "max_rows_per_person": self.max_rows_per_person}
        return {name: rule for name, rule in rules.items() if rule is not None}

    def data_seed(self, number: int) -> int:
        """Return the seed of data set `number`: the same for every mechanism, budget, domain and set of quantiles."""
        return seed_of(self.seed, "data", self.data, self.n, number)

    def noise_seed(self, number: int) -> int:
        """Return the seed of the simulation on data set `number`, the same for any number of trials or data sets."""
        domain = None if self.domain is None else self.domain.as_dict()
        further = [self.of_people] if self.of_people else []
        further += [] if self.find_bounds is None else [self.find_bounds.as_dict()]
        return seed_of(self.seed, "noise", self.plan.as_dict(), self.data, self.n, domain, number, *further)


def seed_of(seed: int, *content: Any) -> int:
    """Return a seed of 63 bits from a study's seed and plain content: SHA-256 of both as JSON.

    Different content gives independent seeds, so a result does not depend on what else is computed.
    """
    text = json.dumps([seed, *content], sort_keys=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> (64 - SEED_BITS)


SECONDS_A_RECORD = 2e-7
"""Drawing, encoding and sorting one record."""
ACCOUNTANT_SECONDS = 1.5
"""Loading the accountant and converting the first approximate budget of a process."""


def expected_seconds(configurations: list[Configuration], records: int = 1000) -> float:
    """How long the configurations will take, one after the other; `records` where a configuration names no n."""
    accountant = ACCOUNTANT_SECONDS if any(isinstance(each.privacy, ApproxDP) for each in configurations) else 0.0
    columns = {(each.data, each.n, each.domain): each.data_sets * (each.n or records) for each in configurations}
    return accountant + sum(map(likely_seconds, configurations)) + SECONDS_A_RECORD * sum(columns.values())


def likely_seconds(configuration: Configuration) -> float:
    """How long the simulations of one configuration will take."""
    return configuration.data_sets * seconds_of(configuration.plan, configuration.trials // configuration.data_sets)


def seconds_of(plan: Plan, trials: int) -> float:
    """How long `trials` runs of a plan on one data set will take; with intervals it draws up to three times as many."""
    m, cost = len(set(plan.quantiles)), MECHANISMS[plan.mechanism].PROFILE.seconds_of(plan)
    m, passes = m * (1 if plan.intervals is None else 3), -(-trials // TRIALS_AT_ONCE)
    return passes * (cost.once + cost.level * m) + trials * (cost.trial + cost.trial_and_level * m)
