"""What simulations and releases of a page have in common: their public facts, their words, and their noise.

Nothing here knows Streamlit, and nothing is cached: the same call draws again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from ..accuracy import NOISE_INTERVAL
from ..arrays import Floats
from ..calibrations import Calibrations, calibrate_for
from ..domain.domain import Domain
from ..finding.column import RawSample
from ..plan import NOISY, Plan
from ..release import ColumnWords, Description, now
from ..sample import Sample
from ..trials import simulate_calibrated
from .answers import as_floats
from .data_set import DataSet, PublicData
from .groups.choice import GroupChoice
from .kinds import Answered
from .persons import PersonChoice
from .tables.asked import Bounds
from .tables.kinds import TableRequest
from .wording import Wording, decimals_of

EXPLORE_SEED = 0
"""The tie-breaking bits of explored data; fixed, so that a simulation can be repeated from its own seed."""
REPEATS = 20
"""Further answers shown as other runs with the same settings."""
TRIALS = 235
"""Simulated answers behind a noise interval; with the others 256, which the simulator draws in four equal parts."""
DRAWS = 1 + REPEATS + TRIALS
"""All answers of a simulation of one column in one piece."""
WALKS = 4
"""Bounds that are found, or records counted, for all these answers: each costs a sort, or a search for ends."""
MOST_STEPS = 2**50
"""Of the grid that the truth beside found bounds is put on."""
REFERENCE_SIZE = 1000
"""Records of the public reference shape, evenly spread between the bounds, where nobody guessed how many there are."""
MOST_OF_REFERENCE = 20_000
"""Of it, at most: each run is drawn 235 times."""


def answered(chosen: Mapping[str, DataSet], asked: TableRequest) -> dict[str, Any]:
    """Return what every outcome of a request says of its columns: words and public facts."""
    first = next(iter(chosen.values()))
    return {
        "source": first.source,
        "of_example": first.is_example,
        "request": asked,
        "one": first.one,
        "many": first.many,
        "protected": first.protected,
        "rule": first.person.rule if first.person else "",
    }


def facts(data: DataSet, domain: Domain, plan: Plan) -> dict[str, Any]:
    """Return the public facts of what is drawn of one column besides its quantiles, but for the notes."""
    return {
        "identity": data.identity,
        "of_example": data.is_example,
        "about": data.about,
        "source": data.source,
        "reading": data.reading,
        "wording": wording_of(data, domain),
        "missing": data.missing,
        "plan": plan,
        "domain": domain,
        "made": now(),
        "person": data.person,
    }


def described(chosen: Mapping[str, DataSet]) -> Description:
    """Return what the answers of a release are of, for the ledger."""
    first = next(iter(chosen.values()))
    columns = {name: ColumnWords(kind=data.kind, unit=data.unit) for name, data in chosen.items()}
    words = Description(columns=columns, one=first.one, many=first.many)
    if first.person is None:
        return words
    return replace(words, person=first.person.one, rule=first.person.rule, most_rows=first.person.most_rows)


def settings_of(data: DataSet, bounds: Bounds | None, plan: Plan | None) -> tuple[object, ...]:
    """Return what a run depends on, besides its seed."""
    return data.cache_key, bounds, plan


def is_current(
    outcome: Answered, data: DataSet, bounds: Bounds | None, plan: Plan | None, groups: GroupChoice | None = None
) -> bool:
    """Return whether a page still asks for what the outcome was made from, in every setting and in every word."""
    if bounds is None or (outcome.settings, outcome.groups) != (settings_of(data, bounds, plan), groups):
        return False
    return replace(outcome.wording, decimals=0) == replace(wording_of(data, None), decimals=0)


def wording_of(data: DataSet, domain: Domain | None) -> Wording:
    """Return how the values of this column on this grid are written."""
    person = data.person.one if data.person else ""
    decimals = 0 if domain is None else decimals_of(domain)
    return Wording(data.name, data.kind, data.unit, data.one, data.many, decimals, person)


def raw_sample(data: PublicData, find_bounds: Any) -> RawSample:
    """Return the column whose bounds are to be found, with repeatable tie-breaking bits."""
    return RawSample.from_values(data.values, find_bounds, seed=EXPLORE_SEED, missing=data.missing, **data.of_people)


def truth_beside(raw: RawSample, data: PublicData, found: Domain) -> Sample:
    """Return all records where they are, also beyond the bounds that were found."""
    return raw.on(around(data.values, found))


def around(values: Floats, found: Domain) -> Domain:
    """Return even steps around the found bounds and all values, for the truth beside an answer: private as they are."""
    finite = values[np.isfinite(values)]
    ends = [*map(Fraction, finite[[finite.argmin(), finite.argmax()]].tolist())] if finite.size else []
    lower, upper = min([found.lower, *ends]), max([found.upper, *ends])
    step = found.step / 10**5
    while (upper - lower) / step > MOST_STEPS:
        step *= 10
    return Domain(floor(lower / step) * step, ceil(upper / step) * step, step)


def reference_interval(
    calibrations: Calibrations, domain: Domain, person: PersonChoice | None = None, size: int = REFERENCE_SIZE
) -> tuple[int, int] | None:
    """Return the interval of rank errors that holds 95 of 100 answers on evenly spread public values, at any level.

    Never looks at the data: `size` values between the public bounds, the same plan, a fixed seed. Where a person may
    have several records, the plan is calibrated for that.
    """
    evenly = domain.at_fractions(np.linspace(0, 1, size))
    try:
        sample = Sample.from_values(evenly, domain, seed=EXPLORE_SEED)
        if person is not None:
            sample = replace(sample, protects="person", most_rows=person.most_rows)
        plan = calibrations.plan
        guessed = replace(plan, about_n=size) if plan.about_n == NOISY else None
        calibrated = calibrations.calibrated_for(sample) if guessed is None else calibrate_for(sample, guessed)
        study = simulate_calibrated(sample, calibrated, TRIALS, EXPLORE_SEED)
    except ValueError:
        return None
    lows, highs = noise_interval(study.signed_rank_errors[:, 0])
    return int(min(lows, default=0)), int(max(highs, default=0))


def noise_interval(errors: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return for each level the bounds of 95 of 100 signed rank errors (trials, levels) of simulated answers."""
    if not errors.shape[1]:
        return (), ()
    lows, highs = np.percentile(errors, NOISE_INTERVAL, axis=0)
    return as_floats(np.floor(lows)), as_floats(np.ceil(highs))
