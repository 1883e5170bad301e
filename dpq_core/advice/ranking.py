"""Advice: which mechanism suits a question, from public facts alone; no data is read.

    facts = PublicFacts(quantiles=even_levels(9), privacy=PureDP(1.0), n=1000, domain=Domain(0, 120, 1))
    advice = advise(facts)
    advice.ranking[0].mechanism, advice.ranking[0].mean, advice.ranking[0].why
    advice.refused[0].mechanism, advice.refused[0].why_not

`ranking` holds every available mechanism, best first, with the rank errors to expect; `refused` holds the others
with the reason; `remarks` are sentences about the whole. What to expect is simulated on public shapes of data within
the bounds of the question (`simulation`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from threading import RLock

from ..calibrations import calibrations_of
from ..errors import ParameterError
from ..mechanisms import MECHANISMS, Registered
from ..plan import Plan
from ..sample import Sample
from ..studies import USUAL_SIZE
from ..studies.reference import NO_SHARES
from .facts import PublicFacts
from .race import NEGLIGIBLE_ERROR, first_runs, run_on, too_slow
from .reasons import NOT_IN_A_STREAM, NOT_KNOWN_TO_BE_NORMAL, TOO_SLOW, remarks_on, why_it_suits
from .simulation import Range, Simulation

__all__ = ["Advice", "Expectation", "MechanismRefusal", "PublicFacts", "Range", "advise"]


ALIKE = 1.05
"""Two mechanisms whose errors differ by no larger factor: the simulations err by as much."""


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """A mechanism that is available, with the rank errors to expect."""

    mechanism: str
    label: str
    plan: Plan
    """The plan to run."""
    mean: Range
    """The expected mean rank error, in records: the mean over the quantiles of a run."""
    worst: Range
    """The expected worst rank error: the largest over the quantiles of a run."""
    why: str


@dataclass(frozen=True, kw_only=True)
class MechanismRefusal:
    """A mechanism that is not available, and a sentence that says why and what would help."""

    mechanism: str
    label: str
    why_not: str


@dataclass(frozen=True, kw_only=True)
class Advice:
    """What to choose: the first of `ranking`, unless it is empty."""

    facts: PublicFacts
    n: int
    """The number of records that errors were worked out for: that of the facts, or a usual one."""
    ranking: tuple[Expectation, ...]
    refused: tuple[MechanismRefusal, ...]
    remarks: tuple[str, ...]


_ONE_AT_A_TIME = RLock()
"""A visitor who asks for what is being computed for another waits: a class asks for the same at the same moment."""


def advise(facts: PublicFacts) -> Advice:
    """Return every mechanism, ranked by the mean rank error to expect, or refused. Repeatable, and kept for next time.

    Mechanisms that a short simulation cannot distinguish from the best keep the order of `MECHANISMS`.

    Where n is not given, errors are those for 1,000 records: most mechanisms' errors in records hardly depend on n,
    only what is available does. Where the records are known to be normal, only normal data counts.
    """
    with _ONE_AT_A_TIME:
        return ranked(facts)


@lru_cache(maxsize=128)
def ranked(facts: PublicFacts) -> Advice:
    """Return the advice of `advise`; several threads may work out the same."""
    n = USUAL_SIZE if facts.n is None else facts.n
    simulations: dict[str, Simulation] = {}
    refused = []
    for key, mechanism in MECHANISMS.items():
        why_not = _why_not_asked(facts, mechanism)
        try:
            if not why_not:
                simulations[key] = first_runs(facts, key, n)
        except ParameterError as error:
            why_not = str(error)
        if why_not:
            refused.append(MechanismRefusal(mechanism=key, label=mechanism.LABEL, why_not=why_not))
    run_on(facts, simulations)
    expected = [_expectation(facts, key, simulation) for key, simulation in simulations.items()]
    alike = max(ALIKE * min((one.mean.typical for one in expected), default=0.0), NEGLIGIBLE_ERROR)
    ranking = tuple(sorted(expected, key=lambda one: max(one.mean.typical, alike)))
    return Advice(
        facts=facts,
        n=n,
        ranking=ranking,
        refused=tuple(refused),
        remarks=remarks_on(facts, n, [(one.label, one.mean.typical) for one in ranking]),
    )


def _why_not_asked(facts: PublicFacts, mechanism: Registered) -> str:
    """Return why a mechanism does not suit the facts with any settings; empty where it may."""
    if facts.streaming and mechanism.READS is Sample:
        return NOT_IN_A_STREAM
    if facts.shares and not mechanism.PROFILE.reads_shares:
        return NO_SHARES
    if mechanism.PROFILE.needs_normal and facts.normal_distribution is None:
        return NOT_KNOWN_TO_BE_NORMAL
    if not too_slow(facts, mechanism.KEY):
        return ""
    refused = calibrations_of(facts.plan(mechanism.KEY), unit=facts.unit).refusal(None)
    return TOO_SLOW if refused is None else str(refused)


def _expectation(facts: PublicFacts, key: str, simulation: Simulation) -> Expectation:
    return Expectation(
        mechanism=key,
        label=MECHANISMS[key].LABEL,
        plan=simulation.plan,
        mean=simulation.mean,
        worst=simulation.worst,
        why=why_it_suits(MECHANISMS[key].PROFILE, facts),
    )
