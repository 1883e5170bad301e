"""The chart of a report: drawn once, for the page, the file, and as a picture to take away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from ..figures.report_chart.rows import ChartRow, axis_of, draw_rows
from ..figures.report_chart.scene import Scene, as_image, titled
from ..frames.cells import level_name
from . import findings, words
from .facts import ReportFacts

MOST_ROWS = 11
"""Answers in the chart; of more, some evenly chosen ones, so that one page suffices."""
IN_REPORT, IN_TABLE, IN_FILE = "the report lists more", "the table on screen lists more", "the CSV file has all"
"""Where what a chart, a slide or a table leaves out can be read."""


def chosen(levels: Sequence[Fraction], most: int = MOST_ROWS) -> list[Fraction]:
    """Return at most `most` of the levels in order, evenly chosen, both ends and the middle among them."""
    ordered = sorted(set(levels))
    if len(ordered) <= most:
        return ordered
    return [ordered[round(at * (len(ordered) - 1) / (most - 1))] for at in range(most)]


def answer_chart(facts: ReportFacts, *, narrow: bool = False, most: int = MOST_ROWS) -> Scene:
    """Return the answers as rows: one for each level, with its interval."""
    shown, wording = chosen(facts.plan.quantiles, most), facts.wording
    bounds, wide = (float(facts.domain.lower), float(facts.domain.upper)), not facts.domain.has_even_steps
    near = [level for level in facts.plan.quantiles if not facts.is_far(level)]
    ends = facts.intervals if len(near) == len(facts.values) else ()  # a line to an answer far away is no measure
    inside = [end for both in ends for end in both if end not in bounds]
    axis = axis_of([*map(facts.value, near), *inside], bounds, wide=wide)
    return draw_rows(
        [_rung(facts, level) for level in shown],
        axis,
        ends=(wording.number(axis.low), wording.number(axis.high)),
        heads=(
            "Share at or below",
            f"Answer{wording.in_unit}",
            findings.range_head(facts) if facts.intervals else "",
        ),
        alt=f"{wording.axis} at {len(shown)} levels: {_spoken(facts, shown)}.",
        narrow=narrow,
    )


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


def images(draw: Callable[..., Scene]) -> str:
    """Return a chart as images, one for a page and one for a phone; the style of the sheet shows one of the two."""
    return as_image(draw(), "dpq-wide") + as_image(draw(narrow=True), "dpq-narrow")


def picture(facts: ReportFacts) -> Scene:
    """Return the chart as a picture for use elsewhere, with its finding and what it is."""
    origin = foot(words.label(facts), facts.release_id, rows_left_out(facts, IN_REPORT))
    return titled(answer_chart(facts), findings.headline(facts), origin)


def foot(label: Mapping[str, str], release_id: str, cut: str = "") -> str:
    """Return what a picture for use elsewhere says about its source, and about what it may be used for.

    `cut`: what it leaves out.
    """
    hides = ("What is hidden", "What a release would hide")
    kept = ("What this is", *hides, "Budget of these answers", "Data set", "Mechanism", "Released on")
    said = [label[name] for name in kept if name in label] + [release_id[:8]] * bool(release_id)
    return " · ".join([*([cut.removesuffix(".")] if cut else []), *said])
