"""What a release of several columns asks for, in words and from public facts: for the steps and the last question."""

from __future__ import annotations

from collections.abc import Mapping

from dpq_core.frames.rows import level_name
from dpq_core.groups.names import name_in_words
from dpq_core.plan import Plan
from dpq_core.results.groups.choice import GroupChoice
from dpq_core.results.tables.expected import expected_points, resolved
from dpq_core.results.tables.kinds import TableRequest
from pages.steps import states

from ..budget.panel import PayingAccount
from ..form.requests import plan_of_whole
from ..frame.state import ChosenTable
from ..server import work

SAID, MOST_OF_HUNDRED = 0.01, 0.99
"""The chance from which a sentence says that an answer may be far off, and the largest that it gives as a number."""
MOST_NAMED = 5
"""Quantiles of one column that are named one by one."""


def facts_of(table: ChosenTable, request: TableRequest, payer: PayingAccount | None) -> dict[str, str]:
    """Return what the question before a release repeats. Public facts only."""
    columns = [column for column in table.columns if column.name in request.plans]
    whole = plan_of_whole(request)
    far_off = far_off_in_words(request)
    return {
        "You ask for": question_in_words(table, request),
        "Possible values": values_in_words(table, request),
        "It protects": f"whether {whole.adjacency.of(table.protected)}",
        "It uses": f"{states.cost_in_words(whole, payer)}, for all columns together",
        "Expected error": states.error_in_words(
            work.know(expected_points, request), f" on average {_among(request, columns[0].many)}"
        ),
        **({"Often far off": far_off} if far_off else {}),
    }


def _among(request: TableRequest, many: str) -> str:
    """Return among how many records an error is expected: by the sizes of groups, where these are given."""
    usual = f"{request.about_n:,} {many}"
    if request.groups is None:
        return f"among {usual}; more among fewer"
    answered, given = request.groups.answered, dict(request.sizes.own)
    if not given or answered is None:
        return f"among {usual} of a group; more among fewer"
    others = "" if all(name_in_words(name) in given for name in answered) else f", and of {usual} in the others"
    return f"in groups of the sizes that you gave{others}; more in smaller ones"


def values_in_words(table: ChosenTable, request: TableRequest) -> str:
    """Return which values are possible, and of which columns."""
    columns = [column for column in table.columns if column.name in request.plans]
    return each_said_once(
        {each.name: f"{states.values_in_words(each, request.bounds[each.name])} for " for each in columns}
    )


def question_in_words(table: ChosenTable, request: TableRequest) -> str:
    """Return which quantiles are asked, of which columns and for which groups."""
    columns = [column for column in table.columns if column.name in request.plans]
    levels = {each.name: f"{levels_in_words(request.plans[each.name])} of " for each in columns}
    asked = plan_of_whole(request).intervals
    intervals = f", with {asked.percent} intervals" if asked else ""
    return each_said_once(levels) + intervals + groups_in_words(request.groups)


def groups_in_words(groups: GroupChoice | None) -> str:
    """Return for which groups: `, for each of 12 groups of region and sex`; empty for one answer of each column."""
    if groups is None:
        return ""
    answered, by = groups.answered, " and ".join(groups.columns)
    return f", for every group found of {by}" if answered is None else f", for each of {len(answered):,} groups of {by}"


def far_off_in_words(request: TableRequest) -> str:
    """Return which answers are often far off, by the columns and levels that they are of; empty without a forecast."""
    found = work.know(resolved, request)
    if not found.chances:
        return ""
    said: dict[str, list[str]] = {}
    for name, chances in found.chances.items():
        often = [
            f"{100 * float(level):g} %"
            for level, chance in zip(found.plans[name].quantiles, chances, strict=True)
            if chance >= SAID
        ]
        if often:
            worst = "more than 99" if max(chances) > MOST_OF_HUNDRED else f"about {max(round(100 * max(chances)), 1)}"
            said.setdefault(f"{', '.join(often)} (in {worst} of 100 releases)", []).append(name)
    if not said:
        return "none in more than 1 of 100 releases"
    return "; ".join(f"{levels} of {', '.join(names)}" for levels, names in said.items())


def levels_in_words(plan: Plan) -> str:
    """Return which quantiles are asked: a few by their shares, many by their number."""
    levels = [level_name(level).partition(" · ")[0] for level in plan.quantiles]
    return ", ".join(levels) if len(levels) <= MOST_NAMED else f"{len(levels):,} quantiles"


def each_said_once(said: Mapping[str, str]) -> str:
    """Return what a sentence says of each column, in one breath where it is the same."""
    return "; ".join(
        words + ", ".join(name for name in said if said[name] == words) for words in dict.fromkeys(said.values())
    )
