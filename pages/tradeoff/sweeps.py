"""The Trade-off page: which setting is swept over which values, the error along it, and which budget that takes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any

import streamlit as st

from dpq_core.advice.errors import least_budget, replace_budget
from dpq_core.domain.domain import Domain
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.privacy.budgets import ZCDP, PureDP
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
from dpq_core.sketches.greenwald_khanna import GKSketch
from dpq_core.studies import engine
from dpq_core.studies.configuration import Method, expected_seconds
from dpq_core.studies.design import StudyDesign, even_levels
from dpq_core.studies.engine import Row, clearly_worse, limits
from dpq_core.studies.shapes import MOST_STUDIED

from ..compare.leaderboard import WIDTH, choose_marked, label_of, offer_files, runs_failed, show_refusals, verdict
from ..compare.study import StudyRequest, start
from ..form.table import SETTINGS
from ..server import work
from ..shell import fields, pieces, waiting
from ..shell.header import escape, term, understood, whole_number

NAME = "tradeoff"
"""The study of the page."""
FIRST_POINTS = 4
"""Of the sweep that is there before any press, besides the chosen one."""

AMOUNTS = (
    0.05, 0.067, 0.09, 0.12, 0.16, 0.21, 0.28, 0.38, 0.5, 0.67, 0.9, 1.2, 1.6, 2.1, 2.8, 3.8, 5, 6.7, 9, 10,
)  # fmt: skip
"""Of ε: 20 steps from strict to loose."""
SIZES = (20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
VALUES: dict[str, tuple[float, ...]] = {
    "epsilon": AMOUNTS,
    "rho": tuple(float(f"{amount**2 / 8:.2g}") for amount in AMOUNTS),
    "records": SIZES,
    "levels": (1, 2, 3, 5, 7, 9, 15, 20, 30, 45, 60, 90, 120),
    "width": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
    "alpha": (0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05),
}
"""What each setting is swept over; ρ over those with about the same noise in an exponential mechanism, ε²/8."""


@dataclass(frozen=True)
class Sweep:
    """A setting that can be swept: its words, and how to read its value from a row."""

    axis: str
    at: Callable[[Row], float]
    around: tuple[str, str]
    """What a sentence says before and after a number on it."""
    note: str = ""


SWEPT: dict[str, Sweep] = {
    "epsilon": Sweep("privacy loss ε", lambda row: row.epsilon, ("ε = ", "")),
    "rho": Sweep("privacy loss ρ", lambda row: row.rho, ("ρ = ", "")),
    "records": Sweep(
        "records", lambda row: row.n, ("", " records"),
        "Records are drawn afresh for each size, with replacement.",
    ),
    "levels": Sweep(
        "quantiles", lambda row: row.m, ("", " quantiles"),
        "All quantiles are evenly spaced here.",
    ),
    "width": Sweep(
        "upper minus lower bound", lambda row: row.upper - row.lower, ("bounds ", " wide"),
        "The bounds grow up to 1,000 times as wide around the same middle; the data stay as they are.",
    ),
    "alpha": Sweep(
        "α", lambda row: json.loads(row.options)["alpha"], ("α = ", ""),
        "Only mechanisms that read a sketch have an α. Below 1 / (2 n) the sketch keeps every record.",
    ),
}  # fmt: skip


def choose_sweep() -> str:
    """Ask for the setting that is swept, and say how."""
    chosen = fields.selectbox("sweep")
    if SWEPT[chosen].note:
        st.caption(SWEPT[chosen].note)
    return chosen


def swept(request: StudyRequest | None, sweep: str) -> StudyRequest | None:
    """Return the study with a setting swept; None, and a word why, where that cannot be asked."""
    if request is None:
        return None
    levels, count, privacy = request.grid.quantiles[0], request.subject.count, request.grid.budgets[0]
    places = {
        "epsilon": getattr(privacy, "epsilon", None),
        "rho": getattr(privacy, "rho", None),
        "records": count if 0 < count <= max(SIZES) else None,
        "levels": len(levels) if levels == even_levels(len(levels)) else None,
        "width": 1,
    }
    here = places.get(sweep)
    whole = request.grid.as_dict()
    grid = understood(lambda: StudyDesign.from_dict(whole | _lists(sweep, request, VALUES[sweep], here)))
    if grid is None:
        return None
    last = len(VALUES[sweep]) - 1
    few = [VALUES[sweep][round(last * at / (FIRST_POINTS - 1))] for at in range(FIRST_POINTS)]
    first = _lists(sweep, request, few, here)
    return replace(request, grid=grid, extra=(sweep, here, first))


def run(request: StudyRequest, seed: int) -> None:
    """Start the sweep; the one that the page opens with has few points."""
    expected = expected_seconds(request.grid.configurations(), request.subject.count)
    start(NAME, request, seed, engine.steps, expected, **({} if seed else request.extra[2]))


def _lists(sweep: str, request: StudyRequest, values: Sequence[float], here: float | None) -> dict[str, Any]:
    """Return the parts of a grid that take many values, the chosen one among them. Raises ParameterError."""
    each, privacy = sorted({*values, *([] if here is None else [here])}), request.grid.budgets[0]
    match sweep:
        case "epsilon":
            kind = PureDP(1.0) if isinstance(privacy, ZCDP) else privacy
            return {"budgets": [replace_budget(kind, amount) for amount in each]}
        case "rho":
            return {"budgets": [ZCDP(rho) for rho in each]}
        case "records":
            return {"n": [int(size) for size in each]}
        case "levels":
            return {"quantiles": [int(m) for m in each]}
        case "width":
            domain = request.subject.domain
            assert domain is not None, "only hard cases have none of their own, and this page has no such cases"
            return {"domains": list(dict.fromkeys(widened(domain, int(factor)) for factor in each))}
    sketched = [method for method in request.grid.mechanisms if MECHANISMS[method.mechanism].READS is GKSketch]
    return {
        "mechanisms": [
            Method(method.mechanism, dict(method.options) | {"alpha": alpha}, method.label)
            for method in sketched for alpha in each
        ]
    }  # fmt: skip


def widened(domain: Domain, factor: int) -> Domain:
    """Return bounds about `factor` times as wide around the same middle, on the same grid.

    Significant digits reach up to the largest power of ten that is no more than `factor` times as large.
    """
    if not domain.has_even_steps:
        values = domain.as_dict()
        return Domain.from_dict(values | {"largest": str(domain.upper * 10 ** (len(str(factor)) - 1))})
    beyond = domain.step * (((factor - 1) * domain.cells) // 2)
    return Domain(domain.lower - beyond, domain.upper + beyond, domain.step, measure=domain.measure)


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
    measure = fields.segmented_control("measure", help=term("rank error"))  # each run measures both
    question = choose_marked(request)
    chosen = label_of(question)
    if not points:
        head.caption("No mechanism is available for these settings so far.")
        show_refusals(rows)
        return
    if sweep == "width":
        here = points[0][0]
    place = points[-1][0] if here is None else min((x for x, _ in points), key=lambda x: abs(log(x / here)))
    there = sorted((row for x, row in points if x == place), key=lambda row: _error(row, measure))
    if waiting.has_ended(NAME):
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

    if waiting.has_ended(NAME):
        offer_files("tradeoff", request, rows, f"Rank error over {axis}: {subject.about}", draw)
    pieces.draw(figure, draw(), NAME, f"The {ERRORS[measure]} over {axis}; see the table")


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
