"""Draw random words for persons: which of their rows are taken."""

from __future__ import annotations

import hashlib
import os

import numpy as np
from numpy.typing import NDArray

from ..arrays import Integers
from .jitter import Key

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
