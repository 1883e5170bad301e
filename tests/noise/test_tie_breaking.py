"""Bits that break ties, under a secret key: a function of the key and the position, however long the part is."""

import copy
import json
import logging
import pickle
from dataclasses import asdict, dataclass
from pprint import pformat

import numpy as np
import pytest

from dpq_core.ledger.store.chain import LedgerKey
from dpq_core.noise.tie_breaking import (
    CHUNK_WORDS,
    KEY_BYTES,
    MOST_BITS,
    PER_WORD,
    Key,
    tie_breaking,
    tie_breaking_keys,
)

CHUNK = CHUNK_WORDS * PER_WORD
"""Records that one chunk serves."""
SECRET = LedgerKey(b"a secret of some length")


@pytest.mark.parametrize("count", [1, 500, CHUNK + 4])
def test_a_key_gives_every_part_the_same_bits_again(count):
    first, other = tie_breaking_keys(2)
    bits = np.concatenate(list(tie_breaking(count, MOST_BITS, first)))
    assert bits.shape == (count,)
    assert np.array_equal(bits, np.concatenate(list(tie_breaking(count, MOST_BITS, first))))
    assert np.mean(bits == np.concatenate(list(tie_breaking(count, MOST_BITS, other)))) < 1


def test_no_chunk_repeats_another_and_all_are_uniform():
    (key,) = tie_breaking_keys(1, seed=5)
    first, second = (chunk[:CHUNK] for chunk in tie_breaking(2 * CHUNK, 4, key))
    assert abs(np.mean(first == second) - 1 / 16) < 0.01
    for chunk in (first, second):
        counts = np.bincount(chunk, minlength=16) / CHUNK
        assert np.abs(counts - 1 / 16).max() < 0.005  # nine standard errors


def test_keys_are_long_and_each_is_another():
    for seed in (None, 3):
        keys = tie_breaking_keys(20, seed)
        assert {len(key) for key in keys} == {KEY_BYTES}
        assert len(set(keys)) == 20
    assert tie_breaking_keys(20, seed=3) == keys
    assert tie_breaking_keys(20) != tie_breaking_keys(20)


@dataclass
class Holder:
    """Something that has a key."""

    key: Key


@pytest.mark.parametrize("key", [
    Key(b"a secret of some length"), Key(b"a secret") + b" of some length", SECRET,
], ids=["one", "sum", "ledger"])  # fmt: skip
def test_no_text_shows_a_key(key, caplog):
    logging.getLogger("dpq").warning("%s %r %s", key, key, [key])
    texts = [str(key), repr(key), f"{key}", f"{key!a}", str(key.of("names"))]
    texts += [caplog.text, str([key]), repr(Holder(key)), str(asdict(Holder(key))), pformat(Holder(key))]
    texts += [json.dumps({"key": key}, default=str), str(copy.copy(key)), str(copy.deepcopy(key))]
    assert not [text for text in texts if "secret" in text]
    for shows_it in (lambda: f"{key:>40}", lambda: json.dumps(key)):
        with pytest.raises(TypeError, match="Key"):
            shows_it()


def test_a_key_reaches_another_process_and_that_of_a_ledger_never_does():
    key = Key(b"a secret of some length")
    assert pickle.loads(pickle.dumps(key)) == key
    for shows_it in (lambda: pickle.dumps(SECRET), lambda: pickle.dumps(Holder(SECRET))):
        with pytest.raises(TypeError, match="never pickled: open the ledger again"):
            shows_it()
