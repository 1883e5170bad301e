"""Variants of the tree of counts that break their guarantee: for tests and the page Inside only, as in `printed.aq`.

No plan can reach them. The regression tests show by how much each guarantee is broken.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import exp, sqrt

from ...mechanisms.counts import Noise
from ...mechanisms.tree import mechanism as aggregation_tree
from ...noise import Size
from ...plan import Plan
from ...privacy import ZCDP


def tree_sqrt_height(plan: Plan) -> aggregation_tree.TreeParameters:
    """Return AggTree under rho with Laplace noise of scale sqrt(height / (8 rho)), as if e^2 / 8 held for it.

    Broken: that is the exponential mechanism's constant. Scale sqrt(4) is sold as rho = 1/8 and spends 0.49.
    """
    assert isinstance(plan.privacy, ZCDP), "the printed variant is stated for a concentrated budget"
    sound = aggregation_tree.calibrate(plan, None)
    scale = sqrt(sound.shape.height / (8 * plan.privacy.rho))
    return replace(sound, noise=Noise("laplace", Size(Fraction(scale))))


def tree_exact_total_law(
    left: int, right: int, level: Fraction, scale: Fraction, reach: int = 60
) -> dict[Fraction, float]:
    """Return the probabilities of one quantile's place (0 to 2) in a tree of two leaves, with the exact n at its root.

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
    """Return where `target` records lie from the left: linear inside a leaf, clamped to it."""
    inside_left = left > 0 and target <= left
    before, count = (Fraction(0), left) if inside_left else (left, right)
    share = (target - before) / count if count > 0 else Fraction(0)
    return min(max(share, Fraction(0)), Fraction(1)) + (not inside_left)
