"""Outcomes of several columns under one budget, frozen with everything that is needed to show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ..accuracy import true_quantiles
from ..columns import ColumnsPlan, ColumnsRelease, simulate_columns
from ..domain import Domain, warnings_at_bounds
from ..far_answers import NOT_USABLE, far_answers, warnings_of_far
from ..groups import GroupedRelease
from ..plan import Plan
from ..privacy import Guarantee
from ..progress import Progress
from ..release import warnings_of_budget
from ..sample import Sample
from ..version import VERSION
from .data_set import DataSet, PrivateData, PublicData
from .outcomes import EXPLORE_SEED, answered, as_floats, now, wording_of, words_of
from .persons import PersonChoice
from .sealed import fingerprint_of, sample_to_release
from .wording import Wording, decimals_of

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from ..ledger import Account, AnswerWords

USELESS = 0.5
"""The chance to be far off from which on an answer is not usable."""
TRIALS = 1
"""Simulated answers of a column, of which none is more than another."""


@dataclass(frozen=True, kw_only=True)
class ColumnAnswer:
    """The answers of one column, public but for the truth of a simulation."""

    wording: Wording
    plan: Plan
    """What was run: the column's own part of the budget."""
    domain: Domain
    values: tuple[float, ...]
    true_values: tuple[float, ...] = ()
    """Of a simulation; empty in a release."""
    errors: tuple[float, ...] = ()
    """Signed rank errors of a simulation, in records."""
    notes: tuple[str, ...] = ()
    chances: tuple[float, ...] = ()
    """How often each answer is far off, as it was forecast from public facts; empty where it was not."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what the answers say of their bounds and of each other."""
        return (*warnings_at_bounds(self.values, self.domain), *warnings_of_far(self.plan.quantiles, self.values))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return of each answer whether it can be used, by the answers and by the forecast; empty where it can."""
        far = far_answers(self.plan.quantiles, self.values)
        chances = self.chances or (0.0,) * len(self.values)
        return tuple(NOT_USABLE if at else _remark(chance) for at, chance in zip(far, chances, strict=True))

    @property
    def usable(self) -> tuple[bool, ...]:
        """Return of each answer whether it may be shown as a finding."""
        return tuple(remark != NOT_USABLE for remark in self.remarks)


def _remark(chance: float) -> str:
    """Return what a forecast says of one answer; empty where it is hardly ever far off."""
    if chance >= USELESS:
        return NOT_USABLE
    hundredths = round(100 * chance)
    return f"far off in about {hundredths} of 100 releases" if hundredths >= 1 else ""


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnsOutcome:
    """Several columns that were simulated or released in one go; `identity` is that of their table."""

    identity: str
    about: str
    one: str
    many: str
    protected: str
    """What the promise covers: one record, or one person with all rows."""
    rule: str
    """What counts of each person, as a sentence; empty where every row is of somebody else."""
    plan: ColumnsPlan
    columns: tuple[ColumnAnswer, ...]
    guarantee: Guarantee
    made: str
    version: str = VERSION

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what is unusual about the whole budget."""
        return warnings_of_budget(self.plan.privacy, self.guarantee)


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnsSimulation(ColumnsOutcome):
    """One simulated run beside the truth. Not private."""

    seed: int
    n: int


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnsReleased(ColumnsOutcome):
    """A release: its answers and public facts, nothing else."""

    account: str
    release_id: str


@dataclass(frozen=True, kw_only=True)
class TableRequest:
    """What is asked of a table: public facts only."""

    plans: Mapping[str, Plan]
    """By column; each names the budget of the whole."""
    domains: Mapping[str, Domain]
    weights: Mapping[str, Fraction]
    about_n: int
    """A guess of how many records there are, by which the best mechanism is found."""
    missing: Mapping[str, Fraction | None] = field(default_factory=dict)
    """What a missing value counts as, where the number of records is public."""
    person: PersonChoice | None = None
    """Who has several rows, and what is taken of them."""
    chances: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """How often each answer is far off, by a forecast from public facts; columns without one are left out."""

    @property
    def plan(self) -> ColumnsPlan:
        """Return the plan of the whole. Raises ParameterError."""
        return ColumnsPlan.of(self.plans, self.plans, self.weights)


def simulate_table(
    table: Iterable[PublicData], request: TableRequest, seed: int, identity: str, about: str
) -> ColumnsSimulation:
    """Simulate one answer of all columns, beside the truth. Raises ParameterError, DataError."""
    chosen = {data.name: data for data in table if data.name in request.plans}
    samples = {}
    for name, data in chosen.items():
        missing = request.missing.get(name)
        samples[name] = Sample.from_values(
            data.values, request.domains[name], seed=EXPLORE_SEED, missing=missing, **data.of_people
        )
    study = simulate_columns(samples, request.plans, TRIALS, seed, request.weights)
    answers = [
        ColumnAnswer(
            wording=wording_of(chosen[name], request.domains[name]),
            plan=own.plan,
            domain=request.domains[name],
            values=as_floats(own.values[0]),
            true_values=as_floats(true_quantiles(samples[name], own.plan.quantiles)),
            errors=as_floats(own.signed_rank_errors[0]),
            notes=own.notes,
            chances=request.chances.get(name, ()),
        )
        for name, own in study.studies.items()
    ]
    first = next(iter(chosen.values()))
    return ColumnsSimulation(
        identity=identity, about=about, **_words(first), plan=study.plan, columns=tuple(answers),
        guarantee=study.guarantee, made=now(), seed=seed, n=max(sample.n for sample in samples.values()),
    )  # fmt: skip


def release_table(
    table: Iterable[PrivateData],
    request: TableRequest,
    account: Account,
    release_id: str,
    who: str,
    identity: str,
    about: str,
    progress: Progress,
) -> ColumnsReleased:
    """Release all columns: charge the account once, then draw. Each id spends once. Raises as `charged_columns`."""
    from ..ledger import charged_columns

    chosen = {data.name: data for data in table if data.name in request.plans}
    samples = {}
    for at, (name, data) in enumerate(chosen.items(), start=1):
        samples[name] = sample_to_release(data.column, request.domains[name], request.missing.get(name), request.person)
        progress(0.7 * at / len(chosen))
    first = next(iter(chosen.values()))
    found = charged_columns(
        samples,
        request.plans,
        account,
        weights=request.weights,
        release_id=release_id,
        who=who,
        file=fingerprint_of(first.column, account.ledger),
        words=_words_of(chosen, first),
    )
    progress(1.0)
    words = {name: wording_of(data, request.domains[name]) for name, data in chosen.items()}
    return ColumnsReleased(
        identity=identity, about=about, **_words(first), plan=found.plan,
        columns=answers_of(found, words, request.chances), guarantee=found.guarantee, version=found.version,
        made=answered(account, release_id), account=account.name, release_id=release_id,
    )  # fmt: skip


def _words_of(chosen: Mapping[str, PrivateData], first: PrivateData) -> AnswerWords:
    """Return what the answers are of, for the ledger and its reports."""
    columns = tuple((name, data.kind, data.unit) for name, data in chosen.items())
    return replace(words_of(first), column="", kind="", unit="", columns=columns)


def _words(data: DataSet) -> dict[str, str]:
    rule = data.person.rule if data.person else ""
    return {"one": data.one, "many": data.many, "protected": data.protected, "rule": rule}


def answers_of(
    release: ColumnsRelease[Any],
    words: Mapping[str, Wording] | None = None,
    chances: Mapping[str, tuple[float, ...]] | None = None,
) -> tuple[ColumnAnswer, ...]:
    """Return the answers of a release by column and group; `words`: how the values of each column are written.

    `chances`: as in TableRequest.
    """
    found, known = [], chances or {}
    for name, own in release.releases.items():
        whole = words[name] if words else Wording(name, decimals=decimals_of(own.domain))
        parts = own.values.items() if isinstance(own, GroupedRelease) else [(None, own.values)]
        for group, values in parts:
            wording = whole if group is None else replace(whole, name=f"{name}, {group}")
            found.append(
                ColumnAnswer(
                    wording=wording,
                    plan=own.plan,
                    domain=own.domain,
                    values=values,
                    notes=own.notes,
                    chances=known.get(name, ()) if group is None else (),
                )
            )
    return tuple(found)


def mean_rank_error(outcome: ColumnsSimulation) -> float:
    """Return the mean rank error over all quantiles of all columns, in records."""
    errors = [abs(error) for column in outcome.columns for error in column.errors]
    return float(np.mean(errors)) if errors else 0.0
