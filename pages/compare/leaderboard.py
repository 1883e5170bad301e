"""The leaderboard of the Compare page: what is studied, which mechanism errs least, and how its rows are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan, nan
from typing import Any

import streamlit as st

from dpq_core.advice.choice import choose
from dpq_core.errors import ParameterError
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.plan import BEST
from dpq_core.question import Question
from dpq_core.results.wording import (
    NEXT_TO_NONE,
    DisplayText,
    at_most_in_table,
    error_in_table,
    error_in_words,
    errors_in_table,
    share_in_words,
    two_digits,
)
from dpq_core.studies import engine, reference
from dpq_core.studies.design import BREAK_IT
from dpq_core.studies.engine import Row, clearly_worse, fails_otherwise, limits

from ..form.plan import choice_in_words
from ..form.table import SETTINGS, key
from ..shell import fields, pieces
from ..shell.header import complain, escape, sentence_of, term
from . import files
from .study import StudyRequest, finished, start
from .subject import Subject

NAME = "compare"
"""The study of the page."""
HELP = (
    "How many {} lie between an answer and the true quantile; further left is better. A bar covers 95 of 100 simulated "
    "runs, and the short line in it is the middle run. An error of 0 is drawn at the left edge."
)
HELD = (
    "Each interval should hold the true quantile with a chance of {}. “Held” says in how many of all runs it did, for "
    "the quantile where that is least."
)
FOUND = (
    "Every run finds its bounds first, from {:.3g} % of the budget. What lies beyond them counts as an error of the "
    "quantiles there."
)
NOT_SERVED = "not available"
WIDTH = 340
"""Of a field beside a picture, in pixels."""
LEAST_TIMES = 1.05
"""A smaller ratio of two means is not worth a word."""


def choose_trouble() -> str:
    """Ask whether to compare on the chosen data or on a set that is hard for some mechanism."""
    chosen = fields.selectbox("trouble", help=term("break it"))
    if chosen in BREAK_IT:
        st.caption(BREAK_IT[chosen].expect)
    return chosen


def run(request: StudyRequest, seed: int) -> None:
    """Start the study. The one that the page opens with has no reference beside it."""
    expected = reference.expected_with_reference(request.grid, request.subject.count)
    start(NAME, request, seed, reference.steps if seed else engine.steps, expected)


def show(request: StudyRequest, rows: list[Row]) -> None:
    """Show the leaderboard, as far as it is."""
    served = sorted((row for row in rows if row.supported), key=lambda row: row.mean_error)
    subject, grid = request.subject, request.grid
    head, figure = st.container(), st.container()
    chosen = label_of(choose_marked(request))
    if served:
        head.markdown(verdict(served, subject, chosen), help=term("failed run"))
    else:
        head.caption("No mechanism is available for these settings so far.")
    st.caption(HELP.format(subject.many))
    if grid.find_bounds is not None:
        st.caption(FOUND.format(100 * float(grid.find_bounds.share)))
    if grid.intervals is not None:
        st.caption(HELD.format(grid.intervals.percent))
    pieces.table(_table(rows, subject), "Mechanisms with their mean and worst rank errors, smallest mean first")
    if request.first:
        st.caption("Press Compare for other noise, and to see OpenDP's quantile beside these mechanisms.")
    with st.expander("Theorems and time", type="compact"):
        pieces.table(_more(rows), "What theorems promise of each mechanism, and the time of a run")
    show_refusals(rows)

    def draw() -> Any:
        from dpq_core.figures.studies import draw_leaderboard

        limit = dict(limits(rows)).get(rows[0].epsilon, 0.0)
        return draw_leaderboard(rows, many=subject.many, chosen=chosen, limit=limit)

    if finished(NAME):
        files.offer("leaderboard", request, rows, f"Mechanisms compared: {subject.about}", draw)
    if served:
        alt = "Mean and worst rank error of each mechanism with noise intervals and failed runs; see the table"
        pieces.draw(figure, draw(), NAME, alt)


def choose_marked(request: StudyRequest) -> Question | None:
    """Ask which mechanism is in colour beside the best one; return the page's question with it, None without one.

    A finished study has the errors of all of them, so nothing is simulated again.
    """
    setting = SETTINGS["marked"]
    st.selectbox(  # not through `fields`: a finished result reads no setting
        setting.label, setting.choices, format_func=setting.shown, key=key("marked"), persist_state="session",
        help=term("mechanism"), width=WIDTH,
    )  # fmt: skip
    name, asked = st.session_state[key("marked")], request.question.columns["column"]
    if name != BEST:
        own = {method.mechanism: dict(method.options) for method in request.grid.mechanisms}[name]
        return replace(request.question, columns={"column": replace(asked, mechanism=name, options=own)})
    try:
        best = choose(request.question)
    except ParameterError as error:
        complain(sentence_of(error))
        return None
    st.caption(choice_in_words(best, request.subject.one, request.subject.many))
    return best.question


def label_of(question: Question | None) -> str:
    """Return what the mechanism of the question is called."""
    return "" if question is None else MECHANISMS[question.columns["column"].mechanism].LABEL


def verdict(served: Sequence[Row], subject: Subject, chosen: str = "", measure: str = "mean", place: str = "") -> str:
    """Return which mechanism errs least, how the chosen one does, which fail, and what the runs cannot distinguish.

    Best rows first. `measure`: "mean" or "max"; `place`: where this holds, such as "At ε = 1, ".
    """
    error = f"{measure}_error"

    def much(row: Row, of: str = error) -> str:
        return error_in_words(getattr(row, of) or NEXT_TO_NONE, subject.one, subject.many)

    best, rest = served[0], served[1:]
    share = f", {share_in_words(getattr(best, error) / best.n)} of all" if best.n else ""
    how = "on average" if measure == "mean" else "in its worst quantile"
    found = [f"{place}**{escape(best.label)}** has the smallest error: {much(best)} {how}{share}."]
    if best.failed:
        found.append(f"But it failed in {best.failed:,} of {best.trials:,} runs.")
        if never := next((row for row in rest if not row.failed), None):
            found.append(f"Of those that never failed, {escape(never.label)} errs least: {much(never)}.")
    alike = [row.label for row in rest if not (clearly_worse(row, best, error) or fails_otherwise(row, best))]
    if alike:
        found.append(f"These runs cannot tell it from {' or '.join(f'**{escape(label)}**' for label in alike)}.")
    elif rest:
        times = getattr(rest[0], error) / getattr(best, error) if getattr(best, error) else 0.0
        more = f", {two_digits(times)} times as much" if times >= LEAST_TIMES else ""
        found.append(f"Next is **{escape(rest[0].label)}** with {much(rest[0])}{more}.")
    told = (best.label, *alike, *([] if alike else [row.label for row in rest[:1]]))
    own = next((row for row in rest if row.label == chosen), None)
    if own and own.label not in told:
        found.append(f"The chosen **{escape(chosen)}** errs by {much(own)}.")
    for row in rest:
        if row.failed and fails_otherwise(row, best):
            runs = f"{row.failed:,} of {row.trials:,} runs"
            usual = much(row, f"{error}_median")
            found.append(
                f"{escape(row.label)} failed in {runs}: {usual} in its middle run, but {much(row)} on average."
            )
    return " ".join(found)


def show_refusals(rows: Sequence[Row]) -> None:
    """Show each mechanism that was not available somewhere, with the reason of the first time."""
    reasons = {row.label: row for row in sorted(rows, key=lambda row: -row.configuration) if not row.supported}
    if reasons:
        with st.expander("Why some are not available", type="compact"):
            for label, row in sorted(reasons.items()):
                why = sentence_of(row.refused) if row.refused else row.why_not
                st.caption(f":material/block: **{escape(label)}**: {escape(why)}")


def runs_failed(row: Row) -> DisplayText:
    """Return how many runs of a study failed, as a cell of a table: `23 of 1,000`."""
    words = f"{row.failed:,} of {row.trials:,}" if row.supported else "–"
    return DisplayText(row.failed / row.trials if row.supported else nan, words)


def _table(rows: Sequence[Row], subject: Subject) -> dict[str, list[Any]]:
    def runs(row: Row, name: str) -> DisplayText:
        low, high = getattr(row, f"{name}_low"), getattr(row, f"{name}_high")
        return errors_in_table(low, high) if row.supported else DisplayText(nan, NOT_SERVED)

    ordered, some_failed = _ordered(rows), any(row.failed for row in rows)
    held = [DisplayText(row.coverage, "–" if isnan(row.coverage) else share_in_words(row.coverage)) for row in ordered]
    with_intervals = not all(isnan(row.coverage) for row in ordered)
    columns: dict[str, list[Any]] = {
        "mechanism": [row.label for row in ordered],
        f"mean rank error ({subject.many})": [error_in_table(row.mean_error) for row in ordered],
        "intervals held": held if with_intervals else [],
        f"their width{subject.unit and f' ({subject.unit})'}":
            [DisplayText(row.width, two_digits(row.width)) for row in ordered if with_intervals],
        "middle run": [error_in_table(row.mean_error_median) for row in ordered if some_failed],
        "95 of 100 runs": [runs(row, "mean_error") for row in ordered],
        "failed runs": [runs_failed(row) for row in ordered if some_failed],
        "worst rank error": [error_in_table(row.max_error) for row in ordered],
        "95 of 100 runs ": [runs(row, "max_error") for row in ordered],
    }  # fmt: skip
    return {name: column for name, column in columns.items() if column}


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
