"""Advice: every mechanism for a question, ranked by simulation, from public facts alone; no data is read.

    facts = PublicFacts(quantiles=even_levels(9), privacy=PureDP(1.0), n=1000, domain=Domain(0, 120, 1))
    advice = advise(facts)
    advice.ranking[0].mechanism, advice.ranking[0].mean, advice.ranking[0].why
    advice.refused[0].mechanism, advice.refused[0].why_not

`ranking` holds every available mechanism, best first, with the rank errors to expect; `refused` holds the others
with the reason; `remarks` are sentences about the whole. What to expect is simulated on public shapes of data within
the bounds of the question (`simulation`). "Choose for me" takes a rule instead (`choice`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log2

from ..calibrations import calibrations_of
from ..errors import ParameterError
from ..mechanisms.base import Registered
from ..mechanisms.profile import Profile
from ..mechanisms.registry import MECHANISMS
from ..plan import Plan
from ..privacy.budgets import PureDP
from ..studies.reference import NO_SHARES
from ..studies.shapes import USUAL_SIZE
from .facts import PublicFacts
from .simulation import MOST_RECORDS, NEGLIGIBLE_ERROR, TOO_SLOW, Range, Simulation, runs_of, too_slow

SAME_ERROR_FACTOR = 1.15
"""Two mechanisms whose errors differ by no larger factor are as good as each other here."""
SAME_ERROR_RECORDS = 0.5
"""Nor does half a record decide."""
LARGE_SHARE = 0.1
"""Of all records: an error that leaves little of a quantile."""
NOT_KNOWN_TO_BE_NORMAL = (
    "It is for columns with a normal distribution: give `sigma` and `mean_bound`, from public knowledge."
)
SHAPES_IN_WORDS = (
    "This advice does not use your data. It simulates public shapes within your bounds: an even spread, a bell, two "
    "humps, a heavy tail, the same in far too wide bounds, bounds 20 times too wide, one value shared by a third of "
    "the records. It leaves out shapes with fewer values than quantiles."
)
BELLS_IN_WORDS = (
    "This advice does not use your data. It simulates bell-shaped columns within your bounds, because you chose a "
    "standard deviation for the normal sample."
)


def why_it_suits(profile: Profile, facts: PublicFacts) -> str:
    """Return what decides the error of a mechanism that can serve, in one or two sentences."""
    text = (profile.suits_one if facts.m == 1 else "") or profile.suits
    return text.format(levels=facts.m, halvings=ceil(log2(facts.m + 1)), part=_part(facts))


def _part(facts: PublicFacts) -> str:
    if facts.m == 1:
        return "the whole budget"
    if isinstance(facts.privacy, PureDP):
        return f"1/{facts.m} of the budget"
    return f"more than 1/{facts.m} of the budget, since losses partly cancel"


def remarks_on(facts: PublicFacts, n: int, ranking: Sequence[tuple[str, float]]) -> tuple[str, ...]:
    """Return what holds for the whole advice; `ranking` holds labels and mean errors, best first."""
    found = []
    if not ranking:
        return ("No mechanism is available for this plan. The reasons say what to change.",)
    least = min(error for _, error in ranking)
    near = [label for label, error in ranking[1:] if error <= SAME_ERROR_FACTOR * least + SAME_ERROR_RECORDS]
    if near:
        found.append(f"As good within {100 * (SAME_ERROR_FACTOR - 1):.0f} % or half a record: {', '.join(near)}.")
    if facts.n is None:
        found.append(
            f"You gave no number of records, so the advice assumes {n:,}. Errors in records hardly depend on it, but "
            "slices need room, and percentages need a total."
        )
    if least > LARGE_SHARE * n:
        found.append(
            f"Even the best is off by more than {100 * LARGE_SHARE:.0f} % of all records: use a larger budget, "
            "fewer quantiles or more records."
        )
    if n > MOST_RECORDS:
        found.append(f"Simulated with {MOST_RECORDS:,} records. With more, values that many share make errors smaller.")
    return (*found, SHAPES_IN_WORDS if facts.normal_distribution is None else BELLS_IN_WORDS)


def why_outside(expected: Range, measured: float, trials: int, failed: int) -> str:
    """Return why a study's mean rank error is outside the expected range; empty if it is inside."""
    if expected.low <= measured <= expected.high:
        return ""
    if measured < expected.low:
        return (
            "On this data its error is smaller than on every shape of the advice: records that share a value, or "
            "values close together near the quantiles, make errors smaller."
        )
    if failed:
        return (
            f"On this data its error is larger than expected: it failed in {failed:,} of {trials:,} runs, which is too "
            "rare for the short simulation of the advice."
        )
    return (
        "On this data its error is larger than on every shape of the advice: far too wide bounds, or quantiles just "
        "beside a value that many share, make errors larger."
    )


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


@lru_cache(maxsize=128)
def advise(facts: PublicFacts) -> Advice:
    """Return every mechanism, ranked by the mean rank error to expect, or refused. Repeatable, and kept for next time.

    Mechanisms that a short simulation cannot distinguish from the best keep the order of `MECHANISMS`.

    Where n is not given, errors are those for 1,000 records: most mechanisms' errors in records hardly depend on n,
    only what is available does. Where the records are known to be normal, only normal data counts.
    """
    n = USUAL_SIZE if facts.n is None else facts.n
    simulations: dict[str, Simulation] = {}
    refused = []
    for key, mechanism in MECHANISMS.items():
        why_not = _why_not_asked(facts, mechanism)
        try:
            if not why_not:
                simulations[key] = Simulation(facts, key, n)
                simulations[key].run(runs_of(facts, key))
        except ParameterError as error:
            why_not = str(error)
        if why_not:
            refused.append(MechanismRefusal(mechanism=key, label=mechanism.LABEL, why_not=why_not))
    expected = [
        Expectation(
            mechanism=key, label=MECHANISMS[key].LABEL, plan=found.plan, mean=found.mean, worst=found.worst,
            why=why_it_suits(MECHANISMS[key].PROFILE, facts),
        )
        for key, found in simulations.items()
    ]  # fmt: skip
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
    if facts.shares and not mechanism.PROFILE.reads_shares:
        return NO_SHARES
    if mechanism.PROFILE.needs_normal and facts.normal_distribution is None:
        return NOT_KNOWN_TO_BE_NORMAL
    if not too_slow(facts, mechanism.KEY):
        return ""
    refused = calibrations_of(facts.plan(mechanism.KEY), unit=facts.unit).refusal(None)
    return TOO_SLOW if refused is None else str(refused)
