"""How splitting in halves is shown: one quantile a draw, so that each round can be seen, or as it is drawn."""

from __future__ import annotations

from dpq_core.plan import Plan
from dpq_core.privacy.budgets import Adjacency

from ..frame import fields
from ..settings import table
from ..settings.table import text

LABELS = dict(zip(table.SPLITS, ("How it works: one quantile a draw", "As it is drawn: several at once"), strict=True))
HELP = (
    "The mechanism draws several quantiles at once where that errs less. It then needs fewer rounds, which are hard to "
    "see. With one quantile a draw, as the paper has it, every round cuts each part in two. Only this page "
    "reads this setting."
)


def choose_splits(plan: Plan | None) -> None:
    """Ask how splitting in halves is shown, where the mechanism may draw several quantiles at once."""
    if _has_a_choice(plan):
        fields.segmented_control("splits", table.SPLITS, LABELS.__getitem__, help=HELP)


def one_at_a_time(plan: Plan | None) -> bool:
    """Return whether a run of this plan is shown with one quantile a draw."""
    return _has_a_choice(plan) and text("splits") == table.SPLITS[0]


def _has_a_choice(plan: Plan | None) -> bool:
    return plan is not None and plan.mechanism == "aq" and plan.adjacency is Adjacency.ADD_REMOVE
