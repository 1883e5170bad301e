"""The report as one sheet of HTML: the same on the screen, in the file and on paper, where one page holds it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from html import escape

from ...figures import Axis, axis_of, draw_guesses, draw_odds_bar, draw_range
from ...results import Between, level_name, right_of_hundred
from ...studies import ERROR_BOUND
from . import words
from .style import PAGE, STYLE
from .words import Told

MOST_ROWS = 11
"""Answers in the table; of more, some evenly chosen ones, so that one page suffices."""
PRESET_WORDS = {
    "strict": "Strict: little can be learned about anyone",
    "balanced": "Balanced: the usual choice",
    "loose": "Loose: for data that is hardly sensitive",
}


def document(told: Told) -> str:
    """Return the report as a file that needs nothing else: no script, no font, no other machine."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(told.title)}: private quantiles</title><style>{STYLE}{PAGE}</style></head>"
        f"<body>{sheet(told)}</body></html>\n"
    )


def sheet(told: Told, *, present: bool = False) -> str:
    """Return the report as a piece of HTML, to be styled by STYLE; `present`: in bigger type."""
    parts = [
        f'<div class="dpq-sheet{" dpq-present" if present else ""}">',
        f'<h2>{escape(told.title)}</h2><p class="dpq-quiet">{escape(told.about)}</p>',
        f'<p class="dpq-mark">{escape(words.NO_RELEASE)}</p>' if told.simulated else "",
        _numbers(told),
        _answers(told),
        f'<div class="dpq-below"><div class="dpq-two"><div>{_guesses(told)}{_choices(told)}</div>{_label(told)}</div>',
        f"{_again(told)}</div></div>",
    ]
    return "".join(parts)


def _numbers(told: Told) -> str:
    """Three numbers, each with its sentences."""
    error = words.NOT_KNOWN if told.errors is None else words.bound(told.errors.bound, told.n)
    cells = [
        ("A release would protect" if told.simulated else "Protected", words.whom(told), [words.protected(told)]),
        ("An observer's guesses", f"at most {told.right} of 100", [words.guesses(told)]),
        (ERROR_BOUND.capitalize(), error, [words.accuracy(told), words.means(told), words.measured_on(told)]),
    ]
    boxes = "".join(
        f'<div><small>{escape(title)}</small><div class="dpq-number">{escape(number)}</div>'
        f"{_paragraphs(sentences)}</div>"
        for title, number, sentences in cells
    )
    return f'<div class="dpq-numbers">{boxes}</div>'


def _paragraphs(sentences: Sequence[str]) -> str:
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences if sentence)


def _answers(told: Told) -> str:
    """The answers as a ladder in a table, and what follows about true values in the column's unit."""
    unit = escape(f" ({told.wording.unit})" if told.wording.unit and told.wording.kind != "date" else "")
    ordered = sorted(set(told.plan.quantiles))
    chosen = _chosen(ordered, MOST_ROWS)
    axis = axis_of(told.values, (float(told.domain.lower), float(told.domain.upper)))
    limits = {limit.level: limit for limit in told.limits}
    rows = "".join(_rung(told, level, limits.get(level), axis) for level in chosen)
    left, right = (escape(told.wording.number(end)) for end in (axis.low, axis.high))
    ends = f'<span class="dpq-ends"><span>{left}</span><span>{right}</span></span>'
    head = _row("th", "columnheader", "Share at or below", f"Private answer{unit}", ends, f"The true value lies{unit}")
    return (
        '<h3>What was answered</h3><table class="dpq-answers" role="table">'
        f'<thead role="rowgroup">{head}</thead><tbody role="rowgroup">{rows}</tbody></table>'
        f'<p class="dpq-quiet">{escape(_how_to_read(told, len(chosen), len(ordered)))}</p>'
        f"{_paragraphs([words.middle(told), words.proved(told)])}"
    )


def _rung(told: Told, level: Fraction, limit: Between | None, axis: Axis) -> str:
    """One row: a level, its answer in numbers and in the ladder, and between which values the true one lies."""
    answer, bar = told.value(level), None
    if limit is not None:
        low, high = (None if end is None else told.value(end) for end in (limit.low, limit.high))
        bar = (low, high)
    rung, number = draw_range(answer, bar, axis), escape(told.wording.number(answer))
    return _row("td", "cell", escape(level_name(level)), number, rung, escape(words.range_of(told, limit)))


def _row(tag: str, role: str, level: str, answer: str, rung: str, true: str) -> str:
    """The four cells of a row, as HTML. Their roles are said, because on a phone the table is laid out as a grid."""
    looks = ("", "dpq-right", "dpq-ladder", "dpq-right")
    cells = zip(looks, (level, answer, rung, true), strict=True)
    inside = "".join(f'<{tag} role="{role}" class="{look}">{cell}</{tag}>' for look, cell in cells)
    return f'<tr role="row">{inside}</tr>'


def _how_to_read(told: Told, shown: int, asked: int) -> str:
    sentences = [
        f"A diamond is an answer: about so large a share of the {told.wording.many} lies at or below it.",
        "A blue bar is the range at its right." if told.limits else "",
        words.about_ranges(told),
        f"{shown} of {asked} answers are shown." if shown < asked else "",
    ]
    return " ".join(filter(None, sentences))


def _chosen(levels: Sequence[Fraction], most: int) -> list[Fraction]:
    """At most so many of the levels, evenly chosen, both ends and the middle among them."""
    if len(levels) <= most:
        return list(levels)
    return [levels[round(at * (len(levels) - 1) / (most - 1))] for at in range(most)]


def _guesses(told: Told) -> str:
    """A hundred guesses as dots."""
    return (
        f"<h3>What the answers tell about one {escape(told.wording.one)}</h3>"
        f'<div class="dpq-dots">{draw_guesses(told.right, alt=words.guesses(told))}'
        '<p class="dpq-quiet">Grey: right by a coin. Blue: right at most through these answers. Hollow: wrong.</p>'
        "</div>"
    )


def _choices(told: Told) -> str:
    """Three budgets: how well each protects, and what accuracy it leaves."""
    rows = []
    for name, reach in told.presets.items():
        if reach is None:
            rows.append(f"<tr><td>{escape(PRESET_WORDS[name])}</td><td colspan=2>not with this mechanism</td></tr>")
            continue
        right = right_of_hundred(reach.privacy)
        name_cell = escape(PRESET_WORDS[name])
        if reach.privacy == told.privacy and told.draws == 1:
            name_cell = f"<strong>{name_cell} (these answers)</strong>"
        bar = draw_odds_bar(right, alt=f"{right} of 100 guesses right")
        rows.append(
            f"<tr><td>{name_cell}</td><td>{right} of 100<br>{bar}</td>"
            f'<td class="dpq-right">{escape(words.bound(reach.errors.bound, told.n))}</td></tr>'
        )
    return (
        "<h3>What another budget would buy</h3><table><thead><tr><th>Choice</th><th>Guesses right, at most</th>"
        f'<th class="dpq-right">{escape(ERROR_BOUND.capitalize())}</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _again(told: Told) -> str:
    title = "Two draws" if told.draws > 1 else "Measuring again"
    return f"<h3>{title}</h3><p>{escape(words.again(told))}</p>"


def _label(told: Told) -> str:
    """The privacy label, like the one on food."""
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{escape(text)}</td></tr>" for name, text in words.label(told).items()
    )
    return f'<div class="dpq-label"><h3>Privacy label</h3><table><tbody>{rows}</tbody></table></div>'
