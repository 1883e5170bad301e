"""The one place where noise is drawn, and a ledger asked first: one press, one outcome, one charge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from dpq_core.calibrations import Calibrations, calibrations_of
from dpq_core.domain import Domain, FindBounds
from dpq_core.plan import Plan
from dpq_core.privacy import Adjacency
from dpq_core.results import DataSet, PersonChoice, PrivateData, PublicData, Released, Simulation, outcomes, synthetic

from ..budget import PayingAccount
from ..classroom import membership
from ..form import refusals
from ..frame import links, state
from ..frame.presses import Press, Presses
from ..server import signin
from . import attempts, live

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger import Account


@dataclass(frozen=True)
class ReleaseRequest(Press):
    """What one press of Release asks for."""

    missing: Fraction | None
    bounds: Domain | FindBounds
    plan: Plan
    person: PersonChoice | None
    size: int | None
    """Of a synthetic column; None for quantiles."""
    n_guess: int | None = None
    """A public guess of how many records there are."""


PRESSES: Presses[ReleaseRequest] = Presses("quantiles")


def draw_quantiles(
    data: DataSet,
    bounds: Domain | FindBounds,
    calibrations: Calibrations,
    payer: PayingAccount | None,
    seed: int | None = None,
    n_guess: int | None = None,
) -> None:
    """Draw one simulation, with the next seed unless one is given, or one release of the plan's quantiles.

    `n_guess`: a public guess of how many records there are.
    """

    def simulate(public: PublicData) -> Simulation:
        number = seed or state.next_seed()
        if not isinstance(bounds, FindBounds):
            return _simulated(public, bounds, calibrations, number)
        plan = calibrations.plan
        asked = outcomes.simulate_finding, public, bounds, plan, number
        return live.compute_and_say(plan, public.values.size, *asked)

    refused = refusals.keeper("quantiles", data, bounds, calibrations.plan)
    _draw(simulate, data, bounds, calibrations, payer, refused, n_guess)


def _simulated(public: PublicData, domain: Domain, calibrations: Calibrations, seed: int) -> Simulation:
    """Return one simulation; what a room shows of an example is drawn once, and everybody in it sees that."""
    plan, records = calibrations.plan, public.values.size
    draws = live.draws_now(plan, records)

    def simulate() -> Simulation:
        sample = state.sample_of(public, domain)
        once = outcomes.simulate_once, public, sample, calibrations, seed, draws
        return live.compute(plan, records, draws, *once)

    if not public.is_example:
        return simulate()
    made_of = (public.made_of, outcomes.wording_of(public, domain), domain, plan, seed, draws)
    return membership.once(links.page(), links.link_values(), made_of, simulate)


def draw_column(
    data: DataSet, domain: Domain, calibrations: Calibrations, payer: PayingAccount | None, seed: int | None = None
) -> None:
    """Draw one column, simulated with the next seed unless one is given, or released.

    `calibrations`: of the plan with the quantiles of the column.
    """

    def simulate(public: PublicData) -> synthetic.SimulatedColumn:
        sample = state.sample_of(public, domain)
        number = seed or state.next_seed()
        asked = synthetic.simulate_column, public, sample, calibrations, number
        return live.compute_and_say(calibrations.plan, public.values.size, *asked)

    _draw(simulate, data, domain, calibrations, payer)


def _draw(
    simulate: Callable[[PublicData], Simulation | synthetic.SimulatedColumn],
    data: DataSet,
    bounds: Domain | FindBounds,
    calibrations: Calibrations,
    payer: PayingAccount | None,
    refused: attempts.Refused | None = None,
    n_guess: int | None = None,
) -> None:
    """Draw what was pressed: quantiles where `refused` takes a refusal, else a column."""
    if isinstance(data, PublicData):
        state.note_simulation()
        attempts.simulate(partial(simulate, data), refused)
    elif isinstance(data, PrivateData) and payer is not None:
        plan, size = calibrations.plan, None
        if refused is None:
            plan, size = synthetic.without_quantiles(plan), len(plan.quantiles)
        asked = (data.missing, bounds, plan, data.person, size, n_guess)
        press, again = PRESSES.begin(ReleaseRequest(*asked, identity=data.identity, account=payer.name))
        _answer(data, press, calibrations, payer, again=again)


def finish_interrupted(data: DataSet | None, payer: PayingAccount | None) -> None:
    """Fetch the answer of a press whose run was ended by another click. The ledger has it: nothing is paid twice."""
    press = PRESSES.unfinished()
    if press is None or not isinstance(data, PrivateData) or payer is None or press.identity != data.identity:
        return
    plan = press.plan if press.size is None else synthetic.plan_of(press.plan, press.size)
    _answer(data, press, calibrations_of(plan), payer, again=True)


def _answer(
    data: PrivateData, press: ReleaseRequest, calibrations: Calibrations, payer: PayingAccount, *, again: bool
) -> None:
    requested = replace(data, missing=press.missing, person=press.person)

    def release(account: Account) -> Released | synthetic.ReleasedColumn:
        bounds, paid = press.bounds, (account, press.release_id, signin.who())
        if press.size is None:
            return outcomes.release_once(requested, bounds, calibrations, *paid, press.n_guess)
        assert isinstance(bounds, Domain), "a column is made on a grid that was chosen"
        return synthetic.release_column(requested, bounds, calibrations, *paid)

    hides = press.plan.adjacency is Adjacency.SUBSTITUTE and data.public_count is None
    refused = refusals.keeper("quantiles", requested, press.bounds, press.plan) if press.size is None else None
    attempts.answer(PRESSES, release, payer, data, again=again, hides_numbers=hides, refused=refused)
