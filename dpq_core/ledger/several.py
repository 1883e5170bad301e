"""Charge a release of several columns as one: one price, one stored answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..columns import Columns, ColumnsPlan, ColumnsRelease, calibrate_columns, columns_plan, draw_columns, whole_of
from ..domain import Number
from ..plan import Plan
from ..progress import Progress, unheard
from ..release import refuse_seeded
from .accounts import Account
from .answers import AnswerWords
from .charging import Request, charged_answer, new_release_id, refuse_another_adjacency
from .requests import facts_of_columns


def charged_columns(
    samples: Columns,
    plan: Plan | Mapping[str, Plan] | ColumnsPlan,
    account: Account,
    *,
    weights: Mapping[str, Number] | None = None,
    release_id: str | None = None,
    who: str = "",
    file: str = "",
    words: AnswerWords | None = None,
    progress: Progress = unheard,
) -> ColumnsRelease[Any]:
    """Return private quantiles of several columns, charged to an account once: what `release` gives of a mapping.

    `words`: what the answers are of, for reports. Raises as `charged_release`; then no column is answered.
    """
    whole = columns_plan(samples, plan, weights)
    for sample in samples.values():
        refuse_seeded(whole_of(sample))
    refuse_another_adjacency(whole.adjacency, account)  # before n is read: the account says whether it is public
    calibrated = calibrate_columns(samples, whole)
    request = Request(
        plan=whole,
        guarantee=calibrated.guarantee,
        release_id=new_release_id() if release_id is None else release_id,
        who=who,
        file=file,
        words=words,
        facts=facts_of_columns(samples, calibrated),
    )
    return charged_answer(account, request, lambda: draw_columns(samples, calibrated, progress))
