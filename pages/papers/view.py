"""The Papers page: a figure of small multiples with its verdict, all verdicts, recomputing at reduced size, files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from html import escape as html_escape
from itertools import chain
from math import isfinite, nan
from textwrap import wrap
from typing import Any
from urllib.parse import quote

import streamlit as st

from dpq_core.papers.figures import CURVES, FIGURES, Figure, FigureVerdict, Point, Result, Word, load
from dpq_core.results.wording import DisplayText, error_in_table
from dpq_core.tabular import table_as_csv
from dpq_core.texts import in_digits
from dpq_core.version import VERSION

from .. import keys
from ..server import downloads
from ..shell import fields, pieces, waiting
from ..shell.header import complain, escape, sentence_of, term
from ..shell.links import forget_notes
from ..shell.pieces import draw, primary_button

LABEL = "Simulations of public data, not private."
MOST_ROWS = 16
WIDTH = 110
"""Pixels of a column of numbers."""
ERROR = "rank error (records)"
"""The end of the title of an axis of rank errors. Those have two digits here; printed numbers keep their own."""
STROKES = {"here": "", "printed": "7 4", "also": "12 4", "bound": "2 3", "proved": "9 3 2 3", "broken": "2 3"}
"""How the legend draws a kind of line: dashes and gaps in pixels."""
MARKS = {
    "here": '<circle cx="17" cy="6" r="3.2" fill="{0}"/>',
    "printed": '<rect x="14" y="3" width="6" height="6" fill="none" stroke="{0}"/>',
    "also": '<path d="M17 2L21 6L17 10L13 6Z" fill="none" stroke="{0}"/>',
    "broken": '<path d="M14 3L20 9M20 3L14 9" stroke="{0}" stroke-width="1.6"/>',
}
"""And its marks, in a colour."""


def panels(figure: Figure, points: Sequence[Point], name: str, new: Sequence[Point] = ()) -> None:
    """Draw one small figure for each panel under one legend; `new` points are large rings on the stored curves."""
    everything = [*points, *new]
    curves = list(dict.fromkeys(point.curve for point in everything))
    if len(curves) > 1:
        st.html(_legend(curves))
    drawn = figures(figure, points, new)
    width = 2 if len(drawn) == 4 else min(3, len(drawn))  # panels a row
    places = [place for _ in range(0, len(drawn), width) for place in st.columns(width, gap="small")]
    for place, (panel, picture) in zip(places, drawn.items(), strict=False):
        draw(place, picture, f"papers_{name}_{figure.key}_{panel}", _alt(figure, panel, everything))
    zeros = "Zeros lie below the panel." if figure.log_y and any(point.y == 0 for point in everything) else ""
    log = [axis for axis, is_log in (("horizontal", figure.log_x), ("vertical", figure.log_y)) if is_log]
    scale = f"The {' and the '.join(log)} {'axis is' if len(log) == 1 else 'axes are'} logarithmic." if log else ""
    st.caption(" ".join(filter(None, [figure.band, scale, zeros])))


def figures(
    figure: Figure, points: Sequence[Point], new: Sequence[Point] = (), *, legend: bool = False
) -> dict[str, Any]:
    """Return a plotly figure for each panel, on shared axes."""
    from dpq_core.figures.papers import draw_panel, shared_range

    everything = [*points, *new]
    own_axes = figure.shape == "steps"  # of histograms
    x_range = None if own_axes else shared_range([p.x for p in everything], log=figure.log_x)
    heights = [y for p in everything for y in (p.y, p.low, p.high)]
    y_range = None if own_axes else shared_range(heights, log=figure.log_y)
    found = {}
    for panel in dict.fromkeys(point.panel for point in everything):
        stored, fresh = ([p for p in part if p.panel == panel] for part in (points, new))
        lines = [*_lines(stored, fresh=False), *_lines(fresh, fresh=True)]
        found[panel] = draw_panel(
            lines, title=panel, x=figure.x, y=figure.y, x_range=x_range, y_range=y_range, log_x=figure.log_x,
            log_y=figure.log_y, shape="lines" if figure.shape == "table" else figure.shape, legend=legend,
        )  # fmt: skip
    return found


def _lines(points: Sequence[Point], *, fresh: bool) -> list[Any]:
    from dpq_core.figures.papers import PanelCurve

    found = []
    for key in dict.fromkeys(point.curve for point in points):
        own = sorted((point for point in points if point.curve == key), key=lambda point: point.x)
        curve = CURVES[key]
        xs, ys, lows, highs = ([getattr(point, each) for point in own] for each in ("x", "y", "low", "high"))
        found.append(
            PanelCurve(
                name=f"{curve.label}, new" if fresh else curve.label, mechanism=curve.mechanism, look=curve.look,
                xs=xs, ys=ys, lows=lows, highs=highs, fresh=fresh,
            )
        )  # fmt: skip
    return found


def _legend(curves: list[str]) -> str:
    """Return all curves once, over the panels, as HTML; a screen reader reads their names."""
    from dpq_core.figures.frame import colour_of

    items = []
    for key in curves:
        curve = CURVES[key]
        colour = colour_of(curve.mechanism)
        stroke = f'stroke="{colour}" stroke-width="2" stroke-dasharray="{STROKES[curve.look]}"'
        mark = MARKS.get(curve.look, "").format(colour)
        inside = f'<path d="M0 6H34" {stroke}/>{mark}'
        drawn = f'<svg xmlns="http://www.w3.org/2000/svg" width="34" height="12">{inside}</svg>'
        line = f'<img alt="" width="34" height="12" src="data:image/svg+xml,{quote(drawn)}">'
        items.append(
            f'<span style="display:inline-flex;align-items:center;gap:6px">{line}{html_escape(curve.label)}</span>'
        )
    return f'<div style="display:flex;flex-wrap:wrap;gap:4px 18px;font-size:0.85rem">{"".join(items)}</div>'


def _alt(figure: Figure, panel: str, points: Sequence[Point]) -> str:
    """Return what a panel shows, with where each of its curves ends."""
    ends = {point.curve: point for point in sorted(points, key=lambda point: point.x) if point.panel == panel}
    listed = ", ".join(f"{CURVES[key].label} {wide_number(end.y)}" for key, end in ends.items())
    last = max((end.x for end in ends.values()), default=0.0)
    return f"{figure.title}, {panel}: {figure.y} against {figure.x}. At {wide_number(last)}: {listed}."


def table(figure: Figure, points: Sequence[Point], alt: str) -> None:
    """Draw the points as rows of texts and numbers; all columns but the first two to the right. Long tables scroll."""
    pieces.table(number_rows(figure, points), alt, left=2, most=MOST_ROWS, width=WIDTH)


def number_rows(figure: Figure, points: Sequence[Point]) -> dict[str, list[Any]]:
    """Return the points as columns of a table, and the printed numbers where the paper has a table of them."""
    columns: dict[str, list[Any]] = {
        "Data" if figure.printed else "Panel": [point.panel for point in points],
        "What" if figure.printed else "Curve": [CURVES[point.curve].label for point in points],
    }
    own = error_in_table if ERROR in figure.y and not figure.printed else _wide
    if not figure.printed:
        columns[figure.x[0].upper() + figure.x[1:]] = [_wide(point.x) for point in points]
    columns[figure.y[0].upper() + figure.y[1:]] = [own(point.y) for point in points]
    if figure.printed:
        printed = [figure.printed.get((point.panel, point.curve)) for point in points]
        columns["Printed"] = [_wide(nan if number is None else number) for number in printed]
    if any(isfinite(point.low) for point in points):
        columns["From"] = [own(point.low) for point in points]
        columns["To"] = [own(point.high) for point in points]
    if any(point.trials for point in points):
        columns["Runs"] = [DisplayText(point.trials, f"{point.trials:,}") for point in points]
    return columns


def _wide(value: float) -> DisplayText:
    return DisplayText(value, wide_number(value))


def wide_number(value: float) -> str:
    """Return a number as a person reads it: 48,842 or 7.14 or 0.00012; empty for NaN."""
    if not isfinite(value):
        return ""
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    if abs(value) < 1e-4:
        return in_digits(value, 2, nothing=0.0)
    return in_digits(value)


def as_csv(figure: Figure, result: Result) -> str:
    """Return one line for each point; the label is the last column, so that any program reads the file."""
    end = {"seed": result.seed, "version": result.version, "date": result.date, "label": LABEL}
    rows = ((figure.key, *point, *end.values()) for point in result.points)
    return table_as_csv(["figure", *Point._fields, *end], rows)


def as_json(figure: Figure, result: Result) -> str:
    """Return the stored result with what is printed and our verdict."""
    claim = None if figure.claim is None else figure.claim._asdict()
    words = {"paper": figure.paper, "place": figure.place, "title": figure.title, "setting": figure.setting}
    return json.dumps({**words, "printed": claim, **result.as_dict()}, indent=1, ensure_ascii=False) + "\n"


def as_page(figure: Figure, result: Result) -> str:
    """Return all panels as one self-contained page."""
    from dpq_core.figures.frame import as_html, shown

    made, title = f"Seed {result.seed}, version {result.version}, {result.date}.", f"{figure.paper}, {figure.place}"
    drawn = map(shown, figures(figure, result.points, legend=True).values())
    paragraphs = [LABEL, figure.setting, result.verdict.sentence, made]
    return as_html([*drawn], title=f"{title}: {figure.title}", paragraphs=paragraphs)


BADGES = {
    Word.AGREES: ":blue-badge[:material/check: agrees]",
    Word.BETTER: ":blue-badge[:material/trending_down: better than printed]",
    Word.DIFFERS: ":orange-badge[:material/difference: differs]",
    Word.NO_NUMBER: ":gray-badge[:material/remove: no number printed]",
}
NOT_PRIVATE = ":orange-badge[:material/visibility: Simulations of public data, not private]"
JOB = "papers"
_RECOMPUTED = keys.state("papers:figure")


def choose_figure() -> Figure:
    """Ask for a figure or table of a paper, and say what was done for it."""
    help = term("here, as published, printed constants")
    figure = FIGURES[fields.selectbox("figure", help=help, searched=True)]
    st.markdown(f":small[:gray[{escape(figure.setting)}]]")
    return figure


def recompute_button(figure: Figure) -> bool:
    """Draw the primary button, and what it will do."""
    seconds = max(figure.expected_seconds, 1)
    words = f"Simulated again with fewer runs and fewer points, about {seconds:.0f} s. The stored result stays."
    return primary_button("Recompute", keys.widget("recompute"), ":material/refresh:", "", otherwise=words)


def stored_result(figure: Figure) -> Result | None:
    """Return the result that the package brings along; None, with a message, where it cannot be read."""
    try:
        return load(figure.key)
    except ValueError as error:
        complain(sentence_of(error))
    return None


def headline(stored: Result | None) -> str:
    """Return the line under the question: when, by which version and from which seed."""
    if stored is None:
        return ":gray[Nothing is stored for this figure.]"
    size = "at reduced size " if stored.quick else ""
    others = "".join(f", {name} {version}" for name, version in stored.packages.items())
    here = "" if stored.version == VERSION else f" (this is version {VERSION})"
    made = f"Computed {size}on {stored.date} with version {stored.version}{here}{others}, seed {stored.seed}"
    return f":gray[{escape(made)}] {NOT_PRIVATE}"


def show(figure: Figure, stored: Result | None) -> None:
    """Show a stored result: the verdict, the panels unless the paper has a table, all points, and the files."""
    st.header(figure.title, anchor=False)
    if stored is None:
        st.info("Nothing is stored for this figure yet. Press Recompute for a small one.", icon=":material/info:")
        return
    _verdict(figure, stored.verdict)
    alt = f"Numbers of {figure.place}, {figure.paper}"
    if figure.shape == "table":
        table(figure, stored.points, alt)
    else:
        panels(figure, stored.points, "stored")
        with st.expander(f"The numbers, {len(stored.points):,} rows", icon=":material/table:"):
            table(figure, stored.points, alt)
    files: dict[str, Callable[[], str]] = {
        "CSV": lambda: as_csv(figure, stored),
        "JSON": lambda: as_json(figure, stored),
    }
    if figure.shape != "table":
        files["Figure"] = lambda: as_page(figure, stored)
    downloads.show(files, f"paper-{figure.key}")


def _verdict(figure: Figure, verdict: FigureVerdict) -> None:
    st.markdown(f"{BADGES[verdict.word]} {escape(verdict.sentence)}")
    if figure.claim is None or verdict.ours is None:
        return
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        st.metric("Printed", wide_number(figure.claim.number), width="content")
        st.metric("Ours", wide_number(verdict.ours), width="content")
        st.caption(f"{escape(figure.claim.of[0].upper() + figure.claim.of[1:])}.")


def recompute(figure: Figure) -> None:
    """Begin to compute the figure anew, at reduced size."""
    from dpq_core.papers import make

    forget_notes()
    st.session_state[_RECOMPUTED] = figure.key
    waiting.start(JOB, make.steps, figure.key, True, expected=figure.expected_seconds)


def show_recomputed(figure: Figure, stored: Result | None) -> None:
    """Show the new points on the stored curves as they come, and at the end their own verdict."""
    if st.session_state.get(_RECOMPUTED) != figure.key:
        return
    st.header("Recomputed now, at reduced size", anchor=False)
    waiting.show(JOB, "Recomputing", lambda parts: _show_new(figure, stored, parts))


def _show_new(figure: Figure, stored: Result | None, parts: list[Any]) -> None:
    from dpq_core.papers import make

    new: tuple[Point, ...] = tuple(chain.from_iterable(parts))
    if not new:
        return
    job = waiting.job_of(JOB)
    if job is not None and job.finished and job.share >= 1:
        _verdict(figure, make.WORK[figure.key].judge(new))
    if figure.shape == "table":
        table(figure, new, f"Recomputed numbers of {figure.place}")
        return
    st.caption("Large rings are new, lines and small marks are stored.")
    shown = {point.panel for point in new}
    old = tuple(point for point in stored.points if point.panel in shown) if stored else ()
    panels(figure, old, "new", new)


def show_all() -> None:
    """Show every figure's verdict in one table, each with a link, under how many there are of each kind."""
    st.header("Every figure at a glance", anchor=False)
    judged = [(each, found.verdict) for each in FIGURES.values() if (found := stored_result(each)) is not None]
    tally = Counter(verdict.word for _, verdict in judged)
    st.markdown(" ".join(f"{BADGES[word]} {tally[word]}" for word in Word if tally[word]))
    columns: dict[str, list[str]] = {name: [] for name in ("Figure or table", "Verdict", "Printed", "Ours", "Of what")}
    for figure, verdict in judged:
        claim, ours = figure.claim, verdict.ours
        name = f"{_unbroken(figure.place)} · {_unbroken(figure.paper)}"
        of = figure.title if claim is None else f"{claim.of[0].upper()}{claim.of[1:]}"
        row = (
            f"[{name}](papers?figure={figure.key})", BADGES[verdict.word],
            "" if claim is None else wide_number(claim.number), "" if ours is None else wide_number(ours),
            escape(" ".join(map(_unbroken, wrap(of, 36)))),  # so that a narrow screen lets the table scroll
        )  # fmt: skip
        for column, cell in zip(columns.values(), row, strict=True):
            column.append(cell)
    st.table(columns, border="horizontal", hide_index=True, alt="Verdicts on all figures and tables")


def _unbroken(words: str) -> str:
    return words.replace(" ", "\u00a0")
