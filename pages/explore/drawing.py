"""Simulations of public data: what the page Explore draws, which is no release."""

from __future__ import annotations

from dataclasses import replace

from dpq_core.calibrations import Calibrations, calibrations_of
from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.question import Question
from dpq_core.results.chosen import Chosen
from dpq_core.results.data_set import PublicData, wording_of
from dpq_core.results.kinds import Answered, Simulated
from dpq_core.results.simulated import simulate_column, simulate_finding, simulate_table

from ..form import refusals
from ..form.refusals import attempt
from ..form.several import resolved_of
from ..room import membership
from ..shell import links, state
from ..shell.header import complain
from ..shell.state import ChosenTable
from . import live


def draw(table: ChosenTable, asked: Chosen | Question, seed: int, calibrations: Calibrations | None) -> None:
    """Draw one simulation and keep it; where there is none, say why.

    `asked`: of several columns the question alone; `calibrations`: what the form has found for the plan of one whole
    column.
    """
    chosen = resolved_of(asked)
    state.note_simulation("" if table.bare and chosen.question.groups is None else table.identity)
    number = state.use_seed(seed)  # noted before: what is cancelled does not begin again by itself
    keeper = refusals.keeper_of("explore", table, chosen)
    problem = attempt(lambda: state.keep(_simulated(table, chosen, number, calibrations)), keeper)
    if problem:
        complain(problem)


def _simulated(table: ChosenTable, asked: Chosen, seed: int, calibrations: Calibrations | None) -> Answered:
    records = table.explored[0].values.size
    if not table.bare or asked.question.groups is not None:
        of_table = table.explored, asked, table.reading, seed, table.identity, table.about
        found = live.compute_and_say(asked.plan.plans[0], records, simulate_table, *of_table, quicker=table.bare)
        return replace(found, of_table=not table.bare)
    (data,) = table.explored
    bounds, plan = asked.question.possible[data.name], asked.plans[data.name]
    if isinstance(bounds, FindBounds):
        return live.compute_and_say(plan, records, simulate_finding, data, asked, seed)
    return _beside_truth(data, asked, bounds, calibrations or calibrations_of(plan), seed)


def _beside_truth(data: PublicData, asked: Chosen, domain: Domain, calibrations: Calibrations, seed: int) -> Simulated:
    """Return one simulation; what a room shows of an example is drawn once, and everybody in it sees that."""
    plan, records = calibrations.plan, data.values.size

    def simulate() -> Simulated:
        column = state.sample_of(data, domain)
        return live.compute(plan, records, simulate_column, data, column, asked, calibrations, seed)

    if not data.is_example:
        return simulate()
    cache_key = (data.cache_key, wording_of(data, domain), domain, plan, seed)
    return membership.once(links.page(), links.link_values(), cache_key, simulate)
