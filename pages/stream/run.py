"""One run of a stream: with which settings it is read, when it starts, and what is shown of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any, cast

import streamlit as st

from dpq_core.frame import level_name
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.plan import levels_of
from dpq_core.privacy.budgets import Adjacency
from dpq_core.release import now
from dpq_core.results.data_set import wording_of
from dpq_core.results.kinds import NOT_PRIVATE
from dpq_core.results.wording import (
    DisplayText,
    Wording,
    at_most_in_table,
    error_in_digits,
    error_in_words,
    share_in_words,
    two_digits,
)
from dpq_core.studies.streams import Settings, Snapshot, steps
from dpq_core.tabular import table_as_csv

from .. import keys
from ..form.privacy import choose_privacy
from ..server import downloads
from ..shell import fields, pieces, state, waiting
from ..shell.header import escape, term
from .sources import PublicSource

LEAST_SAVING = 1.05
"""Times less memory than all records: what is less is no saving."""
NO_SETTINGS = "A setting is missing or needs another value."


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


def _draw(run: StreamRun, looks: list[Snapshot]) -> None:
    """Show what the last look says and the figure; once all is read, a table and the file, too."""
    from dpq_core.figures.stream import draw_growth

    last, words = looks[-1], run.wording
    st.markdown(f"**{escape(finding(last, words))}**", help=term("sketch"))
    alt = (
        f"Worst rank errors and memory against records read. At {last.n:,} records a private answer is off by "
        f"{error_in_digits(last.gk.mean)} from the sketch and by {error_in_digits(last.full.mean)} from all records, "
        f"the sketch alone by {error_in_digits(last.sketch_error)}, at most {at_most_in_table(last.bound)}. The sketch "
        f"takes {bytes_in_words(last.sketch_bytes)}, all records {bytes_in_words(last.full_bytes)}."
    )
    pieces.draw(st.empty(), draw_growth(looks, words.many), "stream", alt)
    if not waiting.has_ended(JOB):
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


JOB = "stream"
PROTECTS = Adjacency.ADD_REMOVE
"""The number of records is private: it is not known before the stream ends."""
LARGEST_BATCH, LOOKS = 1000, 40
"""Records that are read at once, and about how often a short stream is looked at."""
FINE_GRID, MORE_DECIMALS = 10**9, 3
"""Cells from which on answers that differ would look alike with the usual decimals."""
_RUN = keys.state("stream:run")


def choose_settings(source: PublicSource | None) -> Settings | None:
    """Ask how to read a source, for which quantiles and at which budget; None while a part is missing or wrong."""
    n = source.n if source else None
    help = term("most records")
    most = n or int(fields.select_slider("n_max", help=help))
    levels = fields.pills("stream_quantiles", help=term("quantile"))
    alpha = float(fields.select_slider("alpha", help=term("coarseness")))
    st.caption("← more accurate · less memory →")
    privacy = choose_privacy(None)
    if source is None or source.domain is None or privacy is None:
        return None
    batch = int(max(min(LARGEST_BATCH, (n or inf) // LOOKS), 1))
    settings = Settings(
        domain=source.domain, alpha=alpha, n_max=most, quantiles=levels_of(levels), privacy=privacy, batch=batch
    )
    st.caption(proved(settings, source.data.many))
    return settings


def proved(settings: Settings, many: str) -> str:
    """Return what is proved in advance of the errors, in a sentence."""
    (sketch, noise), most = settings.error_parts(), settings.n_max
    if sketch + noise >= most:
        return f"Nothing is proved in advance: the bound for 95 of 100 runs is larger than all {most:,} {many}."
    return (
        f"Proved in advance for 95 of 100 runs: at most {at_most_in_table(sketch)} {many} off because of the sketch, "
        f"and {at_most_in_table(noise)} because of the noise."
    )


def choose_run(source: PublicSource | None, settings: Settings | None) -> bool:
    """Draw the button, and return whether a stream is to be read now; an example is read when the page opens, too."""
    why = "" if settings else NO_SETTINGS
    pressed = pieces.primary_button("Start", keys.widget("run_stream"), ":material/play_arrow:", why)
    return pressed or (source is not None and source.data.is_example and _RUN not in st.session_state)


def start(source: PublicSource, settings: Settings) -> None:
    """Read the stream; the first one is the same for everybody."""
    seed = state.next_seed() if _RUN in st.session_state else state.use_seed(1)
    settings = replace(settings, seed=seed)
    st.session_state[_RUN] = replace(_run_of(source, settings), made=now())
    waiting.start(JOB, steps, source.feed, settings, expected=expected_seconds(source.n, settings))


def _run_of(source: PublicSource, settings: Settings) -> StreamRun:
    """Return the record of a run of this source with these settings, without its date."""
    data, words = source.data, wording_of(source.data, settings.domain)
    if settings.domain.cells > FINE_GRID:
        words = replace(words, decimals=words.decimals + MORE_DECIMALS)
    return StreamRun(data.identity, data.is_example, data.about, words, settings)


def expected_seconds(n: int | None, settings: Settings) -> float:
    """Return the expected time on a usual machine: 0.6 seconds a million records, and looks of 5 ms and more."""
    if n is None:
        return inf
    return n * 6e-7 + LOOKS * (0.005 + 2e-6 * len(settings.quantiles) * min(1 / settings.alpha, n))


def show(source: PublicSource | None, settings: Settings | None) -> None:
    """Show the last stream of this data while it is read and afterwards; then the same in Python.

    A run of an example stays until another one is started.
    """
    run = cast(StreamRun | None, st.session_state.get(_RUN))
    if run is None:
        waiting.forget(JOB)  # of data that were forgotten
    if source and run and (run.identity == source.data.identity or (run.of_example and source.data.is_example)):
        asked = settings and _run_of(source, replace(settings, seed=run.settings.seed))
        with pieces.result("stream"):
            changed, read = "" if asked == replace(run, made="") else "Settings changed: press Start", run.settings
            st.markdown(
                f":gray[Simulation, not a release · {escape(run.about)} · α = {read.alpha:g} · {read.privacy} · "
                f"seed {read.seed}]{pieces.changed_badge(changed)}"
            )
            waiting.show(JOB, "Reading", partial(_draw, run))
            found = waiting.job_of(JOB)
            if found is not None and found.finished and not found.parts and not found.problem:
                st.caption("Nothing was read.")
    else:
        pieces.nothing_yet("Start", "" if settings else NO_SETTINGS)
    if source and settings:
        with st.expander("Release from a sketch in Python", type="compact"):
            st.code(python(source, settings), language="python")


def python(source: PublicSource, settings: Settings) -> str:
    """Return Python that sketches the same source and releases the quantiles: public settings only."""
    levels = ", ".join(f'"{level}"' for level in settings.quantiles)
    return (
        f"import dpq_core as dpq\n{source.data.reading.as_values}\n"
        f"sketch = dpq.GKSketch({settings.alpha!r}, dpq.{settings.domain!r}, n_max={settings.n_max})\n{source.fill}\n\n"
        f'plan = dpq.Plan([{levels}], "gkexp", dpq.{settings.privacy!r})\n'
        'print(dpq.release(sketch, plan).values["column"])  # every call spends the budget again\n'
    )
