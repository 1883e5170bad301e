"""Points of the papers on the screen and in files: small multiples with one legend, rows, exports."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from math import isfinite, nan
from typing import Any
from urllib.parse import quote

import streamlit as st

from dpq_core.papers.figures import CURVES, Figure, Point, Result
from dpq_core.results.wording import DisplayText, error_in_table
from dpq_core.tabular import table_as_csv
from dpq_core.texts import in_digits

from ..shell import pieces
from ..shell.pieces import draw

LABEL = "Simulations of public data, not private."
PANELS_A_ROW = 3
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
    width = 2 if len(drawn) == 4 else min(PANELS_A_ROW, len(drawn))
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
        items.append(f'<span style="display:inline-flex;align-items:center;gap:6px">{line}{escape(curve.label)}</span>')
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


def export_files(figure: Figure, result: Result) -> dict[str, Callable[[], str]]:
    """Return what makes each file that can be downloaded."""
    files: dict[str, Callable[[], str]] = {
        "CSV": lambda: as_csv(figure, result),
        "JSON": lambda: as_json(figure, result),
    }
    if figure.shape != "table":
        files["Figure"] = lambda: as_page(figure, result)
    return files


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
