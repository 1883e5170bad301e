"""How splitting in halves is shown: one quantile a draw, so that each round can be seen, or as it is drawn."""

from __future__ import annotations

from dataclasses import replace

from dpq_core.privacy.budgets import Adjacency

from ..form.inputs import Inputs
from ..frame import fields
from ..settings import table
from ..settings.table import text

LABELS = dict(zip(table.SPLITS, ("How it works: one quantile a draw", "As it is drawn: several at once"), strict=True))
HELP = (
    "The mechanism draws several quantiles at once where that errs less. It then needs fewer rounds, which are hard to "
    "see. With one quantile a draw, as the paper has it, every round cuts each part in two. Only this page "
    "reads this setting."
)


def set_here() -> tuple[str, ...]:
    """Return the options that this page sets itself, and so does not ask for among the others."""
    return ("draws",) if text("splits") == table.SPLITS[0] else ()


def choose_splits(inputs: Inputs) -> Inputs:
    """Ask how splitting in halves is shown, and return the inputs with the plan that shows it so.

    Other plans have no such choice, and neither has a plan that draws one quantile at a time anyway.
    """
    plan = inputs.plan
    if plan is None or plan.mechanism != "aq" or plan.adjacency is not Adjacency.ADD_REMOVE:
        return inputs
    shown = fields.segmented_control("splits", table.SPLITS, LABELS.__getitem__, help=HELP)
    if shown == table.SPLITS[1]:
        return inputs
    return replace(inputs, plan=replace(plan, options={**plan.options, "draws": "one"}))
