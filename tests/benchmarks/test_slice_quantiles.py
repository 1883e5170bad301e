"""SliceQuantiles on sorted samples; beyond the ten promises."""

import numpy as np
import pytest

from dpq_core import Adjacency, ApproxDP, Plan
from dpq_core.mechanisms.slices import mechanism as slices
from dpq_core.noise import ExactEntropy, FastEntropy
from dpq_core.studies.grid import even_levels

N = 10**7


@pytest.mark.parametrize(
    ("m", "sampler", "adjacency"),
    [
        pytest.param(
            m,
            sampler,
            adjacency,
            marks=pytest.mark.target(
                12, f"slices, {m} quantiles, {sampler} sampler, {adjacency.value.replace('_', '/')}", at_most=at_most
            ),
        )
        for m, sampler, at_most in ((99, "fast", 1), (200, "fast", 2), (200, "exact", 30))
        for adjacency in Adjacency
    ],
)
def test_slices(timed, samples, m, sampler, adjacency):
    plan = Plan(even_levels(m), "slice", ApproxDP(1.0, 1e-16), adjacency)
    parameters = slices.calibrate(plan, N if adjacency is Adjacency.SUBSTITUTE else None)
    entropy = FastEntropy(1) if sampler == "fast" else ExactEntropy()
    assert (np.diff(timed(lambda: slices.run(samples[N], parameters, entropy))) >= 0).all()
