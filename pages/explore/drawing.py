"""Simulations of public data: what the page Explore draws, which is no release."""

from __future__ import annotations

from dataclasses import replace

from dpq_core.calibrations import Calibrations, calibrations_of
from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.results.chosen import Chosen, with_chances
from dpq_core.results.data_set import PublicData, wording_of
from dpq_core.results.kinds import Answered, Simulated
from dpq_core.results.simulated import simulate_column, simulate_finding, simulate_table

from ..form import refusals
from ..form.form import Form
from ..form.refusals import attempt
from ..room import membership
from ..server import work
from ..shell import links, state
from ..shell.header import complain
from ..shell.state import ChosenTable
from . import live


def draw(form: Form, seed: int) -> None:
    """Draw one simulation and keep it; where there is none, say why."""
    table, chosen = form.table, form.chosen
    if table is None or chosen is None:
        return
    state.note_simulation("" if table.bare and not form.groups else table.identity)
    number = state.use_seed(seed)  # noted before: what is cancelled does not begin again by itself
    keeper = refusals.keeper("explore", table, chosen)
    if problem := attempt(lambda: state.keep(_simulated(form, table, chosen, number)), keeper):
        complain(problem)


def _simulated(form: Form, table: ChosenTable, asked: Chosen, seed: int) -> Answered:
    records = table.explored[0].values.size
    if form.several or form.groups:
        asked = work.know(with_chances, asked) if form.several else asked
        of_table = table.explored, asked, table.reading, seed, table.identity, table.about
        found = live.compute_and_say(asked.plan.plans[0], records, simulate_table, *of_table, quicker=table.bare)
        return replace(found, of_table=form.several)
    (data,) = table.explored
    bounds, plan = asked.question.possible[data.name], asked.plans[data.name]
    if isinstance(bounds, FindBounds):
        return live.compute_and_say(plan, records, simulate_finding, data, asked, seed)
    return _beside_truth(data, asked, bounds, form.calibrations or calibrations_of(plan), seed)


def _beside_truth(data: PublicData, asked: Chosen, domain: Domain, calibrations: Calibrations, seed: int) -> Simulated:
    """Return one simulation; what a room shows of an example is drawn once, and everybody in it sees that."""
    plan, records = calibrations.plan, data.values.size

    def simulate() -> Simulated:
        column = state.column_of(data, domain)
        return live.compute(plan, records, simulate_column, data, column, asked, calibrations, seed)

    if not data.is_example:
        return simulate()
    cache_key = (data.cache_key, wording_of(data, domain), domain, plan, seed)
    return membership.once(links.page(), links.link_values(), cache_key, simulate)
