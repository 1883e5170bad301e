"""The Papers page: a figure and its verdict, all verdicts, and recomputing at reduced size."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from textwrap import wrap
from typing import Any

import streamlit as st

from dpq_core.papers import figures
from dpq_core.papers.figures import Figure, FigureVerdict, Point, Result, Word, load
from dpq_core.version import VERSION

from .. import keys
from ..server import downloads
from ..shell import fields, waiting
from ..shell.header import complain, escape, sentence_of, term
from ..shell.links import forget_notes
from ..shell.pieces import primary_button
from .panels import export_files, panels, table, wide_number

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
    figure = figures.FIGURES[fields.selectbox("figure", help=help, searched=True)]
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
    downloads.show(export_files(figure, stored), f"paper-{figure.key}")


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
    judged = [(each, found.verdict) for each in figures.FIGURES.values() if (found := stored_result(each)) is not None]
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
    """Return words that stay on one line."""
    return words.replace(" ", "\u00a0")
