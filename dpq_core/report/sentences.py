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
from .tables import TableFacts

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
    if len(table.too_small) == len(table.parts):
        return f"The {what} is not known in any group: every group is {TOO_SMALL}."
    why = ALONE if table.sure else NOT_KNOWN
    said = f"The {what} in {count_in_words(len(table.parts), 'group')}: {why}, so no two are compared."
    return f"{said} {TOO_SMALL.capitalize()}: {listed(table.too_small)}." if table.too_small else said


def listed(names: Sequence[str], most: int = 8) -> str:
    """Return names as people list them: `Oslo, Bergen and Hamar`; of many the first ones and how many more."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1:,} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1] if names else ""]))


def warnings_of(table: TableFacts) -> list[str]:
    """Return warnings about the bounds and about far answers: for all groups together, or for each column."""
    if table.grouped:
        return list(warnings_of_groups({part.title: part.values for part in table.parts}, table.whole.domain))
    return [f"{part.title}: {said}" for part in table.parts for said in findings.warnings_of(part)]


def about_ranges(table: TableFacts) -> str:
    """Return what the ranges are based on."""
    if table.sure and table.basis is not None:
        return " ".join(table.basis.told_of(table.whole.wording.many))
    if table.inner:
        return next(filter(None, map(about_ranges, table.inner)), "")
    known = next((part for part in table.parts if part.intervals or part.values), table.whole)
    return findings.about_ranges(replace(known, notes=()))


def label(table: TableFacts) -> dict[str, str]:
    """Return the privacy label, row by row."""
    facts: ReportFacts = table.whole
    found = words.label(facts)
    keys = dict.fromkeys(part.plan.mechanism for part in table.parts) or {facts.plan.mechanism: None}
    found["Mechanism"] = ", ".join(MECHANISMS[key].LABEL for key in keys)
    if table.inner:
        found["Columns"] = f"{len(table.inner):,}"
        found["Groups"] = f"{max(len(each.parts) for each in table.inner):,}"
    else:
        found["Groups" if table.grouped else "Columns"] = f"{len(table.parts):,}"
    return found
