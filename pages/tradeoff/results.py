"""The Trade-off page's answers on the screen: error along a sweep, and the budget that an accepted error takes."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any

import streamlit as st

from dpq_core.advice.errors import least_budget
from dpq_core.question import Question
from dpq_core.results.wording import (
    NEXT_TO_NONE,
    DisplayText,
    at_most_in_table,
    count_in_words,
    error_in_table,
    error_in_words,
    errors_in_table,
)
from dpq_core.studies.engine import Row, clearly_worse, limits
from dpq_core.studies.shapes import MOST_STUDIED

from ..compare import files
from ..compare.leaderboard import WIDTH, choose_marked, label_of, runs_failed, show_refusals, verdict
from ..compare.study import StudyRequest, finished
from ..form.table import SETTINGS, key
from ..server import work
from ..shell import fields, pieces
from ..shell.header import escape, term, whole_number
from .sweeps import NAME, SWEPT

Point = tuple[float, Row]
"""Where on the swept axis, and what was measured there."""
LEAST_BY_ITSELF = 1e-4
"""Smaller numbers would be written with an exponent."""
ERRORS = {"mean": "mean rank error", "max": "worst rank error"}
HELP = (
    "How many {} lie between an answer and the true quantile; lower is better. In colour are the mechanism with the "
    "smallest error and the chosen one. Their bands cover 95 of 100 simulated runs."
)
LIMIT = " Where all values differ and are far apart, no mechanism can err by less than the dashed limit on average."
SMALL = " Errors under {0:g} are drawn at {0:g}."


def show(request: StudyRequest, rows: list[Row]) -> None:
    """Show the error over the swept setting, as far as it is; what is shown of it is chosen beside it."""
    from dpq_core.figures.studies import SMALLEST, draw_sweep

    sweep, here, _ = request.extra
    axis, subject = SWEPT[sweep].axis, request.subject
    points = sorted(((SWEPT[sweep].at(row), row) for row in rows if row.supported), key=lambda point: point[0])
    head, figure = st.container(), st.container()
    measure, question = _choose_measure(), choose_marked(request)
    chosen = label_of(question)
    if not points:
        head.caption("No mechanism is available for these settings so far.")
        show_refusals(rows)
        return
    if sweep == "width":
        here = points[0][0]
    place = points[-1][0] if here is None else min((x for x, _ in points), key=lambda x: abs(log(x / here)))
    there = sorted((row for x, row in points if x == place), key=lambda row: _error(row, measure))
    if finished(NAME):
        before, after = SWEPT[sweep].around
        head.markdown(verdict(there, subject, chosen, measure, f"At {before}{shown(place)}{after}: "))
        head.markdown(moved(points, there[0].label, sweep, measure, request))
    least = limits(rows) if sweep == "epsilon" and measure == "mean" else []
    small = any(_error(row, measure) < SMALLEST for _, row in points)
    st.caption(HELP.format(subject.many) + (LIMIT if least else "") + (SMALL.format(SMALLEST) if small else ""))
    if question is not None:
        _offer_budget(question, request, chosen)
    points.sort(key=lambda point: (point[0], _error(point[1], measure)))
    pieces.table(_table(points, axis, measure, subject.many), f"Rank error over {axis} for each mechanism")
    show_refusals(rows)

    def draw() -> Any:
        return draw_sweep(
            points, measure=measure, axis=axis, many=subject.many, best=there[0].label, chosen=chosen, here=here,
            limits=least,
        )  # fmt: skip

    if finished(NAME):
        files.offer("tradeoff", request, rows, f"Rank error over {axis}: {subject.about}", draw)
    pieces.draw(figure, draw(), NAME, f"The {ERRORS[measure]} over {axis}; see the table")


def _choose_measure() -> str:
    """Ask for the error of a run: of its worst quantile, or the mean over its quantiles; each run measures both."""
    setting = SETTINGS["measure"]
    chosen = st.segmented_control(  # not through `fields`: a finished result reads no setting
        setting.label, setting.choices, format_func=setting.shown, key=key("measure"), required=True,
        persist_state="session", help=term("rank error"),
    )  # fmt: skip
    return str(chosen or "mean")


def moved(points: Sequence[Point], label: str, sweep: str, measure: str, request: StudyRequest) -> str:
    """Return how the error of a mechanism changes from one end of a sweep to the other, as far as the runs show."""
    line = [(x, row) for x, row in points if row.label == label]
    if len(line) < 2:
        return ""
    (start, first), *_, (end, last) = line
    subject, (before, after) = request.subject, SWEPT[sweep].around
    low, high = (
        error_in_words(_error(row, measure) or NEXT_TO_NONE, subject.one, subject.many) for row in (first, last)
    )
    ends = f"from {before}{shown(start)} to {shown(end)}{after}"
    if clearly_worse(first, last, f"{measure}_error") and low != high:
        return f"Its error falls from {low} to {high} {ends}."
    if clearly_worse(last, first, f"{measure}_error") and low != high:
        return f"Its error grows from {low} to {high} {ends}."
    return f"Its error stays about the same {ends}: {low}." if low == high else f"Its error is {low} and {high} {ends}."


def _offer_budget(question: Question, request: StudyRequest, chosen: str) -> None:
    """Ask which error would be accepted, and say which budget that takes, by the forecast: no study is run for it."""
    subject = request.subject
    label = f"{SETTINGS['wanted'].label} ({subject.many}, on average)"
    typed = whole_number(fields.text_input("wanted", label=label, width=WIDTH), MOST_STUDIED)
    if typed is None or not subject.count:
        return
    found = work.know(least_budget, question, {"column": subject.count}, typed / subject.count)
    accepted = count_in_words(typed, subject.one)
    if found is None:
        st.markdown(f"No usual budget is enough for an error of {escape(accepted)}. Ask for fewer quantiles.")
    else:
        st.markdown(f"**{found}** is enough for an error of {escape(accepted)} with {escape(chosen)}, by the forecast.")


def shown(x: float) -> str:
    """Return a swept setting: `0.00005`, `0.2154`, `120,998`."""
    if x < LEAST_BY_ITSELF:
        return f"{float(f'{x:.4g}'):.10f}".rstrip("0")
    return f"{x:,.4g}" if x < 1e4 else f"{x:,.0f}"


def _error(row: Row, measure: str) -> float:
    return float(getattr(row, f"{measure}_error"))


def _table(points: Sequence[Point], axis: str, measure: str, many: str) -> dict[str, list[Any]]:
    name = f"{measure}_error"
    ends = [(getattr(row, f"{name}_low"), getattr(row, f"{name}_high")) for _, row in points]
    failed = [runs_failed(row) for _, row in points] if any(row.failed for _, row in points) else []
    proved = [at_most_in_table(row.bound) for _, row in points] if any(row.bound > 0 for _, row in points) else []
    columns: dict[str, list[Any]] = {
        "mechanism": [row.label for _, row in points],
        axis: [DisplayText(x, shown(x)) for x, _ in points],
        f"{ERRORS[measure]} ({many})": [error_in_table(getattr(row, name)) for _, row in points],
        "middle run": [error_in_table(getattr(row, f"{name}_median")) for _, row in points],
        "95 of 100 runs": [errors_in_table(low, high) for low, high in ends],
        "failed runs": failed,
        "theorem: at most": proved,
    }
    return {name: column for name, column in columns.items() if column}
