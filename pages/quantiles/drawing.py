"""The only place that draws noise, and asks a ledger first: one press, one outcome, one charge, for every kind of
answer.

For one column it draws its quantiles, or those of its groups; for a table, several columns.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from dpq_core.calibrations import Calibrations, calibrations_of
from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.privacy.budgets import Adjacency
from dpq_core.progress import Progress
from dpq_core.question import Question
from dpq_core.results import outcomes
from dpq_core.results.chosen import Chosen, resolved
from dpq_core.results.data_set import DataSet, PublicData
from dpq_core.results.kinds import Answered, Simulated
from dpq_core.results.released import release_asked
from dpq_core.results.simulated import simulate_column, simulate_finding, simulate_groups_of, simulate_table
from dpq_core.results.wording import count_in_words

from ..form import refusals
from ..payment.account import PayingAccount
from ..room import membership
from ..server import signin, work
from ..shell import links, presses, state
from ..shell.presses import ReleaseRequest
from ..shell.state import ChosenTable, Mode
from . import attempts, live

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger.accounts import Account

Data = TypeVar("Data", bound=DataSet)


def draw(
    table: ChosenTable,
    asked: Chosen | Question,
    payer: PayingAccount | None = None,
    seed: int | None = None,
    *,
    calibrations: Calibrations | None = None,
) -> None:
    """Draw one simulation, with the next seed unless one is given, or one release.

    `asked`: of several columns the question alone; `calibrations`: what the form has found for the plan of one whole
    column that is simulated.
    """
    chosen = asked if isinstance(asked, Chosen) else work.know(resolved, asked)
    if table.mode is Mode.EXPLORE:
        of_one = table.bare and chosen.question.groups is None
        state.note_simulation("" if of_one else table.identity)  # what is cancelled does not begin again by itself
        number = state.use_seed(seed) if seed else state.next_seed()
        simulate = partial(_simulated, table, chosen, number, calibrations)
        attempts.simulate(simulate, _keeper(table, chosen))
    elif payer is not None:
        wanted = ReleaseRequest(identity=table.identity, account=payer.name, asked=chosen.question, resolved=chosen)
        press, again = presses.begin(wanted)
        _answer(table, press, payer, again=again)


def finish_interrupted(table: ChosenTable | None, payer: PayingAccount | None) -> None:
    """Fetch the answer of a press whose run was ended by another click. The ledger has it: nothing is paid twice."""
    if table is None or not table.private or payer is None:
        return
    press = presses.unfinished(table.identity)
    if press is not None:
        _answer(table, press, payer, again=True)


def _keeper(table: ChosenTable, asked: Chosen) -> attempts.Refused | None:
    """Return what keeps a refusal that other settings avoid: of the quantiles of one whole column."""
    if not table.bare or asked.question.groups is not None:
        return None
    data = _column(table.columns[0], asked)
    return refusals.keeper("quantiles", data, asked.question.possible[data.name], asked.plans[data.name])


def _column(data: Data, asked: Chosen) -> Data:
    """Return a column as it was asked for."""
    return replace(data, missing=asked.question.missing[data.name], person=asked.question.persons)


def _simulated(table: ChosenTable, asked: Chosen, seed: int, calibrations: Calibrations | None) -> Answered:
    records = table.explored[0].values.size
    if not table.bare:
        of_table = table.explored, asked, table.reading, seed, table.identity, table.about
        return live.compute_and_say(asked.plan.plans[0], records, simulate_table, *of_table, quicker=False)
    (data,) = table.explored
    bounds, plan = asked.question.possible[data.name], asked.plans[data.name]
    if asked.question.groups is not None:
        return live.compute_and_say(plan, records, simulate_groups_of, data, asked, seed)
    if isinstance(bounds, FindBounds):
        return live.compute_and_say(plan, records, simulate_finding, data, asked, seed)
    return _beside_truth(data, asked, bounds, calibrations or calibrations_of(plan), seed)


def _beside_truth(data: PublicData, asked: Chosen, domain: Domain, calibrations: Calibrations, seed: int) -> Simulated:
    """Return one simulation; what a room shows of an example is drawn once, and everybody in it sees that."""
    plan, records = calibrations.plan, data.values.size

    def simulate() -> Simulated:
        sample = state.sample_of(data, domain)
        return live.compute(plan, records, simulate_column, data, sample, asked, calibrations, seed)

    if not data.is_example:
        return simulate()
    cache_key = (data.cache_key, outcomes.wording_of(data, domain), domain, plan, seed)
    return membership.once(links.page(), links.link_values(), cache_key, simulate)


def _answer(table: ChosenTable, press: ReleaseRequest, payer: PayingAccount, *, again: bool) -> None:
    asked, data = press.asked, [each for each in table.private if each.name in press.asked.columns]
    replaced = asked.adjacency is Adjacency.SUBSTITUTE and data[0].public_count is None
    hides = replaced or asked.groups is not None  # a refusal now follows from sizes that are on no screen
    release = partial(_released, table, press)
    refused = _keeper(table, press.resolved)
    attempts.answer(press, release, payer, data, again=again, hides_numbers=hides, refused=refused)


def _progress(asked: Chosen) -> Progress:
    """Show how far a release of a table is, and return what moves that on."""

    def doing(share: float) -> str:
        return f"Drawing {count_in_words(len(asked.plans), 'column')}: {100 * share:.0f} %"

    bar = st.progress(0.0, text=doing(0))
    return lambda share: bar.progress(min(share, 1.0), text=doing(share))


def _released(table: ChosenTable, press: ReleaseRequest, account: Account) -> Answered:
    asked, paid = press.resolved, (account, press.release_id, signin.who())
    columns = [_column(each, asked) for each in table.private] if table.bare else table.private
    about = table.identity, table.about, _progress(asked)
    return release_asked(columns, asked, table.reading, *paid, *about, of_table=not table.bare)
