"""What the Compare page does between its controls and its results: the leaderboard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import hypot
from typing import Any

import streamlit as st

from ..errors import ParameterError
from ..mechanisms import MECHANISMS
from ..plan import Level
from ..studies import engine, reference
from ..studies.break_it import BREAK_IT
from ..studies.engine import Row
from . import pieces, studies, study_exports
from .page import complain, escape, in_words, term
from .settings import NO_TROUBLE, key, text
from .studies import Asked, Setup, interval, three_digits
from .subjects import Subject, methods, subject_of_trouble

NAME = "compare"
FIRST_TRIALS = 64
"""Of the leaderboard that is there before any press: one pass of the simulator."""
FIRST_SEED = 0
DOING = "Comparing mechanisms"
NOT_SERVED = "not available"


def choose_trouble() -> str:
    """The chosen data, or a set that is hard for some mechanism."""
    st.selectbox(
        "Compare on", [NO_TROUBLE, *BREAK_IT], format_func=_trouble_label, key=key("trouble"), persist_state="session",
        help=term("break it"), filter_mode=None,
    )  # fmt: skip
    chosen = text("trouble")
    if chosen in BREAK_IT:
        st.caption(BREAK_IT[chosen].expect)
    return chosen


def _trouble_label(trouble: str) -> str:
    return "The data above" if trouble == NO_TROUBLE else f"Break it: {BREAK_IT[trouble].label.lower()}"


def question(setup: Setup | None, trouble: str) -> Asked | None:
    """Every mechanism at this budget, on the data or on a hard set; None, and a word why, where it cannot be."""
    if setup is None:
        return None
    try:
        asked = _asked(setup, setup.subject, setup.levels)
        if trouble in BREAK_IT:
            levels = BREAK_IT[trouble].applied(asked.grid).quantiles[0]
            asked = _asked(setup, subject_of_trouble(BREAK_IT[trouble]), levels)
    except ParameterError as error:
        complain(in_words(error))
        return None
    return asked


def _asked(setup: Setup, subject: Subject, levels: Sequence[Level]) -> Asked:
    mechanisms = methods(list(MECHANISMS), subject.count, setup.adjacency, studies.tuned())
    return Asked(subject=subject, grid=setup.grid(subject, mechanisms=mechanisms, quantiles=[levels]))


def draw(asked: Asked, seed: int | None) -> None:
    """Start the study; without a seed the small one that the page opens with, in place and without the reference."""
    if seed is None:
        first = studies.seeded(asked, FIRST_SEED, trials=FIRST_TRIALS)
        studies.start(NAME, replace(first, first=True), engine.steps, 0.0)
        return
    seeded = studies.seeded(asked, seed)
    expected = reference.expected_with_reference(seeded.grid, seeded.subject.count)
    studies.start(NAME, seeded, reference.steps, expected)


def show(asked: Asked, rows: list[Row]) -> None:
    """The leaderboard, as far as it is."""
    served = sorted((row for row in rows if row.supported), key=lambda row: row.mean_error)
    many = asked.subject.many
    if not served:
        st.caption("No mechanism serves these settings so far.")
    else:
        st.markdown(verdict(served, asked.subject))
    figure = st.container()
    st.caption(_help(asked))
    pieces.table(_table(rows, many), "Mechanisms with their mean and largest rank errors, smallest mean first")
    if asked.first:
        st.caption("Press Compare for more runs, and for OpenDP's quantile as a reference line.")
    with st.expander("Why some are not available", type="compact") if len(served) < len(rows) else st.container():
        for row in rows:
            if not row.supported:
                st.caption(f":material/block: **{escape(row.label)}**: {escape(in_words(row.why_not))}")
    if studies.finished(NAME):
        title = f"Mechanisms compared: {asked.subject.about}"
        study_exports.of_rows("leaderboard", asked, rows, title, lambda: _figure(rows, many))
    if served:
        alt = "Mean and largest rank error of each mechanism with noise intervals; see the table"
        pieces.draw(figure, _figure(rows, many), NAME, alt)


def verdict(served: Sequence[Row], subject: Subject) -> str:
    """Which mechanism erred least, and whether the runs can tell it from the next; rows with the best first."""
    best = served[0]
    share = f" ({best.mean_error / best.n:.2%} of all)" if best.n else ""
    start = f"**{escape(best.label)}** erred least: {three_digits(best.mean_error)} {subject.many} on average{share}."
    if len(served) == 1:
        return start
    close = [row.label for row in served[1:] if not _clearly_worse(row, best)]
    if close:
        return f"{start} The runs cannot tell it from {escape(' or '.join(close))}."
    second = served[1]
    times = f", {second.mean_error / best.mean_error:,.1f} times as much" if best.mean_error else ""
    return f"{start} Next is {escape(second.label)} with {three_digits(second.mean_error)}{times}."


def _clearly_worse(row: Row, best: Row) -> bool:
    """Whether the means differ by more than twice the standard error of their difference."""
    return row.mean_error - best.mean_error > 2 * hypot(row.mean_error_se, best.mean_error_se)


def _help(asked: Asked) -> str:
    many = asked.subject.many
    return (
        f"How many {many} lie between an answer and the true quantile; further left is better. The bar holds 95 of 100 "
        "simulated runs; an error of 0 lies beyond the left edge. A dotted stroke is what a theorem promises for the "
        "worst quantile with probability 0.95: theorems hold for every data set, so most runs do far better."
    )


def _table(rows: Sequence[Row], many: str) -> dict[str, list[Any]]:
    ordered = sorted(rows, key=lambda row: (not row.supported, row.mean_error if row.supported else 0, row.cell))
    return {
        "mechanism": [row.label for row in ordered],
        f"mean ({many})": [three_digits(row.mean_error) for row in ordered],
        "95 of 100": [
            interval(row.mean_error_low, row.mean_error_high) if row.supported else NOT_SERVED for row in ordered
        ],
        f"worst ({many})": [three_digits(row.max_error) for row in ordered],
        "95 of 100 ": [
            interval(row.max_error_low, row.max_error_high) if row.supported else NOT_SERVED for row in ordered
        ],
        "theorem": [three_digits(row.bound) for row in ordered],
        "ms a run": [three_digits(row.ms_per_trial) for row in ordered],
        "runs": [f"{row.trials:,}" if row.supported else "–" for row in ordered],
    }


def _figure(rows: Sequence[Row], many: str) -> Any:
    from ..figures.studies import draw_leaderboard

    return draw_leaderboard(rows, many=many)
