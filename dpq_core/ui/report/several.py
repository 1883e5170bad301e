"""The sheet, the slides and the picture of several columns, or of all groups: built as those of one column are."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from html import escape

from ...figures import CHART_WIDTH, Rung, Scene, as_image, axis_of, draw_ladder, stacked, titled
from ...results import count_in_words, spoken_level
from . import charts, findings, html, sentences, slides
from .facts import ReportFacts
from .ranking import by_answer
from .style import PAGE, STYLE
from .tables import TableFacts

MOST_GROUPS, MOST_ON_SLIDE = 16, 8
"""Rows of the ranked chart; of more groups, the highest and the lowest."""
MOST_IN_TABLE, MOST_LEVELS = 200, 9
MOST_COLUMNS, MOST_RUNGS = 6, 15
"""Of the chart, and of its rungs in all: one page holds so many."""
QUARTILES = (Fraction(1, 4), Fraction(3, 4))


def document(table: TableFacts) -> str:
    """Return the report as a file that needs nothing else: no script, no font, no other machine."""
    return html.page(table.title, f"{STYLE}{PAGE}", sheet(table))


def sheet(table: TableFacts) -> str:
    """Return the report as a piece of HTML: the answers, which of them are alike, and how they are protected."""
    whole = table.whole
    parts = [
        '<div class="dpq-sheet">',
        f'<p class="dpq-quiet">{escape(whole.title)} · {escape(whole.about)}</p>',
        _groups(table) if table.grouped else _columns(table),
        f'<p class="dpq-quiet">{html.said(sentences.about_ranges(table))}</p>',
        f'<p class="dpq-private">{escape(findings.privacy_line(whole))}</p>',
        f"<h3>What this does not mean</h3><ul>{html.items(findings.does_not_mean(whole))}</ul>",
        f'<div class="dpq-below"><div class="dpq-two"><div>{html.guesses(whole)}</div>',
        f"{html.label_card(sentences.label(table))}</div></div></div>",
    ]
    return "".join(parts)


def _groups(table: TableFacts) -> str:
    (said,) = sentences.headlines(table)
    head = f'<h2 class="dpq-headline">{html.said(said)}</h2>'
    if table.level is None:
        return head
    shown, asked = min(len(table.parts), MOST_GROUPS), len(table.parts)
    how = [
        f"A diamond is the answer for the {spoken_level(table.level)} of a group"
        f"{'; a blue bar, roughly where the true one lies' if table.ranked else ''}.",
        "A pale box reaches from its lower to its upper quartile." if _has_boxes(table) else "",
        f"{shown:,} of {asked:,} groups are shown: the highest and the lowest." if shown < asked else "",
    ]
    return (
        f"{head}{charts.images(partial(ranked_chart, table))}"
        f'<p class="dpq-quiet">{html.said(" ".join(filter(None, how)))}</p>'
        f"{html.folded(_table(table, table.level))}"
        f"<h3>Which groups can be told apart?</h3><ul>{html.items(sentences.apart(table))}</ul>"
    )


def _table(table: TableFacts, level: Fraction) -> str:
    """Return the groups from the highest to the lowest, with a column for each level."""
    levels, known = charts.chosen(table.whole.plan.quantiles, MOST_LEVELS), bool(table.ranked)
    ordered, number = _ordered(table, level), table.whole.wording.number
    heads = [*map(findings.plain, levels), *([f"{findings.plain(level)}, {findings.ROUGHLY}"] if known else [])]
    rows = []
    for part in ordered[:MOST_IN_TABLE]:
        cells = [number(part.value(each)) for each in levels]
        cells += [findings.range_of(part, level, unit=False)] if known else []
        rows.append(f"<tr><th>{escape(part.title)}</th>{_cells('td', cells)}</tr>")
    head = f"<tr><th>Group</th>{_cells('th', heads)}</tr>"
    left_out = len(ordered) - len(rows)
    more = f"<p>Only in the files of the release: {count_in_words(left_out, 'group')} more.</p>" if left_out else ""
    return f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>{more}"


def _cells(tag: str, texts: Sequence[str]) -> str:
    return "".join(html.at_right(tag, html.said(text)) for text in texts)


def _columns(table: TableFacts) -> str:
    sections = []
    for part, said in zip(table.parts[:MOST_COLUMNS], sentences.headlines(table), strict=False):
        pictures = charts.images(partial(charts.ladder, part, most=_rungs(table))) if part.values else ""
        folded = html.folded(html.table(part))
        sections.append(f'<h2 class="dpq-headline dpq-of-many">{html.said(said)}</h2>{pictures}{folded}')
    left_out = len(table.parts) - len(sections)
    more = (
        f'<p class="dpq-quiet">Only in the codebook: {count_in_words(left_out, "column")} more.</p>' if left_out else ""
    )
    return "".join(sections) + more


def _rungs(table: TableFacts) -> int:
    """Return how many answers of each column are drawn: 3 at least, the outermost ones and the middle."""
    return max(MOST_RUNGS // max(min(len(table.parts), MOST_COLUMNS), 1), 3)


def ranked_chart(table: TableFacts, *, narrow: bool = False, most: int = MOST_GROUPS) -> Scene:
    """Return the groups from the highest answer to the lowest, each with its range, and a box between its quartiles."""
    level, whole = table.level, table.whole
    assert level is not None, "there are answers"
    wording, (first, last) = whole.wording, ends_of(_ordered(table, level), most)
    shown, between = [*first, *last], len(table.parts) - len(first) - len(last)
    gap = [Rung(name=f"… {count_in_words(between, 'group')} between")] if between else []
    bounds = (float(whole.domain.lower), float(whole.domain.upper))
    values = [part.value(level) for part in shown]
    values += [end for part in shown if _box(part) for end in _box(part) or ()]
    values += [end for part in shown if part.intervals for end in part.interval(level) if end not in bounds]
    axis = axis_of(values, bounds, wide=not whole.domain.has_even_steps)
    spoken, sure = spoken_level(level), findings.ROUGHLY if table.ranked else ""
    told = ", ".join(f"{part.title} {wording.number(part.value(level))}" for part in shown)
    return draw_ladder(
        [*(_rung(part, level) for part in first), *gap, *(_rung(part, level) for part in last)],
        axis,
        ends=(wording.number(axis.low), wording.number(axis.high)),
        heads=("Group", f"{spoken[:1].upper()}{spoken[1:]}{wording.in_unit}", sure),
        alt=f"{spoken} of {wording.axis} by group: {told}.",
        narrow=narrow,
    )


def _ordered(table: TableFacts, level: Fraction) -> list[ReportFacts]:
    by_name = {part.title: part for part in table.parts}
    if table.ranked:
        return [by_name[group.name] for group in by_answer(table.ranked)]
    return sorted(table.parts, key=lambda part: (-part.value(level), part.title))


def ends_of(ordered: Sequence[ReportFacts], most: int) -> tuple[list[ReportFacts], list[ReportFacts]]:
    """Return the first and the last ones, `most` in all; where there are no more, all are first ones."""
    if len(ordered) <= most:
        return list(ordered), []
    return list(ordered[: most - most // 2]), list(ordered[len(ordered) - most // 2 :])


def _rung(part: ReportFacts, level: Fraction) -> Rung:
    answer = part.value(level)
    known = bool(part.intervals)
    return Rung(
        name=part.title,
        answer=answer,
        number=part.wording.number(answer),
        interval=findings.open_interval(part, level) if known else None,
        range_text=findings.range_of(part, level, unit=False) if known else "",
        box=_box(part),
    )


def _box(part: ReportFacts) -> tuple[float, float] | None:
    if not set(QUARTILES) <= set(part.plan.quantiles):
        return None
    low, high = map(part.value, QUARTILES)
    return low, high


def _has_boxes(table: TableFacts) -> bool:
    return any(_box(part) for part in table.parts)


def picture(table: TableFacts) -> Scene:
    """Return the chart as a picture that stands alone, with what it says and what it is."""
    said, foot = sentences.headlines(table), charts.foot(sentences.label(table), table.whole.release_ids)
    if table.grouped and table.level is not None:
        return titled(ranked_chart(table), said[0], foot)
    drawn = [
        titled(charts.ladder(part, most=_rungs(table)), each, "")
        for part, each in zip(table.parts[:MOST_COLUMNS], said, strict=False)
        if part.values
    ]
    last = titled(Scene(CHART_WIDTH, 0, (), ""), "" if drawn else said[0], foot)
    return stacked([*drawn, last])


def three(table: TableFacts) -> tuple[str, str, str]:
    """Return three slides: the answers, how sure they are, how they are protected."""
    whole, said = table.whole, sentences.headlines(table)
    if table.grouped:
        chart = as_image(ranked_chart(table, most=MOST_ON_SLIDE)) if table.level is not None else ""
        answer = f'<h2>{html.said(said[0])}</h2><div class="dpq-picture">{chart}</div>'
        title, known = "Which groups can be told apart?", sentences.apart(table)
    else:
        answer = "".join(f"<h2 class='dpq-of-many'>{html.said(each)}</h2>" for each in said[:MOST_COLUMNS])
        title, known = "How sure are the answers?", []
    exact, _ = findings.does_not_mean(whole)
    known = [*known, sentences.about_ranges(table), slides.denied(exact)]
    certainty = f"<h2>{escape(title)}</h2>{html.paragraphs(known)}"
    label = charts.foot(sentences.label(table), whole.release_ids)
    last = slides.framed(whole, slides.protection(whole), label)
    return slides.framed(whole, answer), slides.framed(whole, certainty), last
