"""Charge a release of all groups as one: one price, one stored answer."""

from __future__ import annotations

from dataclasses import replace

from ..calibrations import calibrate_grouped, check_plan
from ..groups import GroupedRelease, Groups
from ..plan import Plan
from ..release import draw_grouped_release, refuse_seeded
from .accounts import Account
from .answers import AnswerWords
from .charging import Request, charged_answer, new_release_id, refuse_another_adjacency
from .requests import facts_of_groups


def charged_groups(
    groups: Groups,
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

    `words`: what the answers are of, for reports; `column`: its name, unless they have it. Raises as
    `charged_release`; then no group is answered.
    """
    check_plan(plan)
    refuse_seeded(groups)
    refuse_another_adjacency(plan.adjacency, account)  # before sizes are read: the account says if they can be public
    calibrated = calibrate_grouped(groups, plan)
    request = Request(
        plan=plan,
        guarantee=calibrated.guarantee,
        release_id=new_release_id() if release_id is None else release_id,
        who=who,
        file=file,
        words=words and _of_groups(words, groups),
        grouped=True,
        facts=facts_of_groups(groups, plan, column or (words.column if words else "")),
    )
    return charged_answer(account, request, lambda: draw_grouped_release(groups, calibrated))


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
