"""Choose the shape of a tree of counts and its noise for a budget, from public facts alone.

The shapes come from a search over 26 trees on five kinds of columns (uniform on a tenth and on all of the bounds,
normal, lognormal, exponential), 300 to 300,000 records, and budgets over a factor of 100. Error hardly depends on the
number of quantiles. Noise that grows with the height (pure budgets) wants three wide levels, noise that grows with
its square root six to eight narrow ones; a larger budget deserves finer leaves. n is private where a record may join,
so it is not used.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import get_args

from ...plan import Plan
from ...privacy.budgets import SMALLEST_BUDGET, ZCDP, Adjacency, ApproxDP, Guarantee
from ...privacy.conversions import largest_rho, round_up
from .noise import Noise, NoiseKind, gaussian_for_rho, laplace_for_epsilon, laplace_for_rho
from .tree import MOST_LEAVES, TreeShape

CHANGED_PER_LEVEL = {
    Adjacency.ADD_REMOVE: 1,  # the node that holds the record
    Adjacency.REPLACE_ONE: 2,  # the nodes of the old and of the new record
}


@dataclass(frozen=True)
class Budgeted:
    """A tree, the noise on its counts, and what they guarantee."""

    shape: TreeShape
    noise: Noise
    guarantee: Guarantee

    @property
    def error(self) -> float:
        """Return the variance of a sum of counts from the left, up to a constant, to compare candidates."""
        return self.noise.variance * (self.shape.branching - 1) * self.shape.height


def budgeted(plan: Plan, shape: TreeShape | None = None, kind: NoiseKind | None = None) -> Budgeted:
    """Return the best tree for the budget; of this shape, or with this kind of noise. Raises ParameterError."""
    return min(_candidates(plan, shape, (kind,) if kind else get_args(NoiseKind)), key=lambda found: found.error)


def _candidates(plan: Plan, shape: TreeShape | None, kinds: tuple[NoiseKind, ...]) -> list[Budgeted]:
    if isinstance(plan.privacy, ZCDP):
        return [_concentrated(kind, plan.privacy.rho, plan, shape) for kind in kinds]
    found = [_pure(plan.privacy.epsilon, plan.adjacency, shape)] if "laplace" in kinds else []
    if isinstance(plan.privacy, ApproxDP):
        rho = largest_rho(plan.privacy.epsilon, plan.privacy.delta)
        if rho >= SMALLEST_BUDGET:
            return found + [_concentrated(kind, rho, plan, shape) for kind in kinds]
    assert found, "Gaussian noise has a budget that allows it"
    return found


def _pure(epsilon: float, adjacency: Adjacency, shape: TreeShape | None) -> Budgeted:
    """Return Laplace noise for a pure budget."""
    each = CHANGED_PER_LEVEL[adjacency]
    shape = shape or _of_height(3, int(4096 * min(max(epsilon / each, 1), 8)))
    changed = each * shape.height
    noise = laplace_for_epsilon(Fraction(epsilon), changed)
    spent = round_up(Fraction(changed) / noise.size)
    return Budgeted(shape, noise, Guarantee(epsilon=spent, delta=0.0, rho=noise.rho(changed), adjacency=adjacency))


def _concentrated(kind: NoiseKind, rho: float, plan: Plan, shape: TreeShape | None) -> Budgeted:
    """Return noise of this kind for a concentrated budget; under an approximate one `rho` is the largest that fits."""
    each = CHANGED_PER_LEVEL[plan.adjacency]
    shape = shape or _of_branching(4, int(8192 * min(max(sqrt(8 * rho / each), 0.25), 4)))
    changed = each * shape.height
    noise = (gaussian_for_rho if kind == "gaussian" else laplace_for_rho)(Fraction(rho), changed)
    pure = noise.epsilon(changed)
    epsilon, delta = float("inf") if pure is None else round_up(pure), 0.0
    if isinstance(plan.privacy, ApproxDP) and epsilon > plan.privacy.epsilon:
        epsilon, delta = plan.privacy.epsilon, plan.privacy.delta
    guarantee = Guarantee(epsilon=epsilon, delta=delta, rho=min(noise.rho(changed), rho), adjacency=plan.adjacency)
    return Budgeted(shape, noise, guarantee)


def _of_height(height: int, wanted: int) -> TreeShape:
    """Return the tree of this height with `wanted` leaves or a little more, as far as is allowed."""
    branching = 2
    while branching**height < wanted and (branching + 1) ** height <= MOST_LEAVES:
        branching += 1
    return TreeShape(branching, height)


def _of_branching(branching: int, wanted: int) -> TreeShape:
    height = 1
    while branching**height < wanted and branching ** (height + 1) <= MOST_LEAVES:
        height += 1
    return TreeShape(branching, height)
