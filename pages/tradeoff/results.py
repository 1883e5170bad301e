"""The Trade-off page's answers on the screen: how the error moves along a sweep, and which mechanism errs least."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any

import streamlit as st

from dpq_core.privacy.budgets import Adjacency
from dpq_core.results.wording import (
    DisplayText,
    at_most_in_table,
    count_in_words,
    error_in_table,
    error_in_words,
    errors_in_table,
)
from dpq_core.studies.bounds import least_error
from dpq_core.studies.engine import Row
from pages.studies import job

from ..frame import pieces
from ..frame.header import escape
from ..studies import exports
from ..studies.job import StudyRequest, clearly_worse
from ..studies.subjects import Subject
from .questions import SWEEP, SWEPT, choose_measure

Point = tuple[float, Row]
"""Where on the swept axis, and what was measured there."""
LEAST_BY_ITSELF = 1e-4
"""Smaller numbers would be written with an exponent."""
ERRORS = {"mean": "mean rank error", "max": "worst rank error"}


def finding(points: Sequence[Point], sweep: str, here: float | None, measure: str, subject: Subject) -> str:
    """Return what a sweep shows about an error of the best mechanism at each place, in words; empty for one place."""
    served = [(x, row) for x, row in points if row.supported]
    best = {x: min(_at(served, x), key=lambda row: _error(row, measure)) for x in sorted({x for x, _ in served})}
    if len(best) < 2:
        return ""
    (start, first), *_, (end, last) = best.items()
    one = len({row.label for _, row in points}) == 1
    error = f"{ERRORS[measure]} of {escape(first.label)}" if one else f"least {ERRORS[measure]}"
    moved = _moved(first, last, measure, subject)
    before, after = SWEPT[sweep].around
    said = f"**From {before}{shown(start)} to {shown(end)}{after} the {error} {moved}.**"
    if one or here is None:
        return said
    near = min(best, key=lambda x: abs(log(x / here)))
    return f"{said} {_least(best[near], _at(served, near), f'{before}{shown(near)}{after}', measure)}"


def _moved(first: Row, last: Row, measure: str, subject: Subject) -> str:
    """Return how the error differs between two rows, as far as the runs show."""
    ends = [error_in_words(_error(row, measure), subject.one, subject.many) for row in (first, last)]
    if ends[0] == ends[1]:
        return f"stays {ends[0]}" if ends[0].startswith("under") else f"stays at {ends[0]}"
    name = f"{measure}_error"
    if clearly_worse(first, last, name):
        return f"falls from {ends[0]} to {ends[1]}"
    if clearly_worse(last, first, name):
        return f"grows from {ends[0]} to {ends[1]}"
    return f"stays about the same: {ends[0]} and {ends[1]}"


def _least(best: Row, rows: Sequence[Row], place: str, measure: str) -> str:
    """Return which mechanism errs least at a place, and from which ones the difference is within simulation noise."""
    alike = [escape(row.label) for row in rows if row is not best and not clearly_worse(row, best, f"{measure}_error")]
    if len(alike) == len(rows) - 1 > 0:
        return f"At {place} the differences between the mechanisms are within simulation noise."
    tied = f"; the difference from {' and '.join(alike)} is within simulation noise" if alike else ""
    return f"At {place} {escape(best.label)} errs least{tied}."


def _at(points: Sequence[Point], place: float) -> list[Row]:
    return [row for x, row in points if x == place]


def _error(row: Row, measure: str) -> float:
    return float(getattr(row, f"{measure}_error"))


def shown(x: float) -> str:
    """Return a swept setting: `0.00005`, `0.2154`, `120,998`."""
    if x < LEAST_BY_ITSELF:
        return f"{float(f'{x:.4g}'):.10f}".rstrip("0")
    return f"{x:,.4g}" if x < 1e4 else f"{x:,.0f}"


LIMIT = (
    " Dashes and dots: where all values differ and are far apart, no mechanism can err less, on average over such "
    "data. Where many values are equal, an answer can err less."
)
TITLES = {"mean": "mean over the quantiles", "max": "worst quantile"}


def show_sweep(request: StudyRequest, rows: list[Row]) -> None:
    """Show the error over the swept setting, as far as it is; which of the two errors is chosen beside it."""
    from dpq_core.figures.studies import SMALLEST, draw_sweep

    (sweep, here), many, measure = request.extra, request.subject.many, choose_measure()
    points = sorted(((SWEPT[sweep].at(row), row) for row in rows), key=lambda point: point[0])
    if job.finished(SWEEP):
        st.markdown(finding(points, sweep, here, measure, request.subject))
    least = least_errors(sweep, rows)
    figure = st.container()
    small = any(_error(row, measure) < SMALLEST for row in rows if row.supported)
    edge = f" Errors under {SMALLEST:g} are drawn at {SMALLEST:g}." if small else ""
    st.caption(_help(measure, many, len({row.label for row in rows})) + (LIMIT if least else "") + edge)
    served = [point for point in points if point[1].supported]
    served.sort(key=lambda point: (point[0], getattr(point[1], f"{measure}_error")))
    table = _sweep_table(served, SWEPT[sweep].axis, measure, many)
    pieces.table(table, f"Rank error over {SWEPT[sweep].axis} for each mechanism")
    _refusals(rows)

    def draw() -> Any:
        return draw_sweep(points, measure=measure, axis=SWEPT[sweep].axis, many=many, here=here, least=least)

    if job.finished(SWEEP):
        title = f"Rank error over {SWEPT[sweep].axis}: {request.subject.about}"
        exports.of_rows("tradeoff", request, rows, title, draw)
    alt = f"{TITLES[measure].capitalize()} of the rank error over {SWEPT[sweep].axis}; see the table"
    if any(row.supported for row in rows):
        pieces.draw(figure, draw(), SWEEP, alt)


def least_errors(sweep: str, rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Return what no mechanism can be below at each epsilon that was swept; empty where it is not known."""
    known = sweep == "epsilon" and all(
        row.quantiles == "1/2" and row.adjacency == Adjacency.ADD_REMOVE and row.delta == 0 for row in rows
    )
    each = sorted({(row.epsilon, row.n) for row in rows}) if known else []
    return [(epsilon, least) for epsilon, n in each if (least := least_error(epsilon, n))]


def _help(measure: str, many: str, lines: int) -> str:
    bands = "The band holds 95 of 100 simulated runs. " if lines <= 4 else "Choose one mechanism to see its band. "
    return (
        f"How many {many} lie between an answer and the true quantile, {TITLES[measure]}; lower is better. {bands}"
        "Dotted lines are what theorems promise for the worst quantile with probability 0.95, for every data set."
    )


def _sweep_table(points: Sequence[tuple[float, Row]], axis: str, measure: str, many: str) -> dict[str, list[Any]]:
    name = f"{measure}_error"
    ends = [(getattr(row, f"{name}_low"), getattr(row, f"{name}_high")) for _, row in points]
    failed = [job.runs_failed(row) for _, row in points] if any(row.failed for _, row in points) else []
    proved = [at_most_in_table(row.bound) for _, row in points] if any(row.bound > 0 for _, row in points) else []
    columns: dict[str, list[Any]] = {
        "mechanism": [row.label for _, row in points],
        axis: [DisplayText(x, shown(x)) for x, _ in points],
        f"{ERRORS[measure]} ({many})": [error_in_table(getattr(row, name)) for _, row in points],
        "median run": [error_in_table(getattr(row, f"{name}_median")) for _, row in points],
        "95 of 100 runs": [errors_in_table(low, high) for low, high in ends],
        "failed runs": failed,
        "theorem: at most": proved,
    }
    return {name: column for name, column in columns.items() if column or not points}


def _refusals(rows: Sequence[Row]) -> None:
    """Show each mechanism that was not available somewhere, with the reason of the first time."""
    reasons: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: row.configuration):
        if not row.supported:
            reasons.setdefault(row.label, []).append(job.reason_of(row))
    if not reasons:
        return
    with st.expander("Where some are not available", type="compact"):
        for label, each in reasons.items():
            points = count_in_words(len(each), "point")
            st.caption(f":material/block: **{escape(label)}**, {points}: {escape(each[0])}")
