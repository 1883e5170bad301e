"""The chart of a report on one answer: a row for each level."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..domain.domain import Domain
from ..figures.rows import Axis, ChartRow, axis_of, draw_rows
from ..frames.rows import level_name
from ..results.answers import middle_of
from ..results.wording import Wording
from . import findings
from .facts import ReportFacts

MOST_ROWS = 11
"""Answers in the chart; of more, some evenly chosen ones, so that one page suffices."""
IN_TABLE, IN_FILE = "the table on screen lists more", "the CSV file has all"
"""Where what a chart or a table leaves out can be read."""


def chosen(levels: Sequence[Fraction], most: int = MOST_ROWS) -> list[Fraction]:
    """Return at most `most` of the levels in order, evenly chosen, both ends and the middle among them."""
    ordered = sorted(set(levels))
    if len(ordered) <= most:
        return ordered
    found = [round(at * (len(ordered) - 1) / (most - 1)) for at in range(most)]
    middle = middle_of(ordered)
    found[min(range(1, most - 1), key=lambda at: (abs(found[at] - middle), -at))] = middle
    return [ordered[at] for at in found]


def answer_chart(facts: ReportFacts, *, most: int = MOST_ROWS) -> str:
    """Return the answers as rows: one for each level, with its interval."""
    shown, wording = chosen(facts.plan.quantiles, most), facts.wording
    near = [level for level in facts.plan.quantiles if not facts.is_far(level)]
    ends = facts.intervals if len(near) == len(facts.values) else ()  # a line to an answer far away is no measure
    return draw_rows(
        [_rung(facts, level) for level in shown],
        axis_around([*map(facts.value, near)], [end for both in ends for end in both], facts.domain, wording),
        title=wording.axis,
        heads=("Share at or below", f"Answer{wording.in_unit}", facts.percent),
        alt=f"{wording.axis} at {len(shown)} levels: {_spoken(facts, shown)}.",
    )


def axis_around(answers: Sequence[float], ends: Sequence[float], domain: Domain, wording: Wording) -> Axis:
    """Return the axis around answers and the ends of their intervals; an end at a bound says nothing."""
    bounds = (float(domain.lower), float(domain.upper))
    return axis_of(
        [*answers, *(end for end in ends if end not in bounds)], bounds, wording.number,
        least=0.0 if wording.kind == "date" else 10.0**-wording.decimals, wide=not domain.has_even_steps,
    )  # fmt: skip


def _rung(facts: ReportFacts, level: Fraction) -> ChartRow:
    answer = facts.value(level)
    if facts.is_far(level):
        name, number = level_name(level), facts.wording.number(answer)
        return ChartRow(name=name, answer=answer, number=number, range_text="not usable", faint=True)
    return ChartRow(
        name=level_name(level),
        answer=answer,
        number=facts.wording.number(answer),
        interval=findings.open_interval(facts, level) if facts.intervals else None,
        range_text=findings.range_of(facts, level, unit=False) if facts.intervals else "",
        strong=level == facts.middle,
    )


def _spoken(facts: ReportFacts, levels: Sequence[Fraction]) -> str:
    return ", ".join(f"{findings.plain(level)} {facts.wording.number(facts.value(level))}" for level in levels)


def left_out(shown: int, asked: int, what: str, where: str) -> str:
    """Return how many of the answers are shown, and where to find the others; empty where all are shown."""
    return f"{shown:,} of {asked:,} {what} are shown; {where}." if shown < asked else ""


def rows_left_out(facts: ReportFacts, where: str, most: int = MOST_ROWS) -> str:
    """Return how many answers the chart shows, where it does not show all of them."""
    asked = len(set(facts.plan.quantiles))
    return left_out(min(asked, most), asked, "answers", where)
