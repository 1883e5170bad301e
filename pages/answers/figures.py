"""The figures and the table of an answer, from its own record.

A picture of one column, or a row for each column and group; in the table a row for each quantile, or for each group.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from dpq_core.frame import level_name, level_share
from dpq_core.results import wording
from dpq_core.results.answers import TOO_SMALL, Answers, middle_of
from dpq_core.results.kinds import Answered, Simulated
from dpq_core.results.simulated import mean_rank_error, noise_interval
from dpq_core.results.wording import DisplayText, Wording

from .sentences import box_levels

RUNS = 60
"""That a cloud draws."""
CURVE = "Share of {} at or below each value, with true and private quantiles; see the table"
ERRORS = "Rank error of each private quantile with 95 % of simulated errors; see the table"
CLOUD = "Answers of many runs with the same settings; the table Numbers has their ranges"
RELEASE = "Released quantiles between the public bounds; see the table"
ROWS = "Quantiles of every {} with their noise; see the table"
Scale = tuple[tuple[float, float] | None, int]
"""Where the axis of values ends (None where it runs over decades), and that of rank errors to either side."""
Figures = list[tuple[Any, str]]
"""Each with a text for those who cannot see it."""


def of_sheet(outcome: Answered, shown: Sequence[Sequence[Answers]]) -> Figures:
    """Return the figure of an outcome that is no picture. `shown`: of each column the groups in view."""
    if outcome.alone:
        return [(_release(outcome), RELEASE)]
    from dpq_core.figures.rows import Panel, draw_rows

    asked = outcome.plan.intervals
    band = "95 % of simulated answers" if asked is None else f"{asked.percent} interval"
    panels = [Panel(list(map(row, own)), own[0].wording.axis, _is_wide(own[0])) for own in shown if own]
    return [(draw_rows(panels, band=band), ROWS.format("group" if outcome.groups else "column"))]


def of_simulation(outcome: Simulated, scale: Scale) -> Figures:
    """Return all figures of a simulated column."""
    return [*of_picture(outcome, scale), (cloud(outcome), CLOUD)]


def scale_of(outcome: Simulated, reach: int | None = None) -> Scale:
    """Return the scales of a picture; `reach`: of the picture before, which stays as long as all errors are on it."""
    from dpq_core.figures.axes import reach_of, value_range

    own, (lows, highs) = outcome.only, noise_interval(outcome.many_runs)
    reach = reach_of([*own.errors, *lows, *highs], reach)
    if _is_wide(own):
        return None, reach
    answers = [*own.values, *(end for both in own.intervals for end in both)]
    ends = float(own.domain.lower), float(own.domain.upper)
    return value_range(own.true_values, answers, (outcome.cdf[0].tolist(), outcome.cdf[1].tolist()), ends), reach


def of_picture(outcome: Simulated, scale: Scale) -> Figures:
    """Return the distribution of a column with its quantiles, and the rank errors of these."""
    from dpq_core.figures import quantiles

    words, order, (values, reach) = outcome.wording, by_level(outcome), scale
    own = outcome.only
    levels, true, private = _rising(outcome, own.true_values, own.values)
    cdf = (axis_values(words, outcome.cdf[0].tolist()), outcome.cdf[1].tolist())
    errors, lows, highs = ([row[at] for at in order] for row in (own.errors, *noise_interval(outcome.many_runs)))
    distribution = quantiles.draw_distribution(
        levels, true, private, cdf, axis=words.axis, many=words.many, intervals=_bands(outcome),
        wide=_is_wide(own), scale=axis_values(words, values) if values else None,
    )  # fmt: skip
    drawn = quantiles.draw_rank_errors(levels, errors, lows, highs, many=words.many, reach=reach)
    return [(distribution, CURVE.format(words.many)), (drawn, ERRORS)]


def cloud(outcome: Simulated) -> Any:
    """Return the figure of many runs with the same settings."""
    from dpq_core.figures.quantiles import draw_cloud

    words, own, runs = outcome.wording, outcome.only, outcome.many_runs.values[:RUNS, 0].tolist()
    levels, true, lows, highs, *drawn = _rising(outcome, own.true_values, own.lows, own.highs, *runs)
    said = [[words.number(row[at]) for at in by_level(outcome)] for row in runs]
    return draw_cloud(levels, true, (lows, highs), drawn, said, axis=words.axis, many=words.many, wide=_is_wide(own))


def _release(outcome: Answered) -> Any:
    """Return the figure of released quantiles of a column between the public bounds."""
    from dpq_core.figures.quantiles import draw_release

    words, own = outcome.wording, outcome.only
    levels, private = _rising(outcome, own.values)
    bounds = axis_values(words, (float(own.domain.lower), float(own.domain.upper)))
    return draw_release(
        levels, private, axis=words.axis, bounds=bounds, many=words.many, intervals=_bands(outcome), wide=_is_wide(own)
    )


def row(answer: Answers) -> Any:
    """Return the row of a column or group: of its quantiles those that are usable, unless all are noise."""
    from dpq_core.figures.rows import Row

    words, at, noise = answer.wording, answer.middle, answer.is_noise
    usable = [value for value, use in zip(answer.values, answer.usable, strict=True) if use or noise]
    middle, *box = axis_values(words, [answer.values[each] for each in (at, *box_levels(answer.plan.quantiles))])
    band = axis_values(words, answer.band(at) or ())
    true = [answer.true_values[at]] if answer.true_values and isfinite(answer.true_values[at]) else []
    return Row(
        answer.group, tuple(axis_values(words, usable)), (box[0], box[1]), middle, words.number(answer.values[at]),
        (band[0], band[1]) if band else None, next(iter(axis_values(words, true)), None), faint=noise,
    )  # fmt: skip


def by_answer(answers: Sequence[Answers]) -> list[Answers]:
    """Return groups by their middle quantile, the largest first and those that are noise last."""
    return sorted(
        answers, key=lambda each: (each.is_noise, 0 if each.is_noise else -each.values[each.middle], each.group)
    )


def by_name(answers: Sequence[Answers]) -> list[Answers]:
    """Return groups by their names."""
    return sorted(answers, key=lambda answer: answer.group.casefold())


def axis_values(words: Wording, values: Sequence[float]) -> list[Any]:
    """Return values as a figure takes them: dates as texts."""
    return [words.number(value) for value in values] if words.kind == "date" else list(values)


def _rising(outcome: Answered, *answers: Sequence[float]) -> list[list[Any]]:
    """Return the levels from the lowest up, and answers in their order as a figure takes them."""
    order = by_level(outcome)
    levels = [float(outcome.plan.quantiles[at]) for at in order]
    return [levels, *(axis_values(outcome.wording, [row[at] for at in order]) for row in answers)]


def _bands(outcome: Answered) -> tuple[list[Any], list[Any]] | None:
    """Return the low and the high ends of the intervals in the order of the levels; None where there are none."""
    if not outcome.only.intervals:
        return None
    _, low, high = _rising(outcome, *zip(*outcome.only.intervals, strict=True))
    return low, high


def _is_wide(answer: Answers) -> bool:
    """Return whether values may be many decades apart, on a grid of significant digits."""
    return not answer.domain.has_even_steps


def by_level(outcome: Answered) -> list[int]:
    """Return the places of the quantiles in the order of their levels."""
    return sorted(range(len(outcome.plan.quantiles)), key=outcome.plan.quantiles.__getitem__)


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
        found[f"rank error ({outcome.many})"] = [DisplayText(error, wording.two_digits(error)) for error in errors]
        found |= _noise(outcome)
    said = [answer.remarks[at] for answer, at in rows] if many else []
    return found | ({"remark": said} if any(said) else {})


def _noise(outcome: Simulated) -> dict[str, list[Any]]:
    """Return between which errors and which values 95 of 100 runs of a column are; nothing without many runs."""
    if outcome.runs is None:
        return {}
    words, own = outcome.wording, outcome.only
    errors = zip(*noise_interval(outcome.runs), strict=True)
    ends = [wording.interval_in_digits(int(low), int(high)) for low, high in errors]
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
        short = level_share(level)
        name = level_name(level) if len(levels) <= MOST_WITH_NAMES else short
        rows = [(each, each.plan.quantiles.index(level) if level in each.plan.quantiles else None) for each in answers]
        found[name] = [NOTHING if at is None else _cell(each, each.values[at], unit=in_unit) for each, at in rows]
        found |= _intervals([(each, at or 0) for each, at in rows], f", {short}", many=in_unit, held=False)
    if isinstance(outcome, Simulated):
        true = [_cell(each, each.true_values[each.middle], unit=in_unit) for each in answers]
        found[f"true {wording.spoken_level(outcome.plan.quantiles[middle_of(outcome.plan.quantiles)])}"] = true
        errors = [mean_rank_error([answer]) for answer in answers]
        found[f"mean rank error ({outcome.many})"] = [DisplayText(error, wording.two_digits(error)) for error in errors]
        found[outcome.many] = [DisplayText(answer.size or 0, f"{answer.size or 0:,}") for answer in answers]
    small = [TOO_SMALL if answer.too_small else "" for answer in answers]
    return found | ({"remark": small} if any(small) else {})


def _level(answer: Answers, at: int, *, named: bool) -> DisplayText:
    """Return a level, without the name that some have where a table has no room for it."""
    level = answer.plan.quantiles[at]
    return wording.level_in_table(level) if named else DisplayText(float(100 * level), level_share(level))


def _intervals(rows: Sequence[Row], of: str = "", *, many: bool = False, held: bool = True) -> dict[str, list[Any]]:
    """Return the intervals as a column, and of a simulation how often they held the truth as another one.

    `of`: what follows in its head; `held`: there is room for the other one, which a single run of a table has not.
    """
    asked = next((answer.plan.intervals for answer, _ in rows if answer.intervals), None)
    if asked is None:
        return {}
    found = {f"{asked.percent} interval{of}": [_interval(answer, at, unit=many) for answer, at in rows]}
    if held and not many and any(answer.held for answer, _ in rows):
        found["held"] = [DisplayText(answer.held[at], wording.share_in_words(answer.held[at])) for answer, at in rows]
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
