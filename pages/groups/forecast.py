"""What to expect of the answers for groups, said in the form before anything is spent, from public facts alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from dpq_core.advice.groups import GroupForecast, forecast_groups, least_size_for_all
from dpq_core.domain.finding import FindBounds
from dpq_core.errors import Infeasible, ParameterError
from dpq_core.finding.counting import rest_of
from dpq_core.results.groups.sizes import rule_of_persons

from ..budget.panel import PayingAccount
from ..form.inputs import Inputs
from ..form.privacy import equivalents
from ..frame.header import escape, sentence_of
from ..server import work

MOST_NAMED = 5
"""The most groups that a sentence names."""
ALL_OR_NONE = (
    "This mechanism needs about {} {} in every group. If one group has fewer, no group is answered, and the whole "
    "budget is charged."
)
TOO_FEW = "By your guess these have fewer: {}. Leave them out, raise the budget, ask for fewer quantiles, or choose AQ."
NOT_FORECAST = "What to expect of the answers cannot be worked out in advance."
NOT_AVAILABLE = "This mechanism is not available for groups as large as you guess."


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
    try:
        found = _of(inputs)
    except ParameterError as error:
        said = NOT_AVAILABLE if isinstance(error, Infeasible) else NOT_FORECAST
        st.caption(f":material/info: {escape(f'{said} {sentence_of(error)}')}")
        return
    if found is not None:
        icon = ":material/warning:" if found.too_small else ":material/check:"
        short = payer.shortfall(found.budget) if payer and found.budget else ""
        st.caption(f"{icon} {escape(' '.join([*found.remarks, short]).strip())}")


def _say_all_or_none(inputs: Inputs) -> None:
    """Warn that one small group leaves all without an answer, where the mechanism finds that out after a draw."""
    least = _least(inputs)
    if least <= 1 or inputs.column is None:
        return
    names = (inputs.group_choice and inputs.group_choice.names) or ()
    guesses = inputs.groups.guesses if inputs.groups else {}
    small = [name for name in names if guesses.get(name, inputs.count or 0) < least]
    said = ALL_OR_NONE.format(f"{least:,}", inputs.column.many)
    if small:
        st.warning(f"{said} {TOO_FEW.format(escape(listed(small)))}", icon=":material/warning:")
    else:
        st.caption(f":material/info: {said}")


def _least(inputs: Inputs) -> int:
    """Return about how many records every group needs; 1 where that is not known, or any number is enough."""
    chosen, plan, domain = inputs.group_choice, inputs.plan, inputs.domain
    if chosen is None or plan is None or domain is None:
        return 1
    if isinstance(inputs.bounds, FindBounds):
        plan = replace(plan, privacy=rest_of(plan.privacy, inputs.bounds.share))
    try:
        rule = rule_of_persons(chosen, inputs.column.person if inputs.column else None)
        return work.know(least_size_for_all, plan, domain, **rule)
    except ParameterError:
        return 1


def listed(names: Sequence[str]) -> str:
    """Return some names for a sentence."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def fractions(inputs: Inputs) -> tuple[float, ...]:
    """Return the expected error in each listed group as a fraction of its guessed size; empty where it is unknown."""
    try:
        found = _of(inputs)
    except ParameterError:
        return ()
    return () if found is None else found.fractions


def _of(inputs: Inputs) -> GroupForecast | None:
    """Return what to expect of the listed groups; None where there is no list or a setting is missing.

    Raises ParameterError where the errors of the mechanism cannot be simulated.
    """
    chosen, plan, domain, count = inputs.group_choice, inputs.plan, inputs.domain, inputs.count
    if inputs.groups is None or chosen is None or chosen.names is None or plan is None or domain is None or not count:
        return None
    if isinstance(inputs.bounds, FindBounds):
        plan = replace(plan, privacy=rest_of(plan.privacy, inputs.bounds.share))
    rule = rule_of_persons(chosen, inputs.column.person if inputs.column else None)
    about = {name: inputs.groups.guesses.get(name, count) for name in chosen.names}
    return work.know(forecast_groups, plan, domain, chosen.names, about, **rule)
