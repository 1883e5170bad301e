"""What is asked of a table on the cluster, by the controls of several columns, and the simulation beside its truth."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import cast

import streamlit as st

from dpq_core.errors import ParameterError
from dpq_core.results import scripts
from dpq_core.results.kinds import Simulated
from dpq_core.results.tables.kinds import TableRequest
from dpq_core.results.tables.spread import refusal_on_cluster, simulate_on_cluster
from pages.columns import asking as columns_asking
from pages.columns import data, results, view

from .. import keys
from ..form.groups import choose_groups
from ..form.plan import Asking as Intervals
from ..form.plan import choose_counting, choose_intervals
from ..form.privacy import choose_adjacency, choose_privacy
from ..frame import pieces, state, waiting
from ..frame.header import complain, sentence_of
from ..frame.state import Mode
from .spread import SpreadTable

JOB = "stream_table"
DOING = "Reading on the cluster"
PRIVATE = (
    "This page shows the truth beside the answers, so it reads public tables only. The lines below release this table "
    "on a cluster. In a shell, `dpq release --cluster` does the same."
)
_RUN = keys.state("stream:table_run")


@dataclass(frozen=True)
class AskedOfTable:
    """What was asked of a table, and whether the button was pressed just now."""

    source: SpreadTable
    request: TableRequest | None
    pressed: bool


@dataclass(frozen=True)
class TableRun:
    """A table that is being read, or was: what was asked of it."""

    identity: str
    request: TableRequest


def ask(source: SpreadTable) -> AskedOfTable:
    """Draw the controls of values, questions, groups and the budget, and the button."""
    table = source.chosen
    first = table.columns[0] if table else None
    asked = st.container()
    groups = choose_groups(first)
    privacy = choose_privacy(None)
    adjacency = choose_adjacency(first.anyone if first else "person")
    chosen = groups.any_choice(first) if groups and first else None
    asking = Intervals(first, columns_asking.bounds_of_first(table), chosen, len(table.columns) if table else 1)
    intervals = choose_intervals(asking)[0] if table else None
    counted = intervals is not None and choose_counting(asking)
    size = data.choose_size(table, in_groups=groups is not None, with_intervals=intervals is not None)
    request = None
    if table:
        whole = columns_asking.typed_of_whole(table, privacy, size, groups, intervals, counted=counted)
        with asked:
            request = columns_asking.choose_questions(
                table, whole, adjacency, st.container(), st.container(), headed=True
            )
            if request is not None and (refused := _refused(source, request)) is not None:
                complain(sentence_of(refused))
    pressed = pieces.primary_button(
        "Start", keys.widget("run_stream_table"), ":material/play_arrow:", _why_not(source, request)
    )
    return AskedOfTable(source, request, pressed)


def _why_not(source: SpreadTable, request: TableRequest | None) -> str:
    if not source.is_public:
        return "Private data cannot be looked into."
    if request is None:
        return "A setting above is missing or needs another value."
    return "These settings do not go together." if _refused(source, request) else ""


def _refused(source: SpreadTable, request: TableRequest) -> ParameterError | None:
    """Return why these columns cannot be answered, anywhere or on a cluster; None where they can.

    Public tables are simulated there; private ones are only released.
    """
    return view.refused(request) or refusal_on_cluster(request, simulated=source.is_public)


def answer(asked: AskedOfTable) -> None:
    """Start what was pressed, and show the last simulation of this table, while it is made and afterwards."""
    source, table = asked.source, asked.source.chosen
    if not source.is_public:
        _private(asked)
        return
    if asked.pressed and table and asked.request:
        given = table.columns, asked.request, table.reading, state.next_seed(), table.identity, table.about
        st.session_state[_RUN] = TableRun(table.identity, asked.request)
        waiting.start(JOB, simulate_on_cluster, source.scheduler, source.path, *given, expected=inf)
    run = cast(TableRun | None, st.session_state.get(_RUN))
    if run is None or table is None or run.identity != table.identity:
        pieces.nothing_yet(Mode.EXPLORE, "Start", asked.request is not None)
        return
    changed = "" if run.request == asked.request else "Settings changed: press Start"
    with pieces.result("stream_table"):
        waiting.show(JOB, DOING, lambda parts: _draw(parts, changed))


def _draw(parts: list[Simulated | None], changed: str) -> None:
    outcome = parts[-1]
    if outcome is not None:
        results.show(outcome, changed, "")


def _private(asked: AskedOfTable) -> None:
    """Show Python that releases the table, and let go of what was shown of it while it was public."""
    waiting.forget(JOB)
    st.session_state.pop(_RUN, None)
    st.info(PRIVATE, icon=":material/lock:")
    if asked.request and asked.source.chosen and not _refused(asked.source, asked.request):
        st.code(scripts.release_script(asked.request, asked.source.chosen.reading), language="python")
