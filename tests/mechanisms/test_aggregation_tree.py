"""AggTree: leaves, counts, consistency and reading off; noise with its exact loss; options; answers on odd inputs."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, PureDP
from dpq_core.mechanisms.counts import aggtree, answers, tree
from dpq_core.mechanisms.counts.noise import Noise, gaussian_for_rho, laplace_for_epsilon, laplace_for_rho
from dpq_core.mechanisms.counts.tree import TreeShape, consistent, least_squares, node_counts
from tests.harness import Plan, SeededSampler, Size, bin_edges, even_levels, rank_errors, usual_column

DOMAIN = Domain(-100, 100)
ADD, SUB = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE


def parameters_for(privacy=PureDP(1.0), adjacency=ADD, levels=("1/4", "1/2", "3/4"), **options):  # noqa: B008
    return aggtree.calibrate(Plan(levels, "aggtree", privacy, adjacency, options), None)


# ── the tree ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@given(
    st.lists(st.integers(0, 36), max_size=30),
    st.sampled_from([TreeShape(2, 3), TreeShape(3, 2), TreeShape(7, 2), TreeShape(5, 1)]),
)
def test_every_record_is_counted_once_on_every_level(records, shape):
    cells, edges = np.sort(np.array(records, np.int64)), bin_edges(37, shape.leaves)
    levels = node_counts(cells, edges, shape)
    assert [level.size for level in levels] == list(shape.sizes)
    for depth, level in enumerate(levels, start=1):
        width = shape.branching ** (shape.height - depth)
        for node, count in enumerate(level):
            assert count == sum(edges[node * width] <= cell < edges[(node + 1) * width] for cell in records)
        assert level.sum() == len(records)


def design_matrix(shape):
    rows = []
    for depth in range(1, shape.height + 1):
        width = shape.branching ** (shape.height - depth)
        rows.append(np.kron(np.eye(shape.branching**depth), np.ones(width)))
    return np.concatenate(rows)


@pytest.mark.parametrize("shape", [TreeShape(2, 1), TreeShape(2, 4), TreeShape(3, 3), TreeShape(5, 2)])
@pytest.mark.parametrize("total", [None, 40])
def test_two_passes_solve_the_least_squares_problem(shape, total):
    """Against numpy's solver for all node counts as sums of leaves; a public total is an equation of weight 10^6."""
    noisy = [np.random.default_rng(depth).integers(-5, 20, (3, size)) for depth, size in enumerate(shape.sizes)]
    found = consistent(least_squares(noisy, shape), shape, total, nonnegative=False)
    for trial in range(3):
        matrix, wanted = design_matrix(shape), np.concatenate([level[trial] for level in noisy]).astype(float)
        if total is not None:
            matrix = np.concatenate([matrix, np.full((1, shape.leaves), 1e6)])
            wanted = np.append(wanted, 1e6 * total)
        leaves = np.linalg.lstsq(matrix, wanted, rcond=None)[0]
        assert found[-1][trial] == pytest.approx(leaves, abs=1e-6)
        assert found[0][trial] == pytest.approx(leaves.reshape(shape.branching, -1).sum(axis=1), abs=1e-6)


@pytest.mark.parametrize("total", [None, 0, 25])
def test_nonnegative_counts_add_up_and_are_the_nearest(total):
    """Projection: no other point of the simplex lies in the direction of the estimate (its variational inequality)."""
    rng, shape = np.random.default_rng(0), TreeShape(4, 3)
    noisy = [rng.integers(-20, 20, (50, size)) for size in shape.sizes]
    estimates = least_squares(noisy, shape)
    levels = consistent(estimates, shape, total, nonnegative=True)
    above = np.maximum(estimates[0].sum(axis=1), 0) if total is None else np.full(50, float(total))
    for estimate, level in zip(estimates, levels, strict=True):
        family, fitted = estimate.reshape(-1, 4), level.reshape(-1, 4)
        assert (fitted >= 0).all()
        assert fitted.sum(axis=1) == pytest.approx(above.reshape(-1), abs=1e-9)
        for _ in range(20):
            other = rng.dirichlet(np.full(4, 0.5), len(fitted)) * above.reshape(-1, 1)
            assert (((family - fitted) * (other - fitted)).sum(axis=1) <= 1e-8).all()
        above = level


def test_consistent_counts_of_a_silent_tree_are_the_exact_ones():
    cells, shape = np.sort(np.random.default_rng(0).integers(0, 1000, 300)), TreeShape(3, 4)
    exact = node_counts(cells, bin_edges(1000, shape.leaves), shape)
    levels = consistent(least_squares([level[None] for level in exact], shape), shape, None, nonnegative=True)
    for level, counts in zip(levels, exact, strict=True):
        assert level[0] == pytest.approx(counts, abs=1e-9)


def test_reading_off_by_hand():
    edges = np.array([0, 100, 200, 300, 400])
    leaves = np.array([[0.0, 10.0, 0.0, 10.0], [0.0, 0.0, 0.0, 0.0], [5.0, -5.0, 0.0, 20.0]])
    places, found = tree.quantile_cells(leaves, edges, (0.0, 0.25, 0.75, 1.0))
    assert places.tolist() == [[100, 150, 350, 399], [0, 100, 300, 399], [0, 300, 366, 399]]
    assert found[0].tolist() == [1, 1, 3, 3]


# ── the noise ────────────────────────────────────────────────────────────────────────────────────────────────────────


def law_of(noise, reach):
    k = np.arange(-reach, reach + 1)
    size = float(noise.size)
    logs = -np.abs(k) / size if noise.kind == "laplace" else -(k**2) / (2 * size)
    return logs - np.log(np.exp(logs).sum())


def joint_pair(noise, changed, reach):
    """Log laws of `changed` counts with noise and of the same counts moved by one, on a common box of outputs."""
    one = law_of(noise, reach)
    here, moved = one[1:], one[:-1]  # outputs -reach + 1 .. reach, of noise around 0 and around 1
    a, b = here, moved
    for _ in range(changed - 1):
        a, b = np.add.outer(a, here).reshape(-1), np.add.outer(b, moved).reshape(-1)
    return a, b


@pytest.mark.parametrize("changed", [1, 2])
@pytest.mark.parametrize("noise", [
    Noise("laplace", Size(Fraction(2))), Noise("laplace", Size(Fraction(1, 3))),
    Noise("gaussian", Size(Fraction(3, 2))),
])  # fmt: skip
def test_the_loss_of_noise_is_that_of_its_law(noise, changed):
    a, b = joint_pair(noise, changed, reach=60 if noise.kind == "laplace" else 14)
    for order in (1.0001, 1.5, 2, 10):
        renyi = log(np.exp(order * a + (1 - order) * b).sum()) / (order - 1)
        assert renyi / order <= noise.rho(changed) + 1e-6
        if order == 1.0001 or noise.kind == "gaussian":
            assert renyi / order == pytest.approx(noise.rho(changed), rel=2e-4)
    for epsilon in (0.0, 0.1, 0.7):
        above = a > b + epsilon + 1e-12
        delta = (np.exp(a[above]) - exp(epsilon) * np.exp(b[above])).sum()
        assert noise.delta(changed, epsilon) == pytest.approx(delta, abs=1e-9)
    if noise.kind == "laplace":
        assert float(noise.epsilon(changed)) == pytest.approx(np.abs(a - b).max())
        assert noise.delta(changed, float(noise.epsilon(changed))) == 0
    variance = (np.exp(law_of(noise, 200)) * np.arange(-200, 201) ** 2).sum()
    assert noise.variance == pytest.approx(variance, rel=1e-6)


def test_wide_gaussian_noise_adds_up_like_narrow_noise_does():
    """Above a variance of 16 the sum of counts has one discrete Gaussian law; below, it is summed up."""
    below, above = Noise("gaussian", Size(Fraction(16) - Fraction(1, 10**9))), Noise("gaussian", Size(Fraction(16)))
    assert below.delta(5, 0.3) == pytest.approx(above.delta(5, 0.3), rel=1e-7)
    assert Noise("gaussian", Size(Fraction(9))).epsilon(1) is None
    assert Noise("gaussian", Size(Fraction(9))).epsilon(0) == 0


@pytest.mark.parametrize("rho", [1e-9, 0.01, 0.125, 3.0, 1e4])
@pytest.mark.parametrize("changed", [1, 4, 32])
def test_budgets_are_used_up_and_not_more(rho, changed):
    laplace, gaussian = laplace_for_rho(Fraction(rho), changed), gaussian_for_rho(Fraction(rho), changed)
    for noise in (laplace, gaussian):
        assert rho * (1 - 1e-10) <= noise.rho(changed) <= rho
    assert gaussian.size == Fraction(changed) / (2 * Fraction(rho))  # Canonne et al. 2020, Theorem 4
    assert float(laplace.size) <= (changed / (2 * rho)) ** 0.5 * (1 + 1e-9)  # sharper than sqrt(h / (2 rho))
    assert laplace_for_epsilon(Fraction(0.3), changed).epsilon(changed) == Fraction(0.3)


# ── calibration ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("budget", [PureDP(0.1), PureDP(10.0), ApproxDP(1, 1e-6), ApproxDP(1, 0.05), ZCDP(2.0)])
@pytest.mark.parametrize("noise", [None, "laplace", "gaussian"])
def test_every_budget_is_covered(budget, noise, adjacency):
    if isinstance(budget, PureDP) and noise == "gaussian":
        return
    parameters = parameters_for(budget, adjacency, noise=noise)
    assert parameters.guarantee.covers(budget)
    assert noise in (None, parameters.noise.kind)
    assert parameters.shape.leaves <= tree.MOST_LEAVES


def test_a_small_delta_is_used_where_it_helps():
    assert parameters_for(ApproxDP(1, 1e-6)).noise.kind == "laplace"
    assert parameters_for(ApproxDP(1, 1e-6)).guarantee.delta == 0
    large = parameters_for(ApproxDP(1, 0.05))
    assert (large.noise.kind, large.guarantee.delta) == ("gaussian", 0.05)
    assert parameters_for(ApproxDP(1e-6, 1e-12)).noise.kind == "laplace"


def test_shapes_come_from_the_budget():
    assert parameters_for().shape == TreeShape(16, 3)
    assert parameters_for(PureDP(8.0)).shape == TreeShape(32, 3)
    assert parameters_for(PureDP(8.0), SUB).shape == TreeShape(26, 3)
    assert parameters_for(ZCDP(0.005)).shape == TreeShape(4, 6)
    assert parameters_for(ZCDP(0.125)).shape == TreeShape(4, 7)
    assert parameters_for(ZCDP(2.0)).shape == TreeShape(4, 8)


# ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_trials_in_parts_are_the_trials_of_the_whole(monkeypatch):
    column = usual_column(np.linspace(-5, 5, 500), DOMAIN, seed=0)
    monkeypatch.setattr(answers, "_COUNTS_AT_ONCE", 3 * 4096)
    cells = aggtree.run(column, parameters_for(), SeededSampler(0, 7))
    assert cells.shape == (7, 3)
    assert len(np.unique(cells[:, 1])) == 7


def test_a_trace_walks_from_the_root_to_the_answer():
    column = usual_column(np.linspace(-50, 50, 501), DOMAIN, seed=0)
    parameters = parameters_for(branching=5, height=3)
    steps = aggtree.trace(column, parameters, SeededSampler(4))
    answers = column.values_of(aggtree.run(column, parameters, SeededSampler(4)))[0]
    assert [step.value for step in steps] == answers.tolist()
    for step, level in zip(steps, parameters.levels, strict=True):
        assert step.level == level
        assert step.target == pytest.approx(float(level) * step.total)
        assert [len(family) for family in step.families] == [5, 5, 5]
        above = step.total
        for node, family in zip(step.path, step.families, strict=True):
            assert node in family
            assert sum(child.consistent for child in family) == pytest.approx(above)
            assert node.bounds[0] - 1e-6 <= step.value <= node.bounds[1] + 1e-6
            above = node.consistent
    assert sum(child.count for child in steps[0].families[0]) == 501


# ── error, against the table of peers ────────────────────────────────────────────────────────────────────────────────

PEERS = [
    # privacy, options, mean rank error of the peer at m = 1, 5, 20, 60, the most that is allowed of it
    (PureDP(1.0), {"calibration": "paper"}, (10.1, 13.8, 12.6, 13.5), 1.15),
    (PureDP(1.0), {}, (10.1, 13.8, 12.6, 13.5), 0.8),
    (ZCDP(0.125), {}, (8.6, 8.3, 9.1, 9.3), 0.85),
]


@pytest.mark.statistical
@pytest.mark.slow
@pytest.mark.parametrize(("privacy", "options", "peer", "share"), PEERS)
def test_errors_of_the_table_of_peers(privacy, options, peer, share):
    """U(-5, 5), n = 1000, bounds +-100: 20 columns, 20 trials each, fixed seeds; a standard error is about 5 %."""
    for m, allowed in zip((1, 5, 20, 60), peer, strict=True):
        parameters, errors = parameters_for(privacy, levels=even_levels(m), **options), []
        for seed in range(20):
            column = usual_column(np.random.default_rng(seed).uniform(-5, 5, 1000), DOMAIN, seed=seed)
            values = column.values_of(aggtree.run(column, parameters, SeededSampler(seed, 20)))
            errors.append(rank_errors(column, even_levels(m), values).mean())
        assert np.mean(errors) <= allowed * share
