"""Variants of AQ that papers or their code print and that break their guarantee: for tests and the page Inside only.

None of these is in MECHANISMS, so no plan can reach them. Each gives parameters, or data, for the same audit code that
checks the sound mechanisms; the regression tests show by how much each guarantee is broken.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import log

import numpy as np

from ...arrays import Integers
from ...calibrations import calibrate
from ...mechanisms.aq import AQParameters, map_rates, with_root
from ...plan import Plan
from ...privacy import PureDP


def aq_one_path_for_substitution(plan: Plan) -> AQParameters:
    """Return AQ under SUBSTITUTE with epsilon / L for every split, as if a replaced record followed one path.

    Broken: above the root's answer the two versions of a record can follow two paths. Sound: epsilon / (2 L - 1).
    """
    return _floored_with_divisor(plan, Fraction(len(set(plan.quantiles)).bit_length()))


def aq_natural_logarithm(plan: Plan) -> AQParameters:
    """Return AQ with epsilon / (ln m + 1) for every split.

    Broken: the logarithm of the proof has base 2, and with base e the path is underpaid.
    """
    return _floored_with_divisor(plan, Fraction(log(len(set(plan.quantiles))) + 1))


def _floored_with_divisor(plan: Plan, divisor: Fraction) -> AQParameters:
    assert isinstance(plan.privacy, PureDP), "the printed variants are stated for pure budgets"
    sound = calibrate(replace_calibration(plan))
    assert isinstance(sound, AQParameters), "these are variants of AQ"
    assert sound.root is not None, "there is at least one level"
    rate = Fraction(plan.privacy.epsilon) / divisor / 2
    broken = with_root(sound, map_rates(sound.root, lambda _: rate))
    return replace(broken, guarantee=replace(sound.guarantee, epsilon=plan.privacy.epsilon))


def replace_calibration(plan: Plan) -> Plan:
    """Return the same plan with the paper's calibration."""
    return Plan(plan.quantiles, plan.mechanism, plan.privacy, plan.adjacency, {"calibration": "paper"})


def jitter_by_sorted_position(cells: Integers, fine: int) -> Integers:
    """Return sorted records made distinct by x_(i) + i / (n + 1), on a grid `fine` times as fine.

    Broken: a record that joins moves every later one. Sound: bits drawn for each record by itself (`Sample`).
    """
    ordered = np.sort(cells)
    return ordered * fine + (np.arange(1, ordered.size + 1) * fine) // (ordered.size + 1)
