"""The mechanism that *Choose for me* took first stays while settings of public data are turned.

Otherwise a change of the mechanism would be read as an effect of what was turned. Where another one would be taken now
the form says so. In Release nothing is held: there the best one for the plan is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from dpq_core.advice import BestPlan
from dpq_core.plan import Plan
from dpq_core.results import PublicData

from ..frame import state
from ..settings import PREFIX

_LAST = f"{PREFIX}:best_plan"
"""The last choice, which a page that plays shows on."""


@dataclass(frozen=True)
class Held:
    """What a page runs, and which mechanism it would take now: empty where that is the same."""

    best: BestPlan
    better: str = ""


def keep(best: BestPlan, data: PublicData) -> Held:
    """Return the choice with the mechanism that is held for these data; the best one where that is not available.

    Before there is an answer that could be compared nothing is held.
    """
    mechanism = state.held_mechanism(data.identity) if state.outcome_of(data) is not None else best.mechanism
    mechanism = mechanism or best.mechanism
    own = next((each for each in best.ranking if each.mechanism == mechanism), None)
    if own is None or mechanism == best.mechanism:
        state.hold_mechanism(data.identity, best.mechanism)
        return _remembered(Held(best))
    state.hold_mechanism(data.identity, mechanism, instead_of=best.mechanism)
    plan = replace(best.plan, mechanism=mechanism, options=own.plan.options)
    others = (each for each in best.ranking if each is not own)
    return _remembered(Held(replace(best, plan=plan, ranking=(own, *others)), best.mechanism))


def last(plan: Plan, identity: str) -> Held | None:
    """Return the last choice for these data with the budget of a plan, without asking anew; None without one."""
    found: Held | None = st.session_state.get(_LAST)
    if found is None or not state.held_mechanism(identity):
        return None
    return replace(found, best=replace(found.best, plan=replace(found.best.plan, privacy=plan.privacy)))


def _remembered(found: Held) -> Held:
    st.session_state[_LAST] = found
    return found
