"""Write ids as words of 64 bits that are the same on every worker, so that a shuffle brings equal ones together.

Claim. Two rows have equal words exactly if `People.of` gives both to one person: `id_of` decides, as in memory. An
integer of 64 bits is its own word. Of other identities the words are a digest of 256 bits, under a secret key, of
bytes that are different for different identities (`_written`). Two different ones with one digest would be a collision
of BLAKE2b: with 10^10 persons the chance is below 10^-57, and nobody who does not know the key can look for one.

Each row without an id has a number of its own in the last word, which is 0 for all others.
"""

from __future__ import annotations

import datetime
from collections.abc import Hashable
from decimal import Decimal
from fractions import Fraction
from hashlib import blake2b
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Integers
from ..errors import DataError, Disclosure
from ..noise.tie_breaking import Key
from ..people.ids import distinct_ids

WORDS_OF_A_DIGEST = 4


def is_whole(column: Any) -> bool:
    """Return whether a column of ids is one of integers of 64 bits, none of them missing, by its type alone."""
    kind = getattr(column, "dtype", None)
    return isinstance(kind, np.dtype) and kind.kind in "iub" and np.can_cast(kind, np.int64)


def words_of(ids: Any, first_row: int, key: Key, *, whole: bool) -> Integers:
    """Return the words of each row's id, (rows, words), the last one for rows of nobody. Raises DataError.

    Rows of nobody are numbered from `first_row`, at least 1.
    """
    if whole:
        numbers = np.asarray(ids)
        if numbers.dtype.kind not in "iub":
            raise DataError("the ids must have one type in all partitions.", discloses=Disclosure.KIND)
        numbers = numbers.astype(np.int64)
        return np.stack([numbers, np.zeros(numbers.size, np.int64)], axis=1)
    codes, persons = distinct_ids(ids)
    table = np.zeros((len(persons) + 1, WORDS_OF_A_DIGEST + 1), np.int64)
    for at, person in enumerate(persons):
        table[at, :-1] = digest_of(person, key)
    words = table[codes]
    nobody = np.flatnonzero(codes < 0)
    words[nobody, -1] = first_row + nobody
    return words


def digest_of(identity: Hashable, key: Key) -> Integers:
    """Return the digest of a person's identity, or of the name of a group, (words,)."""
    return np.frombuffer(blake2b(_written(identity), digest_size=32, key=bytes(key)).digest(), np.int64)


def by_words(words: Integers) -> tuple[NDArray[np.int32], Integers]:
    """Return the number of each row, equal for equal words and in their order, and the words of each number."""
    order = np.lexsort(words.T)
    new = np.any(np.diff(words[order], axis=0, prepend=words[order[:1]] - 1) != 0, axis=1)
    codes = np.empty(order.size, np.int32)
    codes[order] = np.cumsum(new) - 1
    return codes, words[order[new]]


def _written(person: Hashable) -> bytes:
    """Return bytes that are equal for equal identities and different for different ones."""
    match person:
        case str():
            text = b"t" + person.encode("utf-8", "surrogatepass")
        case bytes():
            text = b"b" + person
        case tuple():
            text = b"(" + b"".join(map(_written, person))
        case datetime.time():
            text = _time_of_day(person)
        case None:
            text = b"-"
        case _:
            text = b"n" + _number(person)
    return len(text).to_bytes(8, "little") + text


def _number(number: Any) -> bytes:
    """Return the exact value of a number of any kind: 1, 1.0 and Decimal("1.00") are one."""
    if isinstance(number, float | Decimal) and abs(number) == inf:
        return repr(float(number)).encode()
    exact = Fraction(number)
    return f"{exact.numerator:x}/{exact.denominator:x}".encode()


def _time_of_day(time: datetime.time) -> bytes:
    """Return a time without a zone as it is, and one with a zone as that of the prime meridian."""
    offset = time.utcoffset()
    since = datetime.timedelta(
        hours=time.hour, minutes=time.minute, seconds=time.second, microseconds=time.microsecond
    ) - (offset or datetime.timedelta())
    return b"h" + (b"z" if offset is not None else b"") + str(since // datetime.timedelta(microseconds=1)).encode()
