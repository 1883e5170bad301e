"""The report as three slides: the answer, how sure it is, how it is protected. On the page, and as one file."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..figures import as_image
from . import charts, findings, html, words
from .facts import ReportFacts
from .style import DECK, SLIDE

MOST_ROWS = 9
"""Answers in the chart of a slide, which is read from afar: all deciles."""
KEYS = (
    "<script>addEventListener('keydown', e => { const all = [...document.querySelectorAll('section')];"
    " const at = all.findIndex(s => s.getBoundingClientRect().bottom > innerHeight / 2);"
    " const by = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, ' ': 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1,"
    " Home: -9, End: 9 }[e.key]; if (!by) return; e.preventDefault();"
    " all[Math.min(Math.max(at + by, 0), all.length - 1)].scrollIntoView(); })</script>"
)
"""The keys of a presenter. Without scripts the slides are below each other."""


def slides(facts: ReportFacts) -> tuple[str, str, str]:
    """Return the three slides as pieces of HTML, to be styled by SLIDE."""
    label = charts.foot(words.label(facts), facts.release_ids)
    return framed(facts, _answer(facts)), framed(facts, _certainty(facts)), framed(facts, protection(facts), label)


def deck(title: str, drawn: Sequence[str]) -> str:
    """Return slides as a file that needs nothing else, turned by the arrow keys; it prints a page for each."""
    sections = "".join(f"<section>{slide}</section>" for slide in drawn)
    return html.page(title, f"{SLIDE}{DECK}", sections, KEYS)


def framed(facts: ReportFacts, body: str, label: str = "") -> str:
    """Return a slide with what it is and where it comes from; the last one with its privacy label."""
    mark = f'<p class="dpq-mark">{escape(words.NO_RELEASE)}</p>' if facts.simulated else ""
    foot = f'<p class="dpq-quiet dpq-foot">{escape(facts.title)} · {escape(label or facts.about)}</p>'
    return f'<div class="dpq-slide"><div>{mark}{body}{foot}</div></div>'


def _answer(facts: ReportFacts) -> str:
    chart = as_image(charts.answer_chart(facts, most=MOST_ROWS)) if facts.values else ""
    cut = charts.rows_left_out(facts, charts.IN_REPORT, MOST_ROWS)
    return f'<h2>{html.said(findings.headline(facts))}</h2><div class="dpq-picture">{chart}</div>{html.quiet(cut)}'


def _certainty(facts: ReportFacts) -> str:
    exact, _ = findings.does_not_mean(facts)
    sentences = [*findings.warnings_of(facts), findings.about_ranges(facts), words.accuracy(facts), denied(exact)]
    return f"<h2>{html.said(findings.how_sure(facts))}</h2>{html.paragraphs(sentences)}"


def protection(facts: ReportFacts) -> str:
    """Return the body of the last slide."""
    _, learned = findings.does_not_mean(facts)
    sentences = [words.protected(facts), words.chance(facts), denied(learned)]
    beside = f'<div class="dpq-beside"><div>{html.dots(facts)}</div><div>{html.paragraphs(sentences)}</div></div>'
    return f"<h2>{escape(findings.how_protected(facts))}</h2>{beside}"


def denied(misreading: str) -> str:
    """Return a misreading where no title denies it."""
    return f"It does not mean t{misreading.removeprefix('T')}"
