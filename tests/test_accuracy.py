"""Rank errors and true quantiles against their definitions, written out slowly."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import Domain, Sample, rank_errors, true_quantiles
from dpq_core.accuracy import cdf_points, distribution_distance, signed_rank_errors

GRID = Domain(0, 20, 1)


def by_definition(data, level, value):
    wanted = int(level * len(data))
    below, at_most = sum(x < value for x in data), sum(x <= value for x in data)
    return max(below - wanted, 0) - max(wanted - at_most, 0)


@given(
    st.lists(st.integers(0, 20), max_size=30),
    st.lists(st.fractions(0, 1, max_denominator=20), min_size=1, max_size=5),
    st.one_of(st.integers(-3, 23), st.sampled_from([-0.5, 4.5, 20.5])),
)
def test_rank_errors_follow_the_definition(data, levels, value):
    sample = Sample.from_values(np.array(data, dtype=float), GRID)
    errors = signed_rank_errors(sample, levels, [float(value)] * len(levels))
    assert errors.tolist() == [by_definition(data, level, value) for level in levels]
    assert np.array_equal(rank_errors(sample, levels, [float(value)] * len(levels)), np.abs(errors))


@given(st.lists(st.integers(0, 20), min_size=1, max_size=30), st.fractions(0, 1, max_denominator=20))
def test_the_true_quantile_is_the_smallest_record_without_rank_error(data, level):
    sample = Sample.from_values(data, GRID)
    (true,) = true_quantiles(sample, [level])
    assert true == min(x for x in data if by_definition(data, level, x) == 0)


def test_example_3_3_of_the_bounded_space_paper():
    sample = Sample.from_values([1, 2, 2, 3, 5, 2, 6, 5], GRID)
    assert true_quantiles(sample, ["1/2"]).tolist() == [2.0]
    acceptable = [value for value in range(1, 7) if rank_errors(sample, ["1/2"], [value])[0] <= Fraction(1, 4) * 8]
    assert acceptable == [2, 3, 4, 5]


def test_an_empty_sample_has_no_truth_and_no_error():
    sample = Sample.from_values([], GRID)
    assert np.isnan(true_quantiles(sample, [0.5])).all()
    assert rank_errors(sample, [0.5], [3.0]).tolist() == [0.0]
    assert all(part.size == 0 for part in cdf_points(sample))


def test_many_answers_at_once_and_nan():
    sample = Sample.from_values(range(10), GRID)
    errors = rank_errors(sample, [0.5, 0.9], [[5.0, 9.0], [0.0, np.nan]])
    assert errors[0].tolist() == [0.0, 0.0]
    assert errors[1][0] == 4.0
    assert np.isnan(errors[1][1])


@pytest.mark.parametrize("n", [1, 5, 100_000])
def test_the_distribution_has_few_points_and_ends_at_one(n):
    sample = Sample.from_values(np.random.default_rng(0).uniform(0, 1, n), Domain(0, 1), seed=0)
    values, shares = cdf_points(sample, 2000)
    assert values.size <= 2000
    assert shares[-1] == 1.0
    assert np.all(np.diff(shares) > 0)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=20), st.lists(st.integers(0, 20), min_size=1, max_size=20))
def test_the_distance_of_distributions_follows_its_definition(data, other):
    sample = Sample.from_values(data, GRID)
    shares = [abs(np.mean(np.array(data) <= v) - np.mean(np.array(other) <= v)) for v in range(21)]
    assert distribution_distance(sample, other) == pytest.approx(max(shares))
    assert distribution_distance(sample, data) == 0
    assert distribution_distance(sample, []) == 0
