"""One press, one outcome, one charge: all columns are simulated or released in one go, with progress."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import cast

import streamlit as st

from ...advice import best_plans, expected_errors
from ...errors import BudgetError, Infeasible, LedgerError
from ...group_privacy import Unit
from ...plan import Plan
from ...privacy import ZCDP, Adjacency, Guarantee
from ...results import (
    ColumnsOutcome,
    ColumnsReleased,
    PrivateData,
    TableRequest,
    count_in_words,
    release_table,
    simulate_table,
    unit_for,
    weighs_shares,
)
from .. import budget
from ..budget import PayingAccount
from ..quantiles import attempt, drawing, questions
from ..server import downloads, signin
from ..settings import PREFIX
from ..shell import Mode, complain, state
from .data import ChosenTable

_OUTCOME = f"{PREFIX}:table_outcome:"
_PRESS = f"{PREFIX}:table_press"
_FAILURE = f"{PREFIX}:table_failure"


@dataclass(frozen=True, eq=False)
class TablePress:
    """One press of Release, by public facts; whoever asks with its id again gets the same answer, paid once."""

    identity: str
    request: TableRequest
    resolved: TableRequest
    """With the best mechanisms in place of "best"."""
    account: str
    release_id: str


def outcome_of(table: ChosenTable | None) -> ColumnsOutcome | None:
    """Return the last outcome that may stand beside these columns."""
    if table is None:
        return None
    if table.mode is Mode.RELEASE:
        forget_explored(table)
    stored = cast("tuple[ColumnsOutcome, TableRequest] | None", st.session_state.get(_OUTCOME + table.mode))
    return stored[0] if stored is not None and stored[0].identity == table.identity else None


def forget_explored(table: ChosenTable) -> None:
    """Drop what was computed about the truth of columns that are not declared public any more."""
    stored = cast("tuple[ColumnsOutcome, TableRequest] | None", st.session_state.get(_OUTCOME + Mode.EXPLORE))
    if stored is not None and stored[0].identity == table.identity:
        del st.session_state[_OUTCOME + Mode.EXPLORE]
        downloads.forget()


def is_first_picture(table: ChosenTable) -> bool:
    """Return whether nothing was drawn yet and the table is an example: the page then opens with one simulation."""
    return table.identity.startswith("example:") and _OUTCOME + Mode.EXPLORE not in st.session_state


def is_current(table: ChosenTable, request: TableRequest | None) -> bool:
    """Return whether the page still asks for what the outcome was made from."""
    stored = cast("tuple[ColumnsOutcome, TableRequest] | None", st.session_state.get(_OUTCOME + table.mode))
    if stored is None or request is None:
        return False
    return (stored[0].identity, stored[0].one, stored[1].facts) == (table.identity, table.one, request.facts)


def not_paid(payer: PayingAccount | None, table: ChosenTable, request: TableRequest) -> str:
    """Return why no budget pays for a release; empty where one does, and in Explore."""
    if table.mode is Mode.EXPLORE:
        return ""
    if payer is None:
        return "Say first whose budget this spends, or correct the fields in red."
    plan = as_one(request)
    return payer.why_not(_least_guarantee(plan)) or questions.unanswered(plan, payer)


def as_one(request: TableRequest) -> Plan:
    """Return a plan with the budget and the adjacency of the whole."""
    return next(iter(request.plans.values()))


def _least_guarantee(plan: Plan) -> Guarantee:
    """Return what all columns cost together at least; whether a delta is spent, the press decides."""
    if isinstance(plan.privacy, ZCDP):
        return Guarantee(epsilon=float("inf"), delta=0.0, rho=plan.privacy.rho, adjacency=plan.adjacency)
    return Guarantee(epsilon=plan.privacy.epsilon, delta=0.0, rho=None, adjacency=plan.adjacency)


def payer_data(table: ChosenTable | None) -> PrivateData | None:
    """Return what the account that pays is chosen for: the file, by one of its columns."""
    return table.private[0] if table is not None and table.private else None


def draw(table: ChosenTable, request: TableRequest, payer: PayingAccount | None, seed: int | None = None) -> None:
    """Simulate all columns, with the next seed unless one is given, or release them."""
    if table.mode is Mode.EXPLORE:
        chosen = state.use_seed(seed) if seed else state.next_seed()
        problem = attempt(lambda: _simulate(table, request, chosen), Mode.EXPLORE)
        if problem:
            complain(problem)
    elif payer is not None:
        _release(table, request, payer)


def _simulate(table: ChosenTable, request: TableRequest, seed: int) -> None:
    bar = st.progress(0.0, text=_doing(0, request))
    try:
        resolved = _resolved(request)
        outcome = simulate_table(
            table.explored, resolved, seed, table.identity, table.about, lambda share: _show(bar, share, request)
        )
    finally:
        bar.empty()
    st.session_state[_OUTCOME + Mode.EXPLORE] = (outcome, request)


def _resolved(request: TableRequest) -> TableRequest:
    """Return the same with the best mechanism for each column, from public facts."""
    return replace(
        request,
        plans=best_plans(request.domains, request.plans, request.about_n, request.weights, *_units_and_shares(request)),
    )


def expected_points(request: TableRequest) -> tuple[float, ...]:
    """Return the error to expect in each column among as many records as were guessed, in points of rank.

    Columns in which it cannot be simulated are left out.
    """
    errors = expected_errors(
        request.domains, request.plans, request.about_n, request.weights, *_units_and_shares(request)
    ).values()
    return tuple(100 * error / request.about_n for error in errors if error is not None)


def _units_and_shares(request: TableRequest) -> tuple[dict[str, Unit], Collection[str]]:
    """Return what a neighbour of each column differs by, and the columns in which rows weigh shares."""
    units = {name: unit_for(request.person, plan) for name, plan in request.plans.items()}
    return units, request.plans if weighs_shares(request.person) else ()


def _show(bar: st.delta_generator.DeltaGenerator, share: float, request: TableRequest) -> None:
    bar.progress(min(share, 1.0), text=_doing(share, request))


def _doing(share: float, request: TableRequest) -> str:
    return f"Drawing {count_in_words(len(request.plans), 'column')}: {share:.0%}"


def _release(table: ChosenTable, request: TableRequest, payer: PayingAccount) -> None:
    from ...ledger import new_release_id

    open_press: TablePress | None = st.session_state.get(_PRESS)
    wanted = (table.identity, request.facts, payer.name)
    if open_press is None or (open_press.identity, open_press.request.facts, open_press.account) != wanted:
        open_press = TablePress(table.identity, request, _resolved(request), payer.name, new_release_id())
        st.session_state[_PRESS] = open_press
    _answer(table, open_press, payer)


def finish_interrupted(table: ChosenTable | None, payer: PayingAccount | None) -> None:
    """Fetch the answer of a press whose run was ended by another click. The ledger has it: nothing is paid twice."""
    press: TablePress | None = st.session_state.get(_PRESS)
    if press is not None and table is not None and payer is not None and press.identity == table.identity:
        _answer(table, press, payer)


def _answer(table: ChosenTable, press: TablePress, payer: PayingAccount) -> None:
    """Answer a press, or say why not; then run the page once more, so that all of it knows what is left."""

    def release() -> None:
        account = replace(payer, name=press.account).open()
        bar = st.progress(0.0, text=_doing(0, press.request))
        outcome = release_table(
            table.private,
            press.resolved,
            account,
            press.release_id,
            signin.who(),
            table.identity,
            table.about,
            lambda share: _show(bar, share, press.request),
        )
        st.session_state[_OUTCOME + Mode.RELEASE] = (outcome, press.request)
        budget.compare_files(account, table.private[0])

    replaced = as_one(press.request).adjacency is Adjacency.SUBSTITUTE
    problem = attempt(_without_numbers(release) if replaced else release, Mode.RELEASE, payer)
    st.session_state[_FAILURE] = problem
    st.session_state[_PRESS] = None
    st.rerun()


def _without_numbers(release: Callable[[], None]) -> Callable[[], None]:
    """Return the same, refused without a number: that of the records must not be on the screen."""

    def safely() -> None:
        try:
            release()
        except LedgerError:  # says nothing of the data
            raise
        except (Infeasible, BudgetError, ValueError):
            raise ValueError(drawing.NOT_WITH_THIS_NUMBER) from None

    return safely


def show_failure() -> None:
    """Say once why the last press of Release had no answer."""
    sentence = st.session_state.pop(_FAILURE, "")
    if sentence:
        complain(sentence)


def spent_of(outcome: ColumnsOutcome) -> str:
    """Return what all releases of the data set have spent by now; empty for a simulation."""
    return budget.spent_of(outcome.account) if isinstance(outcome, ColumnsReleased) else ""
