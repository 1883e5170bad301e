"""Divide a budget between finding the bounds and drawing the quantiles, and add both up: exact fractions, rounded once.

Adaptive composition: the second step may be chosen by the first one's output, and its domain is. An epsilon_1-DP step
and an (epsilon_2, delta)-DP one for every domain are (epsilon_1 + epsilon_2, delta)-DP together (Dwork, Kenthapadi,
McSherry, Mironov & Naor 2006); rho adds likewise (Bun & Steinke 2016, Lemma 2.3), where the first step, being
epsilon_1-DP, is (epsilon_1^2 / 2)-zCDP.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite, isqrt

from ..errors import Infeasible, ParameterError
from ..plan import Plan
from ..privacy import (
    SMALLEST_BUDGET,
    ZCDP,
    ApproxDP,
    Guarantee,
    Privacy,
    PureDP,
    largest_rho,
    pure_to_rho,
    round_down,
    round_up,
)


@dataclass(frozen=True)
class Split:
    """What both steps may spend."""

    finding: Fraction
    """The epsilon of the walks."""
    plan: Plan
    """The plan with the rest."""


def split(plan: Plan, share: Fraction, spent: Callable[[Plan], Guarantee]) -> Split:
    """Return a division of a plan's budget: of those that its mechanism has, the one with the least noise.

    `spent` says what a plan spends. An (epsilon, delta) budget goes through rho, or leaves delta to the second step.
    Raises ParameterError (also Infeasible) where there is none.
    """
    found: list[tuple[float, Split]] = []
    refused: ParameterError | None = None
    for finding, privacy in _ways(plan.privacy, share):
        rest = Plan(plan.quantiles, plan.mechanism, privacy, plan.adjacency, plan.options)
        try:
            guarantee = spent(rest)
        except ParameterError as error:
            refused = refused or error
            continue
        rho = pure_to_rho(guarantee.epsilon) if guarantee.rho is None else guarantee.rho
        found.append((rho, Split(finding, rest)))
    if refused is not None and not found:
        raise refused
    return max(found, key=lambda way: way[0])[1]


def rest_of(privacy: Privacy, share: Fraction) -> Privacy:
    """Return about what a budget leaves to the quantiles, for advice. Raises ParameterError."""
    return _ways(privacy, share)[0][1]


def _ways(privacy: Privacy, share: Fraction) -> list[tuple[Fraction, Privacy]]:
    if isinstance(privacy, ZCDP):
        return [_by_rho(privacy.rho, share)]
    if isinstance(privacy, PureDP):
        return [(share * Fraction(privacy.epsilon), PureDP(_rest(privacy.epsilon, share)))]
    pure = share * Fraction(privacy.epsilon), ApproxDP(_rest(privacy.epsilon, share), privacy.delta)
    return [pure, _by_rho(largest_rho(privacy.epsilon, privacy.delta), share)]


def _by_rho(rho: float, share: Fraction) -> tuple[Fraction, Privacy]:
    """Return the largest epsilon with epsilon^2 / 2 <= share * rho, rounded down, and the rest of rho."""
    bits = 80
    return Fraction(isqrt(int(2 * share * Fraction(rho) * 4**bits)), 2**bits), ZCDP(_rest(rho, share))


def _rest(budget: float, share: Fraction) -> float:
    """Return what remains of a budget, rounded down. Raises ParameterError where that is too little."""
    rest = round_down(Fraction(budget) * (1 - share))
    if rest < SMALLEST_BUDGET:
        raise ParameterError("share", f"must leave the quantiles a budget of at least {SMALLEST_BUDGET:g}.")
    return rest


def charged_already(refused: ParameterError, finding: Fraction, about: str) -> Infeasible:
    """Return a refusal of the second step, with a word `about` the first one: it has drawn and spent already."""
    words = (*refused.words[2:], about)
    if not isinstance(refused, Infeasible):
        return Infeasible(refused.name, words, refused.ways, charged=round_up(finding))
    charged = round_up(Fraction(refused.charged) + finding)
    return Infeasible(
        refused.name, words, refused.ways, count=refused.count, noisy_count=refused.noisy_count, charged=charged
    )


def together(plan: Plan, finding: Fraction, second: Guarantee) -> Guarantee:
    """Return what both steps guarantee: losses add, and rho adds."""
    rho = None if second.rho is None else round_up(Fraction(second.rho) + finding**2 / 2)
    epsilon, delta = second.epsilon, second.delta
    if isfinite(epsilon):
        epsilon = round_up(Fraction(epsilon) + finding)
    privacy = plan.privacy
    if isinstance(privacy, ApproxDP) and epsilon > privacy.epsilon:
        epsilon, delta = privacy.epsilon, privacy.delta
    return replace(second, epsilon=epsilon, delta=delta, rho=rho)
