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
from .words import ReportFacts

MOST_ROWS = 11
"""Answers in the table; of more, some evenly chosen ones, so that one page suffices."""
PRESET_WORDS = {
    "strict": "Strict: little can be learned about anyone",
    "balanced": "Balanced: the usual choice",
    "loose": "Loose: for data that is hardly sensitive",
}


def document(facts: ReportFacts) -> str:
    """Return the report as a file that needs nothing else: no script, no font, no other machine."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(facts.title)}: private quantiles</title><style>{STYLE}{PAGE}</style></head>"
        f"<body>{sheet(facts)}</body></html>\n"
    )


def sheet(facts: ReportFacts, *, present: bool = False) -> str:
    """Return the report as a piece of HTML, to be styled by STYLE; `present`: in bigger type."""
    parts = [
        f'<div class="dpq-sheet{" dpq-present" if present else ""}">',
        f'<h2>{escape(facts.title)}</h2><p class="dpq-quiet">{escape(facts.about)}</p>',
        f'<p class="dpq-mark">{escape(words.NO_RELEASE)}</p>' if facts.simulated else "",
        _numbers(facts),
        _answers(facts),
        f'<div class="dpq-below"><div class="dpq-two"><div>{_guesses(facts)}{_choices(facts)}</div>',
        f"{_label(facts)}</div>{_again(facts)}</div></div>",
    ]
    return "".join(parts)


def _numbers(facts: ReportFacts) -> str:
    """Return three numbers, each with its sentences."""
    error = words.NOT_KNOWN if facts.errors is None else words.bound(facts.errors.bound, facts.n)
    cells = [
        ("A release would protect" if facts.simulated else "Protected", words.whom(facts), [words.protected(facts)]),
        ("An observer's guesses", f"at most {facts.right} of 100", [words.guesses(facts)]),
        (ERROR_BOUND.capitalize(), error, [words.accuracy(facts), words.means(facts), words.measured_on(facts)]),
    ]
    boxes = "".join(
        f'<div><small>{escape(title)}</small><div class="dpq-number">{escape(number)}</div>'
        f"{_paragraphs(sentences)}</div>"
        for title, number, sentences in cells
    )
    return f'<div class="dpq-numbers">{boxes}</div>'


def _paragraphs(sentences: Sequence[str]) -> str:
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences if sentence)


def _answers(facts: ReportFacts) -> str:
    """Return the answers as a ladder in a table, and what follows about true values in the column's unit."""
    unit = escape(f" ({facts.wording.unit})" if facts.wording.unit and facts.wording.kind != "date" else "")
    ordered = sorted(set(facts.plan.quantiles))
    chosen = _chosen(ordered, MOST_ROWS)
    bounds, wide = (float(facts.domain.lower), float(facts.domain.upper)), not facts.domain.has_even_steps
    inside = [end for ends in facts.intervals for end in ends if end not in bounds]
    axis = axis_of([*facts.values, *inside], bounds, wide=wide)
    limits = {limit.level: limit for limit in facts.limits}
    rows = "".join(_rung(facts, level, limits.get(level), axis) for level in chosen)
    left, right = (escape(facts.wording.number(end)) for end in (axis.low, axis.high))
    ends = f'<span class="dpq-ends"><span>{left}</span><span>{right}</span></span>'
    head = _row("th", "columnheader", "Share at or below", f"Private answer{unit}", ends, f"The true value lies{unit}")
    return (
        '<h3>What was answered</h3><table class="dpq-answers" role="table">'
        f'<thead role="rowgroup">{head}</thead><tbody role="rowgroup">{rows}</tbody></table>'
        f'<p class="dpq-quiet">{escape(_how_to_read(facts, len(chosen), len(ordered)))}</p>'
        f"{_paragraphs([words.middle(facts), words.proved(facts)])}"
    )


def _rung(facts: ReportFacts, level: Fraction, limit: Between | None, axis: Axis) -> str:
    """Return one row: a level, its answer in numbers and in the ladder, and where the true value lies."""
    answer, true = facts.value(level), words.range_of(facts, limit)
    bar: tuple[float | None, float | None] | None = None
    if facts.intervals:
        bar, true = facts.interval(level), words.interval_of(facts, level)
    elif limit is not None:
        low, high = (None if end is None else facts.value(end) for end in (limit.low, limit.high))
        bar = (low, high)
    rung, number = draw_range(answer, bar, axis), escape(facts.wording.number(answer))
    return _row("td", "cell", escape(level_name(level)), number, rung, escape(true))


def _row(tag: str, role: str, level: str, answer: str, rung: str, true: str) -> str:
    """Return the four cells of a row. Their roles are said, because on a phone the table is laid out as a grid."""
    looks = ("", "dpq-right", "dpq-ladder", "dpq-right")
    cells = zip(looks, (level, answer, rung, true), strict=True)
    inside = "".join(f'<{tag} role="{role}" class="{look}">{cell}</{tag}>' for look, cell in cells)
    return f'<tr role="row">{inside}</tr>'


def _how_to_read(facts: ReportFacts, shown: int, requested: int) -> str:
    sentences = [
        f"A diamond is an answer: about so large a share of the {facts.wording.many} lies at or below it.",
        "A blue bar is the range at its right." if facts.limits or facts.intervals else "",
        words.about_ranges(facts),
        f"{shown} of {requested} answers are shown." if shown < requested else "",
    ]
    return " ".join(filter(None, sentences))


def _chosen(levels: Sequence[Fraction], most: int) -> list[Fraction]:
    """Return at most `most` of the levels, evenly chosen, both ends and the middle among them."""
    if len(levels) <= most:
        return list(levels)
    return [levels[round(at * (len(levels) - 1) / (most - 1))] for at in range(most)]


def _guesses(facts: ReportFacts) -> str:
    """Return a hundred guesses as dots."""
    return (
        f"<h3>What the answers tell about one {escape(facts.wording.anyone)}</h3>"
        f'<div class="dpq-dots">{draw_guesses(facts.right, alt=words.guesses(facts))}'
        '<p class="dpq-quiet">Grey: right by a coin. Blue: right at most through these answers. Hollow: wrong.</p>'
        "</div>"
    )


def _choices(facts: ReportFacts) -> str:
    """Return three budgets: how well each protects, and what accuracy it leaves."""
    rows = []
    for name, error_bound in facts.presets.items():
        if error_bound is None:
            rows.append(f"<tr><td>{escape(PRESET_WORDS[name])}</td><td colspan=2>not with this mechanism</td></tr>")
            continue
        right = right_of_hundred(error_bound.privacy)
        name_cell = escape(PRESET_WORDS[name])
        if error_bound.privacy == facts.privacy and facts.draws == 1:
            name_cell = f"<strong>{name_cell} (these answers)</strong>"
        bar = draw_odds_bar(right, alt=f"{right} of 100 guesses right")
        rows.append(
            f"<tr><td>{name_cell}</td><td>{right} of 100<br>{bar}</td>"
            f'<td class="dpq-right">{escape(words.bound(error_bound.errors.bound, facts.n))}</td></tr>'
        )
    return (
        "<h3>What another budget would buy</h3><table><thead><tr><th>Choice</th><th>Guesses right, at most</th>"
        f'<th class="dpq-right">{escape(ERROR_BOUND.capitalize())}</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _again(facts: ReportFacts) -> str:
    title = "Two draws" if facts.draws > 1 else "Measuring again"
    return f"<h3>{title}</h3><p>{escape(words.again(facts))}</p>"


def _label(facts: ReportFacts) -> str:
    """Return the privacy label, like the one on food."""
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{escape(text)}</td></tr>" for name, text in words.label(facts).items()
    )
    return f'<div class="dpq-label"><h3>Privacy label</h3><table><tbody>{rows}</tbody></table></div>'
