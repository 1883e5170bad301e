"""Charge a release of all groups as one: one price, one stored answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..calibrations import calibrate_grouped, check_plan
from ..columns import calibrate_columns, columns_plan, draw_columns, found_once, whole_of
from ..finding import RawGroups
from ..groups import GroupedRelease, Groups
from ..plan import Plan
from ..privacy import Guarantee
from ..release import draw_grouped_release, refuse_seeded
from .accounts import Account
from .answers import AnswerWords
from .charging import Request, charged_answer, new_release_id, refuse_another_adjacency
from .requests import facts_of_groups

ONE_COLUMN = "column"
"""Stands for the name of a column whose bounds and groups are found as those of a table."""


def charged_groups(
    groups: Groups | RawGroups,
    plan: Plan,
    account: Account,
    *,
    release_id: str | None = None,
    who: str = "",
    file: str = "",
    words: AnswerWords | None = None,
    column: str = "",
) -> GroupedRelease:
    """Return private quantiles of every group, charged to an account once: what `release` gives of Groups.

    Of RawGroups the bounds are found first, from a share of the budget.
    `words`: what the answers are of, for reports; `column`: its name, unless they have it. Raises as
    `charged_release`; then no group is answered.
    """
    check_plan(plan)
    whole = _grid_of(groups)
    refuse_seeded(whole)
    refuse_another_adjacency(plan.adjacency, account)  # before sizes are read: the account says if they can be public
    guarantee, draw = _calibrated(groups, plan)
    request = Request(
        plan=plan,
        guarantee=guarantee,
        release_id=new_release_id() if release_id is None else release_id,
        who=who,
        file=file,
        words=words and _of_groups(words, whole),
        grouped=True,
        facts=facts_of_groups(groups, plan, column or (words.column if words else "")),
    )
    return charged_answer(account, request, draw)


def _grid_of(groups: Groups | RawGroups) -> Groups:
    whole = whole_of(groups)
    assert isinstance(whole, Groups), "groups of a column"
    return whole


def _calibrated(groups: Groups | RawGroups, plan: Plan) -> tuple[Guarantee, Callable[[], GroupedRelease]]:
    """Return what the answers of all groups guarantee, and what draws them."""
    if isinstance(groups, Groups):
        calibrated = calibrate_grouped(groups, plan)
        return calibrated.guarantee, lambda: draw_grouped_release(groups, calibrated)
    columns = {ONE_COLUMN: groups}
    assert groups.coarse.finding is None or found_once(columns) is not None, "groups to be found are found first"
    steps = calibrate_columns(columns, columns_plan(columns, plan))

    def draw() -> GroupedRelease:
        found = draw_columns(columns, steps).releases[ONE_COLUMN]
        assert isinstance(found, GroupedRelease), "of groups"
        return replace(found, plan=plan, guarantee=replace(steps.guarantee, exact=True))

    return steps.guarantee, draw


def _of_groups(words: AnswerWords, groups: Groups) -> AnswerWords:
    """Return the words with what a report needs to know of the groups: public facts, and none of their sizes."""
    return replace(
        words,
        groups_per_person=groups.groups_per_person,
        most_rows=groups.most_rows,
        share=groups.weights is not None,
        fixed=groups.fixed,
        finding=groups.finding,
    )
