"""Divide a plan's budget between a first step, which finds bounds or counts, and the quantiles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from ..errors import Infeasible, ParameterError
from ..plan import Plan
from ..privacy import Guarantee, Privacy, first_and_rest, least_noisy, loss_with_first


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

    def rest(privacy: Privacy) -> Plan:
        return Plan(plan.quantiles, plan.mechanism, privacy, plan.adjacency, plan.options)

    def tried(way: tuple[Fraction, Privacy]) -> tuple[Split, Guarantee]:
        finding, privacy = way
        return Split(finding, rest(privacy)), spent(rest(privacy))

    return least_noisy(first_and_rest(plan.privacy, share), tried, lambda found: (found[1],))[0]


def rest_of(privacy: Privacy, share: Fraction) -> Privacy:
    """Return about what a budget leaves to the quantiles, for advice. Raises ParameterError."""
    return first_and_rest(privacy, share)[0][1]


def charged_already(refused: ParameterError, finding: Fraction, about: str) -> Infeasible:
    """Return a refusal of the second step, with a word `about` the first one: it has drawn and spent already."""
    words = (*refused.words[2:], about)
    if not isinstance(refused, Infeasible):
        return Infeasible(refused.name, words, refused.remedies, charged=loss_with_first(finding, 0.0))
    charged = loss_with_first(finding, refused.charged)
    return Infeasible(
        refused.name, words, refused.remedies, count=refused.count, noisy_count=refused.noisy_count, charged=charged
    )
