"""How many records a column has: whether the screen may know it, and what the page checks while it may not."""

from __future__ import annotations

from dataclasses import replace

from ...plan import Plan
from ...privacy import Adjacency, Guarantee
from ...release import calibrate, refusal_of
from ...results import DataSet, Left
from ..shell import Mode, sentence_of, state
from . import panel

FEWEST, MOST = 1, 10**9
"""Numbers of records that stand for all of them: what a mechanism refuses at both, it refuses at every one."""
HOWEVER_MANY = "With these settings it is not available, however many records there are."


def public_count(data: DataSet | None, mode: Mode) -> int | None:
    """Return the number of records if the screen may know it, None if it may not. Nothing else in `ui` may ask.

    In Explore it may. In Release the account decides, never a control of the page: the number may be known once a
    release of this column stands in this session that was charged to the account which would pay for the next one too,
    and that account counts where one record is replaced by another, which makes the number public.

    Before that it may not, whatever the page's own choice says:
    - While the account is not opened, nothing is promised: who switches the choice back and forth, or types a new name,
      has promised nothing, and the same file may belong to an account that hides the number.
    - An open account alone is not enough: its name can be typed beside any file. Whether the file is one that it was
      charged for could be looked up, but that comparison is exact, and would be had for nothing.

    So the first release of a column under such an account is calibrated with the number inside the press, and the
    number appears with the answer or not at all: a press that is refused says so without any number (`drawing`). That
    it was refused is one fact about the number; by then the account is open, and stands in the ledger.
    """
    if data is None:
        return None
    if mode is Mode.RELEASE and not _made_public(data):
        return None
    return int(data.values.size)


def _made_public(data: DataSet) -> bool:
    released = (state.outcome_of(Mode.RELEASE, data), state.column_of(Mode.RELEASE, data))
    return any(
        answer.account == panel.account_name(data) and answer.guarantee.adjacency is Adjacency.SUBSTITUTE
        for answer in released
        if isinstance(answer, Left) and answer.identity == data.identity
    )


def why_not(plan: Plan, data: DataSet | None, mode: Mode) -> str:
    """Return why the plan's mechanism is not available, as far as the screen may know it; empty where it is."""
    count = public_count(data, mode)
    if plan.adjacency is Adjacency.ADD_REMOVE or count is not None:
        refused = refusal_of(plan, None if plan.adjacency is Adjacency.ADD_REMOVE else count)
        return sentence_of(refused) if refused else ""
    few, many = refusal_of(plan, FEWEST), refusal_of(plan, MOST)
    if few is None or many is None:
        return ""
    return sentence_of(many) if few.words == many.words else HOWEVER_MANY


def judged_with(plan: Plan, data: DataSet | None, mode: Mode) -> int | None:
    """Return the number of records with which a plan is judged before a press; None where it needs none.

    Where the screen may not know it, it is one that the plan serves, if there is one: then the press decides.
    """
    count = public_count(data, mode)
    if plan.adjacency is Adjacency.ADD_REMOVE or count is not None:
        return count
    return FEWEST if refusal_of(plan, FEWEST) is None else MOST


def settled_by_press(plan: Plan, data: DataSet | None, mode: Mode) -> bool:
    """Return whether it depends on a number that the screen may not know if the plan's mechanism is available."""
    if plan.adjacency is Adjacency.ADD_REMOVE or public_count(data, mode) is not None:
        return False
    return (refusal_of(plan, FEWEST) is None) is not (refusal_of(plan, MOST) is None)


def least_guarantee(plan: Plan, data: DataSet | None, mode: Mode) -> Guarantee:
    """Return what a release of the plan will cost at least; exactly what it will cost where the number may be known.

    For a plan that `why_not` does not refuse. Where the number is not known it may decide the delta, never the epsilon.
    """
    count = public_count(data, mode)
    if plan.adjacency is Adjacency.ADD_REMOVE or count is not None:
        return calibrate(plan, None if plan.adjacency is Adjacency.ADD_REMOVE else count).guarantee
    anyhow = MOST if refusal_of(plan, MOST) is None else FEWEST
    return replace(calibrate(plan, anyhow).guarantee, delta=0.0)
