"""Kind, size and number of every draw of a real-sized run, in both samplers, beside what the claim is made of.

The enumerated laws are of tiny data; here are thousands of records and fifteen quantiles. What is recorded: all integer
noise, and the rate of every exponential mechanism. The sketch and JointExp draw by tables of weights, which say no
rate: of them the target, or the recursion, is recorded that a draw is given.
"""

from collections import Counter
from fractions import Fraction
from math import inf, prod, tanh

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, PureDP
from dpq_core.mechanisms.aq.mechanism import AQParameters
from dpq_core.mechanisms.aq.recursion import Node
from dpq_core.mechanisms.exponential.distribution import Target
from dpq_core.mechanisms.exponential.sampling import Blocks
from dpq_core.mechanisms.freetotal import mechanism as freetotal
from dpq_core.mechanisms.freetotal.draws import FreeDraws
from dpq_core.mechanisms.freetotal.mechanism import FreeTotalParameters
from dpq_core.mechanisms.gk import mechanism as gk
from dpq_core.mechanisms.gk.mechanism import Classes, GKParameters
from dpq_core.mechanisms.joint import mechanism as joint
from dpq_core.mechanisms.joint.draws import Draws, JointDraws
from dpq_core.mechanisms.joint.mechanism import JointParameters, claim
from dpq_core.privacy.conversions import bounded_range_rho
from tests.harness import ExactEntropy, Plan, SeededSampler, calibrate, mechanism_of, public_count, usual_column
from tests.narrowing import only, present

JOIN, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
BUDGETS = (PureDP(1.0), ApproxDP(1.0, 1e-6), ZCDP(0.05))
LEVELS = [Fraction(i, 16) for i in range(1, 16)]
SAMPLE = usual_column(np.arange(20_000) % 997, Domain(0, 1000, 1))
SPREAD = usual_column(np.arange(3000) / 3, Domain(0, 1000))
ROUNDED = 1e-15
"""Rates of draws are rounded down to 64 bits, and compared as floats."""


class Notes:
    """A note of every draw of the sampler behind it: noise as (kind, size, how many), exponentials as rates."""

    noise: list[tuple[str, Fraction, int]]
    rates: list[Fraction]
    loops: int

    def __init__(self) -> None:
        self.noise, self.rates, self.loops = [], [], 0

    def discrete_laplace(self, scale, shape):
        self.noise.append(("laplace", scale, prod(shape)))
        return super().discrete_laplace(scale, shape)  # type: ignore[misc]

    def discrete_gaussian(self, sigma_squared, shape):
        self.noise.append(("gaussian", sigma_squared, prod(shape)))
        return super().discrete_gaussian(sigma_squared, shape)  # type: ignore[misc]


class Recorded(Notes, ExactEntropy):
    def accepted_rows(self, attempt, rows, shape, at_once=1):
        self.loops += rows.size
        if isinstance(blocks := attempt.__self__, Blocks):
            draws = blocks.draws
            self.rates += [draws.target_levels[column].rate for column in draws.column[rows].tolist()]
        return super().accepted_rows(attempt, rows, shape, at_once)


class RecordedFast(Notes, SeededSampler):
    def __init__(self) -> None:
        super().__init__()
        SeededSampler.__init__(self, 1)

    def accepted_rows(self, attempt, rows, shape, at_once=1):
        self.loops += rows.size
        self.rates += map(Fraction, attempt.__self__.draws.rate[rows].tolist())
        return super().accepted_rows(attempt, rows, shape, at_once)


def recorded(key, privacy, adjacency, options=None, levels=LEVELS, entropy=None):
    plan = Plan(levels, key, privacy, adjacency, options or {})
    parameters, entropy = calibrate(plan, public_count(SAMPLE, plan)), entropy or Recorded()
    mechanism_of(plan).run(SAMPLE, parameters, entropy)
    assert entropy.loops == len(entropy.rates)
    return entropy, parameters


FEW = [Fraction(i, 8) for i in range(8)]
ONE = {"draws": "one"}
NORMAL = {"sigma": 10, "mean_bound": 1000}


@pytest.mark.parametrize(("key", "privacy", "adjacency", "options", "levels"), [
    *(("aq", privacy, adjacency, ONE, LEVELS) for privacy in BUDGETS for adjacency in (JOIN, REPLACE)),
    ("aq", PureDP(1.0), JOIN, {"calibration": "paper"}, LEVELS),
    *(("indexp", privacy, adjacency, {}, LEVELS) for privacy in BUDGETS for adjacency in (JOIN, REPLACE)),
    *(("aggtree", privacy, adjacency, {}, LEVELS) for privacy in BUDGETS for adjacency in (JOIN, REPLACE)),
    *(("binhist", privacy, adjacency, {}, LEVELS) for privacy in BUDGETS for adjacency in (JOIN, REPLACE)),
    ("normal", PureDP(1.0), REPLACE, NORMAL, LEVELS),
    ("normal", ApproxDP(1.0, 1e-6), REPLACE, {**NORMAL, "mean_bound": 10**6}, LEVELS),
    *(
        ("slice", ApproxDP(2.0, 1e-3), adjacency, {"noise": noise}, FEW)
        for noise in ("flat", "two_level", "binary")
        for adjacency in (JOIN, REPLACE)
    ),
], ids=lambda each: "" if isinstance(each, list) else str(each))  # fmt: skip
def test_the_fast_sampler_draws_what_the_exact_one_draws(key, privacy, adjacency, options, levels):
    """The same noise, and the same rates up to the rounding of a float."""
    (exact, _), (quick, _) = (
        recorded(key, privacy, adjacency, options, levels, entropy) for entropy in (Recorded(), RecordedFast())
    )
    told = slice(2 if key == "normal" else 3)  # how many bins its interval has hangs on where that is
    assert [note[told] for note in exact.noise] == [note[told] for note in quick.noise]
    assert Counter(map(float, exact.rates)) == Counter(map(float, quick.rates))
    assert exact.noise or exact.rates


SAMPLERS = pytest.mark.parametrize("sampler", [ExactEntropy, lambda: SeededSampler(1, 3)], ids=["exact", "fast"])


@SAMPLERS
@pytest.mark.parametrize("adjacency", [JOIN, REPLACE])
@pytest.mark.parametrize("privacy", BUDGETS, ids=str)
def test_a_sketch_draws_at_the_targets_of_its_parameters(privacy, adjacency, sampler, monkeypatch):
    given: list[tuple[Target, int]] = []
    draw = Classes.draw

    def noted(self, target_level, n, entropy):
        given.append((target_level, n))
        return draw(self, target_level, n, entropy)

    monkeypatch.setattr(Classes, "draw", noted)
    plan = Plan(LEVELS, "gkexp", privacy, adjacency, {"alpha": 0.001, "n_max": 20_000})
    parameters = only(GKParameters, calibrate(plan, public_count(SAMPLE, plan)))
    gk.run(SAMPLE, parameters, sampler())
    assert given == [(target_level, SAMPLE.n) for target_level in parameters.target_levels]
    moved = [39 + (1 if adjacency is REPLACE else max(level, 1 - level)) for level in LEVELS]
    spent = sum(
        bounded_range_rho(2 * Fraction(target.rate) * Fraction(by))
        for (target, _), by in zip(given, moved, strict=True)
    )
    assert float(spent) == pytest.approx(present(parameters.guarantee.rho), rel=ROUNDED)


@SAMPLERS
@pytest.mark.parametrize("adjacency", [JOIN, REPLACE])
@pytest.mark.parametrize("module", [joint, freetotal], ids=["jointexp", "freetotal"])
def test_jointexp_draws_at_the_rate_of_its_parameters(module, adjacency, sampler, monkeypatch):
    given, draw = list[Draws](), Draws.draw

    def noted(source, *how):
        given.append(source)
        return draw(source, *how)

    monkeypatch.setattr(Draws, "draw", noted)
    plan = Plan(LEVELS[::4], module.KEY, PureDP(1.0), adjacency)
    parameters = calibrate(plan, public_count(SPREAD, plan))
    assert isinstance(parameters, JointParameters | FreeTotalParameters)
    module.run(SPREAD, parameters, sampler())
    (source,), rate = given, parameters.rate
    parts = [(source.parts, 1)] if isinstance(source, JointDraws) else []
    if isinstance(source, FreeDraws):
        parts = [(source.parts, 1), (source.tuples._windows(0).parts, 1), (source.slow.windows.parts, 3)]
    assert parts
    for (each,), slower in parts:
        assert (each.rate * slower, each.levels, each.count) == (rate, parameters.levels, SPREAD.n)
    moved = module.sensitivity(parameters.levels, adjacency)
    assert float(claim(parameters.rate, moved)) == pytest.approx(1, rel=1e-8)
    assert claim(parameters.rate, moved) <= 1


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
    assert float(spent) == pytest.approx(parameters.guarantee.epsilon, rel=ROUNDED)
    assert spent <= parameters.guarantee.epsilon


@pytest.mark.parametrize("adjacency", [JOIN, REPLACE])
@pytest.mark.parametrize("privacy", BUDGETS, ids=str)
def test_independent_draws_spend_the_claim(privacy, adjacency):
    entropy, parameters = recorded("indexp", privacy, adjacency)
    moved = [1 if adjacency is REPLACE else max(level, 1 - level) for level in LEVELS]
    each = [2 * rate * by for rate, by in zip(entropy.rates, moved, strict=True)]
    assert not entropy.noise
    assert float(sum(map(bounded_range_rho, map(Fraction, each)))) == pytest.approx(
        present(parameters.guarantee.rho), rel=ROUNDED
    )
    if isinstance(privacy, PureDP):
        assert float(sum(each)) == pytest.approx(1, rel=ROUNDED)
        assert sum(each) <= 1


@pytest.mark.parametrize("adjacency", [JOIN, REPLACE])
@pytest.mark.parametrize("privacy", BUDGETS, ids=str)
def test_every_node_of_the_recursion_draws_once_at_its_own_rate(privacy, adjacency):
    """What the rates cost is `aq.recursion.claim`, which tests enumerate."""
    entropy, parameters = recorded("aq", privacy, adjacency, ONE)

    def rates(node: Node | None) -> list[Fraction]:
        return [] if node is None else [node.rate, *(rate for child in node.children for rate in rates(child))]

    assert not entropy.noise
    assert Counter(entropy.rates) == Counter(rates(only(AQParameters, parameters).root))
