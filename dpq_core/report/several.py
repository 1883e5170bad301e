"""The sheet of several columns, or of all groups: built as that of one column is."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from html import escape

from ..figures.rows import ChartRow, draw_rows
from ..results.groups.sizes import TOO_SMALL
from ..results.wording import count_in_words, spoken_level
from . import charts, findings, html, sentences
from .facts import ReportFacts
from .style import PAGE, STYLE
from .tables import TableFacts

MOST_GROUPS = 16
"""Rows of the chart of groups."""
MOST_IN_TABLE, MOST_LEVELS = 200, 9
MOST_COLUMNS, MOST_RUNGS = 6, 15
"""The most groups and the most rows of the chart: they fit on one page."""
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
    how = f"{_how_to_read(table, table.level)} {_levels_left_out(table)}".rstrip()
    return (
        f"{head}{html.warned(sentences.warnings_of(table))}{ranked_chart(table)}"
        f"{html.quiet(how)}{html.quiet(' '.join(table.whole.notes))}{html.folded(_table(table, table.level))}"
    )


def _how_to_read(table: TableFacts, level: Fraction) -> str:
    """Return what is drawn of how many groups."""
    shown, asked = len(_ordered(table)[:MOST_GROUPS]), len(table.parts)
    how = [
        f"A diamond is the answer for the {spoken_level(level)} of a group"
        f"{f'; a blue bar, its {table.sure} interval' if table.sure else ''}.",
        "A pale box reaches from its lower to its upper quartile." if _has_boxes(table) else "",
        f"Grey: {TOO_SMALL}, so the answers are noise." if table.too_small else "",
        f"{shown:,} of {asked:,} groups are shown." if shown < asked else "",
    ]
    return " ".join(filter(None, how))


def _levels_left_out(table: TableFacts) -> str:
    """Return that a group has more answers than are drawn of it; empty where it has not."""
    asked = set(table.whole.plan.quantiles)
    drawn = {table.level, *(QUARTILES if _has_boxes(table) else ())}
    return charts.left_out(len(drawn), len(asked), "answers of each group", charts.IN_TABLE)


def _table(table: TableFacts, level: Fraction) -> str:
    """Return the groups by their names, those too small last, and their levels."""
    levels = charts.chosen(table.whole.plan.quantiles, MOST_LEVELS)
    known = bool(table.sure or table.too_small)
    ordered, number = _ordered(table), table.whole.wording.number
    heads = [
        *map(findings.plain, levels),
        *([f"{findings.plain(level)}, {table.sure}".removesuffix(", ")] if known else []),
    ]
    rows = []
    for part in ordered[:MOST_IN_TABLE]:
        cells = [number(part.value(each)) for each in levels]
        cells += [_range(part, level)] if known else []
        grey = ' class="dpq-quiet"' if part.too_small else ""
        rows.append(f"<tr{grey}><th>{escape(part.title)}</th>{_cells('td', cells)}</tr>")
    head = f"<tr><th>Group</th>{_cells('th', heads)}</tr>"
    left_out = len(ordered) - len(rows)
    more = f"<p>Only in the files of the release: {count_in_words(left_out, 'group')} more.</p>" if left_out else ""
    asked = len(set(table.whole.plan.quantiles))
    more += html.quiet(charts.left_out(len(levels), asked, "answers of each group", charts.IN_FILE))
    return f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>{more}"


def _cells(tag: str, texts: Sequence[str]) -> str:
    return "".join(html.at_right(tag, html.said(text)) for text in texts)


def _columns(table: TableFacts) -> str:
    if table.inner:
        return _columns_in_groups(table)
    sections = []
    for part, said in zip(table.parts[:MOST_COLUMNS], sentences.headlines(table), strict=False):
        pictures = charts.answer_chart(part, most=_rows_shown(table)) if part.values else ""
        left_out = charts.rows_left_out(part, charts.IN_TABLE, _rows_shown(table))
        pictures += html.quiet(" ".join(filter(None, [*part.notes, left_out])))
        folded, warned = html.folded(html.table(part)), html.warned(findings.warnings_of(part))
        sections.append(f'<h2 class="dpq-headline dpq-of-many">{html.said(said)}</h2>{warned}{pictures}{folded}')
    missing = len(table.parts) - len(sections)
    more = f"Only in the codebook: {count_in_words(missing, 'column')} more." if missing else ""
    return "".join(sections) + html.quiet(more)


def _columns_in_groups(table: TableFacts) -> str:
    """Return for each column its groups, in a chart and in a table."""
    sections = "".join(map(_groups, table.inner[:MOST_COLUMNS]))
    left_out = len(table.inner) - MOST_COLUMNS
    more = f"Only in the codebook: {count_in_words(left_out, 'column')} more." if left_out > 0 else ""
    return sections + html.quiet(more)


def _rows_shown(table: TableFacts) -> int:
    """Return how many answers of each column are drawn: 3 at least, the outermost ones and the middle."""
    return max(MOST_RUNGS // max(min(len(table.parts), MOST_COLUMNS), 1), 3)


def ranked_chart(table: TableFacts) -> str:
    """Return the groups by their names, each with its interval, and a box between its quartiles."""
    level, whole = table.level, table.whole
    assert level is not None, "there are answers"
    wording, rows = whole.wording, _ordered(table)[:MOST_GROUPS]
    left_out = len(table.parts) - len(rows)
    drawn = [part for part in rows if not part.too_small] or rows
    values = [part.value(level) for part in drawn]
    values += [end for part in drawn for end in _box(part) or ()]
    ends = [end for part in drawn if part.intervals for end in part.interval(level)]
    spoken = spoken_level(level)
    told = ", ".join(
        f"{part.title} {wording.number(part.value(level))}{f', {TOO_SMALL}' if part.too_small else ''}" for part in rows
    )
    return draw_rows(
        [
            *(_rung(part, level) for part in rows),
            *([ChartRow(name=f"… {count_in_words(left_out, 'group')} more")] if left_out else []),
        ],
        charts.axis_around(values, ends, whole.domain, wording),
        title=wording.axis,
        heads=("Group", f"{spoken[:1].upper()}{spoken[1:]}{wording.in_unit}", table.sure),
        alt=f"{spoken} of {wording.axis} by group: {told}.",
    )


def _ordered(table: TableFacts) -> list[ReportFacts]:
    """Return the groups by their names, those too small last."""
    return sorted(table.parts, key=lambda part: (part.too_small, part.title))


def _rung(part: ReportFacts, level: Fraction) -> ChartRow:
    answer = part.value(level)
    known = bool(part.intervals)
    return ChartRow(
        name=part.title,
        answer=answer,
        number=part.wording.number(answer),
        interval=findings.open_interval(part, level) if known else None,
        range_text=_range(part, level),
        box=_box(part),
        faint=part.too_small,
    )


def _range(part: ReportFacts, level: Fraction) -> str:
    """Return where the true value lies, that the group is too small to tell, or nothing where that is not known."""
    if part.too_small:
        return "too small"
    return findings.range_of(part, level, unit=False) if part.intervals else ""


def _box(part: ReportFacts) -> tuple[float, float] | None:
    if not set(QUARTILES) <= set(part.plan.quantiles):
        return None
    low, high = map(part.value, QUARTILES)
    return low, high


def _has_boxes(table: TableFacts) -> bool:
    return any(_box(part) for part in table.parts)
