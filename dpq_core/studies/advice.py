"""Advice: which mechanism suits a question, from public facts alone; no data is read and nothing is drawn.

    facts = Facts(quantiles=even_levels(9), privacy=PureDP(1.0), n=1000, cells=101)
    advice = advise(facts)
    advice.ranking[0].mechanism, advice.ranking[0].mean_error, advice.ranking[0].why
    advice.refused[0].mechanism, advice.refused[0].why_not

`ranking` holds every mechanism that can serve, best first, with the rank errors to expect; `refused` holds the others
with the reason; `remarks` are sentences about the whole. Expected errors are the size of the noise, which follows
from the calibration (`advice_laws`), times a factor measured on public shapes (`advice_surface`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, nan

import numpy as np

from ..errors import ParameterError
from ..mechanisms import MECHANISMS, Mechanism
from ..plan import Plan
from .advice_facts import Facts
from .advice_laws import Expected, expected_errors
from .advice_surface import Floats, stored_surface
from .advice_words import NOT_IN_A_STREAM, NOT_KNOWN_TO_BE_NORMAL, remarks_on, why_it_suits
from .shapes import USUAL_SIZE

__all__ = ["Advice", "Expectation", "Facts", "Refusal", "advise"]


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """One mechanism that can serve. Errors are rank errors in records; shares are of n, NaN where n is unknown."""

    mechanism: str
    label: str
    plan: Plan
    """What to run for it."""
    mean_error: float
    """To expect, as the mean over the quantiles: the geometric mean over public shapes of data."""
    mean_low: float
    """On the kindest of these shapes; `mean_high` on the hardest."""
    mean_high: float
    max_error: float
    """Likewise of the worst of the quantiles."""
    max_low: float
    max_high: float
    mean_share: float
    max_share: float
    surface_error: float
    """How far the surface is off on its own shapes, a record aside, in 19 of 20 fresh simulations: 0.1 is 10 %."""
    why: str


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """One mechanism that cannot serve, and why, as a sentence that says what would do."""

    mechanism: str
    label: str
    why_not: str


@dataclass(frozen=True, kw_only=True)
class Advice:
    """What to choose: the first of `ranking`, unless it is empty."""

    facts: Facts
    n: int
    """The number of records that errors were worked out for: that of the facts, or a usual one."""
    ranking: tuple[Expectation, ...]
    refused: tuple[Refusal, ...]
    remarks: tuple[str, ...]


def advise(facts: Facts) -> Advice:
    """Every mechanism, ranked by the mean rank error to expect, or refused. O(mechanisms * m); repeatable.

    Where n is not given, errors are those for 1,000 records: most mechanisms' errors in records hardly depend on n,
    only what can serve at all does. Where the records are known to be normal, only normal data counts.
    """
    n = USUAL_SIZE if facts.n is None else facts.n
    expected: list[Expectation] = []
    refused = []
    for key, mechanism in MECHANISMS.items():
        try:
            found = _expected(facts, key, mechanism, n)
        except ParameterError as error:
            refused.append(Refusal(mechanism=key, label=mechanism.LABEL, why_not=str(error)))
        else:
            expected.append(_expectation(facts, mechanism, found, n))
    ranking = tuple(sorted(expected, key=lambda one: one.mean_error))
    return Advice(
        facts=facts,
        n=n,
        ranking=ranking,
        refused=tuple(refused),
        remarks=remarks_on(facts, n, [(one.label, one.mean_error) for one in ranking], stored_surface()),
    )


def _expected(facts: Facts, key: str, mechanism: Mechanism, n: int) -> Expected:
    """Raises ParameterError where the mechanism cannot serve."""
    if facts.streaming and not getattr(mechanism, "READS", ()):
        raise ParameterError("streaming", NOT_IN_A_STREAM)
    if key == "normal" and facts.sigma is None and facts.mean_bound is None:
        raise ParameterError("sigma", NOT_KNOWN_TO_BE_NORMAL)
    only = "" if facts.sigma is None else "normal"
    return expected_errors(stored_surface(), facts.plan(key), n, facts.cells, only)


def _expectation(facts: Facts, mechanism: Mechanism, found: Expected, n: int) -> Expectation:
    mean_error, max_error = _middle(found.mean), _middle(found.max)
    known = facts.n is not None and n > 0
    return Expectation(
        mechanism=mechanism.KEY,
        label=mechanism.LABEL,
        plan=facts.plan(mechanism.KEY),
        mean_error=mean_error,
        mean_low=float(found.mean.min()),
        mean_high=float(found.mean.max()),
        max_error=max_error,
        max_low=float(found.max.min()),
        max_high=float(found.max.max()),
        mean_share=mean_error / n if known else nan,
        max_share=max_error / n if known else nan,
        surface_error=expm1(stored_surface().off_by[found.part]),
        why=why_it_suits(mechanism.KEY, facts),
    )


def _middle(errors: Floats) -> float:
    """The geometric mean over shapes; 0 without records, where no answer can err."""
    return float(np.exp(np.log(errors).mean())) if errors.min() > 0 else 0.0
