"""Kind, size and number of every draw of a real-sized run in the exact sampler, beside what the claim is made of.

The enumerated laws are of tiny data; here are thousands of records and fifteen quantiles. What is recorded: all integer
noise, and the rate of every exponential mechanism. The sketch and JointExp draw by tables of weights, which say no
rate: of them only the enumerated laws speak.
"""

from collections import Counter
from fractions import Fraction
from math import inf, prod, tanh
from types import MethodType

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, Plan, PureDP, Sample
from dpq_core.mechanisms.aq.mechanism import AQParameters
from dpq_core.mechanisms.aq.recursion import Node
from dpq_core.mechanisms.exponential.exact import Blocks
from dpq_core.noise import ExactEntropy
from dpq_core.release import calibrate, mechanism_of, public_count
from tests.narrowing import only, present

JOIN, REPLACE = Adjacency.ADD_REMOVE, Adjacency.SUBSTITUTE
BUDGETS = (PureDP(1.0), ApproxDP(1.0, 1e-6), ZCDP(0.05))
LEVELS = [Fraction(i, 16) for i in range(1, 16)]
SAMPLE = Sample.from_values(np.arange(20_000) % 997, Domain(0, 1000, 1))
GUARDED = 1e-11
"""Rates of draws are lowered by 2^-40 of themselves."""


class Recorded(ExactEntropy):
    """The exact sampler with a note of every draw: noise as (kind, size, how many), exponential mechanisms as rates."""

    def __init__(self) -> None:
        self.noise: list[tuple[str, Fraction, int]] = []
        self.rates: list[Fraction] = []
        self.loops = 0

    def discrete_laplace(self, scale, shape):
        self.noise.append(("laplace", scale, prod(shape)))
        return super().discrete_laplace(scale, shape)

    def discrete_gaussian(self, sigma_squared, shape):
        self.noise.append(("gaussian", sigma_squared, prod(shape)))
        return super().discrete_gaussian(sigma_squared, shape)

    def accepted(self, attempt):
        self.loops += 1
        if isinstance(attempt, MethodType) and isinstance(attempt.__self__, Blocks):
            self.rates.append(attempt.__self__.rate)
        return super().accepted(attempt)


def recorded(key, privacy, adjacency, options=None, levels=LEVELS):
    plan = Plan(levels, key, privacy, adjacency, options or {})
    parameters, entropy = calibrate(plan, public_count(SAMPLE, plan)), Recorded()
    mechanism_of(plan).run(SAMPLE, parameters, entropy)
    assert entropy.loops == len(entropy.rates)
    return entropy, parameters


def check_noise(kind, size, changed, guarantee):
    """What `changed` counts lose by this noise is the guarantee's."""
    if kind == "laplace":
        rho = changed / float(size) * tanh(1 / float(size) / 2)
        if guarantee.delta == 0 and guarantee.epsilon < inf:
            assert float(changed / size) == pytest.approx(guarantee.epsilon, rel=1e-12)
    else:
        rho = float(changed / (2 * size))
    assert rho == pytest.approx(guarantee.rho, rel=1e-9)


@pytest.mark.parametrize("adjacency", [JOIN, REPLACE])
@pytest.mark.parametrize("privacy", BUDGETS, ids=str)
@pytest.mark.parametrize("options", [{}, {"noise": "laplace"}, {"branching": 5, "height": 3}], ids=str)
def test_a_tree_draws_once_for_each_node(privacy, adjacency, options):
    entropy, parameters = recorded("aggtree", privacy, adjacency, options)
    ((kind, size, count),) = entropy.noise
    shape = parameters.shape
    assert count == sum(shape.branching**level for level in range(1, shape.height + 1))
    check_noise(kind, size, shape.height * (1 if adjacency is JOIN else 2), parameters.guarantee)


@pytest.mark.parametrize("adjacency", [JOIN, REPLACE])
@pytest.mark.parametrize("privacy", BUDGETS, ids=str)
def test_bins_draw_once_for_each_bin(privacy, adjacency):
    entropy, parameters = recorded("binhist", privacy, adjacency, {"bins": 700})
    ((kind, size, count),) = entropy.noise
    assert count == 700
    check_noise(kind, size, 1 if adjacency is JOIN else 2, parameters.guarantee)


@pytest.mark.parametrize(
    ("privacy", "mean_bound", "first"), [(PureDP(1.0), 1000, 201), (ApproxDP(1.0, 1e-6), 10**6, 100)]
)
def test_a_normal_sample_draws_for_its_range_and_for_its_counts(privacy, mean_bound, first):
    entropy, parameters = recorded("normal", privacy, REPLACE, {"sigma": 10, "mean_bound": mean_bound})
    (kind, size, count), (inner_kind, inner_size, inner_count) = entropy.noise
    assert (kind, inner_kind, count) == ("laplace", "laplace", first)
    assert inner_count >= 16
    assert float(2 / size + 2 / inner_size) == pytest.approx(parameters.guarantee.epsilon, rel=1e-12)


@pytest.mark.parametrize("adjacency", [JOIN, REPLACE])
@pytest.mark.parametrize(("noise", "moved"), [("flat", 1), ("two_level", 2), ("binary", 4)])
def test_slices_draw_rank_noise_and_one_value_each(adjacency, noise, moved):
    levels = [Fraction(i, 8) for i in range(8)]
    entropy, parameters = recorded("slice", ApproxDP(2.0, 1e-3), adjacency, {"noise": noise}, levels)
    ((kind, scale, count),) = entropy.noise
    assert (kind, count) == ("laplace", len(levels) + (adjacency is JOIN or noise == "flat"))
    assert len(entropy.rates) == len(levels)
    times = 1 if adjacency is JOIN else 2
    spent = times * (moved / scale + 2 * max(entropy.rates))  # one record replaced in a slice: 2 rates of its draw
    assert float(spent) == pytest.approx(parameters.guarantee.epsilon, rel=GUARDED)
    assert spent <= parameters.guarantee.epsilon


@pytest.mark.parametrize("adjacency", [JOIN, REPLACE])
@pytest.mark.parametrize("privacy", BUDGETS, ids=str)
def test_independent_draws_spend_the_claim(privacy, adjacency):
    entropy, parameters = recorded("indexp", privacy, adjacency)
    moved = [1 if adjacency is REPLACE else max(level, 1 - level) for level in LEVELS]
    each = [2 * rate * by for rate, by in zip(entropy.rates, moved, strict=True)]
    assert not entropy.noise
    assert float(sum(e**2 for e in each) / 8) == pytest.approx(present(parameters.guarantee.rho), rel=GUARDED)
    if isinstance(privacy, PureDP):
        assert float(sum(each)) == pytest.approx(1, rel=GUARDED)
        assert sum(each) <= 1


@pytest.mark.parametrize("adjacency", [JOIN, REPLACE])
@pytest.mark.parametrize("privacy", BUDGETS, ids=str)
def test_every_node_of_the_recursion_draws_once_at_its_own_rate(privacy, adjacency):
    """What the rates cost is `aq.recursion.claim`, which tests enumerate."""
    entropy, parameters = recorded("aq", privacy, adjacency)

    def rates(node: Node | None) -> list[Fraction]:
        return [] if node is None else [node.rate, *(rate for child in node.children for rate in rates(child))]

    assert not entropy.noise
    assert Counter(entropy.rates) == Counter(rates(only(AQParameters, parameters).root))
