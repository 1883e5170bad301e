"""The figures of an answer, from its own record: the picture of one column, or a row for each column and group."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from dpq_core.results.answers import Answers
from dpq_core.results.kinds import Answered, Simulated
from dpq_core.results.wording import Wording

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
    return [(_rows(outcome, shown), ROWS.format("group" if outcome.groups else "column"))]


def of_simulation(outcome: Simulated, scale: Scale) -> Figures:
    """Return all figures of a simulated column."""
    return [*of_picture(outcome, scale), (cloud(outcome), CLOUD)]


def scale_of(outcome: Simulated, reach: int | None = None) -> Scale:
    """Return the scales of a picture; `reach`: of the picture before, which stays as long as all errors are on it."""
    from dpq_core.figures.axes import reach_of, value_range

    own, runs = outcome.only, outcome.many_runs
    reach = reach_of([*own.errors, *runs.lows, *runs.highs], reach)
    if _is_wide(own):
        return None, reach
    answers = [*own.values, *(end for both in own.intervals for end in both)]
    ends = float(own.domain.lower), float(own.domain.upper)
    return value_range(own.true_values, answers, (runs.cdf[0].tolist(), runs.cdf[1].tolist()), ends), reach


def of_picture(outcome: Simulated, scale: Scale) -> Figures:
    """Return the distribution of a column with its quantiles, and the rank errors of these."""
    from dpq_core.figures import quantiles

    words, order, (values, reach) = outcome.wording, by_level(outcome), scale
    own, runs = outcome.only, outcome.many_runs
    levels, true, private = _rising(outcome, own.true_values, own.values)
    cdf = (axis_values(words, runs.cdf[0].tolist()), runs.cdf[1].tolist())
    errors, lows, highs = ([row[at] for at in order] for row in (own.errors, runs.lows, runs.highs))
    distribution = quantiles.draw_distribution(
        levels, true, private, cdf, axis=words.axis, many=words.many, intervals=_bands(outcome),
        wide=_is_wide(own), scale=axis_values(words, values) if values else None,
    )  # fmt: skip
    drawn = quantiles.draw_rank_errors(levels, errors, lows, highs, many=words.many, reach=reach)
    return [(distribution, CURVE.format(words.many)), (drawn, ERRORS)]


def cloud(outcome: Simulated) -> Any:
    """Return the figure of many runs with the same settings."""
    from dpq_core.figures.quantiles import draw_cloud

    words, own, runs = outcome.wording, outcome.only, outcome.many_runs.values[:RUNS].tolist()
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


def _rows(outcome: Answered, shown: Sequence[Sequence[Answers]]) -> Any:
    """Return a panel for each column with a row for each of its groups that is shown."""
    from dpq_core.figures.rows import Panel, draw_rows

    asked = outcome.plan.intervals
    band = "95 % of simulated answers" if asked is None else f"{asked.percent} interval"
    panels = [Panel(list(map(row, own)), own[0].wording.axis, _is_wide(own[0])) for own in shown if own]
    return draw_rows(panels, band=band)


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
