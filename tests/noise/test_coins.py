"""The heads of many fair coins have exactly their law: the bounds of its distribution, and what is drawn by them."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from math import comb

import numpy as np
import pytest

from dpq_core.noise import coins, heads
from dpq_core.noise.jitter import KEY_BYTES, KeyedWords

KEY = bytes(KEY_BYTES)


def distribution(n: int) -> list[Fraction]:
    """F(0), ..., F(n) of the heads of n coins."""
    return [Fraction(ways, 2**n) for ways in accumulate(comb(n, x) for x in range(n + 1))]


@pytest.mark.parametrize("bits", [1, 3, 8, 64, 128])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 9])
def test_bounds_hold_and_are_close(size, bits):
    least, lower, upper = coins._bounds(size, bits)
    exact = distribution(2**size)
    assert len(lower) == len(upper)
    for x, low, up in zip(range(least, 2**size + 1), lower, upper, strict=False):
        assert low <= 2**bits * exact[x] < up + 1
        assert up - low <= 1
    assert least == 0 or 2**bits * exact[least - 1] < 1
    after = least + len(lower)
    assert after == 2**size + 1 or 2**bits * exact[after - 1] >= 2**bits - 1


@pytest.mark.parametrize("bits", [5, 10])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_what_the_first_bits_tell_is_the_law(size, bits):
    """Of all words those that tell x make its chance, up to those that tell nothing, which are few."""
    bounds, n = coins._bounds(size, bits), 2**size
    told = [coins._place(bounds, word) for word in range(2**bits)]
    open_words = told.count(None)
    assert open_words <= 2 * (n + 1)
    for x, (before, through) in enumerate(zip([Fraction(0), *distribution(n)], distribution(n), strict=False)):
        assert told.count(x) <= 2**bits * (through - before) <= told.count(x) + open_words
        for word in (word for word, each in enumerate(told) if each == x):
            assert 2**bits * before <= word
            assert word + 1 <= 2**bits * through


@pytest.mark.parametrize("beyond", [-1, 0, 1])
def test_words_that_tell_nothing_are_made_longer(beyond, monkeypatch):
    """At a bound 64 more bits are drawn, and F is compared with all 128."""
    size, x = 9, 250
    exact, (least, lower, _) = distribution(2**size), coins._bounds(size, 64)
    at_bound = lower[x - least]
    rest = int(2**128 * exact[x]) - (at_bound << 64)
    drawn: list[int] = []

    class Words:
        def __init__(self, _: bytes) -> None:
            pass

        def next(self, count: int) -> np.ndarray:
            drawn.append(at_bound if not drawn else rest + beyond)
            return np.array(drawn[-1:] * count, np.uint64)

    monkeypatch.setattr(coins, "KeyedWords", Words)
    found = coins._of_many(size, 1, KEY)
    assert drawn[1] == rest + beyond
    if beyond:
        assert len(drawn) == 2
        assert found == (x if beyond < 0 else x + 1)
    else:
        assert len(drawn) == 3


@pytest.mark.parametrize("count", [0, 1, 2, 63, 64, 65, 127, 128, 129, 2**16 - 1])
def test_a_few_coins_are_counted_one_by_one(count):
    found = [heads(each, KEY) for each in (count, count + 1)]
    assert 0 <= found[0] <= count
    assert count + 1 == 2**16 or found[1] - found[0] in {0, 1}


@pytest.mark.parametrize("count", [100, 2**16, 5 * 2**16 + 1000, 2**22 + 3 * 2**16, 2**28 + 2**16])
def test_heads_spread_as_those_of_fair_coins(count):
    """4,000 keys: mean, variance and fourth moment within 5 standard deviations."""
    runs = np.array([heads(count, KEY + place.to_bytes(4)) for place in range(4000)])
    scaled = (runs - count / 2) / (np.sqrt(count) / 2)
    assert abs(scaled.mean()) < 5 / np.sqrt(runs.size)
    assert abs(scaled.var() - 1) < 5 * np.sqrt(2 / runs.size)
    assert abs(np.mean(scaled**4) - 3) < 5 * np.sqrt(96 / runs.size) + 2 / count


def test_streams_of_sizes_are_no_other_ones(monkeypatch):
    """Coins taken 2^28, 2^22, 2^16 at a time and one by one are read under four keys, none of them that of jitter."""
    keys = []

    class Words(KeyedWords):
        def __init__(self, key: bytes) -> None:
            keys.append(key)
            super().__init__(key)

    monkeypatch.setattr(coins, "KeyedWords", Words)
    heads(2**28 + 2**22 + 2**16 + 1, KEY)
    assert keys == [KEY + bytes([size]) for size in (28, 22, 16, 0)]


def test_other_keys_and_counts_show_other_heads():
    assert heads(2**29, KEY) == heads(2**29, KEY)
    assert len({heads(2**29, KEY + bytes([place])) for place in range(20)}) == 20
    assert heads(2 * 2**28, KEY) - heads(2**28, KEY) != heads(2**28, KEY)
    assert abs(heads(10**15, KEY) - 5 * 10**14) < 5 * np.sqrt(10**15) / 2
