"""Answers on the screen, of one column or of several, in one piece or in groups: one table for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.results.answers import Answers
from dpq_core.results.wording import DisplayText, Wording, level_in_table, share_in_words, two_digits


def table(answers: Sequence[Answers], *, columns: bool = False, remarks: bool = True) -> dict[str, list[Any]]:
    """Return a row for each quantile of each answer; the truth beside it in a simulation.

    `columns`: the answers are of several columns, each in its own unit.
    """
    rows = [(answer, at) for answer in answers for at in range(len(answer.values))]
    words = answers[0].wording if answers else Wording("")
    unit, found = "" if columns else words.in_unit, dict[str, list[Any]]()
    if columns:
        found["column"] = [answer.wording.name for answer, _ in rows]
    if any(answer.group for answer in answers):
        found["group"] = [answer.group for answer, _ in rows]
    levels = [level_in_table(answer.plan.quantiles[at]) for answer, at in rows]
    found["quantile"] = [_short(each) for each in levels] if columns else levels
    truth = any(answer.true_values for answer in answers)
    if truth:
        found[f"true{unit}"] = [cell(answer, answer.true_values[at], unit=columns) for answer, at in rows]
    found[f"private{unit}"] = [cell(answer, answer.values[at], unit=columns) for answer, at in rows]
    found |= intervals(rows, unit, columns=columns)
    if truth:
        errors = [answer.errors[at] for answer, at in rows]
        found[f"rank error ({words.many})"] = [DisplayText(error, two_digits(error)) for error in errors]
    said = [answer.remarks[at] for answer, at in rows] if remarks else []
    return found | ({"remark": said} if any(said) else {})


def _short(level: DisplayText) -> DisplayText:
    """Return a level without the name that some have, for which a table of several columns has no room."""
    return DisplayText(level.number, level.words.partition(" · ")[0])


def mechanisms_in_words(answers: Sequence[Answers]) -> str:
    """Return which mechanism answered which of several columns; the table of answers has no room for it."""
    of = dict.fromkeys((MECHANISMS[each.plan.mechanism].LABEL, each.wording.name) for each in answers)
    labels = dict.fromkeys(label for label, _ in of)
    if len(labels) == 1:
        return f"Mechanism: {next(iter(labels))}."
    parts = [f"{label} for {', '.join(name for one, name in of if one == label)}" for label in labels]
    return f"Mechanisms: {'; '.join(parts)}."


def intervals(
    rows: Sequence[tuple[Answers, int]], of: str = "", *, columns: bool = False, held: bool = True
) -> dict[str, list[Any]]:
    """Return the intervals as a column, and of a simulation how often they held the truth as another one.

    `of`: what follows in its head; `held`: there is room for the other one, which a single run of a table has not.
    """
    asked = next((answer.plan.intervals for answer, _ in rows if answer.intervals), None)
    if asked is None:
        return {}
    found = {f"{asked.percent} interval{of}": [_interval(answer, at, unit=columns) for answer, at in rows]}
    if held and not columns and any(answer.held for answer, _ in rows):
        found["held"] = [DisplayText(answer.held[at], share_in_words(answer.held[at])) for answer, at in rows]
    return found


def cell(answer: Answers, value: float, *, unit: bool = False) -> DisplayText | str:
    """Return a value as it is written, which sorts by its size; a date beside dates alone sorts by its text."""
    if answer.wording.kind == "date" and not unit:
        return answer.wording.number(value)
    return DisplayText(value, answer.wording.value(value) if unit else answer.wording.number(value))


def _interval(answer: Answers, at: int, *, unit: bool) -> DisplayText:
    if not answer.intervals:
        return DisplayText(0.0, "")
    low, high = answer.intervals[at]
    words = answer.wording
    return DisplayText(high, f"{words.number(low)} to {words.value(high) if unit else words.number(high)}")
