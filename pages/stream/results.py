"""A stream on the screen: numbers, two figures, tables and downloads, while it is read and afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from dpq_core.frames.offered import table_as_csv
from dpq_core.frames.rows import level_name
from dpq_core.mechanisms.gk.error import suggested_alpha
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.privacy.budgets import PureDP
from dpq_core.results.exports import NOT_PRIVATE
from dpq_core.results.wording import (
    DisplayText,
    Wording,
    at_most_in_table,
    error_in_digits,
    error_in_table,
    error_in_words,
    share_in_words,
    two_digits,
)
from dpq_core.studies.streams.reading import Settings, Snapshot

from ..frame import pieces, waiting
from ..frame.header import escape, term
from ..server import downloads

DOING = "Reading"
FROM_SKETCH = "Worst rank error over the quantiles of private answers from the sketch, on average over the trials."
FROM_ALL = "The same mechanism with the same budget on all records, without a sketch."
TARGET_ERROR = 0.01
"""The share of all records by which an answer may be off when a coarseness is suggested."""
LEAST_SAVING = 1.05
"""Times less memory than all records: what is less is no saving."""
NARROWEST_METRIC = 164
"""Pixels in which "under 0.01 %" is not cut off."""
ROWS = 12
"""Of the table of lengths."""


@dataclass(frozen=True, kw_only=True)
class StreamRun:
    """A stream that is being read, or was: its words and settings, frozen when it was started."""

    identity: str
    of_example: bool
    about: str
    wording: Wording
    settings: Settings
    scheduler: str
    code: str
    """Python that sketches the same source and releases the same quantiles."""
    made: str = ""
    """When it was started: UTC, to the second."""

    @property
    def requested(self) -> StreamRun:
        """What a form asks for: the same without a seed and a date, of which `code` says nothing."""
        return replace(self, settings=replace(self.settings, seed=0), made="")


def show(run: StreamRun, job: str, changed: str) -> None:
    """Show what this is of, then what was found so far."""
    settings = run.settings
    st.markdown(
        f":gray[Simulation, not a release · {escape(run.about)} · α = {settings.alpha:g} · {settings.privacy} · "
        f"seed {settings.seed}]{pieces.changed_badge(changed)}"
    )
    waiting.show(job, DOING, lambda parts: _draw(run, job, parts))
    found = waiting.job_of(job)
    if found is not None and found.finished and not found.parts and not found.problem:
        st.caption("Nothing was read.")
    _more(run)


def _more(run: StreamRun) -> None:
    """Show advice on the coarseness, and the same in Python."""
    settings = run.settings
    if isinstance(settings.privacy, PureDP):
        each = settings.privacy.epsilon / len(settings.quantiles)
        advised = suggested_alpha(TARGET_ERROR, each, settings.domain.cells)
        if settings.alpha > advised:
            st.caption(
                ":material/lightbulb: To be sure in advance that 95 of 100 runs err by at most "
                f"{100 * TARGET_ERROR:g} % of {settings.n_max:,} {run.wording.many}, "
                f"choose α = {f'{advised:.10f}'.rstrip('0')} or finer."
            )
    with st.expander("A private answer from a sketch in Python", type="compact"):
        st.code(run.code, language="python")


def _draw(run: StreamRun, job: str, steps: list[Snapshot]) -> None:
    """Show the numbers of the last look and the figures; once all is read, tables and downloads too."""
    found = waiting.job_of(job)
    whole = found is not None and found.finished
    if whole:
        st.markdown(f"**{escape(finding(steps[-1], run.wording))}**")
    _numbers(run, steps[-1])
    _figures(run, steps)
    if whole:
        _explain(run, steps[-1])
        _tables(run, steps)


def finding(last: Snapshot, words: Wording) -> str:
    """Return what the sketch saves, and what that costs a private answer."""
    off = error_in_words(last.gk.mean, words.one, words.many)
    whole = error_in_words(last.full.mean, words.one, words.many)
    instead = "" if not last.exact else ", with the sketch or without" if whole == off else f" instead of {whole}"
    if last.saving < LEAST_SAVING:
        return f"So few records need no sketch: it saves no memory, and private answers are {off} off{instead}."
    return f"{two_digits(last.saving)} times less memory, and private answers that are {off} off{instead}."


def saving_in_words(saving: float) -> str:
    """Return how many times less memory a sketch takes than all records: `45 times less`, or `no less`."""
    return "no less" if saving < LEAST_SAVING else f"{two_digits(saving)} times less"


def _numbers(run: StreamRun, last: Snapshot) -> None:
    one, many = run.wording.one, run.wording.many
    cells = st.grid(4, min_column_width=NARROWEST_METRIC, gap="xsmall")
    cells.metric(
        "Read", f"{last.n:,}", f"{last.points:,} points kept", delta_color="off", delta_arrow="off",
        help=f"{term('sketch')} This one took {last.seconds:.2g} seconds of work.", width="stretch",
    )  # fmt: skip
    cells.metric(
        "Memory", bytes_in_words(last.sketch_bytes), saving_in_words(last.saving), delta_color="off", delta_arrow="off",
        help=term("space saved"), width="stretch",
    )  # fmt: skip
    cells.metric(
        "Worst error, sketch", share_in_words(last.gk.mean / max(last.n, 1)), error_in_words(last.gk.mean, one, many),
        delta_color="off", delta_arrow="off", help=FROM_SKETCH, width="stretch",
    )  # fmt: skip
    full = error_in_words(last.full.mean, one, many) if last.exact else "not kept"
    cells.metric(
        "Worst error, all", share_in_words(last.full.mean / max(last.n, 1)), full, delta_color="off", delta_arrow="off",
        help=FROM_ALL, width="stretch",
    )  # fmt: skip


def _figures(run: StreamRun, steps: Sequence[Snapshot]) -> None:
    from dpq_core.figures.stream import draw_errors, draw_memory

    last = steps[-1]
    places = st.grid(2, min_column_width=330, gap="medium")
    memory = (
        f"Memory against records read. At {last.n:,} records the sketch takes {bytes_in_words(last.sketch_bytes)} and "
        f"all records would take {bytes_in_words(last.full_bytes)}."
    )
    errors = (
        f"Worst rank errors against records read. At {last.n:,} records: private from the sketch "
        f"{error_in_digits(last.gk.mean)}, private from all records {error_in_digits(last.full.mean)}, "
        f"the sketch alone {error_in_digits(last.sketch_error)}, its bound {at_most_in_table(last.bound)}."
    )
    pieces.draw(places.empty(), draw_memory(steps), "stream_memory", memory)
    pieces.draw(places.empty(), draw_errors(steps, run.wording.many), "stream_errors", errors)


def _explain(run: StreamRun, last: Snapshot) -> None:
    """Say what the errors are of, with the proved bound."""
    st.caption(
        f"Errors are those of the worst of the quantiles asked; a band holds 90 of 100 trials. {proved(run)} The table "
        "has one private answer of each kind."
    )
    if not last.exact:
        st.caption(
            ":material/info: All records were too many to keep beside the sketch, so later errors are what the sketch "
            "itself knows of them."
        )


def proved(run: StreamRun) -> str:
    """Return what is proved in advance of the errors, in a sentence."""
    (sketch, noise), most, many = run.settings.error_parts(), run.settings.n_max, run.wording.many
    if sketch + noise >= most:
        return f"Nothing is proved in advance: the bound for 95 of 100 runs lies beyond all {most:,} {many}."
    return (
        f"What is proved in advance, in {many}, for 95 of 100 runs: at most {at_most_in_table(sketch)} from the sketch "
        f"and {at_most_in_table(noise)} from the noise."
    )


def _tables(run: StreamRun, steps: Sequence[Snapshot]) -> None:
    last, words = steps[-1], run.wording
    unit = words.in_unit
    pieces.table(answers(run, last, unit), alt="Quantiles at the end of the stream")
    with st.expander("The figures as a table", type="compact"):
        pieces.table(lengths(_thinned(steps)), alt="Memory and rank errors at growing lengths of the stream")
    files = {"CSV": lambda: as_csv(run, steps), "Figure": lambda: _page(run, steps)}
    downloads.show(files, "stream-not-private", of=words.name, day=run.made)


def answers(run: StreamRun, last: Snapshot, unit: str) -> dict[str, list[Any]]:
    """Return one row a quantile: the truth, the sketch, and one private answer of either kind."""
    words, levels = run.wording, run.settings.quantiles
    none = [float("nan")] * len(levels)
    columns = {
        f"true{unit}": last.true_values or none,
        f"sketch alone{unit}": last.sketch_values,
        f"private, from the sketch{unit}": last.gk_values,
        f"private, from all{unit}": last.full_values or none,
    }
    return {"quantile": [DisplayText(float(level), level_name(level)) for level in levels]} | {
        name: [DisplayText(value, words.number(value)) for value in values] for name, values in columns.items()
    }


def lengths(steps: Sequence[Snapshot]) -> dict[str, list[Any]]:
    """Return one row a look: what the figures show."""
    return {
        "read": [DisplayText(step.n, f"{step.n:,}") for step in steps],
        "points": [DisplayText(step.points, f"{step.points:,}") for step in steps],
        "memory": [DisplayText(step.sketch_bytes, bytes_in_words(step.sketch_bytes)) for step in steps],
        "times less": [DisplayText(step.saving, two_digits(step.saving)) for step in steps],
        "bound": [at_most_in_table(step.bound) for step in steps],
        "sketch alone": [error_in_table(step.sketch_error) for step in steps],
        "private, from the sketch": [error_in_table(step.gk.mean) for step in steps],
        "private, from all": [error_in_table(step.full.mean) for step in steps],
    }


def _thinned(steps: Sequence[Snapshot]) -> Sequence[Snapshot]:
    """Return at most ROWS looks, evenly, the last one among them."""
    every = max(-(-len(steps) // ROWS), 1)
    return steps[(len(steps) - 1) % every :: every]


def as_csv(run: StreamRun, steps: Sequence[Snapshot]) -> str:
    """Return every look as plain numbers; where they come from and the label of what this is come last."""
    names = [
        "n", "points", "sketch_bytes", "full_bytes", "bound", "sketch_error", "gk_mean", "gk_low", "gk_high",
        "full_mean", "full_low", "full_high", "truth_kept", *_origin(run), "label",
    ]  # fmt: skip
    table = []
    for step in steps:
        gk, full = step.gk, step.full
        row: list[Any] = [step.n, step.points, step.sketch_bytes, step.full_bytes, step.bound, step.sketch_error]
        row += [gk.mean, gk.low, gk.high, full.mean, full.low, full.high, step.exact]
        table.append([*row, *_origin(run).values(), NOT_PRIVATE])
    return table_as_csv(names, table)


def _origin(run: StreamRun) -> dict[str, Any]:
    """Return what every file says about the origin of its numbers."""
    settings = run.settings
    return {
        "alpha": settings.alpha,
        "n_max": settings.n_max,
        "budget": str(settings.privacy),
        "mechanism": MECHANISMS["gkexp"].LABEL,
        "data_set": run.about,
        "date": run.made,
        "seed": settings.seed,
    }


def _page(run: StreamRun, steps: Sequence[Snapshot]) -> str:
    from dpq_core.figures.frame import as_html, shown
    from dpq_core.figures.stream import draw_errors, draw_memory

    settings = run.settings
    facts = (
        f"{MECHANISMS['gkexp'].LABEL} · α = {settings.alpha:g} · at most {settings.n_max:,} records · "
        f"{settings.privacy} · {run.made} · seed {settings.seed}"
    )
    figures = [shown(draw_memory(steps)), shown(draw_errors(steps, run.wording.many))]
    return as_html(figures, title="A column as a stream", paragraphs=[NOT_PRIVATE, run.about, facts])


def bytes_in_words(count: float) -> str:
    """Return a size: `640 B`, `17.7 kB`, `80 MB`."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:,.3g} GB"
