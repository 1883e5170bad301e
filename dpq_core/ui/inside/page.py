"""What the Inside page does between its controls and its results."""

from __future__ import annotations

from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ...domain import Domain
from ...plan import Plan
from ...results import DataSet, InsideRun, explain_once
from .. import quantiles
from ..forms import refusals
from ..quantiles import attempt
from ..settings import INSIDE_TABS, MOST_STEPS, PREFIX, key, table
from ..shell import Mode, complain, links, pieces, state
from . import steps

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
    return quantiles.why_not(data, domain, plan, Mode.EXPLORE if may_look else Mode.RELEASE)


def run_button(reason: str) -> bool:
    """The one primary button; while it is disabled the line under it says why."""
    return pieces.primary_button("Run", "run_inside", ":material/casino:", reason)


def is_first_picture(data: DataSet | None) -> bool:
    """Whether nothing was run yet and the data is an example: the page then opens with one run."""
    return data is not None and data.is_example and _TRIED not in st.session_state


def seed_to_draw(
    data: DataSet | None, domain: Domain | None, plan: Plan | None, *, pressed: bool, ready: bool
) -> int | None:
    """Return the seed of the run that is due now, if one is; the link of the page then carries it, or the shown one's.

    It is due at a press, from a link, and where Quantiles has just shown another one: this page opens with that.
    """
    asked, shown, due = links.take("seed"), _shown_seed(data, domain, plan), None
    of_quantiles = quantiles.shown_seed(data, domain, plan) if links.just_came_from("quantiles") else None
    if ready and (pressed or refusals.take_used()):
        due = state.next_seed()
    elif ready:
        wanted = asked or of_quantiles
        if wanted not in (None, shown) or is_first_picture(data):
            due = state.use_seed(wanted or int(table.text("seed")))
    links.carry(seed=due or shown)
    return due


def _shown_seed(data: DataSet | None, domain: Domain | None, plan: Plan | None) -> int | None:
    """Return the seed of the run that is shown, if it is one with just these settings."""
    run = cast(InsideRun | None, st.session_state.get(_RUN))
    return run.seed if run and data and _settings_of(run) == (data.identity, data.missing, domain, plan) else None


def _settings_of(run: InsideRun) -> tuple[object, ...]:
    return run.identity, run.missing, run.domain, run.plan


def draw(data: DataSet, domain: Domain, plan: Plan, seed: int) -> None:
    """One run of the plan, kept until the next press. Called for data that may be explored only."""
    st.session_state[_TRIED] = True

    def explain() -> None:
        sample = state.sample_of(data, domain, Mode.EXPLORE)
        run = explain_once(data, sample, plan, seed)
        st.session_state[_RUN] = run
        steps.start_at(run, len(run.steps))

    problem = attempt(explain, Mode.EXPLORE, refused=refusals.keeper("inside", data, domain, plan))
    if problem:
        complain(problem)


def show(
    data: DataSet | None,
    domain: Domain | None,
    plan: Plan | None,
    *,
    may_look: bool,
    ready: bool,
    link: DeltaGenerator,
) -> None:
    """The last run that may stand beside this data, or a word why there is none; `link`: the place for its link."""
    run = cast(InsideRun | None, st.session_state.get(_RUN))
    if not may_look and run and data and run.identity == data.identity:  # not declared public any more
        del st.session_state[_RUN]
    fits = (
        data is not None and run is not None and (run.identity == data.identity or (data.is_example and run.of_example))
    )
    refused = quantiles.refusal("inside", data, domain, plan, Mode.EXPLORE) if may_look else None
    if may_look and data and run and fits and not refused:
        _show_run(run, (data.identity, data.missing, domain, plan), link)
        return
    with link.container():
        quantiles.show_link()
    if refused:
        refusals.show("inside", refused, Mode.EXPLORE)
    elif may_look:
        pieces.nothing_yet("Simulate", "Run", ready, "")
    else:
        st.info(PRIVATE.format(state.to_explore()), icon=":material/lock:")


def _show_run(run: InsideRun, now: tuple[object, ...], link: DeltaGenerator) -> None:
    same = _settings_of(run) == now
    changed = "" if same else "Settings changed: press Run"
    step = links.take("run_step")
    with pieces.result("inside"):
        pieces.result_line(run, f"One run with seed {run.seed}, not a release", changed)
        if not run.steps:
            st.caption("No quantiles were asked for, so the mechanism did nothing.")
            return
        if same and step:
            steps.start_at(run, step)
        steps.show(run, link, linked=same)
