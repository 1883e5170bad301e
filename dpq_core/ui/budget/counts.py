"""How many records a private column has: since when the screen may know it, and what a page checks before that."""

from __future__ import annotations

from dataclasses import replace

from ...plan import Plan
from ...privacy import Adjacency, Guarantee
from ...release import calibrate, refusal_of
from ...results import DataSet, ReleaseFacts
from ..shell import sentence_of, state
from . import panel

FEWEST, MOST = 1, 10**9
"""Numbers of records that stand for all of them: what a mechanism refuses at both, it refuses at every one."""
HOWEVER_MANY = "With these settings it is not available, however many records there are."


def released_count(data: DataSet) -> int | None:
    """Return the number of records of a private column as a release of it said it; None where none has.

    It does once this session holds a release of this column that was charged to the account which pays for the next
    one too, if that account protects against replacement: then the number is public. Neither a control of the page nor
    an open account is enough: its name can be typed beside any file, and looking up whether the file is one of its own
    would be an exact answer for nothing. So the first release of a column is calibrated inside the press, and a refused
    one says so without any number (`drawing`).
    """
    payer = data.identity, panel.account_name(data)
    released = [each for each in (state.outcome_of(data), state.column_of(data)) if isinstance(each, ReleaseFacts)]
    told = (each.records for each in released if (each.identity, each.account) == payer)
    return next((records for records in told if records is not None), None)


def _possible(plan: Plan, data: DataSet | None) -> tuple[int | None, ...]:
    """Return the numbers of records to calibrate a plan with: one, or two that stand for all where it is not known."""
    if plan.adjacency is Adjacency.ADD_REMOVE or _has_several(data):
        return (None,)
    count = data.public_count if data else None
    return (FEWEST, MOST) if count is None else (count,)


def _has_several(data: DataSet | None) -> bool:
    """Return whether a person may have several records, whose number is then never public."""
    return data is not None and data.person is not None and data.person.most_rows is not None


def why_not(plan: Plan, data: DataSet | None) -> str:
    """Return why the plan's mechanism is not available, as far as the screen may know it; empty where it is."""
    reasons = [refusal_of(plan, count) for count in _possible(plan, data)]
    if None in reasons:
        return ""
    said = {sentence_of(reason) for reason in reasons if reason}
    return said.pop() if len(said) == 1 else HOWEVER_MANY


def judged_with(plan: Plan, data: DataSet | None) -> int | None:
    """Return the number of records with which a plan is judged before a press; None where it needs none.

    Where the screen may not know it, it is one that the plan serves, if there is one: then the press decides.
    """
    count = data.public_count if data else None
    if plan.adjacency is Adjacency.ADD_REMOVE or count is not None:
        return count
    return FEWEST if refusal_of(plan, FEWEST) is None else MOST


def decided_by_press(plan: Plan, data: DataSet | None) -> bool:
    """Return whether it depends on a number that the screen may not know if the plan's mechanism is available."""
    return len({refusal_of(plan, count) is None for count in _possible(plan, data)}) == 2


def least_guarantee(plan: Plan, data: DataSet | None) -> Guarantee:
    """Return what a release of the plan will cost at least; exactly what it will cost where the number may be known.

    For a plan that `why_not` does not refuse. Where the number is not known it may decide the delta, never the epsilon.
    """
    counts = _possible(plan, data)
    served = next(count for count in reversed(counts) if refusal_of(plan, count) is None)
    guarantee = calibrate(plan, served).guarantee
    return guarantee if len(counts) == 1 else replace(guarantee, delta=0.0)
