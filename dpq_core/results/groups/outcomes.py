"""Make outcomes of every group of a column: simulate on public data, or release from private data, for a page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...columns.release import calibrate_columns, columns_plan
from ...columns.study import seed_of, simulate_columns
from ...domain.at_bounds import warnings_of_groups
from ...domain.domain import Domain
from ...domain.finding import FindBounds
from ...finding.column import RawGroups
from ...finding.steps import CalibratedSteps, clipped, simulated_bounds
from ...groups.draws import GroupStudy
from ...groups.table import Groups
from ...plan import Plan
from ...trials import simulate_grouped
from ..answers import judged, released, simulated, sizes_in
from ..data_set import PrivateData, PublicData, groups_asked
from ..kinds import GroupedReleased, GroupedSimulation
from ..outcomes import EXPLORE_SEED, around, facts, left, wording_of, words_of
from ..sealed import columns_to_release, fingerprint_of
from ..tables.asked import Bounds, in_groups
from .choice import GroupChoice
from .sizes import GroupSizes

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from ...ledger.accounts import Account

DRAWS = 128
"""Simulated answers of every group: one to show, the others for its noise interval."""
DRAWS_BETWEEN_FOUND_BOUNDS = 48
"""The same where each finds bounds of its own, and is drawn between them."""
MOST_NUMBERS = 3_000_000
"""Answers in all; where there would be more, a group has fewer."""
UNKNOWN = GroupSizes()


def simulate_grouped_once(
    data: PublicData, groups: GroupChoice, bounds: Bounds, plan: Plan, seed: int
) -> GroupedSimulation:
    """Simulate one answer of every group, and further ones for its noise interval. Raises ParameterError, DataError."""
    asked = groups_asked(data, groups, bounds, EXPLORE_SEED)
    names, most = (
        (asked.names, DRAWS) if isinstance(asked, Groups) else (asked.coarse.names, DRAWS_BETWEEN_FOUND_BOUNDS)
    )
    draws = min(max(MOST_NUMBERS // max(len(names) * len(plan.quantiles), 1), 1), most)
    study, domain = _simulated(asked, data.name, plan, draws, seed)
    whole = asked if isinstance(asked, Groups) else asked.on(around(data.values, domain))
    sizes = sizes_in(whole)
    found = bounds if isinstance(bounds, FindBounds) else None
    answers = simulated(study.parts[0], whole, wording_of(data, domain), domain, found)
    said = () if found is None else (clipped(found, domain),)
    at_bounds = warnings_of_groups({one.group: one.values for one in answers}, domain)
    return GroupedSimulation(
        **facts(data, domain, plan) | {"notes": study.notes},
        groups=groups,
        groups_reading=data.groups_reading,
        sizes=sizes,
        answers=tuple(judged(answers, sizes, groups, data.person, 1)),
        guarantee=study.guarantee,
        warnings=(*at_bounds, *study.warnings, *said),
        version=study.version,
        basis=study.basis,
        seed=seed,
        draws=draws,
        find_bounds=found,
    )


def _simulated(asked: Groups | RawGroups, name: str, plan: Plan, draws: int, seed: int) -> tuple[GroupStudy, Domain]:
    """Return simulated answers of all groups of a column, and the grid of the first of them."""
    if isinstance(asked, Groups):
        return simulate_grouped(asked, plan, trials=draws, seed=seed), asked.domain
    columns = {name: asked}
    whole = simulate_columns(columns, plan, draws, seed)
    study = whole.studies[name]
    steps = calibrate_columns(columns, columns_plan(columns, plan)).columns[name]
    assert isinstance(study, GroupStudy), "of groups"
    assert isinstance(steps, CalibratedSteps), "bounds first"
    study = replace(study, guarantee=whole.guarantee)  # with what the names have cost
    return study, simulated_bounds(asked, steps, draws, seed_of(seed, name))[0]


def release_grouped(
    data: PrivateData,
    groups: GroupChoice,
    bounds: Bounds,
    plan: Plan,
    account: Account,
    release_id: str,
    who: str = "",
    sizes: GroupSizes = UNKNOWN,
) -> GroupedReleased:
    """Release every group: charge the account once, then draw. Each id spends once.

    `sizes`: what is publicly known of the groups, stored with the answers. Raises as `charged_release`.
    """
    from ...ledger.charging import charged_release

    name, person = data.name, data.person
    columns = columns_to_release({name: data.column}, {name: bounds}, {name: data.missing}, person, groups)
    found = charged_release(
        in_groups(columns[name]), plan, account, release_id=release_id, who=who,
        file=fingerprint_of(data.column, account.ledger),
        words=replace(words_of(data), group_size=sizes.usual, group_sizes=sizes.own), read=data.as_read,
    )  # fmt: skip
    return GroupedReleased(
        **facts(data, found.domain, plan) | left(found, account, release_id),
        groups=groups,
        groups_reading=data.groups_reading,
        sizes=sizes,
        answers=tuple(judged(released(found.parts[0], wording_of(data, found.domain)), sizes, groups, person, 1)),
        basis=found.basis,
        find_bounds=found.find_bounds,
    )
