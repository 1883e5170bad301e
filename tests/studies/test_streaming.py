"""A stream beside the truth: bounds kept at every look, errors as they are defined, and what no truth leaves."""

from dataclasses import replace
from fractions import Fraction
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core import DataError, ParameterError
from dpq_core.accuracy import rank_errors
from dpq_core.studies.streams import BLOCK, PATTERNS, Files, Generated, Given, Settings, Truth, steps
from tests.narrowing import present

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
    column = dpq.Column.from_values(values, PATTERNS["normal"].domain, seed=0)
    assert last.true_values == tuple(dpq.true_quantiles(column, QUARTILES))
    assert last.sketch_error == rank_errors(column, QUARTILES, last.sketch_values).max()
    assert rank_errors(column, QUARTILES, last.gk_values).max() <= sum(settings("normal").error_parts())
    assert last.gk.mean <= sum(settings("normal").error_parts())


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
    assert [step.n for _, step in steps(Given(np.arange(4.0)), settings(batch=1))] == [1, 2, 3, 4]


def test_a_batch_must_be_a_number_of_records() -> None:
    with pytest.raises(dpq.ParameterError, match="`batch` must be"):
        next(steps(Generated("uniform", 10), settings(batch=0)))


# ── what streams in ──────────────────────────────────────────────────────────────────────────────────────────────────

LONG = 2 * BLOCK + 17


def whole(feed: Generated | Given | Files, size: int) -> np.ndarray:
    """All values; every batch but the last has the wanted size, and shares rise to 1."""
    found = list(feed.batches(size))
    shares = [share for share, _ in found]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    assert {values.size for _, values in found[:-1]} <= {size}
    assert 0 < found[-1][1].size <= size
    return np.concatenate([values for _, values in found])


@pytest.mark.parametrize("pattern", list(PATTERNS))
def test_a_seed_gives_the_same_stream_at_every_batch_size(pattern: str) -> None:
    stream = whole(Generated(pattern, LONG), 10_000)
    assert stream.size == LONG
    assert np.array_equal(stream, whole(Generated(pattern, LONG), BLOCK + 1))
    lower, upper = (float(end) for end in (PATTERNS[pattern].domain.lower, PATTERNS[pattern].domain.upper))
    assert lower <= np.quantile(stream, 0.01) < np.quantile(stream, 0.99) <= upper


def test_blocks_and_seeds_differ() -> None:
    stream = whole(Generated("uniform", 2 * BLOCK), BLOCK)
    assert not np.array_equal(stream[:BLOCK], stream[BLOCK:])
    assert not np.array_equal(stream, whole(Generated("uniform", 2 * BLOCK, seed=1), BLOCK))


def test_orders_are_what_they_say() -> None:
    rising, falling, zigzag = (whole(Generated(name, LONG), 1000) for name in ("sorted", "reversed", "zigzag"))
    assert (np.diff(rising) > 0).all()
    assert np.array_equal(falling, rising[::-1])
    assert np.array_equal(np.sort(zigzag), rising)
    assert np.array_equal(zigzag[:4], [rising[0], rising[-1], rising[1], rising[-2]])


def test_a_column_and_a_file_come_whole_and_in_order(tmp_path: Path) -> None:
    values = np.arange(2500.0)
    assert np.array_equal(whole(Given(values), 1000), values)
    (tmp_path / "a.csv").write_text("x\n" + "\n".join(map(str, values)) + "\n")
    assert np.array_equal(whole(Files(tmp_path / "a.csv", "x"), 999), values)
    assert list(Given(values[:0]).batches(5)) == []


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="`pattern` must be one of"):
        Generated("nowhere", 5)
    with pytest.raises(ParameterError, match="`n` must be"):
        Generated("uniform", 0)
    with pytest.raises(ParameterError, match="`size` must be"):
        next(Given(np.ones(3)).batches(0))
    with pytest.raises(DataError):
        next(Files(tmp_path / "none.csv", "x").batches(5))


def test_the_truth_is_all_records_until_they_are_too_many() -> None:
    domain = PATTERNS["normal"].domain
    truth = Truth(domain, most=3000)
    assert present(truth.column()).n == 0
    stream = whole(Generated("normal", 3000), 700)
    for at in range(0, 3000, 700):
        truth.add(stream[at : at + 700])
    truth.add(np.array([np.nan]))
    column = present(truth.column())
    assert (column.n, column.dropped) == (3000, 1)
    assert (np.diff(column.cells) >= 0).all()
    assert np.array_equal(column.cells >> column.tie_bits, np.sort(domain.encode(stream)))
    truth.add(np.array([0.5]))
    assert truth.column() is None
