"""Variants of the tree of counts that break their claim: for tests and the microscope only, as in `printed`.

No plan can reach them. The regression tests show by how much each claim is broken.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import exp, sqrt

from ...mechanisms.counts import Noise
from ...mechanisms.tree import mechanism as aggregation_tree
from ...plan import Plan
from ...privacy import ZCDP


def tree_sqrt_height(plan: Plan) -> aggregation_tree.TreeParameters:
    """AggTree under rho with Laplace noise of scale sqrt(height) / e, e = sqrt(8 rho), as if e^2 / 8 held for it.

    Broken: that is the exponential mechanism's constant. Scale sqrt(4) is sold as rho = 1/8 and spends 0.49.
    """
    assert isinstance(plan.privacy, ZCDP), "the printed variant is stated for a concentrated budget"
    sound = aggregation_tree.calibrate(plan, None)
    scale = sqrt(sound.shape.height / (8 * plan.privacy.rho))
    return replace(sound, noise=Noise("laplace", Fraction(scale)))


def tree_exact_total_law(
    left: int, right: int, level: Fraction, scale: Fraction, reach: int = 60
) -> dict[Fraction, float]:
    """The law of one quantile, in leaves (0 to 2), of a tree with two leaves and the exact n at its root.

    The left leaf gets discrete Laplace noise, the right one what is missing to n. Broken under ADD_REMOVE: the target
    level * n has no noise, so which answers are possible depends on n.
    """
    n, stays = left + right, exp(-1 / scale)
    law: dict[Fraction, float] = {}
    for noise in range(-reach, reach + 1):
        place = _read_off(Fraction(left + noise), Fraction(right - noise), level * n)
        law[place] = law.get(place, 0.0) + (1 - stays) / (1 + stays) * stays ** abs(noise)
    return law


def _read_off(left: Fraction, right: Fraction, target: Fraction) -> Fraction:
    """Where `target` records lie from the left: linear inside a leaf, clamped to it."""
    inside_left = left > 0 and target <= left
    before, count = (Fraction(0), left) if inside_left else (left, right)
    share = (target - before) / count if count > 0 else Fraction(0)
    return min(max(share, Fraction(0)), Fraction(1)) + (not inside_left)
