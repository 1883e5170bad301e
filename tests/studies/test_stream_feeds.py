"""What streams in: the same records at every batch size, in the order that was promised."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dpq_core import DataError, ParameterError
from dpq_core.studies.streams.feeds import BLOCK, PATTERNS, Files, Generated, Given
from dpq_core.studies.streams.reading import Truth
from tests.narrowing import present

N = 2 * BLOCK + 17


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
    stream = whole(Generated(pattern, N), 10_000)
    assert stream.size == N
    assert np.array_equal(stream, whole(Generated(pattern, N), BLOCK + 1))
    lower, upper = (float(end) for end in (PATTERNS[pattern].domain.lower, PATTERNS[pattern].domain.upper))
    assert lower <= np.quantile(stream, 0.01) < np.quantile(stream, 0.99) <= upper


def test_blocks_and_seeds_differ() -> None:
    stream = whole(Generated("uniform", 2 * BLOCK), BLOCK)
    assert not np.array_equal(stream[:BLOCK], stream[BLOCK:])
    assert not np.array_equal(stream, whole(Generated("uniform", 2 * BLOCK, seed=1), BLOCK))


def test_orders_are_what_they_say() -> None:
    rising, falling, zigzag = (whole(Generated(name, N), 1000) for name in ("sorted", "reversed", "zigzag"))
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
    assert present(truth.sample()).n == 0
    stream = whole(Generated("normal", 3000), 700)
    for at in range(0, 3000, 700):
        truth.add(stream[at : at + 700])
    truth.add(np.array([np.nan]))
    sample = present(truth.sample())
    assert (sample.n, sample.dropped) == (3000, 1)
    assert (np.diff(sample.cells) >= 0).all()
    assert np.array_equal(sample.cells >> sample.jitter_bits, np.sort(domain.encode(stream)))
    truth.add(np.array([0.5]))
    assert truth.sample() is None
