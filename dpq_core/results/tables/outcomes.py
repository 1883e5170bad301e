"""Outcomes of several columns under one budget, whole or in groups: simulated, or released."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...answers import Release
from ...columns.counting import AwaitsCount
from ...columns.plan import Columns, Source
from ...columns.release import ColumnSteps, calibrate_columns
from ...columns.study import seed_of, simulate_columns
from ...domain.domain import Domain
from ...domain.finding import FindBounds
from ...finding.column import RawGroups, RawSample
from ...finding.steps import CalibratedSteps, calibrate_raw, simulated_bounds
from ...groups.table import FINDING_SHARE, Groups
from ...progress import Progress, unheard
from ...sample import Sample
from ..answers import Answers, judged, released, simulated, sizes_in
from ..data_set import DataSet, PrivateData, PublicData
from ..groups.sizes import GroupSizes, rule_of_persons
from ..outcomes import EXPLORE_SEED, answered, around, now, wording_of, words_of
from ..sealed import columns_to_release, fingerprint_of
from ..wording import Wording, decimals_of
from .asked import columns_asked
from .kinds import ColumnsReleased, ColumnsSimulation, TableReading, TableRequest

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from ...ledger.accounts import Account
    from ...ledger.answers import ReleaseMetadata

TRIALS = 1
"""Simulated answers of a column, of which none is more than another."""


def simulate_table(
    table: Iterable[PublicData], request: TableRequest, reading: TableReading, seed: int, identity: str, about: str
) -> ColumnsSimulation:
    """Simulate one answer of all columns, beside the truth. Raises ParameterError, DataError."""
    chosen = {data.name: data for data in table if data.name in request.plans}
    first = next(iter(chosen.values()))
    columns = columns_asked(
        {name: data.values for name, data in chosen.items()}, request.bounds, request.groups,
        first.groups if request.groups else (), request.person, first.people if request.person else None,
        {name: request.missing.get(name) for name in chosen}, EXPLORE_SEED,
    )  # fmt: skip
    return simulated_table(
        columns, chosen, request, reading, seed, identity, about, lambda name, found: around(chosen[name].values, found)
    )


def simulated_table(
    columns: Columns, chosen: Mapping[str, DataSet], request: TableRequest, reading: TableReading, seed: int,
    identity: str, about: str, grid_of_truth: Callable[[str, Domain], Domain], progress: Progress = unheard,
) -> ColumnsSimulation:  # fmt: skip
    """Return one simulated answer of columns, beside the truth.

    `chosen`: their public facts; `grid_of_truth`: the grid on which the truth of a column is, between found bounds.
    """
    first = next(iter(chosen.values()))
    study = simulate_columns(columns, request.plans, TRIALS, seed, request.weights, progress)
    steps = calibrate_columns(columns, request.plan).columns
    answers: list[Answers] = []
    n = 0
    for name, own in study.studies.items():
        domain = _grid_of_run(columns[name], steps[name], seed_of(seed, name))
        truth = _truth_of(columns[name], partial(grid_of_truth, name, domain))
        parts = simulated(own.parts[0], truth, wording_of(chosen[name], domain), domain, _finding(request.bounds[name]))
        answers += _known(parts, sizes_in(truth), request)
        n = max(n, (truth.n if isinstance(truth, Sample) else sum(truth.each_part(_records_in))))
    return ColumnsSimulation(
        identity=identity, about=about, **_words(first), plan=study.plan, answers=tuple(answers),
        guarantee=study.guarantee, made=now(), seed=seed, n=n, request=request, reading=reading,
    )  # fmt: skip


def _grid_of_run(column: Source, steps: ColumnSteps, seed: int) -> Domain:
    """Return the grid of the answers of a column: the one that the run found, or the one that was chosen."""
    if isinstance(column, RawSample | RawGroups):
        if isinstance(steps, AwaitsCount):  # no walk depends on what was counted
            steps = calibrate_raw(column, replace(steps.plan, intervals=None, about_n=None))
        assert isinstance(steps, CalibratedSteps), "bounds first"
        return simulated_bounds(column, steps, TRIALS, seed)[0]
    return column.domain


def _finding(bounds: Domain | FindBounds) -> FindBounds | None:
    return bounds if isinstance(bounds, FindBounds) else None


def _truth_of(column: Source, around_all: Callable[[], Domain]) -> Sample | Groups:
    """Return all records where they are, also beyond bounds that were found: then on a grid around all of them."""
    if isinstance(column, RawSample | RawGroups):
        return column.on(around_all())
    assert isinstance(column, Sample | Groups), "of values"
    return column


def _records_in(groups: Groups, at: int) -> int:
    return int(groups.sizes.sum())


def _known(answers: list[Answers], sizes: GroupSizes, request: TableRequest) -> list[Answers]:
    """Return the answers of a column with what is known of them from public facts: sizes of groups, and forecasts."""
    found = judged(answers, sizes, request.groups, request.person, len(request.plans))
    return [each if each.group else replace(each, chances=request.chances.get(each.wording.name, ())) for each in found]


def release_table(
    table: Iterable[PrivateData],
    request: TableRequest,
    reading: TableReading,
    account: Account,
    release_id: str,
    who: str,
    identity: str,
    about: str,
    progress: Progress,
) -> ColumnsReleased:
    """Release all columns: charge the account once, then draw. Each id spends once. Raises as `charged_release`."""
    from ...ledger.charging import charged_release

    chosen = {data.name: data for data in table if data.name in request.plans}
    sealed = {name: data.column for name, data in chosen.items()}
    missing = {name: request.missing.get(name) for name in chosen}
    columns = columns_to_release(sealed, request.bounds, missing, request.person, request.groups)
    progress(0.7)
    first = next(iter(chosen.values()))
    found = charged_release(
        columns,
        request.plans,
        account,
        weights=request.weights,
        release_id=release_id,
        who=who,
        file=fingerprint_of(first.column, account.ledger),
        words=_words_of(chosen, first, request),
        asked=None if request.asked is None else request.asked.plan,
        read=vars(reading),
    )
    progress(1.0)
    words = {name: wording_of(data, found.releases[name].domain) for name, data in chosen.items()}
    parts = (released(part, words[part.column or ""]) for part in found.parts)
    answers = [each for part in parts for each in _known(part, request.sizes, request)]
    return ColumnsReleased(
        identity=identity, about=about, **_words(first), plan=found.plan,
        answers=tuple(answers), guarantee=found.guarantee, version=found.version,
        made=answered(account, release_id), account=account.name, release_id=release_id, request=request,
        reading=reading,
    )  # fmt: skip


def _words_of(chosen: Mapping[str, PrivateData], first: PrivateData, request: TableRequest) -> ReleaseMetadata:
    """Return what the answers are of, for the ledger and its reports."""
    columns = tuple((name, data.kind, data.unit) for name, data in chosen.items())
    words = replace(words_of(first), column="", kind="", unit="", columns=columns)
    if request.groups is None:
        return words
    rule = rule_of_persons(request.groups, request.person)
    return replace(
        words, groups_per_person=rule["groups_per_person"], share=rule["share"],
        finding=FINDING_SHARE if request.groups.names is None else None,
        group_size=request.sizes.usual, group_sizes=request.sizes.own,
    )  # fmt: skip


def _words(data: DataSet) -> dict[str, str]:
    rule = data.person.rule if data.person else ""
    return {"one": data.one, "many": data.many, "protected": data.protected, "rule": rule}


def answers_of(release: Release[Any]) -> list[Answers]:
    """Return the answers of a table by column and group."""
    words = ((part, Wording(part.column or "", decimals=decimals_of(part.domain))) for part in release.parts)
    return [each for part, wording in words for each in released(part, wording)]


def mean_rank_error(answers: Iterable[Answers]) -> float:
    """Return the mean rank error of simulated answers over all their quantiles, in records."""
    errors = [abs(error) for each in answers for error in each.errors]
    return float(np.mean(errors)) if errors else 0.0
