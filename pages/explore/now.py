"""What the page Explore asks at present, and the simulation that stands beside it."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.question import Question
from dpq_core.results.chosen import Chosen
from dpq_core.results.kinds import Simulated

from ..answers import answers
from ..form import refusals
from ..form.several import is_current
from ..form.table import text
from ..shell import links, pieces, state
from ..shell.header import escape
from ..shell.state import ChosenTable

VERB = "Simulate"
"""What the button says, and what a message calls it."""


@dataclass(frozen=True)
class Now:
    """What the page asks at present: of one column the plan, too, that is drawn; of several the question."""

    table: ChosenTable | None
    asked: Chosen | Question | None
    in_groups: bool = False

    @property
    def outcome(self) -> Simulated | None:
        """Return the last simulation that may stand beside what is chosen."""
        if self.table is None:
            return None
        return state.simulated(self.table.identity, example=self.table.columns[0].is_example and self.table.bare)

    @property
    def is_current(self) -> bool:
        """Return whether the page still asks for what the outcome was made from, in every setting and word."""
        found, table = self.outcome, self.table
        return found is not None and table is not None and is_current(found, table, self.asked)

    @property
    def shown_seed(self) -> int | None:
        """Return the seed of the simulation that is shown, if it is one with just these settings."""
        return self.outcome.seed if self.outcome is not None and self.is_current else None

    @property
    def opens(self) -> bool:
        """Return whether the page opens with a simulation: nothing of this kind was drawn yet, and it is an example."""
        table, found = self.table, self.outcome
        if table is None or not table.columns[0].is_example:
            return False
        if found is not None:
            return (found.groups is not None) is not self.in_groups
        return not state.has_simulated("" if table.bare and not self.in_groups else table.identity)

    def seed_to_draw(self, *, pressed: bool, ready: bool, again: int | None) -> int | None:
        """Return the seed of the simulation that is due now: at a press, from a link, or as the page opens.

        `again`: the seed that is due since a setting is another one, where the page answers by itself.
        """
        ready = ready and self.table is not None
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
