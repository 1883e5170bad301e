"""The tree of counts on sorted samples, as printed (12^4 leaves) and as chosen for the plan."""

import numpy as np
import pytest

from dpq_core import ZCDP, Plan, PureDP
from dpq_core.mechanisms.tree import mechanism as tree
from dpq_core.noise import ExactEntropy, FastEntropy
from dpq_core.studies.grid import even_levels
from tests.benchmarks.table import power

PRINTED = {"branching": 12, "height": 4}
FAST, EXACT = (lambda: FastEntropy(0)), ExactEntropy


def row(name, privacy, options, n, entropy, at_most):
    sampler = "exact" if entropy is EXACT else "fast"
    work = f"tree of counts, {name}, 99 quantiles, n = {power(n)}, {sampler}"
    return pytest.param(privacy, options, n, entropy, marks=pytest.mark.target(7, work, at_most=at_most))


@pytest.mark.parametrize(
    ("privacy", "options", "n", "entropy"),
    [
        row("b = 12, h = 4, Laplace", PureDP(1.0), PRINTED, 10**4, FAST, 1.5),
        row("b = 12, h = 4, Laplace", PureDP(1.0), PRINTED, 10**7, FAST, 1.5),
        row("b = 12, h = 4, Laplace", PureDP(1.0), PRINTED, 10**7, EXACT, 1.5),
        row("b = 12, h = 4, Gauss", ZCDP(0.125), PRINTED, 10**7, FAST, 1.5),
        row("b = 12, h = 4, Gauss", ZCDP(0.125), PRINTED, 10**7, EXACT, 1.5),
        row("own shape, Laplace", PureDP(1.0), {}, 10**7, EXACT, 1.5),
        row("own shape, Gauss", ZCDP(0.125), {}, 10**7, EXACT, 1.5),
    ],
)
def test_99_quantiles(timed, samples, privacy, options, n, entropy):
    parameters = tree.calibrate(Plan(even_levels(99), "aggtree", privacy, options=options), None)
    assert (np.diff(timed(lambda: tree.run(samples[n], parameters, entropy()))) >= 0).all()
