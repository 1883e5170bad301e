"""Make outcomes of every group of a column: simulate on public data, or release from private data, for a page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...accuracy import NOISE_INTERVAL, true_quantiles
from ...arrays import Floats
from ...domain import Domain, warnings_of_groups
from ...groups import Groups, GroupStudy, name_in_words
from ...plan import Plan
from ...trials import simulate_grouped
from ..data_set import DataSet, PrivateData, PublicData, groups_on_grid
from ..outcomes import EXPLORE_SEED, answered, as_floats, facts, wording_of, words_of
from ..sealed import fingerprint_of, groups_to_release
from .choice import GroupChoice
from .kinds import GroupAnswer, GroupedReleased, GroupedSimulation, GroupsOutcome
from .sizes import GroupSizes

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from ...ledger import Account

DRAWS = 128
"""Simulated answers of every group: one to show, the others for its noise interval."""
MOST_NUMBERS = 3_000_000
"""Answers in all; where there would be more, a group has fewer."""
FEWEST_FOR_INTERVALS = 40
UNKNOWN = GroupSizes()


def simulate_grouped_once(
    data: PublicData, groups: GroupChoice, domain: Domain, plan: Plan, seed: int
) -> GroupedSimulation:
    """Simulate one answer of every group, and further ones for its noise interval. Raises ParameterError, DataError."""
    whole = groups_on_grid(data, groups, domain, EXPLORE_SEED)
    numbers = max(len(whole.names) * len(plan.quantiles), 1)
    draws = min(max(MOST_NUMBERS // numbers, 1), DRAWS)
    study = simulate_grouped(whole, plan, trials=draws, seed=seed)
    sizes = GroupSizes(own=tuple(zip(map(str, whole.names), whole.sizes.tolist(), strict=True)))
    answers = tuple(_answers(study, whole))
    return GroupedSimulation(
        **facts(data, domain, plan) | {"notes": study.notes},
        groups=groups,
        groups_reading=data.groups_reading,
        sizes=sizes,
        too_small=_too_small(sizes, whole.names, groups, domain, study.plan),
        answers=answers,
        guarantee=study.guarantee,
        warnings=(*warnings_of_groups({one.name: one.values for one in answers}, domain), *study.warnings),
        version=study.version,
        seed=seed,
        sample_seed=EXPLORE_SEED,
        draws=draws,
    )


def _too_small(
    sizes: GroupSizes, names: Iterable[object], groups: GroupChoice, domain: Domain, plan: Plan
) -> tuple[str, ...] | None:
    """Return which groups are too small; None where that is not known, or a part of the budget went to their names."""
    if groups.names is None:
        return None
    return sizes.too_small(names, plan, domain, groups_per_person=groups.groups_per_person, fixed=groups.fixed)


def _answers(study: GroupStudy, groups: Groups) -> list[GroupAnswer]:
    """Return the answers of the groups that the first run names, beside the truth."""
    named = [at for at in range(len(study.names)) if not np.isnan(study.values[0, at]).any()]
    return [
        GroupAnswer(
            name=str(study.names[at]),
            values=as_floats(study.values[0, at]),
            true_values=as_floats(true_quantiles(groups.column(at), study.plan.quantiles)),
            errors=as_floats(study.signed_rank_errors[0, at]),
            **_interval(study.values[1:, at]),
            size=int(groups.sizes[at]),
        )
        for at in named
    ]


def _interval(values: Floats) -> dict[str, Any]:
    """Return the bounds of 95 of 100 simulated answers (trials, levels), of those runs that named the group."""
    named = values[~np.isnan(values).any(axis=1)]
    if len(named) < FEWEST_FOR_INTERVALS or not named.shape[1]:
        return {}
    lows, highs = np.percentile(named, NOISE_INTERVAL, axis=0)
    return {"lows": as_floats(lows), "highs": as_floats(highs)}


def release_grouped(
    data: PrivateData,
    groups: GroupChoice,
    domain: Domain,
    plan: Plan,
    account: Account,
    release_id: str,
    who: str = "",
    sizes: GroupSizes = UNKNOWN,
) -> GroupedReleased:
    """Release every group: charge the account once, then draw. Each id spends once.

    `sizes`: what is publicly known of the groups, stored with the answers. Raises as `charged_groups`.
    """
    from ...ledger import charged_groups

    whole = groups_to_release(data.column, domain, data.missing, data.person, groups)
    found = charged_groups(
        whole, plan, account, release_id=release_id, who=who, file=fingerprint_of(data.column, account.ledger),
        words=replace(words_of(data), group_size=sizes.usual, group_sizes=sizes.own),
    )  # fmt: skip
    return GroupedReleased(
        **facts(data, domain, plan) | {"notes": found.notes, "made": answered(account, release_id)},
        groups=groups,
        groups_reading=data.groups_reading,
        sizes=sizes,
        too_small=_too_small(sizes, found.values, groups, domain, found.plan),
        answers=tuple(GroupAnswer(name=name_in_words(name), values=values) for name, values in found.values.items()),
        guarantee=found.guarantee,
        warnings=found.warnings,
        version=found.version,
        account=account.name,
        release_id=release_id,
    )


def is_current(
    outcome: GroupsOutcome, data: DataSet, domain: Domain | None, plan: Plan | None, groups: GroupChoice | None
) -> bool:
    """Return whether a page still asks for what the outcome was made from, in every setting and in every word."""
    if domain is None or (outcome.settings, outcome.groups) != ((data.made_of, domain, plan), groups):
        return False
    return outcome.wording == wording_of(data, domain)
