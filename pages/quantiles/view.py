"""The Quantiles page between its controls and its results: whether it can draw, with which seed, what it shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.domain.finding import FindBounds
from dpq_core.errors import ParameterError
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.privacy.budgets import Guarantee, Privacy
from dpq_core.question import Question
from dpq_core.results.chosen import Chosen
from dpq_core.results.kinds import Released, Simulated

from .. import keys
from ..answers import answers
from ..form import refusals
from ..form.data import are_several
from ..form.inputs import Inputs, why_incomplete
from ..form.privacy import equivalents
from ..form.several import refused_together
from ..payment import counts
from ..payment.account import PayingAccount, spent_of
from ..room import membership
from ..settings import table as settings
from ..settings.table import SOURCES, key, text
from ..shell import links, pieces, screen, state
from ..shell.header import escape
from ..shell.state import ChosenTable, Mode
from ..shell.style import CHOSEN_NOW
from . import live, questions

WHAT_THIS_IS = (
    "Quantiles with differential privacy: each answer carries random noise, which limits what it can reveal about any "
    "one person."
)


def why_not(inputs: Inputs, asked: Chosen | Question | None = None) -> str:
    """Return why the button cannot be pressed, but for the budget; empty where it can. `asked`: as `Now` has it."""
    if inputs.data is None:
        return questions.NO_DATA
    if inputs.groups and inputs.domain is not None and inputs.group_choice is None:
        return "Say first which groups are answered."
    if isinstance(asked, Question):
        return "These settings do not go together. The message beside them says why." if refused_together(asked) else ""
    refused = isinstance(inputs.judged_groups, ParameterError) or (inputs.availability and inputs.availability.needs)
    return why_incomplete(inputs.domain, inputs.plan) or (refusals.NOT_AVAILABLE if refused else "")


def refusal(page: str, inputs: Inputs) -> refusals.FormRefusal | None:
    """Return why the chosen mechanism is not available for what was chosen on a page; None where it is."""
    if isinstance(inputs.judged_groups, ParameterError) and inputs.plan is not None:
        return refusals.FormRefusal(inputs.plan, (refusals.need_of(inputs.judged_groups),))
    found, column, availability = refusals.find(page, inputs), inputs.column, inputs.availability
    if found and availability and availability.count is not None and (column is None or column.public_count is None):
        return found.without_numbers(counts.HOWEVER_MANY)
    return found


def not_paid(payer: PayingAccount | None, inputs: Inputs, asked: Chosen | Question | None) -> str:
    """Return why no budget pays for a release of an available plan; empty where one does, and in Explore."""
    judged, availability = inputs.judged_groups, inputs.availability
    if inputs.mode is Mode.EXPLORE or isinstance(judged, ParameterError):
        return ""
    if isinstance(asked, Question):
        least = Guarantee.of(asked.budget, asked.adjacency)  # whether a delta is spent, the press decides
        return questions.not_paid(payer, replace(least, delta=0.0), asked.budget)
    if inputs.plan is not None and judged is not None:
        return questions.not_paid(payer, judged.guarantee, inputs.plan.privacy)
    if availability is None:
        return ""
    guarantee = availability.least_guarantee
    if isinstance(inputs.bounds, FindBounds):
        guarantee = counts.guarantee_with_bounds(availability, inputs.column, inputs.bounds)
    return questions.not_paid(payer, guarantee, availability.plan.privacy)


def has_picture(*, in_steps: bool) -> bool:
    """Return whether this page shows one picture beside its form, which stays in view while a control is turned.

    Answers for groups, of several columns, and what is asked in steps are longer than a screen.
    """
    return not in_steps and text("each") == settings.EACH[0] and not are_several()


def show_headline(inputs: Inputs, table: ChosenTable | None) -> None:
    """Show which data and mode these are, and the way to one's own data, but for students: it leads out of a room."""
    badge, shown = pieces.badge_of(inputs.mode), inputs.brought
    if shown is not None and table is not None and not table.bare:
        shown = replace(shown, about=table.about)
    if text("data") in SOURCES or screen.is_presented() or membership.attended():
        st.markdown(pieces.headline(shown, inputs.adjacency, badge))
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button("Use your own data", key=keys.widget("own_data"), icon=":material/upload_file:", on_click=_choose_own)
        with st.container(key=CHOSEN_NOW, width="content"):
            st.markdown(pieces.headline(shown, inputs.adjacency, ""))
        st.markdown(badge, width="content")


def _choose_own() -> None:
    st.session_state[key("data")] = "file"


def run_button(
    mode: Mode, reason: str, payer: PayingAccount | None, budget: Privacy | None, *, is_live: bool = False
) -> bool:
    """Draw the primary button, under what has to be answered first; while it is disabled a line says why."""
    icon = ":material/casino:" if mode is Mode.EXPLORE else ":material/lock:"
    price = "" if mode is Mode.EXPLORE else "You are asked once more before anything is spent."
    ask_first = partial(questions.ask, budget, payer)
    label = live.LABEL if is_live else mode.verb
    return pieces.primary_button(label, keys.widget("run"), icon, reason, otherwise=price, questions=ask_first)


@dataclass(frozen=True)
class Now:
    """What the page asks at present: of one column the plan, too, that is drawn; of several the question."""

    table: ChosenTable | None
    asked: Chosen | Question | None
    in_groups: bool = False

    @property
    def outcome(self) -> Simulated | Released | None:
        """Return the last outcome that may stand beside what is chosen."""
        if self.table is None:
            return None
        first = self.table.columns[0]
        return state.answered(self.table.mode, self.table.identity, example=first.is_example and self.table.bare)

    @property
    def is_current(self) -> bool:
        """Return whether the page still asks for what the outcome was made from, in every setting and word."""
        found, table, asked = self.outcome, self.table, self.asked
        if found is None or table is None or asked is None:
            return False
        made = found.chosen if isinstance(asked, Chosen) else found.question
        return (found.identity, found.one, made) == (table.identity, table.one, asked)

    @property
    def shown_seed(self) -> int | None:
        """Return the seed of the simulation that is shown, if it is one with just these settings."""
        return self.outcome.seed if isinstance(self.outcome, Simulated) and self.is_current else None

    @property
    def opens(self) -> bool:
        """Return whether the page opens with a simulation: nothing of this kind was drawn yet, and it is an example."""
        table, found = self.table, self.outcome
        if table is None or not table.columns[0].is_example:
            return False
        if found is not None:
            return (found.groups is not None) is not self.in_groups
        return not state.has_simulated("" if table.bare and not self.in_groups else table.identity)

    def seed_to_draw(self, *, pressed: bool, ready: bool, again: int | None = None) -> int | None:
        """Return the seed of the simulation that is due now: at a press, from a link, or as the page opens.

        `again`: the seed that is due since a setting is another one, where the page answers by itself.
        """
        ready = ready and self.table is not None and self.table.mode is Mode.EXPLORE
        pressed = ready and (pressed or refusals.take_used())
        again = again if ready else None
        wanted = int(text("seed")) if self.opens else again
        return links.due_seed("seed", None if again else self.shown_seed, pressed=pressed, ready=ready, wanted=wanted)

    def show(
        self, mode: Mode, *, ready: bool, details: DeltaGenerator | None = None,
        refused: refusals.FormRefusal | None = None, payer: PayingAccount | None = None,
    ) -> None:  # fmt: skip
        """Show the last outcome of this mode, or that there is none yet; folded under a refusal, where there is one.

        `details`: where everything stands that is not seen at a glance.
        """
        if self.table is not None and mode is Mode.RELEASE:
            state.forget_explored(self.table.identity)
        if refused:
            refusals.show("quantiles", refused, mode, payer)
        outcome = self.outcome
        if outcome is None:
            if not refused:
                pieces.nothing_yet(mode, mode.verb, ready)
            return
        kind = "simulation" if isinstance(outcome, Simulated) else "release"
        earlier = f"The {kind} before: {escape(MECHANISMS[outcome.plan.mechanism].LABEL)}, {outcome.plan.privacy}"
        with st.expander(earlier, icon=":material/history:") if refused else st.container():
            spent = "" if isinstance(outcome, Simulated) else spent_of(outcome.account)
            changed = "" if refused or self.is_current else f"Settings changed: press {mode.verb}"
            answers.show(outcome, changed, spent, None if refused else details)


def show_equivalents(inputs: Inputs) -> None:
    """Say the budget in the other ways; last of all, because the accountant takes a second to load."""
    availability = inputs.availability
    if availability is not None:
        with_ends = availability.plan.intervals is not None  # further levels, of which only the press knows
        known = None if availability.reason or with_ends else availability.least_guarantee
        inputs.equivalents_place.caption(equivalents(availability.plan.privacy, known))
