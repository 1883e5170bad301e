"""The only place that draws noise, and asks a ledger first: one press, one outcome, one charge, for every kind of
answer.

For one column it draws its quantiles, those of its groups, or a synthetic column; for a table, several columns.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from dpq_core.calibrations import Calibrations, calibrations_of
from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.plan import Plan
from dpq_core.privacy.budgets import Adjacency
from dpq_core.progress import Progress
from dpq_core.results import outcomes, synthetic
from dpq_core.results.data_set import DataSet, PublicData
from dpq_core.results.kinds import Simulated
from dpq_core.results.released import release_asked
from dpq_core.results.simulated import simulate_column, simulate_finding, simulate_groups_of, simulate_table
from dpq_core.results.tables.expected import resolved
from dpq_core.results.tables.kinds import TableRequest
from dpq_core.results.wording import count_in_words

from ..budget.panel import PayingAccount
from ..classroom import membership
from ..form import refusals
from ..form.requests import plan_of_whole
from ..frame import links, presses, state
from ..frame.presses import ReleaseRequest
from ..frame.state import ChosenTable, Mode
from ..server import signin, work
from . import attempts, live

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger.accounts import Account

Data = TypeVar("Data", bound=DataSet)


def draw(
    table: ChosenTable,
    asked: TableRequest,
    payer: PayingAccount | None = None,
    seed: int | None = None,
    *,
    size: int | None = None,
    calibrations: Calibrations | None = None,
) -> None:
    """Draw one simulation, with the next seed unless one is given, or one release.

    `size`: of a synthetic column, for which the plan has no quantiles; `calibrations`: what the form has found for the
    plan of one whole column, with the quantiles of a synthetic one.
    """
    if table.mode is Mode.EXPLORE:
        of_one = table.bare and asked.groups is None
        state.note_simulation("" if of_one else table.identity)  # what is cancelled does not begin again by itself
        number = state.use_seed(seed) if seed else state.next_seed()
        simulate = partial(_simulated, table, asked, number, size, calibrations)
        attempts.simulate(simulate, _keeper(table, asked, size))
    elif payer is not None:
        found = asked if table.bare else work.know(resolved, asked)
        wanted = ReleaseRequest(identity=table.identity, account=payer.name, asked=asked, resolved=found, size=size)
        press, again = presses.begin(wanted)
        _answer(table, press, payer, calibrations, again=again)


def finish_interrupted(table: ChosenTable | None, payer: PayingAccount | None) -> None:
    """Fetch the answer of a press whose run was ended by another click. The ledger has it: nothing is paid twice."""
    if table is None or not table.private or payer is None:
        return
    press = presses.unfinished(table.identity)
    if press is not None:
        _answer(table, press, payer, again=True)


def _keeper(table: ChosenTable, asked: TableRequest, size: int | None) -> attempts.Refused | None:
    """Return what keeps a refusal that other settings avoid: of the quantiles of one whole column."""
    if not table.bare or asked.groups is not None or size is not None:
        return None
    data = _column(table.columns[0], asked)
    return refusals.keeper("quantiles", data, asked.bounds[data.name], asked.plans[data.name])


def _column(data: Data, asked: TableRequest) -> Data:
    """Return a column as it was asked for."""
    return replace(data, missing=asked.missing[data.name], person=asked.person)


def _simulated(
    table: ChosenTable, asked: TableRequest, seed: int, size: int | None, calibrations: Calibrations | None
) -> attempts.Drawn:
    if not table.bare:
        of_table = table.explored, work.know(resolved, asked), table.reading, seed, table.identity, table.about
        return live.compute_and_say(plan_of_whole(asked), asked.about_n, simulate_table, *of_table, quicker=False)
    (data,) = table.explored
    bounds, plan, records = asked.bounds[data.name], asked.plans[data.name], data.values.size
    if asked.groups is not None:
        return live.compute_and_say(plan, records, simulate_groups_of, data, asked, seed)
    if isinstance(bounds, FindBounds):
        return live.compute_and_say(plan, records, simulate_finding, data, asked, seed)
    calibrations = calibrations or _calibrations(plan, size)
    if size is None:
        return _beside_truth(data, asked, bounds, calibrations, seed)
    of_column = data, state.sample_of(data, bounds), calibrations, seed
    return live.compute_and_say(calibrations.plan, records, synthetic.simulate_column, *of_column)


def _beside_truth(
    data: PublicData, asked: TableRequest, domain: Domain, calibrations: Calibrations, seed: int
) -> Simulated:
    """Return one simulation; what a room shows of an example is drawn once, and everybody in it sees that."""
    plan, records = calibrations.plan, data.values.size

    def simulate() -> Simulated:
        sample = state.sample_of(data, domain)
        return live.compute(plan, records, simulate_column, data, sample, asked, calibrations, seed)

    if not data.is_example:
        return simulate()
    cache_key = (data.cache_key, outcomes.wording_of(data, domain), domain, plan, seed)
    return membership.once(links.page(), links.link_values(), cache_key, simulate)


def _answer(
    table: ChosenTable,
    press: ReleaseRequest,
    payer: PayingAccount,
    calibrations: Calibrations | None = None,
    *,
    again: bool,
) -> None:
    asked, data = press.resolved, [each for each in table.private if each.name in press.resolved.plans]
    replaced = plan_of_whole(asked).adjacency is Adjacency.SUBSTITUTE and data[0].public_count is None
    hides = replaced or asked.groups is not None  # a refusal now follows from sizes that are on no screen
    release = partial(_released, table, press, calibrations)
    refused = _keeper(table, asked, press.size)
    attempts.answer(press, release, payer, data, again=again, hides_numbers=hides, refused=refused)


def _progress(asked: TableRequest) -> Progress:
    """Show how far a release of a table is, and return what moves that on."""

    def doing(share: float) -> str:
        return f"Drawing {count_in_words(len(asked.plans), 'column')}: {100 * share:.0f} %"

    bar = st.progress(0.0, text=doing(0))
    return lambda share: bar.progress(min(share, 1.0), text=doing(share))


def _released(
    table: ChosenTable, press: ReleaseRequest, calibrations: Calibrations | None, account: Account
) -> attempts.Drawn:
    asked, paid = press.resolved, (account, press.release_id, signin.who())
    if press.size is None:
        columns = [_column(each, asked) for each in table.private] if table.bare else table.private
        about = table.identity, table.about, _progress(asked)
        return release_asked(columns, asked, table.reading, *paid, *about, of_table=not table.bare)
    (data,) = table.private
    bounds, plan = asked.bounds[data.name], asked.plans[data.name]
    data, calibrations = _column(data, asked), calibrations or _calibrations(plan, press.size)
    assert isinstance(bounds, Domain), "a column is made on a grid that was chosen"
    return synthetic.release_column(data, bounds, calibrations, *paid)


def _calibrations(plan: Plan, size: int | None) -> Calibrations:
    return calibrations_of(plan if size is None else synthetic.plan_of(plan, size))
