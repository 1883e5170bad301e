"""Make outcomes: simulate on public data, or release from private data, for a page.

Nothing here knows Streamlit, and nothing is cached: the same call draws again.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any

import numpy as np

from ..accuracy import NOISE_INTERVAL, cdf_points, true_quantiles
from ..arrays import Floats
from ..calibrations import Calibrations, calibrate_for, public_count
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..errors import LedgerError
from ..finding.column import RawSample
from ..finding.steps import clipped, simulate_data, simulate_with_bounds
from ..groups.draws import GroupedRelease
from ..intervals.ends import as_pairs
from ..plan import NOISY, Plan
from ..release import QuantileRelease, warnings_for
from ..sample import Sample
from ..trials import Study, simulate_calibrated
from .answers import as_floats
from .data_set import DataSet, PrivateData, PublicData, file_of
from .groups.choice import GroupChoice
from .kinds import GroupsFacts, OutcomeFacts, Released, Simulation
from .persons import PersonChoice
from .sealed import fingerprint_of, sample_to_release
from .wording import Wording, decimals_of

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from ..ledger.accounts import Account
    from ..ledger.answers import ReleaseMetadata

EXPLORE_SEED = 0
"""The tie-breaking bits of explored data; fixed, so that a simulation can be repeated from its own seed."""
REPEATS = 20
"""Further answers shown as other runs with the same settings."""
TRIALS = 235
"""Simulated answers behind a noise interval; with the others 256, which the simulator draws in four equal parts."""
DRAWS = 1 + REPEATS + TRIALS
"""All answers of a simulation."""
WALKS = 4
"""Bounds that are found, or records counted, for all these answers: each costs a sort, or a search for ends."""
MOST_STEPS = 2**50
"""Of the grid that the truth beside found bounds is put on."""
REFERENCE_SIZE = 1000
"""Records of the public reference shape, evenly spread between the bounds, where nobody guessed how many there are."""
MOST_OF_REFERENCE = 20_000
"""Of it, at most: each run is drawn 235 times."""


def simulate_once(data: PublicData, sample: Sample, calibrations: Calibrations, seed: int) -> Simulation:
    """Simulate one answer, 20 others to compare with, and 235 more for its noise interval, in one call."""
    plan = calibrations.plan
    if plan.about_n == NOISY:
        study = simulate_data(sample, plan, DRAWS, seed, WALKS)
    else:
        study = simulate_calibrated(sample, calibrations.calibrated_for(sample), DRAWS, seed)
    return _beside_truth(facts(data, sample.domain, plan), sample, study)


def simulate_finding(data: PublicData, find_bounds: FindBounds, plan: Plan, seed: int) -> Simulation:
    """Simulate one answer that finds its bounds first; the others share four bounds that were found, in turn."""
    raw = raw_sample(data, find_bounds)
    study, domain = simulate_with_bounds(raw, plan, DRAWS, seed, WALKS)
    outcome = _beside_truth(facts(data, domain, plan), truth_beside(raw, data, domain), study)
    return replace(outcome, find_bounds=find_bounds, warnings=(*outcome.warnings, clipped(find_bounds, domain)))


def _beside_truth(known: dict[str, Any], truth: Sample, study: Study) -> Simulation:
    """Return the first answer of a study with the true quantiles, and its noise as measured by the other answers."""
    lows, highs = noise_interval(study.signed_rank_errors[1 + REPEATS :])
    return Simulation(
        **known | {"notes": study.notes},
        n=truth.n,
        seed=study.seed,
        draws=len(study.values),
        values=as_floats(study.values[0]),
        true_values=as_floats(true_quantiles(truth, study.plan.quantiles)),
        errors=as_floats(study.signed_rank_errors[0]),
        lows=lows,
        highs=highs,
        repeats=tuple(as_floats(row) for row in study.values[1 : 1 + REPEATS]),
        runs=study.values,
        usual_error=_mean(study.rank_errors),
        cdf=cdf_points(truth),
        guarantee=study.guarantee,
        warnings=warnings_for(study.plan, study.guarantee, as_floats(study.values[0]), known["domain"]),
        version=study.version,
        intervals=() if study.intervals is None else as_pairs(study.intervals[0].tolist()),
        held=() if study.covered is None else as_floats(study.coverage),
        basis=study.basis,
    )


def raw_sample(data: PublicData, find_bounds: FindBounds) -> RawSample:
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


def release_once(
    data: PrivateData,
    bounds: Domain | FindBounds,
    calibrations: Calibrations,
    account: Account,
    release_id: str,
    who: str = "",
    n_guess: int | None = None,
) -> Released:
    """Release: charge the account, then draw noise from the operating system. Each id spends once.

    `who`: the person signed in, for the ledger; `n_guess`: a public guess of how many records there are.
    """
    from ..ledger.charging import charged_release

    plan, sample = calibrations.plan, sample_to_release(data.column, bounds, data.missing, data.person)
    file, words = fingerprint_of(data.column, account.ledger), words_of(data)
    released = charged_release(
        sample, plan, account, release_id=release_id, who=who, file=file, words=words, calibrations=calibrations,
        read=data.as_read,
    )  # fmt: skip
    found, coarse = (None, sample) if isinstance(sample, Sample) else (sample.find_bounds, sample.coarse)
    domain, size = released.domain, min(n_guess or REFERENCE_SIZE, MOST_OF_REFERENCE)
    return Released(
        **facts(data, domain, plan) | left(released, account, release_id),
        values=released.values,
        intervals=released.intervals,
        basis=released.basis,
        records=public_count(coarse, plan),
        find_bounds=found,
        reference=None if found else reference_interval(calibrations, domain, data.person, size),
        reference_size=size,
    )


def left(released: QuantileRelease | GroupedRelease, account: Account, release_id: str) -> dict[str, Any]:
    """Return the fields of a release that Facts lacks or does not know; its date is the ledger's."""
    return {
        "notes": released.notes,
        "guarantee": released.guarantee,
        "warnings": released.warnings,
        "version": released.version,
        "account": account.name,
        "release_id": release_id,
        "made": answered(account, release_id),
    }


def answered(account: Account, release_id: str) -> str:
    """Return the date of an answer as the ledger has it."""
    from ..ledger.history.entries import answered_at

    try:
        return answered_at(account, release_id)
    except LedgerError:  # the answer is charged, kept and here
        return now()


def words_of(data: DataSet) -> ReleaseMetadata:
    """Return what the answers of a release are of, for the ledger."""
    from ..ledger.answers import ReleaseMetadata

    words = ReleaseMetadata(column=data.name, kind=data.kind, unit=data.unit, one=data.one, many=data.many)
    if data.person is None:
        return words
    return replace(words, person=data.person.one, rule=data.person.rule, most_rows=data.person.most_rows)


def settings_of(data: DataSet, bounds: Domain | FindBounds | None, plan: Plan | None) -> tuple[object, ...]:
    """Return what a run depends on, besides its seed."""
    return data.cache_key, bounds, plan


def is_current(
    outcome: OutcomeFacts,
    data: DataSet,
    bounds: Domain | FindBounds | None,
    plan: Plan | None,
    groups: GroupChoice | None = None,
) -> bool:
    """Return whether a page still asks for what the outcome was made from, in every setting and in every word."""
    asked = outcome.groups if isinstance(outcome, GroupsFacts) else None
    if bounds is None or (outcome.settings, asked) != (settings_of(data, bounds, plan), groups):
        return False
    return outcome.wording == wording_of(data, outcome.domain)


def facts(data: DataSet, domain: Domain, plan: Plan) -> dict[str, Any]:
    """Return the fields of Facts but the notes."""
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
        "file": file_of(data),
        "person": data.person,
    }


def now() -> str:
    """Return the date and time: UTC, ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


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
    lows, highs = noise_interval(study.signed_rank_errors)
    return int(min(lows, default=0)), int(max(highs, default=0))


def noise_interval(errors: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return for each level the bounds of 95 of 100 signed rank errors (trials, levels) of simulated answers."""
    if not errors.shape[1]:
        return (), ()
    lows, highs = np.percentile(errors, NOISE_INTERVAL, axis=0)
    return as_floats(np.floor(lows)), as_floats(np.ceil(highs))


def wording_of(data: DataSet, domain: Domain) -> Wording:
    """Return how the values of this column on this grid are written."""
    person = data.person.one if data.person else ""
    return Wording(data.name, data.kind, data.unit, data.one, data.many, decimals_of(domain), person)


def _mean(errors: Floats) -> float:
    """Return the mean of errors; 0 where there are none."""
    return float(errors.mean()) if errors.size else 0.0
