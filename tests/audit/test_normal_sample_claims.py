"""The claims of a normal sample, exactly: what changes in either step, the law of the kept bins, and all losses.

The argument of `normal.range` and `normal.mechanism` in three parts, each tested here: a replaced record changes at
most two counts in each step; the law of the kept bins, enumerated in exact fractions, stays within (epsilon / 2,
delta); and the answers are a function of the chosen bin, the second noisy counts and the public n.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import exp, inf

import numpy as np
import pytest
from mpmath import mp, mpf

from dpq_core import Adjacency, ApproxDP, Domain, Plan, PureDP
from dpq_core.mechanisms.counts.noise import Noise
from dpq_core.mechanisms.normal import mechanism as normal
from dpq_core.mechanisms.normal import range as normal_range
from dpq_core.mechanisms.normal.range import NONE, occupied_bins, shown_chance
from tests.harness import Dictated, SeededSampler, usual_column

FEW, MANY = {"sigma": 2, "mean_bound": 5}, {"sigma": 1, "mean_bound": 10**6}
PURE = [PureDP(0.3), PureDP(1.0), PureDP(4.0), ApproxDP(1.0, 1e-6)]
APPROXIMATE = [ApproxDP(1.0, 1e-6), ApproxDP(1.0, 0.1), ApproxDP(0.3, 1e-3), ApproxDP(4.0, 1e-9)]
DOMAIN = Domain(-6, 6, 1)


def parameters_for(privacy, options, levels=("1/2",)):
    return normal.calibrate(Plan(levels, "normal", privacy, Adjacency.REPLACE_ONE, options), None)


def columns(size, cells):
    """All pairs of sorted columns that differ in one record, or none."""
    for records in combinations_with_replacement(range(cells), size):
        for at, x in product(range(size), range(cells)):
            yield np.array(records), np.sort(np.array([*records[:at], x, *records[at + 1 :]]))


def crowded(with_old, with_new):
    """A pair where so many others share the cells of the old and of the new record."""
    a = np.array([2] * (with_old + 1) + [5] * with_new)
    return a, np.sort(np.append(a[1:], 5))


def crowded_losses(parameters):
    counts = sorted({0, 1, 2, 5, 20, parameters.range_rule.threshold or 7, (parameters.range_rule.threshold or 7) + 9})
    couples = (crowded(old, new) for old, new in product(counts, counts))
    return [normal.lemma_loss(a, b, parameters, 9) for a, b in couples]


# ── counts ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
def test_so_many_counts_change_in_either_step():
    """All columns of two records on thirteen cells: two counts of the range, and two inside the intervals."""
    parameters, reached = parameters_for(PureDP(1.0), FEW), [0, 0]
    rule = replace(parameters.range_rule, beta=0.5, sigma=Fraction(1, 3))  # narrow enough to clip records
    seen = set()
    for a, b in columns(2, DOMAIN.cells):
        pair = [usual_column(DOMAIN.decode(each), DOMAIN, seed=0, tie_bits=0) for each in (a, b)]
        if (key := (a.tobytes(), b.tobytes())) in seen:
            continue
        seen.add(key)
        ranges = [np.bincount(*occupied_bins(column, rule), rule.bins) for column in pair]
        reached[0] = max(reached[0], check_change(*ranges))
        if len(seen) % 8 == 0:
            for held in range(NONE, rule.bins, 3):
                found = [exact_inside(column, replace(parameters, range_rule=rule), held) for column in pair]
                reached[1] = max(reached[1], check_change(*found))
    assert reached == [2, 2]


def exact_inside(column, parameters, held):
    found = next(normal._inside(column, parameters, held, 1, SeededSampler(0)))
    (counts,) = found.exact.counts
    assert counts.sum() == column.n
    return counts


def check_change(before, after):
    change = np.abs(np.asarray(before) - np.asarray(after))
    assert change.max() <= 1
    assert change.sum() <= 2
    return int(change.sum())


# ── the law of the kept bins, enumerated ─────────────────────────────────────────────────────────────────────────────


def kept_law(count, scale, threshold, reach):
    """The law of what one bin shows: a noisy count above the threshold, or None."""
    if count == 0:
        return {None: 1.0}
    stays = exp(-1 / scale)
    weights = {count + k: (1 - stays) / (1 + stays) * stays ** abs(k) for k in range(-reach, reach + 1)}
    law = {shown: weight for shown, weight in weights.items() if shown > threshold}
    return {None: 1 - sum(law.values()), **law}


def enumerated_delta(first, second, scale, threshold, epsilon):
    """The hockey stick of all tables of two kept bins, the worse of both directions, by brute force."""
    reach, worst = int(40 * scale) + threshold, 0.0
    laws = [[kept_law(count, scale, threshold, reach) for count in counts] for counts in (first, second)]
    for one, other in (laws, laws[::-1]):
        total = 0.0
        for x in one[0].keys() | other[0].keys():
            for y in one[1].keys() | other[1].keys():
                p = one[0].get(x, 0.0) * one[1].get(y, 0.0)
                q = other[0].get(x, 0.0) * other[1].get(y, 0.0)
                total += max(0.0, p - exp(epsilon) * q)
        worst = max(worst, total)
    return worst


@pytest.mark.parametrize("privacy", [ApproxDP(4.0, 0.1), ApproxDP(4.0, 1e-3), ApproxDP(8.0, 0.3)])
def test_the_kept_bins_stay_within_half_of_epsilon_and_delta(privacy):
    """Old bin from i + 1 to i, new bin from j to j + 1, for i, j around 0 and around the threshold."""
    parameters = parameters_for(privacy, MANY)
    rule, half = parameters.range_rule, privacy.epsilon / 2
    counts, found = {0, 1, rule.threshold, rule.threshold + 2}, []
    for i, j in product(counts, counts):
        first, second = (i + 1, j), (i, j + 1)
        brute = enumerated_delta(first, second, float(rule.noise.size), rule.threshold, half)
        atoms = [
            normal_range.reported_bin(*pair, rule.noise, rule.threshold) for pair in zip(first, second, strict=True)
        ]
        joined = normal_range._together(*atoms)
        assert joined.sum(axis=1) == pytest.approx([1, 1])
        assert normal_range._loss(joined, half)[1] == pytest.approx(brute, abs=1e-9)
        found.append(brute)
    assert max(found) <= parameters.guarantee.delta + 1e-12
    assert max(found) == pytest.approx(parameters.guarantee.delta, rel=1e-6)


@pytest.mark.parametrize("threshold", [0, 1, 9])
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(4), Fraction(40)])
def test_the_chance_to_be_shown_is_rounded_up(scale, threshold):
    found = shown_chance(scale, threshold)
    with mp.workdps(150):
        a = mp.exp(-mpf(scale.denominator) / scale.numerator)
        exact = a**threshold / (1 + a)
        assert exact <= mpf(found.numerator) / found.denominator <= exact * (1 + mpf(2) ** -100)
    assert normal_range.tail(threshold, Noise("laplace", scale)) == pytest.approx(exact, rel=1e-12)


# ── claims ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("privacy", PURE)
def test_where_all_bins_get_noise_the_claim_is_pure_and_reached(privacy):
    parameters = parameters_for(privacy, FEW)
    found, guarantee = crowded_losses(parameters), parameters.guarantee
    assert guarantee.delta == 0
    assert max(loss.delta for loss in found) == 0
    assert max(loss.epsilon for loss in found) == pytest.approx(guarantee.epsilon, rel=1e-12)
    assert max(loss.rho for loss in found) == guarantee.rho < guarantee.epsilon**2 / 2


@pytest.mark.parametrize("privacy", APPROXIMATE)
def test_where_bins_are_kept_by_a_threshold_the_delta_is_reached_and_not_passed(privacy):
    parameters = parameters_for(privacy, MANY)
    found, guarantee = crowded_losses(parameters), parameters.guarantee
    assert max(loss.delta for loss in found) <= guarantee.delta <= privacy.delta
    assert max(loss.delta for loss in found) == pytest.approx(guarantee.delta, rel=1e-6)
    assert max(loss.epsilon for loss in found) == inf


@pytest.mark.parametrize(("privacy", "options"), [*((p, FEW) for p in PURE), *((p, MANY) for p in APPROXIMATE)])
def test_half_the_noise_is_caught(privacy, options):
    parameters = parameters_for(privacy, options).with_rates_times(Fraction(2))
    found, guarantee = crowded_losses(parameters), parameters.guarantee
    assert max(loss.delta for loss in found) > max(guarantee.delta, 1e-6)
    if options is FEW:
        assert max(loss.epsilon for loss in found) > 1.99 * guarantee.epsilon


@pytest.mark.parametrize("privacy", APPROXIMATE)
def test_a_threshold_one_lower_is_caught(privacy):
    parameters = parameters_for(privacy, MANY)
    lower = replace(parameters.range_rule, threshold=parameters.range_rule.threshold - 1)
    assert max(loss.delta for loss in crowded_losses(replace(parameters, range_rule=lower))) > privacy.delta


def test_small_columns_stay_within_the_claim_and_equal_ones_lose_nothing():
    for privacy, options in ((PureDP(1.0), FEW), (ApproxDP(1.0, 0.1), MANY)):
        parameters = parameters_for(privacy, options)
        for a, b in columns(2, 4):
            loss = normal.lemma_loss(a, b, parameters, 4)
            assert loss.delta <= parameters.guarantee.delta
            assert (loss.epsilon == 0) == np.array_equal(a, b)


# ── nothing else is read ─────────────────────────────────────────────────────────────────────────────────────────────


def test_answers_follow_from_the_chosen_bin_and_the_second_counts_alone():
    """Two columns of one size and one fullest bin, nothing else in common, get the same answers."""
    domain = Domain(-100, 100, "0.001")
    parameters = parameters_for(PureDP(1.0), {"sigma": 2, "mean_bound": 50}, ("1/10", "1/2", "9/10"))
    rng, found = np.random.default_rng(0), []
    noisy = None
    for values in ([7.1] * 40, [6.2] * 21 + [-99.0, *range(-50, -32)]):
        column = usual_column(values, domain, seed=0)
        exact = exact_inside(column, parameters, 28)
        noisy = rng.integers(-10, 60, (30, exact.size)) if noisy is None else noisy
        silent = np.zeros((len(noisy), parameters.range_rule.bins), np.int64)
        entropy = Dictated(silent, noisy - exact)
        found.append(column.values_of(normal.run(column, parameters, entropy)))
    assert np.array_equal(found[0], found[1])
    assert len(np.unique(found[0])) > 20
