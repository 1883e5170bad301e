"""The Inside page between its controls and its results: which run is due, and which is shown."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.calibrations import calibrate, singly
from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds, clipped
from dpq_core.mechanisms.base import Make
from dpq_core.plan import Plan
from dpq_core.results.data_set import DataSet, PublicData
from dpq_core.results.outcomes import settings_of
from dpq_core.results.trace import InsideRun, explain_finding, explain_of_group, explain_once
from pages.groups import view as groups_view
from pages.quantiles import view

from .. import keys
from ..form import refusals
from ..form.inputs import Inputs
from ..frame import links, pieces, state
from ..frame.header import complain, escape
from ..frame.state import Mode
from ..quantiles import attempts, live
from ..settings import table
from ..settings.table import text
from . import examples, splits, steps

PRIVATE = "The inside of a run shows the data themselves. To look into one, {}."
"""With what to do in its place."""
FOUND_FIRST = "First a private walk outwards from 0 looked for the bounds."
NO_GROUP = "Say first which group is looked into."
_RUN = keys.state("inside:run")
_TRIED = keys.state("inside:tried")


def may_look(data: DataSet | None) -> bool:
    """Return whether the inside may be shown: of data that is explored, or may still be declared public."""
    return isinstance(data, PublicData) or (data is None and state.uploads_may_be_explored())


def why_not(inputs: Inputs, group: str, *, may_look: bool) -> str:
    """Return why no run can be looked into; empty where one can."""
    if not may_look:
        return "Private data cannot be looked into."
    if inputs.plan and len(set(inputs.plan.quantiles)) > table.MOST_STEPS:
        return f"At most {table.MOST_STEPS} quantiles can be looked into."
    if inputs.groups:
        return groups_view.why_not(inputs, None) or ("" if group else NO_GROUP)
    return view.why_not(inputs)


def is_first_picture(data: DataSet | None) -> bool:
    """Return whether nothing was run yet and the data is an example: the page then opens with one run."""
    return data is not None and data.is_example and _TRIED not in st.session_state


def run_to_draw(inputs: Inputs, group: str, *, pressed: bool, ready: bool) -> tuple[int, int] | None:
    """Return the seed of the run that is due now, and its number from 1: at a press, from a link, or as first picture.

    It is due, too, where Quantiles has just shown another one: this page opens with that; for another `group`; and
    where a setting has changed that is run at once, with the seed that is shown.
    """
    run, number = _stored_run(), links.take("run_number")
    asked = _settings(inputs), group
    shown = run is not None and (run.settings, run.group) == asked and number in (None, run.run + 1)
    wanted = view.shown_seed(inputs) if links.just_came_from("quantiles") else None
    if group and run is not None and run.settings == _settings(inputs) and run.group != group:
        wanted = run.seed
    if wanted is None and not number and run is not None and run.settings != _settings(inputs) and is_live(inputs):
        wanted, number = run.seed, run.run + 1
    if wanted is None and (number or is_first_picture(inputs.data)):
        wanted = int(text("seed"))
    pressed = ready and (pressed or refusals.take_used())
    seed = links.due_seed("seed", run.seed if run and shown else None, pressed=pressed, ready=ready, wanted=wanted)
    number = 1 if pressed else number or 1
    links.carry(run_number=run.run + 1 if run and shown and not seed else number)
    return (seed, number) if seed else None


def is_live(inputs: Inputs) -> bool:
    """Return whether a changed setting is run at once: of examples, and of declared data after a press."""
    run, data = _stored_run(), inputs.data
    return live.answers_at_once(inputs, pressed=run is not None and data is not None and run.identity == data.identity)


def _stored_run() -> InsideRun | None:
    return cast(InsideRun | None, st.session_state.get(_RUN))


def _settings(inputs: Inputs) -> tuple[object, ...] | None:
    return inputs.settings and (*inputs.settings, splits.one_at_a_time(inputs.plan))


def draw(inputs: Inputs, group: str, seed: int, number: int) -> None:
    """Run the plan once, and keep the run until the next press; `number`: which of the runs that the seed makes.

    Where bounds are found, and of a `group`, it is the first.
    """
    data, bounds, plan = inputs.explored, inputs.bounds, inputs.plan
    if data is None or bounds is None or plan is None:
        return
    st.session_state[_TRIED] = True
    before = _stored_run()

    def explain() -> None:
        one = splits.one_at_a_time(plan)
        run = replace(
            _run(inputs, data, bounds, plan, group, seed, number, singly if one else calibrate), one_at_a_time=one
        )
        st.session_state[_RUN] = run
        first = steps.opens_at(run)
        same = before is not None and (before.seed, len(before.steps)) == (run.seed, len(run.steps))
        same &= before is not None and (first == 1 or before.plan.mechanism == run.plan.mechanism)
        steps.start_at(run, steps.selected() if same else first)

    problem = attempts.attempt(explain, Mode.EXPLORE, refused=refusals.keeper("inside", data, bounds, plan))
    if problem:
        complain(problem)


def _run(
    inputs: Inputs, data: PublicData, bounds: Domain | FindBounds, plan: Plan, group: str, seed: int, number: int,
    make: Make,
) -> InsideRun:  # fmt: skip
    choice, availability = inputs.group_choice, inputs.availability
    known = plan, data.values.size
    if choice is not None and isinstance(bounds, Domain):
        return live.compute_and_say(*known, explain_of_group, data, choice, bounds, plan, seed, group, make)
    assert availability is not None, "a run is due only where the plan was judged"
    if isinstance(bounds, FindBounds):
        return live.compute_and_say(*known, explain_finding, data, bounds, availability.calibrations.plan, seed, make)
    sample = state.sample_of(data, bounds)
    of_column = data, sample, availability.calibrations, seed, number - 1, make
    return live.compute_and_say(*known, explain_once, *of_column)


def show(inputs: Inputs, group: str, *, may_look: bool, ready: bool, link: DeltaGenerator) -> None:
    """Show the last run that may be shown with this data, or say why there is none; `link`: the place for its link."""
    run, data = _stored_run(), inputs.column
    if not may_look and run and data and run.identity == data.identity:  # not declared public any more
        del st.session_state[_RUN]
    fits = (
        data is not None and run is not None and (run.identity == data.identity or (data.is_example and run.of_example))
    )
    refused = view.refusal("inside", inputs) if may_look and not inputs.groups else None
    if may_look and data and run and fits and not refused:
        asked = *settings_of(data, inputs.bounds, inputs.plan), splits.one_at_a_time(inputs.plan)
        _show_run(run, (run.settings, run.group) == (asked, group), link)
        return
    with link.container():
        links.show_link()
    if refused:
        refusals.show("inside", refused, Mode.EXPLORE)
        examples.offer(refused.plan.mechanism, data)
    elif may_look:
        pieces.nothing_yet(Mode.EXPLORE, "Run", ready)
    else:
        st.info(PRIVATE.format(state.to_explore()), icon=":material/lock:")


def _show_run(run: InsideRun, same: bool, link: DeltaGenerator) -> None:
    changed = "" if same else "Settings changed: press Run"
    step = links.take("run_step")
    which = f"Run {run.run + 1} of those" if run.run else f"One run of {escape(run.group)}" if run.group else "One run"
    with pieces.result("inside"):
        pieces.result_line(run, changed, f"{which} with seed {run.seed}, not a release")
        if run.find_bounds is not None:
            st.caption(f"{FOUND_FIRST} {clipped(run.find_bounds, run.domain)}")
        if not run.steps:
            st.caption("No quantiles were asked for, so the mechanism did nothing.")
            return
        pieces.notes(run.notes)
        if same and step:
            steps.start_at(run, step)
        steps.show(run, link, linked=same)
