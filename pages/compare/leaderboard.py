"""The leaderboard of the Compare page, what studies share to show which mechanism errs least, and their files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import isnan, nan
from typing import Any

import streamlit as st

from dpq_core.advice.choice import choose
from dpq_core.frame import level_text
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.plan import BEST
from dpq_core.question import Question
from dpq_core.results.exports import comment, file_check
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
from dpq_core.tabular import table_as_csv

from ..form.plan import choice_in_words
from ..server import downloads
from ..shell import fields, pieces, waiting
from ..shell.header import escape, sentence_of, term, understood
from .study import SHAPE, StudyRequest, Subject, start

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

    if waiting.has_ended(NAME):
        offer_files("leaderboard", request, rows, f"Mechanisms compared: {subject.about}", draw)
    if served:
        alt = "Mean and worst rank error of each mechanism with noise intervals and failed runs; see the table"
        pieces.draw(figure, draw(), NAME, alt)


def choose_marked(request: StudyRequest) -> Question | None:
    """Ask which mechanism is in colour beside the best one; return the page's question with it, None without one.

    A finished study has the errors of all of them, so nothing is simulated again.
    """
    name = fields.choose(st.selectbox, "marked", help=term("mechanism"), width=WIDTH)
    asked = request.question.columns["column"]
    if name != BEST:
        own = {method.mechanism: dict(method.options) for method in request.grid.mechanisms}[name]
        return replace(request.question, columns={"column": replace(asked, mechanism=name, options=own)})
    best = understood(lambda: choose(request.question))
    if best is None:
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
        return errors_in_table(low, high) if row.supported else DisplayText(nan, "not available")

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


NOT_PRIVATE = "Study, not private: simulated beside the true values, for public or synthetic data only."
OF_A_SHAPE = "Study of a public shape: it holds nothing of any private data. Not a release."
SETTINGS_ONLY = "Settings only: holds no data and no answer."
GRID_FILE = "grid-settings-only.json"


def privacy_label(request: StudyRequest) -> str:
    """Return one sentence about what may be done with the numbers."""
    return OF_A_SHAPE if request.subject.identity == SHAPE else NOT_PRIVATE


def rows_as_csv(request: StudyRequest, rows: Sequence[Any]) -> str:
    """Return the table, one line for each configuration; the privacy label is its last column.

    Levels are texts that no spreadsheet takes for dates: `25 %; 33.33 % (1/3)`.
    """
    frame = engine.as_frame(rows)
    facts = {"data_set": request.subject.about, "date": request.made, "seed": request.grid.seed}
    texts = ["; ".join(level_text(Fraction(level)) for level in levels.split()) for levels in frame["quantiles"]]
    whole = frame.assign(quantiles=texts, **facts, privacy_label=privacy_label(request))
    return table_as_csv(list(whole), whole.itertuples(index=False))


def rows_as_json(request: StudyRequest, rows: Sequence[Any]) -> str:
    """Return the table and the grid that it comes from."""
    table = json.loads(engine.as_frame(rows).to_json(orient="records"))
    about = {"label": privacy_label(request), "kind": "study", "data": request.subject.about, "date": request.made}
    content = about | {"grid": request.grid.as_dict(), "rows": table}
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def grid_as_json(request: StudyRequest) -> str:
    """Return the settings of the study, for `dpq study`."""
    return json.dumps({"label": SETTINGS_ONLY} | request.grid.as_dict(), indent=2, ensure_ascii=False) + "\n"


def figure_as_html(request: StudyRequest, title: str, figure: Any) -> str:
    """Return the figure as one self-contained page with what it is."""
    from dpq_core.figures.frame import as_html, shown

    grid, mechanisms = request.grid, ", ".join(dict.fromkeys(method.label for method in request.grid.mechanisms))
    runs = f"{grid.trials:,} simulated runs for each number, seed {grid.seed}"
    facts = f"{request.subject.about} · {mechanisms} · {request.made} · {runs}"
    return as_html([shown(figure)], title=title, paragraphs=[privacy_label(request), facts])


def script(request: StudyRequest) -> str:
    """Return a Python script that does the study of a column of one's own again."""
    subject = request.subject
    table = "from dpq_core.studies.shapes import Table\n" if subject.person else ""
    return f'''"""{comment(privacy_label(request))}

{comment(f"{subject.about} · {request.made} · seed {request.grid.seed}")}
"""

{file_check(subject.file).rstrip()}
from dpq_core.studies import engine
from dpq_core.studies.design import StudyDesign
{table}{subject.reading}
grid = StudyDesign.from_json({request.grid.to_json()!r})
given = {{{subject.data!r}: {"Table(values, people)" if subject.person else "values"}}}
print(engine.as_frame(row for _, row in engine.steps(grid, given)))
'''


def offer_files(name: str, request: StudyRequest, rows: Sequence[Any], title: str, figure: Any) -> None:
    """Offer the files of a study: table, figure, and a grid file that repeats it without the dashboard."""
    files = {
        "CSV": lambda: rows_as_csv(request, rows),
        "JSON": lambda: rows_as_json(request, rows),
        "Figure": lambda: figure_as_html(request, title, figure()),
    }
    if request.subject.public:
        files["Grid"] = lambda: grid_as_json(request)
        st.caption("To repeat this study without the dashboard, download *Grid* and run:")
        st.code(f"dpq study {GRID_FILE} --out table.csv", language=None, wrap_lines=True)
    else:
        files["Python"] = lambda: script(request)
    kind = "public-shape" if request.subject.identity == SHAPE else "not-private"
    downloads.show(files, f"{name}-{kind}", GRID_FILE, of=request.subject.about, day=request.made)
