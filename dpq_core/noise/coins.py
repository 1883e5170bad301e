"""Count the heads of many fair coins: exactly Binomial(count, 1/2), a function of a secret key, in little time.

Coins are taken 2^28, 2^22 and 2^16 at a time, the rest one by one. The heads X of 2^k coins are drawn by inversion: a
uniform U in [0, 1), of which 64 bits are drawn first, and X is the least x with U < F(x). The bounds of F are proved in
`_bounds`. Where the bits of U do not decide on which side of F(x) it is, once in more than 2^44 draws, 64 more are
drawn and F is computed more precisely, until they do. So nothing is rounded, and X has exactly its distribution.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from .jitter import CHUNK_WORDS, KeyedWords

SIZES = (28, 22, 16)
"""Logarithms of how many coins are counted at a time."""
WORD = 64
GUARD_BITS = 64
"""How much more precisely F is computed than it is compared."""


def heads(count: int, key: bytes) -> int:
    """Return how many of `count` fair coins show heads. O(count / 2^28) words from 2^28 coins on."""
    found = 0
    for size in SIZES:
        several, count = divmod(count, 1 << size)
        found += _of_many(size, several, key + bytes([size])) if several else 0
    return found + _one_by_one(count, key + bytes([0]))


def _one_by_one(count: int, key: bytes) -> int:
    """Return the heads of a few coins, a bit for each."""
    words = KeyedWords(key).next(-(-count // WORD))
    beyond = words.size * WORD - count
    if beyond:
        words = np.append(words[:-1], words[-1] >> np.uint64(beyond))
    return int(np.bitwise_count(words).sum(dtype=np.int64))


def _of_many(size: int, several: int, key: bytes) -> int:
    """Return the heads of `several` times 2^size coins, a word for each 2^size."""
    source, found = KeyedWords(key), 0
    least, lower, upper = _tables(size)
    for start in range(0, several, CHUNK_WORDS):
        words = source.next(min(several - start, CHUNK_WORDS))
        at = upper.searchsorted(words)  # of all x whose F lies below U for sure
        told = words < lower.take(at, mode="clip")
        found += int(at[told].sum()) + least * int(np.count_nonzero(told))
        for place in np.flatnonzero(~told).tolist():
            more = KeyedWords(key + (start + place).to_bytes(8, "little"))
            found += _told(size, int(words[place]), WORD, more)
    return found


def _told(size: int, uniform: int, bits: int, source: KeyedWords) -> int:
    """Return the heads of 2^size coins for a uniform number whose known bits do not decide; draw more of its bits."""
    while True:
        uniform, bits = uniform << WORD | int(source.next(1)[0]), bits + WORD
        found = _place(_bounds(size, bits), uniform)
        if found is not None:
            return found


def _place(bounds: tuple[int, list[int], list[int]], uniform: int) -> int | None:
    """Return the least x with U < F(x) if the bits of U decide it, else None."""
    least, lower, upper = bounds
    at = bisect_left(upper, uniform)
    return least + at if at < len(lower) and uniform < lower[at] else None


@cache
def _tables(size: int) -> tuple[int, NDArray[np.uint64], NDArray[np.uint64]]:
    """Return `_bounds` for the first word."""
    least, lower, upper = _bounds(size, WORD)
    return least, np.array(lower, np.uint64), np.array(upper, np.uint64)


def _bounds(size: int, bits: int) -> tuple[int, list[int], list[int]]:
    """Return a least x and, for it and those above, integers with lower <= 2^bits F(x), and 2^bits F(x) < upper + 1.

    F is that of the heads of 2^size = 2m coins. Their chances are to that of m as w(j) = w(-j) at m + j, where w(0) = 1
    and w(j + 1) = w(j) (m - j) / (m + j + 1). Here w is an integer in units of 2^-precision, rounded down at each step.
    As no factor exceeds 1, w(j) is too low by at most j units, and a w that has become 0 is below j + 1 units: any sum
    of w's is too low by at most (2m + 1)(m + 1) units, the `error`. F(x) is a sum of w's divided by the sum of all.
    The parts left out at either end have F below 2^-bits or above 1 - 2^-bits, where bits alone cannot decide.
    """
    middle, precision, most = 1 << (size - 1), bits + 2 * size + GUARD_BITS, (1 << bits) - 1
    error = (2 * middle + 1) * (middle + 1)
    weights = [1 << precision]
    for j in range(middle):
        weights.append(weights[-1] * (middle - j) // (middle + j + 1))
        if not weights[-1]:
            break
    upto = list(accumulate(weights))  # w(0) to w(j)
    every = 2 * upto[-1] - upto[0]
    sums = [upto[-1] - below for below in reversed(upto[:-1])]  # at m - last, ..., m - 1
    sums += [upto[-1] - upto[0] + through for through in upto[:-1]]  # at m, ..., m + last - 1
    lower = [(each << bits) // (every + error) for each in sums]
    upper = [min(((each + error) << bits) // every, most) for each in sums]
    if len(weights) == middle + 1:  # nothing is left out, and F is 1 where all coins show heads
        lower.append(most + 1)
        upper.append(most + 1)
    first = max(bisect_left(upper, 1) - 1, 0)
    end = min(bisect_left(lower, most) + 1, len(lower))
    return middle - len(weights) + 1 + first, lower[first:end], upper[first:end]
