"""Several columns, or all groups, in sentences: the answers, and which groups clearly differ in spite of the noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..domain.at_bounds import warnings_of_groups
from ..mechanisms.registry import MECHANISMS
from ..results.groups.sizes import TOO_SMALL
from ..results.wording import count_in_words, spoken_level
from . import findings, words
from .facts import ReportFacts
from .ranking import Ranked, alike_sets, all_alike, by_answer, listed, may_be_highest
from .tables import TableFacts

MOST_SETS = 5
NOTHING = "There is no group in this answer."
NOT_KNOWN = "it is not known how much of this is noise"
ALONE = "each interval is for one group alone"


def headlines(table: TableFacts) -> list[str]:
    """Return the findings: one sentence about all groups, or one about each column."""
    if not table.grouped:
        return [_of_part(part) if part.group else findings.headline(part) for part in table.parts]
    if table.level is None:
        return [findings.NO_ANSWER if table.parts else NOTHING]
    return [_of_groups(table)]


def _of_part(part: ReportFacts) -> str:
    """Return the answer for one group of a column, whose size is not known."""
    level = part.middle
    if level is None:
        return findings.NO_ANSWER
    answer = part.wording.value(part.value(level))
    return f"{part.wording.name} in {part.group}, {spoken_level(level)}: {answer}; {NOT_KNOWN}."


def _of_groups(table: TableFacts) -> str:
    level = table.level
    assert level is not None, "the caller asks for a level"
    what = f"{spoken_level(level)} of {table.whole.wording.name}"
    ranked, small = table.ranked, table.too_small
    if len(small) == len(table.parts):
        return f"The {what} is not known in any group: every group is {TOO_SMALL}."
    if not ranked:
        why = ALONE if table.bought else NOT_KNOWN
        return f"The {what} in {count_in_words(len(table.parts), 'group')}: {why}, so no two are compared."
    among = f"Among the {len(ranked):,} groups that can be compared, " if 1 < len(ranked) < len(table.parts) else ""
    said = _compared(table, ranked, what)
    if among:
        said = f"{among}{said[0].lower()}{said[1:]}"
    return f"{said} {_sentence(TOO_SMALL)}: {listed(small)}." if small else said


def _compared(table: TableFacts, ranked: Sequence[Ranked], what: str) -> str:
    """Return which group has the highest answer, as far as the ranges of comparable groups show it."""
    level, highest = table.level, may_be_highest(ranked)
    assert level is not None, "the caller asks for a level"
    if len(ranked) > 1 and all_alike(ranked):
        return f"No two groups clearly differ: the ranges of the {what} all overlap."
    if len(highest) > 1:
        names = listed([group.name for group in by_answer(highest)], last="or")
        return f"The {what} may be highest in {names}: their ranges overlap."
    part = next(part for part in table.parts if part.title == highest[0].name)
    told = f"appears highest in {part.title}" if len(ranked) > 1 else f"in {part.title}"
    answer = table.whole.wording.value(part.value(level))
    return f"The {what} {told}: {answer} ({findings.roughly(part, level)})."


def apart(table: TableFacts) -> list[str]:
    """Return which groups may be equal, which clearly differ, and which are not compared."""
    return [*_told_apart(table), *_left_out(table)]


def _told_apart(table: TableFacts) -> list[str]:
    ranked = table.ranked
    if table.bought:
        return [f"{_sentence(ALONE)}, so the report does not rank the groups."]
    if not ranked:
        return ["It is not known how far the answers are from the true values, so the report does not rank the groups."]
    if len(ranked) == 1:
        return ["There is no other group." if len(table.parts) == 1 else "There is no other group to compare it with."]
    if all_alike(ranked):
        return ["All ranges overlap, so any difference between the groups may be noise alone."]
    sets = alike_sets(ranked)
    said = [
        f"{listed([group.name for group in found])}: their ranges overlap, so which is higher may be noise."
        for found in sets[:MOST_SETS]
    ]
    if len(sets) > MOST_SETS:
        said.append(f"{len(sets) - MOST_SETS:,} more such sets are not listed.")
    some = {group.name for found in sets for group in found}
    alone = [group.name for group in by_answer(ranked) if group.name not in some]
    return said + ([f"Clearly different from every other group: {listed(alone)}."] if alone else [])


def _left_out(table: TableFacts) -> list[str]:
    """Return which groups are not compared, and why."""
    small, unknown, found = table.too_small, table.without_range, []
    if small:
        found.append(f"{_sentence(TOO_SMALL)}, so their answers are noise: {listed(small)}.")
    if unknown and table.ranked:
        found.append(f"Not compared, because their ranges would miss too often: {listed(unknown)}.")
    return found


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def warnings_of(table: TableFacts) -> list[str]:
    """Return warnings about the bounds and about far answers: for all groups together, or for each column."""
    if table.grouped:
        return list(warnings_of_groups({part.title: part.values for part in table.parts}, table.whole.domain))
    return [f"{part.title}: {said}" for part in table.parts for said in findings.warnings_of(part)]


def about_ranges(table: TableFacts) -> str:
    """Return what the ranges are based on."""
    if table.bought and table.basis is not None:
        return " ".join(table.basis.told_of(table.whole.wording.many))
    if table.inner:
        return next(filter(None, map(about_ranges, table.inner)), "")
    if not table.grouped:
        known = next((part for part in table.parts if part.intervals), None)
        return findings.about_ranges(replace(known or table.whole, notes=()))
    if table.basis is None or not table.ranked:
        return ""
    *said, _ = table.basis.told_of(table.whole.wording.many)
    assumed = f"Each group is assumed to have {_sizes(table)} or more; with fewer, the ranges are less reliable."
    return " ".join((*said, assumed))


def notes_of(table: TableFacts) -> list[str]:
    """Return what else belongs beside the answers, each with the columns that it is about."""
    if table.grouped:
        return list(table.whole.notes)
    if table.inner:
        found = [(each.title, note) for each in table.inner for note in each.whole.notes]
    else:
        found = [(part.title, note) for part in table.parts for note in part.notes]
    return [
        f"{', '.join(title for title, said in found if said == note)}: {note}"
        for note in dict.fromkeys(note for _, note in found)
    ]


def _sizes(table: TableFacts) -> str:
    """Return how many people the groups with a range have, by the guesses for them: `30 to 1,200 people`."""
    sizes = sorted({part.n for part in table.parts if part.intervals})
    ends = dict.fromkeys(f"{size:,}" for size in (sizes[0], sizes[-1]))
    own = " (each its own number)" if len(ends) > 1 else ""
    return f"{' to '.join(ends)} {table.whole.wording.many}{own}"


def label(table: TableFacts) -> dict[str, str]:
    """Return the privacy label, row by row."""
    facts: ReportFacts = table.whole
    found = words.label(facts)
    keys = dict.fromkeys(part.plan.mechanism for part in table.parts) or {facts.plan.mechanism: None}
    found["Mechanism"] = ", ".join(MECHANISMS[key].LABEL for key in keys)
    if any(part.intervals and not part.bought for part in table.parts):
        about = f"{_sizes(table)} in a group" if table.grouped or table.inner else words.how_many(facts)
        found["Ranges worked out for"] = about
    if table.inner:
        found["Columns"] = f"{len(table.inner):,}"
        found["Groups"] = f"{max(len(each.parts) for each in table.inner):,}"
    else:
        found["Groups" if table.grouped else "Columns"] = f"{len(table.parts):,}"
    return found
