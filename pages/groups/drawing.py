"""One press, one outcome, one charge: all groups are simulated or released in one go."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from dpq_core.domain import Domain, FindBounds
from dpq_core.plan import Plan
from dpq_core.results import DataSet, GroupedReleased, PersonChoice, PrivateData, PublicData
from dpq_core.results.groups.choice import GroupChoice
from dpq_core.results.groups.outcomes import release_grouped, simulate_grouped_once
from dpq_core.results.groups.sizes import GroupSizes

from ..budget import PayingAccount
from ..form import Inputs
from ..frame.presses import Press, Presses
from ..quantiles import attempts, live
from ..server import signin
from .forecast import sizes

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger import Account


@dataclass(frozen=True)
class GroupsPress(Press):
    """What one press of Release asks of every group."""

    missing: Fraction | None
    bounds: Domain | FindBounds
    plan: Plan
    person: PersonChoice | None
    groups: GroupChoice
    sizes: GroupSizes


PRESSES: Presses[GroupsPress] = Presses("groups")


def draw(inputs: Inputs, payer: PayingAccount | None, seed: int | None) -> None:
    """Simulate every group with this seed, or release every group: nothing where something is missing."""
    data, bounds, plan, groups = inputs.data, inputs.bounds, inputs.plan, inputs.group_choice
    if bounds is None or plan is None or groups is None:
        return
    if isinstance(data, PublicData) and seed is not None:
        once = simulate_grouped_once, data, groups, bounds, plan, seed
        attempts.simulate(partial(live.compute_and_say, plan, data.values.size, *once))
    elif isinstance(data, PrivateData) and payer is not None:
        asked = (data.missing, bounds, plan, data.person, groups, sizes(inputs))
        press, again = PRESSES.begin(GroupsPress(*asked, identity=data.identity, account=payer.name))
        _answer(data, press, payer, again=again)


def finish_interrupted(data: DataSet | None, payer: PayingAccount | None) -> None:
    """Fetch the answer of a press whose run was ended by another click. The ledger has it: nothing is paid twice."""
    press = PRESSES.unfinished()
    if press is not None and isinstance(data, PrivateData) and payer is not None and press.identity == data.identity:
        _answer(data, press, payer, again=True)


def _answer(data: PrivateData, press: GroupsPress, payer: PayingAccount, *, again: bool) -> None:
    requested = replace(data, missing=press.missing, person=press.person)

    def release(account: Account) -> GroupedReleased:
        asked = (press.groups, press.bounds, press.plan)
        return release_grouped(requested, *asked, account, press.release_id, signin.who(), press.sizes)

    # Whatever is refused now is refused for the sizes of groups, which are on no screen: public facts came before.
    attempts.answer(PRESSES, release, payer, data, again=again, hides_numbers=True)
