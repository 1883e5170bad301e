"""JointExp with floored targets, which breaks its guarantee: for tests and the page Inside only."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from ...arrays import Floats, Integers
from ...mechanisms.joint import JointParameters
from ...mechanisms.joint import mechanism as joint_exponential


def log_law_with_floored_targets(outputs: Integers, cells: Integers, parameters: JointParameters, grid: int) -> Floats:
    """Return log probabilities of outputs with floor(q_j n) in place of q_j n, at the sound mechanism's rate.

    Broken under ADD_REMOVE: a record that joins can raise any of the m floors and leave the others, so that every
    difference between neighbours moves by one: up to m + 1 in all, where 2 (1 - the smallest share) is paid for.
    """
    count = int(cells.size)
    floored = tuple(Fraction(int(level * count), max(count, 1)) for level in parameters.levels)
    return joint_exponential.log_law(outputs, cells, replace(parameters, levels=floored), grid)
