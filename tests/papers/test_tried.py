"""What was tried: permute-and-flip by its definition, and changed budgets within the same claim."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import factorial

import numpy as np
import pytest

from dpq_core import Plan, PureDP, calibrate
from dpq_core.mechanisms.aq.recursion import claim
from dpq_core.papers.judgements import verdicts as papers_verdicts
from dpq_core.papers.tried import LEANING, flipped_error, leaning
from dpq_core.studies.grid import even_levels
from tests.narrowing import present
from tests.papers.stored import stored_result


def by_definition(distances: list[float], weights: list[float]) -> float:
    """All orders of the values; each value in turn is taken with probability its weight."""
    mean = 0.0
    for order in permutations(range(len(weights))):
        left = 1.0
        for at in order:
            mean += left * weights[at] * distances[at] / factorial(len(weights))
            left *= 1 - weights[at]
    return mean


def test_permute_and_flip_by_its_definition() -> None:
    distances, weights = [0.0, 1.0, 2.0, 5.0], [1.0, 0.5, 0.25, 0.03]
    doubled = by_definition([d for d in distances for _ in range(2)], [w for w in weights for _ in range(2)])
    found = [flipped_error(np.array(distances), np.array(weights), values) for values in (1, 2)]
    assert found == pytest.approx([by_definition(distances, weights), doubled], rel=1e-4)


@pytest.mark.parametrize("factor", [Fraction(1), *LEANING.values()])
@pytest.mark.parametrize("m", [1, 6, 20])
def test_changed_budgets_cost_no_more(factor: Fraction, m: int) -> None:
    plan = Plan(even_levels(m), "aq", PureDP(1.0))
    root = present(leaning(plan, factor).root)
    assert Fraction(999, 1000) < claim(root, plan.adjacency, False, squared=False) <= 1
    child = next((child for child in root.children if child), None)
    assert child is None or float(child.rate * child.sensitivity(False) / root.rate / root.sensitivity(False)) == (
        pytest.approx(float(factor))
    )
    assert calibrate(plan).guarantee == leaning(plan, factor).guarantee


def test_the_sentence_follows_the_numbers() -> None:
    stored = stored_result("tried").points
    assert "None of 4 changes" in papers_verdicts.tried(stored).found
    helped = (stored[0]._replace(y=0.5), *stored[1:])
    assert "1 of 4 changes" in papers_verdicts.tried(helped).found
