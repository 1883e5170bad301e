"""What JointExp and its free total have in common: law, budgets, ties, error, and runs that share what was weighed."""

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, Infeasible, ParameterError, Plan, PureDP, rank_errors
from dpq_core.audit.losses import all_outputs
from dpq_core.mechanisms.freetotal import mechanism as freetotal
from dpq_core.mechanisms.joint import mechanism as jointexp
from dpq_core.mechanisms.joint.distance import best_total, counts_between, distance, proportions_of
from dpq_core.privacy.conversions import bounded_range_rho, largest_epsilon, largest_rho
from tests.harness import column, run, source

BOTH = pytest.mark.parametrize("mechanism", [jointexp, freetotal], ids=["jointexp", "freetotal"])
LEVELS = [["1/2"], [0], [0, 1], ["1/3", "2/3"], ["1/10", "3/7", 1], [0, "1/2", 1]]


def plan_of(mechanism, levels, privacy=PureDP(1.0), adjacency=Adjacency.ADD_REMOVE, **options):  # noqa: B008
    return Plan(levels, mechanism.KEY, privacy, adjacency, options)


def even_levels(m):
    return [Fraction(j, m + 1) for j in range(1, m + 1)]


def scores_of(mechanism, levels, ranks, count):
    """The score of every tuple of ranks: of JointExp against its number of records, else against the best total."""
    shares = proportions_of(tuple(map(Fraction, levels)))
    counts = counts_between(ranks, count).tolist()
    best = best_total if mechanism is freetotal else lambda each, _: count
    return np.array([float(distance(each, shares, best(each, shares))) for each in counts])


@pytest.mark.slow(keep=("2-levels0-jointexp", "2-levels4-jointexp", "2-levels3-freetotal", "2-levels5-freetotal"))
@BOTH
@pytest.mark.parametrize("levels", LEVELS, ids=lambda levels: f"levels{LEVELS.index(levels)}")
@pytest.mark.parametrize("cells", [1, 2, 4, 6])
def test_the_law_is_that_of_all_tuples_one_by_one(cells, levels, mechanism):
    """Every data set of at most 4 records on at most 6 cells, every tuple."""
    by = mechanism.calibrate(plan_of(mechanism, levels, PureDP(3.0)), None)
    outputs = all_outputs(cells, len(levels))
    for count in range(5):
        for values in combinations_with_replacement(range(cells), count):
            records = np.array(values, np.int64)
            scores = scores_of(mechanism, levels, np.searchsorted(records, outputs), count)
            weights = np.exp(-float(by.rate) * scores)
            found = mechanism.log_law(outputs, records, by, cells)
            assert np.allclose(found, np.log(weights / weights.sum()), rtol=0, atol=1e-12)


MOVED = [
    # mechanism, levels, adjacency, how far a record moves the score
    (jointexp, ["1/5", "3/5"], Adjacency.ADD_REMOVE, 1.6),
    (jointexp, ["1/5", "3/5"], Adjacency.REPLACE_ONE, 2.0),
    (freetotal, ["1/5", "3/5"], Adjacency.ADD_REMOVE, 1),
    (freetotal, ["1/5", "3/5"], Adjacency.REPLACE_ONE, 2),
    (freetotal, [0, 1], Adjacency.REPLACE_ONE, 1),
]


@pytest.mark.parametrize(
    ("privacy", "epsilon"),
    [(PureDP(1.0), 1.0), (ZCDP(0.02), None), (ApproxDP(1.0, 1e-12), 1.0), (ApproxDP(0.5, 0.01), None)],
)
@pytest.mark.parametrize(("mechanism", "levels", "adjacency", "moved"), MOVED)
def test_every_budget_is_used_up_and_not_more(mechanism, levels, adjacency, moved, privacy, epsilon):
    by = mechanism.calibrate(plan_of(mechanism, levels, privacy, adjacency), None)
    if epsilon is None:
        rho = privacy.rho if isinstance(privacy, ZCDP) else largest_rho(0.5, 0.01)
        epsilon = float(largest_epsilon(Fraction(rho)))
        assert epsilon > (8 * rho) ** 0.5
        assert by.guarantee.delta == (0 if isinstance(privacy, ZCDP) else 0.01)
    else:
        assert by.guarantee.epsilon == pytest.approx(epsilon, rel=1e-15)
        assert by.guarantee.delta == 0
    spent = 2 * Fraction(str(moved)) * by.rate
    assert 1 - Fraction(1, 2**62) <= spent / Fraction(epsilon) <= 1 + Fraction(1, 2**50), "floats state the budget"
    assert by.guarantee.covers(privacy)
    assert by.guarantee.delta or jointexp.claim(by.rate, Fraction(str(moved))) <= Fraction(by.guarantee.epsilon)
    assert by.guarantee.rho == pytest.approx(float(bounded_range_rho(Fraction(epsilon))))


@pytest.mark.parametrize(("mechanism", "too_many"), [(jointexp, 501), (freetotal, 61)], ids=["jointexp", "freetotal"])
def test_what_cannot_be_served_is_refused_by_name(mechanism, too_many):
    for error, said, levels, privacy, options in [
        (Infeasible, r"`quantiles`.*AQ answers more", even_levels(too_many), PureDP(1.0), {}),
        (ParameterError, "`privacy` is too small", ["1/2"], PureDP(1e-8), {}),
        (ParameterError, "`calibration` is no option", ["1/2"], PureDP(1.0), {"calibration": "sharp"}),
    ]:
        with pytest.raises(error, match=said):
            mechanism.calibrate(plan_of(mechanism, levels, privacy, **options), None)


@pytest.mark.parametrize("values", [[], [3.0], [3.0] * 3000, [0.0] * 1500 + [100.0] * 1500])
@pytest.mark.parametrize("bits", [0, None])
@pytest.mark.parametrize("epsilon", [1e-4, 1.0, 1e5])
@BOTH
def test_ties_and_few_records_are_answered(mechanism, values, bits, epsilon):
    sample = column(values, Domain(0, 100, "0.5"), bits=bits)
    plan = plan_of(mechanism, [0, "1/10", "1/2", "999/1000", 1], PureDP(epsilon))
    for entropy in (source(None), source(1, 5)):
        cells = run(plan, sample, None, entropy)
        assert cells.shape == (entropy.trials, 5)
        assert (np.diff(cells, axis=1) >= 0).all()
        assert ((cells >= 0) & (cells < sample.slots)).all()


@pytest.mark.parametrize(("mechanism", "weighs"), [(jointexp, "draws_of"), (freetotal, "draws_of")])
def test_more_trials_share_what_was_weighed(monkeypatch, mechanism, weighs):
    sample, plan = column(np.arange(100.0), 100, seed=0), plan_of(mechanism, ["1/4", "1/2"])
    first = run(plan, sample, None, source(1, 64))
    monkeypatch.setattr(mechanism, weighs, None)
    assert np.array_equal(run(plan, sample, None, source(1, 64)), first)
    with pytest.raises(TypeError):
        run(plan_of(mechanism, ["1/4", "3/4"]), sample, None, source(1, 64))


PUBLISHED = [
    # mechanism, levels, mean gap, how far from it by more than chance
    *((jointexp, m, wanted, 0.1 * wanted) for m, wanted in ((1, 0.8), (5, 3.8), (20, 8.1), (60, 42.8))),
    *((freetotal, m, wanted, 0.3) for m, wanted in ((5, 2.40), (10, 2.86), (20, 4.17))),
]


@pytest.mark.slow(keep="jointexp 1")
@pytest.mark.statistical
@pytest.mark.parametrize(
    ("mechanism", "m", "wanted", "allowed"), PUBLISHED, ids=[f"{each.KEY} {m}" for each, m, *_ in PUBLISHED]
)
def test_the_error_is_that_of_the_published_method_and_half_of_it(mechanism, m, wanted, allowed):
    """Mean gap on U(-5, 5), n = 1000, [-100, 100], epsilon 1; 60 samples, 8 trials of each, fixed seeds.

    Published: 60 trials, of which two standard errors are a tenth. The free total: against a prototype.
    """
    rng, levels, gaps = np.random.default_rng(m), even_levels(m), []
    for trial in range(60):
        sample = column(rng.uniform(-5, 5, 1000), Domain(-100, 100, measure="uniform"), seed=trial, bits=None)
        answers = run(plan_of(mechanism, levels), sample, None, source(trial, 8))
        gaps.append(rank_errors(sample, levels, sample.values_of(answers)).mean())
    assert abs(np.mean(gaps) - wanted) < 2 * np.std(gaps) / 60**0.5 + allowed
