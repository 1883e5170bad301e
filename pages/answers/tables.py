"""The table of an answer: a row for each group, or for each quantile of columns in one piece."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpq_core.frame import level_name
from dpq_core.results.answers import TOO_SMALL, Answers, middle_of
from dpq_core.results.kinds import Answered, Simulated
from dpq_core.results.simulated import mean_rank_error
from dpq_core.results.wording import (
    DisplayText,
    interval_in_digits,
    level_in_table,
    share_in_words,
    spoken_level,
    two_digits,
)

from .figures import by_name

MOST_WITH_NAMES = 3
"""Levels that are called median and quartiles in the heads of a table; of more, there is no room."""
NOTHING = DisplayText(0.0, "")
Row = tuple[Answers, int]
"""An answer, and the place of one of its quantiles."""


def table(outcome: Answered) -> dict[str, list[Any]]:
    """Return the answers in columns of a table; the truth beside them in a simulation."""
    return _by_group(outcome) if outcome.groups is not None else _by_quantile(outcome)


def _by_quantile(outcome: Answered) -> dict[str, list[Any]]:
    """Return a row for each quantile of each column."""
    rows = [(answer, at) for answer in outcome.answers for at in range(len(answer.values))]
    many, unit = outcome.of_table, "" if outcome.of_table else outcome.wording.in_unit
    found: dict[str, list[Any]] = {"column": [answer.wording.name for answer, _ in rows]} if many else {}
    found["quantile"] = [_level(answer, at, named=not many) for answer, at in rows]
    if isinstance(outcome, Simulated):
        found[f"true{unit}"] = [_cell(answer, answer.true_values[at], unit=many) for answer, at in rows]
    found[f"private{unit}"] = [_cell(answer, answer.values[at], unit=many) for answer, at in rows]
    found |= _intervals(rows, unit, many=many)
    if isinstance(outcome, Simulated):
        errors = [answer.errors[at] for answer, at in rows]
        found[f"rank error ({outcome.many})"] = [DisplayText(error, two_digits(error)) for error in errors]
        found |= _noise(outcome)
    said = [answer.remarks[at] for answer, at in rows] if many else []
    return found | ({"remark": said} if any(said) else {})


def _noise(outcome: Simulated) -> dict[str, list[Any]]:
    """Return between which errors and which values 95 of 100 runs of a column are; nothing without many runs."""
    if outcome.runs is None:
        return {}
    words, own = outcome.wording, outcome.only
    ends = [
        interval_in_digits(int(low), int(high)) for low, high in zip(outcome.runs.lows, outcome.runs.highs, strict=True)
    ]
    between = [f"{words.number(low)} to {words.number(high)}" for low, high in zip(own.lows, own.highs, strict=True)]
    return {
        f"95 % of simulated errors ({outcome.many})": [DisplayText(high, f"{low:,} to {high:,}") for low, high in ends],
        f"95 of 100 runs{words.in_unit}": list(map(DisplayText, own.highs, between)),
    }


def _by_group(outcome: Answered) -> dict[str, list[Any]]:
    """Return a row for each group of each column, with its quantiles and intervals; sizes and truth if simulated."""
    answers, many = [each for own in outcome.by_column for each in by_name(own)], outcome.of_table
    found: dict[str, list[Any]] = {"column": [answer.wording.name for answer in answers]} if many else {}
    found["group"] = [answer.group for answer in answers]
    levels = dict.fromkeys(level for answer in answers for level in answer.plan.quantiles)
    in_unit = many or len(levels) <= MOST_WITH_NAMES
    for level in levels:
        short = level_name(level).partition(" · ")[0]
        name = level_name(level) if len(levels) <= MOST_WITH_NAMES else short
        rows = [(each, each.plan.quantiles.index(level) if level in each.plan.quantiles else None) for each in answers]
        found[name] = [NOTHING if at is None else _cell(each, each.values[at], unit=in_unit) for each, at in rows]
        found |= _intervals([(each, at or 0) for each, at in rows], f", {short}", many=in_unit, held=False)
    if isinstance(outcome, Simulated):
        true = [_cell(each, each.true_values[each.middle], unit=in_unit) for each in answers]
        found[f"true {spoken_level(outcome.plan.quantiles[middle_of(outcome.plan.quantiles)])}"] = true
        errors = [mean_rank_error([answer]) for answer in answers]
        found[f"mean rank error ({outcome.many})"] = [DisplayText(error, two_digits(error)) for error in errors]
        found[outcome.many] = [DisplayText(answer.size or 0, f"{answer.size or 0:,}") for answer in answers]
    small = [TOO_SMALL if answer.too_small else "" for answer in answers]
    return found | ({"remark": small} if any(small) else {})


def _level(answer: Answers, at: int, *, named: bool) -> DisplayText:
    """Return a level, without the name that some have where a table has no room for it."""
    level = level_in_table(answer.plan.quantiles[at])
    return level if named else DisplayText(level.number, level.words.partition(" · ")[0])


def _intervals(rows: Sequence[Row], of: str = "", *, many: bool = False, held: bool = True) -> dict[str, list[Any]]:
    """Return the intervals as a column, and of a simulation how often they held the truth as another one.

    `of`: what follows in its head; `held`: there is room for the other one, which a single run of a table has not.
    """
    asked = next((answer.plan.intervals for answer, _ in rows if answer.intervals), None)
    if asked is None:
        return {}
    found = {f"{asked.percent} interval{of}": [_interval(answer, at, unit=many) for answer, at in rows]}
    if held and not many and any(answer.held for answer, _ in rows):
        found["held"] = [DisplayText(answer.held[at], share_in_words(answer.held[at])) for answer, at in rows]
    return found


def _cell(answer: Answers, value: float, *, unit: bool) -> DisplayText | str:
    """Return a value as it is written, which sorts by its size; a date beside dates alone sorts by its text."""
    if answer.wording.kind == "date" and not unit:
        return answer.wording.number(value)
    return DisplayText(value, answer.wording.value(value) if unit else answer.wording.number(value))


def _interval(answer: Answers, at: int, *, unit: bool) -> DisplayText:
    if not answer.intervals:
        return NOTHING
    (low, high), words = answer.intervals[at], answer.wording
    return DisplayText(high, f"{words.number(low)} to {words.value(high) if unit else words.number(high)}")
