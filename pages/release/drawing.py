"""The only place that releases: one press, one outcome, one charge, for one column, its groups or several columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

import streamlit as st

from dpq_core.errors import Infeasible, LedgerError
from dpq_core.privacy.budgets import Adjacency
from dpq_core.progress import Progress
from dpq_core.results.chosen import Chosen, with_chances
from dpq_core.results.released import release_asked
from dpq_core.results.wording import count_in_words

from .. import keys
from ..form import refusals
from ..form.refusals import Unsaid, attempt
from ..payment import ledger
from ..payment.account import NOBODY_KNOWS, PayingAccount, compare_files
from ..server import sessions, signin, work
from ..shell import presses, state
from ..shell.presses import ReleaseRequest
from ..shell.state import ChosenTable

if TYPE_CHECKING:  # it needs SQLAlchemy
    from dpq_core.ledger.accounts import Account

COST = "Finding this out has spent ε = {} of the budget."
UNEXPECTED = (
    "This did not work. The page Releases says whether it was charged; what was charged stays. Please change a setting "
    "and try again."
)
NOT_WITH_THIS_NUMBER = (
    "There is no answer. Either the mechanism is not available for this number of records, which the page does not say "
    "before a first answer, or what is left of the budget does not allow it. Try another mechanism or another budget."
)


def draw(table: ChosenTable, asked: Chosen, payer: PayingAccount) -> NoReturn:
    """Draw one release."""
    chosen = asked if table.bare else work.know(with_chances, asked)
    wanted = ReleaseRequest(identity=table.identity, account=payer.name, asked=chosen.question, resolved=chosen)
    press, again = presses.begin(wanted)
    _answer(table, press, payer, again=again)


def finish_interrupted(table: ChosenTable, payer: PayingAccount) -> None:
    """Fetch the answer of a press whose run was ended by another click. The ledger has it: nothing is paid twice."""
    press = presses.unfinished(table.identity)
    if press is not None:
        _answer(table, press, payer, again=True)


def _answer(table: ChosenTable, press: ReleaseRequest, payer: PayingAccount, *, again: bool) -> NoReturn:
    """Answer a press, or keep why not; then run the page once more, so that all of it knows what is left.

    `again`: the press was interrupted, so that it may be charged already.
    """
    asked, data = press.asked, [each for each in table.private if each.name in press.asked.columns]
    replaced = asked.adjacency is Adjacency.REPLACE_ONE and data[0].public_count is None
    hides = replaced or asked.groups is not None  # a refusal now follows from sizes that are on no screen

    def fetch() -> None:
        account = _account_of(press, payer)
        asked, paid = press.resolved, (account, press.release_id, signin.who())
        columns = table.private
        if table.bare:
            columns = tuple(
                replace(each, missing=asked.question.missing[each.name], person=asked.question.persons)
                for each in columns
            )
        about = table.identity, table.about, _progress(asked)
        state.keep(release_asked(columns, asked, table.reading, *paid, *about, of_table=not table.bare))
        compare_files(account, data[0])

    def attempted() -> None:
        try:
            _without_numbers(fetch) if hides else fetch()
        except LedgerError:  # says nothing of the data
            if not again:
                raise
            raise LedgerError(NOBODY_KNOWS) from None

    with st.container(border=True), ledger.underway(press.account, press.release_id):
        st.button(
            "Cancel", key=keys.widget("cancel_press"), icon=":material/close:", on_click=presses.cancel, args=(press,)
        )
        problem = attempt(
            attempted, refusals.keeper("release", table, press.resolved), cost=COST, unexpected=UNEXPECTED,
            over_budget=payer.refusal_in_words,
        )  # fmt: skip
    presses.finish(press, problem)
    st.rerun()


def _without_numbers(fetch: Callable[[], None]) -> None:
    """Fetch an answer, and refuse without a number: the number of records must not be on the screen."""
    try:
        fetch()
    except Infeasible as error:
        raise Unsaid(NOT_WITH_THIS_NUMBER, error.charged) from None
    except LedgerError:
        raise
    except ValueError:
        raise ValueError(NOT_WITH_THIS_NUMBER) from None


def _account_of(press: ReleaseRequest, payer: PayingAccount) -> Account:
    """Return the account that pays for a press; it is charged only while its visitor is there and wants it."""
    status = st.empty()

    def before_charge() -> None:
        if sessions.is_gone():
            st.stop()
        status.caption("Charging …")  # ends the run here if the visitor has clicked: Cancel, or anything else
        presses.note_charge(press)

    return replace(replace(payer, name=press.account).open(), before_charge=before_charge)


def _progress(asked: Chosen) -> Progress:
    """Show how far a release is, and return what moves that on."""

    def doing(share: float) -> str:
        return f"Drawing {count_in_words(len(asked.plan.plans), 'column')}: {100 * share:.0f} %"

    bar = st.progress(0.0, text=doing(0))
    return lambda share: bar.progress(min(share, 1.0), text=doing(share))
