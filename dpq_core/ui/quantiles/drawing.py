"""The one place where noise is drawn, and a ledger asked first: one press, one outcome, one charge."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from ...calibrations import Calibrations, calibrations_of
from ...domain import Domain, FindBounds
from ...errors import BudgetError, Infeasible, LedgerError
from ...privacy import Adjacency
from ...results import DataSet, PrivateData, PublicData, Simulation, outcomes, synthetic
from .. import budget
from ..budget import PayingAccount
from ..classroom import membership
from ..forms import refusals
from ..server import signin
from ..shell import Mode, ReleaseRequest, complain, links, sentence_of, state
from .live import draws_now, in_turn

Refused = Callable[[refusals.Need, str], None]
"""Keeps what a refused plan needs, and a sentence on what finding out has cost."""
UNEXPECTED = "This did not work. Please change a setting and try again."
UNEXPECTED_RELEASE = (
    "This did not work. The page Budget says whether it was charged; what was charged stays. Please change a setting "
    "and try again."
)

NOT_WITH_THIS_NUMBER = (
    "There is no answer. Either the mechanism is not available for this number of records, which the page does not say "
    "before a first answer, or what is left of the budget does not allow it. Try another mechanism or another budget."
)


def draw_quantiles(
    data: DataSet,
    bounds: Domain | FindBounds,
    calibrations: Calibrations,
    payer: PayingAccount | None,
    seed: int | None = None,
) -> None:
    """Draw one simulation, with the next seed unless one is given, or one release of the plan's quantiles."""

    def simulate(public: PublicData) -> None:
        number = seed or state.next_seed()
        if isinstance(bounds, FindBounds):
            outcome = outcomes.simulate_finding(public, bounds, calibrations.plan, number)
        else:
            outcome = _simulated(public, bounds, calibrations, number)
        state.keep_outcome(outcome)

    refused = refusals.keeper("quantiles", data, bounds, calibrations.plan)
    _draw(simulate, data, bounds, calibrations, payer, refused)


def _simulated(public: PublicData, domain: Domain, calibrations: Calibrations, seed: int) -> Simulation:
    """Return one simulation; what a room shows of an example is drawn once, and everybody in it sees that."""
    draws = draws_now(calibrations.plan)

    def simulate() -> Simulation:
        with in_turn(calibrations.plan):
            return outcomes.simulate_once(public, state.sample_of(public, domain), calibrations, seed, draws)

    if not public.is_example:
        return simulate()
    made_of = (public.made_of, outcomes.wording_of(public, domain), domain, calibrations.plan, seed, draws)
    return membership.once(links.page(), links.link_values(), made_of, simulate)


def draw_column(
    data: DataSet, domain: Domain, calibrations: Calibrations, payer: PayingAccount | None, seed: int | None = None
) -> None:
    """Draw one column, simulated with the next seed unless one is given, or released.

    `calibrations`: of the plan with the quantiles of the column.
    """

    def simulate(public: PublicData) -> None:
        sample = state.sample_of(public, domain)
        state.keep_column(synthetic.simulate_column(public, sample, calibrations, seed or state.next_seed()))

    _draw(simulate, data, domain, calibrations, payer)


def _draw(
    simulate: Callable[[PublicData], None],
    data: DataSet,
    bounds: Domain | FindBounds,
    calibrations: Calibrations,
    payer: PayingAccount | None,
    refused: Refused | None = None,
) -> None:
    """Draw what was pressed: quantiles where `refused` takes a refusal, else a column."""
    links.forget_notes()
    if isinstance(data, PublicData):
        state.note_simulation()
        problem = attempt(partial(simulate, data), Mode.EXPLORE, refused=refused)
        if problem:
            complain(problem)
    elif isinstance(data, PrivateData) and payer is not None:
        plan, size = calibrations.plan, None
        if refused is None:
            plan, size = synthetic.without_quantiles(plan), len(plan.quantiles)
        wanted = ReleaseRequest(data.identity, data.missing, bounds, plan, data.person, size, payer.name)
        _release(data, wanted, calibrations, payer)


def finish_interrupted(data: DataSet | None, payer: PayingAccount | None) -> None:
    """Fetch the answer of a press whose run was ended by another click. The ledger has it: nothing is paid twice."""
    press = state.open_press()
    if press is None or not isinstance(data, PrivateData) or payer is None or press.identity != data.identity:
        return
    plan = press.plan if press.size is None else synthetic.plan_of(press.plan, press.size)
    _answer(data, press, calibrations_of(plan), payer, again=True)


def show_failure() -> None:
    """Say once, under the button, why the last press of Release had no answer."""
    sentence = state.take_failure()
    if sentence:
        complain(sentence)


def _release(data: PrivateData, wanted: ReleaseRequest, calibrations: Calibrations, payer: PayingAccount) -> None:
    """Release once for each press: a second click, while the first one is being answered, is the same press."""
    from ...ledger import new_release_id

    unfinished = state.open_press()
    if unfinished is not None and replace(unfinished, release_id="") == wanted:
        press = unfinished
    else:
        press = replace(wanted, release_id=new_release_id())
    state.keep_press(press)
    _answer(data, press, calibrations, payer, again=press is unfinished)


def _answer(
    data: PrivateData, press: ReleaseRequest, calibrations: Calibrations, payer: PayingAccount, *, again: bool
) -> None:
    """Answer a press, or say why not; then run the page once more, so that all of it knows what is left.

    `again`: the press was interrupted, so that it may be charged already.
    """
    requested = replace(data, missing=press.missing, person=press.person)

    def release() -> None:
        account = replace(payer, name=press.account).open()
        bounds, paid = press.bounds, (account, press.release_id, signin.who())
        if press.size is None:
            state.keep_outcome(outcomes.release_once(requested, bounds, calibrations, *paid))
        else:
            assert isinstance(bounds, Domain), "a column is made on a grid that was chosen"
            state.keep_column(synthetic.release_column(requested, bounds, calibrations, *paid))
        budget.compare_files(account, data)

    draw = partial(once_more, release) if again else release
    if press.plan.adjacency is Adjacency.SUBSTITUTE and data.public_count is None:
        draw = partial(without_numbers, draw)
    refused = refusals.keeper("quantiles", requested, press.bounds, press.plan) if press.size is None else None
    state.keep_failure(attempt(draw, Mode.RELEASE, payer, refused))
    state.keep_press(None)
    st.rerun()


def once_more(release: Callable[[], None]) -> None:
    """Release what was asked for before; where the ledger cannot be reached now, it may have been charged then."""
    try:
        release()
    except LedgerError:
        raise LedgerError(budget.NOBODY_KNOWS) from None


class _Unsaid(ValueError):
    """A refusal that may follow from a number of records that the screen must not know; `.charged` as of Infeasible."""

    def __init__(self, charged: float) -> None:
        super().__init__(NOT_WITH_THIS_NUMBER)
        self.charged = charged


def without_numbers(release: Callable[[], None]) -> None:
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
    except Exception as error:  # its message might quote the data, so only its type is told
        logging.getLogger(__name__).error("Drawing ended with %s.", type(error).__name__)
        return UNEXPECTED if mode is Mode.EXPLORE else UNEXPECTED_RELEASE
    return ""


def _charge(epsilon: float, mode: Mode) -> str:
    """Return what it has cost to find out."""
    if not epsilon:
        return ""
    if mode is Mode.EXPLORE:
        return f"A release would have spent ε = {epsilon:.4g} on finding this out."
    return f"Finding this out has spent ε = {epsilon:.4g} of the budget."
