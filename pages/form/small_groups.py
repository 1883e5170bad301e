"""What to expect of the answers for groups, said in the form before anything is spent, from public facts alone."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpq_core.advice.choice import runs_of
from dpq_core.advice.errors import least_size_for_all
from dpq_core.advice.forecast import ExpectedColumn, forecast
from dpq_core.errors import ParameterError

from ..payment.account import PayingAccount
from ..server import work
from ..shell.header import escape
from .inputs import Inputs
from .privacy import equivalents

MOST_NAMED = 5
"""The most groups that a sentence names."""
ALL_OR_NONE = (
    "This mechanism needs about {} {} in every group. If one group has fewer, no group is answered, and the whole "
    "budget is charged."
)
TOO_FEW = "By your guess these have fewer: {}. Leave them out, raise the budget, ask for fewer quantiles, or choose AQ."
NOT_FORECAST = "What to expect of the answers cannot be worked out in advance."


def show(inputs: Inputs, payer: PayingAccount | None = None) -> None:
    """Show which groups are too small and how to fix that, and the budget in the other units."""
    judged = inputs.judged_groups
    if inputs.plan is None or judged is None or isinstance(judged, ParameterError):
        return
    if inputs.forecast_place:
        with inputs.forecast_place:
            _say_all_or_none(inputs)
            _say(inputs, payer)
    inputs.equivalents_place.caption(equivalents(inputs.plan.privacy, judged.guarantee))


def _say(inputs: Inputs, payer: PayingAccount | None) -> None:
    found = _of(inputs)
    if found is None:
        return
    if found.not_simulated:
        st.caption(f":material/info: {escape(f'{NOT_FORECAST} {found.not_simulated}')}")
        return
    icon = ":material/warning:" if found.small else ":material/check:"
    short = payer.shortfall(found.budget) if payer and found.budget else ""
    st.caption(f"{icon} {escape(' '.join([*found.sentences, short]).strip())}")


def _say_all_or_none(inputs: Inputs) -> None:
    """Warn that one small group leaves all without an answer, where the mechanism finds that out after a draw."""
    least = _least(inputs)
    if least <= 1 or inputs.column is None:
        return
    names = map(str, (inputs.group_choice and inputs.group_choice.listed) or ())
    guesses = inputs.groups.guesses if inputs.groups else {}
    small = [name for name in names if guesses.get(name, inputs.count or 0) < least]
    said = ALL_OR_NONE.format(f"{least:,}", inputs.column.many)
    if small:
        st.warning(f"{said} {TOO_FEW.format(escape(listed(small)))}", icon=":material/warning:")
    else:
        st.caption(f":material/info: {said}")


def _least(inputs: Inputs) -> int:
    """Return about how many records every group needs; 1 where that is not known, or any number is enough."""
    if inputs.group_choice is None or inputs.chosen is None:
        return 1
    try:
        (run,) = runs_of(inputs.chosen.drawn).values()
        return work.know(least_size_for_all, run)
    except ParameterError:
        return 1


def listed(names: Sequence[str]) -> str:
    """Return some names for a sentence."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _of(inputs: Inputs) -> ExpectedColumn | None:
    """Return what to expect of the listed groups; None where there is no list or a setting is missing."""
    chosen = inputs.chosen
    if chosen is None or chosen.question.groups is None or chosen.question.groups.listed is None or not inputs.count:
        return None
    try:
        (found,) = work.know(forecast, chosen.drawn).columns
    except ParameterError:  # too small a budget, of which the form says so
        return None
    return found
