"""Advice: which mechanism suits a question, from public facts alone; no data is read.

    facts = Facts(quantiles=even_levels(9), privacy=PureDP(1.0), n=1000, domain=Domain(0, 120, 1))
    advice = advise(facts)
    advice.ranking[0].mechanism, advice.ranking[0].mean, advice.ranking[0].why
    advice.refused[0].mechanism, advice.refused[0].why_not

`ranking` holds every available mechanism, best first, with the rank errors to expect; `refused` holds the others
with the reason; `remarks` are sentences about the whole. What to expect is simulated on public shapes of data within
the bounds of the question (`simulation`).
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ParameterError
from ..mechanisms import MECHANISMS, Registered
from ..plan import Plan
from ..sample import Sample
from ..studies import USUAL_SIZE
from .facts import PublicFacts
from .reasons import NOT_IN_A_STREAM, NOT_KNOWN_TO_BE_NORMAL, TOO_SLOW, as_good_as, remarks_on, why_it_suits
from .simulation import Range, expected_errors, expected_seconds

__all__ = ["Advice", "Expectation", "MechanismRefusal", "PublicFacts", "Range", "advise"]

MOST_SECONDS = 0.6
"""A mechanism whose simulations would take longer, by the stated costs, is not simulated in advance."""


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


def advise(facts: PublicFacts) -> Advice:
    """Return every mechanism, ranked by the mean rank error to expect, or refused. Repeatable; a second or so.

    Those that a short simulation cannot tell from the best stand in the order of `MECHANISMS`.

    Where n is not given, errors are those for 1,000 records: most mechanisms' errors in records hardly depend on n,
    only what is available does. Where the records are known to be normal, only normal data counts.
    """
    n = USUAL_SIZE if facts.n is None else facts.n
    expected: list[Expectation] = []
    refused = []
    for key, mechanism in MECHANISMS.items():
        why_not = _why_not_asked(facts, mechanism)
        try:
            expected += [] if why_not else [_expectation(facts, mechanism, n)]
        except ParameterError as error:
            why_not = str(error)
        if why_not:
            refused.append(MechanismRefusal(mechanism=key, label=mechanism.LABEL, why_not=why_not))
    least = min((one.mean.typical for one in expected), default=0.0)
    ranking = tuple(sorted(expected, key=lambda one: max(one.mean.typical, as_good_as(least))))
    return Advice(
        facts=facts,
        n=n,
        ranking=ranking,
        refused=tuple(refused),
        remarks=remarks_on(facts, n, [(one.label, one.mean.typical) for one in ranking]),
    )


def _why_not_asked(facts: PublicFacts, mechanism: Registered) -> str:
    """Return why a mechanism does not suit the facts, whatever its settings; empty where it may."""
    if facts.streaming and mechanism.READS is Sample:
        return NOT_IN_A_STREAM
    if mechanism.KEY == "normal" and facts.normal_law is None:
        return NOT_KNOWN_TO_BE_NORMAL
    return TOO_SLOW if expected_seconds(facts, mechanism.KEY) > MOST_SECONDS else ""


def _expectation(facts: PublicFacts, mechanism: Registered, n: int) -> Expectation:
    """Return what to expect of a mechanism. Raises ParameterError where it is not available."""
    key = mechanism.KEY
    errors = expected_errors(facts, key, n)
    return Expectation(
        mechanism=key,
        label=mechanism.LABEL,
        plan=facts.plan(key),
        mean=errors.mean,
        worst=errors.worst,
        why=why_it_suits(mechanism.PROFILE, facts),
    )
