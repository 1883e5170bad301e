"""Variants of DPExpGK that break their guarantee: for tests and the page Inside only, as in `printed.aq`.

No plan can reach them. The regression tests show by how much each guarantee is broken.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from ...mechanisms.exponential import sensitivity
from ...mechanisms.gk import mechanism as gk_exponential
from ...plan import Plan
from ...privacy import PureDP


def gk_not_divided(plan: Plan, n_public: int | None = None) -> gk_exponential.GKParameters:
    """Return DPExpGK as Algorithm 2 is printed: weights exp(epsilon / 2 * score), not divided by the sensitivity.

    Broken: one record moves the points of a sketch, and scores by up to E. Claimed epsilon = 1, measured 10 and more.
    """
    assert isinstance(plan.privacy, PureDP), "the printed algorithm is stated for a pure budget"
    sound = gk_exponential.calibrate(plan, n_public)
    moved = [
        sensitivity(target_level.level, target_level.floored) + sound.threshold - 1
        for target_level in sound.target_levels
    ]
    target_levels = tuple(
        target_level.times(Fraction(records)) for target_level, records in zip(sound.target_levels, moved, strict=True)
    )
    return replace(sound, target_levels=target_levels)
