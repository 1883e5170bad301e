"""Draw the low bits that break ties: independent for every record, once when a Column is made.

Random words for persons decide which of their rows are taken.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Integers

PER_WORD = 3
"""One 64-bit word serves three records, 21 bits each."""
MOST_BITS = 64 // PER_WORD
_WORDS_PER_BLOCK = 4  # of Philox
CHUNK_WORDS = 1 << 16
KEY_BYTES = 32


class Key(bytes):
    """A secret key, in the place of a seed: what is drawn from it is the same each time, and private while it is.

    No text shows it: neither `str` nor `repr`, a format, a log, or a dataclass that has it. A pickle holds it, because
    another process may have to draw the same again.
    """

    def __repr__(self) -> str:
        return "Key()"

    __str__ = __repr__  # else that of bytes, which shows them

    def __add__(self, more: Any) -> Key:
        return Key(bytes(self) + more)

    def of(self, purpose: str) -> Key:
        """Return a key for one purpose, from which the others do not follow."""
        return Key(hashlib.shake_256(self + b"/" + purpose.encode()).digest(KEY_BYTES))


def tie_breaking_keys(parts: int, seed: int | None = None) -> list[Key]:
    """Return a secret key of 256 bits for each chunk of a column whose bits may have to be drawn twice.

    Where a machine fails, its chunk is read again elsewhere and must get the same bits again. With a seed the keys are
    repeatable.
    """
    if seed is None:
        return [Key(os.urandom(KEY_BYTES)) for _ in range(parts)]
    children = np.random.SeedSequence(seed).spawn(parts)
    return [Key(child.generate_state(KEY_BYTES // 8, np.uint64).tobytes()) for child in children]


def tie_breaking(count: int, bits: int, seed: int | Key | None = None, first_row: int = 0) -> Iterator[Integers]:
    """Yield uniform integers below 2^bits for `count` records, in chunks; bits <= 21. O(count).

    Without a seed they come from the operating system. With one they are a function of the seed and the global row
    index (`first_row` + position), so that the chunks of a split column get what the whole would get. With a key they
    are a function of it and the position: SHAKE-256, whose output cannot be distinguished from entropy without the key.
    """
    assert 0 <= bits <= MOST_BITS, "a word holds three records"
    assert not isinstance(seed, Key) or first_row == 0, "a key begins at the first record of its chunk"
    mask = np.uint64((1 << bits) - 1)
    first_word, skip = divmod(first_row, PER_WORD)
    words_left = -(-(count + skip) // PER_WORD)
    next_words = _words(seed, first_word)
    while words_left > 0:
        words = next_words(min(words_left, CHUNK_WORDS))
        chunk = np.empty(words.size * PER_WORD, np.int64)
        for part in range(PER_WORD):
            chunk[part::PER_WORD] = (words >> np.uint64(part * MOST_BITS)) & mask
        chunk = chunk[skip : skip + count]
        yield chunk
        words_left, count, skip = words_left - words.size, count - chunk.size, 0


def _words(seed: int | Key | None, first_word: int) -> Callable[[int], NDArray[np.uint64]]:
    """Return what gives the next 64-bit words: of the system, of a key chunk by chunk, or of a seed from a word on.

    Of a key all but the last call ask for `CHUNK_WORDS`.
    """
    if seed is None:
        return lambda count: np.frombuffer(os.urandom(8 * count), np.uint64)
    if isinstance(seed, Key):
        chunks = (hashlib.shake_256(seed + chunk.to_bytes(8, "little")) for chunk in itertools.count())
        return lambda count: np.frombuffer(next(chunks).digest(8 * count), np.uint64)
    generator = np.random.Philox(key=np.random.SeedSequence(seed).generate_state(2, np.uint64))
    block, inside = divmod(first_word, _WORDS_PER_BLOCK)
    generator.advance(block)
    generator.random_raw(inside)
    return lambda count: np.asarray(generator.random_raw(count), dtype=np.uint64)


_SPAWN_KEY = 0x70656F706C65
"""Keeps seeded words apart from tie-breaking bits and from simulated noise of the same seed."""


def words_for(places: Integers, seed: int | Key | None, turn: int = 0) -> NDArray[np.uint64]:
    """Return a uniform 64-bit word for each of some increasing places; same shape.

    Without a seed they come from the operating system. With one, each is a function of the seed, the turn and its own
    place, whichever other places are asked for. With a key the same function cannot be told from entropy without it.
    """
    if seed is None:
        return np.frombuffer(os.urandom(8 * places.size), np.uint64)
    up_to = int(places[-1]) + 1 if places.size else 0
    if isinstance(seed, Key):
        words = hashlib.shake_256(seed.of(f"words of turn {turn}")).digest(8 * up_to)
        return np.frombuffer(words, np.uint64)[places]
    generator = np.random.Philox(np.random.SeedSequence(seed, spawn_key=(_SPAWN_KEY, turn)))
    return np.asarray(generator.random_raw(up_to), dtype=np.uint64)[places]


def other_seed(seed: int | Key | None) -> int | Key | None:
    """Return a seed whose words are not those of this one; None stays None."""
    return seed.of("others") if isinstance(seed, Key) else None if seed is None else seed + 1
