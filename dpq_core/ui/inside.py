"""What the Inside page does between its controls and its results."""

from __future__ import annotations

from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ..domain import Domain
from ..plan import Plan
from . import inside_steps, pieces, quantiles, state
from .data import DataSet
from .drawing import attempt
from .inside_runs import MOST_STEPS, InsideRun, explain_once
from .page import complain
from .settings import INSIDE_TABS, PREFIX, key
from .state import Mode

FIRST_SEED = 0
"""Of the picture that is there before any press."""
PRIVATE = "The inside of a run shows the data themselves. To look into one, {}."
"""With what to do in its place."""
_RUN = f"{PREFIX}:inside:run"
_TRIED = f"{PREFIX}:inside:tried"


def tabs() -> tuple[DeltaGenerator, DeltaGenerator, bool]:
    """The tabs for a run and for the microscope, and whether the second is open: a closed one costs no time."""
    first, second = st.tabs(INSIDE_TABS, key=key("look"), on_change="rerun")
    return first, second, bool(second.open)


def may_look(data: DataSet | None, mode: Mode) -> bool:
    """Whether the inside may be shown: of data that is explored. What is not there yet may still be declared public."""
    return mode is Mode.EXPLORE or (data is None and state.uploads_may_be_explored())


def why_not(data: DataSet | None, domain: Domain | None, plan: Plan | None, *, may_look: bool) -> str:
    """Why no run can be looked into; empty where one can."""
    if not may_look:
        return "Private data cannot be looked into."
    if plan and len(set(plan.quantiles)) > MOST_STEPS:
        return f"At most {MOST_STEPS} quantiles can be looked into."
    return quantiles.why_not(data, domain, plan)


def run_button(reason: str) -> bool:
    """The one primary button; while it is disabled the line under it says why."""
    return pieces.primary_button("Run", "run_inside", ":material/casino:", reason)


def is_first_picture(data: DataSet | None) -> bool:
    """Whether nothing was run yet and the data is an example: the page then opens with one run."""
    return data is not None and data.is_example and _TRIED not in st.session_state


def draw(data: DataSet, domain: Domain, plan: Plan, *, first: bool) -> None:
    """One run of the plan, kept until the next press. Called for data that may be explored only."""
    st.session_state[_TRIED] = True

    def explain() -> None:
        sample = state.sample_of(data, domain, Mode.EXPLORE)
        run = explain_once(data, sample, plan, FIRST_SEED if first else state.next_seed())
        st.session_state[_RUN] = run
        inside_steps.start_at_end(run)

    problem = attempt(explain, Mode.EXPLORE)
    if problem:
        complain(problem)


def show(data: DataSet | None, domain: Domain | None, plan: Plan | None, *, may_look: bool, ready: bool) -> None:
    """The last run that may stand beside this data, or a word why there is none."""
    run = cast(InsideRun | None, st.session_state.get(_RUN))
    if not may_look:
        if run and data and run.identity == data.identity:  # not declared public any more
            del st.session_state[_RUN]
        st.info(PRIVATE.format(state.to_explore()), icon=":material/lock:")
        return
    if data is None or run is None or not (run.identity == data.identity or (data.is_example and run.of_example)):
        pieces.nothing_yet("Simulate", "Run", ready, "")
        return
    same = (run.identity, run.missing, run.domain, run.plan) == (data.identity, data.missing, domain, plan)
    changed = "" if same else "Settings changed: press Run"
    pieces.result_line(run, f"One run with seed {run.seed}, not a release", changed)
    if not run.steps:
        st.caption("No quantiles were asked for, so the mechanism did nothing.")
        return
    inside_steps.show(run)
