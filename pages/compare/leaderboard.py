"""The leaderboard of the Compare page: what is studied, and how its rows are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan, nan
from typing import Any

import streamlit as st

from dpq_core.errors import ParameterError
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.plan import Level
from dpq_core.results.wording import (
    DisplayText,
    at_most_in_table,
    error_in_table,
    error_in_words,
    errors_in_table,
    share_in_words,
    two_digits,
)
from dpq_core.studies import engine, reference
from dpq_core.studies.break_it import BREAK_IT
from dpq_core.studies.engine import Row
from pages.studies import job

from ..frame import fields, pieces
from ..frame.header import complain, escape, sentence_of, term
from ..settings import table
from ..studies import exports
from ..studies.job import Setup, StudyRequest, clearly_worse, fails_otherwise
from ..studies.subjects import Subject, methods, subject_of_trouble
from . import advice

NAME = "compare"
"""Of the leaderboard that is there before any press: one pass of the simulator."""
FIRST_SEED = 0
INTERVAL_SECONDS = 20.0
"""Of the first leaderboard with intervals, about: their ends are simulated for every mechanism."""
DOING = "Comparing mechanisms"
HELD = (
    "Intervals are asked to hold with a chance of {}. “Held”: in how many of all runs they did, of the quantile where "
    "that is least. For a population, too, that is of the data that was compared on."
)
FOUND = (
    "Every run finds its bounds first, from {:.3g} % of the budget. What lies beyond them counts as an error of the "
    "quantiles there."
)
NOT_SERVED = "not available"
LEAST_TIMES = 1.05
"""A smaller ratio of two means is not worth a word."""


def choose_trouble() -> str:
    """Ask whether to compare on the chosen data or on a set that is hard for some mechanism."""
    labels = {key: f"Break it: {case.label.lower()}" for key, case in BREAK_IT.items()}
    labels[table.NO_TROUBLE] = "The data above"
    chosen = fields.selectbox("trouble", [table.NO_TROUBLE, *BREAK_IT], labels.__getitem__, help=term("break it"))
    if chosen in BREAK_IT:
        st.caption(BREAK_IT[chosen].expect)
    return chosen


def request_of(setup: Setup | None, trouble: str, options: job.Options) -> StudyRequest | None:
    """Return the study of every mechanism at this budget; None, with a message, where it cannot be."""
    if setup is None:
        return None
    try:
        request = _request(setup, setup.subject, setup.levels, options)
        if trouble in BREAK_IT:
            levels = BREAK_IT[trouble].applied(request.grid).quantiles[0]
            person = setup.data.person if setup.data else None
            request = _request(setup, subject_of_trouble(BREAK_IT[trouble], person), levels, options)
    except ParameterError as error:
        complain(sentence_of(error))
        return None
    return request


def _request(setup: Setup, subject: Subject, levels: Sequence[Level], options: job.Options) -> StudyRequest:
    mechanisms = methods(list(MECHANISMS), subject.count, setup.adjacency, options)
    return StudyRequest(subject=subject, grid=setup.grid(subject, mechanisms=mechanisms, quantiles=[levels]))


def draw(request: StudyRequest, seed: int | None) -> None:
    """Start the study; without a seed the small one that the page opens with, without the reference.

    That is done in place, but where intervals make it slow.
    """
    if seed is None:
        first = job.seeded(request, FIRST_SEED)
        expected = 0.0 if first.grid.intervals is None else INTERVAL_SECONDS
        job.start(NAME, replace(first, first=True), engine.steps, expected)
        return
    seeded = job.seeded(request, seed)
    expected = reference.expected_with_reference(seeded.grid, seeded.subject.count)
    job.start(NAME, seeded, reference.steps, expected)


def show(request: StudyRequest, rows: list[Row]) -> None:
    """Show the leaderboard, as far as it is."""
    served = sorted((row for row in rows if row.supported), key=lambda row: row.mean_error)
    many = request.subject.many
    if not served:
        st.caption("No mechanism serves these settings so far.")
    else:
        st.markdown(verdict(served, request.subject), help=term("failed run"))
        advice.compare(request, served)
    figure = st.container()
    st.caption(_help(request))
    if request.grid.find_bounds is not None:
        st.caption(FOUND.format(100 * float(request.grid.find_bounds.share)))
    if request.grid.intervals is not None:
        st.caption(HELD.format(request.grid.intervals.percent))
    pieces.table(_table(rows, request.subject), "Mechanisms with their mean and worst rank errors, smallest mean first")
    if request.first:
        st.caption("Press Compare for more runs, and for OpenDP's quantile as a reference line.")
    with st.expander("Theorems and time", type="compact"):
        pieces.table(_more(rows), "What theorems promise of each mechanism, and the time of a run")
    with st.expander("Why some are not available", type="compact") if len(served) < len(rows) else st.container():
        for row in rows:
            if not row.supported:
                st.caption(f":material/block: **{escape(row.label)}**: {escape(job.reason_of(row))}")
    if job.finished(NAME):
        title = f"Mechanisms compared: {request.subject.about}"
        exports.of_rows("leaderboard", request, rows, title, lambda: _figure(rows, many))
    if served:
        alt = "Mean and worst rank error of each mechanism with noise intervals and failed runs; see the table"
        pieces.draw(figure, _figure(rows, many), NAME, alt)


def verdict(served: Sequence[Row], subject: Subject) -> str:
    """Return which mechanism erred least, which fail, and whether runs distinguish them; best rows first."""
    best, rest = served[0], served[1:]
    share = f" ({share_in_words(best.mean_error / best.n)} of all)" if best.n else ""
    said = [f"**{escape(best.label)}** erred least: {_mean(best, subject)} on average{share}."]
    if best.failed:
        said.append(_but_failed(best, rest, subject))
    alike = [row.label for row in rest if not (clearly_worse(row, best) or fails_otherwise(row, best))]
    if alike:
        others = " and ".join(f"**{escape(label)}**" for label in alike)
        said.append(f"The difference from {others} is within simulation noise.")
    elif rest:
        times = rest[0].mean_error / best.mean_error if best.mean_error else 0.0
        much = f", {two_digits(times)} times as much" if times >= LEAST_TIMES else ""
        said.append(f"Next is **{escape(rest[0].label)}** with {_mean(rest[0], subject)}{much}.")
    said += [_failed(row, subject) for row in rest if row.failed and fails_otherwise(row, best)]
    return " ".join(said)


def _but_failed(best: Row, rest: Sequence[Row], subject: Subject) -> str:
    """Return how often the best mechanism failed, and which is the best of those that never did."""
    never = next((row for row in rest if not row.failed), None)
    failed = f"But it failed in {_times(best)}."
    if never is None:
        return failed
    return f"{failed} Of those that never failed, {escape(never.label)} erred least: {_mean(never, subject)}."


def _failed(row: Row, subject: Subject) -> str:
    """Return how often another mechanism failed, and how far off it is otherwise."""
    usual = error_in_words(row.mean_error_median, subject.one, subject.many)
    mean = _mean(row, subject)
    return f"{escape(row.label)} failed in {_times(row)}: {usual} in its median run, but {mean} on average."


def _times(row: Row) -> str:
    return f"{row.failed:,} of {row.trials:,} runs"


def _mean(row: Row, subject: Subject) -> str:
    return error_in_words(row.mean_error, subject.one, subject.many)


def _help(request: StudyRequest) -> str:
    many = request.subject.many
    return (
        f"How many {many} lie between an answer and the true quantile; further left is better. The bar holds 95 of 100 "
        "simulated runs, the stroke in it is the median run: where the mean lies far from it, a few runs failed. An "
        "error of 0 lies beyond the left edge. A dotted stroke is what a theorem promises for the worst quantile with "
        "probability 0.95: theorems hold for every data set, so most runs do far better."
    )


def _table(rows: Sequence[Row], subject: Subject) -> dict[str, list[Any]]:
    def runs(row: Row, name: str) -> DisplayText:
        low, high = getattr(row, f"{name}_low"), getattr(row, f"{name}_high")
        return errors_in_table(low, high) if row.supported else DisplayText(nan, NOT_SERVED)

    ordered = _ordered(rows)
    median = {"median run": [error_in_table(row.mean_error_median) for row in ordered]}
    failed = {"failed runs": [job.runs_failed(row) for row in ordered]}
    return {
        "mechanism": [row.label for row in ordered],
        f"mean rank error ({subject.many})": [error_in_table(row.mean_error) for row in ordered],
        **_intervals(ordered, subject.unit),
        **(median if any(row.failed for row in rows) else {}),
        "95 of 100 runs": [runs(row, "mean_error") for row in ordered],
        **(failed if any(row.failed for row in rows) else {}),
        "worst rank error": [error_in_table(row.max_error) for row in ordered],
        "95 of 100 runs ": [runs(row, "max_error") for row in ordered],
    }


def _intervals(ordered: Sequence[Row], unit: str) -> dict[str, list[Any]]:
    """Return how often the intervals held, and how wide they are; nothing where none were asked for."""
    if all(isnan(row.coverage) for row in ordered):
        return {}
    return {
        "intervals held": [
            DisplayText(row.coverage, "–" if isnan(row.coverage) else share_in_words(row.coverage)) for row in ordered
        ],
        f"their width{unit and f' ({unit})'}": [DisplayText(row.width, two_digits(row.width)) for row in ordered],
    }


def _more(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Return the columns that have no room beside the errors."""
    ordered = [row for row in _ordered(rows) if row.supported]
    return {
        "mechanism": [row.label for row in ordered],
        "theorem: worst rank error at most": [at_most_in_table(row.bound) for row in ordered],
        "milliseconds a run": [DisplayText(row.ms_per_trial, two_digits(row.ms_per_trial)) for row in ordered],
    }


def _ordered(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (not row.supported, row.mean_error if row.supported else 0, row.configuration))


def _figure(rows: Sequence[Row], many: str) -> Any:
    from dpq_core.figures.studies import draw_leaderboard

    return draw_leaderboard(rows, many=many)
