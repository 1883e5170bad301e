"""One press, one outcome, one charge: all columns are simulated or released in one go, with progress."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import streamlit as st

from dpq_core.errors import Infeasible, ParameterError
from dpq_core.plan import Plan
from dpq_core.privacy import Adjacency, Guarantee
from dpq_core.results import (
    ColumnsOutcome,
    ColumnsReleased,
    ColumnsSimulation,
    PrivateData,
    TableRequest,
    count_in_words,
    release_table,
    resolved,
    simulate_table,
)

from .. import budget
from ..budget import PayingAccount
from ..frame import Mode, state
from ..frame.presses import Press, Presses
from ..quantiles import attempts, live, questions
from ..server import signin
from ..settings import PREFIX
from .data import ChosenTable

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger import Account

SAID, MOST_OF_HUNDRED = 0.01, 0.99
"""From which chance on it is said that an answer may be far off; and the largest one that is said as a number."""
_BEGUN, _JUDGED = f"{PREFIX}:table_begun", f"{PREFIX}:table_judged"


@dataclass(frozen=True)
class TablePress(Press):
    """What one press of Release asks of all columns."""

    request: TableRequest
    resolved: TableRequest = field(compare=False)
    """With the best mechanisms in place of "best"."""


PRESSES: Presses[TablePress] = Presses("columns")


def outcome_of(table: ChosenTable | None) -> ColumnsOutcome | None:
    """Return the last outcome that may stand beside these columns."""
    if table is None:
        return None
    if table.mode is Mode.RELEASE and state.forget_explored(table.identity):
        st.session_state.pop(_BEGUN, None)
    return state.table_of(table.identity, table.mode)


def is_first_picture(table: ChosenTable) -> bool:
    """Return whether nothing was drawn yet and the table is an example: the page then opens with one simulation."""
    return table.identity.startswith("example:") and _BEGUN not in st.session_state


def is_current(table: ChosenTable, request: TableRequest | None) -> bool:
    """Return whether the page still asks for what the outcome was made from."""
    found = state.table_of(table.identity, table.mode)
    return found is not None and request is not None and (found.one, found.request.asked) == (table.one, request)


def not_paid(payer: PayingAccount | None, table: ChosenTable, request: TableRequest) -> str:
    """Return why no budget pays for a release; empty where one does, and in Explore."""
    if table.mode is Mode.EXPLORE:
        return ""
    plan = as_one(request)
    return questions.not_paid(payer, _least_guarantee(plan), plan)


def refused(request: TableRequest) -> ParameterError | None:
    """Return why the columns cannot be answered as is asked, from public facts; None where they can.

    What depends on the number of records, the press decides. Kept for the next run of the page.
    """
    stored: tuple[TableRequest, ParameterError | None] | None = st.session_state.get(_JUDGED)
    if stored is not None and stored[0] == request:
        return stored[1]
    found: ParameterError | None = None
    try:
        resolved(request).calibrated()
    except Infeasible:
        pass
    except ParameterError as error:
        found = error.with_traceback(None)
    st.session_state[_JUDGED] = (request, found)
    return found


def as_one(request: TableRequest) -> Plan:
    """Return a plan with the budget and the adjacency of the whole."""
    return next(iter(request.plans.values()))


def _least_guarantee(plan: Plan) -> Guarantee:
    """Return what all columns cost together at least; whether a delta is spent, the press decides."""
    return replace(Guarantee.of(plan.privacy, plan.adjacency), delta=0.0)


def payer_data(table: ChosenTable | None) -> PrivateData | None:
    """Return what the account that pays is chosen for: the file, by one of its columns."""
    return table.private[0] if table is not None and table.private else None


def draw(table: ChosenTable, request: TableRequest, payer: PayingAccount | None, seed: int | None = None) -> None:
    """Simulate all columns, with the next seed unless one is given, or release them."""
    if table.mode is Mode.EXPLORE:
        chosen = state.use_seed(seed) if seed else state.next_seed()
        attempts.simulate(lambda: _simulated(table, request, chosen))
    elif payer is not None:
        asked = TablePress(request, resolved(request), identity=table.identity, account=payer.name)
        press, again = PRESSES.begin(asked)
        _answer(table, press, payer, again=again)


def _simulated(table: ChosenTable, request: TableRequest, seed: int) -> ColumnsSimulation:
    st.session_state[_BEGUN] = True  # what takes long and is cancelled does not begin again by itself
    asked = table.explored, resolved(request), table.reading, seed, table.identity, table.about
    return live.compute_and_say(as_one(request), request.about_n, simulate_table, *asked, quicker=False)


def far_off_in_words(request: TableRequest) -> str:
    """Return which answers are often far off, by the columns and levels that they are of; empty without a forecast."""
    found = resolved(request)
    if not found.chances:
        return ""
    said: dict[str, list[str]] = {}
    for name, chances in found.chances.items():
        often = [
            f"{100 * float(level):g} %"
            for level, chance in zip(found.plans[name].quantiles, chances, strict=True)
            if chance >= SAID
        ]
        if often:
            worst = count_of_hundred(max(chances))
            said.setdefault(f"{', '.join(often)} (in {worst} of 100 releases)", []).append(name)
    if not said:
        return "none in more than 1 of 100 releases"
    return "; ".join(f"{levels} of {', '.join(names)}" for levels, names in said.items())


def count_of_hundred(chance: float) -> str:
    """Return a chance as a count of 100: `about 12`, `more than 99`."""
    return "more than 99" if chance > MOST_OF_HUNDRED else f"about {max(round(100 * chance), 1)}"


def _show(bar: st.delta_generator.DeltaGenerator, share: float, request: TableRequest) -> None:
    bar.progress(min(share, 1.0), text=_doing(share, request))


def _doing(share: float, request: TableRequest) -> str:
    return f"Drawing {count_in_words(len(request.plans), 'column')}: {100 * share:.0f} %"


def finish_interrupted(table: ChosenTable | None, payer: PayingAccount | None) -> None:
    """Fetch the answer of a press whose run was ended by another click. The ledger has it: nothing is paid twice."""
    press = PRESSES.unfinished()
    if press is not None and table is not None and payer is not None and press.identity == table.identity:
        _answer(table, press, payer, again=True)


def _answer(table: ChosenTable, press: TablePress, payer: PayingAccount, *, again: bool) -> None:
    def release(account: Account) -> ColumnsReleased:
        bar = st.progress(0.0, text=_doing(0, press.request))
        return release_table(
            table.private,
            press.resolved,
            table.reading,
            account,
            press.release_id,
            signin.who(),
            table.identity,
            table.about,
            lambda share: _show(bar, share, press.request),
        )

    replaced = as_one(press.request).adjacency is Adjacency.SUBSTITUTE or press.request.groups is not None
    released = [each for each in table.private if each.name in press.request.plans]
    attempts.answer(PRESSES, release, payer, table.private[0], released, again=again, hides_numbers=replaced)


def spent_of(outcome: ColumnsOutcome) -> str:
    """Return what all releases of the data set have spent by now; empty for a simulation."""
    return budget.spent_of(outcome.account) if isinstance(outcome, ColumnsReleased) else ""
