"""Compute what releases would cost had all been planned before the first answer: smaller, and only to show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import fsum, inf, isfinite, nextafter

from ...privacy import Guarantee, rho_to_epsilon

FINEST_STEP = 1e-4
MOST_STEPS = 50_000
"""Privacy losses are rounded up to steps of a grid: as fine as this many steps allow."""


def epsilon_if_planned(guarantees: Iterable[Guarantee], delta: float) -> float:
    """Return the epsilon at a delta > 0 of releases all planned before any answer; infinite if none holds.

    The smallest of three bounds: plain sums, the sum of rho, and the composition of privacy loss distributions
    (dp-accounting), where each release stands for the worst one of its epsilon and delta and those that state only a
    rho for one together. Each holds for plans fixed in advance, and so does the smallest. O(grid) for each kind.
    """
    spent = [guarantee for guarantee in guarantees if guarantee.epsilon > 0 or guarantee.delta > 0]
    if not spent:
        return 0.0
    bounds = [_by_loss_distributions(spent, delta)]
    if fsum(guarantee.delta for guarantee in spent) <= delta:
        bounds.append(_upwards(fsum(guarantee.epsilon for guarantee in spent)))
    if all(guarantee.rho is not None for guarantee in spent):
        bounds.append(rho_to_epsilon(_total_rho(spent), delta))
    return min(bounds)


def _by_loss_distributions(spent: list[Guarantee], delta: float) -> float:
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_distribution as pld

    kinds = Counter((each.epsilon, each.delta) for each in spent if isfinite(each.epsilon))
    only_rho = [each for each in spent if not isfinite(each.epsilon)]
    if any(each.rho is None for each in only_rho):
        return inf
    if only_rho:
        kinds[rho_to_epsilon(_total_rho(only_rho), delta / 2), delta / 2] += 1
    whole = fsum(epsilon * times for (epsilon, _), times in kinds.items())
    step = max(FINEST_STEP, whole / MOST_STEPS)
    try:
        composed = pld.identity(value_discretization_interval=step)
        for (epsilon, own_delta), times in kinds.items():
            parameters = common.DifferentialPrivacyParameters(epsilon, own_delta)
            one = pld.from_privacy_parameters(parameters, value_discretization_interval=step)
            composed = composed.compose(one.self_compose(times))
        return float(composed.get_epsilon_for_delta(delta))
    except (ArithmeticError, IndexError, ValueError):  # e^epsilon or 1 - delta is beyond its floats: no bound from it
        return inf


def _total_rho(spent: list[Guarantee]) -> float:
    return _upwards(fsum(each.rho for each in spent if each.rho is not None))


def _upwards(value: float) -> float:
    """Return a float above what was rounded to the nearest float."""
    return nextafter(value, inf)
