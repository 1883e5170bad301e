"""One run of a stream: with which settings it is read, when it starts, and what may be shown."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import cast

import streamlit as st

from dpq_core.plan import levels_of
from dpq_core.privacy.budgets import Adjacency
from dpq_core.release import now
from dpq_core.results.data_set import wording_of
from dpq_core.results.wording import at_most_in_table
from dpq_core.studies.streams import Settings, steps

from .. import keys
from ..form.privacy import choose_privacy
from ..shell import fields, pieces, state, waiting
from ..shell.header import term
from . import results
from .results import StreamRun
from .sources import PublicSource

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
    reason = "" if settings else "A setting above is missing or needs another value."
    pressed = pieces.primary_button("Start", keys.widget("run_stream"), ":material/play_arrow:", reason)
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
            results.show(run, JOB, "" if asked == replace(run, made="") else "Settings changed: press Start")
    else:
        pieces.nothing_yet("Start", settings is not None)
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
