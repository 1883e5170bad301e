"""A stream on the screen: numbers, the figure, a table and the file, while it is read and afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dpq_core.frame import level_name
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.results.exports import NOT_PRIVATE
from dpq_core.results.wording import (
    DisplayText,
    Wording,
    at_most_in_table,
    error_in_digits,
    error_in_words,
    share_in_words,
    two_digits,
)
from dpq_core.studies.streams import Settings, Snapshot
from dpq_core.tabular import table_as_csv

from ..server import downloads
from ..shell import pieces, waiting
from ..shell.header import escape, term

LEAST_SAVING = 1.05
"""Times less memory than all records: what is less is no saving."""


@dataclass(frozen=True)
class StreamRun:
    """A stream that is being read, or was: its words and settings as they were when it was started."""

    identity: str
    of_example: bool
    about: str
    wording: Wording
    settings: Settings
    made: str = ""
    """When it was started: UTC, to the second."""


def show(run: StreamRun, job: str, changed: str) -> None:
    """Show what this is of, then what was found so far."""
    settings = run.settings
    st.markdown(
        f":gray[Simulation, not a release · {escape(run.about)} · α = {settings.alpha:g} · {settings.privacy} · "
        f"seed {settings.seed}]{pieces.changed_badge(changed)}"
    )
    waiting.show(job, "Reading", lambda looks: _draw(run, job, looks))
    found = waiting.job_of(job)
    if found is not None and found.finished and not found.parts and not found.problem:
        st.caption("Nothing was read.")


def _draw(run: StreamRun, job: str, looks: list[Snapshot]) -> None:
    """Show what the last look says and the figure; once all is read, a table and the file, too."""
    from dpq_core.figures.stream import draw_growth

    found, last, words = waiting.job_of(job), looks[-1], run.wording
    st.markdown(f"**{escape(finding(last, words))}**", help=term("sketch"))
    alt = (
        f"Worst rank errors and memory against records read. At {last.n:,} records a private answer is off by "
        f"{error_in_digits(last.gk.mean)} from the sketch and by {error_in_digits(last.full.mean)} from all records, "
        f"the sketch alone by {error_in_digits(last.sketch_error)}, at most {at_most_in_table(last.bound)}. The sketch "
        f"takes {bytes_in_words(last.sketch_bytes)}, all records {bytes_in_words(last.full_bytes)}."
    )
    pieces.draw(st.empty(), draw_growth(looks, words.many), "stream", alt)
    if found is None or not found.finished:
        return
    st.caption("Errors are those of the worst quantile, on average; a band covers 90 of 100 simulated runs.")
    if not last.exact:
        st.caption(
            ":material/info: There were too many records to keep all of them for comparison. Later errors are what the "
            "sketch itself knows of them."
        )
    pieces.table(answers(last, run), alt="Quantiles at the end of the stream")
    downloads.show({"CSV": lambda: as_csv(run, looks)}, "stream-not-private", of=words.name, day=run.made)


def finding(last: Snapshot, words: Wording) -> str:
    """Return what the sketch saves, and what that costs a private answer."""
    saved = f"{two_digits(last.saving)} times less memory than all records"
    if last.saving < LEAST_SAVING:
        saved = "no less memory than all records: so few need no sketch"
    off, whole = (error_in_words(each.mean, words.one, words.many) for each in (last.gk, last.full))
    return (
        f"{last.n:,} {words.many} read. "
        f"The sketch keeps {last.points:,} points in {bytes_in_words(last.sketch_bytes)}, {saved}. "
        f"A private answer from it is off by {off} ({share_in_words(last.gk.mean / last.n)})"
        + (f", and by {whole} without the sketch." if last.exact else ".")
    )


def answers(last: Snapshot, run: StreamRun) -> dict[str, list[Any]]:
    """Return one row a quantile: the truth, the sketch, and one private answer of either kind."""
    words, levels = run.wording, run.settings.quantiles
    unknown = [float("nan")] * len(levels)
    columns = {
        "true": last.true_values or unknown,
        "sketch alone": last.sketch_values,
        "private, from the sketch": last.gk_values,
        "private, from all": last.full_values or unknown,
    }
    return {"quantile": [DisplayText(float(level), level_name(level)) for level in levels]} | {
        f"{name}{words.in_unit}": [DisplayText(value, words.number(value)) for value in values]
        for name, values in columns.items()
    }


def as_csv(run: StreamRun, looks: Sequence[Snapshot]) -> str:
    """Return every look as plain numbers; where they come from and the label of what this is come last."""
    settings = run.settings
    origin = {
        "alpha": settings.alpha, "n_max": settings.n_max, "budget": str(settings.privacy),
        "mechanism": MECHANISMS["gkexp"].LABEL, "data_set": run.about, "date": run.made, "seed": settings.seed,
        "label": NOT_PRIVATE,
    }  # fmt: skip
    rows = [look.as_row() | origin for look in looks]
    return table_as_csv(list(rows[0]), [list(row.values()) for row in rows])


def bytes_in_words(count: float) -> str:
    """Return a size: `640 B`, `17.7 kB`, `80 MB`."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:,.3g} GB"
