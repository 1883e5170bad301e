"""One press, one outcome, one charge: all groups are simulated or released in one go."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import streamlit as st

from ...domain import Domain
from ...plan import Plan
from ...results import DataSet, PersonChoice, PrivateData, PublicData
from ...results.groups.choice import GroupChoice
from ...results.groups.outcomes import release_grouped, simulate_grouped_once
from .. import budget
from ..budget import PayingAccount
from ..forms import Inputs
from ..quantiles import attempt
from ..quantiles.drawing import once_more, without_numbers
from ..server import signin
from ..settings import PREFIX
from ..shell import Mode, complain, links, state
from .forecast import hopeless

_PRESS = f"{PREFIX}:groups_press"
_FAILURE = f"{PREFIX}:groups_failure"


@dataclass(frozen=True)
class GroupsPress:
    """One press of Release, by public facts; whoever asks with its id again gets the same answer, paid once."""

    identity: str
    missing: Fraction | None
    domain: Domain
    plan: Plan
    person: PersonChoice | None
    groups: GroupChoice
    hopeless: tuple[str, ...]
    account: str
    release_id: str = ""


def draw(inputs: Inputs, payer: PayingAccount | None, seed: int | None) -> None:
    """Simulate every group with this seed, or release every group: nothing where something is missing."""
    data, domain, plan, groups = inputs.data, inputs.domain, inputs.plan, inputs.group_choice
    if domain is None or plan is None or groups is None:
        return
    links.forget_notes()
    if isinstance(data, PublicData) and seed is not None:
        public = data

        def simulate() -> None:
            state.keep_groups(simulate_grouped_once(public, groups, domain, plan, seed, hopeless(inputs)))

        problem = attempt(simulate, Mode.EXPLORE)
        if problem:
            complain(problem)
    elif isinstance(data, PrivateData) and payer is not None:
        asked = (data.missing, domain, plan, data.person, groups, hopeless(inputs))
        _release(data, GroupsPress(data.identity, *asked, payer.name), payer)


def _release(data: PrivateData, wanted: GroupsPress, payer: PayingAccount) -> None:
    """Release once for each press: a second click, while the first one is being answered, is the same press."""
    from ...ledger import new_release_id

    unfinished: GroupsPress | None = st.session_state.get(_PRESS)
    press = unfinished
    if press is None or replace(press, release_id="") != wanted:
        press = replace(wanted, release_id=new_release_id())
    st.session_state[_PRESS] = press
    _answer(data, press, payer, again=press is unfinished)


def finish_interrupted(data: DataSet | None, payer: PayingAccount | None) -> None:
    """Fetch the answer of a press whose run was ended by another click. The ledger has it: nothing is paid twice."""
    press: GroupsPress | None = st.session_state.get(_PRESS)
    if press is not None and isinstance(data, PrivateData) and payer is not None and press.identity == data.identity:
        _answer(data, press, payer, again=True)


def _answer(data: PrivateData, press: GroupsPress, payer: PayingAccount, *, again: bool) -> None:
    """Answer a press, or say why not; then run the page once more, so that all of it knows what is left."""
    requested = replace(data, missing=press.missing, person=press.person)

    def release() -> None:
        account = replace(payer, name=press.account).open()
        asked = (press.groups, press.domain, press.plan)
        paid = (account, press.release_id, signin.who())
        state.keep_groups(release_grouped(requested, *asked, *paid, press.hopeless))
        budget.compare_files(account, data)

    draw = partial(once_more, release) if again else release
    # Whatever is refused now is refused for the sizes of groups, which are on no screen: public facts came before.
    st.session_state[_FAILURE] = attempt(partial(without_numbers, draw), Mode.RELEASE, payer)
    st.session_state[_PRESS] = None
    st.rerun()


def show_failure() -> None:
    """Say once why the last press of Release had no answer."""
    sentence = st.session_state.pop(_FAILURE, "")
    if sentence:
        complain(sentence)
