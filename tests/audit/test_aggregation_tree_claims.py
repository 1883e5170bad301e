"""AggTree's claims, exactly: counts that change, the law of the noise on them, and that nothing else is read.

The outputs are too many to list, so the argument has three steps, each tested here: at most one count (two under
SUBSTITUTE) a level changes, by one; the noise on those counts loses exactly what `counts.noise` says; and the answers
are a function of the noisy counts (and of n where it is public), so that they lose no more.
"""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from scipy.integrate import quad

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, Plan, PureDP, Sample
from dpq_core.audit import printed
from dpq_core.mechanisms import aggregation_tree as aggtree
from dpq_core.mechanisms.counts.noise import Noise
from dpq_core.mechanisms.counts.tree import TreeShape, leaf_edges, node_counts
from dpq_core.noise import Size
from tests.audit.extremes import pairs
from tests.audit.noisy_counts import ROUNDING, none_loses_more_and_one_loses_it_all, too_little_noise_is_caught
from tests.harness import Dictated
from tests.narrowing import present

ADD, SUB = Adjacency.ADD_REMOVE, Adjacency.SUBSTITUTE
BUDGETS = [PureDP(1.0), PureDP(0.3), ZCDP(0.125), ApproxDP(1.0, 1e-6), ApproxDP(1.0, 0.05)]
TREES = [{}, {"branching": 2, "height": 1}, {"branching": 2, "height": 3}, {"branching": 3, "height": 2}]


def parameters_for(privacy=PureDP(1.0), adjacency=ADD, levels=("1/2",), **options):  # noqa: B008
    return aggtree.calibrate(Plan(levels, "aggtree", privacy, adjacency, options), None)


def losses(parameters, cells, adjacency, counts=(0, 1, 3)):
    return [
        aggtree.lemma_loss(np.array(records, np.int64), np.array(other, np.int64), parameters, cells)
        for records, other in pairs(cells, counts, adjacency)
    ]


# ── counts ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("adjacency", "most"), [(ADD, 1), (SUB, 2)])
@pytest.mark.parametrize("shape", [TreeShape(2, 3), TreeShape(3, 2), TreeShape(12, 2)])
def test_so_many_counts_a_level_change_by_one(shape, adjacency, most):
    """L1 and L2 of every level, over all data sets of three records on nine cells and all their neighbours."""
    edges, reached = leaf_edges(9, shape), 0
    for pair in pairs(9, (3,), adjacency):
        for before, after in zip(*(node_counts(np.array(each), edges, shape) for each in pair), strict=True):
            change = np.abs(after - before)
            assert change.max() <= 1
            assert change.sum() <= most
            reached = max(reached, int(change.sum()))
    assert reached == most


# ── claims ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.covering(2)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS)
@pytest.mark.parametrize("tree", TREES)
def test_no_pair_loses_more_than_the_claim_and_some_pair_loses_it_all(tree, privacy, adjacency):
    parameters = parameters_for(privacy, adjacency, **tree)
    none_loses_more_and_one_loses_it_all(parameters.guarantee, losses(parameters, 7, adjacency))


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("privacy", BUDGETS)
def test_half_the_noise_is_caught(privacy, adjacency):
    parameters = parameters_for(privacy, adjacency).with_rates_times(Fraction(2))
    too_little_noise_is_caught(privacy, parameters.guarantee, losses(parameters, 7, adjacency, counts=(1,)))


def test_equal_data_lose_nothing():
    loss = aggtree.lemma_loss(np.array([1, 2]), np.array([1, 2]), parameters_for(ZCDP(0.1)), 7)
    assert (loss.epsilon, loss.delta, loss.rho) == (0, 0, 0)
    assert loss.lemma


# ── the output, enumerated ───────────────────────────────────────────────────────────────────────────────────────────


def counts_of(records, parameters, domain):
    cells = np.sort(np.array(records, np.int64))
    return np.concatenate(node_counts(cells, leaf_edges(domain.cells, parameters.shape), parameters.shape))


def answers(records, parameters, domain, noisy):
    """The answers for dictated noisy counts, and the log probability of each row of them (the law of Laplace noise)."""
    sample = Sample.from_values(records, domain, seed=0, jitter_bits=0)
    exact = counts_of(records, parameters, domain)
    logs = -(np.abs(noisy - exact).sum(axis=1) / float(parameters.noise.size))
    return aggtree.run(sample, parameters, Dictated(noisy - exact)), logs


ENUMERATED = [
    # height, noisy counts reach from -reach to reach: all (2 reach + 1)^nodes of them
    (1, 40),
    (2, 2),
]


@pytest.mark.covering(1)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("calibration", ["sharp", "paper"])
@pytest.mark.parametrize(("height", "reach"), ENUMERATED)
def test_the_law_of_the_output_stays_within_the_claim(height, reach, calibration, adjacency):
    """Two leaves or four: every noisy tree in a box, pushed through `run`; the same output from either data set.

    The claim bounds the ratio of masses for every set of noisy counts, so for those in a box that give one output.
    """
    domain, levels = Domain(0, 8, 1), ("1/4", "1/2")
    parameters = parameters_for(
        PureDP(1.0), adjacency, levels, branching=2, height=height, calibration=calibration, noise="laplace"
    )
    nodes = sum(parameters.shape.sizes)
    box = np.stack(np.meshgrid(*[np.arange(-reach, reach + 1)] * nodes, indexing="ij"), axis=-1).reshape(-1, nodes)
    largest = 0.0
    for records, other in [((2, 2, 6, 6), (2, 2, 6, 6, 6)), ((1, 7), (1, 1)), ((), (5,)), ((0, 0, 8), (0, 8, 8))]:
        if (len(records) == len(other)) != (adjacency is SUB):
            continue
        masses = []
        for data in (records, other):
            cells, logs = answers(data, parameters, domain, box)
            masses.append(np.bincount(cells[:, 0] * 9 + cells[:, 1], np.exp(logs), 81))
        shown = masses[0] > 0
        assert (shown == (masses[1] > 0)).all()
        largest = max(largest, float(np.abs(np.log(masses[0][shown] / masses[1][shown])).max()))
    assert 0.1 < largest <= 1 + ROUNDING


@pytest.mark.parametrize("options", [{}, {"calibration": "paper"}])
@pytest.mark.parametrize(("adjacency", "other"), [(ADD, (*range(40), 40)), (ADD, ()), (SUB, (0,) * 40)])
def test_answers_follow_from_the_noisy_counts_alone(adjacency, other, options):
    """Any two data sets (of one size under SUBSTITUTE) with the same noisy counts get the same answers."""
    domain, levels = Domain(0, 10**6, 1), ("1/10", "1/2", "9/10")
    parameters = parameters_for(PureDP(1.0), adjacency, levels, branching=7, height=3, **options)
    noisy = np.random.default_rng(0).integers(-10, 60, (50, sum(parameters.shape.sizes)))
    first, _ = answers(tuple(1000 * x for x in range(40)), parameters, domain, noisy)
    second, _ = answers(other, parameters, domain, noisy)
    assert np.array_equal(first, second)


# ── the printed variants break ───────────────────────────────────────────────────────────────────────────────────────


def renyi_of_continuous_laplace(scale, order):
    def density(x, centre):
        return exp(-abs(x - centre) / scale) / (2 * scale)

    mass = quad(lambda x: density(x, 0) ** order * density(x, 1) ** (1 - order), -80, 80, points=[0, 1], limit=200)[0]
    return log(mass) / (order - 1)


def renyi_of_discrete_laplace(scale, order):
    k = np.arange(-400, 401)
    stays = exp(-1 / scale)
    a, b = (log((1 - stays) / (1 + stays)) - np.abs(k - centre) / scale for centre in (0, 1))
    return log(np.exp(order * a + (1 - order) * b).sum()) / (order - 1)


def test_scale_sqrt_height_is_not_rho_one_eighth():
    """True rho at height 4: .426 continuous, .490 in integers; Gaussian noise of that budget keeps it."""
    plan = Plan(["1/2"], "aggtree", ZCDP(0.125), ADD, {"branching": 12, "height": 4})
    broken = printed.tree_sqrt_height(plan)
    assert broken.noise == Noise("laplace", Size(Fraction(2)))
    loss = aggtree.lemma_loss(np.array([], np.int64), np.array([3]), broken, 10**6)
    rho = present(loss.rho)
    assert rho == pytest.approx(0.490, abs=5e-4)
    assert 4 * renyi_of_discrete_laplace(2, 1.0001) / 1.0001 == pytest.approx(rho, rel=1e-3)
    assert 4 * renyi_of_continuous_laplace(2, 1.001) / 1.001 == pytest.approx(0.426, abs=1e-3)
    for order in (1.0001, 1.01, 1.5, 2, 4, 16, 64):
        assert 4 * renyi_of_discrete_laplace(2, order) <= order * rho + 1e-9
    assert rho > 3.9 * present(broken.guarantee.rho)
    sound = aggtree.lemma_loss(np.array([], np.int64), np.array([3]), parameters_for(ZCDP(0.125)), 10**6)
    assert present(sound.rho) <= 0.125


def test_the_exact_total_gives_a_person_away():
    """Counts (2, 2), the median, scale 1: the answer at the middle has probability .46, and none when one joins."""
    half, scale = Fraction(1, 2), Fraction(1)
    law, joined = (printed.tree_exact_total_law(2, right, half, scale) for right in (2, 3))
    assert sum(law.values()) == pytest.approx(1)
    assert sum(joined.values()) == pytest.approx(1)
    assert law[Fraction(1)] == pytest.approx(0.462, abs=1e-3)
    assert Fraction(1) not in joined


def test_the_noisy_total_does_not():
    """The same counts and the same median by the sound tree: no output has a mass under one data set only."""
    domain, parameters = Domain(0, 999, 1), parameters_for(branching=2, height=1)
    side = np.arange(-30, 31)
    box = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
    masses = []
    for data in ((1, 1, 700, 700), (1, 1, 700, 700, 700)):
        cells, logs = answers(data, parameters, domain, box)
        masses.append(np.bincount(cells[:, 0], np.exp(logs), 1000))
    assert ((masses[0] > 0) == (masses[1] > 0)).all()


def test_broken_variants_are_out_of_reach():
    with pytest.raises(ValueError, match="`calibration` must be sharp"):
        parameters_for(ZCDP(0.125), calibration="paper")
