"""A stream beside the truth: bounds kept at every look, errors as they are defined, and what no truth leaves."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import isnan
from typing import Any

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.accuracy import rank_errors
from dpq_core.studies.streams.feeds import PATTERNS, Generated, Given
from dpq_core.studies.streams.reading import Settings, steps

QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
N = 30_000


def settings(pattern: str = "uniform", **others: Any) -> Settings:
    usual = Settings(
        domain=PATTERNS[pattern].domain, alpha=0.002, n_max=N, quantiles=QUARTILES, privacy=dpq.PureDP(3.0), batch=1000
    )
    return replace(usual, **others)


@pytest.mark.parametrize("pattern", list(PATTERNS))
def test_the_sketch_keeps_its_bound_at_every_look(pattern: str) -> None:
    looks = [step for _, step in steps(Generated(pattern, N), settings(pattern))]
    assert [step.n for step in looks] == sorted({step.n for step in looks})
    assert looks[-1].n == N
    assert all(step.sketch_error <= step.bound for step in looks)
    assert looks[-1].bound == 0.002 * N
    assert all(step.full_bytes == 8 * step.n and step.exact for step in looks)
    assert looks[-1].saving > 10
    assert looks[-1].full.mean < looks[-1].gk.mean  # the price of the sketch: noise for E = 120 instead of 1
    assert all(step.gk.low <= step.gk.high for step in looks)


def test_errors_are_the_largest_over_the_levels_beside_the_truth() -> None:
    feed = Generated("normal", N)
    _, last = list(steps(feed, settings("normal")))[-1]
    values = np.concatenate([values for _, values in feed.batches(N)])
    sample = dpq.Sample.from_values(values, PATTERNS["normal"].domain, seed=0)
    assert last.true_values == tuple(dpq.true_quantiles(sample, QUARTILES))
    assert last.sketch_error == rank_errors(sample, QUARTILES, last.sketch_values).max()
    assert rank_errors(sample, QUARTILES, last.gk_values).max() <= sum(settings("normal").error_parts())
    assert last.gk.mean <= sum(settings("normal").error_parts())


def test_the_same_settings_give_the_same_looks() -> None:
    def found(**others: Any) -> list[object]:
        return [
            (share, replace(step, seconds=0)) for share, step in steps(Generated("zigzag", 5000), settings(**others))
        ]

    assert found() == found()
    assert found() != found(seed=1)


def test_without_the_truth_the_sketch_says_what_it_knows() -> None:
    feed = Generated("uniform", N)
    known, unknown = (list(steps(feed, settings(most_exact=most)))[-1][1] for most in (N, 5000))
    assert not unknown.exact
    assert unknown.true_values == unknown.full_values == ()
    assert isnan(unknown.full.mean)
    assert (unknown.points, unknown.gk_values) == (known.points, known.gk_values)
    assert known.sketch_error <= unknown.sketch_error <= 3 * known.bound
    assert unknown.gk.mean <= known.gk.mean <= unknown.gk.mean + 2 * known.bound


def test_a_stream_longer_than_promised_keeps_the_bound_of_the_promise() -> None:
    _, last = list(steps(Generated("uniform", N), settings(n_max=5000)))[-1]
    assert last.bound == 0.002 * 5000
    assert last.sketch_error <= last.bound


def test_missing_values_are_left_out_and_an_empty_stream_has_no_look() -> None:
    assert list(steps(Given(np.empty(0)), settings())) == []
    (_, step), *more = steps(Given(np.array([1.0, np.nan, 2.0])), settings())
    assert (step.n, more) == (2, [])


def test_looks_are_few_however_small_the_batches() -> None:
    assert 20 < len(list(steps(Generated("sorted", N), settings("sorted", batch=100)))) < 80


def test_a_batch_must_be_a_number_of_records() -> None:
    with pytest.raises(dpq.ParameterError, match="`batch` must be"):
        next(steps(Generated("uniform", 10), settings(batch=0)))
