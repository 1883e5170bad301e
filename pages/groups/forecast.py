"""What to expect of the answers for groups, said in the form before anything is spent, from public facts alone."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import streamlit as st

from dpq_core.advice import GroupForecast, forecast_groups
from dpq_core.domain import Domain, FindBounds
from dpq_core.errors import ParameterError
from dpq_core.finding import rest_of
from dpq_core.plan import Plan
from dpq_core.results import PersonChoice
from dpq_core.results.groups.choice import GroupChoice
from dpq_core.results.groups.sizes import rule_of_persons

from ..budget import PayingAccount
from ..form import Inputs, equivalents
from ..frame import escape, sentence_of

NOT_FORECAST = "What to expect of the answers cannot be worked out in advance."


def show(inputs: Inputs, payer: PayingAccount | None = None) -> None:
    """Show which groups are too small and how to fix that, and the budget in the other units."""
    judged = inputs.judged_groups
    if inputs.plan is None or judged is None or isinstance(judged, ParameterError):
        return
    if inputs.forecast_place:
        with inputs.forecast_place:
            _say(inputs, payer)
    inputs.equivalents_place.caption(equivalents(inputs.plan.privacy, judged.guarantee))


def _say(inputs: Inputs, payer: PayingAccount | None) -> None:
    try:
        found = _of(inputs)
    except ParameterError as error:
        st.caption(f":material/info: {escape(f'{NOT_FORECAST} {sentence_of(error)}')}")
        return
    if found is not None:
        icon = ":material/warning:" if found.too_small else ":material/check:"
        short = payer.shortfall(found.budget) if payer and found.budget else ""
        st.caption(f"{icon} {escape(' '.join([*found.remarks, short]).strip())}")


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
    person = inputs.column.person if inputs.column else None
    about = tuple(inputs.groups.guesses.get(name, count) for name in chosen.names)
    return _forecast(chosen, person, plan, domain, about)


@lru_cache(maxsize=64)
def _forecast(
    chosen: GroupChoice, person: PersonChoice | None, plan: Plan, domain: Domain, about: tuple[int, ...]
) -> GroupForecast:
    """Return what to expect of listed groups, where `about` has the approximate number of records of each."""
    names = chosen.names or ()
    guesses = dict(zip(names, about, strict=True))
    return forecast_groups(plan, domain, names, guesses, **rule_of_persons(chosen, person))
