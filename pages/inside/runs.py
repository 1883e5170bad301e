"""What the page Inside asks besides the form, and the run that it looks into."""

from __future__ import annotations

from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.calibrations import calibrate, singly
from dpq_core.domain.finding import FindBounds, clipped
from dpq_core.groups.names import names_in
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.plan import Plan
from dpq_core.privacy.budgets import Adjacency
from dpq_core.results.data_set import PublicData
from dpq_core.results.trace import InsideRun, explain_finding, explain_of_group, explain_once

from .. import keys
from ..explore import live
from ..explore.live import Now
from ..form import refusals, table
from ..form.form import Form
from ..form.refusals import attempt
from ..form.table import key, text
from ..shell import fields, links, pieces, state
from ..shell.header import complain, escape
from . import steps

SPLITS_HELP = (
    "The mechanism draws several quantiles at once where that errs less. It then needs fewer rounds, which are hard to "
    "see. With one quantile a draw every round cuts each part in two, as in the paper. Only this page has this setting."
)
EXAMPLES: dict[str, dict[str, str]] = {
    "slice": {"data": "adult-age-full"},
    "gkexp": {"data": "adult-age", "adjacency": "replace_one"},
    "normal": {
        "data": "adult-age",
        "adjacency": "replace_one",
        "normal.sigma": "15",
        "normal.mean_bound": "120",
    },
}
"""Settings with which a mechanism shows its structure, where it is not available for the example on the screen."""
EXAMPLES_IN_WORDS = {
    "slice": "It needs many people: the ages of all 48,842 people take the place of the data above.",
    "gkexp": "It needs a bound on the number of people: with one person replaced by another that number is public.",
    "normal": "It needs public facts about ages: a standard deviation of 15 years, and a mean between -120 and 120.",
}
GROUPS_NOT_LISTED = "Groups that are found with noise have no run to show. Choose those in the data, or a list."
BOUNDS_NOT_KNOWN = "The run of one group needs known bounds. Enter them, or choose significant digits."


def choose_splits(plan: Plan | None) -> None:
    """Ask how splitting in halves is shown, where the mechanism may draw several quantiles at once."""
    if _may_draw_several(plan):
        fields.segmented_control("splits", help=SPLITS_HELP)


def is_one_a_draw(plan: Plan | None) -> bool:
    """Return whether a run of this plan is shown with one quantile a draw."""
    return _may_draw_several(plan) and text("splits") == "one"


def _may_draw_several(plan: Plan | None) -> bool:
    return plan is not None and plan.mechanism == "aq" and plan.adjacency is Adjacency.ADD_REMOVE


def choose_group(form: Form) -> str:
    """Ask whose run is shown, where every group is answered; empty where there is one answer for all."""
    choice, data = form.group_choice, form.explored
    if choice is None or not isinstance(data, PublicData) or not data.groups:
        return ""
    if choice.listed is None or isinstance(form.bounds, FindBounds):
        st.caption(f":material/block: {GROUPS_NOT_LISTED if choice.listed is None else BOUNDS_NOT_KNOWN}")
        return ""
    names = list(map(str, choice.answered or ()))
    there = set(map(str, names_in(data.groups[0])))
    first = next((at for at, name in enumerate(names) if name in there), 0)
    widget = keys.widget("group_run", data.identity, hash(tuple(names)))
    return str(st.selectbox("Whose run", names, index=first, key=widget))


_RUN, _ASKED = keys.state("inside:run"), keys.state("inside:asked")
"""The last run, and what it was asked for; None where none could be drawn."""


def why_not(form: Form, group: str) -> str:
    """Return why no run can be looked into; empty where one can."""
    if form.plan and len(set(form.plan.quantiles)) > table.MOST_STEPS:
        return f"At most {table.MOST_STEPS} quantiles can be looked into."
    return refusals.why_not(form) or ("Choose first whose run is shown." if form.groups and not group else "")


def run_due(form: Form, group: str, *, pressed: bool, ready: bool) -> tuple[int, int] | None:
    """Return the seed of the run that is due now, and its number from 1: at a press, from a link, or as first picture.

    It is due, too, where Explore has just shown another one: this page opens with that; for another `group`; and
    where a setting has changed that is run at once, with the seed that is shown.
    """
    run, number = _stored_run(), links.take("run_number")
    asked, before = _asked(form, group), st.session_state.get(_ASKED)
    is_shown = run is not None and asked == before and number in (None, run.run + 1)
    other_group = before is not None and asked is not None and asked[:-1] == before[:-1] and bool(group)
    wanted = Now(form).shown_seed if links.just_came_from("explore") else None
    if wanted is None and not number and run is not None and asked != before and (other_group or is_live(form)):
        wanted, number = run.seed, run.run + 1
    first_picture = form.data is not None and form.data.is_example and _ASKED not in st.session_state
    if wanted is None and (number or first_picture):
        wanted = int(text("seed"))
    pressed = ready and (pressed or refusals.take_used())
    shown = run.seed if run and is_shown else None
    seed = links.due_seed(shown, pressed=pressed, ready=ready, wanted=wanted)
    number = 1 if pressed else number or 1
    links.carry(run_number=run.run + 1 if run and is_shown and not seed else number)
    return (seed, number) if seed else None


def is_live(form: Form) -> bool:
    """Return whether a changed setting is run at once: of examples, and of declared data after a press."""
    run, data = _stored_run(), form.data
    return live.answers_at_once(form, pressed=run is not None and data is not None and run.identity == data.identity)


def _stored_run() -> InsideRun | None:
    return cast(InsideRun | None, st.session_state.get(_RUN))


def _asked(form: Form, group: str) -> tuple[object, ...] | None:
    """Return what a run depends on, and how it is shown; None without a column."""
    if form.table is None:
        return None
    return form.table.identity, form.chosen, is_one_a_draw(form.plan), group


def draw(form: Form, group: str, seed: int, number: int) -> None:
    """Run the plan once, and keep the run until the next press; `number`: which of the runs that the seed makes.

    Where bounds are found, and of a `group`, it is the first.
    """
    data, bounds, plan, availability = form.explored, form.bounds, form.plan, form.availability
    if data is None or form.table is None or form.chosen is None or bounds is None or plan is None:
        return
    question = form.chosen.question
    make, known, before = singly if is_one_a_draw(plan) else calibrate, (plan, data.values.size), _stored_run()
    st.session_state.setdefault(_ASKED, None)

    def explain() -> None:
        if group:
            run = live.compute_and_say(*known, explain_of_group, data, question, plan, seed, group, make)
        elif availability is None:
            raise AssertionError("a run is due only where the plan was judged")
        elif isinstance(bounds, FindBounds):
            run = live.compute_and_say(*known, explain_finding, data, bounds, availability.plan, seed, make)
        else:
            column = state.column_of(data, bounds)
            run = live.compute_and_say(*known, explain_once, data, column, availability.plan, seed, number - 1, make)
        st.session_state[_RUN], st.session_state[_ASKED] = run, _asked(form, group)
        steps.open_run(run, before)

    problem = attempt(explain, refusals.keeper("inside", form.table, form.chosen))
    if problem:
        complain(problem)


def show(form: Form, group: str, *, reason: str, link: DeltaGenerator) -> None:
    """Show the last run that may be shown with this data, or say why there is none; `link`: the place for its link."""
    run, data = _stored_run(), form.column
    fits = run is not None and data and (run.identity == data.identity or (data.is_example and run.of_example))
    refused = refusals.find("inside", form) if not form.groups else None
    if run and fits and not refused:
        _show_run(run, st.session_state.get(_ASKED) == _asked(form, group), link)
        return
    with link.container():
        links.show_link()
    if refused:
        refusals.show("inside", refused)
        mechanism = refused.plan.mechanism
        if mechanism in EXAMPLES and data is not None and data.is_example:
            settings = {"mechanism": mechanism, **EXAMPLES[mechanism]}
            st.button(
                escape(f"Show {MECHANISMS[mechanism].LABEL} on an example"), key=keys.widget("show_example"),
                type="primary", on_click=st.session_state.update,
                args=({key(name): value for name, value in settings.items()},),
            )  # fmt: skip
            st.caption(EXAMPLES_IN_WORDS[mechanism])
    else:
        pieces.nothing_yet("Run", reason)


def _show_run(run: InsideRun, current: bool, link: DeltaGenerator) -> None:
    which = f"Run {run.run + 1} of those" if run.run else f"One run of {escape(run.group)}" if run.group else "One run"
    notice = st.empty()
    if not current:
        notice.markdown(pieces.changed_badge("Settings changed: press Run"))
    with pieces.result("inside"):
        if not run.steps:
            st.caption("No quantiles were asked for, so the mechanism did nothing.")
            return
        pieces.notes(run.notes)
        if (step := links.take("run_step")) and current:
            steps.select(step)
        steps.show(run, link, linked=current)
        pieces.result_line(run, "", f"{which} with seed {run.seed}, not a release")
        if run.find_bounds is not None:
            bounds = clipped(run.find_bounds, run.domain, run.wording.number)
            st.caption(f"First a private walk looked outwards from 0. {bounds}")
