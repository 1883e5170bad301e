"""What the page Explore asks at present, what stands around its answer, and the simulation that it shows."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.results.kinds import Simulated

from ..answers import answers
from ..form import refusals
from ..form.data import are_several
from ..form.form import Form
from ..form.table import text
from ..room import membership
from ..shell import links, pieces, screen, state
from ..shell.header import escape
from ..shell.screen import CHOSEN_NOW
from . import live

VERB = "Simulate"
"""What the button says, and what a message calls it."""


@dataclass(frozen=True)
class Now:
    """What the page asks at present, beside the last simulation."""

    form: Form

    @property
    def outcome(self) -> Simulated | None:
        """Return the last simulation that may stand beside what is chosen."""
        table = self.form.table
        if table is None:
            return None
        return state.simulated(table.identity, example=table.columns[0].is_example and table.bare)

    @property
    def is_current(self) -> bool:
        """Return whether the page still asks for what the outcome was made from, in every setting and word."""
        return self.form.made(self.outcome)

    @property
    def shown_seed(self) -> int | None:
        """Return the seed of the simulation that is shown, if it is one with just these settings."""
        return self.outcome.seed if self.outcome is not None and self.is_current else None

    @property
    def opens(self) -> bool:
        """Return whether the page opens with a simulation: nothing of this kind was drawn yet, and it is an example."""
        table, found, in_groups = self.form.table, self.outcome, self.form.groups is not None
        if table is None or not table.columns[0].is_example:
            return False
        if found is not None:
            return (found.groups is not None) is not in_groups
        return not state.has_simulated("" if table.bare and not in_groups else table.identity)

    def seed_to_draw(self, *, pressed: bool, ready: bool, again: int | None) -> int | None:
        """Return the seed of the simulation that is due now: at a press, from a link, or as the page opens.

        `again`: the seed that is due since a setting is another one, where the page answers by itself.
        """
        pressed = ready and (pressed or refusals.take_used())
        again = again if ready else None
        wanted = int(text("seed")) if self.opens else again
        return links.due_seed("seed", None if again else self.shown_seed, pressed=pressed, ready=ready, wanted=wanted)

    def show(self, refused: refusals.FormRefusal | None, *, ready: bool, details: DeltaGenerator) -> None:
        """Show the last simulation, or that there is none yet; folded under a refusal, where there is one.

        `details`: where everything stands that is not seen at a glance.
        """
        if refused:
            refusals.show("explore", refused)
        outcome = self.outcome
        if outcome is None:
            if not refused:
                pieces.nothing_yet(VERB, ready)
            return
        if not refused:
            answers.show(outcome, "" if self.is_current else f"Settings changed: press {VERB}", details=details)
            return
        earlier = f"The simulation before: {escape(MECHANISMS[outcome.plan.mechanism].LABEL)}, {outcome.plan.privacy}"
        with st.expander(earlier, icon=":material/history:"):
            answers.show(outcome, "")


WHAT_THIS_IS = (
    "Quantiles with differential privacy: each answer carries random noise, which limits what it can reveal about any "
    "one person."
)


def has_picture() -> bool:
    """Return whether the page shows one picture beside its form, which stays in view while a control is turned.

    Answers for groups and of several columns are longer than a screen.
    """
    return text("each") == "all" and not are_several()


def button(reason: str, *, is_live: bool) -> bool:
    """Draw the primary button, and return whether it was pressed just now; while it is disabled a line says why."""
    return pieces.primary_button(live.LABEL if is_live else VERB, pieces.RUN, ":material/casino:", reason)


def show_headline(form: Form) -> None:
    """Show which data these are, and the way to own data, but for students: it leads out of a room."""
    shown, chosen = form.named, form.adjacency
    if screen.is_presented() or membership.attended():
        st.markdown(pieces.headline(shown, chosen, pieces.NOT_PRIVATE))
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(width="content"):
            pieces.page_link("release", "Release from own data", {})
        with st.container(key=CHOSEN_NOW, width="content"):
            st.markdown(pieces.headline(shown, chosen, ""))
        st.markdown(pieces.NOT_PRIVATE, width="content")
