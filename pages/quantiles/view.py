"""The Quantiles page between its controls and its results: whether it can draw, with which seed, what it shows."""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.domain.finding import FindBounds
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.results import outcomes
from dpq_core.results.data_set import DataSet
from dpq_core.results.kinds import Simulated
from pages.budget import panel

from .. import keys
from ..budget import counts
from ..budget.panel import PayingAccount
from ..form import refusals
from ..form.inputs import Inputs, why_incomplete
from ..form.privacy import equivalents
from ..frame import links, pieces, screen, state
from ..frame.header import escape
from ..frame.state import Mode
from ..frame.style import CHOSEN_NOW, result_key
from ..settings import table
from ..settings.table import SOURCES, key, text
from . import live, questions, results

WHAT_THIS_IS = (
    "Quantiles with differential privacy: each answer carries random noise, which limits what it can reveal about any "
    "one person."
)


def why_not(inputs: Inputs) -> str:
    """Return why the button cannot be pressed, but for the budget; empty where it can."""
    reason = missing(inputs)
    if reason or inputs.availability is None:
        return reason
    return refusals.NOT_AVAILABLE if inputs.availability.needs else ""


def refusal(page: str, inputs: Inputs) -> refusals.FormRefusal | None:
    """Return why the chosen mechanism is not available for what was chosen on a page; None where it is."""
    found, column, availability = refusals.find(page, inputs), inputs.column, inputs.availability
    if found and availability and availability.count is not None and (column is None or column.public_count is None):
        return found.without_numbers(counts.HOWEVER_MANY)
    return found


def not_paid(payer: PayingAccount | None, inputs: Inputs, availability: counts.Availability | None) -> str:
    """Return why no budget pays for a release of an available plan; empty where one does, and in Explore."""
    if inputs.mode is Mode.EXPLORE or availability is None:
        return ""
    guarantee = availability.least_guarantee
    if isinstance(inputs.bounds, FindBounds):
        guarantee = counts.guarantee_with_bounds(availability, inputs.column, inputs.bounds)
    return questions.not_paid(payer, guarantee, availability.plan)


def missing(inputs: Inputs) -> str:
    """Return what has to be chosen or corrected before anything can be drawn; empty where all is there."""
    if inputs.data is None:
        return questions.NO_DATA
    return why_incomplete(inputs.domain, inputs.plan)


def has_picture(*, in_steps: bool) -> bool:
    """Return whether this page shows one picture beside its form, which stays in view while a control is turned.

    Answers for groups, a synthetic column and what is asked in steps are longer than a screen.
    """
    return not in_steps and text("show") == table.TABS[0] and text("each") == table.EACH[0]


def show_headline(inputs: Inputs) -> None:
    """Show which data and mode these are, and the way to one's own data."""
    badge = pieces.badge_of(inputs.mode)
    if text("data") in SOURCES or screen.is_presented():
        st.markdown(pieces.headline(inputs.brought, inputs.adjacency, badge))
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button("Use your own data", key=keys.widget("own_data"), icon=":material/upload_file:", on_click=_choose_own)
        with st.container(key=CHOSEN_NOW, width="content"):
            st.markdown(pieces.headline(inputs.brought, inputs.adjacency, ""))
        st.markdown(badge, width="content")


def _choose_own() -> None:
    st.session_state[key("data")] = "file"


def run_button(inputs: Inputs, reason: str, payer: PayingAccount | None) -> bool:
    """Draw the primary button, under what has to be answered first; while it is disabled a line says why.

    While the tab of a synthetic column is open its own button is the one, and a line says where it stands.
    """
    mode = inputs.mode
    if text("show") == table.TABS[1]:
        st.caption(f":material/arrow_forward: {mode.verb} a column: the button is beside *How many values*.")
        return False
    icon = ":material/casino:" if mode is Mode.EXPLORE else ":material/lock:"
    price = "" if mode is Mode.EXPLORE else "You are asked once more before anything is spent."
    ask_first = partial(questions.ask, inputs.plan, payer)
    label = live.LABEL if live.is_live(inputs) else mode.verb
    return pieces.primary_button(label, keys.widget("run"), icon, reason, otherwise=price, questions=ask_first)


def is_first_picture(data: DataSet | None) -> bool:
    """Return whether nothing was drawn yet and the data is an example: the page then opens with one simulation."""
    return data is not None and data.is_example and state.outcome_of(data) is None and not state.has_simulated()


def seed_to_draw(inputs: Inputs, *, pressed: bool, ready: bool) -> int | None:
    """Return the seed of the simulation that is due now, if one is: at a press, from a link, or as first picture.

    Where the page answers by itself the shown seed is due again as soon as a setting is another one.
    """
    ready = ready and inputs.mode is Mode.EXPLORE
    pressed = ready and (pressed or refusals.take_used())
    again = live.seed_due(inputs) if ready else None
    first = int(text("seed")) if is_first_picture(inputs.data) else None
    shown = None if again else shown_seed(inputs)
    return links.due_seed("seed", shown, pressed=pressed, ready=ready, wanted=first or again)


def shown_seed(inputs: Inputs) -> int | None:
    """Return the seed of the simulation that is shown, if it is one with just these settings."""
    outcome = state.outcome_of(inputs.data)
    if not isinstance(outcome, Simulated):
        return None
    return outcome.seed if outcome.settings == inputs.settings else None


def show(inputs: Inputs, *, ready: bool, payer: PayingAccount | None, details: DeltaGenerator) -> None:
    """Show the last outcome of this mode, or that there is none yet; folded under a refusal, where there is one.

    `details`: where everything stands that is not seen at a glance.
    """
    data, mode = inputs.column, inputs.mode
    if data is not None and mode is Mode.RELEASE:
        state.forget_explored(data.identity)
    outcome, refused = state.outcome_of(data), refusal("quantiles", inputs)
    if refused:
        refusals.show("quantiles", refused, mode, payer)
    if outcome is None or data is None:
        if refused:
            return
        pieces.nothing_yet(mode, mode.verb, ready)
        return
    current = refused or outcomes.is_current(outcome, data, inputs.bounds, inputs.plan)
    changed = "" if current else f"Settings changed: press {mode.verb}"
    if screen.is_presented():
        results.present(outcome, changed)
        return
    kind = "simulation" if isinstance(outcome, Simulated) else "release"
    earlier = f"The {kind} before: {escape(MECHANISMS[outcome.plan.mechanism].LABEL)}, {outcome.plan.privacy}"
    place = st.expander(earlier, icon=":material/history:") if refused else st.container()
    with place, pieces.result("quantiles"):
        if isinstance(outcome, Simulated):
            more = st.container() if refused else details.container(key=result_key("details"))
            results.show_simulation(outcome, changed, more)
        else:
            results.show_release(outcome, changed, panel.spent_of(outcome.account))


def show_equivalents(inputs: Inputs) -> None:
    """Say the budget in the other ways; last of all, because the accountant takes a second to load."""
    availability = inputs.availability
    if availability is not None:
        with_ends = availability.plan.intervals is not None  # further levels, of which only the press knows
        known = None if availability.reason or with_ends else availability.least_guarantee
        inputs.equivalents_place.caption(equivalents(availability.plan.privacy, known))
