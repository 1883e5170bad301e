"""Several columns, or all groups, in sentences: the answers, and above all which groups the noise leaves alike."""

from __future__ import annotations

from ...mechanisms import MECHANISMS
from ...results import spoken_level
from . import findings, words
from .facts import ReportFacts
from .ranking import alike_sets, all_alike, by_answer, listed, may_be_highest
from .tables import TableFacts

MOST_SETS = 5
NOTHING = "There is no group in this answer."


def headlines(table: TableFacts) -> list[str]:
    """Return what was found: one sentence on all groups, or one on each column."""
    if not table.grouped:
        return [findings.headline(part) for part in table.parts]
    if table.level is None:
        return [findings.NO_ANSWER if table.parts else NOTHING]
    return [_of_groups(table)]


def _of_groups(table: TableFacts) -> str:
    level, wording = table.level, table.whole.wording
    assert level is not None, "asked by whoever calls"
    what = f"{spoken_level(level)} of {wording.name}"
    ranked = table.ranked
    if not ranked:
        ordered = sorted(table.parts, key=lambda part: part.value(level))
        low, high = (f"{wording.value(part.value(level))} ({part.title})" for part in (ordered[0], ordered[-1]))
        return f"The {what} is answered with {low} to {high}; how much of that is noise is not known."
    highest = may_be_highest(ranked)
    if len(ranked) > 1 and all_alike(ranked):
        return f"No two groups can be told apart: the ranges of the {what} all overlap."
    if len(highest) > 1:
        names = listed([group.name for group in by_answer(highest)], last="or")
        return f"Where the {what} is highest cannot be told: it may be in {names}."
    part = next(part for part in table.parts if part.title == highest[0].name)
    told = f"is most likely highest in {part.title}" if len(ranked) > 1 else f"in {part.title}"
    return f"The {what} {told}: {wording.value(part.value(level))} ({findings.roughly(part, level)})."


def apart(table: TableFacts) -> list[str]:
    """Return which groups cannot be told apart, and which can."""
    ranked = table.ranked
    if not ranked:
        return ["How far the true values may lie from these is not known here, so no order of the groups is claimed."]
    if len(ranked) == 1:
        return ["There is no other group."]
    if all_alike(ranked):
        return ["None can be told from any other: which group is higher may be noise alone."]
    sets = alike_sets(ranked)
    said = [
        f"{listed([group.name for group in found])}: their ranges overlap, so which is higher may be noise."
        for found in sets[:MOST_SETS]
    ]
    if len(sets) > MOST_SETS:
        said.append(f"{len(sets) - MOST_SETS:,} more such sets are not listed.")
    some = {group.name for found in sets for group in found}
    alone = [group.name for group in by_answer(ranked) if group.name not in some]
    return said + ([f"Told apart from every other group: {listed(alone)}."] if alone else [])


def about_ranges(table: TableFacts) -> str:
    """Return what the ranges rest on."""
    if not table.grouped:
        known = next((part for part in table.parts if part.intervals), None)
        return findings.about_ranges(known or table.whole)
    if table.basis is None or not table.ranked:
        return ""
    *said, last = table.basis.told_of(table.whole.wording.many)
    each = f"That is said of each group: {last[0].lower()}{last[1:]}"
    return " ".join((*said, each))


def label(table: TableFacts) -> dict[str, str]:
    """Return the privacy label, row by row."""
    facts: ReportFacts = table.whole
    found = words.label(facts)
    keys = dict.fromkeys(part.plan.mechanism for part in table.parts) or {facts.plan.mechanism: None}
    found["Mechanism"] = ", ".join(MECHANISMS[key].LABEL for key in keys)
    about = words.how_many(facts)
    if any(part.intervals for part in table.parts):
        found["Ranges worked out for"] = f"{about} in each group" if table.grouped else about
    found["Groups" if table.grouped else "Columns"] = f"{len(table.parts):,}"
    return found
