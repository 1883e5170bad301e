"""The Stream page: how to read a source, when to start, and what may be shown."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import cast

import streamlit as st

from dpq_core.cluster.grid import cluster_steps
from dpq_core.plan import levels_of
from dpq_core.privacy.budgets import Adjacency
from dpq_core.release import now
from dpq_core.results.wording import Wording, at_most_in_table, decimals_of
from dpq_core.studies.streams.reading import GROWTH, Settings, steps

from .. import keys
from ..form.plan import LABELS
from ..form.privacy import choose_privacy
from ..frame import fields, pieces, state, waiting
from ..frame.header import complain, term
from ..frame.state import Mode
from ..settings import table
from ..settings.table import text
from . import results, sources
from .results import StreamRun
from .sources import PublicSource, Source
from .spread import SpreadTable

JOB = "stream"
FIRST_SEED = 0
"""Of the picture that is there before any press."""
USUAL_MOST = 10_000_000
"""The bound on the number of records where nothing is known about it."""
FINE_GRID, MORE_DECIMALS = 10**9, 3
"""Cells from which on answers that differ would look alike with the usual decimals."""
PRIVATE = (
    "This page shows the truth beside the sketch, and even the size of a sketch depends on the data. Make up a stream, "
    "or {}."
)
"""With what else to do."""
PRIVATE_ANSWER = "A private answer from a sketch needs none of this page: the lines below give one."
_RUN = keys.state("stream:run")


def headline(source: Source | SpreadTable | None) -> str:
    """Return the line under the question."""
    mode = sources.mode_of(source)
    if isinstance(source, SpreadTable):
        table = source.chosen
        first = replace(table.columns[0], about=table.about) if table else None
        return pieces.headline(first, Adjacency(text("adjacency")), pieces.badge_of(mode))
    return pieces.headline(source.data if source else None, Adjacency.ADD_REMOVE, pieces.badge_of(mode))


def choose_settings(source: Source | None) -> Settings | None:
    """Draw the controls of how to read a source and at which budget; None while a part is missing or wrong."""
    levels = fields.pills("stream_quantiles", table.PRESETS[:4], LABELS.__getitem__, help=term("quantile"))
    usual = source.n if isinstance(source, PublicSource) and source.n else USUAL_MOST
    most = _most(fields.text_input("n_max", placeholder=str(usual), help=term("most records")), usual)
    alpha = float(fields.select_slider("alpha", table.ALPHAS, help=term("coarseness")))
    if most:
        st.caption(
            f"Ranks may be off by {at_most_in_table(alpha * most)} of {most:,}.  \n← more accurate · less memory →"
        )
    batch = fields.select_slider("batch", table.BATCHES, lambda size: f"{int(size):,}", help=term("batch"))
    privacy = choose_privacy(None)
    if source is None or source.domain is None or most is None or privacy is None:
        return None
    return Settings(
        domain=source.domain, alpha=alpha, n_max=most, quantiles=levels_of(levels), privacy=privacy,
        batch=int(batch),
    )  # fmt: skip


def _most(typed: str, usual: int) -> int | None:
    digits = typed.strip().replace(",", "").replace("_", "")
    if not digits:
        return usual
    if digits.isdecimal() and 1 <= int(digits) <= table.MOST_RECORDS:
        return int(digits)
    complain(f"The maximum number of records must be a whole number from 1 to {table.MOST_RECORDS:,}.")
    return None


def run_button(source: Source | None, settings: Settings | None) -> bool:
    """Draw the primary button; while it is disabled the line under it says why."""
    reason = "" if settings else "A setting above is missing or needs another value."
    if not isinstance(source, PublicSource):
        reason = "Private data cannot be looked into."
    return pieces.primary_button("Start", keys.widget("run_stream"), ":material/play_arrow:", reason)


def is_first_picture(source: PublicSource) -> bool:
    """Return whether nothing was run yet and the data is an example: the page then opens with one stream."""
    return source.data.is_example and _RUN not in st.session_state


def start(source: PublicSource, settings: Settings, *, first: bool) -> None:
    """Read the stream and draw beside it, after a press or at the first."""
    settings = replace(settings, seed=FIRST_SEED if first else state.next_seed())
    st.session_state[_RUN] = replace(_run_of(source, settings), made=now())
    if source.scheduler:
        waiting.start(JOB, cluster_steps, source.scheduler, source.feed, settings, expected=inf)
    else:
        waiting.start(JOB, steps, source.feed, settings, expected=expected_seconds(source.n, settings))


def _run_of(source: PublicSource, settings: Settings) -> StreamRun:
    """Return the record of a run of this source with these settings, without its date."""
    data = source.data
    decimals = decimals_of(settings.domain) + (MORE_DECIMALS if settings.domain.cells > FINE_GRID else 0)
    wording = Wording(data.name, data.kind, data.unit, data.one, data.many, decimals)
    return StreamRun(
        identity=data.identity, of_example=data.is_example, about=data.about, wording=wording, settings=settings,
        scheduler=source.scheduler, code=private_code(source, settings),
    )  # fmt: skip


def expected_seconds(n: int | None, settings: Settings) -> float:
    """Return the expected time on a usual machine: 0.6 seconds a million records, and looks of 5 ms and more."""
    if n is None:
        return inf
    looks = min(n / settings.batch, 40.0) / GROWTH
    points = min(1 / max(settings.alpha, 1e-9), float(n))
    return n * 6e-7 + looks * (0.005 + 2e-6 * len(settings.quantiles) * points)


def show(source: Source | None, settings: Settings | None) -> None:
    """Show the last stream that may be shown with this data, while it is read and afterwards; or why there is none."""
    run = cast(StreamRun | None, st.session_state.get(_RUN))
    explored = source if isinstance(source, PublicSource) else None
    if explored is None and (source is not None or not state.uploads_may_be_explored()):
        if run and not run.of_example:  # of data that is not declared public any more
            waiting.forget(JOB)
            del st.session_state[_RUN]
        private = PRIVATE.format(state.to_explore(may_declare=text("stream") == "data"))
        st.info(f"{private} {PRIVATE_ANSWER}" if settings else private, icon=":material/lock:")
        if source and settings:
            st.code(private_code(source, settings), language="python")
        return
    if explored is None or run is None or not _may_stand_beside(run, explored):
        pieces.nothing_yet(Mode.EXPLORE, "Start", settings is not None)
        return
    now = settings and _run_of(explored, settings)
    changed = "" if now == run.requested else "Settings changed: press Start"
    with pieces.result("stream"):
        results.show(run, JOB, changed)


def _may_stand_beside(run: StreamRun, source: PublicSource) -> bool:
    return run.identity == source.data.identity or (run.of_example and source.data.is_example)


def private_code(source: Source, settings: Settings) -> str:
    """Return Python that sketches the same source and releases the quantiles: public settings only."""
    levels = ", ".join(f'"{level}"' for level in settings.quantiles)
    return (
        f"import dpq_core as dpq\n{source.code}\n"
        f"sketch = dpq.GKSketch({settings.alpha!r}, dpq.{settings.domain!r}, n_max={settings.n_max})\n"
        f"{source.fill}\n\n"
        f'plan = dpq.Plan([{levels}], "gkexp", dpq.{settings.privacy!r})\n'
        "print(dpq.release(sketch, plan).values['column'])  # every call spends the budget again\n"
    )
