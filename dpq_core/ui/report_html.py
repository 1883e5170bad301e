"""The report as one sheet of HTML: the same on the screen, in the file and on paper. Two printed pages at most."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from html import escape

from ..figures.report import Mark, draw_answers, draw_guesses, draw_odds_bar
from ..studies.odds import right_of_hundred
from ..studies.reach import OF_HUNDRED, Between
from . import report_words as words
from .report_words import Told
from .wording import level_name

MOST_ROWS = 11
"""Answers in the table; of more, some evenly chosen ones, so that two pages suffice."""
MOST_MARKS = 21
"""Of the picture."""
PRESET_WORDS = {
    "strict": "Strict: little can be learned about anyone",
    "balanced": "Balanced: the usual choice",
    "loose": "Loose: for data that is hardly sensitive",
}

STYLE = """
.dpq-sheet { line-height: 1.45; max-width: 60rem; }
.dpq-sheet h2 { font-size: 1.5em; margin: 0 0 .1em; padding: 0; font-weight: 600; }
.dpq-sheet h3 { font-size: 1.06em; margin: 1.1em 0 .35em; padding: 0; font-weight: 600; }
.dpq-sheet p { margin: .25em 0; font-size: 1em; }
.dpq-sheet img { display: block; margin: .3em 0; }
.dpq-sheet small, .dpq-sheet p.dpq-quiet { font-size: .86em; opacity: .8; }
.dpq-sheet .dpq-mark { border-left: .3em solid #dd7f1f; padding: .2em .7em; margin: .6em 0; font-weight: 600; }
.dpq-sheet .dpq-numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(13em, 1fr)); gap: 1em;
  margin: 1em 0; }
.dpq-sheet .dpq-numbers > div, .dpq-sheet .dpq-label { border: 1px solid rgba(125, 137, 155, .5); border-radius: .4em;
  padding: .7em .9em; }
.dpq-sheet .dpq-number { font-size: 1.9em; font-weight: 600; line-height: 1.2; }
.dpq-sheet .dpq-pictures { display: grid; grid-template-columns: minmax(9em, 13em) minmax(15em, 1fr); gap: 1.6em;
  align-items: start; }
.dpq-sheet table { border-collapse: collapse; width: 100%; font-size: .93em; margin: .3em 0; }
.dpq-sheet th, .dpq-sheet td { border: 0; border-bottom: 1px solid rgba(125, 137, 155, .35); padding: .25em .5em;
  text-align: left; vertical-align: top; }
.dpq-sheet th { font-weight: 600; }
.dpq-sheet td.dpq-right, .dpq-sheet th.dpq-right { text-align: right; font-variant-numeric: tabular-nums; }
.dpq-sheet .dpq-label table { font-size: .9em; margin: 0; }
.dpq-sheet .dpq-label h3 { margin-top: 0; border-bottom: .3em solid currentColor; padding-bottom: .2em; }
.dpq-sheet .dpq-two { display: grid; grid-template-columns: 1fr 1fr; gap: 1.6em; align-items: start; }
.dpq-present { font-size: 1.3em; max-width: none; }
@media (max-width: 40rem) { .dpq-sheet .dpq-two, .dpq-sheet .dpq-pictures { grid-template-columns: 1fr; } }
@media print { .dpq-sheet { font-size: 10pt; max-width: none; }
  .dpq-sheet tr, .dpq-sheet img, .dpq-sheet .dpq-label, .dpq-sheet .dpq-numbers { break-inside: avoid; }
  .dpq-sheet .dpq-two { grid-template-columns: 1fr 1fr; }
  .dpq-sheet .dpq-pictures { grid-template-columns: 13em 1fr; } }
"""
PAGE = """
@page { size: A4; margin: 14mm; }
body { font-family: system-ui, "Source Sans 3", "DejaVu Sans", sans-serif; color: #0e1828; background: #fff;
  margin: 1.5rem auto; max-width: 60rem; padding: 0 1rem; }
@media screen and (prefers-color-scheme: dark) { body { color: #e7ebf2; background: #12161d; } }
@media print { body { margin: 0; padding: 0; max-width: none; } }
"""


def document(told: Told) -> str:
    """The report as a file that needs nothing else: no script, no font, no other machine."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(told.title)}: private quantiles</title><style>{STYLE}{PAGE}</style></head>"
        f"<body>{sheet(told)}</body></html>\n"
    )


def sheet(told: Told, *, present: bool = False) -> str:
    """The report as a piece of HTML, to be styled by STYLE; `present`: in bigger type."""
    parts = [
        f'<div class="dpq-sheet{" dpq-present" if present else ""}">',
        f'<h2>{escape(told.title)}</h2><p class="dpq-quiet">{escape(told.about)}</p>',
        f'<p class="dpq-mark">{escape(words.NO_RELEASE)}</p>' if told.simulated else "",
        _numbers(told),
        _pictures(told),
        _answers(told),
        f'<div class="dpq-two"><div>{_choices(told)}{_again(told)}</div>{_label(told)}</div>',
        "</div>",
    ]
    return "".join(parts)


def _numbers(told: Told) -> str:
    """Three numbers, each with its sentence."""
    error = "not known" if told.error is None else words.share(told.error, told.n)
    cells = [
        ("Protected", f"any 1 {told.wording.one}", words.protected(told)),
        ("An observer's guesses", f"at most {told.right} of 100", words.guesses(told)),
        ("Answers are usually off by at most", error, words.accuracy(told)),
    ]
    boxes = "".join(
        f'<div><small>{escape(title)}</small><div class="dpq-number">{escape(number)}</div>'
        f"<p>{escape(sentence)}</p></div>"
        for title, number, sentence in cells
    )
    return f'<div class="dpq-numbers">{boxes}</div>'


def _pictures(told: Told) -> str:
    """A hundred guesses, and the answers."""
    many = told.wording.many
    guesses = draw_guesses(told.right, alt=words.guesses(told))
    ordered = sorted(set(told.plan.quantiles))
    limits = {limit.level: limit for limit in told.limits}
    marks = [_mark(told, level, limits) for level in _chosen(ordered, MOST_MARKS)]
    answers = draw_answers(
        marks, axis=told.wording.axis, many=many, alt=f"Released quantiles of {told.title}; see the table"
    )
    bars = f"A blue bar is where the true value lies, {OF_HUNDRED} of 100 times on data like the public example."
    if all(mark.low is None or mark.high is None for mark in marks):
        bars = ""
    return (
        f'<div class="dpq-pictures"><div><h3>What the answers tell about one {escape(told.wording.one)}</h3>{guesses}'
        '<p class="dpq-quiet">Grey: right by a coin. Blue: right at most through these answers. Hollow: wrong.</p>'
        "</div>"
        f"<div><h3>What was answered</h3>{answers}"
        f'<p class="dpq-quiet">A diamond is an answer: about so large a share of {escape(many)} lies at or below it. '
        f"{bars}</p></div></div>"
    )


def _mark(told: Told, level: Fraction, limits: dict[Fraction, Between]) -> Mark:
    value, limit = told.value(level), limits.get(level)
    low, high = (None, None) if limit is None else (limit.low, limit.high)
    return Mark(
        float(level),
        value,
        told.wording.number(value),
        None if low is None else told.value(low),
        None if high is None else told.value(high),
    )


def _answers(told: Told) -> str:
    """The table, and what follows about the middle in the column's unit."""
    unit = f" ({told.wording.unit})" if told.wording.unit and told.wording.kind != "date" else ""
    limits = {limit.level: limit for limit in told.limits}
    ordered = sorted(set(told.plan.quantiles))
    chosen = _chosen(ordered, MOST_ROWS)
    rows = "".join(
        f"<tr><td>{escape(level_name(level))}</td>"
        f'<td class="dpq-right">{escape(told.wording.number(told.value(level)))}</td>'
        f'<td class="dpq-right">{escape(words.range_of(told, limits.get(level)))}</td></tr>'
        for level in chosen
    )
    more = f" {len(chosen)} of {len(ordered)} answers are shown." if len(chosen) < len(ordered) else ""
    lines = [f"{words.middle(told)}{more}", words.proved(told), f"A dash: {words.NOT_ENOUGH}." if "–" in rows else ""]
    notes = "".join(f"<p>{escape(line)}</p>" for line in lines if line)
    return (
        f'<table><thead><tr><th>Share at or below</th><th class="dpq-right">Private answer{escape(unit)}</th>'
        f'<th class="dpq-right">The true value lies{escape(unit)}</th></tr></thead><tbody>{rows}</tbody></table>{notes}'
    )


def _chosen(levels: Sequence[Fraction], most: int) -> list[Fraction]:
    """At most so many of the levels, evenly chosen, both ends and the middle among them."""
    if len(levels) <= most:
        return list(levels)
    return [levels[round(at * (len(levels) - 1) / (most - 1))] for at in range(most)]


def _choices(told: Told) -> str:
    """Three budgets: how well each protects, and what accuracy it leaves."""
    rows = []
    for name, reach in told.presets.items():
        if reach is None:
            rows.append(f"<tr><td>{escape(PRESET_WORDS[name])}</td><td colspan=2>not with this mechanism</td></tr>")
            continue
        right = right_of_hundred(reach.privacy)
        name_cell = escape(PRESET_WORDS[name])
        if reach.privacy == told.privacy:
            name_cell = f"<strong>{name_cell} (these answers)</strong>"
        bar = draw_odds_bar(right, alt=f"{right} of 100 guesses right")
        rows.append(
            f"<tr><td>{name_cell}</td><td>{right} of 100<br>{bar}</td>"
            f'<td class="dpq-right">{words.share(reach.simulated, told.n)}</td></tr>'
        )
    return (
        "<h3>What another budget would buy</h3><table><thead><tr><th>Choice</th><th>Guesses right, at most</th>"
        f'<th class="dpq-right">Off by at most</th></tr></thead><tbody>{"".join(rows)}</tbody></table>'
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
