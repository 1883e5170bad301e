"""Choose the shape of a tree of counts and its noise for a budget, from public facts alone.

The shapes come from a search over 26 trees on five kinds of columns (uniform on a tenth and on all of the bounds,
normal, lognormal, exponential), 300 to 300,000 records, and budgets over a factor of 100. Error hardly depends on the
number of quantiles. Noise that grows with the height (pure budgets) wants three wide levels, noise that grows with
its square root six to eight narrow ones; a larger budget deserves finer leaves. n is private where a record may join,
so it is not used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from ...errors import ParameterError, Remedy
from ...plan import OptionValue, Plan
from ...privacy.budgets import SMALLEST_BUDGET, ZCDP, Adjacency, ApproxDP, Guarantee, PureDP
from ...privacy.conversions import largest_rho, round_up
from ..base import USUAL_DELTA
from .noise import Noise, gaussian_for_rho, laplace_for_epsilon, laplace_for_rho
from .tree import MOST_LEAVES, TreeShape

PAPER = TreeShape(branching=12, height=4)
CHANGED_PER_LEVEL = {
    Adjacency.ADD_REMOVE: 1,  # the node that holds the record
    Adjacency.SUBSTITUTE: 2,  # the nodes of the old and of the new record
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


def budgeted(plan: Plan, options: Mapping[str, OptionValue]) -> Budgeted:
    """Return the best of the trees that the budget and the options allow. Raises ParameterError."""
    candidates = list(_candidates(plan, options))
    return min(candidates, key=lambda candidate: candidate.error)


def _candidates(plan: Plan, options: Mapping[str, OptionValue]) -> list[Budgeted]:
    kinds = ("laplace", "gaussian") if options["noise"] is None else (str(options["noise"]),)
    paper = options["calibration"] == "paper"
    if paper and (isinstance(plan.privacy, ZCDP) or options["noise"] == "gaussian"):
        raise ParameterError(
            "calibration",
            "must be sharp for a concentrated budget or Gaussian noise: the printed noise of scale "
            "sqrt(height) spends more than it says.",
            (Remedy("calibration", "sharp"),),
        )
    if isinstance(plan.privacy, ZCDP):
        return [_concentrated(kind, plan.privacy.rho, plan, options) for kind in kinds]
    found = [_pure(plan.privacy.epsilon, plan.adjacency, options)] if "laplace" in kinds else []
    if paper:
        return found
    if isinstance(plan.privacy, ApproxDP):
        rho = largest_rho(plan.privacy.epsilon, plan.privacy.delta)
        if rho >= SMALLEST_BUDGET:
            return found + [_concentrated(kind, rho, plan, options) for kind in kinds]
    if not found:
        pure, small = "a pure budget: allow a delta, or ask for rho", "so small an epsilon and delta"
        wanted = pure if isinstance(plan.privacy, PureDP) else small
        remedies = (Remedy("noise", "laplace"), *((Remedy("delta", USUAL_DELTA),) if wanted == pure else ()))
        raise ParameterError("noise", f"must be laplace for {wanted}.", remedies)
    return found


def _pure(epsilon: float, adjacency: Adjacency, options: Mapping[str, OptionValue]) -> Budgeted:
    """Return Laplace noise for a pure budget."""
    each = CHANGED_PER_LEVEL[adjacency]
    wanted = int(4096 * min(max(epsilon / each, 1), 8))
    shape = _shape(options, wanted, height=3)
    changed = each * shape.height
    noise = laplace_for_epsilon(Fraction(epsilon), changed)
    spent = round_up(Fraction(changed) / noise.size)
    return Budgeted(shape, noise, Guarantee(epsilon=spent, delta=0.0, rho=noise.rho(changed), adjacency=adjacency))


def _concentrated(kind: str, rho: float, plan: Plan, options: Mapping[str, OptionValue]) -> Budgeted:
    """Return noise of this kind for a concentrated budget; under an approximate one `rho` is the largest that fits."""
    each = CHANGED_PER_LEVEL[plan.adjacency]
    wanted = int(8192 * min(max(sqrt(8 * rho / each), 0.25), 4))
    shape = _shape(options, wanted, branching=4)
    changed = each * shape.height
    noise = (gaussian_for_rho if kind == "gaussian" else laplace_for_rho)(Fraction(rho), changed)
    pure = noise.epsilon(changed)
    epsilon, delta = float("inf") if pure is None else round_up(pure), 0.0
    if isinstance(plan.privacy, ApproxDP) and epsilon > plan.privacy.epsilon:
        epsilon, delta = plan.privacy.epsilon, plan.privacy.delta
    guarantee = Guarantee(epsilon=epsilon, delta=delta, rho=min(noise.rho(changed), rho), adjacency=plan.adjacency)
    return Budgeted(shape, noise, guarantee)


def _shape(
    options: Mapping[str, OptionValue], wanted: int, *, branching: int | None = None, height: int | None = None
) -> TreeShape:
    """Return the requested tree, completed to `wanted` leaves or a little more; else one of this width or height."""
    if options["calibration"] == "paper":
        branching, height = PAPER.branching, PAPER.height
    elif options["branching"] is not None or options["height"] is not None:
        branching = height = None
    branching = branching if options["branching"] is None else int(options["branching"])
    height = height if options["height"] is None else int(options["height"])
    if branching is None:
        assert height is not None, "one of the two is known"
        branching = 2
        while branching**height < wanted and (branching + 1) ** height <= MOST_LEAVES:
            branching += 1
    if height is None:
        height = 1
        while branching**height < wanted and branching ** (height + 1) <= MOST_LEAVES:
            height += 1
    shape = TreeShape(branching, height)
    if shape.leaves > MOST_LEAVES:
        raise ParameterError(
            "height", f"must keep branching^height at {MOST_LEAVES} or below, got {branching}^{height}."
        )
    return shape
