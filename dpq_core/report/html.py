"""The report as one sheet of HTML: the same on the screen, in the file and on paper, where one page holds it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape

from ..far_answers import NOT_USABLE
from ..figures.rows import draw_guesses, draw_odds_bar
from ..frames.rows import level_name
from ..results.odds import HUNDRED, right_of_hundred
from ..studies.measures import ERROR_BOUND
from . import charts, findings, words
from .facts import ReportFacts
from .style import PAGE, STYLE

PRESET_WORDS = {
    "strict": "Strict: little can be learned about anyone",
    "balanced": "Balanced: the usual choice",
    "loose": "Loose: for data that is hardly sensitive",
}
MOST_IN_TABLE = 99
WHOLE = re.compile(r"\d{4}-\d\d-\d\d|\d[\d.]* %")
"""Dates and percents: no line ends inside one."""


def document(facts: ReportFacts) -> str:
    """Return the report as a file that needs nothing else: no script, no font, no other machine."""
    return page(facts.title, f"{STYLE}{PAGE}", sheet(facts))


def page(title: str, style: str, body: str) -> str:
    """Return a whole HTML file."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}: private quantiles</title><style>{style}</style></head>"
        f"<body>{body}</body></html>\n"
    )


def sheet(facts: ReportFacts) -> str:
    """Return the report as a piece of HTML, to be styled by STYLE: the answer first, then how it is protected."""
    parts = [
        '<div class="dpq-sheet">',
        f'<p class="dpq-quiet">{escape(facts.title)} · {escape(facts.about)}</p>',
        f'<p class="dpq-mark">{escape(words.NO_RELEASE)}</p>' if facts.simulated else "",
        f'<h2 class="dpq-headline">{said(findings.headline(facts))}</h2>',
        warned(findings.warnings_of(facts)),
        _answers(facts) if facts.values else "",
        f'<p class="dpq-private">{escape(findings.privacy_line(facts))}</p>',
        f"<h3>What this does not mean</h3><ul>{items(findings.does_not_mean(facts))}</ul>",
        f'<div class="dpq-below">{_numbers(facts)}<div class="dpq-two"><div>{guesses(facts)}{_choices(facts)}</div>',
        f"{label_card(words.label(facts))}</div><h3>Measuring again</h3><p>{said(words.again(facts))}</p></div></div>",
    ]
    return "".join(parts)


def said(sentence: str) -> str:
    """Return a sentence as HTML in which a line never ends inside a date, or before a percent sign."""
    return WHOLE.sub(r'<span class="dpq-whole">\g<0></span>', escape(sentence))


def warned(sentences: Sequence[str]) -> str:
    """Return warnings as paragraphs."""
    return "".join(f'<p class="dpq-warning">{said(sentence)}</p>' for sentence in sentences)


def quiet(sentence: str) -> str:
    """Return a sentence in small print; nothing where there is none."""
    return f'<p class="dpq-quiet">{said(sentence)}</p>' if sentence else ""


def items(sentences: Sequence[str]) -> str:
    """Return sentences as the items of a list."""
    return "".join(f"<li>{said(sentence)}</li>" for sentence in sentences)


def _numbers(facts: ReportFacts) -> str:
    """Return three numbers, each with its sentences."""
    error = words.NOT_KNOWN if facts.errors is None else words.bound(facts.errors.bound, facts.n)
    cells: list[tuple[str, str, list[str], str]] = [
        (
            "A release would protect" if facts.simulated else "Protected",
            words.whom(facts),
            [words.protected(facts)],
            "",
        ),
        (
            f"A guess about one {facts.wording.anyone} is right",
            f"at most {facts.right} times in {HUNDRED}",
            [words.chance(facts)],
            "",
        ),
        (ERROR_BOUND.capitalize(), error, [words.accuracy(facts)], _measured(facts)),
    ]
    boxes = "".join(
        f'<div><small>{escape(title)}</small><div class="dpq-number">{escape(number)}</div>'
        f"{paragraphs(sentences)}{more}</div>"
        for title, number, sentences, more in cells
    )
    return f'<div class="dpq-numbers">{boxes}</div>'


def _measured(facts: ReportFacts) -> str:
    """Return how the error was measured, with its means and what is proved: folded, so that one number is seen."""
    found = paragraphs([words.means(facts), words.measured_on(facts), words.proved(facts)])
    return f'<details class="dpq-table"><summary>How this was measured</summary>{found}</details>' if found else ""


def paragraphs(sentences: Sequence[str]) -> str:
    """Return sentences as paragraphs; an empty one is left out."""
    return "".join(f"<p>{said(sentence)}</p>" for sentence in sentences if sentence)


def _answers(facts: ReportFacts) -> str:
    """Return the chart, how to read it, and its numbers as a table."""
    sentences = [
        f"A diamond is an answer: about this share of {findings.counted(facts)} is at or below it.",
        "A bar is the range to its right, which most likely contains the true value." if facts.intervals else "",
        findings.about_ranges(facts),
        charts.rows_left_out(facts, charts.IN_TABLE),
    ]
    how = quiet(" ".join(filter(None, sentences)))
    return f"{charts.answer_chart(facts)}{how}{folded(table(facts))}"


def folded(content: str) -> str:
    """Return a table that a reader can open for its numbers."""
    return f'<details class="dpq-table"><summary>The numbers as a table</summary>{content}</details>'


def table(facts: ReportFacts) -> str:
    """Return the answers in numbers, with where the true values lie."""
    levels = charts.chosen(facts.plan.quantiles, MOST_IN_TABLE)
    unit, sure = escape(facts.wording.in_unit), f", {facts.percent}" if facts.intervals else ""
    heads = at_right("th", f"Private answer{unit}") + at_right("th", f"The true value{sure}{unit}")
    head = f"<th>Share at or below</th>{heads}"
    rows = "".join(f"<tr>{_cells(facts, level)}</tr>" for level in levels)
    cut = quiet(charts.rows_left_out(facts, charts.IN_FILE, MOST_IN_TABLE))
    return f'<table class="dpq-answers"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{cut}'


def _cells(facts: ReportFacts, level: Fraction) -> str:
    number = said(facts.wording.number(facts.value(level)))
    true = said(findings.range_of(facts, level, unit=False)) if facts.intervals else "–"
    true = NOT_USABLE if facts.is_far(level) else true
    return f"<td>{escape(level_name(level))}</td>{at_right('td', number)}{at_right('td', true)}"


def at_right(tag: str, text: str) -> str:
    """Return a cell of a table, aligned to the right."""
    return f'<{tag} class="dpq-right">{text}</{tag}>'


def guesses(facts: ReportFacts) -> str:
    """Return how often guesses about one person are right, as a scale, and what the scale is of."""
    return (
        f"<h3>What the answers reveal about one {escape(facts.wording.anyone)}</h3>"
        f"{draw_guesses(facts.right, alt=words.guesses(facts))}"
        f'<p class="dpq-quiet">The mark shows how many of 100 guesses about one {escape(facts.wording.anyone)} can be '
        f"right. It does not show a share of the {escape(facts.wording.many)}.</p>"
    )


def _choices(facts: ReportFacts) -> str:
    """Return three budgets: how well each protects, and what accuracy it leaves."""
    if not facts.presets:
        return ""
    rows = []
    for name, error_bound in facts.presets.items():
        if error_bound is None:
            rows.append(f"<tr><td>{escape(PRESET_WORDS[name])}</td><td colspan=2>not with this mechanism</td></tr>")
            continue
        right = right_of_hundred(error_bound.privacy)
        name_cell = escape(PRESET_WORDS[name])
        if error_bound.privacy == facts.privacy:
            name_cell = f"<strong>{name_cell} (these answers)</strong>"
        bar = draw_odds_bar(right, alt=f"{right} of {HUNDRED} guesses right")
        error = escape(words.bound(error_bound.errors.bound, facts.n))
        rows.append(f"<tr><td>{name_cell}</td><td>{right} of {HUNDRED}{bar}</td>{at_right('td', error)}</tr>")
    return (
        "<h3>What another budget would buy</h3><table><thead><tr><th>Choice</th><th>Guesses right, at most</th>"
        f"{at_right('th', escape(ERROR_BOUND.capitalize()))}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def label_card(label: Mapping[str, str]) -> str:
    """Return the privacy label, like the one on food."""
    rows = "".join(f"<tr><td>{escape(name)}</td><td>{said(text)}</td></tr>" for name, text in label.items())
    return f'<div class="dpq-label"><h3>Privacy label</h3><table><tbody>{rows}</tbody></table></div>'
