"""One attempt to draw, and the sentence on why there is no answer: it tells nothing that is not public."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NoReturn

import streamlit as st

from dpq_core.errors import BudgetError, Infeasible, LedgerError
from dpq_core.privacy.budgets import budget_in_digits
from dpq_core.results.data_set import PrivateData
from dpq_core.results.kinds import Answered

from .. import keys
from ..form import refusals
from ..payment import alike, underway
from ..payment.account import NOBODY_KNOWS, PayingAccount
from ..server import sessions
from ..shell import links, presses, state
from ..shell.header import complain, sentence_of
from ..shell.presses import ReleaseRequest
from ..shell.state import Mode

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger.accounts import Account

Refused = Callable[[refusals.Need, str], None]
"""Keeps what a refused plan needs, and a sentence on what finding out has cost."""
UNEXPECTED = "This did not work. Please change a setting and try again."
UNEXPECTED_RELEASE = (
    "This did not work. The page Releases says whether it was charged; what was charged stays. Please change a setting "
    "and try again."
)
NOT_WITH_THIS_NUMBER = (
    "There is no answer. Either the mechanism is not available for this number of records, which the page does not say "
    "before a first answer, or what is left of the budget does not allow it. Try another mechanism or another budget."
)


def simulate(draw: Callable[[], Answered], refused: Refused | None = None) -> None:
    """Draw what is no release and keep it; where there is none, say why."""
    problem = attempt(lambda: state.keep(draw()), Mode.EXPLORE, refused=refused)
    if problem:
        complain(problem)


def answer(
    press: ReleaseRequest,
    draw: Callable[[Account], Answered],
    payer: PayingAccount,
    columns: Sequence[PrivateData],
    *,
    again: bool,
    hides_numbers: bool,
    refused: Refused | None = None,
) -> NoReturn:
    """Answer a press, or keep why not; then run the page once more, so that all of it knows what is left.

    `columns`: those that are released. `again`: the press was interrupted, so that it may be charged already.
    `hides_numbers`: a refusal would tell how many records there are.
    """

    def release() -> None:
        account = _account_of(press, payer)
        state.keep(draw(account))
        alike.compare_files(account, columns[0])

    def attempted() -> None:
        try:
            (partial(_without_numbers, release) if hides_numbers else release)()
        except LedgerError:  # says nothing of the data
            if not again:
                raise
            raise LedgerError(NOBODY_KNOWS) from None

    with st.container(border=True), underway.noted(press.account, press.release_id):
        st.button(
            "Cancel", key=keys.widget("cancel_press"), icon=":material/close:", on_click=presses.cancel, args=(press,)
        )
        problem = attempt(attempted, Mode.RELEASE, payer, refused)
    presses.finish(press, problem)
    st.rerun()


def _account_of(press: ReleaseRequest, payer: PayingAccount) -> Account:
    """Return the account that pays for a press; it is charged only while its visitor is there and wants it."""
    status = st.empty()

    def before_charge() -> None:
        if sessions.is_gone():
            st.stop()
        status.caption("Charging …")  # ends the run here if the visitor has clicked: Cancel, or anything else
        presses.note_charge(press)

    return replace(replace(payer, name=press.account).open(), before_charge=before_charge)


class _Unsaid(ValueError):
    """A refusal that may follow from a number of records that the screen must not know; `.charged` as of Infeasible."""

    def __init__(self, charged: float) -> None:
        super().__init__(NOT_WITH_THIS_NUMBER)
        self.charged = charged


def _without_numbers(release: Callable[[], None]) -> None:
    """Release, and refuse without a number: the number of records must not be on the screen."""
    try:
        release()
    except Infeasible as error:
        raise _Unsaid(error.charged) from None
    except LedgerError:  # says nothing of the data
        raise
    except ValueError:
        raise ValueError(NOT_WITH_THIS_NUMBER) from None


def attempt(
    draw: Callable[[], None], mode: Mode, payer: PayingAccount | None = None, refused: Refused | None = None
) -> str:
    """Draw, and return one sentence on why it failed, else nothing. What a failure has spent is in the ledger.

    `refused` takes a refusal that other settings avoid, with what it has cost; then nothing is left to be said.
    """
    links.forget_notes()
    try:
        with st.spinner("Drawing …"):
            draw()
    except (Infeasible, _Unsaid) as error:
        need, price = refusals.need_of(error), _charge(error.charged, mode)
        if refused is not None:
            refused(need, price)
            return ""
        return f"{need.sentence} {price}".strip()
    except BudgetError as error:
        return payer.refusal_in_words(error) if payer else sentence_of(error)
    except ValueError as error:
        return sentence_of(error)
    except Exception as error:  # its message might quote the data, so log only its type
        logging.getLogger(__name__).error("Drawing ended with %s.", type(error).__name__)
        return UNEXPECTED if mode is Mode.EXPLORE else UNEXPECTED_RELEASE
    return ""


def _charge(epsilon: float, mode: Mode) -> str:
    """Return what it has cost to find out."""
    if not epsilon:
        return ""
    if mode is Mode.EXPLORE:
        return f"A release would have spent ε = {budget_in_digits(epsilon, 4)} on finding this out."
    return f"Finding this out has spent ε = {budget_in_digits(epsilon, 4)} of the budget."
