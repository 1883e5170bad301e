"""Groups on the page Quantiles, between its controls and its results: whether it can draw, and what it shows."""

from __future__ import annotations

from dpq_core.errors import ParameterError
from dpq_core.results import outcomes
from dpq_core.results.kinds import Released, Simulated
from pages.budget import panel

from ..budget.panel import PayingAccount
from ..form import refusals
from ..form.inputs import Inputs
from ..frame import links, pieces, state
from ..frame.state import Mode
from ..quantiles import questions
from ..quantiles.view import missing
from ..settings.table import text
from . import results

NOT_CHOSEN = "Say first which groups are answered."


def why_not(inputs: Inputs, payer: PayingAccount | None) -> str:
    """Return why the button cannot be pressed; empty where it can."""
    if inputs.data is not None and inputs.domain is not None and inputs.group_choice is None:
        return NOT_CHOSEN
    reason, judged = missing(inputs), inputs.judged_groups
    if reason or inputs.plan is None or judged is None:
        return reason
    if isinstance(judged, ParameterError):
        return refusals.NOT_AVAILABLE
    if inputs.mode is Mode.EXPLORE:
        return ""
    return questions.not_paid(payer, judged.guarantee, inputs.plan)


def seed_to_draw(inputs: Inputs, *, pressed: bool, ready: bool) -> int | None:
    """Return the seed of the simulation that is due now, if one is: at a press, from a link, or as first picture."""
    outcome = state.groups_of(inputs.data)
    ready = ready and inputs.mode is Mode.EXPLORE
    pressed = ready and (pressed or refusals.take_used())
    is_first = inputs.data is not None and inputs.data.is_example and outcome is None
    shown = outcome.seed if isinstance(outcome, Simulated) and _is_current(inputs) else None
    return links.due_seed("seed", shown, pressed=pressed, ready=ready, wanted=int(text("seed")) if is_first else None)


def _is_current(inputs: Inputs) -> bool:
    outcome, data = state.groups_of(inputs.column), inputs.column
    if outcome is None or data is None:
        return False
    return outcomes.is_current(outcome, data, inputs.bounds, inputs.plan, inputs.group_choice)


def show(inputs: Inputs, payer: PayingAccount | None, *, ready: bool) -> None:
    """Show the last answers for groups, or that there are none yet; under a refusal, where there is one."""
    mode, data, judged = inputs.mode, inputs.column, inputs.judged_groups
    if data is not None and mode is Mode.RELEASE:
        state.forget_explored(data.identity)
    outcome = state.groups_of(data)
    if isinstance(judged, ParameterError) and inputs.plan is not None:
        refused = refusals.FormRefusal(inputs.plan, (refusals.need_of(judged),))
        refusals.show("groups", refused, mode, payer)
        return
    if outcome is None:
        pieces.nothing_yet(mode, mode.verb, ready)
        return
    changed = "" if _is_current(inputs) else f"Settings changed: press {mode.verb}"
    with pieces.result("groups"):
        spent = panel.spent_of(outcome.account) if isinstance(outcome, Released) else ""
        results.show(outcome, changed, spent)
